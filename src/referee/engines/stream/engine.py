"""Summaries of files larger than memory: Arrow batches into summaries that merge."""

from __future__ import annotations

from hashlib import blake2b
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import scale_to_one
from referee.engines.protocol import WeightFacts
from referee.engines.stream.passes import survey_of
from referee.engines.stream.rank_sums import rank_sums
from referee.engines.stream.rankings import Holder, budget_of
from referee.engines.stream.summary import Summary
from referee.engines.stream.whole import Condensed
from referee.predictions import Streamed, Units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions import Facts, Layout, Model, Predictions

__all__ = [
    "constant",
    "crossed",
    "facts",
    "fingerprint",
    "mean_and_quantiles",
    "rank_sums",
    "rows_of_classes",
    "summarise",
    "units_alone",
    "weight_facts",
]

TO_HAVE_ROWS = "--engine memory reads them, as far as --max-memory allows"
ROWS_ARE = "stay in the file"
IN_BATCHES, SUMS_PAIRS, ANSWERS = True, False, False


def summarise(predictions: Predictions, model: Model, by: Units | None = None) -> Any:
    """Give the summaries of one model's predictions for each unit; each is made when a metric asks for it."""
    constant_columns = all(column.constant is not None for column in model.given_columns())  # type: ignore[attr-defined]
    alike = predictions.weight is None and predictions.has_independent_rows
    if constant_columns and by is None and predictions.task != "regression" and alike:
        return Condensed(_layout(predictions), predictions, model)
    return Summary(predictions, model, by)


def facts(predictions: Predictions, model: Model) -> Facts:
    return survey_of(_layout(predictions)).facts[model.name]


def rows_of_classes(predictions: Predictions) -> Array:
    """All rows; a row with a frequency weight is so many."""
    cells = survey_of(_layout(predictions)).cells
    assert cells is not None
    if predictions.weight is not None and predictions.weight_kind == "frequency":
        return np.asarray(cells.weight.sum(axis=0) / predictions.weight_scale)
    return np.asarray(cells.rows.sum(axis=0))


def weight_facts(predictions: Predictions) -> WeightFacts:
    """Of the weights that are not 0."""
    each = [piece.weight[piece.weight > 0] for piece in _layout(predictions).pieces() if piece.weight is not None]
    held = [weight for weight in each if len(weight)]
    rows, sums = sum(map(len, held)), [(float(weight.sum()), float(weight @ weight)) for weight in held]
    total, squares = (fsum(part) for part in zip(*sums, strict=True))
    return WeightFacts(rows, total, squares, min(map(min, held)), max(map(max, held)))


def constant(predictions: Predictions, value: float) -> Any:  # noqa: ARG001 (one protocol)
    return Streamed(lambda piece: np.broadcast_to(np.asarray(value), piece.rows), constant=value)


def mean_and_quantiles(predictions: Predictions, levels: Sequence[float]) -> tuple[float, dict[float, float]]:
    """Of the truth, with its weights."""
    layout = _layout(predictions)
    scale = scale_to_one(survey_of(layout).largest[""])
    totals, weights = [], []
    for piece in layout.pieces():
        weight = np.ones(piece.rows) if piece.weight is None else piece.weight
        totals.append(float((piece.truth * scale * weight).sum()))
        weights.append(float(weight.sum()))
    return fsum(totals) / fsum(weights) / scale, _quantiles(layout, levels) if levels else {}


class _Truth(Holder):
    def release(self) -> None:
        """Nothing is held once the quantiles are known."""


def _quantiles(layout: Layout, levels: Sequence[float]) -> dict[float, float]:
    budget_of(layout).claim(_Truth(), 4 * 8 * layout.rows, layout.rows)
    pieces = [(piece.truth, piece.weight) for piece in layout.pieces()]
    truth = np.concatenate([truth for truth, _ in pieces])
    weight = None if pieces[0][1] is None else np.concatenate([weight for _, weight in pieces])
    return {q: float(np.quantile(truth, q, weights=weight, method="inverted_cdf")) for q in levels}


def units_alone(predictions: Predictions, model: Model, units: Units) -> Iterator[None]:  # noqa: ARG001
    """None for each unit: the rows of a unit by themselves are not at hand."""
    yield from [None] * len(units)


def crossed(several: Sequence[Units]) -> Units | None:
    """One unit for each combination that occurs."""
    if len(several) < 2:
        return several[0] if several else None
    layout: Any = next(units.codes.layout for units in several)  # type: ignore[attr-defined]
    sizes = [len(units) for units in several]

    def code(piece: Predictions) -> Any:
        return np.ravel_multi_index([units.codes.in_piece(piece) for units in several], sizes)  # type: ignore[attr-defined]

    keys = np.unique(np.concatenate([np.unique(code(piece)) for piece in layout.pieces()]))
    places = np.stack(np.unravel_index(keys, sizes), axis=1)
    names = tuple(", ".join(units.names[c] for units, c in zip(several, row, strict=True)) for row in places)
    return Units(Streamed(lambda piece: np.searchsorted(keys, code(piece)), layout=layout), names)  # type: ignore[arg-type]


def fingerprint(predictions: Predictions) -> str:
    """The same hash as that of the columns in memory, each column's by itself."""
    digests: dict[tuple[str, ...], Any] = {}
    for piece in _layout(predictions).pieces(list(predictions.names), group=True):
        for role, column in piece.content().items():
            of_column = digests.setdefault(role, blake2b(digest_size=16))
            of_column.update(np.ascontiguousarray(column, np.float64).data)
    digest = blake2b(predictions.described(digests), digest_size=16)
    for of_column in digests.values():
        digest.update(of_column.digest())
    return digest.hexdigest()


def _layout(predictions: Predictions) -> Layout:
    layout: Layout = predictions.truth.layout  # type: ignore[attr-defined]
    return layout

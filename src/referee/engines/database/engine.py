"""Summaries of tables in a database: Ibis expressions in, small tables of counts and sums out."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from math import inf, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.group_cells import group_cells
from referee.engines.database.models_together import is_constant, sum_together, summary_of_constant
from referee.engines.database.own_sums import own_sums as asked_own_sums
from referee.engines.database.pair_sums import pair_sums as asked_pair_sums
from referee.engines.database.rank_sums import rank_sums
from referee.engines.database.repeated_rows import repeated_rows
from referee.engines.database.rows import facts as facts_of_rows
from referee.engines.database.rows import mean_and_quantiles
from referee.engines.database.some_rows import know_the_rest, some_rows
from referee.engines.database.summary import Summary
from referee.engines.database.tails import largest_sums
from referee.engines.database.tally import is_by_labels, pair_sums_of_labels, pair_sums_of_terms, take_tally, tally_of
from referee.engines.protocol import SUMMARIES, WeightFacts
from referee.predictions import EXTREMES, FLOAT, Units, fetch, fetch_row, lookup, number, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array, Column
    from referee.engines.protocol import PairSums
    from referee.predictions import Facts, Model, Predictions
    from referee.scoring import Metric

__all__ = [
    "all_but", "constant", "counts_seen", "crossed", "decisions_of_pair", "facts", "fingerprint", "group_cells",
    "largest_sums", "losses", "mean_and_quantiles", "most_carried", "own_sums", "pair_sums", "predictions_of_units",
    "prepare", "rank_sums", "repeated_rows", "rows_of_classes", "rows_of_units", "summarise", "units_alone",
    "weight_facts", "why_lacking",
]  # fmt: skip
HALF_OF_HASH = 2**31
TO_HAVE_ROWS = "--engine memory reads them, as far as --max-memory allows"
ROWS_ARE = "stay in the database"
IN_BATCHES, SUMS_PAIRS, ANSWERS = False, True, True


def summarise(predictions: Predictions, model: Model, by: Units | None = None) -> Summary:
    """Give the summaries of one model's predictions for each unit; each is asked of the database when it is needed.

    Those of all rows are the same ones as long as the predictions live, so that nothing is asked twice.
    """
    if by is not None:
        return Summary(predictions, model, by)
    made: dict[Model, Summary] = vars(predictions).setdefault(SUMMARIES, {})
    if model not in made and predictions.classes and _is_plain(predictions) and is_constant(model):
        made[model] = summary_of_constant(predictions, model, rows_of_classes(predictions))  # type: ignore[assignment]
    if model not in made:
        # Of a copy, so that predictions do not keep themselves alive: their connection is closed with them.
        copy = next(iter(made.values())).predictions if made else replace(predictions)
        vars(copy)[EXTREMES] = vars(predictions).setdefault(EXTREMES, {})
        made[model] = Summary(copy, model, None)
    return made[model]


def _is_plain(predictions: Predictions) -> bool:
    """Whether nothing but the true class tells rows apart."""
    return all(getattr(predictions, role) is None for role in ("weight", "clusters", "fold", "repeat", "baseline"))


def prepare(predictions: Predictions, metrics: Sequence[Metric]) -> None:
    """Ask for all models at once: the counts of all their decisions, and the sums of the metrics' row terms."""
    every = [summarise(predictions, model) for model in predictions.models]
    if all(isinstance(summary, Summary) for summary in every):
        take_tally(predictions, every, metrics)
        sum_together(every, metrics)


def facts(predictions: Predictions, model: Model) -> Facts:
    """Those of all models come with their counts."""
    if tally_of(predictions) is None:
        prepare(predictions, [])
    tally = tally_of(predictions)
    return facts_of_rows(predictions, model, None if tally is None else tally.conditions.get(model.name))


def pair_sums(predictions: Predictions, influences: Sequence[Any], *, by_class: bool) -> PairSums:
    """From what one scan has counted and added up where that says everything, else in a query."""
    known = None if by_class else _tallied(predictions, influences)
    return known or asked_pair_sums(predictions, influences, by_class=by_class)


def own_sums(predictions: Predictions, influences: Sequence[Any], by_class: Sequence[bool]) -> list[PairSums]:
    """Of each by itself; all that one scan does not say is asked together."""
    known = [
        None if compares else _tallied(predictions, [each]) for each, compares in zip(influences, by_class, strict=True)
    ]
    asked = [place for place, sums in enumerate(known) if sums is None]
    made = asked_own_sums(predictions, [influences[k] for k in asked], [by_class[k] for k in asked])
    of_asked = dict(zip(asked, made, strict=True))
    return [of_asked[place] if sums is None else sums for place, sums in enumerate(known)]


def _tallied(predictions: Predictions, influences: Sequence[Any]) -> PairSums | None:
    tally = tally_of(predictions)
    if tally is None:
        return None
    if tally.labels is not None and all(map(is_by_labels, influences)):
        return pair_sums_of_labels(tally, influences)
    return pair_sums_of_terms(tally, influences)


def rows_of_classes(predictions: Predictions) -> Array:
    """Rows that have weight; a row with a frequency weight is so many."""
    return counts_seen(predictions, predictions.models[0]).sum(axis=1)


def counts_seen(predictions: Predictions, model: Model) -> Array:
    """The confusion matrix of rows, each as often as it was seen, whatever else it weighs."""
    weight: Any = predictions.weight
    if weight is None:
        return summarise(predictions, model).counts.matrix[0]
    if predictions.weight_kind == "frequency":
        seen = weight / predictions.weight_scale
    else:
        seen = (weight > 0).ifelse(number(1.0), number(0.0))
    return Summary(replace(predictions, weight=seen), model, None).counts.matrix[0]


def decisions_of_pair(predictions: Predictions, a: Model, b: Model) -> Array:
    """True classes, the decisions of two models, and how many rows have them: (4, cell)."""
    tally = tally_of(predictions)
    if tally is not None and tally.labels is not None:
        return np.stack([tally.truth, tally.labels_of(a.name), tally.labels_of(b.name), tally.rows])
    first, second = (summarise(predictions, model).rows.labels for model in (a, b))
    keys = {"truth": predictions.truth, "first": first, "second": second}
    cells = table_of(predictions.truth).select(**keys).group_by(*keys)
    counted = fetch(cells.aggregate(rows=lambda each: each.count()))
    return np.stack([counted[name] for name in (*keys, "rows")])


def losses(predictions: Predictions, metric: Metric) -> list[tuple[Any, float]]:
    """Of each model the row term that a few rows can carry, as a column, and what it adds up to."""
    every, carried = [summarise(predictions, model) for model in predictions.models], str(metric.carried_by)
    columns = [summary.rows.row_terms(metric, summary.baseline)[carried] for summary in every]
    totals = [float(summary.sums(metric).mean(carried)[0] * summary.total_weight[0]) for summary in every]
    of_one = predictions.weight_scale if predictions.weight_kind == "frequency" else 1.0
    return [(column, total / of_one) for column, total in zip(columns, totals, strict=True)]


def most_carried(predictions: Predictions, metric: Metric, name: str) -> float:
    tally = tally_of(predictions)
    if tally is None or metric.full_name not in tally.powers:
        return inf
    return tally.powers[metric.full_name].most_carried(tally.names.index(name))


def why_lacking(predictions: Predictions, metric: Metric) -> None:
    """Nothing is: rows can be asked again."""


def weight_facts(predictions: Predictions) -> WeightFacts:
    weight: Any = predictions.weight
    rows = table_of(predictions.truth).select(weight=weight)
    rows = rows.filter(rows.weight > 0)
    row = fetch_row(
        rows.aggregate(
            rows=rows.count(),
            total=rows.weight.sum(),
            squares=(rows.weight * rows.weight).sum(),
            low=rows.weight.min(),
            high=rows.weight.max(),
        )
    )
    return WeightFacts(**{name: value or 0 for name, value in row.items()})  # sums of no rows are NULL


def constant(predictions: Predictions, value: float) -> Column:  # noqa: ARG001 (one protocol)
    import ibis

    return number(value) if isinstance(value, float) else ibis.literal(int(value))


def crossed(several: Sequence[Units]) -> Units | None:
    """One unit for each combination that occurs."""
    if len(several) < 2:
        return several[0] if several else None
    code = _code_of(several)
    keys = np.sort(fetch(table_of(several[0].codes).select(code=code).distinct())["code"])
    parts = np.unravel_index(keys, [len(units) for units in several])
    names = tuple(", ".join(u.names[c] for u, c in zip(several, row, strict=True)) for row in zip(*parts, strict=True))
    return Units(lookup(code, {key: place for place, key in enumerate(keys.tolist())}), names)


def _code_of(several: Sequence[Units]) -> Any:
    """One number for each combination."""
    code: Any = 0
    for units in several:
        code = code * len(units) + units.codes.cast("int64")  # type: ignore[attr-defined]
    return code


def rows_of_units(several: Sequence[Units]) -> Array:
    """How many rows each unit has, or each combination of units of several groupings."""
    sizes = tuple(map(len, several))
    rows = table_of(several[0].codes).select(code=_code_of(several))
    counted = fetch(rows.group_by("code").aggregate(rows=rows.count()))
    made = np.zeros(prod(sizes), int)
    made[counted["code"]] = counted["rows"]
    return made.reshape(sizes)


def units_alone(predictions: Predictions, model: Model, units: Units) -> Iterator[Summary | None]:
    """The summary of each unit's rows by themselves; None for each of many, which would be asked for one by one."""
    alone = predictions_of_units(predictions, units)
    if not alone:
        yield from (None for _ in units.names)
    for each in alone:
        # A guess says the same of all rows.
        yield summarise(each, each.model(model.name) if model in predictions.models else model)


def predictions_of_units(predictions: Predictions, units: Units) -> list[Predictions]:
    """Those of each unit by itself; none of many units."""
    if len(units) > MOST_ALONE:
        return []
    made: dict[int, tuple[Units, list[Predictions]]] = vars(predictions).setdefault(ALONE, {})
    if id(units) not in made:
        sizes, codes = rows_of_units([units]).tolist(), units.codes
        made[id(units)] = units, [some_rows(predictions, codes == k, rows) for k, rows in enumerate(sizes)]
    return made[id(units)][1]


MOST_ALONE = 50
"""Units whose rows are asked about by themselves."""
ALONE = "_predictions_of_units"


def all_but(predictions: Predictions, units: Units, place: int) -> Predictions:
    """The rows of all other units; their counts are those of all rows without the unit's."""
    alone = predictions_of_units(predictions, units)[place]
    rest = some_rows(predictions, units.codes != place, predictions.rows - alone.rows)
    know_the_rest(rest, [summarise(rest, model) for model in rest.models], predictions, alone)
    return rest


def fingerprint(predictions: Predictions) -> str:
    """A hash of the content that does not depend on the order of rows, as a database has none."""
    content = predictions.content()
    hashed = _hash_of_row([column.cast(FLOAT) + number(0.0) for column in content.values()])  # type: ignore[attr-defined]
    rows = table_of(predictions.truth).select(hash=hashed)
    halves = {"low": rows.hash % HALF_OF_HASH, "high": (rows.hash // HALF_OF_HASH) % HALF_OF_HASH}
    sums = fetch_row(rows.aggregate(**{name: half.sum() for name, half in halves.items()}))
    rest = repr((predictions.rows, *map(int, sums.values()))).encode()
    return blake2b(predictions.described(content) + rest, digest_size=16).hexdigest()


def _hash_of_row(columns: Sequence[Any]) -> Column:
    first, *others = columns
    result = first.hash()
    for column in others:
        result = (result.hash() ^ column.hash()).hash()
    return result

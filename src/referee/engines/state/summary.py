"""The summaries of one model in a state: counts, sums, ranking."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.memory.cells import Cells, label_cells, step_cells
from referee.engines.ranked_scores import Ranking
from referee.engines.state.forms import Form
from referee.engines.summaries import Counts, Sums
from referee.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.predictions import CellSums, Model, Predictions, State, TermMoments
    from referee.scoring import Metric


class RowsOf:
    """What stands for the rows of a model, which are not there."""

    def __init__(self, predictions: Predictions, model: Model) -> None:
        self.predictions, self.model = predictions, model


class Summary:
    unit, units, by, weight, scale = 0, 1, None, None, 1.0

    def __init__(self, predictions: Predictions, model: Model) -> None:
        self.predictions = predictions
        self.state: State = predictions.truth  # type: ignore[assignment]
        self.place = self.state.names.index(model.name)
        self.rows = RowsOf(predictions, model)
        self.baseline = NoBaseline()
        self.known_values: dict[object, Array] = {}
        self.kept: dict[object, Any] = {}
        """What others have made of these summaries, and may want again."""

    @property
    def total_weight(self) -> Array:
        return np.array([float(self.predictions.rows)])

    @cached_property
    def counts(self) -> Counts:
        classes = len(self.predictions.classes)
        matrix = np.zeros((1, classes, classes), np.int64)
        cells: CellSums = self.state.tables[f"labels/{self.place}/{self.place}"]  # type: ignore[assignment]
        truth, label, _ = np.unravel_index(cells.keys, (classes,) * 3)
        matrix[0, truth, label] = cells.sums[:, 0]
        return Counts(matrix)

    @property
    def class_weights(self) -> Array:
        """Rows of each class: (unit, class)."""
        return self.counts.true

    @cached_property
    def label_cells(self) -> Cells:
        return label_cells(self.counts.matrix, _no_rows)

    @cached_property
    def truth_cells(self) -> Cells:
        return Cells((self.class_weights[0],), (np.arange(len(self.predictions.classes)),), 0, _no_rows)

    @property
    def bins(self) -> CellSums:
        """The bins of the model's scores, lowest first."""
        name = f"steps/{self.place}"
        if name not in self.state.tables:
            raise UsageError("E_STATE", "a state ranks two classes, one of which is positive, and this has others")
        cells: CellSums = self.state.tables[name]  # type: ignore[assignment]
        return cells

    def ranking(self, positive: int, *, as_probability: bool = False) -> Ranking:
        """The bins of the score for a class, highest first; all rows of a bin tie."""
        bins = self.bins
        scores = np.where(bins.low == bins.high, bins.low, (bins.low + bins.high) / 2)
        ranking = Ranking(scores[::-1], bins.sums[::-1, 1], bins.sums[::-1, 0], np.array([0, len(scores)]))
        if positive == self.predictions.positive:
            return ranking
        return ranking.turned(complement=as_probability and self.state.facts[self.rows.model.name].outside is None)

    def extreme_rankings(self) -> list[Ranking]:
        """The bins with all their positives first, and with all their negatives first: the truth is between them."""
        bins = self.bins
        apart, scores = (bins.low < bins.high)[::-1], np.stack([bins.high[::-1], bins.low[::-1]], axis=1).reshape(-1)

        def split(side: int, first: int) -> Array:
            """The rows of one side, in the upper half of their bins or in the lower one."""
            rows = bins.sums[::-1, side]
            upper = np.where(apart & (side != first), 0, rows)
            return np.stack([upper, rows - upper], axis=1).reshape(-1)

        made = []
        for first in (1, 0):
            negatives, positives = (split(side, first) for side in (0, 1))
            filled = negatives + positives > 0
            ends = np.array([0, np.count_nonzero(filled)])
            made.append(Ranking(scores[filled], positives[filled], negatives[filled], ends))
        return made

    def step_cells(self, code: int, *, as_probability: bool = False) -> Cells:
        """The rows of a class, and of all others, in each bin."""
        key = "steps", code, as_probability
        if key not in self.kept:
            ranking = self.ranking(code, as_probability=as_probability)
            self.kept[key] = step_cells(ranking, np.empty(0), _no_rows, (1 - code, code))
        cells: Cells = self.kept[key]
        return cells

    def turned_steps(self, code: int, *, as_probability: bool) -> slice | None:  # noqa: ARG002 (one protocol)
        """The bins of the other class are those of the positive one backwards."""
        return slice(None, None, -1) if code != self.predictions.positive else None

    def sums(self, metric: Metric) -> Sums:
        moments, forms = self.moments(metric), self.terms(metric)
        rows = float(self.predictions.rows)
        means = np.array([float(moments.sum(form.numbers).sum()) / rows for form in forms.values()])
        off = [form - mean for form, mean in zip(forms.values(), means.tolist(), strict=True)]
        products = [[float(moments.sum(a.numbers, b.numbers).sum()) for b in off] for a in off]
        return Sums(tuple(forms), np.array([rows]), means[None], np.array([products]))

    def moments(self, metric: Metric, other: int | None = None) -> TermMoments:
        """Of the row terms, or of those of this model and a later one."""
        said = self.state.about["sums"].get(metric.full_name)
        if said is None:
            raise UsageError("E_STATE", f"{self.state.source}: {why_lacking(self.predictions, metric)}")
        last = self.place if other is None else other
        return self.state.tables[f"terms/{said['key']}/{self.place}/{last}"]  # type: ignore[return-value]

    def terms(self, metric: Metric) -> dict[str, Form]:
        names = self.state.about["sums"][metric.full_name]["terms"]
        return Form.of_terms(names, self.moments(metric).centres[0])

    def row_moments(self, metric: Metric, phi: Callable[[dict[str, Form]], Form]) -> tuple[float, float]:
        """The sums over rows of the square and the fourth power of a row value."""
        moments, form = self.moments(metric), phi(self.terms(metric)).numbers
        return float(moments.sum(form, form).sum()), float(moments.sum(form, form, form, form).sum())


class NoBaseline:
    """The yardstick of relative errors, which depends on the rows."""

    is_estimated = False

    def used_by(self, metric: Metric) -> bool:
        return "baseline" in metric.row_arguments


def why_lacking(predictions: Predictions, metric: Metric) -> str | None:
    """Why a state cannot give a metric; None if it can."""
    state: State = predictions.truth  # type: ignore[assignment]
    ranks, name = "ranking" in metric.summaries, metric.name
    several = len(predictions.classes) > 2 or metric.settings.get("average") is not None
    reasons = {
        f"{name} joins counts, sums and rankings, and a state has each by itself": len(metric.summaries) > 1,
        f"the yardstick of {name} is estimated from the rows, and a state has none": "baseline" in metric.row_arguments,
        f"{name} needs the rows, and a state has none": (ranks and metric.row_terms is not None)
        or "pairs" in metric.summaries,
        f"{name} needs the probabilities themselves, and a state has them in bins": ranks
        and metric.needs == "probabilities",
        f"{name} of several classes needs their joint ranking, and a state ranks two classes": ranks and several,
        f"the state has no sums for {metric.full_name}; `referee summarise --metrics {metric.full_name}` adds them": (
            metric.summaries == ("sums",) and metric.full_name not in state.about["sums"]
        ),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _no_rows() -> Array:
    raise UsageError("E_STATE", "a state has no rows", hint="give the rows that it was made of")

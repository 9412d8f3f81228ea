"""Groups of rows left out in pairs: how much the rows that are tested and those that are learned from vary a value.

Rows vary with as many degrees of freedom as there are of them; only what training rows add has to come from groups.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing.comparison import DUST, Comparison, by_student_t, no_difference
from referee.engines import engine_of
from referee.errors import Notice, UndefinedError, UsageError
from referee.records import dataclass
from referee.scoring import Spread, UnitByUnitError, compares_classes, interval, row_changes, values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.comparing.contender import Contender
    from referee.comparing.contest import Contest
    from referee.comparing.design import Design
    from referee.predictions import Model, Predictions, Units
    from referee.scoring import Metric, Score, Scores

DOMINATED, MOST = 4.0, 2.5
"""Above so many row variances training rows dominate, and the correction for overlap holds; else the variance is at
most so many times the corrected one. Frozen: docs/simulations/procedure_tests.md was run with them."""


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Which rows were left out together, of predictions one below the other."""

    deals: int
    groups: int
    rows: int
    row: Array
    """Of each prediction, as all below: the row that was predicted."""
    deal: Array
    group: Array
    """That of the row."""
    beside: Array
    """The other group that was left out."""
    units: Units
    """The fit that it is of."""

    @classmethod
    def of(cls, predictions: Predictions) -> LeftOut | None:
        """Recognise the design by who was tested with whom; None where it is another one, or weights or groups."""
        example, fold, repeat = predictions.example, predictions.fold, predictions.repeat
        if example is None or fold is None or repeat is None:
            return None
        rows, rounds, groups = len(example), len(repeat), 2 * len(fold)
        other = predictions.weight is not None or predictions.group is not None
        if other or groups < 4 or rounds % (groups - 1) or len(example.codes) != rows * rounds:
            return None
        order = sorted(range(rounds), key=lambda code: (len(repeat.names[code]), repeat.names[code]))
        place = np.argsort(order)[repeat.codes]
        folds = np.full((rows, rounds), -1)
        folds[example.codes, place] = fold.codes
        dealt = [_groups(part, groups) for part in np.split(folds, rounds // (groups - 1), axis=1)]
        if any(assigned is None for assigned in dealt):
            return None
        deal, turn = np.divmod(place, groups - 1)
        group, beside = (np.stack([assigned[side] for assigned in dealt if assigned is not None]) for side in (0, 1))
        own = group[deal, example.codes, 0]
        units = engine_of(predictions).crossed([repeat, fold])
        assert units is not None
        return cls(len(dealt), groups, rows, example.codes, deal, own, beside[deal, own, turn], units)

    @property
    def fits(self) -> int:
        return len(self.units)

    @cached_property
    def cell(self) -> Array:
        """The deal, the group and the one beside it as one number."""
        return (self.deal * self.groups + self.group) * self.groups + self.beside


def _groups(folds: Array, groups: int) -> tuple[Array, Array] | None:
    """The group of each row, and of each group the one beside it in each round, if every two meet exactly once."""
    patterns, group = np.unique(folds, axis=0, return_inverse=True)
    if len(patterns) != groups or (patterns < 0).any():
        return None
    meet = patterns[:, None] == patterns
    meet[np.arange(groups), np.arange(groups)] = False
    if not (meet.sum(axis=1) == 1).all() or not (meet.sum(axis=2) + np.eye(groups) == 1).all():
        return None
    return group.reshape(-1, 1), meet.argmax(axis=1)


@dataclass(frozen=True)
class TrainingSpread(Spread):
    """A variance with what the choice of training rows adds to that of the tested ones."""

    times: float = 1.0
    """The variance with training rows, in that of the rows alone, before it is held between its bounds."""

    @property
    def facts(self) -> dict[str, Any]:
        return {"training": {"adds": self.times - 1, "unstable": self.times > DOMINATED}}


@dataclass(frozen=True, eq=False)
class Refits:
    """What fits say of rows on a metric, of one model or of the difference of two."""

    layout: LeftOut
    each: Array
    """Of each prediction: the value of its fit and what the row adds to it, as if all rows were like this one."""
    whole: Array
    """The value of each fit."""
    strata: Array
    """Of each prediction: the class, where the metric compares classes."""

    @classmethod
    def of(cls, predictions: Predictions, model: Model, metric: Metric) -> Refits:
        layout = LeftOut.of(predictions)
        if layout is None:
            raise not_left_out()
        by_class = compares_classes(predictions, metric)
        strata = np.asarray(predictions.truth) if by_class else np.zeros(predictions.rows, int)
        whole, changes = _by_fits(predictions, model, metric, layout.units)
        if not np.isfinite(whole).all() or not np.isfinite(changes).all():
            raise UndefinedError(
                "E_UNITS",
                f"{metric.shown_name} of {model.name} is undefined in a fit: {metric.undefined_when or 'not a number'}",
                hint="use more rows, or a metric that is defined on each fit",
            )
        fit = layout.units.codes
        classes = int(strata.max()) + 1
        rows = np.bincount(fit * classes + strata)[fit * classes + strata]
        return cls(layout, whole[fit] + rows * changes, whole, strata)

    def __sub__(self, other: Refits) -> Refits:
        return replace(self, each=self.each - other.each, whole=self.whole - other.whole)

    @cached_property
    def cells(self) -> Array:
        """The value of each group beside each other one, deal by deal: (deal, pair of groups in both orders)."""
        layout, classes = self.layout, int(self.strata.max()) + 1
        cells = layout.deals * layout.groups**2
        key = layout.cell * classes + self.strata
        counts = np.bincount(key, minlength=cells * classes).reshape(cells, classes)
        sums = np.bincount(key, self.each, cells * classes).reshape(cells, classes)
        whole = np.zeros(cells)
        whole[layout.cell] = self.whole[layout.units.codes]
        means = np.where(counts > 0, sums / np.maximum(counts, 1), whole[:, None])
        off = ~np.eye(layout.groups, dtype=bool).ravel()
        return np.asarray((means.sum(axis=1) - (classes - 1) * whole).reshape(layout.deals, -1)[:, off])

    @property
    def value(self) -> float:
        return float(self.cells.mean())

    @cached_property
    def row_pieces(self) -> Array:
        """What the tested rows add to the value, deal by deal; their squares add up to the variance of the rows."""
        layout = self.layout
        key = layout.deal * layout.rows + layout.row
        mean = (np.bincount(key, self.each) / np.bincount(key)).reshape(layout.deals, layout.rows)
        strata = np.zeros(layout.rows, int)
        strata[layout.row] = self.strata
        pieces = np.zeros_like(mean)
        for code in np.unique(strata):
            inside = strata == code
            count = int(inside.sum())
            if count > 1:
                centred = mean[:, inside] - mean[:, inside].mean(axis=1, keepdims=True)
                pieces[:, inside] = centred / np.sqrt(count * (count - 1) * layout.deals)
        return np.asarray(pieces.ravel())

    @cached_property
    def spread(self) -> TrainingSpread:
        """The variance of the value for new training rows and new tested ones, and its degrees of freedom."""
        layout = self.layout
        jack, fold, rest = (_mean_form(self.cells, form) for form in _forms(layout.groups))
        of_rows, raw = float((self.row_pieces**2).sum()), jack - fold
        wide = of_rows + max(0.0, raw - rest)
        # Nadeau and Bengio (2003): test rows over training rows.
        corrected = float(self.whole.var(ddof=1)) * (1 / layout.fits + 2 / (layout.groups - 2))
        variance = corrected if wide > DOMINATED * of_rows else min(wide, MOST * corrected)
        fewest, most = layout.deals * (layout.groups - 1), layout.rows - 1
        df = min(max(fewest * (wide / raw) ** 2, fewest), most) if raw > 0 else most
        return TrainingSpread(max(variance, of_rows), float(df), wide / of_rows if of_rows else 1.0)


def _by_fits(predictions: Predictions, model: Model, metric: Metric, units: Units) -> tuple[Array, Array]:
    """The value of each fit, and its derivative by the weight of each row."""
    engine, classes = engine_of(predictions), len(predictions.classes)
    summary = engine.summarise(predictions, model, units)
    whole = values(metric, summary, classes, predictions.positive)
    with suppress(UnitByUnitError), metric.answerable():
        return whole, row_changes(summary, metric)
    changes = np.empty(predictions.rows)
    for unit in range(len(units)):
        rows = np.flatnonzero(units.codes == unit)
        part = replace(predictions.part(rows), models=(model.part(rows),))
        with metric.answerable():
            changes[rows] = row_changes(engine.summarise(part, part.models[0]), metric)
    return whole, changes


@lru_cache(maxsize=8)
def _forms(groups: int) -> tuple[Array, Array, Array]:
    """Quadratic forms of the cells: leaving out a group (Efron and Stein), test groups alone, and what neither says."""
    tested, beside = np.where(~np.eye(groups, dtype=bool))
    each = np.arange(groups)[:, None]
    of_beside, of_tested = ((side == each) / (groups - 1) for side in (beside, tested))
    centred = np.eye(groups) - 1 / groups
    both = np.concatenate([of_beside, of_tested])
    left = np.eye(len(tested)) - np.linalg.pinv(both) @ both
    jack = (groups - 1) / groups * of_beside.T @ centred @ of_beside
    fold = of_tested.T @ centred @ of_tested / (groups * (groups - 1))
    return jack, fold, left / (groups * (groups - 1) - (2 * groups - 1))


def _mean_form(cells: Array, form: Array, others: Array | None = None) -> float:
    """Over the deals; centred first, as all forms are blind to a constant, which would cost digits."""
    first, second = (
        table - table.mean(axis=1, keepdims=True) for table in (cells, cells if others is None else others)
    )
    return float(np.einsum("di,ij,dj->", first, form, second)) / len(cells)


def pieces_of_refits(models: Sequence[Refits]) -> list[Array]:
    """What rows and training rows add to each value: products of any two models add up to their covariance.

    What training rows add is estimated by a difference, so that the part of it which could be no variance is left out.
    """
    jack, fold, rest = _forms(models[0].layout.groups)
    excess = np.array([[_mean_form(a.cells, jack - fold - rest, b.cells) for b in models] for a in models])
    sizes, directions = np.linalg.eigh(excess)
    training = directions * np.sqrt(np.clip(sizes, 0, None))
    return [np.concatenate([model.row_pieces, own]) for model, own in zip(models, training, strict=True)]


def compare_refits(a: Contender, b: Contender, design: Design) -> Comparison:
    """The mean difference over all fits, by the variance of rows and what the choice of training rows adds."""
    apart, largest = a.refits - b.refits, max(abs(a.refits.value), abs(b.refits.value))
    spread, difference, fits = apart.spread, apart.value, apart.layout.fits
    more: dict[str, Any] = {"units": fits, "details": spread.facts}
    if spread.standard_error > DUST * largest:
        return by_student_t(difference, spread.standard_error, spread.df, design, **more)
    if abs(difference) <= DUST * largest:
        return no_difference(design, df=spread.df, **more)
    what = f"all rows of all {fits} fits differ by the same {difference:g} (zero variance), and fits overlap: no test"
    return Comparison(difference, None, "tie", standard_error=0.0, warnings=(Notice("W_ZEROVAR", what),), **more)


def with_procedures(scores: Scores, contest: Contest) -> Scores:
    """With the goal's values of the learning procedures in place of those on all predictions together."""
    goal, each = contest.metric.full_name, contest.contenders
    rows = (
        _of_procedure(row, each[row.model].refits, contest.metric, scores.alpha)
        if row.overall and row.metric == goal
        else row
        for row in scores.rows
    )
    return replace(scores, rows=tuple(rows))


def _of_procedure(score: Score, refits: Refits, metric: Metric, alpha: float) -> Score:
    """The mean over the fits, with the interval for new training rows."""
    low, high = interval(refits.value, refits.spread, metric.range, alpha, np.nan)
    error, kind = refits.spread.standard_error, "t with training rows, on the metric's scale"
    return replace(score, value=refits.value, low=low, high=high, standard_error=error, interval=kind, undefined=None)


def said_of_training(pair: Comparison) -> str:
    """How much of the uncertainty comes from the choice of training rows."""
    known = pair.details.get("training")
    if known is None or known["unstable"] or not pair.standard_error:
        return ""  # what is said of unstable learners makes p approximate
    percent = round(100 * known["adds"])
    return f" The choice of training rows adds {percent}% to the variance." if percent else ""


def not_left_out() -> UsageError:
    return UsageError(
        "E_DESIGN",
        "this test needs every two of several groups to be predicted by a model that was fitted on the others, without "
        "weights or rows that belong together",
        hint="--scheme leave_two_groups_out of `referee select` makes them; in a file --id, --fold and --repeat say so",
    )

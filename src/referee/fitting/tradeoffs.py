"""What else matters beside the goal: fitting the training rows too well, time, size; and who is beaten on nothing."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from referee.arrays import deviation
from referee.comparing import SchemeEstimate, Verdict
from referee.document import number
from referee.fitting.stored_predictions import training_predictions, values_of_splits
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.fitting.learning_curve import CurvePoint, Growth
    from referee.fitting.resampled_models import Resampling
    from referee.fitting.robustness import Robustness
    from referee.fitting.stored_predictions import Records
    from referee.scoring import Metric


@dataclass(frozen=True)
class Tradeoff:
    """One model: its value on the test and the training part, its costs (medians over the splits), and its size."""

    model: str
    test: float | None
    train: float | None
    """Of some of the training rows, where there are many."""
    fit_seconds: float
    predict_seconds: float
    size: Mapping[str, float] = field(default_factory=dict)
    fit_rows: float = 0
    """How many training rows there are in a split (median)."""
    train_rows: float = 0
    """How many of them, drawn at random, the training value is of (median)."""
    value: float | None = None
    """What the verdict ranks it by."""
    combined: float | None = None
    """The scheme's own estimate: the mean of the splits, all test rows pooled, or a .632 mix with the training part."""
    efficient: bool = False
    """Whether no other model is at least as good in everything before and better in something: the Pareto set."""
    robustness: tuple[Robustness, ...] = ()
    """One for each kind and rate of noise that was asked for."""
    learning_curve: tuple[CurvePoint, ...] = ()
    """From few training rows to all, where it was asked for."""
    growth: Growth | None = None
    """Of the time of a fit with the training rows, where there is a learning curve."""


def tradeoffs(resampling: Resampling, records: Records, verdict: Verdict) -> tuple[Tradeoff, ...]:
    """The table of all models, in the order of their values."""
    names = list(verdict.values)
    trained = values_of_splits(
        training_predictions(resampling.data, resampling.splits, names, records), resampling.goal
    )
    values = _combined(resampling, records, verdict)
    tested = _tested(resampling, records, verdict)
    fitted = float(np.median([len(split.train) for split in resampling.splits]))
    asked = float(np.median([len(split.looked_back) for split in resampling.splits]))
    rows = []
    for name in names:
        row = _row(name, len(resampling.splits), records, tested[name], trained[name].value)
        row = replace(row, fit_rows=fitted, train_rows=asked, value=verdict.values[name])
        rows.append(replace(row, combined=values[name]))
    return tuple(_marked(row, rows, verdict.goal) for row in rows)


def _combined(resampling: Resampling, records: Records, verdict: Verdict) -> dict[str, float | None]:
    """One value of all splits, as the scheme has it."""
    how, goal, part = resampling.scheme.combine, verdict.goal, verdict.predictions.training
    if how == "pooled":
        return {name: verdict.goal_scores[name, goal].value for name in verdict.values}
    if part is None or verdict.design.combine == how:
        return dict(verdict.values)
    test = resampling.judged(list(verdict.values), records)
    mixed = {name: SchemeEstimate(part, goal, name).of(test[name].each) for name in verdict.values}
    return {name: value if np.isfinite(value) else None for name, value in mixed.items()}


def _tested(resampling: Resampling, records: Records, verdict: Verdict) -> dict[str, float | None]:
    """The value of the test rows alone, which is what the verdict is on unless the scheme mixes it."""
    if verdict.design.combine == "mean":
        return dict(verdict.values)
    judged = resampling.judged(list(verdict.values), records)
    return {name: judged[name].value for name in verdict.values}


def _row(name: str, splits: int, records: Records, test: float | None, train: float | None) -> Tradeoff:
    each = [records[name, split] for split in range(splits)]
    sizes = {key: float(np.median([record["size"][key] for record in each])) for key in each[0]["size"]}
    fit, predict = (float(np.median([record[key] for record in each])) for key in ("fit_seconds", "predict_seconds"))
    return Tradeoff(name, test, train, fit, predict, sizes)


def _marked(row: Tradeoff, rows: Sequence[Tradeoff], goal: Metric) -> Tradeoff:
    mine = _costs(row, goal)
    beaten = any(
        all(theirs <= own for theirs, own in zip(_costs(other, goal), mine, strict=True))
        and _costs(other, goal) != mine
        for other in rows
    )
    return replace(row, efficient=not beaten)


def _costs(row: Tradeoff, goal: Metric) -> tuple[float, ...]:
    """Less is better in each."""
    value = np.inf if row.value is None else -row.value if goal.better == "higher" else row.value
    return value, row.fit_seconds, row.predict_seconds, row.size.get("bytes", 0.0)


MEASURES = ("leaves", "coefficients", "support_vectors", "stored_rows", "bytes")
"""Of size, the plainest first."""


@dataclass(frozen=True)
class OneStandardError:
    """What the rule takes; it is no test, and the verdict does not depend on it."""

    model: str
    best: str
    standard_error: float
    """Of the best model's value."""
    limit: float
    """The value that a model must reach."""
    within: tuple[str, ...]
    """The models that reach it, the best first."""
    simplicity: str
    """How simple a model is was told by this."""

    @property
    def sentence(self) -> str:
        if len(self.within) == 1:
            return f"one-standard-error rule: {self.best}; no other model is within {number(self.standard_error)} of it"
        what = f"the simplest of {len(self.within)} models within one standard error ({number(self.standard_error)}) of"
        best = "the best, and is itself the best" if self.model == self.best else f"the best, {self.best}"
        return (
            f"one-standard-error rule, which is not a test: {self.model} is {what} {best}; simplest: {self.simplicity}"
        )


def one_standard_error(
    resampling: Resampling,
    records: Records,
    verdict: Verdict,
    rows: Sequence[Tradeoff],
    *,
    in_order: bool = False,
) -> OneStandardError | None:
    """Breiman, Friedman, Olshen and Stone (1984), section 3.4.3; `in_order`: the models were named simplest first."""
    best = rows[0]
    error = _standard_error(resampling, records, verdict, best.model)
    if verdict.undecided or best.value is None or error is None or not np.isfinite(error):
        return None
    sign = 1 if verdict.goal.better == "higher" else -1
    limit = best.value - sign * error
    within = [row for row in rows if row.value is not None and sign * row.value >= sign * limit]
    if in_order:
        names = list(resampling.estimators)
        simplest, how = min(within, key=lambda row: names.index(row.model)), "named first"
    else:
        measure = next((measure for measure in MEASURES if all(measure in row.size for row in within)), None)
        if measure is None:
            return None
        simplest, how = min(within, key=lambda row: row.size[measure]), f"fewest {measure.replace('_', ' ')}"
    return OneStandardError(simplest.model, best.model, error, limit, tuple(row.model for row in within), how)


def _standard_error(resampling: Resampling, records: Records, verdict: Verdict, best: str) -> float | None:
    """That of the mean over the splits; of splits that share test rows only so many count as fit side by side.

    Of k folds this is the usual deviation / sqrt(k). Thirty splits of a third of the rows hold the rows of three test
    sets, not of thirty; Breiman et al. count rows.
    """
    if resampling.compares_rows:
        return verdict.goal_scores[best, verdict.goal].standard_error
    each = resampling.judged([best], records)[best].each
    tested = np.mean([len(split.test) for split in resampling.splits])
    side_by_side = min(len(each), resampling.data.rows / float(tested))
    return float(deviation(each) / np.sqrt(side_by_side))


Unit = Literal["seconds", "amount", "goal", "exponent"]
Measured = tuple[float | None, float | None]
"""A value and its standard error."""


@dataclass(frozen=True)
class TieBreaker:
    """One thing beside the goal, and the tied models that are best in it."""

    by: str
    models: tuple[str, ...]
    value: float
    unit: Unit
    """Of the value: CPU seconds, an amount, a change of the goal metric, or an exponent."""
    standard_error: float | None = None
    """Of the value, where it has one."""


def tie_breakers(verdict: Verdict, rows: Sequence[Tradeoff]) -> tuple[TieBreaker, ...]:
    """What tells the tied models apart; nothing where there is no tie, or where they are all the same."""
    tied = [row for row in rows if row.model in verdict.winners] if verdict.outcome == "tie" else []
    names = [row.model for row in tied]
    breakers = [_ahead(names, *criterion, verdict.goal.better) for criterion in (_criteria(tied) if tied else ())]
    return tuple(breaker for breaker in breakers if breaker is not None)


def _criteria(rows: Sequence[Tradeoff]) -> Iterator[tuple[str, Unit, list[Measured]]]:
    """What the models are told apart by, its unit, and what each of them has."""
    yield "fastest to fit", "seconds", [(row.fit_seconds, None) for row in rows]
    yield "fastest to predict", "seconds", [(row.predict_seconds, None) for row in rows]
    for measure in MEASURES:
        yield f"fewest {measure.replace('_', ' ')}", "amount", [(row.size.get(measure), None) for row in rows]
    for noises in zip(*(row.robustness for row in rows), strict=True):
        by = f"loses least with {noises[0].kind}={noises[0].rate:g}"
        yield by, "goal", [(noise.change, noise.standard_error) for noise in noises]
    growths = [row.growth for row in rows if row.growth is not None]
    if len(growths) == len(rows):
        by = "fit time grows least with rows"
        yield by, "exponent", [(growth.exponent, growth.standard_error) for growth in growths]


def _ahead(names: Sequence[str], by: str, unit: Unit, measured: Sequence[Measured], better: str) -> TieBreaker | None:
    """The best of them, if each has a value and they are not all the same; less is better but of a goal that is not."""
    values = [value for value, _ in measured if value is not None]
    if len(values) < len(names) or len(set(values)) == 1:
        return None
    if unit == "exponent" and not _stands_out(measured):
        return None
    best = max(values) if unit == "goal" and better == "higher" else min(values)
    models = tuple(name for name, value in zip(names, values, strict=True) if value == best)
    return TieBreaker(by, models, best, unit, measured[values.index(best)][1])


def _stands_out(measured: Sequence[Measured]) -> bool:
    """Whether the smallest value is below all others by more than both their standard errors: times are noisy."""
    known = sorted((value, error) for value, error in measured if value is not None and error is not None)
    return len(known) == len(measured) and all(known[0][0] + known[0][1] < value - error for value, error in known[1:])

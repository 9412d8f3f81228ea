"""A pilot: how sure the difference of two models is on rows that exist already."""

from __future__ import annotations

from math import isfinite, sqrt
from typing import TYPE_CHECKING

from referee.advice.plan_basis import USUAL_CORRELATION, Basis
from referee.comparing import InTime, Precision, cautions_of_order, contest_of, default_test, overlap_ratio, tests
from referee.document import counted, number
from referee.errors import Notice, UndefinedError, UsageError
from referee.scoring import refuse_unless_applicable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.comparing import Comparison, Contender, Contest
    from referee.predictions import Predictions
    from referee.scoring import Metric

FEW_DEGREES = 10
EFFICIENCY_OF_RANKS = 3 / 3.141592653589793
"""Of Wilcoxon's test, where differences are normal: it takes that share of what the t-test is worth."""


def from_pilot(
    predictions: Predictions,
    metric: Metric,
    *,
    correlation: float | None = None,
    train_size: float | None = None,
    horizon: int | None = None,
) -> Basis:
    """The two models of a pilot, or its best two; of one model, with another one of that correlation."""
    for model in predictions.models if predictions.has_rows else ():
        refuse_unless_applicable(metric, model, predictions.facts[model.name])
    contest = contest_of(predictions, metric, train_size=train_size, horizon=horizon)
    order = [name for name in contest.order if isfinite(contest.values[name])]
    if len(order) > 1:
        if correlation is not None:
            raise UsageError(
                "E_PLAN", "the pilot has two models, and shows their correlation",
                hint="omit --correlation, or name one model: --models A",
            )  # fmt: skip
        return _of_two(contest, *order[:2])
    if not order:
        name = predictions.names[0]
        raise UndefinedError("E_UNDEFINED", f"{contest.goal} of {name} is undefined on the pilot")
    if correlation is None:
        raise UsageError(
            "E_PLAN", f"the pilot has only one model, {order[0]!r}, and a difference needs two",
            hint="use --correlation R: how strongly the other model's errors correlate with its own, such as 0.5",
        )  # fmt: skip
    if not contest.by_rows:
        raise UsageError("E_PLAN", f"a pilot of {contest.design.unit}s needs two models")
    basis = with_another(contest.contenders[order[0]], correlation)
    if basis is None:
        raise UndefinedError("E_PILOT", f"{contest.goal} of {order[0]} has no spread on these rows to plan with")
    return basis


def with_another(contender: Contender, correlation: float = USUAL_CORRELATION) -> Basis | None:
    """One model, and another one with the same spread whose errors have so much in common with it.

    None where the model has no spread.
    """
    spread = contender.spread if isfinite(contender.value) else None
    if spread is None or not isfinite(spread.variance) or not spread.variance:
        return None
    clusters = contender.predictions.clusters
    units, rows = contender.units, round(contender.predictions.rows_seen)
    variance = 2 * (1 - correlation) * spread.variance
    precision = Precision(units, variance, spread.df, in_time=InTime.of(spread.facts))
    said = f"{counted(rows, 'row')} of {contender.name}, and another model with correlation {correlation:g} to it"
    return Basis(
        "pilot", "row" if clusters is None else "group", precision, said + _in_time(precision),
        f"between {contender.name} and such a model", {contender.name: contender.value}, correlation,
        rows / units, _rarer(contender),
    )  # fmt: skip


def _of_two(contest: Contest, a: str, b: str) -> Basis:
    across = contest.design.kind == "data_sets"
    comparison = contest.compare(tests["paired_t"] if across else default_test(contest.design), a, b)
    if comparison.undefined is not None:
        raise UndefinedError("E_UNDEFINED", f"the pilot cannot say: {comparison.undefined}")
    if not comparison.standard_error or not isfinite(comparison.standard_error):
        raise UndefinedError(
            "E_PILOT", f"{a} and {b} do not differ in a way that varies from {_unit(contest)} to {_unit(contest)}, so "
            "the pilot does not show how many it takes", hint="use a larger pilot, or other models",
        )  # fmt: skip
    units, rows = _units(contest, comparison), contest.rows
    precision, unit = _precision(contest, comparison), _unit(contest)
    per_unit = 0.0 if unit == "repeat" else rows / units if unit in ("group", "id") else 1.0
    return Basis(
        "pilot", unit, precision, f"a pilot of {counted(units, unit)}: {a} and {b}{_in_time(precision)}",
        f"between {a} and {b}", {name: contest.values[name] for name in (a, b)}, _correlation(contest, a, b), per_unit,
        _rarer(contest.contenders[a]) if contest.by_rows else None, _limit(contest),
        by_ranks=contest.design.kind == "data_sets", horizon=contest.design.horizon,
        notices=(*_cautions(contest, precision), *_of_order(contest, a, b)),
    )  # fmt: skip


def _in_time(precision: Precision) -> str:
    """What is said of the order of the rows."""
    known = precision.in_time
    if known is None:
        return ""
    pieces, wider = counted(round(known.pieces), "independent piece"), f"{known.times_wider:.1f}"
    return f", in time order: about {pieces}, and {wider} times the error of independent rows"


def _unit(contest: Contest) -> str:
    design = contest.design
    return "repeat" if design.overlapping else "row" if design.kind == "left_out" else design.unit


def _units(contest: Contest, comparison: Comparison) -> int:
    """How many the pilot has: repeats of a cross-validation, single splits, groups, rows."""
    design = contest.design
    if design.kind == "left_out":
        return contest.rows
    return (design.repeats or 1) if design.overlapping and design.folds else comparison.units


def _precision(contest: Contest, comparison: Comparison) -> Precision:
    design, variance = contest.design, (comparison.standard_error or 0.0) ** 2
    units = _units(contest, comparison)
    df = comparison.df if comparison.df is not None else float("inf")
    if design.overlapping:
        # Nadeau and Bengio's s^2 (1 / n + test / train): the second part stays, however often it is repeated.
        ratio = overlap_ratio(design)
        one_split = variance / (1 / comparison.units + ratio)
        fixed = df if design.folds else None
        return Precision(units, one_split / comparison.units, df, one_split * ratio, df, fixed_df=fixed)
    if design.kind == "data_sets":
        return Precision(units, variance / EFFICIENCY_OF_RANKS, df)
    precision = Precision.of(units, comparison)
    assert precision is not None
    return precision


def _correlation(contest: Contest, a: str, b: str) -> float | None:
    """Of what the units add to both values."""
    names, covariance = sorted(contest.values), contest.covariance
    i, j = names.index(a), names.index(b)
    both = float(covariance[i, i] * covariance[j, j])
    return float(covariance[i, j]) / sqrt(both) if both > 0 and isfinite(both) else None


def _rarer(contender: Contender) -> tuple[str, float] | None:
    """The rarer class, where few of its rows make a verdict approximate."""
    rarer = contender.rarer_class
    if rarer is None or contender.metric.additive:
        return None
    return rarer[0], rarer[1] / contender.predictions.rows_seen


def _limit(contest: Contest) -> str:
    if contest.design.overlapping:
        return "the training sets overlap, and repeating the splits makes no new rows"
    scored = contest.predictions.scored
    seeds = None if scored is None else scored.seeds
    return "" if seeds is None else f"the {len(seeds)} seeds of the pilot are too few, however many items there are"


def _of_order(contest: Contest, a: str, b: str) -> Iterator[Notice]:
    return cautions_of_order(contest.predictions, contest, (a, b), "too few rows are planned")


def _cautions(contest: Contest, precision: Precision) -> list[Notice]:
    cautions = []
    df = precision.degrees_of_freedom(precision.units)
    if df < FEW_DEGREES:
        what = f"the pilot's standard error has only {number(df, 1)} degrees of freedom: treat the plan as an order of"
        cautions.append(Notice("W_SMALLPILOT", f"{what} magnitude, and use its upper end to be safe"))
    if contest.design.kind == "data_sets":
        how = "planned for Wilcoxon's test as 3/pi of the t-test, its efficiency for normal differences"
        cautions.append(Notice("W_PLANRANKS", how))
    return cautions

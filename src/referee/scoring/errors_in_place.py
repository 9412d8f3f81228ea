"""Standard errors of values whose rows stay in a database: asked for together, before each value is looked at."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import AskedLaterError, engine_of, is_in_process, known_as, summing_engine_of
from referee.errors import Notice
from referee.scoring.formula import given_for_class
from referee.scoring.influences import influence
from referee.scoring.moments import compares_classes
from referee.scoring.pair_moments import PairMoments, is_judged, moments_of, why_not_summed
from referee.scoring.sensitivity import sensitivities

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.engines import DatabaseRanking
    from referee.predictions import Model, Predictions, Units
    from referee.scoring.metric import Metric

    Wanted = tuple[Metric, int | None]
    """A metric, and the class that it is about."""


def know_errors(predictions: Predictions, metrics: Sequence[Metric], *, named: bool, of_classes: bool = True) -> None:
    """Ask a database for what evaluating some metrics takes; of metrics that nobody named, only what comes with sums.

    Where rows are all alike, the steps of a ranking say everything; they are fetched where that moves nothing out of
    this process, or where all metrics are wanted, each of which would be queries of its own.
    """
    asked: set[str] = vars(predictions).setdefault(KNOWN, set())
    metrics = [metric for metric in metrics if metric.full_name not in asked]
    if not engine_of(predictions).ANSWERS or not metrics:
        return
    asked |= {metric.full_name for metric in metrics}
    engine, plain = summing_engine_of(predictions), predictions.weight is None and predictions.group is None
    summed = [metric for metric in metrics if why_not_summed(metric) is None and is_judged(predictions, metric)]
    ranked = [metric for metric in summed if "ranking" in metric.summaries]
    if named:
        engine.prepare(predictions, metrics)
    for metric in summed if named or not plain else ():
        if metric not in ranked or (named and predictions.group is not None):
            PairMoments.of(predictions, metric)
    if named and predictions.group is None:
        few = len(predictions.classes) == 2 and predictions.rows <= MOST_STEPS
        by_steps = plain and few and is_in_process(predictions)
        wanted = [metric for metric in ranked if not by_steps or _is_average(metric)]
        if not plain:
            wanted += [metric for metric in summed if metric.per_class and metric.summaries == ("counts",)]
        for model in predictions.models:
            _know_rankings(predictions, model, [*_wanted(predictions, wanted, of_classes=of_classes)])


MOST_STEPS = 4_000_000
"""Of a ranking that are fetched within this process; more would take much memory."""
KNOWN = "_metrics_with_errors"
MOST_METRICS = 12
"""That units of a database have errors of: each is asked for unit by unit."""


def units_with_errors(predictions: Predictions, model: Model, units: Units, metrics: Sequence[Metric]) -> list[Any]:
    """The summary of each unit's rows by themselves, as far as an engine gives these."""
    if engine_of(predictions).ANSWERS:
        if len(metrics) > MOST_METRICS:
            return [None] * len(units)
        for alone in summing_engine_of(predictions).predictions_of_units(predictions, units):
            know_errors(alone, metrics, named=True, of_classes=False)
    return [*engine_of(predictions).units_alone(predictions, model, units)]


def _is_average(metric: Metric) -> bool:
    return metric.per_class and "average" in metric.settings


def _know_rankings(predictions: Predictions, model: Model, wanted: Sequence[Wanted]) -> None:
    """Two queries for each ranking of a model: what the formulas want, then the squares of what rows add."""
    engine = summing_engine_of(predictions)
    summary: Any = engine.summarise(predictions, model)
    with np.errstate(all="ignore"):
        _answer_together(summary, predictions, wanted)
        made = {}
        for metric, code in wanted:
            with suppress(TypeError), metric.answerable():  # what columns of steps cannot follow
                made[metric, code] = influence(summary, metric, code)
        every = engine.step_sums(predictions, [*made.values()])
    for ((metric, code), own), known in zip(made.items(), every, strict=True):
        sums = known or engine.pair_sums(predictions, [own], by_class=compares_classes(predictions, metric))
        spread = moments_of(predictions, metric, (model.name,), sums).spread(model.name)
        summary.kept["spread", metric.full_name if code is None else known_as(metric, code)] = spread


def _wanted(predictions: Predictions, metrics: Sequence[Metric], *, of_classes: bool) -> Iterator[Wanted]:
    for metric in metrics:
        averaged = not metric.per_class or "average" in metric.settings
        if averaged or predictions.positive is None:
            yield metric, None
        elif not of_classes:
            yield metric, predictions.positive
        if of_classes and not averaged:
            yield from ((metric, code) for code in range(len(predictions.classes)))


def _answer_together(summary: Any, predictions: Predictions, wanted: Sequence[Wanted]) -> None:
    """Run all formulas before anything is known, to learn what sums over steps they want, and ask for these at once."""
    every = range(len(predictions.classes))
    single = {
        (metric.without_average, code): metric for metric, own in wanted for code in (every if own is None else [own])
    }
    with ExitStack() as stack:
        put_off: set[Any] = set()
        for (_, code), metric in single.items():
            if metric.summaries != ("ranking",):
                continue
            ranking: DatabaseRanking = summary.ranking(code, as_probability=metric.needs == "probabilities")
            if ranking.answers not in put_off:
                put_off.add(ranking.answers)
                stack.enter_context(ranking.answers.put_off())
            with suppress(AskedLaterError, TypeError), metric.answerable():
                sensitivities(metric, given_for_class(metric, summary, code), predictions.row_weight)


def steps_fetched(predictions: Predictions) -> Iterator[Notice]:
    """Say how much has left a server, where values hang on single steps of rankings."""
    if not engine_of(predictions).ANSWERS or is_in_process(predictions):
        return
    engine = summing_engine_of(predictions)
    size = sum(engine.summarise(predictions, model).bytes_fetched for model in predictions.models)
    if size > MUCH:
        yield Notice(
            "W_STEPS",
            f"{size / 1e6:,.0f} MB of distinct scores have left the server; metrics named by --metrics are "
            "computed there, and --engine memory reads the rows, which may be fewer bytes",
        )


MUCH = 1_000_000

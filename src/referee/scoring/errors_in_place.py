"""Standard errors of values whose rows stay in a database: asked for together, before each value is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import AskedLaterError, engine_of, is_in_process, is_near, known_as, replay, summing_engine_of
from referee.errors import Notice
from referee.scoring.influences import influence
from referee.scoring.metric import AVERAGES
from referee.scoring.moments import compares_classes
from referee.scoring.pair_moments import PairMoments, has_sums, moments_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.predictions import Model, Predictions, Units
    from referee.scoring.influences import Influence
    from referee.scoring.metric import Metric

    Wanted = tuple[Metric, int | None]
    """A metric, and the class that it is about."""

KNOWN = "_metrics_with_errors"
MOST_METRICS = 12
"""That units of a database have errors of: each is asked for unit by unit."""


def know_errors(
    predictions: Predictions, metrics: Sequence[Metric], *, averages: bool = False, of_classes: bool = True
) -> None:
    """Ask a database for what evaluating some metrics takes, and averages over the classes if these are wanted."""
    asked: set[str] = vars(predictions).setdefault(KNOWN, set())
    metrics = [metric for metric in metrics if metric.full_name not in asked]
    if not engine_of(predictions).ANSWERS or not metrics:
        return
    asked |= {metric.full_name for metric in metrics}
    engine = summing_engine_of(predictions)
    engine.prepare(predictions, metrics)
    if averages:
        several = [metric for metric in metrics if metric.per_class and "average" not in metric.settings]
        metrics += [each.bind(average=name) for each in several for name in AVERAGES if "sums" not in each.summaries]
    if predictions.group is not None:
        for metric in metrics:
            if all(has_sums(predictions, metric, model) for model in predictions.models):
                PairMoments.of(predictions, metric)
        return
    if is_near(predictions):
        alike = predictions.weight is None and len(predictions.classes) == 2
        metrics = [metric for metric in metrics if not _is_fetched(metric, every=averages, alike=alike)]
    questions = [
        _Questions(predictions, model, metrics, averages=averages, of_classes=of_classes)
        for model in predictions.models
        if hasattr(engine.summarise(predictions, model), "rounds")
    ]

    def run() -> None:
        for each in questions:
            each.run()

    with np.errstate(all="ignore"):
        replay([each.summary.rounds for each in questions], run)
        for each in questions:
            each.keep_spreads()


def units_with_errors(predictions: Predictions, model: Model, units: Units, metrics: Sequence[Metric]) -> list[Any]:
    """The summary of each unit's rows by themselves, as far as an engine gives these."""
    if engine_of(predictions).ANSWERS:
        if len(metrics) > MOST_METRICS:
            return [None] * len(units)
        for alone in summing_engine_of(predictions).predictions_of_units(predictions, units):
            know_errors(alone, metrics, of_classes=False)
    return [*engine_of(predictions).units_alone(predictions, model, units)]


def _is_fetched(metric: Metric, *, every: bool, alike: bool) -> bool:
    """Whether the steps of its ranking are fetched, which say everything where rows are all alike."""
    is_single = alike and not (metric.per_class and "average" in metric.settings)
    return metric.summaries == ("ranking",) and metric.per_class and (every or is_single)


def _is_pooled(metric: Metric) -> bool:
    """Rows are looked up twice in the ranking of all decisions, which takes as long as everything else."""
    return "ranking" in metric.summaries and metric.settings.get("average") == "micro"


def steps_fetched(predictions: Predictions) -> Iterator[Notice]:
    """Say how much has left a server, where values hang on single steps of rankings."""
    if not engine_of(predictions).ANSWERS or is_in_process(predictions):
        return
    engine = summing_engine_of(predictions)
    size = sum(getattr(engine.summarise(predictions, each), "bytes_fetched", 0) for each in predictions.models)
    if size > MUCH:
        yield Notice(
            "W_STEPS",
            f"{size / 1e6:,.0f} MB of distinct scores have left the server, as a formula looks at them one by one; "
            "--engine memory reads the rows, which may be fewer bytes",
        )


MUCH = 1_000_000


class _Questions:
    """What the formulas of one model want to know."""

    def __init__(
        self, predictions: Predictions, model: Model, metrics: Sequence[Metric], *, averages: bool, of_classes: bool
    ) -> None:
        self.predictions, self.model = predictions, model
        self.summary: Any = summing_engine_of(predictions).summarise(predictions, model)
        summed = [metric for metric in metrics if has_sums(predictions, metric, model)]
        self.wanted = [*_wanted(predictions, summed, of_classes=of_classes)]
        self.values_only = {each for each in self.wanted if averages and _is_pooled(each[0])}
        self.made: dict[Wanted, Influence] = {}
        self._left_out: set[Wanted] = set()

    def run(self) -> None:
        """All formulas, each as far as it comes with what is known."""
        classes = range(len(self.predictions.classes))
        for metric, own in self.wanted:
            parts = classes if own is None and metric.per_class and metric.settings.get("average") != "micro" else ()
            for code in (*parts, own):
                self._run(metric, code)

    def _run(self, metric: Metric, code: int | None) -> None:
        if (metric, code) in self.made or (metric, code) in self._left_out:
            return
        # A user's formula that fails here fails again where its value is looked at, which says so.
        failures = TypeError if metric.built_in else Exception
        try:
            self.made[metric, code] = influence(self.summary, metric, code)
        except AskedLaterError:
            pass
        except failures:
            self._left_out.add((metric, code))

    def keep_spreads(self) -> None:
        wanted = [each for each in self.wanted if each in self.made and each not in self.values_only]
        by_class = [compares_classes(self.predictions, metric) for metric, _ in wanted]
        engine = summing_engine_of(self.predictions)
        every = engine.own_sums(self.predictions, [self.made[each] for each in wanted], by_class)
        for (metric, code), sums in zip(wanted, every, strict=True):
            spread = moments_of(self.predictions, metric, (self.model.name,), sums).spread(self.model.name)
            self.summary.kept["spread", metric.full_name if code is None else known_as(metric, code)] = spread


def _wanted(predictions: Predictions, metrics: Sequence[Metric], *, of_classes: bool) -> Iterator[Wanted]:
    for metric in metrics:
        averaged = not metric.per_class or "average" in metric.settings
        if averaged or predictions.positive is None:
            yield metric, None
        elif not of_classes:
            yield metric, predictions.positive
        if of_classes and not averaged:
            yield from ((metric, code) for code in range(len(predictions.classes)))

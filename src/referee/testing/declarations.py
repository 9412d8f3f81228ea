"""What a metric declares: each must be able to fail, and so must its absence."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from math import isfinite, isinf, isnan
from typing import TYPE_CHECKING

import numpy as np

from referee.errors import UsageError
from referee.predictions import Lists
from referee.scoring import COMMON_PARAMETERS, SCORES, SMOOTHED, Metric, Task, metrics
from referee.testing.invariances import INCREASING, degenerate, hopeless, mapped
from referee.testing.samples import (
    HIGHEST,
    ROUNDING,
    UNTIED,
    as_loss,
    binary,
    columns_of,
    dealt,
    multiclass,
    perfect,
    regression,
    renamed,
    require,
    same,
    sample,
    score,
    scored,
    scores,
    with_columns,
    with_example_settings,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from referee.predictions import Predictions

SEEDS = range(12)


def check_best(metric: Metric) -> None:
    """Perfect predictions reach the best value on some rows, and are not beaten on any."""
    reached = False
    for predictions in _varied(metric):
        best = score(metric, perfect(predictions))
        reached = reached or same(best, metric.best)
        beaten = as_loss(metric, score(metric, predictions)) < as_loss(metric, best) - ROUNDING
        require(metric, not beaten, f"{metric.better} is better: nothing beats perfect predictions")
    require(metric, reached or isinf(metric.best), f"perfect predictions reach {metric.best}")


def check_worst(metric: Metric) -> None:
    """The far end of the range is as near as predictions can come to it, and nothing lies beyond."""
    low, high = metric.range
    worst = low if metric.better == "higher" else high
    values = [score(metric, drawn) for task in metric.tasks for drawn in hopeless(task)]
    values += [value for task in metric.tasks for value in _of_examples(metric, task)]
    known = [value for value in values if isfinite(value)]
    inside = all(low - ROUNDING <= value <= high + ROUNDING for value in known)
    require(metric, inside, f"values lie between {low} and {high}: {known}")
    near = not isfinite(worst) or any(abs(value - worst) <= 0.005 * (1 + abs(worst)) for value in known)
    require(metric, near, f"the worst value is about {worst}: {known}")


def _of_examples(metric: Metric, task: Task) -> Iterator[float]:
    """Of hopeless predictions with the settings of its examples, which need not suit the task."""
    for variant in with_example_settings(metric):
        for drawn in hopeless(task):
            with suppress(UsageError):
                yield score(variant, drawn)


def check_direction(metric: Metric) -> None:
    """Mixing the truth with noise makes predictions worse on average, never better."""
    for task in metric.tasks:
        losses = [_mean_loss(metric, task, share) for share in (0.0, 0.5, 1.0)]
        rising = all(a <= b + ROUNDING for a, b in pairwise(losses))
        require(metric, rising, f"{metric.better} is better: noise makes predictions worse, not {losses} ({task})")


def _mean_loss(metric: Metric, task: Task, share: float) -> float:
    values = [score(metric, _noisy(sample(task, seed), share, seed)) for seed in SEEDS]
    return float(np.nanmean(as_loss(metric, np.array(values))))


def _noisy(predictions: Predictions, share: float, seed: int) -> Predictions:
    draw = np.random.default_rng(seed)
    if predictions.task == "scores":
        noise = draw.integers(-40, 41, predictions.rows) / 4
        return scored(HIGHEST + share * (noise - HIGHEST))
    if predictions.task == "regression":
        truth = predictions.truth
        noise = draw.integers(-40, 41, len(truth)) / 4
        return replace(predictions, models=regression(truth, truth + share * (noise - truth), 0).models)
    if isinstance(predictions.truth, Lists):
        right = predictions.truth.values
        noise = draw.integers(0, 5, len(right)) / 4
        return with_columns(predictions, predictions.truth.with_values(right + share * (noise - right)))
    right = columns_of(perfect(predictions))
    noise = (
        draw.integers(0, 5, len(right)) / 4 if right.ndim == 1 else UNTIED[draw.integers(0, len(UNTIED), len(right))]
    )
    return with_columns(predictions, right + share * (noise - right))


def check_undefined(metric: Metric) -> None:
    """It is undefined on some degenerate case if it says so, and else on none; it is never infinite."""
    values = [score(metric, case) for task in metric.tasks for case in degenerate(task)]
    require(metric, not any(isinf(value) for value in values), "it is finite or undefined")
    undefined = any(isnan(value) for value in values)
    require(metric, undefined == (metric.undefined_when is not None), f"undefined when: {metric.undefined_when}")


def check_threshold(metric: Metric) -> None:
    """Another threshold changes the value if the metric says so, and else it does not."""
    decided = {"binary", "multilabel"} & set(metric.tasks)
    if not decided:
        require(metric, metric.tasks != ("regression",) or not metric.depends_on_threshold, "numbers have no threshold")
        return
    changes = any(
        not same(score(metric, replace(drawn, threshold=low)), score(metric, replace(drawn, threshold=high)), 0)
        for drawn in _samples(metric)
        if drawn.task in decided
        for low, high in ((0.25, 0.5), (0.5, 0.75))
    )
    require(metric, changes == metric.depends_on_threshold, f"depends on the threshold: {metric.depends_on_threshold}")


def check_prevalence(metric: Metric) -> None:
    """Counting the rows of one class three times changes the value if the metric says so, and else it does not."""
    if metric.depends_on_prevalence is None:
        return
    # Of several classes the rest would change its composition, which is another matter.
    task = metric.tasks[0]
    changes = any(
        not same(score(metric, drawn), score(metric, replace(drawn, weight=np.where(drawn.truth == 1, 3.0, 1.0))))
        for drawn in _samples(metric)
        if drawn.task == task
    )
    require(metric, changes == metric.depends_on_prevalence, f"depends on prevalence: {metric.depends_on_prevalence}")


def check_needs_probabilities(metric: Metric) -> None:
    """If the metric needs probabilities, the order of the scores is not enough."""
    if metric.needs != "probabilities":
        return
    changes = any(
        not same(score(variant, drawn), score(variant, mapped(drawn, place)))
        for variant in with_example_settings(metric)
        for drawn in _samples(metric)
        for place in range(len(INCREASING))
    )
    require(metric, changes, "it needs probabilities: an increasing map of the scores changes it")


def check_classes(metric: Metric) -> None:
    """Either all classes are treated alike, or the formula speaks of one against the rest."""
    if not metric.of_classes:
        return
    if not metric.per_class:
        others = [(drawn, other) for drawn in _samples(metric) for other in (_swapped(drawn), _reversed(drawn))]
        alike = all(same(score(metric, drawn), score(metric, other)) for drawn, other in others)
        require(metric, alike, "it treats classes alike: swapping positive and negative changes nothing")
    elif "ranking" not in metric.summaries:
        require(metric, "counts" in metric.summaries, "it speaks of one class: row terms are of all classes")
        whole = replace(metric, per_class=False)
        special = any(not same(score(whole, drawn), score(whole, _reversed(drawn))) for drawn in _samples(metric))
        require(metric, special, "it speaks of one class: but the formula treats all classes alike")


def _swapped(predictions: Predictions) -> Predictions:
    """The other class becomes the positive one."""
    if predictions.positive is None:
        return predictions
    return replace(with_columns(predictions, 1 - columns_of(predictions)), positive=1 - predictions.positive)


def _reversed(predictions: Predictions) -> Predictions:
    """The classes stand in the other order."""
    return renamed(predictions, range(len(predictions.classes))[::-1])


def check_cells_added(metric: Metric) -> None:
    """Only tables whose value is neither a share nor a mean of recalls need something added for their interval."""
    if not metric.cells_added:
        return
    require(metric, metric.cells_added > 0, "what is added to a cell is something")
    of_tables = metric.summaries == ("counts",) and tuple(metric.range) == (-1, 1) and "binary" in metric.tasks
    require(metric, of_tables, "cells are added to in tables of two classes whose value lies between -1 and 1")
    require(metric, metric.interval.startswith(SMOOTHED), f"its interval, {metric.interval}, needs nothing added")


def check_additive(metric: Metric) -> None:
    """The value on all rows is the mean over the values of its parts if the metric says so, and else it is not."""
    adds_up = all(_adds_up(metric, drawn) for drawn in _samples(metric))
    require(metric, adds_up == metric.additive, f"is an average over rows: {metric.additive}")


def _adds_up(metric: Metric, predictions: Predictions) -> bool:
    by = dealt(predictions.rows, 2)
    parts = scores(metric, predictions, by)
    mean = np.average(parts, weights=np.bincount(by.codes))
    return bool(np.isnan(parts).any()) or same(float(mean), score(metric, predictions))


def _samples(metric: Metric) -> Iterator[Predictions]:
    yield from (sample(task, seed) for task in metric.tasks for seed in SEEDS)


def _varied(metric: Metric) -> Iterator[Predictions]:
    """Good and bad, balanced and rare, with all classes and without some."""
    yield from _samples(metric)
    for task in metric.tasks:
        yield from degenerate(task)
    if "binary" in metric.tasks:
        rare = np.arange(64) == 0
        scores_of_rare = (np.where(rare, 0.0, 0.75), np.where(rare, 1.0, 0.25), np.full(64, 0.75), 1.0 - rare)
        yield from (binary(rare, scores) for scores in scores_of_rare)
        yield binary([0, 1, 0, 1], [1, 0, 1, 0])
    if "multiclass" in metric.tasks:
        yield from (multiclass([0, 1, 2], np.eye(3)[order]) for order in ([1, 2, 0], [2, 0, 1], [1, 0, 2]))
        yield multiclass([0, 1, 2], (1 - np.eye(3)) / 2)
    if "regression" in metric.tasks:
        yield regression([1, 2, 4], [-1, -2, -4])


DECLARATION_CHECKS = (
    check_best,
    check_worst,
    check_direction,
    check_undefined,
    check_threshold,
    check_prevalence,
    check_needs_probabilities,
    check_classes,
    check_additive,
    check_cells_added,
)


TEXTS = ("title", "question", "formula", "blind_to")


def check_texts(metric: Metric) -> None:
    for name in TEXTS:
        require(metric, getattr(metric, name).strip(), f"{name} is told")
    require(metric, metric.question.endswith("?"), "the question is a question")
    require(metric, metric.undefined_when is None or metric.undefined_when.strip(), "undefined_when is told or None")
    require(metric, metric.references, "there is a reference")
    require(metric, all(reference.strip() for reference in metric.references), "no reference is empty")
    require(metric, metric.examples, "there is an example")
    require(metric, all(example.source.strip() for example in metric.examples), "every example says who computed it")


def check_names(metric: Metric) -> None:
    for name in metric.related:
        require(metric, name in metrics, f"the related metric {name} exists")
        require(metric, name != metric.name, "related metrics are others")
    require(metric, len(set(metric.aliases)) == len(metric.aliases), "no alias is given twice")
    taken = set(_names([other for other in metrics.values() if other.name != metric.name]))
    for alias in (metric.name, *metric.aliases):
        require(metric, alias not in taken, f"{alias} is the name of no other metric")


def _names(others: Iterable[Metric]) -> Iterable[str]:
    for other in others:
        yield from (other.name, *other.aliases)


def check_kind(metric: Metric) -> None:
    """Hold the parts of the declaration against each other."""
    require(metric, metric.tasks, "there is a task for it")
    require(metric, metric.summaries, "the formula needs a summary")
    require(metric, metric.range[0] < metric.range[1], "the range goes up")
    of_numbers = metric.needs in ("values", "quantiles")
    require(metric, of_numbers == (metric.tasks in (("regression",), SCORES)), f"{metric.needs} fit {metric.tasks}")
    if not metric.of_classes:
        require(metric, metric.depends_on_prevalence is None, "prevalence is a matter of classes")
        require(metric, not metric.per_class, "without classes it cannot speak of one")
    else:
        require(metric, metric.depends_on_prevalence is not None, "it says whether it depends on prevalence")
    if not of_numbers:
        require(metric, metric.elicits is None, "only predictions of numbers elicit something; see `proper`")
        require(metric, metric.units_power == 0, "classes and orders have no units")


def check_parameters(metric: Metric) -> None:
    own = metric.defaults.keys() - COMMON_PARAMETERS.keys()
    require(metric, own == metric.parameters.keys(), f"the parameters of the formula, {sorted(own)}, are described")
    for name, parameter in metric.parameters.items():
        require(metric, parameter.meaning.strip(), f"the parameter {name} has a meaning")
        default = metric.defaults[name]
        require(metric, default is None or not parameter.refusal(default), f"{name}={default} is allowed")


def check_examples(metric: Metric) -> None:
    for example in metric.examples:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            value = metric(example.truth, example.prediction, **example.settings)
        require(metric, same(value, example.value), f"{example.source}: {example.value!r} (it is {value!r})")


CARD_CHECKS = (check_texts, check_names, check_kind, check_parameters, check_examples)

"""Two models that do differ: how often the 95% interval of their difference holds the true one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.validity.measuring import ALPHA, COVERAGE, Experiment, Key, generator_of
from benchmarks.validity.populations import COMMON, HUGE, OTHER_SHAPE, PLAIN, RARE, Population, draw
from referee import metrics
from referee.comparing import Contender, Design, tests
from referee.predictions import Predictions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np

ROWS = 1000
CLASSES = (
    "accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc", "kappa", "roc_auc", "average_precision",
    "log_loss", "brier",
)  # fmt: skip
NUMBERS = ("mae", "rmse", "r2", "correlation", "median_ae")


def two_classifiers(population: Population, rows: int, generator: np.random.Generator) -> Predictions:
    return draw(population, rows, {"a": PLAIN, "b": OTHER_SHAPE[population.name]}, generator)


def two_regressions(rows: int, generator: np.random.Generator) -> Predictions:
    """Skewed amounts with errors that grow with them; one model is biased, the other one noisy."""
    x = generator.gamma(3.0, 1.0, rows) + 1
    truth = x * generator.gamma(6, 1 / 6, rows)
    models = {"a": 0.85 * x + 0.3, "b": x + 0.6 * generator.standard_normal(rows)}
    return Predictions.from_arrays(truth, models, task="regression")


def _contenders(predictions: Predictions, metric: str) -> list[Contender]:
    return [Contender(predictions, model, metrics[metric]) for model in predictions.models]


def true_differences(
    drawn: Callable[[int, np.random.Generator], Predictions], names: tuple[str, ...], rows: int
) -> dict[str, float]:
    predictions = drawn(rows, generator_of("true differences", 0))
    values = {name: [one.value for one in _contenders(predictions, name)] for name in names}
    return {name: a - b for name, (a, b) in values.items()}


def one_test_set(
    drawn: Callable[[int, np.random.Generator], Predictions],
    rows: int,
    true: dict[str, float],
    generator: np.random.Generator,
    number: int,  # noqa: ARG001 (what every experiment is given)
) -> dict[Key, float]:
    predictions = drawn(rows, generator)
    answers: dict[Key, float] = {}
    for metric, difference in true.items():
        found = tests["influence"].apply(*_contenders(predictions, metric), Design("rows", "row", alpha=ALPHA))
        if found.low is not None and found.high is not None:
            answers[Key("influence", metric, COVERAGE)] = found.low <= difference <= found.high
    return answers


def experiments(data_sets: int, huge: int = 2 * HUGE) -> Iterator[Experiment]:
    settings = [
        (partial(two_classifiers, COMMON), CLASSES, COMMON.name, ("influence",)),
        (partial(two_classifiers, RARE), CLASSES, RARE.name, ()),
        (two_regressions, NUMBERS, "numbers", ("influence",)),
    ]
    for drawn, names, setting, defaults in settings:
        one = partial(one_test_set, drawn, ROWS, true_differences(drawn, names, huge))
        yield Experiment(
            "intervals of a difference", f"n = {ROWS:,}, {setting}", "models that differ", one, data_sets, defaults
        )

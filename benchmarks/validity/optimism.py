"""The best of many models shows more than it has: how much, and what the corrected score makes of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.validity.measuring import ALPHA, Experiment, Key
from referee import metrics
from referee.comparing import Contest, Design, best_first
from referee.comparing.decision import corrected_score
from referee.predictions import Predictions

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS, ACCURACY = 200, 0.8
RAW, CORRECTED, HOLDS = (
    "raw score less the true one",
    "corrected score less the true one",
    "interval holds the true score",
)
SITUATIONS = {
    "equal, errors independent": (0.0, 0.0),
    "equal, errors shared": (0.0, 0.7),
    "spread by 0.03": (0.03, 0.0),
}
"""The standard deviation of the true accuracies, and how strongly the models err on the same rows."""


def one_selection(
    models: int, spread: float, shared: float, generator: np.random.Generator, number: int
) -> dict[Key, float]:
    true, predictions = many_models(models, spread, shared, generator)
    contest = Contest(predictions, metrics["accuracy"], Design("rows", "row", alpha=ALPHA, seed=number))
    values = dict(contest.values)
    best = best_first(values, contest.metric)[0]
    found = corrected_score(contest, best)
    assert found is not None
    its_own = true[best]
    return {
        Key("", "accuracy", RAW): values[best] - its_own,
        Key("", "accuracy", CORRECTED): found.value - its_own,
        Key("", "accuracy", HOLDS): found.low <= its_own <= found.high,
    }


def many_models(
    models: int, spread: float, shared: float, generator: np.random.Generator
) -> tuple[dict[str, float], Predictions]:
    """The true accuracy of each model, and what it decides."""
    from scipy.special import ndtr

    true = np.clip(ACCURACY + spread * generator.standard_normal(models), 0.01, 0.99)
    of_row, of_model = generator.standard_normal(ROWS), generator.standard_normal((models, ROWS))
    right = ndtr(np.sqrt(shared) * of_row + np.sqrt(1 - shared) * of_model) < true[:, None]
    truth = np.arange(ROWS) % 2
    names = [f"m{place:02}" for place in range(models)]
    labels = {name: np.where(row, truth, 1 - truth) for name, row in zip(names, right, strict=True)}
    return dict(zip(names, true.tolist(), strict=True)), Predictions.from_arrays(truth, labels)


def experiments(data_sets: int, most: int = 50) -> Iterator[Experiment]:
    for models in (10, 50):
        if models <= most:
            for situation, (spread, shared) in SITUATIONS.items():
                one = partial(one_selection, models, spread, shared)
                yield Experiment(
                    "corrected score", f"best of {models}", situation, one, data_sets // (4 if models == 10 else 10)
                )

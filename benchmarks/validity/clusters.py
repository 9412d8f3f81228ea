"""Rows that come in groups: what happens where the test is told, and where it is not."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.validity.measuring import ALPHA, FALSE_WINNER, Experiment, Key
from benchmarks.validity.populations import COMMON, PLAIN
from referee import metrics
from referee.comparing import Contender, Design, tests
from referee.predictions import Predictions

if TYPE_CHECKING:
    from collections.abc import Iterator

METRICS = ("accuracy", "roc_auc", "log_loss")
ROWS_OF_GROUP = 10
EFFECT = 0.7
"""How far a group moves a model's scores, each model by itself."""
TOLD, NOT_TOLD = "group named", "group not named"


def one_test_set(groups: int, generator: np.random.Generator, number: int) -> dict[Key, float]:  # noqa: ARG001
    group = np.repeat(np.arange(groups), ROWS_OF_GROUP)
    truth, signal = COMMON.rows(generator, len(group))
    moved = [signal + EFFECT * generator.standard_normal(groups)[group] for _ in "ab"]
    models = {name: PLAIN.scores(COMMON, one, generator) for name, one in zip("ab", moved, strict=True)}
    answers = {}
    for design, known in ((TOLD, {"group": group}), (NOT_TOLD, {})):
        predictions = Predictions.from_arrays(truth, models, classes=[0, 1], **known)
        for metric in METRICS:
            a, b = (Contender(predictions, model, metrics[metric]) for model in predictions.models)
            found = tests["influence"].apply(a, b, Design("rows", "row", metrics[metric].better, ALPHA))
            answers[Key("influence", metric, FALSE_WINNER, design)] = found.outcome in ("a", "b")
    return answers


def experiments(data_sets: int) -> Iterator[Experiment]:
    for groups in (15, 30, 100):
        setting = f"{groups} groups of {ROWS_OF_GROUP} rows"
        one, told = partial(one_test_set, groups), (("influence", TOLD),)
        yield Experiment("groups", setting, "same shape", one, data_sets, told)

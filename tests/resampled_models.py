"""Two models on few rows for the tests that draw them again, and their values the plain way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee import metrics
from referee.comparing import Contender, Design
from referee.engines import summarise
from referee.scoring import values
from referee.testing.samples import sample

ROWS = Design("rows", "row")
CASES = [(name, task) for name in metrics for task in metrics[name].tasks]


def two_models(task, rows=25, **columns):
    first, second = (sample(task, seed, rows) for seed in (3, 4))
    models = first.models[0], replace(second.models[0], name="n")
    return replace(first, models=models, **columns)


def pair(predictions, metric):
    return [Contender(predictions, model, metrics[metric]) for model in predictions.models]


def value_of(metric, predictions, model):
    return values(metric, summarise(predictions, model), len(predictions.classes), predictions.positive)[0]


def same(found, expected):
    return found == pytest.approx(expected, rel=1e-11, abs=1e-12, nan_ok=True)

"""What a weight means, for all that is shown: ones are none, only ratios matter, zero is no row, 2 is the row twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee import metrics
from referee.comparing import compare, contest_of, tests
from referee.engines import summarise
from referee.predictions import Predictions
from referee.scoring import chosen_metrics, evaluate, values
from referee.scoring.standard_errors import spread
from referee.testing.samples import sample
from referee.thresholds import banded
from referee.thresholds.curve_points import curve
from tests.scoring.test_every_metric import WITH_SETTINGS

TASKS = ("binary", "multiclass", "regression")
KINDS = ("ones", "equal", "scaled", "zero", "frequency", "frequency of one")


def two_models(task, rows=40):
    """Two models on the same rows, of which one has mixed up every fifth."""
    first = sample(task, 3, rows=rows)
    (model,) = first.models
    mixed = np.where(np.arange(rows) % 5 == 0, np.arange(rows)[::-1], np.arange(rows))
    return replace(first, models=(replace(model, name="a"), replace(model.part(mixed), name="b")))


def told_twice(kind, plain):
    """The same rows, told in two ways."""
    rows, draw = np.arange(plain.rows), np.random.default_rng(7)
    uneven, times = draw.integers(0, 9, plain.rows) / 4, draw.integers(0, 4, plain.rows)

    def weighted(weight, kind="probability"):
        return replace(plain, weight=np.asarray(weight, float), weight_kind=kind)

    return {
        "ones": (plain, weighted(np.ones(plain.rows))),
        "equal": (plain, weighted(np.full(plain.rows, 0.7))),
        "scaled": (weighted(uneven), weighted(700.7 * uneven)),
        "zero": (weighted(uneven), weighted(uneven).part(rows[uneven > 0])),
        "frequency": (plain.part(np.repeat(rows, times)), weighted(times, "frequency")),
        "frequency of one": (plain, weighted(np.ones(plain.rows), "frequency")),
    }[kind]


def with_settings(predictions):
    return [metrics[name] for name in WITH_SETTINGS if predictions.task in metrics[name].tasks]


def alike(expected):
    return pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


def numbers(*some):
    return tuple(np.nan if one is None else one for one in some)


def shown(predictions):
    """All scores, those of classes and averages too."""
    every = [*evaluate(predictions), *evaluate(predictions, with_settings(predictions))]
    return {
        (score.model, score.metric, score.class_): numbers(score.value, score.low, score.high, score.standard_error)
        for score in every
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("task", TASKS)
def test_the_same_rows_have_the_same_intervals(task, kind):
    expected, found = map(shown, told_twice(kind, two_models(task)))
    assert found.keys() == expected.keys()
    differ = {name: (found[name], expected[name]) for name in found if found[name] != alike(expected[name])}
    assert not differ
    assert np.mean([np.isfinite(one).all() for one in found.values()]) > 0.9


def compared(predictions):
    """Both models on every metric, by rows."""
    found = {}
    for metric in [*chosen_metrics(predictions, None), *with_settings(predictions)]:
        one = contest_of(predictions, metric).compare(tests["influence"], "a", "b")
        found[metric.full_name] = numbers(one.difference, one.standard_error, one.p, one.low, one.high)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("task", TASKS)
def test_the_same_rows_have_the_same_p(task, kind):
    expected, found = map(compared, told_twice(kind, two_models(task)))
    assert not {name: (found[name], expected[name]) for name in found if found[name] != alike(expected[name])}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_rows_have_the_same_verdict(kind):
    expected, found = (compare(one, "break_even_point") for one in told_twice(kind, two_models("binary", 300)))
    assert found.sentence == expected.sentence
    assert [goal.to_dict() for goal in found.other_goals] == [
        {**goal.to_dict(), "cost": alike(goal.cost)} for goal in expected.other_goals
    ]


@pytest.mark.parametrize("of", ["roc", "precision_recall", "lift"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_rows_have_the_same_band(kind, of):
    ends = []
    for one in told_twice(kind, two_models("binary", 200)):
        found = banded(curve(one, of, model="a"), one)
        ends.append(np.concatenate([found.low, found.high]).tolist())
    assert ends[1] == alike(ends[0])


def scored(predictions, name):
    """A metric's value, and how to get its standard error."""
    summary = summarise(predictions, predictions.models[0])
    value = values(metrics[name], summary, len(predictions.classes), predictions.positive)[0]
    return value, lambda: spread(summary, metrics[name]).standard_error


def drawn(name, rows, seed):
    draw = np.random.default_rng(seed)
    if metrics[name].tasks == ("regression",):
        truth = draw.gamma(3.0, 1.0, rows)
        return Predictions.from_arrays(truth, {"m": truth * draw.gamma(6, 1 / 6, rows)}, task="regression")
    truth = draw.random(rows) < 0.3
    scores = 1 / (1 + np.exp(-1.8 * (1.5 * truth + draw.normal(size=rows) - 1.2)))
    return Predictions.from_arrays(truth.astype(int), {"m": scores})


CUTS = (
    "break_even_point", "lift", "lift(top=0.3)", "ks", "median_ae", "precision_at_recall",
    "precision_at_recall(recall=0.7)", "recall_at_precision", "recall_at_precision(precision=0.7)",
)  # fmt: skip


@pytest.mark.parametrize("name", CUTS)
def test_errors_at_a_cut_are_those_of_new_rows(name):
    """The spread of the values of 400 data sets of 10,000 rows, which is known to 3.5%, is what each of them says."""
    each = [scored(drawn(name, 10_000, seed), name) for seed in range(400)]
    spread_of_values = np.std([value for value, _ in each], ddof=1)
    said = [error() for _, error in each[:25]]
    assert np.mean(said) == pytest.approx(spread_of_values, rel=0.1)
    assert np.ptp(said) < np.mean(said) * (0.2 if name in ("break_even_point", "ks") else 0.6)

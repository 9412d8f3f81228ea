"""Metrics with parameters, as users write them and as Python gives them."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from referee import metrics
from referee.errors import UsageError

TOO_DEEP = "E_SYNTAX" if sys.version_info < (3, 13) else "E_PARAMETER"
"""Newer versions of Python read that many signs, and find no number behind them."""
TRUTH, SCORES = [1, 1, 0, 0, 1, 0], [0.9, 0.3, 0.6, 0.2, 0.7, 0.1]


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("precision(undefined=abc)", "E_PARAMETER"),
        ("precision(undefined=[1])", "E_PARAMETER"),
        ("precision(undefined=1e400)", "E_PARAMETER"),
        ("f_beta(beta=1e400)", "E_PARAMETER"),
        (f"f_beta(beta=1{'0' * 400})", "E_PARAMETER"),
        ("f_beta(beta={1: 2})", "E_PARAMETER"),
        ("calibration_error(bins=1e12)", "E_PARAMETER"),
        ("f_beta(beta={[]:1})", "E_SYNTAX"),
        (f"f_beta(beta={'-' * 5000}1)", TOO_DEEP),
        ("f_beta(beta=2,beta=3)", "E_SYNTAX"),
        ("f_beta(beta=2", "E_SYNTAX"),
    ],
    ids=lambda text: text[:30],
)
def test_parameters_that_cannot_be_used(call, code, referee):
    with pytest.raises(UsageError) as caught:
        metrics[call]
    assert caught.value.code == code
    assert referee("metrics", call).code == 2


def test_numbers_of_numpy():
    f_beta = metrics["f_beta"]
    expected = f_beta(TRUTH, SCORES, beta=2)
    for two in (np.float64(2), np.float32(2), np.int64(2), np.array(2)):
        assert f_beta(TRUTH, SCORES, beta=two) == expected
        assert f_beta.bind(beta=two).full_name in ("f_beta(beta=2)", "f_beta(beta=2.0)")
    calibration = metrics["calibration_error"]
    assert calibration(TRUTH, SCORES, mass=np.True_) == calibration(TRUTH, SCORES, mass=True)


def test_matrices_of_numpy():
    costs = [[0, 1], [5, 0]]
    expected = metrics["expected_cost"](TRUTH, SCORES, costs=costs)
    for matrix in (np.array(costs), np.array(costs, float), [np.array(row) for row in costs], tuple(map(tuple, costs))):
        assert metrics["expected_cost"](TRUTH, SCORES, costs=matrix) == expected
    bound = metrics["expected_cost"].bind(costs=np.array(costs))
    assert metrics[bound.full_name] == bound


def test_metrics_are_hashable():
    assert len({metrics["f1"], metrics["f_beta"], metrics["f_beta(beta=2)"], metrics["expected_cost(fn=5)"]}) == 3
    assert hash(metrics["f1"]) == hash(metrics["f_beta"])


def test_no_scorer_of_quantile_forecasts():
    with pytest.raises(UsageError, match="quantile"):
        metrics["crps"].scorer()


@pytest.mark.parametrize(
    "matrix",
    [
        [[1, 2, 3], [4, 5, 6]],
        [1, 2],
        [],
        [[1, -1], [0, 2]],
        [[1, float("nan")], [0, 2]],
        [[1, float("inf")], [0, 2]],
        [["a", "b"], ["c", "d"]],
        [[1, 2], [3]],
    ],
    ids=str,
)
def test_what_is_no_confusion_matrix(matrix):
    with pytest.raises(UsageError) as caught:
        metrics["accuracy"].of_counts(matrix)
    assert caught.value.code == "E_COUNTS"


def test_a_class_that_the_matrix_lacks():
    with pytest.raises(UsageError) as caught:
        metrics["recall"].of_counts([[1, 2], [3, 4]], positive=2)
    assert caught.value.code == "E_COUNTS"


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("name", ["precision", "recall", "f_beta"])
def test_averages_of_a_confusion_matrix(name, average):
    matrix = np.array([[5, 2, 1], [0, 7, 3], [6, 2, 8]])
    truth = np.repeat([0, 1, 2], matrix.sum(axis=1))
    predicted = np.concatenate([np.repeat([0, 1, 2], row) for row in matrix])
    expected = metrics[name]([str(code) for code in truth], [str(code) for code in predicted], average=average)
    assert metrics[name].bind(average=average).of_counts(matrix) == pytest.approx(expected, rel=1e-12)


def test_one_class_of_a_confusion_matrix():
    matrix = [[5, 2, 1], [0, 7, 3], [2, 2, 8]]
    assert metrics["recall"].of_counts(matrix, positive=1) == 0.7
    assert metrics["accuracy"].of_counts(matrix) == 20 / 30
    assert metrics["expected_cost(fn=5)"].of_counts([[8, 2], [1, 9]], positive=1) == (2 + 5) / 20

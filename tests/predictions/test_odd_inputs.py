"""Things that are no columns get our errors in Python, wherever a column is expected, and never a number."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

import referee
from referee import RefereeError

ROWS = 40
DRAW = np.random.default_rng(0)
TRUTH, SCORES = DRAW.integers(0, 2, ROWS), DRAW.random(ROWS)
SELF: list = []
SELF.append(SELF)
MASKED = np.ma.masked_array(SCORES, mask=np.arange(ROWS) % 7 == 0)

ODD = {
    "masked": lambda: MASKED,
    "complex": lambda: SCORES * 1j,
    "list of complex": lambda: [1j] * ROWS,
    "generator": lambda: (score for score in SCORES),
    "iterator": lambda: iter(SCORES.tolist()),
    "set": lambda: {1, 2},
    "ragged": lambda: [[1, 2], [3]] * (ROWS // 2),
    "objects": lambda: np.full(ROWS, object(), object),
    "nothing": lambda: np.array([None] * ROWS, object),
    "mixed": lambda: np.array([0.5, "x"] * (ROWS // 2), object),
    "timedelta": lambda: np.arange(ROWS).astype("timedelta64[s]"),
    "structured": lambda: np.zeros(ROWS, dtype=[("a", float)]),
    "no axis": lambda: np.array(0.5),
    "three axes": lambda: np.zeros((ROWS, 2, 2)),
    "bytes": lambda: b"abc",
    "text": lambda: "abc",
    "void": lambda: np.zeros(ROWS, "V4"),
    "function": lambda: len,
    "itself": lambda: SELF,
    "not a number": lambda: np.where(np.arange(ROWS) == 3, np.nan, SCORES),
    "infinite": lambda: np.where(np.arange(ROWS) == 3, np.inf, SCORES),
    "too long": lambda: [*SCORES.tolist(), 0.5],
}


@pytest.mark.parametrize("name", ODD)
def test_as_a_model(name):
    with pytest.raises(RefereeError):
        referee.compare(TRUTH, {"a": ODD[name](), "b": SCORES}, goal="roc_auc")


@pytest.mark.parametrize("name", [name for name in ODD if name != "mixed"])
def test_as_the_truth(name):
    with pytest.raises(RefereeError):
        referee.compare(ODD[name](), {"a": SCORES, "b": SCORES[::-1]}, goal="roc_auc")


@pytest.mark.parametrize("name", ODD)
def test_as_weights(name):
    with pytest.raises(RefereeError):
        referee.compare(TRUTH, {"a": SCORES, "b": SCORES[::-1]}, goal="roc_auc", weight=ODD[name]())


@pytest.mark.parametrize(
    "name", ["masked", "complex", "generator", "timedelta", "ragged", "mixed", "text", "structured"]
)
def test_of_a_significance_test(name):
    with pytest.raises(RefereeError):
        referee.tests["paired_t"](ODD[name](), SCORES)


def test_a_mask_names_the_row():
    with pytest.raises(RefereeError, match=r"'a', row 1: missing \(6 rows\)"):
        referee.evaluate(TRUTH, {"a": MASKED}, metrics="roc_auc")
    with pytest.raises(RefereeError, match="missing"):
        columns = np.ma.masked_array(
            np.column_stack([1 - SCORES, SCORES]), mask=np.arange(2 * ROWS).reshape(-1, 2) == 5
        )
        referee.evaluate(TRUTH, {"a": columns}, metrics="log_loss")
    unmasked = np.ma.masked_array(SCORES, mask=False)
    assert referee.metrics["roc_auc"](TRUTH, unmasked) == referee.metrics["roc_auc"](TRUTH, SCORES)


def test_dates_are_no_scores():
    days = [datetime.date(2024, 1, 1)] * ROWS
    with pytest.raises(RefereeError):
        referee.compare(TRUTH, {"a": days, "b": SCORES}, goal="roc_auc")


@pytest.mark.parametrize(
    "said",
    [
        {"goal": 3},
        {"goal": ["roc_auc"]},
        {"alpha": "0.05"},
        {"seed": "x"},
        {"seed": 1.5},
        {"classes": 2},
        {"metrics": 5},
    ],
    ids=str,
)
def test_keywords_of_another_kind_get_our_error(said):
    with pytest.raises(referee.RefereeError, match="is needed") as caught:
        referee.compare([0, 1] * 10, {"A": [0.25, 0.75] * 10, "B": [0.5, 0.75] * 10}, **({"goal": "roc_auc"} | said))
    assert next(iter(said)) in str(caught.value)


def test_two_models_of_one_name_are_refused():
    with pytest.raises(referee.RefereeError, match="same name"):
        referee.evaluate([0, 1] * 10, {1: [0.25, 0.75] * 10, "1": [0.5, 0.75] * 10})

"""More models than all pairs could be tested of: the tie set is still there, and keeps who may be the best."""

from __future__ import annotations

import numpy as np
import pytest

from referee import metrics
from referee.comparing import Contest, Design, compare
from referee.comparing import case as comparing
from referee.predictions import Predictions


@pytest.fixture(scope="module")
def predictions():
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 400)
    equal = {f"equal{place}": np.where(draw.random(400) < 0.85, truth, 1 - truth) for place in range(6)}
    poor = {f"poor{place}": np.where(draw.random(400) < 0.5, truth, 1 - truth) for place in range(6)}
    return Predictions.from_arrays(truth, equal | poor)


def test_without_all_pairs_nobody_is_lost_who_would_be_kept(predictions, monkeypatch):
    every = compare(predictions, "accuracy", metrics=["accuracy"])
    monkeypatch.setattr(comparing, "ALL_PAIRS", 5)
    few = compare(predictions, "accuracy", metrics=["accuracy"])
    assert set(every.winners) <= set(few.winners)
    assert {f"equal{place}" for place in range(6)} <= set(few.winners)
    assert not [name for name in few.winners if name.startswith("poor")]


def test_the_covariance_of_accuracies_is_that_of_their_rows(predictions):
    right = [model.labels == predictions.truth for model in sorted(predictions.models, key=lambda one: one.name)]
    contest = Contest(predictions, metrics["accuracy"], Design("rows", better="higher"))
    np.testing.assert_allclose(contest.covariance, np.cov(right) / predictions.rows, atol=1e-15)

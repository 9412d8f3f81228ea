"""The gate's three outcomes, the rows that it needs, and margins that would let everything pass."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import nct, norm, t

from referee.comparing import compare, gate
from referee.errors import UsageError
from referee.predictions import Predictions

OPTIONS = {"production": "prod", "candidate": "cand"}


def flipped(share: float, rows: int = 4000, seed: int = 0) -> Predictions:
    """A candidate that decides as production does, but for a share of the rows, where it decides the other way."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 2, rows)
    production = np.where(random.random(rows) < 0.9, truth, 1 - truth)
    candidate = np.where(random.random(rows) < share, 1 - production, production)
    return Predictions.from_arrays(truth, {"prod": production, "cand": candidate})


@pytest.mark.parametrize(
    ("share", "margin", "outcome"), [(0.0, 0.01, "pass"), (0.2, 0.05, "fail"), (0.06, 0.05, "inconclusive")]
)
def test_the_outcome_is_what_the_one_sided_interval_shows(share, margin, outcome):
    both = flipped(share)
    found = gate(both, "accuracy", margin=margin, **OPTIONS)
    assert found.outcome == outcome and found.sentence.startswith(outcome.capitalize() + ": ")
    right = [model.labels == both.truth for model in (both.model("cand"), both.model("prod"))]
    each = right[0].astype(float) - right[1]
    error = each.std(ddof=1) / len(each) ** 0.5
    low, high = each.mean() + np.array([-1, 1]) * norm.ppf(0.95) * error
    shown = "pass" if low > -margin or not error else "fail" if high < -margin else "inconclusive"
    assert shown == outcome


def write(path, predictions):
    rows = zip(predictions.truth, *(model.labels for model in predictions.models), strict=True)
    path.write_text("y,prod,cand\n" + "".join(f"{y},{a},{b}\n" for y, a, b in rows))
    return path


@pytest.mark.parametrize(("share", "margin", "codes"), [(0.0, 0.01, (0, 0)), (0.2, 0.05, (1, 1)), (0.06, 0.05, (1, 0))])
def test_exit_codes(referee, tmp_path, share, margin, codes):
    path = write(tmp_path / "p.csv", flipped(share))
    arguments = ("gate", path, "--truth", "y", "--goal", "accuracy", "--production", "prod", "--candidate", "cand")
    found = referee(*arguments, "--margin", margin)
    lenient = referee(*arguments, "--margin", margin, "--inconclusive", "pass")
    assert (found.code, lenient.code) == codes
    assert found.json["gate"]["outcome"] == lenient.json["gate"]["outcome"]
    assert found.json["gate"]["passed"] == (found.code == 0)


def test_rows_that_would_let_an_equally_good_candidate_pass():
    found = gate(flipped(0.02, rows=300, seed=4), "accuracy", margin=0.01, **OPTIONS)
    one = found.comparison
    assert found.outcome == "inconclusive"
    powers = [
        nct.sf(t.ppf(0.95, df), df, 0.01 * (rows / 300) ** 0.5 / one.standard_error)
        for rows in (found.rows_needed - 1, found.rows_needed)
        for df in [(one.df + 1) * rows / 300 - 1]
    ]
    assert powers[0] < 0.8 <= powers[1]
    assert f"About {found.rows_needed:,} rows like these would let an equally good candidate pass" in found.sentence


def test_rows_that_would_settle_a_difference_near_the_margin():
    found = gate(flipped(0.06), "accuracy", margin=0.05, **OPTIONS)
    assert found.rows_needed > 4000 and "If the difference seen is the true one" in found.sentence


def test_superiority_that_is_not_shown_is_inconclusive_and_the_contrary_fails():
    assert gate(flipped(0.0), "accuracy", margin=0.01, superiority=True, **OPTIONS).outcome == "inconclusive"
    worse = gate(flipped(0.02), "accuracy", margin=0.05, superiority=True, **OPTIONS)
    assert worse.outcome == "fail" and "significantly worse than prod, though not by more than" in worse.sentence


@pytest.mark.parametrize("margin", [1, 5, 100])
def test_a_margin_as_large_as_the_range_is_refused(referee, tmp_path, margin):
    for function, more in ((compare, {}), (gate, OPTIONS)):
        with pytest.raises(UsageError, match="lets everything pass") as refused:
            function(flipped(0.1), "accuracy", margin=margin, **more)
        assert f"use {margin / 100:g}" in refused.value.hint and "would not matter" in refused.value.hint
    path = write(tmp_path / "p.csv", flipped(0.1))
    found = referee("compare", path, "--truth", "y", "--goal", "accuracy", "--margin", margin)
    assert found.code == 2 and found.json["error"]["code"] == "E_MARGIN"


@pytest.mark.parametrize(("goal", "margin", "warned"), [("accuracy", 0.1, False), ("accuracy", 0.11, True)])
def test_a_margin_above_a_tenth_of_the_range_is_pointed_out(goal, margin, warned):
    notices = [one for one in compare(flipped(0.1), goal, margin=margin).warnings if one.code == "W_MARGIN"]
    assert bool(notices) == warned


@pytest.mark.parametrize(("tenths", "warned"), [(0.9, False), (1.1, True)])
def test_without_a_range_a_tenth_of_what_guessing_has_counts(tenths, warned):
    truth = np.random.default_rng(0).normal(size=500) * 7
    models = {"a": truth + 1 + np.arange(500) % 3, "b": truth + 1 + np.arange(500) % 5}
    both = Predictions.from_arrays(truth, models, task="regression")
    margin = tenths * truth.std() / 10
    assert any(one.code == "W_MARGIN" for one in compare(both, "rmse", margin=margin).warnings) == warned


@pytest.mark.parametrize(("margin", "warned"), [(0.09, False), (0.11, True), (2.0, True)])
def test_where_the_best_has_no_end_a_tenth_of_guessing_counts(margin, warned):
    """Guessing has a lift of 1."""
    draw = np.random.default_rng(0)
    truth = np.arange(400) % 2
    models = {name: truth + draw.normal(size=400) for name in "ab"}
    found = compare(Predictions.from_arrays(truth, models), "lift", metrics=["lift"], margin=margin)
    assert any(notice.code == "W_MARGIN" for notice in found.warnings) == warned


def test_an_unknown_word_for_inconclusive():
    with pytest.raises(UsageError, match="inconclusive='maybe'"):
        gate(flipped(0.1), "accuracy", margin=0.01, inconclusive="maybe", **OPTIONS)

"""Pairs of models at their edges: what is said of them, forms of groups left out, scales, models without a spread."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import referee
from referee.comparing import Comparison, Design, tests
from referee.comparing.decision import Given, corrected
from referee.comparing.explanation import explanation
from referee.comparing.gate_looks import Look, look_in_words
from referee.comparing.in_time import said_of_pieces
from referee.comparing.ledger import read_ledger
from referee.comparing.left_out import Refits, _forms
from referee.comparing.looks import State
from referee.comparing.replicate_intervals import Correction, by_replicates
from referee.comparing.sentence import of_seeds

DRAW = np.random.default_rng(53)


def test_weak_dependence_may_be_missed_where_rows_are_few():
    pair = Comparison(0.1, 0.04, "a", details={"pieces": 40.2, "times_wider": 1.25})
    few, many = (said_of_pieces(pair, rows) for rows in (2999, 3000))
    assert "40 independent pieces; the error is 1.2 times that of independent rows." in many
    assert "may be missed" in few
    assert "may be missed" not in many
    assert said_of_pieces(Comparison(0.1, 0.04, "a"), 50) == ""


@pytest.mark.parametrize(("share", "more"), [(0.51, "more seeds"), (0.5, "more items"), (0.02, "more items")])
def test_what_would_narrow_the_interval_more(share, more):
    said = of_seeds(Comparison(0.1, 0.04, "a", details={"seeds": {"share": share, "number": 4}}))
    assert said.startswith(f" With 4 seeds, seeds account for {100 * share:.0f}% of the uncertainty; {more} would")
    assert of_seeds(Comparison(0.1, 0.04, "a")) == ""


def test_alpha_that_is_shared_from_the_first_look_on_stays_shared(tmp_path):
    """Also where later looks do not ask for it: each candidate has less than the one before."""
    truth = DRAW.integers(0, 2, 200)
    models = {name: np.where(DRAW.random(200) < 0.85, truth, 1 - truth) for name in ("old", "new", "newer")}
    said = {"goal": "accuracy", "production": "old", "margin": 0.02, "looks": 5, "until": 1000, "positive": 1}
    ledger = tmp_path / "gate.jsonl"
    first = referee.gate(truth, models, candidate="new", spend=True, ledger=ledger, **said)
    second = referee.gate(truth, models, candidate="newer", ledger=ledger, **said)
    assert read_ledger(ledger).rule["spend"] is True
    assert first.look.alpha > second.look.alpha
    assert f"z = {first.look.z:.2f}, boundary {first.look.boundary:.2f}" in first.sentence


def test_a_boundary_that_cannot_be_reached_is_called_so():
    known = {
        "number": 1, "rows": 10, "looks": 5, "until": 1000, "alpha": 0.05, "outcome": "inconclusive", "z": 1.5,
        "low": None, "high": None, "p": None, "candidate_number": 1, "decided_at": None, "is_new": True,
    }  # fmt: skip
    said = [
        look_in_words(Look(**known, method="planned", boundary=bound), "new", "old", 0.02, "accuracy")
        for bound in (None, 4.125)
    ]
    assert "(z = 1.50, boundary out of reach)" in said[0]
    assert "(z = 1.50, boundary 4.12)" in said[1]


def test_leads_in_standard_errors():
    """The t of SciPy about the margin; without any variance, all or nothing."""
    leads = DRAW.normal(0.1, 1, 12)
    state = State(12, float(leads.mean()), float(((leads - leads.mean()) ** 2).sum()), 11)
    assert state.lead_z(0.3) == pytest.approx(stats.ttest_1samp(leads, -0.3).statistic)
    constant = [State(9, mean, 0.0, 8).lead_z(0.25) for mean in (0.5, -0.25, -0.5)]
    assert constant == [np.inf, 0.0, -np.inf]
    assert State(9, 0.5, 0.0, 8).z(0.25) == 3


@pytest.mark.parametrize("bias", [-2.5, 0.0, 2.5])
def test_p_of_replicates_is_never_below_what_their_number_can_show(bias):
    """All of 99 replicates are above 0, whatever the bias: one in a hundred on either side."""
    found = by_replicates(50.0, np.arange(1.0, 100.0), Design("rows"), Correction(bias, 0.01 if bias else 0.0))
    assert found.p >= 2 / 100
    assert found.p == pytest.approx(2 / 100) or bias < 0


def test_variances_of_five_times_two_folds_of_any_size():
    """Alpaydin's F: squared differences over twice the variances within, by exact halves; also beyond all squares."""
    a, b = DRAW.random(10), DRAW.random(10)
    each = (a - b).reshape(5, 2)
    expected = (each**2).sum() / (2 * each.var(axis=1, ddof=1).sum())
    for size in (1.0, 1e200, 1e-200):
        assert tests["five_by_two_f"](a * size, b * size).statistic == pytest.approx(expected, rel=1e-9)


def test_a_model_without_a_spread_widens_no_interval():
    """A yardstick whose value is certain: the others are corrected as if it were only far away."""
    values, spread = {"best": 0.8, "other": 0.7, "sure": 0.1}, np.diag([0.02, 0.02, 0.0]) ** 2
    sure = corrected(Given(values, spread, (0, 1)), "best", 0.05, 0)
    near = corrected(Given(values, spread + np.diag([0, 0, 1e-14]), (0, 1)), "best", 0.05, 0)
    assert 0 < sure.low < sure.value < sure.high < 1
    assert (sure.low, sure.high) == pytest.approx((near.low, near.high), abs=0.01)
    assert corrected(Given(values, spread, (0, 1)), "sure", 0.05, 0) is None


@pytest.mark.parametrize("groups", [4, 6])
def test_forms_of_groups_left_out_by_their_definitions(groups):
    """The jackknife over the groups beside, the variance over the groups tested, and what both leave."""
    pairs = [(tested, beside) for tested in range(groups) for beside in range(groups) if tested != beside]
    cells = DRAW.normal(size=len(pairs))
    of = [[np.mean([c for c, pair in zip(cells, pairs, strict=True) if pair[side] == g]) for g in range(groups)]
          for side in (0, 1)]  # fmt: skip
    jack, fold, rest = (float(cells @ form @ cells) for form in _forms(groups))
    assert jack == pytest.approx((groups - 1) / groups * ((of[1] - np.mean(of[1])) ** 2).sum())
    assert fold == pytest.approx(np.var(of[0], ddof=1) / groups)
    sides = np.array([[pair[side] == g for side in (0, 1) for g in range(groups)] for pair in pairs], float)
    left = cells - sides @ np.linalg.lstsq(sides, cells, rcond=None)[0]
    assert rest == pytest.approx((left**2).sum() / (len(pairs) - 2 * groups + 1))


def test_cells_of_groups_left_out_are_added_up_class_by_class():
    """The value of a fit and what rows of each class add to it, where a cell lacks a class: nothing."""
    deals, groups, classes, rows = 2, 4, 3, 400
    deal, tested = DRAW.integers(0, deals, rows), DRAW.integers(0, groups, rows)
    beside, truth = (tested + DRAW.integers(1, groups, rows)) % groups, DRAW.integers(0, classes, rows)
    truth[(deal == 0) & (tested == 1) & (beside == 2) & (truth == 2)] = 1
    low, high = np.minimum(tested, beside), np.maximum(tested, beside)
    names, codes = np.unique((deal * groups + low) * groups + high, return_inverse=True)
    whole, each = DRAW.random(len(names)), DRAW.random(rows)
    layout = SimpleNamespace(deals=deals, groups=groups, cell=(deal * groups + tested) * groups + beside,
                             units=SimpleNamespace(codes=codes))  # fmt: skip
    found = Refits(layout, each, whole, truth).cells
    for place, (of_deal, one, other) in enumerate(
        (d, t, b) for d in range(deals) for t in range(groups) for b in range(groups) if t != b
    ):
        here = (deal == of_deal) & (tested == one) & (beside == other)
        fit = whole[codes[here][0]]
        added = [each[here & (truth == c)].mean() - fit for c in range(classes) if (here & (truth == c)).any()]
        assert found.reshape(-1)[place] == pytest.approx(fit + sum(added))


@pytest.mark.parametrize(
    ("name", "design", "is_named"),
    [("sign", "data_sets", False), ("wilcoxon", "data_sets", True), ("paired_t", "splits", True)],
)
def test_a_statistic_is_named_once(name, design, is_named):
    """Where p has a formula of its own, no bare number stands before it."""
    design, test = Design(design), tests[name]
    found = test.apply(DRAW.random(12), DRAW.random(12), design)
    steps = [each.partition(": ")[0].partition(". ")[2] for each in explanation(found, test, design)]
    assert len(steps) == len(set(steps))
    assert ("Statistic" in steps) is is_named

"""The verdict never contradicts what it rests on, and its numbers follow from the formulas."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from referee.comparing import Comparison, Design, compare, gate, rows_to_separate
from referee.comparing.decision import Given, corrected
from referee.comparing.power import rows_at_least, smallest_difference
from referee.predictions import Predictions
from referee.scoring import evaluate
from referee.testing import assert_not_worse
from tests.all_pairs_of import all_pairs
from tests.comparing.test_compare import predictions, sample

GOALS = ("accuracy", "roc_auc", "log_loss", "f1")


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(GOALS),
    st.lists(st.floats(0, 1.5), min_size=2, max_size=6),
    st.sampled_from([40, 150]),
)
def test_the_verdict_never_contradicts_its_comparisons(seed, goal, strengths, rows):
    names = [f"m{i}" for i in range(len(strengths))]
    verdict = compare(predictions(seed=seed, models=names, strength=strengths, rows=rows), goal, metrics=[goal])
    sign = 1 if verdict.goal.better == "higher" else -1
    assert max(verdict.values, key=lambda name: sign * verdict.values[name]) == verdict.best or len(
        set(verdict.values.values())
    ) < len(names)
    beaten = {c.against(verdict.best) for c in verdict.comparisons if c.winner == verdict.best}
    beaten |= set(verdict.surely_worse)
    against_best = [c for c in verdict.comparisons if verdict.best in (c.a, c.b)]
    for found in verdict.comparisons:
        difference = verdict.values[found.a] - verdict.values[found.b]
        assert found.difference == pytest.approx(difference, abs=1e-12)
        assert found.p <= found.p_adjusted <= 1
        assert (found.outcome == "undecided") == (found.undecided is not None)
        if found.outcome != "undecided":
            assert (found.p < 0.05) == (found.outcome != "tie")
        if found.standard_error and found.outcome != "undecided":
            assert (found.low > 0 or found.high < 0) == (found.outcome != "tie")
        if found.winner:
            assert sign * (verdict.values[found.winner] - verdict.values[found.against(found.winner)]) > 0
    if verdict.outcome == "winner":
        assert verdict.winners == (verdict.best,)
        assert beaten == set(names) - {verdict.best}
        assert verdict.sentence.startswith(f"{verdict.best} wins")
    elif verdict.outcome == "tie":
        assert verdict.best in verdict.winners
        assert len(verdict.winners) > 1
        assert beaten | set(verdict.winners) >= set(names)
        assert set(names) - beaten <= set(verdict.winners)
    else:
        assert verdict.winners == ()
    assert len(against_best) == len(names) - 1


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("test", ["auto", "bootstrap(replicates=200)", "permutation(permutations=200)"])
def test_swapping_mirrors_everything(goal, test):
    truth, scores = sample(seed=5, strength=(1.0, 0.7), rows=120)
    one = compare(Predictions.from_arrays(truth, scores), goal, test=test, metrics=[goal])
    other = compare(Predictions.from_arrays(truth, dict(reversed(scores.items()))), goal, test=test, metrics=[goal])
    (a,), (b,) = one.comparisons, other.comparisons
    mirrored = replace(
        b, a=b.b, b=b.a, difference=-b.difference, low=b.high and -b.high, high=b.low and -b.low,
        statistic=b.statistic and -b.statistic, outcome={"a": "b", "b": "a"}.get(b.outcome, b.outcome),
        details=a.details,
    )  # fmt: skip
    assert a == mirrored
    assert one.sentence == other.sentence


@pytest.mark.parametrize("orders", [range(2), pytest.param(range(2, 20), marks=pytest.mark.soak)], ids=len)
@pytest.mark.parametrize("options", [{}, {"test": "bootstrap(replicates=100)"}, {"subsets": 5, "partitions": 3}])
def test_neither_the_order_of_rows_nor_of_models_matters(options, orders):
    truth, scores = sample(seed=6, models=("a", "b", "c"), strength=(1.0, 0.9, 0.2), rows=90)
    expected = compare(Predictions.from_arrays(truth, scores), "roc_auc", **options)
    for seed in orders:
        order = np.random.default_rng(seed).permutation(90)
        shuffled = Predictions.from_arrays(truth[order], {m: s[order] for m, s in scores.items()})
        found = compare(shuffled, "roc_auc", **options)
        assert _without_fingerprint(found) == _without_fingerprint(expected)
    reversed_models = compare(Predictions.from_arrays(truth, dict(reversed(scores.items()))), "roc_auc", **options)
    assert reversed_models.sentence == expected.sentence
    assert reversed_models.winners == expected.winners
    assert reversed_models.corrected == expected.corrected
    for a, b in combinations(scores, 2):
        assert reversed_models.comparison(a, b).p == expected.comparison(a, b).p


def _without_fingerprint(verdict):
    """To eleven digits: values are exact sums, but squares of rows are added up block by block, as the rows come."""
    text = json.dumps({key: value for key, value in verdict.to_dict().items() if key != "fingerprint"})
    return json.loads(text, parse_float=lambda number: f"{float(number):.11g}")


def test_the_same_seed_gives_the_same_bytes():
    one, again = (compare(predictions(), "f1", test="bootstrap(replicates=100)", seed=3) for _ in range(2))
    other = compare(predictions(), "f1", test="bootstrap(replicates=100)", seed=4)
    assert json.dumps(one.to_dict()) == json.dumps(again.to_dict())
    assert other.comparisons[0].low != one.comparisons[0].low


class TestMargins:
    def test_two_one_sided_tests(self):
        truth, scores = sample(seed=7, rows=2000, strength=(1.0, 1.0))
        right = [(s >= 0.5) == truth for s in scores.values()]
        difference = right[0].astype(float) - right[1]
        error = difference.std(ddof=1) / 2000**0.5
        (found,) = compare(Predictions.from_arrays(truth, scores), "accuracy").comparisons
        for margin in (0.005, 0.02, 0.05):
            verdict = compare(Predictions.from_arrays(truth, scores), "accuracy", margin=margin, metrics=["accuracy"])
            (held,) = verdict.margins.values()
            p = max(stats.t.sf((margin + side * difference.mean()) / error, found.df) for side in (1, -1))
            assert (held.relation == "practically equal") == (p < 0.05)
            assert ("Practically equal" in verdict.sentence) == (p < 0.05)

    def test_better_by_a_useful_amount(self):
        strong = predictions(seed=8, strength=(3.0, 0.2))
        assert next(iter(compare(strong, "accuracy", margin=0.05).margins.values())).relation == "a is better by more"
        assert next(iter(compare(strong, "log_loss", margin=0.05).margins.values())).relation == "a is better by more"
        (held,) = compare(strong, "log_loss", margin=0.05).margins.values()
        assert held.a_not_worse
        assert not held.b_not_worse


class TestPower:
    def test_smallest_difference(self):
        found = Comparison(0.01, 0.3, "tie", df=20, standard_error=0.02)
        shift = smallest_difference(found) / 0.02
        assert stats.nct.sf(stats.t.ppf(0.975, 20), 20, shift) == pytest.approx(0.8, abs=1e-8)

    def test_so_many_rows_find_the_difference_in_four_of_five_cases(self):
        """By simulation: normal differences of size delta, tested with that many rows."""
        rows, spread, delta = 200, 1.0, 0.12
        found = Comparison(0.0, 1.0, "tie", df=rows - 1, standard_error=spread / rows**0.5)
        needed = rows_to_separate(rows, found, delta)
        draws = np.random.default_rng(0).normal(delta, spread, (4000, needed))
        power = (stats.ttest_1samp(draws, 0, axis=1).pvalue < 0.05).mean()
        assert power == pytest.approx(0.8, abs=0.02)

    def test_of_the_difference_seen_only_a_bound(self):
        found = Comparison(0.01, 0.3, "tie", df=99, standard_error=0.01, low=-0.01, high=0.03)
        assert rows_at_least(100, found) == rows_to_separate(100, found, 0.03)


class TestConfidenceSet:
    def test_two_models_are_decided_by_their_own_p(self):
        for z, kept in ((1.95, ["a", "b"]), (1.97, ["a"])):
            assert all_pairs(["a", "b"], {(0, 1): z}).confidence_set(["a", "b"])[0] == kept

    def test_of_independent_models_the_quantile_is_tukeys(self):
        """Pairs of independent values with the same variance: the studentised range, over the square root of 2."""
        tukey = stats.studentized_range.ppf(0.95, 4, np.inf) / 2**0.5
        for factor, dropped in ((0.98, False), (1.02, True)):
            found, critical = all_pairs([*"abcd"], {(0, 3): factor * tukey}).confidence_set([*"abcd"])
            assert ("d" not in found) == dropped
            assert dropped or critical == pytest.approx(tukey, abs=0.03)

    def test_a_clearly_worse_model_is_dropped(self):
        verdict = compare(predictions(models=("a", "b", "c"), strength=(1.5, 1.5, 0.0)), "roc_auc")
        assert (verdict.outcome, set(verdict.winners)) == ("tie", {"a", "b"})


class TestCorrectedScore:
    def test_the_best_of_fifty_equal_models(self):
        """Accuracy 0.80 on 200 rows: the best one shows 0.86, and nearly all of the rest is luck."""
        generator = np.random.default_rng(0)
        raw, fair = [], []
        covariance = np.eye(50) * 0.16 / 200
        for _ in range(200):
            values = dict(zip(map(str, range(50)), generator.binomial(200, 0.8, 50) / 200, strict=True))
            best = max(values, key=values.get)
            raw.append(values[best])
            fair.append(corrected(Given(values, covariance, (0, 1)), best, 0.05, 0).value)
        assert np.mean(raw) > 0.85
        assert np.mean(fair) == pytest.approx(0.8, abs=0.01)

    def test_a_clear_winner_is_hardly_corrected(self):
        values = {"a": 0.9, "b": 0.5}
        found = corrected(Given(values, np.eye(2) * 1e-4, (0, 1)), "a", 0.05, 0)
        assert found.value == pytest.approx(0.9, abs=0.002)
        assert found.low < 0.9 < found.high

    def test_losses_are_corrected_upwards(self):
        values = {f"m{i}": 1.0 for i in range(9)} | {"best": 0.9}
        assert corrected(Given(values, np.eye(10) * 0.01, (0, np.inf), "lower"), "best", 0.05, 0).value > 0.95

    def test_equal_losses_are_corrected_upwards_too(self):
        given = Given({"a": 1.5, "b": 1.5}, np.eye(2) * 0.01, (0, np.inf), "lower")
        assert corrected(given, "a", 0.05, 0).value > 1.5

    def test_few_degrees_of_freedom_widen_the_interval(self):
        values = {"a": 0.9, "b": 0.5}
        many, few = (corrected(Given(values, np.eye(2) * 1e-3, (0, 1), df=df), "a", 0.05, 0) for df in (np.inf, 4))
        assert few.low < many.low < many.high < few.high


class TestGate:
    def test_exit_codes(self, referee, tmp_path):
        truth, scores = sample(seed=9, models=("old", "new", "bad"), strength=(1.0, 1.1, 0.1), rows=3000)
        path = tmp_path / "p.csv"
        rows = np.column_stack([truth, *scores.values()])
        np.savetxt(path, rows, "%g", delimiter=",", header="y,old,new,bad", comments="")
        common = ("gate", path, "--truth", "y", "--goal", "roc_auc", "--production", "old")
        good = referee(*common, "--candidate", "new", "--margin", "0.01")
        assert (good.code, good.json["gate"]["passed"]) == (0, True)
        bad = referee(*common, "--candidate", "bad", "--margin", "0.01")
        assert (bad.code, bad.json["gate"]["passed"]) == (1, False)
        assert referee(*common, "--candidate", "missing", "--margin", "0.01").code == 2
        assert referee(*common, "--candidate", "old", "--margin", "0.01").code == 2
        assert referee(*common, "--candidate", "new", "--margin", "-1").code == 2
        summary = referee(*common, "--candidate", "new", "--margin", "0.01", form="md").out
        assert summary.startswith("**Pass: new is not worse than old")

    def test_one_sided_at_alpha(self):
        truth, scores = sample(seed=10, rows=1500, strength=(1.0, 1.0))
        both = Predictions.from_arrays(truth, scores)
        (found,) = compare(both, "accuracy", metrics=["accuracy"]).comparisons
        for margin in np.linspace(0.001, 0.06, 20):
            p = stats.t.sf((found.difference + margin) / found.standard_error, found.df)
            passed = gate(
                Predictions.from_arrays(truth, scores), "accuracy", production="b", candidate="a", margin=margin
            )
            assert passed.passed == (p < 0.05)

    def test_identical_passes_but_is_not_superior(self):
        truth, scores = sample()
        same = Predictions.from_arrays(truth, {"a": scores["a"], "b": scores["a"]})
        assert gate(same, "roc_auc", production="a", candidate="b", margin=0.001)
        assert not gate(same, "roc_auc", production="a", candidate="b", margin=0.001, superiority=True)

    def test_in_a_test_suite(self):
        better = predictions(seed=8, strength=(3.0, 0.2))
        assert_not_worse(better, "log_loss", production="b", candidate="a", margin=0.01, superiority=True)
        with pytest.raises(AssertionError, match=r"Fail: b is worse than a by more than 0\.01"):
            assert_not_worse(better, "log_loss", production="a", candidate="b", margin=0.01)


def test_selecting_by_another_metric_costs():
    """Reversed probabilities of a good ranking: the best by AUC is the worst by log loss."""
    generator = np.random.default_rng(0)
    truth = (generator.random(500) < 0.5).astype(int)
    logit = 2 * (2 * truth - 1) + generator.normal(size=500)
    sharp, mild = 1 / (1 + np.exp(-9 * logit - 8)), 1 / (1 + np.exp(-(logit + generator.normal(size=500))))
    verdict = compare(Predictions.from_arrays(truth, {"sharp": sharp, "mild": mild}), "log_loss")
    other = next(one for one in verdict.other_goals if one.metric == "roc_auc")
    assert (verdict.best, other.best) == ("mild", "sharp")
    assert other.cost == pytest.approx(verdict.values["sharp"] - verdict.values["mild"])


def test_significance_is_strict():
    assert Design(alpha=0.0625).outcome(1.0, 0.0625) == "tie"


def test_scores_are_whole_though_the_others_wait():
    """What is made when it is asked for is what `evaluate` makes at once."""
    given = predictions(rows=200)
    verdict = compare(given, "log_loss")
    at_once = {(row.model, row.metric, row.class_): row for row in evaluate(given, metrics=verdict.scores.metrics)}
    later = {(row.model, row.metric, row.class_): row for row in verdict.scores}
    assert later == {key: at_once[key] for key in later}
    assert {row.metric for row in verdict.goal_scores if row.standard_error is not None} == {"log_loss"}
    assert {(row.model, row.metric): row.value for row in verdict.goal_scores if row.overall} == {
        (row.model, row.metric): row.value for row in verdict.scores if row.overall
    }
    assert verdict.scores.notices == verdict.goal_scores.notices


def test_other_metrics_and_the_correction_wait_until_somebody_looks(monkeypatch):
    """And are then what a verdict on that metric says."""
    waiting = []
    for place in ("other_goals._outcome", "decision.corrected"):
        monkeypatch.setattr(f"referee.comparing.{place}", _noted(place, waiting))
    asked = ("accuracy", "log_loss", "roc_auc", "recall", "brier")
    verdict = compare(predictions(rows=300, strength=[0.7, 0.8]), "roc_auc", metrics=asked)
    verdict.document()
    assert waiting == []
    assert len(verdict.other_goals) == len(asked) - 1
    for other in verdict.other_goals:
        assert (other.best, other.outcome) == (verdict.under(other.metric).best, verdict.under(other.metric).outcome)
    assert verdict.corrected.value < verdict.values[verdict.best]
    assert set(waiting) == {"other_goals._outcome", "decision.corrected"}


def _noted(place, waiting):
    module, name = place.split(".")
    made = getattr(import_module(f"referee.comparing.{module}"), name)

    def note(*given):
        waiting.append(place)
        return made(*given)

    return note

"""The hierarchical test against draws of the exact model, and what it says of tables of scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from referee import compare, tests
from referee.comparing import DataSetEffects
from referee.errors import UsageError
from tests.reference.bayes_hierarchical import differences

KNOWN = json.loads((Path(__file__).parents[1] / "reference/bayes_hierarchical.json").read_text())
hierarchical = tests["bayes_hierarchical"]


@pytest.mark.parametrize("case", KNOWN["cases"], ids=lambda case: f"{case['data_sets']}-{case['seed']}")
def test_as_draws_of_the_exact_model(case):
    x = differences(case)
    found = hierarchical(x, np.zeros_like(x), test_fraction=KNOWN["correlation"], rope=KNOWN["rope"]).details
    expected = [case[name] for name in ("below", "within", "above")]
    close = pytest.approx(expected, abs=0.003 + 2 * case["error"])
    assert [found[name] for name in ("b_better", "practically_equal", "a_better")] == close


def test_a_single_data_set_is_the_correlated_t_of_its_folds():
    """The likelihood of its effect is Student's t, with the flat prior's degree of freedom less."""
    folds = np.random.default_rng(0).normal(0.02, 0.03, 10)
    effects = DataSetEffects.of_folds([folds, folds, folds], 0.1)
    scale = np.sqrt((1 + 9 * 0.1) / (10 * 0.9) * ((folds - folds.mean()) ** 2).sum() / 8)
    assert effects.errors == pytest.approx([scale] * 3)
    assert effects.df == pytest.approx([8] * 3)
    correlated = tests["bayes_correlated_t"](folds, np.zeros(10), test_fraction=0.1, rope=0.0)
    assert scale == pytest.approx(correlated.standard_error * np.sqrt(9 / 8))


def test_many_sure_data_sets_are_student_t_of_their_means():
    """Where folds leave no doubt and rope is none, the sign of the common mean is that of a t-test of the effects."""
    draw = np.random.default_rng(4)
    effects = draw.normal(0.01, 0.02, 40)
    x = effects[:, None] + draw.normal(0, 1e-5, (40, 10))
    found = hierarchical(x, np.zeros_like(x), test_fraction=0.1, rope=0.0)
    above_zero = 1 - stats.ttest_1samp(effects, 0, alternative="greater").pvalue
    assert found.details["a_better"] == pytest.approx(above_zero, abs=0.01)
    low, high = stats.ttest_1samp(effects, 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.002)


def test_the_unit_does_not_matter():
    x = differences(KNOWN["cases"][0])
    small, large = (
        hierarchical(factor * x, np.zeros_like(x), test_fraction=0.1, rope=0.01 * factor) for factor in (1.0, 100.0)
    )
    assert small.details["a_better"] == pytest.approx(large.details["a_better"], abs=1e-6)


def test_folds_may_be_unequal_in_number():
    x = [row[: 10 + place] for place, row in enumerate(differences(KNOWN["cases"][4]))]
    found = hierarchical(x, [np.zeros(len(row)) for row in x], test_fraction=0.1)
    assert sum(found.details[name] for name in ("a_better", "practically_equal", "b_better")) == pytest.approx(1)


def long_table(**shifts):
    draw = np.random.default_rng(0)
    columns = {"set": [], "fold": [], "model": [], "score": []}
    for place in range(8):
        base = draw.uniform(0.6, 0.9, 5)
        for name, shift in shifts.items():
            columns["set"] += [f"s{place}"] * 5
            columns["fold"] += [*range(5)]
            columns["model"] += [name] * 5
            columns["score"] += (base + shift + draw.normal(0, 0.01, 5)).tolist()
    return columns


def judged(table, test="bayes_hierarchical"):
    return compare(
        table, task="scores", dataset="set", fold="fold", model_column="model", score_column="score",
        test_fraction=0.2, test=test,
    )  # fmt: skip


def test_of_a_table_of_scores():
    verdict = judged(long_table(good=0.1, fair=0.05, poor=0.0))
    assert (verdict.outcome, verdict.winners, verdict.design.kind) == ("winner", ("good",), "data_sets")
    assert verdict.tiers == (("good",), ("fair",), ("poor",))
    pair = verdict.comparison("good", "fair").seen_from("good")
    assert pair.details["a_better"] > 0.99
    assert pair.details["data_sets"]["wins"] > pair.details["data_sets"]["losses"]


@pytest.mark.parametrize("test", ["bayes_hierarchical", "bayes_signed_rank"])
def test_a_tie_rules_out_whom_the_posterior_does(test):
    verdict = judged(long_table(a=0.1, b=0.1, poor=0.0), test)
    assert verdict.outcome == "tie"
    assert set(verdict.winners) == {"a", "b"}
    assert [set(tier) for tier in verdict.tiers] == [{"a", "b"}, {"poor"}]


def test_refused_without_folds():
    table = {"set": [f"s{n}" for n in range(6)], "a": np.linspace(0.5, 0.9, 6), "b": np.linspace(0.4, 0.8, 6)}
    with pytest.raises(UsageError, match="needs the folds of each data set"):
        compare(table, task="scores", rows="datasets", id="set", test="bayes_hierarchical")
    with pytest.raises(UsageError, match="needs 3 data sets with 3 folds each"):
        hierarchical([[1, 2], [2, 3], [3, 4]], [[1, 1], [2, 2], [3, 3]], test_fraction=0.1)
    with pytest.raises(UsageError, match="sizes of their training and test sets"):
        hierarchical([[1, 2, 4]] * 3, [[1, 1, 1]] * 3)


@pytest.mark.parametrize(
    ("asked", "words"), [("{}", "0.01 in mean, the default"), ("{}(rope=0.2)", "0.2 in mean, as requested")]
)
@pytest.mark.parametrize("name", ["bayes_correlated_t", "bayes_signed_rank"])
def test_the_rope_is_named_and_how_it_was_chosen(name, asked, words):
    from referee import compare

    random = np.random.default_rng(0)
    scores = {model: random.random(10).tolist() for model in "ab"}
    more = {"rows": "folds", "test_fraction": 0.1} if name == "bayes_correlated_t" else {"rows": "datasets"}
    verdict = compare(scores, task="scores", test=asked.format(name), goal="mean", **more)
    assert f"rope (differences up to this size do not matter): {words}" in " ".join(verdict.to_markdown().split())

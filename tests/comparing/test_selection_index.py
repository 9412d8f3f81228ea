"""The selection index and what a verdict says with it: reference numbers, NumPy, limits, and a world that is known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from referee import Predictions, compare
from referee.comparing import INDEX_COSTS, INDEX_METRICS, Contender, index_of, pooled_noise, published_prior
from referee.comparing.expectation import expectation_of
from referee.comparing.selection_index import SIGNS, columns_for
from referee.paper.drawn_values import values_and_changes
from referee.scoring import metrics

FORESTS = json.loads((Path(__file__).parents[1] / "reference" / "kr_vs_kp_forests.json").read_text())
SEVEN = (0, 1, 2, 3, 4, 5, 9)
PILOT = 1e-4 * np.array([
    [378, 401, 210, 375, 524, 597, 330], [401, 688, 194, 576, 430, 593, 536], [210, 194, 265, 186, 477, 426, 161],
    [375, 576, 186, 526, 436, 586, 461], [524, 430, 477, 436, 1472, 1238, 346], [597, 593, 426, 586, 1238, 1297, 505],
    [330, 536, 161, 461, 346, 505, 446],
])  # fmt: skip
"""The prior of an independent pilot over 14 sources."""
EXPECTED = [0.0327, 0.0264, 0.0250, 0.0187, -0.0170, -0.0860]
"""What the pilot's own program says of these six forests."""


def whole(seven):
    """The pilot's matrix where the index looks for it."""
    matrix = np.eye(len(INDEX_METRICS))
    matrix[np.ix_(SEVEN, SEVEN)] = seven
    return matrix


def forests():
    return np.array(list(FORESTS["models"].values())).T, np.array(FORESTS["truth"], float)


def test_reference_numbers():
    values, changes = values_and_changes(*forests())
    index = index_of(pooled_noise(changes), 100, whole(PILOT), 0)
    assert index.expected(values) == pytest.approx(EXPECTED, abs=6e-5)
    shown = dict(zip(index.columns, index.weights / index.scale * index.scale[0], strict=True))
    assert [shown[place] for place in (0, 1, 5)] == pytest.approx([0.584, 0.295, 1.084], abs=2e-3)


def test_values_and_changes_are_those_of_the_catalogue():
    scores, truth = forests()
    predictions = Predictions.from_arrays(truth.astype(int), dict(zip("abcdef", scores.T, strict=True)))
    values, changes = values_and_changes(scores, truth)
    for column, name in enumerate(INDEX_METRICS):
        for place, model in enumerate(predictions.models):
            contender = Contender(predictions, model, metrics[name])
            assert values[place, column] == pytest.approx(SIGNS[column] * contender.value, abs=1e-12), name
            assert changes[:, place, column] == pytest.approx(SIGNS[column] * contender.changes, abs=1e-12), name


def test_many_rows_leave_the_goal_alone_and_no_rows_leave_nothing():
    values, changes = values_and_changes(*forests())
    noise = pooled_noise(changes)
    own = values[:, 0] - values[:, 0].mean()
    many = index_of(noise * 1e-6, 10**8, whole(PILOT), 0)
    assert many.expected(values) == pytest.approx(own, rel=1e-3)
    few = index_of(noise * 1e6, 1, whole(PILOT) * 1e-6, 0)
    assert np.abs(few.expected(values)).max() < 1e-4 * np.abs(own).max()


@pytest.mark.parametrize("column", SEVEN)
def test_units_do_not_matter(column):
    values, changes = values_and_changes(*forests())
    expected = index_of(pooled_noise(changes), 100, whole(PILOT), 0).expected(values)
    factor = np.ones(len(INDEX_METRICS))
    factor[column] = 1000
    scaled = index_of(pooled_noise(changes * factor), 100, whole(PILOT), 0).expected(values * factor)
    assert scaled == pytest.approx(expected * factor[0], rel=1e-6)


def test_models_that_say_the_same_are_expected_to_be_worth_the_same():
    scores, truth = forests()
    values, changes = values_and_changes(np.repeat(scores[:, :1], 3, axis=1), truth)
    assert index_of(pooled_noise(changes), 100, whole(PILOT), 0).expected(values).tolist() == [0, 0, 0]


def test_it_chooses_better_than_the_goal_where_the_prior_is_true():
    """True differences with just this covariance, and noise with another: by Bayes nothing has less squared error."""
    draw, rows = np.random.default_rng(0), 100
    noise_of_row = whole(np.eye(7) * 0.4 + 0.6)
    root, blur = (np.linalg.cholesky(matrix) for matrix in (whole(PILOT) + 1e-9 * np.eye(11), noise_of_row / rows))
    losses, errors = [], []
    for _ in range(2000):
        true = draw.normal(size=(6, 11)) @ root.T
        seen = true + draw.normal(size=(6, 11)) @ blur.T
        expected = index_of(noise_of_row / rows, rows, whole(PILOT), 0).expected(seen)
        goal, centred = true[:, 0], true[:, 0] - true[:, 0].mean()
        losses.append([goal.max() - goal[each.argmax()] for each in (seen[:, 0], expected)])
        errors.append([((seen[:, 0] - seen[:, 0].mean() - centred) ** 2).mean(), ((expected - centred) ** 2).mean()])
    own, index = np.mean(losses, axis=0)
    assert index < own
    assert stats.ttest_rel(*np.transpose(losses)).statistic > 3
    assert np.divide(*np.mean(errors, axis=0)[::-1]) < 0.9


def test_the_published_prior_is_a_covariance_of_at_least_five_sources():
    prior = published_prior()
    assert prior.metrics == INDEX_METRICS
    assert len(prior.sources) >= 5
    matrix = prior.of("any")
    assert np.array_equal(matrix, matrix.T)
    assert np.linalg.eigvalsh(matrix[np.ix_(SEVEN, SEVEN)]).min() > 0
    # Of the same order as the pilot's, which had other learners and half of the sources.
    ratio = np.diag(matrix)[list(SEVEN)] / np.diag(PILOT)
    assert ((ratio > 0.4) & (ratio < 4)).all()


@pytest.fixture(scope="module")
def tie():
    return compare(FORESTS["truth"], FORESTS["models"], goal="accuracy")


@pytest.fixture(scope="module")
def tie_by_auc():
    """On the rows by which a tree alone cannot be told from the forests."""
    return compare(FORESTS["truth"][:60], {name: s[:60] for name, s in FORESTS["models"].items()}, goal="roc_auc")


def by_the_recipe(values, changes, goal):
    columns = list(columns_for(goal))
    rows, models = changes.shape[:2]
    centred = changes - changes.mean(axis=1, keepdims=True)
    noise = np.einsum("nki,nkj->ij", centred, centred)[np.ix_(columns, columns)] / (models - 1)
    scale = np.sqrt(rows * np.diag(noise))
    relative = noise / np.outer(scale, scale) + 0.02 * np.diag(np.diag(noise / np.outer(scale, scale)))
    prior = published_prior().of("any")[np.ix_(columns, columns)]
    weights = np.linalg.solve(prior + relative, prior[:, columns.index(goal)])
    centred = (values - values.mean(axis=0))[:, columns] / scale
    return dict(zip(FORESTS["models"], centred @ weights * scale[columns.index(goal)], strict=True))


def test_expectations_in_a_tie_by_numpy(tie, tie_by_auc):
    """All that the verdict says is recomputed from the predictions by the recipe."""
    scores, truth = forests()
    for verdict, goal, rows in ((tie, 0, 100), (tie_by_auc, 2, 60)):
        expected = by_the_recipe(*values_and_changes(scores[:rows], truth[:rows]), goal)
        assert verdict.expected.advantages == pytest.approx(expected, abs=1e-12)
        assert verdict.outcome == "tie"


def test_by_auc_the_index_chooses_and_by_accuracy_the_best_value(tie, tie_by_auc):
    assert published_prior().advised == ("roc_auc",)
    assert tie.expected.advised == tie.best == "rf8"
    expected = tie_by_auc.expected.advantages
    assert tie_by_auc.expected.advised == max(tie_by_auc.winners, key=expected.get)


def test_where_it_is_said(tie):
    (line,) = tie.expected.lines
    assert line == "if you must pick one: rf8, which has the best accuracy here"
    for text in (tie.to_markdown(), tie.to_html()):
        assert "if you must pick one" in text
    assert tie.to_dict()["verdict"]["expected"]["advised"] == "rf8"
    assert "if you must" not in tie.sentence, "it is never the verdict"


def test_a_lead_that_is_expected_to_stay_is_said(tie):
    found = tie.expected
    expected = dict(found.advantages) | {found.best: 0.03, found.other: 0.01}
    assert replace(found, advantages=expected).lines == (
        "if you must pick one: rf8, which has the best accuracy here; judging by these rows, expect it to be better "
        f"than {found.other} by 0.0200 on new rows",
    )


@pytest.mark.parametrize(
    ("own", "index", "said"),
    [
        (0.37, 0.33, "such choices lost 0.33 of what a random one loses, those of the best roc_auc 0.37"),
        (0.247, 0.250, "such choices were no better than those of the best roc_auc"),
    ],
)
def test_what_such_choices_lost_elsewhere(tie_by_auc, own, index, said):
    found = tie_by_auc.expected
    other = next(name for name in tie_by_auc.winners if name != found.best)
    (line,) = replace(found, advised=other, regret=(own, index)).lines
    assert line.startswith(f"if you must pick one: {other}; judging by seven metrics on these rows, expect it to be ")
    assert line.endswith(said)


def test_a_lead_is_partly_lucky():
    scores, truth = forests()
    verdict = compare(truth.astype(int), {"good": scores[:, 0], "bad": scores[:, 5]}, goal="accuracy")
    found = verdict.expected
    assert (verdict.outcome, found.advised) == ("winner", None)
    assert found.raw["good"] - found.raw["bad"] == pytest.approx(0.07)
    assert found.advantage("good", "bad") > 0.07, "as is true: 0.1105 on all rows"
    assert found.lines == ()
    lucky = replace(found, advantages={"good": 0.02, "bad": -0.03}).lines
    assert lucky == (
        "good is better than bad by 0.0700 on these rows; expect 0.0500 on new ones: a leader is usually partly lucky",
    )


@pytest.mark.parametrize(
    ("goal", "more", "said"),
    [
        pytest.param("f1", {}, True, id="F1"),
        pytest.param("expected_cost(fn=4)", {}, True, id="a cost near 5"),
        pytest.param("expected_cost(fp=2, fn=10)", {}, True, id="the ratio counts"),
        pytest.param("expected_cost(fn=50)", {}, False, id="a cost that the prior does not know"),
        pytest.param("brier", {}, False, id="a proper score knows itself best"),
        pytest.param("mcc", {}, False, id="a goal without a prior"),
        pytest.param("accuracy", {"threshold": 0.3}, False, id="another threshold"),
        pytest.param("accuracy", {"weight": [1.0, 2.0] * 50}, False, id="weights"),
        pytest.param("accuracy", {"group": np.arange(100) // 2}, True, id="groups"),
    ],
)
def test_only_where_it_was_measured(goal, more, said):
    verdict = compare(FORESTS["truth"], FORESTS["models"], goal=goal, **more)
    assert (verdict.expected is not None) == said


def test_not_with_many_rows_or_decisions():
    truth = FORESTS["truth"] * 5
    many = {name: said * 5 for name, said in FORESTS["models"].items()}
    assert compare(truth, many, goal="accuracy").expected is None
    decided = {name: [int(one >= 0.5) for one in said] for name, said in FORESTS["models"].items()}
    assert expectation_of(compare(FORESTS["truth"], decided, goal="accuracy")) is None


def test_groups_are_added_up():
    """Each row twice, in groups of the two: as many independent units as before, and the same expectation."""
    twice = {name: [one for one in said for _ in range(2)] for name, said in FORESTS["models"].items()}
    truth = [one for one in FORESTS["truth"] for _ in range(2)]
    grouped = compare(truth, twice, goal="accuracy", group=np.arange(200) // 2).expected
    alone = compare(FORESTS["truth"], FORESTS["models"], goal="accuracy").expected
    assert list(grouped.advantages.values()) == pytest.approx(list(alone.advantages.values()), abs=1e-9)


def test_of_costs_only_the_lead_is_spoken_of():
    """In a tie nothing is advised: on sources that the prior was not learned from, the index lost by costs."""
    verdict = compare(FORESTS["truth"], FORESTS["models"], goal="expected_cost(fn=5)")
    assert verdict.outcome == "tie"
    assert verdict.expected.advised is None
    assert INDEX_COSTS == (0.2, 0.5, 2.0, 5.0, 10.0)


def test_a_rare_class_is_not_spoken_of():
    """Nine positives of a hundred rows."""
    truth = np.array(FORESTS["truth"])
    kept = np.flatnonzero((truth == 0) | (np.cumsum(truth) <= 9))
    models = {name: np.array(said)[kept] for name, said in FORESTS["models"].items()}
    assert compare(truth[kept], models, goal="roc_auc").expected is None


def test_a_difference_beyond_belief_is_cut():
    """A ranking without noise would be worth any sum of the others."""
    values, changes = values_and_changes(*forests())
    noise = pooled_noise(changes)
    noise[2, :] = noise[:, 2] = 0
    noise[2, 2] = 1e-13
    found = index_of(noise, 100, whole(PILOT), 0)
    place = found.columns.index(2)
    most = found.bounds[place] * abs(found.weights[place]) * found.scale[0]
    without = values.copy()
    without[:, 2] = 0
    assert np.abs(found.expected(values) - found.expected(without)).max() <= most * (1 + 1e-9)

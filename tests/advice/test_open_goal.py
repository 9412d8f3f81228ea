"""The goal is open: what is safe to choose by, by hand, by enumeration and against scikit-learn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, brier_score_loss, roc_auc_score

from referee import Predictions, advise
from referee.advice import AVERAGE, goal_weights, safe_choices, safe_for, safest
from referee.errors import UndefinedError, UsageError

NAMES = ["a", "b"]
SEEN = np.array([[[[0.9, 0.2], [0.8, 0.6]], [[0.9, 0.7], [0.8, 0.6]]]])
"""One fit, two deals, two models, two metrics: a prefers the first model twice, b each model once."""
WORTH = np.array([[[[0.9, 0.1], [0.7, 0.5]], [[0.9, 0.5], [0.7, 0.1]]]])


def test_regret_over_goals_by_hand():
    """A coin costs .1 by a and .2 by b in each deal; chosen by a: nothing by a, .4 and 0 by b; by b: .2, 0; 0, 0."""
    by = {choice.by: choice for choice in safe_choices(NAMES, SEEN, WORTH, {"a": 1, "b": 3})}
    assert (by["a"].mean, by["a"].worst, by["a"].worst_goal) == (pytest.approx(3 / 4), pytest.approx(1), "b")
    assert (by["b"].mean, by["b"].worst, by["b"].worst_goal) == (pytest.approx(1 / 4), pytest.approx(1), "a")


def test_the_average_is_in_standard_errors():
    """Metric b moves from deal to deal and a does not: the average follows b, whatever the units of a."""
    values = SEEN.copy()
    values[0, 1, 0, 0] = 0.9002
    for scale in (1, 1e6):
        scaled = values * np.array([scale, 1])
        by = {choice.by: choice for choice in safe_choices(NAMES, scaled, WORTH, {"a": 1, "b": 1})}
        assert by[AVERAGE].mean == pytest.approx(by["a"].mean)


@pytest.fixture(scope="module")
def predictions():
    draw = np.random.default_rng(2)
    y = draw.integers(0, 2, 60)
    clear, noisy = (1 / (1 + np.exp(-(2 * y - 1) - draw.normal(0, noise, 60))) for noise in (1, 1.5))
    return Predictions.from_arrays(y, {"clear": clear, "bold": np.clip(noisy * 1.3, 0, 1), "shy": noisy / 2})


def test_halves_agree_with_scikit_learn(predictions):
    """Every half is scored again; the regret of choosing by one metric for another is a ratio of sums."""
    from referee.advice.open_goal import _halves

    goals = {"accuracy": 1.0, "roc_auc": 1.0, "brier": 1.0}
    _, found = safe_for(predictions, goals, halves=20)
    scores = np.stack([model.scores for model in predictions.models], axis=1)
    cost, coin = np.zeros((3, 3)), np.zeros(3)
    for half in _halves(predictions, 20, 0):
        seen, worth = (
            np.array([
                [accuracy_score(y, s >= 0.5), roc_auc_score(y, s), -brier_score_loss(y, s)] for s in said.T
            ]).round(12)
            for y, said in ((predictions.truth[half == part], scores[half == part]) for part in (0, 1))
        )  # fmt: skip
        coin += worth.max(axis=0) - worth.mean(axis=0)
        for by in range(3):
            picked = seen[:, by] == seen[:, by].max()
            cost[by] += worth.max(axis=0) - worth[picked].mean(axis=0)
    regrets = dict(zip(goals, cost / coin, strict=True))
    for choice in found:
        if choice.by != AVERAGE:
            assert choice.mean == pytest.approx(regrets[choice.by].mean(), abs=1e-9)
            assert choice.worst == pytest.approx(regrets[choice.by].max(), abs=1e-9)
    assert [choice.worst for choice in found] == sorted(choice.worst for choice in found)


def test_weights_are_read_and_refused():
    assert goal_weights({"f1": 2, "AUC": 1}) == {"f_beta": 2.0, "roc_auc": 1.0}
    for wrong in ("accuracy", "accuracy=0,f1", "accuracy=x,f1", "accuracy=nan,f1", "=2,f1"):
        with pytest.raises(UsageError):
            goal_weights(wrong)


def test_advice_for_an_open_goal_looks_at_the_models(predictions):
    advice = advise(predictions, purpose="unknown", goals="accuracy=3, roc_auc, brier")
    first = safest([choice for choice in advice.safe if choice.by != AVERAGE])
    assert advice.goal.full_name == first.by
    assert advice.goals == {"accuracy": 3.0, "roc_auc": 1.0, "brier": 1.0}
    assert advice.to_dict()["safe"][0]["worst"] == advice.safe[0].worst
    assert f"regret {first.worst:.2f} at worst" in advice.reasons[0].text
    with pytest.raises(UndefinedError, match="rmse cannot be a goal"):
        advise(predictions, purpose="unknown", goals="rmse, accuracy")


MAP = json.loads((Path(__file__).parents[2] / "docs" / "study" / "map.json").read_text())


def mean_of_map(by, goal):
    """Over kinds of candidates and rows of the committed map: near its mean over sources, which has other weights."""
    values = [one["value"] for one in MAP["regret"]
              if (one["chosen_by"], one["goal"]) == (by, goal) and one["candidates"] != "two"]  # fmt: skip
    return np.mean(values)


def test_without_models_the_map_says_what_is_safe():
    """Its own numbers, for the goals that are possible: the safest, with the source; a single metric if it must be."""
    advice = advise(task="binary", purpose="unknown")
    by = {choice.by: choice for choice in advice.safe}
    assert advice.goal.full_name == "paper_average"
    assert by["paper_average"].worst == min(choice.worst for choice in advice.safe if choice.by != AVERAGE)
    assert f"on {len(MAP['sources'])} data sources" in advice.reasons[0].text
    assert f"{by['paper_average'].worst:.2f} at worst" in advice.reasons[0].text
    assert "map" in advice.reasons[0].source
    single = advise(task="binary", purpose="unknown", single="yes")
    assert single.goal.full_name == "brier"
    assert min((c for c in single.safe if "average" not in c.by), key=lambda c: c.mean).by == "brier"
    weighed = advise(task="binary", purpose="unknown", single="yes", goals="accuracy=3, roc_auc")
    found = {choice.by: choice for choice in weighed.safe}
    assert weighed.goals == {"accuracy": 3.0, "roc_auc": 1.0}
    for name in ("brier", "accuracy"):
        regrets = [mean_of_map(name, goal) for goal in ("accuracy", "roc_auc")]
        assert found[name].mean == pytest.approx(np.average(regrets, weights=[3, 1]), abs=0.04)
        assert found[name].worst == pytest.approx(max(regrets), abs=0.04)


def test_rows_on_which_no_metric_chooses_better_than_at_random_do_not_tell():
    """Each row has a twin with what the models say exchanged: the better one on a half is the worse on the other."""
    draw = np.random.default_rng(3)
    y = draw.integers(0, 2, 45)
    one, other = (1 / (1 + np.exp(1 - 2 * y - draw.normal(0, 1, 45))) for _ in range(2))
    said = {"a": np.append(one, other), "b": np.append(other, one)}
    predictions = Predictions.from_arrays(np.append(y, y), said)
    goals = {"accuracy": 1.0, "roc_auc": 1.0}
    assert min(choice.worst for choice in safe_for(predictions, goals)[1]) > 1
    advice = advise(predictions, purpose="unknown", goals=goals)
    assert advice.reasons[0].text.startswith("on halves of your rows no metric chooses better than at random; on 42 ")
    assert advice.safe == advise(task="binary", purpose="unknown", goals=goals).safe
    assert advice.goal not in [one.metric for one in advice.watched]
    unmapped = advise(predictions, purpose="unknown", goals="accuracy, mcc")
    assert unmapped.reasons[0].text.startswith("on your models")


def test_goals_that_the_map_does_not_have_need_models():
    with pytest.raises(UsageError, match="the regret map has no goal mcc"):
        advise(task="binary", purpose="unknown", goals="accuracy, mcc")
    with pytest.raises(UsageError, match="two models"):
        advise(task="multiclass", purpose="unknown", goals="accuracy, f1")


def test_the_command(referee, tmp_path):
    draw = np.random.default_rng(1)
    y = draw.integers(0, 2, 80)
    lines = [f"{label},{label * 0.3 + one * 0.7:.3f},{label * 0.2 + other * 0.8:.3f}" for label, one, other in
             zip(y, draw.random(80), draw.random(80), strict=True)]  # fmt: skip
    path = tmp_path / "p.csv"
    path.write_text("y,a,b\n" + "\n".join(lines) + "\n")
    asked = ("advise", path, "--truth", "y", "--purpose", "unknown", "--goals", "accuracy=2,roc_auc,log_loss")
    found = referee(*asked, "--no-questions")
    assert found.code == 0, found.err
    assert found.json["goals"] == {"accuracy": 2.0, "roc_auc": 1.0, "log_loss": 1.0}
    text = referee(*asked, "--no-questions", form="text").out
    assert "If the goal is undecided" in text
    wrong = referee("advise", path, "--truth", "y", "--purpose", "decision", "--goals", "accuracy,f1")
    assert (wrong.code, json.loads(wrong.out)["error"]["code"]) == (2, "E_CONTRADICTION")

"""What keeps a verdict from naming a winner, or makes it approximate: few calls, few hits, heavy tails."""

from __future__ import annotations

import numpy as np
import pytest

from referee import metrics
from referee.comparing import compare, gate
from referee.predictions import Predictions

POSITIVES, ROWS = 60, 2000


def decisions(calls: int, hits: int) -> np.ndarray:
    """Scores of a model that calls so many rows positive, so many of them rightly; the positives come first."""
    scores = np.full(ROWS, 0.1)
    scores[:hits] = 0.9
    scores[POSITIVES : POSITIVES + calls - hits] = 0.9
    return scores


def two(calls: int, hits: int, **columns: np.ndarray) -> Predictions:
    truth = (np.arange(ROWS) < POSITIVES).astype(int)
    return Predictions.from_arrays(truth, {"few": decisions(calls, hits), "many": decisions(45, 30)}, **columns)


def test_which_calls_carry_a_metric():
    """Precision, F and Jaccard are shares that hits of the positive class make; MCC and kappa of both classes."""
    carried = {name: metric.called_classes for name, metric in metrics.items() if metric.called_classes}
    assert carried == {
        "precision": (1,), "f_beta": (1,), "jaccard": (1,), "negative_predictive_value": (0,), "mcc": (0, 1),
        "kappa": (0, 1),
    }  # fmt: skip


@pytest.mark.parametrize("goal", ["precision", "f1", "mcc", "kappa", "jaccard"])
@pytest.mark.parametrize(
    ("calls", "hits", "certainty"),
    [(9, 9, None), (10, 5, "approximate"), (19, 5, "approximate"), (30, 4, None), (20, 5, "clean"), (20, 15, "clean")],
)
def test_few_calls_or_hits(goal, calls, hits, certainty):
    verdict = compare(two(calls, hits), goal, metrics=[goal])
    assert (verdict.outcome == "undecided") == (certainty is None)
    said = f"few predicts '1' for only {calls} rows ({hits} correct)"
    if certainty is None:
        assert said in verdict.sentence and "average_precision could still decide" in verdict.sentence
        assert [notice.code for notice in verdict.warnings] == ["W_FEWCALLS"]
    else:
        assert (said in verdict.sentence) == (certainty == "approximate")
        assert verdict.certainty == "approximate" or certainty == "clean"


def test_recall_hangs_on_the_true_classes_only():
    assert compare(two(9, 9), "recall").winners == ("many",)


def test_one_call_neither_wins_nor_passes(referee, tmp_path):
    path, both = tmp_path / "calls.csv", two(1, 1)
    columns = zip(both.truth, decisions(1, 1), decisions(45, 30), strict=True)
    path.write_text("y,few,many\n" + "".join(f"{y},{a},{b}\n" for y, a, b in columns))
    judged = referee("compare", path, "--truth", "y", "--goal", "precision")
    assert (judged.code, judged.json["verdict"]["outcome"]) == (0, "undecided")
    assert judged.json["comparisons"][0]["details"]["calls"] == {"few": {"1": [1, 1]}, "many": {"1": [45, 30]}}
    arguments = [
        "--truth",
        "y",
        "--goal",
        "precision",
        "--production",
        "many",
        "--candidate",
        "few",
        "--margin",
        "0.01",
    ]
    refused = referee("gate", path, *arguments)
    assert refused.code == 1 and refused.json["gate"]["outcome"] == "inconclusive"
    assert refused.json["gate"]["rows_needed"] == ROWS * 10
    assert referee("gate", path, *arguments, "--inconclusive", "pass").code == 0


def test_negative_predictive_value_hangs_on_calls_of_the_other_class():
    truth = np.r_[np.zeros(60), np.ones(1940)].astype(int)
    scores = 1 - np.stack([decisions(7, 6), decisions(45, 30)])
    verdict = compare(Predictions.from_arrays(truth, dict(zip(("few", "many"), scores, strict=True))), "npv")
    assert "few predicts '0' for only 7 rows (6 correct)" in verdict.sentence and verdict.outcome == "undecided"


def test_frequency_weights_are_so_many_calls():
    weights = np.full(ROWS, 3)
    assert compare(two(9, 9), "precision").outcome == "undecided"
    assert compare(two(9, 9, weight=weights), "precision").outcome == "undecided"
    counted = Predictions.from_arrays(
        two(9, 9).truth, {"few": decisions(9, 9), "many": decisions(45, 30)}, weight=weights, weight_kind="frequency"
    )
    assert compare(counted, "precision").outcome != "undecided"


def test_several_classes_are_approximate_only():
    random = np.random.default_rng(0)
    truth = random.integers(0, 3, 600)
    right = np.where(random.random(600) < 0.8, truth, random.integers(0, 2, 600))
    never = np.where(truth == 2, random.integers(0, 2, 600), truth)
    models = {"right": np.array(list("abc"))[right], "never": np.array(list("abc"))[never]}
    verdict = compare(Predictions.from_arrays(np.array(list("abc"))[truth], models), "f_beta(average=macro)")
    assert verdict.certainty == "approximate" and "never predicts 'c' for only 0 rows" in verdict.sentence


def test_a_few_calls_win_on_no_other_metric():
    """Who wins under each other metric is held to the same rule."""
    verdict = compare(two(9, 9), "recall")
    assert not any(other.wins for other in verdict.other_goals if other.metric in ("precision", "mcc", "jaccard"))


def numbers(winner: np.ndarray, loser: np.ndarray) -> Predictions:
    truth = np.linspace(0, 1, len(winner))
    return Predictions.from_arrays(truth, {"winner": truth + winner, "loser": truth + loser}, task="regression")


def heavy(rows: int, outliers: int) -> np.ndarray:
    """Small errors, and a few that carry most of the square."""
    errors = np.random.default_rng(rows).normal(size=rows) * 0.3
    errors[:outliers] = 1.3
    return errors


@pytest.mark.parametrize("goal", ["rmse", "mse", "r2", "rrse"])
def test_a_winner_with_the_heavier_tail_is_approximate(goal):
    light = np.random.default_rng(1).choice([-1.0, 1.0], 400) * np.linspace(0.9, 1.1, 400)
    flagged = compare(numbers(heavy(400, 4), light), goal)
    squares = np.sort(heavy(400, 4) ** 2)
    share = squares[-4:].sum() / squares.sum()
    assert flagged.outcome == "winner" and share > 0.1
    assert f"the largest 4 rows carry {100 * share:.0f} % of the squared error of winner" in flagged.sentence
    clean = compare(numbers(light * 0.3, heavy(400, 4) * 4), goal)
    assert (clean.outcome, clean.winners, clean.certainty) == ("winner", ("winner",), "clean")


def test_a_gate_names_no_bare_pass_of_a_heavy_tail():
    light = np.random.default_rng(1).choice([-1.0, 1.0], 400) * np.linspace(0.9, 1.1, 400)
    options = {"production": "loser", "candidate": "winner", "margin": 0.01}
    found = gate(numbers(heavy(400, 4), light), "rmse", **options)
    assert found.outcome == "pass" and "approximately, as the largest 4 rows carry" in found.sentence
    clean = gate(numbers(light * 0.3, light), "rmse", **options)
    assert clean.outcome == "pass" and "approximately" not in clean.sentence


def test_which_metrics_a_few_rows_can_carry():
    """Those with a row term that grows with the square of an error say so, and no others."""
    for name, metric in metrics.items():
        if metric.tasks != ("regression",) or metric.row_terms is None or metric.needs != "values":
            continue
        settings = {key: value for key, value in metric.defaults.items() if key in metric.row_arguments}
        columns = {"truth": np.array([4.0, 4.0]), "prediction": np.array([5.0, 7.0]), "baseline": np.array([4.0, 4.0])}
        given = {key: columns[key] for key in metric.row_arguments if key in columns}
        terms = metric.row_terms(**given, **settings, xp=np)
        squares = [key for key, (one, three) in terms.items() if one and three / one == 9]
        assert [metric.carried_by] == (squares or [None]), name


def test_what_a_few_rows_carry_is_said_with_mae_beside():
    light, tail = np.linspace(-1, 1, 400), heavy(400, 4)
    verdict = compare(numbers(tail, light), "rmse")
    apart = np.sort(np.abs(tail**2 - light**2))
    line = next(line for line in verdict.reasons if line.startswith("the largest 1 %"))
    assert f"(4 of 400) carry {100 * apart[-4:].sum() / apart.sum():.0f} % of what separates" in line
    assert f"winner {np.abs(tail).mean():.4f} and loser {np.abs(light).mean():.4f}" in line


@pytest.mark.parametrize(("rows", "said"), [(120, True), (999, True), (1000, False)])
def test_rare_errors_cannot_be_judged_by_few_rows(rows, said):
    errors = np.random.default_rng(0).normal(size=(2, rows))
    for goal in ("rmse", "r2"):
        assert (f"Errors rarer than 3 in {rows} rows" in compare(numbers(*errors), goal).sentence) == said
    assert "rarer" not in compare(numbers(*errors), "mae").sentence


@pytest.mark.parametrize(("better", "outcome"), [(0.5, "pass"), (1.0, "inconclusive"), (2.0, "fail")])
@pytest.mark.parametrize("goal", ["rmse", "r2"])
def test_a_gate_cannot_judge_rare_errors_by_few_rows_either(goal, better, outcome):
    errors = np.random.default_rng(0).normal(size=(2, 250)) * [[better], [1.0]]
    options = {"production": "loser", "candidate": "winner", "margin": 0.001}
    found = gate(numbers(*errors), goal, **options)
    assert found.outcome == outcome and found.sentence.endswith("Errors rarer than 3 in 250 rows cannot be judged.")
    assert found.to_dict()["gate"]["sentence"] == found.sentence
    assert "rarer" not in gate(numbers(*errors), "mae", **options).sentence
    many = np.random.default_rng(0).normal(size=(2, 1000))
    assert "rarer" not in gate(numbers(*many), goal, **options).sentence


class TestSeveralClasses:
    """A class that is called once: the average of precisions hangs on it, that of F1 less, pooled ones do not."""

    @staticmethod
    def compared(goal):
        truth = np.repeat(["a", "b", "c"], [100, 100, 30])
        few, many = (np.where(truth == "c", "a", truth) for _ in range(2))
        few[200], many[200:212], many[:8] = "c", "c", "c"
        return compare(Predictions.from_arrays(truth, {"few": few, "many": many}), goal)

    def test_the_average_of_precisions_names_nobody(self):
        verdict = self.compared("precision_macro")
        assert verdict.outcome == "undecided" and "for only 1 row (1 correct)" in verdict.sentence
        assert verdict.certainty == "approximate"

    def test_other_averages_are_rough_and_pooled_ones_are_not(self):
        assert self.compared("f1_macro").certainty == "approximate"
        assert "predicts" not in (self.compared("f1_micro").approximate_reason or "")


def test_decisions_are_told_of_a_share_and_not_of_a_ranking():
    truth = np.repeat([1, 0], [30, 970])
    few, many = np.zeros(1000), np.zeros(1000)
    few[0], many[:12], many[30:38] = 1, 1, 1
    verdict = compare(Predictions.from_arrays(truth, {"few": few, "many": many}), "precision")
    assert "recall could still decide" in verdict.sentence

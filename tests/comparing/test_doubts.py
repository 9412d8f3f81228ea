"""What keeps a verdict from naming a winner, or makes it approximate: few calls, few hits, heavy tails."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

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
        "kappa": (0, 1), "weighted_kappa": (0, 1),
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
    assert f"the largest 4 rows carry {100 * share:.0f}% of the squared error of winner" in flagged.sentence
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
    """Those with a row term that grows with the error without end say so, and no others; a median is not carried."""
    for name, metric in metrics.items():
        if metric.tasks != ("regression",) or metric.row_terms is None or metric.needs != "values":
            continue
        settings = {key: value for key, value in metric.defaults.items() if key in metric.row_arguments}
        columns = {"truth": np.array([4.0, 4.0]), "prediction": np.array([5.0, 7.0]), "baseline": np.array([4.0, 4.0])}
        given = {key: columns[key] for key in metric.row_arguments if key in columns}
        terms = metric.row_terms(**given, **settings, xp=np)
        growing = [key for key, (one, three) in terms.items() if one and three / one in (3, 9)]
        assert [metric.carried_by] == (growing if growing and name != "median_ae" else [None]), name


def test_what_a_few_rows_carry_is_said_with_mae_beside():
    light, tail = np.linspace(-1, 1, 400), heavy(400, 4)
    verdict = compare(numbers(tail, light), "rmse")
    apart = tail**2 - light**2
    largest = apart[np.argsort(np.abs(apart))[-4:]].sum()
    shares, mae = [line for line in verdict.reasons if "the rows that differ most" in line or line.startswith("mae")]
    share = f"make {100 * largest / apart.sum():.0f}% of the difference in squared error"
    assert f"(4 of 400) {share} between winner and loser" in shares
    assert f"winner {np.abs(tail).mean():.4f} and loser {np.abs(light).mean():.4f}" in mae


@pytest.mark.parametrize(("rows", "said"), [(120, True), (999, True), (1000, False)])
def test_rare_errors_cannot_be_judged_by_few_rows(rows, said):
    errors = np.random.default_rng(0).normal(size=(2, rows))
    for goal in ("rmse", "r2", "mae", "rae"):
        assert (f"Errors rarer than 3 in {rows} rows" in compare(numbers(*errors), goal).sentence) == said
    assert "rarer" not in compare(numbers(*errors), "median_ae").sentence


@pytest.mark.parametrize(("positives", "said"), [(50, True), (200, False)])
def test_rare_surprises_of_a_rare_class_cannot_be_judged_however_many_other_rows_there_are(positives, said):
    random = np.random.default_rng(0)
    truth = (np.arange(10_000) < positives).astype(int)
    models = {name: np.clip(0.01 + 0.5 * truth + 0.1 * random.random(10_000), 0.001, 0.999) for name in "ab"}
    words = f"Errors rarer than 3 in {positives} rows of class '1' cannot be judged."
    options = {"production": "a", "candidate": "b", "margin": 0.01}
    for goal, told in (("log_loss", said), ("brier", False)):
        predictions = Predictions.from_arrays(truth, models, positive=1)
        verdicts = compare(predictions, goal, metrics="goal"), gate(predictions, goal, **options)
        assert [words in verdict.sentence for verdict in verdicts] == [told, told]


@pytest.mark.parametrize(("better", "outcome"), [(0.5, "pass"), (1.0, "inconclusive"), (2.0, "fail")])
@pytest.mark.parametrize("goal", ["rmse", "r2"])
def test_a_gate_cannot_judge_rare_errors_by_few_rows_either(goal, better, outcome):
    errors = np.random.default_rng(0).normal(size=(2, 250)) * [[better], [1.0]]
    options = {"production": "loser", "candidate": "winner", "margin": 0.001}
    found = gate(numbers(*errors), goal, **options)
    assert found.outcome == outcome and found.sentence.endswith("Errors rarer than 3 in 250 rows cannot be judged.")
    assert found.to_dict()["gate"]["sentence"] == found.sentence
    assert "rarer" not in gate(numbers(*errors), "median_ae", **options).sentence
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


def several(goal, **models):
    """Compare models that are given by their calls and hits."""
    truth = (np.arange(ROWS) < POSITIVES).astype(int)
    return compare(Predictions.from_arrays(truth, {name: decisions(*each) for name, each in models.items()}), goal)


class TestOnePoorModelOfSeveral:
    """It can neither win nor be ruled out by its p; what can be said of the others is said."""

    def test_it_is_left_open_and_the_others_are_judged(self):
        verdict = several("precision", few=(9, 9), a=(60, 50), b=(60, 20))
        alone = several("precision", a=(60, 50), b=(60, 20))
        assert (verdict.outcome, verdict.winners, verdict.left_open) == ("undecided", (), ("few",))
        assert verdict.without_left_open == ("winner", alone.winners) == ("winner", ("a",))
        assert verdict.sentence.endswith(f"Without few (models= names the others): {alone.sentence}")
        said = verdict.to_dict()["verdict"]
        assert said["left_open"] == ["few"]
        assert said["without_left_open"] == {"outcome": "winner", "winners": ["a"]}

    def test_a_tie_of_the_others(self):
        verdict = several("precision", few=(9, 0), a=(60, 40), b=(60, 39))
        assert verdict.without_left_open == ("tie", ("a", "b"))
        assert "Without few (models= names the others): No winner on precision: a (0.6667)" in verdict.sentence

    @pytest.mark.parametrize(("goal", "few"), [("f1", (3, 1)), ("f1", (30, 4)), ("jaccard", (3, 1)), ("mcc", (3, 1))])
    def test_by_exact_bounds_it_may_be_worse_all_the_same(self, goal, few):
        """Bounds of both classes' shares of right calls, by Clopper and Pearson, that err in 1 of 80 cases each."""
        verdict = several(goal, few=few, a=(60, 50), b=(60, 20))
        assert (verdict.outcome, verdict.winners, verdict.surely_worse) == ("winner", ("a",), ("few",))
        most, least = (bounds_of(goal, *each)[side] for each, side in ((few, 1), ((60, 50), 0)))
        assert most < least
        assert f"few cannot be tested, but has at most {most:.4f}, and a at least {least:.4f}" in verdict.sentence
        assert verdict.comparison("few", "a").outcome == "undecided" and verdict.runner_up == "b"
        assert "W_FEWCALLS" in [notice.code for notice in verdict.warnings]

    def test_bounds_need_independent_rows(self):
        truth = (np.arange(ROWS) < POSITIVES).astype(int)
        models = {"few": decisions(3, 1), "a": decisions(60, 50), "b": decisions(60, 20)}
        grouped = compare(Predictions.from_arrays(truth, models, group=np.arange(ROWS) % 40), "f1")
        assert grouped.surely_worse == () and "few" in grouped.left_open

    def test_a_model_without_a_value(self):
        verdict = several("precision", none=(0, 0), a=(60, 50), b=(60, 20))
        assert verdict.left_open == ("none",) and verdict.without_left_open == ("winner", ("a",))
        assert "precision of none is undefined" in verdict.sentence

    def test_two_poor_ones_leave_nobody_to_judge(self):
        verdict = several("precision", few=(9, 9), fewer=(5, 5), a=(60, 50))
        assert verdict.outcome == "undecided" and verdict.without_left_open is None


def bounds_of(goal, calls, hits, alpha=0.05 / 2):
    """By SciPy and a count of the table, of the positives and of the rows of the other class."""
    negatives, alarms = ROWS - POSITIVES, calls - hits
    recall = binomtest(hits, POSITIVES).proportion_ci(1 - alpha / 2)
    right = binomtest(negatives - alarms, negatives).proportion_ci(1 - alpha / 2)
    tables = [
        [[negatives * r, negatives * (1 - r)], [POSITIVES * (1 - s), POSITIVES * s]]
        for s, r in ((recall.low, right.low), (recall.high, right.high))
    ]
    return [metrics[goal].of_counts(table, positive=1) for table in tables]


class TestPairsWithoutAnAnswer:
    @pytest.mark.parametrize(("few", "reason"), [((9, 9), "for only 9 rows (9 correct)"), ((30, 4), "(4 correct)")])
    def test_a_pair_with_few_calls_names_nobody(self, few, reason):
        pair = several("precision", few=few, many=(45, 30)).to_dict()["comparisons"][0]
        assert pair["outcome"] == "undecided" and reason in pair["undecided"]
        assert pair["p"] < 0.05 and pair["difference"] is not None
        decided = several("precision", a=(60, 50), b=(60, 20)).to_dict()["comparisons"][0]
        assert (decided["outcome"], decided["undecided"]) == ("a", None)

    def test_a_pair_with_few_rows_of_a_class(self):
        truth = np.repeat([1, 0], [6, 194])
        good, bad = truth * 0.8 + 0.1, np.where(np.arange(200) % 3, 0.2, 0.7)
        verdict = compare(Predictions.from_arrays(truth, {"good": good, "bad": bad}), "roc_auc")
        (pair,) = verdict.comparisons
        assert pair.outcome == "undecided" and "6 rows of class '1'" in pair.undecided and pair.p < 0.05

    def test_no_margin_is_held_by_such_a_pair(self):
        truth = (np.arange(ROWS) < POSITIVES).astype(int)
        both = Predictions.from_arrays(truth, {"few": decisions(9, 9), "many": decisions(45, 30)})
        (margin,) = compare(both, "precision", margin=0.01).margins.values()
        assert margin.relation == "cannot be said" and not (margin.a_not_worse or margin.b_not_worse)

    def test_calls_that_are_all_alike_are_few_all_the_same(self):
        assert several("precision", right=(9, 9), wrong=(9, 0)).outcome == "undecided"

    def test_models_that_decide_alike_do_not_differ_and_others_may(self):
        assert several("precision", few=(9, 9), same=(9, 9)).outcome == "tie"
        assert several("precision", few=(9, 9), fewer=(5, 5)).outcome == "undecided"

    def test_every_format_says_so(self, referee, tmp_path):
        path, truth = tmp_path / "calls.csv", np.arange(ROWS) < POSITIVES
        columns = zip(truth.astype(int), decisions(9, 9), decisions(45, 30), strict=True)
        path.write_text("y,few,many\n" + "".join(f"{y},{a},{b}\n" for y, a, b in columns))
        asked = ("compare", path, "--truth", "y", "--goal", "precision", "--metrics", "precision")
        text = referee(*asked, "--html", tmp_path / "page.html", "--explain", form="text").out
        assert "few ? many" in text and ", ? undecided" in text
        assert "this p is not reliable" in " ".join(text.split())
        assert "| few ? many |" in referee(*asked, form="md").out
        assert "undecided" in referee(*asked, form="latex").out
        assert ",undecided," in referee(*asked, form="csv").out
        assert ">undecided</" in (tmp_path / "page.html").read_text()


class TestOfSlices:
    def test_a_slice_with_few_calls_names_nobody(self):
        """One call, right, against 12 of 20: p of the t-test is 0.00085."""
        truth = np.r_[np.ones(200, int), np.zeros(1800, int)]
        place = np.full(2000, "big", object)
        place[:30], place[200:1000] = "small", "small"
        a, b = np.full((2, 2000), 0.1)
        a[30:150], a[1000:1060], b[30:140], b[1000:1090] = 0.9, 0.9, 0.9, 0.9
        a[:12], a[200:208], b[0] = 0.9, 0.9, 0.9
        predictions = Predictions.from_arrays(truth, {"a": a, "b": b}, by={"place": place})
        verdict = compare(predictions, "precision", by="place", metrics=["precision"])
        assert verdict.best == "a"
        assert verdict.slices.where_best_is_beaten() == []
        assert verdict.slices.against_best("small", "b").p is None


def test_the_share_that_a_few_rows_make_is_that_of_the_difference():
    """Without them, what is left of the difference in squared error is the rest; it can have the other sign."""
    truth = np.zeros(300)
    a, b = np.full(300, 1.0), np.full(300, 1.0)
    b[:3], b[3:103], a[103:150] = (6.0, 7.0, 8.0), 0.9, 0.95
    (pair,) = compare(numbers(a, b), "mse", metrics=["mse"]).comparisons
    lost = (a - truth) ** 2 - (b - truth) ** 2
    assert 1 - pair.details["tails"]["difference"] == pytest.approx(lost[3:].sum() / lost.sum(), abs=1e-12)
    verdict = compare(numbers(a, b), "rmse", metrics=["rmse"])
    assert any(f"(3 of 300) make {100 * lost[:3].sum() / lost.sum():.0f}% of" in reason for reason in verdict.reasons)


@pytest.mark.parametrize("goal", ["rmse", "mae"])
def test_tails_of_frequency_weights_are_those_of_repeated_rows(goal):
    draw = np.random.default_rng(4)
    truth, times = draw.normal(size=150), draw.integers(0, 5, 150)
    models = {"a": truth + draw.standard_t(2, 150), "b": truth + draw.standard_t(3, 150)}
    weighted = Predictions.from_arrays(truth, models, task="regression", weight=times, weight_kind="frequency")
    repeated = Predictions.from_arrays(
        np.repeat(truth, times), {name: np.repeat(m, times) for name, m in models.items()}, task="regression"
    )
    (one,), (other,) = (compare(each, goal, metrics=[goal]).comparisons for each in (weighted, repeated))
    assert one.details["tails"]["models"] == pytest.approx(other.details["tails"]["models"], rel=1e-12)
    assert one.details["tails"]["difference"] == pytest.approx(other.details["tails"]["difference"], rel=1e-9)


@pytest.mark.parametrize(("rows", "said"), [(120, True), (1000, False)])
def test_rare_surprises_cannot_be_judged_by_few_rows(rows, said):
    draw = np.random.default_rng(0)
    models = {name: draw.uniform(0.2, 0.8, rows) for name in "ab"}
    verdict = compare(Predictions.from_arrays(np.arange(rows) % 2, models), "log_loss", metrics=["log_loss"])
    assert (f"Errors rarer than 3 in {rows} rows" in verdict.sentence) == said


def test_a_cut_that_a_few_positives_set_is_approximate():
    draw = np.random.default_rng(0)
    for rows, rough in ((1000, True), (8000, False)):
        truth = (np.arange(rows) % 50 == 0).astype(int)
        models = {name: truth * shift + draw.normal(size=rows) for name, shift in (("a", 4), ("b", 2))}
        goal = "precision_at_recall"
        verdict = compare(Predictions.from_arrays(truth, models), goal, metrics=[goal])
        assert ("may lie beyond the cut at a recall of 0.9" in verdict.sentence) == rough


def test_failures_of_whole_groups_cannot_be_judged_by_few_groups():
    truth, models = np.arange(400) % 2, {"a": np.arange(400) % 2 * 0.8 + 0.1, "b": np.arange(400) % 3 * 0.3}
    for groups, said in ((40, True), (400, False)):
        grouped = Predictions.from_arrays(truth, models, group=np.arange(400) % groups)
        sentence = compare(grouped, "accuracy", metrics=["accuracy"]).sentence
        assert ("Failures of whole groups rarer than 3 in 40 cannot be judged." in sentence) == said


def noise(rows=2000, positives=0.4):
    draw = np.random.default_rng(3)
    scores = draw.random(rows)
    return Predictions.from_arrays((draw.random(rows) < positives).astype(int), {"noise": scores, "low": 0.7 * scores})


@pytest.mark.parametrize("goal", ["f1", "jaccard", "precision", "mcc", "kappa", "balanced_accuracy"])
def test_coin_flips_are_not_better_than_guessing(goal):
    """Whatever guess is best on the metric: F1 and Jaccard like it always positive, MCC has chance alone."""
    verdict = compare(noise(), goal, metrics=[goal])
    assert verdict.better_than_guessing is False
    assert any(notice.code == "W_GUESSING" for notice in verdict.warnings)


def test_nobody_beats_always_positive_on_recall():
    assert compare(noise(), "recall", metrics=["recall"]).better_than_guessing is None


@pytest.mark.parametrize("goal", ["f1", "precision", "mcc"])
def test_what_knows_the_truth_is_better_than_guessing(goal):
    predictions = noise()
    knows = 0.5 * predictions.model("noise").scores + 0.4 * predictions.truth
    both = Predictions.from_arrays(predictions.truth, {"knows": knows, "noise": predictions.model("noise").scores})
    assert compare(both, goal, metrics=[goal]).better_than_guessing is True

"""`referee compare` and `referee.compare`: who won, against values computed elsewhere."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import accuracy_score, roc_auc_score

from referee.comparing import compare, tests
from referee.errors import UndefinedError, UsageError
from referee.fitting import select
from referee.paper import study_own_data
from referee.predictions import Predictions

ROWS = 400


def sample(seed=0, models=("a", "b"), strength=(1.0, 1.0), rows=ROWS, share=0.4):
    """Scores around the truth; a higher strength is a better model."""
    generator = np.random.default_rng(seed)
    truth = (generator.random(rows) < share).astype(int)
    noise = generator.normal(size=(len(models), rows))
    scores = {m: 1 / (1 + np.exp(-(s * (2 * truth - 1) + e))) for m, s, e in zip(models, strength, noise, strict=True)}
    return truth, scores


def predictions(**options):
    truth, scores = sample(**options)
    return Predictions.from_arrays(truth, scores)


@pytest.fixture(scope="module")
def credit(tmp_path_factory, reference):
    """Weka's out-of-fold probabilities of four learners, in one file."""
    learners = ("NaiveBayes", "IBk-5", "IBk-50", "J48")
    rows = {}
    for learner in learners:
        with (reference / "weka" / f"credit-g.{learner}.csv").open() as file:
            for row in csv.DictReader(file):
                kept = {name: row[name] for name in ("row", "fold", "actual")}
                rows.setdefault(row["row"], kept)[learner] = row["p_bad"]
    path = tmp_path_factory.mktemp("credit") / "credit.csv"
    with path.open("w") as file:
        writer = csv.DictWriter(file, ["row", "fold", "actual", *learners])
        writer.writeheader()
        writer.writerows(rows.values())
    return path


CREDIT = ("--truth", "actual", "--positive", "bad", "--id", "row", "--models", "NaiveBayes,IBk-5")


class TestAgainstOthers:
    def test_delong_and_mcnemar_of_r(self, referee, reference):
        folder = reference / "r"
        (expected,) = json.loads((folder / "proc_and_paired.json").read_text())["pairs"]
        source = (folder / expected["input"], "--truth", "y", "--models", "score_a,score_b")
        found = referee("compare", *source, "--goal", "roc_auc", "--test", "delong").json["comparisons"][0]
        assert found["statistic"] == pytest.approx(expected["delong_paired"]["Z"], rel=1e-10)
        assert found["p"] == pytest.approx(expected["delong_paired"]["p.value"], rel=1e-10)
        assert [found["low"], found["high"]] == pytest.approx(expected["delong_paired"]["conf.int"], rel=1e-10)
        labels = ("--label", "score_a=pred_a", "--label", "score_b=pred_b")
        found = referee("compare", *source, *labels, "--goal", "accuracy", "--test", "mcnemar").json["comparisons"][0]
        assert found["p"] == pytest.approx(expected["mcnemar_exact_binom"]["p.value"], rel=1e-9)

    def test_folds_are_compared_as_scipy_does(self, referee, credit):
        arguments = ("compare", credit, *CREDIT, "--fold", "fold", "--goal", "roc_auc", "--test", "paired_t")
        run = referee(*arguments)
        with credit.open() as file:
            rows = list(csv.DictReader(file))
        values = [
            [
                roc_auc_score([r["actual"] == "bad" for r in part], [float(r[m]) for r in part])
                for m in CREDIT[-1].split(",")
            ]
            for fold in sorted({r["fold"] for r in rows}, key=int)
            for part in [[r for r in rows if r["fold"] == fold]]
        ]
        expected = stats.ttest_rel(*zip(*values, strict=True))
        (found,) = run.json["comparisons"]
        assert (found["statistic"], found["p"], found["df"]) == pytest.approx((*expected, 9), rel=1e-9)
        assert [w["code"] for w in run.json["warnings"]] == ["W_NAIVE"]
        assert run.json["design"] == "splits"

    def test_the_row_test_of_an_additive_metric_is_the_paired_t_of_rows(self):
        truth, scores = sample(seed=3)
        right = [np.asarray(s >= 0.5) == truth for s in scores.values()]
        found = compare(Predictions.from_arrays(truth, scores), "accuracy").comparisons[0]
        expected = stats.ttest_rel(right[0].astype(float), right[1].astype(float))
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
        assert found.difference == pytest.approx(accuracy_score(truth, scores["a"] > 0.5) - right[1].mean())

    def test_clusters_are_summed(self):
        """The sandwich with one value per group: rows of a group that are repeated add no information."""
        truth, scores = sample(seed=4, rows=200)
        one = compare(Predictions.from_arrays(truth, scores), "accuracy", metrics=["accuracy"])
        three = Predictions.from_arrays(
            np.repeat(truth, 3), {m: np.repeat(s, 3) for m, s in scores.items()}, group=np.repeat(np.arange(200), 3)
        )
        again = compare(three, "accuracy", metrics=["accuracy"])
        assert again.comparisons[0].standard_error == pytest.approx(one.comparisons[0].standard_error, rel=1e-12)
        assert again.comparisons[0].units == 200


class TestDegenerate:
    @pytest.mark.parametrize("name", [n for n, t in tests.items() if "rows" in t.designs])
    def test_identical_models_are_a_tie(self, name):
        truth, scores = sample()
        both = Predictions.from_arrays(truth, {"a": scores["a"], "b": scores["a"]})
        goal = (tests[name].metrics or ("roc_auc",))[0]
        verdict = compare(both, goal, test=name, metrics=[goal])
        assert (verdict.outcome, verdict.winners) == ("tie", ("a", "b"))
        assert verdict.comparisons[0].p == 1
        assert "do not differ at all" in verdict.sentence

    def test_perfect_against_reversed_is_decided_by_the_sign_test(self):
        truth = np.array([0, 1] * 15)
        verdict = compare(Predictions.from_arrays(truth, {"good": truth * 0.8, "bad": 1 - truth * 0.8}), "roc_auc")
        (found,) = verdict.comparisons
        assert found.p == 2 * 0.5**15
        assert verdict.winners == ("good",)
        assert "W_ZEROVAR" in [w.code for w in verdict.warnings]

    def test_one_positive_is_too_few_for_delong(self, referee, shared):
        source = (shared / "cases" / "138_one_positive.csv", "--id", "id", "--truth", "y", "--models", "A,B")
        run = referee("compare", *source, "--positive", "1", "--goal", "roc_auc", "--test", "delong")
        assert (run.code, run.json["error"]["code"]) == (4, "E_TOOFEW")
        for word in ("DeLong", "1 row", "class '1'"):
            assert word in run.json["error"]["message"]

    def test_few_rows_of_a_class_name_no_winner(self):
        truth, scores = sample(seed=1, strength=(4.0, 0.0), rows=300, share=0.02)
        verdict = compare(Predictions.from_arrays(truth, scores), "roc_auc")
        assert 0 < truth.sum() < 10
        assert (verdict.outcome, verdict.winners) == ("undecided", ())
        assert "no test of roc_auc is reliable" in verdict.sentence
        assert compare(Predictions.from_arrays(truth, scores), "accuracy").outcome != "undecided"

    def test_between_ten_and_twenty_it_is_approximate(self):
        truth, scores = sample(seed=1, strength=(4.0, 0.0), rows=300, share=0.05)
        verdict = compare(Predictions.from_arrays(truth, scores), "roc_auc")
        assert 10 <= truth.sum() < 20
        assert verdict.outcome == "winner"
        assert "approximately" in verdict.sentence

    def test_an_undefined_value_is_no_tie(self):
        truth = np.array([0, 1] * 50)
        verdict = compare(
            Predictions.from_arrays(truth, {"a": truth * 0.9, "b": truth * 0.0}), "precision", metrics=["precision"]
        )
        assert (verdict.outcome, verdict.comparisons[0].outcome) == ("undecided", None)
        assert json.dumps(verdict.to_dict(), allow_nan=False)

    def test_one_class_stops(self):
        with pytest.raises(UndefinedError, match="only one class"):
            compare(Predictions.from_arrays([1] * 30, {"a": [0.3] * 30, "b": [0.4] * 30}, positive=1), "roc_auc")


class TestDesign:
    def test_a_test_that_the_design_forbids(self, referee, credit):
        run = referee("compare", credit, *CREDIT, "--fold", "fold", "--goal", "roc_auc", "--test", "sign")
        assert (run.code, run.json["error"]["code"]) == (2, "E_TEST")
        assert "overlap" in run.json["error"]["message"]
        assert "corrected_resampled_t" in run.json["error"]["hint"]

    def test_out_of_fold_speaks_of_fitted_models(self, referee, credit):
        run = referee("compare", credit, *CREDIT, "--fold", "fold", "--goal", "roc_auc")
        assert (run.json["design"], run.json["test"]) == ("out_of_fold", "influence")
        assert "not about the learning procedures" in run.json["verdict"]["sentence"]

    def test_one_test_set_has_no_folds(self, referee, credit):
        run = referee("compare", credit, *CREDIT, "--goal", "accuracy", "--test", "paired_t")
        assert (run.code, run.json["error"]["code"]) == (2, "E_UNIT")

    def test_one_model_is_too_few(self, referee, credit):
        run = referee("compare", credit, *CREDIT[:-1], "J48", "--goal", "accuracy")
        assert (run.code, run.json["error"]["code"]) == (2, "E_ONEMODEL")

    def test_a_property_of_the_data_is_no_goal(self, referee, credit):
        gate = ("--production", "NaiveBayes", "--candidate", "IBk-5", "--margin", "0.1")
        for command, more in (("compare", ()), ("gate", gate)):
            run = referee(command, credit, *CREDIT, *more, "--goal", "murphy_uncertainty")
            assert (run.code, run.json["error"]["code"]) == (2, "E_GOAL")
            assert "every model has the same value on the same rows" in run.json["error"]["message"]
        rows = ([[1.0], [2.0], [3.0]] * 4, [0, 1, 1] * 4)
        for ask in (select, study_own_data):
            with pytest.raises(UsageError, match="property of the data"):
                ask(["tree", "dummy"], *rows, goal="murphy_uncertainty")

    def test_a_property_of_the_data_is_no_contest(self, referee, tmp_path):
        random = np.random.default_rng(1)
        scores, truth, weight = random.random((2, 60)), (np.arange(60) % 3 == 0).astype(int), random.random(60)
        found = Predictions.from_arrays(truth, dict(zip("ab", scores, strict=True)), weight=weight)
        assert "murphy_uncertainty" not in [one.metric for one in compare(found, "roc_auc").other_goals]
        file = tmp_path / "two.csv"
        np.savetxt(file, np.c_[truth, scores.T], fmt="%.6g", delimiter=",", header="y,a,b", comments="")
        lines = referee("evaluate", file, "--truth", "y", form="text").out.splitlines()
        place = next(n for n, line in enumerate(lines) if "murphy_uncertainty" in line)
        assert "the data, whatever the model" in lines[place - 1] and "↓" not in lines[place]

    def test_the_demos_best_model_is_not_accused_by_bins_of_one_row(self, referee, tmp_path):
        found = referee("demo", "--out", tmp_path).json
        accusing = {one["metric"] for one in found["other_goals"] if one["best"] != found["verdict"]["best"]}
        assert not accusing & {"murphy_reliability", "max_calibration_error"}

    def test_a_metric_that_the_test_does_not_speak_of(self):
        with pytest.raises(UsageError, match="roc_auc"):
            compare(predictions(), "accuracy", test="delong")

    def test_cross_validation_is_understood(self):
        truth, scores = sample(rows=100)
        folds, repeats = np.tile(np.arange(100) % 5, 2), np.repeat([0, 1], 100)
        several = Predictions.from_arrays(
            np.tile(truth, 2), {m: np.tile(s, 2) for m, s in scores.items()}, fold=folds, repeat=repeats,
            id=np.tile(np.arange(100), 2),
        )  # fmt: skip
        verdict = compare(several, "accuracy", unit="fold")
        design, (found,) = verdict.design, verdict.comparisons
        assert (design.folds, design.repeats, set(design.n_train), set(design.n_test)) == (5, 2, {80.0}, {20.0})
        assert (verdict.test.full_name, found.df, found.units) == ("corrected_resampled_t(correction=1.5)", 4, 10)
        by_rows = compare(several, "accuracy").comparisons[0]
        assert by_rows.units == 100
        once = compare(Predictions.from_arrays(truth, scores), "accuracy").comparisons[0]
        assert by_rows.standard_error == pytest.approx(once.standard_error, rel=1e-12)

    def test_random_splits_need_their_training_size(self):
        truth, scores = sample(rows=100)
        several = Predictions.from_arrays(
            np.tile(truth, 2), {m: np.tile(s, 2) for m, s in scores.items()}, fold=np.repeat([0, 1], 100),
            id=np.tile(np.arange(100), 2),
        )  # fmt: skip
        with pytest.raises(UsageError, match="training sizes are not known"):
            compare(several, "accuracy", unit="fold")
        found = compare(several, "accuracy", unit="fold", train_size=200)
        assert found.design.n_train.tolist() == [200, 200]

    def test_data_sets(self, referee, credit):
        run = referee("compare", credit, *CREDIT, "--goal", "accuracy", "--by", "fold", "--unit", "slice")
        assert (run.json["design"], run.json["test"]) == ("data_sets", "wilcoxon")
        three = referee("compare", credit, *CREDIT[:-1], "NaiveBayes,IBk-5,J48", "--goal", "accuracy", "--by", "fold",
                        "--unit", "slice").json  # fmt: skip
        ranks = three["across"]["details"]["mean_ranks"]
        assert sum(ranks.values()) == pytest.approx(6)
        sliced = [s for s in three["scores"] if s["metric"] == "accuracy" and s["slice"]]
        values = {model: [s["value"] for s in sliced if s["model"] == model] for model in ranks}
        expected = np.mean([stats.rankdata([-v for v in each]) for each in zip(*values.values(), strict=True)], axis=0)
        assert list(ranks.values()) == pytest.approx(expected)


class TestSubsets:
    def test_the_papers_way(self, referee, credit):
        run = referee("compare", credit, *CREDIT, "--goal", "accuracy", "--subsets", "20", "--partitions", "5").json
        (found,) = run["comparisons"]
        assert (run["design"], run["test"], found["df"]) == ("subsets", "paired_t", 19)
        assert found["details"]["partitions"] == 5
        overall = {s["model"]: s["value"] for s in run["scores"] if s["metric"] == "accuracy" and s["slice"] is None}
        assert found["difference"] == pytest.approx(overall["NaiveBayes"] - overall["IBk-5"])

    def test_sign(self, referee, credit):
        run = referee("compare", credit, *CREDIT, "--goal", "roc_auc", "--subsets", "10", "--test", "sign").json
        (found,) = run["comparisons"]
        wins, losses = found["details"]["wins"], found["details"]["losses"]
        assert found["p"] == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)

    def test_more_subsets_than_rows_of_a_class(self, referee, credit):
        run = referee("compare", credit, *CREDIT, "--goal", "roc_auc", "--subsets", "301")
        assert (run.code, run.json["error"]["code"]) == (4, "E_SUBSETS")
        assert "300 rows of class 'bad'" in run.json["error"]["message"]

    def test_small_subsets_are_pointed_out(self, referee, credit):
        run = referee("compare", credit, *CREDIT, "--goal", "f1", "--subsets", "30", "--partitions", "1")
        assert "W_SMALLSUBSETS" in [w["code"] for w in run.json["warnings"]]

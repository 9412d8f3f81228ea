"""Tables of scores without a truth: every number is somebody else's, or done by hand."""

from __future__ import annotations

import csv
import json
from math import sqrt

import numpy as np
import polars
import pytest
from scipy import stats

from referee import Predictions, RefereeError, compare, evaluate, gate, refit, select

pytestmark = pytest.mark.usefixtures("fits_here")
LECTURE = [0.09, 0.15, 0.12, -0.04, 0.03, 0.08, 0.11, 0.1, -0.01, -0.06]
"""The differences of the lecture's ten folds: t = 2.488737606 with 9 degrees of freedom, significant at 5%."""


def same(expected):
    return pytest.approx(expected, rel=1e-9, abs=0)


def drawn(rows, *shifts, seed=0):
    draw = np.random.default_rng(seed)
    level = draw.normal(0, 1, rows)
    return {name: level + shift + draw.normal(0, 1, rows) for name, shift in zip("abcd", shifts, strict=False)}


def samples_noticed(verdict):
    return [notice.message for notice in verdict.warnings if notice.code == "W_SAMPLES"]


@pytest.fixture
def lecture(tmp_path):
    file = tmp_path / "errors.csv"
    errors = [0.3, 0.35, 0.32, 0.2, 0.21, 0.28, 0.31, 0.3, 0.19, 0.14]
    rows = [f"{a},{a - d:.6f}" for a, d in zip(errors, LECTURE, strict=True)]
    file.write_text("\n".join(["E1,E2", *rows]) + "\n")
    return file


class TestItems:
    def test_the_paired_t_test_is_scipys(self):
        table = drawn(80, 0.3, 0.0)
        found = compare(table, task="scores", test="paired_t").comparison("a", "b")
        expected = stats.ttest_rel(table["a"], table["b"])
        assert found.statistic == same(expected.statistic)
        assert found.p == same(expected.pvalue)
        assert found.df == 79

    def test_the_usual_test_has_the_same_statistic(self):
        table = drawn(80, 0.3, 0.0)
        found = compare(table, task="scores").comparison("a", "b")
        assert found.statistic == same(stats.ttest_rel(table["a"], table["b"]).statistic)

    def test_lower_may_be_better(self):
        table = drawn(200, 1.0, 0.0)
        assert compare(table, task="scores", better="lower").winners == ("b",)
        assert compare(table, task="scores").winners == ("a",)

    def test_signed_ranks_of_items_are_scipys(self):
        table = drawn(30, 0.5, 0.0)
        found = compare(table, task="scores", test="wilcoxon").comparison("a", "b")
        assert found.p == same(stats.wilcoxon(table["a"], table["b"], mode="exact").pvalue)

    def test_millers_clustered_error(self):
        draw = np.random.default_rng(4)
        passage = np.repeat(np.arange(40), draw.integers(1, 7, 40))
        table = drawn(len(passage), 0.3, 0.0)
        table["a"] = table["a"] + draw.normal(0, 1, 40)[passage]
        found = compare({**table, "passage": passage}, task="scores", group="passage").comparison("a", "b")
        assert found.details["groups"]["clustered_standard_error"] == same(miller(table["a"] - table["b"], passage))

    def test_equal_groups_have_the_error_of_their_means(self):
        table = drawn(60, 0.3, 0.0)
        passage = np.repeat(np.arange(15), 4)
        found = compare({**table, "passage": passage}, task="scores", group="passage").comparison("a", "b")
        means = (table["a"] - table["b"]).reshape(15, 4).mean(axis=1)
        assert found.standard_error == same(stats.sem(means))

    def test_samples_of_an_item_are_averaged(self):
        draw = np.random.default_rng(1)
        item, scores = np.repeat(np.arange(50), 3), draw.normal(0, 1, (150, 2))
        scores += draw.normal(0, 2, (50, 1))[item]
        table = {"item": item, "a": scores[:, 0] + 0.5, "b": scores[:, 1]}
        verdict = compare(table, task="scores", id="item", test="paired_t")
        means = {name: table[name].reshape(50, 3).mean(axis=1) for name in "ab"}
        assert verdict.comparison("a", "b").p == same(stats.ttest_rel(means["a"], means["b"]).pvalue)
        within = table["a"].reshape(50, 3).var(axis=1, ddof=1).mean() / 3
        assert verdict.to_dict()["read"]["share_of_sampling"]["a"] == same(within / means["a"].var(ddof=1))

    def test_samples_that_nobody_has_called_so_are_pointed_out(self):
        table = {"item": [1, 2, 3] * 2, "epoch": [1, 1, 1, 2, 2, 2], "a": [0.5, 0.7, 0.1, 0.4, 0.9, 0.2]}
        table["b"] = [0.3, 0.2, 0.4, 0.1, 0.2, 0.0]
        (notice,) = samples_noticed(compare(table, task="scores", id="item", models=["a", "b"]))
        assert "item 1 (rows 1 and 4)" in notice and "differ in 'epoch', 'a' and 'b'" in notice
        for said in ({"repeat": "epoch"}, {"on_repeated": "average"}):
            assert not samples_noticed(compare(table, task="scores", id="item", models=["a", "b"], **said))

    def test_a_table_whose_rows_are_all_doubled_is_pointed_out(self):
        table = {"item": [1, 2, 3] * 2, "a": [0.5, 0.7, 0.1] * 2, "b": [0.3, 0.2, 0.4] * 2}
        (notice,) = samples_noticed(compare(table, task="scores", id="item"))
        assert "is every row in the table twice?" in notice

    def test_one_doubled_row_is_refused_unless_it_is_said_to_be_a_sample(self):
        table = {"item": [1, 2, 3, 4, 1], "a": [0.5, 0.7, 0.1, 0.8, 0.9], "b": [0.3, 0.2, 0.4, 0.1, 0.5]}
        with pytest.raises(RefereeError, match=r"'a' has 2 scores of item 1 \(rows 1 and 5\)") as error:
            compare(table, task="scores", id="item")
        assert error.value.code == "E_DUPID" and "on_repeated='average'" in error.value.hint
        verdict = compare(table, task="scores", id="item", on_repeated="average", test="paired_t")
        expected = stats.ttest_rel([0.7, 0.7, 0.1, 0.8], [0.4, 0.2, 0.4, 0.1])
        assert verdict.comparison("a", "b").p == same(expected.pvalue)

    def test_the_share_above_is_a_share(self):
        table = {"a": [1.0, 0.7, 0.2, 0.9] * 25, "b": [0.1, 0.7, 0.2, 0.9] * 25}
        verdict = compare(table, task="scores", goal="share_above(0.6)")
        assert verdict.values == {"a": 0.75, "b": 0.5}
        assert verdict.comparison("a", "b").statistic == same(
            stats.ttest_rel([1, 1, 0, 1] * 25, [0, 1, 0, 1] * 25).statistic
        )

    def test_the_median_and_its_interval_need_no_density(self):
        table = drawn(101, 1.5, 0.0)
        verdict = compare(table, task="scores", goal="median")
        score = verdict.scores["a", "median"]
        ends = stats.binom.ppf(0.025, 101, 0.5)
        ordered = np.sort(table["a"])
        assert score.value == np.median(table["a"])
        assert (score.low, score.high) == (ordered[int(ends) - 1], ordered[101 - int(ends)])
        assert verdict.certainty == "approximate"

    def test_the_median_of_tied_scores_is_not_tested(self):
        table = {"a": [1.0, 1.0, 1.0, 0.0] * 50, "b": [0.0, 1.0, 0.0, 0.0] * 50}
        verdict = compare(table, task="scores", goal="median")
        assert verdict.outcome == "undecided"
        assert "share_above(x) could still decide" in verdict.sentence

    def test_there_is_nothing_to_guess(self):
        verdict = compare(drawn(50, 1.0, 0.0), task="scores").to_dict()
        assert verdict["baseline"] == []
        assert verdict["verdict"]["better_than_guessing"] is None

    def test_long_and_wide_tables_say_the_same(self):
        wide = drawn(40, 0.5, 0.0, 0.2)
        names = [name for name in wide for _ in range(40)]
        long = {"id": [*range(40)] * 3, "model": names, "score": np.concatenate([*wide.values()])}
        keys = {"id": "id", "model_column": "model", "score_column": "score"}
        first, second = compare(wide, task="scores"), compare(long, task="scores", **keys)
        assert first.sentence == second.sentence
        assert [one.p for one in first.comparisons] == [one.p for one in second.comparisons]

    def test_frames_and_files_say_the_same(self, tmp_path):
        table = polars.DataFrame({"id": range(30)} | drawn(30, 1.0, 0.0))
        table.write_csv(tmp_path / "scores.csv")
        table.write_parquet(tmp_path / "scores.parquet")
        given = (table, table.to_pandas(), table.to_arrow(), tmp_path / "scores.csv", tmp_path / "scores.parquet")
        assert len({compare(one, task="scores", id="id").sentence for one in given}) == 1

    def test_the_gate_takes_them_too(self):
        table = drawn(400, 0.5, 0.0)
        asked = {"production": "b", "candidate": "a", "margin": 0.1}
        assert gate(table, task="scores", **asked).outcome == "pass"
        assert gate(table, task="scores", better="lower", **asked).outcome == "fail"


def miller(difference, cluster):
    """Miller (2024), equations 1 and 4, for paired differences, term by term."""
    n, centred = len(difference), difference - difference.mean()
    clt = (centred**2).sum() / (n - 1) / n
    cross = sum(
        centred[i] * centred[j]
        for group in np.unique(cluster)
        for i in np.flatnonzero(cluster == group)
        for j in np.flatnonzero(cluster == group)
        if i != j
    )
    return sqrt(clt + cross / n**2)


class TestFolds:
    def test_the_lectures_t_test_in_one_command(self, lecture, referee):
        asked = ("--task", "scores", "--rows", "folds", "--better", "lower", "--test", "paired_t")
        found = referee("compare", lecture, *asked).json
        (pair,) = found["comparisons"]
        assert pair["statistic"] == pytest.approx(2.488737606, abs=5e-9)
        assert pair["df"] == 9
        assert pair["outcome"] == "b"
        assert "W_NAIVE" in {warning["code"] for warning in found["warnings"]}

    @pytest.mark.parametrize(("test", "times"), [("corrected_resampled_t", 1), ("auto", 1.5)])
    def test_the_corrected_test_by_hand(self, lecture, test, times):
        verdict = compare(lecture, task="scores", rows="folds", better="lower", test_fraction=0.1, test=test)
        found = verdict.comparison("E1", "E2")
        t = np.mean(LECTURE) / sqrt(np.var(LECTURE, ddof=1) * (1 / 10 + times / 9))
        assert found.statistic == pytest.approx(t, rel=1e-6)
        assert found.p == pytest.approx(2 * stats.t.sf(t, 9), rel=1e-6)
        assert verdict.outcome == "tie"

    @pytest.mark.parametrize(("test", "times"), [("corrected_resampled_t", 1), ("auto", 1.5)])
    def test_tie_set_and_margin_count_the_overlap_as_the_test_does(self, lecture, test, times):
        """By hand: the variance of a difference, and the 90% interval that is held against the margin."""
        folds = {"task": "scores", "rows": "folds", "better": "lower", "test_fraction": 0.1}
        verdict = compare(lecture, **folds, test=test, margin=0.2)
        variance = np.var(LECTURE, ddof=1) * (1 / 10 + times / 9)
        (first, both), (_, second) = verdict.contest.covariance
        assert first + second - 2 * both == pytest.approx(variance, rel=1e-6)
        (margin,) = verdict.margins.values()
        assert (margin.high - margin.low) / 2 == pytest.approx(stats.t.ppf(0.95, 9) * sqrt(variance), rel=1e-6)

    def test_sizes_say_the_same_as_their_share(self, lecture):
        both = [{"test_fraction": 0.1}, {"train_size": 270, "test_size": 30}]
        first, second = (compare(lecture, task="scores", rows="folds", **sizes) for sizes in both)
        assert first.comparisons[0].p == same(second.comparisons[0].p)

    def test_values_are_as_sure_as_overlapping_folds_allow(self, lecture):
        scores = Predictions.read(lecture, task="scores", rows="folds", test_fraction=0.1)
        score = evaluate(scores)["E1", "mean"]
        values = scores.model("E1").values
        assert score.standard_error == same(values.std(ddof=1) * sqrt(1 / 10 + 1 / 9))

    def test_without_sizes_it_is_refused(self, lecture, referee):
        found = referee("compare", lecture, "--task", "scores", "--rows", "folds")
        assert found.code == 2
        assert found.json["error"]["code"] == "E_DESIGN"
        assert "--test-fraction" in found.json["error"]["hint"]


@pytest.fixture(scope="module")
def weka(reference):
    return reference / "weka/experimenter_10x10_scores.csv"


COLUMNS = {"Percent_correct": "percent_correct", "Area_under_ROC": "area_under_roc"}
COLUMNS |= {"Root_mean_squared_error": "root_mean_squared_error"}
LONG = {"task": "scores", "model_column": "scheme", "repeat": "run", "fold": "fold", "test_fraction": 0.1}


class TestDataSets:
    def test_two_models_are_compared_by_scipys_signed_ranks(self):
        table = drawn(14, 0.7, 0.0)
        found = compare(table, task="scores", rows="datasets").comparison("a", "b")
        assert found.p == same(stats.wilcoxon(table["a"], table["b"], mode="exact").pvalue)

    def test_more_models_by_friedmans_test(self):
        table = drawn(12, 0.9, 0.5, 0.2, 0.0)
        verdict = compare(table, task="scores", rows="datasets")
        chi_squared = stats.friedmanchisquare(*table.values()).statistic
        assert verdict.across.statistic == same(11 * chi_squared / (12 * 3 - chi_squared))
        # Demšar (2006): 2.569 sqrt(k (k + 1) / (6 N)) for four models, as autorank and scikit-posthocs have it.
        studentized = stats.studentized_range.ppf(0.95, 4, np.inf) / sqrt(2)
        assert studentized == pytest.approx(2.569, abs=5e-4)
        assert verdict.across.details["critical_difference"] == pytest.approx(
            studentized * sqrt(4 * 5 / (6 * 12)), rel=1e-6
        )

    def test_wins_ties_and_losses_are_counted(self):
        table = {"a": [0.9, 0.8, 0.7, 0.6, 0.5], "b": [0.8, 0.8, 0.6, 0.7, 0.4], "set": [*"vwxyz"]}
        verdict = compare(table, task="scores", dataset="set")
        counted = verdict.comparison("a", "b").details["data_sets"]
        assert (counted["wins"], counted["ties"], counted["losses"]) == (3, 1, 1)
        assert counted["outcomes"] == {"v": "a", "w": "tie", "x": "a", "y": "b", "z": "a"}
        assert "3 / 1 / 1" in verdict.to_markdown()

    @pytest.mark.parametrize("metric", COLUMNS)
    def test_wekas_outcomes_from_its_scores_alone(self, weka, reference, metric):
        """By Weka's own degrees of freedom, which are asked for by name."""
        outcomes = json.loads((reference / "weka/experimenter_ttests.json").read_text())
        wanted = [one for one in outcomes if (one["metric"], one["tester"]) == (metric, "PairedCorrectedTTester")]
        test = "corrected_resampled_t(df=99)"
        verdict = compare(weka, **LONG, dataset="dataset", score_column=COLUMNS[metric], test=test)
        who = {1: "a", -1: "b", 0: "tie"}
        checked = 0
        for pair in verdict.comparisons:
            for one in wanted:
                if (one["x"], one["y"]) == (pair.a, pair.b):
                    assert pair.details["data_sets"]["outcomes"][one["dataset"]] == who[one["significance"]]
                    checked += 1
        assert checked == 50

    def test_one_of_wekas_data_sets(self, weka, reference):
        with weka.open() as file:
            rows = [row for row in csv.DictReader(file) if row["dataset"] == "Glass"]
        table = {name: [row[name] for row in rows] for name in ("run", "fold", "scheme", "percent_correct")}
        test = "corrected_resampled_t(df=99)"
        verdict = compare(table, **LONG, rows="folds", score_column="percent_correct", test=test)
        outcomes = json.loads((reference / "weka/experimenter_ttests.json").read_text())
        for one in outcomes:
            chosen = (one["dataset"], one["metric"], one["tester"])
            if chosen == ("Glass", "Percent_correct", "PairedCorrectedTTester"):
                found = verdict.comparison(one["x"], one["y"])
                assert found.p == same(one["p"])
                assert abs(found.statistic) == same(abs(one["t"]))

    def test_across_sets_the_means_of_folds_are_compared(self, weka):
        verdict = compare(weka, **LONG, dataset="dataset", score_column="percent_correct")
        with weka.open() as file:
            rows = [*csv.DictReader(file)]
        sets = sorted({row["dataset"] for row in rows})

        def means(scheme):
            chosen = {name: [] for name in sets}
            for row in rows:
                if row["scheme"] == scheme:
                    chosen[row["dataset"]].append(float(row["percent_correct"]))
            return [np.mean(values) for values in chosen.values()]

        expected = stats.wilcoxon(means("J48"), means("NaiveBayes"), mode="exact").pvalue
        assert verdict.comparison("J48", "NaiveBayes").p == same(expected)


@pytest.fixture(scope="module")
def fitted():
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold, cross_validate
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, y = load_breast_cancer(return_X_y=True)
    cv = KFold(10, shuffle=True, random_state=0)
    models = {"lr": make_pipeline(StandardScaler(), LogisticRegression()), "nb": GaussianNB()}
    asked = {"cv": cv, "scoring": ["accuracy", "roc_auc"], "return_indices": True}
    return {name: cross_validate(model, x, y, **asked) for name, model in models.items()}, models, x, y, cv


class TestOfScikitLearn:
    def test_cross_validate_gives_what_select_gives(self, fitted):
        results, models, x, y, cv = fitted
        ours = compare(results, goal="accuracy")
        selected = select(models, x, y, goal="accuracy", scheme=cv, positive=1)
        assert ours.comparison("lr", "nb").p == same(selected.comparison("lr", "nb").p)
        assert ours.winners == selected.winners

    @pytest.mark.parametrize("random", [False, True])
    def test_repeated_folds_and_random_splits_are_told_apart(self, fitted, random):
        from sklearn.model_selection import RepeatedKFold, ShuffleSplit, cross_validate

        _, models, x, y, _ = fitted
        cv = ShuffleSplit(8, test_size=0.25, random_state=0) if random else RepeatedKFold(n_splits=4, n_repeats=2)
        cv.random_state = 0
        results = {name: cross_validate(one, x, y, cv=cv, return_indices=True) for name, one in models.items()}
        ours = compare(results, goal="accuracy").comparison("lr", "nb")
        selected = select(models, x, y, goal="accuracy", scheme=cv, positive=1).comparison("lr", "nb")
        assert ours.df == (7 if random else 3)
        assert (ours.p, ours.df) == (same(selected.p), selected.df)

    def test_the_scorer_that_decides_is_named(self, fitted):
        results = fitted[0]
        with pytest.raises(RefereeError, match="which of the scores should decide"):
            compare(results)
        verdict = compare(results, goal="roc_auc")
        assert verdict.values["lr"] == same(results["lr"]["test_roc_auc"].mean())
        assert verdict.to_dict()["goal"] == "roc_auc"

    def test_without_indices_the_sizes_are_asked_for(self, fitted):
        bare = {name: {"test_score": one["test_accuracy"]} for name, one in fitted[0].items()}
        with pytest.raises(RefereeError, match="sizes of the training and test sets"):
            compare(bare, goal="accuracy")
        known = compare(fitted[0], goal="accuracy").comparison("lr", "nb")
        assert compare(bare, goal="accuracy", test_fraction=0.1).comparison("lr", "nb").p == same(known.p)

    def test_different_splits_are_refused(self, fitted):
        results = dict(fitted[0])
        turned = {"indices": {side: rows[::-1] for side, rows in results["nb"]["indices"].items()}}
        with pytest.raises(RefereeError, match="different splits"):
            compare(results | {"nb": {**results["nb"], **turned}}, goal="accuracy")

    def test_a_search_is_a_table_of_folds(self, fitted):
        from sklearn.model_selection import GridSearchCV
        from sklearn.tree import DecisionTreeClassifier

        _, _, x, y, _ = fitted
        grid = {"max_depth": [1, 2, 4]}
        search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=5, scoring="accuracy").fit(x, y)
        verdict = compare(search, goal="accuracy")
        assert verdict.values == {
            f"max_depth={depth}": pytest.approx(mean)
            for depth, mean in zip((1, 2, 4), search.cv_results_["mean_test_score"], strict=True)
        }
        pair = verdict.comparison("max_depth=1", "max_depth=2")
        each = np.array([search.cv_results_[f"split{place}_test_score"] for place in range(5)])
        difference = each[:, 0] - each[:, 1]
        t = difference.mean() / sqrt(difference.var(ddof=1) * (1 / 5 + 1.5 / 4))
        assert pair.p == same(2 * stats.t.sf(abs(t), 4))
        with pytest.raises(RefereeError, match="scored by 'accuracy'"):
            compare(search, goal="roc_auc")

    def test_refit_takes_the_simplest_of_the_best(self, fitted):
        from sklearn.model_selection import GridSearchCV
        from sklearn.tree import DecisionTreeClassifier

        _, _, x, y, _ = fitted
        tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 5, 9]}
        search = GridSearchCV(tree, grid, cv=5, refit=refit("accuracy")).fit(x, y)
        may_be_best = compare(search, goal="accuracy").winners
        assert f"max_depth={search.best_params_['max_depth']}" == min(may_be_best, key=lambda name: int(name[10:]))
        deepest = refit("accuracy", simplest=lambda one: -one["max_depth"])
        search = GridSearchCV(tree, grid, cv=5, refit=deepest).fit(x, y)
        assert search.best_params_["max_depth"] == max(int(name[10:]) for name in may_be_best)


def test_results_of_cross_validation_are_evaluated_with_the_corrected_error():
    """Nadeau and Bengio's, by hand: ten folds test a ninth of what they train on."""
    scores = np.array([0.91, 0.94, 0.9, 0.96, 0.93, 0.92, 0.95, 0.9, 0.94, 0.93])
    results = {"a": {"test_accuracy": scores, "test_f1": scores - 0.1}}
    found = evaluate(results, metrics="accuracy", test_fraction=0.1)["a", "accuracy"]
    assert found.value == same(scores.mean())
    assert found.standard_error == same(scores.std(ddof=1) * sqrt(1 / 10 + 1 / 9))
    with pytest.raises(RefereeError, match="name it in metrics="):
        evaluate(results, metrics=["accuracy", "f1"], test_fraction=0.1)


def test_refit_says_what_it_wants():
    with pytest.raises(TypeError, match="cv_results_"):
        refit("accuracy")({"a": 1})


class TestArrays:
    """Scores without a table around them are those of the table with these columns."""

    scores = np.stack([*drawn(40, 0.0, 0.4, 0.9).values()], axis=1)

    def p(self, *data, a, b, **said):
        return compare(*data, task="scores", test="paired_t", **said).comparison(a, b).p

    def test_a_matrix_has_a_row_for_each_item(self):
        expected = same(stats.ttest_rel(self.scores[:, 0], self.scores[:, 1]).pvalue)
        assert self.p(self.scores[:, :2], a="model_1", b="model_2") == expected
        assert self.p(self.scores[:, :2].tolist(), a="x", b="y", models=["x", "y"]) == expected
        assert self.p(self.scores[:, 0], self.scores[:, 1], a="model_1", b="model_2") == expected
        assert self.p([self.scores[:, 0], self.scores[:, 1]], a="model_1", b="model_2") == expected

    def test_groups_may_be_an_array(self):
        passage = np.repeat(np.arange(10), 4)
        found = compare(self.scores[:, :2], task="scores", group=passage).comparison("model_1", "model_2")
        means = (self.scores[:, 0] - self.scores[:, 1]).reshape(10, 4).mean(axis=1)
        assert found.standard_error == same(stats.sem(means))

    @pytest.mark.parametrize(
        ("given", "said", "words"),
        [
            (scores.T, {}, "transpose the array"),
            (scores, {"models": ["a", "b"]}, "scores of 3 models and 2 names"),
            (np.zeros((2, 2, 2)), {}, "a row for each item"),
        ],
    )
    def test_what_is_no_matrix_of_scores(self, given, said, words):
        with pytest.raises(TypeError, match=words) as error:
            compare(given, task="scores", **said)
        assert isinstance(error.value, RefereeError)


class TestScorers:
    results = {"a": {"test_score": [0.8, 0.9, 0.7]}, "b": {"test_score": [0.7, 0.9, 0.6]}}  # noqa: RUF012

    @pytest.mark.parametrize(("goal", "warned"), [("roc_auc", True), ("accuracy", False), (None, False)])
    def test_scores_without_a_scorer_are_said_to_be_taken_for_the_goal(self, goal, warned):
        verdict = compare(self.results, goal=goal, test_fraction=1 / 3)
        messages = [notice.message for notice in verdict.warnings if notice.code == "W_SCORER"]
        assert bool(messages) is warned and all("assumed is roc_auc" in message for message in messages)
        assert any("assumed is accuracy" in note for note in verdict.predictions.notes) is (goal == "accuracy")

    def test_a_scorer_that_is_named_needs_no_warning(self):
        named = {name: {"test_roc_auc": result["test_score"]} for name, result in self.results.items()}
        assert not [n for n in compare(named, goal="roc_auc", test_fraction=1 / 3).warnings if n.code == "W_SCORER"]

    def test_losses_are_named_as_scikit_learn_names_them(self):
        with pytest.raises(RefereeError) as error:
            compare(self.results, goal="rmse", test_fraction=1 / 3)
        assert "neg_root_mean_squared_error" in error.value.hint

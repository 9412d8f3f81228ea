"""What `referee select` says beside the verdict: robustness, learning curves, costs, the one-standard-error rule."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from referee import metrics, schemes
from referee.comparing.split_estimates import no_information_values, point_632, point_632_plus
from referee.errors import UndefinedError, UsageError
from referee.fitting import DataSet, Growth, Resampling, Split, predictions_of, select
from referee.fitting.learning_curve import growth, sizes_of, smaller_splits
from referee.fitting.robustness import Corruption, corruptions_of
from referee.fitting.stored_predictions import seen_predictions, values_of_splits
from referee.fitting.tradeoffs import tie_breakers
from tests.fitting.test_schemes_against_others import REFERENCE, by_equation_32, mlxtend_resamples
from tests.reference.mlxtend_point632 import RUNS

pytestmark = pytest.mark.usefixtures("fits_here")

MODELS = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
SCHEME = "random_subsampling(splits=4)"


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    x = generator.normal(size=(160, 3))
    return x, (x[:, 0] + generator.normal(size=160) > 0).astype(int)


@pytest.fixture(scope="module")
def mixed():
    """Numbers and categories, some of them missing, and three classes."""
    generator = np.random.default_rng(1)
    number = generator.normal(3, 2, size=4000)
    number[:100] = np.nan
    category = np.array(["a", "b", "c", "d"])[generator.integers(4, size=4000)].astype(object)
    category[50:200] = None
    return DataSet.from_arrays({"number": number, "category": category}, generator.choice(["u", "v", "w"], 4000))


@pytest.fixture(scope="module")
def profile(table):
    return select(
        MODELS, *table, goal="accuracy", scheme=SCHEME, robustness={"label_noise": [0.2, 0.4]},
        learning_curve=[0.25, 60],
    )  # fmt: skip


def rows_of(verdict):
    return {row.model: row for row in verdict.selection.tradeoffs}


def is_binomial(count, trials, rate):
    low, high = stats.binom.ppf([1e-6, 1 - 1e-6], trials, rate)
    return low <= count <= high


class TestCorruption:
    @pytest.mark.parametrize("rate", [0.05, 0.3, 1.0])
    def test_labels_become_other_ones_at_the_rate(self, mixed, rate):
        noisy = Corruption("label_noise", rate).applied_to(mixed)
        changed = noisy.target != mixed.target
        assert is_binomial(changed.sum(), 4000, rate)
        assert np.array_equal(noisy.X, mixed.X, equal_nan=True)
        # Both other classes are equally probable.
        steps = (noisy.target - mixed.target)[changed] % 3
        assert is_binomial((steps == 1).sum(), changed.sum(), 0.5)

    @pytest.mark.parametrize("rate", [0.1, 0.5])
    def test_features(self, mixed, rate):
        noisy = Corruption("feature_noise", rate).applied_to(mixed)
        number, category = mixed.X.T
        assert np.isnan(noisy.X[:100, 0]).all()
        noise = (noisy.X[:, 0] - number)[100:]
        expected = rate * np.std(number[100:])
        assert stats.kstest(noise / expected, "norm").pvalue > 1e-4
        there = ~np.isnan(category)
        assert is_binomial((noisy.X[there, 1] != category[there]).sum(), there.sum(), rate)
        assert set(noisy.X[there, 1]) == {0, 1, 2, 3}
        assert [one.missing for one in noisy.features] == [one.missing for one in mixed.features]
        assert np.array_equal(noisy.target, mixed.target)

    def test_cells_go_missing_and_features_say_so(self, table):
        data = DataSet.from_arrays(*table)
        gaps = Corruption("missing", 0.3).applied_to(data)
        lost = np.isnan(gaps.X)
        assert is_binomial(lost.sum(), lost.size, 0.3)
        assert [one.missing for one in gaps.features] == lost.sum(axis=0).tolist()
        assert np.array_equal(gaps.X[~lost], data.X[~lost])
        # Cells go missing independently of each other.
        both = (lost[:, 0] & lost[:, 1]).sum()
        assert is_binomial(both, len(lost), 0.09)

    def test_numbers_to_predict_get_noise_of_a_share_of_their_deviation(self):
        target = np.random.default_rng(2).gamma(2, 10, size=3000)
        noisy = Corruption("label_noise", 0.5).applied_to(DataSet.from_arrays(np.zeros((3000, 1)), target)).target
        assert stats.kstest((noisy - target) / (0.5 * target.std()), "norm").pvalue > 1e-4

    def test_it_hangs_on_the_seed_alone_and_a_higher_rate_is_more_of_the_same(self, mixed):
        def changed(rate, seed=0):
            return Corruption("label_noise", rate).applied_to(mixed, seed).target != mixed.target

        assert np.array_equal(changed(0.1), changed(0.1))
        assert not np.array_equal(changed(0.1), changed(0.1, seed=1))
        assert (changed(0.3) | ~changed(0.1)).all()

    def test_what_is_asked(self):
        assert corruptions_of("missing=0.2,0.4,label_noise") == (
            Corruption("missing", 0.2), Corruption("missing", 0.4), Corruption("label_noise", 0.1),
        )  # fmt: skip
        assert corruptions_of(None) == sizes_of(None) == ()
        for wrong in (
            "noise=0.1",
            "missing=1",
            "missing=0",
            "label_noise=-1",
            "missing=x",
            {"missing": [True]},
            0.5,
            "",
            {},
        ):
            with pytest.raises(UsageError):
                corruptions_of(wrong)
        for wrong in ("0", "-5", "2.5", "1", "x", "inf"):
            with pytest.raises(UsageError, match="learning_curve="):
                sizes_of(wrong)


class TestRobustness:
    def test_fits_on_noisy_labels_are_judged_by_the_true_ones(self, table, profile):
        x, y = table
        splits = list(schemes[SCHEME].splits(x, y.astype(str)))
        for place, rate in enumerate((0.2, 0.4)):
            noisy = Corruption("label_noise", rate).applied_to(DataSet.from_arrays(x, y)).target
            for name, model in MODELS.items():
                clean, after = (
                    np.array([accuracy_score(y[test], clone(model).fit(x[train], labels[train]).predict(x[test]))
                              for train, test in splits])
                    for labels in (y, noisy)
                )  # fmt: skip
                found = rows_of(profile)[name].robustness[place]
                assert (found.kind, found.rate) == ("label_noise", rate)
                assert found.value == pytest.approx(after.mean(), rel=1e-12)
                assert found.change == pytest.approx((after - clean).mean(), abs=1e-12)
                # As in the verdict: (1/J + 1.5 n_test/n_train) times the variance of the differences.
                sizes = [(len(train), len(test)) for train, test in splits]
                ratio = sum(test for _, test in sizes) / sum(train for train, _ in sizes)
                error = np.sqrt((1 / 4 + 1.5 * ratio) * (after - clean).var(ddof=1))
                assert found.standard_error == pytest.approx(error, rel=1e-9)

    def test_gaps_are_filled_in_and_who_cannot_is_said(self, table):
        models = {"fills": DecisionTreeClassifier(), "bayes": GaussianNB(),
                  "cannot": make_pipeline(OwnEncoder(), LogisticRegression())}  # fmt: skip
        verdict = select(models, *table, goal="accuracy", scheme="holdout", robustness="missing=0.2")
        found = {name: row.robustness[0] for name, row in rows_of(verdict).items()}
        assert found["fills"].value is not None
        assert found["bayes"].value is not None
        assert found["cannot"].value is None
        assert "contains NaN" in found["cannot"].undefined
        (notice,) = [one for one in verdict.warnings if one.code == "W_UNFITTED"]
        assert "cannot has no value with missing=0.2" in notice.message
        assert not verdict.selection.failures
        assert json.dumps(verdict.to_dict(), allow_nan=False)

    def test_regression(self):
        generator = np.random.default_rng(3)
        x = generator.normal(size=(90, 2))
        y = x[:, 0] + 0.1 * generator.normal(size=90)
        verdict = select({"line": LinearRegression(), "mean": "dummy"}, x, y, goal="mae", scheme="k_fold(k=3)",
                         robustness="feature_noise=1")  # fmt: skip
        noisy = Corruption("feature_noise", 1).applied_to(DataSet.from_arrays(x, y)).X
        expected = [mean_absolute_error(y[test], LinearRegression().fit(noisy[train], y[train]).predict(noisy[test]))
                    for train, test in schemes["k_fold(k=3)"].split(x)]  # fmt: skip
        found = rows_of(verdict)["line"].robustness[0]
        assert found.value == pytest.approx(np.mean(expected), rel=1e-10)
        assert found.change > 0


class OwnEncoder(TransformerMixin, BaseEstimator):
    """A pipeline with an encoder prepares its features itself; this one does nothing about gaps."""

    def fit(self, X, y=None):  # noqa: N803, ARG002
        return self

    def transform(self, X):  # noqa: N803
        return X


class TestLearningCurve:
    def test_values_are_those_of_scikit_learn_on_the_same_rows(self, table, profile):
        x, y = table
        resampling = Resampling(DataSet.from_arrays(x, y), MODELS, schemes[SCHEME], metrics["accuracy"])
        for place, splits in enumerate(smaller_splits(resampling, (0.25, 60))):
            cv = [(split.train, split.test) for split in splits]
            for name, model in MODELS.items():
                point = rows_of(profile)[name].learning_curve[place]
                assert point.test == pytest.approx(cross_val_score(clone(model), x, y, cv=cv).mean(), rel=1e-12)
                trained = [clone(model).fit(x[a], y[a]).score(x[a], y[a]) for a, _ in cv]
                assert point.train == pytest.approx(np.mean(trained), rel=1e-12)
        for name, model in MODELS.items():
            last = rows_of(profile)[name].learning_curve[-1]
            cv = [(split.train, split.test) for split in resampling.splits]
            assert last.test == pytest.approx(cross_val_score(clone(model), x, y, cv=cv).mean(), rel=1e-12)
        assert [point.rows for point in last_curve(profile)] == [27, 60, 107]

    def test_smaller_parts_lie_inside_larger_ones_and_keep_the_classes(self, mixed):
        resampling = Resampling(mixed, ["tree", "dummy"], schemes[SCHEME], metrics["accuracy"])
        shares = np.bincount(mixed.target) / 4000
        for few, more, split in zip(*smaller_splits(resampling, (0.01, 0.3)), resampling.splits, strict=True):
            assert set(few.train) < set(more.train) < set(split.train)
            assert np.array_equal(few.test, split.test)
            for part in (few.train, more.train):
                assert len(np.unique(part)) == len(part)
                assert np.abs(np.bincount(mixed.target[part]) - len(part) * shares).max() < 2

    def test_the_part_of_a_size_does_not_hang_on_the_other_sizes(self, mixed):
        resampling = Resampling(mixed, ["tree", "dummy"], schemes["holdout"], metrics["accuracy"])
        (alone,), (_, beside) = smaller_splits(resampling, (0.3,)), smaller_splits(resampling, (0.01, 0.3))
        assert np.array_equal(alone[0].train, beside[0].train)

    def test_groups_stay_whole(self):
        generator = np.random.default_rng(9)
        group = generator.integers(40, size=400)
        data = DataSet.from_arrays(np.zeros((400, 1)), generator.integers(2, size=400), group=group)
        resampling = Resampling(data, ["tree", "dummy"], schemes["k_fold(k=4)"], metrics["accuracy"])
        largest = np.bincount(group).max()
        for few, more, split in zip(*smaller_splits(resampling, (0.1, 150)), resampling.splits, strict=True):
            assert set(few.train) < set(more.train) < set(split.train)
            for part, count in ((few.train, round(0.1 * len(split.train))), (more.train, 150)):
                assert not set(group[part]) & set(group[np.setdiff1d(split.train, part)])
                assert count <= len(part) < count + largest

    def test_of_rows_in_time_the_latest_are_taken(self):
        time = np.random.default_rng(10).permutation(np.repeat(np.arange(60), 2))
        data = DataSet.from_arrays(np.zeros((120, 1)), np.arange(120) % 2, time=time)
        resampling = Resampling(data, ["tree", "dummy"], schemes["time_ordered(k=3)"], metrics["accuracy"])
        (smaller,) = smaller_splits(resampling, (9,))
        for part, split in zip(smaller, resampling.splits, strict=True):
            # Ten rows are the last five moments before the test part.
            first_tested = time[split.test].min()
            assert sorted(set(time[part.train])) == list(range(first_tested - 5, first_tested))
            assert len(part.train) == 10

    def test_more_rows_than_there_are(self, table):
        with pytest.raises(UsageError, match="there are 107 training rows") as caught:
            select(MODELS, *table, goal="accuracy", learning_curve=[5000])
        assert caught.value.code == "E_PARAMETER"


def last_curve(verdict):
    return verdict.selection.tradeoffs[-1].learning_curve


class TestGrowth:
    @pytest.mark.parametrize("power", [0.0, 1.0, 2.7])
    def test_a_known_power_is_found(self, power):
        rows = np.array([100, 200, 400, 800])
        found = growth(rows, 0.002 * rows**power)
        assert found.exponent == pytest.approx(power, abs=1e-12)
        assert found.standard_error == pytest.approx(0, abs=1e-7)
        assert found.rows == (100, 800)

    def test_slope_and_error_are_those_of_scipy(self):
        rows, seconds = [125, 250, 500, 1000], [0.011, 0.019, 0.047, 0.083]
        expected = stats.linregress(np.log(rows), np.log(seconds))
        found = growth(rows, seconds)
        assert found.exponent == pytest.approx(expected.slope, rel=1e-12)
        assert found.standard_error == pytest.approx(expected.stderr, rel=1e-12)

    def test_times_too_small_to_measure_are_left_out(self):
        found = growth([100, 200, 400], [0.0002, 0.01, 0.02])
        assert (found.exponent, found.standard_error, found.rows) == (pytest.approx(1), None, (200, 400))
        none = growth([100, 200, 400], [0.0002, 0.0003, 0.02])
        assert none.exponent is None
        assert "200 rows take less than 1 ms" in none.undefined
        assert growth([100], [1.0]).exponent is None


class TestOneStandardError:
    @pytest.mark.parametrize("order", [("bayes", "logistic"), ("logistic", "bayes")])
    def test_by_hand_of_folds(self, table, order):
        """The best model's deviation over k folds by the root of k; the simplest is that which was named first."""
        x, y = table
        scheme = schemes["stratified_k_fold(k=4)"]
        each = {name: cross_val_score(model, x, y, cv=scheme) for name, model in MODELS.items()}
        best = max(each, key=lambda name: each[name].mean())
        limit = each[best].mean() - each[best].std(ddof=1) / 4**0.5
        within = [name for name in order if each[name].mean() >= limit]
        assert len(within) == 2
        models = {name: MODELS[name] for name in order}
        rule = select(models, x, y, goal="accuracy", scheme=scheme, simplest_first=True).selection.one_standard_error
        assert (rule.model, rule.best, set(rule.within)) == (order[0], best, set(within))
        assert rule.limit == pytest.approx(limit, rel=1e-12)
        assert "named first" in rule.sentence and "not a test" in rule.sentence

    def test_thirty_splits_of_a_third_are_no_thirty_test_sets(self, table):
        x, y = table
        verdict = select(MODELS, x, y, goal="accuracy", scheme="random_subsampling(splits=12)")
        rule = verdict.selection.one_standard_error
        cv = list(schemes["random_subsampling(splits=12)"].split(x, y.astype(str)))
        each = cross_val_score(MODELS[rule.best], x, y, cv=cv)
        assert rule.standard_error == pytest.approx(each.std(ddof=1) / (160 / 53) ** 0.5, rel=1e-12)
        # Of the same size as that of a share on 160 rows, which Breiman et al. take.
        assert rule.standard_error == pytest.approx((each.mean() * (1 - each.mean()) / 160) ** 0.5, rel=0.6)

    def test_one_test_set_has_the_standard_error_of_its_rows(self, table):
        verdict = select(MODELS, *table, goal="accuracy", scheme="holdout")
        rule, n = verdict.selection.one_standard_error, 53
        share = verdict.values[rule.best]
        assert rule.standard_error == pytest.approx((share * (1 - share) / n) ** 0.5, rel=0.02)

    def test_the_smallest_by_a_measure_that_all_have(self, table):
        small, large = DecisionTreeClassifier(max_leaf_nodes=3), DecisionTreeClassifier(max_leaf_nodes=4)
        verdict = select({"large": large, "small": small}, *table, goal="accuracy", scheme="k_fold(k=4)")
        rule = verdict.selection.one_standard_error
        assert set(rule.within) == {"large", "small"}
        assert (rule.model, rule.simplicity) == ("small", "fewest leaves")
        assert verdict.to_dict()["selection"]["one_standard_error"]["sentence"] == rule.sentence


class TestTieBreakers:
    def test_a_tie_names_who_is_ahead_in_what(self, profile):
        assert profile.outcome == "tie"
        rows = rows_of(profile)
        found = {one.by: one for one in profile.selection.tie_breakers}
        fastest = min(profile.winners, key=lambda name: rows[name].fit_seconds)
        assert found["fastest to fit"].models == (fastest,)
        assert found["fastest to fit"].value == rows[fastest].fit_seconds
        sturdy = max(profile.winners, key=lambda name: rows[name].robustness[1].change)
        assert found["loses least with label_noise=0.4"].models == (sturdy,)
        smallest = min(profile.winners, key=lambda name: rows[name].size["bytes"])
        assert found["fewest bytes"].models == (smallest,)
        assert "fewest leaves" not in found

    @pytest.mark.parametrize(
        ("first", "other", "ahead"),
        [
            ((0.5, 0.1), (1.0, 0.1), ("logistic",)),
            ((0.5, 0.3), (1.0, 0.3), None),
            ((-0.29, None), (1.0, None), None),
            ((0.5, 0.1), (1.0, None), None),
        ],
    )
    def test_growth_is_told_where_it_is_more_than_noise(self, profile, first, other, ahead):
        grown = {"logistic": Growth(*first), "bayes": Growth(*other)}
        rows = [replace(row, growth=grown[row.model]) for row in profile.selection.tradeoffs]
        found = {one.by: one.models for one in tie_breakers(profile, rows)}
        assert found.get("fit time grows least with rows") == ahead

    def test_a_winner_needs_none(self):
        x = np.arange(200.0)[:, None]
        verdict = select(["tree", "dummy"], x, (x[:, 0] > 100).astype(int), goal="accuracy", scheme="k_fold(k=5)")
        assert (verdict.outcome, verdict.selection.tie_breakers) == ("winner", ())


class TestPoint632Plus:
    @pytest.mark.parametrize("data", list(RUNS))
    def test_mlxtend_on_the_same_resamples(self, data):
        """From what is stored of fits; mlxtend takes all rows for the training score."""
        found = json.loads(Path(REFERENCE).read_text())[data]
        load, model = RUNS[data]
        x, y = load(return_X_y=True)
        positive = "class 1" if len(set(y)) == 2 else None
        table = DataSet.from_arrays(x, [f"class {code}" for code in y], positive=positive)
        splits = [Split(train, test, number, seen=np.arange(len(y)))
                  for number, (train, test) in enumerate(mlxtend_resamples(len(y)), start=1)]  # fmt: skip
        records = {("model", number): stored(model, x, y, split) for number, split in enumerate(splits)}
        goal, given = metrics["accuracy"], (table, splits, ["model"], records)
        test = values_of_splits(predictions_of(*given), goal)["model"].each
        train = values_of_splits(seen_predictions(*given), goal)["model"].each
        guessing = no_information_values(seen_predictions(*given), goal)["model"]
        assert test == pytest.approx(found["bootstrap"], abs=1e-14)
        assert point_632(test, train) == pytest.approx(found["bootstrap_632"], abs=1e-14)
        overfits = test < train
        assert overfits.sum() >= 10
        plus = point_632_plus(test, train, guessing)
        assert plus[overfits] == pytest.approx(np.array(found["bootstrap_632_plus"])[overfits], abs=1e-14)

    @pytest.mark.parametrize("training", ["sample", "all"])
    def test_beside_the_verdict(self, table, training):
        x, y = table
        scheme = f"bootstrap_632_plus(repeats=5, training={training})"
        verdict = select({"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}, x, y,
                         goal="error_rate", scheme=scheme)  # fmt: skip
        for name, model in (("tree", DecisionTreeClassifier(random_state=0)), ("bayes", GaussianNB())):
            test, train, guessing = [], [], []
            for split in schemes[scheme].splits(x, y.astype(str)):
                fitted = clone(model).fit(x[split.train], y[split.train])
                seen = split.train if training == "sample" else np.arange(len(y))
                said = fitted.predict(x[seen])
                test.append(np.mean(fitted.predict(x[split.test]) != y[split.test]))
                train.append(np.mean(said != y[seen]))
                # Efron and Tibshirani (1997), equation 27.
                p, q = y[seen].mean(), said.mean()
                guessing.append(p * (1 - q) + (1 - p) * q)
            expected = by_equation_32(*map(float, map(np.mean, (test, train, guessing))))
            assert rows_of(verdict)[name].combined == pytest.approx(float(expected), abs=1e-12)

    def test_weights(self):
        """With weighted shares p of the truth and q of the decisions, guessing is right in p q + (1 - p)(1 - q)."""
        generator = np.random.default_rng(8)
        y, said = generator.integers(2, size=(2, 50))
        weight = generator.uniform(0.5, 2, size=50)
        table = DataSet.from_arrays(np.zeros((50, 1)), y, weight=weight)
        record = {("m", 0): {"test_labels": said[:1], "train_labels": said}}
        predictions = seen_predictions(table, [Split(np.arange(50), np.arange(1))], ["m"], record)
        p, q = np.average(y, weights=weight), np.average(said, weights=weight)
        found = no_information_values(predictions, metrics["accuracy"])["m"]
        assert found == pytest.approx(p * q + (1 - p) * (1 - q), rel=1e-12)

    def test_numbers(self):
        """Every truth with every prediction: var(y) + var(f) + (difference of means)^2 for the squared error."""
        generator = np.random.default_rng(4)
        y, said = generator.normal(size=(2, 200))
        table = DataSet.from_arrays(np.zeros((200, 1)), y)
        record = {("m", 0): {"test_values": said[:1], "train_values": said}}
        predictions = seen_predictions(table, [Split(np.arange(200), np.arange(1))], ["m"], record)
        expected = y.var() + said.var() + (y.mean() - said.mean()) ** 2
        assert no_information_values(predictions, metrics["mse"])["m"] == pytest.approx(expected, rel=1e-12)


class TestTheVerdictIsOnTheSchemesEstimate:
    """The lecture: Acc(M) is the mean of 0.632 x the accuracy on the test set + 0.368 x that on the training set."""

    @staticmethod
    def refitted(model, x, y, splits, score):
        test, train = [], []
        for split in splits:
            fitted = clone(model).fit(x[split.train], y[split.train])
            test.append(score(y[split.test], fitted.predict(x[split.test])))
            train.append(score(y[split.train], fitted.predict(x[split.train])))
        return np.array(test), np.array(train)

    def test_values_difference_and_test(self, table):
        x, y = table
        scheme = "bootstrap_632(repeats=12)"
        verdict = select(MODELS, x, y, goal="accuracy", scheme=scheme)
        splits = list(schemes[scheme].splits(x, y.astype(str)))
        tests, trains = zip(*(self.refitted(one, x, y, splits, accuracy_score) for one in MODELS.values()), strict=True)
        by_hand = [np.mean(0.632 * test + 0.368 * train) for test, train in zip(tests, trains, strict=True)]
        assert [verdict.values[name] for name in MODELS] == pytest.approx(by_hand, abs=1e-12)
        found = verdict.comparison("logistic", "bayes")
        assert found.difference == pytest.approx(by_hand[0] - by_hand[1], abs=1e-12)
        # The overlap counts 1.5 times Nadeau and Bengio's; a copy of a row is no further training row.
        trained = np.mean([len(set(split.train)) for split in splits])
        tested = np.mean([len(split.test) for split in splits])
        variance = (1 / 12 + 1.5 * tested / trained) * np.var(tests[0] - tests[1], ddof=1)
        p = 2 * stats.t.sf(abs(by_hand[0] - by_hand[1]) / np.sqrt(variance), 11)
        assert found.p == pytest.approx(p, rel=1e-9)
        for name, test, value in zip(MODELS, tests, by_hand, strict=True):
            row = rows_of(verdict)[name]
            assert (row.test, row.combined, row.value) == pytest.approx((test.mean(), value, value), abs=1e-12)
        assert verdict.design.value_name == ".632 estimate"

    def test_credit_g_on_the_command_line(self, referee, shared):
        import pandas as pd

        path = shared / "data/more/credit-g.parquet"
        given = ("select", path, "--target", "class", "--positive", "bad", "--models", "tree,logistic", "--goal", "f1")
        mixed = referee(*given, "--scheme", "bootstrap_632(repeats=8)").json
        rows = pd.read_parquet(path)
        x, y = rows.drop(columns="class"), (rows["class"].astype(str) == "bad").to_numpy()
        numbers = make_column_selector(dtype_include="number")
        columns = make_column_transformer(
            (StandardScaler(), numbers), (OneHotEncoder(), [name for name in x if name not in numbers(x)])
        )
        logistic = make_pipeline(columns, LogisticRegression(max_iter=1000))
        test, train = [], []
        for split in schemes["bootstrap_632(repeats=8)"].splits(x, rows["class"].astype(str).to_numpy()):
            fitted = clone(logistic).fit(x.iloc[split.train], y[split.train])
            test.append(f1_score(y[split.test], fitted.predict(x.iloc[split.test])))
            train.append(f1_score(y[split.train], fitted.predict(x.iloc[split.train])))
        by_hand = np.mean(0.632 * np.array(test) + 0.368 * np.array(train))
        assert mixed["verdict"]["values"]["logistic"] == pytest.approx(by_hand, abs=1e-3)
        tree = next(row for row in mixed["selection"]["tradeoffs"] if row["model"] == "tree")
        assert tree["train"] == 1.0
        assert mixed["verdict"]["values"]["tree"] == pytest.approx(0.632 * tree["test"] + 0.368, abs=1e-12)
        assert mixed["verdict"]["best"] == "tree", "it has learnt its training rows by heart"
        assert mixed["verdict"]["outcome"] == "undecided"
        assert "bootstrap_632_plus" in mixed["verdict"]["sentence"]
        assert "W_OVERFITTED" in [notice["code"] for notice in mixed["warnings"]]
        others = [other["outcome"] for other in mixed["other_goals"] if other["best"] == "tree"]
        assert others and set(others) == {"undecided"}, "what is too good for the goal is so for other metrics"
        plus = referee(*given, "--scheme", "bootstrap_632_plus(repeats=8)").json
        assert plus["verdict"]["best"] == "logistic"
        assert plus["verdict"]["values"]["tree"] < mixed["verdict"]["values"]["tree"]

    def test_a_model_that_lost_though_it_was_flattered_has_lost(self):
        generator = np.random.default_rng(2)
        x = generator.normal(size=(400, 6))
        y = (x[:, 0] + 0.2 * generator.normal(size=400) > 0).astype(int)
        models = {"line": LogisticRegression(), "noise": make_pipeline(LastColumns(), DecisionTreeClassifier())}
        verdict = select(models, x, y, goal="accuracy", scheme="bootstrap_632(repeats=10)")
        assert rows_of(verdict)["noise"].train == 1.0
        assert (verdict.outcome, verdict.winners) == ("winner", ("line",))

    def test_one_sample_is_not_enough_for_a_verdict(self, table):
        with pytest.raises(UndefinedError, match="1 split: this test needs at least 2"):
            select(MODELS, *table, goal="accuracy", scheme="bootstrap_632(repeats=1)")


class LastColumns(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):  # noqa: ARG002, N803
        self.fitted_ = True
        return self

    def transform(self, X):  # noqa: N803
        return X[:, -2:]


def stored(model, x, y, split):
    """What a run keeps of a fit."""
    fitted = clone(model).fit(x[split.train], y[split.train])
    shares = {part: fitted.predict_proba(x[rows]) for part, rows in (("train", split.train), ("test", split.test))}
    columns = 1 if len(fitted.classes_) == 2 else slice(None)
    return {f"{part}_scores": found[:, columns] for part, found in shares.items()}


class TestRunsInAFolder:
    def test_nothing_is_fitted_again_and_sizes_can_be_added(self, table, tmp_path):
        given = {"goal": "accuracy", "scheme": SCHEME, "store": tmp_path / "run", "robustness": "label_noise"}
        first = select(MODELS, *table, **given)
        again = select(MODELS, *table, **given, learning_curve=[0.5])
        for row, other in zip(first.selection.tradeoffs, again.selection.tradeoffs, strict=True):
            assert row.robustness == other.robustness
            # A fit that was made again would have taken another time.
            assert row.fit_seconds == other.fit_seconds
        assert (tmp_path / "run/learning_curve/0.5/results.sqlite").is_file()


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """Where the first format keeps its fits, so that the second and the third fit nothing."""
    return tmp_path_factory.mktemp("run")


def credit(shared):
    return shared / "data/more/credit-g.parquet"


class TestOnTheCommandLine:
    OPTIONS = ("--target", "class", "--positive", "bad", "--models", "naive_bayes,logistic", "--goal", "roc_auc",
               "--scheme", "random_subsampling(splits=3)")  # fmt: skip
    MORE = ("--robustness", "default", "--learning-curve", "0.1,0.5")

    def test_json_has_it_all(self, referee, shared, run_folder):
        run = referee("select", credit(shared), *self.OPTIONS, *self.MORE, "--out", run_folder)
        assert run.code == 0, run.out
        selection = run.json["selection"]
        assert (run.json["rows"], selection["rows"]) == (1000, 1000)
        for row in selection["tradeoffs"]:
            assert [one["kind"] for one in row["robustness"]] == ["label_noise", "feature_noise", "missing"]
            assert [point["rows"] for point in row["learning_curve"]] == [67, 334, 667]
            assert set(row["growth"]) == {"exponent", "standard_error", "rows", "undefined"}
        assert selection["one_standard_error"]["within"]

    @pytest.mark.parametrize("form", ["text", "md"])
    def test_tables(self, referee, shared, run_folder, form):
        run = referee("select", credit(shared), *self.OPTIONS, *self.MORE, "--out", run_folder, form=form)
        assert run.code == 0
        shown = run.out.replace("\\", "")
        for words in ("Robustness", "label_noise=0.1", "Learning curve", "one-standard-error rule", "fastest to fit"):
            assert words in shown
        if form == "text":
            assert "1,000 rows" in shown
            lines = [line for line in shown.splitlines() if not line.startswith("warning[") and "kept in" not in line]
            assert max(map(len, lines)) <= 80

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (("--robustness", "label_nois=0.1"), ("'label_nois'", "did you mean 'label_noise'")),
            (("--robustness", "missing=2"), ("missing=2",)),
            (("--learning-curve", "half"), ("'half'", "not a number")),
        ],
    )
    def test_what_is_refused(self, referee, shared, options, words):
        run = referee("select", credit(shared), *self.OPTIONS, *options)
        assert (run.code, run.json["error"]["code"]) == (2, "E_PARAMETER")
        assert all(word in run.json["error"]["message"] for word in words)

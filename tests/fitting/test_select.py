"""`referee select`: the same splits for every model, fits that are kept, and models that misbehave."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from referee import metrics, schemes
from referee.comparing import compare
from referee.errors import ModelError
from referee.fitting import DataSet, Store, estimators_of, families, read_run, select
from referee.fitting.fit_runs import fit_all
from referee.fitting.fits import Fitting, Unit
from referee.fitting.stored_predictions import Leading

pytestmark = pytest.mark.usefixtures("fits_here")


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    x = generator.normal(size=(120, 3))
    return x, (x[:, 0] + generator.normal(size=120) > 0).astype(int)


LARGER = "corrected_resampled_t(correction=1.5)"
MODELS = {"logistic": LogisticRegression(), "bayes": GaussianNB()}


class TestAgainstScikitLearn:
    @pytest.mark.parametrize(
        ("goal", "scoring"), [("accuracy", "accuracy"), ("roc_auc", "roc_auc"), ("log_loss", None)]
    )
    def test_the_same_splits_and_estimators_give_the_same_scores(self, table, goal, scoring):
        x, y = table
        scheme = schemes["stratified_k_fold(k=5)"]
        verdict = select(MODELS, x, y, goal=goal, scheme=scheme)
        found = verdict.scores
        for name, estimator in MODELS.items():
            expected = cross_val_score(clone(estimator), x, y, cv=scheme, scoring=scoring or "neg_log_loss")
            units = [
                row.value for row in found if (row.model, row.metric) == (name, goal) and row.unit not in (None, "mean")
            ]
            np.testing.assert_allclose(units, expected if scoring else -expected, rtol=1e-12)

    def test_its_splitters_are_accepted(self, table):
        x, y = table
        splitter = StratifiedKFold(4, shuffle=True, random_state=1)
        verdict = select(MODELS, x, y, goal="accuracy", scheme=splitter)
        expected = cross_val_score(GaussianNB(), x, y, cv=splitter).mean()
        assert verdict.values["bayes"] == pytest.approx(expected, rel=1e-12)


class TestARunInAFolder:
    def test_another_goal_fits_nothing(self, table, tmp_path, referee):
        x, y = table
        verdict = select(MODELS, x, y, goal="accuracy", scheme="k_fold(k=4)", store=tmp_path / "run")
        again = compare(read_run(tmp_path / "run"), "accuracy")
        assert again.comparisons == verdict.comparisons
        run = referee("compare", tmp_path / "run", "--goal", "log_loss")
        assert (run.code, run.json["goal"], run.json["design"]) == (0, "log_loss", "splits")
        direct = select(MODELS, x, y, goal="log_loss", scheme="k_fold(k=4)")
        assert run.json["verdict"]["values"] == dict(direct.values)

    def test_the_number_of_workers_does_not_matter(self, table, tmp_path, request):
        x, y = table
        here = select(MODELS, x, y, goal="accuracy", scheme="k_fold(k=4)")
        request.getfixturevalue("in_workers")
        one = select(MODELS, x, y, goal="accuracy", scheme="k_fold(k=4)", jobs=1)
        two = select(MODELS, x, y, goal="accuracy", scheme="k_fold(k=4)", jobs=2, store=tmp_path / "two")
        resumed = select(MODELS, x, y, goal="accuracy", scheme="k_fold(k=4)", store=tmp_path / "two")
        for other in (here, two, resumed):
            assert other.comparisons == one.comparisons
            assert other.selection.splits_fingerprint == one.selection.splits_fingerprint

    def test_other_data_are_refused(self, table, tmp_path):
        x, y = table
        select(MODELS, x, y, goal="accuracy", scheme="holdout", store=tmp_path / "run")
        with pytest.raises(Exception, match="differs: data") as caught:
            select(MODELS, x + 1, y, goal="accuracy", scheme="holdout", store=tmp_path / "run")
        assert caught.value.exit == 7


class TestMisbehaving:
    """Models of every bad kind are in test_select_cases.py."""

    def test_one_model_left_is_no_verdict(self, table):
        x, y = table

        class Raises(GaussianNB):
            def fit(self, *_):
                raise ValueError("boom")

        with pytest.raises(ModelError, match="only bayes is left"):
            select({"bayes": GaussianNB(), "raises": Raises()}, x, y, goal="accuracy", scheme="holdout")


class TestSchemes:
    def test_holdout_compares_rows(self, table):
        x, y = table
        verdict = select(MODELS, x, y, goal="roc_auc", scheme="holdout")
        assert verdict.design.kind == "rows"
        assert verdict.test.name == "influence"

    def test_random_splits_have_all_degrees_of_freedom(self, table):
        x, y = table
        verdict = select(MODELS, x, y, goal="accuracy", scheme="random_subsampling(splits=6)")
        (found,) = verdict.comparisons
        assert (found.test, found.df, set(verdict.design.n_train)) == (LARGER, 5, {80.0})

    def test_leave_one_out_has_no_auc(self, referee, shared):
        run = referee("select", shared / "cases" / "141_dataset40.csv", "--target", "y", "--positive", "1",
                      "--models", "dummy,logistic", "--goal", "roc_auc", "--scheme", "leave_one_out")  # fmt: skip
        assert (run.code, run.json["error"]["code"]) == (4, "E_FOLDS")


class TestSharedWork:
    """One search serves every k, and one grown tree serves with and without pruning."""

    MODELS = ("knn(k=5)", "tree", "knn(k=50)", "dummy", "tree(prune=true)", "knn(k=5, weights=distance)")

    @pytest.fixture
    def work(self):
        generator = np.random.default_rng(1)
        columns = {
            "x": generator.normal(size=300).round(1),
            "gaps": np.where(generator.random(300) < 0.1, np.nan, generator.normal(size=300)),
            "kind": generator.choice(["a", "b", "c"], 300),
        }
        data = DataSet.from_arrays(columns, generator.integers(0, 2, 300))
        splits = list(schemes["k_fold(k=3)"].splits(data.X, data.target, None, None, seed=0))
        return Fitting.of(data, splits, estimators_of(self.MODELS, data.features, data.task))

    def test_families(self, work):
        assert families(work.estimators) == [
            ("knn", "knn(k=50)"), ("tree", "tree(prune=true)"), ("dummy",), ("knn(weights=distance)",)
        ]  # fmt: skip

    def test_nothing_changes(self, work):
        for family in families(work.estimators):
            together = work(Unit(family, 1))
            for name in family:
                alone = work(Unit((name,), 1))[name]
                same = ("test_scores", "test_labels", "train_scores", "train_labels", "size", "changed_input")
                assert all(np.array_equal(together[name][key], alone[key]) for key in same)

    def test_a_family_searches_and_grows_once(self, work, monkeypatch):
        from sklearn.tree import DecisionTreeClassifier

        from referee.fitting.estimators import neighbours

        calls = []
        grow, nearest = DecisionTreeClassifier.fit, neighbours.nearest
        monkeypatch.setattr(DecisionTreeClassifier, "fit", lambda *a: calls.append("grow") or grow(*a))
        monkeypatch.setattr(neighbours, "nearest", lambda *a, **ties: calls.append(a[2]) or nearest(*a, **ties))
        for family in families(work.estimators)[:2]:
            work(Unit(family, 0))
        assert calls == [50, 50, "grow"]

    def test_times_are_those_of_each_alone(self, work):
        found = work(Unit(("tree", "tree(prune=true)"), 0))
        assert 0 < found["tree"]["fit_seconds"] < found["tree(prune=true)"]["fit_seconds"]

    def test_each_stands_for_itself(self, table):
        """k = 50 is more than there are training rows; k = 5 is not harmed."""
        x, y = table
        with pytest.raises(
            ModelError, match=r"knn\(k=50\) failed in fold 1: .* k=50 .*n_samples=40 .*only knn is left"
        ):
            select(["knn(k=5)", "knn(k=50)"], x[:60], y[:60], goal="accuracy", scheme="k_fold(k=3)")

    def test_a_family_that_was_interrupted_between_two_records_goes_on(self, table, tmp_path, monkeypatch):
        x, y = table
        options = {"goal": "accuracy", "scheme": "k_fold(k=3)"}
        save = Store.save

        def stop_at(self, key, record):
            if key.startswith("knn(k=9), split 00002"):
                raise KeyboardInterrupt
            save(self, key, record)

        monkeypatch.setattr(Store, "save", stop_at)
        with pytest.raises(KeyboardInterrupt) as stopped:
            select(["knn(k=5)", "knn(k=9)"], x, y, store=tmp_path, **options)
        assert stopped.value.__notes__ == [f"3 fits are kept in {tmp_path}; to resume, run the same command again"]
        monkeypatch.setattr(Store, "save", save)
        resumed = select(["knn(k=5)", "knn(k=9)"], x, y, store=tmp_path, **options)
        assert resumed.comparisons == select(["knn(k=5)", "knn(k=9)"], x, y, **options).comparisons


class TestAgainstWeka:
    @pytest.mark.parametrize(("asked", "name", "times"), [("corrected_resampled_t",) * 2 + (1,), ("auto", LARGER, 1.5)])
    def test_the_corrected_test_on_the_scores_of_the_splits(self, table, asked, name, times):
        """By name the verdict's t is that of the formula which Weka uses (Nadeau and Bengio 2003)."""
        x, y = table
        verdict = select(MODELS, x, y, goal="accuracy", scheme="k_fold(k=5, repeats=3)", test=asked)
        each = {
            model: np.array([row.value for row in verdict.scores if (row.model, row.metric) == (model, "accuracy")
                             and row.unit not in (None, "mean")]) for model in MODELS
        }  # fmt: skip
        (found,) = verdict.comparisons
        difference = each[found.a] - each[found.b]
        error = np.sqrt((1 / 15 + times * 24 / 96) * difference.var(ddof=1))
        assert found.test == name
        assert found.statistic == pytest.approx(difference.mean() / error, rel=1e-9)


def test_who_leads(table):
    x, y = table
    data = DataSet.from_arrays(x, y)
    splits = list(schemes["k_fold(k=4)"].splits(data.X, data.target, None, None, seed=0))
    estimators = estimators_of({"bayes": GaussianNB(), "guess": "dummy"}, data.features, data.task)
    records, _ = fit_all(data, splits, estimators)
    for goal, better in (("accuracy", max), ("log_loss", min)):
        leading = Leading(data, splits, metrics[goal])
        assert str(leading) == ""
        for (name, split), record in records.items():
            leading.add(name, split, record)
        scoring = "accuracy" if goal == "accuracy" else "neg_log_loss"
        cv = [(split.train, split.test) for split in splits]
        means = {
            name: abs(cross_val_score(estimators[name], x, y, cv=cv, scoring=scoring).mean()) for name in estimators
        }
        best = better(means, key=means.get)
        assert str(leading) == f"{best} leads: {goal} {means[best]:.4g}"


def test_trade_offs(table):
    x, y = table
    verdict = select(["tree", "logistic", "dummy"], x, y, goal="accuracy", scheme="k_fold(k=4)")
    rows = {row.model: row for row in verdict.selection.tradeoffs}
    assert rows["tree"].train == 1.0
    assert rows["tree"].test < 1.0
    assert rows["logistic"].size["coefficients"] == 4
    assert any(row.efficient for row in rows.values())
    assert json.dumps(verdict.to_dict(), allow_nan=False)


def test_weights_count_in_fits_too():
    draw = np.random.default_rng(3)
    x, weight = draw.normal(size=(200, 3)), draw.uniform(0.1, 9, 200)
    y = (x[:, 0] + draw.normal(size=200) > 0).astype(int)
    data = DataSet.from_arrays(x, y, weight=weight)
    models = {"logistic": LogisticRegression(), "neighbours": KNeighborsClassifier()}
    verdict = select(models, data, goal="log_loss", scheme="holdout")
    (split,) = schemes["holdout"].splits(x, y, seed=0)
    train, test = split
    fitted = LogisticRegression().fit(x[train], y[train], sample_weight=weight[train] / weight[train].mean())
    np.testing.assert_allclose(verdict.predictions.models[0].scores, fitted.predict_proba(x[test])[:, 1], rtol=1e-9)
    told = [notice.message for notice in verdict.warnings if notice.code == "W_UNWEIGHTED"]
    assert len(told) == 1 and told[0].startswith("neighbours")

"""What `referee select` takes of a model: its own decisions, its scores, their shapes; weights, and training rows."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from referee import schemes
from referee.errors import ModelError, UsageError
from referee.fitting import DataSet, Split, estimators_of, select
from referee.fitting.fits import Fitting, Unit

pytestmark = pytest.mark.usefixtures("fits_here")


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    x = generator.normal(size=(120, 3))
    return x, (x[:, 0] + generator.normal(size=120) > 0).astype(int)


class TestDecisionsOfTheModel:
    """`predict` decides, and not the probabilities, as in scikit-learn."""

    MODELS: ClassVar = {
        "fixed": FixedThresholdClassifier(LogisticRegression(), threshold=0.2),
        "four": KNeighborsClassifier(4),
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
        "forest": RandomForestClassifier(4, random_state=0),
    }

    @pytest.mark.parametrize("flip", [False, True])
    def test_decisions_are_those_of_cross_val_score(self, flip):
        draw = np.random.default_rng(1)
        x = draw.normal(size=(200, 3)).round(1)
        y = (x[:, 0] + draw.normal(size=200) > 1).astype(int)
        splitter = StratifiedKFold(4, shuffle=True, random_state=0)
        data = DataSet.from_arrays(x, 1 - y if flip else y, positive="0" if flip else "1")
        verdict = select(self.MODELS, data, goal="f_beta", scheme=splitter)
        scoring = make_scorer(f1_score, pos_label=0 if flip else 1)
        cv = list(splitter.split(x, y))
        for name, estimator in self.MODELS.items():
            expected = cross_val_score(clone(estimator), x, 1 - y if flip else y, cv=cv, scoring=scoring).mean()
            assert verdict.values[name] == pytest.approx(expected, rel=1e-12), name
        said = {model.name: model for model in verdict.predictions.models}
        assert said["fixed"].labels is not None
        assert np.array_equal(verdict.predictions.truth, data.target[np.concatenate([test for _, test in cv])])

    @pytest.mark.parametrize("spec", ["knn(k=4)", "tree(min_leaf=20)", "forest(trees=4)", "naive_bayes", "logistic"])
    @pytest.mark.parametrize("classes", [2, 3])
    def test_built_in_learners_decide_as_they_predict(self, spec, classes):
        draw = np.random.default_rng(2)
        x = draw.integers(0, 4, size=(120, 2)).astype(float)
        data = DataSet.from_arrays(x, np.array(list("abc"))[draw.integers(0, classes, 120)])
        splits = list(schemes["holdout"].splits(data.X, data.target, None, None, seed=0))
        work = Fitting.of(data, splits, estimators_of([spec], data.features, data.task))
        (name,) = work.estimators
        record = work(Unit((name,), 0))[name]
        train, test = splits[0]
        fitted = clone(work.estimators[name]).fit(data.X[train], data.target[train])
        assert np.array_equal(record["test_labels"], fitted.predict(data.X[test]))
        assert np.array_equal(record["train_labels"], fitted.predict(data.X[splits[0].looked_back]))

    def test_a_model_that_changes_its_rows_is_asked_on_others(self, table):
        class Shifts(GaussianNB):
            def predict_proba(self, X):  # noqa: N803
                shares = super().predict_proba(X)
                X[:] = 99.0
                return shares

        x, y = table
        models = {"shifts": Shifts(), "bayes": GaussianNB()}
        values = select(models, x, y, goal="accuracy", scheme="k_fold(k=3)").values
        assert values["shifts"] == values["bayes"]


class TestPipelinesOfTheUser:
    def test_weights_reach_the_last_step_behind_our_preparation(self):
        draw = np.random.default_rng(3)
        columns = {"x": draw.normal(size=200), "kind": draw.choice(["a", "b"], 200)}
        y = (columns["x"] + draw.normal(size=200) > 0).astype(int)
        data = DataSet.from_arrays(columns, y, weight=draw.uniform(0.1, 9, 200))
        models = {
            "two steps": make_pipeline(StandardScaler(), LogisticRegression()),
            "one": LogisticRegression(),
            "none": make_pipeline(StandardScaler(), KNeighborsClassifier()),
        }
        verdict = select(models, data, goal="log_loss", scheme="holdout", check=True)
        told = [(notice.code, notice.message.partition(" does not support")[0]) for notice in verdict.warnings]
        assert told.count(("W_UNWEIGHTED", "none")) == 1
        assert not [one for one in told if one[0] == "W_NONDET" or one == ("W_UNWEIGHTED", "two steps")]
        estimator = estimators_of(models, data.features, data.task)["two steps"]
        train, test = next(iter(schemes["holdout"].splits(data.X, y, seed=0)))
        weight = data.weight[train] / data.weight[train].mean()
        fitted = clone(estimator).fit(data.X[train], y[train], pipeline__logisticregression__sample_weight=weight)
        expected = fitted.predict_proba(data.X[test])[:, 1]
        np.testing.assert_allclose(verdict.predictions.model("two steps").scores, expected, rtol=1e-9)

    def test_a_step_that_does_nothing(self, table):
        x, y = table
        empty = Pipeline([("nothing", "passthrough"), ("bayes", GaussianNB())])
        values = select({"empty": empty, "bayes": GaussianNB()}, x, y, goal="accuracy", scheme="holdout").values
        assert values["empty"] == values["bayes"]


class TestLookingBack:
    def test_the_sample_is_random_and_always_the_same(self):
        split = Split(np.arange(1999), np.arange(1999, 2100), repeat=2, fold=3)
        rows = split.looked_back
        assert np.array_equal(rows, split.looked_back)
        assert (len(np.unique(rows)), np.all(np.diff(rows) > 0)) == (1000, True)
        # Of every second row 500 are expected, with the deviation sqrt(250) / sqrt(2) of a draw without replacement.
        assert abs(np.count_nonzero(rows % 2) - 500) < 60
        assert not np.array_equal(rows, Split(split.train, split.test, repeat=2, fold=4).looked_back)

    def test_a_thousand_rows_are_enough_beside_any_number_of_test_rows(self):
        assert len(Split(np.arange(8000), np.arange(8000, 12_000)).looked_back) == 1000
        assert len(Split(np.arange(900), np.arange(900, 1900)).looked_back) == 900
        every = np.arange(8000)
        assert len(Split(every, np.arange(8000, 8100), seen=every).looked_back) == 8000

    def test_the_report_says_how_many(self, referee, tmp_path):
        draw = np.random.default_rng(0)
        x = draw.normal(size=2400)
        lines = [f"{one},{int(one + noise > 0)}" for one, noise in zip(x, draw.normal(size=2400), strict=True)]
        path = tmp_path / "many.csv"
        path.write_text("x,y\n" + "\n".join(lines) + "\n")
        command = ["select", path, "--target", "y", "--positive", "1", "--models", "naive_bayes,dummy",
                   "--goal", "accuracy", "--scheme", "k_fold(k=3)"]  # fmt: skip
        rows = referee(*command).json["selection"]["tradeoffs"]
        assert {(row["train_rows"], row["fit_rows"]) for row in rows} == {(1000, 1600)}
        for form in ("text", "md"):
            said = " ".join(referee(*command, "--format", form, form=None).out.split())
            assert "training: on 1,000 of the 1,600 training rows of a split, drawn at random" in said


class Answers(ClassifierMixin, BaseEstimator):
    """Logistic regression that answers in an unusual shape."""

    def fit(self, X, y):  # noqa: N803
        self.classes_, self.model_ = np.unique(y), LogisticRegression().fit(X, y)
        return self

    def predict(self, X):  # noqa: N803
        return self.model_.predict(X)[:, np.newaxis]


class OneColumn(Answers):
    def predict_proba(self, X):  # noqa: N803
        return self.model_.predict_proba(X)[:, 1:]


class NoColumn(Answers):
    def predict_proba(self, X):  # noqa: N803
        return self.model_.predict_proba(X)[:, 1]


class NoClass(Answers):
    def predict(self, X):  # noqa: N803
        return self.model_.predict(X) + 0.4


class TestShapes:
    @pytest.fixture
    def table(self):
        draw = np.random.default_rng(0)
        x = draw.normal(size=(120, 3))
        return x, np.digitize(x[:, 0] + draw.normal(size=120), [-0.5, 0.5])

    def test_decisions_in_one_column(self, table):
        x, y = table
        models = {"column": Answers(), "logistic": LogisticRegression()}
        for task in (np.array(list("abc"))[y], y > 0):
            values = select(models, x, task, goal="accuracy", scheme="k_fold(k=3)").values
            assert values["column"] == values["logistic"]

    def test_numbers_in_one_column(self, table):
        class Column(LinearRegression):
            def predict(self, X):  # noqa: N803
                return super().predict(X)[:, np.newaxis]

        x, _ = table
        models = {"column": Column(), "linear": LinearRegression()}
        values = select(models, x, x[:, 0] ** 3, goal="rmse", scheme="k_fold(k=3)").values
        assert values["column"] == values["linear"]

    @pytest.mark.parametrize(
        ("model", "words"),
        [
            (OneColumn, r"shape \(40, 1\): one column for each class is expected, \(40, 2\)"),
            (NoColumn, r"shape \(40,\): one column for each class is expected, \(40, 2\)"),
            (NoClass, r"row 1 of the 40 is \d\.4, which is not a class"),
        ],
    )
    def test_answers_that_cannot_be_taken_are_said(self, table, model, words):
        x, y = table
        with pytest.raises(ModelError, match=f"odd failed in fold 1: ValueError: .*{words}"):
            select({"odd": model(), "bayes": GaussianNB()}, x, y > 0, goal="accuracy", scheme="k_fold(k=3)")

    def test_several_classes_cannot_be_ranked_by_a_decision_function(self, table):
        x, y = table
        models = {"vectors": LinearSVC(), "bayes": GaussianNB()}
        with pytest.raises(UsageError, match=r"vectors has no predict_proba, and roc_auc .* of each of 3 classes"):
            select(models, x, np.array(list("abc"))[y], goal="roc_auc", scheme="holdout")
        assert select(models, x, y > 0, goal="roc_auc", scheme="holdout").values["vectors"] > 0.5

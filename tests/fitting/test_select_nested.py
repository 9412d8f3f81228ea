"""Nested selection: the honest score of choosing a model, against a loop by hand with the same splits."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, log_loss, root_mean_squared_error
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from referee import metrics, schemes
from referee.errors import UndefinedError, UsageError
from referee.fitting import select
from referee.fitting.selection_document import nested_in_words

pytestmark = pytest.mark.usefixtures("fits_here")

NESTED = "nested(outer=k_fold(k=4), inner=stratified_k_fold(k=3))"
MODELS = {
    "logistic": LogisticRegression(),
    "bayes": GaussianNB(),
    "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
}


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(5)
    x = generator.normal(size=(120, 4))
    return x, (x[:, 0] + 0.5 * x[:, 1] ** 2 + generator.normal(size=120) > 0.5).astype(int)


def losses(goal, model, x, y, train, test):
    fitted = clone(model).fit(x[train], y[train])
    if goal == "log_loss":
        return log_loss(y[test], fitted.predict_proba(x[test]), labels=[0, 1])
    return -accuracy_score(y[test], fitted.predict(x[test]))


def by_hand(goal, models, x, y, scheme, loss=losses):
    """Choose in each outer split by the mean inner loss, and test the choice on the outer test rows."""
    choices, values = [], []
    for split in schemes[scheme].splits(x, y.astype(str) if y.dtype.kind == "i" else None):
        inner = {
            name: np.mean([loss(goal, model, x, y, *one) for one in split.inner]) for name, model in models.items()
        }
        choices.append(min(inner, key=inner.get))
        values.append(loss(goal, models[choices[-1]], x, y, *split))
    return choices, values


class TestAgainstALoopByHand:
    @pytest.mark.parametrize(("goal", "sign"), [("accuracy", -1), ("log_loss", 1)])
    def test_choices_and_values(self, table, goal, sign):
        x, y = table
        verdict = select(MODELS, x, y, goal=goal, scheme=NESTED)
        choices, values = by_hand(goal, MODELS, x, y, NESTED)
        found = verdict.selection.nested
        assert list(found.choices) == choices
        assert found.chosen == {name: choices.count(name) for name in MODELS}
        np.testing.assert_allclose(found.values, sign * np.array(values), rtol=1e-10)
        assert found.mean == pytest.approx(sign * np.mean(values), rel=1e-10)
        # Four folds of the same size, and both metrics are averages of rows.
        assert found.pooled == pytest.approx(found.mean, rel=1e-10)
        assert found.low < found.pooled < found.high
        assert json.dumps(verdict.to_dict(), allow_nan=False)

    def test_regression(self):
        generator = np.random.default_rng(6)
        x = generator.normal(size=(90, 2))
        y = np.sin(2 * x[:, 0]) + 0.3 * generator.normal(size=90)
        models = {f"depth {depth}": DecisionTreeRegressor(max_depth=depth, random_state=0) for depth in (1, 3, 8)}
        models["line"] = LinearRegression()
        scheme = "nested(outer=random_subsampling(splits=3), inner=k_fold(k=4))"

        def loss(_, model, x, y, train, test):
            return root_mean_squared_error(y[test], clone(model).fit(x[train], y[train]).predict(x[test]))

        choices, values = by_hand("rmse", models, x, y, scheme, loss)
        found = select(models, x, y, goal="rmse", scheme=scheme).selection.nested
        assert list(found.choices) == choices
        np.testing.assert_allclose(found.values, values, rtol=1e-10)


def test_the_verdict_is_that_of_the_outer_splits(table):
    nested = select(MODELS, *table, goal="accuracy", scheme=NESTED)
    plain = select(MODELS, *table, goal="accuracy", scheme="k_fold(k=4)")
    assert nested.comparisons == plain.comparisons
    assert nested.sentence == plain.sentence
    assert plain.selection.nested is None
    found = nested.selection.nested
    assert (found.best, found.optimistic) == (plain.best, plain.values[plain.best])


def test_choosing_between_guesses_is_seen_through():
    """On noise models differ by chance only: the best on the outer splits seems better than choosing one really is."""
    generator = np.random.default_rng(7)
    x, y = generator.normal(size=(60, 6)), generator.permutation(np.arange(60) % 2)
    models = {f"tree {seed}": DecisionTreeClassifier(max_features=1, random_state=seed) for seed in range(12)}
    verdict = select(models, x, y, goal="accuracy", scheme="nested(outer=k_fold(k=6), inner=k_fold(k=3))")
    found = verdict.selection.nested
    assert found.optimistic > 0.5
    assert found.mean < found.optimistic


def test_a_run_in_a_folder_goes_on(table, tmp_path):
    given = {"goal": "accuracy", "scheme": NESTED, "store": tmp_path / "run"}
    first, again = select(MODELS, *table, **given), select(MODELS, *table, **given)
    assert first.selection.to_dict() == again.selection.to_dict()
    assert (tmp_path / "run/inner/results.sqlite").is_file()


def test_a_model_that_fails_inside_has_no_part(table):
    class FailsOnFewRows(GaussianNB):
        def fit(self, X, y):  # noqa: N803
            if len(X) < 80:
                raise ValueError("too few rows")
            return super().fit(X, y)

    verdict = select({**MODELS, "picky": FailsOnFewRows()}, *table, goal="accuracy", scheme=NESTED)
    (failure,) = verdict.selection.failures
    # 12 inner fits on 60 of 90 rows each, of which the first is named.
    assert failure.message.startswith("picky failed in inner split 1 of outer split 1: ")
    assert "too few rows" in failure.message and "(and in 11 more fits)" in failure.message
    assert set(verdict.values) == set(verdict.selection.nested.chosen) == set(MODELS)


class TestLeaveOneOut:
    """Of single rows the RMSE is the absolute error; the mean is best by the RMSE, the median by absolute errors."""

    def test_inner_rows_are_pooled(self, skewed):
        scheme = "nested(outer=k_fold(k=2), inner=leave_one_out)"
        chosen = {goal: select(*skewed, goal=goal, scheme=scheme).selection.nested.chosen for goal in ("rmse", "mae")}
        assert chosen == {"rmse": {"mean": 2, "median": 0}, "mae": {"mean": 0, "median": 2}}

    def test_outer_rows_are_pooled(self, skewed):
        y = skewed[-1]
        found = select(*skewed, goal="rmse", scheme="nested(outer=leave_one_out, inner=k_fold(k=2))").selection.nested
        by_name = {"mean": np.mean, "median": np.median}
        said = [by_name[name](np.delete(y, row)) for row, name in enumerate(found.choices)]
        assert found.mean == found.pooled == pytest.approx(root_mean_squared_error(y, said), rel=1e-12)
        best = [by_name[found.best](np.delete(y, row)) for row in range(24)]
        assert found.optimistic == pytest.approx(root_mean_squared_error(y, best), rel=1e-12)
        (words, *_) = nested_in_words(found, metrics["rmse"])
        assert "on all rows" in words and "as the mean of" not in words


@pytest.fixture
def skewed():
    models = {name: DummyRegressor(strategy=name) for name in ("mean", "median")}
    return models, np.zeros((24, 1)), np.tile([0.0, 0.1, 10.0, 0.2, 0.0, 0.3], 4)


def test_models_that_say_different_things_are_not_pooled(table):
    from sklearn.svm import LinearSVC

    models = {"svm": LinearSVC(random_state=0), "logistic": LogisticRegression(C=0.01)}
    found = select(models, *table, goal="accuracy", scheme=NESTED).selection.nested
    if len(set(found.choices)) == 2:
        assert found.pooled is None and "probabilities" in found.undefined
    assert found.mean is not None


class TestRefused:
    @pytest.mark.parametrize("scheme", ["equal_subsets", "nested(outer=equal_subsets)"])
    def test_equal_subsets(self, table, scheme):
        with pytest.raises(UsageError, match="equal_subsets") as caught:
            select(MODELS, *table, goal="accuracy", scheme=scheme)
        assert "referee study" in caught.value.hint and "--subsets" in caught.value.hint

    @pytest.mark.parametrize("place", ["outer", "inner"])
    def test_leave_one_out_and_auc(self, table, place):
        with pytest.raises(UndefinedError, match="one row at a time"):
            select(MODELS, *table, goal="roc_auc", scheme=f"nested({place}=leave_one_out)")

    def test_inner_splits_on_which_the_goal_is_undefined(self):
        x, y = np.arange(20.0)[:, None], (np.arange(20) == 3).astype(int) | (np.arange(20) == 11).astype(int)
        with pytest.raises(UndefinedError):
            select(MODELS, x, y, goal="roc_auc", scheme="nested(outer=stratified_k_fold(k=2), inner=k_fold(k=2))")


def test_on_the_command_line(referee, shared, tmp_path):
    table = shared / "data/more/credit-g.parquet"
    options = ("--target", "class", "--positive", "bad", "--models", "naive_bayes,logistic", "--goal", "roc_auc",
               "--scheme", "nested(outer=stratified_k_fold(k=3), inner=stratified_k_fold(k=2))",
               "--out", tmp_path / "run")  # fmt: skip
    run = referee("select", table, *options)
    assert (run.code, len(run.json["selection"]["nested"]["choices"])) == (0, 3)
    shown = referee("select", table, *options, form="text").out
    assert "Nested selection" in shown and "slightly optimistic" in " ".join(shown.split())

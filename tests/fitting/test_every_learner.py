"""Every learner keeps scikit-learn's protocol; new files in `learners/` are tested without another line."""

from __future__ import annotations

import pickle
import sys
from itertools import product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from referee.catalogue import Parameter
from referee.errors import UnknownNameError, UsageError
from referee.fitting import DataSet, Feature, Learner, estimators_of, learners, prepared
from referee.fitting.model_identity import size_of
from tests.one_estimator import estimator_of

TASKS = [(name, task) for name in learners for task in learners[name].tasks]
VARIANTS = ["tree(prune=true)", "tree(laplace=true)", "knn(k=3, weights=distance)", "naive_bayes(attributes=2)"]
VARIANTS += [
    "tree(like=c45)",
    "tree(like=c45, prune=true)",
    "knn(ties=keep, prior=1)",
    "knn(ties=keep, weights=distance)",
]
CASES = [*TASKS, *((name, "binary") for name in VARIANTS), *((name, "multiclass") for name in VARIANTS)]


@pytest.fixture(autouse=True)
def one_thread():
    """Threads that wait for each other on busy cores are slow."""
    with threadpool_limits(1):
        yield


def some_data(task, rows=90):
    """Numbers and categories, some missing, that tell something about the target."""
    random = np.random.default_rng(5)
    hidden = random.normal(size=rows)
    target = hidden + 0.3 * random.normal(size=rows)
    if task != "regression":
        target = np.digitize(target, [0.0] if task == "binary" else [-0.5, 0.5])
    numbers = np.where(random.random(rows) < 0.1, np.nan, hidden + random.normal(size=rows))
    words = np.array(["low", "mid", "high"], object)[np.digitize(hidden, [-0.4, 0.4])]
    words[random.random(rows) < 0.1] = None
    return DataSet.from_arrays({"a": hidden * 100, "b": numbers, "c": words.tolist()}, target, task=task)


def answers(estimator, data, rows):
    return estimator.predict(rows) if data.task == "regression" else estimator.predict_proba(rows)


@pytest.mark.parametrize("name", learners)
def test_the_entry_is_complete(name):
    learner = learners[name]
    assert isinstance(learner, Learner) and learner.title and learner.what.endswith(".") and learner.tasks
    assert set(learner.parameters) == set(learner.defaults)
    assert all(isinstance(one, Parameter) and one.meaning for one in learner.parameters.values())
    assert learner.references or name == "dummy"


@pytest.mark.parametrize(("name", "task"), CASES)
def test_protocol(name, task):
    data = some_data(task)
    estimator = learners[name].estimator(data.features, task, seed=3)
    again = clone(estimator)
    assert str(again.get_params()) == str(estimator.get_params())
    before = data.X.copy()
    fitted = estimator.fit(data.X, data.target)
    assert fitted is estimator
    assert np.array_equal(before, data.X, equal_nan=True), "it changed its input"
    given = answers(estimator, data, data.X)
    assert np.isfinite(given).all()
    if task != "regression":
        assert estimator.classes_.tolist() == list(range(len(data.classes)))
        assert given.shape == (data.rows, len(data.classes))
        assert np.allclose(given.sum(axis=1), 1)
        assert np.array_equal(estimator.predict(data.X), estimator.classes_[given.argmax(axis=1)])
    assert np.array_equal(answers(again.fit(data.X, data.target), data, data.X), given), "the same seed, another result"
    assert np.array_equal(answers(pickle.loads(pickle.dumps(estimator)), data, data.X), given)
    assert np.allclose(answers(estimator, data, data.X[:1]), given[:1]), "a row's answer depends on the others"


@pytest.mark.parametrize(("name", "task"), CASES)
def test_it_learns_and_cross_validates(name, task):
    data = some_data(task, 150)
    scores = cross_val_score(learners[name].estimator(data.features, task), data.X, data.target, cv=3)
    guess = cross_val_score(learners["dummy"].estimator(data.features, task), data.X, data.target, cv=3)
    assert scores.mean() > guess.mean() + 0.1 or name == "dummy"


@pytest.mark.parametrize(("name", "task"), TASKS)
def test_missing_and_new_values_only_in_the_test_part(name, task):
    data = some_data(task)
    complete = np.flatnonzero(~np.isnan(data.X).any(axis=1) & (data.X[:, 2] != 2))
    estimator = learners[name].estimator(data.features, task).fit(data.X[complete], data.target[complete])
    unseen = np.array([[0.0, np.nan, np.nan], [1e9, -1e9, 2.0], [0.0, 0.0, 0.0]])
    assert np.isfinite(answers(estimator, data, unseen)).all()


def in_another_unit(data, place, factor):
    scaled = data.X.copy()
    scaled[:, place] *= factor
    return scaled


@pytest.mark.parametrize(("name", "task"), CASES)
def test_the_unit_of_a_column_does_not_matter(name, task):
    data = some_data(task, 400)
    first = learners[name].estimator(data.features, task, seed=3).fit(data.X[:300], data.target[:300])
    for factor, place in product([1e5, 1e-5, 1e-12], [0, 1]):
        scaled = in_another_unit(data, place, factor)
        other = learners[name].estimator(data.features, task, seed=3).fit(scaled[:300], data.target[:300])
        same = np.allclose(answers(other, data, scaled), answers(first, data, data.X), rtol=1e-6, atol=1e-9)
        assert same, (factor, place)


@pytest.mark.parametrize("name", ["tree", "forest"])
@pytest.mark.parametrize("task", ["binary", "regression"])
def test_trees_are_scikit_learns_on_columns_of_ordinary_size(name, task):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    theirs = {
        ("tree", "binary"): DecisionTreeClassifier(criterion="entropy", random_state=3),
        ("tree", "regression"): DecisionTreeRegressor(random_state=3),
        ("forest", "binary"): RandomForestClassifier(random_state=3),
        ("forest", "regression"): RandomForestRegressor(random_state=3),
    }[name, task]
    data = some_data(task, 200)
    numbers = data.X[:, :2]
    ours = learners[name].estimator([Feature("a"), Feature("b")], task, seed=3).fit(numbers, data.target)
    expected = answers(theirs.fit(numbers, data.target), data, numbers)
    assert np.array_equal(answers(ours, data, numbers), expected)
    assert np.isfinite(answers(ours, data, np.array([[1e300, -1e300]]))).all()


@pytest.mark.parametrize("name", learners)
def test_a_constant_column_says_nothing(name):
    task = learners[name].tasks[0]
    data = some_data(task)
    constant = np.column_stack([data.X[:, 0], np.full(data.rows, 0.1)])
    features = [Feature("a"), Feature("b")]
    given = learners[name].estimator(features, task, seed=3).fit(constant, data.target)
    elsewhere = np.column_stack([data.X[:, 0], np.full(data.rows, 7.3)])
    assert np.allclose(answers(given, data, constant), answers(given, data, elsewhere), atol=1e-6)
    alone = learners[name].estimator(features[:1], task, seed=3).fit(constant[:, :1], data.target)
    if not learners[name].random:
        assert np.allclose(answers(given, data, constant), answers(alone, data, constant[:, :1]), atol=1e-6)


@pytest.mark.parametrize("name", learners)
def test_other_tasks_are_refused(name):
    for task in {"binary", "regression"} - set(learners[name].tasks):
        with pytest.raises(UsageError, match=f"is not for {task}"):
            learners[name].estimator([Feature("x")], task)


OWN = [
    ("referee.fitting.estimators.tree", "EntropyTree", {"random_state": 0}),
    ("referee.fitting.estimators.tree", "EntropyTree", {"prune": True, "laplace": True}),
    ("referee.fitting.estimators.naive_bayes", "MixedNaiveBayes", {}),
    ("referee.fitting.estimators.naive_bayes", "WekaNaiveBayes", {}),
    ("referee.fitting.estimators.neighbours", "NeighboursClassifier", {}),
    ("referee.fitting.estimators.neighbours", "NeighboursClassifier", {"weights": "distance"}),
    ("referee.fitting.estimators.neighbours", "NeighboursRegressor", {}),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("module", "kind", "settings"), OWN)
def test_scikit_learns_own_checks(module, kind, settings):
    from importlib import import_module

    from sklearn.utils.estimator_checks import check_estimator

    found = check_estimator(getattr(import_module(module), kind)(**settings), on_skip=None, on_fail=None)
    assert len(found) > 40
    assert [check["check_name"] for check in found if check["status"] == "failed"] == []


BAD_CALLS = ["knn(k=0)", "knn(k=2.5)", "knn(weights=far)", "tree(prune=maybe)", "tree(confidence=0)", "logistic(C=1)"]


@pytest.mark.parametrize("call", BAD_CALLS)
def test_parameters_are_checked(call):
    with pytest.raises(UsageError) as caught:
        learners[call]
    assert caught.value.code == "E_PARAMETER"


def test_settings_that_do_not_fit_the_data():
    with pytest.raises(UsageError, match="the data have only 1 attributes"):
        estimator_of("naive_bayes(attributes=2)", [Feature("x")], "binary")
    with pytest.raises(UsageError, match="counts classes"):
        estimator_of("tree(prune=true)", [Feature("x")], "regression")


def test_several_k_from_one_search_are_as_each_alone():
    from referee.fitting.estimators.neighbours import NeighboursClassifier

    random = np.random.default_rng(0)
    # Few distinct values: nearly every neighbourhood ends in a tie.
    rows, target = random.integers(0, 3, (300, 4)).astype(float), random.integers(0, 3, 300)
    for weights in ("uniform", "distance"):
        models = [NeighboursClassifier(k=k, weights=weights) for k in (1, 7, 40)]
        several = models[-1].fit(rows[:200], target[:200]).answers_of(models, "predict_proba", rows[200:])
        for model, shares in zip(models, several, strict=True):
            call = f"knn(k={model.k}, weights={weights})"
            alone = estimator_of(call, [Feature(name) for name in "abcd"], "multiclass").fit(rows[:200], target[:200])
            assert np.array_equal(alone.predict_proba(rows[200:]), shares)


def test_import_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_models.py").write_text(
        "from sklearn.tree import DecisionTreeClassifier as Tree\nfrom sklearn.svm import SVC\n"
        "one = Tree(max_depth=2)\nseveral = {'a': Tree(), 'b': SVC(random_state=7)}\nnumber = 5\nempty = {}\n"
        "class Needs(Tree):\n    def __init__(self, depth): self.depth = depth\n"
    )
    (tmp_path / "broken_models.py").write_text("import nothing_of_that_name\n")
    features = [Feature("x")]
    assert estimator_of("own_models:one", features, "binary").max_depth == 2
    assert estimator_of("own_models:Tree(max_depth=3)", features, "binary").max_depth == 3
    assert estimator_of("own_models:one(max_depth=4)", features, "binary").max_depth == 4
    found = estimators_of("own_models:several", features, "binary", seed=1)
    assert list(found) == ["a", "b"]
    assert found["a"].random_state is not None and found["b"].random_state == 7
    sys.modules.pop("own_models")
    for spec, words in {
        "no_such_module:x": "cannot import 'no_such_module': ModuleNotFoundError",
        "broken_models:x": "No module named 'nothing_of_that_name'",
        "own_models:on": "has no 'on'",
        "own_models:number": "is not an estimator: a int without fit and predict",
        "own_models:empty": "is empty",
        "own_models:Needs": "cannot be made: TypeError",
        "own_models:several(k=1)": "takes no parameters",
    }.items():
        with pytest.raises(UsageError) as caught:
            estimators_of(spec, features, "binary")
        assert caught.value.code == "E_SPEC" and words in caught.value.message, spec
        assert spec.partition("(")[0] in caught.value.message


def test_unknown_names_and_repeated_ones():
    with pytest.raises(UnknownNameError, match="there is no learner 'trea'; did you mean 'tree'"):
        estimator_of("trea", [], "binary")
    with pytest.raises(UsageError, match="'knn' was named more than once"):
        estimators_of(["knn", "knn(k=5)"], [Feature("x")], "binary")


def test_objects_and_dicts_of_objects():
    from sklearn.linear_model import LogisticRegression

    gaps = [Feature("x", missing=1)]
    given = LogisticRegression()
    found = estimators_of({"lr": given, "tree": "tree"}, gaps, "binary")
    assert isinstance(found["lr"], Pipeline) and found["lr"][-1] is not given
    own = make_pipeline(OneHotEncoder(), LogisticRegression())
    assert list(estimator_of(own, gaps, "binary").named_steps) == ["onehotencoder", "logisticregression"]
    scaled = make_pipeline(StandardScaler(), LogisticRegression())
    assert list(estimator_of(scaled, gaps, "binary").named_steps) == ["columntransformer", "pipeline"]


def test_a_pipeline_that_selects_columns_by_name_gets_a_frame():
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression

    data = DataSet.from_arrays({"x": [1.0, 2.0, 3.0, 4.5], "c": ["u", "v", "u", "v"]}, [0, 1, 0, 1])
    own = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["c"]), (StandardScaler(), ["x"])), LogisticRegression()
    )
    fitted = estimator_of(own, data.features, "binary").fit(data.X, data.target)
    assert fitted[-1][0].named_transformers_["onehotencoder"].categories_[0].tolist() == ["u", "v"]
    assert fitted.predict(data.X).tolist() == [0, 1, 0, 1]


def test_what_is_not_needed_is_not_done():
    model = DummyClassifier()
    assert prepared(model, [Feature("x")]) is model
    assert prepared(model, [Feature("x", missing=3)], impute=False) is model
    assert prepared(model, [Feature("x")], scale=True) is not model


def test_preprocessing_learns_from_the_training_rows_only():
    features = [Feature("x", missing=1), Feature("c", "categorical", ("a", "b", "d"), missing=1)]
    steps = prepared(DummyClassifier(), features, scale=False)[0].fit(np.array([[1.0, 0], [3.0, 0], [np.nan, 1]]))
    made = steps.transform(np.array([[np.nan, np.nan], [100.0, 2.0]]))
    assert made.tolist() == [[2, 1, 1, 0], [100, 0, 0, 0]]


SIZES = {
    "tree": {"leaves"},
    "tree(prune=true)": {"leaves"},
    "tree(like=c45)": {"leaves"},
    "forest(trees=7)": {"leaves", "trees"},
    "boosting(rounds=4)": {"leaves", "trees"},
    "logistic": {"coefficients"},
    "knn": {"stored_rows"},
    "naive_bayes": set(),
    "sklearn.svm:SVC": {"support_vectors"},
    "sklearn.neighbors:KNeighborsClassifier": {"stored_rows"},
}


@pytest.mark.parametrize("spec", SIZES)
def test_sizes(spec):
    data = some_data("binary")
    size = size_of(estimator_of(spec, data.features, "binary").fit(data.X, data.target))
    assert set(size) == SIZES[spec] | {"bytes"}
    assert all(isinstance(amount, int) and amount > 0 for amount in size.values())
    if "trees" in size:
        assert size["trees"] == int(spec.partition("=")[2].rstrip(")"))


def test_sizes_of_models_that_are_known():
    data = some_data("binary")
    size = {spec: size_of(estimator_of(spec, data.features, "binary").fit(data.X, data.target)) for spec in SIZES}
    assert size["knn"]["stored_rows"] == data.rows
    assert size["logistic"]["coefficients"] == 2 + 1 + 3 + 1, "two numbers, a mark, three categories, an intercept"
    assert size["tree(prune=true)"]["leaves"] < size["tree"]["leaves"]
    assert size["tree(prune=true)"]["bytes"] < size["tree"]["bytes"]

"""What users of pandas and scikit-learn try first: every call works, or says which call would."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, log_loss, make_scorer, roc_auc_score, root_mean_squared_error
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import referee
from referee import Predictions, RefereeError, calibrate, compare, curves, evaluate, gate, select, threshold

pytestmark = pytest.mark.usefixtures("fits_here")
ROWS = 240
DRAW = np.random.default_rng(3)
X = DRAW.normal(size=(ROWS, 3))
Y = np.where(X[:, 0] + X[:, 1] + DRAW.normal(size=ROWS) > 0.3, "bad", "good")
X_TEST, Y_TEST = X[120:], Y[120:]
LR = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:120], Y[:120])
RF = RandomForestClassifier(10, random_state=0).fit(X[:120], Y[:120])
MODELS = {"lr": LR, "rf": RF}
P_LR, P_RF = (model.predict_proba(X_TEST)[:, 0] for model in (LR, RF))
BOTH = {"lr": P_LR, "rf": P_RF}
FRAME = pd.DataFrame({"y": Y_TEST, **BOTH})
ASKED = {"goal": "roc_auc", "positive": "bad"}


def auc(scores):
    return roc_auc_score(Y_TEST == "bad", scores)


@pytest.fixture(scope="module")
def expected():
    return compare(Predictions.from_arrays(Y_TEST, BOTH, positive="bad"), goal="roc_auc")


CALLS = {
    "arrays": lambda: compare(Y_TEST, BOTH, **ASKED),
    "lists": lambda: compare(list(Y_TEST), {name: list(scores) for name, scores in BOTH.items()}, **ASKED),
    "series": lambda: compare(FRAME["y"], {"lr": FRAME["lr"], "rf": FRAME["rf"]}, **ASKED),
    "polars series": lambda: compare(pl.Series(Y_TEST), {n: pl.Series(s) for n, s in BOTH.items()}, **ASKED),
    "one column": lambda: compare(Y_TEST, {"lr": P_LR[:, None], "rf": P_RF}, **ASKED),
    "two columns": lambda: compare(Y_TEST, {n: m.predict_proba(X_TEST) for n, m in MODELS.items()}, **ASKED),
    "classes": lambda: compare(
        Y_TEST, {n: m.predict_proba(X_TEST)[:, ::-1] for n, m in MODELS.items()}, classes=["good", "bad"], **ASKED
    ),
    "frame of classes": lambda: compare(
        Y_TEST, {n: pd.DataFrame(m.predict_proba(X_TEST), columns=m.classes_) for n, m in MODELS.items()}, **ASKED
    ),
    "one after the other": lambda: compare(Y_TEST, FRAME["lr"], FRAME["rf"], **ASKED),
    "with names": lambda: compare(Y_TEST, P_LR, P_RF, models=["lr", "rf"], **ASKED),
    "a list of arrays": lambda: compare(Y_TEST, [P_LR, P_RF], models=["lr", "rf"], **ASKED),
    "truth and frame": lambda: compare(Y_TEST, FRAME[["lr", "rf"]], **ASKED),
    "frame and truth": lambda: compare(FRAME[["lr", "rf"]], truth=Y_TEST, **ASKED),
    "keywords": lambda: compare(truth=Y_TEST, models=BOTH, **ASKED),
    "synonyms": lambda: compare(y_true=Y_TEST, y_score=BOTH, scoring="roc_auc_score", pos_label="bad", random_state=0),
    "pandas": lambda: compare(FRAME, truth="y", **ASKED),
    "columns": lambda: compare(FRAME, truth="y", models={"lr": "lr", "rf": "rf"}, **ASKED),
    "polars": lambda: compare(pl.from_pandas(FRAME), truth="y", **ASKED),
    "lazy": lambda: compare(pl.from_pandas(FRAME).lazy(), truth="y", **ASKED),
    "arrow": lambda: compare(pa.Table.from_pandas(FRAME), truth="y", **ASKED),
    "column vector": lambda: compare(Y_TEST[:, None], BOTH, **ASKED),
    "a frame for each model": lambda: compare(Y_TEST, {"lr": FRAME[["lr"]], "rf": FRAME[["rf"]]}, **ASKED),
    "fitted, a frame of the truth": lambda: compare(MODELS, X_TEST, FRAME[["y"]], **ASKED),
    "frame of the truth": lambda: compare(FRAME[["y"]], BOTH, **ASKED),
    "records": lambda: compare(FRAME.to_dict("records"), truth="y", **ASKED),
    "structured": lambda: compare(FRAME.to_records(index=False), truth="y", **ASKED),
    "dict": lambda: compare({"y": Y_TEST, **BOTH}, truth="y", **ASKED),
    "weights": lambda: compare(Y_TEST, BOTH, sample_weight=np.ones(len(Y_TEST)), **ASKED),
    "fitted": lambda: compare(MODELS, X_TEST, Y_TEST, **ASKED),
    "fitted, in a frame": lambda: compare(MODELS, pd.DataFrame(X_TEST).assign(y=Y_TEST), truth="y", **ASKED),
    "from_frame": lambda: compare(Predictions.from_frame(FRAME, truth="y", positive="bad"), goal="roc_auc"),
    "goal second": lambda: compare(Predictions.from_arrays(Y_TEST, BOTH, positive="bad"), "roc_auc"),
}


@pytest.mark.filterwarnings("error::polars.exceptions.PerformanceWarning")
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_every_natural_call_is_the_same_call(call, expected):
    verdict = CALLS[call]()
    assert verdict.values == pytest.approx({"lr": auc(P_LR), "rf": auc(P_RF)}, abs=1e-12)
    assert verdict.comparisons[0].p == pytest.approx(expected.comparisons[0].p, rel=1e-9)
    assert verdict.predictions.positive == expected.predictions.positive
    assert verdict.call.startswith("referee.compare(")


def test_the_neighbours_take_the_same():
    asked = {"positive": "bad", "metrics": "roc_auc"}
    values = [
        evaluate(Y_TEST, P_LR, **asked)["model", "roc_auc"].value,
        evaluate(y_true=Y_TEST, y_pred=P_LR, pos_label="bad", scoring="roc_auc")["model", "roc_auc"].value,
        evaluate(FRAME, truth="y", **asked)["lr", "roc_auc"].value,
        evaluate(LR, X_TEST, Y_TEST, **asked)["LogisticRegression", "roc_auc"].value,
    ]
    assert values == pytest.approx([auc(P_LR)] * 4)
    assert gate(Y_TEST, BOTH, production="lr", candidate="rf", margin=0.5, **ASKED).outcome == "pass"
    areas = {one.model: one.area for one in curves(FRAME, truth="y", positive="bad")}
    assert areas == pytest.approx({"lr": auc(P_LR), "rf": auc(P_RF)})
    given = Predictions.from_arrays(Y_TEST, BOTH, positive="bad")
    for data in ((Y_TEST, BOTH), (MODELS, X_TEST, Y_TEST)):
        found = threshold(*data, goal="f1", positive="bad")
        assert found["lr"].threshold == threshold(given, "f1")["lr"].threshold
    assert calibrate(Y_TEST, P_LR, positive="bad").best == calibrate(given, "lr").best


def test_slices_of_arrays_are_those_of_a_frame():
    region = np.arange(len(Y_TEST)) % 2
    ours = evaluate(Y_TEST, BOTH, positive="bad", metrics="roc_auc", by={"region": region})
    frame = evaluate(FRAME.assign(region=region), truth="y", models=["lr", "rf"], positive="bad", metrics="roc_auc",
                     by="region")  # fmt: skip
    assert [row.value for row in ours.rows] == [row.value for row in frame.rows]
    odd = region == 1
    assert pytest.approx(roc_auc_score(Y_TEST[odd] == "bad", P_LR[odd])) in [row.value for row in ours.rows]


def test_a_list_of_fitted_models_is_named_by_classes():
    other = make_pipeline(StandardScaler(), LogisticRegression(C=0.01)).fit(X[:120], Y[:120])
    verdict = compare([LR, RF, other], X_TEST, Y_TEST, goal="accuracy")
    values = {"LogisticRegression_1": LR, "RandomForestClassifier": RF, "LogisticRegression_2": other}
    assert verdict.values == {name: accuracy_score(Y_TEST, model.predict(X_TEST)) for name, model in values.items()}


def test_a_model_with_scores_only_speaks_by_them_and_decides_by_itself():
    svm = LinearSVC().fit(X[:120], Y[:120])
    verdict = compare({"svm": svm, "rf": RF}, X_TEST, Y_TEST, **ASKED)
    assert verdict.values["svm"] == pytest.approx(auc(-svm.decision_function(X_TEST)))
    verdict = compare({"svm": svm, "rf": RF}, X_TEST, Y_TEST, goal="accuracy", positive="good")
    assert verdict.values["svm"] == accuracy_score(Y_TEST, svm.predict(X_TEST))


class Cautious(ClassifierMixin, BaseEstimator):
    """Decides for the first class at 20% already."""

    def fit(self, rows, target):
        self.inner_ = LogisticRegression().fit(rows, target)
        self.classes_ = self.inner_.classes_
        return self

    def predict_proba(self, rows):
        return self.inner_.predict_proba(rows)

    def predict(self, rows):
        return np.where(self.predict_proba(rows)[:, 0] > 0.2, *self.classes_)


def test_a_model_that_decides_otherwise_is_believed():
    model = Cautious().fit(X[:120], Y[:120])
    own = accuracy_score(Y_TEST, model.predict(X_TEST))
    plain = accuracy_score(Y_TEST, model.inner_.predict(X_TEST))
    assert own != plain
    assert compare({"own": model, "rf": RF}, X_TEST, Y_TEST, goal="accuracy").values["own"] == own
    asked = compare({"own": model, "rf": RF}, X_TEST, Y_TEST, goal="accuracy", positive="bad", threshold=0.5)
    assert asked.values["own"] == plain


def test_several_classes_and_numbers_of_fitted_models():
    target = np.digitize(X[:, 0] + DRAW.normal(size=ROWS), [-0.5, 0.5])
    models = [LogisticRegression().fit(X[:120], target[:120]), RandomForestClassifier(20).fit(X[:120], target[:120])]
    few = target[120:] < 2  # a class that the test set lacks
    for rows in (np.full(120, True), few):
        verdict = evaluate(models[0], X[120:][rows], target[120:][rows], metrics="log_loss")
        shares = models[0].predict_proba(X[120:][rows])
        assert verdict.rows[0].value == pytest.approx(log_loss(target[120:][rows], shares, labels=[0, 1, 2]))
    amounts = X @ [1, 2, 3] + DRAW.normal(size=ROWS)
    fitted = {"ols": LinearRegression().fit(X[:120], amounts[:120]), "ridge": Ridge(200).fit(X[:120], amounts[:120])}
    verdict = compare(fitted, X[120:], amounts[120:], goal="neg_root_mean_squared_error")
    errors = {name: root_mean_squared_error(amounts[120:], one.predict(X[120:])) for name, one in fitted.items()}
    assert verdict.values == pytest.approx(errors)


def test_labels_may_be_spelled_otherwise_than_the_models_do():
    models = [LogisticRegression().fit(X[:120], Y[:120] == "bad"), LinearSVC().fit(X[:120], Y[:120] == "bad")]
    values = [compare(models, X_TEST, truth, goal="accuracy").values for truth in
              (Y_TEST == "bad", (Y_TEST == "bad") * 1, (Y_TEST == "bad") * 1.0)]  # fmt: skip
    assert values[0] == values[1] == values[2]
    assert values[0]["LinearSVC"] == accuracy_score(Y_TEST == "bad", models[1].predict(X_TEST))


def test_columns_of_a_test_frame_have_roles():
    names = list("abc")
    frame = pd.DataFrame(X, columns=names).assign(y=Y, w=DRAW.random(ROWS) + 0.1)
    models = {
        n: m.fit(frame[names][:120], Y[:120])
        for n, m in (("lr", LogisticRegression()), ("rf", RandomForestClassifier(9)))
    }
    test = frame[120:]
    verdict = compare(models, test, truth="y", weight="w", **ASKED)
    scores = models["lr"].predict_proba(test[names])[:, 0]
    assert verdict.values["lr"] == pytest.approx(roc_auc_score(test["y"] == "bad", scores, sample_weight=test["w"]))


def test_only_the_goal_is_scored_if_that_is_asked():
    for nothing_else in ([], "goal", ["goal"]):
        verdict = compare(Y_TEST, BOTH, metrics=nothing_else, **ASKED)
        assert {row.metric for row in verdict.scores.rows} == {"roc_auc"}
    assert len({row.metric for row in compare(Y_TEST, BOTH, **ASKED).scores.rows}) > 10


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("roc_auc_score", "roc_auc"), ("accuracy_score", "accuracy"), ("f1_macro", "f_beta(average=macro)"),
        ("f1_weighted", "f_beta(average=weighted)"), ("neg_log_loss", "log_loss"), ("cohen_kappa_score", "kappa"),
        ("neg_root_mean_squared_error", "rmse"), ("average_precision_score", "average_precision"), ("r2_score", "r2"),
        ("matthews_corrcoef", "mcc"), ("brier_score_loss", "brier"), ("neg_mean_absolute_error", "mae"),
        ("balanced_accuracy_score", "balanced_accuracy"), ("roc_auc_ovo", "hand_till"), ("zero_one_loss", "error_rate"),
    ],
)  # fmt: skip
def test_metrics_may_be_named_as_in_scikit_learn(theirs, ours):
    assert referee.metrics[theirs].full_name == ours


def test_a_goal_named_as_in_scikit_learn_says_what_it_became():
    asked = {"positive": "bad", "metrics": "goal"}
    said = {goal: compare(Y_TEST, BOTH, goal=goal, **asked).reasons[0] for goal in ("neg_log_loss", "f1_macro", "AUC")}
    assert said["neg_log_loss"] == "goal: neg_log_loss is log_loss here, and lower is better"
    assert said["f1_macro"] == "goal: f1_macro is f1(average=macro) here, and higher is better"
    assert not said["AUC"].startswith("goal")


def test_the_guide_prints_what_a_wrong_call_says(capsys):
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        exec(code, names)
    assert " ".join(capsys.readouterr().out.split()) in " ".join(GUIDE.read_text().split())


def test_select_takes_scikit_learns_words():
    models = {"lr": LogisticRegression(), "rf": RandomForestClassifier(5, random_state=0)}
    ours = select(models, X, Y, goal="f1", positive="bad", scheme="k_fold(k=3)", seed=1, jobs=1)
    theirs = select(models, X, Y, scoring="f1_score", pos_label="bad", cv="k_fold(k=3)", random_state=1, n_jobs=1)
    assert theirs.values == ours.values


class Unfitted:
    lr, rf = LogisticRegression(), RandomForestClassifier()


def search():
    return GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=2).fit(X, Y)


RIGHT_ARRAYS = 'referee.compare(y, {"a": p_a, "b": p_b}, goal="roc_auc")'
RIGHT_FITTED = 'referee.compare({"a": fitted_a, "b": fitted_b}, X_test, y_test, goal="roc_auc")'
RIGHT_FOLDS = 'referee.compare({"a": cross_validate(...), "b": cross_validate(...)}, goal="roc_auc")'
RIGHT_FRAME = 'referee.compare(frame, truth="y", goal="roc_auc")'
RIGHT_FILE = 'referee.compare("preds.csv", truth="y", goal="roc_auc")'
WRONG = {
    "models before truth": (lambda: compare(BOTH, Y_TEST, **ASKED), ["a dict with 'lr' and 'rf'", RIGHT_ARRAYS]),
    "frame before truth": (lambda: compare(FRAME[["lr", "rf"]], Y_TEST, **ASKED), [RIGHT_ARRAYS]),
    "X, y, models=": (lambda: compare(X_TEST, Y_TEST, models=MODELS, **ASKED), ["shape (120, 3)", RIGHT_FITTED]),
    "X, y, models": (lambda: compare(X_TEST, Y_TEST, MODELS, **ASKED), [RIGHT_FITTED]),
    "X and y swapped": (lambda: compare(MODELS, Y_TEST, X_TEST, **ASKED), [RIGHT_FITTED]),
    "X, y": (lambda: compare(X_TEST, Y_TEST, **ASKED), ["the truth is one column", RIGHT_FITTED]),
    "models only": (lambda: compare(MODELS, **ASKED), [RIGHT_FITTED]),
    "X= and y=": (lambda: compare(MODELS, X=X_TEST, y=Y_TEST, **ASKED), ["compare(models, X_test, y_test, ...)"]),
    "not fitted": (
        lambda: compare({"lr": Unfitted.lr, "rf": RF}, X_TEST, Y_TEST, **ASKED),
        ["'lr' (LogisticRegression) is not fitted", "referee.select(models, X, y"],
    ),
    "a class": (lambda: compare([LogisticRegression, RF], X_TEST, Y_TEST, **ASKED), ["class LogisticRegression"]),
    "names of learners": (lambda: compare(["tree", "knn"], X_TEST, Y_TEST, **ASKED), ["referee.select(models, X, y"]),
    "one is no model": (lambda: compare({"lr": LR, "rf": P_RF}, X_TEST, Y_TEST, **ASKED), ["'rf' is an array"]),
    "other columns": (lambda: compare(MODELS, X_TEST[:, :2], Y_TEST, **ASKED), ["'lr' cannot predict X_test"]),
    "other rows": (lambda: compare(MODELS, X_TEST, Y_TEST[:-1], **ASKED), ["120 rows", "119"]),
    "no truth in a frame": (lambda: compare(FRAME, **ASKED), ["'y', 'lr' and 'rf'", RIGHT_FRAME]),
    "truth by position": (lambda: compare(FRAME, "y", **ASKED), ["the text 'y'", RIGHT_FRAME]),
    "no truth in a file": (lambda: compare(__file__, **ASKED), [RIGHT_FILE]),
    "a text for the truth": (lambda: compare("y", BOTH, **ASKED), ["the text 'y'", RIGHT_ARRAYS, RIGHT_FILE]),
    "texts for models": (lambda: compare(Y_TEST, "lr", "rf", **ASKED), ["the text 'lr'", RIGHT_ARRAYS]),
    "goal by position": (lambda: compare(Y_TEST, BOTH, "roc_auc"), ["by keyword", RIGHT_ARRAYS]),
    "no goal": (lambda: compare(Y_TEST, BOTH), ["which metric should decide?"]),
    "no predictions": (lambda: compare(Y_TEST, **ASKED), ["no predictions", RIGHT_ARRAYS]),
    "nothing": (lambda: compare(**ASKED), [RIGHT_ARRAYS, RIGHT_FRAME, RIGHT_FILE, RIGHT_FITTED]),
    "a number": (lambda: compare(3, **ASKED), [RIGHT_ARRAYS]),
    "None": (lambda: compare(None, None, **ASKED), [RIGHT_ARRAYS]),
    "empty": (lambda: compare(Y_TEST, {}, **ASKED), ["no predictions", RIGHT_ARRAYS]),
    "a generator": (lambda: compare(iter(Y_TEST), BOTH, **ASKED), [RIGHT_ARRAYS]),
    "ragged": (lambda: compare(Y_TEST, [[1], [1, 2]], **ASKED), ["do not fit 2 classes"]),
    "models as a list first": (lambda: compare([P_LR, P_RF[:5]], Y_TEST, **ASKED), [RIGHT_ARRAYS]),
    "no such model": (lambda: compare(Y_TEST, FRAME[["lr", "rf"]], models=["lr", "xx"], **ASKED), ["no column 'xx'"]),
    "an open file": (lambda: compare(io.StringIO("y,a"), truth="y", **ASKED), ["which is not a table", RIGHT_FRAME]),
    "lengths": (lambda: compare(Y_TEST, {"lr": P_LR[:-1], "rf": P_RF}, **ASKED), ["'lr' has 119", "the truth has 120"]),
    "scores for labels": (lambda: evaluate(P_LR, Y_TEST == "bad"), ["swapped?", "referee.evaluate(y, p)"]),
    "scores for texts": (lambda: evaluate(P_LR, Y_TEST), ["swapped?", "referee.evaluate(y, p)"]),
    "one model": (lambda: compare(Y_TEST, P_LR, **ASKED), ["at least two models"]),
    "weights by name": (lambda: compare(Y_TEST, BOTH, weight="w", **ASKED), ["'weight' is not an array but a str"]),
    "weights as array": (lambda: compare(FRAME, truth="y", weight=P_LR, **ASKED), ["name the column"]),
    "slices by name": (lambda: compare(Y_TEST, BOTH, by="region", **ASKED), ["by={'region': values}"]),
    "frame and arrays": (lambda: compare(FRAME, truth="y", models=BOTH, **ASKED), [RIGHT_FRAME, RIGHT_ARRAYS]),
    "a name too many": (lambda: compare(Y_TEST, P_LR, P_RF, models=["a"], **ASKED), ["2 predictions and 1 names"]),
    "said of Predictions": (
        lambda: compare(Predictions.from_arrays(Y_TEST, BOTH, positive="bad"), **ASKED),
        ["'positive' belongs to the Predictions"],
    ),
    "twice": (lambda: compare(Y_TEST, BOTH, scoring="roc_auc", **ASKED), ["both 'goal' and 'scoring'"]),
    "misspelt": (lambda: compare(Y_TEST, BOTH, gaol="roc_auc"), ["no keyword 'gaol'; did you mean 'goal'?"]),
    "unknown": (lambda: compare(Y_TEST, BOTH, zzz=1), ["no keyword 'zzz'; its keywords are 'adjust', 'alpha'"]),
    "gate without models": (lambda: gate(Y_TEST, BOTH, **ASKED), ["production=..., candidate=..., margin=..."]),
    "select X, y, models=": (lambda: select(X, Y, models=MODELS, goal="f1"), ["select(models, X, y, ...)"]),
    "select X, y, models": (lambda: select(X, Y, MODELS, goal="f1"), ["referee.select(models, X, y, goal=...)"]),
    "results one after the other": (lambda: compare(*folds().values(), goal="accuracy"), [RIGHT_FOLDS]),
    "a list of results": (lambda: compare([*folds().values()], goal="accuracy"), [RIGHT_FOLDS]),
    "one result": (lambda: compare(folds()["lr"], goal="accuracy"), [RIGHT_FOLDS]),
    "scores of folds": (
        lambda: compare({name: result["test_score"] for name, result in folds().items()}, goal="accuracy"),
        ['referee.compare(scores, task="scores")', 'rows="folds", test_fraction=0.1', RIGHT_ARRAYS],
    ),
    "a search that did not run": (
        lambda: compare(GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}), goal="accuracy"),
        ["'GridSearchCV' (GridSearchCV) is not fitted"],
    ),
    "from_frame": (lambda: Predictions.from_frame(FRAME), ["which column holds the truth?"]),
}  # fmt: skip


@pytest.mark.parametrize("call", WRONG, ids=str)
def test_every_wrong_call_says_which_is_right(call):
    wrong, told = WRONG[call]
    with pytest.raises(RefereeError) as caught:
        wrong()
    assert isinstance(caught.value, TypeError | ValueError)
    assert [words for words in told if words not in str(caught.value)] == []


def folds(**options):
    return {name: cross_validate(model, X, Y, cv=3, **options) for name, model in MODELS.items()}


def test_results_of_cross_validation():
    results = folds(scoring=["accuracy", "f1_macro"], return_indices=True)
    for goal in ("accuracy", "f1_macro"):
        verdict = compare(results, goal=goal)
        assert verdict.values == pytest.approx({name: each[f"test_{goal}"].mean() for name, each in results.items()})
    with pytest.raises(RefereeError, match="test_fraction=F"):
        compare(folds(), goal="accuracy")
    assert compare(folds(), goal="accuracy", test_fraction=1 / 3).comparisons[0].p is not None


def test_losses_of_folds_are_not_taken_for_scores():
    scorer = make_scorer(log_loss, response_method="predict_proba")  # without greater_is_better=False
    losses = folds(scoring={"log_loss": scorer}, return_indices=True)
    with pytest.raises(RefereeError, match=r"lower values of log_loss are better(.|\n)*better=\"lower\""):
        compare(losses, goal="log_loss")
    negative = folds(scoring={"log_loss": "neg_log_loss"}, return_indices=True)
    means = {name: result["test_log_loss"].mean() for name, result in negative.items()}
    assert compare(negative, goal="log_loss").values == pytest.approx(means)


@pytest.mark.parametrize("given", [search, lambda: search().cv_results_])
def test_results_of_a_search(given):
    verdict = compare(given(), goal="accuracy", test_fraction=1 / 3)
    assert sorted(verdict.values.values()) == pytest.approx(sorted(search().cv_results_["mean_test_score"]))


def test_a_table_of_scores():
    scores = FRAME[["lr", "rf"]]
    assert compare(scores, task="scores", goal="mean").values == pytest.approx(dict(scores.mean()))
    assert evaluate(scores, task="scores")["lr", "mean"].value == pytest.approx(scores.lr.mean())


def test_results_of_cross_validation_have_no_curves():
    with pytest.raises(TypeError, match=r"referee\.compare"):
        curves(folds())


def test_hints_are_seen_in_python_and_said_once():
    with pytest.raises(RefereeError) as caught:
        compare(Y_TEST, BOTH)
    assert any("goal=METRIC" in note for note in caught.value.__notes__)
    with pytest.raises(RefereeError) as caught:
        compare(FRAME, truth="yy", **ASKED)
    assert str(caught.value).count("did you mean 'y'?") == 1
    assert not hasattr(caught.value, "__notes__")


GUIDE = Path(__file__).parents[1] / "docs/guide/inputs.md"


def rows_of_the_guide():
    return re.findall(r"^\| (.*?) \| `(compare\(.*\))` \| (\w+) \|$", GUIDE.read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def scope(tmp_path_factory):
    """What the first block of the guide makes, and the files that its table names."""
    import duckdb
    import ibis
    import pyarrow

    names = {"compare": compare, "polars": pl, "pyarrow": pyarrow, "duckdb": duckdb, "ibis": ibis}
    exec(re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)[0], names)
    folder, frame = tmp_path_factory.mktemp("inputs"), names["frame"]
    frame.to_csv(folder / "preds.csv", index=False)
    (folder / "models").mkdir()
    for model in ("lr", "tree"):
        alone = frame[["y", model]].rename_axis("row").reset_index()
        alone.to_csv(folder / f"{model}.csv", index=False)
        alone.to_csv(folder / "models" / f"{model}.csv", index=False)
    for column in frame:
        np.save(folder / f"{column}.npy", frame[column].to_numpy().astype("U4" if column == "y" else float))
    kinds = ["{bad,good}", "real", "real"]
    header = [f"@attribute {name} {kind}" for name, kind in zip(frame, kinds, strict=True)]
    text = "\n".join(["@relation preds", *header, "@data", frame.to_csv(index=False, header=False)])
    (folder / "preds.arff").write_text(text)
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(folder / "preds.db")) as connection, connection:
        frame.to_sql("preds", connection, index=False)
    return folder, names


def test_the_guide_has_every_kind_of_input():
    assert len(rows_of_the_guide()) == 19


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # of Ibis, which asks pandas for it
@pytest.mark.parametrize(("kind", "call", "winner"), rows_of_the_guide(), ids=lambda text: text[:40])
def test_calls_of_the_guide_give_its_verdicts(scope, monkeypatch, kind, call, winner):
    folder, names = scope
    monkeypatch.chdir(folder)
    verdict = eval(call, names)
    assert verdict.winners == (winner,), kind
    assert verdict.values[winner] == pytest.approx(roc_auc_score(names["y_test"] == "bad", names["p_lr"]))


FOLDERS = {"J48": "weka_predictions", "match": "inspect", "both": "inspect", "*": "lm_eval"}


def files_of_the_field():
    return re.findall(r"^\| .*? \| `(compare\(.*\))` \| (.* (?:wins|tie)) \|$", GUIDE.read_text(), re.MULTILINE)


@pytest.mark.parametrize(("call", "said"), files_of_the_field(), ids=lambda text: text[:40])
def test_files_of_the_field_give_the_verdicts_of_the_guide(reference, monkeypatch, request, call, said):
    if "mlflow" in call:
        request.getfixturevalue("logged_runs")
    else:
        monkeypatch.chdir(reference / next(folder for start, folder in FOLDERS.items() if f'("{start}' in call))
    verdict = eval(call, {"compare": compare})
    *models, outcome = said.replace(" and ", " ").split()
    assert sorted(verdict.winners) == models
    assert verdict.outcome == {"wins": "winner", "tie": "tie"}[outcome]


def test_calls_of_the_guide_with_scores(scope):
    """The values are means of scikit-learn's own scores of the folds."""
    calls = re.findall(r"^\| .*? \| `(compare\(.*\))` \|$", GUIDE.read_text(), re.MULTILINE)
    names = scope[1] | {"cross_validate": cross_validate, "GridSearchCV": GridSearchCV}
    with_indices, without, search, table = (eval(call, names) for call in calls)
    expected = {
        name: cross_validate(names[name], names["X"], names["y"])["test_score"].mean() for name in ("lr", "tree")
    }
    assert with_indices.values == without.values == pytest.approx(expected)
    assert with_indices.comparisons[0].p == pytest.approx(without.comparisons[0].p, rel=1e-9)
    assert list(search.values) and set(search.values) == {f"max_depth={depth}" for depth in (1, 2, 3)}
    assert table.values == pytest.approx(dict(names["frame"][["lr", "tree"]].mean()))


def test_commands_in_hints_stay_commands():
    with pytest.raises(RefereeError, match=r"`referee metrics --needs scores`"):
        compare(Y_TEST, {"lr": P_LR * 3 - 1, "rf": P_RF}, goal="log_loss", positive="bad")
    with pytest.raises(RefereeError) as caught:
        referee.plan(goal="f1", margin=0.02, value=0.8, correlation=0.5)
    assert "referee plan goal=" not in str(caught.value)

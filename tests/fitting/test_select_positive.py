"""The positive class of `select` and the study is never guessed, and keywords that are not known are named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from referee.comparing import compare
from referee.errors import RefereeError, UndefinedError
from referee.fitting import DataSet, read_dataset, select
from referee.paper import study_own_data
from referee.predictions import Predictions

pytestmark = pytest.mark.usefixtures("fits_here")

MODELS = {"knn": KNeighborsClassifier(3), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
FOLDS = KFold(4, shuffle=True, random_state=1)


def credit(rows=160, labels=("good", "bad"), seed=4):
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(rows, 3))
    bad = x[:, 0] + x[:, 1] * x[:, 2] + draw.normal(size=rows) > 0.9
    return x, np.array(labels)[bad.astype(int)]


def mean_f1(model, x, y, positive):
    each = [
        f1_score(y[test], model.fit(x[train], y[train]).predict(x[test]), pos_label=positive)
        for train, test in FOLDS.split(x)
    ]
    return np.mean(each)


@pytest.mark.parametrize("goal", ["f1", "recall", "precision", "average_precision", "roc_auc"])
def test_the_positive_class_is_asked_for(goal):
    x, y = credit()
    with pytest.raises(RefereeError) as caught:
        select(MODELS, x, y, goal=goal, scheme=FOLDS)
    with pytest.raises(RefereeError) as of_compare:
        Predictions.from_arrays(y, {"a": y, "b": y})
    assert caught.value.code == of_compare.value.code == "E_POSITIVE"
    assert caught.value.hint == of_compare.value.hint
    assert "'bad' and 'good': which is the positive one?" in caught.value.message


@pytest.mark.parametrize("positive", ["good", "bad"])
def test_the_positive_class_is_the_one_named(positive):
    x, y = credit()
    verdict = select(MODELS, x, y, goal="f1", positive=positive, scheme=FOLDS)
    for name, model in MODELS.items():
        assert verdict.values[name] == pytest.approx(mean_f1(model, x, y, positive), abs=1e-12)
    assert f"positive='{positive}'" in verdict.call.replace('"', "'")
    rows = dict(zip(*np.unique(y, return_counts=True), strict=True))
    read = verdict.to_dict()["read"]
    assert read["positive"] == {positive: rows[positive]}
    assert read["columns"]["x1"] == {"as": "numeric feature"}


def test_switches_and_other_goals_need_no_positive_class():
    x, y = credit()
    assert select(MODELS, x, y, goal="accuracy", scheme=FOLDS).predictions.positive is None
    codes = (y == "bad").astype(int)
    verdict = select(MODELS, x, codes, goal="f1", scheme=FOLDS)
    assert verdict.values["tree"] == pytest.approx(mean_f1(MODELS["tree"], x, codes, 1), abs=1e-12)
    averaged = select(MODELS, x, y, goal="f_beta(average=macro)", scheme=FOLDS)
    both = [mean_f1(MODELS["tree"], x, y, label) for label in ("bad", "good")]
    assert averaged.values["tree"] == pytest.approx(np.mean(both), abs=1e-12)


def test_the_command_line_asks_too(referee, tmp_path):
    x, y = credit()
    pd.DataFrame(x, columns=list("uvw")).assign(y=y).to_csv(tmp_path / "data.csv", index=False)
    asked = [tmp_path / "data.csv", "--target", "y", "--models", "tree,logistic", "--goal", "f1"]
    scheme = ["--scheme", "k_fold(k=4)"]
    run = referee("select", *asked, *scheme)
    assert (run.code, run.json["error"]["code"]) == (2, "E_POSITIVE")
    assert "--positive LABEL" in run.json["error"]["hint"]
    run = referee("select", *asked, *scheme, "--positive", "bad")
    assert (run.code, run.json["positive"], set(run.json["read"]["rest"])) == (0, "bad", {"good"})
    study = ["study", "--on", *asked[:5], "--repetitions", "2"]
    run = referee(*study)
    assert (run.code, run.json["error"]["code"]) == (2, "E_POSITIVE")
    assert run.json["error"]["hint"] == "use --positive LABEL (or several: A,B); it is never guessed"


def test_a_run_is_asked_for_its_positive_class(referee, tmp_path):
    """One that was made for a goal of both classes, and is compared on a goal of one."""
    x, y = credit()
    verdict = select(MODELS, x, y, goal="accuracy", scheme=FOLDS, store=tmp_path / "run")
    assert verdict.predictions.positive is None
    run = referee("compare", tmp_path / "run", "--goal", "f1")
    assert (run.code, run.json["error"]["code"]) == (2, "E_POSITIVE")
    run = referee("compare", tmp_path / "run", "--goal", "f1", "--positive", "bad")
    for name, model in MODELS.items():
        expected = pytest.approx(mean_f1(model, x, y, "bad"), abs=1e-12)
        assert run.json["verdict"]["values"][name] == expected
    run = referee("compare", tmp_path / "run", "--goal", "f1", "--positive", "ugly")
    assert (run.code, run.json["error"]["code"]) == (2, "E_POSITIVE")
    select(MODELS, x, y, goal="f1", positive="bad", scheme=FOLDS, store=tmp_path / "other")
    run = referee("compare", tmp_path / "other", "--goal", "f1", "--positive", "good")
    assert (run.code, run.json["error"]["code"]) == (2, "E_POSITIVE")


def test_labels_of_targets_are_those_of_truths(referee, tmp_path):
    x, y = credit()
    slips = np.where(np.arange(len(y)) < 20, np.char.add(y.astype("U5"), " "), y)
    marks = np.where(np.arange(len(y)) < 20, "?", y)
    for labels, code in ((slips, "E_LABELS"), (marks, "E_MISSING")):
        with pytest.raises(RefereeError) as caught:
            select(MODELS, x, labels, goal="f1", positive="bad", scheme=FOLDS)
        assert (caught.value.code, caught.value.exit) == (code, 3)
    verdict = select(MODELS, x, marks, goal="f1", positive="bad", drop_label="?", scheme=FOLDS)
    for name, model in MODELS.items():
        assert verdict.values[name] == pytest.approx(mean_f1(model, x[20:], y[20:], "bad"), abs=1e-12)
    assert verdict.to_dict()["read"]["left_out"]["rows"] == {"?": 20}
    pd.DataFrame(x, columns=list("uvw")).assign(y=marks).to_csv(tmp_path / "data.csv", index=False)
    asked = ["select", tmp_path / "data.csv", "--target", "y", "--models", "tree,dummy", "--goal", "f1"]
    asked += ["--positive", "bad", "--scheme", "holdout"]
    assert referee(*asked).code == 3
    run = referee(*asked, "--drop-label", "?")
    assert (run.code, run.json["rows"]) == (0, 140)
    assert "W_DROPPED" in {one["code"] for one in run.json["warnings"]}
    run = referee(*asked, "--classes", "?,bad,good")
    assert run.json["read"]["rest"] == {"?": 20, "good": int((y[20:] == "good").sum())}
    assert referee(*asked, "--classes", "?,bad,good,ugly").code == 2


@pytest.mark.parametrize(
    ("keyword", "word"),
    [("jbos", "jobs"), ("gaol", "goal"), ("shceme", "scheme"), ("sed", "seed")],
)
def test_unknown_keywords_are_named(keyword, word):
    x, y = credit()
    with pytest.raises(TypeError, match=rf"select\(\) has no keyword '{keyword}'; did you mean '{word}'") as caught:
        select(MODELS, x, y, goal="accuracy", **{keyword: 5})
    assert isinstance(caught.value, RefereeError)


def test_unknown_keywords_of_compare_are_named():
    predictions = Predictions.from_arrays([0, 1] * 20, {"a": [0.1, 0.9] * 20, "b": [0.2, 0.8] * 20})
    with pytest.raises(TypeError, match=r"compare\(\) has no keyword 'units'; did you mean 'unit'"):
        compare(predictions, "accuracy", units="row")


def test_what_is_said_of_labels_belongs_to_the_data():
    x, y = credit()
    data = DataSet.from_arrays(x, y, positive="bad")
    assert select(MODELS, data, goal="f1", scheme=FOLDS).predictions.classes[0] == "bad"
    with pytest.raises(RefereeError, match="where that is made"):
        select(MODELS, data, goal="f1", positive="good", scheme=FOLDS)


def test_the_study_takes_the_positive_class():
    x, y = credit()
    with pytest.raises(RefereeError, match="which is the positive one"):
        study_own_data(MODELS, x, y, metrics="f1,accuracy", repetitions=2)
    found = study_own_data(MODELS, x, y, positive="bad", metrics="f1,accuracy", repetitions=2)
    assert {metric.name for metric in found.metrics} == {"f_beta", "accuracy"}


def warned(verdict):
    return {notice.code for notice in verdict.warnings}


@pytest.mark.parametrize("goal", ["roc_auc", "average_precision"])
def test_no_warning_rests_on_ranks_of_several_folds(goal):
    """A model that says the prior is right in every fold; pooled, its folds are ranked by their priors."""
    x, _ = credit(60)
    y = np.arange(60) % 3 == 0
    y[:7] = True
    verdict = select({"a": DummyClassifier(), "b": DummyClassifier()}, x, y, goal=goal, scheme="k_fold(k=2)")
    predictions = verdict.predictions
    assert verdict.scores["a", goal].value is None
    assert "different scales" in verdict.scores["a", goal].undefined
    if goal == "roc_auc":
        assert roc_auc_score(predictions.truth, predictions.model("a").scores) < 0.5
        assert verdict.values["a"] == 0.5
    assert "W_REVERSED" not in warned(verdict)
    assert not [one for one in verdict.warnings if "worse than a baseline that guesses" in one.message]


def test_models_that_are_wrong_in_every_fold_are_still_pointed_out():
    x, y = credit(120)
    flipped = {"a": Flipped(LogisticRegression()), "b": Flipped(LogisticRegression(C=0.01))}
    verdict = select(flipped, x, y, goal="roc_auc", positive="bad", scheme="k_fold(k=3)")
    assert verdict.values["a"] < 0.5
    assert {"W_REVERSED", "W_GUESSING"} <= warned(verdict)
    (notice,) = [one for one in verdict.warnings if one.code == "W_GUESSING"]
    assert f"worse than a baseline that guesses, on roc_auc: {verdict.values[verdict.best]:.4f}" in notice.message


class Flipped:
    """A classifier that takes each class for the other one."""

    def __init__(self, model):
        self.model = model

    def get_params(self, deep=False):  # noqa: ARG002 (scikit-learn's protocol)
        return {"model": self.model}

    def set_params(self, **given):
        self.__dict__.update(given)
        return self

    def fit(self, x, y):
        self.model.fit(x, y)
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, x):
        return self.model.predict_proba(x)[:, ::-1]

    def predict(self, x):
        return self.classes_[self.predict_proba(x).argmax(axis=1)]


def test_pooled_ranks_of_files_with_folds():
    """Also where the folds come from a file: scores of one fold are all higher, and nothing is reversed."""
    draw = np.random.default_rng(0)
    fold = np.arange(200) % 2
    truth = draw.random(200) < np.where(fold, 0.8, 0.2)
    scores = {name: truth + draw.normal(size=200) - 6 * fold for name in "ab"}
    predictions = Predictions.from_arrays(truth, scores, fold=fold)
    assert roc_auc_score(truth, scores["a"]) < 0.5
    for part in (0, 1):
        assert roc_auc_score(truth[fold == part], scores["a"][fold == part]) > 0.6
    with pytest.raises(UndefinedError, match="different scales") as caught:
        compare(predictions, "roc_auc")
    assert caught.value.code == "E_POOLED"
    assert not warned(compare(predictions, "roc_auc", unit="fold")) & {"W_REVERSED", "W_GUESSING", "W_POOLED"}


def test_a_pandas_index_in_another_order_is_refused():
    truth = pd.Series([0, 1, 1, 0, 1, 0], index=[3, 1, 4, 0, 5, 9])
    scores = pd.Series([0.2, 0.9, 0.7, 0.4, 0.6, 0.1], index=truth.index)
    assert Predictions.from_arrays(truth, {"a": scores}).rows == 6
    backwards = scores[::-1]
    for given in ({"a": backwards}, {"a": pd.DataFrame({0: 1 - backwards, 1: backwards})}):
        with pytest.raises(RefereeError, match=r"the index of 'a.*' is that of the truth in another order") as caught:
            Predictions.from_arrays(truth, given)
        assert "reindex" in caught.value.hint
    with pytest.raises(RefereeError, match="the index of 'weight'"):
        Predictions.from_arrays(truth, {"a": scores}, weight=backwards)
    kept = Predictions.from_arrays(truth, {"a": backwards.reindex(truth.index)})
    assert kept.models[0].scores.tolist() == scores.tolist()
    by_position = Predictions.from_arrays(truth, {"a": backwards.to_numpy()})
    assert by_position.models[0].scores.tolist() == scores.tolist()[::-1]
    other = pd.Series(scores.to_numpy())
    assert Predictions.from_arrays(truth, {"a": other}).models[0].scores.tolist() == scores.tolist()


def test_a_target_in_another_order_is_refused():
    x, y = credit(40)
    frame = pd.DataFrame(x, columns=list("uvw"))
    target = pd.Series(y, name="y")
    assert DataSet.from_arrays(frame, target).rows == 40
    with pytest.raises(RefereeError, match="the index of 'y' is that of X in another order"):
        select(MODELS, frame, target[::-1], goal="accuracy")


def test_the_account_of_a_table(tmp_path):
    x, y = credit(40)
    frame = pd.DataFrame(x, columns=list("uvw")).assign(y=y, name=[f"n{row}" for row in range(40)], g=np.arange(40) % 4)
    frame.to_csv(tmp_path / "data.csv", index=False)
    read = read_dataset(tmp_path / "data.csv", "y", positive="bad", group="g").account.to_dict()
    assert read["columns"]["g"] == {"as": "group"}
    assert read["columns"]["y"] == {"as": "target"}
    assert set(read["left_out"]["columns"]) == {"name"}

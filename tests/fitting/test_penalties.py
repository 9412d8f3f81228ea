"""Penalties against statsmodels, scikit-learn and numbers by hand; and what `select` says of them."""

from __future__ import annotations

import json
from dataclasses import replace
from math import comb, log, log2, sqrt
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.tree import DecisionTreeClassifier

import referee
from referee.errors import UnknownNameError
from referee.fitting import DataSet, Penalised, Split, TreeCode, estimators_of
from referee.fitting.fits import Unit
from referee.fitting.penalties import Penalising, smallest, vc_confidence

pytestmark = pytest.mark.usefixtures("fits_here")
STATSMODELS = json.loads((Path(__file__).parents[1] / "reference" / "statsmodels_penalties.json").read_text())
DIABETES = load_diabetes(return_X_y=True)
IRIS = load_iris(return_X_y=True)
BREAST = load_breast_cancer(return_X_y=True)
NO_PENALTY = {"C": np.inf, "tol": 1e-10, "max_iter": 10_000}
WEATHER = """sunny hot high false N, sunny hot high true N, overcast hot high false P, rain mild high false P,
rain cool normal false P, rain cool normal true N, overcast cool normal true P, sunny mild high false N,
sunny cool normal false P, rain mild normal false P, sunny mild normal true P, overcast mild high true P,
overcast hot normal false P, rain mild high true N"""
"""Quinlan and Rivest's (1989) own example."""


def task_of(y):
    distinct = len(set(y.tolist()))
    return "binary" if distinct == 2 else "multiclass" if distinct == 3 else "regression"


def penalised(models, x, y=None, penalty="bic"):
    """Each model's value, as workers and `select` make it, without starting any."""
    data = x if isinstance(x, DataSet) else DataSet.from_arrays(x, y, task=task_of(y))
    estimators = estimators_of(models, data.features, data.task)
    split = Split(np.arange(data.rows), np.arange(0))
    work = replace(Penalising.of(data, [split], estimators), penalty=penalty)
    return {name: work(Unit((name,), 0)) for name in estimators}


@pytest.mark.parametrize("penalty", ["aic", "bic"])
def test_numbers_as_in_statsmodels_and_the_variance_as_in_r(penalty):
    x, y = DIABETES
    own = penalised({"linear": LinearRegression(), "mean": "dummy"}, x, y, penalty)
    # statsmodels does not count the variance of the errors; R's AIC() and BIC() do.
    variance = {"aic": 2, "bic": log(len(y))}[penalty]
    assert own["linear"].value == pytest.approx(STATSMODELS["ols_diabetes"][penalty] + variance)
    assert own["mean"].value == pytest.approx(STATSMODELS["mean_diabetes"][penalty] + variance)
    assert own["linear"].complexity == 12
    assert own["linear"].misfit == pytest.approx(-2 * STATSMODELS["ols_diabetes"]["log_likelihood"])


@pytest.mark.parametrize("penalty", ["aic", "bic"])
@pytest.mark.parametrize(
    ("name", "data"), [("logit_breast_cancer_2", BREAST), ("mnlogit_wine_2", load_wine(return_X_y=True))]
)
def test_classes_as_in_statsmodels(name, data, penalty):
    x, y = data
    models = {"logistic": LogisticRegression(**NO_PENALTY), "prior": "dummy"}
    own = penalised(models, scale(x[:, :2]), y, penalty)
    assert own["logistic"].value == pytest.approx(STATSMODELS[name][penalty], rel=1e-6)
    shares = np.bincount(y) / len(y)
    assert own["prior"].misfit == pytest.approx(-2 * len(y) * (shares * np.log(shares)).sum())
    assert own["prior"].complexity == len(shares) - 1


def effective(x, alpha, weight=None):
    """What each target moves its own prediction by, summed: scikit-learn's ridge asked row by row."""
    unit = np.eye(len(x))
    fits = [
        Ridge(alpha=alpha, solver="svd").fit(x, target, weight).predict(x[[row]])[0] for row, target in enumerate(unit)
    ]
    return sum(fits)


@pytest.mark.parametrize("alpha", [0.1, 3.0])
def test_ridge_has_the_effective_number_of_its_weights(alpha):
    x, y = DIABETES
    x, y = x[:60], y[:60]
    own = penalised({"ridge": Ridge(alpha=alpha), "mean": "dummy"}, x, y, "aic")
    assert own["ridge"].complexity == pytest.approx(effective(x, alpha) + 1)
    assert own["ridge"].complexity < 12


def test_logistic_has_the_effective_number_of_its_weights():
    x, y = scale(BREAST[0][:80, :4]), BREAST[1][:80]
    own = penalised({"l2": LogisticRegression(C=0.5, tol=1e-8), "prior": "dummy"}, x, y, "bic")["l2"]
    said = LogisticRegression(C=0.5, tol=1e-8).fit(x, y).predict_proba(x)
    assert own.complexity == pytest.approx(effective(x, 2.0, said.prod(axis=1)), rel=1e-4)
    assert own.misfit == pytest.approx(2 * log_loss(y, said, normalize=False), rel=1e-6)


def test_naive_bayes_has_means_variances_and_shares():
    x, y = IRIS
    own = penalised({"own": "naive_bayes", "theirs": GaussianNB()}, x, y, "bic")
    assert own["own"].complexity == own["theirs"].complexity == 2 + 3 * 4 * 2
    said = GaussianNB().fit(x, y).predict_proba(x)
    assert own["theirs"].misfit == pytest.approx(2 * log_loss(y, said, normalize=False))
    assert own["own"].misfit == pytest.approx(own["theirs"].misfit, rel=1e-4)


def test_the_code_of_quinlan_and_rivests_tree():
    rows = [line.split() for line in WEATHER.replace("\n", " ").split(",")]
    columns = dict(zip(("outlook", "temperature", "humidity", "windy"), zip(*rows, strict=True), strict=False))
    data = DataSet.from_arrays({name: list(values) for name, values in columns.items()}, [row[-1] for row in rows])
    models = {"c45": "tree(like=c45)", "leaf": "dummy"}
    own = penalised(models, data, penalty="mdl")
    # Outlook, then humidity and windy: 8 nodes, one of 4 attributes and two of 3, the classes of 5 leaves.
    assert own["c45"].complexity == pytest.approx(8 + log2(4) + 2 * log2(3) + 5)
    assert own["c45"].complexity == pytest.approx(18.170, abs=5e-4)
    # Leaves of 3, 2, 4, 2 and 3 rows without an exception, of which there might have been 2, 1, 2, 1 and 2.
    assert own["c45"].misfit == pytest.approx(3 * log2(3) + 2 * log2(2))
    # One leaf: a bit for it, a bit for its class, 5 exceptions of at most 7 among 14 rows.
    assert own["leaf"].value == pytest.approx(2 + log2(8) + log2(comb(14, 5)))


def test_the_code_of_numbers_and_of_three_classes():
    x = np.array([[1.0, 0], [2, 1], [3, 0], [4, 1], [5, 0], [6, 1], [7, 0], [8, 1], [9, 0]])
    y = np.repeat(["a", "b", "c"], 3)
    own = penalised({"cart": DecisionTreeClassifier(), "leaf": "dummy"}, x, y, "mdl")
    # 5 nodes; two of 2 columns, each at one of 8 points; the classes of 3 leaves.
    assert own["cart"].complexity == pytest.approx(5 + 2 * (1 + 3) + 3 * log2(3))
    assert own["cart"].misfit == pytest.approx(3 * log2(2 + 1))
    # 6 of 9 rows are exceptions, each of one of two other classes; there might have been 6.
    assert own["leaf"].misfit == pytest.approx(log2(7) + log2(comb(9, 6)) + 6)


def test_a_column_of_two_values_is_used_up():
    x = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    y = (x[:, 0] * x[:, 1]).astype(int)
    own = penalised({"cart": DecisionTreeClassifier(), "leaf": "dummy"}, x, y, "mdl")
    assert own["cart"].complexity == pytest.approx(5 + log2(2) + log2(1) + 3)


def test_rows_that_count_in_part_have_a_code():
    whole, parts = TreeCode([2], [1], np.array([[3.0, 1], [0, 4]])), TreeCode([2], [1], np.array([[3.0, 1], [0, 4.5]]))
    assert whole.of_exceptions == pytest.approx(log2(3) + log2(4) + log2(3))
    assert parts.of_exceptions == pytest.approx(whole.of_exceptions)


def test_the_vc_bound_reaches_one_where_burges_says():
    # C. J. C. Burges (1998): above h / l = 0.37, for l = 10,000 and 95 percent, it exceeds one.
    assert vc_confidence(3700, 10_000, 0.05) < 1 < vc_confidence(3800, 10_000, 0.05)


def test_the_bound_of_linear_classifiers():
    x, y = BREAST
    x = scale(np.column_stack([x[:, :2], x[:, 0] + x[:, 1]]))
    own = penalised(["sklearn.linear_model:Perceptron", "logistic", "dummy", "naive_bayes"], x, y, "vc")
    # The third column is the sum of the others.
    assert own["logistic"].complexity == own["Perceptron"].complexity == 3
    assert own["dummy"].complexity == 1
    assert own["dummy"].misfit == pytest.approx(1 - y.mean())
    n, h = len(y), 3
    bound = own["logistic"].misfit + sqrt((h * (log(2 * n / h) + 1) - log(0.05 / 4)) / n)
    assert own["logistic"].value == pytest.approx(bound)
    assert own["naive_bayes"].undefined == "not a linear classifier"


def test_what_is_not_defined_has_its_reason():
    x, y = scale(BREAST[0][:, :3]), BREAST[1]
    models = {
        "chosen": make_pipeline(SelectKBest(k=1), LogisticRegression()),
        "scaled": make_pipeline(StandardScaler(), LogisticRegression()),
        "weighted": LogisticRegression(class_weight="balanced"),
        "knn": "knn",
    }
    own = penalised(models, x, y, "aic")
    assert "learns from the target" in own["chosen"].undefined
    assert "class_weight" in own["weighted"].undefined
    assert own["knn"].undefined == "no known number of free parameters"
    assert own["scaled"].undefined is None
    assert own["scaled"].value == pytest.approx(penalised(["logistic"], x, y, "aic")["logistic"].value, rel=1e-6)


def test_nothing_is_chosen_where_nothing_is_defined():
    x, y = IRIS
    weighted = DataSet.from_arrays(x, y, weight=np.linspace(1, 2, len(y)), task="multiclass")
    choice = referee.select(
        ["logistic", "dummy"], weighted, goal="accuracy", penalty="bic", scheme="k_fold(k=2)"
    ).selection.penalty
    assert {row.undefined for row in choice.models} == {"rows with weights do not have a known number"}
    assert choice.chosen == ()
    assert choice.agrees is None
    assert choice.sentence == "BIC is not defined for any of these models"


def test_the_verdict_stays_and_a_difference_is_said():
    draw = np.random.default_rng(1)
    x = draw.normal(size=(300, 2))
    y = (np.abs(x[:, 0]) > 0.7).astype(int)  # no hyperplane does this
    models = ["logistic", "dummy", "tree(like=c45)"]
    plain = referee.select(models, x, y, goal="accuracy", scheme="k_fold(k=5)")
    told = referee.select(models, x, y, goal="accuracy", scheme="k_fold(k=5)", penalty="bic")
    assert told.sentence == plain.sentence
    assert told.winners == ("tree(like=c45)",)
    choice = told.selection.penalty
    assert choice.chosen == ("dummy",)
    assert choice.agrees is False
    assert choice.sentence == (
        "BIC chooses dummy among the 2 models that it is defined for, but the winner is tree(like=c45): the two differ"
    )
    assert choice.sentence in told.to_markdown()
    assert "the two differ" in told.to_html()
    assert json.loads(told.to_json())["selection"]["penalty"]["chosen"] == ["dummy"]
    assert plain.selection.penalty is None
    agreed = referee.select(models, x, y, goal="accuracy", scheme="k_fold(k=5)", penalty="mdl").selection.penalty
    assert agreed.agrees
    assert agreed.sentence.endswith("as the verdict does")


def test_equal_values_are_chosen_together():
    rows = [Penalised("a", 3.0), Penalised("b", 1.0), Penalised("c"), Penalised("d", 1.0 + 1e-12)]
    assert smallest(rows) == ("b", "d")


def test_an_unknown_penalty_is_refused_before_fitting():
    with pytest.raises(UnknownNameError, match="no penalty 'bicc'") as caught:
        referee.select(["logistic", "dummy"], *IRIS, goal="accuracy", penalty="bicc")
    assert "bic" in caught.value.hint

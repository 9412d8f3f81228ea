"""What holdout, cross-validation and penalties choose, made again with scikit-learn's naive Bayes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from referee.document import Document, markdown_text
from referee.fitting import DataSet
from referee.paper.penalty_regret import FAMILIES, SIZES, WayCost, choice_errors, penalty_part, way_costs

_, BAYES, LOGISTIC = FAMILIES
ATTRIBUTES = (1, 2, 4, 8)


def made_up(rows=900):
    draw = np.random.default_rng(3)
    x = draw.normal(size=(rows, 8))
    y = (x[:, 0] + x[:, 3] + 1.5 * draw.normal(size=rows) > 0).astype(int)
    return x, y, DataSet.from_arrays(x, y, positive=1)


def errors(x, y, train, test, kind=GaussianNB):
    fits = [kind().fit(x[train, :count], y[train]) for count in ATTRIBUTES]
    said = [fit.predict(x[test, :count]) for fit, count in zip(fits, ATTRIBUTES, strict=True)]
    return np.array([np.mean(labels != y[test]) for labels in said])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_same_choices_with_scikit_learn(seed):
    x, y, data = made_up()
    order = np.random.default_rng(seed).permutation(len(y))
    rows, others = order[:100], order[100:]
    true = errors(x, y, rows, others)
    holdout = errors(x, y, rows[:70], rows[70:])
    folds = [errors(x, y, rows[train], rows[test]) for train, test in KFold(5).split(rows)]
    likelihood = [
        log_loss(y[rows], GaussianNB().fit(x[rows, :m], y[rows]).predict_proba(x[rows, :m]), normalize=False)
        for m in ATTRIBUTES
    ]
    free = 1 + 2 * 2 * np.array(ATTRIBUTES)
    aic, bic = 2 * np.array(likelihood) + 2 * free, 2 * np.array(likelihood) + np.log(100) * free
    expected = [true[values.argmin()] for values in (holdout, np.mean(folds, axis=0), aic, bic)]
    assert choice_errors(BAYES, data, rows, others) == pytest.approx([true.min(), *expected])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_structural_risk_of_linear_models_with_scikit_learn(seed):
    """Vapnik: the error on the rows themselves + sqrt((h (ln(2n/h) + 1) - ln(.05/4)) / n), h = columns + 1."""
    x, y, data = made_up()

    def logistic():
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))

    order = np.random.default_rng(seed).permutation(len(y))
    rows, others = order[:100], order[100:]
    h = np.array(ATTRIBUTES) + 1
    bound = errors(x, y, rows, rows, logistic) + np.sqrt((h * (np.log(200 / h) + 1) - np.log(0.05 / 4)) / 100)
    true = errors(x, y, rows, others, logistic)
    found = choice_errors(LOGISTIC, data, rows, others)
    assert [found[0], found[-1]] == pytest.approx([true.min(), true[bound.argmin()]])


def test_costs_are_means_over_samples_and_errors_are_over_data_sets():
    _, _, data = made_up()
    _, _, fewer = made_up(500)
    costs = way_costs({"a": data, "b": fewer}, 25, seed=0)
    assert [(cost.family, cost.rows) for cost in costs] == [(f.title, n) for f in FAMILIES for n in SIZES]
    assert all(above >= 0 for cost in costs for above in cost.above.values())
    assert [*costs[0].above] == ["holdout", "cross-validation", "mdl"]
    assert [*costs[-1].above] == ["holdout", "cross-validation", "aic", "bic", "vc"]
    assert costs == way_costs({"a": data, "b": fewer}, 25, seed=0)


def test_what_is_not_defined_has_a_dash():
    cost = WayCost("trees", 100, 0.2, {"holdout": 0.01, "mdl": 0.03}, {"holdout": 0.002, "mdl": 0.004})
    text = markdown_text(Document("study", "", tuple(penalty_part([cost], 100))))
    row = next(line for line in text.splitlines() if line.startswith("| trees"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == ["trees", "100", "0.2000", "0.0100 ±0.0020", "–", "–", "–", "0.0300 ±0.0040", "–"]
    assert list(penalty_part([], 10)) == []

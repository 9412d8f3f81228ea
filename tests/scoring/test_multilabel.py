"""Rows with several labels: scikit-learn, the jackknife over rows, and tables that have no labels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as sk

import referee
from referee import metrics
from referee.errors import RefereeError

LABELS = ("news", "sport", "arts", "tech")
THEIRS = {
    "hamming_loss": sk.hamming_loss,
    "subset_accuracy": sk.accuracy_score,
    "multilabel_f1": lambda y, p: sk.f1_score(y, p, average="macro"),
    "multilabel_f1(average=micro)": lambda y, p: sk.f1_score(y, p, average="micro"),
    "multilabel_f1(average=weighted)": lambda y, p: sk.f1_score(y, p, average="weighted"),
}


def drawn(seed, rows=150):
    """Truth and scores of two models: (row, label) matrices."""
    draw = np.random.default_rng(seed)
    truth = (draw.random((rows, 4)) < [0.5, 0.3, 0.2, 0.1]).astype(int)
    truth[:4] = np.eye(4)
    scores = {
        name: np.round(pull * truth + draw.random((rows, 4)) * (1 - pull), 2)
        for name, pull in (("nn", 0.45), ("svm", 0.3))
    }
    return truth, scores


def table(seed=0, rows=150, **changed):
    truth, scores = drawn(seed, rows)
    matrices = {"y": truth, **scores}
    columns = {
        f"{name}_{label}": matrix[:, place].tolist()
        for name, matrix in matrices.items()
        for place, label in enumerate(LABELS)
    }
    return columns | changed


@pytest.mark.parametrize("name", THEIRS)
@pytest.mark.parametrize("seed", range(4))
def test_scikit_learn(seed, name):
    truth, scores = drawn(seed)
    for threshold in (0.5, 0.35):
        found = referee.evaluate(truth, scores, metrics=[name], threshold=threshold)
        for model, columns in scores.items():
            expected = THEIRS[name](truth, columns >= threshold)
            assert found[model, name].value == pytest.approx(expected, abs=1e-12)
            assert found[model, name].threshold == threshold


@pytest.mark.parametrize("name", THEIRS)
def test_the_jackknife_over_rows(name):
    truth, scores = drawn(5, 300)
    decided = scores["nn"] >= 0.5
    rows = np.arange(len(truth))
    left_out = np.array([THEIRS[name](truth[rows != row], decided[rows != row]) for row in rows])
    expected = np.sqrt((len(rows) - 1) * np.var(left_out))
    found = referee.evaluate(truth, {"nn": scores["nn"]}, metrics=[name])
    assert found["nn", name].standard_error == pytest.approx(expected, rel=0.03)


def test_the_paired_comparison_by_the_jackknife():
    truth, scores = drawn(6, 300)
    rows = np.arange(len(truth))

    def without(row, model):
        kept = rows != row
        return sk.f1_score(truth[kept], scores[model][kept] >= 0.5, average="macro")

    differences = np.array([without(row, "nn") - without(row, "svm") for row in rows])
    (found,) = referee.compare(truth, scores, goal="multilabel_f1").comparisons
    assert abs(found.difference / found.statistic) == pytest.approx(
        np.sqrt((len(rows) - 1) * np.var(differences)), rel=0.03
    )


def test_a_table_is_the_same_as_arrays():
    truth, scores = drawn(0)
    by_arrays = referee.compare(truth, scores, goal="hamming_loss")
    by_table = referee.compare(table(), truth="y_{label}", goal="hamming_loss")
    assert by_table.sentence == by_arrays.sentence
    assert by_table.predictions.label_names == LABELS
    named = referee.compare(
        table(), truth="y_{label}", models={"svm": "svm_{label}", "nn": "nn_{label}"}, goal="hamming_loss"
    )
    assert named.sentence == by_arrays.sentence


def test_guessing_says_what_is_true_of_most_rows():
    truth, scores = drawn(1)
    majority = np.tile(truth.mean(axis=0) >= 0.5, (len(truth), 1))
    (guessed,) = referee.evaluate(truth, scores, metrics=["hamming_loss"]).baseline
    assert guessed.value == pytest.approx(sk.hamming_loss(truth, majority), abs=1e-12)


def test_true_and_false_are_labels():
    truth, scores = drawn(2)
    assert metrics["hamming_loss"](truth == 1, scores["nn"] >= 0.5) == metrics["hamming_loss"](truth, scores["nn"])


def test_groups_of_rows():
    said = {"truth": "y_{label}", "models": ["nn"], "metrics": ["hamming_loss"]}
    alone = referee.evaluate(table(), **said)["nn", "hamming_loss"]
    person = (np.arange(150) % 30).tolist()
    grouped = referee.evaluate(table(person=person), group="person", **said)["nn", "hamming_loss"]
    assert grouped.value == alone.value
    assert grouped.standard_error != alone.standard_error


def test_a_label_that_never_occurs():
    truth = np.array([[0, 1], [0, 1], [0, 0]])
    with pytest.warns(RuntimeWarning, match="no row has the label, and none is given it"):
        assert np.isnan(metrics["multilabel_f1"](truth, np.zeros((3, 2))))
    assert metrics["multilabel_f1"](truth, truth * 1.0, average="micro") == 1


@pytest.mark.parametrize(
    ("columns", "said", "code", "words"),
    [
        (table(y_arts=[2, *[0] * 149]), {}, "E_LABELCOL", "column 'y_arts', row 1: '2' is neither 0 nor 1"),
        (table(y_arts=["yes", *["no"] * 149]), {}, "E_LABELCOL", "is neither 0 nor 1"),
        (table(y_arts=[None, *[0] * 149]), {}, "E_MISSING", "column 'y_arts', row 1"),
        (table(nn_arts=[None, *[0.5] * 149]), {}, "E_MISSING", "column 'nn_arts', row 1"),
        (table(), {"truth": "y_news"}, "E_ROLE", "which columns hold them?"),
        (table(), {"truth": "z_{label}"}, "E_NOCOL", "'z_{label}'"),
        (table(zz_news=[0.5] * 150, zz_arts=[0.5] * 150), {}, "E_LABELCOL", "model 'zz' has no column for the label"),
        (table(), {"models": ["nn", "xx"]}, "E_LABELCOL", "model 'xx' has no column for the label 'news'"),
        (table(), {"models": {"nn": "nn_{label}", "y": "y_{label}"}}, "E_LABELCOL", "has the columns of the truth"),
        (table(), {"positive": 1}, "E_ROLE", "there are no classes"),
        (table(), {"goal": "f1_micro"}, "E_TASK", "is not for rows with several labels"),
        (table(), {"task": "binary"}, "E_ROLE", "it is not a binary truth"),
    ],
)
def test_bad_labels(columns, said, code, words):
    with pytest.raises(RefereeError) as caught:
        referee.compare(columns, **{"truth": "y_{label}", "goal": "hamming_loss", **said})
    assert caught.value.code == code
    assert words in caught.value.message

"""The sections of the lecture: what each says, what its slides show, and the same of the user's predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import deviation
from referee.catalogue import brief
from referee.comparing import compare, tests
from referee.document import Column, Lines, Part, counted, number_cell, table
from referee.errors import UndefinedError
from referee.fitting import schemes
from referee.lecture.slides import (
    BUYS_COMPUTER,
    CANCER,
    ERRORS_1,
    ERRORS_2,
    RARE_CANCER,
    cpu_rows,
    ranked_rows,
    rows_of,
    ten_rows,
)
from referee.lecture.t_table import t_table
from referee.records import dataclass
from referee.scoring import confusion_parts, evaluate
from referee.thresholds import curves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from referee.document import Cell
    from referee.fitting import Scheme
    from referee.predictions import Predictions
    from referee.scoring import Score

CELLS = ("accuracy", "error_rate", "recall", "specificity")
IMBALANCE = ("accuracy", "recall", "balanced_accuracy")
BALANCE = ("precision", "recall", "f1", "f_beta(beta=2)")
NUMERIC = ("correlation", "mae", "rmse", "rae", "rrse")
DRAWN_ROWS = 1000
"""A scheme is shown on as many rows where nobody gave any."""
MOST_MODELS = 4
"""Whose estimates stand side by side."""
NOT_TRAINED = (
    "the models are fixed: a split shows how an estimate varies with the test rows, not with the training rows",
    "`referee select` trains a new model for each split",
    "standard error: what the formula gives for the estimate on all rows, without any split",
)
Parts = list[Part]


@dataclass(frozen=True)
class Section:
    """One thought of the lecture."""

    title: str
    says: tuple[str, ...]
    slides: Callable[[], Parts]
    yours: Callable[[Predictions], Parts] | None = None
    """The same of predictions; None where nothing in it depends on them."""
    tasks: tuple[str, ...] = ("binary", "multiclass")


def _scored(predictions: Predictions, metrics: Sequence[str], *, confusion: bool = False) -> Parts:
    """Scores on some metrics, explained, below the confusion matrix they come from."""
    scores = evaluate(predictions, list(metrics))
    return [*(confusion_parts(scores) if confusion else ()), *scores.explanation()]


def _confusion_slides() -> Parts:
    each = [ten_rows(), rows_of(BUYS_COMPUTER, "yes")]
    return [part for predictions in each for part in _scored(predictions, CELLS, confusion=True)]


def _roc(predictions: Predictions) -> Parts:
    return [*curves(predictions, kind="roc").explanation()]


def _drawn(name: str, settings: dict[str, int], rows: int) -> Parts:
    """The sizes of the first splits that a scheme draws."""
    scheme: Scheme = schemes[name](**settings)
    splits = [(len(train), len(set(train.tolist())), len(test)) for train, test, _ in _first(scheme, rows)]
    heads = ["split", "training rows", "distinct ones", "test rows"]
    shown = [[str(place), *(f"{many:,}" for many in sizes)] for place, sizes in enumerate(splits, 1)]
    command = f"`referee select DATA --target COL --models A,B --goal accuracy --scheme '{scheme.full_name}'` runs it"
    which = "its split" if len(splits) == 1 else "the first splits"
    title = f"{scheme.full_name} on {counted(rows, 'row')}: {which}"
    return [Part(title, (table("splits", heads, shown, remarks=(command,)),), asked=True)]


def _estimated(name: str, settings: dict[str, int], predictions: Predictions) -> Parts:
    """The value of each model on the test rows of a scheme's splits; nothing is trained."""
    goal = "rmse" if predictions.task == "regression" else "accuracy"
    models = predictions.names[:MOST_MODELS]
    tested = [test for _, test, _ in _first(schemes[name](**settings), predictions.rows, settings.get("k", 3))]
    values = np.array([[score.value for score in _on(predictions.part(test), goal, models)] for test in tested], float)
    rows = [_row(str(place), len(test), each) for place, (test, each) in enumerate(zip(tested, values, strict=True), 1)]
    if len(rows) > 1:
        rows += [_row("mean", None, values.mean(axis=0)), _row("standard deviation", None, deviation(values))]
    whole = _on(predictions, goal, models)
    rows += [_row("all rows", predictions.rows, [score.value for score in whole])]
    rows += [_row("standard error", None, [score.standard_error for score in whole])]
    columns = [Column("split", words=True), Column("test rows"), *(Column(model, is_name=True) for model in models)]
    shown = table("estimates", columns, rows, remarks=NOT_TRAINED)
    return [Part(f"{goal} on the test rows of each split", (shown,), asked=True)]


def _on(predictions: Predictions, goal: str, models: Sequence[str]) -> list[Score]:
    scores = evaluate(predictions, [goal])
    return [scores[model, goal] for model in models]


def _row(name: str, rows: int | None, values: Iterable[float | None]) -> list[Cell | str]:
    return [name, "" if rows is None else f"{rows:,}", *map(number_cell, values)]


def _first(scheme: Scheme, rows: int, most: int = 3) -> list[tuple[Any, Any, int]]:
    split = scheme.split(np.zeros((rows, 1)), np.zeros(rows, int))
    return [(train, test, place) for place, (train, test) in zip(range(most), split, strict=False)]


def _scheme_section(title: str, name: str, says: tuple[str, ...], **settings: int) -> Section:
    def of_slides() -> Parts:
        return _drawn(name, settings, DRAWN_ROWS)

    def of_yours(predictions: Predictions) -> Parts:
        return [*_drawn(name, settings, predictions.rows), *_estimated(name, settings, predictions)]

    return Section(title, says, of_slides, of_yours, ("binary", "multiclass", "regression"))


def _bootstrap(rows: int) -> Parts:
    left_out = (1 - 1 / rows) ** rows
    lines = (
        f"a row is left out of a sample with probability (1 - 1/d)^d = (1 - 1/{rows})^{rows} = {brief(left_out)}, "
        f"so a sample holds {brief(1 - left_out)} of the rows; for large d these are 1/e = 0.3679 and 0.6321",
        "accuracy = mean over the samples of 0.632 x accuracy on the test rows + 0.368 x accuracy on the training rows",
    )
    said = Part(f"A sample of d = {rows:,} rows", (Lines(lines, "formulas"),), asked=True)
    return [said, *_drawn("bootstrap_632", {"repeats": 3}, rows)]


def _bootstrap_yours(predictions: Predictions) -> Parts:
    said = (
        "the .632 estimate also needs the accuracy on the training rows of each sample, which predictions do not have"
    )
    estimates = _estimated("bootstrap_632", {"repeats": 3}, predictions)
    return [*_bootstrap(predictions.rows), *estimates, Part("", (Lines((said,)),), asked=True)]


def _t_test_slides() -> Parts:
    asked: dict[str, Any] = {"names": ("M1", "M2"), "better": "lower"}
    sample = tests["paired_t"].worked(ERRORS_1, ERRORS_2, **asked)
    population = tests["paired_t_population"].worked(ERRORS_1, ERRORS_2, **asked).comparison
    corrected = tests["corrected_resampled_t"].worked(ERRORS_1, ERRORS_2, test_fraction=0.1, **asked).comparison
    lines = (
        f"with the population variance, as in the textbook's formula: t = {brief(population.statistic or 0)}",
        f"the training sets of ten folds share most of their rows, which this t-test ignores; corrected for that "
        f"(corrected_resampled_t), t = {brief(corrected.statistic or 0)}, p = {brief(corrected.p or 0)}: a tie",
    )
    return [*sample.explanation(), Part("What the slides leave open", (Lines(lines, "formulas"),), asked=True)]


def _t_test_yours(predictions: Predictions) -> Parts:
    """By folds where these are known, as on the slides; otherwise by rows."""
    if len(predictions.models) < 2:
        return [Part("", (Lines(("a test needs predictions of two models; there is one here",)),), asked=True)]
    goal = "rmse" if predictions.task == "regression" else "error_rate"
    unit: Any = "fold" if predictions.fold is not None else None
    try:
        return [*compare(predictions, goal, metrics=[goal], unit=unit).explanation()]
    except UndefinedError as error:
        return [Part("", (Lines((error.message,)),), asked=True)]


def _issues() -> Parts:
    rows = [
        ["accuracy", "any metric, with its interval", "evaluate"],
        ["speed", "CPU time to fit and to predict", "select"],
        ["robustness", "fits with noise and with gaps", "select --robustness"],
        ["scalability", "time and value by number of rows", "select --learning-curve"],
        ["interpretability", "leaves, depth or parameters", "select"],
    ]
    heads = [Column(title, words=True) for title in ("issue", "measured by", "command")]
    shown = table("issues", heads, rows)
    return [Part("Besides accuracy", (shown,), asked=True)]


def _numeric_slides() -> Parts:
    lines = ("the denominators above are Weka's, which uses the mean of each fold's training rows",)
    note = Part("", (Lines(lines),), asked=True)
    return [*_scored(cpu_rows(baseline=True), NUMERIC), note, *_scored(cpu_rows(baseline=False), ("rae", "rrse"))]


SECTIONS = {
    "confusion-matrix": Section(
        "Confusion matrix",
        ("rows are the actual classes, columns the predicted ones, the positive class first",
         "accuracy is the share of rows on the diagonal, the error rate the share off it"),
        _confusion_slides,
        lambda predictions: _scored(predictions, CELLS, confusion=True),
    ),
    "class-imbalance": Section(
        "Class imbalance",
        ("where one class is rare, accuracy is high whatever happens to that class",
         "9,900 healthy people and 100 with cancer: a model that finds 20 of the 100 is right on 99.2% of all rows"),
        lambda: _scored(rows_of(RARE_CANCER, "cancer"), IMBALANCE, confusion=True),
        lambda predictions: _scored(predictions, IMBALANCE),
    ),
    "precision-recall": Section(
        "Precision, recall and F",
        ("precision: the share of rows called positive that are positive; recall: the share of positive rows that "
         "are called positive",
         "F1 is their harmonic mean; F-beta counts recall beta times as much as precision"),
        lambda: _scored(rows_of(CANCER, "yes"), BALANCE, confusion=True),
        lambda predictions: _scored(predictions, BALANCE),
    ),
    "holdout": _scheme_section(
        "Holdout", "holdout", ("train on two thirds of the rows, drawn at random, and test on the other third",)
    ),
    "subsampling": _scheme_section(
        "Random subsampling", "random_subsampling", ("repeat the holdout, and take the mean of the accuracies",)
    ),
    "cross-validation": _scheme_section(
        "Cross-validation", "k_fold",
        ("cut the rows into k folds; each is the test set once, and the others are the training set",
         "accuracy = correct rows of all folds / all rows; with k = d folds of one row each: leave_one_out; folds with "
         "the same class shares as the whole: stratified_k_fold"),
        k=10,
    ),
    "bootstrap": Section(
        "Bootstrap",
        ("draw d of the d rows with replacement: they are the training set, and the rows never drawn the test set",),
        lambda: _bootstrap(DRAWN_ROWS),
        _bootstrap_yours,
        ("binary", "multiclass", "regression"),
    ),
    "t-test": Section(
        "Hypothesis test",
        ("two error rates are estimates: is their difference larger than chance would explain?",
         "error rates of M1 and M2 in the same ten folds; if t is beyond the critical value on either side, the null "
         "hypothesis is rejected, and the model with the lower error rate is better"),
        _t_test_slides,
        _t_test_yours,
        ("binary", "multiclass", "regression"),
    ),
    "t-table": Section("t table", (), lambda: [t_table()]),
    "roc": Section(
        "ROC curve",
        ("rank the rows by their probability, highest first, and call one more of them positive at each step",
         "the area under the curve is 1 for a perfect ranking and 0.5 for guessing"),
        lambda: _roc(ranked_rows()),
        _roc,
    ),
    "issues": Section("Issues that affect the choice of a model", (), _issues),
    "numeric-measures": Section(
        "Measures for numeric prediction",
        ("y is the actual value and p the predicted one; b is the mean, which is the simple predictor",
         "Weka's RBFNetwork on its CPU data, 10-fold cross-validation, 209 rows"),
        _numeric_slides,
        lambda predictions: _scored(predictions, NUMERIC),
        ("regression",),
    ),
}  # fmt: skip
"""By the name that the command line knows them by, in the order of the lecture."""

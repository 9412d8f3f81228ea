"""What cannot be selected by, said before anything is fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.columns.truth import needs_positive
from referee.errors import UndefinedError, UsageError, listed
from referee.splitters import scheme_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from referee.dataset import DataSet
    from referee.metric import Metric
    from referee.scheme import Scheme


def refuse_before_fitting(estimators: Mapping[str, Any], goal: Metric, scheme: Scheme) -> None:
    """Refuse one model, and splits that the goal is undefined on."""
    if len(estimators) < 2:
        raise UsageError("E_ONEMODEL", f"selecting needs at least two models, and there is {listed(estimators)}")
    for one in _all_schemes(scheme):
        _refuse_scheme(one, goal)


def _all_schemes(scheme: Scheme) -> Iterator[Scheme]:
    """The scheme, and those that a nested one is made of."""
    yield scheme
    if scheme.name == "nested":
        settings = scheme.defaults | dict(scheme.settings)
        for place in ("outer", "inner"):
            yield from _all_schemes(scheme_of(settings[place]))


def refuse_without_positive(data: DataSet, asked: Sequence[Metric]) -> None:
    """Ask for the positive class where a metric speaks of it, as `compare` does."""
    if data.task == "binary" and data.positive is None and any(metric.of_one_class for metric in asked):
        raise needs_positive(data.source or "the data", data.target_column, data.classes)


def refuse_without_scores(estimators: Mapping[str, Any], goal: Metric, classes: int) -> None:
    """Refuse models without the scores that the goal needs: of two classes, a decision_function ranks as well."""
    if goal.needs not in ("scores", "probabilities"):
        return
    enough = ["predict_proba"] + (["decision_function"] if goal.needs == "scores" and classes == 2 else [])
    for name, estimator in estimators.items():
        if any(hasattr(estimator, method) for method in enough):
            continue
        of_classes = f" of each of {classes} classes" if classes > 2 else ""
        raise UsageError(
            "E_NOSCORE",
            f"{name} has no predict_proba, and {goal.name} ({goal.title}) needs {goal.needs}{of_classes}",
            hint="choose a goal of decisions such as accuracy, or a model that gives probabilities",
        )


def _refuse_scheme(scheme: Scheme, goal: Metric) -> None:
    if scheme.name == "equal_subsets":
        raise UsageError(
            "E_SCHEME",
            "equal_subsets fits each model once and compares subsets of one test set, so it makes no splits to fit on",
            hint="`referee study --on DATA` does the paper's experiment with it; `referee compare --subsets N` does so "
            "with predictions that exist",
        )
    if scheme.name == "leave_one_out" and {"ranking", "pairs"} & set(goal.summaries):
        raise UndefinedError(
            "E_FOLDS",
            f"leave_one_out tests one row at a time, and {goal.name} compares rows of different classes: pooling the "
            "scores of different models would not be what it says",
            hint="stratified_k_fold and random_subsampling have both classes in each test set",
        )

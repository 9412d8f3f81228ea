"""What may be asked of a selection, and what is refused before anything is fitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from referee.catalogue import split_list
from referee.errors import UndefinedError, UsageError, listed
from referee.fitting.corruption import DEFAULT_RATES, Corruption
from referee.fitting.splitters import scheme_of
from referee.predictions import needs_positive

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from referee.fitting.dataset import DataSet
    from referee.fitting.scheme import Scheme
    from referee.scoring import Metric

DEFAULT_SHARES = (0.125, 0.25, 0.5)


def corruptions_of(given: Any) -> tuple[Corruption, ...]:
    """Kinds of noise with their rates: a text as on the command line, or a dict; none if nothing is asked.

    >>> [str(one) for one in corruptions_of("label_noise=0.1,0.2,missing")]
    ['label_noise=0.1', 'label_noise=0.2', 'missing=0.1']
    >>> corruptions_of({"missing": [0.3]})
    (Corruption(kind='missing', rate=0.3),)
    >>> len(corruptions_of("default"))
    3
    """
    if given is None:
        return ()
    if given == "default":
        given = DEFAULT_RATES
    if isinstance(given, str):
        given = _rates_by_kind(given)
    if not isinstance(given, Mapping) or not given:
        hint = 'label_noise=0.1,0.2 on the command line, {"label_noise": [0.1, 0.2]} in Python'
        raise UsageError("E_PARAMETER", "--robustness: no kind of noise with its rates", hint=hint)
    found = [
        Corruption(kind, _number(rate, "--robustness")) for kind, rates in given.items() for rate in _listed(rates)
    ]
    return tuple(dict.fromkeys(found))


def _rates_by_kind(text: str) -> dict[str, list[Any]]:
    """A kind without a rate has the usual one; a rate without a kind is one more of the kind before."""
    rates: dict[str, list[Any]] = {}
    kind = ""
    for word in split_list(text):
        name, equals, rate = (part.strip() for part in word.partition("="))
        if equals:
            kind = name
            rates.setdefault(kind, []).append(rate)
        elif kind and _is_number(word):
            rates[kind].append(word)
        else:
            kind = name
            rates.setdefault(kind, []).append(DEFAULT_RATES.get(kind, 0.1))
    return rates


def sizes_of(given: Any) -> tuple[float, ...]:
    """Sizes of training sets, smallest first: shares up to 1, or rows; none if nothing is asked.

    >>> sizes_of("100, 0.5"), sizes_of("default"), sizes_of(None)
    ((0.5, 100.0), (0.125, 0.25, 0.5), ())
    """
    if given is None:
        return ()
    if isinstance(given, str):
        given = DEFAULT_SHARES if given == "default" else split_list(given)
    sizes = sorted({_number(size, "--learning-curve") for size in _listed(given)})
    wrong = [size for size in sizes if size <= 0 or (size > 1 and not size.is_integer())]
    if wrong or sizes in ([], [1.0]):
        what = (
            f"{wrong[0]:g} is neither a share of the training rows nor a number of rows" if wrong else "no size below 1"
        )
        raise UsageError("E_PARAMETER", f"--learning-curve: {what}", hint="shares such as 0.25,0.5 or rows such as 100")
    return tuple(size for size in sizes if size != 1)


def _listed(given: Any) -> list[Any]:
    return [given] if isinstance(given, str | int | float) else list(given)


def _number(given: Any, option: str) -> float:
    if isinstance(given, bool) or not _is_number(given):
        raise UsageError("E_PARAMETER", f"{option}: {given!r} is no number")
    return float(given)


def _is_number(given: Any) -> bool:
    try:
        return abs(float(given)) < float("inf")
    except (TypeError, ValueError):
        return False


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

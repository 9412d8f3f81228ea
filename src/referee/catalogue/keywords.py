"""Keywords: others' words for ours are taken, and a word that a function does not have is refused with the nearest."""

from __future__ import annotations

from functools import wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from referee.document import refuse_other_kinds
from referee.errors import CallError, did_you_mean, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from inspect import Signature

Given = ParamSpec("Given")
Result = TypeVar("Result")

SYNONYMS: dict[str, tuple[str, ...]] = {
    "columns": ("models",),
    "cv": ("scheme",),
    "decisions": ("labels",),
    "estimator": ("models",),
    "estimators": ("models",),
    "goal": ("metrics",),
    "groups": ("group",),
    "metric": ("goal", "metrics"),
    "model": ("models",),
    "n_jobs": ("jobs",),
    "pos_label": ("positive",),
    "random_state": ("seed",),
    "sample_weight": ("weight",),
    "scoring": ("goal", "metrics"),
    "target": ("truth",),
    "y": ("truth",),
    "y_pred": ("models",),
    "y_proba": ("models",),
    "y_prob": ("models",),
    "y_score": ("models",),
    "y_true": ("truth",),
}
"""Words of scikit-learn and others -> ours, the first that a function has."""
BY_POSITION = {
    "X": "X_test, y_test",
    "X_test": "X_test, y_test",
    "y_test": "X_test, y_test",
}
"""Words for what has no keyword -> how it is given after the models."""


def known_keywords(
    further: type | None = None,
    called: str | None = None,
    unchecked: Collection[str] = (),
) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Take synonyms for a function's keywords and refuse all other words; `further` names those of its `**`.

    `called` is the function's public name, if it has another one; `unchecked` are those whose kinds it checks itself.

    >>> @known_keywords()
    ... def fit(models: int, *, jobs: int = 1) -> int:
    ...     return models * jobs
    >>> fit(2, n_jobs=3)
    6
    >>> fit(2, jbos=3)
    Traceback (most recent call last):
    ...
    referee.errors.CallError: fit() has no keyword 'jbos'; did you mean 'jobs'?
    its keywords are 'jobs' and 'models'
    """

    def checked(function: Callable[Given, Result]) -> Callable[Given, Result]:
        short = signature(function)
        whole = _whole_signature(short, further)
        names, public = _keyword_names(whole), called or function.__name__

        @wraps(function)
        def call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            meant: Any = in_our_words(public, kwargs, names)
            try:
                bound = whole.bind(*args, **meant)
            except TypeError as error:
                raise _unfitting(public, whole, error) from None
            refuse_other_kinds(public, bound, unchecked)
            return function(*args, **meant)

        call.__signature__ = whole  # type: ignore[attr-defined]
        return call

    return checked


def _keyword_names(whole: Signature) -> list[str]:
    parameters = whole.parameters.items()
    return [name for name, parameter in parameters if parameter.kind is not Parameter.VAR_POSITIONAL and name != "cls"]


def in_our_words(function: str, said: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Keywords by the names that the function knows them by.

    >>> in_our_words("compare", {"scoring": "roc_auc", "seed": 1}, ["goal", "seed"])
    {'goal': 'roc_auc', 'seed': 1}
    """
    if said.keys() <= set(names):
        return dict(said)
    meant: dict[str, Any] = {}
    for word, value in said.items():
        name = word if word in names else next((ours for ours in SYNONYMS.get(word, ()) if ours in names), None)
        if name is None:
            raise _unknown(function, word, names)
        if name in meant or (name != word and name in said):
            raise CallError("E_KEYWORD", f"{function}() was given both {name!r} and {word!r}, which mean the same")
        meant[name] = value
    return meant


def _unknown(function: str, word: str, names: Collection[str]) -> CallError:
    if word in BY_POSITION and "models" in names:
        right = f"{function}(models, {BY_POSITION[word]}, ...)"
        return CallError("E_KEYWORD", f"{function}() has no keyword {word!r}; data go by position: {right}")
    near = did_you_mean(word, sorted(names))
    slices = f"; slices are by={{{word!r}: values}}" if "by" in names else ""
    every = f"its keywords are {listed(sorted(names), most=60)}{slices}"
    said = near if near.startswith("did you mean") else every
    return CallError("E_KEYWORD", f"{function}() has no keyword {word!r}; {said}", hint=every)


def _unfitting(function: str, whole: Signature, error: TypeError) -> CallError:
    """What is missing or given twice, with the order in which things are given."""
    parameters = whole.parameters.values()
    needed = [
        parameter
        for parameter in parameters
        if parameter.kind is Parameter.KEYWORD_ONLY and parameter.default is Parameter.empty
    ]
    places = [name for name, parameter in whole.parameters.items() if parameter.kind is Parameter.POSITIONAL_OR_KEYWORD]
    usage = ", ".join([*places, *(f"{parameter.name}=..." for parameter in needed), "..."])
    return CallError("E_CALL", f"{function}(): {error}; it is called as {function}({usage})")


def _whole_signature(short: Signature, further: type | None) -> Signature:
    """A signature in which the keywords of a `**` stand one by one, each None unless it is given."""
    if further is None:
        return short
    own = [parameter for parameter in short.parameters.values() if parameter.kind is not Parameter.VAR_KEYWORD]
    names = {parameter.name for parameter in own}
    kinds = {
        name: getattr(kind, "__forward_arg__", kind)
        for name, kind in further.__annotations__.items()
        if name not in names
    }
    more = [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind) for name, kind in kinds.items()]
    return short.replace(parameters=[*own, *more])

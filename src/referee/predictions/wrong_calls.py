"""Calls that do not fit: what was given, and the nearest call that is right."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import CallError, listed
from referee.predictions.locations import refuse_missing_files
from referee.predictions.source import is_table
from referee.predictions.special_files import is_file
from referee.predictions.table import shape_of

if TYPE_CHECKING:
    from collections.abc import Sequence

DATA = {
    "arrays": 'y, {"a": p_a, "b": p_b}',
    "table": 'frame, truth="y"',
    "file": '"preds.csv", truth="y"',
    "folds": '{"a": cross_validate(...), "b": cross_validate(...)}',
    "scores": 'scores, task="scores"',
    "fitted": '{"a": fitted_a, "b": fitted_b}, X_test, y_test',
}
FURTHER = {
    "compare": ', goal="roc_auc"',
    "gate": ', goal="roc_auc", production="a", candidate="b", margin=0.01',
    "threshold": ', goal="f1"',
    "calibrate": ', model="a"',
}
"""What a call needs besides its data."""
OF_SCORES = ("compare", "evaluate", "gate")
"""Calls that take tables of scores, whose goal is their mean if no other is named."""
DISTINCT = 0.5
"""A truth with so many different values among its rows, and labels for predictions, is where they were swapped."""


def right_call(call: str, kind: str) -> str:
    """How a function is called with data of a kind.

    >>> right_call("compare", "table")
    'referee.compare(frame, truth="y", goal="roc_auc")'
    """
    data = "y, p" if (call, kind) == ("evaluate", "arrays") else DATA[kind]
    further = FURTHER.get(call, "").replace(', goal="roc_auc"', "" if kind == "scores" else ', goal="roc_auc"')
    return f"referee.{call}({data}{further})"


def described(thing: Any) -> str:
    """What a thing is, in a few words.

    >>> described([1, 2, 3]), described({"a": 1}), described(np.zeros((4, 2))), described("y")
    ('a list of 3', "a dict with 'a'", 'an array of shape (4, 2)', "the text 'y'")
    """
    if isinstance(thing, str):
        return f"the text {thing!r}"
    if isinstance(thing, Mapping):
        return f"a dict with {listed(thing, most=3)}" if thing else "an empty dict"
    if isinstance(thing, np.ndarray):
        return f"an array of shape {thing.shape}"
    if isinstance(thing, list | tuple):
        return f"a {type(thing).__name__} of {len(thing)}"
    name = type(thing).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def together(things: Sequence[Any]) -> str:
    """Several things in a few words.

    >>> together([[1, 2], "y"])
    "a list of 2 and the text 'y'"
    """
    *others, last = map(described, things) if things else ("nothing",)
    return f"{', '.join(others)} and {last}" if others else last


def nothing_given(call: str) -> CallError:
    ways = "; ".join(right_call(call, kind) for kind in DATA if kind != "scores" or call in OF_SCORES)
    return CallError("E_CALL", f"{call}() was given nothing; it takes {ways}")


def _column_names(thing: Any) -> Sequence[str]:
    """Those of a table; Arrow's `columns` are the columns themselves."""
    if not is_table(thing):
        return ()
    names = getattr(thing, "column_names", None)
    return list(getattr(thing, "columns", ()) if names is None else names)


def no_truth(call: str, sources: Sequence[Any]) -> CallError:
    """A table without the name of its truth."""
    refuse_missing_files(sources)
    first = sources[0]
    kind = "file" if isinstance(first, str | os.PathLike) else "table"
    columns = f" of {listed(names, most=20)}" if (names := _column_names(first)) else ""
    scores = f"; for scores without a truth {right_call(call, 'scores')}" if call in OF_SCORES else ""
    said = f"which column{columns} holds the truth? Use {right_call(call, kind)}{scores}"
    return CallError("E_NOTRUTH", said, hint="use --truth COL")


def wrong_order(call: str, data: Sequence[Any], kind: str) -> CallError:
    given = together(data)
    what = {"fitted": "the models come first", "arrays": "the truth comes first"}[kind]
    return CallError("E_CALL", f"{call}() was given {given}: {what}, as in {right_call(call, kind)}")


def refuse_texts(call: str, data: Sequence[Any], truth: Any) -> None:
    """Texts among data: columns that have to be named by keyword, learners by name, or a goal."""
    texts = [thing for thing in data if isinstance(thing, str)]
    if not texts:
        return
    first = data[0]
    if not isinstance(first, str | os.PathLike) and is_table(first) and truth is None:
        said = f"{call}() was given a table and {described(texts[0])}: columns are named by keyword"
        raise CallError("E_CALL", f"{said}, as in {right_call(call, 'table').replace(repr('y'), repr(texts[0]))}")
    if len(texts) > 1 and truth is None and not is_file(texts[-1]) and is_file(texts[0]):
        said = f"{call}() was given {described(texts[0])} and {described(texts[-1])}, which is not a file"
        raise CallError("E_CALL", f"{said}: columns are named by keyword, as in {right_call(call, 'file')}")
    if len(texts) < len(data):
        raise _text_among_data(call, data, texts[0])


def _text_among_data(call: str, data: Sequence[Any], text: str) -> CallError:
    given = together(data)
    if isinstance(data[0], str):
        meant = f"the truth is an array, as in {right_call(call, 'arrays')}"
        return CallError("E_CALL", f"{call}() was given {given}: {meant}, or a file, as in {right_call(call, 'file')}")
    said = f"{described(text)} is neither truth nor prediction; goals, metrics and columns are named by keyword"
    return CallError("E_CALL", f"{call}() was given {given}: {said}, as in {right_call(call, 'arrays')}")


def wrong_arrays(call: str, truth: Any, rest: Sequence[Any], *, labels: bool = False) -> CallError | None:
    """What is wrong with the truth and the predictions as they were given, if anything is."""
    right = f"the right call is {right_call(call, 'arrays')}"
    given = f"{call}() was given {together((truth, *rest))}"
    if elsewhere := _no_arrays(truth, rest):
        return CallError("E_CALL", f"{given}: {elsewhere}")
    if isinstance(truth, str):
        said = f"{call}() was given {together(rest)}, which is not a table, and {truth!r} as the name of a column"
        return CallError("E_CALL", f"{said}: the right call is {right_call(call, 'table')}")
    if rest and (isinstance(truth, Mapping) or is_table(truth)) and not labels:
        return wrong_order(call, (truth, *rest), "arrays")
    nothing = not rest or (len(rest) == 1 and isinstance(rest[0], Mapping) and not rest[0])
    if not isinstance(truth, Mapping) and len(shape_of(truth)) > 1 and not labels:
        said = f"{given}: the truth is one column, and comes first; {right}"
        return CallError("E_CALL", f"{said}; with fitted models {right_call(call, 'fitted')}")
    if isinstance(truth, Mapping) or not hasattr(truth, "__len__") or nothing:
        lacks = "no truth" if isinstance(truth, Mapping) else "no predictions" if nothing else "no data"
        scores = _scores_instead(call) if lacks == "no truth" else ""
        return CallError("E_CALL", f"{given}, but {lacks}: {right}{scores}")
    return None


def _no_arrays(truth: Any, rest: Sequence[Any]) -> str | None:
    """Where results of folds and names of learners belong, if that is what was given."""
    if _are_results([truth, *rest]):
        return f"results of folds are given by model, as in {right_call('compare', 'folds')}"
    if _names_learners(truth) and len(rest) == 2:
        return "models that are not fitted yet are for referee.select(models, X, y, goal=...)"
    return None


def _scores_instead(call: str) -> str:
    """How scores without a truth are given, where the call takes them."""
    folds = 'for folds with rows="folds", test_fraction=0.1'
    return f"; for scores without a truth {right_call(call, 'scores')}, {folds}" if call in OF_SCORES else ""


def _are_results(given: Sequence[Any]) -> bool:
    """Whether all are what cross_validate gives of one model, one after the other or in a list."""
    if len(given) == 1 and isinstance(given[0], list | tuple):
        return bool(given[0]) and _are_results(given[0])
    return all(isinstance(result, Mapping) and {"fit_time", "score_time"} <= result.keys() for result in given)


def _names_learners(given: Any) -> bool:
    names = list(given.values()) if isinstance(given, Mapping) else given
    return isinstance(names, list | tuple) and bool(names) and all(isinstance(name, str) for name in names)


def refuse_swapped_truth(call: str, truth: Any, models: Mapping[str, Any]) -> None:
    """Scores where labels belong: a truth of fractions, and predictions that are labels."""
    if not _are_scores(truth):
        return
    labels = [name for name, values in models.items() if _are_labels(values)]
    if labels and len(labels) == len(models):
        said = f"the truth that {call}() was given looks like scores, and {labels[0]!r} like labels: are they swapped?"
        raise CallError(
            "E_CALL", f"{said} The right call is {right_call(call, 'arrays')}; for amounts use --task regression"
        )


def _are_scores(values: Any) -> bool:
    numbers = _one_column(values)
    if numbers is None or numbers.dtype.kind != "f" or not len(numbers):
        return False
    inside = bool(((numbers >= 0) & (numbers <= 1)).all())
    return inside and len(np.unique(numbers)) > max(2, DISTINCT * len(numbers))


def _are_labels(values: Any) -> bool:
    column = _one_column(values)
    if column is None or not len(column):
        return False
    if column.dtype.kind in "OSUb":
        return True
    return len(np.unique(column)) <= 2 and bool((column == np.floor(column)).all())


def _one_column(values: Any) -> Any:
    if isinstance(values, Mapping) or is_table(values) or len(shape_of(values)) != 1:
        return None
    return np.asarray(values)

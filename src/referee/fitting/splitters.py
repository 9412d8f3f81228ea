"""Schemes from whatever says how to split: a name with parameters, an entry, or a scikit-learn splitter."""

from __future__ import annotations

import warnings
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import UsageError
from referee.fitting.rows import Rows
from referee.fitting.scheme import Scheme, schemes
from referee.fitting.splits import Split
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions import Predictions

Pair = tuple["Array", "Array"]


def scheme_of(given: Any) -> Scheme:
    """Give the scheme that is meant.

    >>> scheme_of("k_fold(k=5)"), scheme_of(5), scheme_of(schemes["holdout"])
    (<Scheme k_fold(k=5)>, <Scheme k_fold(k=5)>, <Scheme holdout>)
    >>> from sklearn.model_selection import KFold
    >>> [(split.repeat, split.fold) for split in scheme_of(KFold(2)).splits([1, 2, 3])]
    [(1, 1), (1, 2)]
    """
    if isinstance(given, Scheme):
        return given
    if isinstance(given, str):
        return schemes[given]
    if isinstance(given, int) and not isinstance(given, bool):
        return schemes[f"k_fold(k={given})"]
    if hasattr(given, "split") or isinstance(given, list | tuple):
        return Splitter.of(given)
    hint = 'write "k_fold(k=10)" or sklearn.model_selection.KFold(10)'
    raise UsageError("E_SCHEME", f"{str(given)[:80]!r} is neither a scheme's name nor a splitter", hint=hint)


@dataclass(frozen=True, repr=False)
class Splitter(Scheme):
    """A scikit-learn splitter, or a list of training and test rows, as a scheme.

    The splits are made as the splitter makes them. Where it leaves its random state open, the seed decides.
    """

    splitter: Any = None

    @classmethod
    def of(cls, splitter: Any) -> Splitter:
        # The usual repr of an object holds its address, which is another one in every run.
        says_nothing = isinstance(splitter, list | tuple) or f"{id(splitter):x}" in repr(splitter)
        name = type(splitter).__name__ if says_nothing else " ".join(repr(splitter).split())
        return cls(
            title=name,
            question="How good are models on splits made elsewhere?",
            draws="as the splitter makes them",
            draw=_as_the_splitter_does,
            combine="mean",
            overlapping=True,
            weak_at="nothing is known about it except its splits",
            name=name,
            splitter=splitter,
        )

    def splits_of(self, rows: Rows) -> Iterator[Split]:
        """All splits, numbered: a repeat is a run of splits that test different rows."""
        pairs = self._pairs(rows)
        for number, pair in enumerate(pairs, start=1):
            _refuse(self.name, number, pair, rows)
        folds = folds_in_repeat([test for _, test in pairs])
        return (Split(train, test, place // folds + 1, place % folds + 1) for place, (train, test) in enumerate(pairs))

    def _pairs(self, rows: Rows) -> list[Pair]:
        pairs = self.splitter if isinstance(self.splitter, list | tuple) else self._made(rows)
        if not pairs:
            raise UsageError("E_SCHEME", f"{self.name} gives no split")
        try:
            return [(np.asarray(train), np.asarray(test)) for train, test in pairs]
        except (TypeError, ValueError):
            raise UsageError("E_SCHEME", f"{self.name} must give pairs of rows: to train, and to test") from None

    def _made(self, rows: Rows) -> list[Any]:
        # A copy: a random state that is used up would give other splits to the next model.
        splitter = deepcopy(self.splitter)
        if getattr(splitter, "random_state", 0) is None:
            splitter.random_state = rows.random(1)
        table, target, groups = rows.given or (None, rows.labels, rows.groups)
        table = np.zeros((rows.count, 1)) if table is None else table
        try:
            with warnings.catch_warnings():
                # Whether they are on both sides is looked at afterwards.
                warnings.filterwarnings("ignore", message="The groups parameter is ignored")
                return list(splitter.split(table, target, groups))
        except (ValueError, TypeError) as error:
            raise UsageError("E_SCHEME", f"{self.name}: {error}") from error


def _as_the_splitter_does(rows: Rows) -> Iterator[Split]:
    raise NotImplementedError(f"a splitter makes its splits by itself ({rows.count} rows)")


def folds_in_repeat(tests: Sequence[Array]) -> int:
    """How many splits belong together: those that test every row of theirs once, again and again; else each is alone.

    >>> folds_in_repeat([np.array([0]), np.array([1, 2]), np.array([2, 0]), np.array([1])])
    2
    """
    tested: set[int] = set()
    folds = 0
    while folds < len(tests) and not tested & set(tests[folds].tolist()):
        tested.update(tests[folds].tolist())
        folds += 1
    runs = [np.sort(np.concatenate(tests[first : first + folds])) for first in range(0, len(tests), folds)]
    are_alike = len(tests) % folds == 0 and all(np.array_equal(run, runs[0]) for run in runs)
    return folds if are_alike else 1


def _refuse(name: str, number: int, pair: Pair, rows: Rows) -> None:
    """Refuse what would make every score of the split a lie."""
    train, test = pair
    for places, what in ((train, "training"), (test, "test")):
        if places.ndim != 1 or not len(places) or places.dtype.kind not in "iu":
            raise UsageError("E_SCHEME", f"{name}: split {number} has no list of {what} rows")
        if places.min() < 0 or places.max() >= rows.count:
            raise UsageError(
                "E_SCHEME", f"{name}: split {number} has a {what} row that is not one of the {rows.count:,}"
            )
    if np.isin(test, train).any():
        raise UsageError("E_SCHEME", f"{name}: split {number} tests rows that it trains on")
    if rows.groups is not None and np.isin(rows.groups[test], rows.groups[train]).any():
        raise UsageError(
            "E_GROUP",
            f"{name}: split {number} has rows of the same group in both training and test",
            hint="use a splitter such as GroupKFold, or group_k_fold",
        )
    if rows.moments is not None and rows.moments[train].max() >= rows.moments[test].min():
        raise UsageError(
            "E_TIME",
            f"--time: {name} is shuffled: split {number} trains on rows from the future of those it is tested on",
            hint="time_ordered trains on the past only",
        )


def rows_of(predictions: Predictions) -> Rows:
    """The rows with their classes and groups, as schemes see them."""
    groups = None if predictions.clusters is None else predictions.clusters.codes
    return Rows(predictions.rows, predictions.truth, predictions.classes, groups)


def stratified_folds(predictions: Predictions, folds: int, seed: int) -> Array | None:
    """The fold of each row, from 0; groups are never divided. None where a class is too rare for two folds.

    There are fewer where not every one could have a row (or group) of each class.
    """
    rows = rows_of(predictions)
    count = min(folds, rows.rarest()[1])
    if count < 2 or len(np.unique(predictions.truth)) < 2:
        return None
    fold = np.empty(predictions.rows, np.int64)
    scheme = schemes["stratified_k_fold"](k=count)
    for number, split in enumerate(scheme.splits(None, predictions.truth, rows.groups, seed=seed)):
        fold[split.test] = number
    return fold

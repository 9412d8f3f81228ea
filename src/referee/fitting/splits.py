"""Split: the rows that a model is fitted on and tested on; and a fingerprint of many of them."""

from __future__ import annotations

from dataclasses import field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.catalogue import Parameter
from referee.document import counted
from referee.errors import UndefinedError
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from referee.arrays import Array
    from referee.fitting.rows import Rows

ENOUGH_ROWS = 1000
"""Of a split, for a score on training rows that stands beside the one on test rows: neighbours are slow to ask."""
LOOKING_BACK = 7
"""Keeps the stream of these draws apart from those of the splits."""


@dataclass(frozen=True, eq=False)
class Split:
    """One fit: its training rows and its test rows, by their places in the table.

    >>> train, test = Split(np.array([0, 1]), np.array([2]))
    >>> train, test
    (array([0, 1]), array([2]))
    """

    train: Array
    """With a place several times, where rows are drawn with replacement."""
    test: Array
    repeat: int = 1
    """From 1; inside a repeat no row is tested twice."""
    fold: int = 1
    """From 1, in each repeat."""
    seen: Array | None = None
    """The rows of the training score, where the scheme mixes it with the test score."""
    inner: tuple[Split, ...] = ()
    """Splits of the training rows, for choosing between candidates inside them."""
    subsets: Mapping[str, tuple[Array, ...]] = field(default_factory=dict)
    """The test rows dealt out, where the units of a comparison are smaller than the split: by purpose, one by one."""
    redrawn: int = 0
    """How many samples were thrown away before this one, as they could not have been used."""

    def __iter__(self) -> Iterator[Array]:
        """As scikit-learn's splitters give it."""
        return iter((self.train, self.test))

    @property
    def looked_back(self) -> Array:
        """The training rows that a model is asked about after its fit.

        All that the scheme mixes a training score from; else a thousand at most, drawn at random: always the same ones
        of the same split, in their order.

        >>> len(Split(np.arange(9000), np.arange(9000, 9100)).looked_back)
        1000
        """
        if self.seen is not None or len(self.train) <= ENOUGH_ROWS:
            return self.train
        key = np.random.SeedSequence(LOOKING_BACK, spawn_key=(self.repeat, self.fold))
        drawn = np.random.RandomState(np.random.Philox(key)).permutation(len(self.train))[:ENOUGH_ROWS]
        return self.train[np.sort(drawn)]

    def moved(self, to: Callable[[Array], Array]) -> Split:
        """The same split with all its places translated."""
        return replace(
            self,
            train=to(self.train),
            test=to(self.test),
            seen=None if self.seen is None else to(self.seen),
            inner=tuple(split.moved(to) for split in self.inner),
            subsets={purpose: tuple(map(to, parts)) for purpose, parts in self.subsets.items()},
        )


def numbered(pairs: Iterable[tuple[Array, Array]], repeat: int = 1) -> Iterator[Split]:
    """Splits of one repeat from what a splitter gives."""
    for fold, (train, test) in enumerate(pairs, start=1):
        yield Split(np.asarray(train), np.asarray(test), repeat, fold)


def fingerprint(splits: Iterable[Any]) -> str:
    """A hash of all indices in their order: the same for two models if they saw the same splits.

    >>> splits = [Split(np.array([0, 1]), np.array([2]))]
    >>> fingerprint(splits) == fingerprint([([0, 1], [2])])
    True
    >>> fingerprint(splits) == fingerprint([([0], [1, 2])])
    False
    """
    digest = blake2b(digest_size=16)
    for split in splits:
        train, test = split
        digest.update(_hashed(train) + _hashed(test))
        for purpose, subsets in getattr(split, "subsets", {}).items():
            digest.update(purpose.encode() + b"".join(map(_hashed, subsets)))
        if inner := getattr(split, "inner", ()):
            digest.update(fingerprint(inner).encode())
    return digest.hexdigest()


def _hashed(places: Any) -> bytes:
    """Of each list by itself, so that moving a row from one to its neighbour changes something."""
    return blake2b(np.ascontiguousarray(places, "<i8").data, digest_size=16).digest()


MOST_ATTEMPTS = 1000


def bags(rows: Rows, repeats: int) -> Iterator[Split]:
    """Draw as many rows as there are, with replacement, and test on the others; one sample in each repeat.

    A sample that leaves no row to test on, or holds one class where there are several, cannot be used: it is drawn
    again, and counted.
    """
    for repeat in range(1, repeats + 1):
        yield _bag(rows, repeat)


def _bag(rows: Rows, repeat: int) -> Split:
    random = rows.random(repeat)
    several = len(np.unique(rows.strata)) > 1
    for redrawn in range(MOST_ATTEMPTS):
        train = np.sort(random.randint(rows.count, size=rows.count, dtype=np.int64))
        left_out = np.ones(rows.count, bool)
        left_out[train] = False
        if left_out.any() and not (several and len(np.unique(rows.strata[train])) == 1):
            return Split(train, np.flatnonzero(left_out), repeat, redrawn=redrawn)
    raise UndefinedError(
        "E_TOOFEW",
        f"no bootstrap sample of {counted(rows.count, rows.what)} holds several classes and leaves a row to test on",
    )


BAG_PARAMETERS = {
    "repeats": Parameter("number of bootstrap samples", low=1, high=1_000_000, whole=True),
    "training": Parameter(
        "the rows of the training score: sample (the bootstrap sample trained on, as in the lecture) or "
        "all (every row of the table, as in Han, Kamber and Pei and in mlxtend)",
        choices=("sample", "all"),
    ),
}


def bags_with_training_rows(rows: Rows, repeats: int, training: str) -> Iterator[Split]:
    """The same, each with the rows that its training score is of."""
    for bag in bags(rows, repeats):
        yield replace(bag, seen=bag.train if training == "sample" else np.arange(rows.count))


def group_folds(rows: Rows, k: int, repeats: int) -> Iterator[Split]:
    """Deal out whole groups, so that folds have about the same number of rows of each class."""
    from sklearn.model_selection import StratifiedGroupKFold

    assert rows.groups is not None
    names, group = np.unique(rows.groups, return_inverse=True)
    rows.refuse_folds(k, len(names), "group")
    # With fewer rows of a class than folds it warns and goes on: then rows are balanced, not classes.
    strata = rows.strata if rows.rarest()[1] >= k else np.zeros(rows.count, int)
    for repeat in range(1, repeats + 1):
        # Its own shuffle balances the wrong groups before scikit-learn 1.8.
        places = np.argsort(rows.random(repeat).permutation(len(names)))
        yield from numbered(StratifiedGroupKFold(k).split(np.arange(rows.count), strata, places[group]), repeat)


def sampled(strata: Array, count: int, random: np.random.RandomState) -> Array:
    """Draw so many rows, each with the same chance; each class has its share, rounded down or up.

    scikit-learn's StratifiedShuffleSplit refuses a class of one row, and more classes than test rows; this does not.

    >>> strata = np.repeat([0, 1], [30, 60])
    >>> np.bincount(strata[sampled(strata, 30, np.random.RandomState(0))])
    array([10, 20])
    """
    rows = len(strata)
    # Systematic sampling: evenly spaced points, in whole numbers so that no share is rounded twice.
    places = (np.arange(count) * rows + random.randint(rows, dtype=np.int64)) // count
    return np.sort(_by_stratum(strata, random)[places])


def dealt(strata: Array, parts: int, random: np.random.RandomState) -> tuple[Array, ...]:
    """Deal all rows out in turn: sizes differ by at most one row, and so do the rows of each class.

    >>> [len(part) for part in dealt(np.zeros(7, int), 3, np.random.RandomState(0))]
    [3, 2, 2]
    """
    order = _by_stratum(strata, random)
    return tuple(np.sort(order[first::parts]) for first in range(parts))


def _by_stratum(strata: Array, random: np.random.RandomState) -> Array:
    """All places by class, in random order inside each."""
    shuffled = random.permutation(len(strata))
    return np.asarray(shuffled[np.argsort(strata[shuffled], kind="stable")])


def parted(strata: Array, share: float, random: np.random.RandomState) -> tuple[Array, Array]:
    """The rows that are not drawn, and the share that is: at least one row of each.

    >>> parted(np.zeros(3, int), 1 / 3, np.random.RandomState(0))
    (array([0, 1]), array([2]))
    """
    rows = len(strata)
    drawn = sampled(strata, min(max(1, round(share * rows)), rows - 1), random)
    return np.setdiff1d(np.arange(rows), drawn, assume_unique=True), drawn


def evenly_ordered(strata: Array, random: np.random.RandomState) -> Array:
    """All places in a random order of which every beginning holds each class in its share, and first a row of each.

    >>> strata = np.repeat([0, 1, 2], [60, 30, 10])
    >>> order = evenly_ordered(strata, np.random.RandomState(0))
    >>> [np.bincount(strata[order[:count]]).tolist() for count in (3, 10, 50)]
    [[1, 1, 1], [6, 3, 1], [30, 15, 5]]
    """
    ordered = _by_stratum(strata, random)
    codes = np.unique(strata[ordered], return_inverse=True)[1]
    sizes = np.bincount(codes)
    rank = np.arange(len(codes)) - (np.cumsum(sizes) - sizes)[codes]
    place_in_class = np.where(rank == 0, 0.0, (rank + 0.5) / sizes[codes])
    return np.asarray(ordered[np.argsort(place_in_class, kind="stable")])

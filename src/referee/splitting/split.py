"""Split: the rows that a model is fitted on and tested on; and a fingerprint of many of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from referee.arrays import Array


ENOUGH_ROWS = 1000
"""For a score on training rows that stands beside the one on test rows."""
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

        All that the scheme mixes a training score from; else not more than there are test rows, or a thousand, drawn
        at random: always the same ones of the same split, in their order.

        >>> len(Split(np.arange(9000), np.arange(9000, 9100)).looked_back)
        1000
        """
        most = max(len(self.test), ENOUGH_ROWS)
        if self.seen is not None or len(self.train) <= most:
            return self.train
        key = np.random.SeedSequence(LOOKING_BACK, spawn_key=(self.repeat, self.fold))
        drawn = np.random.RandomState(np.random.Philox(key)).permutation(len(self.train))[:most]
        return self.train[np.sort(drawn)]

    def moved(self, to: Callable[[Array], Array]) -> Split:
        """The same split with all its places translated."""
        return replace(
            self,
            train=to(self.train),
            test=to(self.test),
            seen=None if self.seen is None else to(self.seen),
            inner=tuple(one.moved(to) for one in self.inner),
            subsets={purpose: tuple(map(to, parts)) for purpose, parts in self.subsets.items()},
        )


def numbered(pairs: Iterable[tuple[Array, Array]], repeat: int = 1) -> Iterator[Split]:
    """Splits of one repeat from what a splitter gives."""
    for fold, (train, test) in enumerate(pairs, start=1):
        yield Split(np.asarray(train), np.asarray(test), repeat, fold)


def fingerprint(splits: Iterable[Any]) -> str:
    """A hash of all indices in their order: the same for two models if they saw the same splits.

    >>> one = [Split(np.array([0, 1]), np.array([2]))]
    >>> fingerprint(one) == fingerprint([([0, 1], [2])])
    True
    >>> fingerprint(one) == fingerprint([([0], [1, 2])])
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

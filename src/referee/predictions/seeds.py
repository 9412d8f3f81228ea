"""Seeds: scores of the same items by several runs of each model, which differ in their random seed only."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from referee.document import counted
from referee.errors import Notice
from referee.predictions.cell_labels import texts
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.predictions.score_cells import Samples
    from referee.predictions.table import Table


@dataclass(frozen=True, eq=False)
class Seeds:
    """The scores behind the items' means: every item with every seed.

    >>> Seeds(("1", "2"), {"a": np.array([[0.5, 0.7], [0.1, 0.3]])}).part(np.array([1])).scores["a"]
    array([[0.1, 0.3]])
    """

    names: tuple[str, ...]
    scores: Mapping[str, Array]
    """Model -> its scores: (item, seed)."""

    def __len__(self) -> int:
        return len(self.names)

    def content(self) -> dict[tuple[str, ...], Array]:
        """Every column by model and seed, for fingerprints."""
        each = ((model, place) for model in self.scores for place in range(len(self)))
        return {(model, "seed", self.names[place]): self.scores[model][:, place] for model, place in each}

    def part(self, rows: slice | Array) -> Seeds:
        return replace(self, scores={name: scores[rows] for name, scores in self.scores.items()})


def seed_codes(tables: Sequence[Table], column: str) -> tuple[tuple[str, ...], dict[int, Array]]:
    """The seeds in the order of their first row, and for each table (by `id`) the seed of each of its rows."""
    each = {id(table): texts(table, column).tolist() for table in tables}
    places = {seed: place for place, seed in enumerate(dict.fromkeys(chain.from_iterable(each.values())))}
    return tuple(places), {table: np.array([places[seed] for seed in seeds]) for table, seeds in each.items()}


def seed_notices(names: Sequence[str], seeds: Seeds | None) -> list[Notice]:
    """What is to be said where there is one seed, or where some were left out."""
    if seeds is None:
        warning = "only one seed is shared by all models: the interval holds for new items, not for new seeds"
        return [Notice("W_ONESEED", warning)]
    lost = len(names) - len(seeds)
    said = f"{counted(lost, 'seed')} that some model has no scores for {'was' if lost == 1 else 'were'} left out"
    return [Notice("W_DROPPED", f"{said}, as requested")] if lost else []


@dataclass(frozen=True, eq=False)
class SeedTable:
    """Each model's scores in cells of items and seeds, before it is known which of them are complete."""

    names: tuple[str, ...]
    samples: Mapping[str, Samples]
    drops: bool
    """Whether seeds that not every model has may be left out."""

    def counts(self, name: str) -> Array:
        """Scores of each (item, seed)."""
        samples = self.samples[name]
        return np.bincount(self._places(samples), minlength=samples.size * len(self.names)).reshape(samples.size, -1)

    def means(self, name: str) -> Array:
        samples = self.samples[name]
        sums = np.bincount(self._places(samples), samples.values, samples.size * len(self.names))
        with np.errstate(invalid="ignore"):
            return np.asarray(sums.reshape(samples.size, -1) / self.counts(name))

    def _places(self, samples: Samples) -> Array:
        assert samples.seeds is not None
        return np.asarray(samples.codes * len(self.names) + samples.seeds)

    @property
    def shared(self) -> Array:
        """The seeds that are compared: all, or those that every model has scores with."""
        every = [self.counts(name).any(axis=0) for name in self.samples]
        return np.flatnonzero(np.logical_and.reduce(every)) if self.drops else np.arange(len(self.names))

    def complete(self, name: str) -> Array:
        """Whether a model has a score of each item with each of these seeds."""
        return np.asarray((self.counts(name)[:, self.shared] > 0).all(axis=1))

    def missing_seed(self, name: str, item: int) -> str:
        """The first seed that a model has no score of an item with."""
        absent = np.flatnonzero(self.counts(name)[item, self.shared] == 0)
        return self.names[self.shared[absent[0]]]

    def seeds(self, items: Array) -> Seeds:
        """Of items that are complete."""
        shared = self.shared
        scores = {name: self.means(name)[np.ix_(items, shared)] for name in self.samples}
        return Seeds(tuple(self.names[code] for code in shared), scores)

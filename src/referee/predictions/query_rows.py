"""Rows of items made to rows of queries: a query is what is drawn, and its items stand or fall together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from referee.document import counted
from referee.errors import InputError, Notice, UndefinedError, UsageError
from referee.predictions.cells import numbers
from referee.predictions.predictions import Predictions
from referee.predictions.units import Lists, Units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.predictions.model import Model
    from referee.predictions.table import Table

SomePredictions = TypeVar("SomePredictions", bound=Predictions)


@dataclass(frozen=True, eq=False)
class Queries:
    """The rows of items that belong to each query."""

    column: str
    names: tuple[str, ...]
    order: Array
    """The items, those of a query together."""
    starts: Array
    source: str

    @classmethod
    def of(cls, column: str, units: Units, source: str) -> Queries:
        present = np.bincount(units.codes, minlength=len(units))
        names = tuple(name for name, items in zip(units.names, present.tolist(), strict=True) if items)
        starts = np.concatenate([[0], np.cumsum(present[present > 0])])
        return cls(column, names, np.argsort(units.codes, kind="stable"), starts, source)

    def lists(self, items: Array) -> Lists:
        return Lists(np.asarray(items, float)[self.order], self.starts)

    def only(self, items: Array, what: str) -> Array:
        """The value that all items of a query share."""
        ordered = items[self.order]
        first = ordered[self.starts[:-1]]
        differs = ordered != np.repeat(first, np.diff(self.starts))
        if differs.any():
            query = self.names[int(np.searchsorted(self.starts, np.argmax(differs), side="right")) - 1]
            raise InputError(
                "E_QUERY",
                f"{self.source}: the items of query {query!r} (column {self.column!r}) differ in their {what}",
                hint=f"a query is compared as a whole, so its items must have the same {what}",
            )
        return np.asarray(first)

    def units(self, units: Units | None, what: str) -> Units | None:
        return None if units is None else Units(self.only(units.codes, what), units.names)


class QuerySlices(Mapping[str, Units]):
    """The columns of the items as slices of queries, each made when it is asked for."""

    def __init__(self, items: Mapping[str, Units], queries: Queries, kept: Array, wanted: tuple[str, ...]) -> None:
        self.items_, self.queries, self.kept = items, queries, kept
        for name in wanted:
            self[name]  # so that one that cuts through queries is named now

    def __iter__(self) -> Iterator[str]:
        return iter(self.items_)

    def __len__(self) -> int:
        return len(self.items_)

    def __getitem__(self, column: str) -> Units:
        units = self.items_[column]
        return Units(self.queries.only(units.codes, f"{column!r}")[self.kept], units.names)


def queries_as_rows(items: SomePredictions, column: str, units: Units, by: tuple[str, ...]) -> SomePredictions:
    """Predictions whose rows are queries; those in which no order is better than another are left out and counted."""
    queries = Queries.of(column, units, items.source)
    relevance = queries.lists(items.truth)
    kept = np.flatnonzero(_can_be_ranked(relevance))
    if not len(kept):
        raise UndefinedError(
            "E_QUERY",
            f"{items.source}: no query of column {column!r} has items of different relevance, so no order of them is "
            "better than another",
            hint=f"is {items.truth_column!r} the column of relevance, and {column!r} that of the query?",
        )
    return replace(
        items,
        task="ranking",
        truth=cast("Array", relevance[kept]),
        models=tuple(_ranking(model, queries, kept) for model in items.models),
        weight=None if items.weight is None else queries.only(items.weight, "weight")[kept],
        fold=_part(queries.units(items.fold, "fold"), kept),
        repeat=_part(queries.units(items.repeat, "repeat"), kept),
        group=_part(queries.units(items.group, "group"), kept),
        slices=QuerySlices(items.slices, queries, kept, by),
        query_column=column,
        notices=(*items.notices, *_left_out(relevance, column)),
    )


def refuse_negative(table: Table, column: str) -> None:
    """Relevance is how much an item is worth."""
    relevance = numbers(table, column)
    if (relevance < 0).any():
        row = int(np.argmax(relevance < 0))
        raise InputError(
            "E_RELEVANCE",
            f"{table.name}: column {column!r}, row {table.row_number(row + 1)}: the relevance {relevance[row]:g} is "
            "negative",
            hint="0 means that an item is not relevant, and any value above 0 that it is",
        )


def _can_be_ranked(relevance: Lists) -> Array:
    lowest, highest = (which.reduceat(relevance.values, relevance.starts[:-1]) for which in (np.minimum, np.maximum))
    return np.asarray(lowest < highest)


def _part(units: Units | None, kept: Array) -> Units | None:
    return None if units is None else Units(units.codes[kept], units.names)


def _ranking(model: Model, queries: Queries, kept: Array) -> Model:
    if model.values is None:
        raise UsageError(
            "E_MODELKIND",
            f"{model.place}: an item of a query needs one score, and this model has {len(model.columns)} columns",
        )
    return replace(model, values=None, scores=cast("Array", queries.lists(model.values)[kept]))


def _left_out(relevance: Lists, column: str) -> list[Notice]:
    """How many queries say nothing about a model, and why."""
    worthless = np.maximum.reduceat(relevance.values, relevance.starts[:-1]) == 0
    alike = ~_can_be_ranked(relevance) & ~worthless
    reasons = {"has no relevant item": int(worthless.sum()), "has items of one relevance only": int(alike.sum())}
    said = [f"{rows:,} {why if rows == 1 else why.replace('has', 'have')}" for why, rows in reasons.items() if rows]
    if not said:
        return []
    lost = sum(reasons.values())
    verb = "was" if lost == 1 else "were"
    many = f"{lost:,} of {counted(len(relevance), 'query')} (column {column!r}) {verb} left out: "
    return [Notice("W_QUERIES", f"{many}{' and '.join(said)}, so every order of their items is equally good")]

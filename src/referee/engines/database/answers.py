"""What a database has said of the steps of a ranking, and the parts that steps are sorted in."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.predictions import dialect_of, fetch, fetch_row, lookup, number
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from referee.arrays import Array, Column
    from referee.predictions import Predictions


@dataclass(frozen=True)
class Parts:
    """Stretches of scores, highest first: each is sorted by itself, so that none needs much memory."""

    edges: tuple[float, ...] = ()
    """The lowest scores of all parts but the last."""

    @property
    def names(self) -> list[str]:
        return ["part"] if self.edges else []

    @property
    def column(self) -> str | None:
        return "part" if self.edges else None

    def told(self, table: Any) -> Any:
        """A table with scores, and the part of each."""
        import ibis

        if not self.edges:
            return table
        cases = [(table.score >= number(edge), ibis.literal(place)) for place, edge in enumerate(self.edges)]
        return table.mutate(part=ibis.cases(*cases, else_=ibis.literal(len(self.edges))))

    def counted_above(self, rows: Any, sizes: Mapping[str, Column]) -> dict[str, Array]:
        """What is counted before each part begins."""
        if not self.edges:
            return {name: np.zeros(1) for name in sizes}
        counted = fetch(rows.group_by("part").aggregate(**sizes))
        return {name: self.sums_before(self.placed(counted, name), from_lowest=False) for name in sizes}

    def placed(self, cells: Mapping[str, Array], name: str, empty: float = 0.0) -> Array:
        """A number of each part; `empty` of one without steps."""
        numbers = np.full(len(self.edges) + 1, empty)
        numbers[cells["part"] if self.edges else slice(None)] = cells[name]
        return numbers

    def sums_before(self, numbers: Array, *, from_lowest: bool) -> Array:
        """Of all parts that come before each one."""
        numbers = numbers[::-1] if from_lowest else numbers
        before: Array = np.cumsum(numbers) - numbers
        return before[::-1] if from_lowest else before

    def plus(self, column: Column, table: Any, numbers: Array) -> Column:
        """A column with the number of each one's part added."""
        return column + lookup(table.part, dict(enumerate(numbers.tolist()))) if self.edges else column


PART_ROWS, MOST_PARTS = 1_000_000, 200
"""Rows of a part, about: DuckDB keeps all rows of a window in memory; servers sort theirs on disk."""


def parts_of(rows: Any, predictions: Predictions) -> Parts:
    """Cut by quantiles, which need not be exact."""
    count = min(predictions.rows // PART_ROWS, MOST_PARTS)
    if count < 2 or dialect_of(predictions.truth) != "duckdb":
        return Parts()
    levels = [place / count for place in range(1, count)]
    cells = fetch_row(
        rows.aggregate(**{f"edge{place}": rows.score.approx_quantile(q) for place, q in enumerate(levels)})
    )
    return Parts(tuple(sorted({float(edge) for edge in cells.values()}, reverse=True)))


class AskedLaterError(Exception):
    """A formula cannot go on, as what it wants is not a sum over steps."""


class Answers:
    """Nothing is asked twice, and much at once."""

    def __init__(self, steps: Any, parts: Parts, positive: int) -> None:
        self.steps, self.parts, self.positive = steps, parts, positive
        self.bytes_fetched = 0
        self._known: dict[Any, Array] = {}
        self._waiting: dict[Any, Column] | None = None

    def to(self, aggregates: Mapping[str, Column]) -> dict[str, Array]:
        """Aggregates over the steps of each part."""
        new = {each.op(): each for each in aggregates.values() if each.op() not in self._known}
        if self._waiting is not None:
            self._waiting |= new
            return {name: np.full(len(self.parts.edges) + 1, np.nan) for name in aggregates}
        self._learn(new)
        return {name: self._known[each.op()] for name, each in aggregates.items()}

    @contextmanager
    def put_off(self) -> Iterator[None]:
        """Answer what is asked meanwhile in the end, in one query; until then it is nan."""
        self._waiting = {}
        try:
            yield
        finally:
            waiting, self._waiting = self._waiting, None
        self._learn(waiting)

    def refuse_to_wait(self) -> None:
        """Raise AskedLaterError where answers are put off, which are not numbers."""
        if self._waiting is not None:
            raise AskedLaterError

    def _learn(self, aggregates: Mapping[Any, Column]) -> None:
        import ibis.expr.operations as ops

        if not aggregates:
            return
        named = {f"answer{place}": each for place, each in enumerate(aggregates.values())}
        steps = self.steps.group_by("part") if self.parts.edges else self.steps
        cells = fetch(steps.aggregate(**named))
        for name, operation in zip(named, aggregates, strict=True):
            is_sum = isinstance(operation, ops.Sum)
            self._known[operation] = self.parts.placed(cells, name, empty=0.0 if is_sum else np.nan)

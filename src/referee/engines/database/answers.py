"""What a database has said of the steps of a ranking, and the parts that steps are sorted in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.shared_columns import worked_out_once
from referee.predictions import dialect_of, fetch, fetch_row, lookup, number
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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


PART_ROWS, FEWEST_PARTS, MOST_PARTS = 500_000, 4, 200
"""Rows of a part, about: DuckDB keeps all rows of a window in memory; servers sort theirs on disk."""


def parts_of(rows: Any, predictions: Predictions) -> Parts:
    """Cut by quantiles, which need not be exact; a list of them costs what one of them costs."""
    count = min(predictions.rows // PART_ROWS, MOST_PARTS)
    if count < FEWEST_PARTS or dialect_of(predictions.truth) != "duckdb":
        return Parts()
    levels = [place / count for place in range(1, count)]
    edges = fetch_row(rows.aggregate(edges=rows.score.approx_quantile(levels)))["edges"]
    return Parts(tuple(sorted({float(edge) for edge in edges or ()}, reverse=True)))


class AskedLaterError(Exception):
    """A formula cannot go on before something is known that is asked together with the questions of others."""


class Rounds:
    """The rankings of a model, which are asked together."""

    def __init__(self) -> None:
        self.rankings: list[Answers] = []
        self.put_off = False


def replay(every: Sequence[Rounds], run: Callable[[], None]) -> None:
    """Run formulas with what is known so far, until none of them asks anything new.

    Each round is one query of each ranking; whoever wants to know more than that is stopped by AskedLaterError.
    """
    more = True
    while more:
        for rounds in every:
            rounds.put_off = True
        try:
            run()
        finally:
            for rounds in every:
                rounds.put_off = False
        asked = [ranking.ask() for rounds in every for ranking in rounds.rankings]
        more = any(asked)


class Answers:
    """What is known about the steps of a ranking: nothing is asked twice, and much at once."""

    def __init__(self, steps: Any, parts: Parts, positive: int | None, rounds: Rounds) -> None:
        self.steps, self.parts, self.positive, self.rounds = steps, parts, positive, rounds
        self._known: dict[Any, Any] = {}
        self._wanted: dict[Any, Any] = {}
        rounds.rankings.append(self)

    def to(self, aggregates: Mapping[str, Column]) -> dict[str, Array]:
        """Aggregates over the steps of each part."""
        self._want({each.op(): each for each in aggregates.values()})
        return {name: self._known[each.op()] for name, each in aggregates.items()}

    def of_rows(self, table: Any) -> dict[str, Array]:
        """A small table of what rows add up to, for which they need not be sorted."""
        self._want({table.op(): table})
        answer: dict[str, Array] = self._known[table.op()]
        return answer

    def _want(self, questions: Mapping[Any, Any]) -> None:
        new = {question: each for question, each in questions.items() if question not in self._known}
        self._wanted |= new
        if new and self.rounds.put_off:
            raise AskedLaterError
        if new:
            self.ask()

    def ask(self) -> bool:
        """All that was put off; whether there was anything."""
        import ibis.expr.operations as ops

        wanted, self._wanted = self._wanted, {}
        tables = {question: each for question, each in wanted.items() if isinstance(question, ops.Relation)}
        self._known |= {question: fetch(each) for question, each in tables.items()}
        aggregates = [each for question, each in wanted.items() if question not in tables]
        for start in range(0, len(aggregates), MOST_COLUMNS):
            self._learn(aggregates[start : start + MOST_COLUMNS])
        return bool(wanted)

    def _learn(self, aggregates: Sequence[Any]) -> None:
        import ibis.expr.operations as ops

        named = {f"answer{place}": each for place, each in enumerate(aggregates)}
        steps, answers = worked_out_once(self.steps, named, kept=self.parts.names)
        cells = fetch((steps.group_by("part") if self.parts.edges else steps).aggregate(**answers))
        for place, each in enumerate(aggregates):
            empty = 0.0 if isinstance(each.op(), ops.Sum) else np.nan
            self._known[each.op()] = self.parts.placed(cells, f"answer{place}", empty)


MOST_COLUMNS = 1000
"""Of one answer, which servers limit."""

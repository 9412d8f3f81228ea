"""What one model said of the rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from referee.arrays import Array
    from referee.comparing import Combine
    from referee.predictions.column_facts import Outside
    from referee.predictions.predictions import Predictions


@dataclass(frozen=True, eq=False)
class Model:
    """What one model said; each kind of prediction is there or None."""

    name: str
    scores: Array | None = None
    """For the positive class, where there are two."""
    class_scores: tuple[Array, ...] | None = None
    """One column per class, in the order of the classes."""
    labels: Array | None = None
    """Its own decisions, as codes of the classes."""
    values: Array | None = None
    quantiles: Mapping[float, Array] | None = None
    columns: tuple[str, ...] = ()
    source: str = ""
    order: Array | None = None
    """For each row the row of the source that it came from, where these differ."""
    tie_order: tuple[int, ...] | None = None
    """The order of the class columns as given: the first of equally probable classes is the decision."""
    rounded: Outside | None = None
    """The first of the probabilities that rounding took out of 0 to 1, as it was given."""

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        column = f"column {self.columns[0]!r}" if len(self.columns) == 1 else f"model {self.name!r}"
        return f"{self.source}: {column}" if self.source else column

    def part(self, rows: slice | Array) -> Model:
        """Its predictions of some rows."""
        return self.mapped(lambda column: column[rows])

    def mapped(self, change: Callable[[Any], Any]) -> Model:
        """Every column changed, wherever its rows are."""
        given = {name: getattr(self, name) for name in ("scores", "labels", "values")}
        single: dict[str, Any] = {name: change(each) for name, each in given.items() if each is not None}
        columns = None if self.class_scores is None else tuple(map(change, self.class_scores))
        levels = None if self.quantiles is None else {q: change(column) for q, column in self.quantiles.items()}
        return replace(self, **single, class_scores=columns, quantiles=levels)

    def row_in_source(self, row: int) -> int:
        """The number of a row as its source counts it, from 1."""
        return (row if self.order is None else int(self.order[row])) + 1

    def given_columns(self) -> list[Array]:
        """All its columns, whatever their kind."""
        return list(self.columns_by_kind().values())

    def columns_by_kind(self) -> dict[str, Array]:
        """All its columns by what they are."""
        alone = {kind: getattr(self, kind) for kind in ("scores", "labels", "values")}
        of_classes = {f"class {code}": column for code, column in enumerate(self.class_scores or ())}
        of_levels = {f"level {level}": column for level, column in (self.quantiles or {}).items()}
        return {kind: column for kind, column in alone.items() if column is not None} | of_classes | of_levels


@dataclass(frozen=True, eq=False)
class TrainingPart:
    """Predictions of the rows that models were fitted on, split by split, and how they count."""

    predictions: Predictions
    combine: Combine

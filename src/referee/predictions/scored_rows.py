"""ScoredRows: what the rows of a table of scores are; there is no truth in such a table."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array
    from referee.predictions.seeds import Seeds

RowKind = Literal["items", "folds", "datasets"]
Better = Literal["higher", "lower"]

ROW_KINDS: tuple[RowKind, ...] = ("items", "folds", "datasets")
DIRECTIONS: tuple[Better, ...] = ("higher", "lower")
UNITS: dict[RowKind, str] = {"items": "item", "folds": "fold", "datasets": "data set"}
"""What one row is called."""


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """What a row is, which end of a score is the good one, and how large the splits were that gave it.

    >>> ScoredRows("folds").unit
    'fold'
    """

    kind: RowKind = "items"
    better: Better = "higher"
    data_set: str | None = None
    """The column of the data sets, where these are compared."""
    n_train: Array | None = None
    """Training rows behind each score, or their share of all rows."""
    n_test: Array | None = None
    folds: int | None = None
    """Of each repeat, where cross-validation was repeated."""
    repeats: int | None = None
    seeds: Seeds | None = None
    """The scores behind the items' means, where each model was run with several seeds."""
    called: str | None = None
    """What the scores are, where whoever gave them has said so."""
    of_models: Mapping[str, Array] = field(default_factory=dict)
    """The scores of all models, as a win is one over the others."""

    @property
    def unit(self) -> str:
        return UNITS[self.kind]

    @property
    def overlap(self) -> float | None:
        """Test rows for each training row, which says how much the splits share; None where it is not known."""
        if self.n_train is None or self.n_test is None:
            return None
        return float(self.n_test.sum() / self.n_train.sum())

    def others(self, name: str) -> list[Array]:
        """The scores of all other models."""
        return [scores for other, scores in self.of_models.items() if other != name]

    def part(self, rows: slice | Array) -> ScoredRows:
        n_train, n_test = (None if size is None else size[rows] for size in (self.n_train, self.n_test))
        of_models = {name: scores[rows] for name, scores in self.of_models.items()}
        seeds = None if self.seeds is None else self.seeds.part(rows)
        return replace(self, n_train=n_train, n_test=n_test, of_models=of_models, seeds=seeds)

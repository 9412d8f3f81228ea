"""ScoreRoles: what the user said of a table of scores, before it is read."""

from __future__ import annotations

from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.errors import UsageError, did_you_mean
from referee.predictions.roles import Roles, as_tuple
from referee.predictions.scored_rows import DIRECTIONS, ROW_KINDS
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array
    from referee.predictions.scored_rows import Better, RowKind

LISTS = ("models", "by")
CHOICES: dict[str, tuple[str, ...]] = {
    "rows": ROW_KINDS, "better": DIRECTIONS, "on_missing": ("error", "drop"), "on_repeated": ("error", "average")
}  # fmt: skip
CROSS_VALIDATED = 0.2
"""Folds are those of a cross-validation where their test rows are as many as it leaves, within this share."""


@dataclass(frozen=True)
class ScoreRoles:
    """The roles of columns, as the options of the command line name them.

    >>> ScoreRoles.of(dataset="set", fold="fold").kind
    'datasets'
    """

    models: tuple[str, ...] | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    """Model name -> its column."""
    model_column: str | None = None
    score_column: str | None = None
    winner: str | None = None
    """The column of judgements: which of two models was preferred, or that they tied."""
    rows: RowKind | None = None
    better: Better = "higher"
    id: str | None = None
    dataset: str | None = None
    fold: str | None = None
    repeat: str | None = None
    group: str | None = None
    seed_column: str | None = None
    time: str | None = None
    by: tuple[str, ...] = ()
    train_size: float | None = None
    test_size: float | None = None
    test_fraction: float | None = None
    on_missing: Literal["error", "drop"] = "error"
    on_repeated: Literal["error", "average"] | None = None
    """What several scores of an item are; if nothing is said, samples where every item has as many."""

    @classmethod
    def of(cls, **given: Any) -> ScoreRoles:
        """Take Python arguments: single names for tuples, None for what was not said."""
        known = {role.name for role in fields(cls)}
        for name in given:
            if name not in known:
                raise UsageError("E_ROLE", f"a table of scores has no role {name!r}; {did_you_mean(name, known)}")
        said = {name: value for name, value in given.items() if value is not None}
        said |= {name: as_tuple(said[name]) for name in LISTS if name in said}
        if said.get("models") == ("all",):
            del said["models"]
        roles = cls(**said)
        roles.check()
        return roles

    def check(self) -> None:
        for name, choices in CHOICES.items():
            if (value := getattr(self, name)) is not None and value not in choices:
                raise self._no_choice(name, value, choices)
        if (self.model_column is None) != (self.score_column is None):
            missing = "--score-column" if self.score_column is None else "--model-column"
            raise UsageError("E_ROLE", f"a long table has a column of models and one of scores: {missing} is missing")
        if self.winner is not None and (self.score_column is not None or self.columns):
            raise UsageError(
                "E_ROLE", "--winner is for judgements, which have no scores: leave the columns of scores out"
            )
        for name in ("group", "time"):
            if getattr(self, name) is not None and self.kind != "items":
                what = f"--{name} is for items, and the rows are {self.kind}"
                raise UsageError("E_ROLE", what, hint=f"use --rows items, or omit --{name}")
        if self.on_repeated == "average" and self.kind != "items":
            raise UsageError("E_ROLE", f"--on-repeated average is for items, and the rows are {self.kind}")
        if self.seed_column is not None and (self.kind != "items" or self.id is None):
            what = "--seed-column is for items that each model has scored with several seeds"
            raise UsageError("E_ROLE", what, hint="use --id COL: the item that a score belongs to")
        if self.fold is not None and self.kind == "datasets" and self.dataset is None:
            raise UsageError("E_ROLE", "which column holds the data sets that have folds?", hint="use --dataset COL")

    def _no_choice(self, name: str, value: object, choices: tuple[str, ...]) -> UsageError:
        option = f"--{name.replace('_', '-')}"
        hint = None
        if name == "better":
            hint = "all scores of a table must have the same direction; flip the sign of those that do not"
        return UsageError("E_ROLE", f"{option} {value}: the choices are {' and '.join(map(repr, choices))}", hint=hint)

    @property
    def kind(self) -> RowKind:
        """What the rows are: as it was said, or as the columns that were named tell."""
        if self.rows is not None:
            return self.rows
        if self.dataset is not None:
            return "datasets"
        return "folds" if self.fold is not None and self.id is None else "items"

    @property
    def key_columns(self) -> list[str]:
        """What tells one row of the result from another."""
        if self.kind == "items":
            keys = [self.id]
        elif self.kind == "folds":
            keys = [self.repeat, self.fold] if self.fold or self.repeat else [self.id]
        else:
            keys = [self.dataset or self.id, self.repeat, self.fold]
        return [name for name in keys if name is not None]

    @property
    def single_columns(self) -> list[str]:
        """Columns that have one value for each row of the result."""
        return list(dict.fromkeys(name for name in (self.group, self.time, self.fold_of_rows, *self.by) if name))

    @property
    def fold_of_rows(self) -> str | None:
        """The fold in which an item was scored, where items are compared."""
        return self.fold if self.kind == "items" else None

    @property
    def of_columns(self) -> Roles:
        """The same for what finds columns of models: there is no truth."""
        others = (self.dataset, self.model_column, self.score_column, self.seed_column, *self.by)
        return Roles(
            truth="", models=self.models, columns=self.columns, id=self.id, group=self.group, time=self.time,
            fold=self.fold, repeat=self.repeat, by=tuple(name for name in others if name is not None),
        )  # fmt: skip

    def sizes(self, rows: int) -> tuple[Array | None, Array | None]:
        """Training and test rows of the split behind each score, or their shares; None where nothing was said."""
        both, share = (self.train_size, self.test_size), self.test_fraction
        if share is not None and both == (None, None):
            if not 0 < share < 1:
                raise UsageError("E_DESIGN", f"--test-fraction {share:g} must lie between 0 and 1")
            return np.full(rows, 1 - share), np.full(rows, share)
        if share is not None or (both[0] is None) != (both[1] is None):
            raise UsageError(
                "E_DESIGN", "give both --train-size and --test-size, or only --test-fraction, the share of test rows"
            )
        if both[0] is None or both[1] is None:
            return None, None
        if min(both[0], both[1]) < 1:
            raise UsageError("E_DESIGN", "--train-size and --test-size: at least one row is needed")
        return np.full(rows, float(both[0])), np.full(rows, float(both[1]))


def cross_validated(folds: int, repeats: int, rows: int, overlap: float | None) -> bool:
    """Whether so many splits are the folds of a cross-validation: all there are, of the size that it leaves.

    >>> cross_validated(10, 10, 100, 1 / 9), cross_validated(30, 1, 30, 0.5)
    (True, False)
    """
    if overlap is None or folds < 2 or folds * repeats != rows:
        return False
    return abs(overlap * (folds - 1) - 1) <= CROSS_VALIDATED

"""Account: what was read, and what each column was taken for."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from referee.predictions.cells import mostly_numeric
from referee.predictions.model_columns import unused_columns
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.predictions.alignment import AlignedTable
    from referee.predictions.model import Model
    from referee.predictions.model_columns import ModelColumns
    from referee.predictions.roles import Roles
    from referee.predictions.truth import Truth

ROLES = ("truth", "id", "weight", "group", "query", "time", "fold", "repeat", "baseline")
NOT_ASKED_FOR = "it has no role and was not named"
NO_NUMBERS = "it has no role and holds no numbers"


@dataclass(frozen=True)
class Account:
    """What was read: what each column was taken for, the rows of each label, and what was left out.

    >>> Account({"y": {"as": "truth"}}, positive={"yes": 2}, rest={"no": 5, "maybe": 1}).to_dict()["rest"]
    {'no': 5, 'maybe': 1}
    """

    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Column -> what it is, and of which model."""
    positive: Mapping[str, int] = field(default_factory=dict)
    """Label -> rows, as the other ones: of the positive class, of all others, and of classes that are equals."""
    rest: Mapping[str, int] = field(default_factory=dict)
    classes: Mapping[str, int] = field(default_factory=dict)
    columns_left_out: Mapping[str, str] = field(default_factory=dict)
    """Column -> why."""
    rows_left_out: Mapping[str, int] = field(default_factory=dict)
    """Label -> rows."""
    rows_are: str | None = None
    """Items, folds or data sets, where the columns hold scores."""
    sampling: Mapping[str, float] = field(default_factory=dict)
    """Model -> the share of its items' variance that comes from sampling, where an item has several scores."""

    def to_dict(self) -> dict[str, Any]:
        labels = {side: dict(rows) for side in ("positive", "rest", "classes") if (rows := getattr(self, side))}
        left_out = {"columns": dict(self.columns_left_out), "rows": dict(self.rows_left_out)}
        scored = {"rows": self.rows_are, "share_of_sampling": dict(self.sampling)} if self.rows_are else {}
        columns = {name: dict(taken_for) for name, taken_for in self.columns.items()}
        return {"columns": columns, **labels, **scored, "left_out": left_out}


def account_of(
    sources: Sequence[AlignedTable],
    candidates: Sequence[ModelColumns],
    models: Sequence[Model],
    truth: Truth,
    roles: Roles,
    dropped: Mapping[str, int],
) -> Account:
    """Say what was made of the columns and of the labels."""
    of_models: dict[str, dict[str, str]] = {}
    for candidate, model in zip(candidates, models, strict=True):
        for column, kind in _columns_of(candidate, model):
            of_models[_place(candidate.source, column, sources)] = {"as": kind, "model": candidate.name}
    unused = {name: _why_unused(name, sources) for name in unused_columns(sources, candidates, roles)}
    return Account(
        columns=columns_with_roles(roles) | of_models,
        columns_left_out=unused | {name: f"it {why}" for name, why in (roles.id_like or {}).items()},
        rows_left_out=dict(dropped),
        **rows_by_side(truth),
    )


def columns_with_roles(roles: Roles) -> dict[str, dict[str, str]]:
    """The columns that are no models."""
    single = {column: {"as": role} for role in ROLES if (column := getattr(roles, role))}
    return single | {column: {"as": "slice"} for column in roles.by if column not in single}


def _why_unused(column: str, sources: Sequence[AlignedTable]) -> str:
    table = next(source.table for source in sources if column in source.table.columns.column_names)
    return NOT_ASKED_FOR if mostly_numeric(table, column) else NO_NUMBERS


def rows_by_side(truth: Truth) -> dict[str, Any]:
    """The rows of each label: of the positive class and the rest, or of classes that are equals."""
    if truth.positive is None:
        return {"classes": dict(truth.rows_of)}
    positive = {label: truth.rows_of.get(label, 0) for label in truth.positive_labels}
    return {"positive": positive, "rest": {name: n for name, n in truth.rows_of.items() if name not in positive}}


def _place(source: AlignedTable, column: str, sources: Sequence[AlignedTable]) -> str:
    """A column by its name, with its source where several have it."""
    holders = sum(column in other.table.columns.column_names for other in sources)
    return column if holders < 2 else f"{source.table.name}: {column}"


def _columns_of(candidate: ModelColumns, model: Model) -> Iterator[tuple[str, str]]:
    for label, column in candidate.by_class.items():
        yield column, f"quantile {label}" if model.quantiles is not None else f"scores of class {label!r}"
    if candidate.column is not None:
        yield candidate.column, "values" if model.values is not None else "labels" if candidate.decides else "scores"
    if candidate.label is not None and candidate.label[1] != candidate.column:
        yield candidate.label[1], "labels"

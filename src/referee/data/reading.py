"""From a table and the roles of its columns to a DataSet."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.columns.account import rows_by_side
from referee.columns.alignment import drop_labelled, dropped_notices, refuse_duplicate_keys
from referee.columns.reading import no_weight, weights
from referee.columns.roles import Roles, label_text
from referee.columns.truth import understand_truth
from referee.data.features import read_features
from referee.data.times import times
from referee.dataset import DataSet
from referee.errors import InputError, UsageError, listed
from referee.predictions import Account, Units
from referee.readers.cells import coded, is_numeric, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.columns.truth import Truth
    from referee.data.features import FoundFeatures
    from referee.dataset import Feature
    from referee.metric import Metric, Task
    from referee.readers.table import Table

SomeDataSet = TypeVar("SomeDataSet", bound=DataSet)


@dataclass(frozen=True)
class RoleColumns:
    """The columns that are no features."""

    target: str
    id: str | None = None
    group: str | None = None
    time: str | None = None
    weight: str | None = None

    def taken(self) -> set[str]:
        return {column for column in asdict(self).values() if column is not None}

    def check(self, table: Table) -> None:
        """Refuse a column that is not there, and one with two roles."""
        seen: dict[str, str] = {}
        for role, column in asdict(self).items():
            if column is None:
                continue
            table.column(column)
            if column in seen:
                raise UsageError("E_ROLE", f"{table.name}: column {column!r} is named as {seen[column]} and as {role}")
            seen[column] = role


def dataset_of_table(
    kind: type[SomeDataSet],
    table: Table,
    roles: RoleColumns,
    *,
    task: Task | None = None,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    drop_label: Any = None,
    metrics: Sequence[Metric] = (),
) -> SomeDataSet:
    """Understand the columns of a table that has been read."""
    roles.check(table)
    if task is None and positive is None and not metrics and _are_classes(table, roles.target):
        task = "multiclass"
    known = None if classes is None else tuple(map(label_text, classes))
    truth_roles = Roles.of(
        truth=roles.target, task=task, positive=positive, classes=known, drop_label=drop_label, metrics=tuple(metrics)
    )
    (table,), left_out = drop_labelled([table], truth_roles)
    truth = understand_truth(table, truth_roles, ())
    _refuse_unseen(table, truth_roles, truth)
    _refuse_constant(table, roles.target, truth)
    found = read_features(table, [name for name in table.columns.column_names if name not in roles.taken()])
    if not found.features:
        hint = "a column with a role, without values, or with a different text in each row is no feature"
        raise InputError("E_NOFEATURE", f"{table.name} has no feature to learn from beside its roles", hint=hint)
    weight, scale = _weight(table, roles.weight)
    return kind(
        X=found.matrix,
        features=found.features,
        target=truth.values,
        task=truth.task,
        classes=truth.classes,
        positive=truth.positive,
        group=None if roles.group is None else Units(*coded(table, roles.group)),
        time=None if roles.time is None else times(table, roles.time),
        weight=weight,
        weight_scale=scale,
        ids=None if roles.id is None else _ids(table, roles.id),
        target_column=roles.target,
        source=table.name,
        notices=(*dropped_notices(left_out, roles.target), *found.notices),
        account=_account(table, roles, found, truth, left_out),
        notes=(_features_in_words(found.features), _target_in_words(roles.target, truth), *found.notes, *table.notes),
    )


def _account(table: Table, roles: RoleColumns, found: FoundFeatures, truth: Truth, left_out: dict[str, int]) -> Account:
    """What the columns and the labels were taken for."""
    by_role = {column: {"as": role} for role, column in asdict(roles).items() if column is not None}
    features = {feature.name: {"as": f"{feature.kind} feature"} for feature in found.features}
    others = [name for name in table.columns.column_names if name not in by_role and name not in features]
    unused = dict.fromkeys(others, "it has no values, or another one in every row")
    return Account(by_role | features, columns_left_out=unused, rows_left_out=left_out, **rows_by_side(truth))


def _refuse_unseen(table: Table, roles: Roles, truth: Truth) -> None:
    """Refuse a class that nothing can be learned of."""
    unseen = [label for label in roles.classes or () if label not in truth.rows_of]
    if unseen and truth.classes:
        raise UsageError(
            "E_LABELS", f"{table.name}: column {roles.truth!r} has no row of the class {listed(unseen)} to learn from"
        )


def _are_classes(table: Table, target: str) -> bool:
    """Whether numbers are stored as categories, more than two: then they are no amounts."""
    import pyarrow as pa

    is_category = pa.types.is_dictionary(table.column(target).type) and not table.text
    return is_category and is_numeric(table, target) and len(coded(table, target)[1]) > 2


def _refuse_constant(table: Table, target: str, truth: Truth) -> None:
    first = truth.values[0]
    if (truth.values != first).any():
        return
    shown = truth.classes[first] if truth.classes else f"{first:g}"
    raise InputError(
        "E_CONSTANT",
        f"{table.name}: column {target!r} is {shown!r} in every row: there is nothing to learn",
        hint="is it the right target?",
    )


def _weight(table: Table, column: str | None) -> tuple[Array | None, float]:
    if column is None:
        return None, 1.0
    weight = weights(table, column)
    if not weight.any():
        raise no_weight(table, column)
    scale = scale_to_one(largest(weight))
    return weight * scale, scale


def _ids(table: Table, column: str) -> Array:
    ids = texts(table, column)
    if len(np.unique(ids.astype(str))) < len(ids):
        refuse_duplicate_keys(table.name, enumerate(ids.tolist(), start=1))
    return ids


def _features_in_words(features: Sequence[Feature]) -> str:
    categorical = sum(one.is_categorical for one in features)
    numeric = len(features) - categorical
    kinds = [f"{amount:,} {kind}" for amount, kind in ((numeric, "numeric"), (categorical, "categorical")) if amount]
    missing = sum(one.missing > 0 for one in features)
    gaps = f"{missing:,} {'has' if missing == 1 else 'have'} missing values" if missing else "no missing values"
    plural = "" if (categorical or numeric) == 1 else "s"
    return f"{', '.join(kinds)} feature{plural}; {gaps}"


def _target_in_words(target: str, truth: Truth) -> str:
    if truth.task == "regression":
        return f"target {target!r}: numbers (regression)"
    positive = "" if truth.positive is None else f", {truth.classes[truth.positive]!r} is the positive one"
    return f"target {target!r}: {len(truth.classes)} classes, {listed(truth.classes)}{positive}"

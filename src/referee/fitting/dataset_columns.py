"""From a table and the roles of its columns to a DataSet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import Array, largest, scale_to_one
from referee.errors import InputError, UsageError, did_you_mean, listed
from referee.fitting.dataset import DataSet, Feature
from referee.fitting.features import FoundFeatures, read_features
from referee.predictions import (
    Account,
    Roles,
    Table,
    Units,
    coded,
    drop_labelled,
    dropped_notices,
    is_numeric,
    label_text,
    marks_of_labels,
    no_weight,
    read_table,
    refuse_duplicate_keys,
    refuse_other_order,
    rows_by_side,
    stored,
    texts,
    times,
    understand_truth,
    weights,
)
from referee.records import dataclass

if TYPE_CHECKING:
    from referee.predictions import Truth
    from referee.scoring import Metric, Task


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
    table: Table,
    roles: RoleColumns,
    *,
    task: Task | None = None,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    drop_label: Any = None,
    metrics: Sequence[Metric] = (),
) -> DataSet:
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
    learned = read_features(table, [name for name in table.columns.column_names if name not in roles.taken()])
    if not learned.features:
        hint = "a column with a role, without values, or with a different text in each row is not a feature"
        raise InputError("E_NOFEATURE", f"{table.name} has no feature left to learn from", hint=hint)
    weight, scale = _weight(table, roles.weight)
    account = _account(table, roles, truth_roles, learned, truth, left_out)
    return DataSet(
        X=learned.matrix,
        features=learned.features,
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
        notices=(*dropped_notices(left_out, roles.target), *learned.notices),
        account=account,
        notes=(
            _features_in_words(learned.features),
            _target_in_words(roles.target, truth),
            *learned.notes,
            *account.notes(),
            *table.notes,
        ),
    )


def _account(
    table: Table,
    roles: RoleColumns,
    truth_roles: Roles,
    learned: FoundFeatures,
    truth: Truth,
    left_out: dict[str, int],
) -> Account:
    """What the columns and the labels were taken for."""
    by_role: dict[str, dict[str, Any]] = {
        column: {"as": role} for role, column in asdict(roles).items() if column is not None
    }
    by_role[roles.target] |= marks_of_labels(truth, left_out, truth_roles)
    by_role |= {roles.weight: by_role[roles.weight] | stored(table, roles.weight)} if roles.weight else {}
    features = {feature.name: _account_of_feature(table, feature, learned) for feature in learned.features}
    others = [name for name in table.columns.column_names if name not in by_role and name not in features]
    unused = dict.fromkeys(others, "it has no values, or a different one in every row")
    return Account(by_role | features, columns_left_out=unused, rows_left_out=left_out, **rows_by_side(truth))


def _account_of_feature(table: Table, feature: Feature, learned: FoundFeatures) -> dict[str, Any]:
    marks = learned.marks.get(feature.name)
    narrow = {} if feature.is_categorical else stored(table, feature.name)
    return {"as": f"{feature.kind} feature"} | narrow | ({"missing": dict(marks)} if marks else {})


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
    categorical = sum(feature.is_categorical for feature in features)
    numeric = len(features) - categorical
    kinds = [f"{amount:,} {kind}" for amount, kind in ((numeric, "numeric"), (categorical, "categorical")) if amount]
    missing = sum(feature.missing > 0 for feature in features)
    gaps = f"{missing:,} {'has' if missing == 1 else 'have'} missing values" if missing else "no missing values"
    plural = "" if (categorical or numeric) == 1 else "s"
    return f"{', '.join(kinds)} feature{plural}; {gaps}"


def _target_in_words(target: str, truth: Truth) -> str:
    if truth.task == "regression":
        return f"target {target!r}: numbers (regression)"
    positive = "" if truth.positive is None else f", {truth.classes[truth.positive]!r} is the positive one"
    return f"target {target!r}: {len(truth.classes)} classes, {listed(truth.classes)}{positive}"


COLUMN_ROLES = ("id", "group", "time", "weight")
SETTINGS = ("task", "positive", "classes", "drop_label", "metrics")


def dataset_of_arrays(features: Any, target: Any, *, names: Sequence[str] | None = None, **given: Any) -> DataSet:
    """Put the arrays beside each other as the columns of one table, and read that."""
    for role in given:
        if role not in (*COLUMN_ROLES, *SETTINGS):
            raise UsageError("E_ROLE", f"there is no role {role!r}; {did_you_mean(role, (*COLUMN_ROLES, *SETTINGS))}")
    for role, values in {"y": target, **given}.items():
        refuse_other_order(role, values, "X", features)
    table = _table_of(features, names)
    columns = {name: table.columns.column(name) for name in table.columns.column_names}
    target_name = _add(columns, "target", target, table)
    roles = {role: _add(columns, role, given[role], table) for role in COLUMN_ROLES if given.get(role) is not None}
    settings = {name: given[name] for name in SETTINGS if given.get(name) is not None}
    whole = Table(table.name, read_table(columns).columns)
    return dataset_of_table(whole, RoleColumns(target_name, **roles), **settings)


def _table_of(features: Any, names: Sequence[str] | None) -> Table:
    if isinstance(features, Mapping) or not _is_matrix(features):
        return read_table(features)
    try:
        matrix = np.asarray(features)
    except ValueError:
        raise UsageError("E_SHAPE", "the rows of X differ in length") from None
    if matrix.ndim != 2:
        raise UsageError("E_SHAPE", f"X has {matrix.ndim} dimensions, expected rows and columns")
    wanted = [f"x{place + 1}" for place in range(matrix.shape[1])] if names is None else [str(name) for name in names]
    if len(wanted) != matrix.shape[1]:
        raise UsageError("E_SHAPE", f"{len(wanted)} names were given for the {matrix.shape[1]} columns of X")
    return Table("the arrays", read_table(dict(zip(wanted, matrix.T, strict=True))).columns)


def _is_matrix(features: Any) -> bool:
    is_plain_array = isinstance(features, np.ndarray) and features.dtype.names is None
    return is_plain_array or isinstance(features, list | tuple)


def _add(columns: dict[str, Any], role: str, values: Any, table: Table) -> str:
    """Add a column for a role and give its name; a text names a column that is there."""
    if isinstance(values, str):
        table.column(values)
        return values
    own_name = getattr(values, "name", None)
    name = own_name if isinstance(own_name, str) and own_name else role
    if name in columns:
        if role == "target":
            raise UsageError(
                "E_TARGET",
                f"the target {name!r} is also among the features of {table.name}: a model could read the answer",
                hint=f"drop the column, or give y={name!r} if it is the target",
            )
        name = next(
            f"{name}{'_' * number}" for number in range(1, len(columns) + 2) if f"{name}{'_' * number}" not in columns
        )
    length = len(values) if hasattr(values, "__len__") else None
    if length != table.rows:
        shown = "no length" if length is None else f"{length:,} values"
        raise UsageError("E_LENGTH", f"the {role} has {shown}, X has {table.rows:,} rows")
    columns[name] = values
    return name

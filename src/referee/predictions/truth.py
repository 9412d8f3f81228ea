"""What the truth column says: classes or numbers, and which class is the positive one."""

from __future__ import annotations

import re
from dataclasses import field, replace
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import distinct
from referee.errors import InputError, UndefinedError, UsageError, listed
from referee.predictions.cell_labels import coded, labels, refuse_doubtful_labels, stored_kind
from referee.predictions.cells import is_numeric, numbers, refuse_missing
from referee.predictions.model_columns import BOUNDS, offered
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.predictions.roles import Roles
    from referee.predictions.table import Table
    from referee.scoring import Task

SWITCHES = (("0", "1"), ("false", "true"))
"""Labels whose positive one needs no naming."""
PLAIN_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")


@dataclass(frozen=True)
class Truth:
    task: Task
    values: Array
    """Codes of the classes, or numbers."""
    classes: tuple[str, ...] = ()
    positive: int | None = None
    code_of: Mapping[str, int] | None = None
    """Label -> class; several labels may belong to one class."""
    kind: str = "float"
    rows_of: Mapping[str, int] = field(default_factory=dict)
    """How many rows each label has, as it is written."""
    positive_labels: tuple[str, ...] = ()
    order_said: bool = False
    """Whether the user gave the classes, which then stand in that order."""


def understand_truth(
    table: Table,
    roles: Roles,
    class_columns: Sequence[str],
    rows_of: Mapping[str, int] | None = None,
    order: Array | None = None,
) -> Truth:
    """Read the truth; `class_columns` are the classes that the models' columns name.

    `rows_of` says how many rows each label has, where the table is a sketch of a larger one; otherwise the rows of
    `order` are counted, or all.
    """
    refuse_missing(table, roles.truth, "fill in the cell, or leave these rows out: --drop-label ''")
    if _is_regression(table, roles, class_columns):
        return Truth("regression", numbers(table, roles.truth).astype(float))
    codes, names, kind = labels(table, roles.truth)
    every = _every_label(table, roles, names, class_columns)
    rows_of = _counted(codes if order is None else codes[order], names) if rows_of is None else rows_of
    rows_of = {name: rows_of.get(name, 0) for name in names}
    refuse_doubtful_labels(table, roles, rows_of, class_columns)
    if roles.task != "multiclass" and (len(every) <= 2 or roles.positive):
        return replace(_binary(table, roles, codes, every, kind), rows_of=rows_of)
    if roles.task == "binary":
        raise needs_positive(table.name, roles.truth, every)
    code_of = {name: code for code, name in enumerate(roles.classes or every)}
    codes = np.array([code_of[name] for name in names], np.int32)[codes]
    return Truth(
        "multiclass", codes, tuple(code_of), None, code_of, kind, rows_of, order_said=roles.classes is not None
    )


def _counted(codes: Array, names: Sequence[str]) -> dict[str, int]:
    return dict(zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=True))


def _every_label(table: Table, roles: Roles, names: tuple[str, ...], class_columns: Sequence[str]) -> tuple[str, ...]:
    """The labels of the truth, and those that the user or the columns name besides."""
    if roles.classes is None:
        return names + tuple(sorted(label for label in class_columns if match_label(label, names) is None))
    unknown = [name for name in names if name not in roles.classes]
    if unknown:
        raise InputError(
            "E_LABELS", f"{table.name}: column {roles.truth!r} holds {listed(unknown)}, not one of the classes given"
        )
    return names + tuple(label for label in roles.classes if label not in names)


def _is_regression(table: Table, roles: Roles, class_columns: Sequence[str]) -> bool:
    if roles.task is not None:
        return roles.task in ("regression", "ranking")
    table.column(roles.truth)  # a missing column is named before anything is said about its cells
    if not is_numeric(table, roles.truth):
        return False
    levels = distinct(numbers(table, roles.truth, as_labels=True))
    if len(levels) > 2 and not np.all(levels == np.floor(levels)):
        return _agreed_regression(table, roles, len(levels))
    tasks = {task for metric in roles.metrics for task in metric.tasks}
    if tasks and (tasks == {"regression"} or "regression" not in tasks):
        return tasks == {"regression"}
    if roles.positive is None and _are_levels(class_columns):
        return True
    whole = bool(np.all(levels == np.floor(levels)))
    named_classes = (len(levels) <= 2 and whole) or bool(class_columns or roles.positive or roles.classes)
    return not named_classes and (not whole or _amounts(table, roles, len(levels)))


def _are_levels(class_columns: Sequence[str]) -> bool:
    """Whether columns are named after quantile levels, or after the ends of an interval."""
    if sorted(class_columns) == sorted(BOUNDS):
        return True
    values = [_as_number(label) for label in class_columns]
    return bool(values) and all(value is not None and 0 < value < 1 for value in values)


def _amounts(table: Table, roles: Roles, distinct: int) -> bool:
    """Whole numbers written as decimals are amounts; others may be classes, and nobody but the user knows."""
    _, names, kind = labels(table, roles.truth)
    if kind == "float":
        return True
    offer = offered(table.columns.column_names, names)
    raise UsageError(
        "E_TASK",
        f"{table.name}: column {roles.truth!r} holds {distinct} different whole numbers: classes or amounts?"
        f"{f' {offer[0].upper()}{offer[1:]}' if offer else ''}",
        hint="use --task multiclass or --task regression; a goal such as rmse or mae also settles it",
    )


def _agreed_regression(table: Table, roles: Roles, distinct: int) -> bool:
    """Numbers with fractions are amounts; a positive class then makes no sense."""
    if roles.positive:
        raise UndefinedError(
            "E_CONTINUOUS",
            f"{table.name}: column {roles.truth!r} holds {distinct:,} distinct numbers with fractions: "
            "a regression truth has no positive class",
            hint="omit --positive and choose rmse, mae or another metric for numbers, or name another truth column",
        )
    return True


def _binary(table: Table, roles: Roles, codes: Array, names: tuple[str, ...], kind: str) -> Truth:
    wanted = _positive_labels(table, roles, names)
    if not wanted:
        return Truth("binary", codes, names, None, {name: code for code, name in enumerate(names)}, kind)
    others = tuple(name for name in names if name not in wanted)
    if not others and len(wanted) == len(names) > 1:
        raise UsageError(
            "E_POSITIVE", f"--positive {','.join(wanted)} names every label of column {roles.truth!r}: none is left"
        )
    negative = others[0] if len(others) == 1 else "rest" if others else _opposite(wanted[0])
    positive = ",".join(wanted)
    classes = (negative, positive) if len(names) != 2 else tuple(names)
    at = classes.index(positive)
    code_of = {name: at if name in wanted else 1 - at for name in (*names, *wanted, *classes)}
    recoded = np.array([code_of[name] for name in names], codes.dtype)[codes]
    return Truth("binary", recoded, classes, at, code_of, kind, positive_labels=wanted)


def _positive_labels(table: Table, roles: Roles, names: tuple[str, ...]) -> tuple[str, ...]:
    if roles.positive is None:
        switch = _switch(names)
        return () if switch is None else (next((name for name in names if name.lower() == switch), switch),)
    matched = tuple(match_label(label, names) or label for label in roles.positive)
    known = set(names) | ({"0", "1"} if set(names) <= {"0", "1"} else set())
    unknown = [label for label in matched if label not in known]
    if unknown:
        raise UsageError(
            "E_POSITIVE",
            f"--positive {unknown[0]!r} is not a label in {table.name}: column {roles.truth!r}: "
            f"its labels are {listed(names)}",
        )
    return matched


def _switch(names: tuple[str, ...]) -> str | None:
    """The positive label of 0/1 and false/true, even if only one of them occurs."""
    lower = {name.lower() for name in names}
    return next((on for off, on in SWITCHES if lower <= {off, on}), None)


def _opposite(label: str) -> str:
    pairs = {on: off for off, on in SWITCHES} | dict(SWITCHES)
    return pairs.get(label.lower(), f"not {label}")


def match_label(label: str, names: Sequence[str]) -> str | None:
    """Find a label among others of another type: by text, by number, true and false as 1 and 0.

    >>> match_label("true", ["0", "1"]), match_label("1.0", ["0", "1"]), match_label("x", ["0", "1"])
    ('1', '1', None)
    """
    if label in names:
        return label
    value = _as_number(label)
    return next((name for name in names if value is not None and _as_number(name) == value), None)


def _as_number(label: str) -> Decimal | None:
    """The number that a label is, exactly; None for texts, and for codes with leading zeros."""
    switches = {"true": Decimal(1), "false": Decimal(0)}
    if label.lower() in switches:
        return switches[label.lower()]
    return Decimal(label) if PLAIN_NUMBER.fullmatch(label) else None


def holds_numbers(classes: Sequence[str]) -> bool:
    """Whether classes are written as numbers, and more than two, so that they may be amounts after all."""
    return len(classes) > 2 and are_numbers(classes)


def are_numbers(classes: Sequence[str]) -> bool:
    return all(_as_number(name) is not None for name in classes)


def needs_positive(source: str, column: str, names: Sequence[str]) -> UsageError:
    return UsageError(
        "E_POSITIVE",
        f"{source}: column {column!r} has the labels {listed(names)}: which is the positive one?",
        hint="use --positive LABEL (or several: A,B); it is never guessed",
    )


def refuse_without_positive(table: Table, roles: Roles, truth: Truth) -> None:
    """Ask for the positive class where a metric speaks of it."""
    if truth.task != "binary" or truth.positive is not None:
        return
    if not roles.metrics or any(metric.of_one_class for metric in roles.metrics):
        raise needs_positive(table.name, roles.truth, truth.classes)


def codes_of_labels(table: Table, column: str, truth: Truth) -> tuple[Array, str]:
    """Read a model's decisions as codes of the classes, and say how they are stored."""
    codes, names = coded(table, column)
    mapped = [class_code(name, truth) for name in names]
    unknown = [place for place, code in enumerate(mapped) if code is None]
    if unknown:
        raise _unknown_label(table, column, truth, names[unknown[0]], int(np.argmax(codes == unknown[0])) + 1)
    return np.array(mapped, np.int32)[codes], stored_kind(table, column)


def _unknown_label(table: Table, column: str, truth: Truth, label: str, row: int) -> InputError:
    if _as_number(label) is not None and not is_numeric(table, column):
        numbers(table, column)  # scores with a cell that is not a number among them: its error names the cell
    commas = re.fullmatch(r"-?\d+,\d+", label) and table.decimal == "."
    decimal = "use --decimal ',' if these are numbers with a decimal comma"
    return InputError(
        "E_LABELS",
        f"{table.name}: column {column!r}, row {row}: {label!r} is not a class in the truth ({listed(truth.classes)})",
        hint=decimal
        if commas
        else "labels must be spelled as in the truth; --classes names those that never came true",
    )


def class_code(label: str, truth: Truth) -> int | None:
    """The class of a label as a model writes it; None if it has none."""
    assert truth.code_of is not None
    match = match_label(label, list(truth.code_of))
    return None if match is None else truth.code_of[match]

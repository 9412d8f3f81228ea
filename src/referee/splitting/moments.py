"""The order of rows in time: numbers, dates and times, or text that says one."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import InputError
from referee.splitting.classes import column_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moments_of(values: Any, column: str = "time") -> Array:
    """Which moment each row is of, from 0 for the earliest; rows of the same moment have the same number.

    >>> moments_of(["2024-03-01", "2024-01-01T12:00", "2024-03-01T00:00"])
    array([1, 0, 1])
    """
    name = f"column {column!r}"
    found = column_of(values, name, "E_TIME")
    if found.dtype.kind in "OUS":
        found = np.array(_microseconds([_read(value, name, row) for row, value in enumerate(found, 1)], name))
    elif found.dtype.kind not in "biufM":
        raise InputError("E_TIME", f"{name} holds no times but {found.dtype}")
    return np.unique(found, return_inverse=True)[1]


def _read(value: Any, name: str, row: int) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    text = value.decode() if isinstance(value, bytes) else str(value)
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError(
            "E_TIME",
            f"{name}, row {row}: {text[:40]!r} is neither a number nor a date",
            hint="write dates as 2024-12-31 or 2024-12-31T23:59:59Z",
        ) from None


def _microseconds(times: Sequence[datetime], name: str) -> list[int]:
    """Since 1970; times with a zone cannot be put in order with times without one."""
    zoned = np.array([one.utcoffset() is not None for one in times], bool)
    if zoned.any() and not zoned.all():
        few = zoned if zoned.mean() <= 0.5 else ~zoned
        row = int(few.argmax()) + 1
        has, others = ("a", "do not have one") if zoned[row - 1] else ("no", "have one")
        raise InputError(
            "E_TIME",
            f"{name}, row {row} has {has} time zone, and other rows {others}: their order is not known",
            hint="write all times with a time zone, or all without",
        )
    since = (one if one.utcoffset() is not None else one.replace(tzinfo=UTC) for one in times)
    return [_whole_microseconds(one) for one in since]


def _whole_microseconds(one: datetime) -> int:
    passed = one - EPOCH
    return (passed.days * 86_400 + passed.seconds) * 1_000_000 + passed.microseconds

"""Learning curve: the goal metric on the same test rows after fewer training rows, and how the time of a fit grows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.catalogue import split_list, write_value
from referee.errors import UsageError
from referee.fitting.fit_runs import why_unfitted
from referee.fitting.robustness import as_list, finite_number
from referee.fitting.rows import Rows, Together
from referee.fitting.splits import Split, evenly_ordered
from referee.fitting.stored_predictions import Judged, Records, training_predictions, values_of_splits
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.fitting.dataset import DataSet
    from referee.fitting.resampled_models import Resampling

CELL = 2**31 + 1
"""Keeps these streams apart from those of the splits."""


DEFAULT_SHARES = (0.125, 0.25, 0.5)


def sizes_of(given: Any) -> tuple[float, ...]:
    """Sizes of training sets, smallest first: shares up to 1, or rows; none if nothing is asked.

    >>> sizes_of("100, 0.5"), sizes_of("default"), sizes_of(None)
    ((0.5, 100.0), (0.125, 0.25, 0.5), ())
    """
    if given is None:
        return ()
    if isinstance(given, str):
        given = DEFAULT_SHARES if given == "default" else split_list(given)
    sizes = sorted({finite_number(size, "--learning-curve") for size in as_list(given)})
    wrong = [size for size in sizes if size <= 0 or (size > 1 and not size.is_integer())]
    if wrong or sizes in ([], [1.0]):
        what = (
            f"{wrong[0]:g} is neither a share of the training rows nor a number of rows" if wrong else "no size below 1"
        )
        raise UsageError("E_PARAMETER", f"--learning-curve: {what}", hint="shares such as 0.25,0.5 or rows such as 100")
    return tuple(size for size in sizes if size != 1)


def smaller_splits(resampling: Resampling, sizes: Sequence[float]) -> list[list[Split]]:
    """For each size the same splits with so many of the training rows: a smaller part lies inside each larger one.

    Rows of a group stay together. Of rows in time the latest are taken, as whoever trains on fewer would.
    """
    streams = Rows(0, seed=resampling.seed, cell=(CELL,))
    orders = [_ordered(resampling.data, split, streams.random(n)) for n, split in enumerate(resampling.splits)]
    return [
        [_cut(split, *ordered, size) for split, ordered in zip(resampling.splits, orders, strict=True)]
        for size in sizes
    ]


def _ordered(data: DataSet, split: Split, random: np.random.RandomState) -> tuple[Array, Array]:
    """The training rows in the order in which they are added, and after how many of them one may stop."""
    train = split.train
    strata = data.target[train] if data.classes else np.zeros(len(train), np.int64)
    if data.time is not None:
        moments = Together(data.time[train])
        return _by_pieces(train, moments, np.arange(len(moments))[::-1])
    if data.group is not None:
        groups = Together(data.group.codes[train])
        return _by_pieces(train, groups, evenly_ordered(groups.as_rows(Rows(len(train), labels=strata)).strata, random))
    return train[evenly_ordered(strata, random)], np.arange(1, len(train) + 1)


def _by_pieces(train: Array, pieces: Together, sequence: Array) -> tuple[Array, Array]:
    order = np.argsort(np.argsort(sequence)[pieces.piece], kind="stable")
    return train[order], np.cumsum(pieces.sizes[sequence])


def _cut(split: Split, order: Array, ends: Array, size: float) -> Split:
    """With whole pieces, of which there may be a few rows more."""
    rows = ends[np.searchsorted(ends, _count(size, len(order)))]
    return replace(split, train=np.sort(order[:rows]), seen=None, inner=())


def _count(size: float, rows: int) -> int:
    count = round(size * rows) if size <= 1 else int(size)
    if not 2 <= count <= rows:
        what = f"{size:g} of {rows:,} training rows is {count:,}" if size <= 1 else f"there are {rows:,} training rows"
        raise UsageError("E_PARAMETER", f"--learning-curve {size:g}: {what}", hint="at least 2 rows, at most all")
    return count


@dataclass(frozen=True)
class CurvePoint:
    """A model after so many training rows; the last point is that of all of them."""

    rows: float
    """On average over the splits."""
    test: float | None
    train: float | None
    """On the rows that it was fitted on."""
    fit_seconds: float | None
    """CPU, median over the splits."""
    undefined: str | None = None
    """Why there is no value."""


def learning_curves(
    resampling: Resampling, sizes: Sequence[float], full: Mapping[str, Judged], records: Records
) -> dict[str, tuple[CurvePoint, ...]]:
    """The points of each model, from few training rows to all; those of all rows are there already."""
    points: dict[str, list[CurvePoint]] = {name: [] for name in full}
    for size, splits in zip(sizes, smaller_splits(resampling, sizes), strict=True):
        fitted, failures = resampling.fits(f"learning_curve/{write_value(size)}", splits=splits, only=list(full))
        unfitted = why_unfitted(failures, splits)
        for name, point in _points(resampling, splits, list(full), fitted, unfitted).items():
            points[name].append(point)
    for name, point in _points(resampling, resampling.splits, list(full), records, {}).items():
        points[name].append(point)
    return {name: tuple(sorted(each, key=lambda point: point.rows)) for name, each in points.items()}


def _points(
    resampling: Resampling, splits: Sequence[Split], names: Sequence[str], records: Records, unfitted: Mapping[str, str]
) -> dict[str, CurvePoint]:
    rows = float(np.mean([len(split.train) for split in splits]))
    fitted = [name for name in names if name not in unfitted]
    tested = resampling.judged(fitted, records, splits)
    trained = values_of_splits(training_predictions(resampling.data, splits, fitted, records), resampling.goal)
    points = {name: CurvePoint(rows, None, None, None, why) for name, why in unfitted.items()}
    for name in fitted:
        seconds = float(np.median([records[name, split]["fit_seconds"] for split in range(len(splits))]))
        why = None if tested[name].value is not None else "the metric is undefined"
        points[name] = CurvePoint(rows, tested[name].value, trained[name].value, seconds, why)
    return points


MEASURABLE = 0.001
"""Seconds: below this the time of the call is measured, not that of the rows."""


@dataclass(frozen=True)
class Growth:
    """Time grows as rows to the power of the exponent, between the numbers of rows that were measured."""

    exponent: float | None
    standard_error: float | None = None
    """Of the slope through three sizes or more."""
    rows: tuple[float, float] | None = None
    undefined: str | None = None


def growth(rows: Sequence[float], seconds: Sequence[float]) -> Growth:
    """The slope of log time on log rows, by least squares.

    >>> round(growth([100, 200, 400], [0.01, 0.04, 0.16]).exponent, 12)
    2.0
    >>> growth([100, 200, 400], [0.0001, 0.0002, 0.0004]).undefined
    'fits of up to 400 rows take less than 1 ms, which is too short to measure'
    """
    measured = [(n, t) for n, t in zip(rows, seconds, strict=True) if t >= MEASURABLE]
    if len({n for n, _ in measured}) < 2:
        return Growth(None, undefined=_too_little(rows, len(measured)))
    x, y = (np.log(np.array(column)) for column in zip(*measured, strict=True))
    spread = ((x - x.mean()) ** 2).sum()
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / spread)
    left = y - y.mean() - slope * (x - x.mean())
    error = float(np.sqrt((left**2).sum() / (len(x) - 2) / spread)) if len(x) > 2 else None
    sizes = [n for n, _ in measured]
    return Growth(slope, error, (float(min(sizes)), float(max(sizes))))


def _too_little(rows: Sequence[float], measured: int) -> str:
    if len(rows) < 2:
        return "one size does not show growth"
    most = f"{max(rows):,.0f}" if not measured else f"{sorted(rows)[-2]:,.0f}"
    return f"fits of up to {most} rows take less than {1000 * MEASURABLE:g} ms, which is too short to measure"

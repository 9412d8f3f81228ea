"""Learning curve: the goal metric on the same test rows after fewer training rows, and how the time of a fit grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.call_syntax import write_value
from referee.selection.fits.assembling import training_predictions
from referee.selection.fits.failing import why_unfitted
from referee.selection.judging import values_of_splits
from referee.selection.weighing.smaller_splits import smaller_splits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.selection.fits.running import Records
    from referee.selection.judging import Judged
    from referee.selection.resampling import Resampling
    from referee.splitting.split import Split


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

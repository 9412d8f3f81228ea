"""Robustness: the goal metric after noise was put into the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.mean_difference import mean_difference
from referee.selection.fits.failing import why_unfitted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.design import Design
    from referee.selection.judging import Judged
    from referee.selection.resampling import Resampling
    from referee.selection.weighing.corruption import Corruption


@dataclass(frozen=True)
class Robustness:
    """What one kind of noise does to a model."""

    kind: str
    rate: float
    value: float | None
    """On the goal metric; labels are judged as they truly are."""
    change: float | None
    """The value minus that without noise, in the metric's own units."""
    standard_error: float | None = None
    """Of the change, paired over the splits and corrected for their overlap; None where rows are compared."""
    undefined: str | None = None
    """Why there is no value."""


def robustness(
    resampling: Resampling, corruptions: Sequence[Corruption], clean: Mapping[str, Judged], design: Design
) -> dict[str, tuple[Robustness, ...]]:
    """Fit the models on the damaged data, with the same splits, and compare with what they are worth without damage."""
    found: dict[str, list[Robustness]] = {name: [] for name in clean}
    for corruption in corruptions:
        damaged = corruption.of(resampling.data, resampling.seed)
        records, failures = resampling.fits(f"robustness/{corruption}", data=damaged, only=list(clean))
        unfitted = why_unfitted(failures, resampling.splits)
        values = resampling.judged([name for name in clean if name not in unfitted], records)
        for name, before in clean.items():
            found[name].append(_change(corruption, before, values.get(name), unfitted.get(name), design))
    return {name: tuple(each) for name, each in found.items()}


def _change(
    corruption: Corruption, before: Judged, after: Judged | None, why: str | None, design: Design
) -> Robustness:
    kind, rate = corruption.kind, corruption.rate
    if after is None or after.value is None or before.value is None:
        value = None if after is None else after.value
        return Robustness(kind, rate, value, None, undefined=why or "the metric is undefined")
    paired = design.kind == "splits" and len(before.each) > 1
    error = mean_difference(after.each, before.each, design).standard_error if paired else None
    return Robustness(kind, rate, after.value, after.value - before.value, error)

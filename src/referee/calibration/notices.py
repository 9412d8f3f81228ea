"""What a careful reader would point out about maps and the rows that they were fitted on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.calibration.score_decomposition import CLIP
from referee.errors import Notice
from referee.predictions import facts_of_arrays

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.calibration.map_fits import Fitted
    from referee.predictions import Predictions

FEW_ROWS = 50

"""Of the rarer class: below, a map is mostly noise."""

FEW_FOR_STAIRS = 1000

"""Niculescu-Mizil and Caruana (2005): with fewer rows isotonic regression overfits."""


def notices_of(predictions: Predictions, fitting: Predictions, fitted: Sequence[Fitted]) -> tuple[Notice, ...]:
    """Warnings that belong to a calibration of `predictions` by maps that were fitted on `fitting`."""
    of_maps = (notice for one in fitted for notice in (*_about_map(one), *_about_certainty(predictions, one)))
    return (*predictions.notices, *_about_rows(fitting, fitted), *of_maps)


def _about_rows(predictions: Predictions, fitted: Sequence[Fitted]) -> Iterator[Notice]:
    rows = np.bincount(predictions.truth, minlength=len(predictions.classes))
    rarest = int(rows.argmin())
    if rows[rarest] < FEW_ROWS:
        yield Notice(
            "W_FEWROWS",
            f"class {predictions.classes[rarest]!r} has {rows[rarest]:,} rows to fit on, and a map fitted to fewer "
            f"than {FEW_ROWS} is mostly noise",
        )
    stairs = [one for one in fitted if one.method.name == "isotonic" and one.rows < FEW_FOR_STAIRS]
    for one in stairs:
        yield Notice(
            "W_ISOTONIC",
            f"isotonic regression was fitted to {one.rows:,} rows; with fewer than {FEW_FOR_STAIRS:,} it follows noise",
        )
    if predictions.clusters is not None:
        yield Notice(
            "W_GROUPED",
            "rows come in groups: the comparisons and tests take groups together, but the bands and the expected "
            "calibration error take the rows as independent, and are too narrow",
        )


def _about_certainty(predictions: Predictions, one: Fitted) -> Iterator[Notice]:
    """A map that says 0 or 1 is punished without limit where it is wrong."""
    if impossible := facts_of_arrays(predictions, one.model).impossible:
        yield Notice(
            "W_CLIPPED",
            f"{one.method.name} gives probability 0 to what came true in {impossible:,} rows; log_loss takes "
            f"{CLIP:.3g} instead (clip=0 gives the exact infinity)",
        )


def _about_map(one: Fitted) -> Iterator[Notice]:
    name = one.method.name
    if name == "isotonic" or not one.of_one_event:
        return
    if one.is_constant:
        yield Notice(
            "W_FALLING",
            f"{name}: no map that rises is better than none, so the scores are worthless or reversed, and every row "
            "gets the same probability",
        )
    elif not one.maps[0].strictly_increasing:
        yield Notice(
            "W_FALLING",
            f"{name}: the fitted map falls, which turns the ranking round: higher scores become lower probabilities. "
            "The scores are worthless or reversed; find out which before you use this map",
        )
    elif one.merged:
        yield Notice(
            "W_MERGED",
            f"{name}: {one.merged:,} neighbouring scores become equal in 64 bits, which makes ties",
        )
    elif one.merged is None:
        yield Notice("W_MERGED", f"{name}: rounding to 64 bits swaps neighbouring scores")

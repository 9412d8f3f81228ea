"""How often calibrated forecasts stay inside the bands and limits: running this file writes calibration_bands.md.

Forecasts are drawn, and what happens is drawn from them, so that every forecast is right.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from referee.calibration import Diagnosis, event_of
from referee.calibration.events import first_of_blocks
from referee.calibration.reliability_diagram import consistency_of_isotonic
from referee.predictions import Predictions

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.calibration.events import Event

    Draw = Callable[[np.random.Generator, int], Array]

REPEATS = 500
ROWS = (100, 1000, 10_000)
PLACES = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
"""Of the forecasts, from the lowest to the highest, at which the isotonic band is looked at."""
DRAWS: dict[str, Draw] = {
    "uniform": lambda draw, rows: draw.random(rows),
    "logit-normal": lambda draw, rows: 1 / (1 + np.exp(-1.5 * draw.normal(size=rows))),
    "rare events (8%)": lambda draw, rows: 1 / (1 + np.exp(3 - 1.2 * draw.normal(size=rows))),
    "in tenths": lambda draw, rows: np.round(draw.random(rows), 1),
}


def one_draw(draw: np.random.Generator, forecast: Draw, rows: int) -> list[float]:
    """Whether each part of the diagnosis takes calibrated forecasts for calibrated."""
    said = np.sort(forecast(draw, rows))
    truth = (draw.random(rows) < said).astype(int)
    predictions = Predictions.from_arrays(truth, {"m": said}, classes=[0, 1], positive=1)
    event = event_of(predictions, "m")
    found = Diagnosis(event)
    bins = found.binned
    inside = float((bins.rows * ~bins.outside).sum() / bins.rows.sum())
    tests = (found.spiegelhalter.p, found.recalibration.p)
    return [*at_places(event, said), inside, found.error.as_expected, *(p is None or p >= 0.05 for p in tests)]


def at_places(event: Event, said: Array) -> Array:
    """Whether the isotonic regression is inside its band at some of the forecasts."""
    forecasts = event.forecasts
    first = first_of_blocks(forecasts)
    rows, came_true, _ = forecasts.blocks(first)
    at = said[(np.array(PLACES) * len(said)).astype(int)]
    block = np.searchsorted(forecasts.forecast[first], at, "right") - 1
    observed = (came_true / rows)[block]
    low, high = consistency_of_isotonic(forecasts, at, 0.05)
    return (observed >= low - 1e-12) & (observed <= high + 1e-12)


def shares(name: str, rows: int, repeats: int = REPEATS) -> Array:
    """How often each of them is right, in per cent."""
    draw = np.random.default_rng([rows, list(DRAWS).index(name)])
    return 100 * np.mean([one_draw(draw, DRAWS[name], rows) for _ in range(repeats)], axis=0)


def page() -> str:
    heads = ["forecasts", "rows", *(f"{100 * place:g}%" for place in PLACES), "bins", "ECE", "Spiegelhalter", "slope"]
    lines = [
        "# Bands of calibrated forecasts",
        f"How often, in {REPEATS:,} draws, forecasts that are all right were taken for right at 95%: the isotonic",
        "regression inside its band at several places of the forecasts, from the lowest to the highest; bins of equal",
        "width inside theirs (by rows); the calibration error below its limit; Spiegelhalter's test and that of",
        "intercept and slope not significant. Written by `docs/simulations/calibration_bands.py`.",
        "",
        "| " + " | ".join(heads) + " |",
        "|---|" + "--:|" * (len(heads) - 1),
    ]
    for name in DRAWS:
        for rows in ROWS:
            found = " | ".join(f"{share:.1f}" for share in shares(name, rows))
            lines.append(f"| {name} | {rows:,} | {found} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text(page())

"""How often bands hold the true curve, and intervals of thresholds the best one: writes band_coverage.md beside it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

from referee.predictions import Predictions
from referee.thresholds import Objective, banded, threshold
from referee.thresholds.curve_points import curve
from referee.thresholds.objective import RowsAbove

if TYPE_CHECKING:
    from referee.thresholds import Curve

SHIFT = 1.5
DESIGNS = [(200, 0.4), (1000, 0.4), (1000, 0.1)]
PLACES = np.array([0.05, 0.1, 0.3, 0.5, 0.7, 0.95])
FINE = np.linspace(0.01, 0.99, 99)
OBJECTIVES = {
    "Youden": Objective.of("youden"),
    "F1": Objective.of("f_beta"),
    "cost of a miss 5": Objective.of("expected_cost(fn=5)"),
    "recall, precision >= 0.7": Objective.of("recall", at_least={"precision": 0.7}),
    "recall, 100 per thousand": Objective.of("recall", capacity=100),
}


def draw(rows: int, share: float, seed: int) -> Predictions:
    """Normal scores, those of the positives 1.5 higher (AUC 0.86)."""
    random = np.random.default_rng(seed)
    truth = (random.random(rows) < share).astype(int)
    return Predictions.from_arrays(truth, {"m": SHIFT * truth + random.normal(size=rows)})


def true_height(kind: str, x: np.ndarray, share: float) -> np.ndarray:
    if kind == "roc":
        return ndtr(SHIFT + ndtri(x))
    alarms = ndtr(-(SHIFT - ndtri(x)))  # the false positive rate where recall is x
    return share * x / (share * x + (1 - share) * alarms)


def holds(found: Curve, x: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Whether the band holds the height; where points stand above each other it reaches over all of them."""
    low = np.minimum(np.interp(x, found.x, found.low), np.interp(-x, -found.x[::-1], found.low[::-1]))
    high = np.maximum(np.interp(x, found.x, found.high), np.interp(-x, -found.x[::-1], found.high[::-1]))
    return (low <= height) & (height <= high)


def true_thresholds(share: float) -> dict[str, float]:
    at = np.linspace(-3, 5, 100_001)
    rows = RowsAbove(share * ndtr(SHIFT - at) * 1e9, (1 - share) * ndtr(-at) * 1e9, share * 1e9, (1 - share) * 1e9)
    return {name: float(at[np.argmax(one.worth(rows))]) for name, one in OBJECTIVES.items()}


def simulate(rows: int, share: float, repeats: int) -> tuple[dict[str, list[float]], dict[str, float]]:
    bands: dict[str, list[np.ndarray]] = {"roc": [], "precision_recall": []}
    best, truth = dict.fromkeys(OBJECTIVES, 0), true_thresholds(share)
    for seed in range(repeats):
        predictions = draw(rows, share, seed)
        for kind, each in bands.items():
            plain = curve(predictions, kind)
            point, whole = (banded(plain, predictions, one) for one in ("pointwise", "simultaneous"))
            fine = holds(whole, FINE, true_height(kind, FINE, share))
            middle = fine[(FINE >= 0.1) & (FINE <= 0.9)]
            each.append(np.array([*holds(point, PLACES, true_height(kind, PLACES, share)), fine.all(), middle.all()]))
        for name, objective in OBJECTIVES.items():
            found = threshold(predictions, objective, folds=0)["m"]
            best[name] += found.low <= truth[name] <= found.high
    shares = {kind: np.mean(each, axis=0).tolist() for kind, each in bands.items()}
    return shares, {name: count / repeats for name, count in best.items()}


def page(repeats: int) -> str:
    heads = [*(f"{x:g}" for x in PLACES), "whole curve", "0.1 to 0.9"]
    lines = [
        "# Coverage of bands and of intervals of thresholds",
        f"Share of {repeats} simulated data sets, written by `python docs/simulations/band_coverage.py {repeats}`; "
        f"{repeats} tell a share of 95% to within {1.96 * (0.95 * 0.05 / repeats) ** 0.5:.1%}.",
        "Scores are normal, those of the positives 1.5 higher (AUC 0.86). 95% is right.",
        "",
        "Pointwise bands at some places of the horizontal axis; simultaneous bands of the whole curve (0.01 to 0.99), "
        "and of its middle:",
        "",
        "| curve | rows | positive | " + " | ".join(heads) + " |",
        "|---|--:|--:|" + "--:|" * len(heads),
    ]
    intervals = ["| rows | positive | " + " | ".join(OBJECTIVES) + " |", "|--:|--:|" + "--:|" * len(OBJECTIVES)]
    for rows, share in DESIGNS:
        bands, thresholds = simulate(rows, share, repeats)
        for kind, each in bands.items():
            lines.append(f"| {kind} | {rows:,} | {share:.0%} | " + " | ".join(f"{one:.1%}" for one in each) + " |")
        intervals.append(
            f"| {rows:,} | {share:.0%} | " + " | ".join(f"{one:.1%}" for one in thresholds.values()) + " |"
        )
    lines += ["", "Intervals of the best threshold:", "", *intervals]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text(page(int(sys.argv[1]) if len(sys.argv) > 1 else 500), encoding="utf-8")

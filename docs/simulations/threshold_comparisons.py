"""How often equal models are told apart, each at its own threshold: writes threshold_comparisons.md beside it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from referee.predictions import Predictions
from referee.thresholds import cheaper_regions, threshold

GOALS = ["youden", "f_beta", "expected_cost(fp=1, fn=5)"]
CASES = [(400, 0.4, 0.0), (400, 0.05, 0.0), (1000, 0.4, 0.0), (400, 0.4, 0.5)]
"""Rows, share of positives, and by how much the first model is better."""


def draw(rows: int, share: float, random: np.random.Generator, better: float = 0.0) -> Predictions:
    """Scores of two models with the same distribution (AUC 0.86) that correlate by a half; or one that is better."""
    truth = (random.random(rows) < share).astype(int)
    both, *own = random.normal(size=(3, rows))
    a, b = ((1.5 + more) * truth + (both + one) / 2**0.5 for one, more in zip(own, (better, 0.0), strict=True))
    return Predictions.from_arrays(truth, {"a": a, "b": b})


def claims(rows: int, share: float, better: float, repeats: int) -> list[float]:
    """The share of data sets in which a difference is significant: for each goal, and anywhere in the regions."""
    random = np.random.default_rng(rows)
    found = []
    for _ in range(repeats):
        predictions = draw(rows, share, random, better)
        outcomes = [threshold(predictions, goal).comparisons[0].outcome for goal in GOALS]
        found.append([*(one in ("a", "b") for one in outcomes), set(cheaper_regions(predictions).outcome) != {"tie"}])
    return np.mean(found, axis=0).tolist()


def page(repeats: int) -> str:
    lines = [
        "# Claims about two models, each at its own threshold",
        f"Share of {repeats} simulated data sets with a significant difference at alpha = 0.05, written by "
        f"`python docs/simulations/threshold_comparisons.py {repeats}`; {repeats} tell a share of 5% to within "
        f"{1.96 * (0.05 * 0.95 / repeats) ** 0.5:.1%}.",
        "Normal scores of two models that correlate by a half, AUC 0.86. Where both are the same, 5% or less is "
        "right; where a has AUC 0.92, the more the better.",
        "",
        "| rows | positive | models | " + " | ".join(GOALS) + " | anywhere in the regions |",
        "|--:|--:|---|" + "--:|" * (len(GOALS) + 1),
    ]
    for rows, share, better in CASES:
        shares = claims(rows, share, better, repeats)
        name = "a is better" if better else "the same"
        lines.append(f"| {rows:,} | {share:.0%} | {name} | " + " | ".join(f"{one:.0%}" for one in shares) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text(page(int(sys.argv[1]) if len(sys.argv) > 1 else 50), encoding="utf-8")

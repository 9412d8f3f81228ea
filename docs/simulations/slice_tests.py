"""How often slices that are like all other rows are said to differ: writes slice_tests.md beside it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from referee.comparing import compare
from referee.predictions import Predictions

CASES = [
    ("accuracy", (12, 30, 100), 0.5, None),
    ("accuracy", (30, 970), 0.5, None),
    ("accuracy", (200, 200, 200), 0.5, None),
    ("roc_auc", (40, 40, 400), 0.5, None),
    ("roc_auc", (200, 200, 1600), 0.12, None),
    ("average_precision", (200, 200, 1600), 0.12, None),
    ("f_beta", (40, 100, 300), 0.5, None),
    ("brier", (40, 100, 300), 0.5, None),
    ("log_loss", (40, 100, 300), 0.5, None),
    ("mae", (100, 100, 300), None, None),
    ("rmse", (100, 100, 300), None, None),
    ("accuracy", (200, 200, 200), 0.5, 40),
    ("accuracy", (30, 100, 300), 0.5, 40),
]
"""Goal, rows of each slice, share of positives (None: numbers), and the number of groups that the rows come in."""
SHARED = 0.7
"""How much of a row's noise all models share."""


def draw(
    sizes: tuple[int, ...], positive: float | None, groups: int | None, random: np.random.Generator
) -> Predictions:
    """Five equal models; what makes a row easy is common to its group. Errors of numbers have heavy tails."""
    rows, places = sum(sizes), np.repeat(np.arange(len(sizes)), sizes)
    group = np.arange(rows) % groups if groups else None
    shared = random.normal(size=rows) if group is None else random.normal(size=groups)[group]
    by = {"by": {"place": random.permutation(places)}} | ({} if group is None else {"group": group})
    if positive is None:
        truth, errors = random.normal(size=rows), random.standard_t(4, size=(6, rows))
        columns = [truth + SHARED * errors[0] + (1 - SHARED**2) ** 0.5 * one for one in errors[1:]]
        return Predictions.from_arrays(truth, dict(zip("abcde", columns, strict=True)), **by)
    noise = SHARED * shared + (1 - SHARED**2) ** 0.5 * random.normal(size=(5, rows))
    side = np.where(random.random(rows) < positive, 1, -1)
    scores = 1 / (1 + np.exp(-2 * side * (1 + noise)))
    return Predictions.from_arrays((side > 0).astype(int), dict(zip("abcde", scores, strict=True)), **by)


def claims(goal: str, sizes: tuple[int, ...], positive: float | None, groups: int | None, repeats: int) -> list[float]:
    """The share of data sets in which any slice is said to differ, or the best model to be beaten in any."""
    random = np.random.default_rng(sum(sizes))
    found = []
    for _ in range(repeats):
        tested = compare(draw(sizes, positive, groups, random), goal, metrics=[goal], by="place").slices
        significant = [one for one in tested.tests if tested.is_significant(one)]
        found.append([any((one.against is None) == apart for one in significant) for apart in (True, False)])
    return np.mean(found, axis=0).tolist()


def page(repeats: int) -> str:
    lines = [
        "# Claims about slices",
        f"Share of {repeats:,} simulated data sets with a significant difference anywhere at alpha = 0.05, written by "
        f"`python docs/simulations/slice_tests.py {repeats}`; so many tell a share of 5% to within "
        f"{1.96 * (0.05 * 0.95 / repeats) ** 0.5:.1%}.",
        "Five models and two or three slices that are all alike, so 5% or less is right. The models share half of "
        "each row's noise, and where there are groups, these share it too; errors of numbers are Student's t "
        "with 4 degrees of freedom.",
        "",
        "| goal | rows of the slices | positive | groups | a slice differs | the best model is beaten in one |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for goal, sizes, positive, groups in CASES:
        shares = " | ".join(f"{one:.1%}" for one in claims(goal, sizes, positive, groups, repeats))
        share = "–" if positive is None else f"{positive:.0%}"
        lines.append(f"| {goal} | {', '.join(map(str, sizes))} | {share} | {groups or '–'} | {shares} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = page(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
    Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")

"""Tiers and ranks of equal, spread and tied models: how often any order is false, and how wide ranks are.

Writes tiers.md beside it: `python docs/simulations/tiers.py [data sets a cell]`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from referee import Predictions, compare, metrics
from referee.comparing import contest_of
from referee.comparing.all_pairs import all_pairs
from referee.comparing.leaderboard import leaderboard_of
from referee.predictions import predictions_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array

CHECKED = 50
"""Data sets of each cell that also go through `compare`."""


def levels(kind: str, models: int) -> Array:
    """The true values, best first."""
    if kind == "equal":
        return np.full(models, 0.5)
    if kind == "spread":
        return np.linspace(0.65, 0.35, models)
    return np.repeat([0.6, 0.55, 0.5, 0.4], -(-models // 4))[:models]


def answers(true: Array, rows: int, draw: np.random.Generator) -> Predictions:
    """Right or wrong answers to items that are as hard for all models."""
    hard = 1.5 * draw.standard_normal(rows)
    ease = stats.norm.ppf(true) * np.sqrt(1 + 1.5**2)
    right = ease - hard[:, None] + draw.standard_normal((rows, len(true))) > 0
    return scores(right.astype(float))


def relatives(true: Array, rows: int, draw: np.random.Generator) -> Predictions:
    """Answers of models of one family, which differ on few items."""
    common = draw.standard_normal(rows)[:, None]
    own = draw.standard_normal((rows, len(true)))
    return scores((stats.norm.ppf(true) - np.sqrt(0.95) * common + np.sqrt(0.05) * own > 0).astype(float))


def skewed(true: Array, rows: int, draw: np.random.Generator) -> Predictions:
    """Scores with a long tail, such as times, around the same items."""
    common = draw.standard_normal(rows)[:, None]
    own = draw.standard_normal((rows, len(true)))
    return scores(np.exp(0.7 * common + 0.7 * own) * true)


def scores(table: Array) -> Predictions:
    columns = {f"m{place:03d}": column for place, column in enumerate(table.T)}
    return predictions_of("compare", (columns,), {"task": "scores"})


def ranked(true: Array, rows: int, draw: np.random.Generator) -> Predictions:
    """Scores of two classes that each model sees with noise of its own; a fifth is positive."""
    truth = np.arange(rows) % 5 == 0
    seen = truth[:, None] + 0.5 * draw.standard_normal(rows)[:, None]
    noise = draw.standard_normal((rows, len(true))) / (0.5 + true)
    columns = {f"m{place:03d}": column for place, column in enumerate((seen + noise).T)}
    return Predictions.from_arrays(truth.astype(int), columns, positive=1)


class Cell(NamedTuple):
    models: int
    rows: int
    kind: str
    made: Callable[[Array, int, np.random.Generator], Predictions] = answers
    goal: str = "mean"


CELLS = [
    *(Cell(20, 500, kind) for kind in ("equal", "spread", "blocks")),
    Cell(20, 100, "equal"),
    Cell(20, 500, "equal", relatives),
    Cell(20, 500, "blocks", relatives),
    Cell(10, 300, "equal", skewed),
    Cell(10, 400, "equal", ranked, "roc_auc"),
    Cell(10, 400, "blocks", ranked, "roc_auc"),
    Cell(50, 500, "equal"),
    Cell(50, 1000, "blocks"),
    Cell(134, 500, "equal"),
]


def one_set(cell: Cell, seed: int) -> list[float]:
    true = levels(cell.kind, cell.models)
    predictions = cell.made(true, cell.rows, np.random.default_rng([cell.models, cell.rows, seed]))
    contest = contest_of(predictions, metrics[cell.goal])
    pairs = all_pairs(contest, {})
    assert pairs is not None
    beats, _ = pairs.step_down()
    board = leaderboard_of(pairs.names, beats, "draws")
    tie = set(pairs.confidence_set(contest.order)[0])
    if seed < CHECKED:
        verdict = compare(predictions, cell.goal, metrics="goal")
        assert verdict.ranks == dict(board.ranks)
        assert [*map(set, verdict.tiers)] == [*map(set, board.tiers)]
    names = sorted(board.ranks)
    low, high = (np.array([board.ranks[name][end] for name in names]) for end in (0, 1))
    best_true, worst_true = 1 + (true[:, None] < true).sum(axis=1), len(true) - (true[:, None] > true).sum(axis=1)
    false = (beats & (true[:, None] <= true)).any()
    all_best = {name for name, value in zip(names, true, strict=True) if value == true.max()}
    covered = ((low <= best_true) & (high >= worst_true)).all()
    return [not false, covered, all_best <= tie, len(board.tiers), float((high - low + 1).mean())]


def row(cell: Cell, repeats: int) -> str:
    shares = np.mean([one_set(cell, seed) for seed in range(repeats)], axis=0)
    what = f"| {cell.models} | {cell.rows:,} | {cell.kind} | {cell.made.__name__} | {cell.goal} | "
    line = what + " | ".join([*(f"{100 * share:.1f}" for share in shares[:3]), *(f"{mean:.1f}" for mean in shares[3:])])
    return f"{line} |"


TEXT = """# Tiers and ranks: how often any order is false
Made by `python docs/simulations/tiers.py {repeats}`: {repeats} data sets a cell, alpha 0.05 (two standard errors at a
true 95%: {error:.1f}); {checked} sets of each cell also went through `compare`, with the same tiers and ranks. Models
are equal, spread evenly, or in four blocks of equal ones. `answers` are right or wrong on items that are as hard for
all, `relatives` differ on few items, `skewed` scores have a long tail, `ranked` are scores of two classes. Shares in %:
no pair in a false order; every true rank within its interval; all models that are truly best in the tie set.

| models | rows | true values | data | goal | no false order | all ranks covered | all best kept | tiers | mean width |
|--:|--:|---|---|---|--:|--:|--:|--:|--:|
"""


def main(repeats: int) -> None:
    error = 200 * (0.05 * 0.95 / repeats) ** 0.5
    head = TEXT.format(repeats=repeats, error=error, checked=min(CHECKED, repeats))
    for cell in CELLS:  # written after each, as it takes long
        head += f"{row(cell, repeats)}\n"
        Path(__file__).with_suffix(".md").write_text(head, encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)

"""False winners where one of three models calls so few rows that it can hardly be judged.

Writes models_left_open.md beside it: `python docs/simulations/models_left_open.py [data sets a cell]`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from referee import Predictions, compare, metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROWS, MODELS = 1000, ("a", "b", "few")
EQUAL = 1e-3
"""Models whose true values are this near are equally good."""


class Rates(NamedTuple):
    """Recall and false positive rate."""

    recall: float
    alarms: float


class Cell(NamedTuple):
    goal: str
    positives: int
    models: tuple[Rates, Rates, Rates]


SAME, HALF = Rates(0.6, 0.0444), Rates(0.5, 0.0556)
CELLS = {
    "precision, all equal": Cell("precision", 100, (SAME, SAME, Rates(0.03, 0.00222))),
    "precision, few is the best": Cell("precision", 100, (SAME, SAME, Rates(0.05, 0.000617))),
    "precision, few is the best and b worse": Cell("precision", 100, (SAME, Rates(0.6, 0.1), Rates(0.06, 0.00286))),
    "f1, few is slightly the best": Cell("f1", 20, (Rates(0.4, 0.01225), Rates(0.4, 0.01225), Rates(0.2713, 0.000153))),
    "f1, few is far worse": Cell("f1", 100, (HALF, HALF, Rates(0.053, 0.000782))),
    "mcc, few is worse": Cell("mcc", 100, (HALF, HALF, Rates(0.05, 0.001))),
}


def true_value(cell: Cell, rates: Rates) -> float:
    hits, alarms = rates.recall * cell.positives, rates.alarms * (ROWS - cell.positives)
    table = [[ROWS - cell.positives - alarms, alarms], [cell.positives - hits, hits]]
    return metrics[cell.goal].of_counts(table, positive=1)


def drawn(cell: Cell, random: np.random.Generator) -> Predictions:
    """Decisions of models that are independent of each other, given the class."""
    truth = np.arange(ROWS) < cell.positives
    calls = {
        name: (random.random(ROWS) < np.where(truth, *rates)).astype(int)
        for name, rates in zip(MODELS, cell.models, strict=True)
    }
    return Predictions.from_arrays(truth.astype(int), calls)


def is_false(winners: Sequence[str], true: Mapping[str, float]) -> bool:
    """Whether one model is named that is not truly better than every other."""
    others = [value for name, value in true.items() if name not in winners]
    return len(winners) == 1 and true[winners[0]] <= max(others) + EQUAL


def row(name: str, cell: Cell, repeats: int) -> str:
    true = {name: true_value(cell, rates) for name, rates in zip(MODELS, cell.models, strict=True)}
    counted = np.zeros(5)
    for seed in range(repeats):
        verdict = compare(drawn(cell, np.random.default_rng(seed)), cell.goal, metrics=[cell.goal])
        left = {name: value for name, value in true.items() if name not in verdict.left_open}
        _, others = verdict.without_left_open or ("", ())
        counted += [
            verdict.outcome == "winner", is_false(verdict.winners, true), bool(verdict.surely_worse),
            bool(verdict.left_open), is_false(others, left),
        ]  # fmt: skip
    values = ", ".join(f"{value:.2f}" for value in true.values())
    return f"| {name} | {values} | " + " | ".join(f"{100 * share:.1f}" for share in counted / repeats) + " |"


TEXT = """# False winners where one of three models can hardly be judged
Made by `python docs/simulations/models_left_open.py {repeats}`: {repeats} data sets a case of {rows:,} rows, alpha
0.05. The model `few` calls so few rows that its comparisons are often undecided. Where exact bounds show that it is
worse than the best, the verdict is about the other two; else it is left open, and the verdict says what holds without
it. Shares are of all data sets, in %; a winner is false if another model (of those that are not left open) is as good.

| case | true values of a, b, few | winner | false winner | few surely worse | few left open | false winner without it |
|---|---|--:|--:|--:|--:|--:|
{table}
"""


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    lines = []
    for name, cell in CELLS.items():
        lines.append(row(name, cell, repeats))
        print(lines[-1], flush=True)  # noqa: T201
    Path(__file__).with_suffix(".md").write_text(TEXT.format(repeats=repeats, rows=ROWS, table="\n".join(lines)))


if __name__ == "__main__":
    main()

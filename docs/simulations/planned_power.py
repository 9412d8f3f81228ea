"""Whether planned rows have the planned power: writes planned_power.md beside it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from referee import metrics, plan
from referee.comparing import contest_of, tests
from referee.predictions import Model, Predictions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

GOALS = ("accuracy", "roc_auc", "log_loss", "f1")
AHEAD = (0.4, 0.8)
"""How much more the better model sees of the signal: a small and a larger lead."""
POPULATION, LARGE, SMALL = 2_000_000, 20_000, 200
POWER = 0.8


def draw(ahead: float, rows: int, random: Generator) -> Predictions:
    """Two models with a common and an own error each, 30% positives."""
    truth = (random.random(rows) < 0.3).astype(int)
    shared, own = random.normal(0, 0.8, rows), random.normal(0, 0.7, (2, rows))
    logits = np.stack([(1.6 + lead) * (truth - 0.5) + shared - 0.6 for lead in (ahead, 0.0)]) + own
    scores = 1 / (1 + np.exp(-logits))
    models = tuple(Model(name, scores=column) for name, column in zip("ab", scores, strict=True))
    return Predictions("binary", truth, models, ("no", "yes"), 1)


class Cell(NamedTuple):
    """One goal and lead: what was planned, and what came of it."""

    goal: str
    difference: float
    rows: int
    achieved: float
    by_pilots: float
    covered: float


def values(goal: str, predictions: Predictions) -> list[float]:
    contest = contest_of(predictions, metrics[goal])
    return [contest.values[name] for name in "ab"]


def finds(goal: str, predictions: Predictions) -> bool:
    """Whether the better model is named by the test that `compare` uses."""
    return contest_of(predictions, metrics[goal]).compare(tests["influence"], "a", "b").winner == "a"


def cell(goal: str, ahead: float, sets: int) -> Cell:
    random = np.random.default_rng([20261117, GOALS.index(goal), AHEAD.index(ahead)])
    better, worse = values(goal, draw(ahead, POPULATION, random))
    difference = abs(better - worse)
    planned = plan(draw(ahead, LARGE, random), goal=goal, margin=difference, power=POWER)
    rows = planned.rows or 0
    achieved = np.mean([finds(goal, draw(ahead, rows, random)) for _ in range(sets)])
    pilots = [plan(draw(ahead, SMALL, random), goal=goal, margin=difference, power=POWER) for _ in range(sets)]
    by_pilots = np.mean([finds(goal, draw(ahead, pilot.rows or 0, random)) for pilot in pilots])
    covered = np.mean([(pilot.low or 0) <= rows <= (pilot.high or np.inf) for pilot in pilots])
    return Cell(goal, difference, rows, float(achieved), float(by_pilots), float(covered))


def passes(goal: str, sets: int) -> tuple[float, int, float]:
    """Equal models, a margin, the rows that let one pass, and how often it does."""
    random = np.random.default_rng([20261117, 7, GOALS.index(goal)])
    margin = {"log_loss": 0.03}.get(goal, 0.02)
    rows = plan(draw(0.0, LARGE, random), goal=goal, margin=margin, claim="not_worse", power=POWER).rows or 0
    sign = 1 if metrics[goal].better == "higher" else -1
    passed = 0
    for _ in range(sets):
        contest = contest_of(draw(0.0, rows, random), metrics[goal], alpha=0.1)
        pair = contest.compare(tests["influence"], "a", "b")
        worse_end = pair.low if sign == 1 else -(pair.high or 0.0)
        passed += (worse_end if worse_end is not None else -np.inf) > -margin
    return margin, rows, passed / sets


def lines(sets: int) -> Iterator[str]:
    error = 100 * (POWER * (1 - POWER) / sets) ** 0.5
    yield "# Planned and achieved power"
    yield (
        f"Two models with a known true difference on a population of {POPULATION:,} rows with 30% positives; {sets:,} "
        f"simulated test sets a cell, written by `python docs/simulations/planned_power.py {sets}`. So many tell a "
        f"power of 80% to within {2 * error:.1f} points. A set counts where the influence test at alpha 0.05 names "
        "the better model."
    )
    yield ""
    yield "## To name the winner"
    yield (
        f"*Rows* are planned for 80% power from a large pilot of {LARGE:,} rows, and *achieved* is the power of test "
        f"sets with so many. *Small pilots*: each test set is planned by its own pilot of {SMALL} rows, so that some "
        "are too small and others too large. *Covered*: how often the 95% interval of the small pilot's plan holds the "
        "rows that the large pilot plans."
    )
    yield ""
    yield "| goal | true difference | rows | achieved | small pilots | covered |"
    yield "|---|--:|--:|--:|--:|--:|"
    for goal in GOALS:
        for ahead in AHEAD:
            made = cell(goal, ahead, sets)
            shares = [f"{100 * share:.1f}%" for share in (made.achieved, made.by_pilots, made.covered)]
            yield f"| {goal} | {made.difference:.4f} | {made.rows:,} | {' | '.join(shares)} |"
    yield ""
    yield "## To pass the gate"
    yield "Two equally good models; `--for not_worse`, 80% power, a one-sided test at alpha 0.05."
    yield ""
    yield "| goal | margin | rows | passed |"
    yield "|---|--:|--:|--:|"
    for goal in GOALS:
        margin, rows, passed = passes(goal, sets)
        yield f"| {goal} | {margin:g} | {rows:,} | {100 * passed:.1f}% |"


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    Path(__file__).with_suffix(".md").write_text("\n".join(lines(wanted)) + "\n")

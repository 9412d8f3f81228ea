"""How often one of two equal models wins where each was run with several seeds: writes seed_tests.md beside it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from referee import metrics
from referee.comparing import contest_of, tests
from referee.comparing.decision import decide
from referee.predictions import Model, Predictions
from referee.predictions.scored_rows import ScoredRows
from referee.predictions.seeds import Seeds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

ITEMS, SEEDS, SHARES = (50, 300), (3, 5, 10), (0.0, 0.3, 0.7)
KINDS = ("graded scores", "right or wrong")
INTERACTION = 1.0
"""Variance of what an item and a seed have together, in that of what an item alone has."""


def spread_of_seeds(seeds: int, share: float, rest: float) -> float:
    """The standard deviation of a seed's effect that gives seeds such a share of the variance of the mean."""
    return (seeds * rest * share / (1 - share)) ** 0.5


def draw(kind: str, items: int, seeds: int, share: float, random: Generator) -> Predictions:
    """Two equal models: each item and each seed moves each model, and so does each item with each seed."""
    of_item, of_both = random.normal(0, 1, (2, items, 1)), random.normal(0, INTERACTION**0.5, (2, items, seeds))
    if kind == "graded scores":
        rest = 1 / items + INTERACTION / (items * seeds)
        of_seed = random.normal(0, spread_of_seeds(seeds, share, rest), (2, 1, seeds))
        scores = of_item + of_seed + of_both
    else:
        # The logistic of a standard normal number has variance 0.0433, and p (1 - p), also its slope, is 0.2067.
        rest = (0.0433 / items + 0.2067 / (items * seeds)) / 0.2067**2
        of_seed = random.normal(0, spread_of_seeds(seeds, share, rest), (2, 1, seeds))
        scores = (random.random((2, items, seeds)) < 1 / (1 + np.exp(-(of_item + of_seed)))).astype(float)
    both = dict(zip("ab", scores, strict=True))
    models = tuple(Model(name, values=each.mean(axis=1)) for name, each in both.items())
    scored = ScoredRows(seeds=Seeds(tuple(map(str, range(seeds))), both))
    return Predictions("scores", np.zeros(items), models, scored=scored)


def cell(kind: str, items: int, seeds: int, share: float, sets: int) -> tuple[float, float, bool, float]:
    """False winners with seeds and without, whether the verdict calls itself approximate, and the share found."""
    place = [KINDS.index(kind), items, seeds, int(10 * share)]
    random = np.random.default_rng([20261117, *place])
    winners, of_items, approximate, shares = 0, 0, False, 0.0
    for _ in range(sets):
        predictions = draw(kind, items, seeds, share, random)
        contest = contest_of(predictions, metrics["mean"])
        pair = contest.compare(tests["influence"], "a", "b")
        decision = decide(contest, {frozenset("ab"): pair}, None)
        winners += decision.outcome == "winner"
        approximate |= decision.approximate is not None
        shares += pair.details["seeds"]["share"]
        alone = Predictions("scores", predictions.truth, predictions.models, scored=ScoredRows())
        of_items += contest_of(alone, metrics["mean"]).compare(tests["influence"], "a", "b").winner is not None
    return 100 * winners / sets, 100 * of_items / sets, approximate, 100 * shares / sets


def lines(sets: int) -> Iterator[str]:
    yield "# False winners where models were run with several seeds"
    yield (
        f"Two equally good models, {sets:,} simulated tables a cell, written by `python docs/simulations/seed_tests.py "
        f"{sets}`; so many tell a share of 5% to within 1.4 points. *Seeds' share* is the part of the difference's "
        "variance that the seeds make, as simulated. A cell has the false winners in % (~: the verdict calls itself "
        "approximate), and in brackets what a test of the items' means alone would name. 5% or less is right, and up "
        "to 7% is promised without a reservation."
    )
    for kind in KINDS:
        yield ""
        yield f"## {kind.capitalize()}"
        yield f"| items | seeds' share | {' | '.join(f'{seeds} seeds' for seeds in SEEDS)} |"
        yield f"|--:|--:|{'--:|' * len(SEEDS)}"
        for items in ITEMS:
            for share in SHARES:
                made = [cell(kind, items, seeds, share, sets) for seeds in SEEDS]
                cells = [f"{'~' if rough else ''}{both:.1f} ({alone:.1f})" for both, alone, rough, _ in made]
                yield f"| {items} | {100 * share:.0f}% | {' | '.join(cells)} |"


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    Path(__file__).with_suffix(".md").write_text("\n".join(lines(wanted)) + "\n")

"""False passes of a gate that is looked at again and again, and its power.

Writes looks.md beside it: `python docs/simulations/looks.py [data sets a cell]`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from referee import gate
from referee.comparing.boundaries import LookPlan, bets, sequence_reach

if TYPE_CHECKING:
    from referee.arrays import Array

ALPHA, UNTIL = 0.05, 2000
CHECKED = 5
"""Data sets of each cell of five looks that also go through `gate`, look by look."""


def answers(draw: np.random.Generator, worse: float) -> tuple[Array, Array, Array]:
    """Right or wrong on a tenth of the rows only one of two models; the candidate is worse by so much."""
    truth = draw.integers(0, 2, UNTIL)
    kind, apart = draw.random(UNTIL), (0.1 - worse) / 2
    old = np.where(kind < apart, 1 - truth, truth)
    new = np.where((kind >= apart) & (kind < 0.1), 1 - truth, truth)
    return truth, old, new


def probabilities(draw: np.random.Generator, worse: float) -> tuple[Array, Array, Array]:
    """Probabilities with noise of their own; the candidate's are drawn so far to a half that it loses so much Brier."""
    signal = draw.standard_normal(UNTIL)
    truth = (draw.random(UNTIL) < 1 / (1 + np.exp(-2 * signal))).astype(int)
    old, new = (1 / (1 + np.exp(-2 * signal - draw.standard_normal(UNTIL))) for _ in range(2))
    return truth, old, 0.5 + (new - 0.5) * (1 - SHRUNK[worse])


def ranked(draw: np.random.Generator, worse: float) -> tuple[Array, Array, Array]:
    """Scores of two classes, a fifth positive; the candidate has so much more noise."""
    truth = (draw.random(UNTIL) < 0.2).astype(int)
    seen = 1.5 * truth + 0.7 * draw.standard_normal(UNTIL)
    return truth, seen + draw.standard_normal(UNTIL), seen + (1 + NOISIER[worse]) * draw.standard_normal(UNTIL)


def _shrunk(wanted: float) -> float:
    """How far probabilities are drawn to a half, so that the Brier score is worse by the margin in a million rows."""
    draw = np.random.default_rng(99)
    signal = draw.standard_normal(10**6)
    truth = draw.random(10**6) < 1 / (1 + np.exp(-2 * signal))
    given = 1 / (1 + np.exp(-2 * signal - draw.standard_normal(10**6)))
    low, high = 0.0, 1.0
    base = ((given - truth) ** 2).mean()
    for _ in range(30):
        middle = (low + high) / 2
        lost = ((0.5 + (given - 0.5) * (1 - middle) - truth) ** 2).mean() - base
        low, high = (middle, high) if lost < wanted else (low, middle)
    return low


def _noisier(wanted: float) -> float:
    """Of two normal classes AUC is known: how much more noise loses the margin."""
    own = stats.norm.cdf(1.5 / np.sqrt(2 * (0.49 + 1)))
    lower = stats.norm.ppf(own - wanted)
    return float(np.sqrt((1.5 / lower) ** 2 / 2 - 0.49) - 1)


MARGINS = {"accuracy": 0.02, "brier": 0.01, "roc_auc": 0.02}
SHRUNK = {0.0: 0.0, 0.01: _shrunk(0.01)}
NOISIER = {0.0: 0.0, 0.02: _noisier(0.02)}
DRAWS = {"accuracy": answers, "brier": probabilities, "roc_auc": ranked}


class Cell(NamedTuple):
    goal: str
    looks: int
    even: bool = True


CELLS = [
    *(Cell("accuracy", looks) for looks in (1, 5, 20, 100)),
    *(Cell("brier", looks) for looks in (5, 20, 100)),
    *(Cell("roc_auc", looks) for looks in (5, 20)),
    Cell("accuracy", 20, even=False), Cell("brier", 20, even=False),
]  # fmt: skip


def rows_of(cell: Cell, draw: np.random.Generator) -> Array:
    """Where it is looked at: evenly, or at random numbers of rows, and at the end."""
    if cell.even:
        return np.linspace(UNTIL / cell.looks, UNTIL, cell.looks).astype(int)
    return np.append(np.sort(draw.choice(np.arange(60, UNTIL - 1), cell.looks - 1, replace=False)), UNTIL)


def leads(goal: str, truth: Array, old: Array, new: Array, rows: Array) -> tuple[Array, Array, Array | None]:
    """The candidate's lead, its standard error and the leads of single rows, at each look."""
    if goal == "roc_auc":
        return (*np.array([_auc_lead(truth[:n], old[:n], new[:n]) for n in rows]).T, None)
    each = (new == truth) * 1.0 - (old == truth) if goal == "accuracy" else (old - truth) ** 2 - (new - truth) ** 2
    sums, squares = each.cumsum()[rows - 1], (each**2).cumsum()[rows - 1]
    mean = sums / rows
    return mean, np.sqrt((squares - rows * mean**2) / (rows * (rows - 1))), each


def _auc_lead(truth: Array, old: Array, new: Array) -> tuple[float, float]:
    """DeLong's: placements of each row among the other class."""
    positive = truth == 1
    values, placed = [], []
    for score in (new, old):
        ranks = stats.rankdata(score)
        own = [stats.rankdata(score[positive]), stats.rankdata(score[~positive])]
        above = (ranks[positive] - own[0]) / (~positive).sum()
        below = 1 - (ranks[~positive] - own[1]) / positive.sum()
        values.append(above.mean())
        placed.append((above, below))
    apart = [a - b for a, b in zip(*placed, strict=True)]
    return values[0] - values[1], np.sqrt(sum(one.var(ddof=1) / len(one) for one in apart))


def first(passed: Array) -> bool:
    return bool(np.asarray(passed).any())


def one_set(cell: Cell, seed: int, worse: float, planned: Array | None) -> list[bool]:
    draw = np.random.default_rng([cell.looks, seed, cell.even])
    rows = rows_of(cell, draw)
    truth, old, new = DRAWS[cell.goal](draw, worse)
    margin = MARGINS[cell.goal]
    mean, error, each = leads(cell.goal, truth, old, new, rows)
    z = np.where(error > 0, (mean + margin) / np.where(error > 0, error, 1), np.sqrt(rows))
    bounds = np.array(LookPlan(cell.looks, UNTIL, ALPHA).boundaries(rows.tolist())) if planned is None else planned
    reach = np.array([sequence_reach(n, ALPHA, UNTIL / 2) for n in rows])
    asymptotic = (mean + margin > reach * error) & (rows >= 100)
    if cell.goal == "roc_auc":
        asymptotic &= np.array([truth[:n].sum() >= 20 for n in rows])
    found = [first(z > stats.norm.isf(ALPHA)), first(z > bounds), first(asymptotic)]
    if each is not None:
        wealth = [np.log1p(bet * (each + margin)).cumsum()[rows - 1] for bet in bets(1 / (1 - margin))]
        found.append(first(np.logaddexp.reduce(wealth) - np.log(len(wealth)) > np.log(1 / ALPHA)))
    if cell.looks == 5 and seed < CHECKED:
        _check(cell, (truth, old, new), rows, found)
    return found


def _check(cell: Cell, data: tuple[Array, Array, Array], rows: Array, found: list[bool]) -> None:
    """That `gate` passes where the batched numbers do, look by look."""
    truth, old, new = data
    ways = [{"looks": cell.looks}, {"anytime": True}, {"anytime": "exact"}][: len(found) - 1]
    with tempfile.TemporaryDirectory() as folder:
        for place, way in enumerate(ways):
            asked = {"goal": cell.goal, "margin": MARGINS[cell.goal], "until": UNTIL, "positive": 1, **way}
            models = {"production": "old", "candidate": "new", "ledger": Path(folder, f"{place}.jsonl")}
            outcomes = [
                gate(truth[:n], {"old": old[:n], "new": new[:n]}, **asked, **models).outcome for n in rows.tolist()
            ]
            assert ("pass" in outcomes) == found[place + 1], (cell, way, outcomes)


def row(cell: Cell, repeats: int) -> str:
    planned = (
        np.array(LookPlan(cell.looks, UNTIL, ALPHA).boundaries(rows_of(cell, None).tolist())) if cell.even else None
    )
    cells = []
    for worse in (MARGINS[cell.goal], 0.0):
        shares = 100 * np.mean([one_set(cell, seed, worse, planned) for seed in range(repeats)], axis=0)
        cells += [f"{share:.1f}" for share in shares] + ["-"] * (4 - len(shares))
    spacing = "even" if cell.even else "uneven"
    return f"| {cell.goal}, margin {MARGINS[cell.goal]} | {cell.looks} | {spacing} | " + " | ".join(cells) + " |"


TEXT = """# Gates that are looked at again and again
Made by `python docs/simulations/looks.py {repeats}`: {repeats} data sets a cell, up to {until:,} rows, alpha 0.05
(two standard errors at a true 5%: {error:.1f}); {checked} sets of each cell of five looks also went through `gate`,
look by look, with the same outcomes. False passes are of a candidate that is worse by exactly the margin, power is of
one that is as good as production. `each alone` is the usual gate at every look; `planned` are O'Brien and Fleming's
boundaries (uneven looks: Lan and DeMets), `asymptotic` the confidence sequence by influences, `exact` the bets. In %.

| goal | looks | spacing | false: each alone | planned | asym. | exact | power: each alone | planned | asym. | exact |
|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|
"""


def main(repeats: int) -> None:
    error = 200 * (0.05 * 0.95 / repeats) ** 0.5
    text = TEXT.format(repeats=repeats, until=UNTIL, error=error, checked=min(CHECKED, repeats))
    for cell in CELLS:  # written after each, as it takes long
        text += f"{row(cell, repeats)}\n"
        Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)

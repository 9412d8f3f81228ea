"""False passes of a gate that is looked at again and again, and its power.

Writes looks.md beside it: `python docs/simulations/looks.py [data sets a cell]`. Every table is one of CELLS.
"""

from __future__ import annotations

import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from look_draws import DRAWS, MARGINS, UNTIL, squared, surprise
from scipy import stats

from referee import gate
from referee.comparing.all_pairs import t_as_z
from referee.comparing.boundaries import LookPlan, beta_mixture, bets, sequence_reach
from referee.comparing.doubts import FEWEST_HITS, TOO_FEW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.arrays import Array

ALPHA = 0.05
CHECKED = 50
"""Data sets of each cell of five looks that also go through `gate`, look by look."""
CANDIDATES = 10
"""Of one ledger, where alpha is spent over them."""


BOUNDED = ("accuracy", "brier")


class Cell(NamedTuple):
    goal: str
    looks: int
    even: bool = True
    superiority: bool = False
    candidates: int = 1

    @property
    def margin(self) -> float:
        return MARGINS[self.goal]

    @property
    def false_and_good(self) -> tuple[float, float]:
        """By how much a candidate is worse that must not pass, and one that should."""
        return (0.0, -self.margin) if self.superiority else (self.margin, 0.0)


class Lead(NamedTuple):
    """Of the candidate at each look, with its standard error; of each row where the goal is a mean of these."""

    mean: Array
    error: Array
    df: Array
    each: Array | None
    known: Array
    """Whether there are enough rows, calls and hits for any verdict."""
    enough: Array
    """Whether there are enough rows of the rarer class for a confidence sequence."""


CELLS = [
    *(Cell("accuracy", looks) for looks in (1, 5, 20, 100)),
    *(Cell(goal, looks) for goal in ("brier", "log_loss", "f1") for looks in (5, 20, 100)),
    *(Cell("roc_auc", looks) for looks in (5, 20)),
    *(Cell(goal, 20, even=False) for goal in ("accuracy", "brier", "log_loss", "f1")),
]
SUPERIOR = [Cell(goal, looks, superiority=True) for goal in ("accuracy", "brier") for looks in (5, 20, 100)]
SPENT = [Cell(goal, looks, candidates=CANDIDATES) for goal, looks in (("accuracy", 5), ("accuracy", 20), ("brier", 5))]


def rows_of(cell: Cell, draw: np.random.Generator | None = None) -> Array:
    """Where it is looked at: evenly, or at random numbers of rows, and at the end."""
    if cell.even or draw is None:
        return np.linspace(UNTIL / cell.looks, UNTIL, cell.looks).astype(int)
    return np.append(np.sort(draw.choice(np.arange(60, UNTIL - 1), cell.looks - 1, replace=False)), UNTIL)


def lead_of(goal: str, truth: Array, old: Array, new: Array, rows: Array) -> Lead:
    positives = truth.cumsum()[rows - 1]
    rarer = np.minimum(positives, rows - positives)
    always = np.full(len(rows), True)
    if goal == "roc_auc":
        found = np.array([_auc_lead(truth[:n], old[:n], new[:n]) for n in rows]).T
        return Lead(*found, None, rarer >= TOO_FEW, rarer >= 20)
    if goal == "f1":
        found = np.array([_f1_lead(truth[:n], old[:n], new[:n]) for n in rows]).T
        calls, hits = (np.min([each.cumsum()[rows - 1] for each in both], axis=0)
                       for both in ((old, new), (old * truth, new * truth)))  # fmt: skip
        return Lead(*found, None, (rarer >= TOO_FEW) & (calls >= TOO_FEW) & (hits >= FEWEST_HITS), rarer >= 20)
    each = LEADS[goal](truth, old, new)
    first, second, third, fourth = ((each**power).cumsum()[rows - 1] for power in (1, 2, 3, 4))
    mean = first / rows
    squares = np.maximum(second - rows * mean**2, 0)
    df = degrees(rows, squares, fourth - 4 * mean * third + 6 * mean**2 * second - 3 * rows * mean**4)
    return Lead(mean, np.sqrt(squares / (rows * (rows - 1))), df, each, always, always)


def degrees(rows: Array | int, squares: Array | float, fourths: Array | float) -> Array:
    """Of freedom: as many as a variance has that is estimated from rows of this kurtosis."""
    with np.errstate(all="ignore"):
        wanted = 2 * rows / (rows * np.asarray(fourths) / np.square(squares) - 1)
    return np.where(np.asarray(squares) > 0, np.clip(np.where(wanted > 0, wanted, np.inf), 1, rows - 1), 1.0)


LEADS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "accuracy": lambda truth, old, new: (new == truth) * 1.0 - (old == truth),
    "brier": lambda truth, old, new: squared(truth, old) - squared(truth, new),
    "log_loss": lambda truth, old, new: surprise(truth, old) - surprise(truth, new),
}


def _auc_lead(truth: Array, old: Array, new: Array) -> tuple[float, float, float]:
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
    changes = np.concatenate([(one - one.mean()) / len(one) for one in apart])
    error = np.sqrt(sum(one.var(ddof=1) / len(one) for one in apart))
    return values[0] - values[1], error, float(degrees(len(truth), (changes**2).sum(), (changes**4).sum()))


def _f1_lead(truth: Array, old: Array, new: Array) -> tuple[float, float, float]:
    """By what each row changes of the ratio."""
    values, changes = [], []
    for label in (new, old):
        above, below = 2.0 * (truth & label), 1.0 * truth + label
        whole = above.sum() / below.sum() if below.any() else 0.0
        values.append(whole)
        changes.append((above - whole * below) / (below.mean() or 1.0))
    apart, rows = changes[0] - changes[1], len(truth)
    df = float(degrees(rows, (apart**2).sum(), (apart**4).sum()))
    return values[0] - values[1], float(np.sqrt(apart.var(ddof=1) / rows)), df


@cache
def boundaries(looks: int, alpha: float, rows: tuple[int, ...]) -> Array:
    return np.array(LookPlan(looks, UNTIL, alpha).boundaries(rows))


def passes(cell: Cell, lead: Lead, rows: Array, alpha: float) -> list[bool]:
    """Whether the candidate passes at any look: each look alone, by plan, by the sequence, by exact bets."""
    found = [_planned(cell, lead, rows, alpha, alone=True), _planned(cell, lead, rows, alpha)]
    reach = np.array([sequence_reach(n, alpha, UNTIL / 2) for n in rows])
    started = (rows >= 100) & lead.enough
    asymptotic = np.logical_or.accumulate(started & (lead.mean + cell.margin > reach * lead.error))
    found.append(_any(asymptotic & started & _better(cell, lead, rows, alpha) & lead.known))
    if cell.goal in BOUNDED:
        gained = np.logical_or.accumulate(_evidence(lead, rows, cell.margin) > np.log(1 / alpha))
        found.append(_any(gained & _better(cell, lead, rows, alpha, exact=True)))
    return found


def _any(passed: Array) -> bool:
    return bool(np.asarray(passed).any())


def _planned(cell: Cell, lead: Lead, rows: Array, alpha: float, *, alone: bool = False) -> bool:
    sure = np.where(lead.error > 0, lead.error, 1)
    z, ahead = (
        np.where(lead.error > 0, t_as_z(above / sure, lead.df), np.sign(above) * np.sqrt(rows))
        for above in (lead.mean + cell.margin, lead.mean)
    )
    limits = [stats.norm.isf(each) if alone else boundaries(cell.looks, each, tuple(rows.tolist()))
              for each in (alpha, alpha / 2)]  # fmt: skip
    return _any((z > limits[0]) & ((ahead > limits[1]) | (not cell.superiority)) & lead.known)


def _better(cell: Cell, lead: Lead, rows: Array, alpha: float, *, exact: bool = False) -> Array:
    """At which looks the candidate is shown to be better, where that is asked for."""
    if not cell.superiority:
        return np.full(len(rows), True)
    assert lead.each is not None
    if cell.goal == "accuracy":
        wins, apart = ((which * 1).cumsum()[rows - 1] for which in (lead.each > 0, lead.each != 0))
        sure = [beta_mixture(int(won), int(both)) > np.log(1 / alpha) for won, both in zip(wins, apart, strict=True)]
        return np.array(sure) & (2 * wins > apart)
    if exact:
        return np.logical_or.accumulate(_evidence(lead, rows, 0.0) > np.log(2 / alpha))
    reach = np.array([sequence_reach(n, alpha, UNTIL / 2, two_sided=True) for n in rows])
    return lead.mean > reach * lead.error


def _evidence(lead: Lead, rows: Array, margin: float) -> Array:
    """The logarithm of what bets of all sizes have made at each look."""
    assert lead.each is not None
    wealth = [np.log1p(bet * (lead.each + margin)).cumsum()[rows - 1] for bet in bets(1 / (1 - margin))]
    return np.asarray(np.logaddexp.reduce(wealth) - np.log(len(wealth)))


def drawn(cell: Cell, seed: int, worse: float, candidate: int = 0) -> tuple[Array, tuple[Array, Array, Array]]:
    """Where a data set is looked at, and the data set."""
    draw = np.random.default_rng([cell.looks, seed, cell.even, candidate])
    return rows_of(cell, draw), DRAWS[cell.goal](draw, worse)


def one_set(cell: Cell, seed: int, worse: float) -> list[bool]:
    rows, data = drawn(cell, seed, worse)
    found = passes(cell, lead_of(cell.goal, *data, rows), rows, ALPHA)
    if cell.looks == 5 and seed < CHECKED:
        with tempfile.TemporaryDirectory() as folder:
            for way, one in zip(WAYS[: len(found) - 1], found[1:], strict=True):
                passed = _by_gate(cell, data, rows, ledger=Path(folder, f"{way}.jsonl"), **WAYS_OF[way])
                assert passed == one, (cell, seed, worse, way)
    return found


WAYS = ("planned", "asymptotic", "exact")
WAYS_OF: dict[str, dict[str, Any]] = {
    "planned": {"looks": 5}, "asymptotic": {"anytime": True}, "exact": {"anytime": "exact"},
}  # fmt: skip


def _by_gate(cell: Cell, data: tuple[Array, Array, Array], rows: Array, candidate: str = "new", **asked: Any) -> bool:
    """Whether `gate` passes at any look."""
    truth, old, new = data
    asked |= {"goal": cell.goal, "margin": cell.margin, "until": UNTIL, "positive": 1, "superiority": cell.superiority}
    outcomes = [
        gate(truth[:n], {"old": old[:n], candidate: new[:n]}, production="old", candidate=candidate, **asked).outcome
        for n in rows.tolist()
    ]
    return "pass" in outcomes


def row(cell: Cell, repeats: int) -> str:
    cells = []
    for worse in cell.false_and_good:
        shares = 100 * np.mean([one_set(cell, seed, worse) for seed in range(repeats)], axis=0)
        cells += [f"{share:.1f}" for share in shares] + ["-"] * (4 - len(shares))
    spacing = "even" if cell.even else "uneven"
    return f"| {cell.goal}, margin {cell.margin} | {cell.looks} | {spacing} | " + " | ".join(cells) + " |"


def spent_on(number: int) -> float:
    """What the i-th candidate has of alpha."""
    return float(ALPHA * 6 / (np.pi * number) ** 2)


def one_ledger(cell: Cell, seed: int, worse: float) -> list[list[bool]]:
    """Of each candidate, with a share of alpha and without: by plan, by the sequence, by exact bets."""
    with tempfile.TemporaryDirectory() as folder:
        return [_candidate(cell, seed, worse, number, Path(folder)) for number in range(1, cell.candidates + 1)]


def _candidate(cell: Cell, seed: int, worse: float, number: int, folder: Path) -> list[bool]:
    rows, data = drawn(cell, seed, worse, number)
    lead = lead_of(cell.goal, *data, rows)
    shared = passes(cell, lead, rows, spent_on(number))[1:]
    if cell.looks == 5 and seed < CHECKED // cell.candidates:
        for way, one in zip(WAYS, shared, strict=True):
            asked = {"ledger": folder / f"{way}.jsonl", "spend": True, **WAYS_OF[way]}
            assert _by_gate(cell, data, rows, f"new{number}", **asked) == one, (cell, seed, number, way)
    return [*passes(cell, lead, rows, ALPHA)[1:], *shared]


def row_of_spent(cell: Cell, repeats: int) -> str:
    false = np.array([one_ledger(cell, seed, cell.margin) for seed in range(repeats)]).any(axis=1).mean(axis=0)
    good = [[_candidate(cell, seed + CHECKED, 0.0, number, Path())[3:] for seed in range(repeats)]
            for number in (1, cell.candidates)]  # fmt: skip
    shares = [f"{100 * share:.1f}" for share in [*false, *np.mean(good, axis=1).ravel()]]
    return f"| {cell.goal}, margin {cell.margin} | {cell.looks} | " + " | ".join(shares) + " |"


TEXT = """# Gates that are looked at again and again
Made by `python docs/simulations/looks.py {repeats}`: {repeats} data sets a cell, up to {until:,} rows, alpha 0.05
(two standard errors at a true 5%: {error:.1f}); {checked} sets of each cell of five looks also went through `gate`,
look by look, with the same outcomes. False passes are of a candidate that is worse by exactly the margin, power is of
one that is as good as production. `each alone` is the usual gate at every look; `planned` are O'Brien and Fleming's
boundaries (uneven looks: Lan and DeMets), `asym.` is the confidence sequence by influences, `exact` the bets, which
take bounded losses only. In %.

| goal | looks | spacing | false: each alone | planned | asym. | exact | power: each alone | planned | asym. | exact |
|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|
"""
BETTER = """
## Superiority
With `--superiority` a candidate must also be shown to be better. False passes are of one that is exactly as good as
production, which the two-sided tests allow in alpha / 2 = 2.5%; power is of one that is better by the margin.

| goal | looks | spacing | false: each alone | planned | asym. | exact | power: each alone | planned | asym. | exact |
|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|
"""
MANY = """
## Ten candidates
Ten candidates one after the other, each on rows of its own and worse by exactly the margin: how often any of them
passes, without and with `--spend`. Power with `--spend` is of a candidate that is as good as production, if it is the
first or the tenth. {checked} ledgers of five looks also went through `gate`, with the same outcomes.

| goal | looks | any false: planned | asym. | exact | with `--spend`: planned | asym. | exact | power, first: planned |\
 asym. | exact | tenth: planned | asym. | exact |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
"""


def lines(repeats: int) -> Iterator[str]:
    error = 200 * (0.05 * 0.95 / repeats) ** 0.5
    yield TEXT.format(repeats=repeats, until=UNTIL, error=error, checked=min(CHECKED, repeats))
    yield from (f"{row(cell, repeats)}\n" for cell in CELLS)
    yield BETTER
    yield from (f"{row(cell, repeats)}\n" for cell in SUPERIOR)
    yield MANY.format(checked=min(CHECKED // CANDIDATES, repeats))
    yield from (f"{row_of_spent(cell, repeats)}\n" for cell in SPENT)


def main(repeats: int) -> None:
    text = ""
    for line in lines(repeats):  # written after each, as it takes long
        text += line
        Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)

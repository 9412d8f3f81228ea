"""The page of own_study.py: how often `study --on` advises another metric, how often rightly, and by other rules."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from own_study import ADVISABLE, CHOOSING, FITS, FRESH, GOALS, SIZES, Cell

from referee.paper.own_contest import BETWEEN, DEALS, FEW_ROWS, FEWEST_DIFFERENT, Demands, demands, gain_over

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.paper.own_contest import Gain

    Held = dict[str, Array]

BAD, WORTH_FINDING, FOUND = -0.02, 0.05, 0.02
PROBABILITIES, GAINS, DIFFERENT = (0.8, 0.85, 0.9, 0.95), (0.05, 0.075, 0.1), (10, 15, 20, 25)
"""Of the rules that were tried on few rows."""


class Decision(NamedTuple):
    """One goal on one user's data set."""

    gains: dict[int, Gain]
    """Of each metric that may be advised."""
    true: dict[int, float]
    """The same over all data sets of the cell."""

    def taken(self, asked: Demands, different: int) -> int | None:
        """The metric that is advised."""
        sure = {
            by: gain.value
            for by, gain in self.gains.items()
            if gain.value >= asked.gain and gain.probability > asked.probability and gain.different >= different
        }
        return max(sure, key=sure.__getitem__) if sure else None

    def lowest(self) -> int | None:
        """The metric with the lowest cost on this data set; None where that is the goal."""
        best = max(self.gains, key=lambda by: self.gains[by].value, default=None)
        return best if best is not None and self.gains[best].value > 0 else None


def decisions(cell: Cell, held: Held) -> Iterator[Decision]:
    saved, coins = held["saved"].astype(float), held["coins"].astype(float)
    part = round(cell.rows * (1 - cell.train) / 2)
    for goal in range(len(GOALS)):
        others = [by for by in range(len(ADVISABLE)) if by != goal and np.nansum(coins[..., by, goal]) > 0]
        true = {by: float(np.nansum(saved[..., by, goal]) / np.nansum(coins[..., by, goal])) for by in others}
        for number in range(len(saved)):
            found = {by: _gain(held, saved, coins, (number, by, goal), part) for by in others}
            known = {by: gain for by, gain in found.items() if gain is not None}
            if known:
                yield Decision(known, {by: true[by] for by in known})


def _gain(held: Held, saved: Array, coins: Array, place: tuple[int, int, int], part: int) -> Gain | None:
    number, by, goal = place
    own, coin = saved[number, :, by, goal], coins[number, :, by, goal]
    some = np.isfinite(own)
    if some.sum() < FITS / 2:
        return None
    different = int(held["apart"][place])
    return gain_over(own[some], np.zeros(int(some.sum())), coin[some], different=different, rows=part)


class Shares(NamedTuple):
    """Of many decisions, by one rule."""

    advised: float
    power: float
    bad: float
    change: float

    def __str__(self) -> str:
        power = "–" if np.isnan(self.power) else f"{self.power:.2f}"
        return f"{100 * self.advised:.0f}% | {power} | {100 * self.bad:.1f}% | {self.change:+.3f}"


def shares(found: list[Decision], choices: list[int | None]) -> Shares:
    gains = np.array([0.0 if by is None else one.true[by] for one, by in zip(found, choices, strict=True)])
    there = np.array([max(one.true.values()) > WORTH_FINDING for one in found])
    power = float((gains[there] > FOUND).mean()) if there.any() else np.nan
    advised = float(np.mean([by is not None for by in choices]))
    return Shares(advised, power, float((gains < BAD).mean()), -float(gains.mean()))


def by_rule(found: list[Decision], asked: Demands, different: int = FEWEST_DIFFERENT) -> Shares:
    return shares(found, [one.taken(asked, different) for one in found])


def report(results: dict[Cell, Held], data_sets: int) -> str:
    every = {cell: list(decisions(cell, held)) for cell, held in results.items()}
    few, many = demands(FEW_ROWS - 1), demands(FEW_ROWS)
    return "\n".join([
        *_introduction(data_sets, few, many), *_by_size(every), "", *_rules(every, few), "", *_by_scenario(every),
        *_spreads(results), "",
    ])  # fmt: skip


def _introduction(data_sets: int, few: Demands, many: Demands) -> list[str]:
    return [
        "# When `study --on` advises another metric than the goal",
        f"Made by `python docs/simulations/own_study.py {data_sets}`: {data_sets} data sets of a user in each cell, "
        f"drawn from large data sets, {FITS} fits of each, and {DEALS} divisions",
        "of the other rows into holdout and test part, by the rule of `referee study --on`: advise the metric with the "
        f"largest gain if that is {many.gain:g} of the cost of a random choice or more,",
        f"is above 0 with a probability of more than {many.probability:g} (variance factor {BETWEEN:g}), and the two "
        f"choose differently in at least {FEWEST_DIFFERENT} fits; where a part has fewer than {FEW_ROWS} rows, "
        f"{few.gain:g} and {few.probability:g} are asked.",
        f"Goals: {', '.join(GOALS)}. Advised may be what the command may advise unless metrics are named: the first "
        f"{len(ADVISABLE)} of them. What is true is the mean over all data sets of a cell.",
        "`power`: where a metric truly gains more than 0.05, how often one is advised that truly gains more than 0.02; "
        "`bad`: how often one is advised that truly loses more than 0.02; `change`: the mean",
        "change of regret by following the advice, and by always taking the metric with the lowest cost on the data "
        "set (and how often that is bad). Data sets are at most a third of what they are",
        "drawn from, and have ten rows or more of the rarer class in each part.",
        "",
    ]


def _by_size(every: dict[Cell, list[Decision]]) -> Iterator[str]:
    yield (
        "| rows | trained on | in each part | scenarios | decisions | advised | power | bad | change | lowest cost: "
        "change | bad |"
    )
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    chosen: list[tuple[Decision, int | None]] = []
    for rows, train in SIZES:
        part = round(rows * (1 - train) / 2)
        cells = [cell for cell in every if cell[2:] == (rows, train, FRESH)]
        pairs = [(one, one.taken(demands(part), FEWEST_DIFFERENT)) for cell in cells for one in every[cell]]
        chosen += pairs
        yield f"| {rows:,} | {train:g} | {part} | {len(cells)} | {_line(pairs)} |"
    yield f"| all | | | {sum(cell.seed == FRESH for cell in every)} | {_line(chosen)} |"


def _line(pairs: list[tuple[Decision, int | None]]) -> str:
    found = [one for one, _ in pairs]
    lowest = shares(found, [one.lowest() for one in found])
    return f"{len(found):,} | {shares(found, [by for _, by in pairs])} | {lowest.change:+.3f} | {100 * lowest.bad:.1f}%"


def _rules(every: dict[Cell, list[Decision]], few: Demands) -> Iterator[str]:
    """The rules that were tried on few rows, on the data sets that one was chosen on and on others."""
    yield "## Which rule for few rows"
    yield (
        f"{SIZES[0][0]} rows, half of them trained on. It was settled beforehand to take the rule with the most power "
        "among those that advise badly in at most 1% of the cases on the"
    )
    yield "data sets of one seed; the other columns are about data sets of another seed, and so is the table above."
    yield ""
    yield "| probability | gain | fits that differ | power | bad | other seed: power | bad | |"
    yield "|--:|--:|--:|--:|--:|--:|--:|---|"
    seeds = [
        [one for cell, found in every.items() if cell[2:] == (*SIZES[0], seed) for one in found]
        for seed in (CHOOSING, FRESH)
    ]
    for probability, gain, different in product(PROBABILITIES, GAINS, DIFFERENT):
        cells = [by_rule(found, Demands(probability, gain), different) for found in seeds]
        said = " | ".join(f"{each.power:.2f} | {100 * each.bad:.1f}%" for each in cells)
        mark = "taken" if ((probability, gain), different) == (few, FEWEST_DIFFERENT) else ""
        yield f"| {probability:g} | {gain:g} | {different} | {said} | {mark} |"


def _by_scenario(every: dict[Cell, list[Decision]]) -> Iterator[str]:
    for rows, train in ((300, 0.5), (1000, 0.5)):
        yield f"## Scenario by scenario, {rows:,} rows, half of them trained on"
        yield ""
        yield "| data | candidates | advised | power | bad | change |"
        yield "|---|---|--:|--:|--:|--:|"
        for cell, found in every.items():
            if cell[2:] == (rows, train, FRESH):
                yield f"| {cell.problem} | {cell.kind} | {by_rule(found, demands(round(rows * (1 - train) / 2)))} |"
        yield ""


def _spreads(results: dict[Cell, Held]) -> Iterator[str]:
    yield "## The variance between data sets over that between fits"
    yield (
        f"Of all contests of two metrics for a goal; the rule takes it to be {BETWEEN:g}. Beside it the mean share of "
        "80% intervals of the gain that hold the true one."
    )
    yield ""
    yield "| rows | trained on | contests | median | 90% | largest | 80% interval covers |"
    yield "|--:|--:|--:|--:|--:|--:|--:|"
    for rows, train in SIZES:
        pairs = np.array([
            pair for cell, held in results.items() if cell[2:] == (rows, train, FRESH) for pair in spreads(held)
        ])  # fmt: skip
        middle, most, largest = np.quantile(pairs[:, 0], (0.5, 0.9, 1.0))
        yield (
            f"| {rows:,} | {train:g} | {len(pairs)} | {middle:.3f} | {most:.3f} | {largest:.3f} | "
            f"{pairs[:, 1].mean():.2f} |"
        )


def spreads(held: Held) -> Iterator[tuple[float, float]]:
    """Of every contest: the variance between data sets over that between fits, and the coverage of the 80% interval."""
    for by, goal in product(range(len(ADVISABLE)), range(len(GOALS))):
        coins = held["coins"][..., by, goal].astype(float)
        if by == goal or not np.isfinite(coins).all():
            continue
        saved = held["saved"][..., by, goal].astype(float) / coins.mean()
        within = saved.var(axis=1, ddof=1).mean()
        if within < 1e-8:
            continue
        between = max(0.0, saved.mean(axis=1).var(ddof=1) - within / FITS) / within
        inside = [
            gain.low <= saved.mean() <= gain.high
            for number, coin in enumerate(coins)
            if (gain := gain_over(saved[number] * coins.mean(), np.zeros(FITS), coin, different=FITS, rows=FEW_ROWS))
        ]
        yield between, float(np.mean(inside))

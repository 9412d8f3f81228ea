"""Where the selection index may advise in a tie, and what to choose by while the goal is undecided: what is published.

The rule for advice was fixed before the index was tried on the sources that it was not learned from
(docs/decisions/0084).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.comparing import INDEX_GOALS
from referee.paper.regret_draws import AVERAGE, INDEX, PAPER, SIZES, TIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.paper.regret_map import Level, RegretMap

FEW = SIZES.index(500) + 1
"""Numbers of rows that advice is given for, and the first that it is not."""
LARGEST_LOSS, CLEAR_LOSS = 0.05, 0.02
"""The mean loss that no kind of case may have, and that none may have beyond noise."""
OPEN_GOALS = {
    "accuracy": "accuracy", "f_beta": "f_beta", "roc_auc": "roc_auc", "balanced_accuracy": "balanced_accuracy",
    "log_loss": "log_loss(clip=1e-06)", "brier": "brier", "expected_cost(fn=5)": "expected_cost(fn=5)",
}  # fmt: skip
"""Metrics that may become the goal, and their names in the map."""


class Evidence(NamedTuple):
    """What choosing by the index changes for one goal, beside choosing the best value, exact ties by Brier."""

    goal: str
    change: Level
    """Of regret, over all kinds of case that are served: below 0 is better."""
    cells: tuple[Level, ...]
    """By kind of candidates and number of rows."""
    against_goal: Level
    """The change beside the goal itself, exact ties at random."""

    @property
    def worst(self) -> float:
        return max(level.value for level in self.cells)

    @property
    def is_enough(self) -> bool:
        """The mean change is surely below 0, and no kind of case loses much, or loses clearly."""
        clear = any(level.low > CLEAR_LOSS for level in self.cells)
        return self.change.high < 0 and self.worst <= LARGEST_LOSS and not clear


def evidence(regret_map: RegretMap, goal: str, *, held_out: bool) -> Evidence:
    """On sources that the prior was learned from, each left out, or on the others."""
    some = regret_map.of_sources(held_out=held_out)
    changes = _change(regret_map, goal, TIES)
    cells = tuple(
        level
        for kind in ("tuning", "unlike", "mixed")
        for level in regret_map.levels(changes, some & regret_map.of_kind(kind))
        if level.sources
    )
    means = (_over_rows(each) for each in (changes, _change(regret_map, goal, "goal")))
    change, against_goal = (regret_map.levels(each, some)[0] for each in means)
    return Evidence(goal, change, cells, against_goal)


def _change(regret_map: RegretMap, goal: str, other: str) -> Array:
    """The regret of the index minus that of another way, where the classes are not too rare for it: (world, size)."""
    apart = regret_map.chosen_by(INDEX, goal) - regret_map.chosen_by(other, goal)
    return np.where(regret_map.is_served, apart, np.nan)[:, :FEW]


def _over_rows(changes: Array) -> Array:
    known = np.isfinite(changes)
    amount = known.sum(axis=1, keepdims=True)
    sums = np.where(known, changes, 0.0).sum(axis=1, keepdims=True)
    return np.where(amount > 0, sums / np.maximum(amount, 1), np.nan)


def evidence_records(regret_map: RegretMap) -> Iterator[dict[str, Any]]:
    """For each goal, on sources that the prior was learned from and on others."""
    for goal in INDEX_GOALS:
        for held_out in (False, True)[: 1 + bool(regret_map.held_out)]:
            measured = evidence(regret_map, goal, held_out=held_out)
            against = {f"{name}_against_goal": value for name, value in measured.against_goal._asdict().items()}
            yield {"goal": goal, "held_out": held_out, **measured.change._asdict(), "worst": measured.worst} | against


def with_advice(regret_map: RegretMap) -> RegretMap:
    """The map whose prior says for which goals the index advises, and what that and the best value lost."""
    advised = tuple(goal for goal in INDEX_GOALS if evidence(regret_map, goal, held_out=False).is_enough)
    regret = {goal: _published(regret_map, goal) for goal in advised}
    prior = replace(regret_map.prior, tested_on=regret_map.sources, advised=advised, regret=regret)
    return replace(regret_map, prior=prior)


def _published(regret_map: RegretMap, goal: str) -> dict[str, list[float]]:
    """What the best value, exact ties by Brier, and the index lost, where it is made for, by rows."""
    both = (np.where(regret_map.is_served, regret_map.chosen_by(name, goal), np.nan) for name in (TIES, INDEX))
    pairs = zip(*(regret_map.levels(each, regret_map.of_kind(None)) for each in both), strict=True)
    return {
        str(rows): [round(own.value, 3), round(index.value, 3)]
        for rows, (own, index) in zip(SIZES, pairs, strict=True)
        if own.sources
    }


def open_goal_table(regret_map: RegretMap) -> dict[str, Any]:
    """What choosing by each metric, or average, loses for each goal, by rows: `referee advise` reads it."""
    ways = {PAPER: PAPER, AVERAGE: AVERAGE} | OPEN_GOALS
    every = regret_map.of_kind(None)
    return {
        "sources": len(regret_map.sources),
        "rows": list(SIZES),
        "regret": {
            by: {
                goal: [round(level.value, 4) for level in regret_map.levels(regret_map.chosen_by(way, name), every)]
                for goal, name in OPEN_GOALS.items()
            }
            for by, way in ways.items()
        },
    }

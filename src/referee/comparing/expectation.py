"""What to expect of the models of a verdict on new rows, and which one to take in a tie: advice, never the verdict."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing.contender import Contender
from referee.comparing.selection_index import (
    FEWEST_OF_CLASS,
    INDEX_COSTS,
    INDEX_GOALS,
    INDEX_METRICS,
    RAREST_SHARE,
    SCORES,
    columns_for,
    index_of,
    pooled_noise,
    published_prior,
)
from referee.document import number, one_line
from referee.records import dataclass
from referee.scoring import metrics, why_not

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array
    from referee.comparing.verdict import Verdict
    from referee.predictions import Predictions
    from referee.scoring import Metric

TOO_MANY_ROWS, MOST_MODELS = 500, 12
"""From so many rows on the goal itself says nearly all; the index was not tried with more models."""
FARTHEST_COST = log(2)
"""From the nearest cost that the prior knows, as a ratio."""
MEASURED = ("50", "100", "200", "500")
"""Rows at which the published regret was measured."""


@dataclass(frozen=True)
class Expectation:
    """What the models are expected to be worth on new rows, by all that these rows say of them."""

    goal: str
    rows: int
    best: str
    """The model with the best value on these rows."""
    other: str
    """What it is weighed against: the runner-up."""
    advised: str | None
    """In a tie the model to take, if one must be taken."""
    advantages: Mapping[str, float]
    """Each model's goal above the mean of all, on new rows; more is better, whatever the metric."""
    raw: Mapping[str, float]
    """The same on these rows."""
    weights: Mapping[str, float]
    """By which the differences of the metrics, more is better, add up to it."""
    regret: tuple[float, float] | None = None
    """What choosing by the best value, and by this advice, lost on other data sources, as shares of a coin's cost."""

    def advantage(self, a: str, b: str) -> float:
        """By how much a is expected to be better than b."""
        return self.advantages[a] - self.advantages[b]

    @property
    def lines(self) -> tuple[str, ...]:
        """Advice in a tie, or how much of a lead is expected to stay."""
        if self.advised is None:
            return self._of_leader()
        advised, best, goal = one_line(self.advised), one_line(self.best), self.goal
        what = f"if you must pick one: {advised}"
        if self.advised == self.best:
            lead, what = self.advantage(self.best, self.other), f"{what}, which has the best {goal} here"
            return (f"{what}; judging by these rows, expect it to be better than {one_line(self.other)} by "
                    f"{number(lead)} on new rows" if lead > 0 else what,)  # fmt: skip
        gain = number(self.advantage(self.advised, self.best))
        return (f"{what}; judging by seven metrics on these rows, expect it to be better by {gain} on new rows than "
                f"{best}, which has the best {goal} here{self._measured()}",)  # fmt: skip

    def _of_leader(self) -> tuple[str, ...]:
        here, there = self.raw[self.best] - self.raw[self.other], self.advantage(self.best, self.other)
        if not 0 < there < here:
            return ()
        return (f"{one_line(self.best)} is better than {one_line(self.other)} by {number(here)} on these rows; expect "
                f"{number(there)} on new ones: a leader is usually partly lucky",)  # fmt: skip

    def _measured(self) -> str:
        if self.regret is None:
            return ""
        own, index = (round(regret, 2) for regret in self.regret)
        where = f"; on {len(published_prior().tested_on)} data sources such choices"
        if index >= own:
            return f"{where} were no better than those of the best {self.goal}"
        return f"{where} lost {index:.2f} of what a random one loses, those of the best {self.goal} {own:.2f}"

    def to_dict(self) -> dict[str, Any]:
        return vars(self) | {"regret": None if self.regret is None else list(self.regret), "lines": list(self.lines)}


def expectation_of(verdict: Verdict) -> Expectation | None:
    """Where the index is made for it: a winner or a tie of models with probabilities, on fewer than 500 rows."""
    predictions, place = verdict.predictions, _place(verdict.goal)
    if place is None or verdict.outcome == "undecided" or not _are_suitable(verdict):
        return None
    values, changes = _measured(predictions, verdict.goal, place)
    if not (np.isfinite(values).all() and np.isfinite(changes).all()):
        return None
    names = [model.name for model in predictions.models]
    index = index_of(pooled_noise(changes), len(changes), published_prior().of("any"), place)
    expected = dict(zip(names, index.expected(values).tolist(), strict=True))
    mean = values[:, place].mean()
    weights = index.weights / index.scale * index.scale[index.goal]
    return Expectation(
        goal=verdict.goal_name,
        rows=len(changes),
        best=verdict.best,
        other=verdict.runner_up,
        advised=_advised(verdict, expected),
        advantages=expected,
        raw=dict(zip(names, (values[:, place] - mean).tolist(), strict=True)),
        weights={INDEX_METRICS[column]: float(weight) for column, weight in zip(index.columns, weights, strict=True)},
        regret=_regret(INDEX_METRICS[place], len(changes)),
    )


def _advised(verdict: Verdict, expected: Mapping[str, float]) -> str | None:
    """In a tie: by the index for the goals that it serves better than the best value does, else the best value."""
    if verdict.outcome != "tie" or verdict.goal.full_name not in INDEX_GOALS:
        return None
    if verdict.goal.full_name not in published_prior().advised:
        return verdict.best
    return max(verdict.winners, key=expected.__getitem__)


def _place(goal: Metric) -> int | None:
    """Where the goal is among the index's metrics; None where it is not one that the index is made for.

    Of a proper score nothing else knows more than itself.
    """
    if goal.full_name in INDEX_GOALS:
        return INDEX_METRICS.index(goal.full_name)
    if goal.name != "expected_cost" or "costs" in goal.settings:
        return None
    fp, fn = (goal.settings.get(name, goal.defaults[name]) for name in ("fp", "fn"))
    if not (fp > 0 and fn > 0):
        return None
    apart = [abs(log(fn / fp) - log(cost)) for cost in INDEX_COSTS]
    nearest = int(np.argmin(apart))
    return len(SCORES) + nearest if apart[nearest] <= FARTHEST_COST else None


def _are_suitable(verdict: Verdict) -> bool:
    """Rows of two classes that count alike, with every model's probabilities of the positive one, decided at a half."""
    predictions = verdict.predictions
    plain = predictions.positive is not None and predictions.has_rows and predictions.weight is None
    alike = plain and not predictions.has_seeds and predictions.threshold == 0.5 and verdict.margin is None
    if not alike or verdict.design.kind not in ("rows", "out_of_fold"):
        return False
    units = predictions.rows if predictions.clusters is None else len(predictions.clusters.names)
    brier = metrics["brier"]
    rarer = int(np.bincount(predictions.truth, minlength=2).min())
    return (
        units < TOO_MANY_ROWS
        and len(predictions.models) <= MOST_MODELS
        and rarer >= max(FEWEST_OF_CLASS, RAREST_SHARE * predictions.rows)
        and all(why_not(brier, model, predictions.facts[model.name]) is None for model in predictions.models)
        and all(model.scores is None or len(np.unique(model.scores)) > 2 for model in predictions.models)
    )


def _measured(predictions: Predictions, goal: Metric, place: int) -> tuple[Array, Array]:
    """Values and what each row, or group of rows, adds to them, more is better: (row, model, metric)."""
    asked = {column: metrics[INDEX_METRICS[column]] for column in columns_for(place)} | {place: goal}
    values = np.zeros((len(predictions.models), len(INDEX_METRICS)))
    changes = np.zeros((predictions.rows, *values.shape))
    for number_of_model, model in enumerate(predictions.models):
        for column, metric in asked.items():
            contender, sign = Contender(predictions, model, metric), 1 if metric.better == "higher" else -1
            values[number_of_model, column] = sign * contender.value
            changes[:, number_of_model, column] = sign * contender.changes
    if predictions.clusters is None:
        return values, changes
    together = np.zeros((len(predictions.clusters.names), *values.shape))
    np.add.at(together, predictions.clusters.codes, changes)
    return values, together


def _regret(goal: str, rows: int) -> tuple[float, float] | None:
    """As measured at the nearest number of rows that is not larger; at 50 where there are fewer."""
    measured = published_prior().regret.get(goal, {})
    size = max((size for size in MEASURED if int(size) <= rows), key=int, default=MEASURED[0])
    if size not in measured:
        return None
    own, index = measured[size]
    return own, index

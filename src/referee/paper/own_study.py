"""OwnStudy: what choosing by each metric is worth for each goal, on somebody's data and with their models."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.advice import AVERAGE, USUAL, SafeChoice, cost_of, cost_of_a_coin, rightness, safest
from referee.document import Document, Result, counted, number
from referee.errors import ModelError, Notice, listed
from referee.paper.own_contest import BETWEEN, DEALS, Gain, settled_by
from referee.paper.regret import ratio_of_means, standard_error
from referee.records import dataclass
from referee.scoring import Metric, quantile, shown_name, wilson

if TYPE_CHECKING:
    from referee.arrays import Array


@dataclass(frozen=True)
class Choice:
    """Selecting by one metric for the goal of another one."""

    goal: str
    evaluation: str
    repetitions: int
    """In which both are defined for all models."""
    right: float | None = None
    """How often the model that it chooses on the holdout part is the best by the goal on the test part."""
    right_low: float | None = None
    right_high: float | None = None
    cost: float | None = None
    """What that loses on the goal, on average, in the goal's own units."""
    cost_low: float | None = None
    cost_high: float | None = None
    cost_standard_error: float | None = None
    regret: float | None = None
    """The cost as a share of a coin's: 0 is an oracle's, 1 a coin's."""
    regret_low: float | None = None
    regret_high: float | None = None
    same_outcome: float | None = None
    """How often a t-test on subsets says the same of two models on both parts: the paper's ratio, over all pairs."""
    gain: Gain | None = None
    """What it saves against choosing by the goal itself; None for that."""

    def to_dict(self) -> dict[str, Any]:
        gain = self.gain
        return vars(self) | {"gain": None if gain is None else vars(gain) | {"is_sure": gain.is_sure}}


def judged_choice(
    names: tuple[str, str], chosen: Array, worth: Array, between: float = BETWEEN, *, alpha: float = 0.05
) -> Choice:
    """What choosing in this way is worth, over all repetitions in which it is defined: (repetition, deal, model).

    `between` is the variance between data sets over that between repetitions, which more of them do not take away.
    The interval of `right` says only what more repetitions on the same data would change.
    """
    each = np.stack([measure(chosen, worth) for measure in (rightness, cost_of, _coin)])
    right, cost, coin = by_repetition(each)
    repetitions = len(cost)
    if repetitions < 2:
        return Choice(*names, repetitions)
    widened = (1 + repetitions * between) ** 0.5
    reach = quantile(1 - alpha / 2, repetitions - 1) * widened
    regret = ratio_of_means(cost, coin)
    mean, error = float(cost.mean()), standard_error(cost)
    low, high = map(float, wilson(right.sum(), repetitions, alpha))
    regrets = _around(regret.value, reach * regret.standard_error) if np.isfinite(regret.value) else (None, None)
    return Choice(
        *names, repetitions, float(right.mean()), low, high, mean, *_around(mean, reach * error), widened * error,
        regret.value if np.isfinite(regret.value) else None, *regrets,
    )  # fmt: skip


def _coin(chosen: Array, worth: Array) -> Array:
    return cost_of_a_coin(worth) + 0 * chosen.sum(axis=-1)


def by_repetition(each: Array) -> Array:
    """The means over the deals of each repetition, of those that have any in which all is defined: (what, repetition).

    >>> by_repetition(np.array([[[1.0, 3.0], [np.nan, 5.0], [np.nan, np.nan]]])).tolist()
    [[2.0, 5.0]]
    """
    flat = each.reshape(*each.shape[:2], -1)
    known = np.isfinite(flat).all(axis=0)
    sums = np.where(known, flat, 0.0).sum(axis=-1)
    some = known.any(axis=-1)
    return np.asarray(sums[:, some] / known.sum(axis=-1)[some])


def _around(value: float, reach: float) -> tuple[float, float]:
    """An interval of something that is never negative."""
    return max(0.0, value - reach), value + reach


@dataclass(frozen=True, eq=False, repr=False)
class OwnStudy(Result):
    """What choosing by each metric is worth for each goal, on these data and with these models."""

    rows: int
    task: str
    target: str
    scheme: str
    repetitions: int
    sizes: dict[str, int]
    """Rows of the training, holdout and test part."""
    models: tuple[str, ...] = ()
    metrics: tuple[Metric, ...] = ()
    named: bool = False
    """Whether the metrics were asked for by name."""
    choices: tuple[Choice, ...] = ()
    best: dict[str, dict[str, float]] = field(default_factory=dict)
    """For each goal, how often each model is the best on the test part."""
    deals: int = DEALS
    """How often the rows that are not trained on are dealt out in each repetition."""
    goals: dict[str, float] = field(default_factory=dict)
    """Where no goal was named: those that are possible, and their weights."""
    safe: tuple[SafeChoice, ...] = ()
    """What to choose by as long as the goal is open: the smallest worst case first."""
    goal: str | None = None
    goal_as_said: str | None = None
    """The name that it was asked for by, such as f1 for f_beta."""
    subsets: int | None = None
    """Of the holdout and the test part, each; None where they would be too small."""
    alpha: float = 0.05
    seed: int = 0
    fingerprint: str = ""
    read: dict[str, Any] | None = None
    """What was made of the columns."""
    notes: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    failures: tuple[ModelError, ...] = ()

    def choice(self, goal: str, evaluation: str) -> Choice:
        return next(choice for choice in self.choices if (choice.goal, choice.evaluation) == (goal, evaluation))

    def for_goal(self, goal: str) -> list[Choice]:
        """All evaluation metrics, the cheapest first, the goal itself before its equals."""
        choices = [choice for choice in self.choices if choice.goal == goal and choice.cost is not None]
        return sorted(choices, key=lambda choice: (choice.cost or 0.0, choice.evaluation != goal))

    def advised(self, goal: str) -> Choice | None:
        """The metric that is surely better to choose by than the goal itself, if there is one."""
        others = [choice for choice in self.for_goal(goal) if choice.evaluation in self.usual]
        return next((choice for choice in others if choice.gain is not None and choice.gain.is_sure), None)

    @property
    def fewest_rows(self) -> int:
        """Of the smaller part, holdout or test."""
        return min(self.sizes["holdout"], self.sizes["test"])

    def called(self, metric: str) -> str:
        """A metric by the name that was typed, if it is the goal, else by the one that people read."""
        return (self.goal_as_said if metric == self.goal else None) or shown_name(metric)

    @property
    def usual(self) -> tuple[str, ...]:
        """The metrics that are shown and spoken of: those that were named, else those that people know."""
        names = tuple(metric.full_name for metric in self.metrics)
        known = tuple(name for name in USUAL[self.task] if name in names)
        return names if self.named or len(known) < 2 else known

    @property
    def command(self) -> str:
        return "study"

    @property
    def sentence(self) -> str:
        """About the goal that was asked for, or about all of them."""
        return sentence_about(self, self.goal) if self.goal is not None else _about_all(self)

    def document(self, *, whole: bool = False) -> Document:
        """What is shown; `whole` has every goal in full, where none was named."""
        from referee.paper.own_study_document import own_study_document

        return own_study_document(self, whole=whole)

    def records(self) -> list[dict[str, Any]]:
        """One for each goal and evaluation metric."""
        return [choice.to_dict() for choice in self.choices]

    def to_dict(self) -> dict[str, Any]:
        """The body of the contract's JSON."""
        same = (
            "rows",
            "task",
            "target",
            "goal",
            "alpha",
            "seed",
            "fingerprint",
            "read",
            "scheme",
            "repetitions",
            "sizes",
        )
        return {
            **{name: getattr(self, name) for name in same},
            "deals": self.deals,
            "subsets": self.subsets,
            "goals": self.goals,
            "safe": [choice.to_dict() for choice in self.safe],
            "models": list(self.models),
            "metrics": [metric.full_name for metric in self.metrics],
            "choices": [choice.to_dict() for choice in self.choices],
            "best": self.best,
            "sentence": self.sentence,
            "notes": list(self.notes),
            "warnings": [vars(notice) for notice in self.warnings],
            "failures": [{"code": error.code, "message": error.message} for error in self.failures],
        }


def sentence_about(study: OwnStudy, goal: str) -> str:
    """What to choose by, what that loses beside other metrics, and what would settle it."""
    own, others = _own_and_others(study, goal)
    name = study.called(goal)
    if own is None or not others:
        return f"Only {name} could be computed: there is nothing to compare."
    if not any(choice.cost for choice in (own, *others)):
        return f"Choose by {name}, your goal: every metric picks the best model in every repetition."
    advised = study.advised(goal)
    next_best = ([choice for choice in others if choice.evaluation in study.usual] or others)[0]
    text = _instead(study, own, advised) if advised else _itself(study, own, next_best)
    worst = "" if others[-1] is next_best else _worst(study, others[-1], own)
    return f"{text}{worst}{_few(study)}"


def _instead(study: OwnStudy, own: Choice, advised: Choice) -> str:
    """Another metric than the goal is clearly better to choose by."""
    name, by, gain = study.called(own.goal), study.called(advised.evaluation), advised.gain
    assert gain is not None
    fits = f"{counted(gain.fits, 'repetition')}, {counted(study.deals, 'division')} each"
    return (
        f"Choose by {by} instead of {name}, your goal: the model that {by} picks is on average {number(advised.cost)} "
        f"behind the best one in {name}, the model that {name} itself picks {number(own.cost)}. That saves "
        f"{_saved(gain)}; {fits})."
    )


def _itself(study: OwnStudy, own: Choice, other: Choice) -> str:
    """The goal is the metric to choose by: none of the common ones is better, or not clearly."""
    name = study.called(own.goal)
    text = f"Choose by {name}, your goal: the model that it picks is on average {number(own.cost)} behind the best one"
    by, gain = study.called(other.evaluation), other.gain
    if gain is None or not gain.value > 0:
        return f"{text}; no other common metric does better (the next is {by}: {number(other.cost)})."
    return f"{text}. With {by} it is {number(other.cost)}, which saves {_saved(gain)}), {settled_by(gain)}."


def _saved(gain: Gain) -> str:
    """The gain and its interval; the bracket is left open."""
    percent = (f"{100 * value:.0f}%" for value in (gain.low, gain.high))
    return f"{100 * gain.value:.0f}% of what a random choice loses (80% interval {' to '.join(percent)}"


def _worst(study: OwnStudy, worst: Choice, own: Choice) -> str:
    """A metric that nobody should choose by here."""
    if worst.regret is None or own.regret is None or worst.regret < max(1.0, 2 * own.regret):
        return ""
    return (
        f" The worst metric to choose by is {study.called(worst.evaluation)} ({number(worst.cost)}), worse than a "
        "random choice."
    )


def _few(study: OwnStudy) -> str:
    """What takes the advice back."""
    few = any(notice.code == "W_FEWROWS" for notice in study.warnings)
    return " With so few rows, this may all be due to chance." if few else ""


def _own_and_others(study: OwnStudy, goal: str) -> tuple[Choice | None, list[Choice]]:
    every = study.for_goal(goal)
    own = next((choice for choice in every if choice.evaluation == goal), None)
    return own, [choice for choice in every if choice.evaluation != goal]


def _about_all(study: OwnStudy) -> str:
    """The mean regret of choosing by the goal itself and by each of the usual metrics, and whether one is better."""
    names = study.usual
    regrets = {(choice.goal, choice.evaluation): choice.regret for choice in study.choices if choice.regret is not None}
    goals = [name for name in names if (name, name) in regrets]
    if len(names) < 2 or not goals:
        return "There is nothing to compare: no two metrics could be computed for these models."
    by_metric = {by: [regrets[goal, by] for goal in goals if (goal, by) in regrets] for by in names}
    means = {by: float(np.mean(each)) for by, each in by_metric.items() if each}
    itself = float(np.mean([regrets[goal, goal] for goal in goals]))
    beaten = {goal: by.evaluation for goal in goals if (by := study.advised(goal)) is not None}
    if beaten:
        better = listed(f"{shown_name(by)} for {shown_name(goal)}" for goal, by in beaten.items())
        text = f"Choose by your goal, with {counted(len(beaten), 'exception')} where another metric is clearly better: "
        text += f"{better}. "
    else:
        text = "Choose by your goal: no other metric is clearly better for any goal. "
    text += (
        f"Over {counted(len(goals), 'goal')}, choosing by the goal itself has a mean regret of {itself:.2f} (0 is a "
    )
    return f"{text}perfect choice, 1 a random one), {_range(means)}.{_while_open(study)}{_few(study)}"


def _while_open(study: OwnStudy) -> str:
    """What to choose by as long as nobody knows the goal: by the worst case, and by the mean where that is another."""
    if not study.safe:
        return ""
    first, mildest = safest(study.safe), min(study.safe, key=lambda choice: choice.mean)
    text = (
        f" If the goal is undecided, {_safe_name(study, first)} is the safest to choose by: regret {first.worst:.2f} "
        f"at worst (if the goal is {shown_name(first.worst_goal)}), {first.mean:.2f} on average"
    )
    if round(mildest.mean, 2) < round(first.mean, 2):
        text += (
            f"; {_safe_name(study, mildest)} has the smallest mean, {mildest.mean:.2f}, but {mildest.worst:.2f} at "
            f"worst ({shown_name(mildest.worst_goal)})"
        )
    return f"{text}."


def _safe_name(study: OwnStudy, choice: SafeChoice) -> str:
    return f"the average of the {len(study.goals)} goals" if choice.by == AVERAGE else shown_name(choice.by)


def _range(means: dict[str, float]) -> str:
    best, worst = min(means, key=lambda name: means[name]), max(means, key=lambda name: means[name])
    low, high = f"{means[best]:.2f}", f"{means[worst]:.2f}"
    if low == high:
        return f"choosing always by the same metric {low}: here the choice makes no difference"
    return f"choosing always by the same metric {low} ({shown_name(best)}) to {high} ({shown_name(worst)})"

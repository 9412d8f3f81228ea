"""OwnStudy: what choosing by each metric is worth for each goal, on somebody's data and with their models."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.document import Document, Result, counted, number, p_value
from referee.errors import ModelError, Notice, listed
from referee.paper.regret import ratio_of_means, standard_error
from referee.records import dataclass
from referee.scoring import Metric, quantile, wilson

if TYPE_CHECKING:
    from referee.arrays import Array

ROUNDING = 1e-12
"""Values that differ by less than this share of their size are equal."""


def preferred(gains: Array) -> Array:
    """Each model's share of being chosen: 1 for the best, the same for each of several best: (repetition, model).

    `gains` are values of which more is better; where one of them is undefined nothing is chosen (nan).

    >>> preferred(np.array([[0.7, 0.9, 0.9], [0.8, 0.6, 0.5], [0.5, np.nan, 0.1]]))
    array([[0. , 0.5, 0.5],
           [1. , 0. , 0. ],
           [nan, nan, nan]])
    """
    known = np.isfinite(gains).all(axis=1, keepdims=True)
    given = np.where(known, gains, 0.0)
    slack = ROUNDING * np.abs(given).max(axis=1, keepdims=True)
    best = given >= given.max(axis=1, keepdims=True) - slack
    return np.where(known, best / best.sum(axis=1, keepdims=True), np.nan)


def rightness(chosen: Array, worth: Array) -> Array:
    """The probability that the chosen model is the best on the goal, in each repetition.

    >>> rightness(np.array([[0.5, 0.5, 0.0]]), np.array([[0.1, 0.4, 0.3]])).tolist()
    [0.5]
    """
    best = np.where(np.isnan(worth), np.nan, np.sign(preferred(worth)))
    return (chosen * best).sum(axis=1)


def cost_of(chosen: Array, worth: Array) -> Array:
    """What the goal loses by taking the chosen model instead of its best one, in each repetition.

    >>> cost_of(np.array([[0.5, 0.5, 0.0]]), np.array([[0.25, 0.75, 0.5]])).tolist()
    [0.25]
    """
    return np.maximum(worth.max(axis=1) - (chosen * worth).sum(axis=1), 0.0)


def cost_of_a_coin(worth: Array) -> Array:
    """The same where each model is equally likely to be taken."""
    return cost_of(np.full_like(worth, 1 / worth.shape[1]), worth)


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
    p: float | None = None
    """Whether it costs something else than choosing by the goal itself: corrected resampled t-test."""
    p_adjusted: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def judged_choice(
    names: tuple[str, str], chosen: Array, worth: Array, overlap: float, *, alpha: float = 0.05
) -> Choice:
    """What choosing in this way is worth, over all repetitions in which it is defined.

    `overlap` is the number of rows that are not trained on, for each one that is: repetitions share rows, so standard
    errors of costs are Nadeau and Bengio's. The interval of `right` is that of a share among independent repetitions
    and says only what more repetitions on the same data would change.
    """
    known = np.isfinite(chosen).all(axis=1) & np.isfinite(worth).all(axis=1)
    chosen, worth = chosen[known], worth[known]
    repetitions = int(known.sum())
    if repetitions < 2:
        return Choice(*names, repetitions)
    right, cost, coin = rightness(chosen, worth), cost_of(chosen, worth), cost_of_a_coin(worth)
    correction = (1 + repetitions * overlap) ** 0.5
    reach = quantile(1 - alpha / 2, repetitions - 1) * correction
    regret = ratio_of_means(cost, coin)
    mean, error = float(cost.mean()), standard_error(cost)
    low, high = map(float, wilson(right.sum(), repetitions, alpha))
    regrets = _around(regret.value, reach * regret.standard_error) if np.isfinite(regret.value) else (None, None)
    return Choice(
        *names, repetitions, float(right.mean()), low, high, mean, *_around(mean, reach * error), correction * error,
        regret.value if np.isfinite(regret.value) else None, *regrets,
    )  # fmt: skip


def _around(value: float, reach: float) -> tuple[float, float]:
    """An interval of something that is never negative."""
    return max(0.0, value - reach), value + reach


USUAL = {
    "binary": ("accuracy", "roc_auc", "f_beta", "rms", "log_loss", "paper_average"),
    "multiclass": ("accuracy", "balanced_accuracy", "f_beta", "mcc", "brier", "log_loss"),
    "regression": ("mae", "rmse", "median_ae", "mape", "r2", "correlation"),
}
"""The metrics that people choose by, and that are spoken of where all were asked for."""


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
    goal: str | None = None
    goal_as_said: str | None = None
    """The name that it was asked for by, such as f1 for f_beta."""
    subsets: int | None = None
    """Of the holdout and the test part, each; None where they would be too small."""
    alpha: float = 0.05
    seed: int = 0
    fingerprint: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    failures: tuple[ModelError, ...] = ()

    def choice(self, goal: str, evaluation: str) -> Choice:
        return next(choice for choice in self.choices if (choice.goal, choice.evaluation) == (goal, evaluation))

    def for_goal(self, goal: str) -> list[Choice]:
        """All evaluation metrics, the cheapest first, the goal itself before its equals."""
        choices = [choice for choice in self.choices if choice.goal == goal and choice.cost is not None]
        return sorted(choices, key=lambda choice: (choice.cost or 0.0, choice.evaluation != goal))

    @property
    def overlap(self) -> float:
        """Rows that are not trained on, for each one that is."""
        return (self.sizes["holdout"] + self.sizes["test"]) / self.sizes["train"]

    def called(self, metric: str) -> str:
        """A metric by the name that was typed, if it is the goal."""
        return self.goal_as_said or metric if metric == self.goal else metric

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
        same = ("rows", "task", "target", "goal", "alpha", "seed", "fingerprint", "scheme", "repetitions", "sizes")
        return {
            **{name: getattr(self, name) for name in same},
            "subsets": self.subsets,
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
    """What choosing by other metrics would have cost, and what to choose by."""
    own, others = _own_and_others(study, goal)
    name = study.called(goal)
    if own is None or not others:
        return f"Only {name} could be asked: there is nothing to compare."
    if not any(choice.cost for choice in (own, *others)):
        return f"For your goal {name}, every metric chooses the best model in every repetition; choose by {name}."
    better = _better_than(study, goal)
    spoken_of = [choice for choice in others if choice.evaluation in study.usual] or others
    worst, cheapest = spoken_of[-1], better or spoken_of[0]
    text = f"For your goal {name}, choosing by {worst.evaluation} would have cost {number(worst.cost)} on average, "
    if cheapest is not worst:
        text += f"by {cheapest.evaluation} {number(cheapest.cost)}, "
    advice = f"; choose by {better.evaluation if better else name}."
    return f"{text}and by {name} itself {number(own.cost)}{_chance(own, cheapest, study.alpha)}{advice}{_few(study)}"


def _few(study: OwnStudy) -> str:
    """What takes the advice back."""
    few = any(notice.code == "W_FEWROWS" for notice in study.warnings)
    return " With so few rows all of this may be chance." if few else ""


def _own_and_others(study: OwnStudy, goal: str) -> tuple[Choice | None, list[Choice]]:
    every = study.for_goal(goal)
    own = next((choice for choice in every if choice.evaluation == goal), None)
    return own, [choice for choice in every if choice.evaluation != goal]


def _better_than(study: OwnStudy, goal: str) -> Choice | None:
    """The cheapest other metric that is cheaper than the goal itself beyond chance."""
    own, others = _own_and_others(study, goal)
    return next((choice for choice in others if own and _is_better(choice, own, study.alpha)), None)


def _is_better(other: Choice, own: Choice, alpha: float) -> bool:
    if own.cost is None or other.cost is None or not other.cost < own.cost:
        return False
    return other.p_adjusted is not None and other.p_adjusted < alpha


def _chance(own: Choice, cheapest: Choice, alpha: float) -> str:
    """Where another metric did better than the goal itself: whether that is more than chance."""
    if own.cost is None or cheapest.cost is None or not cheapest.cost < own.cost:
        return ""
    if _is_better(cheapest, own, alpha) and cheapest.p_adjusted is not None:
        return f", which is more than chance ({p_value(cheapest.p_adjusted)}, adjusted)"
    return f"; that {cheapest.evaluation} did better may be chance"


def _about_all(study: OwnStudy) -> str:
    """The mean regret of choosing by the goal itself and by each of the usual metrics, and whether one is better."""
    names = study.usual
    regrets = {(choice.goal, choice.evaluation): choice.regret for choice in study.choices if choice.regret is not None}
    goals = [name for name in names if (name, name) in regrets]
    if len(names) < 2 or not goals:
        return "There is nothing to compare: no two metrics could be asked of these models."
    by_metric = {by: [regrets[goal, by] for goal in goals if (goal, by) in regrets] for by in names}
    means = {by: float(np.mean(each)) for by, each in by_metric.items() if each}
    itself = float(np.mean([regrets[goal, goal] for goal in goals]))
    beaten = [goal for goal in goals if _better_than(study, goal) is not None]
    text = f"Over {counted(len(goals), 'goal metric')}, choosing by the goal itself has a mean regret of {itself:.2f} "
    text += f"(0 is perfect, 1 a coin flip), {_range(means)}; "
    if not beaten:
        return f"{text}for no goal is another metric better beyond chance: choose by your goal.{_few(study)}"
    return f"{text}choose by your goal, but for {listed(beaten)}, where another metric is better.{_few(study)}"


def _range(means: dict[str, float]) -> str:
    best, worst = min(means, key=lambda name: means[name]), max(means, key=lambda name: means[name])
    low, high = f"{means[best]:.2f}", f"{means[worst]:.2f}"
    if low == high:
        return f"by any one metric {low}: here it makes no difference which"
    return f"by any one metric from {low} ({best}) to {high} ({worst})"

"""What the experiment found of a pair of models on a data set: who is better by each metric, in every repetition."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.comparing import DUST
from referee.paper.settings import AVERAGE, FIVE
from referee.paper.subsets import decided

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array
    from referee.scoring import Metric

    Approach = Literal["test_sets", "holdout"]
    """Whether models are selected on the test rows, dealt out anew, or on other rows."""
    Role = Literal["goal", "evaluation"]
    """Whether rows tell which model is better, or are those that a model is selected on."""
    Test = Literal["t", "sign"]
    from collections.abc import Iterator

    from referee.paper.repetitions import Repeating, Unit
    from referee.paper.settings import Settings

    Records = Mapping[Unit, Mapping[str, Any]]

APPROACHES: tuple[Approach, ...] = ("test_sets", "holdout")
ROLES: tuple[Role, ...] = ("goal", "evaluation")


@dataclass(frozen=True, eq=False)
class Partition:
    """Rows dealt out into subsets, in every repetition; metrics stand in the order of the case's."""

    differences: Array
    """a - b in the metric's own units, exactly 0 where it is only rounding: (repetition, subset, metric)."""
    whole_a: Array
    """The value of a on all these rows together: (repetition, metric)."""
    whole_b: Array


@dataclass(frozen=True, eq=False)
class CaseOutcomes:
    """Two models of one kind on one data set.

    >>> case = CaseOutcomes.made_up(repetitions=4)
    >>> case.outcomes("holdout", "goal").shape, list(case.metrics)
    ((4, 2), ['accuracy', 'log_loss'])
    """

    data_set: str
    pair: str
    """The learner's name: tree, knn or naive_bayes in the paper's experiment."""
    a: str
    b: str
    """The specifications of the two models."""
    metrics: Mapping[str, Metric]
    """By the name that tables use: metric.name where that is unique."""
    partitions: Mapping[tuple[Approach, Role], Partition]
    """Of the test-set approach, both are of the same rows; of the holdout approach, of different rows."""
    alpha: float = 0.05

    @property
    def repetitions(self) -> int:
        return len(self.partitions[APPROACHES[0], "goal"].whole_a)

    def column(self, metric: str) -> int:
        """The place of a metric in all arrays."""
        return list(self.metrics).index(metric)

    @property
    def direction(self) -> Array:
        """1 where higher is better, -1 where lower is: (metric,)."""
        return np.array([1 if metric.better == "higher" else -1 for metric in self.metrics.values()])

    def gains(self, approach: Approach, role: Role) -> Array:
        """By how much a is better on each subset, whatever the direction: (repetition, subset, metric)."""
        return self.partitions[approach, role].differences * self.direction

    def mean_gains(self, approach: Approach, role: Role) -> Array:
        """By how much a is better in the mean over the subsets, 0 where only rounding is left: (repetition, metric)."""
        gains = self.gains(approach, role)
        means = gains.mean(axis=1)
        return np.where(np.abs(means) <= DUST * np.abs(gains).max(axis=1), 0.0, means)

    @cache  # noqa: B019 (a case lives as long as the study)
    def outcomes(self, approach: Approach, role: Role, test: Test = "t") -> Array:
        """1: a is significantly better; -1: b is; 0: a tie. (repetition, metric), int8."""
        gains = np.moveaxis(self.gains(approach, role), 1, 2)
        return decided(gains, test, self.alpha)

    def correct(self, approach: Approach, goal: str, evaluation: str, test: Test = "t") -> Array:
        """Whether the evaluation metric selects as the goal metric says, in each repetition."""
        truth = self.outcomes(approach, "goal", test)[:, self.column(goal)]
        return np.asarray(self.outcomes(approach, "evaluation", test)[:, self.column(evaluation)] == truth)

    def crossed(self, approach: Approach, goal: str, evaluation: str, test: Test = "t") -> Array:
        """Repetitions by outcome: (goal, evaluation), each a better, tie, b better."""
        truth = 1 - self.outcomes(approach, "goal", test)[:, self.column(goal)].astype(int)
        chosen = 1 - self.outcomes(approach, "evaluation", test)[:, self.column(evaluation)].astype(int)
        return np.bincount(3 * truth + chosen, minlength=9).reshape(3, 3)

    def signs(self, approach: Approach, role: Role) -> Array:
        """Who is better on each single subset: (repetition, subset, metric), 1 for a, -1 for b, 0 for neither."""
        return np.sign(self.gains(approach, role)).astype(np.int8)

    @classmethod
    def made_up(cls, repetitions: int = 20, subsets: int = 10, seed: int = 0) -> CaseOutcomes:
        """A case without data or models, for examples and tests."""
        from referee.scoring import metrics

        draw = np.random.default_rng(seed)
        chosen = {name: metrics[name] for name in ("accuracy", "log_loss")}

        def partition() -> Partition:
            differences = draw.normal(0.01, 0.03, (repetitions, subsets, len(chosen))).round(3)
            whole_b = draw.uniform(0.4, 0.6, (repetitions, len(chosen)))
            return Partition(differences, whole_b + differences.mean(axis=1), whole_b)

        parts = {(approach, role): partition() for approach in APPROACHES for role in ROLES}
        return cls("made_up", "tree", "tree(prune=true)", "tree", chosen, parts)


def cases_of(records: Records, work: Repeating, settings: Settings) -> tuple[CaseOutcomes, ...]:
    """The outcomes of every pair on every data set; `settings` may differ in what is chosen after the fits."""
    return tuple(
        _case(records, work, settings, name, place) for name in work.data for place in range(len(settings.pairs))
    )


def _case(records: Records, work: Repeating, settings: Settings, name: str, place: int) -> CaseOutcomes:
    pair = work.pairs[name][place]
    each = [record for unit, record in sorted(records.items()) if unit.data_set == name]
    differences = np.stack([record[f"{pair.name}_differences"] for record in each])
    whole = np.stack([record[f"{pair.name}_whole"] for record in each], axis=1)
    if AVERAGE in settings.chosen:
        data = work.data[name]
        weights, constant = average_of_five(settings, float((data.target == data.positive).mean()))
        differences = np.concatenate([differences, (differences @ weights)[..., None]], axis=-1)
        whole = np.concatenate([whole, (whole @ weights + constant)[..., None]], axis=-1)
    parts = dict(_partitions(differences, whole, settings))
    return CaseOutcomes(name, pair.name, pair.a, pair.b, settings.chosen, parts, settings.alpha)


def _partitions(differences: Array, whole: Array, settings: Settings) -> Iterator[tuple[Any, Partition]]:
    sizes = {"test_sets": settings.test_subsets, "holdout": settings.holdout_subsets}
    start = 0
    for place, (approach, role) in enumerate((approach, role) for approach in APPROACHES for role in ROLES):
        end = start + sizes[approach]
        yield (approach, role), Partition(differences[:, start:end], whole[0, :, place], whole[1, :, place])
        start = end


def average_of_five(settings: Settings, positives: float) -> tuple[Array, float]:
    """The weight of each measured metric in the average, and what is added.

    Plain: (accuracy + AUC + F + (1 - RMS) + (1 - MXE)) / 5. Normalised, as Caruana and Niculescu-Mizil (2004) do:
    each is 0 for guessing with the share of positives, and 1 for a perfect model.

    >>> from referee.paper.settings import Settings
    >>> weights, constant = average_of_five(Settings(), 0.25)
    >>> weights.tolist(), constant
    ([0.2, 0.2, 0.2, -0.2, -0.2], 0.4)
    """
    guessing, perfect = _guessing(positives), {"rms": 0.0, "log_loss": 0.0}
    weights, constant = np.zeros(len(settings.measured)), 0.0
    for name in FIVE:
        best = perfect.get(name, 1.0)
        worst = 1 - best if settings.average == "plain" else guessing[name]
        weights[list(settings.measured).index(name)] = 1 / (best - worst) / len(FIVE)
        constant -= worst / (best - worst) / len(FIVE)
    return weights, constant


def _guessing(positives: float) -> dict[str, float]:
    """What guessing gives: the commoner class, the share of positives, or for F every row as positive."""
    shares = np.array([positives, 1 - positives])
    return {
        "accuracy": float(shares.max()),
        "roc_auc": 0.5,
        "f_beta": 2 * positives / (1 + positives),
        "rms": float(np.sqrt(shares.prod())),
        "log_loss": float(-(shares * np.log(shares)).sum()),
    }

"""Outcomes of a pair of models on a data set: who is better by each metric, and which outcomes are taken for which."""

from __future__ import annotations

from functools import cache
from math import inf, nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.comparing import DUST
from referee.paper.settings import AVERAGE, FIVE, Settings
from referee.paper.subsets import decided
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.arrays import Array
    from referee.paper.experiment import Repeating, Unit
    from referee.scoring import Metric

    Approach = Literal["test_sets", "holdout"]
    """Whether models are selected on the test rows, dealt out anew, or on other rows."""
    Role = Literal["goal", "evaluation"]
    """Whether rows tell which model is better, or are those that a model is selected on."""
    Test = Literal["t", "sign"]
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


@dataclass(frozen=True)
class Confusions:
    """Repetitions by what the goal says and what the evaluation metric selects.

    >>> of_the_paper = Confusions(np.array([[8, 5, 0], [21, 39, 5], [5, 8, 9]]))
    >>> of_the_paper.a_with_tie, of_the_paper.b_with_tie, of_the_paper.a_with_b, of_the_paper.found
    (26, 13, 5, 17)
    """

    crossed: Array
    """(goal, evaluation metric), each: a is better, a tie, b is better."""

    @property
    def a_with_tie(self) -> int:
        return int(self.crossed[0, 1] + self.crossed[1, 0])

    @property
    def b_with_tie(self) -> int:
        return int(self.crossed[2, 1] + self.crossed[1, 2])

    @property
    def a_with_b(self) -> int:
        return int(self.crossed[0, 2] + self.crossed[2, 0])

    @property
    def ratio(self) -> float:
        """Of correct selections."""
        return float(np.trace(self.crossed) / self.crossed.sum())

    @property
    def different(self) -> int:
        """Repetitions in which one model is better on the goal."""
        return int(self.crossed[[0, 2]].sum())

    @property
    def found(self) -> int:
        """Those of them in which the better one is selected."""
        return int(self.crossed[0, 0] + self.crossed[2, 2])

    @property
    def recall(self) -> float:
        """The share of them; nan where no model is ever better."""
        return self.found / self.different if self.different else np.nan

    def to_dict(self) -> dict[str, object]:
        names = ("a_with_tie", "b_with_tie", "a_with_b", "different", "found")
        recall = self.recall if self.different else None
        return {"crossed": self.crossed.tolist(), **{name: getattr(self, name) for name in names}, "recall": recall}


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

    def confusions(self, approach: Approach, goal: str, evaluation: str) -> Confusions:
        truth = 1 - self.outcomes(approach, "goal")[:, self.column(goal)].astype(int)
        chosen = 1 - self.outcomes(approach, "evaluation")[:, self.column(evaluation)].astype(int)
        return Confusions(np.bincount(3 * truth + chosen, minlength=9).reshape(3, 3))

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


@dataclass(frozen=True)
class Agreement:
    """Pairs of models by what two metrics f and g say of them (Huang and Ling 2005, IEEE TKDE 17, 299-310).

    >>> six_examples = Agreement(agree=113, contradict=1, only_f=62, only_g=4, neither=10)
    >>> round(six_examples.consistency, 3), six_examples.discriminancy
    (0.991, 15.5)
    """

    agree: int
    """R: the same model is better by both."""
    contradict: int
    """S: one model is better by f, the other by g."""
    only_f: int
    """P: f tells them apart, g does not."""
    only_g: int
    """Q: g tells them apart, f does not."""
    neither: int = 0

    @property
    def consistency(self) -> float:
        """R / (R + S): how often they agree where both tell the models apart; above 1/2 they are consistent."""
        both = self.agree + self.contradict
        return self.agree / both if both else nan

    @property
    def discriminancy(self) -> float:
        """P / Q: above 1 f is the more discriminating; infinite where g tells nothing apart that f does not."""
        return self.only_f / self.only_g if self.only_g else (inf if self.only_f else nan)

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def to_dict(self) -> dict[str, float | None]:
        degrees = {"consistency": self.consistency, "discriminancy": self.discriminancy}
        return vars(self) | {name: degree if np.isfinite(degree) else None for name, degree in degrees.items()}


def agreement(f: Array, g: Array) -> Agreement:
    """Count pairs by who is better in each (1, -1, or 0 for neither), by one metric and by the other.

    >>> agreement(np.array([1, 1, -1, 0, 0]), np.array([1, -1, 0, 1, 0]))
    Agreement(agree=1, contradict=1, only_f=1, only_g=1, neither=1)
    """
    f, g = np.sign(f), np.sign(g)
    product = f * g
    return Agreement(
        int((product > 0).sum()),
        int((product < 0).sum()),
        int(((f != 0) & (g == 0)).sum()),
        int(((f == 0) & (g != 0)).sum()),
        int(((f == 0) & (g == 0)).sum()),
    )


def agreement_on_subsets(cases: Sequence[CaseOutcomes], f: str, g: str) -> Agreement:
    """Of all holdout subsets of all repetitions of all cases: each is a pair of models, as Huang and Ling compare them.

    >>> counts = agreement_on_subsets([CaseOutcomes.made_up()], "accuracy", "log_loss")
    >>> counts.agree + counts.contradict + counts.only_f + counts.only_g + counts.neither
    200
    """
    return _added([(case, case.signs("holdout", "evaluation")) for case in cases], f, g)


def agreement_on_repetitions(cases: Sequence[CaseOutcomes], f: str, g: str) -> Agreement:
    """Of all repetitions of all cases, where a model is better only if the test says so: 'too sensitive' shows here.

    >>> agreement_on_repetitions([CaseOutcomes.made_up()], "accuracy", "accuracy").contradict
    0
    """
    return _added([(case, case.outcomes("holdout", "evaluation")) for case in cases], f, g)


def _added(better: Sequence[tuple[CaseOutcomes, Array]], f: str, g: str) -> Agreement:
    each = (agreement(signs[..., case.column(f)], signs[..., case.column(g)]) for case, signs in better)
    return sum(each, Agreement(0, 0, 0, 0))

"""Settings: everything about the experiment that the paper leaves open, or that somebody may want otherwise."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import split_list
from referee.errors import UndefinedError, UsageError
from referee.fitting import Feature, ask_together, estimators_of, families, fit_together
from referee.paper.datasets import PEN_DIGITS
from referee.records import dataclass
from referee.scoring import metrics as catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.scoring import Metric


@dataclass(frozen=True)
class Pair:
    """Two models that compete, as SPECs; `{first}` and `{second}` stand for the data set's numbers of attributes.

    >>> Pair("naive_bayes", "naive_bayes(attributes={first})", "naive_bayes(attributes={second})").on((8, 10)).b
    'naive_bayes(attributes=10)'
    """

    name: str
    a: str
    b: str

    @classmethod
    def read(cls, text: str) -> Pair:
        """Read NAME=SPEC,SPEC.

        >>> Pair.read("knn=knn(k=1),knn(k=9, weights=distance)")
        Pair(name='knn', a='knn(k=1)', b='knn(k=9, weights=distance)')
        """
        name, equals, specs = text.partition("=")
        two = [spec.strip() for spec in split_list(specs)] if equals else []
        if len(two) != 2 or not name.isidentifier():
            raise UsageError(
                "E_PAIR",
                f"--pair {text!r} is not a pair of models",
                hint="write NAME=SPEC,SPEC: knn=knn(k=5),knn(k=50)",
            )
        return cls(name, *two)

    def on(self, attributes: tuple[int, int]) -> Pair:
        """The pair on a data set of which the two models of naive Bayes take so many first attributes."""
        return replace(self, a=_filled(self.a, attributes), b=_filled(self.b, attributes))


def _filled(spec: str, attributes: tuple[int, int]) -> str:
    return spec.replace("{first}", str(attributes[0])).replace("{second}", str(attributes[1]))


PAPER_PAIRS = (
    Pair("tree", "tree(like=c45, prune=true)", "tree(like=c45)"),
    Pair("knn", "knn(k=5, ties=keep, prior=1)", "knn(k=50, ties=keep, prior=1)"),
    Pair("naive_bayes", "naive_bayes(like=weka, attributes={first})", "naive_bayes(like=weka, attributes={second})"),
)


def refuse_models(pair: Pair, features: Sequence[Feature]) -> None:
    """Refuse models that cannot be made, or give no probabilities, before anything is fitted."""
    for name, model in estimators_of([pair.a, pair.b], features, "binary").items():
        if not hasattr(model, "predict_proba"):
            raise UsageError("E_NOSCORE", f"{name} has no predict_proba, which most of the paper's metrics need")


def refuse_few_rows(pair: Pair, features: Sequence[Feature], rows: int, data_set: str) -> None:
    """Refuse to ask for more neighbours than there are training rows, before anything is fitted."""
    for name, model in estimators_of([pair.a, pair.b], features, "binary").items():
        if getattr(model, "k", 0) > rows:
            raise UndefinedError(
                "E_TOOFEW",
                f"{data_set}: {name} asks for more neighbours than there are training rows ({rows:,})",
                hint="use a larger --train, or other models: --pair",
            )


@dataclass(frozen=True, eq=False)
class Sample:
    """What the models of a pair are fitted on, and asked about."""

    features: Sequence[Feature]
    X_train: Array
    y_train: Array
    X_test: Array
    positive: int
    seed: int


def predicted(pair: Pair, sample: Sample) -> tuple[Array, Array]:
    """The probability of the positive class that each of the two models gives to each test row.

    Neighbours are looked for once for both k, and a tree is grown once of which pruning is the other.
    """
    models = estimators_of([pair.a, pair.b], sample.features, "binary", sample.seed)
    said: dict[str, Array] = {}
    for names in families(models):
        fitted = [
            fit.estimator for fit in fit_together([models[name] for name in names], sample.X_train, sample.y_train)
        ]
        answers = ask_together(fitted, "predict_proba", sample.X_test)
        for name, model, answer in zip(names, fitted, answers, strict=True):
            said[name] = _of_positive(np.asarray(answer), model.classes_, sample.positive)
    a, b = (said[name] for name in models)
    return a, b


def _of_positive(probabilities: Array, classes: Array, positive: int) -> Array:
    """The column of the positive class; a class that was not seen is impossible."""
    place = np.flatnonzero(np.asarray(classes, int) == positive)
    return np.ascontiguousarray(probabilities[:, place[0]], float) if len(place) else np.zeros(len(probabilities))


AVERAGE = "paper_average"
FIVE = ("accuracy", "roc_auc", "f_beta", "rms", "log_loss")
SIX = (*FIVE, AVERAGE)
"""In the order of the paper's Tables 6 and 7."""
EIGHT = ("accuracy", "roc_auc", "lift", "break_even_point", "f_beta", "average_precision", "rms", "log_loss")
"""Those of Huang and Ling's earlier study."""
METRICS = {"paper": SIX, "eight": (*EIGHT, AVERAGE)}
TIES = ("half", "strict", "excluded")
AVERAGES = ("plain", "normalised")


@dataclass(frozen=True)
class Settings:
    """How the experiment is done; the defaults are the paper's, and where it is silent those of the guide.

    >>> Settings().train_holdout_test
    (0.1, 0.45, 0.45)
    """

    repetitions: int = 100
    seed: int = 0
    train: float = 0.1
    holdout: float = 0.45
    test_subsets: int = 100
    holdout_subsets: int = 50
    retrain: bool = True
    """Whether every repetition has a training set and models of its own."""
    pairs: tuple[Pair, ...] = PAPER_PAIRS
    metrics: str = "paper"
    """paper: the six; eight: those of Huang and Ling, and the average."""
    clip: float = 1e-6
    """The smallest probability that MXE believes."""
    pen_digits: tuple[str, ...] = PEN_DIGITS
    alpha: float = 0.05
    ties: str = "half"
    """How a subset counts in Table 2 on which both models are equal: half, strict (wrong) or excluded."""
    average: str = "plain"
    """plain: the paper's formula; normalised: each of the five is 0 for guessing and 1 for a perfect model."""

    def __post_init__(self) -> None:
        for name, allowed in {"metrics": METRICS, "ties": TIES, "average": AVERAGES}.items():
            if getattr(self, name) not in allowed:
                raise UsageError("E_PARAMETER", f"{name}={getattr(self, name)!r} is not one of {', '.join(allowed)}")
        if self.repetitions < 1 or min(self.test_subsets, self.holdout_subsets) < 2:
            raise UsageError("E_PARAMETER", "at least 1 repetition and 2 subsets are needed")
        if not 0 < self.clip <= 0.5:
            raise UsageError(
                "E_PARAMETER",
                f"clip={self.clip:g} must be above 0 and at most 0.5: otherwise MXE has no mean over subsets",
            )
        if not self.pen_digits:
            raise UsageError("E_POSITIVE", "no pen digit is positive", hint="such as 7,8,9 or 0,1,2")
        if not (self.train > 0 and self.holdout > 0 and self.train + self.holdout < 1):
            raise UsageError(
                "E_PARAMETER", f"train={self.train:g} and holdout={self.holdout:g} leave no row to test on"
            )

    @property
    def train_holdout_test(self) -> tuple[float, float, float]:
        return self.train, self.holdout, round(1 - self.train - self.holdout, 12)

    @property
    def chosen(self) -> Mapping[str, Metric]:
        """The metrics by the names that tables use."""
        return {name: self._metric(name) for name in METRICS[self.metrics]}

    def _metric(self, name: str) -> Metric:
        metric = catalogue[name]
        return metric.bind(clip=self.clip) if "clip" in metric.defaults else metric

    @property
    def measured(self) -> Mapping[str, Metric]:
        """Those that are measured on subsets: the average follows from the five."""
        return {name: metric for name, metric in self.chosen.items() if name != AVERAGE}

    @property
    def fingerprint(self) -> str:
        """A hash of what the records of a run depend on; the others can be chosen after it."""
        said = (self.train, self.holdout, self.test_subsets, self.holdout_subsets, self.retrain, self.pairs)
        measured = [metric.full_name for metric in self.measured.values()]
        return blake2b(repr((said, measured)).encode(), digest_size=16).hexdigest()


def with_pairs(texts: Sequence[str]) -> tuple[Pair, ...]:
    """The paper's pairs, with those that are given as NAME=SPEC,SPEC in their place or behind them.

    >>> [pair.name for pair in with_pairs(["knn=knn(k=1),knn(k=9)", "linear=logistic,dummy"])]
    ['tree', 'knn', 'naive_bayes', 'linear']
    """
    pairs = {pair.name: pair for pair in PAPER_PAIRS} | {pair.name: pair for pair in map(Pair.read, texts)}
    return tuple(pairs.values())

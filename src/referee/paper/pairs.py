"""The pairs of competing models, and what the two of a pair predict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import split_list
from referee.errors import UndefinedError, UsageError
from referee.fitting import ask_together, estimators_of, families, fit_together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.fitting import Feature


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
                "E_PAIR", f"--pair {text!r} is no pair of models", hint="write NAME=SPEC,SPEC: knn=knn(k=5),knn(k=50)"
            )
        return cls(name, *two)

    def on(self, attributes: tuple[int, int]) -> Pair:
        """The pair on a data set of which the two models of naive Bayes take so many first attributes."""
        return replace(self, a=_filled(self.a, attributes), b=_filled(self.b, attributes))


def _filled(spec: str, attributes: tuple[int, int]) -> str:
    return spec.replace("{first}", str(attributes[0])).replace("{second}", str(attributes[1]))


PAPER_PAIRS = (
    Pair("tree", "tree(prune=true)", "tree"),
    Pair("knn", "knn(k=5)", "knn(k=50)"),
    Pair("naive_bayes", "naive_bayes(attributes={first})", "naive_bayes(attributes={second})"),
)


def refuse_models(pair: Pair, features: Sequence[Feature]) -> None:
    """Refuse models that cannot be made, or give no probabilities, before anything is fitted."""
    for name, model in estimators_of([pair.a, pair.b], features, "binary").items():
        if not hasattr(model, "predict_proba"):
            raise UsageError("E_NOSCORE", f"{name} has no predict_proba, and most of the paper's metrics need it")


def refuse_few_rows(pair: Pair, features: Sequence[Feature], rows: int, data_set: str) -> None:
    """Refuse to ask for more neighbours than there are training rows, before anything is fitted."""
    for name, model in estimators_of([pair.a, pair.b], features, "binary").items():
        if getattr(model, "k", 0) > rows:
            raise UndefinedError(
                "E_TOOFEW",
                f"{data_set}: {name} asks for more neighbours than there are training rows ({rows:,})",
                hint="a larger --train, or other models: --pair",
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
            one.estimator for one in fit_together([models[name] for name in names], sample.X_train, sample.y_train)
        ]
        answers = ask_together(fitted, "predict_proba", sample.X_test)
        for name, model, answer in zip(names, fitted, answers, strict=True):
            said[name] = _of_positive(np.asarray(answer), model.classes_, sample.positive)
    a, b = (said[name] for name in models)
    return a, b


def _of_positive(found: Array, classes: Array, positive: int) -> Array:
    """The column of the positive class; a class that was not seen is impossible."""
    place = np.flatnonzero(np.asarray(classes, int) == positive)
    return np.ascontiguousarray(found[:, place[0]], float) if len(place) else np.zeros(len(found))

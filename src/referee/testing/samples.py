"""Small made-up predictions, what they are worth, and what is said where a declaration is false.

All numbers are dyadic, so that scaling them by powers of two is exact.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from itertools import permutations
from math import isnan
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from referee.engines import engine_of
from referee.predictions import Lists, Model, Predictions, ScoredRows, Units
from referee.scoring import Metric, Task, values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.arrays import Array


LEVELS = (0.25, 0.5, 0.75)
HIGHEST = 64.0
"""Above all scores that are drawn."""
UNTIED = np.array([p for p in permutations(range(1, 12), 3) if sum(p) == 16]) / 16
"""Probabilities of three classes without ties: which of equal classes comes first is a matter of their order."""


def binary(truth: Any, scores: Any, **given: Any) -> Predictions:
    model = Model("m", scores=np.asarray(scores, float))
    return Predictions("binary", np.asarray(truth, np.int64), (model,), ("0", "1"), positive=1, **given)


def multiclass(truth: Any, columns: Any, **given: Any) -> Predictions:
    """Take a (row, class) matrix."""
    matrix = np.asarray(columns, float)
    model = Model("m", class_scores=tuple(matrix.T))
    classes = tuple(map(str, range(matrix.shape[1])))
    return Predictions("multiclass", np.asarray(truth, np.int64), (model,), classes, **given)


def regression(truth: Any, values: Any, spread: float = 0.5, **given: Any) -> Predictions:
    """Predict numbers, and quantiles around them."""
    values = np.asarray(values, float)
    quantiles = {level: values + spread * (4 * level - 2) for level in LEVELS}
    model = Model("m", values=values, quantiles=quantiles)
    return Predictions("regression", np.asarray(truth, float), (model,), **given)


def scored(scores: Any, **given: Any) -> Predictions:
    model = Model("m", values=np.asarray(scores, float))
    return Predictions("scores", np.zeros(len(scores)), (model,), scored=ScoredRows(), **given)


def ranking(relevance: Any, scores: Any, **given: Any) -> Predictions:
    """Take a list of items for each query."""
    model = Model("m", scores=_as_column(scores))
    return Predictions("ranking", _as_column(relevance), (model,), query_column="query", **given)


def multilabel(truth: Any, scores: Any, **given: Any) -> Predictions:
    """Take a (row, label) matrix each."""
    return Predictions("multilabel", _as_column(truth), (Model("m", scores=_as_column(scores)),), **given)


LISTS: dict[str, Callable[..., Predictions]] = {"ranking": ranking, "multilabel": multilabel}


def _as_column(lists: Any) -> Array:
    return cast("Array", lists if isinstance(lists, Lists) else Lists.of(lists))


def sample(task: Task, seed: int, rows: int = 24) -> Predictions:
    """Draw predictions that know something of the truth, with ties and without weights; all classes occur."""
    draw = np.random.default_rng(seed)
    if task == "scores":
        return scored(draw.integers(-8, 13, rows) / 4)
    if task == "regression":
        truth = draw.integers(1, 40, rows) * draw.choice([-1, 1, 1], rows) / 4
        return regression(truth, truth + draw.integers(-12, 13, rows) / 4)
    if task in LISTS:
        return LISTS[task](*_drawn_lists(task, draw, rows))
    classes = 2 if task == "binary" else 3
    truth = draw.permutation(np.arange(rows) % (classes + 1) % classes)
    if task == "binary":
        # Odd multiples of 1/64: none at the threshold, and 1 - p is exact.
        level = np.clip(draw.integers(0, 32, rows) + 6 * (2 * truth - 1), 0, 31)
        return binary(truth, (2 * level + 1) / 64)
    columns = UNTIED[draw.integers(0, len(UNTIED), rows)]
    informed = np.argmax(columns, axis=1) == truth
    return multiclass(truth, np.where((informed | (draw.random(rows) < 0.5))[:, None], columns, columns[::-1]))


def _drawn_lists(task: Task, draw: np.random.Generator, rows: int) -> tuple[Array, Array]:
    """Four items of each query, one of them relevant and one not, or three labels of each row."""
    if task == "multilabel":
        truth = draw.integers(0, 2, (rows, 3))
        return truth, (2 * np.clip(draw.integers(0, 32, (rows, 3)) + 6 * (2 * truth - 1), 0, 31) + 1) / 64
    relevance = draw.permuted(np.hstack([draw.integers(0, 4, (rows, 2)), np.tile([0, 1], (rows, 1))]), axis=1)
    return relevance, (draw.integers(0, 16, (rows, 4)) + 4 * relevance) / 64


def samples_for(metric: Metric, number: int = 6) -> list[Predictions]:
    """Draw some predictions for each task of the metric, every other one with weights, every third one misled."""
    weights = np.random.default_rng(0).integers(0, 4, 24) + np.eye(1, 24)[0]
    drawn = [(seed, sample(task, seed)) for task in metric.tasks for seed in range(number)]
    drawn = [(seed, misled(predictions) if seed % 3 == 2 else predictions) for seed, predictions in drawn]
    return [replace(predictions, weight=weights) if seed % 2 else predictions for seed, predictions in drawn]


def misled(predictions: Predictions) -> Predictions:
    """The same predictions for rows that are of another class, or of other numbers."""
    truth, classes = predictions.truth, len(predictions.classes)
    return replace(predictions, truth=(truth + 1) % classes if classes else truth[::-1])


def perfect(predictions: Predictions) -> Predictions:
    """The same rows, predicted as they are."""
    truth = predictions.truth
    if predictions.task == "scores":
        return replace(predictions, models=scored(np.full(len(truth), HIGHEST)).models)
    if predictions.task == "regression":
        return replace(predictions, models=regression(truth, truth, spread=0.0).models)
    if isinstance(truth, Lists):
        return with_columns(predictions, truth)
    if predictions.task == "binary":
        return replace(predictions, models=(Model("m", scores=(truth == predictions.positive).astype(float)),))
    return with_columns(predictions, np.eye(len(predictions.classes))[truth])


def with_columns(predictions: Predictions, columns: Any) -> Predictions:
    """The same rows with other scores: one per row, or one per row and class, or Lists."""
    if isinstance(columns, Lists):
        return replace(predictions, models=(Model("m", scores=_as_column(columns)),))
    columns = np.asarray(columns, float)
    model = Model("m", scores=columns) if columns.ndim == 1 else Model("m", class_scores=tuple(columns.T))
    return replace(predictions, models=(model,))


def columns_of(predictions: Predictions) -> Array:
    """The scores: one per row, or one per row and class."""
    (model,) = predictions.models
    return np.stack(model.class_scores, axis=1) if model.class_scores is not None else np.asarray(model.scores)


def take(predictions: Predictions, rows: Array) -> Predictions:
    """Choose rows, by their places or by a mask."""
    return predictions.part(rows)


def dealt(rows: int, units: int) -> Units:
    """Deal rows out to units in turn."""
    return Units(np.arange(rows) % units, tuple(map(str, range(units))))


def renamed(predictions: Predictions, order: Sequence[int]) -> Predictions:
    """Give the classes another order: class `order[i]` becomes class i, and keeps its scores and its role."""
    (model,) = predictions.models
    new_code = np.argsort(order)
    columns = model.class_scores and tuple(model.class_scores[old] for old in order)
    tie_order = tuple(int(code) for code in new_code) if model.class_scores else None
    labels = None if model.labels is None else new_code[model.labels]
    return replace(
        predictions,
        truth=new_code[predictions.truth],
        positive=None if predictions.positive is None else int(new_code[predictions.positive]),
        classes=tuple(predictions.classes[old] for old in order),
        models=(replace(model, class_scores=columns, tie_order=tie_order, labels=labels),),
    )


_engine: ContextVar[str] = ContextVar("engine", default="memory")


@contextmanager
def using_engine(name: str) -> Iterator[None]:
    """Check contracts on another engine than the one for arrays.

    >>> from referee import metrics
    >>> from referee.testing.invariances import check_units_alone
    >>> with using_engine("database"):
    ...     check_units_alone(metrics["accuracy"], sample("binary", seed=0))
    """
    token = _engine.set(name)
    try:
        yield
    finally:
        _engine.reset(token)


def summary_of(predictions: Predictions, by: Units | None = None) -> Any:
    """The summary of the first model, by the engine in use."""
    if _engine.get() == "database" and predictions.has_rows and not isinstance(predictions.truth, Lists):
        predictions, by = in_database(predictions, by)
    return engine_of(predictions).summarise(predictions, predictions.models[0], by)


def in_database(predictions: Predictions, by: Units | None = None) -> tuple[Predictions, Units | None]:
    """The same predictions, and units, as a table of Ibis' default database: DuckDB in memory."""
    import ibis
    import pyarrow as pa

    arrays: list[Any] = []
    _with_columns(predictions, by, lambda array: arrays.append(np.ascontiguousarray(array)))
    names = [f"column {place}" for place in range(len(arrays))]
    table = ibis.memtable(pa.table(dict(zip(names, arrays, strict=True))))
    columns = iter([table[name] for name in names])
    stored, units = _with_columns(predictions, by, lambda _: next(columns))
    return replace(stored, engine="database", row_count=predictions.rows), units


def _with_columns(
    predictions: Predictions, by: Units | None, go: Callable[[Any], Any]
) -> tuple[Predictions, Units | None]:
    """Put something else in the place of every array, always in the same order."""

    def single(column: Any) -> Any:
        return None if column is None else go(column)

    def units(each: Units | None) -> Any:
        return None if each is None else Units(go(each.codes), each.names)

    def model(each: Model) -> Model:
        columns = {name: single(getattr(each, name)) for name in ("scores", "labels", "values")}
        class_scores = each.class_scores and tuple(map(go, each.class_scores))
        quantiles = each.quantiles and {level: go(column) for level, column in each.quantiles.items()}
        return replace(each, **columns, class_scores=class_scores, quantiles=quantiles)

    return replace(
        predictions,
        **{name: single(getattr(predictions, name)) for name in ("truth", "weight", "baseline")},
        **{name: units(getattr(predictions, name)) for name in ("fold", "repeat", "group")},
        models=tuple(map(model, predictions.models)),
        slices={name: units(each) for name, each in predictions.slices.items()},
    ), units(by)


ROUNDING = 1e-12


class ContractError(AssertionError):
    """A metric is not what it says it is."""


def require(metric: Metric, truth_of_it: object, claim: str) -> None:
    """Raise unless the claim about the metric is true."""
    if not truth_of_it:
        raise ContractError(f"{metric.name or metric.title}: not true: {claim}")


def scores(metric: Metric, predictions: Predictions, by: Units | None = None) -> Array:
    """Score the first model in each unit."""
    return values(metric, summary_of(predictions, by), len(predictions.classes), predictions.positive)


def score(metric: Metric, predictions: Predictions) -> float:
    return float(scores(metric, predictions)[0])


def same(a: float, b: float, tolerance: float = ROUNDING) -> bool:
    """Whether two values are equal, both undefined, or differ by rounding, relative where they are large."""
    if isnan(a) or isnan(b):
        return isnan(a) and isnan(b)
    return a == b or abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def exact_unless_sums(metric: Metric) -> float:
    """The tolerance for a change that leaves counts and rankings as they are but reorders sums."""
    return ROUNDING if "sums" in metric.summaries else 0.0


def as_loss(metric: Metric, value: float | Array) -> Array:
    """The value, negated if higher is better."""
    return np.asarray(value if metric.better == "lower" else -np.asarray(value))


def with_example_settings(metric: Metric) -> Iterator[Metric]:
    """The metric itself and as its examples set it: where one case is enough, any of these may be it."""
    yield metric
    for example in metric.examples:
        if example.settings:
            yield metric.bind(**example.settings)


def demo_table(seed: int = 0) -> dict[str, Any]:
    """Fit three models on one half of the breast cancer data, and predict the other: columns of a table.

    >>> list(demo_table())
    ['diagnosis', 'logistic', 'boosting', 'lda']
    """
    from sklearn.datasets import load_breast_cancer
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    data = load_breast_cancer()
    diagnosis = data.target_names[data.target]
    x, x_test, y, y_test = train_test_split(data.data, diagnosis, test_size=0.5, stratify=diagnosis, random_state=seed)
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=0.3)),
        "boosting": GradientBoostingClassifier(n_estimators=30, random_state=seed),
        "lda": LinearDiscriminantAnalysis(),
    }
    malignant = {name: model.fit(x, y).predict_proba(x_test)[:, 1] for name, model in models.items()}
    return {"diagnosis": y_test.astype(object), **malignant}

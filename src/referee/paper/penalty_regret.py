"""Holdout, cross-validation or a penalty: what each way to choose costs, where the error on many other rows is known.

The comparison of Kearns, Mansour, Ng and Ron (1997), on the study's data: candidates of growing complexity, fitted on
few rows. The paper takes from it that holdout sets are a good way to choose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.document import Cell, Column, Part, number_cell, table
from referee.fitting import PENALTIES, estimators_of, penalised
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.arrays import Array
    from referee.fitting import DataSet

SIZES = (100, 400)
"""Rows to choose and fit with."""
MOST_OTHERS = 2000
"""Rows that tell the true error."""
SHARE, FOLDS = 0.3, 5
ONE_IN = 25
"""So many of the study's repetitions have one here; fewer repetitions have none."""
WAYS = ("holdout", "cross-validation", *PENALTIES)


@dataclass(frozen=True)
class Candidates:
    """Models of one kind, the simplest first, and the penalties that are defined for them."""

    title: str
    specs: tuple[str, ...]
    penalties: tuple[str, ...]
    attributes: tuple[int | None, ...]
    """How many of the first ones each model learns from; None: all."""


FIRST = (1, 2, 4, 8)
FAMILIES = (
    Candidates(
        "C4.5 trees with at least 64, 16, 4 or 2 rows in a leaf",
        tuple(f"tree(like=c45, min_leaf={rows})" for rows in (64, 16, 4, 2)),
        ("mdl",),
        (None,) * 4,
    ),
    Candidates("naive Bayes on the first 1, 2, 4 or 8 attributes", ("naive_bayes",) * 4, ("aic", "bic"), FIRST),
    Candidates(
        "logistic regression on the first 1, 2, 4 or 8 attributes", ("logistic",) * 4, ("aic", "bic", "vc"), FIRST
    ),
)


class Model(NamedTuple):
    """A fitted model, and how many of the first attributes it knows."""

    estimator: Any
    attributes: int | None

    def seen(self, data: DataSet, rows: Array) -> Array:
        return np.asarray(data.X[rows, : self.attributes])


@dataclass(frozen=True)
class WayCost:
    """How much more often than the best candidate the one that was chosen errs."""

    family: str
    rows: int
    best: float
    """The error of the best candidate on other rows, a mean over all samples."""
    above: Mapping[str, float]
    """By the way to choose."""
    standard_errors: Mapping[str, float]
    """Over the data sets."""


def way_costs(data: Mapping[str, DataSet], repetitions: int, seed: int) -> tuple[WayCost, ...]:
    """Draw samples of each size from each data set, choose in every way, and look at the other rows."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    # The order in which threads add up would show in the last digit.
    with threadpool_limits(1):
        samples = repetitions // ONE_IN
        return tuple(
            _cost(family, size, [_of_data_set(family, size, item, samples, seed) for item in data.items()])
            for family in FAMILIES
            for size in SIZES
        )


def _cost(family: Candidates, size: int, by_data_set: Sequence[Array]) -> WayCost:
    """From errors (sample, way), the first of which is the best candidate's."""
    ways = _ways(family)
    means = np.array([errors.mean(axis=0) for errors in by_data_set])
    above = means[:, 1:] - means[:, :1]
    deviations = above.std(axis=0, ddof=1) / np.sqrt(len(above)) if len(above) > 1 else np.full(len(ways), np.nan)
    costs, errors = (dict(zip(ways, map(float, row), strict=True)) for row in (above.mean(axis=0), deviations))
    return WayCost(family.title, size, float(means[:, 0].mean()), costs, errors)


def _ways(family: Candidates) -> tuple[str, ...]:
    return tuple(way for way in WAYS if way not in PENALTIES or way in family.penalties)


def _of_data_set(family: Candidates, size: int, item: tuple[str, DataSet], samples: int, seed: int) -> Array:
    name, data = item
    errors = []
    for sample in range(samples):
        draw = np.random.default_rng([seed % 2**64, sample, size, *name.encode()])
        order = draw.permutation(data.rows)
        errors.append(choice_errors(family, data, order[:size], order[size : size + MOST_OTHERS]))
    return np.array(errors)


def choice_errors(family: Candidates, data: DataSet, rows: Array, others: Array) -> list[float]:
    """On other rows: of the best candidate, and of the one that each way chooses."""
    fitted = _fitted(family, data, rows)
    true = _error_of_each(fitted, data, others)
    parts = np.arange(len(rows)) * FOLDS // len(rows)
    held_out = len(rows) - round(SHARE * len(rows))
    folds = np.mean([_judged(family, data, rows[parts != fold], rows[parts == fold]) for fold in range(FOLDS)], axis=0)
    values = {"holdout": _judged(family, data, rows[:held_out], rows[held_out:]), "cross-validation": folds}
    known = data.target[rows], len(data.classes)
    for penalty in family.penalties:
        judged = [penalised("", model.estimator, (model.seen(data, rows), *known), penalty).value for model in fitted]
        values[penalty] = np.array([np.inf if value is None else value for value in judged])
    # Of equal ones the simplest.
    return [float(true.min()), *(float(true[values[way].argmin()]) for way in _ways(family))]


def _fitted(family: Candidates, data: DataSet, rows: Array) -> list[Model]:
    models = []
    for spec, count in zip(family.specs, family.attributes, strict=True):
        (estimator,) = estimators_of(spec, data.features[:count], "binary").values()
        models.append(Model(estimator.fit(data.X[rows, :count], data.target[rows]), count))
    return models


def _judged(family: Candidates, data: DataSet, train: Array, test: Array) -> Array:
    return _error_of_each(_fitted(family, data, train), data, test)


def _error_of_each(models: Sequence[Model], data: DataSet, rows: Array) -> Array:
    said = (model.estimator.predict(model.seen(data, rows)) for model in models)
    return np.array([np.mean(labels != data.target[rows]) for labels in said])


def penalty_part(costs: Sequence[WayCost], repetitions: int) -> Iterator[Part]:
    """What choosing by each way costs."""
    if not costs:
        return
    words = {way: PENALTIES[way].title if way in PENALTIES else way for way in WAYS}
    rows = [
        [
            Cell(cost.family), Cell(str(cost.rows), cost.rows), number_cell(cost.best),
            *(_above(cost, way) for way in words),
        ]
        for cost in costs
    ]  # fmt: skip
    said = (
        "error of the model chosen minus that of the best candidate, both fitted on all rows of the sample and "
        f"evaluated on up to {MOST_OTHERS:,} others; {repetitions // ONE_IN} samples of each data set, ± standard "
        "error over the "
        "data sets",
        f"holdout: the last {SHARE:.0%} of the rows evaluate models fitted on the others; cross-validation: {FOLDS} "
        "folds; a dash: the penalty is not defined for these models",
    )
    columns: list[Column | str] = [Column("candidates", words=True), "rows", "best candidate's error", *words.values()]
    shown = table("penalties", columns, rows, remarks=said)
    yield Part("Beyond the paper: choosing by holdout, by cross-validation and by a penalty", (shown,))


def _above(cost: WayCost, way: str) -> Cell:
    if way not in cost.above:
        return Cell("–")
    return Cell(f"{cost.above[way]:.4f} ±{cost.standard_errors[way]:.4f}", cost.above[way])

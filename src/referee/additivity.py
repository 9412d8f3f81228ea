"""What a metric's formula shows of it: whether it is an average over rows, and which calls carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arguments import arguments_of
from referee.summaries import Counts, Sums

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.metric import Metric


def is_additive(metric: Metric) -> bool:
    """Whether the value of two batches together is always the average of their values, each by its rows."""
    if metric.summaries == ("counts",):
        return all(_adds_up_on_counts(metric, seed) for seed in range(3))
    if metric.summaries == ("sums",):
        return all(_adds_up_on_sums(metric, seed) for seed in range(3))
    return False


def called_classes(metric: Metric) -> tuple[int, ...]:
    """The classes of which right calls move a value that is a share of the calls, and not of the true classes."""
    if metric.summaries != ("counts",) or metric.additive or not metric.depends_on_prevalence:
        return ()
    both_averaged = metric.settings.get("average") in ("macro", "weighted")
    return (0, 1) if both_averaged else tuple(code for code in (0, 1) if _moves_with_hits(metric, code))


def _moves_with_hits(metric: Metric, code: int) -> bool:
    matrix = np.array([[[50.0, 10.0], [15.0, 25.0]]])
    more = matrix.copy()
    more[0, code, code] += 5
    return _value(metric, counts=Counts(matrix)) != _value(metric, counts=Counts(more))


def averages_a_class(metric: Metric) -> bool:
    """Whether the value is an average over the rows of one true class, as recall is."""
    one_class = metric.summaries == ("counts",) and metric.per_class
    return one_class and any(all(_adds_up_on_counts(metric, seed, [row]) for seed in range(3)) for row in (0, 1))


def _adds_up_on_counts(metric: Metric, seed: int, classes: Sequence[int] = (0, 1)) -> bool:
    """Each batch by its rows of some true classes."""
    draw = np.random.default_rng(seed)
    a, b = (Counts(draw.integers(1, 50, (1, 2, 2))) for _ in range(2))
    both = a.merge(b)
    return _is_average(*(_value(metric, counts=part) * part.matrix[0, classes].sum() for part in (a, b, both)))


def _adds_up_on_sums(metric: Metric, seed: int) -> bool:
    draw = np.random.default_rng(seed)
    terms = _terms(metric)
    a, b = (_random_sums(draw, terms) for _ in range(2))
    both = a.merge(b)
    return _is_average(*(_value(metric, sums=part) * part.weight[0] for part in (a, b, both)))


def _is_average(a: float, b: float, both: float) -> bool:
    return bool(np.isclose(a + b, both, rtol=1e-9))


def _value(metric: Metric, **summary: Counts | Sums) -> float:
    # With the default settings: a cost matrix, say, would fix the number of classes.
    return float(metric.value(**summary)[0])


def _random_sums(draw: np.random.Generator, terms: tuple[str, ...]) -> Sums:
    rows = draw.uniform(0.1, 1, (20, len(terms)))
    centred = rows - rows.mean(axis=0)
    return Sums(terms, np.array([20.0]), rows.mean(axis=0)[None], (centred.T @ centred)[None])


def _terms(metric: Metric) -> tuple[str, ...]:
    """The names of the row terms, from two made-up rows."""
    assert metric.row_terms is not None
    columns = [np.array([0.0, 1.0]), np.array([1.0, 0.0])]
    row = columns if metric.needs == "probabilities" else columns[0]
    available: dict[str, Callable[[], Any]] = {name: lambda: row for name in ("truth", "prediction", "baseline")}
    available |= {"levels": lambda: (0.25, 0.75), "order": lambda: (0, 1), "xp": lambda: np}
    with np.errstate(all="ignore"):
        return tuple(metric.row_terms(**arguments_of(metric.row_terms, available)))

"""Intervals of rankings of two classes that a few rows could spoil: a perfect AUC, KS, and lift at its top."""

from __future__ import annotations

from math import floor, hypot
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import engine_of
from referee.scoring.counted_intervals import JOINED
from referee.scoring.distributions import beta_quantile
from referee.scoring.formula import in_columns
from referee.scoring.intervals import jeffreys, mover, name_of_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.scoring.metric import Metric

    Ends = tuple[float, float]
    Named = tuple[Ends, str]

MOST_ROWS = 1 << 17
"""Beyond, no few rows decide."""
ROUNDING = 1e-9


def ranked_interval(
    summary: Any, metric: Metric, value: float, code: int | None, alpha: float, plain: Ends
) -> Named | None:
    """The interval and what it is called, where it is another one than `plain`, that of row influences."""
    predictions = summary.predictions
    code = predictions.positive if code is None else code
    if not is_ranked(predictions, metric, code) or predictions.rows > MOST_ROWS:
        return None
    ranking = summary.ranking(code)
    whole = ranking.coarse if engine_of(predictions).IN_BATCHES else ranking
    return RANKED[metric.name](whole, metric, value, alpha, plain, predictions.row_weight)


def is_ranked(predictions: Any, metric: Metric, code: int | None) -> bool:
    """Whether there are such intervals of a metric, unless the rows are too many."""
    code = predictions.positive if code is None else code
    is_of_two = len(predictions.classes) == 2 and code is not None and "average" not in metric.settings
    if metric.name not in RANKED or not metric.built_in or not is_of_two:
        return False
    return bool(predictions.has_equal_rows)


def _auc(ranking: Any, metric: Metric, value: float, alpha: float, plain: Ends, of_one: float) -> Named | None:
    """No surer than a perfect ranking is, which a threshold tells apart: Jeffreys' intervals of both classes."""
    rows = [round(float(side[0] / of_one)) for side in (ranking.P, ranking.N)]
    room = hypot(*(1 - _least_share(each, alpha) for each in rows)) / 2
    name = name_of_interval(value, metric.range)
    if value > 1 - ROUNDING:
        return (1 - room, 1.0), JOINED
    if value < ROUNDING:
        return (0.0, room), JOINED
    low, high = min(plain[0], 1 - room), max(plain[1], room)
    return None if (low, high) == plain else ((low, high), f"{name}, {NO_SURER}")


def _least_share(rows: int, alpha: float) -> float:
    """The lower end of Jeffreys' interval where all rows are right."""
    return beta_quantile(rows + 0.5, 0.5, alpha / 2) if rows else 0.0


NO_SURER = "at least as wide as that of a perfect ranking"


def _ks(ranking: Any, metric: Metric, value: float, alpha: float, plain: Ends, of_one: float) -> Named:  # noqa: ARG001
    """The difference of two shares, at the threshold where they differ most."""
    positives, negatives = float(ranking.P[0]), float(ranking.N[0])
    tp, fp = _most_apart(ranking)
    right = (tp, negatives - fp) if tp / positives >= fp / negatives else (positives - tp, fp)
    shares = [(hits / of_one, rows / of_one) for hits, rows in zip(right, (positives, negatives), strict=True)]
    low, high = mover(shares, [jeffreys(*share, alpha) for share in shares])
    return (max(0.0, 2 * low - 1), 2 * high - 1), JOINED


def _most_apart(ranking: Any) -> tuple[float, float]:
    """What is counted down to the threshold where the shares differ most."""
    if hasattr(asked := in_columns(ranking), "best_step"):
        step = asked.best_step(lambda at: abs(at.tp / at.P - at.fp / at.N))
        return step["tp"], step["fp"]
    at = ranking.steps
    place = int(np.argmax(np.abs(at.tp / at.P - at.fp / at.N)))
    return float(at.tp[place]), float(at.fp[place])


def _lift(ranking: Any, metric: Metric, value: float, alpha: float, plain: Ends, of_one: float) -> Named | None:
    """Never beyond what the share of rows at the top allows; at the most that could be found, its exact bound."""
    top, positives = (metric.defaults | dict(metric.settings))["top"], float(ranking.P[0])
    most = min(positives, top * (positives + float(ranking.N[0])))
    high = max(value, min(plain[1], 1 / top))
    rows = floor(most / of_one * (1 + ROUNDING))
    if rows and value * top * positives >= most * (1 - ROUNDING):
        return (value * (alpha / 2) ** (1 / rows), high), "Clopper and Pearson's bound"
    return None if high == plain[1] else ((plain[0], high), name_of_interval(value, metric.range))


RANKED: dict[str, Callable[..., Named | None]] = {"roc_auc": _auc, "ks": _ks, "lift": _lift}

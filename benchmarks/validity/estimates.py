"""What a verdict estimates: the score of the best of many models, and the difference of two."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import referee
from benchmarks.validity import worlds
from benchmarks.validity.cell import CORRECTED, HOLDS, RAW, Cell, Look, generator_of
from benchmarks.validity.rows import LABELS, binary, place_of
from benchmarks.validity.worlds import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.validity.decided import Drawn, Judge


def optimism(
    models: int, spread: float, shared: float, generator: np.random.Generator, number: int, judge: Judge
) -> Look:
    """The best of many models of accuracy 0.8 on 200 rows: what it shows, and what the corrected score makes of it."""
    from scipy.special import ndtr

    rows = 200
    true = np.clip(0.8 + spread * generator.standard_normal(models), 0.01, 0.99)
    common, own = generator.standard_normal(rows), generator.standard_normal((models, rows))
    right = ndtr(np.sqrt(shared) * common + np.sqrt(1 - shared) * own) < true[:, None]
    truth = np.arange(rows) % 2
    each = {name: np.where(row, truth, 1 - truth) for name, row in zip(worlds.names(models), right, strict=True)}
    verdict = judge(truth, each, goal="accuracy", seed=number, **LABELS)
    corrected, its_own = verdict.corrected, float(true[worlds.names(models).index(verdict.best)])
    assert corrected is not None
    raw = (verdict.values[verdict.best] or 0.0) - its_own
    holds = corrected.low <= its_own <= corrected.high
    return {"": {RAW: raw, CORRECTED: corrected.value - its_own, HOLDS: holds}}


def cells_of_optimism() -> Iterator[Cell]:
    kinds = {"equal": (0.0, 0.0), "equal, errors shared": (0.0, 0.7), "spread by 0.03": (0.03, 0.0)}
    for models, sets in ((10, 500), (50, 200)):
        for null, (spread, shared) in kinds.items():
            look_at = partial(optimism, models, spread, shared)
            yield Cell("corrected score", f"best of {models}", null, "accuracy", look_at, sets, False)


def two_regressions(rows: int, generator: np.random.Generator) -> Drawn:
    """Skewed amounts with errors that grow with them; one model is biased, the other one noisy."""
    x = generator.gamma(3.0, 1.0, rows) + 1
    models = {"a": 0.85 * x + 0.3, "b": x + 0.6 * generator.standard_normal(rows)}
    return x * generator.gamma(6, 1 / 6, rows), models, {"task": "regression"}


def coverage(
    draw: Callable[[int, np.random.Generator], Drawn], metric: str, generator: np.random.Generator, _: int, judge: Judge
) -> Look:
    truth, models, told = draw(1000, generator)
    pair = judge(truth, models, goal=metric, **told).comparisons[0]
    if pair.low is None or pair.high is None:
        return {}
    true = _true_difference(draw, metric, (pair.a, pair.b))
    return {"influence": {HOLDS: pair.low <= true <= pair.high}}


TRUE: dict[tuple[Any, ...], dict[str, float]] = {}


def _true_difference(draw: Callable[[int, np.random.Generator], Drawn], metric: str, pair: tuple[str, str]) -> float:
    key = (draw.func, draw.keywords.get("positives"), metric) if isinstance(draw, partial) else (draw, metric)
    if key not in TRUE:
        truth, models, told = draw(2 * worlds.HUGE, generator_of("true differences", 0))
        more = {"positive": 1} if "positive" in told else {}
        TRUE[key] = {name: float(referee.metrics[metric](truth, scores, **more)) for name, scores in models.items()}
    return TRUE[key][pair[0]] - TRUE[key][pair[1]]


def two_classifiers(rows: int, generator: np.random.Generator, positives: float = 0.5) -> Drawn:
    return binary(rows, positives, (PLAIN, worlds.other_shape(positives)), 0.0, generator)


def cells_of_intervals() -> Iterator[Cell]:
    kinds = ("accuracy", "precision", "recall", "f1", "mcc", "kappa", "roc_auc", "average_precision", "log_loss",
             "brier")  # fmt: skip
    for positives in (0.2, 0.02):
        for metric in kinds:
            look_at = partial(coverage, partial(two_classifiers, positives=positives), metric)
            yield Cell("intervals", place_of(1000, positives), "models differ", metric, look_at, 1000, False)
    for metric in ("mae", "rmse", "r2", "correlation", "median_ae"):
        yield Cell("intervals", "n = 1,000, numbers", "models differ", metric,
                   partial(coverage, two_regressions, metric), 1000, False)  # fmt: skip

"""Several equal models: how often one is named the winner, and whether the tie set keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.validity.measuring import ALPHA, FALSE_WINNER, Experiment, Key
from benchmarks.validity.populations import COMMON, PLAIN, draw
from referee import metrics
from referee.comparing import Contest, Design, adjusted, best_first, tests
from referee.comparing.decision import decide
from referee.predictions import Predictions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from referee.arrays import Array
    from referee.comparing import Comparison

MODELS = (2, 3, 5, 10, 30)
ROWS = 500
SPLITS, TEST_ROWS, TRAINING_ROWS = 30, 100, 200
METRICS = ("accuracy", "roc_auc")
KEEPS_ALL, KEEPS_ONE = "keeps all equal models", "keeps a given best model"
RULE, HOLM = "referee's verdict", "Holm against the best"
GAUSSIAN = "normal values"


@dataclass(frozen=True, eq=False)
class ContestOfValues(Contest):
    """Models that are known by their values of the splits only."""

    given: Mapping[str, Array] = field(default_factory=dict)

    @property
    def unit_values(self) -> Mapping[str, Array]:  # type: ignore[override]
        return self.given


def on_rows(models: int, generator: np.random.Generator, number: int) -> dict[Key, float]:
    predictions = draw(COMMON, ROWS, {f"m{place:02}": PLAIN for place in range(models)}, generator)
    answers: dict[Key, float] = {}
    for metric in METRICS:
        contest = Contest(predictions, metrics[metric], Design("rows", "row", alpha=ALPHA, seed=number))
        answers |= judged(contest, predictions.names, "influence", metric)
    return answers


def on_splits(models: int, generator: np.random.Generator, number: int) -> dict[Key, float]:
    """Values as Nadeau and Bengio think of them: two splits are correlated by the share of test rows."""
    shared = TEST_ROWS / (TEST_ROWS + TRAINING_ROWS)
    noise = np.sqrt(shared) * generator.standard_normal((models, 1))
    noise = noise + np.sqrt(1 - shared) * generator.standard_normal((models, SPLITS))
    values = 0.8 + 0.04 * (noise + generator.standard_normal(SPLITS))
    design = Design(
        "splits", "split", alpha=ALPHA, seed=number,
        n_train=np.full(SPLITS, float(TRAINING_ROWS)), n_test=np.full(SPLITS, float(TEST_ROWS)),
    )  # fmt: skip
    names = tuple(f"m{place:02}" for place in range(models))
    nothing = Predictions.from_arrays([0, 1], {name: [0.1, 0.9] for name in names})
    given = dict(zip(names, values, strict=True))
    contest = ContestOfValues(nothing, metrics["accuracy"], design, given=given)
    return dict(judged(contest, names, "corrected_resampled_t", GAUSSIAN))


def judged(contest: Contest, names: tuple[str, ...], test: str, metric: str) -> Iterator[tuple[Key, float]]:
    """What the verdict does with equal models, of which any could be called the best."""
    found = {frozenset(pair): contest.compare(tests[test], *pair) for pair in combinations(names, 2)}
    decision = decide(contest, found, None)
    yield Key(RULE, metric, FALSE_WINNER), decision.outcome == "winner"
    yield from _kept(RULE, metric, names, decision.winners)
    yield from _kept(HOLM, metric, names, _not_dropped_by_holm(contest, found))


def _kept(rule: str, metric: str, names: tuple[str, ...], kept: tuple[str, ...]) -> Iterator[tuple[Key, float]]:
    yield Key(rule, metric, KEEPS_ALL), len(kept) == len(names)
    yield Key(rule, metric, KEEPS_ONE), names[0] in kept


def _not_dropped_by_holm(contest: Contest, found: Mapping[frozenset[str], Comparison]) -> tuple[str, ...]:
    best, *others = best_first(contest.values, contest.metric)
    p_values = adjusted([found[frozenset((best, other))].p for other in others], "holm")
    return (best, *(other for other, p in zip(others, p_values, strict=True) if p is None or p >= ALPHA))


def experiments(data_sets: int, most: int = max(MODELS)) -> Iterator[Experiment]:
    for models in MODELS:
        if models <= most:
            # All pairs of thirty models take long.
            runs = 3 * data_sets // 10 if models > 10 else data_sets
            for one, kind in ((on_rows, f"{ROWS} rows"), (on_splits, f"{SPLITS} splits")):
                yield Experiment("several models", f"{models} models", kind, partial(one, models), runs, (RULE,))

"""One test set: fitted models that are equally good, compared row by row."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.validity import worlds
from benchmarks.validity.cell import (
    CLEAN,
    CLEAN_WINNER,
    FLIP,
    KEEPS_ALL,
    KEEPS_ONE,
    ROUGH_WINNER,
    SETS,
    SIGNIFICANT,
    UNDECIDED,
    Cell,
    Look,
    Measures,
    P,
    classified,
    judged,
)
from benchmarks.validity.stack import TOGETHER, Stack
from benchmarks.validity.worlds import PLAIN, Maker, of_equal_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.validity.decided import Drawn, Judge

    Draw = Callable[[np.random.Generator], Drawn]

SETTINGS = (
    (100, 0.5), (1000, 0.2), (300, 0.05), (1000, 0.02), (300, 0.2), (100, 0.2), (1000, 0.05), (10_000, 0.005),
    (30, 0.5), (300, 0.5), (1000, 0.5), (100, 0.05), (300, 0.02), (1000, 0.005), (30, 0.2), (10_000, 0.02),
    (10_000, 0.5), (10_000, 0.05), (10_000, 0.2),
)  # fmt: skip
"""Rows and the share of positives, those first that were wrong before, or that users have most."""
METRICS = ("f1", "roc_auc", "accuracy", "log_loss", "average_precision", "mcc", "brier")
LABELS = {"positive": 1, "classes": [0, 1]}
SAME, OTHER = "same shape", "different shape"
OF_DECISIONS = ("mcnemar", "mcnemar(method=mid_p)", "mcnemar(method=asymptotic)")
RESAMPLING = ("bootstrap(replicates=500)", "bootstrap(replicates=500, method=bca)", "permutation(permutations=499)")
RESAMPLED = {(100, 0.5), (300, 0.05), (300, 0.2)}
"""Where tests that draw random numbers are tried."""
MOST_RESAMPLED = 500


def look(
    draw: Draw, goal: str, tests: tuple[str, ...], generator: np.random.Generator, number: int, judge: Judge
) -> Look:
    truth, models, told = draw(generator)
    return tried(partial(judge, truth, models, goal=goal, seed=number, **told), tests, number)


def looks(
    draw: Draw,
    goal: str,
    tests: tuple[str, ...],
    generators: list[np.random.Generator],
    numbers: range,
    drawing: bool,
) -> list[Look]:
    """The same of several data sets, which are stacked."""
    stack = Stack.of([draw(generator) for generator in generators], goal, numbers)
    each: list[Look] = []
    for place, number in enumerate(numbers):
        own = _tie(stack, place) if stack.ties[place] else judged(partial(stack.decided, place))
        random = [test for test in tests if drawing and test in RESAMPLING and number < MOST_RESAMPLED]
        each.append({"influence": own} | {test: judged(partial(stack.decided, place), test=test) for test in random})
    for test in set(tests) - set(RESAMPLING):
        found = stack.by_delong() if test == "delong" else stack.by_decisions(test)
        for look, significant in zip(each, found, strict=True):
            look[test] = {SIGNIFICANT: significant}
    return each


def _tie(stack: Stack, place: int) -> Measures:
    known, clean = (bool(column[place]) for column in stack.trusted)
    p = float(stack.p_values[place])
    return {CLEAN_WINNER: 0, ROUGH_WINNER: 0, CLEAN: clean, UNDECIDED: not known, SIGNIFICANT: 0, P: p}


def tried(judge: Judge, tests: tuple[str, ...], number: int) -> Look:
    """The product's choice, and the tests that are asked for by name."""
    asked = [test for test in tests if test not in RESAMPLING or number < MOST_RESAMPLED]
    return {"influence": judged(judge)} | {test: judged(judge, test=test) for test in asked}


def binary(
    rows: int, positives: float, makers: tuple[Maker, ...], shared: float, generator: np.random.Generator
) -> Drawn:
    truth, models = worlds.classes(positives, rows, makers, generator, shared)
    return truth, models, LABELS


def of_other_shape(rows: int, positives: float, metric: str, generator: np.random.Generator) -> Drawn:
    return binary(rows, positives, (PLAIN, of_equal_value(positives, metric)), 0.0, generator)


def of_rates(
    rows: int, positives: float, rates: tuple[tuple[float, float], ...], generator: np.random.Generator
) -> Drawn:
    truth, models = worlds.decisions(positives, rows, rates, generator)
    return truth, models, LABELS


def of_numbers(rows: int, errors: tuple[str, str], metric: str, shared: float, generator: np.random.Generator) -> Drawn:
    truth, models = worlds.numbers(rows, errors, metric, generator, shared)
    return truth, models, {"task": "regression"}


def of_groups(groups: int, unequal: bool, positives: float, generator: np.random.Generator) -> Drawn:
    truth, models, group = worlds.in_groups(groups, unequal, positives, generator)
    return truth, models, LABELS | {"group": group}


def of_classes(rows: int, generator: np.random.Generator) -> Drawn:
    truth, models = worlds.several_classes(rows, generator)
    return truth, models, {"classes": [0, 1, 2]}


def weighted(rows: int, generator: np.random.Generator) -> Drawn:
    truth, models, told = binary(rows, 0.2, (PLAIN, PLAIN), 0.0, generator)
    return truth, models, told | {"weight": generator.gamma(1, 1, rows)}


def in_time(rows: int, rho: float, task: str, generator: np.random.Generator) -> Drawn:
    """Errors that are like those before, in both models; forecasts that look `horizon` steps ahead have moving ones."""
    noises = {name: worlds.autoregressive(rows, rho, generator) for name in "ab"}
    time = np.arange(rows)
    if task == "regression":
        truth = 3 * generator.standard_normal(rows)
        return truth, {name: truth + noise for name, noise in noises.items()}, {"task": task, "time": time}
    truth, signal = worlds.truth_and_signal(0.5, rows, generator)
    return truth, {name: PLAIN.scores(0.5, signal, 1.4 * one) for name, one in noises.items()}, LABELS | {"time": time}


def by_name(metric: str, rows: int, positives: float) -> tuple[str, ...]:
    """The tests that are asked for by name, where they say something of the metric."""
    few = (rows, positives) in RESAMPLED and metric in ("accuracy", "roc_auc", "f1")
    return (*of_metric(metric), *RESAMPLING) if few else of_metric(metric)


def of_metric(metric: str) -> tuple[str, ...]:
    return OF_DECISIONS if metric == "accuracy" else ("delong",) if metric == "roc_auc" else ()


def place_of(rows: int, positives: float) -> str:
    return f"n = {rows:,}, {100 * positives:g}% positive"


def cell(
    part: str, place: str, null: str, metric: str, draw: Draw, tests: tuple[str, ...] = (), sets: int = SETS,
    *, equal: bool = True,
) -> Cell:  # fmt: skip
    """Its data sets are stacked where that can be done, so many that their rows fit into a processor's cache."""
    known = (part, place, null, metric, partial(look, draw, metric, tests), sets, equal)
    if part not in ("rows", "numbers") or draw.func in (of_classes, weighted) or metric == "r2":
        return Cell(*known)
    rows = draw.args[0]
    return Cell(*known, together=partial(looks, draw, metric, tests), at_once=max(1, TOGETHER // rows))


def cells_of_classes() -> Iterator[Cell]:
    """Every setting with every metric under both nulls; tests that draw random numbers under one of them."""
    for column, (rows, positives) in enumerate(SETTINGS):
        for line, metric in enumerate(METRICS):
            draws: dict[str, Draw] = {
                OTHER: partial(of_other_shape, rows, positives, metric),
                SAME: partial(binary, rows, positives, (PLAIN, PLAIN), 0.0),
            }
            first = SAME if (column + line) % 2 else OTHER
            for null, draw in draws.items():
                tests = by_name(metric, rows, positives) if null == first else of_metric(metric)
                yield cell("rows", place_of(rows, positives), null, metric, draw, tests)


def cells_of_relatives() -> Iterator[Cell]:
    for rows, positives in ((100, 0.5), (1000, 0.05)):
        for metric in METRICS:
            draw = partial(binary, rows, positives, (PLAIN, PLAIN), 0.95)
            yield cell("rows", place_of(rows, positives), "same family", metric, draw)


def cells_of_ties() -> Iterator[Cell]:
    coarse = Maker(levels=5)
    for rows, positives in ((100, 0.5), (300, 0.2), (1000, 0.05)):
        for metric in ("roc_auc", "average_precision", "log_loss", "brier"):
            draw = partial(binary, rows, positives, (coarse, coarse), 0.0)
            tests = ("delong",) if metric == "roc_auc" else ()
            yield cell("rows", place_of(rows, positives), "five scores only", metric, draw, tests)


def cells_of_few_calls() -> Iterator[Cell]:
    """Models at different operating points, of which one calls few rows."""
    for rows, positives in ((300, 0.05), (1000, 0.02), (1000, 0.05), (300, 0.2), (10_000, 0.005)):
        for metric in ("precision", "f1", "mcc", "kappa"):
            recall, alarms, other = 0.5, positives, 0.3
            false = worlds.rates_of_equal_value(metric, positives, recall, alarms, other)
            draw = partial(of_rates, rows, positives, ((recall, alarms), (other, false)))
            yield cell("rows", place_of(rows, positives), "few calls", metric, draw)
        draw = partial(of_rates, rows, positives, ((0.5, 0.2 * positives), (0.5, 2 * positives)))
        yield cell("rows", place_of(rows, positives), "few calls", "recall", draw)


def cells_of_numbers() -> Iterator[Cell]:
    pairs = (
        ("normal", "lognormal"), ("normal", "1% gross"), ("normal", "t5"), ("normal", "Laplace"), ("t3", "t3"),
        ("normal", "normal"),
    )  # fmt: skip
    for column, rows in enumerate((100, 1000, 300, 30, 10_000)):
        place = f"n = {rows:,}"
        for line, errors in enumerate(pairs):
            beside = {0: ("mae",), 2: ("r2",)}.get((column + line) % 4, ())
            for metric in ("rmse", *beside):
                draw = partial(of_numbers, rows, errors, metric, 0.0)
                yield cell("numbers", place, f"errors {errors[0]} vs {errors[1]}", metric, draw)
        yield cell("numbers", place, "same family", "rmse", partial(of_numbers, rows, pairs[-1], "rmse", 0.9))


def cells_of_groups() -> Iterator[Cell]:
    for groups in (30, 10, 100):
        for unequal in (True, False):
            kind = "unequal" if unequal else "equal"
            for metric in ("accuracy", "roc_auc", "f1", "log_loss") if unequal else ("accuracy", "roc_auc"):
                draw = partial(of_groups, groups, unequal, 0.5 if metric != "f1" else 0.2)
                yield cell("groups", f"{groups} groups, {kind}", SAME, metric, draw)


def cells_of_time() -> Iterator[Cell]:
    for rows in (300, 1000, 100):
        for rho in (0.8, 0.0, 0.95):
            for metric in ("accuracy", "roc_auc", "log_loss") if rho == 0.8 else ("roc_auc",):
                yield cell("time", f"n = {rows:,}", f"rho {rho:g}", metric, partial(in_time, rows, rho, "binary"))
            draw, tests = partial(in_time, rows, rho, "regression"), ("diebold_mariano",)
            yield cell("time", f"n = {rows:,}", f"rho {rho:g}", "rmse", draw, tests)


def cells_of_other_rows() -> Iterator[Cell]:
    for rows in (100, 1000):
        for metric in ("accuracy", "f1", "log_loss", "roc_auc"):
            yield cell("rows", f"n = {rows:,}, three classes", SAME, metric, partial(of_classes, rows))
        for metric in ("accuracy", "roc_auc"):
            yield cell("rows", f"n = {rows:,}, 20% positive, weights", SAME, metric, partial(weighted, rows))


def equal_models(models: int, metric: str, generator: np.random.Generator, number: int, judge: Judge) -> Look:
    truth, all_models = worlds.classes(0.2, 500, (PLAIN,) * models, generator)
    verdict = judge(truth, all_models, goal=metric, seed=number, **LABELS)
    kept = verdict.winners
    keeps = {KEEPS_ALL: len(kept) in (0, models), KEEPS_ONE: not kept or "m00" in kept}
    return {"influence": classified(verdict) | keeps}


def cells_of_many() -> Iterator[Cell]:
    for models in (3, 10, 5, 30):
        for metric in ("accuracy", "roc_auc", "f1"):
            look_at = partial(equal_models, models, metric)
            yield Cell("many models", f"{models} models, n = 500", SAME, metric, look_at, 500 if models > 10 else 2000)


def of_subsets(
    subsets: int, partitions: int, metric: str, makers: tuple[Maker, Maker],
    generator: np.random.Generator, number: int, judge: Judge,
) -> Look:  # fmt: skip
    """Equal subsets of the rows, and how often another partition of the same rows would turn the verdict."""
    truth, models = worlds.classes(0.5, 300 if makers[0] == makers[1] else 1000, makers, generator)
    dealt = {"subsets": subsets, "partitions": partitions, "seed": number}
    found: Look = {}
    for test in ("paired_t", "sign"):
        verdict = judge(truth, models, goal=metric, test=test, **dealt, **LABELS)
        times = verdict.comparisons[0].details.get("significant_partitions", 0)
        flips = {FLIP: 2 * times * (partitions - times) / (partitions * (partitions - 1))} if partitions > 1 else {}
        found[test] = classified(verdict) | flips
    return found


def cells_of_subsets() -> Iterator[Cell]:
    for subsets in (10, 30):
        for metric in ("accuracy", "roc_auc"):
            for partitions, dealt in ((1, "one partition"), (25, "median p of 25 partitions")):
                look_at = partial(of_subsets, subsets, partitions, metric, (PLAIN, PLAIN))
                place, own = f"n = 300, {subsets} subsets, {dealt}", "paired_t" if partitions > 1 else ""
                yield Cell("subsets", place, SAME, metric, look_at, 500, own=own)
            better = partial(of_subsets, subsets, 25, metric, (PLAIN, Maker(0.85)))
            yield Cell("subsets", f"n = 1,000, {subsets} subsets", "first model better", metric, better, 250, False)


def cells_of_power() -> Iterator[Cell]:
    for metric in METRICS:
        draw, tests = partial(binary, 300, 0.5, (PLAIN, Maker(1.0)), 0.0), by_name(metric, 300, 0.2)
        yield cell("rows", place_of(300, 0.5), "first model better", metric, draw, tests, 500, equal=False)

"""How often one of two equal models wins where rows are in the order of time: writes time_tests.md beside it.

Every cell has 2,000 sets, judged by a batched copy of the test; 50 of them also go through `referee.compare`, which
must agree. Cells that are done are kept in a file, so that a run which was stopped goes on where it was.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.fft import dct
from scipy.signal import lfilter
from scipy.special import chdtrc, expit, stdtr

import referee

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

    Array = np.ndarray[Any, np.dtype[Any]]

SETS, CHECKED, SEED = 2_000, 50, 20_261
ROWS = (100, 300, 1_000, 3_000)
METRICS = {"mean": "mean score", "mse": "squared error", "accuracy": "accuracy", "roc_auc": "AUC", "f1": "F1",
           "log_loss": "log loss"}  # fmt: skip
BEFORE = 300
"""Instants that a series has behind it when it begins."""


@dataclass(frozen=True)
class World:
    """How rows depend on each other, in both models alike unless `alone`."""

    name: str
    kind: str
    by: float
    alone: bool = False
    """Whether only one of the models has it, and the other independent errors of the same distribution."""
    noise: float = 0.0
    """The share of the variance that is independent from row to row."""

    def series(self, sets: int, rows: int, random: Generator) -> Array:
        persistent = SERIES[self.kind](self.by, sets, rows, random)
        if not self.noise:
            return persistent
        return np.sqrt(1 - self.noise) * persistent + np.sqrt(self.noise) * random.standard_normal((sets, rows))


def heavy_ar(by: float, sets: int, rows: int, random: Generator) -> Array:
    """An autoregression with innovations from t(5)."""
    drawn = random.standard_t(5, (sets, rows + BEFORE)) * np.sqrt(3 / 5 * (1 - by**2))
    return np.asarray(lfilter([1], [1, -by], drawn, axis=1))[:, BEFORE:]


def normal_ar(by: float, sets: int, rows: int, random: Generator) -> Array:
    drawn = random.standard_normal((sets, rows)) * np.sqrt(1 - by**2)
    drawn[:, 0] /= np.sqrt(1 - by**2)
    return np.asarray(lfilter([1], [1, -by], drawn, axis=1))


def moving_average(by: float, sets: int, rows: int, random: Generator) -> Array:
    """As the errors of forecasts that look several steps ahead."""
    steps = int(by)
    drawn = random.standard_normal((sets, rows + steps))
    return np.asarray(lfilter(np.ones(steps) / np.sqrt(steps), [1], drawn, axis=1))[:, steps:]


def season(by: float, sets: int, rows: int, random: Generator) -> Array:
    """A wave of that period, over an autoregression; its phase comes anew with each cycle, so that none lasts."""
    cycle = np.arange(rows) // int(by)
    phase = random.uniform(0, 2 * np.pi, (sets, cycle[-1] + 1))[:, cycle]
    wave = np.cos(2 * np.pi * np.arange(rows) / by + phase)
    return np.asarray(wave + np.sqrt(0.5) * normal_ar(0.5, sets, rows, random))


def regimes(by: float, sets: int, rows: int, random: Generator) -> Array:
    """Two levels that change after that many rows on average."""
    change = random.random((sets, rows)) < 1 / by
    change[:, 0] = random.random(sets) < 0.5
    return 1.0 - 2.0 * (np.cumsum(change, axis=1) % 2)


SERIES = {"heavy": heavy_ar, "normal": normal_ar, "average": moving_average, "season": season, "regimes": regimes}
STRONG = [World(f"AR(1), t innovations, rho {rho}", "heavy", rho) for rho in (0, 0.5, 0.8, 0.9, 0.95)]
OTHERS = [
    World("AR(1) in one model only, rho 0.8", "normal", 0.8, alone=True),
    World("moving average of 6", "average", 6),
    World("moving average of 24", "average", 24),
    World("seasons of 24, over AR(1) of rho 0.5", "season", 24),
    World("regimes of 10 rows, half noise", "regimes", 10, noise=0.5),
    World("regimes of 50 rows, half noise", "regimes", 50, noise=0.5),
    World("AR(1), rho 0.5, 80% noise", "normal", 0.5, noise=0.8),
    World("AR(1), rho 0.9, 80% noise", "normal", 0.9, noise=0.8),
]


@dataclass(frozen=True)
class Sets:
    """Truth and two models' predictions: (set, row)."""

    truth: Array
    a: Array
    b: Array


def draw(world: World, metric: str, sets: int, rows: int, random: Generator) -> Sets:
    """Two models that are equally good in the long run."""
    errors = [world.series(sets, rows, random) for _ in range(2)]
    if world.alone:
        errors[1] = random.standard_normal((sets, rows))
    if metric in ("mean", "mse"):
        truth = world.series(sets, rows, random) if metric == "mse" else np.zeros((sets, rows))
        return Sets(truth, truth + errors[0], truth + errors[1])
    signal = 1.5 * world.series(sets, rows, random)
    truth = (signal + random.logistic(0, 1, (sets, rows)) > 0).astype(int)
    return Sets(truth, *(expit(signal + error) for error in errors))


def auc_terms(truth: Array, scores: Array) -> tuple[Array, Array]:
    """AUC, and what each row adds to it: placements, each class about its own mean; there are no ties."""
    order = np.argsort(scores, axis=1)
    positive = np.take_along_axis(truth == 1, order, axis=1)
    below = np.cumsum(~positive, axis=1), np.cumsum(positive, axis=1)
    zeros, ones = (each[:, -1:] for each in below)
    placed = np.where(positive, below[0] / zeros, 1 - below[1] / ones)
    value = np.where(positive, placed, 0).sum(axis=1, keepdims=True) / ones
    size = np.where(positive, ones, zeros)
    added = np.empty_like(placed)
    np.put_along_axis(added, order, (placed - value) / np.sqrt(size * (size - 1.0)), axis=1)
    return value[:, 0], added


def f1_terms(truth: Array, scores: Array) -> tuple[Array, Array]:
    called, positive = scores >= 0.5, truth == 1
    hit, wrong = called & positive, called != positive
    below = 2 * hit.sum(axis=1, keepdims=True) + wrong.sum(axis=1, keepdims=True)
    value = 2 * hit.sum(axis=1, keepdims=True) / below
    return value[:, 0], (2 * hit - value * (2 * hit + wrong)) / below


def mean_terms(metric: str, truth: Array, given: Array) -> tuple[Array, Array]:
    """Of a metric that is a mean over rows."""
    right = np.where(truth == 1, given, 1 - given) if metric in ("accuracy", "log_loss") else given
    each = {"mean": lambda: given, "mse": lambda: (given - truth) ** 2, "log_loss": lambda: -np.log(right),
            "accuracy": lambda: ((given >= 0.5) == (truth == 1)).astype(float)}[metric]()  # fmt: skip
    value = each.mean(axis=1, keepdims=True)
    return value[:, 0], (each - value) / each.shape[1]


def terms(metric: str, truth: Array, given: Array) -> tuple[Array, Array]:
    if metric == "roc_auc":
        return auc_terms(truth, given)
    return f1_terms(truth, given) if metric == "f1" else mean_terms(metric, truth, given)


def differences(metric: str, drawn: Sets) -> tuple[Array, Array]:
    """Of the values, and of what each row adds to them, as large as the test takes it: with Bessel's correction."""
    (one, first), (other, second) = (terms(metric, drawn.truth, given) for given in (drawn.a, drawn.b))
    rows = first.shape[1]
    smaller = np.sqrt((rows - 1) / rows) if metric == "roc_auc" else 1.0  # which has its own correction, by class
    return one - other, (first - second) * smaller


def long_run(added: Array) -> tuple[Array, Array, Array]:
    """Variance, degrees of freedom and pieces of each set: the rule, written once more and for many sets."""
    sets, rows = added.shape
    most = max(4, int(0.4 * rows ** (2 / 3)))
    number, shares, block, means = np.arange(1, most + 1), np.ones((sets, most)), 1, added
    while block == 1 or rows // block >= 50:
        x = means - means.mean(axis=1, keepdims=True)
        r = (x[:, 1:] * x[:, :-1]).sum(axis=1) / np.maximum((x * x).sum(axis=1), 1e-300)
        r = np.clip(r + (1 + 3 * r) / x.shape[1], 0, 0.97)[:, None]
        low = (1 - r) ** 2 / (1 - 2 * r * np.cos(np.pi * number * block / rows) + r * r)
        shares = np.minimum(shares, np.cumsum(low, axis=1) / number)
        block *= 2
        means = added[:, : rows // block * block].reshape(sets, -1, block).mean(axis=2)
    pieces = np.maximum(4, (shares >= 0.9).sum(axis=1))
    power = np.cumsum(dct(added, type=2, norm="ortho", axis=1)[:, 1 : most + 1] ** 2, axis=1)
    place = np.arange(sets), pieces - 1
    variance = power[place] * rows / pieces / shares[place]
    excess = rows * (added**4).sum(axis=1) / np.maximum((added**2).sum(axis=1), 1e-300) ** 2 - 3
    return variance, 1 / (1 / pieces + np.maximum(excess, 0) / (2 * rows)), pieces


@dataclass(frozen=True)
class Judged:
    """What the test says of each set."""

    p: Array
    pieces: Array
    verdict: Array
    """0 clean, 1 approximate, 2 undecided."""
    alarm: Array
    """Whether the warning that rows are alike would be given, were they taken for independent."""
    independent: Array
    """p of the same rows taken for independent."""


def judged(metric: str, drawn: Sets) -> Judged:
    difference, added = differences(metric, drawn)
    variance, df, pieces = long_run(added)
    p = _two_sided(difference, variance, df)
    rough = (pieces < 10) | (df < 10) | tails(metric, drawn, p, difference)
    worthless, few = calls_and_classes(metric, drawn)
    rows = added.shape[1]
    size = np.maximum((added**2).sum(axis=1), 1e-300)
    most = max(4, int(0.4 * rows ** (2 / 3)))
    ratio = (dct(added, type=2, norm="ortho", axis=1)[:, 1 : most + 1] ** 2).sum(axis=1) * (rows - 1) / most / size
    alarm = (chdtrc(most, most * ratio) < 0.01) & (np.sqrt(ratio) > 1.1)
    alone = _two_sided(difference, size * rows / (rows - 1), np.full(len(p), rows - 1.0))
    return Judged(p, pieces, np.where(worthless, 2, np.where(rough | few, 1, 0)), alarm, alone)


def _two_sided(difference: Array, variance: Array, df: Array) -> Array:
    known = variance > 1e-30
    size = np.abs(difference) / np.sqrt(np.where(known, variance, 1))
    return np.where(known, 2 * stdtr(df, -size), 1.0)


def tails(metric: str, drawn: Sets, p: Array, difference: Array) -> Array:
    """Whether the winner's largest errors carry so much of its loss, and so much more than the loser's, that it shows.

    Where there is no winner, the verdict is not called approximate for that.
    """
    if metric not in ("mse", "log_loss"):
        return np.zeros(len(p), bool)
    largest = -(-drawn.truth.shape[1] // 100)
    shares = []
    for given in (drawn.a, drawn.b):
        right = np.where(drawn.truth == 1, given, 1 - given)
        losses = (given - drawn.truth) ** 2 if metric == "mse" else -np.log(right)
        shares.append(np.sort(losses, axis=1)[:, -largest:].sum(axis=1) / losses.sum(axis=1))
    own, other = np.where(difference < 0, shares, shares[::-1])
    return np.asarray((p < 0.05) & (own > 0.1) & (own > 1.25 * other))


def calls_and_classes(metric: str, drawn: Sets) -> tuple[Array, Array]:
    """Whether there are too few rows of a class, calls or hits for a verdict, or for a clean one."""
    sets = len(drawn.truth)
    if metric not in ("roc_auc", "f1"):
        return np.zeros(sets, bool), np.zeros(sets, bool)
    ones = drawn.truth.sum(axis=1)
    rarer = np.minimum(ones, drawn.truth.shape[1] - ones)
    worthless, few = rarer < 10, rarer < 20
    for given in (drawn.a, drawn.b) if metric == "f1" else ():
        calls, hits = (given >= 0.5).sum(axis=1), ((given >= 0.5) & (drawn.truth == 1)).sum(axis=1)
        worthless, few = worthless | (calls < 10) | (hits < 5), few | (calls < 20)
    return worthless, few


VERDICTS = ("clean", "approximate", "undecided")


def by_referee(metric: str, drawn: Sets, place: int) -> tuple[float | None, int]:
    """P and verdict of one set."""
    truth, a, b = drawn.truth[place], drawn.a[place], drawn.b[place]
    rows = np.arange(len(truth))
    if metric == "mean":
        table = {"a": a, "b": b, "day": rows, "item": rows}
        verdict = referee.compare(table, task="scores", goal="mean", id="item", time="day", models=["a", "b"])
    else:
        verdict = referee.compare(truth, {"a": a, "b": b}, goal=metric, metrics="goal", time=rows, task=TASKS[metric])
    pair = verdict.comparisons[0]
    return pair.p, 2 if verdict.outcome == "undecided" else int(verdict.approximate)


TASKS: dict[str, Any] = {"mse": "regression", "accuracy": "binary", "roc_auc": "binary", "f1": "binary",
                         "log_loss": "binary"}  # fmt: skip


def cell(world: World, metric: str, rows: int) -> dict[str, Any]:
    """Rates in percent of all sets."""
    random = np.random.default_rng([SEED, ALL.index(world), [*METRICS].index(metric), rows])
    found, disagree, largest = [], 0, 0.0
    for part in range(0, SETS, AT_ONCE):
        drawn = draw(world, metric, min(AT_ONCE, SETS - part), rows, random)
        found.append(judged(metric, drawn))
        for place in range(CHECKED if not part else 0):
            p, verdict = by_referee(metric, drawn, place)
            mine = found[0].p[place]
            off = 0.0 if p is None else abs(p - mine)
            disagree += verdict != found[0].verdict[place] or off > 1e-6
            largest = max(largest, off)
    p, pieces, verdict, alarm, alone = (
        np.concatenate([getattr(one, name) for one in found])
        for name in ("p", "pieces", "verdict", "alarm", "independent")
    )
    false = (p < 0.05) & (verdict < 2)
    named = {name: float(100 * (false & (verdict == code)).mean()) for code, name in enumerate(VERDICTS)}
    shares = {f"share {name}": float(100 * (verdict == code).mean()) for code, name in enumerate(VERDICTS)}
    return {
        "independent": float(100 * (alone < 0.05).mean()), **named, **shares, "pieces": float(pieces.mean()),
        "alarm": float(100 * alarm.mean()), "disagree": int(disagree), "off": float(largest),
    }  # fmt: skip


def power(world: World, rows: int) -> float:
    """Of a difference that a test which knew the variance would find in 80%."""
    random = np.random.default_rng([SEED, 1, ALL.index(world), rows])
    drawn = draw(world, "mean", SETS, rows, random)
    shift = 2.802 * float((drawn.a - drawn.b).mean(axis=1).std())
    return float(100 * (judged("mean", Sets(drawn.truth, drawn.a + shift, drawn.b)).p < 0.05).mean())


def all_kept(rho: float, rows: int, sets: int = 100) -> tuple[float, float]:
    """How often the verdict leaves none of five equal models out: in time, and taken for independent."""
    random = np.random.default_rng([SEED, 2, rows, int(100 * rho)])
    kept = np.zeros(2)
    for _ in range(sets):
        truth = np.zeros(rows)
        models = {name: normal_ar(rho, 1, rows, random)[0] for name in "abcde"}
        for place, more in enumerate(({"time": np.arange(rows)}, {})):
            verdict = referee.compare(truth, models, goal="mse", metrics="goal", task="regression", **more)
            kept[place] += verdict.outcome == "tie" and len(verdict.winners) == 5
    return float(100 * kept[0] / sets), float(100 * kept[1] / sets)


ALL = [*STRONG, *OTHERS]
AT_ONCE = 500


def run(kept: Path) -> dict[str, Any]:
    """All cells, each once: what is known already is in the file."""
    known = {}
    if kept.exists():
        known = {key: value for line in kept.read_text().splitlines() for key, value in json.loads(line).items()}
    jobs: dict[str, Any] = {
        f"{rows} {world.name} {metric}": (cell, world, metric, rows)
        for rows in ROWS for world in ALL for metric in METRICS
    }  # fmt: skip
    jobs |= {f"power {rows} {world.name}": (power, world, rows) for rows in ROWS for world in STRONG}
    jobs |= {f"tie {rows} {rho}": (all_kept, rho, rows) for rows in (300, 1_000) for rho in (0, 0.5, 0.8, 0.9)}
    for key, (made, *asked) in jobs.items():
        if key not in known:
            known[key] = made(*asked)
            with kept.open("a") as file:
                file.write(json.dumps({key: known[key]}) + "\n")
    return known


def in_cell(found: dict[str, Any] | None) -> str:
    if found is None:
        return "-"
    clean = f"**{found['clean']:.1f}**" if found["clean"] > 7 else f"{found['clean']:.1f}"
    return f"{clean} + {found['approximate']:.1f} ({found['independent']:.0f})"


def table(known: dict[str, Any], rows: int) -> Iterator[str]:
    """Clean + approximate verdicts that name a winner, in percent of all sets; of independent rows in brackets."""
    yield f"## {rows:,} rows"
    yield f"| rows depend by | {' | '.join(METRICS.values())} |"
    yield f"|---|{'---|' * len(METRICS)}"
    for world in ALL:
        cells = [in_cell(known.get(f"{rows} {world.name} {metric}")) for metric in METRICS]
        yield f"| {world.name} | {' | '.join(cells)} |"
    yield ""


def document(known: dict[str, Any]) -> str:
    wanted = {f"{rows} {world.name} {metric}" for rows in ROWS for world in ALL for metric in METRICS}
    cells = {key: found for key, found in known.items() if key in wanted}
    above = [f"{key} {found['clean']:.1f}%" for key, found in cells.items() if found["clean"] > 7]
    off = max(found["off"] for found in cells.values())
    calm = [found["alarm"] for key, found in cells.items() if "rho 0 " in key]
    lines = [
        "# False winners where rows are in the order of time",
        "Written by time_tests.py. Two equally good models, 2,000 sets a cell (a true 5% comes out between 4 and 6), "
        "with seeds and worlds that had no part in choosing the rule. A cell has the percentage of all sets in which a "
        "clean verdict names a winner + that of verdicts which call themselves approximate (and in brackets what the "
        "same rows give if they are taken for independent). Verdicts are approximate with fewer than 10 pieces or "
        "degrees of freedom, a heavy tail of the winner, or few rows of a class; undecided ones name nobody.",
        f"{CHECKED} sets of each cell went through `referee.compare`: "
        f"{sum(found['disagree'] for found in cells.values())} of {CHECKED * len(cells):,} verdicts disagree, and p "
        f"differs by at most {off:.0e}.",
        "",
        *(line for rows in ROWS for line in table(known, rows)),
        "## Clean verdicts above 7%",
        *([f"- {one}" for one in above] or ["None."]),
        "",
        "There dependence is weak and lasts over long stretches, which so few rows do not show; below 3,000 rows the "
        "verdict says that dependence over more than a fiftieth of the rows may be missed.",
        "",
        "## The warning where --time is not said",
        f"False alarms of W_ORDER on independent rows: {min(calm):.1f} to {max(calm):.1f}% of the sets of a cell "
        f"(mean {np.mean(calm):.1f}). Alarms where rows are alike, in percent:",
        "",
        f"| rows | rho | {' | '.join(METRICS.values())} |",
        f"|---|---|{'---|' * len(METRICS)}",
    ]
    for rows in ROWS:
        for world in STRONG[1:]:
            found = [cells.get(f"{rows} {world.name} {metric}") for metric in METRICS]
            shown = ["-" if one is None else f"{one['alarm']:.0f}" for one in found]
            lines.append(f"| {rows:,} | {world.by} | {' | '.join(shown)} |")
    lines += ["", "## Power", "Of a mean score, in percent, where a test that knew the variance would find 80:", ""]
    lines += [f"| rows | {' | '.join(f'rho {world.by}' for world in STRONG)} |", f"|---|{'---|' * len(STRONG)}"]
    for rows in ROWS:
        found = [known.get(f"power {rows} {world.name}") for world in STRONG]
        lines.append(f"| {rows:,} | {' | '.join('-' if one is None else f'{one:.0f}' for one in found)} |")
    lines += [
        "",
        "## Five equal models",
        "All kept by the verdict, in percent of 100 sets: in time (as independent rows)",
        "",
    ]
    lines += ["| rows | rho 0 | rho 0.5 | rho 0.8 | rho 0.9 |", "|---|---|---|---|---|"]
    for rows in (300, 1_000):
        found = [known.get(f"tie {rows} {rho}") for rho in (0, 0.5, 0.8, 0.9)]
        shown = ["-" if one is None else f"{one[0]:.0f} ({one[1]:.0f})" for one in found]
        lines.append(f"| {rows:,} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    done = run(Path(sys.argv[1] if len(sys.argv) > 1 else "time_tests.jsonl"))
    Path(__file__).with_suffix(".md").write_text(document(done))

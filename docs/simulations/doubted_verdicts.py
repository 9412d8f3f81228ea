"""False winners between equal models where a few rows decide: few calls, few hits, heavy tails.

Writes doubted_verdicts.md beside it: `python docs/simulations/doubted_verdicts.py [data sets a cell]`.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from referee import metrics as catalogue
from referee.comparing import contest_of, tests
from referee.comparing.decision import decide
from referee.comparing.doubts import judged
from referee.predictions import Predictions

CORRELATION = 0.6
"""Of the two models' noise."""
SIZES = ((500, 0.08), (800, 0.04), (2000, 0.02))
"""Rows, and the share of positives."""
POINTS = ((0.55, 0.015, 0.12), (0.65, 0.03, 0.25), (0.35, 0.04, 0.1), (0.5, 0.1, 0.15))
"""Recall and false positive rate of one model, and the recall of the other, which has the same value of the metric."""
CALLED = ("precision", "f_beta", "mcc")
TAILED = ("rmse", "r2")
ROWS = (100, 300, 1000)
OUTCOMES = ("clean", "approximate", "undecided")


class Point(NamedTuple):
    recall: float
    false_positive_rate: float


def value(metric: str, point: Point, share: float) -> float:
    """Of a model with these rates among a share of positives."""
    tp, fp = share * point.recall, (1 - share) * point.false_positive_rate
    return catalogue[metric].of_counts(np.array([[1 - share - fp, fp], [share - tp, tp]]) * 1e6, positive=1)


def equal_point(metric: str, point: Point, recall: float, share: float) -> Point | None:
    """The false positive rate at which another recall gives the same value; None where none does."""
    wanted, low, high = value(metric, point, share), 1e-9, 0.999
    if value(metric, Point(recall, low), share) < wanted:
        return None
    for _ in range(100):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if value(metric, Point(recall, middle), share) > wanted else (low, middle)
    return Point(recall, low)


def called(points: tuple[Point, Point], rows: int, share: float, random: np.random.Generator) -> Predictions | None:
    """Decisions of two models at their points; None where there are too few positives for any verdict."""
    truth = random.random(rows) < share
    if truth.sum() < 10:
        return None
    shared = random.normal(size=rows)
    models = {}
    for name, point in zip("ab", points, strict=True):
        noise = CORRELATION**0.5 * shared + (1 - CORRELATION) ** 0.5 * random.normal(size=rows)
        models[name] = np.where(noise < norm.ppf(np.where(truth, *point)), 0.9, 0.1)
    return Predictions.from_arrays(truth.astype(int), models)


def errors(kind: str, rows: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Errors of two models with the same mean square."""
    plain = random.normal(size=rows)
    if kind == "both normal":
        return plain, random.normal(size=rows)
    if kind == "both t with 5 df, half shared":
        one, other, shared = random.standard_t(5, size=(3, rows))
        return shared + one, shared + other
    if kind == "normal v lognormal (0.8)":
        spread = ((np.exp(0.64) - 1) * np.exp(0.64)) ** 0.5
        return plain, (np.exp(0.8 * random.normal(size=rows)) - np.exp(0.32)) / spread
    if kind == "normal v t with 4 df":
        return plain, random.standard_t(4, size=rows) / 2**0.5
    if kind == "normal v gamma (0.5)":
        return plain, (random.gamma(0.5, size=rows) - 0.5) / 0.5**0.5
    gross = float(kind.split(maxsplit=1)[0]) / 100
    own = random.normal(size=rows)
    return plain * (1 + 36 * gross) ** 0.5, own + (random.random(rows) < gross) * 6 * random.normal(size=rows)


KINDS = (
    "both normal", "both t with 5 df, half shared", "normal v lognormal (0.8)", "normal v t with 4 df",
    "normal v gamma (0.5)", "1% gross errors in one", "5% gross errors in one",
)  # fmt: skip


def tailed(kind: str, rows: int, random: np.random.Generator) -> Predictions:
    truth = 2 * random.normal(size=rows)
    both = errors(kind, rows, random)
    models = {name: truth + error for name, error in zip("ab", both, strict=True)}
    return Predictions.from_arrays(truth, models, task="regression")


def outcome(predictions: Predictions, goal: str) -> tuple[str, bool]:
    """The class of the verdict, and whether it names a (false) winner: what `compare` does to decide, and no more."""
    contest = contest_of(predictions, catalogue[goal])
    found = {frozenset("ab"): judged(contest, contest.compare(tests["influence"], "a", "b"))}
    decision = decide(contest, found, None)
    kind = "approximate" if decision.approximate else "clean"
    return "undecided" if decision.outcome == "undecided" else kind, decision.outcome == "winner"


def row(name: str, found: Counter[tuple[str, bool]]) -> str:
    total = sum(found.values())
    shares = [100 * (found[kind, True] + found[kind, False]) / total for kind in OUTCOMES]
    winners = [100 * found[kind, True] / total for kind in ("clean", "approximate")]
    error = 100 * (winners[0] / 100 * (1 - winners[0] / 100) / total) ** 0.5
    mark = f"**{winners[0]:.1f} ± {error:.1f}**" if winners[0] > 7 else f"{winners[0]:.1f} ± {error:.1f}"
    return f"| {name} | {total} | {mark} | {winners[1]:.1f} | " + " | ".join(f"{s:.0f}" for s in shares) + " |"


HEADER = (
    "| case | data sets | clean false winners, % | approximate ones, % | clean % | approximate % | undecided % |\n"
    "|---|--:|--:|--:|--:|--:|--:|"
)


def calls_table(repeats: int) -> list[str]:
    lines = []
    for metric in CALLED:
        for rows, share in SIZES:
            for recall, false_positive_rate, other in POINTS:
                first = Point(recall, false_positive_rate)
                second = equal_point(metric, first, other, share)
                if second is None:
                    continue
                random = np.random.default_rng([rows, int(1000 * recall), CALLED.index(metric), 20261])
                drawn = (called((first, second), rows, share, random) for _ in range(repeats))
                found = Counter(outcome(one, metric) for one in drawn if one is not None)
                name = f"{metric}, {rows} rows, {100 * share:g}% positive, recall {recall:g} v {other:g}"
                lines.append(row(name, found))
                print(lines[-1], flush=True)  # noqa: T201
    return lines


def tails_table(repeats: int) -> list[str]:
    lines = []
    for metric in TAILED:
        for kind in KINDS:
            for rows in ROWS:
                random = np.random.default_rng([rows, KINDS.index(kind), TAILED.index(metric), 20262])
                found = Counter(outcome(tailed(kind, rows, random), metric) for _ in range(repeats))
                lines.append(row(f"{metric}, {kind}, {rows} rows", found))
                print(lines[-1], flush=True)  # noqa: T201
    return lines


TEXT = """# False winners where a few rows decide
Made by `python docs/simulations/doubted_verdicts.py {repeats}`. Two models that are equally good on the population,
{repeats} data sets a case, alpha 0.05, by the comparison and the rule that `referee.compare` decides by. Shares are of
all data sets of a case; **bold**: more than 7% of them end in a clean verdict that names a winner.

## Few calls, few hits
Decisions at different operating points with the same value of the metric; the models' noise is correlated ({rho:g}).
Data sets with fewer than 10 positives are left out. Fewer than 10 calls or 5 hits of either model: undecided; 10 to 19
calls, or fewer than 20 rows of the rarer class: approximate.

{header}
{calls}

## Heavy tails
Errors with the same mean square and different tails. A winner whose largest 1% of rows carry more than 10% of its
squared error, and 1.25 times as much as the loser's, is approximate. Below 1,000 rows every such verdict says that
errors rarer than 3 in n rows cannot be judged: 1% gross errors among 100 or 300 rows are of that kind.

{header}
{tails}
"""


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    calls, tails = calls_table(repeats), tails_table(repeats)
    text = TEXT.format(repeats=repeats, rho=CORRELATION, header=HEADER, calls="\n".join(calls), tails="\n".join(tails))
    Path(__file__).with_suffix(".md").write_text(text)


if __name__ == "__main__":
    main()

"""Whether `referee study --on` advises another metric than the goal where it should, and only there.

Writes own_study.md beside it: `python docs/simulations/own_study.py [data sets a cell] [folder to go on in]`. Data sets
of a user are drawn from large data sets; what is true of a cell is the mean over all of them.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from referee.advice import cost_of, cost_of_a_coin, preferred
from referee.paper.drawn_values import CLIP
from referee.paper.own_contest import DEALS, different_fits, gain_over

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.paper import Problem

HERE = Path(__file__).parent
SHARED = HERE.parents[1] / "../shared/data"
FITS = 30
FEWEST_ROWS = 10
"""Of the rarer class in a part: with fewer the study says itself that nothing can be said."""
METRICS = ("accuracy", "f1", "roc_auc", "log_loss", "brier")
SCENARIOS = (
    ("letter-a-to-j", "neighbours"), ("letter-a-to-j", "unlike"), ("pen-012", "logistic"), ("adult", "logistic"),
    ("made-3", "neighbours"), ("made-2", "unlike"), ("spam", "logistic"), ("spam", "unlike"),
    ("satellite", "neighbours"), ("ticdata", "logistic"), ("abalone-9", "neighbours"), ("abalone-9", "unlike"),
)  # fmt: skip
SIZES = ((300, 0.5), (1000, 0.5), (1000, 0.2), (3000, 0.5))
"""Rows, and the share that is trained on; the rest is halved into holdout and test part."""


class Cell(NamedTuple):
    problem: str
    kind: str
    rows: int
    train: float

    def __str__(self) -> str:
        return f"{self.problem}-{self.kind}-{self.rows}-{self.train:g}"


def logistic(x: Array, y: Array, penalty: float) -> Array:
    """Weights by six steps of Newton's method; the first is the intercept."""
    x = np.c_[np.ones(len(x)), x]
    weights, penalties = np.zeros(x.shape[1]), np.full(x.shape[1], penalty)
    penalties[0] = 1e-6
    for _ in range(6):
        p = squashed(x @ weights)
        curvature = (x * (p * (1 - p) + 1e-9)[:, None]).T @ x + np.diag(penalties)
        weights = weights + np.linalg.solve(curvature, x.T @ (y - p) - penalties * weights)
    return weights


def squashed(z: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -30, 30))))


def naive_bayes(x: Array, y: Array, new: Array) -> Array:
    total = np.zeros(len(new))
    for label, sign in ((1, 1), (0, -1)):
        rows = x[y == label]
        mean, variance = rows.mean(axis=0), rows.var(axis=0) + 1e-3
        likelihood = -0.5 * (np.log(variance) + (new - mean) ** 2 / variance).sum(axis=1)
        total += sign * (np.log((y == label).mean()) + likelihood)
    return squashed(total)


def said(kind: str, x: Array, y: Array, new: Array) -> Array:
    """What all candidates of a kind say of new rows: (row, model)."""

    def by_logistic(penalty: float) -> Array:
        return squashed(np.c_[np.ones(len(new)), new] @ logistic(x, y, penalty))

    if kind == "logistic":
        return np.stack([by_logistic(penalty) for penalty in (0.1, 3, 30, 200, 1000)], axis=1)
    distances = (new**2).sum(axis=1)[:, None] + (x**2).sum(axis=1) - 2 * new @ x.T
    most = min(50, len(x) - 1)
    near = np.argpartition(distances, most, axis=1)[:, :most]
    near = np.take_along_axis(near, np.argsort(np.take_along_axis(distances, near, axis=1), axis=1), axis=1)

    def by_neighbours(k: int) -> Array:
        k = min(k, most)
        return np.asarray((y[near[:, :k]].sum(axis=1) + 0.5) / (k + 1))

    if kind == "neighbours":
        return np.stack([by_neighbours(k) for k in (3, 6, 12, 25, 50)], axis=1)
    return np.stack([by_neighbours(1), by_neighbours(15), by_logistic(1), naive_bayes(x, y, new)], axis=1)


def costs_of(cell: Cell, problem: Problem, data_sets: int) -> dict[str, Array]:
    """Costs (data set, fit, by, goal), of a coin (data set, fit, goal), and fits that choose apart from the goal."""
    random = np.random.default_rng([5, *str(cell).encode()])
    data = problem.data
    columns = data.X[:, [place for place, one in enumerate(data.features) if not one.categories]]
    columns = np.nan_to_num((columns - np.nanmean(columns, axis=0)) / (np.nanstd(columns, axis=0) + 1e-9))
    truth = (data.target == data.positive).astype(float)
    shape = data_sets, FITS, len(METRICS)
    costs, coins = np.empty((*shape, len(METRICS))), np.empty(shape)
    apart = np.empty((data_sets, len(METRICS), len(METRICS)), int)
    for number in range(data_sets):
        rows = random.choice(len(truth), cell.rows, replace=False)
        x, y = columns[rows], truth[rows]
        seen, worth = np.empty((2, FITS, DEALS, 5 if cell.kind != "unlike" else 4, len(METRICS)))
        for fit in range(FITS):
            order = random.permutation(cell.rows)
            cut = round(cell.train * cell.rows)
            scores = said(cell.kind, x[order[:cut]], y[order[:cut]], x[order[cut:]])
            masks = np.stack([halves(random, y[order[cut:]]) for _ in range(DEALS)])
            seen[fit], worth[fit] = values_of_parts(scores, y[order[cut:]], np.stack([masks, ~masks]))
        chosen = [preferred(seen[..., by]) for by in range(len(METRICS))]
        for goal in range(len(METRICS)):
            coins[number, :, goal] = cost_of_a_coin(worth[..., goal]).mean(axis=1)
            for by in range(len(METRICS)):
                costs[number, :, by, goal] = cost_of(chosen[by], worth[..., goal]).mean(axis=1)
                apart[number, by, goal] = different_fits(chosen[by], chosen[goal])
    return {"costs": costs, "coins": coins, "apart": apart}


def halves(random: np.random.Generator, y: Array) -> Array:
    """Which rows are in the first half: of each class an equal share."""
    first = np.zeros(len(y), bool)
    for label in (0, 1):
        rows = random.permutation(np.flatnonzero(y == label))
        first[rows[: len(rows) // 2]] = True
    return first


def values_of_parts(scores: Array, y: Array, parts: Array) -> Array:
    """Of each model by each metric, more is better, on many parts of the rows at once: (..., model, metric)."""
    y, decided = y[:, None], scores >= 0.5
    rows = parts.sum(axis=-1)[..., None]
    terms = [
        decided == y,
        y * decided,
        decided,
        np.log(np.maximum(np.where(y > 0, scores, 1 - scores), CLIP)),
        -((scores - y) ** 2),
    ]
    right, hits, called, surprise, brier = ((parts @ term.astype(float)) / rows for term in terms)
    share = (parts @ y) / rows
    aucs = np.stack([ranked(scores[:, model], y[:, 0], parts) for model in range(scores.shape[1])], axis=-1)
    return np.stack([right, 2 * hits / (called + share), aucs, surprise, brier], axis=-1)


def ranked(score: Array, y: Array, parts: Array) -> Array:
    """AUC on each part: the share of pairs of both classes that are in order, ties half, by counting from below."""
    order = np.argsort(score, kind="stable")
    last = np.searchsorted(score[order], score[order], side="right") - 1
    first = np.searchsorted(score[order], score[order], side="left")
    negative = parts[..., order] * (1 - y[order])
    below = np.concatenate([np.zeros((*negative.shape[:-1], 1)), np.cumsum(negative, axis=-1)], axis=-1)
    positive = parts[..., order] * y[order]
    pairs = (positive * (below[..., first] + below[..., last + 1]) / 2).sum(axis=-1)
    return np.asarray(pairs / (positive.sum(axis=-1) * negative.sum(axis=-1)))


class Advised(NamedTuple):
    """One goal on one user's data set."""

    advised: bool
    true_gain: float
    """Of what was advised; 0 for the goal itself."""
    best_gain: float
    """Of the metric that is truly best."""
    cheapest_gain: float
    """True gain of the metric with the lowest mean cost."""


def decisions(held: dict[str, Array]) -> Iterator[Advised]:
    costs, coins = held["costs"], held["coins"]
    for goal in range(len(METRICS)):
        true = (costs[:, :, goal, goal].mean() - costs[..., goal].mean(axis=(0, 1))) / coins[..., goal].mean()
        for number in range(len(costs)):
            found = {
                by: gain_over(
                    costs[number, :, goal, goal], costs[number, :, by, goal], coins[number, :, goal],
                    different=int(held["apart"][number, by, goal]),
                )
                for by in range(len(METRICS)) if by != goal
            }  # fmt: skip
            sure = {by: gain.value for by, gain in found.items() if gain is not None and gain.is_sure}
            taken = max(sure, key=sure.__getitem__) if sure else goal
            cheapest = max(found, key=lambda by: found[by].value if found[by] else 0.0)
            lowest = true[cheapest] if found[cheapest] and found[cheapest].value > 0 else 0.0
            yield Advised(bool(sure), float(true[taken]), float(true.max()), float(lowest))


def spreads(held: dict[str, Array]) -> Iterator[tuple[float, float]]:
    """Of every contest: the variance between data sets over that between fits, and the coverage of the 80% interval."""
    costs, coins = held["costs"], held["coins"]
    for goal in range(len(METRICS)):
        for by in range(len(METRICS)):
            saved = (costs[:, :, goal, goal] - costs[:, :, by, goal]) / coins[..., goal].mean()
            within = saved.var(axis=1, ddof=1).mean()
            if by == goal or within < 1e-8:
                continue
            between = max(0.0, saved.mean(axis=1).var(ddof=1) - within / FITS) / within
            inside = [
                gain.low <= saved.mean() <= gain.high
                for number in range(len(costs))
                if (gain := gain_over(costs[number, :, goal, goal], costs[number, :, by, goal], coins[number, :, goal],
                                      different=FITS))
            ]  # fmt: skip
            yield between, float(np.mean(inside))


def main() -> None:
    data_sets = int(sys.argv[1]) if sys.argv[1:] else 24
    folder = Path(sys.argv[2]) if sys.argv[2:] else Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(HERE.parent / "study"))
    from problems import held_out, learned_from

    every = learned_from(SHARED) | held_out(Path(sys.argv[3]) if sys.argv[3:] else None)
    results: dict[Cell, dict[str, Array]] = {}
    for rows, train in SIZES:
        for name, kind in SCENARIOS:
            if every[name].data.rows < 3 * rows or rarer_rows(every[name], rows * (1 - train) / 2) < FEWEST_ROWS:
                continue
            cell = Cell(name, kind, rows, train)
            kept = folder / f"{cell}-{data_sets}.npz"
            if not kept.exists():
                with threadpool_limits(1):
                    np.savez(kept, **costs_of(cell, every[name], data_sets))
            with np.load(kept) as held:
                results[cell] = dict(held)
    (HERE / "own_study.md").write_text(report(results, data_sets))


def rarer_rows(problem: Problem, rows: float) -> float:
    """How many rows of the rarer class so many rows have, on average."""
    share = float((problem.data.target == problem.data.positive).mean())
    return rows * min(share, 1 - share)


def report(results: dict[Cell, dict[str, Array]], data_sets: int) -> str:
    lines = [
        "# When `study --on` advises another metric than the goal",
        f"Made by `python docs/simulations/own_study.py {data_sets}`: {data_sets} data sets of a user in each cell, "
        f"drawn from large data sets, {FITS} fits of each with {DEALS} deals,",
        "by the rule of `referee study --on`: advise the metric with the largest gain if that is 0.05 of a coin's cost "
        "or more, with a probability above 0.8 (variance",
        "factor 0.2), and the two choose differently in at least ten fits. Goals and metrics are accuracy, F1, AUC, "
        "log loss and Brier. What is true is the mean over all data",
        "sets of a cell. `power`: where a metric truly gains more than 0.05, how often one is advised that truly gains "
        "more than 0.02; `bad`: how often one is advised that truly",
        "loses more than 0.02; `change`: the mean change of regret by following the advice, and by always taking the "
        "metric with the lowest cost on the data set (and how often",
        "that is bad). Data sets are at most a third of what they are drawn from, and have ten rows or more of the "
        "rarer class in each part.",
        "",
        "| rows | trained on | scenarios | decisions | advised | power | bad | change | lowest cost: change | bad |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [_line(size, {cell: held for cell, held in results.items() if cell[2:] == size}) for size in SIZES]
    lines += [_line(None, results), "", "## Scenario by scenario, 1,000 rows, half of them trained on", ""]
    lines += ["| data | candidates | advised | power | bad | change |", "|---|---|--:|--:|--:|--:|"]
    for cell, held in results.items():
        if cell[2:] == (1000, 0.5):
            found = list(decisions(held))
            lines.append(f"| {cell.problem} | {cell.kind} | {_shares(found)} |")
    lines += [
        "", "## The variance between data sets over that between fits",
        "Of all contests of two metrics for a goal; the rule takes it to be 0.2. Beside it the mean share of 80% "
        "intervals of the gain that hold the true one.", "",
        "| rows | trained on | contests | median | 90% | largest | 80% interval covers |",
        "|--:|--:|--:|--:|--:|--:|--:|",
    ]  # fmt: skip
    for size in SIZES:
        pairs = np.array([pair for cell, held in results.items() if cell[2:] == size for pair in spreads(held)])
        middle, most, largest = np.quantile(pairs[:, 0], (0.5, 0.9, 1.0))
        lines.append(
            f"| {size[0]:,} | {size[1]:g} | {len(pairs)} | {middle:.3f} | {most:.3f} | {largest:.3f} | "
            f"{pairs[:, 1].mean():.2f} |"
        )
    return "\n".join(lines) + "\n"


def _line(size: tuple[int, float] | None, results: dict[Cell, dict[str, Array]]) -> str:
    found = [decision for held in results.values() for decision in decisions(held)]
    named = "| all | |" if size is None else f"| {size[0]:,} | {size[1]:g} |"
    lowest = np.array([decision.cheapest_gain for decision in found])
    shares = f"{_shares(found)} | {-lowest.mean():+.3f} | {100 * (lowest < -0.02).mean():.1f}%"
    return f"{named} {len(results)} | {len(found)} | {shares} |"


def _shares(found: list[Advised]) -> str:
    gains, best = (np.array([getattr(one, name) for one in found]) for name in ("true_gain", "best_gain"))
    there = best > 0.05
    power = f"{(gains[there] > 0.02).mean():.2f}" if there.any() else "–"
    advised = np.mean([one.advised for one in found])
    return f"{100 * advised:.0f}% | {power} | {100 * (gains < -0.02).mean():.1f}% | {-gains.mean():+.3f}"


if __name__ == "__main__":
    main()

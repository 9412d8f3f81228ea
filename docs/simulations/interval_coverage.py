"""How often the 95% interval of a metric holds its true value: running this file writes docs/coverage.md.

Rows are drawn from known populations; the true value is that of two million rows.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from referee import metrics
from referee.engines import summarise
from referee.predictions import Predictions
from referee.scoring import uncertainty, values

CLASSES = (
    "accuracy", "balanced_accuracy", "precision", "recall", "f_beta", "mcc", "kappa", "roc_auc", "average_precision",
    "log_loss", "brier", "rms", "calibration_error(bins=5)", "ks", "lift", "break_even_point",
    "recall_at_precision(precision=0.7)", "precision_at_recall(recall=0.7)", "paper_average",
)  # fmt: skip
NUMBERS = ("mae", "rmse", "r2", "correlation", "rae", "rrse", "mape", "median_ae", "pinball(level=0.9)")
DESIGNS = [(1000, 0.4), (300, 0.4), (100, 0.4), (50, 0.4), (1000, 0.02), (300, 0.02)]


def draw_classes(rows: int, positives: float, seed: int) -> Predictions:
    """Overconfident probabilities of a logistic world; about as good as real models are (AUC 0.85)."""
    draw = np.random.default_rng(seed)
    truth = draw.random(rows) < positives
    signal = 1.5 * truth + draw.normal(size=rows)
    prior = np.log(positives / (1 - positives))
    scores = 1 / (1 + np.exp(-(1.8 * (signal - 0.75) + prior)))
    return Predictions.from_arrays(truth.astype(int), {"m": scores})


def draw_numbers(rows: int, seed: int) -> Predictions:
    """Skewed amounts with errors that grow with them."""
    draw = np.random.default_rng(seed)
    x = draw.gamma(3.0, 1.0, rows) + 1
    return Predictions.from_arrays(x * draw.gamma(6, 1 / 6, rows), {"m": 0.9 * x + 0.3}, task="regression")


def one_draw(names: tuple[str, ...], predictions: Predictions) -> dict[str, tuple[float, float, float, float]]:
    """Value, interval and standard error of each metric."""
    (model,) = predictions.models
    summary = summarise(predictions, model)
    found = {}
    for name in names:
        value = float(values(metrics[name], summary, len(predictions.classes), predictions.positive)[0])
        known = None if np.isnan(value) else uncertainty(summary, metrics[name], value, None, 0.05)
        found[name] = (value, *(known[:3] if known else (np.nan,) * 3))
    return found


def simulate(rows: int, positives: float | None, repeats: int, seed: int = 1) -> dict[str, dict[str, float]]:
    """Coverage, and the mean standard error over the spread of the values, of each metric."""
    names = NUMBERS if positives is None else CLASSES

    def draw(size: int, number: int) -> Predictions:
        key = seed * 1_000_003 + number
        return draw_numbers(size, key) if positives is None else draw_classes(size, positives, key)

    truth = {name: one[0] for name, one in one_draw(names, draw(2_000_000, -1 % 2**31)).items()}
    runs = Parallel(n_jobs=2, batch_size=50)(
        delayed(lambda n: one_draw(names, draw(rows, n)))(n) for n in range(repeats)
    )
    table = {}
    for name in names:
        value, low, high, error = np.array([run[name] for run in runs]).T
        known = ~np.isnan(low)
        held = (low <= truth[name]) & (truth[name] <= high)
        table[name] = {"coverage": float(held[known].mean()), "ratio": float(np.nanmean(error) / np.nanstd(value))}
    return table


def page(tables: dict[str, dict[str, dict[str, float]]], repeats: int) -> str:
    lines = [
        "# Coverage of the 95% intervals",
        f"Share of {repeats:,} simulated data sets whose interval holds the true value, written by",
        f"`python docs/simulations/interval_coverage.py {repeats}`; in brackets the mean standard error over the "
        "true one.",
        f"An interval that is right covers 95% ({repeats:,} data sets tell it to within "
        f"{1.96 * (0.05 * 0.95 / repeats) ** 0.5:.1%}).",
        "",
    ]
    for names in (CLASSES, NUMBERS):
        chosen = {title: table for title, table in tables.items() if names[0] in table}
        lines += ["| metric | " + " | ".join(chosen) + " |", "|---|" + "--:|" * len(chosen)]
        for name in names:
            cells = [f"{t[name]['coverage']:.1%} ({t[name]['ratio']:.2f})" for t in chosen.values()]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    found = {}
    for size, share in DESIGNS:
        found[f"n = {size:,}, {share:.0%} positive"] = simulate(size, share, count)
    for size in (1000, 300, 100, 50):
        found[f"n = {size:,}"] = simulate(size, None, count)
    Path(__file__).parents[1].joinpath("coverage.md").write_text(page(found, count), encoding="utf-8")

"""How often the 95% intervals of roc_auc, ks and lift hold the true value where classes are small and models good.

Writes ranking_intervals.md beside it: `python docs/simulations/ranking_intervals.py [data sets a cell]`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from referee import metrics
from referee.engines import summarise
from referee.predictions import Predictions
from referee.scoring import uncertainty, values

SIZES = ((6, 6), (6, 100), (20, 20), (20, 200), (50, 50))
"""Positives and negatives."""
TRUE = (0.8, 0.95, 0.99, 0.998)
SPREADS = (1.0, 2.0)
"""Of the positives' scores, where that of the negatives' is 1."""
NAMES = ("roc_auc", "ks", "lift")
CUTS = np.linspace(-10, 20, 300_001)


def true_values(auc: float, spread: float, positives: int, negatives: int) -> dict[str, float]:
    """Of normal scores; lift is that of the tenth with the highest scores in the population."""
    mean = norm.ppf(auc) * (1 + spread**2) ** 0.5
    ks = float(np.abs(norm.sf(CUTS, mean, spread) - norm.sf(CUTS)).max())
    share = positives / (positives + negatives)
    cut = brentq(lambda x: share * norm.sf(x, mean, spread) + (1 - share) * norm.sf(x) - 0.1, -20, 40)
    return {"roc_auc": auc, "ks": ks, "lift": float(norm.sf(cut, mean, spread)) / 0.1}


def covered(positives: int, negatives: int, auc: float, spread: float, repeats: int) -> tuple[list[float], float]:
    """The coverage of each metric, and the share of perfect rankings."""
    true, mean = true_values(auc, spread, positives, negatives), norm.ppf(auc) * (1 + spread**2) ** 0.5
    truth = np.repeat([1, 0], [positives, negatives])
    random, hold, perfect = np.random.default_rng([positives, negatives, int(1000 * auc), int(spread)]), np.zeros(3), 0
    for _ in range(repeats):
        scores = np.r_[random.normal(mean, spread, positives), random.normal(size=negatives)]
        predictions = Predictions.from_arrays(truth, {"m": scores})
        summary = summarise(predictions, predictions.models[0])
        for place, name in enumerate(NAMES):
            value = float(values(metrics[name], summary, 2, predictions.positive)[0])
            known = uncertainty(summary, metrics[name], value, None, 0.05)
            hold[place] += known is not None and known.low - 1e-9 <= true[name] <= known.high + 1e-9
            perfect += name == "roc_auc" and value == 1
    return list(100 * hold / repeats), 100 * perfect / repeats


TEXT = """# Intervals of rankings where classes are small
Made by `python docs/simulations/ranking_intervals.py {repeats}`: how often, in %, the 95% interval holds the true
value in {repeats} data sets a case. Scores of both classes are normal, those of the positives with another spread. A
perfect AUC has the interval of the threshold that tells all rows apart (Jeffreys' intervals of both classes, joined by
MOVER), and no other is surer than that; KS has it at the threshold where the shares differ most; lift at its most has
the exact bound. KS is chosen at the best threshold, so that it is too high for small classes; lift has a coarse scale.

| positives, negatives | true AUC | spread | perfect | roc_auc | ks | lift |
|---|--:|--:|--:|--:|--:|--:|
{table}
"""


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    lines = []
    for positives, negatives in SIZES:
        for auc in TRUE:
            for spread in SPREADS:
                held, perfect = covered(positives, negatives, auc, spread, repeats)
                shares = " | ".join(f"{share:.0f}" for share in (perfect, *held))
                lines.append(f"| {positives}, {negatives} | {auc:g} | {spread:g} | {shares} |")
                print(lines[-1], flush=True)  # noqa: T201
    Path(__file__).with_suffix(".md").write_text(TEXT.format(repeats=repeats, table="\n".join(lines)))


if __name__ == "__main__":
    main()

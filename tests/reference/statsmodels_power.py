"""Power and sample sizes of paired t-tests, and mean squares of a crossed design, by statsmodels.

Written by `python tests/reference/statsmodels_power.py` with statsmodels 0.15.0, which no test needs.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels.api as sm
from statsmodels.formula.api import ols
from statsmodels.stats.power import TTestPower

SIZES = [
    (0.2, 0.05, 0.8, "two-sided"),
    (0.5, 0.05, 0.8, "two-sided"),
    (0.1, 0.01, 0.9, "two-sided"),
    (0.2, 0.05, 0.8, "larger"),
    (0.8, 0.05, 0.95, "two-sided"),
]


def crossed(items: int, seeds: int) -> dict[str, object]:
    draw = np.random.default_rng(5)
    table = np.round(
        draw.normal(0.03, 0.1, (items, 1)) + draw.normal(0, 0.05, (1, seeds)) + draw.normal(0, 0.08, (items, seeds)), 2
    )
    cells = [(item, seed, table[item, seed]) for item in range(items) for seed in range(seeds)]
    frame = pd.DataFrame(cells, columns=["item", "seed", "d"])
    found = sm.stats.anova_lm(ols("d ~ C(item) + C(seed)", frame).fit(), typ=2)
    squares = (found.sum_sq / found.df).tolist()
    return {"scores": table.tolist(), "mean_squares": dict(zip(("items", "seeds", "rest"), squares, strict=True))}


if __name__ == "__main__":
    power = TTestPower()
    sizes = [
        [*case, power.solve_power(effect_size=case[0], alpha=case[1], power=case[2], alternative=case[3])]
        for case in SIZES
    ]
    powers = [[0.3, rows, power.power(0.3, rows, 0.05, alternative="larger")] for rows in (10, 30, 200)]
    smallest = [
        [rows, power.solve_power(nobs=rows, alpha=0.05, power=0.8, alternative="two-sided")] for rows in (10, 30, 200)
    ]
    values = {"sizes": sizes, "powers": powers, "smallest": smallest, "crossed": crossed(6, 4)}
    Path(__file__).with_suffix(".json").write_text(json.dumps(values, indent=1) + "\n")

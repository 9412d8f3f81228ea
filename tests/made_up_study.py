"""Small data sets and settings for tests of the study, of the same form as the paper's."""

from __future__ import annotations

import numpy as np

from referee.fitting import DataSet

SMALL = {"train": 0.3, "holdout": 0.35, "test_subsets": 10, "holdout_subsets": 5}


def made_up_data(rows=600, seed=0, columns=4):
    """One data set of numbers, and one of numbers and categories; the positive class is a third."""
    draw = np.random.default_rng(seed)
    numbers = draw.normal(size=(rows, columns)).round(1)
    leaning = numbers[:, 0] + 0.5 * numbers[:, 1] + draw.normal(size=rows)
    target = np.where(leaning > np.quantile(leaning, 2 / 3), "yes", "no")
    colour = np.where(leaning + draw.normal(size=rows) > 0, "red", "blue")
    mixed = {f"x{place}": column for place, column in enumerate(numbers.T)} | {"colour": colour}
    return {
        "numbers": DataSet.from_arrays(numbers, target, positive="yes"),
        "mixed": DataSet.from_arrays(mixed, target, positive="yes"),
    }

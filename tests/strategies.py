"""Predictions of any kind for Hypothesis: few rows, many ties, missing classes, weights that are 0."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from referee.testing.samples import LISTS, binary, multiclass, regression, scored

FEW_EXAMPLES = settings()
"""As many as the profile has that was asked for: tests/conftest.py."""


def grid(low, high, steps):
    """Numbers that are exact in binary, so that sums of them do not depend on their order."""
    return st.integers(low * steps, high * steps).map(lambda number: number / steps)


@st.composite
def probabilities_of_three(draw):
    first, second = sorted([draw(st.integers(0, 16)), draw(st.integers(0, 16))])
    return [first / 16, (second - first) / 16, (16 - second) / 16]


ROWS = {
    "binary": st.tuples(st.integers(0, 1), grid(0, 1, 64)),
    "multiclass": st.tuples(st.integers(0, 2), probabilities_of_three()),
    "regression": st.tuples(grid(-10, 10, 4), grid(-10, 10, 4)),
    "scores": st.tuples(st.none(), grid(-10, 10, 4)),
    "ranking": st.integers(1, 5).flatmap(
        lambda items: st.tuples(
            st.lists(st.integers(0, 3), min_size=items, max_size=items).filter(any),
            st.lists(grid(0, 1, 64), min_size=items, max_size=items),
        )
    ),
    "multilabel": st.tuples(
        st.lists(st.integers(0, 1), min_size=3, max_size=3), st.lists(grid(0, 1, 64), min_size=3, max_size=3)
    ),
}
MAKE = {"binary": binary, "multiclass": multiclass, "regression": regression, **LISTS}
MAKE["scores"] = lambda _, scores, **given: scored(scores, **given)


@st.composite
def predictions_for(draw, metric, tasks=None):
    task = draw(st.sampled_from(tasks or metric.tasks))
    truth, prediction = zip(*draw(st.lists(ROWS[task], min_size=1, max_size=12)), strict=True)
    weight = draw(st.none() | st.lists(grid(0, 3, 4), min_size=len(truth), max_size=len(truth)).filter(any))
    return MAKE[task](truth, prediction, weight=None if weight is None else np.array(weight))

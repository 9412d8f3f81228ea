"""Two models that know much the same of a binary truth."""

from __future__ import annotations

import numpy as np


def two_models(rows, digits=None):
    """The truth, 30% of it positive, and the probabilities of two models with errors in common and of their own."""
    draw = np.random.default_rng(0)
    truth = (draw.random(rows) < 0.3).astype(np.int32)
    common = draw.normal(1.5 * truth - 1.2, 1)
    models = [1 / (1 + np.exp(-(common + draw.normal(0, 0.7, rows)))) for _ in range(2)]
    return truth, [scores if digits is None else scores.round(digits) for scores in models]

"""The limit: what twelve metrics of two classes take if nothing is done but the work itself.

Scores are sorted as whole numbers, with the class in the last bit, and gone down once: AUC and average precision, the
confusion matrix, Brier score and log loss. No checks, weights, standard errors or intervals; scores between 0 and 1.
"""

from __future__ import annotations

from functools import cache

import numpy as np

DIGIT, DIGITS = 11, 6
"""Bits that are sorted by at once; 64 bits have six such digits."""


def sort_keys(keys, spare):
    """Digit by digit from the last; a digit that all have in common is passed over."""
    counts = np.zeros((DIGITS, 1 << DIGIT), np.int64)
    mask = np.uint64((1 << DIGIT) - 1)
    for row in range(len(keys)):
        for place in range(DIGITS):
            counts[place, (keys[row] >> np.uint64(DIGIT * place)) & mask] += 1
    source, target = keys, spare
    for place in range(DIGITS):
        if counts[place].max() == len(keys):
            continue
        shift, ends = np.uint64(DIGIT * place), np.cumsum(counts[place]) - counts[place]
        for row in range(len(source)):
            digit = (source[row] >> shift) & mask
            target[ends[digit]] = source[row]
            ends[digit] += 1
        source, target = target, source
    return source


def sweep(keys, scores, threshold):
    """Down the sorted keys once: pairs in order (twice), precision summed over the positives, cells, losses."""
    cells = np.zeros((2, 2), np.int64)
    tp = fp = 0
    ordered = precision = squares = surprise = 0.0
    row, one = len(keys) - 1, np.uint64(1)
    while row >= 0:
        step, positives, negatives = keys[row] >> one, 0, 0
        while row >= 0 and keys[row] >> one == step:
            is_positive = keys[row] & one
            score = scores[row]
            positives += is_positive
            negatives += one - is_positive
            cells[is_positive, 1 if score >= threshold else 0] += 1
            squares += (score - is_positive) ** 2
            surprise -= np.log(max(score if is_positive else 1 - score, 2.220446049250313e-16))
            row -= 1
        ordered += float(negatives) * (2.0 * tp + positives)
        tp += positives
        fp += negatives
        precision += tp / (tp + fp) * positives
    return ordered, precision, squares, surprise, cells


@cache
def _compiled(kernel):
    import numba

    return numba.njit(cache=True)(kernel)


def twelve_metrics(truth, scores, threshold=0.5):
    """The values by the names that the other contestants use."""
    keys = (scores.astype(np.float64).view(np.uint64) << np.uint64(1)) | truth.astype(np.uint64)
    rising = _compiled(sort_keys)(keys, np.empty_like(keys))
    values = (rising >> np.uint64(1)).view(np.float64)
    ordered, precision, squares, surprise, cells = _compiled(sweep)(rising, values, threshold)
    (tn, fp), (fn, tp) = cells.astype(float)
    rows, positives, negatives = len(scores), tp + fn, tn + fp
    chance = positives * (tp + fp) + negatives * (tn + fn)
    spread = (tp + fp) * positives * (tn + fn) * negatives
    return {
        "accuracy": (tp + tn) / rows,
        "balanced_accuracy": (tp / positives + tn / negatives) / 2,
        "precision": tp / (tp + fp),
        "recall": tp / positives,
        "f_beta": 2 * tp / (2 * tp + fp + fn),
        "jaccard": tp / (tp + fp + fn),
        "mcc": (tp * tn - fp * fn) / spread**0.5,
        "kappa": (rows * (tp + tn) - chance) / (rows * rows - chance),
        "roc_auc": ordered / (2 * positives * negatives),
        "average_precision": precision / positives,
        "log_loss": surprise / rows,
        "brier": squares / rows,
    }

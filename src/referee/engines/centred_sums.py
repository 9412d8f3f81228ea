"""Second moments of row terms in many units, about means that are exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array

    Pair = tuple[Array, Array]


def moments_about_means(
    terms: Sequence[Array], means: Array, weight: Array, products: Callable[[Pair, Pair], Array]
) -> Array:
    """Sums of products of deviations: (unit, term, term); `products` adds up those of two terms from two means."""
    ones = np.ones(len(terms[0]))
    with np.errstate(all="ignore"):
        # What is left about a rounded mean makes it exact, so that equal numbers have no variance.
        left = [products((term, ones), (mean, 0 * mean)) for term, mean in zip(terms, means, strict=True)]
        means = means + np.stack(left) / weight
        moments = np.empty((len(weight), len(terms), len(terms)))
        for i in range(len(terms)):
            for j in range(i + 1):
                moments[:, i, j] = moments[:, j, i] = products((terms[i], terms[j]), (means[i], means[j]))
    return moments

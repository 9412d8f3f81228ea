"""Pair sums in a database: one query sums products and powers of what the rows of several models add."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import unscaled
from referee.engines.database.changes import Changes, Powers
from referee.engines.protocol import PairSums
from referee.predictions import fetch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.predictions import Predictions


def pair_sums(predictions: Predictions, influences: Sequence[Any], *, by_class: bool) -> PairSums:
    """Of what the rows of several models add to their values, in one query, or two where that is smoothed at a cut."""
    sums = fetch(_pairs(predictions, influences))
    classes, models = max(len(predictions.classes), 1), range(len(influences))
    places = sums["truth"].astype(np.intp)

    def each(name: str) -> Array:
        """Of each class, and in the units of the truth, which was scaled."""
        power = {"cube": 3, "fourth": 4, "first": 1}.get(name.partition("_")[0], 2)
        column = np.zeros(classes)
        column[places] = sums[name]
        return unscaled(column, influences[0].summary.scale, power * influences[0].units_power)

    def pairs(name: str, own: str) -> Array:
        """Of every two: (class, model, model)."""
        sums = np.zeros((classes, len(models), len(models)))
        for i, j in combinations_with_replacement(models, 2):
            sums[:, i, j] = sums[:, j, i] = each(f"{own}_{i}_{i}" if i == j else f"{name}_{i}_{j}")
        return sums

    products, squares = pairs("product", "product"), pairs("square", "product")
    names = [[f"first_{i}", f"product_{i}_{i}", f"cube_{i}", f"fourth_{i}_{i}"] for i in models]
    powers = np.moveaxis(np.array([[each(name) for name in of_model] for of_model in names]), 2, 0)
    if not by_class:
        products, squares = (numbers.sum(axis=0, keepdims=True) for numbers in (products, squares))
    return PairSums(products, squares, pairs("fourth", "fourth").sum(axis=0), powers)


def _pairs(predictions: Predictions, influences: Sequence[Any]) -> Any:
    """The sums of each class, or of all rows where there are none."""
    import ibis

    rows = Changes(predictions, influences).centred()
    phi = [rows[f"phi{place}"] for place in range(len(influences))]
    powers, sums = Powers(predictions, rows), {}
    for i in range(len(phi)):
        sums[f"first_{i}"], sums[f"cube_{i}"] = phi[i].sum(), (phi[i] * phi[i] * phi[i]).sum()
        sums[f"fourth_{i}_{i}"] = powers.fourth(phi[i])
        for j in range(i, len(phi)):
            sums[f"product_{i}_{j}"] = powers.square(phi[i] * phi[j])
            if i < j:
                apart = phi[i] - phi[j]
                sums[f"square_{i}_{j}"] = powers.square(apart * apart)
                sums[f"fourth_{i}_{j}"] = powers.fourth(apart)
    if predictions.classes:
        return rows.group_by("truth").aggregate(**sums)
    return rows.aggregate(truth=ibis.literal(0), **sums)

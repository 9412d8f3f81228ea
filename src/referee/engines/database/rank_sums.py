"""Ranks of the rows of a database among each other, added up there: one query for each column of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.answers import parts_of
from referee.engines.database.models_together import is_constant
from referee.engines.database.sums import kept_rows
from referee.engines.rank_sums import RankSums
from referee.predictions import fetch, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.engines.database.summary import Summary


def rank_sums(summary: Summary) -> Iterator[list[RankSums]]:
    """Of each column of scores, class by class; a constant ranks nothing."""
    model, classes = summary.rows.model, len(summary.predictions.classes)
    if is_constant(model):
        return
    columns = [summary.predictions.positive] if model.scores is not None else range(len(model.class_scores or ()))
    for code in columns:
        said = {"score": summary.rows.score(code or 0), "truth": summary.predictions.truth}
        rows = kept_rows(summary.table, summary.unit_codes, summary.rows.unit_weight, said)
        parts = parts_of(rows, summary.predictions)
        cells = fetch(_summed(parts.told(rows), parts.names))
        part = cells["part"] if parts.names else np.zeros(len(cells["unit"]), int)
        shape = classes, summary.units, len(parts.edges) + 1
        yield [_of_class(*tables) for tables in zip(*(_placed(cells, part, name, shape) for name in SUMS), strict=True)]


SUMS = ("weight", "squares", "ranks", "cubes")


def _summed(rows: Any, part: list[str]) -> Any:
    """Ranks run from the highest score of their part."""
    import ibis

    cells = rows.group_by("truth", "unit", "score", *part).aggregate(
        weight=rows.weight.sum(), squares=(rows.weight * rows.weight).sum()
    )
    falling = ibis.window(group_by=["truth", *part], order_by=ibis.desc("score"), range=(None, 0))
    tied = cells.mutate(
        reached=cells.weight.sum().over(falling),
        tied=cells.weight.sum().over(ibis.window(group_by=["truth", "score", *part])),
    )
    return tied.group_by("truth", "unit", *part).aggregate(
        weight=tied.weight.sum(),
        squares=tied.squares.sum(),
        ranks=(tied.weight * (tied.reached - tied.tied / number(2.0))).sum(),
        cubes=(tied.weight * tied.tied * tied.tied).sum(),
    )


def _placed(cells: dict[str, Array], part: Array, name: str, shape: tuple[int, ...]) -> Array:
    """By class, unit and part."""
    table = np.zeros(shape)
    table[cells["truth"].astype(int), cells["unit"].astype(int), part.astype(int)] = cells[name]
    return table


def _of_class(weight: Array, squares: Array, ranks: Array, cubes: Array) -> RankSums:
    """Of all parts: those above come before."""
    of_parts, total = weight.sum(axis=0), float(weight.sum()) or 1.0
    above = np.cumsum(of_parts) - of_parts
    summed = (ranks + weight * above).sum(axis=1)
    return RankSums(weight.sum(axis=1), squares.sum(axis=1), summed / total, float(cubes.sum()) / total**3)

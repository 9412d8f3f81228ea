"""Curves explained as a lecture would: row by row what falls on which side, and both axes with their counts put in."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import brief, names_in, worked_form
from referee.document import Cell, Column, Lines, Part, count, one_line, table
from referee.engines import engine_of
from referee.scoring import KnownNumbers, metrics, worked_metric
from referee.thresholds.curve_kinds import kinds
from referee.thresholds.curve_list import COUNTS, LETTERS, point_cell, shown_places, title_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.document import Table
    from referee.thresholds.curve_list import Curves
    from referee.thresholds.curve_points import Curve


def explained_curves(curves: Curves) -> tuple[Part, ...]:
    """A part for each curve, in place of the one that shows its points alone."""
    return tuple(
        Part(title_of(curve), (_points(place, curve), Lines(tuple(_said(curves, curve)), "formulas")), asked=True)
        for place, curve in enumerate(curves, 1)
    )


def _points(place: int, curve: Curve) -> Table:
    known = [name for name in ("rank", "score", *COUNTS[1:]) if name in curve.columns()]
    heads = [Column(name.upper() if name in LETTERS else name) for name in known]
    heads[1:1] = [Column("actual", words=True)]
    rows = [_row(curve, known, at) for at in shown_places(curve)]
    axes = [Column(_axis(name)) for name in (curve.y_name, curve.x_name)]
    return table(f"points-{place}", [*heads, *axes], rows)


def _axis(name: str) -> str:
    return name.upper() if name in LETTERS else name.replace("_", " ")


def _row(curve: Curve, known: list[str], at: int) -> list[Cell]:
    columns = curve.columns()
    cells = [point_cell(name, float(columns[name][at])) for name in known]
    cells[1:1] = [Cell(_reached(curve, at))]
    return [*cells, *(_worked(curve, axis, at) for axis in ("y", "x"))]


def _reached(curve: Curve, at: int) -> str:
    """Which rows are called positive here and not yet at the point before."""
    here = (float(np.diff(counts, prepend=0)[at]) for counts in (curve.tp, curve.fp))
    new = [(many, letter) for many, letter in zip(here, "PN", strict=True) if many > 0]
    return ", ".join(letter if many == 1 else f"{count(round(many, 6))} {letter}" for many, letter in new)


def _worked(curve: Curve, axis: str, at: int) -> Cell:
    value = float(getattr(curve, axis)[at])
    known = {"TP": float(curve.tp[at]), "FP": float(curve.fp[at]), "P": curve.positives, "N": curve.negatives}
    known |= {"x": float(curve.x[at])}
    formula = worked_form("", getattr(kinds[curve.kind], f"{axis}_formula"), known)
    if formula is None or not isfinite(value):
        return point_cell(axis, value)
    return Cell(f"{formula.numbers} = {brief(value)}", value)


def _said(curves: Curves, curve: Curve) -> Iterator[str]:
    kind, predictions = kinds[curve.kind], curves.predictions
    yield (
        f"at each row, it and all rows above it are called positive; P = {brief(curve.positives)} rows are "
        f"{one_line(curve.class_ or '')!r}, N = {brief(curve.negatives)} are not"
    )
    for name, formula in ((curve.y_name, kind.y_formula), (curve.x_name, kind.x_formula)):
        if names_in(formula):
            symbols = worked_form("", formula, dict.fromkeys(names_in(formula), 0.0))
            yield f"{_axis(name)} = {symbols.symbols if symbols else formula}"
    if curve.kind == "roc" and curve.area is not None and not curve.is_hull:
        summary = engine_of(predictions).summarise(predictions, predictions.model(curve.model))
        known = KnownNumbers(predictions, summary, predictions.classes.index(curve.class_ or ""))
        yield " = ".join(["AUC", *filter(None, worked_metric(metrics["roc_auc"], known)), brief(curve.area)])

"""Curves: those of all models, what is shown of them as tables, and explained as a lecture would."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.catalogue import brief, names_in, worked_form
from referee.document import (
    UNDEFINED,
    Cell,
    Column,
    Document,
    Lines,
    Part,
    Result,
    count,
    counted,
    finite,
    level,
    name_cell,
    named,
    number,
    number_cell,
    one_line,
    table,
)
from referee.engines import engine_of
from referee.errors import spoken
from referee.records import dataclass
from referee.scoring import KnownNumbers, metrics, rows_described, worked_metric
from referee.thresholds.curve_kinds import kinds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from referee.arrays import Array
    from referee.document import Table
    from referee.errors import Notice
    from referee.predictions import Predictions
    from referee.thresholds.curve_points import Curve


MOST_ROWS = 20
COUNTS = ("rank", "tp", "fp", "tn", "fn")
LETTERS = ("tp", "fp", "tn", "fn", "tpr", "fpr", "fnr")
"""Columns that everybody writes in capitals."""


@dataclass(frozen=True, eq=False, repr=False)
class Curves(Result):
    """A sequence of curves: by model, then by kind and class.

    >>> from referee import Predictions
    >>> from referee.thresholds import curves
    >>> drawn = curves(Predictions.from_arrays([1, 0, 1], {"a": [0.9, 0.7, 0.6]}), "roc")
    >>> len(drawn), drawn[0].area, str(drawn)
    (1, 0.5, 'ROC curve of 1 model')
    """

    predictions: Predictions
    curves: tuple[Curve, ...]
    alpha: float = 0.05
    seed: int = 0

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What is odd about the data, and which models are left out."""
        return self.predictions.notices

    def __iter__(self) -> Iterator[Curve]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    def __getitem__(self, place: int) -> Curve:
        return self.curves[place]

    def __str__(self) -> str:
        titles = list(dict.fromkeys(curve.title for curve in self.curves))
        return f"{named(titles)} of {counted(len({curve.model for curve in self.curves}), 'model')}"

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (nothing in it is long)
        return curves_document(self)

    def explanation(self) -> tuple[Part, ...]:
        """Each curve row by row, both axes with their counts filled in."""
        return explained_curves(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": self.predictions.rows,
            "goal": None,
            "alpha": self.alpha,
            "seed": self.seed,
            "fingerprint": self.predictions.fingerprint,
            "read": self.predictions.reading,
            "curves": [curve.to_dict() for curve in self.curves],
            "warnings": [vars(notice) for notice in self.warnings],
        }

    def records(self) -> list[dict[str, Any]]:
        """One for each point; a threshold above all scores is None."""
        return list(point_records(self))


def curves_document(curves: Curves) -> Document:
    predictions = curves.predictions
    areas = [areas_part(place, together) for place, together in enumerate(drawn_together(curves), 1)]
    points = [points_part(place, curve) for place, curve in enumerate(curves, 1)]
    about = rows_described(predictions)
    return Document("curves", "", (*areas, *points), about, predictions.notes, curves.warnings)


def drawn_together(curves: Iterable[Curve]) -> list[list[Curve]]:
    """The curves of all models, by kind and class."""
    groups: dict[tuple[str, str | None], list[Curve]] = {}
    for curve in curves:
        groups.setdefault((curve.kind, curve.class_), []).append(curve)
    return list(groups.values())


def areas_part(place: int, curves: Sequence[Curve]) -> Part:
    """The areas of all models, where they have a meaning, and how many points there are."""
    first = curves[0]
    areas = [] if first.area is None else [first.area_name]
    rows = [
        [name_cell(curve.model), *([number_cell(curve.area)] if areas else []), _count(curve.points)]
        for curve in curves
    ]
    shown = table(f"areas-{place}", ["model", *areas, "points"], rows, sortable=True)
    return Part(f"{first.title} for {one_line(first.class_ or '')!r}", (shown,), asked=True)


def points_part(place: int, curve: Curve) -> Part:
    """The points of one curve: all where they are few, else evenly spaced ones."""
    columns = [Column(name.upper() if name in LETTERS else name) for name in curve.columns()]
    places = shown_places(curve)
    rows = [[point_cell(name, float(column[at])) for name, column in curve.columns().items()] for at in places]
    said = tuple(_remarks(curve, len(places)))
    shown = table(f"points-{place}", columns, rows, remarks=said)
    return Part(title_of(curve), (shown,), folded=True, asked=True)


def title_of(curve: Curve) -> str:
    """Which curve it is, and its area."""
    area = "" if curve.area is None else f": {curve.area_name} {number(curve.area)}"
    return f"{curve.title} of {one_line(curve.model)} for {one_line(curve.class_ or '')!r}{area}"


def shown_places(curve: Curve) -> Array:
    """Not the empty beginning."""
    places = np.flatnonzero(curve.rank > 0) if curve.x_name != "threshold" else np.arange(len(curve))
    if len(places) <= MOST_ROWS:
        return places
    return places[np.linspace(0, len(places) - 1, MOST_ROWS).round().astype(int)]


def point_cell(name: str, value: float) -> Cell:
    if name in COUNTS:
        return _count(value)
    return number_cell(value) if isfinite(value) else Cell(UNDEFINED)


def _count(value: float) -> Cell:
    return Cell(count(round(value, 6)), float(value))


def _remarks(curve: Curve, shown: int) -> Iterator[str]:
    """What a reader should know of the points."""
    if shown < curve.points - 1:
        yield spoken(f"{shown} of {curve.points:,} points; --format csv gives more of them")
    if curve.tolerance:
        near = f"points nearer to another one than {curve.tolerance:g} of each axis"
        yield spoken(f"{near} are left out (--tolerance 0: none)")
    if curve.band is not None and curve.alpha is not None:
        of_what = "each point by itself" if curve.band == "pointwise" else "the whole curve at once"
        yield f"low, high: {level(curve.alpha)} band of {of_what}, by {curve.band_method}"
    if curve.redrawn:
        yield f"in {curve.redrawn:,} draws of the bootstrap a class was missing: they were drawn again"


def point_records(curves: Iterable[Curve]) -> Iterator[dict[str, Any]]:
    """Every point of every curve, with the columns of all kinds."""
    curves = list(curves)
    is_mixed = len({curve.kind for curve in curves}) > 1
    names = dict.fromkeys(name for curve in curves for name in curve.columns())
    for curve in curves:
        kind = {"kind": curve.kind} if is_mixed else {}
        columns = {name: finite(column.tolist()) for name, column in curve.columns().items()}
        unknown = [None] * len(curve)
        for values in zip(*(columns.get(name, unknown) for name in names), strict=True):
            yield {"model": curve.model, "class": curve.class_, **kind, **dict(zip(names, values, strict=True))}


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
        yield " = ".join(["ROC AUC", *filter(None, worked_metric(metrics["roc_auc"], known)), brief(curve.area)])

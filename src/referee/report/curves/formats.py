"""Curves in the four formats."""

from __future__ import annotations

import sys
from itertools import chain
from typing import TYPE_CHECKING, Any

from referee.curve_points import plain_list
from referee.document import write_json, write_notices, write_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.curve_points import Curve
    from referee.predictions import Predictions


def show_curves(
    predictions: Predictions, curves: Sequence[Curve], form: str, *, alpha: float, seed: int, quiet: bool
) -> None:
    """Write the points of curves to standard output."""
    if form == "json":
        write_json("curves", _body(predictions, curves, alpha, seed))
    elif form == "csv":
        _write_csv(curves)
        write_notices(predictions.notices)
    elif form == "md":
        from referee.report.curves.markdown import to_markdown

        sys.stdout.write(to_markdown(predictions, curves))
    else:
        from referee.report.curves.screen import print_curves  # rich is for the screen only

        print_curves(predictions, curves, quiet=quiet)


def _body(predictions: Predictions, curves: Sequence[Curve], alpha: float, seed: int) -> dict[str, Any]:
    return {
        "rows": predictions.rows,
        "goal": None,
        "alpha": alpha,
        "seed": seed,
        "fingerprint": predictions.fingerprint,
        "curves": [one.to_dict() for one in curves],
        "warnings": [vars(notice) for notice in predictions.notices],
    }


def _write_csv(curves: Sequence[Curve]) -> None:
    """One line per point; a threshold above all scores is left empty."""
    rows = ([one.model, one.class_, *row] for one in curves for row in rows_of(one))
    write_table(chain([["model", "class", *curves[0].columns()]], rows))


def rows_of(curve: Curve) -> Iterator[tuple[float | int | None, ...]]:
    """The points row by row, as plain numbers."""
    columns = [plain_list(column) for column in curve.columns().values()]
    yield from zip(*columns, strict=True)

"""Scores of slices, folds and classes, and confusion matrices, on the screen."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from referee.report.scores.footnotes import Footnotes
from referee.report.scores.overall_tables import FEW_METRICS, LONGEST_HEADER, LONGEST_TITLE
from referee.report.scores.shown import by_class, by_unit
from referee.report.terminal.console import fits, plain, print_dim, print_title, table_of
from referee.scoring import shown_name
from referee.wording import count, distinct_names, folded, number, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.console import Console
    from rich.table import Table

    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.report.scores.shown import Grid
    from referee.scoring import Scores

HEADER_WIDTHS = (11, 10, 9, 8)
FEW_UNITS = 4
MOST_COLUMNS = 5
MOST_CLASSES = 6
LONGEST_METRIC = 25
LONGEST_UNIT = 17
OF_EACH_CLASS = ("precision", "recall", "specificity", "f_beta", "roc_auc", "average_precision")
"""What the table of classes shows where nobody asked for certain metrics."""


def print_slices(console: Console, scores: Scores) -> None:
    titles = distinct_names(scores.predictions.names, LONGEST_TITLE)
    for grid in by_unit(scores, "slice"):
        print_title(console, f"{titles[grid.model]}, by slice")
        if len(grid.units) > FEW_UNITS and len(grid.metrics) > MOST_COLUMNS:
            console.print(_ranges(grid, "slices"))
            print_dim(console, [f"--metrics M1,M2 (up to {MOST_COLUMNS}) shows each slice"])
        else:
            _print_grid(console, grid)


def print_folds(console: Console, scores: Scores) -> None:
    titles = distinct_names(scores.predictions.names, LONGEST_TITLE)
    for grid in by_unit(scores, "unit"):
        print_title(console, f"{titles[grid.model]}, by fold")
        if len(grid.units) > FEW_UNITS:
            console.print(_ranges(grid, "folds"))
        else:
            _print_grid(console, grid)


def _print_grid(console: Console, grid: Grid) -> None:
    """A column for each of few units, else a row for each."""
    notes = Footnotes()
    build = _row_per_metric if len(grid.units) <= FEW_UNITS else _row_per_unit
    console.print(widest(console, lambda width: build(grid, notes, width)))
    print_dim(console, notes.lines())


def widest(console: Console, build: Callable[[int], Table]) -> Table:
    """The table whose headers are as wide as the screen allows."""
    for width in HEADER_WIDTHS:
        table = build(width)
        if fits(console, table):
            break
    return table


def _row_per_metric(grid: Grid, notes: Footnotes, width: int) -> Table:
    table = table_of("", *_headers(grid.units, width))
    for metric, label in _metric_labels(grid).items():
        cells = [notes.cell(grid.cells.get((metric, unit))) for unit in grid.units]
        table.add_row(plain(f"  {label}"), *map(plain, cells))
    return table


def _row_per_unit(grid: Grid, notes: Footnotes, width: int, classes: Sequence[str] | None = None) -> Table:
    """With `classes`, what is none of them, an average, stands out."""
    table = table_of("", *_headers(map(shown_name, grid.metrics), width))
    for unit, label in distinct_names(grid.units, LONGEST_UNIT).items():
        cells = [notes.cell(grid.cells.get((metric, unit))) for metric in grid.metrics]
        name = f"  {label}" if classes is None or unit in classes else label
        table.add_row(plain(name), *map(plain, cells))
    return table


def _metric_labels(grid: Grid) -> dict[str, str]:
    shown = {metric: shown_name(metric) for metric in grid.metrics}
    labels = distinct_names(shown.values(), LONGEST_METRIC)
    return {metric: labels[name] for metric, name in shown.items()}


def _headers(names: Iterable[str], width: int) -> list[str]:
    return [folded(label, width) for label in distinct_names(names, LONGEST_HEADER).values()]


def _ranges(grid: Grid, what: str) -> Table:
    """How many units have a value, and its ends; of folds also the mean, which is undefined if one fold is."""
    with_mean = "mean" in grid.units and what == "folds"
    table = table_of("", what, *(["mean"] if with_mean else []), "lowest", "highest")
    units = [unit for unit in grid.units if not (with_mean and unit == "mean")]
    for metric, label in _metric_labels(grid).items():
        values = [grid.cells[metric, unit].value for unit in units]
        known = [value for value in values if value is not None]
        ends = [min(known), max(known)] if known else [None, None]
        mean = [grid.cells[metric, "mean"].value] if with_mean else []
        amount = str(len(units)) if len(known) == len(units) else f"{len(known)} of {len(units)}"
        table.add_row(plain(f"  {label}"), plain(amount), *(plain(number(value)) for value in [*mean, *ends]))
    return table


def print_classes(console: Console, scores: Scores) -> None:
    """Each class against the rest, with the averages below."""
    titles = distinct_names(scores.predictions.names, LONGEST_TITLE)
    for grid in by_class(scores):
        shown = grid
        if len(scores.metrics) > FEW_METRICS:
            shown = replace(grid, metrics=[metric for metric in OF_EACH_CLASS if metric in grid.metrics])
        notes = Footnotes()
        build = partial(_row_per_unit, shown, notes, classes=scores.predictions.classes)
        print_title(console, f"{titles[grid.model]}, each class against the rest")
        console.print(widest(console, build))
        print_dim(console, notes.lines())


def print_confusion(console: Console, scores: Scores) -> None:
    """The confusion matrices with totals and recognition rates, as the lecture draws them."""
    titles = distinct_names(scores.predictions.names, LONGEST_TITLE)
    for name, matrix in scores.confusion.items():
        print_title(console, f"{titles[name]}, confusion matrix")
        classes = len(matrix)
        if classes <= MOST_CLASSES and fits(console, table := _confusion(scores.predictions, matrix)):
            console.print(table)
        else:
            print_dim(console, [f"{classes} x {classes} classes: see --format md or json"])


def _confusion(predictions: Predictions, matrix: Array) -> Table:
    labels = list(distinct_names(predictions.classes, 12).values())
    rates = _rate_names(predictions)
    table = table_of(r"true \ predicted", *labels, "total", "recognised", *([""] if rates else []))
    for code, label in enumerate(labels):
        row = matrix[code]
        rate = row[code] / row.sum() if row.sum() else float("nan")
        table.add_row(plain(f"  {label}"), *_counts(row), count(row.sum()), percent(rate), *rates[code : code + 1])
    correct, total = percent(matrix.trace() / matrix.sum()), "  total" if rates else "  total, accuracy"
    table.add_row(plain(total), *_counts(matrix.sum(axis=0)), count(matrix.sum()), correct, *rates[-1:])
    return table


def _counts(row: Sequence[float]) -> list[str]:
    return [count(value) for value in row]


def _rate_names(predictions: Predictions) -> list[str]:
    """What the recognition rates of two classes are called, and of both together."""
    if predictions.positive is None:
        return []
    each = ["sensitivity" if code == predictions.positive else "specificity" for code in range(2)]
    return [*each, "accuracy"]

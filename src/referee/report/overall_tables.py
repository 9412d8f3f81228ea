"""The scores on all rows, on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from referee.report.console import plain, print_dim, print_title, table_of
from referee.report.footnotes import Footnotes
from referee.report.selection import HEADINGS, Overall, guessing_name, half_width, level, overall
from referee.report.wording import distinct_names, folded, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from referee.scores import Score, Scores

FEW_METRICS = 6
HEADER_WIDTH = 11
LONGEST_HEADER = 3 * HEADER_WIDTH
LONGEST_METRIC = 30
BETWEEN_COLUMNS = 2
HALF_WIDTH = len("±0.030")


def print_overall(console: Console, scores: Scores, alpha: float) -> None:
    """A table for each of few metrics, with intervals; one table where there are many."""
    if len(scores.metrics) <= FEW_METRICS:
        _print_each_metric(console, scores, alpha)
    else:
        _print_all_metrics(console, scores, alpha)


def _print_each_metric(console: Console, scores: Scores, alpha: float) -> None:
    labels, notes = distinct_names(scores.predictions.names), Footnotes()
    guessing = guessing_name(list(labels.values()))
    longest = max(map(len, [*labels.values(), guessing]))
    for row in overall(scores):
        print_title(console, f"{distinct_names([row.name], 50)[row.name]}, {row.metric.better} is better")
        table = table_of(" " * (longest + 2), "value", f"{level(alpha)} interval", "standard error")
        for label, score in zip([*labels.values(), guessing], [*row.models, row.guessed], strict=True):
            style = "bold" if row.is_best(score) and score is not row.guessed else ""
            error = "" if score.standard_error is None else number(score.standard_error)
            table.add_row(plain(f"  {label}"), plain(notes.cell(score), style), plain(_interval(score)), plain(error))
        console.print(table)
    print_dim(console, notes.lines())


def _interval(score: Score) -> str:
    return "" if score.low is None or score.high is None else f"[{number(score.low)}, {number(score.high)}]"


def _print_all_metrics(console: Console, scores: Scores, alpha: float) -> None:
    names, rows, notes = scores.predictions.names, overall(scores), Footnotes()
    labels = distinct_names(names, LONGEST_HEADER)
    with_intervals = _models_that_fit(console, rows, list(labels.values()), HALF_WIDTH + 1) >= len(names)
    per_table = max(1, _models_that_fit(console, rows, list(labels.values()), HALF_WIDTH + 1 if with_intervals else 0))
    for start in range(0, len(names), per_table):
        _print_some_models(console, rows, labels, slice(start, start + per_table), notes, with_intervals)
    if with_intervals and any(half_width(score) for row in rows for score in row.models):
        print_dim(console, [f"±  the larger half of the {level(alpha)} interval"])
    print_dim(console, notes.lines())


def _models_that_fit(console: Console, rows: Sequence[Overall], labels: Sequence[str], further: int) -> int:
    """How many models' columns stand side by side, each with some further letters in its cells."""
    names = max(cell_len(distinct_names([row.name], LONGEST_METRIC + 10)[row.name]) for row in rows) + 2
    notes = Footnotes()
    cells = [notes.cell(score) for row in rows for score in (*row.models, row.guessed)]
    cell = max(map(len, cells))
    header = max(cell_len(line) for label in labels for line in folded(label, HEADER_WIDTH).split("\n"))
    left = console.width - names - BETWEEN_COLUMNS - max(len("(guessing)"), cell)
    return left // (BETWEEN_COLUMNS + max(header, cell + further))


def _print_some_models(
    console: Console,
    rows: Sequence[Overall],
    labels: dict[str, str],
    chosen: slice,
    notes: Footnotes,
    with_intervals: bool,
) -> None:
    down = "v" if console.encoding.startswith("ascii") else "↓"
    shown = list(labels.values())
    headers = [folded(label, HEADER_WIDTH) for label in shown[chosen]]
    table, heading = table_of(f"  {down} lower is better", *headers, guessing_name(shown)), ""
    for row in rows:
        if row.metric.needs != heading:
            heading = row.metric.needs
            table.add_row(plain(HEADINGS[heading], "bold"))
        models = [
            plain(_cell(score, notes, with_intervals), "bold" if row.is_best(score) else "")
            for score in row.models[chosen]
        ]
        arrow = down if row.metric.better == "lower" else " "
        name = distinct_names([row.name], LONGEST_METRIC + 10)[row.name]
        table.add_row(plain(f"{arrow} {name}"), *models, plain(notes.cell(row.guessed)))
    console.print(table)


def _cell(score: Score, notes: Footnotes, with_interval: bool) -> str:
    value = notes.cell(score)
    return f"{value} {half_width(score):<{HALF_WIDTH}}" if with_interval else value

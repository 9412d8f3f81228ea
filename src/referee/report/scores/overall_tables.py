"""The scores on all rows, on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from referee.report.scores.footnotes import Footnotes
from referee.report.scores.shown import HEADINGS, Overall, guessing_name, half_width, level, overall
from referee.report.terminal.console import plain, print_dim, print_title, table_of
from referee.wording import distinct_names, folded, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from referee.score_table import Score
    from referee.scores import Scores

FEW_METRICS = 6
HEADER_WIDTH = 11
LONGEST_HEADER = 3 * HEADER_WIDTH
LONGEST_METRIC = 40
LONGEST_TITLE = 50
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
    rows = overall(scores)
    titles = distinct_names((row.name for row in rows), LONGEST_TITLE)
    for row in rows:
        print_title(console, f"{titles[row.name]}, {row.metric.better} is better")
        table = table_of(" " * (longest + 2), "value", f"{level(alpha)} interval", "standard error")
        for label, score in zip(labels.values(), row.models, strict=True):
            value = plain(notes.cell(score), "bold" if row.is_best(score) else "")
            table.add_row(plain(f"  {label}"), value, *map(plain, _uncertainty(score)))
        table.add_row(plain(f"  {guessing}"), plain(notes.cell(row.guessed)))
        console.print(table)
    print_dim(console, notes.lines())


def _uncertainty(score: Score) -> tuple[str, str]:
    if score.low is None or score.high is None or score.standard_error is None:
        return "", ""
    return f"[{number(score.low)}, {number(score.high)}]", number(score.standard_error)


def _print_all_metrics(console: Console, scores: Scores, alpha: float) -> None:
    rows, notes = overall(scores), Footnotes()
    labels = list(distinct_names(scores.predictions.names, LONGEST_HEADER).values())
    for with_intervals in (True, False):
        tables = _side_by_side(console, rows, labels, with_intervals)
        if len(tables) == 1:
            break
    for chosen in tables:
        _print_some_models(console, rows, labels, chosen, notes, with_intervals)
    if with_intervals and any(half_width(score) for row in rows for score in row.models):
        print_dim(console, [f"±  the larger half of the {level(alpha)} interval"])
    print_dim(console, notes.lines())


def _side_by_side(
    console: Console, rows: Sequence[Overall], labels: Sequence[str], with_intervals: bool
) -> list[slice]:
    """Which models' columns stand in one table: as many as the screen is wide."""
    names = max(map(cell_len, _metric_names(rows).values())) + len("↓ ")
    room = console.width - names - _width(guessing_name(labels), [row.guessed for row in rows], False)
    tables, left = [slice(0, 0)], room
    for place, label in enumerate(labels):
        width = _width(label, [row.models[place] for row in rows], with_intervals)
        if width > left and tables[-1].stop > tables[-1].start:
            tables.append(slice(place, place))
            left = room
        tables[-1] = slice(tables[-1].start, place + 1)
        left -= width
    return tables


def _width(label: str, column: Sequence[Score], with_intervals: bool) -> int:
    notes = Footnotes()
    header = max(map(cell_len, folded(label, HEADER_WIDTH).split("\n")))
    return BETWEEN_COLUMNS + max(header, *(len(_cell(score, notes, with_intervals)) for score in column))


def _print_some_models(
    console: Console,
    rows: Sequence[Overall],
    labels: Sequence[str],
    chosen: slice,
    notes: Footnotes,
    with_intervals: bool,
) -> None:
    down = "v" if console.encoding.startswith("ascii") else "↓"
    headers = [folded(label, HEADER_WIDTH) for label in labels[chosen]]
    names = _metric_names(rows)
    table, heading = table_of(f"  {down} lower is better", *headers, guessing_name(labels)), ""
    for row in rows:
        if row.metric.needs != heading:
            heading = row.metric.needs
            table.add_row(plain(HEADINGS[heading], "bold"))
        models = [
            plain(_cell(score, notes, with_intervals), "bold" if row.is_best(score) else "")
            for score in row.models[chosen]
        ]
        arrow = down if row.metric.better == "lower" else " "
        table.add_row(plain(f"{arrow} {names[row.name]}"), *models, plain(notes.cell(row.guessed)))
    console.print(table)


def _metric_names(rows: Sequence[Overall]) -> dict[str, str]:
    return distinct_names((row.name for row in rows), LONGEST_METRIC)


def _cell(score: Score, notes: Footnotes, with_interval: bool) -> str:
    value = notes.cell(score)
    return f"{value} {half_width(score):<{HALF_WIDTH}}" if with_interval else value

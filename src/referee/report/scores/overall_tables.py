"""The scores on all rows, on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.scores.footnotes import Footnotes
from referee.report.scores.shown import (
    HEADINGS,
    Overall,
    guessing_name,
    half_width,
    heading_of,
    is_lopsided,
    largest_half,
    overall,
    uncertainty,
)
from referee.report.terminal.console import plain, print_dim, print_title, table_of
from referee.short_names import columns_of
from referee.wording import distinct_names, folded, level, name_key, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console

    from referee.scoring import Score, Scores

    Beside = Callable[[Score], str]

FEW_METRICS = 6
HEADER_WIDTH = 11
LONGEST_HEADER = 3 * HEADER_WIDTH
LONGEST_METRIC = 40
LONGEST_TITLE = 50
BETWEEN_COLUMNS = 2


def print_overall(console: Console, scores: Scores, alpha: float) -> None:
    """A table for each of few metrics, with intervals; one table where there are many."""
    if len(scores.metrics) <= FEW_METRICS:
        _print_each_metric(console, scores, alpha)
    else:
        _print_all_metrics(console, scores, alpha)


def _print_each_metric(console: Console, scores: Scores, alpha: float) -> None:
    labels, notes = distinct_names(scores.predictions.names), Footnotes()
    guessing = guessing_name(list(labels.values()))
    longest = max(map(columns_of, [*labels.values(), guessing]))
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
    print_dim(console, [*notes.lines(), *_kinds_of_intervals(rows), *name_key(labels)])


def _kinds_of_intervals(rows: Sequence[Overall]) -> Iterator[str]:
    """What the intervals are, and of which metrics."""
    kinds: dict[str, dict[str, None]] = {}
    for row in rows:
        for score in row.models:
            if score.interval is not None:
                kinds.setdefault(score.interval, {})[row.metric.shown_name] = None
    if kinds:
        yield "intervals: " + "; ".join(f"{kind} ({', '.join(names)})" for kind, names in kinds.items())


def _uncertainty(score: Score) -> tuple[str, str]:
    if score.low is None or score.high is None or score.standard_error is None:
        return "", ""
    return f"[{number(score.low)}, {number(score.high)}]", number(score.standard_error)


def _print_all_metrics(console: Console, scores: Scores, alpha: float) -> None:
    rows, notes = overall(scores), Footnotes()
    labels = distinct_names(scores.predictions.names, LONGEST_HEADER)
    for beside in BESIDE:
        tables = _side_by_side(console, rows, list(labels.values()), beside)
        if len(tables) == 1:
            break
    for chosen in tables:
        _print_some_models(console, rows, list(labels.values()), chosen, notes, beside)
    print_dim(console, [*_said_beside(rows, beside, alpha), *notes.lines(), *name_key(labels)])


def _said_beside(rows: Sequence[Overall], beside: Beside, alpha: float) -> Iterator[str]:
    """What stands beside the values."""
    scores = [score for row in rows for score in row.models]
    if beside is _nothing and any(map(half_width, scores)):
        each = f"--metrics M1,M2 (up to {FEW_METRICS}) shows each"
        yield f"±  the largest half of these models' {level(alpha)} intervals; {each}"
    signs = {beside(score)[:1] for score in scores}
    if "±" in signs:
        hidden = beside is half_width and any(map(is_lopsided, scores))
        more = "; --format json has both ends, as some are far from the same" if hidden else ""
        yield f"±  the larger half of the {level(alpha)} interval{more}"
    if "[" in signs:
        yield f"[low, high]  the {level(alpha)} interval, where its halves differ by more than a quarter"


def _side_by_side(console: Console, rows: Sequence[Overall], labels: Sequence[str], beside: Beside) -> list[slice]:
    """Which models' columns stand in one table: as many as the screen is wide."""
    names = max(map(columns_of, _metric_names(rows).values())) + len("↓ ")
    room = console.width - names - _width(guessing_name(labels), [row.guessed for row in rows], _nothing)
    if beside is _nothing and (shared := max(len(half_width(score)) for row in rows for score in row.models)):
        room -= BETWEEN_COLUMNS + shared
    tables, left = [slice(0, 0)], room
    for place, label in enumerate(labels):
        width = _width(label, [row.models[place] for row in rows], beside)
        if width > left and tables[-1].stop > tables[-1].start:
            tables.append(slice(place, place))
            left = room
        tables[-1] = slice(tables[-1].start, place + 1)
        left -= width
    return tables


def _width(label: str, column: Sequence[Score], beside: Beside) -> int:
    notes, room = Footnotes(), _room(column, beside)
    header = max(map(columns_of, folded(label, HEADER_WIDTH).split("\n")))
    return BETWEEN_COLUMNS + max(header, *(plain(_cell(score, notes, beside, room)).cell_len for score in column))


def _room(column: Sequence[Score], beside: Beside) -> tuple[int, int]:
    """For the values and what stands beside them, so that they stand below each other."""
    return max(len(Footnotes().cell(score)) for score in column), max(len(beside(score)) for score in column)


def _print_some_models(
    console: Console,
    rows: Sequence[Overall],
    labels: Sequence[str],
    chosen: slice,
    notes: Footnotes,
    beside: Beside,
) -> None:
    headers = [folded(label, HEADER_WIDTH) for label in labels[chosen]]
    names = _metric_names(rows)
    rooms = [_room([row.models[place] for row in rows], beside) for place in range(len(labels))][chosen]
    shared = ["±"] if beside is _nothing and any(largest_half(row.models) for row in rows) else []
    table, heading = table_of("  ↓ lower is better", *headers, *shared, guessing_name(labels)), ""
    for column, room in zip(table.columns[1:], rooms, strict=False):
        column.justify = "left" if room[1] else "right"  # rich takes away the blanks that end a cell
    for row in rows:
        if heading_of(row.metric) != heading:
            heading = heading_of(row.metric)
            table.add_row(plain(HEADINGS[heading] + _threshold_of(rows, heading), "bold"))
        models = [
            plain(_cell(score, notes, beside, room), "bold" if row.is_best(score) else "")
            for score, room in zip(row.models[chosen], rooms, strict=True)
        ]
        arrow = "↓" if row.metric.better == "lower" and row.metric.compares_models else " "
        halves = [plain(largest_half(row.models[chosen]))] if shared else []
        table.add_row(plain(f"{arrow} {names[row.name]}"), *models, *halves, plain(notes.cell(row.guessed)))
    console.print(table)


def _metric_names(rows: Sequence[Overall]) -> dict[str, str]:
    """The threshold stands in the heading where all below it have the same."""
    short = {row.name: row.name.removesuffix(_threshold_of(rows, heading_of(row.metric))) for row in rows}
    labels = distinct_names(short.values(), LONGEST_METRIC)
    return {name: labels[text] for name, text in short.items()}


def _threshold_of(rows: Sequence[Overall], heading: str) -> str:
    found = {row.at_threshold for row in rows if heading_of(row.metric) == heading}
    return found.pop() if len(found) == 1 else ""


def _cell(score: Score, notes: Footnotes, beside: Beside, room: tuple[int, int]) -> str:
    value = notes.cell(score)
    return f"{value:>{room[0]}} {beside(score):<{room[1]}}" if room[1] else value


def _nothing(_: Score) -> str:
    return ""


BESIDE: tuple[Beside, ...] = (uncertainty, half_width, _nothing)
"""What stands beside the values: as much as one table of all models has room for; at least a column for all."""

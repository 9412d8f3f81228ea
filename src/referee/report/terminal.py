"""Scores on the screen: tables that fit 80 columns, what was understood first, warnings last."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.metric import AVERAGES, metrics
from referee.report.scores import described, overall_table
from referee.report.wording import count, number, one_line, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.scores import Score, Scores

MODELS_PER_TABLE = 3
MOST_CLASSES = 6
FEW_UNITS = 4
HEADINGS = {
    "labels": "decisions",
    "scores": "ranking",
    "probabilities": "probabilities",
    "values": "numbers",
    "quantiles": "quantiles",
}


def print_scores(scores: Scores, *, quiet: bool) -> None:
    """Print everything that `referee evaluate` found."""
    console = screen()
    predictions = scores.predictions
    if not quiet:
        console.print(f"{predictions.rows:,} rows, {described(scores)}", style="bold", markup=False)
        for note in predictions.notes:
            console.print(f"  {note}", style="dim", markup=False)
    for names in _few_at_a_time(predictions.names):
        console.print(_overall(scores, names, console))
    _print_footnotes(console, scores)
    for kind, title in (("slice", "by slice"), ("unit", "by fold")):
        _print_units(console, scores, kind, title)
    if not quiet:
        _print_by_class(console, scores)
        for name, matrix in scores.confusion.items():
            _print_confusion(console, predictions, name, matrix)
    print_notices(console, scores)


def screen() -> Console:
    """A console as wide as the terminal, 80 columns where there is none; colour only on a terminal."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 80
    return Console(file=sys.stdout, width=width, highlight=False, soft_wrap=False)


def print_notices(console: Console, scores: Scores) -> None:
    for notice in scores.notices:
        text = Text.assemble(("warning", "yellow bold"), f"[{notice.code}] {one_line(notice.message, 600)}")
        console.print(text, soft_wrap=True)


def plain(text: str, style: str = "") -> Text:
    """A text in which nothing is markup."""
    return Text(text, style=style, no_wrap=True)


def _print_title(console: Console, title: str) -> None:
    console.print()
    console.print(plain(title, "bold"))


def _table(*columns: str) -> Table:
    """Names left, numbers right, no frame."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, column in enumerate(columns):
        table.add_column(plain(column), justify="left" if place == 0 else "right", no_wrap=True)
    return table


def _few_at_a_time(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), MODELS_PER_TABLE):
        yield names[start : start + MODELS_PER_TABLE]


def _overall(scores: Scores, names: Sequence[str], console: Console) -> Table:
    down = "v" if console.encoding.startswith("ascii") else "↓"
    table = _table(f"  {down} lower is better", *(one_line(name, 11) for name in names), "guessing")
    marks, heading = _marks(scores), ""
    chosen = [scores.predictions.names.index(name) for name in names]
    for name, row in sorted(overall_table(scores), key=lambda item: list(HEADINGS).index(metrics[item[0]].needs)):
        metric = metrics[name]
        if metric.needs != heading:
            heading = metric.needs
            table.add_row(plain(HEADINGS[heading], "bold"))
        shown = [row[place] for place in chosen] + [row[-1]]
        cells = [plain(_cell(score, marks), _style(score, row[:-1], metric.better)) for score in shown]
        arrow = down if metric.better == "lower" else " "
        table.add_row(plain(f"{arrow} {one_line(name, 30)}{_threshold(shown)}"), *cells)
    return table


def _threshold(shown: Sequence[Score]) -> str:
    thresholds = {score.threshold for score in shown if score.threshold is not None}
    return "".join(f" at {threshold:g}" for threshold in thresholds)


def _style(score: Score, models: Sequence[Score], better: str) -> str:
    """The best of several models stands out; that it is best proves nothing yet."""
    values = [row.value for row in models if row.value is not None]
    if len(values) < 2 or score.value is None or score not in models:
        return ""
    return "bold" if score.value == (max(values) if better == "higher" else min(values)) else ""


def _marks(scores: Scores) -> dict[str, str]:
    """A footnote mark for each reason why a value is undefined."""
    reasons = dict.fromkeys(
        row.undefined for row in (*scores.rows, *scores.baseline) if row.undefined and row.class_ is None
    )
    return {reason: chr(ord("a") + place % 26) for place, reason in enumerate(reasons)}


def _cell(score: Score, marks: dict[str, str]) -> str:
    return number(score.value) + (f" {marks[score.undefined]}" if score.undefined in marks else "")


def _print_footnotes(console: Console, scores: Scores) -> None:
    for reason, mark in _marks(scores).items():
        console.print(plain(f"  {mark}  {reason}", "dim"), soft_wrap=True)


def _print_units(console: Console, scores: Scores, kind: str, title: str) -> None:
    """Scores of slices or folds: a row per metric, a column per unit, or their range where they are many."""
    for model in scores.predictions.names:
        rows = [row for row in scores if row.model == model and getattr(row, kind) is not None]
        units = list(dict.fromkeys(getattr(row, kind) for row in rows))
        if not rows:
            continue
        _print_title(console, f"{one_line(model)}, {title}")
        few = len(units) <= FEW_UNITS
        table = _table("", *(one_line(unit, 11) for unit in units) if few else ("units", "mean", "lowest", "highest"))
        for metric in dict.fromkeys(row.metric for row in rows):
            values = {getattr(row, kind): row.value for row in rows if row.metric == metric}
            cells = [number(value) for value in values.values()] if few else _range(values)
            table.add_row(plain(f"  {one_line(metric, 30)}"), *map(plain, cells))
        console.print(table)


def _range(values: dict[str, float | None]) -> list[str]:
    """How many units have a value, their mean and ends."""
    known = [value for unit, value in values.items() if value is not None and unit != "mean"]
    if not known:
        return ["0", "–", "–", "–"]
    return [str(len(known)), number(sum(known) / len(known)), number(min(known)), number(max(known))]


def _print_by_class(console: Console, scores: Scores) -> None:
    """Each class against the rest, with the averages below."""
    if scores.predictions.task != "multiclass":
        return
    for model in scores.predictions.names:
        rows = [row for row in scores if row.model == model]
        shown = ("precision", "recall", "specificity", "f_beta", "roc_auc", "average_precision")
        columns = [name for name in shown if any(row.metric == name and row.class_ for row in rows)]
        if not columns:
            continue
        _print_title(console, f"{one_line(model)}, each class against the rest")
        table = _table("", *columns)
        for name in scores.predictions.classes:
            each = {row.metric: row.value for row in rows if row.class_ == name}
            table.add_row(plain(f"  {one_line(name)}"), *(plain(number(each.get(column))) for column in columns))
        for average in AVERAGES:
            each = {row.metric: row.value for row in rows}
            values = [number(each.get(f"{column}(average={average})")) for column in columns]
            if any(value != "–" for value in values):
                table.add_row(plain(average, "dim"), *map(plain, values))
        console.print(table)


def _print_confusion(console: Console, predictions: Predictions, name: str, matrix: Array) -> None:
    """The confusion matrix with totals and recognition rates, as the lecture draws it."""
    classes = predictions.classes
    _print_title(console, f"{one_line(name)}, confusion matrix")
    if len(classes) > MOST_CLASSES:
        console.print(plain(f"  {len(classes)} x {len(classes)} classes: see --format json", "dim"))
        return
    labels = [one_line(label, 12) for label in classes]
    table = _table(r"true \ predicted", *labels, "total", "recognised", "")
    for code, label in enumerate(labels):
        row = matrix[code]
        rate = row[code] / row.sum() if row.sum() else float("nan")
        table.add_row(
            plain(f"  {label}"), *_counts(row), count(row.sum()), percent(rate), _rate_name(predictions, code)
        )
    correct = matrix.trace() / matrix.sum()
    table.add_row(plain("  total"), *_counts(matrix.sum(axis=0)), count(matrix.sum()), percent(correct), "accuracy")
    console.print(table)


def _counts(row: Iterable[float]) -> list[str]:
    return [count(value) for value in row]


def _rate_name(predictions: Predictions, code: int) -> str:
    if predictions.positive is None:
        return ""
    return "sensitivity" if code == predictions.positive else "specificity"

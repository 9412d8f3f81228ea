"""A calibration on the screen: measures, before and after, the diagram in numbers; the last line says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.calibration.tables import bin_lines, change_lines, measure_lines, signs_in_words
from referee.report.scores.shown import described
from referee.report.terminal.console import plain, print_dim, print_title, print_whole, print_wrapped, screen, table_of
from referee.report.terminal.notices import print_notices
from referee.wording import count, counted, folded, level, message_line, one_line

if TYPE_CHECKING:
    from rich.console import Console

    from referee.calibration import Calibration, Diagnosis

MOST_CLASSES = 20
HEADER_WIDTH = 6


def print_calibration(found: Calibration, *, quiet: bool, saved: str | None) -> None:
    """Print everything that `referee calibrate` found."""
    console = screen()
    if not quiet:
        understood = described(found.predictions)
        print_wrapped(console, f"{counted(found.predictions.rows, 'row')}, {understood}; {found.how}", "dim")
        if found.headline:
            print_wrapped(console, found.headline, "bold")
        _print_measures(console, found)
        _print_classes(console, found)
        _print_bins(console, found)
        _print_changes(console, found)
        _print_methods(console, found)
    print_notices(console, found.notices, quiet=quiet)
    if not quiet:
        console.print()
    print_wrapped(console, found.sentence, "bold")
    if saved:
        print_wrapped(console, f"{saved}: {found.best}, fitted on {counted(found.fitted[found.best].rows, 'row')}")


def _names(found: Calibration) -> list[str]:
    return [one_line(found.model), *found.fitted]


def _headings(found: Calibration) -> list[str]:
    """As narrow as a value."""
    return [folded(one_line(found.model, 3 * HEADER_WIDTH), HEADER_WIDTH), *found.fitted]


def _first(found: Calibration) -> list[Diagnosis | None]:
    """The diagnosis of every model: of the positive class, or of the top label."""
    return [found.diagnoses[name][0] if name in found.diagnoses else None for name in found.predictions.names]


def _print_measures(console: Console, found: Calibration) -> None:
    each = _first(found)
    if not any(each):
        return
    event = next(one for one in each if one is not None).event
    what = f"class {one_line(event.name)!r}" if event.kind == "class" else "the top label"
    print_title(console, f"Calibration of {what}")
    table = table_of("", *_headings(found))
    for line in measure_lines(each):
        table.add_row(plain(f"{'    ' if line.part else '  '}{line.name}"), *map(plain, line.cells))
    print_whole(console, table)
    print_dim(console, _remarks(found, each))


def _remarks(found: Calibration, each: list[Diagnosis | None]) -> list[str]:
    """How to read the measures, and why some are missing."""
    remarks = ["intercept above 0: forecasts too low; slope below 1: forecasts too extreme"]
    for heading, one in zip(_names(found), each, strict=True):
        if one is None:
            remarks.append(f"– {heading}: its scores are no probabilities")
            continue
        for reason in (one.recalibration.undefined, one.spiegelhalter.undefined):
            remarks += [f"– {heading}: {reason}"] if reason else []
        if one.recalibration.left_out:
            rows = count(one.recalibration.left_out)
            remarks.append(f"{heading}: intercept and slope without {rows} forecasts of exactly 0 or 1")
        if wrong := one.spiegelhalter.refuted:
            remarks.append(f"{heading}: {wrong:,} forecasts of 0 or 1 were wrong, which refutes calibration: p is 0")
    return remarks


def _print_classes(console: Console, found: Calibration) -> None:
    """Of several classes the calibration error of each, before and after."""
    if found.predictions.positive is not None or not found.diagnoses:
        return
    print_title(console, "Calibration error of each class against the rest")
    table = table_of("", *_headings(found))
    given = [found.diagnoses.get(name) for name in found.predictions.names]
    for place, name in list(enumerate(found.predictions.classes, start=1))[:MOST_CLASSES]:
        errors = [None if each is None else each[place].error for each in given]
        cells = ["–" if one is None else f"{one.plain:.4f}{' ' if one.as_expected else '!'}" for one in errors]
        table.add_row(plain(f"  {one_line(name)}"), *map(plain, cells))
    print_whole(console, table)
    print_dim(console, ["! more than chance explains"])
    if (left := len(found.predictions.classes) - MOST_CLASSES) > 0:
        print_dim(console, [f"{left:,} more classes: --format json has all"])


def _print_bins(console: Console, found: Calibration) -> None:
    """The diagram of the model as it is; without it, of the best method's."""
    name = found.model if found.model in found.diagnoses else found.fitted[found.best].model.name
    points = found.diagnoses[name][0].binned
    print_title(console, f"Reliability of {one_line(name)}")
    table = table_of("  mean forecast", "came true", f"if calibrated, {level(found.alpha)}", "rows", "")
    for line in bin_lines(points):
        table.add_row(plain(f"  {line.name}"), *map(plain, line.cells))
    print_whole(console, table)


def _print_changes(console: Console, found: Calibration) -> None:
    print_title(console, "Before and after, on rows that the maps were not fitted on")
    table = table_of("", *_headings(found))
    for line in change_lines(found):
        table.add_row(plain(f"  {line.name}"), *map(plain, line.cells))
    print_whole(console, table)
    print_dim(console, [signs_in_words(found)])


def _print_methods(console: Console, found: Calibration) -> None:
    print_title(console, "What each method assumes")
    lines = [f"{one.method.name}: {one.method.assumes}; {one.effect}" for one in found.fitted.values()]
    lines += [f"{name}: left out, {reason}" for name, reason in found.skipped.items()]
    print_dim(console, map(message_line, lines))

"""Data and design: what was read, how the rows were split, and which questions that allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.comparing.design import IN_WORDS
from referee.document import Cell
from referee.page.sections.rankings import in_full, plain_counts
from referee.page.sections.splits import is_cross_validation, splits_figure
from referee.page.shell import Section, rendered, table
from referee.scoring.shown_scores import described
from referee.wording import count, counted, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from referee.arrays import Array
    from referee.page.subject import Subject

MOST_CLASSES = 30


def design_section(subject: Subject) -> Section:
    body = rendered(
        "section/design.html",
        facts=[*_facts(subject)],
        classes=_classes(subject),
        splits=splits_figure(subject),
        notes=[visible(note) for note in subject.predictions.notes],
    )
    return Section("design", "Data and design", body, short="Data")


def _facts(subject: Subject) -> Iterator[tuple[str, str]]:
    predictions, verdict = subject.predictions, subject.verdict
    selection = verdict.selection if verdict else None
    if selection is not None:
        tested = predictions.rows if predictions.example is None else len(predictions.example)
        yield "Rows", f"{selection.rows:,}" + (f", {tested:,} of them tested" if tested < selection.rows else "")
        yield "Predictions", f"{predictions.rows:,}, of {counted(selection.splits, 'split')} ({selection.scheme})"
    else:
        yield f"{predictions.row_name.capitalize()}s", f"{predictions.rows:,}"
    yield "Understood as", described(subject.predictions)
    yield "Models", f"{len(subject.names):,}"
    of_sets = predictions.scored is not None and predictions.scored.data_set is not None
    units = {"Data sets" if of_sets else "Groups": predictions.group}
    if predictions.scored is None and is_cross_validation(predictions):
        units = {"Folds": predictions.fold, "Repeats": predictions.repeat} | units
    yield from ((name, f"{len(found):,}") for name, found in units.items() if found is not None)
    if predictions.positive is not None:
        yield "Threshold", in_full(predictions.threshold)
    if verdict is not None:
        yield "Design", IN_WORDS[verdict.design.kind]
        yield "Units compared", verdict.design.unit
        yield "Test", verdict.test.title


def _classes(subject: Subject) -> Markup | str:
    """How many rows each class has."""
    if not subject.scores.confusion:
        return ""
    rows = _rows_of_classes(subject)
    order = np.argsort(-rows, kind="stable")[:MOST_CLASSES] if len(rows) > MOST_CLASSES else np.arange(len(rows))
    plain = plain_counts(rows)
    cells = [
        [_class(subject, code), Cell(count(rows[code]), plain[code]), _share(rows[code] / rows.sum())]
        for code in order.tolist()
    ]
    rows_or_weight = "Rows" if subject.predictions.weight is None else "Weight"
    return table(
        "Rows of each class", ["Class", rows_or_weight, "Share"], cells, name="classes", sortable=len(rows) > 2
    )


def _rows_of_classes(subject: Subject) -> Array:
    """Each row once, however often it was predicted."""
    predictions = subject.predictions
    if predictions.example is None or not predictions.has_rows:
        return np.asarray(next(iter(subject.scores.confusion.values())).sum(axis=1))
    _, first = np.unique(predictions.example.codes, return_index=True)
    weight = None if predictions.weight is None else predictions.weight[first]
    return np.bincount(predictions.truth[first], weight, len(predictions.classes))


def _class(subject: Subject, code: int) -> Cell:
    name = subject.predictions.classes[code]
    return Cell(one_line(name) + (" (positive)" if code == subject.predictions.positive else ""), name)


def _share(share: float) -> Cell:
    return Cell(f"{100 * share:.1f} %", float(share))

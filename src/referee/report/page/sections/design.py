"""Data and design: what was read, how the rows were split, and which questions that allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from referee.design import IN_WORDS
from referee.report.page.charts import figure
from referee.report.page.document import Section, rendered
from referee.report.page.elements import element
from referee.report.page.tables import Cell, table
from referee.report.scores.shown import described
from referee.wording import count, counted, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.report.page.subject import Subject

MOST_SPLITS = 30
MOST_CLASSES = 30
BAR_WIDTH = 550


def design_section(subject: Subject) -> Section:
    body = rendered(
        "section/design.html",
        facts=[*_facts(subject)],
        classes=_classes(subject),
        splits=_splits(subject),
        notes=[visible(note) for note in subject.predictions.notes],
    )
    return Section("design", "Data and design", body, short="Data")


def _facts(subject: Subject) -> Iterator[tuple[str, str]]:
    predictions, verdict = subject.predictions, subject.verdict
    selection = verdict.selection if verdict else None
    if selection is not None:
        yield "Rows", f"{selection.rows:,}"
        yield "Predictions", f"{predictions.rows:,}, of {counted(selection.splits, 'split')} ({selection.scheme})"
    else:
        yield "Rows", f"{predictions.rows:,}"
    yield "Understood as", described(subject.scores)
    yield "Models", f"{len(subject.names):,}"
    for name, units in (("Folds", predictions.fold), ("Repeats", predictions.repeat), ("Groups", predictions.group)):
        if units is not None:
            yield name, f"{len(units):,}"
    if predictions.positive is not None:
        yield "Threshold", f"{predictions.threshold:g}"
    if verdict is not None:
        yield "Design", IN_WORDS[verdict.design.kind]
        yield "Units compared", verdict.design.unit
        yield "Test", verdict.test.title


def _classes(subject: Subject) -> Markup | str:
    """How many rows each class has."""
    predictions = subject.predictions
    if not subject.scores.confusion:
        return ""
    rows = next(iter(subject.scores.confusion.values())).sum(axis=1)
    order = np.argsort(-rows, kind="stable")[:MOST_CLASSES] if len(rows) > MOST_CLASSES else np.arange(len(rows))
    cells = [
        [_class(subject, code), Cell(count(rows[code]), float(rows[code])), _share(rows[code] / rows.sum())]
        for code in order.tolist()
    ]
    rows_or_weight = "Rows" if predictions.weight is None else "Weight"
    return table(
        "Rows of each class", ["Class", rows_or_weight, "Share"], cells, name="classes", sortable=len(rows) > 2
    )


def _class(subject: Subject, code: int) -> Cell:
    name = subject.predictions.classes[code]
    return Cell(one_line(name) + (" (positive)" if code == subject.predictions.positive else ""), name)


def _share(share: float) -> Cell:
    return Cell(f"{100 * share:.1f} %", float(share))


def _splits(subject: Subject) -> Markup | str:
    """Each split as a bar: what the model was fitted on, and what it was tested on."""
    predictions, verdict = subject.predictions, subject.verdict
    if predictions.fold is None or predictions.engine != "memory":
        return ""
    several = [units for units in (predictions.repeat, predictions.fold) if units is not None]
    codes = np.stack([units.codes for units in several], axis=1)
    found, tested = np.unique(codes, axis=0, return_counts=True)
    trained = _trained(found, tested)
    if verdict is not None and verdict.design.n_train is not None and len(verdict.design.n_train) == len(tested):
        trained = np.asarray(verdict.design.n_train)
    drawing = _bars(found, tested, trained, partition=predictions.example is None or predictions.repeat is not None)
    first = f", the first {MOST_SPLITS} drawn" if len(tested) > MOST_SPLITS else ""
    title = f"{counted(len(tested), 'split')}{first}: training rows light, test rows dark"
    return figure(drawing, name="splits", title=title)


def _trained(found: Array, tested: Array) -> Array:
    """The other folds of the same repeat."""
    repeat = found[:, 0] if found.shape[1] == 2 else np.zeros(len(found), int)
    return np.bincount(repeat, tested)[repeat] - tested


def _bars(found: Array, tested: Array, trained: Array, *, partition: bool) -> Markup:
    """A bar for each split; folds that share no row stand where their rows are."""
    scale = BAR_WIDTH / float((tested + trained).max())
    parts, before, repeat = [], 0.0, None
    for place in range(min(len(tested), MOST_SPLITS)):
        own = int(found[place, 0]) if found.shape[1] == 2 else 0
        before, repeat = (before if own == repeat else 0.0), own
        n_test, n_train = float(tested[place]), float(trained[place])
        start = before if partition and before <= n_train + 0.5 else n_train
        parts.append(_bar(_name(found[place]), place, (start, n_test, n_train), scale))
        before += n_test
    box = f"0 0 760 {8 + len(parts) * 16}"
    return element("svg", *parts, viewBox=box, role="img", aria_label="Training and test rows of each split")


def _name(codes: Array) -> str:
    words = ("repeat", "fold")[-len(codes) :]
    return " ".join(f"{word} {code + 1}" for word, code in zip(words, codes.tolist(), strict=True))


def _bar(name: str, place: int, rows: tuple[float, float, float], scale: float) -> Markup:
    start, n_test, n_train = rows
    y, left = 4.0 + place * 16, 120.0
    return Markup("").join(
        [
            element("text", name, x=left - 8, y=y + 10, text_anchor="end"),
            element("rect", x=left, y=y, width=(n_test + n_train) * scale, height=12, class_="train"),
            element("rect", x=left + start * scale, y=y, width=max(1.0, n_test * scale), height=12, class_="test"),
            element("text", f"{n_train:,.0f} + {n_test:,.0f}", x=760, y=y + 10, text_anchor="end"),
        ]
    )

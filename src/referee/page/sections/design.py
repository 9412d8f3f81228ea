"""Data and design: what was read, how the rows were split, and which questions that allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from referee.comparing.design import IN_WORDS
from referee.document import Cell, count, counted, element, one_line, plural, visible
from referee.page.sections.curves import in_full, plain_counts
from referee.page.shell import Section, figure, rendered, table
from referee.records import dataclass
from referee.scoring.shown_scores import described

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from referee.arrays import Array
    from referee.page.subject import Subject
    from referee.predictions import Predictions, Units


MOST_CLASSES = 30
MOST_SPLITS = 30
BAR_WIDTH, LEFT, HEIGHT = 550, 120.0, 12
PIECES, SHADES = 110, 4
"""Into how many pieces the rows are cut where rows of all places were tested, and how many shades tell their shares."""


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
        yield plural(predictions.row_name).capitalize(), f"{predictions.rows:,}"
    yield "Understood as", described(subject.predictions)
    yield "Models", f"{len(subject.names):,}"
    of_sets = predictions.scored is not None and predictions.scored.data_set is not None
    units = {"Data sets" if of_sets else "Groups": predictions.group}
    if predictions.scored is None and is_cross_validation(predictions):
        units = {"Folds": predictions.fold, "Repeats": predictions.repeat} | units
    yield from ((name, f"{len(members):,}") for name, members in units.items() if members is not None)
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
    return Cell(f"{100 * share:.1f}%", float(share))


class Run(NamedTuple):
    """Rows beside each other, and the share of them that was tested."""

    start: float
    length: float
    share: float = 1.0


@dataclass(frozen=True)
class Split:
    """How many rows a model was fitted on and tested on, and where in the bar the tested ones are."""

    name: str
    tested: float
    trained: float
    rows: float
    """How many the bar stands for."""
    runs: tuple[Run, ...]


def splits_figure(subject: Subject) -> Markup | str:
    """Each split as a bar: what the model was fitted on, and what it was tested on."""
    splits = splits_of(subject)
    if not splits:
        return ""
    first = f", the first {MOST_SPLITS} drawn" if len(splits) > MOST_SPLITS else ""
    paler = any(run.share < 1 for split in splits for run in split.runs)
    title = f"{counted(len(splits), 'split')}{first}: test rows orange{', paler where only some are' if paler else ''}"
    return figure(_bars(splits[:MOST_SPLITS]), name="splits", title=f"{title}; training rows light blue")


def splits_of(subject: Subject) -> list[Split]:
    """All splits, where the rows are in memory."""
    predictions = subject.predictions
    if predictions.fold is None or not predictions.has_rows or predictions.scored is not None:
        return []
    several = [units for units in (predictions.repeat, predictions.fold) if units is not None]
    codes = np.stack([units.codes for units in several], axis=1)
    folds, split, tested = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    repeat = folds[:, 0] if folds.shape[1] == 2 else np.zeros(len(folds), int)
    whole = np.bincount(repeat, tested)[repeat]
    trained = _trained(subject, whole - tested)
    if is_cross_validation(predictions) and np.allclose(trained + tested, whole):
        names, runs, rows = _fold_names(folds, several), _stairs(repeat, tested), trained + tested
    else:
        names = [f"split {number}" for number in range(1, len(folds) + 1)]
        runs, rows = _scattered(subject, split.ravel(), tested, trained)
    each = zip(names, tested.tolist(), trained.tolist(), rows.tolist(), runs, strict=True)
    return [Split(*facts) for facts in each]


def is_cross_validation(predictions: Predictions) -> bool:
    """Whether there are folds that test each row once, and not splits that were drawn one by one."""
    return predictions.fold is not None and len(predictions.fold) > 1 and not predictions.overlapping_folds


def _trained(subject: Subject, others: Array) -> Array:
    """As it is known, or the other folds of the same repeat."""
    known = subject.verdict.design.n_train if subject.verdict else None
    return others if known is None or len(known) != len(others) else np.asarray(known)


def _fold_names(folds: Array, several: Sequence[Units]) -> list[str]:
    words = ("repeat", "fold")[-len(several) :]
    told = [(word, units) for word, units in zip(words, several, strict=True) if word == "fold" or len(units) > 1]
    columns = folds[:, -len(told) :].tolist()
    return [
        " ".join(f"{word} {one_line(units.names[code], 8)}" for (word, units), code in zip(told, codes, strict=True))
        for codes in columns
    ]


def _stairs(repeat: Array, tested: Array) -> list[tuple[Run, ...]]:
    """Folds that share no row, one after the other."""
    ends = np.cumsum(tested)
    first = np.searchsorted(repeat, repeat, side="left")
    starts = (ends - tested) - (ends - tested)[first]
    return [_run(*both) for both in zip(starts, tested, strict=True)]


def _run(start: float, length: float) -> tuple[Run, ...]:
    return (Run(float(start), float(length)),)


def _scattered(subject: Subject, split: Array, tested: Array, trained: Array) -> tuple[list[tuple[Run, ...]], Array]:
    """The tested rows where they are in the table, if that is known; else after the training rows."""
    predictions, selection = subject.predictions, subject.verdict.selection if subject.verdict else None
    if predictions.example is None:
        return [_run(*both) for both in zip(trained, tested, strict=True)], trained + tested
    places, rows = predictions.example.codes, len(predictions.example)
    if selection is not None:  # rows that no split tested have a place, too
        places, rows = (np.array(predictions.example.names).astype(int) - 1)[places], selection.rows
    return [_pieces(places[split == place], rows) for place in range(len(tested))], np.full(len(tested), float(rows))


def _pieces(places: Array, rows: int) -> tuple[Run, ...]:
    pieces = min(rows, PIECES)
    edges = np.linspace(0, rows, pieces + 1).round()
    share = np.histogram(places, edges - 0.5)[0] / np.diff(edges)
    shade = np.ceil(share * SHADES) / SHADES
    starts = np.flatnonzero(np.concatenate([[True], shade[1:] != shade[:-1]]))
    ends = np.append(starts[1:], pieces)
    return tuple(
        Run(float(edges[a]), float(edges[b] - edges[a]), float(shade[a]))
        for a, b in zip(starts, ends, strict=True)
        if shade[a]
    )


def _bars(splits: Sequence[Split]) -> Markup:
    scale = BAR_WIDTH / max(split.rows for split in splits)
    parts = [part for place, split in enumerate(splits) for part in _bar(split, 4 + place * 16, scale)]
    box = f"0 0 760 {8 + len(splits) * 16}"
    return element("svg", *parts, viewBox=box, role="img", aria_label="Training and test rows of each split")


def _bar(split: Split, y: int, scale: float) -> Iterator[Markup]:
    yield element("text", split.name, x=LEFT - 8, y=y + 10, text_anchor="end")
    yield element("rect", x=LEFT, y=y, width=split.rows * scale, height=HEIGHT, class_="train")
    for share in sorted({run.share for run in split.runs}):
        drawn = (
            f"M{LEFT + run.start * scale:.1f} {y}v{HEIGHT}h{max(1.0, run.length * scale):.1f}v-{HEIGHT}z"
            for run in split.runs
            if run.share == share
        )
        yield element("path", d="".join(drawn), class_="test", fill_opacity=None if share == 1 else f"{share:g}")
    yield element("text", f"{split.trained:,.0f} + {split.tested:,.0f}", x=760, y=y + 10, text_anchor="end")

"""What is shown of a calibration: the measures, the diagram in numbers, before and after, and what methods assume."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import brief
from referee.document import (
    UNDEFINED,
    Cell,
    Column,
    Document,
    Lines,
    Part,
    count,
    counted,
    level,
    name_cell,
    number,
    number_cell,
    one_line,
    remarks,
    short_p,
    table,
)
from referee.errors import spoken
from referee.scoring import described

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.calibration.calibration import Calibration
    from referee.calibration.changes import Change
    from referee.calibration.diagnosis import Diagnosis
    from referee.calibration.reliability_diagram import CalibrationError, Reliability

    Measured = Callable[[Diagnosis], Cell]

MOST_CLASSES = 20
SIGNS = "> better, < worse, ~ no significant difference"
KEPT = "= the same, as the map keeps the ranking"
WITHIN_FOLDS = "without a sign: the mean change within the folds, not tested"


def calibration_document(calibration: Calibration) -> Document:
    predictions = calibration.predictions
    parts = [_measures(calibration), _classes(calibration), _bins(calibration)]
    parts += [_changes(calibration), _methods(calibration)]
    return Document(
        "calibration",
        calibration.sentence,
        tuple(part for part in parts if part is not None),
        about=f"{counted(predictions.rows, 'row')}, {described(predictions)}; {calibration.how}",
        notes=predictions.notes,
        notices=calibration.notices,
        opening=calibration.headline or "",
    )


def _columns(calibration: Calibration) -> list[Column]:
    """The model as it is, then every method."""
    model = Column(calibration.model, is_name=True)
    return [Column("", words=True), model, *map(Column, calibration.fitted)]


def first_diagnoses(calibration: Calibration) -> list[Diagnosis | None]:
    """Of the model as it is and after every method: of the positive class, or of the top label."""
    diagnoses = calibration.diagnoses
    return [diagnoses[name][0] if name in diagnoses else None for name in calibration.predictions.names]


def _measures(calibration: Calibration) -> Part | None:
    each = first_diagnoses(calibration)
    first = next((diagnosis for diagnosis in each if diagnosis is not None), None)
    if first is None:
        return None
    rows = [[name, *map(_or_dash(measured), each)] for name, measured in _all_measures(first)]
    said = tuple(_said_of_measures(calibration, each))
    what = f"class {one_line(first.event.name)!r}" if first.event.kind == "class" else "the top label"
    shown = table("measures", _columns(calibration), rows, remarks=said)
    return Part(f"Calibration of {what}", (shown,), folded=True)


def _or_dash(measured: Measured) -> Callable[[Diagnosis | None], Cell]:
    return lambda diagnosis: Cell(UNDEFINED) if diagnosis is None else measured(diagnosis)


def _all_measures(first: Diagnosis) -> Iterator[tuple[Cell, Measured]]:
    """What calibration is measured by."""
    bins = f"{first.bins} bins{' by mass' if first.mass else ''}"
    yield Cell(f"ECE, {bins}"), lambda diagnosis: number_cell(diagnosis.error.plain)
    yield _below("if calibrated, about"), lambda diagnosis: number_cell(diagnosis.error.expected)
    yield _below("and at most"), lambda diagnosis: number_cell(diagnosis.error.limit)
    yield _below("debiased"), lambda diagnosis: number_cell(diagnosis.error.debiased)
    yield Cell("MCE, largest of a bin"), lambda diagnosis: number_cell(diagnosis.error.largest)
    for place, title in enumerate(("Brier score", "log loss")):
        yield Cell(title), _part_of_score(place, "score")
        for name, sign in (("miscalibration", ""), ("discrimination", "− "), ("uncertainty", "+ ")):
            yield _below(f"{sign}{name}"), _part_of_score(place, name)
    for name, ideal in (("intercept", 0), ("slope", 1)):
        yield Cell(f"{name}, ideal {ideal}"), _coefficient(name)
        yield _below(f"± {level(first.alpha)}"), _reach(name)
    yield _below("p of both"), lambda diagnosis: _p(diagnosis.recalibration.p)
    yield Cell("Spiegelhalter z"), lambda diagnosis: _two_digits(diagnosis.spiegelhalter.statistic)
    yield _below("p"), lambda diagnosis: _p(diagnosis.spiegelhalter.p)


def _below(text: str) -> Cell:
    """The name of a row that is a part of the row above."""
    return Cell(text, mark="part")


def _part_of_score(place: int, name: str) -> Measured:
    return lambda diagnosis: number_cell(getattr(diagnosis.decompositions[place], name))


def _coefficient(name: str) -> Measured:
    return lambda diagnosis: _two_digits(getattr(diagnosis.recalibration, name))


def _reach(name: str) -> Measured:
    return lambda diagnosis: _two_digits(getattr(diagnosis, f"{name}_reach"))


def _two_digits(value: float | None) -> Cell:
    return Cell(UNDEFINED) if value is None else Cell(f"{round(value, 2) + 0.0:.2f}", value)  # not -0.00


def _p(p: float | None) -> Cell:
    return Cell(short_p(p), p)


def _said_of_measures(calibration: Calibration, each: Sequence[Diagnosis | None]) -> Iterator[str]:
    """How to read the measures, and why some are missing."""
    yield "intercept above 0: forecasts too low; slope below 1: forecasts too extreme"
    for name, diagnosis in zip((one_line(calibration.model), *calibration.fitted), each, strict=True):
        if diagnosis is None:
            yield f"{UNDEFINED} {name}: its scores are not probabilities"
        else:
            yield from _said_of(name, diagnosis)


def _said_of(name: str, diagnosis: Diagnosis) -> Iterator[str]:
    line, test = diagnosis.recalibration, diagnosis.spiegelhalter
    yield from (f"{UNDEFINED} {name}: {reason}" for reason in (line.undefined, test.undefined) if reason)
    if line.left_out:
        yield f"{name}: intercept and slope without {count(line.left_out)} forecasts of exactly 0 or 1"
    if test.refuted:
        yield f"{name}: {test.refuted:,} forecasts of 0 or 1 were wrong, which refutes calibration: p is 0"


def _classes(calibration: Calibration) -> Part | None:
    """Of several classes the calibration error of each, before and after."""
    predictions = calibration.predictions
    if predictions.positive is not None or not calibration.diagnoses:
        return None
    given = [calibration.diagnoses.get(name) for name in predictions.names]
    rows = [
        [name_cell(name), *(_error_cell(None if each is None else each[place].error) for each in given)]
        for place, name in enumerate(predictions.classes[:MOST_CLASSES], start=1)
    ]
    left = len(predictions.classes) - MOST_CLASSES
    more = spoken(f"{left:,} more classes: --format json has all") if left > 0 else ""
    shown = table("classes", _columns(calibration), rows, remarks=("! larger than chance explains",), more=more)
    return Part("Calibration error of each class vs the rest", (shown,), folded=True)


def _error_cell(error: CalibrationError | None) -> Cell:
    if error is None:
        return Cell(UNDEFINED)
    return Cell(f"{error.plain:.4f}{'' if error.as_expected else '!'}", error.plain)


def _bins(calibration: Calibration) -> Part:
    name = _diagram_of(calibration)
    points = calibration.diagnoses[name][0].binned
    band = f"if calibrated, {level(calibration.alpha)}"
    columns = [*map(Column, ("mean forecast", "came true", band, "rows")), Column("", words=True)]
    rows = [_bin(points, place) for place in range(len(points))]
    return Part(_reliability_title(name), (table("reliability", columns, rows),), folded=True)


def explained_calibration(calibration: Calibration) -> tuple[Part, ...]:
    """The calibration error bin by bin, in place of the bins alone; and what the Brier score is made of."""
    name = _diagram_of(calibration)
    diagnosis = calibration.diagnoses[name][0]
    points = diagnosis.binned
    gaps, shares = abs(points.forecast - points.observed), points.rows / points.rows.sum()
    columns = ["rows", "mean forecast", "came true", "distance", "share of rows", "share x distance"]
    numbers = zip(points.rows, points.forecast, points.observed, gaps, shares, shares * gaps, strict=True)
    rows = [[Cell(count(many)), *map(number_cell, map(float, rest))] for many, *rest in numbers]
    total = float((shares * gaps).sum())
    lines = [f"ECE = sum of share x distance = {brief(total)}", f"MCE = largest distance = {brief(float(gaps.max()))}"]
    for title, parts in zip(("Brier score", "log loss"), diagnosis.decompositions, strict=False):
        signed = f"{brief(parts.miscalibration)} - {brief(parts.discrimination)} + {brief(parts.uncertainty)}"
        lines.append(f"{title} = miscalibration - discrimination + uncertainty = {signed} = {brief(parts.score)}")
    shown = table("reliability", columns, rows)
    return (Part(_reliability_title(name), (shown, Lines(tuple(lines), "formulas")), asked=True),)


def _diagram_of(calibration: Calibration) -> str:
    """The model as it is; without its diagnosis, the best method's."""
    model = calibration.model
    return model if model in calibration.diagnoses else calibration.fitted[calibration.best].model.name


def _reliability_title(name: str) -> str:
    return f"Reliability of {one_line(name)}"


def _bin(points: Reliability, place: int) -> list[Cell | str]:
    forecast, observed, rows = (float(column[place]) for column in (points.forecast, points.observed, points.rows))
    band = f"[{points.low[place]:.3f}, {points.high[place]:.3f}]"
    outside = "outside" if points.outside[place] else ""
    return [
        Cell(f"{forecast:.3f}", forecast),
        Cell(f"{observed:.3f}", observed),
        band,
        Cell(count(rows), rows),
        outside,
    ]


def _changes(calibration: Calibration) -> Part:
    """Every metric before and after, with what the test says of the difference."""
    metrics = dict.fromkeys(change.metric.full_name for change in calibration.changes)
    rows = [_change([calibration.change(name, method) for method in calibration.fitted]) for name in metrics]
    shown = table("changes", _columns(calibration), rows, remarks=(_signs_in_words(calibration),))
    return Part("Before and after, on rows that the maps were not fitted on", (shown,))


def _change(changes: Sequence[Change]) -> list[Cell]:
    metric = changes[0].metric
    after = [Cell(f"{number(change.after)} {_sign(change)}".rstrip(), change.after) for change in changes]
    name = Cell(f"{'↑' if metric.better == 'higher' else '↓'} {metric.shown_name}")
    return [name, number_cell(changes[0].before), *after]


def _sign(change: Change) -> str:
    if change.comparison.undefined:
        return ""
    return "=" if change.by_ranking else {"a": ">", "b": "<"}.get(change.comparison.outcome or "", "~")


def _signs_in_words(calibration: Calibration) -> str:
    """What stands behind the values."""
    words = [SIGNS]
    words += [KEPT] if any(change.by_ranking for change in calibration.changes) else []
    words += [WITHIN_FOLDS] if any(change.within_folds for change in calibration.changes) else []
    return "; ".join(words)


def _methods(calibration: Calibration) -> Part:
    lines = [f"{map_.method.name}: {map_.method.assumes}; {map_.effect}" for map_ in calibration.fitted.values()]
    lines += [f"{name}: left out, {reason}" for name, reason in calibration.skipped.items()]
    return Part("What each method assumes", (remarks(*lines),), folded=True)

"""Calibrations: several models, each diagnosed and calibrated by itself, and what is shown of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.calibration.calibration import Calibration
from referee.calibration.diagnosis import deciding_p
from referee.document import (
    Cell,
    Column,
    Document,
    Part,
    Result,
    counted,
    level,
    name_cell,
    named,
    number_cell,
    one_line,
    remarks,
    short_p,
    table,
)
from referee.errors import Notice, spoken
from referee.records import dataclass
from referee.scoring import described

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.calibration.diagnosis import Diagnosis
    from referee.predictions import Predictions

MOST_NAMED = 3
"""Models that a sentence names."""


@dataclass(frozen=True, eq=False, repr=False)
class Calibrations(Result):
    """Several models before and after calibration; `result["name"]` is the `Calibration` of one of them.

    >>> from referee import Predictions, calibrate
    >>> scores = {"a": [0.3, 0.99, 0.4, 0.9] * 30, "b": [0.5, 0.5, 0.4, 0.6] * 30}
    >>> result = calibrate(Predictions.from_arrays([0, 1, 1, 0] * 30, scores), method="platt")
    >>> list(result), result["a"].best
    (['a', 'b'], 'platt')
    """

    predictions: Predictions
    each: dict[str, Calibration]
    refused: dict[str, str]
    """Models that cannot be calibrated, and why."""

    def __getitem__(self, model: str) -> Calibration:
        return self.each[self.predictions.model(model).name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.each)

    def __len__(self) -> int:
        return len(self.each)

    @property
    def first(self) -> Calibration:
        return next(iter(self.each.values()))

    @property
    def sentence(self) -> str:
        """Which models to calibrate, and how."""
        advised = [
            f"{one_line(name)} by {calibration.best}"
            for name, calibration in self.each.items()
            if calibration.is_advised
        ]
        others = [one_line(name) for name, calibration in self.each.items() if not calibration.is_advised]
        if not advised:
            return f"No method makes the probabilities of any of {len(self)} models significantly better."
        if max(len(advised), len(others)) > MOST_NAMED:
            return f"Calibrate {len(advised)} of {len(self)} models; the table names the best method for each."
        more = f"; no method makes the probabilities of {named(others)} significantly better" if others else ""
        return f"Calibrate {named(advised)}{more}."

    @property
    def notices(self) -> tuple[Notice, ...]:
        left = (Notice("W_MODELS", f"{one_line(name)} is left out: {why}") for name, why in self.refused.items())
        of_all = [
            notice
            for notice in self.first.notices
            if all(notice in calibration.notices for calibration in self.each.values())
        ]
        each = [(one_line(name), notice) for name, calibration in self.each.items() for notice in calibration.notices]
        own = (Notice(notice.code, f"{name}: {notice.message}") for name, notice in each if notice not in of_all)
        return (*of_all, *own, *left)

    @property
    def command(self) -> str:
        return "calibrate"

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": self.predictions.rows,
            "fingerprint": self.predictions.fingerprint,
            "read": self.predictions.reading,
            "models": [calibration.to_dict() for calibration in self.each.values()],
            "refused": self.refused,
            "sentence": self.sentence,
            "warnings": [vars(notice) for notice in self.notices],
        }

    def records(self) -> list[dict[str, Any]]:
        """One for each model, metric and method."""
        return [{"model": name, **row} for name, calibration in self.each.items() for row in calibration.records()]

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (nothing in it is long)
        return Document(
            "calibration",
            self.sentence,
            (_diagnosis(self), _before_and_after(self)),
            about=f"{counted(self.predictions.rows, 'row')}, {described(self.predictions)}; {self.first.how}",
            notes=self.predictions.notes,
            notices=self.notices,
            more=(spoken("One model in full: --models NAME. Reliability diagrams: --html FILE."),),
        )

    def explanation(self) -> tuple[Part, ...]:
        return tuple(part for calibration in self.each.values() for part in calibration.explanation())


def _diagnosis(calibrations: Calibrations) -> Part:
    """Each model as it is: what calibration is measured by, and what the test says that decides."""
    settings = calibrations.first.settings
    columns = [Column("model", words=True), *map(Column, ("ECE", "at most", "intercept", "slope", "p"))]
    rows = [_diagnosed(calibration) for calibration in calibrations.each.values()]
    said = (
        f"at most: the ECE stays below this in {level(settings.alpha)} of samples if the probabilities are right",
        "intercept above 0: forecasts too low; slope below 1: forecasts too extreme",
        "p: of the most powerful test possible, usually of intercept 0 and slope 1 together",
    )
    shown = table("diagnosis", [*columns, Column("miscalibration", words=True)], rows, remarks=said)
    return Part("Are the probabilities right?", (shown,), asked=True)


def _diagnosed(calibration: Calibration) -> list[Cell]:
    diagnosis = calibration.diagnoses[calibration.model][0] if calibration.model in calibration.diagnoses else None
    name = name_cell(calibration.model)
    if diagnosis is None:
        return [name, *[Cell("")] * 5, Cell("not probabilities")]
    line, error, p = diagnosis.recalibration, diagnosis.error, deciding_p(diagnosis)
    numbers = [number_cell(value) for value in (error.plain, error.limit)]
    numbers += [Cell("–" if value is None else f"{value:.2f}", value) for value in (line.intercept, line.slope)]
    return [name, *numbers, Cell(short_p(p), p), Cell(_finding(diagnosis, p))]


def _finding(diagnosis: Diagnosis, p: float | None) -> str:
    if p is None:
        return "cannot be tested"
    return "shown" if p < diagnosis.alpha else "not shown"


def _before_and_after(calibrations: Calibrations) -> Part:
    """The best method of each model by the goal."""
    goal = calibrations.first.goal
    numbers = map(Column, ("before", "after", "difference", "p"))
    columns = [Column("model", words=True), Column("best method", words=True), *numbers]
    rows = [_changed(calibration) for calibration in calibrations.each.values()]
    said = ("p: adjusted for the choice between methods",)
    shown = table("before-and-after", [*columns, Column("advice", words=True)], rows, remarks=said)
    return Part(f"{goal.shown_name} before and after the best method", (shown,), asked=True)


def _changed(calibration: Calibration) -> list[Cell]:
    change = calibration.goal_change
    numbers = map(number_cell, (change.before, change.after, change.comparison.difference))
    advice = "calibrate" if calibration.is_advised else "keep"
    return [
        name_cell(calibration.model),
        Cell(calibration.best),
        *numbers,
        Cell(short_p(change.p), change.p),
        Cell(advice),
    ]


def kept_part(result: Calibration | Calibrations, path: str) -> Part:
    """Where the best maps are kept."""
    each = result.each.values() if isinstance(result, Calibrations) else [result]
    maps = [calibration.fitted[calibration.best] for calibration in each]
    whose = [f"{one_line(fit.source)} by " if len(maps) > 1 else "" for fit in maps]
    said = [
        f"{path}: {owner}{fit.method.name}, fitted on {counted(fit.rows, 'row')}"
        for owner, fit in zip(whose, maps, strict=True)
    ]
    return Part("Kept for --apply", (remarks(*said),), asked=True)


def kept_text(result: Calibration | Calibrations) -> str:
    """The best map of each model as plain JSON: one calibrator, or a list of them."""
    if isinstance(result, Calibration):
        return result.fitted[result.best].to_json()
    texts = (calibration.fitted[calibration.best].to_json().strip() for calibration in result.each.values())
    return "[" + ",\n".join(texts) + "]\n"

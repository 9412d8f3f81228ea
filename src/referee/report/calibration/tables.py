"""The rows of a calibration's tables, for the screen and for Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.wording import count, level, number, short_p

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.calibration import Calibration, Change, Diagnosis, Reliability

SIGNS = "> better, < worse, ~ no significant difference"
KEPT = "= the same, as the map keeps the ranking"
WITHIN_FOLDS = "without a sign: the mean change within the folds, not tested"


@dataclass(frozen=True)
class Line:
    """One line of a table: its name and a cell for each model."""

    name: str
    cells: tuple[str, ...]
    part: bool = False
    """Whether it is a part of the line above."""


def measure_lines(each: list[Diagnosis | None]) -> Iterator[Line]:
    """What calibration is measured by, a column for each model; a dash where it gives no probabilities."""
    defined = next(one for one in each if one is not None)
    bins = f"{defined.bins} bins{' by mass' if defined.mass else ''}"
    yield _line(f"ECE, {bins}", each, lambda one: number(one.error.plain))
    yield _line("if calibrated, about", each, lambda one: number(one.error.expected), part=True)
    yield _line("and at most", each, lambda one: number(one.error.limit), part=True)
    yield _line("debiased", each, lambda one: number(one.error.debiased), part=True)
    yield _line("MCE, largest of a bin", each, lambda one: number(one.error.largest))
    for place, title in enumerate(("Brier score", "log loss")):
        yield _line(title, each, _part_of_score(place, "score"))
        for name, sign in (("miscalibration", ""), ("discrimination", "− "), ("uncertainty", "+ ")):
            yield _line(f"{sign}{name}", each, _part_of_score(place, name), part=True)
    for name, ideal in (("intercept", 0), ("slope", 1)):
        yield _line(f"{name}, ideal {ideal}", each, _coefficient(name))
        yield _line(f"± {level(defined.alpha)}", each, _reach(f"{name}_reach"), part=True)
    yield _line("p of both", each, lambda one: short_p(one.recalibration.p), part=True)
    yield _line("Spiegelhalter z", each, lambda one: _two_digits(one.spiegelhalter.statistic))
    yield _line("p", each, lambda one: short_p(one.spiegelhalter.p), part=True)


def _line(name: str, each: list[Diagnosis | None], cell: Callable[[Diagnosis], str], *, part: bool = False) -> Line:
    return Line(name, tuple("–" if one is None else cell(one) for one in each), part)


def _part_of_score(place: int, name: str) -> Callable[[Diagnosis], str]:
    return lambda one: number(getattr(one.decompositions[place], name))


def _coefficient(name: str) -> Callable[[Diagnosis], str]:
    return lambda one: _two_digits(getattr(one.recalibration, name))


def _reach(name: str) -> Callable[[Diagnosis], str]:
    return lambda one: _two_digits(getattr(one, name))


def _two_digits(value: float | None) -> str:
    return "–" if value is None else f"{round(value, 2) + 0.0:.2f}"  # not -0.00


def change_lines(found: Calibration) -> Iterator[Line]:
    """Every metric before and after, with what the test says of the difference."""
    metrics = list(dict.fromkeys(change.metric.full_name for change in found.changes))
    for name in metrics:
        changes = [found.change(name, method) for method in found.fitted]
        arrow = "↑" if changes[0].metric.better == "higher" else "↓"
        after = [f"{number(one.after)} {_sign(one)}" for one in changes]
        yield Line(f"{arrow} {changes[0].metric.shown_name}", (number(changes[0].before), *after))


def signs_in_words(found: Calibration) -> str:
    """What stands behind the values."""
    words = [SIGNS]
    words += [KEPT] if any(change.by_ranking for change in found.changes) else []
    words += [WITHIN_FOLDS] if any(change.within_folds for change in found.changes) else []
    return "; ".join(words)


def _sign(change: Change) -> str:
    if change.comparison.undefined:
        return " "
    return "=" if change.by_ranking else {"a": ">", "b": "<"}.get(change.comparison.outcome or "", "~")


def bin_lines(points: Reliability) -> Iterator[Line]:
    """The reliability diagram in numbers."""
    for place in range(len(points)):
        band = f"[{points.low[place]:.3f}, {points.high[place]:.3f}]"
        cells = (f"{points.observed[place]:.3f}", band, count(float(points.rows[place])))
        yield Line(f"{points.forecast[place]:.3f}", (*cells, "outside" if points.outside[place] else ""))

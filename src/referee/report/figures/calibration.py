"""Calibration: what was said against what happened, as delivered and recalibrated; a row of panels for each model."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from referee.report.figures.looks import REFERENCE, look
from referee.report.figures.pictures import Picture
from referee.wording import level, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.calibration import Reliability
    from referee.page.subject import Subject

LARGEST = 60
"""Of the dots, in square points."""


def calibration_pictures(subject: Subject) -> Iterator[Picture]:
    """For models that give probabilities."""
    found = subject.calibrated
    if not found:
        return
    across = max(len(panel.diagrams) for panel in found)
    panels = [
        partial(_draw, found=diagram, place=panel.place, title=f"{subject.labels[panel.name]}\n{title}")
        for panel in found
        for title, diagram in panel.diagrams.items()
    ]
    event = next(iter(found[0].diagrams.values())).event
    what = "the most probable class" if subject.predictions.positive is None else f"class {one_line(event)!r}"
    title = f"Calibration for {what}, with {level(subject.alpha)} intervals; larger dots have more rows"
    yield Picture("calibration", title, panels, across=across, width=3.0, height=3.1)


def _draw(axes: Any, found: Reliability, place: int, title: str) -> None:
    colour = look(place)["color"]
    axes.plot((0, 1), (0, 1), **REFERENCE)
    axes.vlines(found.forecast, found.low, found.high, color=colour, linewidth=1, alpha=0.6)
    axes.plot(found.forecast, found.observed, color=colour, linewidth=1, alpha=0.5, gid=f"model-{place}")
    axes.scatter(found.forecast, found.observed, s=6 + LARGEST * found.rows / found.rows.max(), color=colour, zorder=3)
    axes.set(title=title, xlabel="said", ylabel="happened", xlim=(-0.04, 1.04), ylim=(-0.04, 1.04))

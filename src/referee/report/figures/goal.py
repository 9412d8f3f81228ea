"""The goal as a forest plot: every model's value with its interval, or with the values of its units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.page.sections.goal import forest_row
from referee.report.figures.looks import REFERENCE, look, mark
from referee.report.figures.pictures import Picture, room_for
from referee.wording import level

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.page.sections.forest import Row
    from referee.page.subject import Subject

MODEL_HEIGHT = 0.32


def goal_pictures(subject: Subject) -> Iterator[Picture]:
    verdict = subject.verdict
    if verdict is None:
        return
    rows = [row for name in subject.shown if (row := forest_row(subject, verdict, name)).value is not None]
    guessed = next(one.value for one in verdict.scores.baseline if one.metric == verdict.goal.full_name)
    said = _said(verdict.design.kind, verdict.design.unit, level(verdict.alpha), has_units=any(r.units for r in rows))

    def draw(axes: Any) -> None:
        _draw(axes, rows)
        left, right = axes.get_xlim()
        if guessed is not None and left <= guessed <= right:
            axes.axvline(guessed, gid="guessing", **REFERENCE)
            axes.text(guessed, 1.01, "guessing", transform=axes.get_xaxis_transform(), fontsize=7, ha="center")
        axes.set_xlabel(f"{verdict.goal.shown_name}\n{said}")

    title = f"{verdict.goal.title}, {verdict.goal.better} is better"
    width = 5.0 + room_for(row.label for row in rows)
    yield Picture("goal", title, [draw], width=width, height=1.2 + MODEL_HEIGHT * len(rows))


def _said(kind: str, unit: str, certainty: str, *, has_units: bool) -> str:
    if has_units:
        return f"large marks: means of the {unit}s, small ones: the {unit}s"
    if kind == "subsets":
        return f"marks: means of the subsets, bars: {certainty} intervals of the values on all rows"
    return f"bars: {certainty} intervals"


def _draw(axes: Any, rows: Sequence[Row]) -> None:
    """The best at the top."""
    for y, row in enumerate(rows):
        colour = look(row.place)["color"]
        if row.low is not None and row.high is not None:
            axes.plot((row.low, row.high), (y, y), linewidth=2, color=colour, gid=f"interval-{row.place}")
        axes.plot(row.units, [y] * len(row.units), marker="|", color=colour, linestyle="", gid=f"units-{row.place}")
        axes.plot([row.value], [y], markersize=7, gid=f"model-{row.place}", **mark(row.place))
    axes.set_yticks(range(len(rows)), [row.label for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")

"""Every pair: the differences as a matrix, or each with its interval where there are two models or very many."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from referee.page.sections.every_pair import is_significant
from referee.report.figures.grids import Grid
from referee.report.figures.looks import BAD, GOOD, REFERENCE
from referee.report.figures.pictures import Picture, room_for
from referee.wording import level, p_value, signed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.comparing import Comparison, Verdict
    from referee.page.subject import Subject

ROOMY = 8
"""Up to here each cell has room for the adjusted p."""
MOST_SHOWN = 40
GREY = "0.4"


def pairs_pictures(subject: Subject) -> Iterator[Picture]:
    if (verdict := subject.verdict) is None:
        return
    models = len(verdict.values)
    goal = verdict.goal.shown_name
    if models > 2 and len(verdict.comparisons) == models * (models - 1) // 2:
        grid = _matrix(subject, verdict)
        title = f"Differences in {goal}, row less column; coloured where significant ({verdict.adjustment})"
        yield Picture("pairs", title, [grid.draw], width=grid.width, height=grid.height)
        return
    known = [one for one in verdict.comparisons if one.difference is not None][:MOST_SHOWN]
    if known:
        title = f"Differences in {goal} with {level(verdict.alpha)} intervals"
        labels = [f"{subject.labels[one.a]} less {subject.labels[one.b]}" for one in known]
        panel = partial(_draw_list, known=known, labels=labels)
        yield Picture("pairs", title, [panel], width=5.0 + room_for(labels), height=1.2 + 0.32 * len(known))


def _matrix(subject: Subject, verdict: Verdict) -> Grid:
    names = list(verdict.values)
    pairs = {frozenset((one.a, one.b)): one for one in verdict.comparisons}
    largest = max((abs(one.difference) for one in pairs.values() if one.difference is not None), default=0.0)
    cells = [[_cell(pairs.get(frozenset((a, b))), a, largest, len(names)) for b in names] for a in names]
    labels = [subject.labels[name] for name in names]
    return Grid(
        labels, labels, [[text for text, _ in row] for row in cells], [[depth for _, depth in row] for row in cells]
    )


def _cell(found: Comparison | None, a: str, largest: float, models: int) -> tuple[str, float]:
    if found is None or found.difference is None:
        return "·" if found is None else "–", 0.0
    difference = found.difference if found.a == a else -found.difference
    p = f"\n{p_value(found.p_adjusted)}" if models <= ROOMY and found.p_adjusted is not None else ""
    if not is_significant(found):
        return f"{signed(difference)}{p}", 0.0
    share = 0.25 + 0.75 * abs(difference) / largest if largest else 0.25
    return f"{signed(difference)}{p}", share if found.winner == a else -share


def _draw_list(axes: Any, known: list[Comparison], labels: list[str]) -> None:
    for y, found in enumerate(known):
        colour = GREY if not is_significant(found) else GOOD if found.winner == found.a else BAD
        if found.low is not None and found.high is not None:
            axes.plot((found.low, found.high), (y, y), linewidth=2, color=colour, gid=f"interval-{y}")
        axes.plot([found.difference], [y], marker="o", color=colour, linestyle="", gid=f"pair-{y}")
    axes.axvline(0, **REFERENCE)
    axes.set_yticks(range(len(known)), labels)
    axes.set_ylim(len(known) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("blue: the first is better, orange: the second, grey: no significant difference")

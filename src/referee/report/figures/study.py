"""Pictures of a study: Figure 1, the tables by metric, and regret, each goal in a row of its own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from referee.paper import (
    BY_CASE,
    OUTCOMES,
    TWO,
    figure_1,
    mean_regrets,
    ratio_shown,
    ratios_by_metric,
    short_name,
    with_interval,
)
from referee.report.figures.grids import Grid
from referee.report.figures.looks import COLOURS
from referee.report.figures.pictures import Picture

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.paper import OwnStudy, Study, Table

    Crossed = Sequence[Sequence[int]]

DOWN, ACROSS = "goal", "chosen by"
FLOWS = (COLOURS[0], COLOURS[1], COLOURS[3])
"""Of what is selected correctly, of a tie confused with a difference, and of the worse taken for the better."""
GAP = 0.06


def study_pictures(study: Study) -> Iterator[Picture]:
    """Of the paper's experiment."""
    if study.figure:
        yield _figure_1(study)
    for number, found in study.tables.items():
        if number != 1 and number not in BY_CASE:
            yield _of_grid(f"table_{number}", f"Table {number}. {found.title}", _table(found))
    if study.cases:
        names = [short_name(name) for name in study.settings.chosen]
        regrets = mean_regrets(study.cases, "holdout")[0].tolist()
        texts = [[ratio_shown(value) for value in row] for row in regrets]
        grid = Grid(names, names, texts, [[-value for value in row] for row in regrets], ACROSS, DOWN)
        yield _of_grid("regret", "Regret on holdout sets: 0 is an oracle's, 1 a coin's", grid)


def own_study_pictures(study: OwnStudy) -> Iterator[Picture]:
    """Of the user's own data, where no goal was named."""
    titles = {"regret": "Regret: 0 is perfect, 1 a random choice", "right": "How often the right model is chosen"}
    for field, title in titles.items() if study.goal is None else ():
        choices = [[study.choice(goal, name) for name in study.usual] for goal in study.usual]
        texts = [[with_interval(one, field)[0] for one in row] for row in choices]
        sign = -1 if field == "regret" else 1
        depths = [[sign * (getattr(one, field) or 0.0) for one in row] for row in choices]
        yield _of_grid(field, title, Grid(study.usual, study.usual, texts, depths, ACROSS, DOWN))


def _of_grid(name: str, title: str, grid: Grid) -> Picture:
    return Picture(name, title, [grid.draw], width=grid.width, height=grid.height)


def _table(found: Table) -> Grid:
    cells = dict(ratios_by_metric(found))
    texts = [[_both(one.ours, one.paper) for one in row.values()] for row in cells.values()]
    depths = [[0.0 if one.ours != one.ours else one.ours for one in row.values()] for row in cells.values()]
    return Grid([*map(short_name, cells)], [*map(short_name, found.values)], texts, depths, ACROSS, DOWN)


def _both(ours: float, paper: float | None) -> str:
    return ratio_shown(ours) + ("" if paper is None else f"\npaper {ratio_shown(paper)}")


def _figure_1(study: Study) -> Picture:
    drawn = {"the paper": figure_1()["crossed"]} | {
        f"positive {study.positive(name)}": {metric: one.crossed.tolist() for metric, one in found.items()}
        for name, found in study.figure.items()
    }
    panels = [
        partial(_draw_flow, crossed=crossed[metric], title=f"by {short_name(metric)}: {title}")
        for metric in TWO
        for title, crossed in drawn.items()
    ]
    title = "Figure 1. Blue is selected correctly; orange takes a tie for a difference or a difference for a tie; pink "
    return Picture(
        "figure_1", f"{title}takes the worse for the better", panels, across=len(drawn), height=3.0, width=3.6
    )


def _draw_flow(axes: Any, crossed: Crossed, title: str) -> None:
    """Repetitions from what is so, at the left, to what is selected, at the right."""
    rows, columns = [sum(row) for row in crossed], [sum(column) for column in zip(*crossed, strict=True)]
    total = max(1, sum(rows))
    starts, ends = _places(rows, total), _places(columns, total)
    for side, counts, places, words in ((0, rows, starts, "right"), (1, columns, ends, "left")):
        for outcome, count, y in zip(OUTCOMES, counts, places, strict=True):
            label = f" {outcome}: {count} "
            axes.text(side, y + count / total / 2, label, ha=words, va="center", fontsize=8)
    for i, row in enumerate(crossed):
        for j, count in enumerate(row):
            _draw_ribbon(axes, starts[i], ends[j], count / total, FLOWS[abs(i - j)])
            starts[i] += count / total
            ends[j] += count / total
    axes.set(title=title, xlim=(-0.45, 1.45), ylim=(1 + 2 * GAP, -0.02))
    axes.axis("off")


def _places(counts: Sequence[int], total: int) -> list[float]:
    """Where each outcome begins, from above."""
    return [place * GAP + sum(counts[:place]) / total for place in range(len(counts))]


def _draw_ribbon(axes: Any, start: float, end: float, height: float, colour: str) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if not height:
        return
    above = [(0, start), (0.5, start), (0.5, end), (1, end)]
    below = [(1, end + height), (0.5, end + height), (0.5, start + height), (0, start + height)]
    codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3]
    axes.add_patch(PathPatch(Path([*above, *below], codes), facecolor=colour, alpha=0.6, linewidth=0))

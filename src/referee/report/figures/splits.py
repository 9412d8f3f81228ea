"""The splits: what the models were fitted on, and what they were tested on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from referee.page.sections.splits import MOST_SPLITS, splits_of
from referee.report.figures.looks import COLOURS
from referee.report.figures.pictures import Picture
from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.page.sections.splits import Split
    from referee.page.subject import Subject

LIGHT = "0.88"


def split_pictures(subject: Subject) -> Iterator[Picture]:
    splits = splits_of(subject)
    if splits:
        first = f", the first {MOST_SPLITS} drawn" if len(splits) > MOST_SPLITS else ""
        title = f"{counted(len(splits), 'split')}{first}"
        bars: dict[str, Any] = {"linewidth": 8, "solid_capstyle": "butt"}
        legend = {"training rows": bars | {"color": LIGHT}, "test rows": bars | {"color": COLOURS[0]}}
        drawn = splits[:MOST_SPLITS]
        yield Picture("splits", title, [partial(_draw, drawn)], legend, width=6.0, height=0.9 + 0.2 * len(drawn))


def _draw(splits: Sequence[Split], axes: Any) -> None:
    axes.barh(range(len(splits)), [one.rows for one in splits], color=LIGHT)
    for place, one in enumerate(splits):
        for share in sorted({run.share for run in one.runs}):
            runs = [(run.start, run.length) for run in one.runs if run.share == share]
            axes.broken_barh(runs, (place - 0.4, 0.8), color=COLOURS[0], alpha=share, linewidth=0)
    axes.set_yticks(range(len(splits)), [one.name for one in splits])
    axes.set_ylim(len(splits) - 0.5, -0.5)
    axes.set_xlabel("rows")
    axes.grid(visible=False, axis="y")

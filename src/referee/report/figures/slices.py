"""Slices: the goal, or the main metric, of each model in each slice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.page.sections.slices import sliced_metric
from referee.report.figures.grids import Grid
from referee.report.figures.pictures import Picture
from referee.wording import distinct_names, number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.page.subject import Subject
    from referee.scoring import Metric, Score

MOST_SLICES = 60


def slice_pictures(subject: Subject) -> Iterator[Picture]:
    """Only where slices were asked for, and are not the units that decide."""
    verdict, slices = subject.verdict, subject.scores.slices
    if slices is None or (verdict and verdict.design.kind == "data_sets"):
        return
    metric = sliced_metric(subject)
    rows = [row for row in subject.scores if row.metric == metric.full_name and row.slice is not None]
    found = {(row.slice, row.model): row for row in rows}
    units = list(slices.units.names[:MOST_SLICES])
    scores = [[found[unit, name] for name in subject.detailed] for unit in units]
    depths = _depths(subject, metric, scores)
    texts = [[_text(subject, score) for score in row] for row in scores]
    labels = [subject.labels[name] for name in subject.detailed]
    grid = Grid(list(distinct_names(units, 40).values()), labels, texts, depths)
    of_some = f", {len(units)} of {len(slices.units):,} slices" if len(units) < len(slices.units) else ""
    title = (
        f"{metric.shown_name} by {' and '.join(map(one_line, slices.by))}{of_some}; orange is worse than on all rows"
    )
    if any("*" in text for row in texts for text in row):
        title += " (*: significantly different from the other rows)"
    yield Picture("slices", title, [grid.draw], width=grid.width, height=grid.height)


def _text(subject: Subject, score: Score) -> str:
    tested = subject.verdict.slices if subject.verdict else None
    differs = tested is not None and tested.is_significant(tested.apart(str(score.slice), score.model))
    return number(score.value) + (" *" if differs else "")


def _depths(subject: Subject, metric: Metric, scores: list[list[Score]]) -> list[list[float]]:
    """How far each is from the model's value on all rows, as a share of the largest of all; worse is negative."""
    sign = 1 if metric.better == "higher" else -1
    gains = [[_gain(subject, metric, score) for score in row] for row in scores]
    widest = max((abs(gain) for row in gains for gain in row), default=0.0) or 1.0
    return [[sign * gain / widest for gain in row] for row in gains]


def _gain(subject: Subject, metric: Metric, score: Score) -> float:
    overall = subject.goal_score(score.model, metric).value
    return 0.0 if score.value is None or overall is None else score.value - overall

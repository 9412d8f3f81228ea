"""Where each model fails: the goal in every slice, and what of it is more than chance."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from referee.comparing import SliceTests, in_slices
from referee.document import Cell, Column, Footnotes, one_line, p_value
from referee.errors import spoken
from referee.page.sections.each_metric import MAIN
from referee.page.shell import Section, rendered, table
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from referee.page.subject import Subject
    from referee.predictions import Units
    from referee.scoring import Metric, Score

MOST_SLICES = 200
STEPS = 7
TOO_MANY_ROWS = "No slice was tested: there are too many rows, or they are not in memory."


def slices_section(subject: Subject) -> Section | None:
    """Only where slices were asked for, and are not the units that decide."""
    verdict, slices = subject.verdict, subject.scores.slices
    if slices is None or (verdict and verdict.design.kind == "data_sets"):
        return None
    metric = sliced_metric(subject)
    tested = verdict.slices if verdict else None
    grid = Grid(subject, metric, tested, subject.detailed)
    rows = [*_rows(subject, slices.units).items()]
    remarks = [*grid.remarks([unit for unit, _ in rows[:MOST_SLICES]]), subject.left_out]
    if len(rows) > MOST_SLICES:
        remarks.append(f"{len(rows) - MOST_SLICES:,} more slices are in `{spoken('--format json')}`.")
    body = rendered(
        "section/slices.html",
        table=grid.table(rows[:MOST_SLICES]),
        warnings=in_slices(verdict) if verdict else [],
        remark=" ".join(filter(None, remarks)),
    )
    columns = " and ".join(map(one_line, slices.by))
    lead = f"{metric.shown_name} in each slice of {columns}. Darker means worse than the same model on all rows."
    return Section("slices", "Where each model fails", body, lead, "Slices")


def sliced_metric(subject: Subject) -> Metric:
    """The goal, or the first of those that most people look at."""
    if subject.verdict:
        return subject.verdict.goal
    known = {metric.full_name: metric for metric in subject.scores.metrics}
    return next((known[name] for name in MAIN if name in known), subject.scores.metrics[0])


def _rows(subject: Subject, units: Units) -> dict[str, int | None]:
    if not subject.predictions.has_rows:
        return dict.fromkeys(units.names)
    return dict(zip(units.names, np.bincount(units.codes, minlength=len(units)).tolist(), strict=True))


@dataclass(frozen=True)
class Grid:
    """A metric of each model in each slice."""

    subject: Subject
    metric: Metric
    tested: SliceTests | None
    names: tuple[str, ...]

    @cached_property
    def scores(self) -> dict[tuple[str, str], Score]:
        rows = [row for row in self.subject.scores if row.metric == self.metric.full_name]
        return {(row.slice, row.model): row for row in rows if row.slice is not None}

    @property
    def best(self) -> str | None:
        """The best model on all rows, where models were compared."""
        return self.subject.verdict.best if self.subject.verdict else None

    def remarks(self, units: Sequence[str]) -> Iterator[str]:
        """What the signs in the table mean, of those that are there, and why there are none."""
        if self.tested is None:
            compared = self.subject.verdict is not None
            yield TOO_MANY_ROWS if compared else "Nothing was tested: `referee compare --by` tests every slice."
            return
        pairs = [(unit, name) for unit in units for name in self.names]
        apart = [test for pair in pairs if (test := self.tested.apart(*pair)) is not None]
        at = f"at {100 * self.subject.alpha:g}%, after Holm's correction for all slices and models."
        if not apart:
            yield "The slices have too few rows to be tested."
        elif any(map(self.tested.is_significant, apart)):
            yield f"* differs from the other rows {at}"
        else:
            yield f"No model differs between a slice and the other rows {at}"
        if any(self._leader(unit).small for unit in units):
            yield "Where another model leads, its p is vs the best model overall, corrected in the same way."

    def table(self, rows: Sequence[tuple[str, int | None]]) -> Markup:
        notes, heads = Footnotes(), map(self.subject.column, self.names)
        columns: list[Column | str] = ["Slice", "Rows", *heads, Column("Leads here", words=True)]
        shown = [
            [Cell(one_line(unit, 60), unit), Cell("" if many is None else f"{many:,}", many),
             *(self._cell(unit, name, notes) for name in self.names), self._leader(unit)]
            for unit, many in rows
        ]  # fmt: skip
        return table(f"{self.metric.shown_name} in each slice", columns, shown, name="slices", sortable=True)

    def _cell(self, unit: str, name: str, notes: Footnotes) -> Cell:
        score, test = self.scores[unit, name], self.tested.apart(unit, name) if self.tested else None
        worse = self._behind(score, name)
        mark = "none" if score.value is None else f"burn{1 + round(STEPS * worse)}" if worse else ""
        p = test.p_adjusted if test else None
        hint = "" if p is None else f"vs the other rows: {p_value(p)}, adjusted"
        star = " *" if self.tested and self.tested.is_significant(test) else ""
        return Cell(
            notes.text(score.value, score.undefined) + star, score.value, mark, hint=hint or score.undefined or ""
        )

    def _behind(self, score: Score, name: str) -> float:
        """How much worse than on all rows, as a share of the largest such distance."""
        overall = self.subject.goal_score(name, self.metric).value
        if score.value is None or overall is None or not self.widest:
            return 0.0
        sign = 1 if self.metric.better == "lower" else -1
        return min(1.0, max(0.0, sign * (score.value - overall)) / self.widest)

    @cached_property
    def widest(self) -> float:
        """The largest distance of any model in any slice from what it is on all rows."""
        overall = {name: self.subject.goal_score(name, self.metric).value for name in self.names}
        known = [(score.value, overall[model]) for (_, model), score in self.scores.items() if model in overall]
        return max((abs(part - whole) for part, whole in known if part is not None and whole is not None), default=0.0)

    def _leader(self, unit: str) -> Cell:
        scores = {name: self.scores[unit, name].value for name in self.subject.names}
        values = {name: value for name, value in scores.items() if value is not None}
        if not values:
            return Cell("–", mark="none")
        most = (max if self.metric.better == "higher" else min)(values.values())
        leaders = [name for name, value in values.items() if value == most]
        leader = self.best if self.best in leaders else leaders[0]
        test = self.tested.against_best(unit, str(leader)) if self.tested else None
        p = test.p_adjusted if test else None
        small = f"{p_value(p)} vs {self.subject.labels[self.best]}" if p is not None and self.best else ""
        return Cell(self.subject.labels[str(leader)], leader, small=small)

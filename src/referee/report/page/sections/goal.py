"""The goal metric as a forest plot: every model's value with its interval, or with the values of its units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from referee.report.page.charts import figure
from referee.report.page.document import Section, rendered
from referee.report.page.elements import element, look, marker
from referee.report.page.scales import Scale, spanning, tick_label
from referee.report.page.sections.verdict_card import metric_words
from referee.report.page.tables import Cell, Column, of_number, table
from referee.report.scores.shown import level
from referee.report.verdict.words import MARKS
from referee.wording import number, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.report.page.subject import Subject
    from referee.verdict import Verdict

FAR = 4
"""A model is off the scale if showing it would shrink the better ones to a part as small as this."""
MOST_UNITS = 200
LONGEST_NAME, SHORTER_NAME = 23, 15


@dataclass(frozen=True)
class Row:
    """A model in the forest."""

    name: str
    label: str
    place: int
    value: float | None
    low: float | None
    high: float | None
    units: tuple[float, ...]
    """The values of folds, subsets or data sets, where these are compared."""
    state: str

    @property
    def ends(self) -> list[float]:
        return [end for end in (self.value, self.low, self.high, *self.units) if end is not None]

    @property
    def words(self) -> str:
        interval = "" if self.low is None else f" [{number(self.low)}, {number(self.high)}]"
        return number(self.value) + interval


def goal_section(subject: Subject, verdict: Verdict) -> Section:
    rows = [_row(subject, verdict, name) for name in subject.shown]
    guessed = next(one.value for one in verdict.scores.baseline if one.metric == verdict.goal.full_name)
    drawings = [_forest(rows, guessed, wide=wide, label=verdict.goal.full_name) for wide in (True, False)]
    title = f"{verdict.goal.title}, {verdict.goal.better} is better"
    behind = _table(subject, verdict)
    body = rendered(
        "section/goal.html",
        figure=figure(Markup("").join(drawings), name=f"goal-{verdict.goal.name}", title=title),
        behind=behind,
        left=len(subject.names) - len(subject.shown),
        question=verdict.goal.question,
        blind_to=verdict.goal.blind_to,
    )
    return Section("goal", f"Goal: {metric_words(verdict)}", body, _lead(verdict, rows), short="Goal")


def _lead(verdict: Verdict, rows: Sequence[Row]) -> str:
    if any(row.units for row in rows):
        return (
            f"Large marks are means over the {verdict.design.unit}s, small ones the {verdict.design.unit}s. How far "
            "they scatter is no test: each model met the same ones, and the differences are what is tested below."
        )
    marks = "values, bars their {} intervals"
    if verdict.design.kind == "subsets":
        marks = "means over the subsets, bars the {} intervals of the values on all rows"
    return (
        f"Marks are {marks.format(level(verdict.alpha))}. Whether two bars overlap decides nothing: all models met the "
        "same rows, and the differences, tested below, are known better than the values are."
    )


def _row(subject: Subject, verdict: Verdict, name: str) -> Row:
    score, value = subject.goal_score(name, verdict.goal), verdict.values[name]
    units = _units(verdict, name)
    low, high = (None, None) if units else (score.low, score.high)
    return Row(
        name, subject.labels[name], subject.places[name], value, low, high, units, _state(subject, verdict, name, value)
    )


def _units(verdict: Verdict, name: str) -> tuple[float, ...]:
    kind = {"splits": "unit", "data_sets": "slice"}.get(verdict.design.kind)
    if kind is None:
        return ()
    rows = [row for row in verdict.scores if row.model == name and row.metric == verdict.goal.full_name]
    found = [row.value for row in rows if getattr(row, kind) not in (None, "mean") and row.value is not None]
    return tuple(found[:MOST_UNITS])


def _state(subject: Subject, verdict: Verdict, name: str, value: float | None) -> str:
    if name in verdict.winners:
        return MARKS[verdict.outcome]
    best = verdict.values[verdict.best]
    if value is None:
        return subject.goal_score(name, verdict.goal).undefined or "undefined"
    return "" if best is None or name == verdict.best else f"behind by {number(abs(best - value))}"


def _domain(rows: Sequence[Row]) -> list[float]:
    """The ends of all models that are not far off those that may be the best, and the next."""
    shown: list[float] = []
    for place, row in enumerate(row for row in rows if row.ends):
        wider = [*shown, *row.ends]
        span, before = max(wider) - min(wider), max(shown, default=0.0) - min(shown, default=0.0)
        if place >= 2 and row.state not in MARKS.values() and before and span > FAR * before:
            break
        shown = wider
    return shown


def _forest(rows: Sequence[Row], guessed: float | None, *, wide: bool, label: str) -> Markup:
    width, left, right, step, first = (780, 170, 215, 44, 26) if wide else (360, 6, 14, 60, 46)
    height = first + len(rows) * step + 22
    scale = spanning(_domain(rows), left, width - right)
    bottom = height - 36
    parts = [_grid(scale, bottom, wide)]
    if guessed is not None and scale.low <= guessed <= scale.high:
        x = scale(guessed)
        parts.append(element("line", x1=x, x2=x, y1=8, y2=bottom, class_="reference"))
        parts.append(element("text", "guessing", x=x, y=bottom + 29, text_anchor="middle"))
    for place, row in enumerate(rows):
        y = float(first + place * step)
        parts += [_words(row, width - right, y, wide), _mark(row, scale, y)]
    box = f"0 0 {width} {height}"
    style = "wide" if wide else "narrow"
    return element("svg", *parts, viewBox=box, role="img", aria_label=f"{label} of each model", class_=style)


def _grid(scale: Scale, bottom: float, wide: bool) -> Markup:
    ticks = scale.ticks(6 if wide else 4)
    return Markup("").join(
        element("line", x1=scale(v), x2=scale(v), y1=6, y2=bottom, class_="grid")
        + element("text", tick_label(v), x=scale(v), y=bottom + 15, text_anchor="middle")
        for v in ticks
    )


def _words(row: Row, right: float, y: float, wide: bool) -> Markup:
    strong = "label strong" if row.state in MARKS.values() and row.state else "label"
    state = row.state if len(row.state) <= 34 else row.state[:33] + "…"
    name = one_line(row.label, LONGEST_NAME if wide else SHORTER_NAME)
    if not wide:
        return element("text", f"{name}  {row.words}  {state}", x=2, y=y - 15, class_=f"{strong} halo")
    return (
        element("text", name, x=0, y=y + 4, class_=strong)
        + element("text", row.words, x=right + 22, y=y - 2, class_="label")
        + element("text", state, x=right + 22, y=y + 13)
    )


def _mark(row: Row, scale: Scale, y: float) -> Markup:
    """The value with its interval; an arrow where it is off the scale."""
    if row.value is None:
        return Markup("")
    if not scale.low <= row.value <= scale.high:
        below = row.value < scale.low
        x = scale.start + 12 if below else scale.end - 12
        arrow = f"M{x + (6 if below else -6)} {y - 6}L{x - (6 if below else -6)} {y}L{x + (6 if below else -6)} {y + 6}"
        style = f"curve {look(row.place)}"
        anchor = "start" if below else "end"
        return element("path", d=arrow, class_=style) + element(
            "text", "far off this scale", x=x + (12 if below else -12), y=y + 4, text_anchor=anchor
        )
    parts = [
        element("line", x1=scale(v), x2=scale(v), y1=y - 7, y2=y + 7, class_=f"error {look(row.place)}")
        for v in row.units
    ]
    if row.low is not None and row.high is not None:
        low, high = max(row.low, scale.low), min(row.high, scale.high)
        parts.append(element("line", x1=scale(low), x2=scale(high), y1=y, y2=y, class_=f"interval {look(row.place)}"))
    return Markup("").join([*parts, marker(row.place, scale(row.value), y)])


def _table(subject: Subject, verdict: Verdict) -> Markup:
    """All models, also those that are not drawn."""
    by_units = verdict.design.kind not in ("rows", "out_of_fold")
    columns: list[Column | str] = ["Model"]
    columns += [f"Mean of {verdict.design.unit}s"] if by_units else []
    columns += ["On all rows" if by_units else "Value", "Low", "High", "Standard error", Column("Standing", words=True)]
    rows = []
    for name, value in verdict.values.items():
        score = subject.goal_score(name, verdict.goal)
        known = [score.value, score.low, score.high, score.standard_error]
        cells = [of_number(one) for one in ([value, *known] if by_units else known)]
        state = _state(subject, verdict, name, value)
        rows.append([Cell(subject.labels[name], name, hint=subject.full(name)), *cells, Cell(state)])
    caption = f"{verdict.goal.full_name} of each model with its {level(verdict.alpha)} interval"
    return table(caption, columns, rows, name=f"goal-{verdict.goal.name}", sortable=True)

"""The goal metric as a forest plot: every model's value with its interval, or with the values of its units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from referee.comparing import MARKS, Verdict, of_ranks
from referee.document import Cell, Column, element, number_cell
from referee.document.svg import Scale, look, marker, spanning, tick_label
from referee.page.sections.verdict_card import metric_words
from referee.page.shell import Section, figure, rendered, table
from referee.records import dataclass
from referee.wording import level, number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.page.subject import Subject


MOST_UNITS = 200
FAR = 4
"""A model is off the scale if showing it would shrink the better ones to a part as small as this."""
LINE, ROOM = 14, 90
LONGEST_NAME, SHORTER_NAME, LONGEST_STATE = 23, 16, 34


def goal_section(
    subject: Subject, verdict: Verdict, *, roles: Mapping[str, str] | None = None, above: Markup | str = ""
) -> Section:
    """The models' values; `roles` are what the models are where that is another question than who is the best."""
    standing = roles or {name: _standing(subject, verdict, name) for name in subject.names}
    rows = [forest_row(subject, verdict, name, standing[name]) for name in subject.shown]
    guessed = next((score.value for score in verdict.scores.baseline if score.metric == verdict.goal.full_name), None)
    drawing = forest(rows, {} if guessed is None else {"guessing": guessed}, f"{verdict.goal.shown_name} of each model")
    title = f"{verdict.goal.title}, {verdict.goal.better} is better"
    body = rendered(
        "section/goal.html",
        above=above,
        figure=figure(drawing, name="goal", title=title),
        behind=_values_table(subject, verdict, standing),
        left=len(subject.names) - len(subject.shown),
        question=verdict.goal.question,
        blind_to=verdict.goal.blind_to,
    )
    return Section("goal", f"Goal: {metric_words(verdict)}", body, _lead(verdict, rows), short="Goal")


def _lead(verdict: Verdict, rows: Sequence[Row]) -> str:
    if any(row.units for row in rows):
        moved = " on their test rows alone" if verdict.design.mixes_training else ""
        return (
            f"Large marks are {verdict.design.value_names}, small ones the {verdict.design.unit}s{moved}. "
            "Their scatter is not a test: every model saw the same ones, and the differences are tested "
            "below."
        )
    marks = "values, bars their {} intervals"
    if verdict.design.kind == "subsets":
        marks = "means over the subsets, bars the {} intervals of the values on all rows"
    return (
        f"Marks are {marks.format(level(verdict.alpha))}. Overlapping bars do not mean a tie: all models were "
        "scored on the same rows, so differences are estimated more precisely than scores."
    )


def forest_row(subject: Subject, verdict: Verdict, name: str, state: str) -> Row:
    score, value = subject.goal_score(name, verdict.goal), verdict.values[name]
    units = _units(verdict, name)
    low, high = (None, None) if units else (score.low, score.high)
    return Row(subject.labels[name], subject.places[name], value, low, high, units, state)


def _units(verdict: Verdict, name: str) -> tuple[float, ...]:
    kind = {"splits": "unit", "data_sets": "slice"}.get(verdict.design.kind)
    if kind is None:
        return ()
    rows = [row for row in verdict.scores if row.model == name and row.metric == verdict.goal.full_name]
    values = [row.value for row in rows if getattr(row, kind) not in (None, "mean") and row.value is not None]
    return tuple(values[:MOST_UNITS])


def _standing(subject: Subject, verdict: Verdict, name: str) -> str:
    if name in verdict.winners:
        return MARKS[verdict.outcome]
    best, value = verdict.values[verdict.best], verdict.values[name]
    if value is None:
        return subject.goal_score(name, verdict.goal).undefined or "undefined"
    where = " in the mean" if of_ranks(verdict) else ""
    return "" if best is None or name == verdict.best else f"behind by {number(abs(best - value))}{where}"


def _values_table(subject: Subject, verdict: Verdict, standing: Mapping[str, str]) -> Markup:
    """All models, also those that are not drawn."""
    by_units = verdict.has_value_on_rows
    columns: list[Column | str] = ["Model"]
    columns += [verdict.design.value_name.capitalize()] if by_units else []
    columns += ["On all rows" if by_units else "Value", "Low", "High", "Standard error", Column("Standing", words=True)]
    rows = []
    for name, value in verdict.values.items():
        score = subject.goal_score(name, verdict.goal)
        on_rows = [score.value] if by_units else []
        cells = [number_cell(amount) for amount in (value, *on_rows, score.low, score.high, score.standard_error)]
        rows.append([subject.cell(name), *cells, Cell(standing[name])])
    caption = f"{verdict.goal.shown_name} of each model with its {level(verdict.alpha)} interval"
    return table(caption, columns, rows, name=f"goal-{verdict.goal.name}", sortable=True)


@dataclass(frozen=True)
class Row:
    """A model in the forest."""

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


def forest(rows: Sequence[Row], lines: Mapping[str, float], label: str, *, spanned: Sequence[float] = ()) -> Markup:
    """The plot for wide and for narrow screens, with named lines where they are on the scale, or `spanned` by it."""
    return Markup("").join(_drawn(rows, lines, label, spanned, wide=wide) for wide in (True, False))


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


def _drawn(
    rows: Sequence[Row], lines: Mapping[str, float], label: str, spanned: Sequence[float], *, wide: bool
) -> Markup:
    width, left, right, step, first = (780, 170, 215, 44, 26) if wide else (360, 6, 14, 76, 62)
    scale = spanning([*_domain(rows), *spanned], left, width - right)
    held = {name: value for name, value in lines.items() if scale.low <= value <= scale.high}
    bottom = first + (len(rows) - 1) * step + 30
    parts = [_grid(scale, bottom, wide), *_lines(held, scale, bottom)]
    for place, row in enumerate(rows):
        y = float(first + place * step)
        parts += [_words(row, width - right, y, wide), _mark(row, scale, y)]
    box = f"0 0 {width} {bottom + 22 + LINE * max(1, len(held))}"
    style = "wide" if wide else "narrow"
    return element("svg", *parts, viewBox=box, role="img", aria_label=label, class_=style)


def _lines(held: Mapping[str, float], scale: Scale, bottom: float) -> Iterator[Markup]:
    """What values are held against; the names one below the other, so that no line crosses a name."""
    at_end = any(scale(value) > scale.end - ROOM for value in held.values())
    anchor = "middle" if len(held) == 1 and not at_end else "end" if at_end else "start"
    for place, name in enumerate(sorted(held, key=lambda name: held[name], reverse=not at_end)):
        x, y = scale(held[name]), bottom + 29 + LINE * place
        yield element("line", x1=x, x2=x, y1=8, y2=y - 11, class_="reference")
        yield element("text", name, x=x, y=y, text_anchor=anchor)


def _grid(scale: Scale, bottom: float, wide: bool) -> Markup:
    ticks = scale.ticks(6 if wide else 4)
    return Markup("").join(
        element("line", x1=scale(v), x2=scale(v), y1=6, y2=bottom, class_="grid")
        + element("text", tick_label(v), x=scale(v), y=bottom + 15, text_anchor="middle")
        for v in ticks
    )


def _words(row: Row, right: float, y: float, wide: bool) -> Markup:
    strong = "label strong" if row.state in MARKS.values() and row.state else "label"
    state = row.state if len(row.state) <= LONGEST_STATE else row.state[: LONGEST_STATE - 1] + "…"
    name = one_line(row.label, LONGEST_NAME if wide else SHORTER_NAME)
    if not wide:
        above = element("text", f"{name}  {row.words}", x=2, y=y - 31, class_=f"{strong} halo")
        return above + element("text", state, x=2, y=y - 15, class_="halo")
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
        style = f"curve {look(row.place).split()[0]}"  # a dash would hide what so small a mark is
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

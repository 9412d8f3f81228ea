"""A forest plot: values or differences one below the other, each with its interval, held against named lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from referee.comparing import MARKS
from referee.document import element, number, one_line, signed
from referee.document.svg import Scale, look, marker, spanning, tick_label
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


FAR = 4
"""A model is off the scale if showing it would shrink the better ones to a part as small as this."""
LINE, ROOM = 14, 90
LONGEST_NAME, SHORTER_NAME, LONGEST_STATE = 23, 16, 34


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
    is_difference: bool = False

    @property
    def ends(self) -> list[float]:
        return [end for end in (self.value, self.low, self.high, *self.units) if end is not None]

    @property
    def words(self) -> str:
        interval = "" if self.low is None else f" [{number(self.low)}, {number(self.high)}]"
        return (number(self.value) if self.value is None or not self.is_difference else signed(self.value)) + interval


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
    box = f"0 0 {width} {bottom + 24 + LINE * max(1, len(held))}"
    style = "wide" if wide else "narrow"
    return element("svg", *parts, viewBox=box, role="img", aria_label=label, class_=style)


def _lines(held: Mapping[str, float], scale: Scale, bottom: float) -> Iterator[Markup]:
    """What values are held against; the names one below the other, so that no line crosses a name or a figure."""
    at_end = any(scale(value) > scale.end - ROOM for value in held.values())
    anchor = "middle" if len(held) == 1 and not at_end else "end" if at_end else "start"
    for place, name in enumerate(sorted(held, key=lambda name: held[name], reverse=not at_end)):
        x, y = scale(held[name]), bottom + 31 + LINE * place
        yield element("line", x1=x, x2=x, y1=8, y2=bottom, class_="reference")
        yield element("line", x1=x, x2=x, y1=bottom + 19, y2=y - 11, class_="reference")
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

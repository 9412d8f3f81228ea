"""Tiers and ranks: a bar from the best to the worst rank that each model may have, as a critical-difference diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from referee.comparing import said_of_tiers
from referee.document import Cell, Column, as_sentence, counted, element, number_cell, one_line
from referee.document.svg import Scale, look, marker, tick_label
from referee.page.shell import Section, figure, rendered, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.comparing import Leaderboard, Verdict
    from referee.page.subject import Subject

MOST_BARS = 60
STEP, TOP = 22, 30
LONGEST_NAME, SHORTER_NAME = 21, 10
ASIDE = 34
"""Where names begin: at their left is the bar of their tier."""


def leaderboard_section(subject: Subject, verdict: Verdict) -> Section | None:
    """Nothing of two models, which the verdict says everything about."""
    board = verdict.leaderboard
    if board is None or len(verdict.values) == 2:
        return None
    drawing = Markup("").join(_drawn(subject, board, wide=wide) for wide in (True, False))
    left = len(board.ranks) - MOST_BARS
    title = "The ranks that each model may have, best at the left; a bar beside each tier"
    body = rendered(
        "section/leaderboard.html",
        figure=figure(drawing, name="leaderboard", title=title),
        left=f"{counted(left, 'more model')} in the table." if left > 0 else "",
        behind=_ranks_table(subject, verdict, board),
    )
    return Section("tiers", "Tiers and ranks", body, _lead(verdict), "Tiers")


def _lead(verdict: Verdict) -> str:
    return (
        f"{as_sentence(said_of_tiers(verdict))} A bar that spans all ranks means that nothing is known about its "
        "model's rank."
    )


def _drawn(subject: Subject, board: Leaderboard, *, wide: bool) -> Markup:
    width, left = (780, 205.0) if wide else (360, 125.0)
    names, tiers = [*board.ranks][:MOST_BARS], board.tier_of
    ordered = sorted(names, key=lambda name: tiers[name])
    scale = Scale(1, len(board.ranks), left, width - 24)
    bottom = TOP + STEP * len(ordered)
    parts = [*_axis(scale, bottom, 8 if wide else 4)]
    parts += _tiers([tiers[name] for name in ordered], width)
    for place, name in enumerate(ordered):
        y = TOP + STEP * (place + 0.5)
        label = one_line(subject.labels[name], LONGEST_NAME if wide else SHORTER_NAME)
        parts.append(element("text", label, x=ASIDE, y=y + 4, class_="label"))
        parts += _bar(subject, board, name, scale, y)
    box, style = f"0 0 {width} {bottom + 8}", "wide" if wide else "narrow"
    return element("svg", *parts, viewBox=box, role="img", aria_label="Ranks of each model", class_=style)


def _tiers(tiers: Sequence[int], width: float) -> Iterator[Markup]:
    """A bar beside the models of each tier with its number, and a line between two."""
    for tier in dict.fromkeys(tiers):
        top = TOP + STEP * tiers.index(tier)
        bottom = top + STEP * tiers.count(tier)
        yield element("line", x1=24, x2=24, y1=top + 5, y2=bottom - 5, class_="level")
        yield element("text", str(tier), x=14, y=(top + bottom) / 2 + 4, text_anchor="end", class_="label strong")
        if tier != tiers[-1]:
            yield element("line", x1=0, x2=width, y1=bottom, y2=bottom, class_="grid")


def _axis(scale: Scale, bottom: float, most: int) -> Iterator[Markup]:
    ranks = {rank for value in scale.ticks(most) if float(rank := round(value)) == value and rank >= 1} | {1}
    for rank in sorted(ranks):
        yield element("line", x1=scale(rank), x2=scale(rank), y1=TOP - 6, y2=bottom, class_="grid")
        yield element("text", tick_label(rank), x=scale(rank), y=TOP - 12, text_anchor="middle")


def _bar(subject: Subject, board: Leaderboard, name: str, scale: Scale, y: float) -> Iterator[Markup]:
    """The interval of ranks, with a mark at the rank of the value."""
    best, worst = board.ranks[name]
    place, rank = subject.places[name], 1 + [*board.ranks].index(name)
    yield element("line", x1=scale(best) - 3, x2=scale(worst) + 3, y1=y, y2=y, class_=f"interval {look(place)}")
    yield marker(place, scale(rank), y)


def _ranks_table(subject: Subject, verdict: Verdict, board: Leaderboard) -> Markup:
    columns: list[Column | str] = ["Model", "Value", "Tier", "Best rank", "Worst rank"]
    tiers, listed = board.tier_of, {*subject.listed}
    rows = [
        [
            Cell(subject.labels[name], name, hint=subject.full(name)),
            number_cell(verdict.values[name]),
            *(Cell(str(value), float(value)) for value in (tiers[name], *ends)),
        ]
        for name, ends in board.ranks.items()
        if name in listed
    ]
    said = element("p", subject.unlisted, class_="remark") if subject.unlisted else ""
    return table("Tier and ranks of each model", columns, rows, name="tiers", sortable=True) + said

"""A study of the user's own data as Markdown: the sentence in sight, then the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document.markdown import escaped, folded_away, listed_items, table
from referee.report.own_study.formats import chance_explained, described, explained, with_interval
from referee.wording import level, message_line, number, short_p

if TYPE_CHECKING:
    from referee.paper import OwnStudy


def to_markdown(study: OwnStudy) -> str:
    """Everything that was found; goals that were not asked for are folded away."""
    lines = [f"**{escaped(study.sentence)}**", "", escaped(described(study)), ""]
    if study.goal is None:
        lines += ["Regret: 0 is perfect, 1 a coin flip; goal down, chosen by across", "", *_matrix(study, "regret")]
        lines += ["", "How often the right model is chosen", "", *_matrix(study, "right")]
    else:
        lines += _of_goal(study, study.goal)
    lines += listed_items([*explained(study), chance_explained(study)])
    lines += listed_items(message_line(note) for note in study.notes)
    lines += listed_items(f"{notice.code}: {message_line(notice.message)}" for notice in study.warnings)
    if study.goal is None:
        for metric in study.metrics:
            lines += folded_away(f"Goal {metric.full_name}", _of_goal(study, metric.full_name))
    return "\n".join(lines).rstrip() + "\n"


def _matrix(study: OwnStudy, field: str) -> list[str]:
    rows = []
    for goal in study.usual:
        cells = [with_interval(study.choice(goal, name), field) for name in study.usual]
        rows.append([goal, *(f"{value} ({interval})" if interval else value for value, interval in cells)])
    return table(["", *study.usual], rows)


def _of_goal(study: OwnStudy, goal: str) -> list[str]:
    interval = f"{level(study.alpha)} interval"
    heads = ["right", interval, f"cost on {study.called(goal)}", interval, "regret", interval, "same", "p"]
    rows = []
    for one in study.for_goal(goal):
        cost = number(one.cost), f"{number(one.cost_low)} to {number(one.cost_high)}"
        same = "–" if one.same_outcome is None else f"{one.same_outcome:.2f}"
        p = "" if one.p_adjusted is None else short_p(one.p_adjusted)
        cells = [*with_interval(one, "right"), *cost, *with_interval(one, "regret"), same, p]
        rows.append([one.evaluation, *cells])
    return table(["chosen by", *heads], rows)

"""A study of the user's own data as Markdown: the sentence in sight, then the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.markdown import escaped, folded_away, listed_items, table_row
from referee.report.own_study import described, explained
from referee.report.selection import level
from referee.wording import message_line, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.study.own_study import OwnStudy


def to_markdown(study: OwnStudy) -> str:
    """Everything that was found; goals that were not asked for are folded away."""
    lines = [f"**{escaped(study.sentence)}**", "", escaped(described(study)), ""]
    if study.goal is None:
        lines += ["Regret: 0 is perfect, 1 a coin flip; goal down, chosen by across", "", *_matrix(study, "regret")]
        lines += ["", "How often the right model is chosen", "", *_matrix(study, "right")]
    else:
        lines += _of_goal(study, study.goal)
    lines += listed_items(explained(study))
    lines += listed_items(message_line(note) for note in study.notes)
    lines += listed_items(f"{notice.code}: {message_line(notice.message)}" for notice in study.warnings)
    if study.goal is None:
        for metric in study.metrics:
            lines += folded_away(f"Goal {escaped(metric.full_name)}", _of_goal(study, metric.full_name))
    return "\n".join(lines).rstrip() + "\n"


def _matrix(study: OwnStudy, field: str) -> Iterator[str]:
    names = study.usual
    yield table_row(["", *names])
    yield "|---|" + "--:|" * len(names)
    for goal in names:
        values = [getattr(study.choice(goal, name), field) for name in names]
        yield table_row([goal, *("–" if value is None else f"{value:.2f}" for value in values)])


def _of_goal(study: OwnStudy, goal: str) -> Iterator[str]:
    yield table_row(["chosen by", "right", f"cost on {goal}", f"{level(study.alpha)} interval", "regret", "same", "p"])
    yield "|---|" + "--:|" * 6
    for one in study.for_goal(goal):
        shares = ["–" if value is None else f"{value:.2f}" for value in (one.right, one.regret, one.same_outcome)]
        interval = f"{number(one.cost_low)} to {number(one.cost_high)}"
        p = "" if one.p_adjusted is None else f"{one.p_adjusted:.3f}"
        yield table_row([one.evaluation, shares[0], number(one.cost), interval, *shares[1:], p])

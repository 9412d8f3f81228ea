"""Things to check first: models that failed, what the goal does not see, and every warning."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.document import few_of_each
from referee.page.sections.each_metric import is_main
from referee.page.shell import rendered
from referee.wording import counted, message_line, named, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from referee.comparing import OtherGoal
    from referee.page.subject import Subject

MOST_AT_ONCE = 4
MOST_WINNERS = 2


class Check(NamedTuple):
    """Something that a careful reader would look at."""

    word: str
    text: str
    code: str = ""
    look: str = ""


def things_to_check(subject: Subject) -> Markup:
    """A list of remarks; nothing where there are none."""
    checks = [*_failures(subject), *_other_winners(subject), *_miscalibrated(subject), *_warnings(subject)]
    return rendered("section/things_to_check.html", first=checks[:MOST_AT_ONCE], rest=checks[MOST_AT_ONCE:])


def _failures(subject: Subject) -> Iterator[Check]:
    selection = subject.verdict.selection if subject.verdict else None
    for error in selection.failures if selection else ():
        yield Check("Failed", f"{message_line(error.message)}. It has no part in the verdict.", error.code, "bad")


def _other_winners(subject: Subject) -> Iterator[Check]:
    """Whether the goal decides the winner: then it should be the right one."""
    if subject.verdict is None:
        return
    verdict = subject.verdict
    goal = verdict.goal
    usual = {metric.full_name for metric in verdict.scores.metrics if is_main(metric) or metric.name == goal.name}
    others = [
        other for other in verdict.other_goals if other.best != verdict.best and other.wins and other.metric in usual
    ]
    if not others:
        return
    winners = list(dict.fromkeys(other.best for other in others))
    said = [_wins(subject, name, [other for other in others if other.best == name]) for name in winners[:MOST_WINNERS]]
    if (left := len(winners) - MOST_WINNERS) > 0:
        said.append(f"On others, {counted(left, 'more model')} {'does' if left == 1 else 'do'} so.")
    said.append(f"You named {goal.shown_name} as the goal, so it is {goal.shown_name} that counts.")
    yield Check("The metric decides", " ".join(said))


def _wins(subject: Subject, name: str, metrics: Sequence[OtherGoal]) -> str:
    """Where another model is significantly better than every other one, and what taking it would cost."""
    assert subject.verdict is not None
    where = named([goal.metric for goal in metrics])
    cost = metrics[0].cost
    worse = f"; on {subject.verdict.goal.shown_name} it is worse by {number(cost)}" if cost else ""
    return f"On {where}, {subject.labels[name]} is significantly better than every other model{worse}."


def _miscalibrated(subject: Subject) -> Iterator[Check]:
    """Whether the best model's scores can be read as risks."""
    for panel in subject.calibrated:
        if subject.verdict is not None and panel.name == subject.verdict.best and panel.helps:
            label = subject.labels[panel.name]
            yield Check(
                "Recalibrate", f"{label} gives probabilities that can be improved: {panel.gain}. See Calibration."
            )


def _warnings(subject: Subject) -> Iterator[Check]:
    notices = subject.verdict.warnings if subject.verdict else subject.scores.notices
    for notice in few_of_each(notices):
        text = message_line(notice.message)
        yield Check("Look", text if text.endswith(".") else f"{text}.", notice.code)

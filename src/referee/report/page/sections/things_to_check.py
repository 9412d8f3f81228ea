"""Things to check first: models that failed, what the goal does not see, and every warning."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.report.page.document import rendered
from referee.report.page.sections.calibration import panels_of
from referee.wording import counted, message_line, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from referee.report.page.subject import Subject

MOST_AT_ONCE = 4


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
    others = [one for one in subject.verdict.other_goals if one.best != subject.verdict.best and one.wins]
    if not others:
        return
    names = list(dict.fromkeys(subject.labels[one.best] for one in others))
    metrics = ", ".join(one.metric for one in others[:3]) + (" and others" if len(others) > 3 else "")
    who = f"{names[0]} wins" if len(names) == 1 else f"{counted(len(names), 'other model')} win"
    dearest = max(others, key=lambda one: one.cost)
    goal = subject.verdict.goal.full_name
    yield Check(
        "The metric decides",
        f"{who} on {metrics}. You named {goal} as the goal, so it is {goal} that counts; selecting by {dearest.metric} "
        f"would cost {number(dearest.cost)} on it.",
    )


def _miscalibrated(subject: Subject) -> Iterator[Check]:
    """Whether the best model's scores can be read as risks."""
    for panel in panels_of(subject):
        if subject.verdict is not None and panel.name == subject.verdict.best and panel.helps:
            label = subject.labels[panel.name]
            yield Check(
                "Recalibrate", f"{label} gives probabilities that can be improved: {panel.gain}. See Calibration."
            )


def _warnings(subject: Subject) -> Iterator[Check]:
    notices = subject.verdict.warnings if subject.verdict else subject.scores.notices
    for notice in notices:
        text = message_line(notice.message)
        yield Check("Look", text if text.endswith(".") else f"{text}.", notice.code)

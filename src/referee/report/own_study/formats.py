"""A study of the user's own data in the four formats."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee.report.writing import write_failures, write_json, write_notices, write_rows
from referee.wording import counted, message_line

if TYPE_CHECKING:
    from referee.paper import Choice, OwnStudy


def show_own_study(study: OwnStudy, form: str, *, quiet: bool = False) -> None:
    """Write the study to standard output, and failed models to standard error."""
    if form == "json":
        write_json("study", study.to_dict())
    elif form == "csv":
        write_choices(study)
    elif form == "md":
        from referee.report.own_study.markdown import to_markdown

        sys.stdout.write(to_markdown(study))
    else:
        from referee.report.own_study.screen import print_own_study  # rich is for the screen only

        print_own_study(study, quiet=quiet)
    write_failures(study.failures)


def write_choices(study: OwnStudy) -> None:
    """One line for each goal and evaluation metric; the sentence goes to standard error."""
    rows = [choice.to_dict() for choice in study.choices]
    write_rows(list(rows[0]), rows)
    write_notices(study.warnings)
    sys.stderr.write(message_line(study.sentence) + "\n")


def described(study: OwnStudy) -> str:
    """What was done, in a line."""
    sizes = study.sizes
    return (
        f"{counted(study.rows, 'row')}, {study.task} target {study.target!r}; "
        f"{counted(study.repetitions, 'repetition')} of {sizes['train']:,} rows to train on, {sizes['holdout']:,} to "
        f"choose on (holdout) and {sizes['test']:,} to see who is best (test)"
    )


def explained(study: OwnStudy) -> list[str]:
    """What the numbers mean, and what they do not."""
    lines = [
        "right: how often the model chosen on the holdout part is the best by the goal on the test part; a random "
        f"choice is right in {100 / len(study.models):.0f} %, more where models are equal",
        "cost: what the goal loses by that choice, on average; regret: the same as a share of what a random choice "
        "would lose, 0 is perfect and 1 a coin flip; chance on the test part adds to all costs alike, so compare them "
        "with each other",
        f"intervals: of right (at most {_widest(study, 'right')}) for more repetitions on the same data; of regret (at "
        f"most {_widest(study, 'regret')}) and cost for other data of this kind: repetitions share rows, so they are "
        "widened (Nadeau and Bengio), mostly by more than is needed",
    ]
    if study.subsets is None:
        return [*lines, "the parts are too small for the paper's significance test: 5 subsets of 20 rows each"]
    return [
        *lines,
        f"same: how often a t-test on {study.subsets} subsets finds the same winner or tie of two models by the goal "
        "(test part) and by the other metric (holdout part), as in the paper",
    ]


def chance_explained(study: OwnStudy) -> str:
    """What p is, and for how many metrics it is adjusted."""
    which = "the metrics that were named" if study.named else "the usual metrics"
    return (
        "p: whether it costs something else than choosing by the goal itself, adjusted (Holm) for those of "
        f"{which} that choose differently; the others have none"
    )


def with_interval(one: Choice, field: str) -> tuple[str, str]:
    """How often a choice is right, or its regret, and the interval.

    >>> from referee.paper import Choice
    >>> with_interval(Choice("accuracy", "roc_auc", 9, right=0.5, right_low=0.25, right_high=0.75), "right")
    ('0.50', '0.25 to 0.75')
    """
    value, low, high = (getattr(one, name) for name in (field, f"{field}_low", f"{field}_high"))
    return ("–", "") if value is None else (f"{value:.2f}", f"{low:.2f} to {high:.2f}")


def _widest(study: OwnStudy, field: str) -> str:
    """The largest half of the intervals in sight."""
    goals = study.usual if study.goal is None else (study.goal,)
    halves = [
        max(high - value, value - low)
        for one in study.choices
        if one.goal in goals and one.evaluation in (*study.usual, *goals)
        for value, low, high in [(getattr(one, field), getattr(one, f"{field}_low"), getattr(one, f"{field}_high"))]
        if value is not None
    ]
    return f"±{max(halves):.2f}" if halves else "–"

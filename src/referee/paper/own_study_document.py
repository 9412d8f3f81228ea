"""What is shown of a study of the user's own data: one goal in detail, or all goals as matrices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from referee.advice import safe_part
from referee.document import (
    Cell,
    Column,
    Document,
    Lines,
    Part,
    Table,
    counted,
    interval_cell,
    level,
    name_cell,
    number_cell,
    table,
)
from referee.paper.own_contest import BETWEEN, FEWEST_DIFFERENT, demands
from referee.paper.study_tables import shade

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from referee.paper.own_study import Choice, OwnStudy

MATRICES = {
    "right": "How often the best model is chosen",
    "regret": "Regret: 0 is a perfect choice, 1 a random one",
}
COLOURS = {"right": "heat", "regret": "burn"}
LONGEST_NAME, LONGEST_METRIC = 17, 24


def own_study_document(study: OwnStudy, *, whole: bool = False) -> Document:
    """The goal that was named, else all goals side by side; `whole` has each of these in full, too."""
    parts = [_goal_part(study, study.goal)] if study.goal is not None else [*_matrices(study), *_open_goal(study)]
    parts += [_best(study), Part("How to read this", (Lines(tuple(_explained(study))),))]
    if whole and study.goal is None:
        parts += [replace(_goal_part(study, metric.full_name), folded=True) for metric in study.metrics]
    return Document(
        "study",
        study.sentence,
        tuple(parts),
        about=_described(study),
        notes=study.notes,
        notices=study.warnings,
        tone="good",
    )


def _described(study: OwnStudy) -> str:
    """What was done, in a line."""
    sizes = study.sizes
    return (
        f"{counted(study.rows, 'row')}, {study.task} target {study.target!r}; "
        f"{counted(study.repetitions, 'repetition')} with {sizes['train']:,} rows to train on, {sizes['holdout']:,} to "
        f"choose on (holdout) and {sizes['test']:,} to judge the choice (test)"
    )


def _goal_part(study: OwnStudy, goal: str) -> Part:
    """All evaluation metrics for one goal, the cheapest first; an interval beside each number where there is room."""
    choices = study.for_goal(goal)
    columns = ["chosen by", "right", "cost", "regret", "same", "gain"]
    wide = table(f"goal-{goal}", columns, [_choice(study, choice) for choice in choices], sortable=True)
    columns.append("80% interval")
    narrow = table(f"goal-{goal}", columns, [_choice_in_short(study, choice) for choice in choices])
    title = f"Goal {study.called(goal)}: what choosing by each metric costs"
    said = f"[low, high]  the {level(study.alpha)} interval; of the gain, the 80% interval", _about_gain(study)
    narrow = replace(narrow, longest_name=LONGEST_METRIC, remarks=said[1:])
    return Part(title, (replace(wide, longest_name=LONGEST_METRIC, remarks=said, narrower=(narrow,)),))


def _about_gain(study: OwnStudy) -> str:
    probability, gain = demands(study.fewest_rows)
    return (
        "gain: what choosing by this metric saves compared with choosing by the goal, as a share of the cost of a "
        f"random choice; bold if it is clearly better: at least {gain:g}, above 0 with a probability of more than "
        f"{probability:g}, and another choice in at least {FEWEST_DIFFERENT} repetitions"
    )


def _choice(study: OwnStudy, choice: Choice) -> list[Cell]:
    cost = number_cell(choice.cost, small=interval_cell(choice.cost_low, choice.cost_high).text)
    return [_chosen_by(study, choice), _share(choice, "right"), cost, _share(choice, "regret"), *_same_and_gain(choice)]


def _choice_in_short(study: OwnStudy, choice: Choice) -> list[Cell]:
    """With the interval of the gain alone."""
    right, regret = (replace(_share(choice, field), small="") for field in ("right", "regret"))
    same, gain = _same_and_gain(choice)
    interval = Cell(gain.small)
    return [_chosen_by(study, choice), right, number_cell(choice.cost), regret, same, replace(gain, small=""), interval]


def _chosen_by(study: OwnStudy, choice: Choice) -> Cell:
    return name_cell(study.called(choice.evaluation), "best" if choice.evaluation == choice.goal else "")


def _same_and_gain(choice: Choice) -> tuple[Cell, Cell]:
    same = Cell("–" if choice.same_outcome is None else f"{choice.same_outcome:.2f}", choice.same_outcome)
    gain = choice.gain
    if gain is None:
        return same, Cell("")
    interval = f"[{gain.low:.2f}, {gain.high:.2f}]"
    return same, Cell(f"{gain.value:.2f}", gain.value, "best" if gain.is_sure else "", interval)


def _share(choice: Choice, field: str, mark: str = "") -> Cell:
    text, interval = with_interval(choice, field)
    return Cell(text, getattr(choice, field), mark, interval)


def with_interval(choice: Choice, field: str) -> tuple[str, str]:
    """How often a choice is right, or its regret, and the interval.

    >>> from referee.paper.own_study import Choice
    >>> with_interval(Choice("accuracy", "roc_auc", 9, right=0.5, right_low=0.25, right_high=0.75), "right")
    ('0.50', '[0.25, 0.75]')
    """
    value, low, high = (getattr(choice, name) for name in (field, f"{field}_low", f"{field}_high"))
    return ("–", "") if value is None else (f"{value:.2f}", f"[{low:.2f}, {high:.2f}]")


def _matrices(study: OwnStudy) -> Iterator[Part]:
    """Goals down, evaluation metrics across; a star at the best of each goal."""
    hidden = len(study.metrics) - len(study.usual)
    more = f"{hidden} more metrics: --goal METRIC shows one goal in full, --metrics selects some, --all shows all"
    for field, title in MATRICES.items():
        shown = _matrix(study, field)
        more_of_last = more if hidden and field == [*MATRICES][-1] else ""
        yield Part(f"{title} (rows: the goal, columns: the metric to choose by)", (_with_more(shown, more_of_last),))


def _with_more(shown: Table, more: str) -> Table:
    return replace(shown, more=more, narrower=tuple(replace(form, more=more) for form in shown.narrower))


def _matrix(study: OwnStudy, field: str) -> Table:
    rows = [[name_cell(study.called(goal)), *_of_goal(study, goal, field)] for goal in study.usual]
    columns = [Column("", words=True), *(Column(study.called(name), is_name=True) for name in study.usual)]
    starred = [[row[0], *(replace(cell, small="*" if cell.is_bold else "") for cell in row[1:])] for row in rows]
    few = table(field, columns, starred, remarks=("* the best for this goal",), longest_name=LONGEST_NAME)
    return table(field, columns, rows, narrower=(few,), longest_name=LONGEST_NAME)


def _of_goal(study: OwnStudy, goal: str, field: str) -> Iterator[Cell]:
    choices = [study.choice(goal, name) for name in study.usual]
    known = [value for choice in choices if (value := getattr(choice, field)) is not None]
    best = (max if field == "right" else min)(known, default=None)
    for choice in choices:
        value = getattr(choice, field)
        yield _share(choice, field, "" if value is None else shade(COLOURS[field], value, best=value == best))


def _open_goal(study: OwnStudy) -> Iterator[Part]:
    """What to choose by as long as nobody knows the goal."""
    if study.safe:
        weights = ", ".join(f"{study.called(goal)} {weight:g}" for goal, weight in study.goals.items())
        yield safe_part(study.safe, f"goals and their weights: {weights}")


def _best(study: OwnStudy) -> Part:
    """Which model is the best on the test part, and how often."""
    goals: Iterable[str] = [study.goal] if study.goal is not None else study.usual
    rows = [
        [
            name_cell(study.called(goal)),
            *(Cell(f"{share:.2f}", share, shade("heat", share)) for share in study.best[goal].values()),
        ]
        for goal in goals
    ]
    columns = [Column("", words=True), *(Column(name, is_name=True) for name in study.models)]
    title = "How often each model is the best on the test part"
    return Part(title, (table("best", columns, rows, longest_name=LONGEST_NAME),))


def _explained(study: OwnStudy) -> list[str]:
    """What the numbers mean, and what they do not."""
    lines = [
        "right: how often the model chosen on the holdout part is also the best one on the test part; a random choice "
        f"is right {100 / len(study.models):.0f}% of the time, or more often if models are equally good",
        "cost: by how much the chosen model is behind the best one on the test part, in the goal, on average",
        "regret: the cost divided by that of a random choice. The test part is a sample, too, which adds to all costs "
        "alike: compare them with each other, not with 0",
        "all models are fitted once in each repetition; the other rows are divided into holdout and test part "
        f"{counted(study.deals, 'time')}",
        f"intervals: those of cost, regret (at most {_widest(study, 'regret')}) and gain are for other data of this "
        f"kind: repetitions share rows, so {BETWEEN:.0%} of the variance between them is assumed to remain, however "
        f"many there are. That of right (at most {_widest(study, 'right')}) is for more repetitions on the same data",
    ]
    if study.subsets is None:
        return [*lines, "same: left out, because the parts are too small for the paper's test: 5 subsets of 20 rows"]
    return [
        *lines,
        f"same: how often a t-test on {study.subsets} subsets gives the same answer about two models (which one is "
        "better, or a tie) by this metric on the holdout part and by the goal on the test part, as in the paper; in "
        "the first division only",
    ]


def _widest(study: OwnStudy, field: str) -> str:
    """The largest half of the intervals in sight."""
    goals = study.usual if study.goal is None else (study.goal,)
    halves = [
        max(high - value, value - low)
        for choice in study.choices
        if choice.goal in goals and choice.evaluation in (*study.usual, *goals)
        for value, low, high in [(getattr(choice, f"{field}{end}") for end in ("", "_low", "_high"))]
        if value is not None
    ]
    return f"±{max(halves):.2f}" if halves else "–"

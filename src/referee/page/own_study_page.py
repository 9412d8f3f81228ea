"""A study of the user's own data as a page: the sentence, then what choosing by each metric is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import Cell, element, number_cell
from referee.page.card import opening_card, plain_card
from referee.page.sections.reproducing import reproduction
from referee.page.shell import Section, page, table
from referee.page.study_page import depth
from referee.report.own_study.formats import chance_explained, described, explained, with_interval
from referee.wording import as_sentence, level, short_p

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from referee.paper import Choice, OwnStudy

QUESTION = "By which metric should a model be chosen?"
MATRICES = {
    "regret": ("Regret", "What a choice costs on the goal, as a share of a random choice's: 0 is perfect, 1 a coin."),
    "right": ("The right model", "How often the model chosen on the holdout part is the best on the test part."),
}


def own_study_page(study: OwnStudy, *, command: str = "") -> str:
    """The whole as one self-contained HTML file; the same study gives the same bytes."""
    goals = [metric.full_name for metric in study.metrics] if study.goal is None else [study.goal]
    sections = [
        *([_matrix(study, field) for field in MATRICES] if study.goal is None else []),
        _goals(study, goals),
        _best(study, goals),
        _reading(study),
        _reproducing(study, command),
    ]
    return page(QUESTION, sections, opening=_opening(study))


def _opening(study: OwnStudy) -> Markup:
    remarks = [*study.notes, *(f"{notice.code}: {notice.message}" for notice in study.warnings)]
    return opening_card(
        "The study on your data", QUESTION, study.sentence, described(study), remarks=map(as_sentence, remarks)
    )


def _matrix(study: OwnStudy, field: str) -> Section:
    title, lead = MATRICES[field]
    rows = [
        [Cell(goal), *(_share(study.choice(goal, name), field, coloured=True) for name in study.usual)]
        for goal in study.usual
    ]
    body = table(f"{title}: goal down, chosen by across", ["Goal", *study.usual], rows, name=field)
    return Section(field, f"{title}: goal down, chosen by across", plain_card(body), lead, title)


def _share(one: Choice, field: str, *, coloured: bool = False) -> Cell:
    text, interval = with_interval(one, field)
    value = getattr(one, field)
    colour = {"regret": "burn", "right": "heat"}[field]
    mark = f"{colour}{depth(value)}" if coloured and value is not None else ""
    return Cell(text, value, mark, interval)


def _goals(study: OwnStudy, goals: list[str]) -> Section:
    shown = [(goal, _of_goal(study, goal)) for goal in goals]
    if len(goals) == 1:
        body = plain_card(*(found for _, found in shown))
    else:
        body = plain_card(*(element("details", element("summary", f"Goal {goal}"), found) for goal, found in shown))
    lead = f"The cheapest first, with {level(study.alpha)} intervals; {chance_explained(study)}."
    return Section("goals", "What choosing by each metric would have cost", body, lead, "Costs")


def _of_goal(study: OwnStudy, goal: str) -> Markup:
    name = study.called(goal)
    columns = ["Chosen by", "right", f"cost on {name}", "regret", "same", "p"]
    rows = [
        [
            Cell(one.evaluation, mark="best" if one.evaluation == goal else ""),
            _share(one, "right"),
            number_cell(one.cost, small=_cost_interval(one)),
            _share(one, "regret"),
            number_cell(one.same_outcome),
            Cell("" if one.p_adjusted is None else short_p(one.p_adjusted), one.p_adjusted),
        ]
        for one in study.for_goal(goal)
    ]
    return table(f"Goal {name}", columns, rows, name=f"goal-{goal}", sortable=True)


def _cost_interval(one: Choice) -> str:
    low, high = (number_cell(value).text for value in (one.cost_low, one.cost_high))
    return f"{low} to {high}"


def _best(study: OwnStudy, goals: list[str]) -> Section:
    rows = [[Cell(study.called(goal)), *_shares(study, goal)] for goal in goals]
    body = table("Share of repetitions: goal down, model across", ["Goal", *study.models], rows, name="best")
    return Section("best", "Who is best on the test part", plain_card(body), "The share of repetitions.", "Best models")


def _shares(study: OwnStudy, goal: str) -> Iterator[Cell]:
    for share in study.best[goal].values():
        yield Cell(f"{share:.2f}", share, f"heat{depth(share)}")


def _reading(study: OwnStudy) -> Section:
    lines = [element("p", as_sentence(line), class_="remark") for line in explained(study)]
    return Section("reading", "How to read it", plain_card(*lines), short="How to read it")


def _reproducing(study: OwnStudy, command: str) -> Section:
    facts = [
        ("Seed", str(study.seed)),
        ("Scheme", study.scheme),
        ("Fingerprint of the data", study.fingerprint),
        ("Models", ", ".join(study.models)),
    ]
    return reproduction(command, facts)

"""The goal metric as a forest plot: every model's value with its interval, or with the values of its units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.comparing import MARKS, Verdict, of_ranks
from referee.document import Cell, Column, level, number, number_cell
from referee.page.sections.forest import Row, forest
from referee.page.shell import Section, figure, rendered, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

    from referee.page.subject import Subject


MOST_UNITS = 200


def goal_section(
    subject: Subject, verdict: Verdict, *, roles: Mapping[str, str] | None = None, above: Markup | str = ""
) -> Section:
    """The models' values; `roles` are what the models are where that is another question than who is the best."""
    standing = roles or {name: _standing(subject, verdict, name) for name in subject.names}
    rows = [forest_row(subject, verdict, name, standing[name]) for name in subject.shown]
    guessed = next((score.value for score in verdict.scores.baseline if score.metric == verdict.goal.full_name), None)
    drawing = forest(rows, {} if guessed is None else {"guessing": guessed}, f"{verdict.goal.shown_name} of each model")
    goal = verdict.goal
    title = f"{goal.title if goal.shown_name == goal.full_name else goal.shown_name}, {goal.better} is better"
    body = rendered(
        "section/goal.html",
        above=above,
        figure=figure(drawing, name="goal", title=title),
        behind=_values_table(subject, verdict, standing),
        left=len(subject.names) - len(subject.shown),
        question=verdict.goal.question,
        blind_to=verdict.goal.blind_to,
    )
    return Section("goal", f"Goal: {verdict.goal_name}", body, _lead(verdict, rows), short="Goal")


def _lead(verdict: Verdict, rows: Sequence[Row]) -> str:
    if any(row.units for row in rows):
        moved = " on their test rows alone" if verdict.design.mixes_training else ""
        return (
            f"Large marks are {verdict.design.value_names}, small ones the {verdict.design.unit}s{moved}. "
            "Their scatter is not a test: every model saw the same ones, and the differences are tested separately."
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
    where = " on average" if of_ranks(verdict) else ""
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

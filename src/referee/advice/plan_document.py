"""What is shown of a plan: its answer, the power of several numbers of rows, and what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import Cell, Document, Part, counted, level, number, number_cell, remarks, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.advice.plans import Plan, PlanPoint


def plan_document(plan: Plan) -> Document:
    return Document(
        "plan",
        plan.sentence,
        (_curve(plan), Part("What the plan rests on", (remarks(*_rests_on(plan)),))),
        about=plan.basis.said,
        notices=plan.warnings,
    )


def share(power: float) -> str:
    """A power as people say it.

    >>> share(0.8), share(0.9996), share(0.004)
    ('80%', '> 99.9%', '0.4%')
    """
    return "> 99.9%" if power > 0.999 else f"{100 * power:.1f}".removesuffix(".0") + "%"


def sentence(plan: Plan) -> str:
    return " ".join([*_needed(plan), *_given(plan)])


def _needed(plan: Plan) -> Iterator[str]:
    """How many units, where a margin was given."""
    if plan.margin is None:
        return
    if plan.units is None:
        because = f": {plan.basis.limit}" if plan.basis.limit else ""
        reach = f" The smallest that any number finds is {number(plan.smallest_difference)}." if not plan.given else ""
        yield f"No number of {plan.unit}s finds {_aim(plan)} with {share(plan.power)} power{because}.{reach}"
        return
    about = "At most" if plan.basis.at_most else "About"
    verb = ("find" if plan.claim == "better" else "show") + ("s" if plan.units == 1 else "")
    yield f"{about} {in_units(plan, plan.units)} {verb} {_aim(plan)} with {share(plan.power)} power."
    if plan.low is not None:
        ends = f"{plan.low:,} or more" if plan.high is None else f"{plan.low:,} to {plan.high:,}"
        seen = counted(round(plan.basis.precision.units), plan.unit)
        yield f"The pilot of {seen} leaves {ends} possible ({level(plan.alpha)} interval)."


def _aim(plan: Plan) -> str:
    """What is to be shown."""
    goal, margin = plan.goal.shown_name, f"{plan.margin:g}"
    if plan.claim == "better":
        return f"a true difference of {margin} in {goal} {plan.basis.between}"
    return f"that an equally good candidate is not worse by {margin} in {goal}"


def in_units(plan: Plan, units: int) -> str:
    rows = plan.basis.rows(units)
    counts = counted(units, plan.unit)
    return counts if rows in (None, units) else f"{counts} ({rows:,} rows)"


def _given(plan: Plan) -> Iterator[str]:
    """What the units that were asked about can do."""
    if plan.given is None:
        return
    if plan.power_of_given is not None:
        have = "has" if plan.given == 1 else "have"
        yield f"{in_units(plan, plan.given)} {have} {share(plan.power_of_given)} power."
    goal, reach = plan.goal.shown_name, number(plan.smallest_difference)
    if plan.claim == "better":
        yield f"The smallest true difference in {goal} that {in_units(plan, plan.given)} find with"
        yield f"{share(plan.power)} power is {reach}."
    else:
        yield f"With {in_units(plan, plan.given)}, an equally good candidate passes a margin of {reach} in {goal} with"
        yield f"{share(plan.power)} power."


def _curve(plan: Plan) -> Part:
    title = f"{plan.unit.capitalize()}s and what they can show"
    heads = [f"{plan.unit}s", *(["rows"] if _has_rows(plan) else [])]
    heads += [f"power for {plan.margin:g}"] if plan.margin is not None else []
    sought = f"{'difference' if plan.claim == 'better' else 'margin'} at {share(plan.power)} power"
    return Part(title, (table("power", [*heads, sought], [_row(plan, point) for point in plan.curve]),), asked=True)


def _has_rows(plan: Plan) -> bool:
    return any(point.rows not in (None, point.units) for point in plan.curve)


def _row(plan: Plan, point: PlanPoint) -> list[Cell | str]:
    mark = "best" if point.units == plan.units else ""
    cells: list[Cell | str] = [Cell(f"{point.units:,}", point.units, mark)]
    if _has_rows(plan):
        cells.append(Cell("" if point.rows is None else f"{point.rows:,}", point.rows))
    if point.power is not None:
        cells.append(Cell(share(point.power), point.power, mark))
    return [*cells, number_cell(point.smallest_difference)]


def _rests_on(plan: Plan) -> Iterator[str]:
    basis, precision = plan.basis, plan.basis.precision
    if basis.kind == "pilot":
        error = number(precision.standard_error(precision.units))
        correlation = "" if basis.correlation is None else f"; correlation of the two {number(basis.correlation, 2)}"
        yield f"standard error of the difference {error}{correlation}"
    test = "two-sided test" if plan.claim == "better" else "one-sided test"
    alike = " and follow each other in the same way" if precision.in_time is not None else ""
    yield (
        f"{test} at alpha {plan.alpha:g}; further {plan.unit}s are like these{alike}"
        if basis.kind == "pilot"
        else (f"{test} at alpha {plan.alpha:g}; rows are independent of each other")
    )

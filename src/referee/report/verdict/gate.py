"""What the gate says, in the four formats."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee.report.verdict.formats import write_comparisons
from referee.report.writing import write_json, write_notices
from referee.wording import distinct_names, level, message_line, number

if TYPE_CHECKING:
    from rich.console import Console

    from referee.comparing import Gate


COLOURS = {"pass": "bold green", "fail": "bold red", "inconclusive": "bold yellow"}


def show_gate(gate: Gate, form: str, *, quiet: bool) -> None:
    """Write the gate's answer to standard output."""
    if form == "json":
        write_json("gate", gate.to_dict())
    elif form == "csv":
        write_comparisons(gate.verdict)
    elif form == "md":
        sys.stdout.write(_markdown(gate))
    elif form == "latex":
        from referee.report.latex import gate_to_latex

        sys.stdout.write(gate_to_latex(gate))
        write_notices(gate.verdict.warnings)
    else:
        _print(gate, quiet=quiet)


def deciding_interval(gate: Gate) -> str:
    """The interval of the difference that decides; nothing where there is none."""
    held = gate.held
    if held is None:
        return ""
    return f"{level(2 * gate.verdict.alpha)} interval {number(held.low)} to {number(held.high)}"


def _facts(gate: Gate) -> str:
    interval = f" ({said})" if (said := deciding_interval(gate)) else ""
    difference = number(gate.comparison.difference)
    return f"candidate minus production: {difference}{interval}; margin {number(gate.margin)}"


def _roles(gate: Gate) -> dict[str, str]:
    return {gate.candidate: "candidate", gate.production: "production"}


def _markdown(gate: Gate) -> str:
    """A short summary for a pull request."""
    from referee.report.markdown import escaped, listed_items, table_row
    from referee.report.selection.words import rows_in_words

    verdict = gate.verdict
    rows = [table_row([name, role, number(verdict.values[name])]) for name, role in _roles(gate).items()]
    table = [table_row(["model", "role", verdict.goal_name]), "|---|---|--:|", *rows]
    notices = listed_items(f"{notice.code}: {message_line(notice.message)}" for notice in verdict.warnings)
    facts = escaped(f"{_facts(gate)}; {rows_in_words(verdict)}")
    return "\n".join([f"**{escaped(gate.sentence)}**", "", *table, "", facts, *notices]) + "\n"


def _print(gate: Gate, *, quiet: bool) -> None:
    """The answer first and last, and between them what it rests on."""
    from referee.report.scores.shown import described
    from referee.report.selection.words import rows_in_words
    from referee.report.terminal.console import print_wrapped, screen
    from referee.report.terminal.notices import print_notices
    from referee.report.verdict.screen import print_reasons

    console, verdict = screen(), gate.verdict
    if not quiet:
        print_wrapped(console, f"{rows_in_words(verdict)}, {described(verdict.predictions)}", "dim")
        print_wrapped(console, gate.sentence, "bold")
        _print_models(console, gate)
        print_reasons(console, verdict)
    print_notices(console, verdict.warnings, quiet=quiet)
    if not quiet:
        console.print()
    print_wrapped(console, gate.sentence, COLOURS[gate.outcome])


def _print_models(console: Console, gate: Gate) -> None:
    from referee.report.terminal.console import plain, print_dim, print_title, print_whole, table_of
    from referee.report.verdict.screen import LONGEST_NAME

    verdict, roles = gate.verdict, _roles(gate)
    names = distinct_names(roles, LONGEST_NAME)
    print_title(console, f"{verdict.goal_name}, {verdict.goal.better} is better")
    table = table_of("", verdict.design.value_name if verdict.by_units else "value", "")
    for name, role in roles.items():
        table.add_row(*map(plain, (f"  {names[name]}", number(verdict.values[name]), role)))
    print_whole(console, table)
    print_dim(console, [_facts(gate)])

"""What the gate says, in the four formats."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee.report.verdict.formats import write_comparisons
from referee.report.writing import write_json
from referee.wording import message_line, number

if TYPE_CHECKING:
    from referee.verdict import Gate


def show_gate(gate: Gate, form: str, *, quiet: bool) -> None:
    """Write the gate's answer to standard output."""
    if form == "json":
        write_json("gate", gate.to_dict())
    elif form == "csv":
        write_comparisons(gate.verdict)
    elif form == "md":
        sys.stdout.write(_markdown(gate))
    else:
        _print(gate, quiet=quiet)


def _markdown(gate: Gate) -> str:
    """A short summary for a pull request."""
    from referee.report.markdown import escaped

    verdict, found = gate.verdict, gate.comparison
    head = "| model | role | " + escaped(verdict.goal.full_name) + " |\n|---|---|--:|"
    rows = [
        f"| {escaped(name)} | {role} | {number(verdict.values[name])} |"
        for name, role in ((gate.candidate, "candidate"), (gate.production, "production"))
    ]
    facts = f"Difference {number(found.difference)}, margin {number(gate.margin)}, {verdict.predictions.rows:,} rows."
    notices = [f"- {escaped(f'{notice.code}: {message_line(notice.message)}')}" for notice in verdict.warnings]
    lines = [f"**{escaped(gate.sentence)}**", "", head, *rows, "", facts, *([""] if notices else []), *notices]
    return "\n".join(lines) + "\n"


def _print(gate: Gate, *, quiet: bool) -> None:
    from referee.report.terminal.console import print_wrapped, screen
    from referee.report.terminal.notices import print_notices
    from referee.report.verdict.screen import print_reasons

    console = screen()
    if not quiet:
        print_reasons(console, gate.verdict)
        print_notices(console, gate.verdict.warnings)
    print_wrapped(console, gate.sentence, "bold green" if gate.passed else "bold red")

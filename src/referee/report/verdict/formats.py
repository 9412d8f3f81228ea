"""A verdict in all formats."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee.report.writing import write_json, write_notices, write_rows
from referee.wording import message_line

if TYPE_CHECKING:
    from referee.comparing import Verdict


def show_verdict(verdict: Verdict, form: str, *, quiet: bool = False, explain: bool = False) -> None:
    """Write a verdict to standard output."""
    if form == "json":
        more = {"explanation": explained(verdict)} if explain else {}
        write_json("compare", verdict.to_dict() | more)
    elif form == "csv":
        write_comparisons(verdict)
    elif form == "md":
        from referee.report.verdict.markdown import to_markdown

        sys.stdout.write(to_markdown(verdict, explained(verdict) if explain else []))
    elif form == "latex":
        from referee.report.latex import verdict_to_latex

        sys.stdout.write(verdict_to_latex(verdict))
        write_notices(verdict.warnings)
    else:
        from referee.report.verdict.screen import print_verdict  # rich is for the screen only

        print_verdict(verdict, quiet=quiet, explanation=explained(verdict) if explain else [])


def explained(verdict: Verdict) -> list[str]:
    """The comparison of the best model with the next best one, step by step."""
    from referee.report.explanation.steps import explanation

    return explanation(verdict.comparison(verdict.best, verdict.runner_up), verdict.test, verdict.design)


def write_comparisons(verdict: Verdict) -> None:
    """One line per comparison, for people who go on with them elsewhere; the verdict goes to standard error."""
    rows = [found.to_dict() for found in verdict.comparisons]
    names = [name for name in rows[0] if name not in ("details", "warnings")]
    write_rows(names, rows)
    write_notices(verdict.warnings)
    sys.stderr.write(message_line(verdict.sentence) + "\n")

"""What was selected, in the four formats: the verdict, and what else matters."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee.report.verdict.formats import explained, show_verdict
from referee.report.writing import write_failures, write_json

if TYPE_CHECKING:
    from referee.comparing import Verdict


def show_selection(verdict: Verdict, form: str, *, quiet: bool, explain: bool) -> None:
    """Write the verdict with its trade-offs to standard output, and failed models to standard error."""
    if form == "json":
        write_json("select", verdict.to_dict() | ({"explanation": explained(verdict)} if explain else {}))
    else:
        show_verdict(verdict, form, quiet=quiet, explain=explain)
    if form == "md":
        from referee.report.selection.markdown import selection_markdown

        sys.stdout.write(selection_markdown(verdict))
    assert verdict.selection is not None
    write_failures(verdict.selection.failures)

"""A calibration in the four formats."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee.document import write_json, write_notices, write_rows
from referee.wording import counted, message_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.calibration import Calibration


def show_calibration(found: Calibration, form: str, *, quiet: bool, saved: str | None) -> None:
    """Write a calibration to standard output."""
    if form == "json":
        write_json("calibrate", found.to_dict() | {"saved": saved})
    elif form == "csv":
        write_changes(found)
    elif form == "md":
        from referee.report.calibration.markdown import to_markdown

        sys.stdout.write(to_markdown(found, saved))
    else:
        from referee.report.calibration.screen import print_calibration  # rich is for the screen only

        print_calibration(found, quiet=quiet, saved=saved)


def write_changes(found: Calibration) -> None:
    """One line for each metric and method; warnings and the sentence go to standard error."""
    rows = [change.to_dict() for change in found.changes]
    names = [name for name in rows[0] if name not in ("details", "warnings")]
    write_rows(names, rows)
    write_notices(found.notices)
    sys.stderr.write(message_line(found.sentence) + "\n")


def show_applied(form: str, *, rows: int, columns: Sequence[str], output: str) -> None:
    """Say what was written where."""
    if form == "json":
        write_json("calibrate", {"rows": rows, "columns": list(columns), "output": output})
        return
    new = "column" if len(columns) == 1 else "columns"
    sys.stdout.write(message_line(f"{output}: {counted(rows, 'row')}, new {new} {', '.join(columns)}") + "\n")

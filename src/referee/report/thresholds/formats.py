"""Thresholds in the four formats."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee.document import write_json, write_notices, write_rows

if TYPE_CHECKING:
    from referee.thresholds import Thresholds


def show_thresholds(found: Thresholds, form: str, *, quiet: bool) -> None:
    """Write thresholds to standard output."""
    if form == "json":
        write_json("threshold", found.to_dict())
    elif form == "csv":
        _write_csv(found)
        write_notices(found.notices)
    elif form == "md":
        from referee.report.thresholds.markdown import to_markdown

        sys.stdout.write(to_markdown(found))
    else:
        from referee.report.thresholds.screen import print_thresholds  # rich is for the screen only

        print_thresholds(found, quiet=quiet)


def _write_csv(found: Thresholds) -> None:
    """One line per model; warnings and comparisons have no place in it."""
    rows = [
        {name: value for name, value in one.to_dict().items() if name != "limits"} | dict(one.limits)
        for one in found.chosen
    ]
    names = max(rows, key=len)  # limits are known where rows are in memory
    write_rows(list(names), rows)

"""Cells that break the promise in simulations with pages of their own, read from the tables there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = Path(__file__).parents[2] / "docs" / "simulations"
MOST = 7.0
BOLD = re.compile(r"\*\*([\d.]+)\*\*")


def in_time(text: str | None = None) -> Iterator[str]:
    """A table for each number of rows, a column for each metric."""
    rows, metrics = "", []
    for line in (text or (PAGES / "time_tests.md").read_text(encoding="utf-8")).splitlines():
        cells = _cells(line)
        if line.startswith("## "):
            rows, metrics = line.removeprefix("## "), []
        elif cells and not metrics:
            metrics = cells[1:]
        else:
            for metric, cell in zip(metrics, cells[1:], strict=False):
                if found := BOLD.search(cell):
                    yield f"{found[1]}% in time, {rows}, {cells[0]}, {metric}"


def of_procedures(text: str | None = None) -> Iterator[str]:
    """Those that are clean, or fail with verdicts that call themselves approximate."""
    for line in (text or (PAGES / "procedure_tests.md").read_text(encoding="utf-8")).splitlines():
        cells = _cells(line)
        if len(cells) == len(PROCEDURES) and (found := BOLD.search(cells[3])):
            place, metric, clean = cells[0], cells[1], cells[4]
            if clean != "-" and float(clean) > MOST:
                yield f"{found[1]}% with leave_two_groups_out, {place}, {metric}"


PROCEDURES = ("learner", "metric", "sets", "false winners", "clean", "second round", "variance", "covers")


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []

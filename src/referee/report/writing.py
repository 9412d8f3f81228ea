"""What every command writes in the same way: JSON and CSV to standard output, warnings to standard error."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from referee import __version__
from referee.report.notices import few_of_each
from referee.wording import message_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.errors import Notice, RefereeError


NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE)
RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r")


def write_json(command: str, body: dict[str, Any]) -> None:
    """The contract's object; the same input gives the same bytes."""
    sys.stdout.write(json_text({"referee": __version__, "command": command} | body) + "\n")


def json_text(body: object) -> str:
    """JSON as everybody can read it, which knows no infinity."""
    return json.dumps(finite(body), ensure_ascii=False, allow_nan=False)


def finite(value: Any) -> Any:
    """The same with null where a number is infinite or none.

    >>> finite({"critical": float("inf"), "ends": [0.5, float("nan")]})
    {'critical': None, 'ends': [0.5, None]}
    """
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(one) for key, one in value.items()}
    return [finite(one) for one in value] if isinstance(value, list | tuple) else value


def write_rows(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Some columns of rows as CSV, for people who go on with them elsewhere."""
    write_table([names, *([row.get(name) for name in names] for row in rows)])


def write_table(rows: Iterable[Iterable[Any]]) -> None:
    """Rows of cells as CSV: what a program would run, and what a terminal would obey, is written as text."""
    shown = visible if sys.stdout.isatty() else str
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerows([shown(plain_cell(cell)) if isinstance(cell, str) else cell for cell in row] for row in rows)


def plain_cell(text: str) -> str:
    """A text as a spreadsheet shows it, with a quote before what it would take for a formula.

    >>> plain_cell("=1+1"), plain_cell("-0.5"), plain_cell("forest")
    ("'=1+1", '-0.5', 'forest')
    """
    return f"'{text}" if text.startswith(RUN_BY_SPREADSHEETS) and not NUMBER.fullmatch(text) else text


def write_notices(notices: Iterable[Notice]) -> None:
    for notice in few_of_each(notices):
        sys.stderr.write(f"warning[{notice.code}] {message_line(notice.message)}\n")


def write_failures(errors: Iterable[RefereeError]) -> None:
    """What did not stop the others."""
    for error in errors:
        sys.stderr.write(f"error[{error.code}] {message_line(error.message)}\n")

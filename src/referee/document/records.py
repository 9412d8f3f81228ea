"""Results for programs: JSON that everybody can read, and CSV that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from referee import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE)
RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r")


def result_json(command: str, body: dict[str, Any]) -> str:
    """The contract's object; the same input gives the same bytes."""
    return json_text({"referee": __version__, "command": command} | body)


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
        return {key: finite(part) for key, part in value.items()}
    return [finite(part) for part in value] if isinstance(value, list | tuple) else value


def csv_text(records: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> str:
    """Records as CSV, the first of which has all columns; where there is none, the columns that there would be."""
    names = list(records[0]) if records else list(columns)
    return csv_lines([names, *([record.get(name) for name in names] for record in records)])


def csv_lines(rows: Iterable[Iterable[Any]]) -> str:
    """Rows of cells as CSV: what a spreadsheet would run is written as text."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([plain_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return file.getvalue()


def plain_cell(text: str) -> str:
    """A text as a spreadsheet shows it, with a quote before what it would take for a formula.

    >>> plain_cell("=1+1"), plain_cell("-0.5"), plain_cell("forest")
    ("'=1+1", '-0.5', 'forest')
    """
    return f"'{text}" if text.startswith(RUN_BY_SPREADSHEETS) and not NUMBER.fullmatch(text) else text

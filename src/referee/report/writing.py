"""What every command writes in the same way: JSON and CSV to standard output, warnings to standard error."""

from __future__ import annotations

import csv
import json
import sys
from typing import TYPE_CHECKING, Any

from referee import __version__
from referee.report.notices import few_of_each
from referee.wording import message_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from referee.errors import Notice, RefereeError


def write_json(command: str, body: dict[str, Any]) -> None:
    """The contract's object; the same input gives the same bytes."""
    head = {"referee": __version__, "command": command}
    sys.stdout.write(json.dumps(head | body, ensure_ascii=False, allow_nan=False) + "\n")


def write_rows(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Some columns of rows as CSV, for people who go on with them elsewhere."""
    writer = csv.DictWriter(sys.stdout, fieldnames=names, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)


def write_notices(notices: Iterable[Notice]) -> None:
    for notice in few_of_each(notices):
        sys.stderr.write(f"warning[{notice.code}] {message_line(notice.message)}\n")


def write_failures(errors: Iterable[RefereeError]) -> None:
    """What did not stop the others."""
    for error in errors:
        sys.stderr.write(f"error[{error.code}] {message_line(error.message)}\n")

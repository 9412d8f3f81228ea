"""Warnings on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.notices import few_of_each
from referee.report.terminal.console import plain, wrapped
from referee.report.writing import write_notices
from referee.wording import message_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from referee.errors import Notice

WARNING = "warning"


def print_notices(console: Console, notices: Iterable[Notice], *, quiet: bool = False) -> None:
    """After what they are about; to standard error where nothing but the result is wanted on the screen."""
    if quiet:
        write_notices(notices)
        return
    for notice in few_of_each(notices):
        text = f"{WARNING}[{notice.code}] {message_line(notice.message)}"
        first, *more = wrapped(text, console.width, rest="  ")
        line = plain(first)
        line.stylize("yellow bold", 0, len(WARNING))
        console.print(line, soft_wrap=True)
        for part in more:
            console.print(plain(part), soft_wrap=True)

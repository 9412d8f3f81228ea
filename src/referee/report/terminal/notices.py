"""Warnings on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from referee.wording import message_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from referee.errors import Notice


def print_notices(console: Console, notices: Iterable[Notice]) -> None:
    for notice in notices:
        text = Text.assemble(("warning", "yellow bold"), f"[{notice.code}] {message_line(notice.message)}")
        console.print(text, soft_wrap=True)

"""A line on the terminal that says how far the work is; standard output stays as it is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

from referee.wording import one_line

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import Task, TaskID
    from rich.text import Text

LONGEST_REMARK = 60


class Progress:
    """How many of all units are done, how fast, how long still, and a remark; only on a terminal.

    >>> with Progress(10, already=4, quiet=True) as progress:
    ...     progress.advance("tree leads")
    """

    def __init__(self, total: int, *, already: int = 0, quiet: bool = False) -> None:
        """`already` counts units of an earlier run: they are done, but say nothing about the speed."""
        self._line: RichProgress | None = None
        self._task: TaskID | None = None
        if not quiet and sys.stderr is not None and sys.stderr.isatty():
            self._line = _line()
            self._task = self._line.add_task("", total=total, completed=already, remark="")

    @property
    def is_shown(self) -> bool:
        """Whether anybody sees a remark."""
        return self._line is not None

    def advance(self, remark: str | None = None) -> None:
        """One more unit is done; the remark stays until another is given."""
        if self._line is None or self._task is None:
            return
        if remark is not None:
            self._line.update(self._task, remark=one_line(remark, LONGEST_REMARK))
        self._line.advance(self._task)

    def __enter__(self) -> Self:
        if self._line is not None:
            self._line.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._line is not None:
            self._line.stop()


def _line() -> RichProgress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(rate(task.finished_speed or task.speed))

    return RichProgress(
        MofNCompleteColumn(),
        BarColumn(bar_width=24),
        Rate(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[remark]}", markup=False),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def rate(speed: float | None) -> str:
    """Units per second, or seconds per unit where it is slow.

    >>> rate(12.34), rate(0.05), rate(None)
    ('12.3/s', '20.0 s each', '')
    """
    if not speed:
        return ""
    return f"{speed:.1f}/s" if speed >= 1 else f"{1 / speed:.1f} s each"

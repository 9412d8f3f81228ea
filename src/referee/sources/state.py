"""States: summaries of rows, written by `referee summarise`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.errors import UsageError
from referee.predictions import STATE_MAGIC, Source

if TYPE_CHECKING:
    from referee.predictions import ReadOptions, Table


def read_rows(source: str, _data: bytes, _options: ReadOptions, _notes: tuple[str, ...] = ()) -> Table:
    """Refuse: whoever wants rows has none here."""
    raise UsageError(
        "E_STATE",
        f"{source} is a state, which has no rows: this needs them",
        hint="compare, evaluate, gate and summarise take states",
    )


source = Source(
    "State",
    what="The counts and sums that `referee summarise` wrote; states of several days add up.",
    shown="today.state",
    starts=((0, STATE_MAGIC),),
    suffixes=(".state",),
    content=read_rows,
)

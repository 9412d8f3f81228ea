"""What became of a unit that gave no result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Hashable

    Kind = Literal["raised", "timeout", "signal", "exited", "memory", "refused"]


@dataclass(frozen=True)
class Failure:
    """How a unit failed, in the words of what happened; nothing in them is escaped.

    >>> Failure("raised", "ValueError: boom", unit="tree, fold 3").message
    'ValueError: boom'
    """

    kind: Kind
    message: str
    unit: Hashable
    details: str = ""
    """The last lines of the traceback, innermost last, without folders."""

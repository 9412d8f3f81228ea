"""Runs work units in processes that may fail, and keeps what they gave where it cannot be lost.

It knows nothing of models or data: a unit is any small hashable value with a readable `str`.
"""

from __future__ import annotations

from referee.runner.failure import Failure
from referee.runner.pool import run
from referee.runner.progress import Progress
from referee.runner.store import Store

__all__ = ["Failure", "Progress", "Store", "run"]

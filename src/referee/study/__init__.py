"""The paper's experiment: its data, its tables, and the same question asked of any data.

>>> from referee.study import Settings
>>> Settings().repetitions
100
"""

from __future__ import annotations

TYPE_CHECKING = False  # the same as typing's, which takes time to import
if TYPE_CHECKING:
    from typing import Any

    from referee.study.experiment import run
    from referee.study.results import Study
    from referee.study.settings import Settings

__all__ = ["Settings", "Study", "run"]

_HOME = {"Settings": "settings", "Study": "results", "run": "experiment"}


def __getattr__(name: str) -> Any:
    """Import each public name when it is first used: `referee.study.regret` needs no models."""
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'referee.study' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"referee.study.{_HOME[name]}"), name)
    return value

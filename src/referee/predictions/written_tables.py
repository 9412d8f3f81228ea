"""Where verdicts are written: a table of a database, in one transaction, or a tracking server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from referee.document import NO_FILE
from referee.errors import UsageError, WriteError
from referee.predictions.locations import ADDRESS, bare_address, refuse_password
from referee.predictions.source import Source, sources
from referee.predictions.special_files import exists, is_file
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    Run = Callable[..., list[Any]]
    """Takes SQL with ? for each of the values that follow, and gives rows."""


@dataclass(frozen=True)
class Logged:
    """A verdict for a tracking server."""

    title: str
    row: Mapping[str, Any]
    """As a table has it; `key` tells it from others."""
    values: Mapping[tuple[str, str], float]
    """By metric and model."""
    page: str
    """HTML."""


def tracker_of(address: str) -> Source | None:
    """The tracking server that an address means, if it means one."""
    scheme = ADDRESS.match(address)
    known = sources.known(scheme[1].lower()) if scheme else None
    if known is None or known.logs is None:
        return None
    _, _, experiment = address.partition("://")
    if not experiment or "#" in experiment:
        name = f"{known.name}://EXPERIMENT"
        raise UsageError("E_ADDRESS", f"{address}: verdicts are runs of an experiment", hint=f"write {name}")
    return known


@dataclass(frozen=True)
class WrittenTable:
    """The table that an address such as `sqlite:///verdicts.db#verdicts` means."""

    address: str
    scheme: str
    name: str

    @classmethod
    def of(cls, address: str) -> WrittenTable:
        """Understand an address; nothing is opened."""
        scheme = ADDRESS.match(address)
        known = sources.known(scheme[1].lower()) if scheme else None
        if scheme is None:
            refuse_password(address)
        if scheme is None or known is None or known.writes is None:
            able = [source.shown for source in sources.values() if source.writes]
            able += [f"{name}://experiment" for name, source in sources.items() if source.logs]
            raise UsageError(
                "E_ADDRESS",
                f"{bare_address(address)}: verdicts are not kept there",
                hint=f"the choices are {', '.join(able)}",
            )
        name = address.partition("#")[2]
        if not name:
            shown = bare_address(address)
            raise UsageError("E_TABLE", f"{shown} does not name a table", hint=f"write {shown}#verdicts")
        return cls(address, scheme[1].lower(), name)

    @property
    def shown(self) -> str:
        """Without a user or a password."""
        return bare_address(self.address)

    @property
    def file(self) -> Path:
        """Of a database that is a file."""
        location = self.address.partition("#")[0].partition("://")[2]
        path = Path(unquote(location.removeprefix("/")))
        if not path.absolute().parent.is_dir():
            raise WriteError("E_WRITE", f"{self.shown}: there is no folder {path.parent}")
        if exists(path) and not is_file(path):
            raise WriteError("E_WRITE", f"{self.shown}: {NO_FILE}")
        return path

    @property
    def is_missing(self) -> bool:
        """Whether it is in a file that is not there."""
        return sources[self.scheme].database is not None and not is_file(self.file)

    def is_there(self, run: Run) -> bool:
        """Whether it is known to be there, so that nobody who may not make tables has to."""
        known = sources[self.scheme].is_there
        return known is not None and known(run, self.name)

    def transaction(self) -> AbstractContextManager[Run]:
        """All that is run is there at the end, or nothing of it."""
        writes = sources[self.scheme].writes
        assert writes is not None
        return writes(self)

"""Tables that are written: one transaction of a database whose address names the table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from referee.document import NO_FILE
from referee.errors import UsageError, WriteError
from referee.predictions.locations import ADDRESS, bare_address, refuse_password
from referee.predictions.source import sources
from referee.predictions.special_files import exists, is_file
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any

    Run = Callable[..., list[Any]]
    """Takes SQL with ? for each of the values that follow, and gives rows."""


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
            able = ", ".join(source.shown for source in sources.values() if source.writes)
            raise UsageError(
                "E_ADDRESS", f"{bare_address(address)}: verdicts are not kept there", hint=f"the choices are {able}"
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

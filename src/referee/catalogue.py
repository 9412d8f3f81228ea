"""A folder of entries: each file is one entry, and its name is the entry's name."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from referee.call_syntax import parse_call
from referee.errors import UnknownNameError, UsageError, did_you_mean

if TYPE_CHECKING:
    from types import ModuleType


class Entry(Protocol):
    """What a metric, a scheme and a significance test have in common."""

    @property
    def aliases(self) -> tuple[str, ...]: ...
    def named(self, name: str) -> Self: ...
    def bind(self, **settings: Any) -> Self: ...


EntryType = TypeVar("EntryType", bound=Entry)


class Catalogue(Mapping[str, EntryType], Generic[EntryType]):
    """All entries of one kind, found by file name and loaded when asked for.

    >>> from referee import metrics
    >>> metrics["f_beta(beta=2)"].title
    'F-beta'
    >>> metrics["f1"].name
    'f_beta'
    """

    def __init__(self, package: str, kind: str) -> None:
        self.package = package
        self.kind = kind
        self._loaded: dict[str, EntryType] = {}

    # A mapping is compared by its content, but as a package it must be hashable.
    __hash__ = object.__hash__

    def add_folder(self, folder: str | Path) -> None:
        """Look for entries in another folder too; the environment variable REFEREE_METRICS does the same."""
        if not Path(folder).is_dir():
            raise UsageError("E_NOFILE", f"{folder} is not a folder of {self.kind} files")
        path = import_module(self.package).__path__
        if str(folder) not in path:
            path.append(str(folder))

    def remove_folder(self, folder: str | Path) -> None:
        """Forget a folder that was added, and its entries."""
        package = import_module(self.package)
        package.__path__.remove(str(folder))
        for file in Path(folder).glob("*.py"):
            self._loaded.pop(file.stem, None)
            sys.modules.pop(f"{self.package}.{file.stem}", None)

    def become_package(self, module: ModuleType) -> None:
        """Stand in for the folder's package, so that `referee.metrics` is the catalogue however it was imported."""
        self.__dict__.update({key: value for key, value in vars(module).items() if key.startswith("__")})
        sys.modules[module.__name__] = self  # type: ignore[assignment]
        for folder in filter(None, os.environ.get(f"REFEREE_{self.kind.upper()}S", "").split(os.pathsep)):
            self.add_folder(folder)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({module.name for module in iter_modules(import_module(self.package).__path__)}))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in set(self)

    def __getitem__(self, call: str) -> EntryType:
        """Find an entry by name or alias, with parameters if the call has them."""
        word, settings = parse_call(call)
        entry = self._load(word.replace("-", "_"))
        return entry.bind(**settings) if settings else entry

    def aliases(self) -> dict[str, str]:
        return {alias: name for name in self for alias in self._load_file(name).aliases}

    def _load(self, word: str) -> EntryType:
        if word in self:
            return self._load_file(word)
        aliases = self.aliases()
        if word not in aliases:
            hint = did_you_mean(word, [*self, *aliases])
            raise UnknownNameError(f"there is no {self.kind} {word!r}; {hint}", f"`referee {self.kind}s` lists all")
        return self._load_file(aliases[word])

    def _load_file(self, name: str) -> EntryType:
        if name not in self._loaded:
            entry: EntryType = getattr(import_module(f"{self.package}.{name}"), self.kind)
            self._loaded[name] = entry.named(name)
        return self._loaded[name]

"""A folder of entries: each file is one entry, and its name is the entry's name."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from itertools import islice
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from referee.catalogue.call_syntax import parse_call
from referee.errors import UnknownNameError, UsageError, did_you_mean

if TYPE_CHECKING:
    from types import ModuleType

    from referee.catalogue.entry import Entry

EntryType = TypeVar("EntryType", bound="Entry")
Spelled = Callable[[str, Callable[[str], EntryType | None]], EntryType | None]
"""Finds an entry by the letters of a name that somebody else has given it, with what finds those of our names."""


class _HelpText:
    """The docstring of the class; of a catalogue, what it holds."""

    def __init__(self, of_class: str | None) -> None:
        self.of_class = of_class

    def __get__(self, catalogue: Catalogue[Any] | None, _kind: type) -> str | None:
        return self.of_class if catalogue is None else catalogue.help_text()


class Catalogue(Mapping[str, EntryType], Generic[EntryType]):
    """All entries of one kind, found by file name and loaded when asked for.

    >>> from referee import metrics
    >>> metrics["f_beta(beta=2)"].title
    'F-beta'
    >>> metrics["f1"].name
    'f_beta'
    >>> metrics["ROC AUC"].name, metrics["Roc-Auc"].name
    ('roc_auc', 'roc_auc')
    """

    __doc__ = _HelpText(__doc__)

    def __init__(self, package: str, kind: str, use: str, spelled: Spelled[EntryType] | None = None) -> None:
        """`use` shows what an entry is for; with `spelled`, names that others have given them are understood, too."""
        self.package = package
        self.kind = kind
        self.use = use
        self._spelled = spelled
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
        for name in files_in(str(folder)).keys() - self._own_files.keys():
            self._loaded.pop(name, None)
            sys.modules.pop(f"{self.package}.{name}", None)

    def become_package(self, module: ModuleType) -> None:
        """Stand in for the folder's package, so that `referee.metrics` is the catalogue however it was imported."""
        own = {key: value for key, value in vars(module).items() if key.startswith("__") and key != "__doc__"}
        self.__dict__.update(own)
        sys.modules[module.__name__] = self  # type: ignore[assignment]
        for folder in filter(None, os.environ.get(f"REFEREE_{self.kind.upper()}S", "").split(os.pathsep)):
            self.add_folder(folder)

    def help_text(self) -> str:
        """What `help()` shows of the catalogue: every name, and what is done with an entry."""
        names = wrap(", ".join(self), 72, initial_indent="    ", subsequent_indent="    ")
        said = (
            f"The {len(self)} {self.kind}s by name:", *names, "", "How they are used:", *_indented(self.use), "",
            f"`referee {self.kind}s NAME` prints the details of one; in Python they are its",
            "attributes, such as `.title`.",
            f"`add_folder(path)` adds your own {self.kind}s, one file each.",
        )  # fmt: skip
        return "\n".join(said)

    def __repr__(self) -> str:
        return f"<{len(self)} {self.kind}s: {', '.join(islice(self, 3))} ...>"

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._files()))

    def __len__(self) -> int:
        return len(self._files())

    def __contains__(self, call: object) -> bool:
        """Whether there is an entry of that name or alias, with such parameters."""
        try:
            return isinstance(call, str) and self[call] is not None
        except UsageError:
            return False

    def __getitem__(self, call: str) -> EntryType:
        """Find an entry by name or alias, however it is spelled, with parameters if the call has them."""
        if not isinstance(call, str):
            raise UnknownNameError(f"{type(call).__name__} is not the name of an entry", "write its name as text")
        if call in self._loaded and not self._added_folders():
            return self._loaded[call]
        word, settings = parse_call(call)
        entry = self._load(word)
        return entry.bind(**settings) if settings else entry

    def aliases(self) -> dict[str, str]:
        return {alias: name for name in self for alias in self._entry(name).aliases}

    @cached_property
    def _own_files(self) -> dict[str, Path]:
        """The files that come with the package."""
        return files_in(import_module(self.package).__path__[0])

    def _added_folders(self) -> list[str]:
        package = sys.modules.get(self.package)
        return list((import_module(self.package) if package is None else package).__path__[1:])

    def _files(self) -> dict[str, list[Path]]:
        """The file of each name; several, if folders that were added repeat a name."""
        if not (folders := self._added_folders()):
            return self._own_file_of_each
        files = {name: [file] for name, file in self._own_files.items()}
        for folder in folders:
            for name, file in files_in(folder).items():
                files.setdefault(name, []).append(file)
        return files

    @cached_property
    def _own_file_of_each(self) -> dict[str, list[Path]]:
        return {name: [file] for name, file in self._own_files.items()}

    @cached_property
    def _own_words(self) -> dict[str, str]:
        """The names that come with the package, by themselves and by their aliases."""
        aliases = {alias: name for name in self._own_files for alias in self._imported(name).aliases}
        return {name: name for name in self._own_files} | aliases

    def _load(self, word: str) -> EntryType:
        files = self._files()
        if word in files:
            return self._entry(word)
        # A file of the user's that is broken must not hide the names that come with the package.
        own = self._own_words
        users, broken = self._user_words()
        for known in (own, users):
            if word in known:
                return self._entry(known[word])
        for known in (own, users):
            spelled = {letters_of(spelling): name for spelling, name in known.items()}
            if entry := self._by_letters(letters_of(word), spelled):
                return entry
        raise self._unknown(word, list(dict.fromkeys((*files, *own))), broken)

    def _by_letters(self, letters: str, known: Mapping[str, str]) -> EntryType | None:
        if letters in known:
            return self._entry(known[letters])
        return self._spelled(letters, lambda other: self._by_letters(other, known)) if self._spelled else None

    def _user_words(self) -> tuple[dict[str, str], list[str]]:
        """The names and aliases in folders that were added, and what is wrong with the files that cannot be used."""
        words: dict[str, str] = {}
        broken = []
        for name in self._files().keys() - self._own_files.keys():
            try:
                words |= dict.fromkeys((name, *self._entry(name).aliases), name)
            except UsageError as error:
                broken.append(error.message)
        return words, sorted(broken)

    def _unknown(self, word: str, known: list[str], broken: list[str]) -> UnknownNameError:
        hint = "; ".join([f"`referee {self.kind}s` lists all", *broken])
        return UnknownNameError(f"there is no {self.kind} {word!r}; {did_you_mean(word, known)}", hint)

    def _entry(self, name: str) -> EntryType:
        """The entry of that name, unless its file takes a name that is taken."""
        file, *others = self._files()[name]
        if others:
            raise self._file_error(others[0], f"the name {name!r} is already taken by {file}")
        entry = self._imported(name)
        if name not in self._own_files:
            self._refuse_taken(file, (name, *entry.aliases))
        return entry

    def _refuse_taken(self, file: Path, words: tuple[str, ...]) -> None:
        taken = self._own_words
        for word in words:
            if word in taken:
                owner = f"{self.kind} {taken[word]!r}"
                raise self._file_error(file, f"the name {word!r} is already taken by the built-in {owner}")

    def _imported(self, name: str) -> EntryType:
        if name not in self._loaded:
            entry: Any = getattr(self._module(name), self.kind, None)
            if not hasattr(entry, "named"):
                held = f"no `{self.kind}`" if entry is None else f"a `{self.kind}` that is not one: {repr(entry)[:80]}"
                raise self._file_error(self._files()[name][0], f"it has {held}")
            self._loaded[name] = entry.named(name)
        return self._loaded[name]

    def _module(self, name: str) -> ModuleType:
        try:
            return import_module(f"{self.package}.{name}")
        except (Exception, SystemExit) as error:
            if name in self._own_files:
                raise
            reason = f"it does not import: {type(error).__name__}: {error}"
            raise self._file_error(self._files()[name][0], reason) from error

    def _file_error(self, file: Path, reason: str) -> UsageError:
        return UsageError(f"E_{self.kind.upper()}FILE", f"{file}: {reason}")


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.splitlines()]


def letters_of(name: str) -> str:
    """A name without what people write differently: capital letters, spaces, hyphens and underscores.

    >>> letters_of("ROC AUC"), letters_of("Roc-Auc"), letters_of("R²")
    ('rocauc', 'rocauc', 'r2')
    """
    return "".join(unicodedata.normalize("NFKC", name).casefold().replace("-", " ").replace("_", " ").split())


def files_in(folder: str) -> dict[str, Path]:
    """The entries' files in a folder by name; a leading underscore says that a file is none."""
    return {file.stem: file for file in sorted(Path(folder).glob("[!_]*.py")) if file.stem.isidentifier()}

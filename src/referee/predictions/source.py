"""Source: a kind of thing that tables are read from; `sources` is the catalogue, one file for each."""

from __future__ import annotations

from dataclasses import field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

from referee.catalogue import Card, Catalogue, Entry, Shelf
from referee.errors import UnknownNameError, UsageError, did_you_mean
from referee.predictions.memory import refuse_beyond
from referee.predictions.table import Table
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from referee.catalogue import Parameter
    from referee.predictions.batches import Pieces
    from referee.predictions.table import ReadOptions
    from referee.predictions.written_tables import Logged, Run, WrittenTable


@dataclass(frozen=True)
class InPlace:
    """A table in a database as Ibis sees it, and how messages call it."""

    name: str
    table: Any
    notes: tuple[str, ...] = ()
    by: str = "the database"
    """Who sums it up."""
    rows: int | None = None
    """About so many, as far as that is known without a look at them."""
    size: int | None = None
    """Bytes of these."""


@dataclass(frozen=True)
class Source(Entry):
    """A format of files, a kind of database or a kind of object: how it is recognised, and how it is read.

    One of `content`, `files`, `database` and `given` is enough; what a source cannot do it leaves out.

    >>> sources["parquet"].starts
    ((0, b'PAR1'),)
    """

    title: str
    what: str
    """What it is, in a sentence."""
    shown: str
    """How it is given: a path, an address, or an expression of Python."""
    starts: tuple[tuple[int, bytes], ...] = ()
    """Bytes at a place near the beginning of a file by which the format is known, whatever the file's name."""
    looks_like: Callable[[bytes], bool] | None = None
    """Whether the beginning of a text is that of the format."""
    suffixes: tuple[str, ...] = ()
    """Names end so where the content does not tell."""
    content: Callable[[str, bytes, ReadOptions, tuple[str, ...]], Table] | None = None
    """Read the bytes of one file, with notes on how they were unpacked."""
    files: Callable[[str, list[Path], ReadOptions], Table] | None = None
    """Read one or several files as one table, without holding their bytes."""
    database: Callable[[str, Path, ReadOptions], Table] | None = None
    """Read the table `options.table` of a file that other programs may be writing to."""
    pieces: Callable[[str, list[Path], ReadOptions], Pieces | None] | None = None
    """Open files that are larger than the memory."""
    given: Callable[[Any], Table] | None = None
    """Read an object of Python."""
    takes: Callable[[Any], bool] | None = None
    """Whether an object of Python is of this kind."""
    address: Callable[[str, ReadOptions], Table] | None = None
    """Read what an address such as `mlflow://experiment` means."""
    in_place: Callable[[Any, ReadOptions], InPlace | None] | None = None
    """Open a table that stays in its database, which summarises it; None of one that is better read."""
    over_parquet: Callable[..., InPlace] | None = None
    """Leave Parquet files to this engine; DuckDB also takes the folder of files that were made for it."""
    writes: Callable[[WrittenTable], AbstractContextManager[Run]] | None = None
    """Open a database for one transaction that writes."""
    is_there: Callable[[Run, str], bool] | None = None
    """Whether a table is there, where making one takes a right of its own."""
    logs: Callable[[str, Logged], bool] | None = None
    """Keep a verdict on a tracking server; whether it was not there already."""
    logged: Callable[[str], list[dict[str, Any]]] | None = None
    """What it keeps, oldest first."""
    tells: Literal["truth", "scores"] | None = None
    """Its tables say themselves what their columns are, as those of a more general format do not: which are the truth
    and a model's predictions, or whose scores they are."""
    size: Callable[[Any], tuple[int, int]] | None = None
    """The rows of an object that is not in memory, and the bytes that they will take there."""
    aliases: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""

    @property
    def kind(self) -> str:
        """Whether it is given as a file, as an address or as an object."""
        if self.given:
            return "object"
        return "database" if self.database or self.in_place else "address" if self.address else "file"

    @property
    def recognised_by(self) -> tuple[str, ...]:
        """What tells it from the others."""
        ways = {"its first bytes": self.starts, "how it begins": self.looks_like, "its type": self.given}
        endings = (f"the ending {' or '.join(self.suffixes)}",) if self.suffixes else ()
        address = (f"{self.name}://",) if self.address or self.database else ()
        return (*(way for way, known in ways.items() if known), *endings, *address)

    @property
    def larger_than_memory(self) -> bool:
        """Whether it is scored where it is, or in pieces, if it does not fit."""
        return self.pieces is not None or self.in_place is not None

    @property
    def command_line(self) -> str | None:
        said = "" if self.tells else " --truth y"
        goal = "" if self.tells == "scores" else " --goal METRIC"
        return None if self.given else f"referee compare {self.shown}{said}{goal}"

    @property
    def python(self) -> str:
        said = "" if self.tells else ', truth="y"'
        goal = "" if self.tells == "scores" else ", goal=METRIC"
        shown = self.shown if self.given else ", ".join(f'"{part}"' for part in self.shown.split())
        return f"referee.compare({shown}{said}{goal})"


def source_card(source: Source) -> Card:
    """What a source is, how it is recognised, and how it is given."""
    names = ("name", "title", "what", "kind", "recognised_by", "tells", "larger_than_memory", "command_line", "python")
    values = {name: getattr(source, name) for name in names} | {"recognised_by": list(source.recognised_by)}
    words = {"tells": [TOLD[source.tells]]} if source.tells else {}
    return Card("source", values, words, frozenset({"command_line", "python"}))


TOLD = {
    "truth": "which columns are the truth and the model's predictions",
    "scores": "what was scored, and whose scores they are",
}
KINDS = {
    "file": "Files",
    "database": "Databases",
    "address": "Services",
    "object": "Python objects",
}
SOURCE_CARDS: Shelf[Source] = Shelf("source", source_card, ("name", "title", "what"), KINDS, lambda source: source.kind)


HEADER = 200
"""Bytes among which a binary file has a zero."""


class Sources(Catalogue[Source]):
    """All sources."""

    def _unknown(self, word: str, known: list[str], broken: list[str]) -> UnknownNameError:  # noqa: ARG002 (as it is called)
        return UnknownNameError(f"there is no source {word!r}; {did_you_mean(word, known)}", "")

    def by_start(self, head: bytes) -> str | None:
        """The source whose files start so."""
        starts = ((place, start, name) for name, source in self.items() for place, start in source.starts)
        binary = b"\0" in head[:HEADER]  # a text may have any word further in
        fitting = (name for place, start, name in starts if head.startswith(start, place) and (binary or not place))
        return next(fitting, None)

    def by_look(self, head: bytes) -> str | None:
        """The source whose texts begin like this one; a special case comes before what it is a case of."""
        like = [source for source in self.values() if source.looks_like and source.looks_like(head)]
        return min(like, key=lambda source: not source.tells).name if like else None

    def by_suffix(self, name: str) -> str | None:
        """The source whose files are named so."""
        suffix = PurePath(name).suffix.lower()
        return next((kind for kind, source in self.items() if suffix in source.suffixes), None)

    def given(self, thing: Any, limit: int) -> Table:
        """Read an object of Python by the source that takes it; whatever none knows may be a frame."""
        takers = (source for source in self.values() if source.given and source.takes and source.takes(thing))
        source = next(takers, self["frames"])
        if source.size is not None:
            rows, size = source.size(thing)
            refuse_beyond(limit, size, source.title, f"{rows:,} rows")
        assert source.given is not None
        return source.given(thing)

    def known(self, kind: str) -> Source | None:
        """The source of exactly that name, if there is one."""
        return next((source for name, source in self.items() if kind in (name, *source.aliases)), None)

    def databases(self) -> list[str]:
        return [name for name, source in self.items() if source.kind == "database"]


sources = Sources("referee.sources", "source", 'referee.compare("preds.parquet", truth="y", goal="roc_auc")')


OF_DATABASES = {
    "sql": ("E_SQL", "is a query to a database ({known}), and {source} is not one"),
    "table": ("E_TABLE", "is a table of a database ({known}), and {source} is not one"),
    "timeout": ("E_PARAMETER", "limits a query to a server, and {source} is not on one"),
}
"""What a database is asked, and how others refuse it."""


def refuse_query(source: str, options: ReadOptions, *names: str) -> None:
    """Of what is no database, or has none of these."""
    for name in names or OF_DATABASES:
        if getattr(options, name) is not None:
            code, why = OF_DATABASES[name]
            known = ", ".join(sources[each].title for each in sources.databases())
            raise UsageError(code, f"--{name} {why.format(known=known, source=source)}")


def is_table(thing: Any) -> bool:
    """Whether an object of Python has columns with names; a dict may be a table, or models by name.

    >>> import numpy, polars
    >>> is_table(polars.DataFrame({"y": [0, 1]})), is_table(numpy.zeros((2, 2))), is_table({"y": [0, 1]})
    (True, False, False)
    """
    if isinstance(thing, type | dict):
        return False
    if isinstance(thing, Table):
        return True
    # Of its type: a frame that is not made yet would be looked at.
    has_names = any(hasattr(type(thing), name) for name in ("columns", "column_names", "schema"))
    is_structured = getattr(getattr(thing, "dtype", None), "names", None) is not None
    return has_names or is_structured or any(source.takes(thing) for source in sources.values() if source.takes)

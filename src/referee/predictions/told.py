"""What a file says of itself: whose results it holds and what its columns are, where the user says nothing."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.errors import RefereeError, UsageError, did_you_mean, listed
from referee.predictions.formats import COMPRESSIONS, format_of, head_unpacked, inner_name
from referee.predictions.locations import ADDRESS, STANDARD_INPUT, expanded, head_of, read_table
from referee.predictions.roles import as_tuple
from referee.predictions.source import sources
from referee.predictions.special_files import is_file
from referee.predictions.table import ReadOptions, Table, Told, column_of

if TYPE_CHECKING:
    from collections.abc import Sequence


def with_told(given: Sequence[Any], said: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Read the sources that say what their columns are; what they say counts where the user says nothing.

    >>> with_told(({"y": [0, 1], "a": [0.2, 0.9]},), {"truth": "y"})[1]
    {'truth': 'y'}
    """
    options = said.get("options") or ReadOptions()
    several = len(given) == 1 and isinstance(given[0], list | tuple)
    named = [source for each in (given[0] if several else given) for source in _expanded(each, options)]
    if not any(map(tells, named)):
        piped = any(isinstance(source, Table) for source in named)
        return tuple(named if piped else given), dict(said)
    tables = [source if isinstance(source, Table) else read_table(source, options) for source in named]
    _refuse_others(tables)
    tables = _told_apart(tables, named, options)
    kept = {name: value for name, value in said.items() if value is not None}
    roles = _merged(tables) | _score_role(tables, said)
    return tuple(tables), roles | kept | _chosen_models(roles, said.get("models"))


def _expanded(source: Any, options: ReadOptions) -> list[Any]:
    """Each file that is meant; what is piped in can be read only once, and is read to see whether it tells."""
    if isinstance(source, str) and source == STANDARD_INPUT:
        return [read_table(source, options)]
    return expanded(source) if isinstance(source, str | os.PathLike) else [source]


def tells(source: Any) -> bool:
    """Whether a table, a file or one of the files that are meant says what it holds.

    >>> tells({"y": [0, 1]}), tells("preds.csv")
    (False, False)
    """
    if isinstance(source, Table):
        return source.told is not None
    if not isinstance(source, str | os.PathLike):
        return False
    if address := ADDRESS.match(os.fspath(source)):
        known = sources.known(address[1].lower())
        return known is not None and known.tells is not None
    with suppress(OSError, ValueError, RefereeError):
        return any(_kind_tells(Path(str(file))) for file in expanded(source) if is_file(str(file)))
    return False


def _kind_tells(file: Path) -> bool:
    head, name = head_of(file), file.name
    kind = format_of(head, name)
    if kind in COMPRESSIONS:
        kind = format_of(head_unpacked(file, kind), inner_name(file))
    known = sources.known(kind)
    return known is not None and known.tells is not None


def _refuse_others(tables: Sequence[Table]) -> None:
    telling = next(table for table in tables if table.told is not None)
    for table in tables:
        if table.told is None:
            raise UsageError(
                "E_SOURCES",
                f"{telling.name} describes its own columns, {table.name} does not: they cannot be read together",
                hint="give files of one kind, or save both as CSV with an id",
            )


def _told_apart(tables: Sequence[Table], named: Sequence[Any], options: ReadOptions) -> list[Table]:
    """Results of models that have the same name, by the names of their files."""
    owners = Counter((table.told.model, table.told.benchmark) for table in tables if table.told)
    labels = file_labels([table.name for table in tables])
    return [
        read_table(source, replace(options, model=label))
        if table.told and owners[table.told.model, table.told.benchmark] > 1 and not isinstance(source, Table)
        else table
        for table, source, label in zip(tables, named, labels, strict=True)
    ]


def file_labels(names: Sequence[str]) -> list[str]:
    """What files are called: their names without ending, with as many folders as tell them apart.

    >>> file_labels(["runs/a/nb.csv", "runs/b/nb.csv"]), file_labels(["runs/nb.csv", "runs/j48.csv"])
    (['a/nb', 'b/nb'], ['nb', 'j48'])
    >>> file_labels(["nb.csv", "nb.csv"])
    ['nb.csv', 'nb.csv (2)']
    """
    paths = [Path(name).with_suffix("").parts for name in names]
    longest = max(map(len, paths))
    for parts in range(1, longest + 1):
        labels = ["/".join(path[-parts:]) for path in paths]
        if len(set(labels)) == len(labels):
            return labels
    times = [names[: place + 1].count(name) for place, name in enumerate(names)]
    return [name if time == 1 else f"{name} ({time})" for name, time in zip(names, times, strict=True)]


def _merged(tables: Sequence[Table]) -> dict[str, Any]:
    """The roles of all tables: columns of models are put together, the others must agree."""
    merged: dict[str, Any] = {}
    first = tables[0]
    for table in tables:
        assert table.told is not None
        for role, value in table.told.roles.items():
            if isinstance(value, Mapping):
                merged[role] = {**merged.get(role, {}), **value}
        if _single(table) != _single(first):
            differs = next(role for role in {**_single(first), **_single(table)} if _differ(first, table, role))
            raise UsageError(
                "E_SOURCES",
                f"{first.name} and {table.name} do not go together: {differs} is {_single(first).get(differs)!r} in "
                f"the first, {_single(table).get(differs)!r} in the second",
                hint="give files of one kind, about the same rows",
            )
    return merged | _single(first)


def _single(table: Table) -> dict[str, Any]:
    assert table.told is not None
    return {role: value for role, value in table.told.roles.items() if not isinstance(value, Mapping)}


def _differ(first: Table, second: Table, role: str) -> bool:
    return bool(_single(first).get(role) != _single(second).get(role))


def _chosen_models(roles: Mapping[str, Any], wanted: Any) -> dict[str, Any]:
    """The columns of the models that the user names; where the user names columns, too, these alone."""
    columns, labels = (dict(roles.get(role, {})) for role in ("models", "labels"))
    if wanted is None or not (columns or labels):
        return {}
    if isinstance(wanted, Mapping):
        return {"labels": None}
    names = [*(columns | labels)] if as_tuple(wanted) == ("all",) else as_tuple(wanted)
    for name in names:
        if name not in columns and name not in labels:
            raise UsageError("E_NOMODEL", f"there is no model {name!r}; {did_you_mean(name, [*(columns | labels)])}")
    return {
        "models": {name: columns[name] for name in names if name in columns},
        "labels": {name: labels[name] for name in names if name in labels},
    }


def _score_role(tables: Sequence[Table], said: Mapping[str, Any]) -> dict[str, Any]:
    """The scores that are compared: those that the user names, or the only ones that all tables have."""
    offers = [table.told.scores for table in tables if table.told is not None]
    if not any(offers):
        return {}
    taken = {said.get(role) for role in ("id", "group", "fold", "repeat", "dataset")}
    common = [name for name in offers[0] if name not in taken and all(name in offer for offer in offers)]
    wanted = said.get("score_column")
    if wanted is not None and wanted not in common:
        lacking = next(table for table, offer in zip(tables, offers, strict=True) if wanted not in offer)
        known = lacking.told.scores if lacking.told else ()
        raise UsageError("E_NOCOL", f"{lacking.name} has no scores {wanted!r}; {did_you_mean(wanted, known)}")
    if not common:
        raise UsageError(
            "E_SCORES", f"{tables[0].name} has the scores {listed(offers[0])}, not every other file has one of them",
            hint="give the files of one benchmark",
        )  # fmt: skip
    if wanted is None and len(common) > 1:
        raise UsageError(
            "E_SCORES", f"{tables[0].name} has several scores of each item: {listed(common)}; which one should decide?",
            hint=f"use --score-column {common[0]!r}",
        )  # fmt: skip
    column = wanted or common[0]
    lower = any(table.told is not None and column in table.told.lower for table in tables)
    return {"score_column": column} | ({"better": "lower"} if lower else {})


def log_table(
    source: str,
    items: Sequence[Mapping[str, Any]],
    further: Sequence[Mapping[str, Any]],
    scores: Sequence[Mapping[str, float | None]],
    told: Told,
    notes: tuple[str, ...],
) -> Table:
    """A long table of a log: what each score is of, what else is known of that, and each kind of score.

    Only plain values of what is known are kept; where one has the name of another column, it is called `of NAME`.
    """
    import pyarrow as pa

    kinds = list(dict.fromkeys(name for row in scores for name in row))
    columns = {name: [item[name] for item in items] for name in items[0]}
    taken = {*columns, *kinds}
    for name in dict.fromkeys(name for row in further for name in row):
        cells = [row.get(name) for row in further]
        if all(cell is None or isinstance(cell, str | int | float) for cell in cells):
            columns[f"of {name}" if name in taken else name] = cells
    arrays = {name: _log_column(source, name, cells) for name, cells in columns.items()}
    arrays |= {name: pa.array([row.get(name) for row in scores], pa.float64()) for name in kinds}
    roles = {"task": "scores", "model_column": "model", "id": "item", **told.roles}
    if "dataset" in roles:
        del roles["id"]
    return Table(source, pa.table(arrays), notes=notes, told=replace(told, roles=roles, scores=kinds))


def _log_column(source: str, name: str, cells: Sequence[Any]) -> Any:
    """Values of one kind as they are, of several as text."""
    kinds = {type(cell) for cell in cells if cell is not None}
    mixed = len(kinds) > 1 and kinds != {int, float}
    return column_of([cell if cell is None or not mixed else str(cell) for cell in cells], source, name)

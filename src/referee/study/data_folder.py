"""Where the paper's data sets are on this machine, in whatever form somebody has put them there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import InputError
from referee.study.checking import checked
from referee.study.raw_tables import columns_of_arff, columns_of_csv, columns_of_uci
from referee.study.unpacking import MOST_BYTES, members, refuse_beyond, uncompressed

if TYPE_CHECKING:
    from referee.readers.table import Table
    from referee.study.datasets import PaperDataSet
    from referee.study.raw_tables import Columns

VARIABLE = "REFEREE_DATA"


def cache_folder() -> Path:
    """Where downloaded data are kept: REFEREE_DATA, or the user's cache."""
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser()
    home = os.environ.get("XDG_CACHE_HOME", "")
    caches = Path(home) if Path(home).is_absolute() else Path.home() / ".cache"
    return caches / "referee" / "data"


def found_table(spec: PaperDataSet, folder: str | Path | None, *, download: bool = False, quiet: bool = True) -> Table:
    """The data set as a checked table; an error says where it was looked for, and what to put there."""
    place = cache_folder() if folder is None else Path(folder).expanduser()
    if folder is not None and not place.is_dir():
        raise InputError("E_NODATA", f"--data {place}: there is no such folder", hint=by_hand(spec, place))
    may_download = folder is None and download
    if files := located(spec, place):
        try:
            return read_files(spec, files)
        except InputError:
            if not may_download:
                raise
    if may_download:
        from referee.study.downloading import fetch

        return fetch(spec, place, quiet=quiet)
    looked_for = ", ".join(dict.fromkeys(file for several in _forms(spec) for file in several))
    hint = by_hand(spec, place) if folder is not None else f"say --download, or {by_hand(spec, place)}"
    raise InputError("E_NODATA", f"{spec.name} is not in {place}: looked for {looked_for}", hint=hint)


def located(spec: PaperDataSet, folder: Path) -> list[Path]:
    """The files of a data set in a folder, or in its subfolder of that name, or `uci`; none if it is not there."""
    for place in (folder, folder / spec.name, folder / spec.origin.folder, folder / "uci"):
        for names in _forms(spec):
            files = [place / name for name in names]
            if all(file.is_file() for file in files):
                return files
    return []


def _forms(spec: PaperDataSet) -> list[tuple[str, ...]]:
    """Names of files that would be it."""
    whole = [f"{spec.name}.{ending}" for ending in ("parquet", "csv", "arff", "zip")]
    raw = spec.origin.files
    return [*((name,) for name in whole), (spec.origin.archive,), raw, tuple(f"{name}.Z" for name in raw)]


def by_hand(spec: PaperDataSet, folder: Path) -> str:
    """What to do where nothing can be downloaded."""
    from referee.study.downloading import UCI

    archive = f"{UCI}/static/public/{spec.origin.number}/{spec.origin.archive}"
    return f"download {archive} and put it into {folder}, or name the folder that holds it: --data DIR"


def read_files(spec: PaperDataSet, files: list[Path]) -> Table:
    """Read what was found, by the endings of its names."""
    source, ending = str(files[0]), files[0].suffix
    try:
        if ending == ".parquet":
            return checked(spec, _columns_of_parquet(spec, files[0]), source)
        contents = [_content(file) for file in files]
    except OSError as error:
        raise InputError("E_READ", f"{source} cannot be read: {error.strerror or error}") from error
    return table_of(spec, contents, source)


def table_of(spec: PaperDataSet, contents: list[bytes], source: str) -> Table:
    """The same of contents in memory; `source` is the name, or the address, of the first of them."""
    columns: Columns
    if source.endswith(".csv"):
        columns = columns_of_csv(spec, contents[0], source)
    elif source.endswith(".arff"):
        columns = columns_of_arff(spec, contents[0], source)
    elif source.endswith(".zip"):
        columns = columns_of_uci(spec, members(contents[0], spec.origin.files, source), source)
    else:
        unpacked = [uncompressed(one, source) if source.endswith(".Z") else one for one in contents]
        columns = columns_of_uci(spec, unpacked, source)
    return checked(spec, columns, source)


def _content(file: Path) -> bytes:
    refuse_beyond(MOST_BYTES, file.stat().st_size, str(file))
    return file.read_bytes()


def _columns_of_parquet(spec: PaperDataSet, file: Path) -> dict[str, object]:
    from referee.readers import read_table

    table = read_table(file)
    named = {name: table.column(name) for name in spec.columns if name in table.columns.column_names}
    if len(named) != len(spec.columns) or table.columns.num_columns != len(spec.columns):
        missing = next((name for name in spec.columns if name not in named), None)
        wrong = f"has {table.columns.num_columns} columns" if missing is None else f"has no column {missing!r}"
        raise InputError("E_COLUMNS", f"{file} {wrong}: {spec.name} has {len(spec.columns)} columns")
    return {name: column.to_pylist() if _is_text(column) else column.to_numpy() for name, column in named.items()}


def _is_text(column: object) -> bool:
    import pyarrow as pa

    kind = column.type  # type: ignore[attr-defined]
    return pa.types.is_dictionary(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)

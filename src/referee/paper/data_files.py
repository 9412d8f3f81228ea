"""Where the paper's data sets come from: files in a folder, or OpenML; each is checked to be the one of the paper."""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import InputError, WriteError, listed
from referee.predictions import Table, read_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.paper.datasets import PaperDataSet

    Columns = dict[str, Sequence[Any]]

TARGET = "class"
VARIABLE = "REFEREE_DATA"
MISSING = ("", "?", "nan", "None")


def cache_folder() -> Path:
    """Where downloaded data are kept: REFEREE_DATA, or the user's cache."""
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser()
    home = os.environ.get("XDG_CACHE_HOME", "")
    caches = Path(home) if Path(home).is_absolute() else Path.home() / ".cache"
    return caches / "referee" / "data"


def data_table(spec: PaperDataSet, folder: str | Path | None, *, download: bool = False, quiet: bool = True) -> Table:
    """The data set as a checked table; an error says where it was looked for, and what to put there."""
    place = cache_folder() if folder is None else Path(folder).expanduser()
    if folder is not None and not place.is_dir():
        raise InputError("E_NODATA", f"--data {place}: there is no such folder", hint=_by_hand(spec, place))
    may_download = folder is None and download
    if files := located(spec, place):
        try:
            return checked(spec, _columns_of(spec, files), str(files[0]))
        except InputError:
            if not may_download:
                raise
    if may_download:
        return _downloaded(spec, place, quiet=quiet)
    looked_for = ", ".join(dict.fromkeys(file for names in _forms(spec) for file in names))
    hint = _by_hand(spec, place) if folder is not None else f"use --download, or {_by_hand(spec, place)}"
    raise InputError("E_NODATA", f"{spec.name} is not in {place}: looked for {looked_for}", hint=hint)


def located(spec: PaperDataSet, folder: Path) -> list[Path]:
    """The files of a data set in a folder, or in its subfolder of that name, or `uci`; none if it is not there."""
    for place in (folder, folder / spec.name, folder / "uci"):
        for names in _forms(spec):
            files = [place / name for name in names]
            if all(file.is_file() for file in files):
                return files
    return []


def _forms(spec: PaperDataSet) -> list[tuple[str, ...]]:
    """Names of files that would be it: a table with names, or the files of the UCI repository."""
    published = spec.origin.files
    return [(f"{spec.name}.parquet",), (f"{spec.name}.csv",), published, tuple(f"{name}.gz" for name in published)]


def _by_hand(spec: PaperDataSet, folder: Path) -> str:
    files, page = " and ".join(spec.origin.files), f"https://archive.ics.uci.edu/dataset/{spec.origin.uci}"
    return f"put {files} from {page} into {folder}, or name the folder that holds them: --data DIR"


def _columns_of(spec: PaperDataSet, files: list[Path]) -> Columns:
    if files[0].suffix not in (".parquet", ".csv"):
        return _columns_of_uci(spec, files)
    table = read_table(files[0]).columns
    cells = [table.column(name).to_pylist() for name in table.column_names]
    return _by_our_names(spec, table.column_names, cells, str(files[0]))


def _columns_of_uci(spec: PaperDataSet, files: list[Path]) -> Columns:
    """The files of the UCI repository, one below the other; they have no line of names."""
    lines = (line for file in files for line in _text(file).splitlines() if line.strip())
    rows = [[cell.strip() for cell in line.split(spec.origin.between)] for line in lines]
    names = (TARGET, *spec.attributes) if spec.origin.class_first else spec.columns
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise InputError(
                "E_COLUMNS",
                f"{files[0]}: row {number:,} has {len(row)} cells, {spec.name} has {len(names)} columns",
                hint="the file may be truncated: copy or download it again",
            )
    cells = list(zip(*rows, strict=True)) or [()] * len(names)
    return dict(zip(names, cells, strict=True))


def _text(file: Path) -> str:
    try:
        content = file.read_bytes()
        return (gzip.decompress(content) if file.suffix == ".gz" else content).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("E_FORMAT", f"{file} is not valid text ({error.reason})") from error
    except (OSError, EOFError) as error:
        raise InputError("E_READ", f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _by_our_names(spec: PaperDataSet, names: Sequence[str], cells: Sequence[Any], source: str) -> Columns:
    """The columns as we call them, whatever their quotes, colons and capitals."""
    known = {_letters(name): name for name in spec.columns}
    columns = {known.get(_letters(name), name): column for name, column in zip(names, cells, strict=True)}
    missing = [name for name in spec.columns if name not in columns]
    if missing or len(names) != len(spec.columns):
        wrong = f"has no column {listed(missing)}" if missing else f"has {len(names)} columns"
        raise InputError("E_COLUMNS", f"{source} {wrong}: {spec.name} has {len(spec.columns)} columns")
    return columns


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _downloaded(spec: PaperDataSet, folder: Path, *, quiet: bool) -> Table:
    """From OpenML, by scikit-learn, which compares it with OpenML's checksum; kept as Parquet once it is checked.

    So a download that was stopped leaves nothing that could be taken for the data.
    """
    from sklearn.datasets import fetch_openml

    if not quiet:
        sys.stderr.write(f"downloading {spec.name} from openml.org\n")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its retries; what fails in the end is said below
            bunch = fetch_openml(data_id=spec.origin.openml, as_frame=False, parser="liac-arff", cache=False)
    except (OSError, ValueError, LookupError) as error:
        message = f"{spec.name} cannot be downloaded from openml.org: {error}"
        raise InputError("E_DOWNLOAD", message, hint=_by_hand(spec, folder)) from error
    source = f"https://www.openml.org/d/{spec.origin.openml}"
    features = dict(zip(bunch.feature_names, bunch.data.T, strict=True))
    cells = [_decoded(column, bunch.categories.get(name)) for name, column in features.items()]
    table = checked(spec, _by_our_names(spec, [*features, TARGET], [*cells, bunch.target], source), source)
    _keep(table, folder / f"{spec.name}.parquet")
    return table


def _decoded(column: Array, categories: Sequence[str] | None) -> Array | list[str]:
    """Numbers as they are; of categories scikit-learn gives their places."""
    if categories is None:
        return column
    return [MISSING[0] if np.isnan(place) else categories[int(place)] for place in column]


def _keep(table: Table, file: Path) -> None:
    import pyarrow.parquet as pq

    from referee.document import write_whole

    content = io.BytesIO()
    pq.write_table(table.columns, content, compression="zstd")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, content.getvalue())
    except OSError as error:
        hint = f"{VARIABLE} sets another folder"
        raise WriteError("E_WRITE", f"{file} cannot be written: {error.strerror or error}", hint=hint) from error


def checked(spec: PaperDataSet, columns: Mapping[str, Any], source: str) -> Table:
    """Numbers and sorted categories, the same whatever file they came from; with the paper's rows and classes.

    Every wrong cell, row number and class count is refused: other data would make other tables.
    """
    import pyarrow as pa

    texts = {name: _texts(columns[name]) for name in (*sorted(spec.nominal), TARGET)}
    typed = {name: texts[name] if name in texts else _numbers(columns[name], name, source) for name in spec.columns}
    missing = np.any([_gaps(cells) for cells in typed.values()], axis=0)
    if missing.any() and spec.complete_of is None:
        row = int(np.argmax(missing)) + 1
        raise InputError("E_CELL", f"{source}: row {row:,} has a cell without a value; {spec.name} has none")
    _refuse_other_counts(spec, typed[TARGET][~missing], source)
    whole = {name: _arrow(cells[~missing]) for name, cells in typed.items()}
    return Table(source, pa.table(whole), notes=(spec.remark,) if spec.remark else ())


def _texts(cells: Sequence[Any]) -> Array:
    return np.array([str(cell).strip() for cell in cells], str)


def _numbers(cells: Sequence[Any], name: str, source: str) -> Array:
    given = np.asarray(cells)
    if given.dtype.kind in "iuf":
        return given.astype(float)
    texts = _texts(cells)
    numbers = np.where(np.isin(texts, MISSING), "nan", texts)
    try:
        return numbers.astype(float)
    except ValueError:
        row = next(place for place, text in enumerate(numbers) if not _is_number(text))
        message = f"{source}: column {name!r}, row {row + 1:,}: {str(texts[row])!r} is not a number"
        raise InputError("E_CELL", message) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _gaps(cells: Array) -> Array:
    return np.isnan(cells) if cells.dtype.kind == "f" else np.isin(cells, MISSING)


def _arrow(cells: Array) -> Any:
    import pyarrow as pa

    if cells.dtype.kind == "f":
        return pa.array(cells)
    names, codes = np.unique(cells, return_inverse=True)
    return pa.DictionaryArray.from_arrays(codes.astype(np.int32), names.tolist())


def _refuse_other_counts(spec: PaperDataSet, classes: Array, source: str) -> None:
    """The rows in all first, because that is what a file that was cut short shows."""
    labels, amounts = np.unique(classes, return_counts=True)
    rows = dict(zip(labels.tolist(), amounts.tolist(), strict=True))
    hint = "the file may be truncated, or another version: copy or download it again"
    unknown = [label for label in rows if label not in spec.counts]
    if unknown:
        raise InputError("E_CLASSES", f"{source}: {unknown[0]!r} is not a class of {spec.name}", hint=hint)
    if len(classes) != spec.rows:
        complete = " without a missing value" if spec.complete_of else ""
        message = f"{source} has {len(classes):,} rows{complete}, {spec.name} has {spec.rows:,}"
        raise InputError("E_ROWS", message, hint=hint)
    for label, expected in spec.counts.items():
        if rows.get(label, 0) != expected:
            message = f"{source}: class {label!r} has {rows.get(label, 0):,} rows, in {spec.name} it has {expected:,}"
            raise InputError("E_CLASSES", message, hint=hint)

"""Where the paper's data sets are on this machine, in whatever form somebody has put them there."""

from __future__ import annotations

import csv
import io
import os
import re
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import InputError, SafetyError, listed
from referee.paper.datasets import checked
from referee.predictions import size_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from referee.paper.datasets import PaperDataSet
    from referee.predictions import Table

Columns = dict[str, list[str]]
DATA = re.compile(r"^\s*@data\b.*$", re.IGNORECASE | re.MULTILINE)
ATTRIBUTE = re.compile(r"^\s*@attribute\s+('[^']*'|\"[^\"]*\"|\S+)", re.IGNORECASE | re.MULTILINE)


def columns_of_uci(spec: PaperDataSet, contents: Sequence[bytes], source: str) -> Columns:
    """The files of the UCI repository, one below the other; they have no line of names."""
    lines = (line for content in contents for line in text_of(content, source).splitlines())
    rows = [[cell.strip() for cell in line.split(spec.origin.between)] for line in lines if line.strip()]
    names = (spec.columns[-1], *spec.attributes) if spec.origin.class_first else spec.columns
    return _columns(spec, names, rows, source)


def columns_of_csv(spec: PaperDataSet, content: bytes, source: str) -> Columns:
    """A CSV file with names in its first line."""
    rows = _cells(text_of(content, source).splitlines(), '"')
    if not rows:
        raise InputError("E_EMPTY", f"{source} is empty")
    return _columns(spec, _known_names(spec, rows[0], source), rows[1:], source)


def columns_of_arff(spec: PaperDataSet, content: bytes, source: str) -> Columns:
    """An ARFF file, as OpenML has them."""
    text = text_of(content, source)
    begin = DATA.search(text)
    if begin is None:
        raise InputError("E_ARFF", f"{source} has no line @data: it is no ARFF file, or it is cut short")
    names = _known_names(spec, ATTRIBUTE.findall(text[: begin.start()]), source)
    lines = (line for line in text[begin.end() :].splitlines() if not line.lstrip().startswith("%"))
    return _columns(spec, names, _cells(lines, "'"), source)


def text_of(content: bytes, source: str) -> str:
    """The text of a file, unless it is a web page in its place."""
    if re.match(rb"\s*<(!doctype|html|head|\?xml)", content[:200], re.IGNORECASE):
        raise InputError("E_FORMAT", f"{source} is a web page, not the data")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("E_FORMAT", f"{source} is not the text that it should be ({error.reason})") from error


def _cells(lines: Iterable[str], quote: str) -> list[list[str]]:
    reader = csv.reader(lines, quotechar=quote, skipinitialspace=True)
    return [[cell.strip().strip("'\"").strip() for cell in row] for row in reader if row]


def _known_names(spec: PaperDataSet, names: Sequence[str], source: str) -> list[str]:
    """The attributes as we call them, whatever their quotes, colons and capitals."""
    by_letters = {_letters(name): name for name in spec.columns}
    found = [by_letters.get(_letters(name), name) for name in names]
    missing = [name for name in spec.columns if name not in found]
    if missing or len(found) != len(spec.columns):
        wrong = f"has no column {listed(missing)}" if missing else f"has {len(found)} columns"
        raise InputError("E_COLUMNS", f"{source} {wrong}: {spec.name} has {len(spec.columns)} columns")
    return found


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _columns(spec: PaperDataSet, names: Sequence[str], rows: list[list[str]], source: str) -> Columns:
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise InputError(
                "E_COLUMNS",
                f"{source}: row {number:,} has {len(row)} cells, {spec.name} has {len(names)} columns",
                hint="the file may be cut short: copy or download it again",
            )
    by_name = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}
    return {name: by_name.get(name, []) for name in spec.columns}


MOST_BYTES = 64 << 20
"""Of the content; the largest file of the paper's data sets has 4 MB."""
CAN_CLEAR, CLEAR = 128, 256
"""The mark of a .Z file whose table may be emptied, and the code that does it."""


def members(archive: bytes, names: Sequence[str], source: str, limit: int = MOST_BYTES) -> list[bytes]:
    """The content of these files of a zip archive, in whatever folder of it; .Z files are unpacked, too."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as zipped:
            return [_member(zipped, name, source, limit) for name in names]
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError("E_COMPRESSED", f"{source} is no whole zip archive ({error})") from error


def _member(zipped: zipfile.ZipFile, wanted: str, source: str, limit: int) -> bytes:
    for name in (wanted, f"{wanted}.Z"):
        for entry in zipped.infolist():
            if entry.filename.rpartition("/")[2] == name:
                with zipped.open(entry) as stream:
                    content = stream.read(limit + 1)
                refuse_beyond(limit, len(content), f"{source}: {name}")
                return uncompressed(content, f"{source}: {name}", limit) if name.endswith(".Z") else content
    raise InputError("E_NODATA", f"{source} holds no file {wanted}")


def refuse_beyond(limit: int, size: int, source: str) -> None:
    """Stop before a file that claims to be one of ours fills the memory."""
    if size > limit:
        raise SafetyError("E_TOOBIG", f"{source} is too big: the data set has less than {size_text(limit)}")


def uncompressed(content: bytes, source: str, limit: int = MOST_BYTES) -> bytes:
    """The content of a .Z file: LZW (Welch 1984) with codes of 9 to 16 bits.

    >>> uncompressed(bytes.fromhex("1f9d9061e0c0615306"), "a.Z")
    b'apple'
    """
    if content[:2] != b"\x1f\x9d" or len(content) < 3 or not 9 <= content[2] & 31 <= 16:
        raise InputError("E_COMPRESSED", f"{source} is no .Z file")
    whole = io.BytesIO()
    for piece in _pieces(content[3:], content[2] & 31, source, can_clear=content[2] >= CAN_CLEAR):
        refuse_beyond(limit, whole.tell() + len(piece), source)
        whole.write(piece)
    return whole.getvalue()


def _pieces(packed: bytes, most_bits: int, source: str, *, can_clear: bool) -> Iterator[bytes]:
    """What each code stands for: a letter, or an entry of the table, which grows by one with each code."""
    letters = [bytes([letter]) for letter in range(CLEAR)] + ([b""] if can_clear else [])
    table, last, width = list(letters), b"", 9
    begin = place = 0
    while True:
        if len(table) >= 1 << width and width < most_bits:
            begin = place = _next_block(begin, place, width)
            width += 1
        if place + width > 8 * len(packed):
            return
        code = _number_at(packed, place, width)
        place += width
        if can_clear and code == CLEAR:
            begin = place = _next_block(begin, place, width)
            table, last, width = list(letters), b"", 9
            continue
        if code > len(table) or (code == len(table) and not last):
            raise InputError("E_COMPRESSED", f"{source} is damaged: code {code} stands for nothing")
        piece = table[code] if code < len(table) else last + last[:1]
        if last and len(table) < 1 << most_bits:
            table.append(last + piece[:1])
        last = piece
        yield piece


def _number_at(packed: bytes, place: int, width: int) -> int:
    """The bits from this place on as a number, the lowest first."""
    some = int.from_bytes(packed[place >> 3 : (place + width + 7) >> 3], "little")
    return some >> (place & 7) & ((1 << width) - 1)


def _next_block(begin: int, place: int, width: int) -> int:
    """Codes of one width come in blocks of eight; the rest of a block that is not full holds nothing."""
    return begin + -(-(place - begin) // (8 * width)) * 8 * width


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
        from referee.paper.downloads import fetch

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
    from referee.paper.downloads import UCI

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
    from referee.predictions import read_table

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

"""Archives of the UCI repository, unpacked in memory and never beyond a limit: zip, and Unix compress (.Z)."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING

from referee.errors import InputError, SafetyError
from referee.readers.memory import size_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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

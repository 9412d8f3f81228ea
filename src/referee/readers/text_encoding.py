"""Text as UTF-8: by byte order mark, by `--encoding`, else it must be UTF-8 already."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from referee.errors import InputError, UsageError

MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
NEWLINE = re.compile(rb"\r\n|\n|\r")


class Utf8(NamedTuple):
    data: bytes
    notes: tuple[str, ...]


def as_utf8(source: str, data: bytes, encoding: str | None) -> Utf8:
    """Give valid UTF-8 without a mark and without NULs, or raise E_ENCODING with the line.

    >>> as_utf8("preds.csv", "y,é".encode("utf-16"), None).notes
    ('encoding utf-16',)
    """
    mark, used = encoding_of(source, data, encoding)
    text = data[len(mark) :] if used == "utf-8" else _recoded(source, data, used)
    refuse_invalid(source, text, used)
    return Utf8(text, () if used == "utf-8" else (f"encoding {used}",))


def encoding_of(source: str, head: bytes, encoding: str | None) -> tuple[bytes, str]:
    """The byte order mark that the data start with, and the encoding: by this mark, by the user, else UTF-8."""
    mark, marked = next(((mark, name) for mark, name in MARKS if head.startswith(mark)), (b"", None))
    known = _known_encoding(encoding) if encoding else None
    if known and marked and not known.startswith(marked):
        raise UsageError(
            "E_ENCODING",
            f"{source} starts with the byte order mark of {marked}, --encoding says {encoding}",
            hint="leave --encoding out",
        )
    return mark, marked or known or "utf-8"


def _known_encoding(encoding: str) -> str:
    try:
        "".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise UsageError(
            "E_ENCODING",
            f"--encoding {encoding}: no such text encoding",
            hint="common ones are utf-8, utf-16, latin-1, cp1252 and shift_jis",
        ) from error


def _recoded(source: str, data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).encode()
    except UnicodeError as error:
        reason = f"{error.reason} at byte {error.start:,}" if isinstance(error, UnicodeDecodeError) else str(error)
        raise InputError(
            "E_ENCODING", f"{source} is not {encoding} text: {reason}", hint="say what it is with --encoding"
        ) from error


def refuse_invalid(source: str, data: bytes, encoding: str, first_line: int = 1) -> None:
    """Raise E_ENCODING with the line of a NUL or of what is not UTF-8."""
    nul = data.find(b"\x00")
    if nul >= 0:
        hint = "text from Windows may be UTF-16: --encoding utf-16-le" if encoding == "utf-8" else "is it a text file?"
        line = first_line - 1 + line_of(data, nul)
        raise InputError("E_ENCODING", f"{source}, line {line}: NUL byte, so this is not text", hint=hint)
    if not _is_utf8(data):
        raise _not_utf8(source, data, first_line)


def _is_utf8(data: bytes) -> bool:
    """Check in place: `bytes.decode` would make a copy of up to four times the size."""
    import pyarrow as pa

    offsets = pa.py_buffer(len(b"").to_bytes(8, "little") + len(data).to_bytes(8, "little"))
    text = pa.LargeStringArray.from_buffers(1, offsets, pa.py_buffer(data))
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _not_utf8(source: str, data: bytes, first_line: int) -> InputError:
    at = 0
    try:
        data.decode()
    except UnicodeDecodeError as error:
        at = error.start
    return InputError(
        "E_ENCODING",
        f"{source}, line {first_line - 1 + line_of(data, at)}: byte 0x{data[at]:02X} is not UTF-8",
        hint="say the encoding, such as --encoding cp1252 (Windows) or --encoding latin-1",
    )


def line_of(data: bytes, offset: int) -> int:
    r"""Count to the 1-based physical line of an offset.

    >>> line_of(b"a\r\nb\nc", 5)
    3
    """
    return 1 + sum(1 for _ in NEWLINE.finditer(data, 0, offset))

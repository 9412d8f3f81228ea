"""Arrow's functions on cells, called by name: `pyarrow.compute` writes 300 documented ones whenever it is imported.

That takes a tenth of a short run, and the methods of arrays (`cells.cast(...)`) import it, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    from pyarrow._compute import (
        CastOptions,
        DictionaryEncodeOptions,
        FilterOptions,
        IndexOptions,
        MatchSubstringOptions,
        ReplaceSubstringOptions,
        TrimOptions,
        call_function,
    )
except ImportError:  # the same names, where they are promised to be
    from pyarrow.compute import (
        CastOptions,
        DictionaryEncodeOptions,
        FilterOptions,
        IndexOptions,
        MatchSubstringOptions,
        ReplaceSubstringOptions,
        TrimOptions,
        call_function,
    )

if TYPE_CHECKING:
    import pyarrow as pa


def applied(function: str, *cells: Any) -> Any:
    """What a function without options gives for arrays and plain values.

    >>> import pyarrow as pa
    >>> applied("equal", pa.array(["a", ""]), "").to_pylist()
    [False, True]
    """
    return call_function(function, list(cells))


def as_type(cells: Any, kind: pa.DataType) -> Any:
    """Cells of another type; ArrowInvalid where a value cannot be kept.

    >>> import pyarrow as pa
    >>> as_type(pa.array(["0.5"]), pa.float64()).to_pylist()
    [0.5]
    """
    return cells if cells.type == kind else call_function("cast", [cells], CastOptions.safe(kind))


def encoded(cells: pa.Array) -> pa.DictionaryArray:
    return call_function("dictionary_encode", [cells], DictionaryEncodeOptions())


def where(cells: Any, flags: Any) -> Any:
    """The cells whose flag is true."""
    return call_function("filter", [cells, flags], FilterOptions())


def place_of(cells: Any, value: object) -> int:
    """The first place of a value; -1 if there is none.

    >>> import pyarrow as pa
    >>> place_of(pa.array([False, True]), True)
    1
    """
    import pyarrow as pa

    return int(call_function("index", [cells], IndexOptions(pa.scalar(value, cells.type))).as_py())


def trimmed(cells: Any) -> Any:
    """Texts without the blanks around them."""
    return call_function("ascii_trim", [cells], TrimOptions(" "))


def replaced(cells: Any, old: str, new: str) -> Any:
    return call_function("replace_substring", [cells], ReplaceSubstringOptions(old, new))


def matching(cells: Any, pattern: str) -> Any:
    """Whether a regular expression is found in each text.

    >>> import pyarrow as pa
    >>> matching(pa.array(["1", "a"]), "[0-9]").to_pylist()
    [True, False]
    """
    return call_function("match_substring_regex", [cells], MatchSubstringOptions(pattern))

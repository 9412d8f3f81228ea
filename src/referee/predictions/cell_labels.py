"""Cells as class labels: sorted, one spelling per number."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from referee.predictions import cell_errors
from referee.predictions.arrow_functions import as_type, matching, trimmed, where
from referee.predictions.cells import FINITE, coded_column, is_text, refuse_missing, with_point

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from referee.predictions.cells import Coded
    from referee.predictions.table import Table

INTEGER = re.compile(r"-?[0-9]+")


def labels(table: Table, column: str) -> tuple[npt.NDArray[np.int32], tuple[str, ...], str]:
    """Give a column as codes, its distinct labels in order, and their kind: text, integer, boolean or float.

    >>> from referee.predictions import read_table
    >>> codes, names, kind = labels(read_table({"y": [10, 9, 10]}), "y")
    >>> codes.tolist(), names, kind
    ([1, 0, 1], ('9', '10'), 'integer')
    """
    encoded = coded_column(table, column, dates=False)
    is_written = is_text(table.column(column).type)
    numbers = _NamesAsNumbers(encoded.names, table.decimal if is_written else ".")
    order = numbers.order()
    if is_written and (pairs := numbers.written_twice()):
        names = [encoded.names[place] for place in order]
        raise cell_errors.one_number_spelt_differently(table, column, pairs, names)
    kind = numbers.kind() if table.text else stored_kind(table, column)
    return *_in_order(encoded, order), kind


def coded(table: Table, column: str) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """Give a column of groups or folds as codes and distinct names in order; integers are exact.

    >>> from referee.predictions import read_table
    >>> codes, names = coded(read_table({"fold": ["b", "a", "b"]}), "fold")
    >>> codes.tolist(), names
    ([1, 0, 1], ('a', 'b'))
    """
    encoded = coded_column(table, column, dates=True)
    decimal = table.decimal if is_text(table.column(column).type) else "."
    return _in_order(encoded, _NamesAsNumbers(encoded.names, decimal).order())


def texts(table: Table, column: str) -> npt.NDArray[np.object_]:
    """Give a column of ids as an array of Python strings; integers are exact.

    >>> from referee.predictions import read_table
    >>> texts(read_table({"id": [9007199254740993]}), "id").tolist()
    ['9007199254740993']
    """
    import numpy as np
    import pyarrow as pa

    cells = table.column(column)
    if pa.types.is_string(cells.type) or pa.types.is_integer(cells.type):
        refuse_missing(table, column)
        return np.asarray(as_type(cells, pa.string()).to_numpy())
    encoded = coded_column(table, column, dates=True)
    return np.array(encoded.names, dtype=object)[encoded.codes]


def stored_kind(table: Table, column: str) -> str:
    """Tell as what a column is stored: text, integer, boolean or float."""
    import pyarrow as pa

    kind = table.column(column).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if is_text(kind):
        return "text"
    if pa.types.is_boolean(kind):
        return "boolean"
    return "integer" if pa.types.is_integer(kind) else "float"


def _in_order(encoded: Coded, order: list[int]) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    import numpy as np

    new_codes = np.empty(len(order), np.int32)
    new_codes[order] = np.arange(len(order), dtype=np.int32)
    return new_codes[encoded.codes], tuple(encoded.names[place] for place in order)


class _NamesAsNumbers:
    """Which of some distinct names are numbers, and what follows: their order, their kind, double spellings."""

    def __init__(self, names: list[str], decimal: str) -> None:
        import numpy as np
        import pyarrow as pa

        cells = pa.array(names, pa.large_string())
        plain = with_point(trimmed(cells), decimal)
        is_number = matching(plain, FINITE)
        self.names = names
        self.places = np.flatnonzero(is_number.to_numpy(zero_copy_only=False))
        self.plain = where(plain, is_number)
        self.values = as_type(self.plain, pa.float64()).to_numpy(zero_copy_only=False)
        self.all_numbers = len(self.places) == len(names)
        self.by_value = np.argsort(self.values)
        ordered = self.values[self.by_value]
        self.all_differ = bool((ordered[1:] > ordered[:-1]).all())

    def kind(self) -> str:
        if not self.all_numbers:
            return "text"
        return "integer" if all(map(INTEGER.fullmatch, self.names)) else "float"

    def order(self) -> list[int]:
        """Order by number if all are numbers, else by text."""
        if not self.all_numbers:
            return sorted(range(len(self.names)), key=self.names.__getitem__)
        if self.all_differ:
            return list(self.by_value.tolist())
        # Integers beyond 2^53, or two spellings: equal as floats.
        exact = [Decimal(text) for text in self.plain.to_pylist()]
        return sorted(range(len(self.names)), key=lambda place: (exact[place], self.names[place]))

    def written_twice(self) -> list[tuple[str, str]]:
        """Find pairs of names such as '1' and '1.0'; floats find the suspects, decimals decide."""
        import numpy as np

        if self.all_differ:
            return []
        _, inverse, counts = np.unique(self.values, return_inverse=True, return_counts=True)
        first: dict[Decimal, str] = {}
        pairs = []
        for suspect in np.flatnonzero((counts[inverse] > 1) & np.isfinite(self.values)):
            name, number = self.names[self.places[suspect]], Decimal(self.plain[int(suspect)].as_py())
            if number in first:
                pairs.append(_shorter_first(first[number], name))
            first.setdefault(number, name)
        return sorted(pairs)


def _shorter_first(a: str, b: str) -> tuple[str, str]:
    return (a, b) if (len(a), a) <= (len(b), b) else (b, a)

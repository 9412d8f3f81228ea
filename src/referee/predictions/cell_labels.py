"""Cells as class labels: one spelling per number; labels that look alike, and marks of missing values."""

from __future__ import annotations

import re
from collections import defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING
from unicodedata import category, normalize

from referee.document import counted
from referee.errors import InputError
from referee.predictions import cell_errors
from referee.predictions.arrow_functions import as_type, matching, trimmed, where
from referee.predictions.cells import FINITE, coded_column, is_text, refuse_missing, with_point
from referee.predictions.roles import option_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from referee.predictions.cells import Coded
    from referee.predictions.roles import Roles
    from referee.predictions.table import Table


CYRILLIC_AND_GREEK = "АВЕЗКМНОРСТУХІЅЈаеорсухіјѕһԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ"
LATIN_TWINS = "ABE3KMHOPCTYXISJaeopcyxijshdqwlABEZHIKMNOPTYXovp"
TWIN = dict(zip(CYRILLIC_AND_GREEK, LATIN_TWINS, strict=True))
WITHOUT_PICTURE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe0e\ufe0f")
"""Letters and marks that show nothing; other invisible characters have a category of their own."""


def lookalikes(names: Iterable[str], *, fold_case: bool = False) -> list[list[str]]:
    r"""Group the names that a reader cannot tell apart, or that differ only in case, too.

    >>> lookalikes(["A", "\u0410", "b"])
    [['A', 'А']]
    >>> lookalikes(["yes", "Yes ", "no"], fold_case=True)
    [['yes', 'Yes ']]
    """
    seen = defaultdict(list)
    for name in names:
        seen[folded(name, fold_case=fold_case)].append(name)
    return [group for group in seen.values() if len(group) > 1]


def folded(name: str, *, fold_case: bool = False) -> str:
    r"""What names that look alike have in common.

    >>> folded("\u00a0N/A ", fold_case=True)
    'n/a'
    """
    seen = (TWIN.get(letter, letter) for letter in normalize("NFKC", name) if _is_seen(letter))
    plain = " ".join("".join(seen).split())
    return plain.casefold() if fold_case else plain


def _is_seen(letter: str) -> bool:
    return letter.isspace() or (category(letter) not in ("Cc", "Cf") and letter not in WITHOUT_PICTURE)


MISSING_MARKS = frozenset(
    ("?", "-", "--", ".", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "nil", "null", "none", "missing", "unknown")
)
"""What is written where a label is not known, in small letters."""
NO_LABEL = ""
"""What rows without any label are called."""
FEW_LABELS = 10
"""So many fit a command in a hint."""


def refuse_doubtful_labels(
    table: Table, roles: Roles, rows_of: Mapping[str, int], class_columns: Sequence[str]
) -> None:
    """Ask about labels that may be slips, unless the user or the models' columns name them."""
    named = {*(roles.positive or ()), *(roles.classes or ()), *class_columns}
    _refuse_spellings(table, roles, rows_of, named)
    _refuse_missing_marks(table, roles, rows_of, named)


def _refuse_spellings(table: Table, roles: Roles, rows_of: Mapping[str, int], named: set[str]) -> None:
    for group in lookalikes(rows_of, fold_case=True):
        if named >= set(group) or _all_in_the_rest(roles, group):
            continue
        raise InputError(
            "E_LABELS",
            f"{table.name}: column {roles.truth!r} writes the same label in different ways: "
            f"{with_rows(group, rows_of)}",
            hint=f"fix the file, or treat them as one: --positive {option_row(_together(roles, group))}; "
            f"{_kept_apart(rows_of)} keeps them apart",
        )


def _all_in_the_rest(roles: Roles, group: Sequence[str]) -> bool:
    """Whether the positive class leaves all spellings on the same side, where they count as one."""
    return roles.positive is not None and roles.task != "multiclass" and not set(group) & set(roles.positive)


def _together(roles: Roles, group: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*(roles.positive or ()), *group]))


def _kept_apart(labels: Iterable[str]) -> str:
    names = list(labels)
    return f"--classes {option_row(names)}" if len(names) <= FEW_LABELS else "--classes with all labels"


def _refuse_missing_marks(table: Table, roles: Roles, rows_of: Mapping[str, int], named: set[str]) -> None:
    """Ask only where two labels are left, so that the marks alone make a third class, or join the negatives."""
    marks = [label for label in rows_of if folded(label, fold_case=True) in MISSING_MARKS]
    others = [label for label in rows_of if label not in marks]
    if not marks or len(others) != 2 or roles.task == "multiclass" or named >= set(marks):
        return
    raise InputError(
        "E_MISSING",
        f"{table.name}: column {roles.truth!r} holds {with_rows(marks, rows_of)} beside {with_rows(others, rows_of)}: "
        "missing, or a class?",
        hint=f"--drop-label {option_row(marks)} leaves these rows out; "
        f"{_kept_apart(rows_of)} declares that all of them are classes",
    )


def with_rows(labels: Sequence[str], rows_of: Mapping[str, int]) -> str:
    """Labels with how many rows each has: "'a' (3 rows) and 'b' (1 row)"."""
    shown = [f"{label!r} ({counted(rows_of[label], 'row')})" for label in labels[:FEW_LABELS]]
    if len(labels) > FEW_LABELS:
        shown.append(f"{len(labels) - FEW_LABELS} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


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

"""Spellings: labels that look alike, marks of missing values, and what becomes of them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING
from unicodedata import normalize

from referee.document import counted
from referee.errors import InputError
from referee.predictions.roles import option_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from referee.predictions.roles import Roles
    from referee.predictions.table import Table

CYRILLIC_AND_GREEK = "АВЕЗКМНОРСТУХаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ"
LATIN_TWINS = "ABE3KMHOPCTYXaeopcyxijsABEZHIKMNOPTYXovp"
TWIN = dict(zip(CYRILLIC_AND_GREEK, LATIN_TWINS, strict=True)) | dict.fromkeys("\u200b\u200c\u200d\ufeff\u00ad", "")


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
    plain = "".join(TWIN.get(letter, letter) for letter in " ".join(normalize("NFKC", name).split()))
    return plain.casefold() if fold_case else plain


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
            f"{table.name}: column {roles.truth!r} writes one label in different ways: {with_rows(group, rows_of)}",
            hint=f"mend the file, or take them as one: --positive {option_row(_together(roles, group))}; "
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
        f"{_kept_apart(rows_of)} says that all of them are classes",
    )


def with_rows(labels: Sequence[str], rows_of: Mapping[str, int]) -> str:
    """Labels with how many rows each has: "'a' (3 rows) and 'b' (1 row)"."""
    shown = [f"{label!r} ({counted(rows_of[label], 'row')})" for label in labels[:FEW_LABELS]]
    if len(labels) > FEW_LABELS:
        shown.append(f"{len(labels) - FEW_LABELS} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)

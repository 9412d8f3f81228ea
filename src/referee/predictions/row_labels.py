"""Row labels: the index of a pandas object, which says which row is which, and may contradict that of another one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping


def refuse_other_orders(columns: Mapping[str, Any]) -> None:
    """Refuse columns that stand beside each other, position by position, where their labels say something else."""
    labelled = {name: values for name, values in columns.items() if _is_index(getattr(values, "index", None))}
    for reference, values in labelled.items():
        if not _counts_rows(values.index):
            for name, others in labelled.items():
                refuse_other_order(name, others, repr(reference), values)
            return


def refuse_other_order(name: str, values: Any, reference_name: str, reference: Any) -> None:
    """Refuse a pandas object whose index says that its rows are not those of another, position by position.

    An index that only counts the rows from 0 says nothing, as that of `pandas.Series(model.predict(X))`.
    """
    index: Any = getattr(values, "index", None)
    expected: Any = getattr(reference, "index", None)
    if not (_is_index(index) and _is_index(expected)) or index.equals(expected):
        return
    in_another_order = Counter(index) == Counter(expected)
    if len(index) != len(expected) or not (in_another_order or not (_counts_rows(index) or _counts_rows(expected))):
        return
    is_that = f"is that of {reference_name} in another order"
    raise UsageError(
        "E_ALIGN",
        f"the index of {name!r} {is_that if in_another_order else f'has other labels than that of {reference_name}'}",
        hint="align them, such as s.reindex(y.index), or pass .to_numpy() if the rows are in the same order",
    )


def _is_index(index: Any) -> bool:
    return hasattr(index, "equals")


def _counts_rows(index: Any) -> bool:
    """Whether it is no more than the numbers of the rows."""
    return np.array_equal(np.asarray(index), np.arange(len(index)))

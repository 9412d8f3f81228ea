"""Typed access to the cells of a `Table`; every error names source, column, data row and cell."""

from referee.readers.cell_labels import coded, labels, stored_kind, texts
from referee.readers.cell_numbers import is_numeric, mostly_numeric, numbers

__all__ = ["coded", "is_numeric", "labels", "mostly_numeric", "numbers", "stored_kind", "texts"]

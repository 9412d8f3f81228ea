"""Limits and rows as the command line writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def limits(given: Sequence[str]) -> dict[str, float]:
    """Read METRIC=X pairs; the metric may have parameters.

    >>> limits(["precision=0.9", "f_beta(beta=2)=0.5"])
    {'precision': 0.9, 'f_beta(beta=2)': 0.5}
    """
    found = {}
    for text in given:
        name, equals, bound = text.rpartition("=")
        try:
            found[name.strip()] = float(bound)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise UsageError("E_SYNTAX", f"{text!r} is not of the form METRIC=X", hint="such as precision=0.9")
    return found

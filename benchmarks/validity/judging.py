"""What is promised of the product's own choices, and which results do not keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.validity.measuring import COVERAGE, ERRORS
from benchmarks.validity.several_models import KEEPS_ALL, KEEPS_ONE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.validity.measuring import Result

NEAR_ALPHA, AT_MOST, NEAR_CONFIDENCE, AT_LEAST = (0.02, 0.07), (0.0, 0.07), (0.93, 0.97), (0.93, 1.0)


def promise(result: Result) -> tuple[float, float] | None:
    """Between which ends a default choice has to be; None where nothing is promised."""
    if not result.default:
        return None
    if result.measure in ERRORS:
        # Of many models, and where training sets overlap, caution is no fault.
        return AT_MOST if result.part in ("splits", "several models") else NEAR_ALPHA
    if result.measure in (KEEPS_ALL, KEEPS_ONE):
        return AT_LEAST
    return NEAR_CONFIDENCE if result.measure == COVERAGE else None


def is_exception(result: Result) -> bool:
    ends = promise(result)
    return ends is not None and not ends[0] <= result.value <= ends[1]


def exceptions(results: Iterable[Result]) -> list[Result]:
    return [result for result in results if is_exception(result)]

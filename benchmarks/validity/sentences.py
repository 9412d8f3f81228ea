"""What was measured of each test, in one sentence: what its card says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.validity.measuring import ERRORS, FALSE_CLAIM, FALSE_DIFFERENCE, FALSE_WINNER
from benchmarks.validity.several_models import HOLM, RULE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.validity.measuring import Result

WHAT = {
    FALSE_WINNER: "false winners between equal models",
    FALSE_DIFFERENCE: "differences found between five equal models",
    FALSE_CLAIM: "false claims of models that differ by the margin itself",
}


def sentences(results: Sequence[Result]) -> dict[str, str]:
    """For each test, with its settings, the range of its rates over metrics, nulls and learners."""
    found: dict[str, str] = {}
    for test in dict.fromkeys(result.test for result in results if result.test not in ("", RULE, HOLM)):
        for measure in ERRORS:
            ranges = _ranges([result for result in results if result.test == test and result.measure == measure])
            if ranges:
                found[test] = f"{WHAT[measure]}, at alpha 0.05: " + "; ".join(ranges)
    return found


def _ranges(results: Sequence[Result]) -> list[str]:
    places: dict[str, list[float]] = {}
    for result in results:
        places.setdefault(_place(result), []).append(100 * result.value)
    return [f"{_range(rates)}% {place}" for place, rates in places.items()]


def _place(result: Result) -> str:
    if result.part == "splits":
        return f"at {result.design}"
    within = f" ({result.design})" if result.design else ""
    return f"with {result.setting}{within}"


def _range(rates: Sequence[float]) -> str:
    low, high = (f"{rate:.1f}" for rate in (min(rates), max(rates)))
    return low if low == high else f"{low} to {high}"

"""Everything that a result prints, as numbers and words by place; and where two results differ."""

from __future__ import annotations

import math
from typing import Any

SCORE = ("value", "low", "high", "standard_error", "undefined", "threshold")
COMPARISON = (
    "difference", "low", "high", "standard_error", "statistic", "df", "critical", "p", "p_adjusted", "outcome",
)  # fmt: skip
CLOSE = 1e-9
NEAR_ZERO = {"difference": 1e-12, "statistic": 1e-9, "low": 1e-12, "high": 1e-12, "value": 1e-12}
"""What is small by cancelling has no more digits than that."""


def printed(result: Any, *, rows: bool = True) -> dict[tuple[Any, ...], Any]:
    """By place; without what speaks of the number of rows where they are other ones."""
    body = result.to_dict()
    places: dict[tuple[Any, ...], Any] = {}
    for part in ("scores", "baseline"):
        for row in body[part]:
            key = (part, row["model"], row["metric"], row["class"], row["slice"], row["unit"])
            places |= {(*key, name): row[name] for name in SCORE}
    for row in body.get("comparisons", ()):
        key = ("comparisons", row["a"], row["b"], row["metric"], row["test"])
        places |= {(*key, name): row[name] for name in COMPARISON if name in row}
    for row in body["confusion"]:
        counted = sum(map(sum, row["counts"]))
        cells = {
            (true, called): count / counted
            for true, counts in zip(row["classes"], row["counts"], strict=True)
            for called, count in zip(row["classes"], counts, strict=True)
        }
        places |= {("confusion", row["model"], *cell, "share"): share for cell, share in cells.items()}
    if "verdict" in body:
        names = ("outcome", "winners", "certainty", "better_than_guessing", *(("sentence",) if rows else ()))
        places |= {("verdict", name): body["verdict"][name] for name in names}
    for notice in body["warnings"]:
        places["warnings", notice["code"], "said"] = True
    return places


def differences(some: dict[Any, Any], others: dict[Any, Any], loose: Any = lambda _key: False) -> list[str]:
    """What is not the same in both; `loose` says where two in a hundred are close enough."""
    alone = [f"{key} only in one: {some.get(key, others.get(key))!r}" for key in some.keys() ^ others.keys()]
    return alone + [
        f"{key}: {some[key]!r} and {others[key]!r}"
        for key in some
        if key in others and not alike(key[-1], some[key], others[key], 0.02 if loose(key) else CLOSE)
    ]


def alike(name: str, a: Any, b: Any, close: float = CLOSE) -> bool:
    if isinstance(a, float | int) and isinstance(b, float | int) and not isinstance(a, bool):
        return math.isclose(a, b, rel_tol=close, abs_tol=NEAR_ZERO.get(name, 1e-12))
    return bool(a == b)

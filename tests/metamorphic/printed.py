"""Everything that a result prints, as numbers and words by place; and where two results differ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

SCORE = ("value", "low", "high", "standard_error", "undefined", "threshold")
COMPARISON = (
    "difference", "low", "high", "standard_error", "statistic", "df", "critical", "p", "p_adjusted", "outcome",
)  # fmt: skip
DETAILS = "details"
"""What a comparison tells beside its numbers: calls, tails, groups, pieces, procedures."""
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
        if rows:
            places |= {(*key, *place): value for place, value in _leaves(row[DETAILS], (DETAILS,), LEFT_OUT)}
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


LEFT_OUT = ("fingerprint", "message", "positives", "negatives", "rank", "read", "rows", "warnings")
"""What says how much there is of everything; of warnings the codes are kept."""
SENTENCES = ("headline", "judgement", "sentence")
NAMES = ("model", "event", "kind", "a", "b", "metric", "method", "name", "class")
"""What tells the items of a list apart."""
CELLS = ("tp", "fp", "fn", "tn")


def everything(body: Any, *, rows: bool = True) -> dict[tuple[Any, ...], Any]:
    """All numbers and words of a result as JSON has it, by place; counts as shares."""
    codes = {("warnings", notice["code"], "said"): True for notice in body.get("warnings", ())}
    return dict(_leaves(body, (), LEFT_OUT if rows else (*LEFT_OUT, *SENTENCES))) | codes


def _leaves(part: Any, place: tuple[Any, ...], left_out: tuple[str, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(part, dict):
        for name, value in _with_shares(part).items():
            if name not in left_out:
                yield from _leaves(value, (*place, name), left_out)
    elif isinstance(part, list | tuple):
        items = sorted(part, key=str) if place[-1] == "maps" else part  # they stand in the order of the labels
        for number, item in enumerate(items):
            said = item if isinstance(item, dict) else {}
            names = {name: said[name] for name in NAMES if isinstance(said.get(name), str)}
            rest = {name: value for name, value in said.items() if name not in names} if said else item
            yield from _leaves(rest, (*place, *(names.values() or [number])), left_out)
    else:
        yield place, part


def _with_shares(part: dict[str, Any]) -> dict[str, Any]:
    if not all(name in part for name in CELLS):
        return part
    counts = np.array([part[name] for name in CELLS], float)
    shares = counts / counts.sum(axis=0)
    return part | dict(zip(CELLS, shares.tolist(), strict=True))


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

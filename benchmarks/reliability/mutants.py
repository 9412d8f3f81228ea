"""What `make mutants` kept, as a part of docs/reliability.md; survivors have their reasons in survivors.toml."""

from __future__ import annotations

import re
from collections import Counter

KINDS = {
    "equivalent": "nothing that is computed or shown changes",
    "no consequence": "a limit, a starting point or a way to save time",
    "elsewhere": "a slower test of the suite looks at it",
    "no answer": "the tests do not end",
    "open": "no test of the list looks at it; the others were not tried",
}
"""The first words of a reason, and what they mean."""


def lines(results):
    rooms, outcomes = results["rooms"], results["outcomes"]
    counted = {
        name: Counter(outcomes[key]["outcome"] for key in room["mutants"] if key in outcomes)
        for name, room in rooms.items()
    }
    tried = {name: counts.total() for name, counts in counted.items()}
    killed = {name: counts["killed"] for name, counts in counted.items()}
    yield "## Mistakes put into the code"
    share = sum(killed.values()) / sum(tried.values())
    yield (
        f"Of {sum(tried.values())} mistakes, drawn with a fixed seed from the code that the fast tests of its room run "
        f"(tests/rooms), these tests notice {sum(killed.values())}, {share:.0%}; 85% is the aim. Tests outside that "
        "list may notice more. The lists and some tests were chosen with these mistakes in view. One that gives no "
        "answer in its time counts as not noticed (`make mutants`)."
    )
    yield from _fresh(results.get("fresh", {}))
    yield ""
    yield "| room | tried | noticed | not noticed | no answer | CPU seconds of its tests |"
    yield "|---|--:|--:|--:|--:|--:|"
    for name, room in rooms.items():
        counts = counted[name]
        yield (
            f"| {name} | {tried[name]} | {killed[name]} | {counts['survived']} | {counts['no answer']} | "
            f"{room['test_seconds']:.1f} |"
        )
    yield ""
    yield from _survivors({key: outcome for key, outcome in outcomes.items() if outcome["outcome"] != "killed"})


def _fresh(samples):
    """Samples that no test was written for when they were tried: what to expect of any other mistake."""
    if not samples:
        return
    yield ""
    yield (
        "Others were drawn afresh, and tried once, before any test was written for them "
        "(`python -m benchmarks.mutants --fresh SEED --number N`):"
    )
    yield ""
    yield "| seed | tried | noticed | share | not noticed, and why |"
    yield "|--:|--:|--:|--:|---|"
    for seed, sample in samples.items():
        outcomes = [sample["outcomes"][key] for room in sample["rooms"].values() for key in room["mutants"]
                    if key in sample["outcomes"]]  # fmt: skip
        noticed = sum(outcome["outcome"] == "killed" for outcome in outcomes)
        kinds = Counter(_kind(outcome) for outcome in outcomes if outcome["outcome"] != "killed")
        said = ", ".join(f"{kinds[kind]} {kind}" for kind in KINDS if kinds[kind])
        yield f"| {seed} | {len(outcomes)} | {noticed} | {noticed / len(outcomes):.0%} | {said} |"


def _survivors(survivors):
    kinds = Counter(_kind(outcome) for outcome in survivors.values())
    said = "; ".join(f"{kinds[kind]} {kind} ({meaning})" for kind, meaning in KINDS.items() if kinds[kind])
    yield f"Those not noticed: {said}."
    yield ""
    for key, outcome in sorted(survivors.items(), key=lambda each: (_kind(each[1]), each[0])):
        path, _, change = key.removeprefix("src/referee/").partition(" ")
        change = re.sub(r"\w+\.\.\.", "...", change)  # long ones are cut off within a word
        yield f"- {path}: `{change}`: {outcome.get('reason', 'open')}"


def _kind(outcome):
    kind = outcome.get("reason", "open").partition(":")[0]
    return kind if kind in KINDS else "open"

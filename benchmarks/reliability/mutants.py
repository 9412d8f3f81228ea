"""What `make mutants` kept, as a part of docs/reliability.md."""

from __future__ import annotations

from collections import Counter


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
        f"Of {sum(tried.values())} mistakes, drawn with a fixed seed from the code that tests run, the fast tests of "
        f"their room (tests/rooms) notice {sum(killed.values())}, {share:.0%}; 85% is the aim. Tests outside that list "
        "may notice more: survivors have not been looked at one by one. One that gives no answer in its time counts as "
        "not noticed (`make mutants`)."
    )
    yield ""
    yield "| room | drawn | tried | noticed | not noticed | no answer |"
    yield "|---|--:|--:|--:|--:|--:|"
    for name, room in rooms.items():
        counts = counted[name]
        yield (
            f"| {name} | {len(room['mutants'])} | {tried[name]} | {killed[name]} | {counts['survived']} | "
            f"{counts['no answer']} |"
        )

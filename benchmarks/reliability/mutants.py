"""What `make mutants` kept, as a part of docs/reliability.md."""

from __future__ import annotations


def lines(results):
    rooms = results["rooms"]
    tried = {name: sum(room["counts"].values()) for name, room in rooms.items()}
    killed = {name: room["counts"].get("killed", 0) for name, room in rooms.items()}
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
        counts = room["counts"]
        yield (
            f"| {name} | {len(room['mutants'])} | {tried[name]} | {killed[name]} | {counts.get('survived', 0)} | "
            f"{counts.get('no answer', 0)} |"
        )

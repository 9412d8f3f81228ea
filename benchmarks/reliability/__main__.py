"""`python -m benchmarks.reliability`: docs/reliability.md, from the JSON file of each part beside this one."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from benchmarks.reliability.results import kept

PAGE = Path(__file__).parents[2] / "docs/reliability.md"
PARTS = ("cases", "metamorphic", "fuzz", "numbers", "kills", "faults", "opening", "soak", "mutants")
"""In the order of the page; the module of a part has `lines(results)`, its text."""


def plain(part, results):
    """A part without words of its own: its numbers."""
    yield f"## {part.capitalize()}"
    yield from (f"- {name.replace('_', ' ')}: {value}" for name, value in results.items())


def lines():
    yield "# Reliability"
    yield (
        "What was tried in order to break referee, and what came of it. Each part has a command that runs it and keeps "
        "its results; under Numbers stand the tolerances that tests hold. `python -m benchmarks.reliability` makes "
        "this page."
    )
    for part in PARTS:
        if results := kept(part):
            module = f"benchmarks.reliability.{part}"
            own = import_module(module).lines if find_spec(module) else lambda found, part=part: plain(part, found)
            yield ""
            yield from own(results)
    missing = [part for part in PARTS if not kept(part)]
    if missing:
        yield ""
        yield f"Not measured yet: {', '.join(missing)}."


if __name__ == "__main__":
    PAGE.write_text("\n".join(lines()) + "\n", encoding="utf-8")

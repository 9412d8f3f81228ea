"""docs/speed.md: what public calls cost beside their peers, as the last run of `make bench` found it."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "speed.md"
SHOWN = ("start_up", "public_calls")
HEAD = """# Speed
CPU seconds (user and system) of public calls and of their peers, by turns in one run; the least of several runs each,
and the ratio of these. scikit-learn and polars give numbers only, referee also standard errors, intervals, a row for
each class and what guessing has. `make bench` measures again and writes this page; `python -m benchmarks.public_calls
1e3` prints one size.

Machine: {machine}, {cores} cores, load average {load:.1f} at the end of the run (where that is above 1, others used it,
too); Python {python}.

| call | referee, s | peer | peer, s | times less CPU | to reach |
|---|---:|---|---:|---:|---|
"""


def write_page(machine, results):
    lines = [line for name in SHOWN for result in results.get(name, ()) for line in _lines(result)]
    PAGE.write_text(HEAD.format(**machine) + "\n".join(lines) + "\n")


def _lines(result):
    """A line for each peer; what has none says it in its title."""
    own = next(iter(result.get("cpu_seconds", {}).values()), None)
    if not result["times_less_cpu"]:
        yield f"| {result['title']} | {_seconds(own)} |  |  |  |  |"
    for peer, ratio in result["times_less_cpu"].items():
        goal = result["goals"].get(peer)
        reached = "" if goal is None else f"{goal:.2g}: {'reached' if result['met'][peer] else 'not reached'}"
        seconds = _seconds(result["cpu_seconds"].get(peer))
        yield f"| {result['title']} | {_seconds(own)} | {peer} | {seconds} | {ratio:.2g} | {reached} |"


def _seconds(spent):
    return "" if spent is None else f"{spent:.3g}"

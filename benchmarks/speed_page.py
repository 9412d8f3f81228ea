"""docs/speed.md: what public calls cost beside their peers, as the last runs of `make bench` measured it."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from benchmarks.growth import growth
from benchmarks.rows import TWELVE_CALL

PAGE = Path(__file__).parents[1] / "docs" / "speed.md"
HEAD = """# Speed
CPU seconds (user and system) of public calls (`referee.` stands before each) and of their peers, by turns in one
process, each on one thread ({limited} are 1); commands run as users run them. Seconds are the least of up to 15 runs,
and a ratio is that of the seconds beside it: above 1 referee needs less. Peers give numbers only, except those for
intervals and tests; referee also gives standard errors, intervals and a row for each class. What guessing has, whether
another metric's choice is significant, and the best value without its optimism are made when they are looked at:
`to_json()` and the page look at all of it, a command at what it prints, a bare call at nothing. Values are compared
before anything is timed. The limit kernel (`benchmarks/limit_kernel.c`) does nothing but the work: one
sort of keys and one sweep.

`make bench` measures again and writes this page, in about 20 minutes on two idle cores; `python -m benchmarks NAME`
measures one part ({names}) and keeps the
rest. Further peers are measured if they are installed in a folder that `REFEREE_PEERS` names.

Machine: {machine}, {cores} cores, Python {python}; load average at the end of the run {load:.1f} (where it is above 1,
others used the machine, too). Packages: {packages}.
"""
TITLES = {
    "rows": "Two classes, by rows", "many": "Models, classes, slices, weights, groups, numbers",
    "designs": "Time, looks, leaderboards, data sets", "intervals": "Intervals and tests",
    "sources": "Databases, files, curves, the page",
    "commands": "The command line", "select": "Fitting and selecting", "trees": "C4.5's trees",
    "study": "The paper's experiment", "memory": "Memory",
    "growth": "Growth, from the runs above",
}  # fmt: skip
COLUMNS = "| call | of | referee | peer | peer, s | ratio | target |\n|---|---|---:|---|---:|---:|---|"
LONGEST_BAR = 40


def write_page(machine, results):
    every = [row for rows in results.values() for row in rows]
    every += list(growth(every))
    names = [name for name in TITLES if name != "growth"]
    parts = [HEAD.format(**machine, names=", ".join(names)), _count(every)]
    absent = [TITLES[name] for name in names if name not in results]
    parts += [f"Not measured yet: {'; '.join(absent)}.\n"] if absent else []
    parts += [_chart(results["rows"])] if "rows" in results else []
    for name, rows in (results | {"growth": list(growth(every))}).items():
        parts.append(f"## {TITLES[name]}\n{COLUMNS}\n" + "\n".join(map(_line, rows)) + "\n")
    PAGE.write_text("\n".join(parts))


def _count(rows):
    judged = [row for row in rows if row["reached"] is not None]
    missed = [row for row in judged if not row["reached"]]
    return f"{len(judged) - len(missed)} of the {len(judged)} targets that were measured are reached.\n"


def _chart(rows):
    """Bars of the twelve metrics: how many times less CPU than scikit-learn referee and the others need."""
    lines = ["## Twelve metrics of one model: times less CPU than scikit-learn", "```text"]
    of_twelve = [row for row in rows if row["call"] == TWELVE_CALL and row["value"] is not None]
    for size, group in groupby(of_twelve, key=lambda row: row["size"]):
        beside = list(group)
        seconds = {"referee": beside[0]["referee"]} | {row["peer"]: row["value"] for row in beside}
        unit = seconds.pop("scikit-learn")
        lines.append(size)
        lines += [f"  {name:<28}{_bar(unit / spent)} {unit / spent:.3g}" for name, spent in seconds.items()]
    return "\n".join([*lines, "```", "Each further block is a factor of about 1.2; values only, but for referee.\n"])


def _bar(ratio):
    """On a logarithmic scale from a half to a thousand."""
    from math import log

    share = log(max(ratio, 0.5) / 0.5) / log(1000 / 0.5)
    return "█" * max(1, round(LONGEST_BAR * share))


def _line(row):
    own = f"{row['referee']:.3g} {row['unit']}" if row["peer"] is None else f"{row['referee']:.3g}"
    peer = row["peer"] or ""
    if peer and row["value"] is None:
        return f"| `{row['call']}` | {row['size']} | {own} | {peer} | not installed |  |  |"
    theirs, ratio = ("" if row[key] is None else f"{row[key]:.3g}" for key in ("value", "ratio"))
    return f"| `{row['call']}` | {row['size']} | {own} | {peer} | {theirs} | {ratio} | {_target(row)} |"


def _target(row):
    if row["target"] is None:
        return ""
    bound = "at least" if row["peer"] else "at most"
    return f"{bound} {row['target']:.3g}: {'reached' if row['reached'] else '**not reached**'}"

"""Contestants of one workload, by turns in one process; the least CPU seconds of each, and the ratio of these."""

from __future__ import annotations

import resource
import subprocess
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks.environment import USERS

BUDGET, MOST_ROUNDS = 4.0, 15
"""CPU seconds that the rounds of a workload may take, and how many there are at most; one there always is."""


@dataclass
class Workload:
    """A public call, and what others do for the same."""

    call: str
    """As a user types it."""
    size: str
    referee: Any
    """A function without arguments, as are the peers."""
    peers: dict[str, Any] = field(default_factory=dict)
    """A peer that is not installed is None."""
    targets: dict[str, float] = field(default_factory=dict)
    """Peer -> how many times less CPU referee should need (below 1: how many times more it may)."""
    agree: Any = None
    """Compares the answers, given by name, before anything is timed."""
    series: str = ""
    """Workloads that differ in a size only belong to one series, of which the growth is fitted."""
    n: int = 0


def measured(workload: Workload) -> list[dict[str, Any]]:
    """A row for each peer; one without a peer where there is none."""
    contestants = {"referee": workload.referee} | {name: run for name, run in workload.peers.items() if run}
    started = time.process_time()
    answers = {name: run() for name, run in contestants.items()}
    first = time.process_time() - started
    if workload.agree is not None:
        workload.agree(answers)
    answers.clear()
    seconds = least_by_turns(contestants, max(1, min(MOST_ROUNDS, int(BUDGET / max(first, 1e-9)))))
    return rows_of(workload, seconds)


def least_by_turns(contestants, rounds, clock=time.process_time):
    """The least of several runs is what the work takes; the rest is what else the machine did."""
    spent = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            started = clock()
            run()
            spent[name].append(clock() - started)
    return {name: min(times) for name, times in spent.items()}


def rows_of(workload, seconds):
    """The seconds of all contestants as rows, one for each peer."""
    own = seconds["referee"]
    known = {"call": workload.call, "size": workload.size, "series": workload.series, "n": workload.n, "referee": own}
    if not workload.peers:
        return [figure(workload.call, workload.size, "s", own) | known]
    return [known | _beside(workload, peer, seconds.get(peer), own) for peer in workload.peers]


def _beside(workload, peer, theirs, own):
    if theirs is None:
        return {"unit": "s", "peer": peer, "value": None, "ratio": None, "target": None, "reached": None}
    target, ratio = workload.targets.get(peer), theirs / own
    reached = None if target is None else bool(ratio >= target)
    return {"unit": "s", "peer": peer, "value": theirs, "ratio": ratio, "target": target, "reached": reached}


def figure(call, size, unit, value, most=None):
    """A row of one number, with the most that it may be."""
    return {
        "call": call, "size": size, "series": "", "n": 0, "unit": unit, "referee": float(value), "peer": None,
        "value": None, "ratio": None, "target": most, "reached": None if most is None else bool(value <= most),
    }  # fmt: skip


def children_clock():
    """CPU seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def whole_clock():
    """CPU seconds of this process and its children."""
    return time.process_time() + children_clock()


def command(*words):
    """A command as a function that runs it."""
    return lambda: subprocess.run(words, check=True, capture_output=True, text=True, env=USERS).stdout

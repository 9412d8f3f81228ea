"""Contestants of one workload, run by turns in one process: machines are noisy, so only ratios count."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass
class Workload:
    """What is to be done, and who does it."""

    title: str
    contestants: dict
    """Name -> function without arguments; the first is referee."""
    goals: dict = field(default_factory=dict)
    """Peer -> how many times less CPU referee should need (below 1: how many times more it may)."""
    rounds: int = 3
    agree: object = None
    """Checks the contestants' answers, given by name, before anything is timed."""


def measured(workload: Workload) -> dict:
    answers = {name: run() for name, run in workload.contestants.items()}
    if workload.agree is not None:
        workload.agree(answers)
    answers.clear()
    cpu, wall = {name: [] for name in workload.contestants}, {name: [] for name in workload.contestants}
    for _ in range(workload.rounds):
        for name, run in workload.contestants.items():
            started = time.process_time(), time.perf_counter()
            run()
            cpu[name].append(time.process_time() - started[0])
            wall[name].append(time.perf_counter() - started[1])
    own, *peers = workload.contestants
    # The least of several runs is what the work takes; the rest is what else the machine did.
    ratios = {peer: min(cpu[peer]) / min(cpu[own]) for peer in peers}
    return {
        "title": workload.title,
        "cpu_seconds": {name: min(times) for name, times in cpu.items()},
        "wall_seconds": {name: min(times) for name, times in wall.items()},
        "times_less_cpu": ratios,
        "goals": workload.goals,
        "met": {peer: ratios[peer] >= goal for peer, goal in workload.goals.items()},
    }

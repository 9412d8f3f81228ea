"""Rows in time, repeated looks, leaderboards and data sets with folds: what their tests cost beside the plain one."""

from __future__ import annotations

import tempfile
from itertools import chain
from pathlib import Path

import numpy as np

import referee
from benchmarks import examples
from benchmarks.measure import Workload, figure, least_by_turns, measured

TWICE = 1 / 2
"""A test of rows in time may take twice the CPU of that of independent rows, and a look that of a gate alone."""
BOARDS = ((134, 500, 2), (2_000, 1_000, 120))
"""Models, items, and the CPU seconds that their tiers and ranks may take."""
MOST_HIERARCHICAL = 3


def in_time(rows=1_000_000):
    truth, models = examples.two_classes(rows, 2)
    time = np.arange(rows)
    for goal in ("accuracy", "log_loss", "roc_auc"):
        known = {"goal": goal, "metrics": [goal]}
        yield Workload(
            f'compare(y, {{"m1": p, "m2": q}}, goal="{goal}", metrics=["{goal}"], time=t)',
            f"{rows:,} rows",
            lambda k=known: referee.compare(truth, models, time=time, **k),
            {"without time": lambda k=known: referee.compare(truth, models, **k)},
            {"without time": TWICE},
        )


def looks(rows=1_000_000):
    """A second look that is given the new rows alone."""
    truth, models = examples.two_classes(2 * rows, 2)
    known = {"goal": "accuracy", "production": "m2", "candidate": "m1", "margin": 0.0001}
    old, new = ((truth[part], {name: scores[part] for name, scores in models.items()})
                for part in (slice(rows), slice(rows, None)))  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "gate.jsonl"
        referee.gate(*old, **known, ledger=ledger, looks=20, until=40 * rows, new_rows=True)
        first = ledger.read_bytes()

        def look():
            ledger.write_bytes(first)
            return referee.gate(*new, **known, ledger=ledger, new_rows=True)

        yield Workload(
            'gate(y, {"m1": p, "m2": q}, goal="accuracy", ..., ledger="gate.jsonl", new_rows=True)',
            f"{rows:,} new rows after {rows:,}",
            look,
            {"without a ledger": lambda: referee.gate(*new, **known)},
            {"without a ledger": TWICE},
        )


def leaderboards():
    draw = np.random.default_rng(0)
    for models, items, most in BOARDS:
        hard = draw.normal(size=items)
        scores = {
            f"m{place}": (hard + draw.normal(size=items) < place / models).astype(float) for place in range(models)
        }
        spent = least_by_turns({"referee": lambda s=scores: referee.compare(s, task="scores").ranks}, 1)
        yield figure(
            'compare(scores, task="scores").ranks', f"{models:,} models x {items:,} items", "s", *spent.values(), most
        )


def hierarchical(data_sets=30, folds=10):
    draw = np.random.default_rng(0)
    base = draw.uniform(0.6, 0.9, data_sets)[:, None]
    a, b = (base + shift + draw.normal(0, 0.02, (data_sets, folds)) for shift in (0.01, 0.0))
    run = {"referee": lambda: referee.tests["bayes_hierarchical"](a, b, test_fraction=0.1)}
    spent = least_by_turns(run, 3)
    size = f"{data_sets} data sets x {folds} folds"
    yield figure('tests["bayes_hierarchical"](a, b, test_fraction=0.1)', size, "s", *spent.values(), MOST_HIERARCHICAL)


def results():
    for workload in chain(in_time(), looks()):
        yield from measured(workload)
    yield from leaderboards()
    yield from hierarchical()

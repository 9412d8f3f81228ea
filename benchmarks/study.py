"""The paper's experiment and the regret map, whole, as users run them."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import children_clock, command, figure, least_by_turns

DATA, MOST = Path(__file__).parents[2] / "shared" / "data" / "uci", 150
"""Where the paper's data sets are, and the CPU seconds that its experiment may take."""
MAP, MOST_OF_MAP = Path(__file__).parents[1] / "docs" / "study" / "map.py", 1800
"""The script that makes the regret map, and the CPU seconds that it may take: 15 minutes on two cores."""


def replication():
    """The experiment as a user runs it, on one core."""
    asked = ("study", "--repetitions", "100", "--seed", "0")
    run = command(sys.executable, "-m", "referee", *asked, "--data", str(DATA), "--jobs", "1", "--quiet")
    (spent,) = least_by_turns({"referee": run}, 1, children_clock).values()
    return figure(" ".join(["referee", *asked]), "5 data sets x 3 pairs of models", "s", spent, MOST)


def map_figure(spent):
    return figure("make map", "34 problems x 2 splits x 27 models, 40 holdout sets of 6 sizes", "s", spent, MOST_OF_MAP)


def regret_map():
    """The map as its script makes it, by two workers."""
    with tempfile.TemporaryDirectory() as folder:
        (spent,) = least_by_turns(
            {"map": command(sys.executable, str(MAP), "--out", folder)}, 1, children_clock
        ).values()
    return map_figure(spent)


def results():
    if DATA.is_dir():
        yield replication()
        if shutil.which("apt-get"):
            yield regret_map()

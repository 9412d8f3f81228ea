"""How much CPU a command costs before it does anything."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""An installation has its bytecode, so the second run here has it, too."""


def cpu_of(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def results(rounds=7):
    """Children's CPU, by turns; the least of several runs, and the ratio of these."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "preds.csv"
        draw = np.random.default_rng(0)
        rows = zip(draw.integers(0, 2, 1000), draw.random(1000), draw.random(1000), strict=True)
        file.write_text("y,a,b\n" + "".join(f"{y},{a:.3f},{b:.3f}\n" for y, a, b in rows))
        python, referee = sys.executable, (sys.executable, "-m", "referee")
        pairs = [
            ("referee --help", (*referee, "--help"), "python -c pass", (python, "-c", "pass"), 1 / 4),
            ("referee evaluate preds.csv, 2 models x 1,000 rows", (*referee, "evaluate", str(file), "--truth", "y"),
             "import sklearn.metrics", (python, "-c", "import sklearn.metrics"), 1),
            ("referee compare preds.csv --goal roc_auc, 2 models x 1,000 rows",
             (*referee, "compare", str(file), "--truth", "y", "--goal", "roc_auc"),
             "import numpy, pyarrow", (python, "-c", "import numpy, pyarrow"), 1 / 1.6),
        ]  # fmt: skip
        for title, own, peer_name, peer, goal in pairs:
            cpu = {"referee": [], peer_name: []}
            for _ in range(rounds):
                cpu["referee"].append(cpu_of(*own))
                cpu[peer_name].append(cpu_of(*peer))
            least = {name: min(times) for name, times in cpu.items()}
            ratio = least[peer_name] / least["referee"]
            yield {
                "title": f"{title}, against {peer_name}",
                "cpu_seconds": least,
                "times_less_cpu": {peer_name: ratio},
                "goals": {peer_name: goal},
                "met": {peer_name: ratio >= goal},
            }

"""The most memory that a call takes for each row, beyond the arrays that it is given."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.examples import two_classes
from benchmarks.measure import command, figure
from benchmarks.peers import TWELVE

CHILD = """
import re, sys
from pathlib import Path
import numpy as np
import referee
truth, scores = np.load(sys.argv[1]), np.load(sys.argv[2])
rows, names = int(sys.argv[3]), sys.argv[4].split(",") if sys.argv[4] else None
if sys.argv[5] == "compare":
    referee.compare(truth[:rows], {"m1": scores[:rows], "m2": scores[:rows] ** 2}, goal="roc_auc")
else:
    referee.evaluate(truth[:rows], {"m1": scores[:rows]}, metrics=names)
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""
"""VmHWM is the peak of this program alone; ru_maxrss would be that of whoever started it, too."""
FEW = 1_000
CALLS = (
    ('evaluate(y, {"m1": p}, metrics=[12 metrics])', TWELVE, "evaluate", (1_000_000, 10_000_000)),
    ('evaluate(y, {"m1": p})', (), "evaluate", (1_000_000,)),
    ('compare(y, {"m1": p, "m2": q}, goal="roc_auc")', (), "compare", (1_000_000,)),
)


def peak(files, rows, names, verb):
    """Bytes."""
    return 1024 * int(command(sys.executable, "-c", CHILD, *files, str(rows), ",".join(names), verb)())


def results():
    """The peak of all rows minus that of a few, with the same arrays loaded."""
    with tempfile.TemporaryDirectory() as folder:
        for call, names, verb, sizes in CALLS:
            for rows in sizes:
                files = [str(Path(folder) / f"{name}_{rows}.npy") for name in ("truth", "scores")]
                if not Path(files[0]).exists():
                    truth, models = two_classes(rows)
                    np.save(files[0], truth)
                    np.save(files[1], models["m1"])
                beyond = peak(files, rows, names, verb) - peak(files, FEW, names, verb)
                yield figure(call, f"{rows:,} rows", "bytes a row at the peak", beyond / rows)

"""The limit: what twelve metrics take if nothing is done but the work itself, by limit_kernel.c and the C compiler.

No checks, weights, standard errors or intervals.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.peers import twelve_of

SOURCE = Path(__file__).with_suffix(".c")


def compiler():
    return shutil.which("cc")


@cache
def _library():
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "limit_kernel.so"
        subprocess.run([compiler(), "-O3", "-shared", "-fPIC", "-o", built, SOURCE, "-lm"], check=True)
        return ctypes.CDLL(str(built))


def twelve_at_the_limit(truth, scores):
    """Of a truth of 64-bit zeros and ones and 64-bit scores."""
    rows = len(truth)
    keys, spare = np.empty(rows, np.uint64), np.empty(rows, np.uint64)
    cells, sums = np.zeros(4, np.int64), np.zeros(4)
    places = [ctypes.c_void_p(array.ctypes.data) for array in (truth, scores, keys, spare, cells, sums)]
    _library().summarise(*places[:2], ctypes.c_int64(rows), *places[2:])
    return twelve_of(cells.reshape(2, 2), *sums)

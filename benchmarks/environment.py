"""Imported before NumPy: every package keeps to one thread, so that CPU seconds are work; commands run as users do."""

from __future__ import annotations

import os

USERS = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of commands, with the bytecode that an installation has."""
LIMITED = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS")
os.environ.update(dict.fromkeys(LIMITED, "1"))

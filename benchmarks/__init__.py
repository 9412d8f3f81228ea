"""Public calls beside their peers: `make bench`. Every package keeps to one thread, so that CPU seconds are work."""

import os

USERS = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of commands: as users have it, with the bytecode that an installation has."""
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(name, "1")

"""What the system says about processes; read from /proc, so that no package is needed."""

from __future__ import annotations

import os
import time
from pathlib import Path

MARK = "REFEREE_TEST_MARK"


def marked(mark):
    """All living processes but this one that were started with the mark in their environment."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def children():
    """Of this process, as the system lists them, zombies included."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.append(int(folder.name))
    return found


def open_files():
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (the folder itself must not stay open)


def wait_until(condition, seconds=5.0):
    """Whether the condition comes true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True

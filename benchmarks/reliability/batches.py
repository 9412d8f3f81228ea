"""Work on seeds in processes of their own: one that dies takes the result of its own seed with it, and no other.

Each result is a line that a child writes and its parent reads.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from pathlib import Path
from time import monotonic

AT_WORK = 0.1
"""Seconds between two looks at a child."""


def ended_each(work, seeds, folder, patience):
    """Each seed and the result of its work; `aborted` is what a child said that a signal ended, `unending` one that
    took too long."""
    seeds = list(seeds)
    while seeds:
        told, end = _batch(work, seeds, folder, patience)
        yield from zip(seeds, told, strict=False)
        seeds = seeds[len(told) :]
        if seeds:
            yield seeds.pop(0), end


def _batch(work, seeds, folder, patience):
    """What a child told of the first seeds, and how it ended at the next one."""
    errors = Path(folder) / "stderr"
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _child(work, seeds, folder, errors, writing)
    os.close(writing)
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        content, ended = _read(pipe, patience)
    if not ended:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    told = [json.loads(line) for line in content.split(b"\n")[:-1]]
    said = errors.read_text(encoding="utf-8", errors="replace")[-1000:]
    if status > 0:
        raise RuntimeError(said)  # in the search itself
    return told, {"aborted": f"ended with {status}: {said}"} if ended else {"unending": f"after {patience} seconds"}


def _child(work, seeds, folder, errors, writing):
    """Never returns: no handler of the parent's end is for a child."""
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    code = 1
    try:
        for seed in seeds:
            os.write(writing, json.dumps(work(seed, folder)).encode() + b"\n")
        code = 0
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}".encode(errors="backslashreplace"))
    finally:
        sys.stdout.flush()
        os._exit(code)


def _read(pipe, patience):
    """All that comes until the other end closes, unless nothing comes for too long."""
    content, last = b"", monotonic()
    while monotonic() - last < patience:
        if not select.select([pipe], [], [], AT_WORK)[0]:
            continue
        block, last = pipe.read(1 << 16), monotonic()
        if not block:
            return content, True
        content += block
    return content, False

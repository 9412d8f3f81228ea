"""Tiny work functions, one for each way in which a worker can end; they load nothing that they do not need."""

# ruff: noqa: ARG001, T201 (each is given a number, and one prints)
from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import NamedTuple


class Fate(NamedTuple):
    name: str
    number: int = 0

    def __str__(self):
        return f"{self.name}, number {self.number}"


def meet(fate):
    return globals()[fate.name](fate.number)


def answers(number):
    return number * 2


def tells_its_process(number):
    return os.getpid()


def raises(number):
    raise ValueError(f"boom <b>{number}</b>")


def raises_without_words(number):
    class MuteError(Exception):
        def __str__(self):
            raise RuntimeError

    raise MuteError


def raises_system_exit(number):
    sys.exit("bye")


def raises_interrupt(number):
    raise KeyboardInterrupt


def hangs(number):
    time.sleep(3600)


def hangs_ignoring_signals(number):
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(each, signal.SIG_IGN)
    while True:
        pass


def hangs_with_a_child(number):
    import subprocess

    subprocess.run(["sleep", "3600"], check=False)


def leaves_a_child_and_dies(number):
    if os.fork() == 0:
        time.sleep(3600)
    os.kill(os.getpid(), signal.SIGKILL)


def kills_itself(number):
    os.kill(os.getpid(), signal.SIGKILL)


def terminates_itself(number):
    os.kill(os.getpid(), signal.SIGTERM)


def exits(number):
    os._exit(number)


def segfaults(number):
    import ctypes

    ctypes.string_at(0)


def aborts(number):
    os.abort()


def closes_everything(number):
    os.closerange(3, 256)
    time.sleep(3600)


def eats_memory(number):
    eaten = []
    while True:
        eaten.append(bytearray(1 << 24))


def takes_64_mib(number):
    return len(bytearray(1 << 26))


def leaves_a_bomb(number):
    """Answers, and takes the worker down a moment later."""
    threading.Timer(0.2, os._exit, (3,)).start()
    return "answered"


def rests(number):
    time.sleep(number / 1000)
    return number


def leaves_a_thread(number):
    threading.Thread(target=time.sleep, args=(3600,)).start()
    return number


def is_chatty(number):
    print("on standard output" * 100)
    print("on standard error", file=sys.stderr)
    os.write(1, b"on descriptor 1\n")
    return number


def gives_what_cannot_be_sent(number):
    return threading.Lock()


def gives_much(number):
    return bytes(number)


def tells_environment(number):
    names = ["REFEREE_FOLD", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]
    return {name: os.environ.get(name) for name in names}


def counts_threads(number):
    import numpy as np
    from threadpoolctl import threadpool_info

    np.ones((2, 2)) @ np.ones((2, 2))
    return [pool["num_threads"] for pool in threadpool_info()]


def prints_much(number):
    for _ in range(number):
        print("x" * (1 << 20), flush=True)
    return number

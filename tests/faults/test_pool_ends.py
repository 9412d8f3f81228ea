"""Workers end when the run does, however it ends; and they are the same however it was begun."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from referee.fitting import run
from tests.faults.fates import Fate, meet
from tests.faults.processes import MARK, marked, wait_until

pytestmark = pytest.mark.usefixtures("nothing_is_left")


def test_units_that_fail_to_come_end_the_workers():
    def units():
        yield Fate("answers")
        raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        list(run(units(), meet))


def test_closing_ends_all_workers_at_once():
    units = [Fate("answers"), *[Fate("hangs_ignoring_signals", number) for number in range(3)]]
    found = run(units, meet, jobs=3)
    next(found)
    begin = time.monotonic()
    found.close()
    assert time.monotonic() - begin < 2


PARENT = textwrap.dedent("""
    import sys
    from referee.fitting.runner.pool import run
    from tests.faults.fates import Fate, meet

    units = [Fate("answers")] + [Fate("hangs_ignoring_signals", number) for number in range(4)]
    try:
        for unit, _ in run(units, meet, jobs=3):
            print("begun", flush=True)
    except KeyboardInterrupt:
        sys.exit(130)
""")


@pytest.mark.parametrize(("ending", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130), (signal.SIGTERM, -15)])
def test_the_end_of_the_parent_is_the_end_of_the_workers(ending, code):
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout.readline() == "begun\n"
        assert wait_until(lambda: len(marked(os.environ[MARK])) >= 4)
        begin = time.monotonic()
        parent.send_signal(ending)
        assert parent.wait(10) == code
        assert wait_until(lambda: not marked(os.environ[MARK]), 2)
        assert time.monotonic() - begin < 2


def test_workers_live_on_when_the_thread_that_started_them_ends():
    found = run([Fate("answers", number) for number in range(3)], meet)
    results = []
    starter = threading.Thread(target=lambda: results.append(next(found)))
    starter.start()
    starter.join()
    results += found
    assert [result for _, result in results] == [0, 2, 4]


def test_a_script_without_a_main_guard(tmp_path):
    """Workers do not run the user's script again."""
    script = tmp_path / "script.py"
    script.write_text(
        "from referee.fitting import run\n"
        "from typing import NamedTuple\n"
        "class Unit(NamedTuple):\n    n: int\n"
        "def square(unit):\n    return Unit(unit.n * unit.n)\n"
        "print([result for _, result in run([Unit(2), Unit(3)], square)])\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[Unit(n=4), Unit(n=9)]\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams(tmp_path, closed):
    script = (
        "from pathlib import Path; from referee.fitting import run; from tests.faults.fates import Fate, meet\n"
        "results = [result for _, result in run([Fate('is_chatty', 5)], meet)]\n"
        f"Path({str(tmp_path / 'result')!r}).write_text(str(results))"
    )
    command = ["sh", "-c", f'exec "$0" -c "$1" {closed}', sys.executable, script]
    subprocess.run(command, check=True, timeout=60, capture_output=True)
    assert (tmp_path / "result").read_text() == "[5]"

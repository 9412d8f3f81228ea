"""The progress line is for people in front of a terminal who have waited, and never on standard output."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

SOON = "import referee.document.progress as line; line.PATIENCE, line.EVERY = 0.05, 0.05\n"
SCRIPT = SOON + textwrap.dedent("""
    import sys, time
    from referee.document import Progress
    with Progress(10, "fitting", already=4, quiet="quiet" in sys.argv) as progress:
        for step in range(3):
            progress.advance("[red]tree[/red]\\x1b[2J leads" if step == 1 else None)
        time.sleep(0.5)
    print("result")
""")
COMMAND = SOON + textwrap.dedent("""
    import sys, time
    from referee.cli.process import run
    from referee.predictions import locations
    read = locations.read_location

    def slowly(*arguments):
        time.sleep(0.4)
        return read(*arguments)

    locations.read_location = slowly
    sys.exit(run(sys.argv[1:]))
""")


def shown(script, *arguments, code=0):
    """Standard output, and what a terminal gets as standard error."""
    terminal, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    ) as process:
        os.close(theirs)
        output = process.stdout.read().decode()
        seen = bytearray()
        try:
            while chunk := os.read(terminal, 4096):
                seen += chunk
        except OSError:  # how a terminal says that nobody writes to it any more
            pass
        finally:
            os.close(terminal)
    assert process.returncode == code, seen.decode()
    return output, seen.decode()


def test_on_a_terminal():
    output, line = shown(SCRIPT)
    assert output == "result\n"
    assert re.search(r"fitting: 7/10, .*/s, \d+ s left, ", line)
    assert "[red]tree[/red]\\x1b[2J leads" in line
    assert "\x1b" not in line
    assert line.rsplit("\r", 1)[1] == "", "the line is cleared in the end"


def test_quiet():
    assert shown(SCRIPT, "quiet") == ("result\n", "")


def test_nobody_who_waits_less_is_told_anything():
    assert shown(SCRIPT.replace("0.05, 0.05", "5, 5")) == ("result\n", "")


def test_without_a_terminal():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("result\n", "")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path, draw = tmp_path_factory.mktemp("data") / "preds.csv", np.random.default_rng(0)
    rows = (f"{draw.integers(0, 2)},{draw.random()},{draw.random()}\n" for _ in range(200))
    path.write_text("y,A,B\n" + "".join(rows))
    return path


COLUMNS = ("--truth", "y", "--format", "json")
COMMANDS = {
    "evaluate": ("--metrics", "roc_auc"),
    "compare": ("--goal", "roc_auc", "--metrics", "goal"),
    "curves": (),
    "threshold": ("--goal", "f1"),
    "calibrate": ("--models", "A", "--method", "platt"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_what_it_reads(table, command):
    output, line = shown(COMMAND, command, table, *COLUMNS, *COMMANDS[command])
    assert output.startswith("{")
    assert f"reading {table}"[:20] in line  # a long path is cut in the middle
    same, line = shown(COMMAND, command, table, *COLUMNS, *COMMANDS[command], "--quiet")
    assert (same, "reading" in line) == (output, False)


def test_an_error_stands_alone_on_its_line(table):
    _, line = shown(COMMAND, "compare", table, "--truth", "nothing", "--goal", "roc_auc", code=2)
    assert "reading " in line
    assert re.search(r"\r *\r(\x1b\[\S*m)?error", line)


def test_replicates_are_counted(table):
    few = "import referee.scoring.resampled_values as drawn\ndrawn.batch_size = lambda *_, **__: 5\nsys.exit(run"
    asked = ("--truth", "y", "--goal", "accuracy", "--test", "bootstrap", "--format", "json")
    _, line = shown(COMMAND.replace("sys.exit(run", few), "compare", table, *asked)
    assert re.search(r"drawing replicates: \d+/\d+", line)

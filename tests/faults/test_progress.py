"""The progress line is for people in front of a terminal, and never on standard output."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import textwrap

SCRIPT = textwrap.dedent("""
    import sys
    from referee.fitting import Progress
    with Progress(10, already=4, quiet="quiet" in sys.argv) as progress:
        for step in range(3):
            progress.advance("[red]tree[/red]\\x1b[2J leads" if step == 1 else None)
    print("result")
""")


def shown(*arguments):
    """Standard output, and what a terminal gets as standard error."""
    terminal, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments],
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
    assert process.returncode == 0
    return output, re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen.decode())


def test_on_a_terminal():
    output, line = shown()
    assert output == "result\n"
    assert re.search(r"\b7/10\b", line)
    assert "[red]tree[/red]\\x1b[2J leads" in line


def test_quiet():
    assert shown("quiet") == ("result\n", "")


def test_without_a_terminal():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("result\n", "")

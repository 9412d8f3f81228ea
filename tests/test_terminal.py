"""The command line as a program: pipes, encodings, signals, locale."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "preds.csv"
    path.write_text("y,modèle\n" + "1,0.9\n0,0.3\n1,0.4\n0,0.6\n" * 50, encoding="utf-8")
    return str(path)


def command(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "referee", *arguments], capture_output=True, check=False, env=os.environ | environment
    )


def test_output_piped_to_head(file):
    shell = f"{sys.executable} -m referee evaluate {file} --truth y --format csv | head -1"
    run = subprocess.run(["bash", "-o", "pipefail", "-c", shell], capture_output=True, check=False, text=True)
    assert run.stderr == ""
    assert run.stdout.startswith("model,metric,value")
    assert run.returncode == 0


def test_ascii_terminal(file):
    run = command("evaluate", file, "--truth", "y", PYTHONIOENCODING="ascii")
    assert run.returncode == 0, run.stderr
    assert b"mod\\xe8le" in run.stdout


def test_locale_time_zone_and_hash_seed_change_no_byte(file):
    settings = [{"PYTHONHASHSEED": "0"}, {"PYTHONHASHSEED": "4", "TZ": "Asia/Tokyo", "LC_ALL": "de_DE.UTF-8"}]
    first, second = (command("evaluate", file, "--truth", "y", "--format", "json", **env) for env in settings)
    assert first.returncode == 0
    assert first.stdout == second.stdout


def test_no_colour_unless_on_a_terminal(file):
    assert b"\x1b[" not in command("evaluate", file, "--truth", "y").stdout


@pytest.mark.parametrize(("signal_name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_signals(signal_name, code, tmp_path):
    """A run that waits for its input is stopped without a traceback."""
    pipe = tmp_path / "never_written.csv"
    os.mkfifo(pipe)
    script = (
        "import os, signal, sys, threading, time\n"
        f"threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.{signal_name})).start()\n"
        "from referee.cli import commands, running\n"
        "import click\n"
        "commands.referee.invoke = lambda _: time.sleep(30)\n"
        "sys.exit(running.run(['evaluate', 'x']))\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, text=True)
    assert run.returncode == code
    assert "Traceback" not in run.stderr

"""The command line on a terminal and in a pipe: nothing that is given is obeyed, everything fits and can be read."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import subprocess
import sys
import unicodedata

import pytest
from rich.cells import cell_len

from tests.case_record import COMMAND_LINE

HOSTILE = "m\x1b[31mRED\x1b[2J\u202e", "b\x9b31m\x07\u2066", "constant\x1b]0;title\x07"
SHOWN = r"m\x1b[31mRED\x1b[2J\u202e"
WIDE = "模型" * 12 + "一", "模型" * 12 + "二", "模型" * 12 + "三"
LONG = tuple(f"a_long_name_that_is_the_same_in_its_{place}_middle_and_in_the_end_of_it" for place in range(20))
AT_END = re.compile("\n=== (.*)\n")
RUN_ALL = """
import json, sys
from referee.cli.process import run
for name, arguments in json.load(open(sys.argv[1])).items():
    code = run(arguments)
    sys.stdout.write(f"\\n=== {name}: {code}\\n")
    sys.stdout.flush()
"""
SLOW = ("study", "select", "advise", "evaluate")
STYLES = re.compile("\x1b\\[[0-9;]*m")
PROGRESS = re.compile("(?:\r[^\r\n]*)*\r +\r")
"""The line for people who wait, drawn again and again and then cleared."""


def write_rows(path, names, rows=60):
    """The first models are good, the last one says the same of all rows; features are the models' columns."""
    draw = random.Random(0)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["y", "s\x1b[2J", *names])
        for row in range(rows):
            truth = draw.random() < 0.5
            scores = [min(0.99, max(0.01, draw.gauss(0.3 + 0.4 * truth, 0.2))) for _ in names[1:]]
            writer.writerow([["no\x1b[2J", "yes\x1b[2J\u202e"][truth], f"part\x1b[2J{row % 2}", *scores, 0.5])
    return str(path)


def all_commands(file, names):
    read = [file, "--truth", "y", "--positive", "yes\x1b[2J\u202e", "--models", ",".join(names)]
    fitted = [file, "--target", "y", "--models", "tree,dummy", "--goal", "accuracy", "--positive", "yes\x1b[2J\u202e"]
    own = ["--on", *fitted, "--repetitions", "2", "--subsets", "2"]
    return {
        "evaluate": ["evaluate", *read],
        "evaluate, few metrics": ["evaluate", *read, "--metrics", "roc_auc,mcc"],
        "evaluate, slices and lint": ["evaluate", *read, "--by", "s\x1b[2J", "--lint", "--metrics", "accuracy"],
        "compare": ["compare", *read, "--goal", "roc_auc", "--by", "s\x1b[2J", "--margin", "0.01", "--explain"],
        "gate": ["gate", *read, "--goal", "roc_auc", "--production", names[1], "--candidate", names[0],
                 "--margin", "0.3"],
        "curves": ["curves", *read],
        "threshold": ["threshold", *read[:-1], ",".join(names[:2]), "--for", "f_beta", "--region"],
        "calibrate": ["calibrate", *read[:-1], names[0]],
        "advise": ["advise", *read, "--purpose", "unknown", "--no-questions"],
        "select": ["select", *fitted, "--scheme", "k_fold(k=3)", "--explain"],
        "study": ["study", *own],
        "metrics": ["metrics"],
        "a card": ["metrics", "average_precision"],
        "a drawing": ["metrics", "brier", "--show-proper"],
        "schemes": ["schemes"],
        "tests": ["tests"],
        "an error": ["evaluate", file, "--truth", names[0] + "x"],
    }  # fmt: skip


def outputs(tmp_path, commands, *, terminal=False, **environment):
    """What each command writes, standard error included; all in one process."""
    plan = tmp_path / "commands.json"
    plan.write_text(json.dumps(commands))
    environment = os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "80"} | environment
    arguments = [sys.executable, "-c", RUN_ALL, str(plan)]
    if terminal:
        text = on_a_terminal(arguments, environment | {"TERM": "xterm-256color"} | environment).replace("\r\n", "\n")
    else:
        both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        text = subprocess.run(arguments, check=True, env=environment, **both).stdout.decode()
    parts = AT_END.split(text)
    found = dict(zip((name.partition(":")[0] for name in parts[1::2]), parts[::2], strict=False))
    assert list(found) == list(commands)
    codes = dict(name.split(": ") for name in parts[1::2])
    assert {name for name, code in codes.items() if code not in ("0", "1")} <= {"an error"}, codes
    return found


def on_a_terminal(arguments, environment):
    """What a program writes to a pseudo terminal."""
    reading, writing = os.openpty()
    with subprocess.Popen(arguments, stdin=writing, stdout=writing, stderr=writing, env=environment):
        os.close(writing)
        text = b""
        try:
            while part := os.read(reading, 65536):
                text += part
        except OSError:  # the end, on Linux
            pass
    os.close(reading)
    return text.decode()


def obeyed(text):
    return {letter for letter in text if unicodedata.category(letter) in ("Cc", "Cf")} - {"\n"}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Everything about names that a terminal would obey."""
    folder = tmp_path_factory.mktemp("hostile")
    every = all_commands(write_rows(folder / "data.csv", HOSTILE), HOSTILE)
    commands = {name: arguments for name, arguments in every.items() if name != "study"}
    return {
        "pipe": outputs(folder, every),
        "terminal": outputs(folder, commands, terminal=True),
        "ascii": outputs(folder, commands, PYTHONIOENCODING="ascii", LC_ALL="C"),
    }


def test_nothing_that_is_given_is_obeyed_in_a_pipe(hostile):
    assert {name: obeyed(text) for name, text in hostile["pipe"].items() if obeyed(text)} == {}


def test_nothing_that_is_given_is_obeyed_by_a_terminal(hostile):
    """What we style is taken away first; a title, a cleared screen and letters that run backwards are not ours."""
    shown = {name: STYLES.sub("", text) for name, text in hostile["terminal"].items()}
    found = {name: obeyed(PROGRESS.sub("", text)) for name, text in shown.items()}
    assert {name: letters for name, letters in found.items() if letters} == {}


def test_names_are_shown_in_escapes(hostile):
    for kind in ("pipe", "terminal", "ascii"):
        for name in ("compare", "gate", "threshold", "evaluate, slices and lint", "an error"):
            assert SHOWN[:9] in re.sub(r"\s", "", STYLES.sub("", hostile[kind][name])), (kind, name)
    assert r"constant\x1b]0;title\x07" in hostile["pipe"]["evaluate"].replace("\n  ", " ")  # in a warning


def test_our_own_signs_on_a_terminal_that_has_only_ascii(hostile):
    """Only what was given in the names may be an escape."""
    given = re.compile(r"\\x1b|\\x9b|\\x07|\\u202e|\\u2066")
    for name, text in hostile["ascii"].items():
        assert text.isascii()
        assert not re.search(r"\\[xu][0-9a-f]{2}", given.sub("", text.replace("\n", ""))), name
    assert "log_loss v" in hostile["ascii"]["evaluate"]
    assert "- a" in hostile["ascii"]["evaluate"]
    assert re.search(r"\|-+o-*\|", hostile["ascii"]["compare"])
    assert "o best   ^ honest" in hostile["ascii"]["a drawing"]


def test_signs_where_the_terminal_has_them(hostile):
    assert "log_loss ↓" in hostile["pipe"]["evaluate"]
    assert re.search("├─+●─*┤", hostile["pipe"]["compare"])
    assert "● best   ▲ honest" in hostile["pipe"]["a drawing"]


def test_colour_only_on_a_terminal(hostile):
    for name, text in hostile["terminal"].items():
        assert STYLES.search(text), name


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colours_that_are_not_wanted(tmp_path, environment, coloured):
    """Bold and dim are no colours."""
    names = "a", "b", "c"
    every = all_commands(write_rows(tmp_path / "data.csv", names), names)
    commands = {name: every[name] for name in ("gate", "an error")}
    shown = outputs(tmp_path, commands, terminal=True, **environment)
    colours = re.compile("\x1b\\[[0-9;]*(3|4|9|10)[0-7][0-9;]*m")
    assert [bool(colours.search(text)) for text in shown.values()] == [coloured] * 2


@pytest.mark.parametrize(("forced", "coloured"), [("1", True), ("", False)])
def test_colours_that_are_wanted_in_a_pipe(tmp_path, forced, coloured):
    names = "a", "b", "c"
    every = all_commands(write_rows(tmp_path / "data.csv", names), names)
    commands = {name: every[name] for name in ("gate", "an error")}
    shown = outputs(tmp_path, commands, FORCE_COLOR=forced, TERM="xterm-256color")
    assert ["\x1b[" in text for text in shown.values()] == [coloured] * 2


def too_long(name, text):
    """Lines beyond 80 columns; a command to copy and an error stay in one line."""
    lines = [] if name == "an error" else text.split("\nRun next\n")[0].splitlines()
    return [line for line in lines if cell_len(line) > 80]


def test_eighty_columns_are_enough(hostile):
    for kind in ("pipe", "ascii"):
        assert [(name, found) for name, text in hostile[kind].items() if (found := too_long(name, text))] == []


@pytest.mark.parametrize("names", [WIDE, LONG[:3]], ids=["wide", "long"])
def test_eighty_columns_are_enough_for_names(tmp_path, names):
    every = all_commands(write_rows(tmp_path / "data.csv", names), names)
    commands = {name: arguments for name, arguments in every.items() if "--models" in arguments and name not in SLOW}
    assert [
        (name, found) for name, text in outputs(tmp_path, commands).items() if (found := too_long(name, text))
    ] == []


def test_twenty_names_that_look_alike(tmp_path):
    read = [write_rows(tmp_path / "data.csv", LONG), "--truth", "y", "--positive", "yes\x1b[2J\u202e", "--models"]
    read += [",".join(LONG), "--metrics"]
    many = "accuracy,precision,recall,mcc,roc_auc,brier,log_loss"
    commands = {
        "a table for each metric": ["evaluate", *read, "accuracy,roc_auc"],
        "a table for all metrics": ["evaluate", *read, many],
        "compare": ["compare", *read, "roc_auc", "--goal", "roc_auc", "--all"],
    }
    for name, text in outputs(tmp_path, commands).items():
        assert max(map(cell_len, text.splitlines())) <= 80, name
        words = " ".join(text.split())
        for place in range(len(LONG)):
            assert re.search(rf"(?<=[_…]){place}(?=[_…])", words), (name, place)


def test_models_by_the_hundred(referee, tmp_path):
    """The best of them, the verdict last, and how to get the rest."""
    draw = random.Random(1)
    rows = [[str(row % 2), *(f"{draw.random():.3f}" for _ in range(500))] for row in range(60)]
    names = ["y", *(f"a_model_with_the_number_{place:04}_and_more" for place in range(500))]
    (tmp_path / "many.csv").write_text("\n".join(map(",".join, [names, *rows])) + "\n")
    goal = ["--goal", "accuracy", "--metrics", "accuracy"]
    run = referee("compare", tmp_path / "many.csv", "--truth", "y", *goal, form="text")
    assert run.code == 0
    lines = run.out.splitlines()
    assert len(lines) <= 50
    assert max(map(cell_len, lines)) <= 80
    assert "485 more models" in run.out
    assert lines[-1].endswith("power.")


@pytest.mark.parametrize("columns", ["1", "40"])
def test_narrow_terminals(tmp_path, columns):
    names = "a", "b", "c"
    every = all_commands(write_rows(tmp_path / "data.csv", names), names)
    commands = {name: every[name] for name in ("gate", "evaluate, few metrics", "curves")}
    assert all(outputs(tmp_path, commands, COLUMNS=columns).values())


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "preds.csv"
    path.write_text("y,modèle\n" + "1,0.9\n0,0.3\n1,0.4\n0,0.6\n" * 50, encoding="utf-8")
    return str(path)


def command(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "referee", *arguments], capture_output=True, check=False, env=os.environ | environment
    )


@pytest.mark.case("186", COMMAND_LINE)
def test_output_piped_to_head(file):
    shell = f"{sys.executable} -m referee evaluate {file} --truth y --format csv | head -1"
    run = subprocess.run(["bash", "-o", "pipefail", "-c", shell], capture_output=True, check=False, text=True)
    assert run.stderr == ""
    assert run.stdout.startswith("model,metric,value")
    assert run.returncode == 0


@pytest.mark.case("187", COMMAND_LINE)
def test_ascii_terminal(file):
    run = command("evaluate", file, "--truth", "y", PYTHONIOENCODING="ascii")
    assert run.returncode == 0, run.stderr
    assert b"mod\\xe8le" in run.stdout


def test_locale_time_zone_and_hash_seed_change_no_byte(file):
    settings = [{"PYTHONHASHSEED": "0"}, {"PYTHONHASHSEED": "4", "TZ": "Asia/Tokyo", "LC_ALL": "de_DE.UTF-8"}]
    first, second = (command("evaluate", file, "--truth", "y", "--format", "json", **env) for env in settings)
    assert first.returncode == 0
    assert first.stdout == second.stdout


@pytest.mark.parametrize(("signal_name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_signals(signal_name, code, tmp_path):
    """A run that waits for its input is stopped without a traceback."""
    pipe = tmp_path / "never_written.csv"
    os.mkfifo(pipe)
    script = (
        "import os, signal, sys, threading, time\n"
        f"threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.{signal_name})).start()\n"
        "from referee.cli import commands, process\n"
        "import click\n"
        "commands.referee.invoke = lambda _: time.sleep(30)\n"
        "sys.exit(process.run(['evaluate', 'x']))\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, text=True)
    assert run.returncode == code
    assert "Traceback" not in run.stderr

"""The command line's ways to end, its options and its messages."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import referee as referee_package
from referee.comparing import compare
from referee.errors import RefereeError, UsageError
from referee.predictions import Predictions
from referee.scoring import evaluate
from referee.thresholds import curves

REFEREE = f"{sys.executable} -m referee"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "preds.csv"
    path.write_text("y,A,B\n" + "1,0.9,0.7\n0,0.3,0.4\n1,0.4,0.6\n0,0.6,0.2\n" * 10)
    return path


def shell(command):
    return subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False, text=True)


@pytest.mark.parametrize("form", ["text", "json", "csv", "md"])
def test_a_reader_that_has_seen_enough(file, form):
    # `true` reads nothing at all, so that the pipe is broken however little is written.
    for reader in ("head -1", "true") if form == "text" else ("true",):
        run = shell(f"{REFEREE} evaluate {file} --truth y --metrics brier --format {form} | {reader}")
        assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("command", ["metrics", "metrics f1", "--help", "metrics --format json", "tests", "tests sign"])
def test_a_reader_of_the_catalogue(command):
    run = shell(f"{REFEREE} {command} | true")
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize(("form", "margin", "code"), [("text", 0.5, 0), ("json", 0.0001, 1)])
def test_the_answer_does_not_need_a_reader(file, form, margin, code):
    """Nobody reads, or standard error goes the same way."""
    gate = f"gate {file} --truth y --goal roc_auc --production B --candidate A --margin {margin} --format {form}"
    for reader in ("| true", "2>&1 | true"):
        run = shell(f"{REFEREE} {gate} {reader}")
        assert (run.returncode, run.stderr) == (code, "")


def test_an_error_does_not_need_a_reader():
    run = shell(f"{REFEREE} evaluate no_such_file --truth y --format json | true")
    assert (run.returncode, run.stderr) == (2, "")
    assert shell(f"{REFEREE} evaluate no_such_file --truth y 2>&1 | true").returncode == 2


def test_a_failed_model_is_told_without_a_reader(tmp_path):
    (tmp_path / "d.csv").write_text("x,t\n" + "1,a\n2,b\n3,a\n4,b\n" * 10)
    (tmp_path / "own_failing.py").write_text(
        "from sklearn.dummy import DummyClassifier\n"
        "class Fails(DummyClassifier):\n    def fit(self, X, y, sample_weight=None): raise ValueError('no')\n"
    )
    options = "--target t --positive b --models tree,dummy,own_failing:Fails --goal accuracy --scheme 'k_fold(k=2)'"
    run = shell(f"cd {tmp_path} && PYTHONPATH=. {REFEREE} select d.csv {options} --quiet 2>&1 | true")
    assert run.returncode == 5


@pytest.mark.parametrize(
    ("command", "form"),
    [
        *(("evaluate {file} --truth y --metrics f1", form) for form in ("text", "json", "csv", "md")),
        *((command, form) for command in ("metrics", "metrics f1", "evaluate no_file") for form in ("text", "json")),
    ],
)
def test_a_disk_that_is_full(file, command, form):
    run = shell(f"{REFEREE} {command.format(file=file)} --format {form} > /dev/full")
    if "no_file" in command and form != "json":
        assert run.returncode == 2
        return
    assert run.returncode == 6
    assert "error[E_WRITE]" in run.stderr
    assert "No space left on device" in run.stderr
    assert "Traceback" not in run.stderr
    assert "Exception ignored" not in run.stderr


def test_a_standard_output_that_is_closed(file):
    run = shell(f"{REFEREE} evaluate {file} --truth y --metrics brier >&-")
    assert run.returncode == 6
    assert "error[E_WRITE]" in run.stderr
    assert "Traceback" not in run.stderr


def test_nowhere_to_write_an_error_to(file):
    assert shell(f"{REFEREE} evaluate no_such_file --truth y 2> /dev/full").returncode == 2
    assert shell(f"{REFEREE} evaluate {file} --truth y --metrics brier > /dev/full 2>&1").returncode == 6
    assert shell(f"{REFEREE} > /dev/full").returncode == 6


def test_without_arguments_it_shows_its_help():
    run = shell(REFEREE)
    assert run.returncode == 0
    assert run.stderr == ""
    assert "evaluate" in run.stdout


@pytest.fixture
def config(tmp_path):
    def write(text):
        path = tmp_path / "referee.toml"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize("text", ["", "\nno_such_option = 1", "\ntruth = ['y']"])
def test_errors_have_the_format_that_the_file_asks_for(referee, config, text):
    path = config(f'format = "json"{text}')
    run = referee("evaluate", "no_such_file.csv", "--truth", "y", "--config", path, form=None)
    assert run.code == 2
    assert run.err == ""
    assert "error" in run.json
    in_text = referee("evaluate", "no_such_file.csv", "--truth", "y", f"--config={path}", form="text")
    assert in_text.out == ""
    assert in_text.err.startswith("error[")


def test_a_format_in_a_file_name_is_no_wish(referee):
    run = referee("evaluate", "--format json.csv", "--truth", "y", form=None)
    assert run.out == ""


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('metrics = "accuracy"', ["--metrics", "accuracy"]),
        ('metrics = "accuracy,f_beta(beta=2)"', ["--metrics", "accuracy,f_beta(beta=2)"]),
        ('models = "A,B"\nmetrics = "brier"', ["--models", "A,B", "--metrics", "brier"]),
        ('models = ["A"]\nmetrics = ["accuracy", "brier"]', ["--models", "A", "--metrics", "accuracy,brier"]),
        ('positive = ["1"]\nmetrics = "f1"', ["--positive", "1", "--metrics", "f1"]),
        ('positive = [1]\nmetrics = "f1"', ["--positive", "1", "--metrics", "f1"]),
        ('positive = 1\nmetrics = "f1"', ["--positive", "1", "--metrics", "f1"]),
    ],
)
def test_strings_and_lists_in_a_file(referee, file, config, text, options):
    expected = referee("evaluate", file, "--truth", "y", *options)
    assert expected.code == 0
    assert referee("evaluate", file, "--truth", "y", "--config", config(text)).out == expected.out


def test_one_file_for_several_commands(referee, file, config):
    """Every option of every command is one, and nothing else is."""
    path = config('explain = true\nshow-proper = true\nlearning-curve = "default"\nfit-on = "a=b"\nno_questions = true')
    assert referee("evaluate", file, "--truth", "y", "--config", path).code == 0
    run = referee("evaluate", file, "--truth", "y", "--config", config("sources = 1\nnonsense = 1"))
    assert "'nonsense'" in run.json["error"]["message"]


def test_labels_with_commas_in_a_file(referee, config, tmp_path):
    data = tmp_path / "labels.csv"
    data.write_text('y,m\n"a,b",0.9\nc,0.2\n"a,b",0.4\nd,0.3\n')
    run = referee("evaluate", data, "--truth", "y", "--config", config('positive = ["a,b", "c"]'))
    assert run.code == 0
    assert run.json["confusion"][0]["counts"]


@pytest.mark.parametrize("text", ['truth = ["y"]', "truth = [['y']]", "[truth]\nname = 'y'", "threshold = [0.5]"])
def test_values_of_the_wrong_kind_in_a_file(referee, file, config, text):
    run = referee("evaluate", file, "--config", config(text))
    error = run.json["error"]
    assert (run.code, error["code"]) == (2, "E_CONFIG")
    assert text.strip("[").split()[0].rstrip("]") in error["message"]


@pytest.mark.parametrize("text", ["", " ", ","])
def test_metrics_without_a_name(referee, file, text):
    run = referee("evaluate", file, "--truth", "y", "--metrics", text)
    assert (run.code, run.json["error"]["code"]) == (2, "E_NOMETRIC")


@pytest.mark.parametrize("asked", ["accuracy,accuracy", "f1,f_beta"])
def test_a_metric_that_is_asked_for_twice(referee, file, asked):
    scores = referee("evaluate", file, "--truth", "y", "--metrics", asked).json["scores"]
    assert len([row for row in scores if row["model"] == "A" and row["class"] is None]) == 1


@pytest.mark.parametrize("option", ["--model", "--label"])
def test_a_model_with_two_columns(referee, file, option):
    run = referee("evaluate", file, "--truth", "y", option, "a=A", option, "a=B")
    assert (run.code, run.json["error"]["code"]) == (2, "E_DUPMODEL")


def test_one_metric_is_not_filtered(referee):
    run = referee("metrics", "f1", "--needs", "values")
    assert (run.code, run.json["error"]["code"]) == (2, "E_USAGE")


def test_a_card_has_the_parameters_of_the_call(referee):
    card = referee("metrics", "f_beta(beta=2)").json
    assert card["name"] == "f_beta(beta=2)"
    assert (card["parameters"]["beta"]["value"], card["parameters"]["beta"]["default"]) == (2, 1.0)
    for form in ("text", "md", "csv"):
        assert "beta=2 (default 1.0)" in referee("metrics", "f_beta(beta=2)", form=form).out
        assert "(default" not in referee("metrics", "f_beta", form=form).out


def test_a_name_that_a_terminal_would_obey(referee):
    name = "a\x1b[31mred\nerror[E_FAKE] \u202e.csv"
    run = referee("evaluate", name, "--truth", "y", form=None)
    assert run.code == 2
    assert "\x1b" not in run.err
    assert "\u202e" not in run.err
    assert "\\x1b[31mred\\nerror" in run.err
    assert "\x1b[31mred" in referee("evaluate", name, "--truth", "y").json["error"]["message"]


def test_a_name_that_would_fill_the_screen(referee, file):
    name = "x" * 100_000
    run = referee("evaluate", file, "--truth", name, form=None)
    assert run.code == 2
    assert len(run.err) < 2500
    assert name in referee("evaluate", file, "--truth", name).json["error"]["message"]


def test_warnings_beside_csv(referee, tmp_path):
    data = tmp_path / "hard.csv"
    data.write_text("y,m\n1,1\n0,0\n1,0\n")
    run = referee("evaluate", data, "--truth", "y", "--metrics", "roc_auc", form="csv")
    assert "warning[W_HARDLABELS] " in run.err
    assert "W_HARDLABELS" not in run.out
    text = referee("evaluate", data, "--truth", "y", "--metrics", "roc_auc", form=None)
    assert "W_HARDLABELS" in text.out
    assert text.err == ""


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("--scoring", "--goal"), ("--pos-label", "--positive"), ("--sample-weight", "--weight"), ("--gaol", "--goal")],
)
def test_options_of_scikit_learn_are_answered_by_ours(referee, file, theirs, ours):
    found = referee("compare", file, "--truth", "y", theirs, "x")
    assert found.code == 2
    assert f"there is no option '{theirs}'; did you mean '{ours}'?" in found.json["error"]["message"]


def test_the_demo_takes_the_level_of_its_intervals(referee, tmp_path):
    wide, narrow = (referee("demo", "--out", tmp_path, "--alpha", alpha).json["scores"][0] for alpha in ("0.01", "0.2"))
    assert wide["low"] < narrow["low"] < narrow["value"]
    assert json.dumps(wide["value"]) == json.dumps(narrow["value"])


def test_errors_travel_between_processes():
    import pickle

    from referee.errors import InputError, UnknownNameError

    for error in (InputError("E_NAN", "row 3 is nan", hint="mend it"), UnknownNameError("there is no such", "look")):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), again.code, str(again), again.hint) == (type(error), error.code, str(error), error.hint)


GATE = ["--truth", "y", "--goal", "roc_auc", "--production", "A", "--candidate", "B", "--margin", "0.1"]


@pytest.mark.parametrize(
    ("error", "code", "name"),
    [
        (ZeroDivisionError("no"), 70, "E_BUG"),
        (RecursionError("deep"), 70, "E_BUG"),
        (SystemExit(1), 70, "E_BUG"),
        (click.exceptions.Exit(1), 70, ""),
        (MemoryError(), 8, "E_TOOBIG"),
    ],
)
def test_no_crash_is_an_answer_of_the_gate(referee, file, monkeypatch, error, code, name):
    def crash(*_, **__):
        raise error

    monkeypatch.setattr("referee.comparing.gate", crash)
    for form in ("text", "json"):
        run = referee("gate", file, *GATE, form=form)
        assert run.code == code
        assert name in run.out + run.err


@pytest.mark.parametrize(
    "place", ["referee.cli.configuration.wanted_format", "referee.document.words.message_line", "json.dumps"]
)
@pytest.mark.parametrize("error", [ValueError("no"), RecursionError("deep"), SystemExit(1)])
def test_no_crash_while_an_error_is_reported_is_an_answer_either(referee, file, monkeypatch, place, error):
    def crash(*_, **__):
        raise error

    monkeypatch.setattr(place, crash)
    for command in (["gate", file, *GATE, "--bad-option"], ["gate", "no_such_file", *GATE]):
        for form in ("text", "json"):
            run = referee(*command, form=form)
            assert run.code in (2, 70)
            assert run.code == 2 or "E_BUG" in run.err


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space are those of Linux")
@pytest.mark.parametrize("megabytes", [60, 90, 120, 150, 200])
def test_no_end_within_a_library_is_an_answer_of_the_gate(file, megabytes):
    """OpenBLAS ends the process with C's `exit(1)` where it has no memory left."""
    import resource

    limit = 2**20 * megabytes
    run = subprocess.run(
        [sys.executable, "-m", "referee", "gate", file, *GATE, "--inconclusive", "pass"], capture_output=True,
        check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )  # fmt: skip
    assert run.returncode not in (0, 1) or b"Pass" in run.stdout


def test_an_installation_that_is_broken(monkeypatch, capsys):
    from referee.cli import main

    monkeypatch.setitem(sys.modules, "referee.cli.process", None)
    monkeypatch.setattr(sys, "argv", ["referee", "gate", "preds.csv"])
    monkeypatch.setattr("referee.cli._end", sys.exit)
    monkeypatch.setattr("referee.cli._own_every_exit", lambda: None)  # this process goes on
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 70
    assert "E_BUG" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["text", "json"])
def test_brackets_without_end_in_a_file(referee, file, tmp_path, form):
    (deep := tmp_path / "deep.toml").write_text("a = " + "[" * 100_000)
    run = referee("gate", file, *GATE, "--config", deep, form=form)
    assert run.code == 2
    assert "nested too deeply" in run.out + run.err


@pytest.mark.parametrize("command", ["evaluate", "compare", "gate", "curves", "threshold", "calibrate"])
def test_an_alpha_at_which_no_number_is_critical(referee, file, command):
    options = {
        "compare": ["--truth", "y", "--goal", "roc_auc"], "gate": GATE, "curves": ["--truth", "y", "--kind", "roc"],
        "threshold": ["--truth", "y", "--for", "f1"], "calibrate": ["--truth", "y", "--models", "A"],
    }.get(command, ["--truth", "y"])  # fmt: skip
    run = referee(command, file, *options, "--alpha", "1e-16")
    assert (run.code, run.json["error"]["exit"]) == (2, 2)
    assert "1e-12" in run.json["error"]["message"]
    smallest = referee(command, file, *options, "--alpha", "1e-12")
    assert smallest.code in (0, 1)
    json.loads(smallest.out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


def test_an_alpha_in_python():
    both = Predictions.from_arrays([0, 1] * 10, {"a": [0.1, 0.8] * 10, "b": [0.6, 0.7] * 10})
    for asked in (lambda: compare(both, "accuracy", alpha=1e-16), lambda: evaluate(both, alpha=1e-16)):
        with pytest.raises(UsageError, match="alpha"):
            asked()


def test_infinities_are_null_in_json(referee):
    """The range of a loss has no end."""
    for arguments in (["metrics", "log_loss"], ["metrics"], ["tests"], ["schemes"]):
        read = json.loads(referee(*arguments).out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
        assert arguments[1:] != ["log_loss"] or read["range"] == [0, None]


def test_every_json_of_a_report_is_written_in_one_place():
    root = Path(referee_package.__file__).parent
    dumping = {str(file.relative_to(root)) for file in root.rglob("*.py") if "json.dumps(" in file.read_text()}
    shown = {name for name in dumping if name.startswith(("document", "page"))}
    assert shown == {"document/result.py", "page/shell.py", "page/every_page.py"}


@pytest.mark.usefixtures("fits_here")
@pytest.mark.parametrize("alpha", [0.2, 0.25, 0.5])
def test_an_alpha_at_which_luck_wins_often(referee, file, alpha):
    commands = {
        "compare": ["compare", file, "--truth", "y", "--goal", "roc_auc", "--metrics", "roc_auc"],
        "gate": ["gate", file, *GATE],
        "select": [
            "select",
            file,
            "--target",
            "y",
            "--models",
            "tree,dummy",
            "--goal",
            "accuracy",
            "--scheme",
            "holdout",
        ],
    }
    for name, arguments in commands.items():
        if name == "gate" and alpha == 0.5:
            continue  # a margin needs 1 - 2 alpha
        warned = [
            one["message"] for one in referee(*arguments, "--alpha", alpha).json["warnings"] if one["code"] == "W_ALPHA"
        ]
        assert len(warned) == (alpha > 0.2), name
        assert all(f"alpha {alpha}, 1 in {round(1 / alpha)} " in message for message in warned)


QUIET = {
    "compare": ("--goal", "accuracy", "--alpha", "0.3"),
    "gate": ("--goal", "accuracy", "--alpha", "0.3", "--production", "A", "--candidate", "B", "--margin", "0.2"),
}


@pytest.mark.parametrize("form", ["text", "latex"])
@pytest.mark.parametrize("command", QUIET)
def test_warnings_are_heard_where_only_the_result_is_wanted(referee, file, command, form):
    found = referee(command, file, "--truth", "y", *QUIET[command], "--quiet", form=form)
    assert "warning[W_ALPHA] at alpha 0.3" in found.err
    assert "warning" not in found.out and found.out


def test_warnings_of_scores_are_heard_where_only_these_are_wanted(referee, tmp_path):
    path = tmp_path / "certain.csv"
    path.write_text("y,A\n" + "0,1\n1,1\n0,0\n1,1\n" * 10)
    found = referee("evaluate", path, "--truth", "y", "--metrics", "log_loss", "--quiet", form="text")
    assert "warning[W_" in found.err and "warning" not in found.out


class TestBothDoors:
    """The same refusal names options to those who type them, and keywords to those who call."""

    @staticmethod
    def refused(referee, file, options, keywords):
        typed = referee("compare", file, "--truth", "y", "--goal", "roc_auc", *options).json["error"]
        with pytest.raises(RefereeError) as called:
            compare(Predictions.read(file, truth="y", models=["A", "B"]), "roc_auc", **keywords)
        return f"{typed['message']} {typed['hint']}", f"{called.value} {called.value.hint}"

    @pytest.mark.parametrize(
        ("options", "keywords", "typed", "called"),
        [
            (("--subsets", "1"), {"subsets": 1}, "--subsets 1:", "subsets=1:"),
            (("--test", "paired_t"), {"test": "paired_t"}, "--by COL --unit slice", "by=COL unit='slice'"),
            (("--test", "paired_t"), {"test": "paired_t"}, "--test influence compares", "test='influence' compares"),
        ],
    )
    def test_an_error(self, referee, file, options, keywords, typed, called):
        said, raised = self.refused(referee, file, options, keywords)
        assert typed in said and called in raised and "--" not in raised

    def test_a_warning_and_a_reason(self, referee, tmp_path):
        path = tmp_path / "ids.csv"
        path.write_text("y,A,B,key\n" + "".join(f"{n % 2},0.{n % 7},0.{n % 5},{n}\n" for n in range(40)))
        typed = referee("compare", path, "--truth", "y", "--goal", "accuracy").json
        assert "use --id 'key'" in typed["warnings"][0]["message"]
        assert any("(--group names those that are not)" in line for line in typed["verdict"]["reasons"])
        called = compare(Predictions.read(path, truth="y"), "accuracy")
        assert "use id='key'" in called.warnings[0].message
        assert any("(group= names those that are not)" in line for line in called.reasons)

    def test_labels_are_lists_of_labels_in_python(self):
        with pytest.raises(RefereeError) as called:
            Predictions.from_arrays(["pos", "neg", "pos ", "neg"], {"A": [0.1, 0.2, 0.3, 0.4]}, positive="pos")
        assert "positive=['pos', 'pos ']; classes=['neg', 'pos', 'pos '] keeps them apart" in called.value.hint
        keywords = re.search(r"(positive=\[.*?\]);", called.value.hint)[1]
        assert eval(f"dict({keywords})") == {"positive": ["pos", "pos "]}


def test_the_demo_fits_a_screen_and_leaves_a_page(referee, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    shown = referee("demo", form="text").out
    assert len(shown.splitlines()) <= 26
    assert "logistic wins on brier" in shown and shown.count(" wins on ") == 1
    assert "boosting ~ lda" in referee("demo", "--all", form="text").out
    assert Path("demo/verdict.html").read_text().startswith("<!doctype html>")
    again = ["compare", "demo/predictions.csv", "--truth", "diagnosis", "--positive", "malignant"]
    assert referee(*again, "--goal", "brier").json["verdict"]["winners"] == ["logistic"]


# Counted by hand. Of A the scores .9 and .4 are positives, .6 and .3 negatives: 3 of 4 pairs are in order, and no
# threshold is right on more than 3 of 4 rows; B has all in order; a curve has the origin and 4 scores.
# B's Brier score is (.3² + .4² + .4² + .2²) / 4.
IN_LATEX = {
    "curves --kind roc": [
        ["A", "0.7500", "5"], ["B", "1.0000", "5"], ["10", "0.9000", "10", "0", "20", "10", "0.5000", "0.0000"],
    ],
    "threshold --for accuracy --folds 0": [["A", "0.7500"], ["B", "1.0000"]],
    "calibrate --models B --metrics brier": [["brier", "0.1125"]],
}  # fmt: skip


@pytest.mark.parametrize(("asked", "expected"), IN_LATEX.items())
def test_tables_for_papers(referee, file, asked, expected):
    command, *options = asked.split()
    run = referee(command, file, "--truth", "y", *options, form="latex")
    assert run.code == 0
    lines = [re.split(" & ", line.removesuffix(r" \\")) for line in run.out.splitlines() if line.endswith(r" \\")]
    for row in expected:
        (line, *_) = [line for line in lines if line[0].endswith(row[0])]
        assert [value for value in row[1:] if value not in line] == []
    assert run.out.count(r"\begin{table}") == run.out.count(r"\end{table}") == run.out.count(r"\caption{") > 0


def test_the_answer_ends_before_the_caption_goes_on(referee, file):
    run = referee("threshold", file, "--truth", "y", "--for", "accuracy", "--folds", 0, form="latex")
    (caption,) = re.findall(r"\\caption{(.*)}", run.out)
    assert re.search(r"\w\. Threshold for accuracy;", caption)


def test_a_table_says_what_has_the_rest_as_its_reader_would(referee, tmp_path):
    scores = [place / 40 for place in range(40)]
    path = tmp_path / "long.csv"
    path.write_text("y,A\n" + "".join(f"{int(score > 0.5)},{score}\n" for score in scores))
    typed = referee("curves", path, "--truth", "y", form="md").out
    called = curves(Predictions.from_arrays([int(score > 0.5) for score in scores], {"A": scores}), "roc").to_markdown()
    assert "points; --format csv gives more of them" in typed
    assert "points; to\\_csv() gives more of them" in called


def test_a_page_says_what_has_the_rest_as_its_reader_would(referee, tmp_path):
    truth, models = [0, 1] * 5, {f"m{place}": [0.2, 0.9, 0.4, 0.7, 0.1] * 2 for place in range(130)}
    path, page = tmp_path / "many.csv", tmp_path / "many.html"
    rows = [[truth[row], *(scores[row] for scores in models.values())] for row in range(len(truth))]
    path.write_text("\n".join(",".join(map(str, row)) for row in (["y", *models], *rows)))
    called = evaluate(Predictions.from_arrays(truth, models), ["accuracy"]).to_html()
    assert referee("evaluate", path, "--truth", "y", "--metrics", "accuracy", "--html", page).code == 0
    written = "All of them are in <code>{}</code>, and in <code>{}</code>."
    assert written.format("to_json()", "scores.to_csv()") in called
    assert written.format("--format json", "referee evaluate --format csv") in page.read_text()

"""Cases of the shared collection that no other test goes through: degenerate tests and what must not change an answer.

Those of files are in predictions/test_bad_input.py, those of models and folders in fitting/test_select_cases.py.
"""

from __future__ import annotations

import html
import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

import referee as library
from tests.case_record import COMMAND_LINE, PYTHON

both = (COMMAND_LINE, PYTHON)
COLUMNS = {"truth": "y", "id": "id", "models": ["A", "B"], "positive": "1"}
ASKED = ("--truth", "y", "--id", "id", "--positive", "1", "--goal", "roc_auc")


@pytest.fixture(scope="module")
def cases(shared):
    return {case["id"]: case for case in json.loads((shared / "cases/manifest.json").read_text())["cases"]}


@pytest.fixture(scope="module")
def base(shared):
    table = pa.csv.read_csv(shared / "cases/000_base.csv")
    return {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}


@pytest.fixture
def answers(referee, tmp_path):
    """By both doors: what `compare` says of columns, as JSON; they must agree."""

    def ask(columns, *options, models=("A", "B"), **asked):
        path = tmp_path / "rows.csv"
        pa.csv.write_csv(pa.table(columns), path)
        said = referee("compare", path, *ASKED, "--models", ",".join(models), *options)
        assert said.code == 0, said.err
        own = library.compare(path, **(COLUMNS | {"goal": "roc_auc", "models": list(models)} | asked)).to_dict()
        answer = said.json
        assert answer["comparisons"] == json.loads(json.dumps(own["comparisons"]))
        return answer

    return ask


def told(answer):
    """Values, differences and p, and what follows from them."""
    values = {
        (row["model"], row["metric"], row["class"]): (row["value"], row["low"], row["high"]) for row in answer["scores"]
    }
    (pair,) = answer["comparisons"]
    return values, (pair["difference"], pair["p"], pair["low"], pair["high"]), answer["verdict"]["sentence"]


PERMUTATIONS = 20
OF_ROWS = ("influence", "delong", "mcnemar", "bootstrap", "permutation")


def last_digits_aside(answer):
    """Errors and what follows from them are sums in the order of the rows, whose last digits may differ."""
    if isinstance(answer, dict):
        return {key: last_digits_aside(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return list(map(last_digits_aside, answer))
    return pytest.approx(answer, rel=1e-11, abs=1e-13) if isinstance(answer, float) else answer


@pytest.mark.parametrize("test", OF_ROWS)
@pytest.mark.case("191", PYTHON)
def test_rows_in_any_order(base, test):
    """Every metric and the verdict to the last bit; so are tests that count or draw, the others to the last digits."""
    goal = "accuracy" if test == "mcnemar" else "roc_auc"
    asked = COLUMNS | {"goal": goal, "test": test, "metrics": None if test == "influence" else "goal"}

    def answered(columns):
        found = json.loads(library.compare(dict(columns), **asked).to_json())
        del found["fingerprint"]  # it is that of rows in their order
        return found

    first = answered(base)
    for seed in range(PERMUTATIONS):
        order = np.random.default_rng(seed).permutation(len(base["y"]))
        found = answered({name: cells[order] for name, cells in base.items()})
        assert [row["value"] for row in found["scores"]] == [row["value"] for row in first["scores"]]
        assert found["confusion"] == first["confusion"]
        for said in ("outcome", "winners", "sentence", "certainty", "values", "reasons"):
            assert found["verdict"][said] == first["verdict"][said]
        if test in ("mcnemar", "bootstrap", "permutation"):
            assert found["comparisons"] == first["comparisons"]
        assert [pair["difference"] for pair in found["comparisons"]] == [first["comparisons"][0]["difference"]]
        assert found == last_digits_aside(first)


@pytest.mark.case("191", COMMAND_LINE)
def test_rows_in_any_order_on_the_command_line(answers, base):
    first = told(answers(base))
    order = np.random.default_rng(0).permutation(len(base["y"]))
    found = told(answers({name: cells[order] for name, cells in base.items()}))
    assert {key: value[0] for key, value in found[0].items()} == {key: value[0] for key, value in first[0].items()}
    assert found[1] == pytest.approx(first[1], rel=1e-12)
    assert found[2] == first[2]


@pytest.mark.case("192", *both)
def test_models_in_another_order(answers, base):
    """Values, ranks, tiers, p and verdict are the same; the difference is told the other way round."""
    first, swapped = answers(base), answers(base, models=("B", "A"))
    assert told(swapped)[0] == told(first)[0]
    for said in ("ranks", "tiers", "verdict", "warnings", "other_goals"):
        assert swapped[said] == first[said], said
    assert swapped["ranks"] == {"A": [1, 2], "B": [1, 2]}
    assert mirrored(swapped) == told(first)[1]


@pytest.mark.case("192", *both)
def test_ranks_of_models_in_another_order(answers, base):
    """Where there is a winner: the truth with noise before noise alone."""
    draw = np.random.default_rng(0)
    clear = base | {"A": base["y"] + draw.normal(size=len(base["y"])) / 4, "B": draw.normal(size=len(base["y"]))}
    first, swapped = answers(clear), answers(clear, models=("B", "A"))
    assert first["ranks"] == swapped["ranks"] == {"A": [1, 1], "B": [2, 2]}
    assert first["tiers"] == swapped["tiers"] == [["A"], ["B"]]
    assert first["verdict"]["winners"] == swapped["verdict"]["winners"] == ["A"]


@pytest.mark.case("193", *both)
def test_models_that_change_their_columns(answers, base):
    """A named B and B named A: values change hands, and so does every sign."""
    first, swapped = answers(base), answers(base | {"A": base["B"], "B": base["A"]})
    names = {"A": "B", "B": "A"}
    assert {(names[m], *rest): value for (m, *rest), value in told(swapped)[0].items()} == told(first)[0]
    assert {names[name]: ranks for name, ranks in swapped["ranks"].items()} == first["ranks"]
    (pair,) = swapped["comparisons"]
    assert (pair["a"], pair["b"]) == ("A", "B")
    assert mirrored(swapped) == told(first)[1]


def mirrored(answer):
    """The comparison seen from the other model."""
    difference, p, low, high = told(answer)[1]
    return -difference, p, -high, -low


@pytest.mark.case("194", *both)
def test_increasing_maps_of_scores(answers, base):
    plain = told(answers(base, "--metrics", "roc_auc,average_precision", metrics="roc_auc,average_precision"))[0]
    for change in (lambda x: x / 4, lambda x: x * 8 - 3):
        moved = answers(
            base | {name: change(base[name]) for name in "AB"}, "--metrics", "roc_auc,average_precision",
            metrics="roc_auc,average_precision",
        )  # fmt: skip
        assert {key: value[0] for key, value in told(moved)[0].items()} == {
            key: value[0] for key, value in plain.items()
        }


@pytest.mark.case("195", *both)
def test_labels_renamed(answers, base):
    first = told(answers(base))
    for negative, positive in (("no", "yes"), ("neg", "pos")):
        renamed = base | {"y": np.where(base["y"] == 1, positive, negative)}
        found = told(answers(renamed, "--positive", positive, positive=positive))
        assert found[1] == first[1]
        assert [value for value, _, _ in found[0].values()] == [value for value, _, _ in first[0].values()]


@pytest.mark.case("196", *both)
@pytest.mark.case("197", *both)
def test_weights(answers, base):
    times = 1 + np.arange(len(base["y"])) % 3
    repeated = {name: np.repeat(cells, times) for name, cells in base.items() if name != "id"}
    repeated["id"] = np.arange(len(repeated["y"]))
    kind = ("--weight", "w", "--weight-kind", "frequency")
    counted = told(answers(base | {"w": times}, *kind, weight="w", weight_kind="frequency"))
    plain = told(answers(repeated))
    assert counted[1] == pytest.approx(plain[1], rel=1e-12)
    assert {key: value[0] for key, value in counted[0].items()} == pytest.approx(
        {key: value[0] for key, value in plain[0].items()}, rel=1e-12
    )
    first = told(answers(base | {"w": times}, "--weight", "w", weight="w"))
    doubled = told(answers(base | {"w": times * 2}, "--weight", "w", weight="w"))
    assert doubled == first
    scaled = told(answers(base | {"w": times * 0.3}, "--weight", "w", weight="w"))
    assert scaled[1] == pytest.approx(first[1], rel=1e-12)


@pytest.mark.case("198", *both)
def test_containers(base, referee, tmp_path):
    """Whatever the container, the result has the same bytes, by each of the doors."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    table, frame = pa.table(base), pandas.DataFrame(base)
    pa.csv.write_csv(table, tmp_path / "rows.csv")
    pa.parquet.write_table(table, tmp_path / "rows.parquet")
    pa.feather.write_feather(table, tmp_path / "rows.arrow")
    with closing(sqlite3.connect(tmp_path / "rows.sqlite")) as database:
        frame.to_sql("rows", database, index=False)
    files = [tmp_path / f"rows.{kind}" for kind in ("csv", "parquet", "arrow", "sqlite")]
    typed = {referee("compare", file, *ASKED, "--models", "A,B").out for file in files}
    given = [*files, table, frame, polars.DataFrame(base), dict(base)]
    called = {library.compare(container, **COLUMNS, goal="roc_auc").to_json() for container in given}
    assert len(typed) == len(called) == 1
    (by_command,), (by_python,) = map(json.loads, typed), map(json.loads, called)
    assert [reason.replace("--group", "group=") for reason in by_command["verdict"].pop("reasons")] == by_python[
        "verdict"
    ].pop("reasons")
    assert by_command == by_python
    arrays = library.compare(base["y"], {name: base[name] for name in "AB"}, positive=1, id=base["id"], goal="roc_auc")
    for part in ("scores", "comparisons", "fingerprint"):
        assert json.loads(arrays.to_json())[part] == by_python[part]


@pytest.mark.case("199", *both)
def test_the_other_class_is_the_complement(answers, base):
    one = told(answers(base))[0]["A", "roc_auc", None][0]
    other = told(answers(base | {"y": 1 - base["y"]}))[0]["A", "roc_auc", None][0]
    assert one + other == pytest.approx(1, abs=2e-16)


@pytest.mark.case("200", *both)
def test_a_seed_decides(base, tmp_path, referee):
    path = tmp_path / "rows.csv"
    pa.csv.write_csv(pa.table(base), path)

    def said(seed):
        own = library.compare(path, **COLUMNS, goal="roc_auc", test="bootstrap", seed=seed)
        text = referee("compare", path, *ASKED, "--models", "A,B", "--test", "bootstrap", "--seed", seed).out
        assert json.loads(text)["comparisons"] == json.loads(json.dumps(own.to_dict()["comparisons"]))
        return text

    assert said(1) == said(1) != said(2)


@pytest.mark.parametrize(
    "number", [pytest.param(number, marks=pytest.mark.case(number, *both)) for number in ("138", "140")]
)
def test_comparisons(cases, referee, shared, number):
    case = cases[number]
    path, test = shared / "cases" / case["input"][0], case["args"]["test"]
    said = referee("compare", path, *ASKED, "--models", "A,B", "--test", test)
    assert said.code == case["exit"]
    if case["expect"] == "error":
        error = said.json["error"]
        with pytest.raises(library.RefereeError) as caught:
            library.compare(path, **COLUMNS, goal="roc_auc", test=test)
        assert error["code"] == caught.value.code == case["code"]
        assert all(word in error["message"] for word in case["keywords"])
        return
    own = library.compare(path, **COLUMNS, goal="roc_auc", test=test)
    (notice,) = [notice for notice in own.warnings if notice.code == case["code"]]
    assert all(word in notice.message for word in case["keywords"])
    assert vars(notice) in said.json["warnings"]


@pytest.mark.case("124", *both)
@pytest.mark.case("125", *both)
def test_counts_beyond_what_floats_hold(cases, referee, tmp_path):
    for number, metric in (("124", "mcc"), ("125", "accuracy")):
        case = cases[number]
        counts = np.array(case["args"]["confusion"], dtype=object)
        cells = [(true, called, int(counts[true][called])) for true in (0, 1) for called in (0, 1)]
        path = tmp_path / f"{number}.csv"
        path.write_text("y,A,w\n" + "".join(f"{y},{a},{w}\n" for y, a, w in cells))
        value = case["value"]
        expected = value["mcc"] if number == "124" else value["correct"] / value["n"]
        said = referee("evaluate", path, "--truth", "y", "--models", "A", "--weight", "w", "--metrics", metric)
        assert said.value("A", metric) == pytest.approx(expected, abs=1e-12)
        own = library.evaluate(path, truth="y", models=["A"], weight="w", metrics=metric)
        assert own["A", metric].value == said.value("A", metric)


@pytest.mark.case("125", *both)
def test_counts_are_whole_numbers(cases, referee, tmp_path):
    """The sum of the right ones is 2^53 + 1, which no float holds: counts of rows are integers in JSON."""
    case = cases["125"]
    counts = case["args"]["confusion"]
    path = tmp_path / "rows.csv"
    cells = [(true, called, counts[true][called]) for true in (0, 1) for called in (0, 1)]
    path.write_text("y,A,w\n" + "".join(f"{y},{a},{w}\n" for y, a, w in cells))
    asked = {"truth": "y", "models": ["A"], "weight": "w", "weight_kind": "frequency", "metrics": "accuracy"}
    options = ("--truth", "y", "--models", "A", "--weight", "w", "--weight-kind", "frequency", "--metrics", "accuracy")
    said = referee("evaluate", path, *options).json
    for answer in (said, json.loads(library.evaluate(path, **asked).to_json())):
        (confusion,) = answer["confusion"]
        assert confusion["counts"] == counts
        assert all(type(cell) is int for row in confusion["counts"] for cell in row)
        right = confusion["counts"][0][0] + confusion["counts"][1][1]
        assert (right, sum(map(sum, confusion["counts"]))) == (case["value"]["correct"], case["value"]["n"])
        assert right != float(right)  # a float would say 9007199254740992


@pytest.mark.case("139", *both)
def test_many_rows_of_delong(cases, referee, tmp_path):
    rows = cases["139"]["args"]["n"]
    draw, path = np.random.default_rng(0), tmp_path / "rows.parquet"
    truth = draw.integers(0, 2, rows)
    pa.parquet.write_table(pa.table({"y": truth, "A": truth + draw.random(rows), "B": draw.random(rows)}), path)
    said = referee("compare", path, "--truth", "y", "--goal", "roc_auc", "--test", "delong", "--metrics", "goal").json
    own = library.compare(path, truth="y", goal="roc_auc", test="delong", metrics="goal")
    for answer in (said, own.to_dict()):
        assert all(0 <= row["value"] <= 1 for row in answer["scores"])
        assert all(0 <= row["low"] <= row["high"] <= 1 for row in answer["scores"])


OF_DIFFERENCES = {
    "126": "mcnemar", "127": "mcnemar", "128": "mcnemar", "129": "sign", "130": "sign", "131": "paired_t",
    "132": "paired_t", "133": "paired_t", "134": "paired_t", "135": "wilcoxon(zeros=pratt)", "136": "sign",
}  # fmt: skip


@pytest.mark.parametrize(
    "number", [pytest.param(number, marks=pytest.mark.case(number, COMMAND_LINE)) for number in OF_DIFFERENCES]
)
def test_degenerate_tests_on_the_command_line(cases, referee, tmp_path, number):
    """From a file of decisions, or of scores of folds and data sets; by Python in test_degenerate_comparisons."""
    case, test = cases[number], OF_DIFFERENCES[number]
    path = tmp_path / "rows.csv"
    args = case["args"]
    if "b" in args:
        right = [(1, 0)] * args["b"] + [(0, 1)] * args["c"] + [(1, 1), (0, 0)]
        path.write_text("y,A,B\n" + "".join(f"1,{a},{b}\n0,0,0\n" for a, b in right))
        said = referee(
            "compare", path, "--truth", "y", "--goal", "accuracy", "--test", test, "--label", "A=A", "--label", "B=B",
            "--metrics", "goal",
        )  # fmt: skip
    else:
        differences = args.get("diffs") or [1] * args["wins"] + [-1] * args["losses"] + [0] * args["ties"]
        path.write_text("A,B\n" + "".join(f"{value!r},0\n" for value in differences))
        rows = "folds" if test == "paired_t" else "datasets"
        asked = ("--task", "scores", "--rows", rows, "--test", test, "--alpha", args.get("alpha", 0.05))
        said = referee("compare", path, *asked)
    assert said.code == 0, said.out
    (pair,) = said.json["comparisons"]
    expected = case["value"] or {}
    if "p" in expected:
        assert pair["p"] == pytest.approx(expected["p"], abs=case["tol"])
    if "verdict" in expected:
        assert pair["outcome"] == "tie"
    words = ["zero variance", "overlap"] if number == "132" else case["keywords"]  # folds get no sign test
    if case["code"]:
        notices = [*said.json["warnings"], *pair["warnings"]]
        assert any(
            notice["code"] == case["code"] and all(word in notice["message"] for word in words) for notice in notices
        ), notices


@pytest.mark.case("C4", COMMAND_LINE)
def test_c4_no_warning_of_others_from_workers(tmp_path):
    path, draw = tmp_path / "many.csv", np.random.default_rng(0)
    rows = [(draw.normal(), f"class {n % 20}") for n in range(80)]
    path.write_text("x,y\n" + "".join(f"{x!r},{y}\n" for x, y in rows))
    command = [sys.executable, "-m", "referee", "study", "--on", path, "--target", "y", "--models",
               "naive_bayes,dummy", "--metrics", "accuracy,error_rate", "--repetitions", "2"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode in (0, 4), done.stderr
    assert "Warning:" not in done.stderr
    assert "sklearn" not in done.stderr


@pytest.mark.case("S2", COMMAND_LINE)
def test_s2_a_terminal_obeys_nothing_in_csv(tmp_path):
    path, draw = tmp_path / "rows.csv", np.random.default_rng(0)
    name = "\x1b]0;pwn\x07\x1b[2J"
    path.write_text(f"y,{name},B\n" + "".join(f"{n % 2},{draw.random()},{draw.random()}\n" for n in range(40)))
    terminal, theirs = pty.openpty()
    command = [sys.executable, "-m", "referee", "compare", path, "--truth", "y", "--goal", "roc_auc", "--format", "csv",
               "--metrics", "goal"]  # fmt: skip
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        seen = bytearray()
        try:
            while chunk := os.read(terminal, 4096):
                seen += chunk
        except OSError:  # nobody writes to it any more
            pass
        finally:
            os.close(terminal)
    assert process.returncode == 0
    assert b"pwn" in seen
    assert b"\x1b" not in seen and b"\x07" not in seen


@pytest.mark.case("S2", PYTHON)
def test_s2_no_text_of_python_has_commands_for_a_terminal():
    draw, name = np.random.default_rng(0), "\x1b]0;pwn\x07\x1b[2J"
    own = library.compare([0, 1] * 20, {name: draw.random(40), "B": draw.random(40)}, goal="roc_auc", metrics="goal")
    for text in (own.to_csv(), own.to_markdown(), own.to_latex(), repr(own)):
        assert "pwn" in text
        assert not {"\x1b", "\x07"} & set(text)


@pytest.mark.case("C4", PYTHON)
@pytest.mark.filterwarnings("error")
def test_c4_no_warning_of_others_in_python(capfd):
    draw = np.random.default_rng(0)
    x, y = draw.normal(size=(80, 1)), [f"class {n % 20}" for n in range(80)]
    library.select(["naive_bayes", "dummy"], x, y, goal="accuracy", scheme="holdout")
    said = capfd.readouterr().err
    assert "Warning:" not in said and "sklearn" not in said


@pytest.mark.case("189", PYTHON)
def test_a_page_of_python_asks_for_nothing(tmp_path):
    draw = np.random.default_rng(0)
    own = library.compare([0, 1] * 20, {"A": draw.random(40), "B": draw.random(40)}, goal="roc_auc")
    own.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "default-src 'none'" in html.unescape(page)
    links = re.findall(r'(?:href|src|srcset|action)="([^"]*)"', page)
    assert links and all(link.startswith(("#", "data:")) for link in links)
    assert not re.search(r"url\((?!['\"]?(?:#|&))|@import", page)

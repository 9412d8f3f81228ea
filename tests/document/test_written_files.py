"""Files that options name: whole, at the right place, and never in place of what is something else."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys

import pytest

import referee as api
from referee.document import write_whole
from referee.errors import WriteError

PAGE = b"<!doctype html>\n<p>an old page"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "preds.csv"
    path.write_text(f"y,a,{HOSTILE}\n" + "1,0.9,0.7\n0,0.3,0.4\n1,0.4,0.6\n0,0.6,0.2\n" * 10)
    return path


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("x,z,target\n" + "".join(f"{row % 7},{row % 5},{'ab'[row % 7 > 3]}\n" for row in range(60)))
    return path


def writers(file, data):
    """Every option that writes a file, with what it needs."""
    read = [file, "--truth", "y"]
    two = [*read, "--goal", "roc_auc"]
    return {
        "evaluate": ["evaluate", *read, "--html"],
        "compare": ["compare", *two, "--html"],
        "gate": ["gate", *two, "--production", "a", "--candidate", HOSTILE, "--margin", "0.5", "--html"],
        "select": ["select", data, "--target", "target", "--positive", "b", "--models", "tree,dummy", "--goal",
                   "accuracy", "--scheme", "k_fold(k=3)", "--html"],
        "curves": ["curves", *read, "--html"],
        "threshold": ["threshold", *read, "--for", "f_beta", "--html"],
        "calibrate": ["calibrate", *read, "--models", "a", "--html"],
        "metrics": ["metrics", "--html"],
        "tests": ["tests", "--html"],
        "schemes": ["schemes", "--html"],
        "calibrate --save": ["calibrate", *read, "--models", "a", "--overwrite", "--save"],
    }  # fmt: skip


NAMES = list(writers("", ""))
FEW = ["evaluate", "metrics", "calibrate --save"]
PAGES = [name for name in NAMES if "--" not in name]


def in_the_way(kind, path):
    """Make something that is not a regular file."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(path))
    elif kind == "folder":
        path.mkdir()
    elif kind == "link to a pipe":
        os.mkfifo(path.with_name("behind"))
        path.symlink_to("behind")
    elif kind == "link to itself":
        path.symlink_to(path.name)


@pytest.mark.parametrize("kind", ["pipe", "socket", "folder", "link to a pipe", "link to itself"])
@pytest.mark.parametrize("name", FEW)
def test_what_is_no_file_stays(referee, file, data, tmp_path, monkeypatch, name, kind):
    monkeypatch.chdir(tmp_path)
    in_the_way(kind, place := tmp_path / "place")
    before = place.lstat()
    run = referee(*writers(file, data)[name], "place")
    assert run.code == 6
    assert run.json["error"]["code"] == "E_WRITE"
    assert (place.lstat().st_ino, stat.S_IFMT(place.lstat().st_mode)) == (before.st_ino, stat.S_IFMT(before.st_mode))


def test_the_writer_itself_replaces_no_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileExistsError, match="not a regular file"):
        write_whole(tmp_path / "pipe", b"")
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("name", FEW)
def test_standard_output_has_the_result(referee, file, data, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    run = referee(*writers(file, data)[name], "-")
    assert (run.code, run.json["error"]["code"]) == (6, "E_WRITE")
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize("name", FEW)
def test_a_link_leads_to_the_file(referee, file, data, tmp_path, name):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "page.html", tmp_path / "link"
    target.write_bytes(PAGE)
    link.symlink_to(target)
    assert referee(*writers(file, data)[name], link).code == 0
    assert link.is_symlink()
    assert target.read_bytes() != PAGE
    assert target.stat().st_size > 0
    assert [one.name for one in (tmp_path / "far").iterdir()] == ["page.html"]


def test_a_link_to_a_file_that_is_not_there_yet(referee, file, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "new.html")
    assert referee("evaluate", file, "--truth", "y", "--html", tmp_path / "link").code == 0
    assert (tmp_path / "new.html").read_bytes().startswith(b"<!doctype html>")


@pytest.mark.parametrize("name", ["evaluate", "calibrate"])
def test_a_file_that_is_no_page_stays(referee, file, data, tmp_path, name):
    (tmp_path / "mine.txt").write_text("mine")
    run = referee(*writers(file, data)[name], tmp_path / "mine.txt")
    assert (run.code, run.json["error"]["code"]) == (6, "E_EXISTS")
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("path", ["no/such/folder/page.html", "x" * 300])
def test_no_place(referee, file, tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    run = referee("evaluate", file, "--truth", "y", "--html", path)
    assert (run.code, run.json["error"]["code"]) == (6, "E_WRITE")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_one(referee, file, data, tmp_path, name):
    """Names are escaped, and nothing is asked of anybody."""
    page = tmp_path / "page.html"
    assert referee(*writers(file, data)[name], page).code == 0
    text = page.read_text()
    assert text.startswith("<!doctype html>")
    assert HOSTILE not in text
    assert "src=" not in text
    if name not in ("metrics", "tests", "schemes"):
        assert f"referee {name}" in text  # how to make it again
    if name in ("evaluate", "compare", "gate", "curves", "threshold"):
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_pages_of_regions_bands_and_classes(referee, file, tmp_path):
    run = referee("threshold", file, "--truth", "y", "--for", "f_beta", "--region", "--html", tmp_path / "t.html")
    assert run.code == 0
    assert "cheaper" in (tmp_path / "t.html").read_text()
    (tmp_path / "three.csv").write_text("y,m:a,m:b,m:c\n" + "a,.5,.3,.2\nb,.2,.5,.3\nc,.6,.2,.2\nc,.1,.2,.7\n" * 9)
    curves = ["curves", tmp_path / "three.csv", "--truth", "y", "--kind", "lift", "--band", "pointwise"]
    assert referee(*curves, "--html", tmp_path / "c.html").code == 0
    text = (tmp_path / "c.html").read_text()
    assert [f"for &#39;{name}&#39;" in text for name in "abc"] == [True] * 3
    assert text.count('class="band ') == 3  # of each class
    calibrated = ["calibrate", tmp_path / "three.csv", "--truth", "y", "--method", "temperature"]
    assert referee(*calibrated, "--html", tmp_path / "k.html").code == 0
    assert "Reliability diagram" in (tmp_path / "k.html").read_text()


def test_a_map_that_is_applied_has_no_page(referee, file, tmp_path):
    assert referee(*writers(file, "")["calibrate --save"], tmp_path / "map.json").code == 0
    run = referee("calibrate", file, "--apply", tmp_path / "map.json", "--output", tmp_path / "new.csv",
                  "--html", tmp_path / "p.html")  # fmt: skip
    assert "--html" in run.json["error"]["message"]


def test_an_output_that_is_a_pipe(referee, file, tmp_path):
    """Also where files may be replaced."""
    assert referee(*writers(file, "")["calibrate --save"], tmp_path / "map.json").code == 0
    os.mkfifo(tmp_path / "pipe.csv")
    apply = ["calibrate", file, "--apply", tmp_path / "map.json", "--overwrite", "--output"]
    assert referee(*apply, tmp_path / "pipe.csv").json["error"]["code"] == "E_WRITE"
    assert (tmp_path / "pipe.csv").is_fifo()


@pytest.mark.parametrize("name", ["compare", "gate", "select", "metrics"])
def test_files_are_written_though_nobody_reads(file, data, tmp_path, name):
    """The reader is gone before anything is printed; the answer and the files are the same."""
    page, pictures = tmp_path / "page.html", tmp_path / "pictures"
    figures = ["--figures", str(pictures)] if name == "gate" else []
    words = [*map(str, writers(file, data)[name]), str(page), *figures]
    reading, writing = os.pipe()
    os.close(reading)
    program = [sys.executable, "-m", "referee", *words]
    run = subprocess.run(program, stdout=writing, stderr=subprocess.PIPE, check=False, text=True)
    os.close(writing)
    assert (run.returncode, run.stderr) == (0, "")
    assert page.read_bytes().startswith(b"<!doctype html>")
    assert bool(figures) == any(pictures.glob("*.svg"))


def test_pages_from_python(tmp_path):
    predictions = api.Predictions.from_arrays([0, 1] * 20, {"a": [0.1, 0.9] * 20, HOSTILE: [0.2, 0.8, 0.9, 0.4] * 10})
    found = {
        "scores": api.evaluate(predictions, ["accuracy", "brier"], alpha=0.1),
        "verdict": api.compare(predictions, "accuracy"),
        "gate": api.gate(predictions, "accuracy", production=HOSTILE, candidate="a", margin=0.1),
    }
    os.mkfifo(tmp_path / "pipe")
    for name, one in found.items():
        text = one.to_html(tmp_path / name)
        assert (tmp_path / name).read_text() == text == one.to_html()
        assert HOSTILE not in one._repr_html_() + one._repr_markdown_() + one.page()._repr_html_()
        assert f'title="The {name}"' in one.page()._repr_html_()
        with pytest.raises(WriteError, match="not a regular file"):
            one.to_html(tmp_path / "pipe")
    assert "90%" in found["scores"].to_html()


def test_the_same_result_with_a_page_and_without(referee, file, data, tmp_path):
    for name in ("evaluate", "threshold", "curves"):
        *words, _ = writers(file, data)[name]
        assert json.loads(referee(*words).out) == referee(*words, "--html", tmp_path / f"{name}.html").json


def test_a_link_in_the_place_of_the_unfinished_file_is_not_followed(tmp_path):
    (tmp_path / "letter").write_text("dear reader")
    (tmp_path / ".page.html.tmp").symlink_to(tmp_path / "letter")
    write_whole(tmp_path / "page.html", b"new")
    assert (tmp_path / "letter").read_text() == "dear reader"
    assert (tmp_path / "page.html").read_bytes() == b"new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["letter", "page.html"]

"""Run folders of strangers: a store may be whole and agree with its checksums, and still hold what no run writes."""

from __future__ import annotations

import io
import json
import os
import shutil
import sqlite3

import numpy as np
import pytest

import referee as library
from referee.fitting import read_run
from referee.fitting.runner.records import checksum, from_parquet, to_parquet
from tests.case_record import COMMAND_LINE, PYTHON
from tests.faults.forgery import replace_record

pytestmark = pytest.mark.usefixtures("fits_here")
ABOUT, FIT = "about the run", "tree, split 00001"


def again(folder):
    """The run that is kept there, or resumed."""
    generator = np.random.default_rng(0)
    features = generator.normal(size=(40, 2))
    y = np.where(features[:, 0] + generator.normal(size=40) > 0, "yes", "no")
    library.select(
        {"tree": "tree", "dummy": "dummy"},
        features,
        y,
        goal="accuracy",
        positive="yes",
        scheme="k_fold(k=2)",
        store=folder,
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    again(folder)
    return folder


@pytest.fixture
def forged(run, tmp_path):
    """A copy of the run, with a record replaced and every checksum made anew."""

    def forge(key, change):
        folder = tmp_path / "forged"
        shutil.copytree(run, folder)
        replace_record(folder / "results.sqlite", key, change)
        return folder

    return forge


def with_array(name, array):
    """Put another array in the place of one of the record."""

    def change(text, blob):
        content = json.loads(text)
        stream = io.BytesIO()
        np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=True)
        content["arrays"][name] = {"start": len(blob), "end": len(blob) + len(stream.getvalue())}
        return json.dumps(content).encode(), blob + stream.getvalue()

    return change


def with_place(name, **place):
    def change(text, blob):
        content = json.loads(text)
        content["arrays"][name] = place
        return json.dumps(content).encode(), blob

    return change


def with_value(name, value):
    def change(text, blob):
        content = json.loads(text)
        content["values"][name] = value
        return json.dumps(content).encode(), blob

    return change


def eight_terabytes(text, blob):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    content = json.loads(text)
    content["arrays"]["test_scores"] = {"start": len(blob), "end": len(blob) + len(header.getvalue())}
    return json.dumps(content).encode(), blob + header.getvalue()


PART = {"checksum": "00" * 16, "dtype": "<f8", "shape": [20]}
FORGERIES = {
    "a part outside": (FIT, with_place("test_scores", file="../../../etc/hostname", **PART)),
    "a part by an absolute path": (FIT, with_place("test_scores", file="/etc/hostname", **PART)),
    "a part of a device": (FIT, with_place("test_scores", file="/dev/zero", **PART)),
    "bytes that are not there": (FIT, with_place("test_scores", start=0, end=10**9)),
    "a place that is text": (FIT, with_place("test_scores", start="0", end=10)),
    "8 TB by its header": (FIT, eight_terabytes),
    "a pickle": (FIT, with_array("test_scores", np.array([{"run": "me"}], object))),
    "no object": (FIT, lambda _, blob: (b"[]", blob)),
    "no JSON": (FIT, lambda _, blob: (b"{", blob)),
    "nested JSON": (FIT, lambda _, blob: (b"[" * 100_000 + b"]" * 100_000, blob)),
    "scores of other rows": (FIT, with_array("test_scores", np.zeros(7))),
    "scores that are not numbers": (FIT, with_array("test_scores", np.full(20, np.nan))),
    "labels of no class": (FIT, with_array("test_labels", np.full(20, 9))),
    "no times": (FIT, with_value("fit_seconds", "long")),
    "no size": (FIT, with_value("size", [])),
    "a task of its own": (ABOUT, with_value("task", "ranking")),
    "a class too many": (ABOUT, with_value("classes", [["no"], "yes"])),
    "a positive class beyond": (ABOUT, with_value("positive", 2)),
    "targets of no class": (ABOUT, with_array("target", np.full(40, 5))),
    "rows that are not there": (ABOUT, with_array("test_rows", np.arange(1000, 1040))),
    "sizes that are not those of the rows": (ABOUT, with_array("test_sizes", np.array([20, 21]))),
    "no splits": (ABOUT, with_array("repeats", np.array([], int))),
    "models without names": (ABOUT, with_value("models", {"tree": 1})),
    "a weight of the scale 0": (ABOUT, with_value("weight_scale", 0)),
}


@pytest.mark.case("S4", COMMAND_LINE, PYTHON)
@pytest.mark.parametrize("kind", FORGERIES)
def test_a_forged_record_is_refused(referee, forged, kind):
    folder = forged(*FORGERIES[kind])
    answer = referee("compare", folder, "--goal", "accuracy")
    assert (answer.code, answer.json["error"]["code"]) == (7, "E_CKPT")
    assert str(folder) in answer.json["error"]["message"]
    assert "Traceback" not in answer.err
    with pytest.raises(library.RefereeError, match="checkpoint") as caught:
        read_run(folder)
    assert caught.value.code == "E_CKPT"


def test_the_same_record_is_taken(referee, forged):
    assert referee("compare", forged(FIT, lambda *same: same), "--goal", "accuracy").code == 0


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END",
        "CREATE VIEW v AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
        "ALTER TABLE records RENAME TO others",
    ],
)
def test_a_store_with_other_tables_is_refused(referee, run, tmp_path, statement):
    shutil.copytree(run, tmp_path / "run")
    with sqlite3.connect(tmp_path / "run" / "results.sqlite") as database:
        database.execute(statement)
    database.close()
    assert referee("compare", tmp_path / "run", "--goal", "accuracy").code == 7


@pytest.mark.parametrize("identity", [b"[]", b'{"data": 1}', b"{"])
def test_an_identity_that_is_none(referee, run, tmp_path, identity):
    shutil.copytree(run, tmp_path / "run")
    with sqlite3.connect(tmp_path / "run" / "results.sqlite") as database:
        database.execute("UPDATE state SET identity = ?, checksum = ?", (identity, checksum(identity)))
    database.close()
    assert referee("compare", tmp_path / "run", "--goal", "accuracy").code == 7


def test_a_part_that_is_a_pipe_does_not_hang(referee, forged):
    name = f"{'0' * 32}.parquet"
    folder = forged(FIT, with_place("test_scores", file=name, **PART))
    os.mkfifo(folder / "parts" / name)
    answer = referee("compare", folder, "--goal", "accuracy")
    assert (answer.code, "not an ordinary file" in answer.json["error"]["message"]) == (7, True)


def test_a_part_that_holds_other_values_than_it_has_rows():
    """More of them would be decoded than the shape of the array says, however large that is."""
    content = to_parquet(np.zeros(40))
    assert len(from_parquet(content, "<f8", [40])) == 40
    rows = content.rindex(b"\x16\x50", 0, content.rindex(b"\x16\x50"))  # of the column; those of its group follow
    with pytest.raises(ValueError, match="41 values in 40 rows"):
        from_parquet(content[: rows + 1] + b"\x52" + content[rows + 2 :], "<f8", [40])


@pytest.mark.parametrize("name", ["lock", "parts", "results.sqlite", "results.sqlite-wal"])
@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe"])
def test_nothing_in_a_run_leads_out_of_its_folder(run, tmp_path, name, kind):
    """A link in the place of the lock would empty what it leads to, one in the place of the parts would clear it."""
    folder, outside = tmp_path / "sent", tmp_path / "mine"
    shutil.copytree(run, folder)
    outside.mkdir()
    (outside / "letter").write_text("dear reader")
    (outside / ".draft.tmp").write_text("dear")
    place = folder / name
    if name == "results.sqlite":
        shutil.copy(place, outside / "results.sqlite")
    target = {"lock": "letter", "parts": "", "results.sqlite": name, "results.sqlite-wal": "letter"}[name]
    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
    os.mkfifo(place) if kind == "pipe" else place.symlink_to(outside / (target if kind == "link" else "new"))
    before = {path: path.read_bytes() for path in outside.iterdir()}
    with pytest.raises(library.RefereeError, match=f"'{name}' in it is not an ordinary") as caught:
        again(folder)
    assert (caught.value.code, caught.value.exit) == ("E_CKPT", 7)
    if kind == "link" or name != "results.sqlite":
        with pytest.raises(library.RefereeError) as caught:
            read_run(folder)
        assert caught.value.exit == 7
    assert {path: path.read_bytes() for path in outside.iterdir()} == before

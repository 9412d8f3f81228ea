from __future__ import annotations

import gzip
import hashlib
import pickle
import zipfile

import joblib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.predictions import ReadOptions, locations, read_table
from referee.predictions.formats import is_pickle

from ..strategies import FEW_EXAMPLES
from .refusals import refused


class Canary:
    """Would leave a file behind if anything loaded it."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return open, (self.path, "w")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_a_pickle_is_named_and_not_loaded(written, tmp_path, protocol, packed):
    content = packed(pickle.dumps([Canary(tmp_path / "canary")] + ["x" * 10] * 1000, protocol=protocol))
    path = written("preds.csv", content)
    with refused(
        "E_UNTRUSTED", "preds.csv", "pickle", "not loaded", exit_code=8, hint=hashlib.sha256(content).hexdigest()
    ):
        read_table(path)
    assert not (tmp_path / "canary").exists()


@pytest.mark.parametrize("name", ["a.pkl", "a.PICKLE", "a.joblib", "a.pkl.gz"])
def test_a_pickle_by_its_name(read_written, name):
    with refused("E_UNTRUSTED", name, "pickle", "not loaded", exit_code=8):
        read_written(name, "y,A\n1,2\n")


@pytest.mark.parametrize("compress", [0, 3, ("gzip", 3), ("xz", 3), ("bz2", 3)])
def test_joblib_in_any_compression(tmp_path, compress):
    joblib.dump(Canary(tmp_path / "canary"), tmp_path / "model.bin", compress=compress)
    with refused("E_UNTRUSTED", "model.bin", "not loaded", exit_code=8):
        read_table(tmp_path / "model.bin")
    assert not (tmp_path / "canary").exists()


@pytest.mark.parametrize("text", ["class\n0.5\n0.7\n", "c\n1\n", "id,y\n1,0\n0.5,1\n", "class\ncat\n0.5\n0.7\n"])
def test_a_csv_is_no_pickle_though_it_begins_like_one(read_written, text):
    assert read_written("t.csv", text).rows


@given(st.text(st.sampled_from("ci(do.0R\nab,1"), max_size=40))
@FEW_EXAMPLES
def test_any_text_gets_an_answer(text):
    assert is_pickle(text.encode()) in (True, False)


def zipped(path, *names):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return path


@pytest.mark.parametrize(
    "member", ["../x", "a/../../x", "/etc/x", "..\\x", "C:\\x", "C:x", "\\\\host\\x", "../../../../tmp/canary"]
)
def test_a_member_outside(tmp_path, member):
    with refused("E_UNTRUSTED", "m.skops", "outside", repr(member), exit_code=8):
        read_table(zipped(tmp_path / "m.skops", "schema.json", member))


def test_a_link_in_a_zip_counts_as_outside(tmp_path):
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with refused("E_UNTRUSTED", "outside", "'link'", exit_code=8):
        read_table(tmp_path / "m.zip")


@pytest.mark.parametrize(
    ("member", "word"), [("preds.csv", "zip"), ("xl/workbook.xml", "Excel"), ("schema.json", "stored model")]
)
def test_other_archives(tmp_path, member, word):
    with refused("E_FORMAT", "m.zip", word):
        read_table(zipped(tmp_path / "m.zip", member))


def test_a_pickle_in_a_zip(tmp_path):
    with refused("E_UNTRUSTED", "pickle", "not loaded", exit_code=8):
        read_table(zipped(tmp_path / "model.pt", "archive/data.pkl"))


def test_a_damaged_zip(read_written):
    with refused("E_FORMAT", "m.zip", "damaged"):
        read_written("m.zip", b"PK\x03\x04 and nothing more")


@pytest.mark.parametrize("case", ["112_evil.pkl", "114_zip_traversal.skops"])
def test_shared_cases(shared, case):
    with refused("E_UNTRUSTED", case, exit_code=8):
        read_table(shared / "cases" / case)


def test_a_large_file_of_zeros_is_refused_by_its_head(tmp_path, monkeypatch):
    path = tmp_path / "zeros.csv"
    with path.open("wb") as file:
        file.truncate(3_000_000_000)  # a hole, which takes no room on the disk
    monkeypatch.setattr(locations, "read_bytes", lambda *_: pytest.fail("the whole file is read"))
    with refused("E_ENCODING", "zeros.csv", "NUL byte"):
        read_table(path, ReadOptions(max_memory=10**10))

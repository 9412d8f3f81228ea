"""Arrays in NumPy's files, in Python and on the command line."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from referee.predictions import ReadOptions, read_table

from .refusals import refused

SCORES = np.array([0.25, 0.5, 0.75])


def saved(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f8", "i1", "u8", ">i4", "bool", "U5", "S5"])
def test_a_column_of_any_plain_type(read_written, dtype):
    array = np.array([1, 0, 1]).astype(dtype)
    table = read_written("lr.npy", saved(array))
    values = table.columns.column("lr").to_pylist()
    assert table.columns.column_names == ["lr"]
    assert values == (["1", "0", "1"] if dtype in ("U5", "S5") else [1, 0, 1])


def test_a_matrix_is_a_column_for_each_class(read_written):
    matrix = np.arange(6.0).reshape(3, 2)
    for array in (matrix, np.asfortranarray(matrix)):
        table = read_written("net.npy", saved(array))
        assert table.columns.to_pydict() == {"net:0": [0.0, 2.0, 4.0], "net:1": [1.0, 3.0, 5.0]}
    assert read_written("net.npy", saved(SCORES[:, None])).columns.column_names == ["net"]


def test_fields_of_records_are_columns(read_written):
    records = np.array([(1, 0.5), (0, 0.25)], [("y", "i4"), ("a", "f8")])
    assert read_written("t.npy", saved(records)).columns.to_pydict() == {"y": [1, 0], "a": [0.5, 0.25]}


def test_the_content_tells_the_format(read_written):
    assert read_written("lr.csv", saved(SCORES)).columns.to_pydict() == {"lr": [0.25, 0.5, 0.75]}


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_an_archive_has_a_column_for_each_name(tmp_path, save):
    save(tmp_path / "preds.npz", y=[0, 1, 1], a=SCORES, net=np.eye(3)[:, :2])
    (tmp_path / "preds.npz").rename(tmp_path / "preds.zip")
    table = read_table(tmp_path / "preds.zip")
    assert table.columns.column_names == ["y", "a", "net:0", "net:1"]
    assert table.columns.column("a").to_pylist() == [0.25, 0.5, 0.75]


def test_python_objects_are_never_loaded(read_written, tmp_path):
    objects = np.array([1, "a", None], object)
    with refused("E_UNTRUSTED", "objects.npy", "was not loaded", exit_code=8):
        read_written("objects.npy", saved(objects, allow_pickle=True))
    np.savez(tmp_path / "t.npz", y=[0, 1, 1], x=objects)
    with refused("E_UNTRUSTED", "x", "was not loaded", exit_code=8):
        read_table(tmp_path / "t.npz")


def test_damaged_files_are_named(read_written, tmp_path):
    content = saved(SCORES)
    for damaged in (content[:50], content[:-4], content[:8]):
        with refused("E_NUMPY", "lr.npy", "is damaged"):
            read_written("lr.npy", damaged)
    with refused("E_NUMPY", "header announces"):
        read_written("lr.npy", content.replace(b"(3,)", b"(9999999999,)"))
    header = b"'fortran_order': False, 'shape': (3,)"
    for forged in (b"'fortran_order': Fals", b"1.5: False, 'shape': (3,)", b"'fortran_order': False, 'shape': 'x'"):
        with refused("E_NUMPY", "lr.npy", "is damaged"):
            read_written("lr.npy", content.replace(header, forged.ljust(len(header))))
    np.savez(tmp_path / "t.npz", y=SCORES)
    with refused("E_NUMPY", "t.npz"):
        read_written("t.npz", (tmp_path / "t.npz").read_bytes()[:-30])


@pytest.mark.filterwarnings("error")
def test_a_header_of_python_2_is_read(read_written):
    written = saved(SCORES).replace(b"(3,), }  ", b"(3L,), } ")
    assert read_written("lr.npy", written).columns.column("lr").to_pylist() == SCORES.tolist()


def test_what_is_no_table(read_written, tmp_path):
    with refused("E_SHAPE", "(2, 2, 2)"):
        read_written("t.npy", saved(np.zeros((2, 2, 2))))
    with refused("E_SHAPE", "()"):
        read_written("t.npy", saved(np.array(1.0)))
    with refused("E_TYPE", "complex128"):
        read_written("t.npy", saved(np.array([1j])))
    np.savez(tmp_path / "t.npz", y=[0, 1], a=SCORES)
    with refused("E_LENGTH", "'a' has 3 rows, 'y' has 2"):
        read_table(tmp_path / "t.npz")


def test_arrays_beyond_the_memory_are_refused(tmp_path):
    np.savez_compressed(tmp_path / "zeros.npz", y=np.zeros(1_000_000))
    with refused("E_TOOBIG", "zeros.npz", exit_code=8):
        read_table(tmp_path / "zeros.npz", ReadOptions(max_memory=1_000_000))
    with refused("E_TOOBIG", exit_code=8):
        read_table(tmp_path / "zeros.npz", ReadOptions(max_memory=100))


def test_other_archives_are_still_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("readme.txt", "no array")
    with refused("E_FORMAT", "zip archive"):
        read_table(tmp_path / "t.npz")


def test_they_are_sources_of_the_command_line(referee, tmp_path):
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 60)
    models = {name: truth * weight + draw.random(60) for name, weight in (("a", 0.6), ("b", 0.2))}
    for name, array in {"y": truth, **models}.items():
        np.save(tmp_path / f"{name}.npy", array)
    np.savez(tmp_path / "all.npz", y=truth, **models)
    asked = ["--truth", "y", "--metrics", "roc_auc"]
    apart = referee("evaluate", *(tmp_path / f"{name}.npy" for name in "yab"), *asked)
    together = referee("evaluate", tmp_path / "all.npz", *asked)
    for name in "ab":
        ranks = models[name][truth == 1][:, None] > models[name][truth == 0]
        assert apart.value(name, "roc_auc") == together.value(name, "roc_auc") == pytest.approx(ranks.mean())

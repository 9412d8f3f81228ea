"""The store gives back every bit, whatever the order of saving, and refuses what is not its own."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

from referee.errors import CheckpointError
from referee.fitting import Store
from tests.faults.samples import BIG, IDENTITY, filled, record
from tests.stored_digest import digest_of

pytestmark = pytest.mark.usefixtures("no_file_stays_open")


def test_every_bit_comes_back(tmp_path):
    with Store(tmp_path, IDENTITY) as store:
        saved = record(1) | {"nothing": None, "nan": float("nan")}
        store.save("unit 1", saved)
    with Store(tmp_path, IDENTITY) as store:
        loaded = store.load("unit 1")
    assert repr(loaded.pop("nan")) == "nan"
    assert loaded.pop("predictions").tobytes() == saved["predictions"].tobytes()
    assert repr(loaded["odd"][1]) == "-0.0"
    assert loaded == {name: value for name, value in saved.items() if name not in ("nan", "predictions")}


@pytest.mark.parametrize("size", [100, (1 << 20) + 100], ids=["in the record", "as a part"])
@pytest.mark.parametrize(
    "dtype", ["<f8", ">f8", "<f4", "<f2", "<i8", "<u8", "|i1", "|b1", "<U7", "|S9", "<M8[D]", "<c16"]
)
def test_arrays_of_all_types(tmp_path, dtype, size):
    rows = size // np.dtype(dtype).itemsize // 2 + 1
    array = np.asfortranarray(np.random.default_rng(0).integers(0, 100, size=(rows, 2)).astype(dtype))
    with Store(tmp_path, IDENTITY) as store:
        store.save("key", {"array": array, "empty": array[:0], "single": np.array(array[0, 0])})
        record = store.load("key")
    loaded = record["array"]
    assert (record["empty"].shape, record["single"].shape) == ((0, 2), ())
    assert loaded.dtype == array.dtype
    assert loaded.shape == array.shape
    assert loaded.tobytes() == np.ascontiguousarray(array).tobytes()
    assert any((tmp_path / "parts").iterdir()) == (array.nbytes > 1 << 20)


def test_nan_with_a_payload_survives_in_a_part(tmp_path):
    array = np.full(BIG, np.nan)
    array.view("u8")[::2] += 12345
    with Store(tmp_path, IDENTITY) as store:
        store.save("key", {"array": array})
        assert store.load("key")["array"].tobytes() == array.tobytes()


def test_what_cannot_be_kept_is_refused(tmp_path):
    with Store(tmp_path, IDENTITY) as store:
        with pytest.raises(TypeError, match="neither an array nor JSON"):
            store.save("key", {"value": object()})
        with pytest.raises(TypeError, match="Python objects"):
            store.save("key", {"value": np.array([object()])})
        with pytest.raises(KeyError):
            store.load("key")
        store.save("key", {})
        with pytest.raises(ValueError, match="stored already"):
            store.save("key", {"other": 1})
        assert store.keys() == ["key"]


def test_keys_of_any_letters(tmp_path):
    names = ["", "a\0b", "ü", "\udcff", "x" * 5000, "'; DROP TABLE records; --"]
    with Store(tmp_path, IDENTITY) as store:
        for name in names:
            store.save(name, {"name": name})
        assert store.keys() == sorted(names)
        assert all(store.load(name) == {"name": name} for name in names)


def test_content_does_not_depend_on_the_order(tmp_path):
    forth = filled(tmp_path / "forth", range(6), big=[2])
    back = filled(tmp_path / "back", reversed(range(6)), big=[2])
    assert forth == back
    assert filled(tmp_path / "other", range(5)) != forth


@pytest.mark.parametrize("part", IDENTITY)
def test_another_identity_is_refused_with_what_differs(tmp_path, part):
    digest = filled(tmp_path)
    with pytest.raises(CheckpointError, match=rf"checkpoint .* differs: {part}\n") as caught:
        Store(tmp_path, IDENTITY | {part: "0.2.0"})
    assert (caught.value.code, caught.value.exit) == ("E_CKPT", 7)
    with Store(tmp_path, IDENTITY) as store:
        assert digest_of(store) == digest


def test_a_newer_version_is_refused(tmp_path):
    with Store(tmp_path, IDENTITY | {"version": "0.10.0"}):
        pass
    with pytest.raises(CheckpointError, match=r"newer version \(0.10.0, this is 0.9.0\)"):
        Store(tmp_path, IDENTITY | {"version": "0.9.0", "data": "other"})


def test_a_newer_format_is_refused(tmp_path):
    filled(tmp_path)
    with sqlite3.connect(tmp_path / "results.sqlite") as database:
        database.execute("PRAGMA user_version = 2")
    database.close()
    with pytest.raises(CheckpointError, match="newer version"):
        Store(tmp_path, IDENTITY)


def test_a_file_of_something_else_is_refused(tmp_path):
    with sqlite3.connect(tmp_path / "results.sqlite") as database:
        database.execute("CREATE TABLE songs (title TEXT)")
    database.close()
    with pytest.raises(CheckpointError, match="is not a referee checkpoint"):
        Store(tmp_path, IDENTITY)
    (tmp_path / "results.sqlite").write_bytes(b"title,artist\n" * 1000)
    with pytest.raises(CheckpointError, match="damaged"):
        Store(tmp_path, IDENTITY)

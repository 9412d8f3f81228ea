"""A byte that changed is noticed or harmless; what was cut off is not there and can be saved again."""

from __future__ import annotations

import random
import shutil
import sqlite3

import pytest

from referee.errors import CheckpointError
from referee.fitting import Store
from tests.case_record import PYTHON
from tests.faults.samples import IDENTITY, filled, record
from tests.stored_digest import digest_of

pytestmark = pytest.mark.usefixtures("no_file_stays_open")


def flip(path, offset, bit):
    content = bytearray(path.read_bytes())
    content[offset] ^= 1 << bit
    path.write_bytes(content)


def test_a_flipped_byte_anywhere_is_noticed_or_harmless(tmp_path):
    digest = filled(tmp_path / "good")
    size = (tmp_path / "good" / "results.sqlite").stat().st_size
    chance = random.Random(7)
    offsets = [*range(0, 100, 2), *(chance.randrange(size) for _ in range(150))]
    noticed = 0
    for offset in offsets:
        shutil.rmtree(tmp_path / "bad", ignore_errors=True)
        shutil.copytree(tmp_path / "good", tmp_path / "bad")
        flip(tmp_path / "bad" / "results.sqlite", offset, chance.randrange(8))
        try:
            with Store(tmp_path / "bad", IDENTITY) as store:
                assert digest_of(store) == digest, offset
        except CheckpointError as error:
            assert "checkpoint" in error.message
            noticed += 1
    assert noticed > len(offsets) / 4


def test_a_flipped_byte_of_a_record_names_it(tmp_path):
    filled(tmp_path)
    path = tmp_path / "results.sqlite"
    flip(path, path.read_bytes().index(b'"tree 3 ') + 1, 0)
    with pytest.raises(CheckpointError, match=r"checkpoint .* record 'unit 3' fails its checksum") as caught:
        Store(tmp_path, IDENTITY)
    assert (caught.value.code, caught.value.exit) == ("E_CKPT", 7)
    with Store.read(tmp_path) as store:
        assert store.load("unit 2")["model"] == "tree 2 ✓"


def test_a_record_that_was_removed_is_missed(tmp_path):
    filled(tmp_path)
    with sqlite3.connect(tmp_path / "results.sqlite") as database:
        database.execute("DELETE FROM records WHERE key = ?", (b"unit 3",))
    database.close()
    with pytest.raises(CheckpointError, match="record is missing"):
        Store(tmp_path, IDENTITY)


def test_a_flipped_byte_anywhere_in_a_part(tmp_path):
    filled(tmp_path, range(2), big=[1])
    (part,) = (tmp_path / "parts").iterdir()
    good, chance = part.read_bytes(), random.Random(3)
    for offset in [0, len(good) - 1, *(chance.randrange(len(good)) for _ in range(30))]:
        flip(part, offset, chance.randrange(8))
        with pytest.raises(CheckpointError, match="record 'unit 1' fails its checksum"):
            Store(tmp_path, IDENTITY)
        part.write_bytes(good)
    part.unlink()
    with pytest.raises(CheckpointError, match=r"part .* of record 'unit 1' cannot be read"):
        Store(tmp_path, IDENTITY)


@pytest.mark.case("181", PYTHON)
def test_a_torn_last_record_is_not_there(tmp_path):
    """Cut the write-ahead log wherever it may have been cut: what is left is a store with the first records."""
    with Store(tmp_path / "whole", IDENTITY) as store:
        for number in range(4):
            store.save(f"unit {number}", record(number))
        shutil.copytree(tmp_path / "whole", tmp_path / "killed")
        digest = digest_of(store)
    log = (tmp_path / "killed" / "results.sqlite-wal").read_bytes()
    kept = []
    for length in [*range(0, len(log), len(log) // 40), len(log) - 1, len(log)]:
        shutil.rmtree(tmp_path / "torn", ignore_errors=True)
        shutil.copytree(tmp_path / "killed", tmp_path / "torn", ignore=shutil.ignore_patterns("*-shm"))
        (tmp_path / "torn" / "results.sqlite-wal").write_bytes(log[:length])
        with Store(tmp_path / "torn", IDENTITY) as store:
            kept.append(len(store.keys()))
            assert store.keys() == [f"unit {number}" for number in range(kept[-1])]
            for number in range(kept[-1], 4):
                store.save(f"unit {number}", record(number))
            assert digest_of(store) == digest
    assert kept == sorted(kept)
    assert (kept[0], kept[-2], kept[-1]) == (0, 3, 4)


def test_what_a_killed_process_began_to_write_is_removed(tmp_path):
    filled(tmp_path)
    (tmp_path / "parts" / ".abc.parquet.tmp").write_bytes(b"half a file")
    filled(tmp_path, [7])
    assert not list((tmp_path / "parts").iterdir())

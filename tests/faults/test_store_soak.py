"""A store that is opened, filled, read and closed again and again: memory stays flat, nothing stays behind."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from referee.fitting import Store
from tests.faults.processes import open_files
from tests.faults.samples import IDENTITY, filled, record


def megabytes():
    return int(re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1000


def one_round(folder, number):
    """A run of records, one of them with a part of its own, and a second one that resumes it."""
    digest = filled(folder, range(8), big=[3])
    with Store(folder, IDENTITY) as store:
        assert store.load("unit 3")["large"].size == 200_000
        store.save(f"extra {number}", record(number))
    assert filled(folder.with_name("again"), range(8), big=[3]) == digest


def soaked(place, rounds):
    """The memory held, the open files and the names of files after each round."""
    held, files, names = [], [], []
    for number in range(rounds):
        one_round(place / "run", number)
        names.append(sorted(path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()))
        held.append(megabytes())
        files.append(open_files())
        for folder in ("run", "again"):
            shutil.rmtree(place / folder)
    return held, files, names


@pytest.mark.parametrize("rounds", [9, pytest.param(300, marks=pytest.mark.soak)])
def test_rounds_leave_neither_memory_nor_files(tmp_path, rounds):
    held, files, names = soaked(tmp_path, rounds)
    assert names == [names[0]] * rounds, "no log, lock or half a part is left, and no more files from round to round"
    assert set(files) == {files[0]}
    assert held[-1] - held[rounds // 3] < 10, held

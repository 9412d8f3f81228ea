from __future__ import annotations

import pytest

from referee.predictions import ReadOptions, memory


def test_half_of_the_machine_unless_said(monkeypatch):
    monkeypatch.setattr(memory, "machine_memory", lambda: 100)
    assert memory.memory_limit(ReadOptions()) == 50
    assert memory.memory_limit(ReadOptions(max_memory=7)) == 7


def test_a_container_has_less_than_its_machine(monkeypatch, tmp_path):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "CONTAINER_LIMIT", limit)
    whole = memory.machine_memory()
    limit.write_text("1000\n")
    assert memory.machine_memory() == 1000
    limit.write_text("max\n")
    assert memory.machine_memory() == whole > 1000


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 bytes"), (1024, "1.0 KiB"), (3 * 1024**3, "3.0 GiB"), (5 * 1024**5, "5,120.0 TiB")]
)
def test_sizes_for_people(size, text):
    assert memory.size_text(size) == text

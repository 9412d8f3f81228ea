"""What the tests of the readers share: files that they write themselves."""

from __future__ import annotations

import pytest

from referee.predictions import ReadOptions, read_table


@pytest.fixture
def written(tmp_path):
    """Write a file: `written("preds.csv", "y,A")` gives its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def read_written(written):
    """Write a file and read it: `read_written("preds.csv", "y,A", delimiter=",")`."""

    def read(name, content, **options):
        return read_table(written(name, content), ReadOptions(**options))

    return read

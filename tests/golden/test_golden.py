"""Every command prints in every format what it printed before: see tests/golden."""

from __future__ import annotations

import pytest

from tests.golden.__main__ import HERE, texts

pytestmark = pytest.mark.usefixtures("fits_here")


@pytest.mark.parametrize("name", [name for name, _ in texts()])
def test_nothing_printed_has_changed(name, monkeypatch):
    monkeypatch.chdir(HERE / "inputs")
    monkeypatch.setenv("COLUMNS", "80")
    made = dict(texts())[name]()
    assert made.splitlines() == (HERE / "texts" / name).read_text().splitlines()


def test_every_frozen_text_is_still_made():
    assert {file.name for file in (HERE / "texts").iterdir()} == {name for name, _ in texts()}

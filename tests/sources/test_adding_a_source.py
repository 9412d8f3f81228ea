"""One file adds a kind of table, for the command line and for Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from referee.predictions import read_table, sources

FILE = r"""
import pyarrow as pa

from referee.predictions import Source, Table, as_utf8


class Cards(dict):
    pass


def read(source, data, options, notes=()):
    text, encoding = as_utf8(source, data, options.encoding)
    records = [dict(line.split(": ", 1) for line in card.splitlines()) for card in text.decode().split("\n\n")]
    columns = {name: [float(record[name]) for record in records] for name in records[0]}
    return Table(source, pa.table(columns), notes=notes + encoding)


def given(cards):
    return Table("cards", pa.table(dict(cards)))


source = Source("index cards", what="A card for each row.", shown="preds.cards",
                looks_like=lambda head: head.startswith(b"y: "), suffixes=(".cards",),
                content=read, given=given, takes=lambda thing: type(thing).__name__ == "Cards")
"""
ROWS = [(0, 0.2, 0.4), (1, 0.9, 0.3), (1, 0.7, 0.6), (0, 0.4, 0.5)] * 10
TEXT = "\n\n".join(f"y: {y}\nA: {a}\nB: {b}" for y, a, b in ROWS)


@pytest.fixture
def cards(tmp_path):
    folder = tmp_path / "entries"
    folder.mkdir()
    (folder / "cards.py").write_text(FILE)
    file = tmp_path / "predictions.txt"
    file.write_text(TEXT)
    return folder, file


def test_it_is_read_by_its_content(cards):
    folder, file = cards
    sources.add_folder(folder)
    try:
        assert read_table(file).columns.column_names == ["y", "A", "B"]
        assert read_table(file).rows == 40
    finally:
        sources.remove_folder(folder)
    assert "cards" not in sources


def test_objects_are_read_by_who_takes_them(cards):
    folder, _ = cards
    sources.add_folder(folder)
    try:
        assert read_table(type("Cards", (dict,), {})(y=[0.0, 1.0])).name == "cards"
        assert read_table({"y": [0.0, 1.0]}).name == "dict"
    finally:
        sources.remove_folder(folder)


def test_it_is_on_the_command_line(cards):
    folder, file = cards
    told = [sys.executable, "-m", "referee", "compare", file, "--truth", "y", "--goal", "roc_auc", "--format", "json"]
    run = subprocess.run(told, env={**os.environ, "REFEREE_SOURCES": str(folder)}, capture_output=True, check=True)
    said = json.loads(run.stdout)
    assert {score["model"] for score in said["scores"]} >= {"A", "B"}
    assert said["rows"] == 40

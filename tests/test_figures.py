"""Pictures as files: SVG and PNG, the same bytes again, in the colours of the page, for hostile names too."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import referee
from referee import Predictions, compare, select
from referee.errors import UsageError, WriteError
from referee.report.figures.pictures import COLOURS
from referee.report.figures.verdict import refuse_folder, write_figures

pytest.importorskip("matplotlib", reason="pictures are drawn by matplotlib: pip install 'referee[figures]'")
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def verdict():
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 200)
    names = ["_hidden", "50 $ and $x_2$ <b>", "plain"]
    scores = {name: np.clip(truth * 0.2 + draw.uniform(size=200) * 0.8, 0, 1) for name in names}
    return compare(Predictions.from_arrays(truth, scores), "roc_auc")


def test_every_picture_is_written_twice_and_again_the_same(verdict, tmp_path):
    written = write_figures(verdict, tmp_path / "one")
    assert {path.stem for path in written} == {"goal", "roc", "precision_recall", "calibration"}
    for path in written:
        content = path.read_bytes()
        if path.suffix == ".png":
            assert content.startswith(PNG)
        else:
            assert ElementTree.fromstring(content).tag.endswith("svg")
    again = write_figures(verdict, tmp_path / "two")
    assert [path.read_bytes() for path in written] == [path.read_bytes() for path in again]


def test_pictures_of_numbers_and_of_a_learning_curve(tmp_path):
    draw = np.random.default_rng(1)
    X = draw.normal(size=(120, 3))  # noqa: N806 (scikit-learn's letter)
    chosen = {"goal": "rmse", "scheme": "random_subsampling(splits=2)", "learning_curve": [0.5]}
    found = select(["linear", "dummy"], X, X[:, 0] + draw.normal(size=120), **chosen)
    names = {path.stem for path in write_figures(found, tmp_path)}
    assert names == {"goal", "actual_and_predicted", "learning_curve"}


def test_the_colours_are_those_of_the_page():
    style = (Path(referee.__file__).parent / "report/page/template/style/colours.css").read_text()
    light = style.partition("}")[0]
    assert tuple(re.findall(r"--c\d: (#\w+);", light)) == COLOURS


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(WriteError, match="this is a file"):
        refuse_folder(str(tmp_path / "taken"))


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(UsageError) as error:
        refuse_folder("anywhere")
    assert "referee[figures]" in error.value.hint

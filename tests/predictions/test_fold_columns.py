"""Columns of folds that nobody named."""

from __future__ import annotations

import numpy as np
import pytest

from referee import compare, evaluate
from referee.cli.process import run

ROWS = 300
RANDOM = np.random.default_rng(0)
Y = RANDOM.integers(0, 2, ROWS)
MODELS = {name: np.clip(Y + RANDOM.normal(size=ROWS), -1, 2) for name in "ab"}


def table(name, cells):
    return {name: cells, "y": Y.tolist(), **{model: each.tolist() for model, each in MODELS.items()}}


def said(found):
    return {notice.code: notice.message for notice in found.notices}


@pytest.mark.parametrize("name", ["fold", "Fold", "split", "cv_fold", "kfold", "fold_id", "test_fold"])
@pytest.mark.parametrize("cells", [[place % 5 for place in range(ROWS)], [f"fold{place % 5}" for place in range(ROWS)]])
def test_they_are_no_models_and_the_option_is_named(name, cells):
    found = evaluate(table(name, cells), truth="y", metrics="accuracy")
    assert found.predictions.names == ("a", "b")
    assert f"use fold={name!r}" in said(found)["W_FOLDS"]


def test_also_where_the_models_are_named():
    found = evaluate(
        table("fold", [place % 5 for place in range(ROWS)]), truth="y", models=["a", "b"], metrics="accuracy"
    )
    assert "W_FOLDS" in said(found)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("fold", RANDOM.random(ROWS).tolist()),  # scores
        ("manifold", [place % 5 for place in range(ROWS)]),
        ("split", ["train" if place % 2 else "test" for place in range(ROWS)]),
        ("fold", [1] * ROWS),
        ("split", [0] * 280 + [1] * 20),
    ],
)
def test_what_is_something_else(name, cells):
    assert "W_FOLDS" not in said(evaluate(table(name, cells), truth="y", metrics="accuracy"))


def test_nothing_is_said_where_folds_are_named():
    cells = table("fold", [place % 5 for place in range(ROWS)]) | {"split": [place % 3 for place in range(ROWS)]}
    verdict = compare(cells, truth="y", goal="accuracy", metrics="goal", fold="fold", models=["a", "b"])
    assert "W_FOLDS" not in {notice.code for notice in verdict.warnings}


def test_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "predictions.csv"
    rows = zip(range(ROWS), Y.tolist(), MODELS["a"].tolist(), MODELS["b"].tolist(), strict=True)
    path.write_text("fold,y,a,b\n" + "".join(f"{place % 5},{y},{a},{b}\n" for place, y, a, b in rows))
    assert run(["compare", str(path), "--truth", "y", "--goal", "accuracy", "--metrics", "goal"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "warning[W_FOLDS]" in shown and "use --fold 'fold' if the rows were predicted in these folds" in shown
    assert run(["compare", str(path), "--truth", "y", "--goal", "accuracy", "--metrics", "goal", "--fold", "fold"]) == 0
    assert "W_FOLDS" not in capsys.readouterr().out

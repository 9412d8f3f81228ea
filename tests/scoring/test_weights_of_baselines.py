"""The yardstick of relative errors of probabilities with folds: Laplace's row is a row, whatever weights sum up to."""

from __future__ import annotations

import numpy as np
import pytest

import referee
from referee import ReadOptions

ROWS = 90


def table(task):
    draw = np.random.default_rng(3)
    classes = ("u", "v", "w")[: 2 if task == "binary" else 3]
    shares = draw.dirichlet(np.ones(len(classes)), ROWS)
    columns = {f"m:{name}": shares[:, place] for place, name in enumerate(classes)}
    truth = draw.integers(0, len(classes), ROWS)
    columns |= {"y": np.array(classes)[truth], "fold": draw.permutation(np.arange(ROWS) % 5)}
    return columns, classes, truth, shares, draw.integers(0, 4, ROWS).astype(float)


def row_by_row(truth, shares, fold, rows):
    """Shares of the classes in the other folds, with one more row of each class."""
    classes, happened = shares.shape[1], np.eye(shares.shape[1])[truth]
    own = base = 0.0
    for number in range(len(truth)):
        others = fold != fold[number]
        counts = np.array([rows[others & (truth == code)].sum() for code in range(classes)])
        guess = (counts + 1) / (counts.sum() + classes)
        own += rows[number] * np.abs(shares[number] - happened[number]).sum()
        base += rows[number] * np.abs(guess - happened[number]).sum()
    return own / base


@pytest.mark.parametrize("task", ["binary", "multiclass"])
@pytest.mark.parametrize("engine", ["memory", "stream", "database"])
@pytest.mark.parametrize("kind", ["probability", "frequency"])
def test_rae_with_weights_and_folds(task, engine, kind, tmp_path):
    import ibis
    import pyarrow as pa
    import pyarrow.parquet

    columns, classes, truth, shares, weight = table(task)
    rows = weight if kind == "frequency" else weight * weight.sum() / (weight**2).sum()
    expected = row_by_row(truth, shares, columns["fold"], rows)
    for scale in (1.0,) if kind == "frequency" else (0.003, 1.0, 1000.0):
        arrow = pa.table(columns | {"weight": weight * scale})
        source = {"memory": arrow, "database": ibis.memtable(arrow), "stream": tmp_path / "rows.parquet"}[engine]
        pyarrow.parquet.write_table(arrow, tmp_path / "rows.parquet", row_group_size=32)
        roles = {"positive": "v"} if task == "binary" else {}
        scores = referee.evaluate(
            source, truth="y", models={"m": "m:{class}"}, classes=list(classes), fold="fold", weight="weight",
            weight_kind=kind, metrics="probability_rae", options=ReadOptions(engine=engine), **roles,
        )  # fmt: skip
        assert scores["m", "probability_rae"].value == pytest.approx(expected, rel=1e-9)


def test_guessing_in_groups_has_no_interval_on_batches_and_in_a_database(tmp_path):
    """Memory takes groups together; where the rows are not read, it is said that no interval is known."""
    import ibis
    import pyarrow as pa
    import pyarrow.parquet

    truth = np.repeat([0, 1, 0, 0, 1, 0], 20)
    arrow = pa.table({"y": truth, "m": np.linspace(0.1, 0.9, 120), "group": np.arange(120) // 10})
    pyarrow.parquet.write_table(arrow, tmp_path / "rows.parquet")
    for source, engine in ((tmp_path / "rows.parquet", "stream"), (ibis.memtable(arrow), "database")):
        scores = referee.evaluate(
            source, truth="y", models=["m"], group="group", metrics="accuracy", options=ReadOptions(engine=engine)
        )
        (guessing,) = scores.baseline
        assert (guessing.low, guessing.standard_error) == (None, None)
        assert any(note.code == "W_INTERVALS" and "guessing" in note.message for note in scores.notices)

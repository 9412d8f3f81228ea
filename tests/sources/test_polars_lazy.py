"""Lazy frames of polars are summed up as they pass, never collected."""

from __future__ import annotations

import polars as pl
import pytest

from benchmarks.engines import THREE, TWO, compared, table
from referee import ReadOptions, compare, evaluate
from referee.predictions import read_table
from referee.sources import polars_lazy

from .refusals import refused

ROWS = table(300)


@pytest.fixture
def frame(tmp_path):
    """A scan of two Parquet files."""
    pl.from_arrow(ROWS.slice(0, 100)).write_parquet(tmp_path / "1.parquet")
    pl.from_arrow(ROWS.slice(100)).write_parquet(tmp_path / "2.parquet")
    return pl.scan_parquet(tmp_path / "*.parquet")


@pytest.mark.parametrize(
    ("goal", "roles"),
    [
        ("log_loss", TWO),
        ("roc_auc", TWO | {"group": "person"}),
        ("f1_macro", THREE),
        ("brier", TWO | {"fold": "fold", "unit": "fold"}),
    ],
)
def test_the_verdict_is_that_of_memory(frame, goal, roles, monkeypatch):
    monkeypatch.setattr(polars_lazy, "read_lazy", None)
    memory, lazy, largest = compared(ROWS, goal, frame, **roles)
    assert lazy.predictions.engine == "database" and lazy.sentence == memory.sentence
    assert max(largest.values()) <= 1e-9


def test_only_the_columns_of_a_query_are_made(frame, monkeypatch):
    asked = []
    monkeypatch.setattr(pl.LazyFrame, "collect_batches", _noted(pl.LazyFrame.collect_batches, asked))
    compare(frame, goal="accuracy", metrics="goal", **TWO)
    assert {"y"} in asked and {"y", "a", "b", "c"} in asked
    assert sum("amount" in each for each in asked) == 1, "the first rows tell the types"


def _noted(collect_batches, asked):
    def noted(frame, **options):
        asked.append(set(frame.collect_schema().names()))
        return collect_batches(frame, **options)

    return noted


def test_rows_are_counted_before_they_are_collected(frame):
    with refused("E_TOOBIG", "300 rows", exit_code=8):
        read_table(frame, ReadOptions(max_memory=1000))
    assert evaluate(frame, metrics=["roc_auc"], options=ReadOptions(engine="memory"), **TWO).predictions.has_rows


@pytest.mark.parametrize("given", [{}, {"options": ReadOptions(engine="memory")}])
def test_plans_that_fail(frame, given):
    asked = {"goal": "log_loss", **TWO, **given}
    with refused("E_POLARS", "its plan fails", "nowhere"):
        compare(frame.with_columns(pl.col("nowhere") + 1), **asked)
    with refused("E_POLARS", "its plan fails", "conversion"):
        compare(frame.with_columns(a=pl.when(pl.col("w") >= 0).then(pl.lit("x")).cast(pl.Float64)), **asked)


def test_a_plan_that_fails_late(tmp_path):
    """In rows beyond the first ones, so that DuckDB is told of it."""
    rows = pl.DataFrame(
        {"y": ["0", "1"] * 5000 + ["x"], "a": [0.2, 0.7] * 5000 + [0.5], "b": [0.4, 0.6] * 5000 + [0.5]}
    )
    rows.write_parquet(tmp_path / "late.parquet")
    late = pl.scan_parquet(tmp_path / "late.parquet").with_columns(pl.col("y").cast(pl.Int64))
    with refused("E_POLARS", "its plan fails", "x"):
        compare(late, truth="y", models=["a", "b"], goal="log_loss")

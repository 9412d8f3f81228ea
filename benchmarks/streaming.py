"""Predictions larger than memory: a Parquet file of a truth and two models' scores, written batch by batch."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

BATCH = 1 << 20
POSITIVE_SHARE = 0.2
SCHEMA = pa.schema([("y", pa.int8()), ("a", pa.float32()), ("b", pa.float32())])


def write_predictions(path: str | Path, rows: int, seed: int = 0) -> Path:
    """Write so many rows: `y` is 0 or 1, `a` and `b` are probabilities (float32) of which `a` knows more."""
    path = Path(path)
    with parquet.ParquetWriter(path, SCHEMA, use_dictionary=["y"]) as writer:
        for start in range(0, rows, BATCH):
            draw = np.random.default_rng([seed, start])
            writer.write_batch(drawn(draw, min(BATCH, rows - start)))
    return path


def drawn(draw: np.random.Generator, rows: int) -> pa.RecordBatch:
    truth = draw.random(rows) < POSITIVE_SHARE
    models = [
        1 / (1 + np.exp(-(draw.standard_normal(rows, np.float32) + gap * truth - np.float32(gap))))
        for gap in (1.5, 1.0)
    ]
    columns = [pa.array(truth.astype(np.int8)), *(pa.array(scores.astype(np.float32)) for scores in models)]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


if __name__ == "__main__":
    write_predictions(sys.argv[1], int(sys.argv[2]))

"""The study takes the user's data from wherever `select` takes them: the same table gives the same study."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import referee

pytestmark = pytest.mark.usefixtures("fits_here")


@pytest.fixture(scope="module")
def frame():
    draw = np.random.default_rng(3)
    table = pd.DataFrame({"x": draw.normal(size=120).round(6), "z": draw.normal(size=120).round(6)})
    return table.assign(target=np.where(table["x"] + draw.normal(size=120) > 0, "good", "bad"))


def study(data):
    return referee.study(["tree", "naive_bayes"], data, "target", positive="bad", repetitions=2).to_dict()


@pytest.fixture(scope="module")
def expected(frame):
    return study(frame)


def arff(frame, folder):
    head = "@relation t\n@attribute x numeric\n@attribute z numeric\n@attribute target {bad, good}\n@data\n"
    (folder / "t.arff").write_text(head + frame.to_csv(index=False, header=False))
    return folder / "t.arff"


def parquet_files(frame, folder):
    (folder / "parts").mkdir()
    for place, part in enumerate((frame[:50], frame[50:])):
        part.to_parquet(folder / f"parts/{place}.parquet")
    return folder / "parts"


def parquet_glob(frame, folder):
    return str(parquet_files(frame, folder) / "*.parquet")


def duckdb_relation(frame, folder):  # noqa: ARG001
    import duckdb

    return duckdb.connect().from_df(frame)


def ibis_table(frame, folder):  # noqa: ARG001
    import ibis

    return ibis.memtable(frame)


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # of Ibis, which asks pandas for it
@pytest.mark.parametrize("source", [arff, parquet_files, parquet_glob, duckdb_relation, ibis_table])
def test_the_same_table_gives_the_same_study(frame, expected, tmp_path, source):
    found = study(source(frame, tmp_path))
    assert found["rows"] == 120 and found["best"] == expected["best"]
    assert found["choices"] == expected["choices"]


def test_files_that_are_no_parts_of_one_table_are_refused(frame, tmp_path):
    for name in ("one.csv", "two.csv"):
        frame.to_csv(tmp_path / name, index=False)
    with pytest.raises(referee.RefereeError, match=r"one\.csv is not Parquet"):
        study(str(tmp_path / "*.csv"))

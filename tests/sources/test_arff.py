"""ARFF as Weka reads it: its own CSV of the same files says what every cell is."""

from __future__ import annotations

import csv
from datetime import datetime

import numpy as np
import pytest
from scipy.io import arff as scipy_arff

from referee import RefereeError, compare
from referee.fitting import read_dataset
from referee.predictions import read_table

HEAD = "@relation r\n@attribute a numeric\n@attribute b {x,'y z'}\n@attribute s string\n@attribute d date yyyy-MM-dd\n"
DATA = HEAD + "@data\n"


def wekas_cells(path):
    """Weka quotes by ', escapes by a backslash, and writes ? for what is missing."""
    with path.open() as file:
        names, *rows = csv.reader(file, quotechar="'", escapechar="\\")
    return names, rows


def as_weka_writes(column, value):
    if value is None:
        return "?"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}" if column == "moment" else f"{value:%Y-%m-%d}"
    return f"{value:g}" if isinstance(value, float) else value


@pytest.mark.parametrize("name", ["quirks", "sparse", "labor"])
def test_every_cell_is_the_one_that_weka_reads(reference, name):
    folder = reference / "weka_arff"
    table = read_table(folder / f"{name}.arff")
    names, rows = wekas_cells(folder / f"{name}.csv")
    assert table.columns.column_names == names
    assert [[as_weka_writes(*cell) for cell in row.items()] for row in table.columns.to_pylist()] == rows


def test_numbers_and_categories_are_scipys(reference):
    data, meta = scipy_arff.loadarff(reference / "weka_arff/labor.arff")
    columns = read_table(reference / "weka_arff/labor.arff").columns
    for name, kind in zip(meta.names(), meta.types(), strict=True):
        ours = columns.column(name).to_pylist()
        if kind == "numeric":
            assert ours == [None if np.isnan(value) else value for value in data[name]]
        else:
            assert [value or "?" for value in ours] == [value.decode() for value in data[name]]
            assert tuple(columns.column(name).chunk(0).dictionary.to_pylist()) == meta[name][1]


def test_declared_levels_are_the_categories_of_features_and_classes(tmp_path):
    path = tmp_path / "data.arff"
    rows = "".join(f"{n},x,yes\n{n + 0.5},'y z',no\n" for n in range(20))
    path.write_text(
        "@relation r\n@attribute a real\n@attribute b {z,'y z',x}\n@attribute class {yes,no}\n@data\n" + rows
    )
    data = read_dataset(path, "class")
    assert data.task == "binary"
    assert [feature.kind for feature in data.features] == ["numeric", "categorical"]
    assert data.features[1].categories == ("x", "y z", "z")


@pytest.mark.usefixtures("fits_here")
def test_it_is_data_of_select_and_of_study(referee, reference):
    found = referee(
        "select", reference / "weka_arff/labor.arff", "--target", "class", "--models", "tree,naive_bayes", "--goal",
        "accuracy", "--scheme", "k_fold(k=3)",
    )  # fmt: skip
    assert (found.code, found.json["rows"]) == (0, 57)
    study = referee(
        "study", "--on", reference / "weka_arff/labor.arff", "--target", "class", "--models", "tree,naive_bayes",
        "--repetitions", "2", "--positive", "good",
    )  # fmt: skip
    assert study.code == 0, study.out


def test_it_is_a_source_of_compare(tmp_path, referee):
    path = tmp_path / "preds.arff"
    rows = "".join(
        f"{label},{0.2 + 0.6 * (label == 'p') + 0.01 * n},{0.5 + 0.001 * n}\n" for n in range(15) for label in "np"
    )
    path.write_text("@relation p\n@attribute y {n,p}\n@attribute lr real\n@attribute rf real\n@data\n" + rows)
    found = referee("compare", path, "--truth", "y", "--goal", "roc_auc", "--positive", "p").json
    assert found["verdict"]["winners"] == ["lr"]
    assert compare(path, truth="y", goal="roc_auc", positive="p").winners == ("lr",)


def test_a_weight_in_braces_is_a_column(read_written):
    table = read_written("w.arff", DATA + "1,x,s,2024-01-01,{2.5}\n{0 3, 2 t},{4}\n5,x,u,?\n")
    assert table.columns.column("weight").to_pylist() == [2.5, 4.0, 1.0]
    assert table.columns.column("a").to_pylist() == [1.0, 3.0, 5.0]


BAD = {
    "relational": (
        "@relation r\n@attribute bag relational\n@attribute x numeric\n@end bag\n@data\n", "line 2", "relational",
    ),
    "type": ("@relation r\n@attribute a nummeric\n@data\n1\n", "line 2", "did you mean 'numeric'"),
    "keyword": ("@relation r\n@atribute a numeric\n@data\n1\n", "line 2", "did you mean '@attribute'"),
    "no data": ("@relation r\n@attribute a numeric\n", "no @data", "cut off"),
    "levels": ("@relation r\n@attribute a {x,y\n@data\nx\n", "line 2", "do not end in '}'"),
    "number": (DATA + "1,x,s,2024-01-01\n1_0,x,s,?\n", "line 8", "attribute 'a': '1_0' is not a number"),
    "infinite": (DATA + "inf,x,s,?\n", "line 7", "'inf' is not a number"),
    "level": (DATA + "1,yz,s,?\n", "line 7", "attribute 'b': 'yz' is not one of its levels; did you mean 'y z'"),
    "date": (DATA + "1,x,s,2024-13-01\n", "line 7", "attribute 'd': '2024-13-01' is not a date"),
    "pattern": ("@relation r\n@attribute d date 'yyyy-ww'\n@data\n1\n", "line 2", "'ww', which is not read"),
    "few": (DATA + "1,x,s\n", "line 7", "3 values for 4 attributes"),
    "many": (DATA + "1,x,two words,?\n", "line 7", "5 values for 4 attributes"),
    "quote": (DATA + "1,x,'open,?\n", "line 7", "is not closed"),
    "sparse place": (DATA + "{0 1, 9 x}\n", "line 7", "'9' is not the place of an attribute: these are 0 to 3"),
    "sparse twice": (DATA + "{0 1, 0 2, 2 s}\n", "line 7", "attribute 'a' has two values"),
    "sparse string": (DATA + "{0 1}\n", "line 7", "attribute 's' is a string"),
    "sparse cut": (DATA + "{0 1, 2\n", "line 7", "a sparse row"),
    "weight": (DATA + "1,x,s,?,{heavy}\n", "line 7", "the weight 'heavy'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_named_with_file_and_line(written, referee, case):
    text, *parts = BAD[case]
    path = written("bad.arff", text)
    error = referee("evaluate", path, "--truth", "b")
    assert (error.code, error.json["error"]["code"]) == (3, "E_ARFF")
    said = error.json["error"]["message"]
    assert "bad.arff" in said and all(part in said for part in parts), said
    with pytest.raises(RefereeError):
        read_table(path)


def test_missing_cells_and_duplicate_names_are_found_as_elsewhere(written, referee):
    path = written("gap.arff", "@relation r\n@attribute y {n,p}\n@attribute m real\n@data\nn,0.1\n?,0.4\np,0.9\n")
    error = referee("evaluate", path, "--truth", "y").json["error"]
    assert error["code"] == "E_MISSING" and "column 'y', row 2" in error["message"]
    twice = written("twice.arff", "@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n")
    with pytest.raises(RefereeError, match="duplicate column 'a'"):
        read_table(twice)

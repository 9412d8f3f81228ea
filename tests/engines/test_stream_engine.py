"""Files that come in pieces give the same numbers and the same words as files in memory."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv, parquet

from referee import metrics
from referee.engines import Ranking, engine_of, merge_rankings
from referee.engines.stream import rankings as stream_ranking
from referee.engines.stream.rankings import PooledRanking, SortedRanking
from referee.errors import RefereeError
from referee.predictions import Predictions, ReadOptions, Roles
from referee.predictions.batches import open_batches
from referee.predictions.stream_source import stream_predictions
from referee.scoring import evaluate, values
from tests.strategies import FEW_EXAMPLES

PLENTY = 10**8


def in_pieces(source, rows=37, limit=PLENTY, options=None, **roles):
    """The predictions of a file of any size, in pieces of so many rows."""
    batches = open_batches(source, options or ReadOptions(), rows)
    return stream_predictions(Predictions, batches, Roles.of(**roles), limit)


def assert_same(source, *, asked=None, rows=61, by=(), **roles):
    at_once = Predictions.read(source, by=by, **roles)
    pieces = in_pieces(source, rows, by=by, **roles)
    assert (pieces.engine, pieces.rows, pieces.classes) == ("stream", at_once.rows, at_once.classes)
    assert pieces.fingerprint == at_once.fingerprint
    a, b = evaluate(at_once, asked, by=by), evaluate(pieces, asked, by=by)
    told = {notice.code for notice in b.notices}
    unknown = {"W_INTERVALS", "W_COVERAGE"} if "W_INTERVALS" in told else set()  # coverage is judged by intervals
    mine, theirs = ([each for each in scores.notices if each.code not in unknown] for scores in (a, b))
    assert mine == theirs
    assert at_once.notes == pieces.notes
    for mine, theirs in zip((*a.rows, *a.baseline), (*b.rows, *b.baseline), strict=True):
        place = ("model", "metric", "class_", "slice", "unit", "threshold", "undefined")
        assert [getattr(mine, name) for name in place] == [getattr(theirs, name) for name in place]
        if mine.value is not None:
            assert mine.value == pytest.approx(theirs.value, rel=1e-12, abs=1e-13), mine
    for name, matrix in a.confusion.items():
        assert matrix.tolist() == b.confusion[name].tolist()
        assert matrix.dtype == b.confusion[name].dtype
    return b


def written(path, columns, kind="parquet"):
    table = pa.table(columns)
    if kind == "parquet":
        parquet.write_table(table, path, row_group_size=50)
    elif kind == "gzip":
        with gzip.open(path, "wb") as file:
            csv.write_csv(table, file)
    else:
        csv.write_csv(table, path)
    return path


def test_averages_of_counts_have_standard_errors(tmp_path):
    draw = np.random.default_rng(3)
    truth = draw.integers(0, 3, 400)
    called = np.where(draw.random(400) < 0.7, truth, draw.integers(0, 3, 400))
    source = written(tmp_path / "labels.parquet", {"y": truth, "m": called})
    said = {"truth": "y", "task": "multiclass"}
    at_once, pieces = Predictions.read(source, **said), in_pieces(source, **said)
    asked = [f"{name}(average={average})" for name in ("f1", "precision") for average in ("macro", "micro", "weighted")]
    for mine, theirs in zip(evaluate(at_once, asked), evaluate(pieces, asked), strict=True):
        assert theirs.standard_error == pytest.approx(mine.standard_error, rel=1e-12), mine
        assert (theirs.low, theirs.high) == pytest.approx((mine.low, mine.high), rel=1e-12)
    right = float((truth == called).mean())
    expected = np.sqrt(right * (1 - right) / (400 - 1))  # the micro average of F1 is accuracy
    assert evaluate(pieces, asked)["m", "f1(average=micro)"].standard_error == pytest.approx(expected, rel=1e-12)


def binary_columns(rows=200, seed=0):
    draw = np.random.default_rng(seed)
    truth = draw.random(rows) < 0.3
    return {
        "y": truth.astype(np.int64),
        "a": np.round(draw.random(rows) * 0.6 + truth * 0.4, 2).astype(np.float32),
        "b": draw.random(rows),
        "w": draw.integers(0, 4, rows) / 2,
        "fold": draw.integers(0, 3, rows),
        "region": draw.choice(["north", "south", "west"], rows),
        "sex": draw.choice(["f", "m"], rows),
    }


@pytest.mark.parametrize("kind", ["parquet", "csv", "gzip"])
@pytest.mark.parametrize(
    "roles",
    [
        {},
        {"weight": "w"},
        {"fold": "fold", "by": ("region",)},
        {"by": ("region", "sex"), "weight": "w", "fold": "fold"},
        {"positive": "0", "threshold": 0.4},
    ],
    ids=["plain", "weights", "folds", "everything", "other class"],
)
def test_two_classes(tmp_path, kind, roles):
    """All metrics; the formats differ in how they are read, so a few metrics are enough for the others."""
    asked = None if kind == "parquet" else ["roc_auc", "brier", "f1", "probability_rae"]
    source = written(tmp_path / f"preds.{kind}", binary_columns(), kind)
    assert_same(source, asked=asked, truth="y", models=["a", "b"], **roles)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("more", [{}, {"weight": "w"}, {"fold": "f", "repeat": "r"}], ids=["plain", "weights", "folds"])
def test_several_classes(tmp_path, kind, more):
    draw = np.random.default_rng(1)
    rows = 300
    probabilities = draw.dirichlet(np.ones(3), rows)
    columns = {f"m:{name}": probabilities[:, place] for place, name in enumerate(("cat", "dog", "eel"))}
    labels = draw.choice(["cat", "dog", "eel"], rows)
    columns |= {"y": labels, "said": np.where(draw.random(rows) < 0.5, labels, "dog")}
    columns |= {"w": draw.integers(0, 3, rows), "f": draw.integers(0, 2, rows), "r": draw.integers(0, 2, rows)}
    source = written(tmp_path / f"preds.{kind}", columns, kind)
    asked = None if kind == "parquet" else ["roc_auc", "hand_till", "accuracy", "f1(average=micro)"]
    if kind == "csv":
        more = more | {"labels": {}}
    assert_same(source, asked=asked, truth="y", models=["m"], **({"labels": {"other": "said"}} | more))


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize(
    "more",
    [{}, {"weight": "w"}, {"fold": "f"}, {"by": ("f",)}, {"baseline": "mean"}],
    ids=["plain", "weights", "folds", "slices", "baseline"],
)
def test_numbers(tmp_path, kind, more):
    draw = np.random.default_rng(2)
    rows = 300
    truth = draw.normal(10, 3, rows)
    columns = {"y": truth, "p": truth + draw.normal(0, 1, rows), "w": draw.integers(0, 3, rows)}
    columns |= {f"q:{level}": truth + level - 0.5 for level in (0.1, 0.5, 0.9)}
    columns |= {"f": draw.integers(0, 3, rows), "mean": np.full(rows, 9.5)}
    source = written(tmp_path / f"preds.{kind}", columns, kind)
    assert_same(source, truth="y", models=["p", "q"], **more)


def test_extreme_numbers(tmp_path):
    columns = {"y": np.array([1e300, -2e300, 5e299] * 40), "p": np.array([1.1e300, -2e300, 4e299] * 40)}
    source = written(tmp_path / "preds.parquet", columns)
    for name in ("rmse", "mae", "r2", "correlation", "rae", "median_ae"):
        one, other = (read(source, truth="y", models=["p"]) for read in (Predictions.read, in_pieces))
        found = [values(metrics[name], engine_of(p).summarise(p, p.models[0]), 0, None)[0] for p in (one, other)]
        assert found[0] == pytest.approx(found[1], rel=1e-12)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_several_labels_against_the_rest(tmp_path, kind):
    draw = np.random.default_rng(3)
    columns = {"y": draw.choice(["a", "b", "c", "d"], 200), "m": draw.random(200)}
    source = written(tmp_path / f"preds.{kind}", columns, kind)
    scores = assert_same(source, truth="y", models=["m"], positive=["a", "c"])
    assert scores.predictions.classes == ("rest", "a,c")


def test_a_class_that_only_the_last_rows_have(tmp_path):
    columns = {"y": ["a"] * 150 + ["b"] * 150 + ["c"] * 2, "m": ["a"] * 300 + ["c"] * 2, "f": ["x"] * 300 + ["z"] * 2}
    scores = assert_same(written(tmp_path / "preds.parquet", columns), truth="y", labels={"m": "m"}, by=("f",))
    assert scores.predictions.classes == ("a", "b", "c")


def test_scores_that_look_like_decisions_at_first(tmp_path):
    columns = {"y": [0, 1] * 100, "m": [0.0, 1.0] * 99 + [0.0, 0.5]}
    scores = assert_same(written(tmp_path / "preds.parquet", columns), truth="y")
    assert scores.predictions.model("m").labels is None


def test_decisions_as_numbers(tmp_path):
    columns = {"y": [1, 2] * 100, "m": [1, 2, 2, 1] * 50}
    scores = assert_same(written(tmp_path / "preds.parquet", columns), truth="y", positive=2)
    assert scores.predictions.model("m").labels is not None


@pytest.mark.parametrize("shape", ["folder", "glob"])
def test_many_files_are_one_table(tmp_path, shape):
    columns = binary_columns(90)
    for place in range(3):
        part = {name: values[place * 30 : place * 30 + 30] for name, values in columns.items()}
        written(tmp_path / f"part{place}.parquet", part)
    source = tmp_path if shape == "folder" else tmp_path / "part*.parquet"
    assert_same(str(source), truth="y", models=["a", "b"])


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_spellings_of_csv(tmp_path, newline, encoding):
    draw = np.random.default_rng(4)
    lines = [
        f'"{name}é, ""x""";{score:.3f}'
        for name, score in zip(draw.choice(["a", "b"], 200), draw.random(200), strict=True)
    ]
    source = tmp_path / "preds.csv"
    source.write_bytes(newline.join(["y;m", *lines, "", ""]).encode(encoding))
    options = ReadOptions(encoding="cp1252") if encoding == "cp1252" else ReadOptions()
    roles = {"truth": "y", "positive": 'aé, "x"'}
    at_once = Predictions.read(source, options=options, **roles)
    pieces = in_pieces(source, 5, options=options, **roles)
    assert pieces.fingerprint == at_once.fingerprint
    assert pieces.notes == at_once.notes


@given(rows=st.integers(4, 70), batch=st.integers(1, 80), seed=st.integers(0, 5))
@FEW_EXAMPLES
def test_whatever_the_size_of_a_piece(tmp_path_factory, rows, batch, seed):
    columns = binary_columns(rows, seed) | {"y": np.arange(rows) % 2}
    source = written(tmp_path_factory.mktemp("pieces") / "preds.parquet", columns)
    assert_same(source, rows=batch, truth="y", models=["a", "b"], asked=["roc_auc", "brier", "f1", "ks"])


def damaged(text="x", row=123, rows=200):
    return "y,m,w\n" + "".join(f"{n % 2},{text if n == row else n / 1000},1\n" for n in range(1, rows + 1))


@pytest.mark.parametrize(
    ("content", "roles", "code", "words"),
    [
        (damaged("x"), {"models": ["m"]}, "E_NOTNUM", ["row 123", "'x'"]),
        (damaged(""), {}, "E_MISSING", ["row 123"]),
        (damaged("nan"), {}, "E_NONFINITE", ["row 123", "1 row so far"]),
        (damaged("1,2"), {}, "E_RAGGED", ["row 123 (line 124)", "4 fields"]),
        (damaged('"0.5'), {}, "E_QUOTE", ["line 124"]),
        (damaged("0.1").replace(",1\n", ",0\n"), {"weight": "w"}, "E_WEIGHT", ["all weights are zero"]),
        (damaged("0.1,-1\n1,0.1"), {"weight": "w"}, "E_WEIGHT", ["row 123", "negative"]),
        (damaged("0.1").replace("0,0.15,", "\n0,0.15,"), {}, "E_RAGGED", ["blank"]),
        (damaged("é").encode("latin-1"), {}, "E_ENCODING", ["line 124", "0xE9"]),
        (damaged("a\0"), {}, "E_ENCODING", ["line 124", "NUL"]),
        (damaged("0.1"), {"id": "m"}, "E_DUPID", ["0.1", "rows 100 and 123"]),
        (damaged("0.1"), {"weight": "v"}, "E_NOCOL", ["'v'"]),
        (damaged("0.1"), {"fold": "v"}, "E_NOCOL", ["'v'"]),
        (damaged("0.1"), {"positive": "2"}, "E_POSITIVE", ["'2'"]),
        ("y,m\n", {}, "E_NOROWS", []),
    ],
)  # fmt: skip
def test_damage_is_named_with_its_row(tmp_path, content, roles, code, words):
    source = tmp_path / "preds.csv"
    source.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(RefereeError) as caught:
        evaluate(in_pieces(source, 5, truth="y", **roles))
    assert caught.value.code == code
    said = f"{caught.value.message} {caught.value.hint}"
    assert all(word in said for word in words), said
    with pytest.raises(RefereeError) as at_once:
        Predictions.read(source, truth="y", **roles)
    assert at_once.value.code == code
    assert at_once.value.message == caught.value.message.replace(" so far", "")


def test_damage_in_parquet_is_named_with_its_row(tmp_path):
    columns = {"y": [0, 1] * 100, "m": [0.5] * 122 + [float("inf")] + [0.5] * 77}
    with pytest.raises(RefereeError, match=r"column 'm', row 123: inf") as caught:
        evaluate(in_pieces(written(tmp_path / "preds.parquet", columns), truth="y"))
    assert caught.value.code == "E_NONFINITE"


def test_scores_outside_are_named_with_their_row(tmp_path):
    columns = {"y": [0, 1] * 100, "m": [0.5] * 122 + [1.5] + [0.5] * 77}
    with pytest.raises(RefereeError, match=r"row 123 is 1.5"):
        evaluate(in_pieces(written(tmp_path / "preds.parquet", columns), truth="y"), ["brier"])


def test_a_file_that_changes_between_passes(tmp_path):
    source = written(tmp_path / "preds.parquet", binary_columns())
    predictions = in_pieces(source, truth="y", models=["a"])
    written(source, binary_columns(300, seed=9))
    os.utime(source, ns=(1, 1))
    with pytest.raises(RefereeError) as caught:
        evaluate(predictions)
    assert caught.value.code == "E_CHANGED"


def test_facts_merge(tmp_path):
    source = written(tmp_path / "preds.parquet", binary_columns() | {"c": (binary_columns()["y"]).astype(float)})
    at_once, pieces = (read(source, truth="y", models=["a", "b", "c"]) for read in (Predictions.read, in_pieces))
    for one, other in zip(at_once.models, pieces.models, strict=True):
        assert engine_of(at_once).facts(at_once, one) == engine_of(pieces).facts(pieces, other)


@pytest.mark.parametrize("weight", [None, "w"])
def test_row_moments(tmp_path, weight):
    source = written(tmp_path / "preds.parquet", binary_columns())
    found = []
    for read in (Predictions.read, in_pieces):
        predictions = read(source, truth="y", models=["b"], weight=weight)
        summary = engine_of(predictions).summarise(predictions, predictions.models[0])
        found.append(summary.row_moments(metrics["brier"], lambda terms: terms["squared_error"] - 0.25))
    assert found[0] == pytest.approx(found[1], rel=1e-12)


def test_large_files_are_read_in_pieces(tmp_path, referee):
    source = written(tmp_path / "preds.parquet", binary_columns(20_000))
    small = ReadOptions(max_memory=1_000_000)
    assert Predictions.read(source, truth="y", models=["a"], options=small).engine == "stream"
    assert Predictions.read(source, truth="y", models=["a"]).engine == "memory"
    run = referee("evaluate", source, "--truth", "y", "--models", "a,b", "--max-memory", "1MB")
    assert run.code == 0
    assert run.json["rows"] == 20_000
    whole = referee("evaluate", source, "--truth", "y", "--models", "a,b")
    assert run.json["fingerprint"] == whole.json["fingerprint"]
    assert run.value("a", "roc_auc") == whole.value("a", "roc_auc")


def test_too_large_even_in_pieces(tmp_path, referee):
    source = written(tmp_path / "preds.parquet", binary_columns(20_000))
    run = referee("evaluate", source, "--truth", "y", "--models", "b", "--max-memory", "100kB", "--engine", "stream")
    assert run.code == 8
    assert run.json["error"]["code"] == "E_TOOBIG"
    said = run.json["error"]["message"]
    assert "20,000 rows need about" in said
    assert "--max-memory" in said


def test_keys_are_given_up_for_those_of_the_next_model(tmp_path):
    source = written(tmp_path / "preds.parquet", binary_columns(2000))
    predictions = in_pieces(source, 500, limit=20_000, truth="y", models=["a", "b"])
    one, two = (engine_of(predictions).summarise(predictions, model) for model in predictions.models)
    first = one.ranking(1)
    two.ranking(1)
    assert not one._keys
    again = one.ranking(1)
    assert np.array_equal(first.scores, again.scores)


SCORES = st.lists(st.sampled_from([0.0, 0.1, 1e-20, 0.25, 0.5, 1.0]), max_size=40)


@given(positives=SCORES, negatives=SCORES, steps=st.integers(1, 5), change=st.sampled_from([(1, 0), (-1, 0), (-1, 1)]))
@FEW_EXAMPLES
def test_blocks_of_sorted_keys(positives, negatives, steps, change):
    """The steps are those of all rows at once, whatever the size of a block; 1 - p may tie where p does not."""
    sign, offset = change
    keys = np.sort(np.array(positives, np.float32)), np.sort(np.array(negatives, np.float32))
    ranking = SortedRanking([keys], sign=sign, offset=offset, steps=steps)
    scores = np.concatenate([offset + sign * part.astype(float) for part in keys])
    is_positive = np.arange(len(scores)) < len(positives)
    distinct = np.unique(scores)[::-1]
    whole = ranking.whole
    assert whole.scores.tolist() == distinct.tolist()
    assert whole.positives.tolist() == [int((is_positive & (scores == score)).sum()) for score in distinct]
    assert whole.negatives.tolist() == [int((~is_positive & (scores == score)).sum()) for score in distinct]
    assert [block.tp[-1] for block in ranking.blocks()][-1:] == ([len(positives)] if len(scores) else [])
    area = ranking.sum(lambda at: at.negatives * (at.tp_above + at.positives / 2))
    assert area == pytest.approx(whole.sum(lambda at: at.negatives * (at.tp_above + at.positives / 2)))


@given(parts=st.lists(st.tuples(SCORES, SCORES), min_size=2, max_size=3), steps=st.integers(1, 4))
@FEW_EXAMPLES
def test_pooled_rankings(parts, steps):
    rankings = [SortedRanking([(np.sort(np.array(p)), np.sort(np.array(n)))], steps=steps) for p, n in parts]
    pooled = merge_rankings(rankings)
    expected = merge_rankings([Ranking(*vars(ranking.whole).values()) for ranking in rankings])
    assert isinstance(pooled, PooledRanking)
    assert pooled.scores.tolist() == expected.scores.tolist()
    assert pooled.positives.tolist() == expected.positives.tolist()
    assert pooled.negatives.tolist() == expected.negatives.tolist()


def test_many_rows_are_ranked_in_blocks(tmp_path, monkeypatch):
    """Enough rows that rankings are never whole: all metrics are the same nevertheless."""
    monkeypatch.setattr("referee.engines.stream.summary.BLOCK", 100)
    monkeypatch.setattr(
        stream_ranking.SortedRanking.__init__, "__kwdefaults__", {"sign": 1.0, "offset": 0.0, "steps": 64}
    )
    source = written(tmp_path / "preds.parquet", binary_columns(1000))
    assert_same(source, truth="y", models=["a", "b"], fold="fold")


BOUND = """
import sys
if sys.argv[2] == "interpreted":
    sys.modules["numba"] = None  # as if it were not installed
from pathlib import Path
from referee import Predictions, ReadOptions, evaluate
def peak():
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
evaluate(Predictions.from_arrays([0, 1] * 200_000, {"a": [0.2, 0.9] * 200_000}), ["roc_auc", "brier"])
Path("/proc/self/clear_refs").write_text("5")  # a child begins with its parent's peak, which would hide its own
before = peak()
predictions = Predictions.read(sys.argv[1], truth="y", options=ReadOptions(max_memory=40_000_000, engine="stream"))
assert predictions.engine == "stream"
evaluate(predictions, ["roc_auc", "average_precision", "brier", "log_loss", "accuracy"])
print(peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells a process its peak")
@pytest.mark.parametrize("kernels", ["compiled", "compiled anew", "interpreted"])
def test_memory_is_bounded(tmp_path, kernels):
    """4 million rows, 96 MB as float64 columns, stay within the 40 MB allowed and the size of a piece."""
    rows = 4_000_000
    draw = np.random.default_rng(6)
    truth = (np.arange(rows) % 5 == 0).astype(np.int64)
    columns = {"y": truth, "a": draw.random(rows, np.float32), "b": draw.random(rows, np.float32)}
    source = tmp_path / "preds.parquet"
    parquet.write_table(pa.table(columns), source, row_group_size=1 << 18)
    environment = os.environ | ({"NUMBA_CACHE_DIR": str(tmp_path)} if kernels == "compiled anew" else {})
    command = [sys.executable, "-c", BOUND, source, kernels]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 100_000_000

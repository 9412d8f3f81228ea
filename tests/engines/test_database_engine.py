"""Tables in a database give what the same rows in memory give: every metric, every role, every error."""

from __future__ import annotations

import datetime
import gc
import hashlib
import warnings
from dataclasses import replace
from decimal import Decimal

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee import metrics
from referee.comparing import compare, gate
from referee.engines.database import engine as database
from referee.engines.database import sums as database_sums
from referee.engines.memory import engine as memory
from referee.errors import RefereeError
from referee.predictions import Predictions, ReadOptions, Units, database_queries, quoted
from referee.scoring import evaluate, values
from referee.testing.samples import binary, exact_unless_sums, in_database, multiclass, regression, same, samples_for
from tests.scoring.test_every_metric import NAMES, WITH_SETTINGS
from tests.strategies import predictions_for

UNCERTAINTY = {"low", "high", "standard_error", "interval"}
MANY_ROWS_METRICS = ["mcc", "roc_auc", "average_precision", "ks", "calibration_error", "log_loss", "probability_rrse"]
HOSTILE = ['a"b', "a'; DROP TABLE t; --", "{class}", "unit", "rows", "weight", "sélect", " ", "term0", "t0.x"]


@st.composite
def in_groups(draw, metric):
    """Predictions with ties, weights of 0, minus zeros, folds, repeats and slices."""
    predictions = draw(predictions_for(metric))
    rows = predictions.rows

    def units(most):
        codes = draw(st.lists(st.integers(0, most - 1), min_size=rows, max_size=rows))
        return Units(np.array(codes), tuple(map(str, range(most))))

    fold = draw(st.booleans())
    repeat = units(2) if fold and draw(st.booleans()) else None
    by = draw(st.sampled_from(["none", "units", "crossed"]))
    minus = np.array(draw(st.lists(st.booleans(), min_size=rows, max_size=rows)))
    (model,) = predictions.models
    if model.scores is not None:
        model = replace(model, scores=np.where(minus & (model.scores == 0), -0.0, model.scores))
    predictions = replace(predictions, models=(model,), fold=units(3) if fold else None, repeat=repeat)
    return predictions, {"none": [], "units": [units(3)], "crossed": [units(2), units(3)]}[by]


def values_by(engine, metric, predictions, several):
    summary = engine.summarise(predictions, predictions.models[0], engine.crossed(several))
    return values(metric, summary, len(predictions.classes), predictions.positive)


LISTS = (("ranking",), ("multilabel",))
"""Rows that are lists are read into memory."""


@pytest.mark.parametrize("name", [name for name in [*NAMES, *WITH_SETTINGS] if metrics[name].tasks not in LISTS])
def test_every_metric_agrees(name):
    metric = metrics[name]

    @settings(max_examples=12, derandomize=True, deadline=None, database=None)
    @given(in_groups(metric))
    def agrees(drawn):
        predictions, several = drawn
        moved, _ = in_database(replace(predictions, slices=dict(enumerate(several))))
        expected = values_by(memory, metric, predictions, several)
        found = values_by(database, metric, moved, list(moved.slices.values()))
        assert len(expected) == len(found)
        for one, other in zip(expected, found, strict=True):
            assert same(one, other, exact_unless_sums(metric)), (expected, found)

    agrees()


@pytest.mark.parametrize("name", ["log_loss", "brier", "r2", "correlation", "rmse", "paper_average", "rrse"])
def test_row_moments(name):
    metric = metrics[name]

    def phi(terms):
        return sum((place + 1) * (term - 0.25) for place, term in enumerate(terms.values())) / 7

    for predictions in samples_for(metric):
        moved, _ = in_database(predictions)
        expected, found = (
            engine.summarise(one, one.models[0]).row_moments(metric, phi)
            for engine, one in ((memory, predictions), (database, moved))
        )
        assert found == pytest.approx(expected, rel=1e-12)


def test_preparing_asks_once(monkeypatch):
    asked = []
    fetch = database_sums.fetch
    monkeypatch.setattr(database_sums, "fetch", lambda query: asked.append(query) or fetch(query))
    predictions, _ = in_database(samples_for(metrics["brier"])[1])
    chosen = [metric for metric in metrics.values() if "sums" in metric.summaries and "binary" in metric.tasks]
    one_by_one, at_once = (database.summarise(predictions, predictions.models[0]) for _ in range(2))
    at_once.prepare(metrics.values())
    at_once.sums(chosen[0])
    of_baseline = 1
    assert len(asked) == 1 + of_baseline
    for metric in chosen:
        first, second = one_by_one.sums(metric), at_once.sums(metric)
        assert first.terms == second.terms
        np.testing.assert_array_equal(first.means, second.means)
        np.testing.assert_array_equal(first.moments, second.moments)


class TestNumbers:
    def test_equal_numbers_do_not_vary(self):
        rows = 200_000
        predictions, _ = in_database(regression(np.full(rows, 0.1), np.linspace(0, 1, rows)))
        found = {name: values_by(database, metrics[name], predictions, [])[0] for name in ("r2", "rae", "correlation")}
        assert all(np.isnan(value) for value in found.values())

    @pytest.mark.parametrize("size", [1e-200, 1e200])
    def test_extreme_numbers(self, size):
        truth, values_ = np.array([1.0, 2.0, 4.0, 7.0]) * size, np.array([2.0, 2.0, 3.0, 8.0]) * size
        plain = regression(truth, values_, 0.0)
        moved, _ = in_database(plain)
        for name in ("rmse", "r2", "rae", "correlation", "median_ae"):
            expected, found = (values_by(e, metrics[name], p, [])[0] for e, p in ((memory, plain), (database, moved)))
            assert found == pytest.approx(expected, rel=1e-14, abs=0) or np.isnan(expected) == np.isnan(found)

    def test_an_offset_does_not_swallow_the_variance(self):
        """Each unit has its own mean: deviations from the mean of all would cancel."""
        by = Units(np.arange(8) // 4, ("a", "b"))
        truth = np.array([1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3, -1e9, -1e9 + 1, -1e9 + 2, -1e9 + 3])
        moved, units = in_database(regression(truth, truth, 0.0), by)
        summary = database.summarise(moved, moved.models[0], units)
        assert summary.sums(metrics["correlation"]).variance("truth").tolist() == [1.25, 1.25]

    def test_infinite_loss(self):
        predictions, _ = in_database(binary([1, 0], [0.0, 0.5]))
        assert np.isinf(values_by(database, metrics["log_loss"].bind(clip=0), predictions, [])[0])

    def test_thresholds_have_the_precision_of_the_scores(self):
        table = pa.table({"y": [1, 0, 1, 0], "A": pa.array([0.7, 0.69, 0.71, 0.6], pa.float32())})
        found, expected = (
            evaluated(one, ["accuracy"], truth="y", threshold=0.7) for one in (ibis.memtable(table), table)
        )
        assert found["confusion"] == expected["confusion"]
        assert found["confusion"][0]["counts"] == [[2, 0], [0, 2]]


def evaluated(source, metrics=None, **roles):
    return evaluate(Predictions.read(source, **roles), metrics, by=roles.get("by", ())).to_dict()


def assert_same_results(found, expected):
    """The same numbers and words; only the name of the source, and what slices cannot know, may differ."""
    for name in ("rows", "task", "positive", "confusion"):
        assert found[name] == expected[name]
    for part in ("scores", "baseline"):
        for one, other in zip(found[part], expected[part], strict=True):
            assert_same_score(one, other)
    unknown = {"W_DATES", "W_FOLDS"}  # which are looked for in rows
    if "W_INTERVALS" in {told["code"] for told in found["warnings"]}:
        unknown |= {"W_INTERVALS", "W_COVERAGE"}
    warned, due = ([told for told in each["warnings"] if told["code"] not in unknown] for each in (found, expected))
    assert [told["code"] for told in warned] == [told["code"] for told in due]
    for one, other in zip(warned, due, strict=True):
        assert one["message"].partition(": ")[2] == other["message"].partition(": ")[2]


def assert_same_score(found, expected):
    for key in found.keys() - UNCERTAINTY - {"undefined"}:
        exact = not isinstance(expected[key], float)
        assert found[key] == (expected[key] if exact else pytest.approx(expected[key], rel=1e-12, abs=1e-12)), expected
    if found["standard_error"] is not None and metrics[found["metric"]].summaries == ("sums",):  # by row_moments
        assert found["standard_error"] == pytest.approx(expected["standard_error"], rel=1e-9), expected
    words = (expected["undefined"] or "").replace("pyarrow Table", "")
    assert (found["undefined"] or "")[:30] == words[:30]


DRAW = np.random.default_rng(7)
ROWS = 400
TRUTH = DRAW.integers(0, 2, ROWS)
THREE = DRAW.permutation(np.arange(ROWS) % 3)
SHARES = DRAW.dirichlet([1, 1, 1], ROWS)
NUMBERS = DRAW.normal(5, 2, ROWS)
COLUMNS = {
    "y": TRUTH,
    "word": np.array(["it's", 'a "b"'])[TRUTH],
    "truth": TRUTH.astype(bool),
    "three": np.array(["x", "y", "z"])[THREE],
    "ten": np.array(["9", "10", "11"])[THREE],
    "code": THREE + 7,
    "amount": NUMBERS,
    "A": np.round(np.clip(DRAW.normal(0.3 + 0.4 * TRUTH, 0.3), -0.0, 1), 2),
    "B": DRAW.random(ROWS).astype(np.float32),
    "logit": DRAW.normal(0, 3, ROWS),
    "hard": np.where(DRAW.random(ROWS) < 0.2, 1 - TRUTH, TRUTH),
    "said": np.array(["x", "y", "z"])[DRAW.permutation(THREE)],
    "text": [f"{number:.3f} " for number in DRAW.random(ROWS)],
    "decimal": [Decimal(f"{number:.4f}") for number in DRAW.random(ROWS)],
    "m:x": SHARES[:, 0],
    "m:y": SHARES[:, 1],
    "m:z": SHARES[:, 2],
    "guess": NUMBERS + DRAW.normal(0, 1, ROWS),
    "near:0.25": NUMBERS - 1,
    "near:0.75": NUMBERS + 1,
    "mean": np.full(ROWS, 4.75),
    "w": DRAW.integers(0, 4, ROWS) / 4,
    "tiny": DRAW.integers(0, 4, ROWS) * 1e-310,
    "fold": DRAW.integers(0, 4, ROWS),
    "repeat": [f"run {number}" for number in DRAW.integers(0, 2, ROWS)],
    "day": [datetime.date(2024, 1, 1 + int(number)) for number in DRAW.integers(0, 3, ROWS)],
    "region": np.array(["north's", 'so"uth', "Öst"])[DRAW.integers(0, 3, ROWS)],
    "person": [f"p{number}" for number in DRAW.integers(0, 90, ROWS)],
    "row": np.arange(ROWS),
}
TABLE = pa.table(COLUMNS)

ROLES = {
    "numbers as classes": {"truth": "y", "models": ["A", "B", "logit"]},
    "text as classes": {"truth": "word", "positive": "it's", "models": ["A", "B"]},
    "booleans": {"truth": "truth", "models": ["A", "hard"]},
    "the other class": {"truth": "y", "positive": 0, "models": ["A", "hard"]},
    "several positives": {"truth": "three", "positive": ["x", "z"], "models": ["A"]},
    "several positives of class columns": {"truth": "three", "positive": ["x", "z"], "columns": {"m": "m:{class}"}},
    "class columns": {"truth": "three", "columns": {"m": "m:{class}"}, "labels": {"n": "said"}},
    "class columns and decisions": {"truth": "three", "columns": {"m": "m:{class}"}, "labels": {"m": "said"}},
    "classes that are numbers": {"truth": "code", "task": "multiclass", "labels": {"n": "code"}},
    "numbers of text": {"truth": "y", "models": ["text", "decimal"]},
    "threshold": {"truth": "y", "models": ["A", "B"], "threshold": 0.35},
    "folds": {"truth": "y", "models": ["A"], "fold": "fold"},
    "repeats": {"truth": "y", "models": ["A"], "fold": "fold", "repeat": "repeat", "weight": "w"},
    "slices": {"truth": "y", "models": ["A"], "by": ["region", "day"]},
    "weights": {"truth": "y", "models": ["A", "B"], "weight": "w", "by": "ten", "id": "row", "group": "person"},
    "tiny weights": {"truth": "y", "models": ["A"], "weight": "tiny"},
    "regression": {"truth": "amount", "models": ["guess"], "by": "region"},
    "regression with folds": {"truth": "amount", "models": ["guess"], "fold": "fold", "weight": "w"},
    "regression with a baseline": {"truth": "amount", "models": ["guess", "near"], "baseline": "mean"},
    "quantiles": {"truth": "amount", "models": ["near"], "weight": "w"},
    "the truth itself": {"truth": "y", "columns": {"A": "y", "B": "B"}},
    "every model": {"truth": "y", "fold": "fold", "weight": "w", "id": "row", "by": ["ten"]},
}  # fmt: skip


@pytest.mark.parametrize("case", ROLES)
def test_every_role(case):
    table = TABLE
    if case == "every model":
        table = TABLE.select(["y", "A", "B", "logit", "hard", "fold", "w", "row", "ten", "person"])
    assert_same_results(evaluated(ibis.memtable(table), **ROLES[case]), evaluated(table, **ROLES[case]))


@pytest.mark.parametrize("dialect", ["postgres", "snowflake", "bigquery", "clickhouse", "mssql"])
def test_other_databases_are_asked_in_their_language(dialect, monkeypatch):
    """No query is DuckDB's own: Ibis can write each for other databases."""
    asked = []
    fetch_table = database_queries.fetch_table
    monkeypatch.setattr(database_queries, "fetch_table", lambda query: asked.append(query) or fetch_table(query))
    for case in ("repeats", "class columns", "regression with folds"):
        predictions = Predictions.read(ibis.memtable(TABLE.slice(0, 50)), **ROLES[case])
        for model in predictions.models:
            summary = database.summarise(predictions, model, database.crossed([predictions.slices["region"]]))
            for metric in metrics.values():
                if predictions.task in metric.tasks and summary.rows.gives(metric.needs):
                    values(metric, summary, len(predictions.classes), predictions.positive)
    assert len(asked) > 20
    for query in asked:
        unbound = query.unbind()
        assert "SELECT" in str(ibis.to_sql(unbound, dialect=dialect))


def test_it_stays_in_the_database():
    predictions = Predictions.read(ibis.memtable(TABLE), **ROLES["weights"])
    assert (predictions.engine, predictions.rows) == ("database", ROWS)
    assert predictions.group is not None and len(predictions.group) == len(set(COLUMNS["person"]))


def test_many_units():
    """Beyond a thousand names units are told apart by their rank."""
    draw = np.random.default_rng(1)
    table = pa.table(
        {
            "y": draw.integers(0, 2, 20_000),
            "A": draw.random(20_000),
            "place": [f"p{n}" for n in draw.integers(0, 1500, 20_000)],
        }
    )
    found, expected = (
        evaluated(source, ["accuracy", "brier", "roc_auc"], truth="y", models=["A"], by="place")
        for source in (ibis.memtable(table), table)
    )
    slices = [
        {(s["slice"], s["metric"]): s["value"] for s in one["scores"] if s["value"] is not None}
        for one in (found, expected)
    ]
    assert slices[0] == pytest.approx(slices[1], rel=1e-12)
    assert len(slices[0]) > 3 * 1400


ERRORS = {
    "no such column": ({"y": [0, 1], "A": [0.1, 0.2]}, {"models": ["B"]}, "E_NOCOL", "'B'"),
    "no truth": ({"A": [0.1, 0.2]}, {}, "E_NOCOL", "'y'"),
    "missing": ({"y": [0, 1, 1], "A": [0.1, None, None]}, {}, "E_MISSING", "column 'A': missing (2 rows)"),
    "blank": ({"y": ["0", " ", "1"], "A": [0.1, 0.2, 0.3]}, {}, "E_MISSING", "column 'y': missing (1 row)"),
    "nan": ({"y": [0, 1, 0], "A": [0.1, np.nan, np.nan]}, {}, "E_NONFINITE", "column 'A': nan (2 rows) is not"),
    "infinite": ({"y": [0.5, 1.5, 2.5], "A": [0.1, np.inf, 1]}, {}, "E_NONFINITE", "column 'A': inf (1 row) is not"),
    "no number": ({"y": [0, 1, 1], "A": ["0.1", "0.2", "n/a"]}, {"models": ["A"]}, "E_NOTNUM", "'n/a'"),
    "no number of many": ({"y": [0.5, 1, 2], "A": ["1", "2", "n/a"]}, {"models": ["A"]}, "E_NOTNUM", "'n/a'"),
    "labels": ({"y": [0, 1, 1], "A": ["0", "1", "2"]}, {"labels": {"A": "A"}}, "E_LABELS", "'2' is not a class"),
    "spelt twice": ({"y": ["1", "1.0", "0"], "A": [0.1, 0.2, 0.3]}, {}, "E_LABELS", "'1' and '1.0'"),
    "positive": ({"y": ["a", "b"], "A": [0.1, 0.2]}, {}, "E_POSITIVE", "which is the positive one"),
    "wrong positive": ({"y": ["a", "b"], "A": [0.1, 0.2]}, {"positive": "c"}, "E_POSITIVE", "'c'"),
    "task": ({"y": [3, 1, 2], "A": [1, 2, 3]}, {}, "E_TASK", "3 different whole numbers"),
    "continuous": ({"y": [0.5, 1, 2], "A": [1, 2, 3]}, {"positive": 1}, "E_CONTINUOUS", "no positive class"),
    "negative weight": (
        {"y": [0, 1], "A": [0.1, 0.2], "w": [1.0, -2.0]}, {"weight": "w"}, "E_WEIGHT", "column 'w': the weight -2 is"),
    "no weight": ({"y": [0, 1], "A": [0.1, 0.2], "w": [0.0, 0.0]}, {"weight": "w"}, "E_WEIGHT", "all weights are zero"),
    "missing weight": (
        {"y": [0, 1], "A": [0.1, 0.2], "w": [0.0, None]}, {"weight": "w"}, "E_WEIGHT", "column 'w': missing (1 row)"),
    "same id": ({"y": [0, 1], "A": [0.1, 0.2], "i": [7, 7]}, {"id": "i"}, "E_DUPID", "duplicate id 7 (2 rows)"),
    "no rows": ({"y": pa.array([], pa.int64()), "A": pa.array([], pa.float64())}, {}, "E_NOROWS", "no data rows"),
    "no models": ({"y": [0, 1], "A": ["u", "v"]}, {}, "E_NOMODELS", "no numeric column"),
    "a list": ({"y": [0, 1], "A": [[0.1], [0.2]]}, {"models": ["A"]}, "E_TYPE", "column 'A' holds values of type"),
    "a class too many": (
        {"y": ["a", "b", "c"], "m:a": [1, 0, 0], "m:b": [0, 1, 1]}, {}, "E_CLASSCOL", "no column for the class 'c'"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case):
    columns, roles, code, words = ERRORS[case]
    table = pa.table(columns)
    with pytest.raises(RefereeError) as in_memory:
        Predictions.read(table, truth="y", **roles)
    with pytest.raises(RefereeError) as found:
        Predictions.read(ibis.memtable(table), truth="y", **roles)
    assert (found.value.code, found.value.exit) == (code, in_memory.value.exit)
    assert in_memory.value.code == code
    assert words in found.value.message
    assert ", row " not in found.value.message


@pytest.mark.parametrize(
    ("damage", "code", "words"),
    [
        (lambda cells: cells, None, ""),
        (lambda cells: [*cells[:-1], None], "E_MISSING", "column 'A': missing (1 row)"),
        (lambda cells: [*cells[:-1], float("-inf")], "E_NONFINITE", "column 'A': -inf (1 row) is not"),
    ],
)
def test_one_cell_among_many(damage, code, words):
    """More distinct cells than are looked at one by one."""
    cells = damage((np.arange(30_000) / 30_000).tolist())
    table = ibis.memtable(pa.table({"y": [0, 1] * 15_000, "A": cells}))
    if code is None:
        assert Predictions.read(table, truth="y").rows == 30_000
        return
    with pytest.raises(RefereeError) as found:
        Predictions.read(table, truth="y")
    assert found.value.code == code
    assert words in found.value.message


def test_no_probability():
    table = ibis.memtable(pa.table({"y": [0, 1, 1], "A": [0.5, 1.5, 7.0]}))
    with pytest.raises(RefereeError, match=r"column 'A' is 7, outside \[0, 1\] \(2 such rows\)") as found:
        evaluated(table, ["brier"], truth="y")
    assert found.value.code == "E_PROBRANGE"


def store(path, name, rows):  # noqa: ARG001 (DuckDB finds the rows by their name)
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM rows")


class TestSources:
    @pytest.fixture
    def file(self, tmp_path):
        path = tmp_path / "preds.duckdb"
        store(path, "preds", TABLE)
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE SCHEMA other; CREATE TABLE other.preds AS SELECT y, A FROM preds LIMIT 100")
        return path

    def test_relation(self):
        connection = duckdb.connect()
        connection.register("frame", TABLE)
        relation = connection.sql("SELECT * FROM frame WHERE row < 300")
        found = Predictions.read(relation, **ROLES["weights"])
        assert found.engine == "database"
        assert_same_results(evaluated(relation, **ROLES["weights"]), evaluated(TABLE.slice(0, 300), **ROLES["weights"]))

    def test_ibis_expression(self):
        connection = ibis.duckdb.connect()
        connection.con.register("preds", TABLE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            stored = connection.table("preds")
        table = stored.filter(stored.row < 300).mutate(half=stored.A / 2)
        roles = {"truth": "y", "models": ["A", "half"], "fold": "fold"}
        expected = TABLE.slice(0, 300).append_column("half", pa.array(COLUMNS["A"][:300] / 2))
        assert_same_results(evaluated(table, **roles), evaluated(expected, **roles))

    @pytest.mark.parametrize("form", ["path", "address"])
    def test_file(self, file, referee, form):
        before = hashlib.sha256(file.read_bytes()).digest()
        source = [file, "--table", "preds"] if form == "path" else [f"duckdb:///{file}#preds"]
        options = ["--truth", "word", "--positive", "it's", "--models", "A,B", "--by", "region", "--fold", "fold"]
        run = referee("evaluate", *source, *options)
        assert run.code == 0, run.err
        expected = evaluated(TABLE, truth="word", positive="it's", models=["A", "B"], by=["region"], fold="fold")
        assert_same_results(run.json, expected)
        assert hashlib.sha256(file.read_bytes()).digest() == before

    def test_the_file_is_closed_with_the_predictions(self, file):
        found = evaluated(file, ["rmse"], truth="amount", models=["guess"], options=ReadOptions(table="preds"))
        assert found["rows"] == ROWS
        gc.collect()
        with duckdb.connect(str(file)) as connection:
            connection.execute("DROP TABLE preds")

    def test_table_in_a_schema(self, file):
        options = ReadOptions(table="other.preds")
        assert Predictions.read(file, truth="y", options=options).rows == 100

    def test_which_table(self, file):
        with pytest.raises(RefereeError, match="holds 2 tables"):
            Predictions.read(file, truth="y")
        with pytest.raises(RefereeError, match="has no table 'predz'"):
            Predictions.read(file, truth="y", options=ReadOptions(table="predz"))

    def test_a_view_reads_no_other_file(self, tmp_path):
        secret = tmp_path / "secret.csv"
        secret.write_text("y,A\n0,0.1\n1,0.9\n")
        with duckdb.connect(str(tmp_path / "evil.duckdb")) as connection:
            connection.execute(f"CREATE VIEW preds AS SELECT * FROM read_csv('{secret}')")
        with pytest.raises(RefereeError) as found:
            Predictions.read(tmp_path / "evil.duckdb", truth="y")
        assert found.value.code == "E_DUCKDB"

    def test_damaged_file(self, file):
        content = bytearray(file.read_bytes())
        content[4096:] = b"\xff" * (len(content) - 4096)
        file.write_bytes(content)
        with pytest.raises(RefereeError) as found:
            Predictions.read(file, truth="y", options=ReadOptions(table="preds"))
        assert found.value.code == "E_DUCKDB"

    def test_hostile_names(self, tmp_path):
        path, name = tmp_path / "preds.duckdb", 't"; DROP TABLE "x'
        contents = ["word", "A", "B", "logit", "A", "w", "region", "person", "hard", "decimal"]
        table = TABLE.select(contents).rename_columns(HOSTILE)
        store(path, name, table)
        roles = {"truth": 'a"b', "positive": "it's", "weight": "weight", "by": "sélect"}
        found = evaluate(Predictions.read(path, options=ReadOptions(table=name), **roles), by="sélect")
        assert set(found.predictions.names) == {"a'; DROP TABLE t; --", "{class}", "unit", "rows", "term0", "t0.x"}
        assert_same_results(found.to_dict(), evaluated(table, **roles))


class TestFingerprint:
    def of(self, table, **roles):
        return Predictions.read(ibis.memtable(table), truth="y", models=["A", "B"], **roles).fingerprint

    def test_order_is_no_matter_but_content_is(self):
        first = self.of(TABLE)
        assert self.of(TABLE.take(np.random.default_rng(0).permutation(ROWS))) == first
        changed = COLUMNS["A"].copy()
        changed[[3, 4]] = changed[[3, 4]] + [0.5, -0.5]
        swapped = TABLE.set_column(TABLE.column_names.index("A"), "A", pa.array(changed))
        shuffled = TABLE.set_column(TABLE.column_names.index("A"), "A", pa.array(COLUMNS["A"][::-1]))
        assert len({first, self.of(swapped), self.of(shuffled), self.of(TABLE, weight="w")}) == 4


def test_many_rows(tmp_path):
    """Several threads, several row groups: counts bit for bit, sums and rankings to 1e-12.

    Rankings of folds and of weights are sums, as their errors are asked for.
    """
    rows, draw = 300_000, np.random.default_rng(3)
    truth = draw.integers(0, 2, rows)
    table = pa.table(
        {
            "y": truth,
            "A": np.clip(draw.normal(0.4 + 0.2 * truth, 0.2), 0, 1),
            "B": np.round(draw.random(rows), 2).astype(np.float32),
            "fold": draw.integers(0, 5, rows),
            "w": draw.integers(0, 5, rows) / 4,
        }
    )
    path = tmp_path / "many.duckdb"
    store(path, "preds", table)
    for more in ({"fold": "fold"}, {"weight": "w"}):
        found, expected = (
            evaluated(one, MANY_ROWS_METRICS, truth="y", models=["A", "B"], **more) for one in (path, table)
        )
        assert_same_results(found, expected)
        for one, other in zip(found["scores"], expected["scores"], strict=True):
            if {"sums", "ranking"}.isdisjoint(metrics[one["metric"]].summaries) and one["unit"] != "mean":
                assert one["value"] == other["value"], one["metric"]


def test_rankings_are_whole_numbers():
    predictions = multiclass([0, 1, 2, 2, 1], [[0.5, 0.5, -0.0], [0.0, 0.5, 0.5], [1, 0, 0.0], [0, 0, 1], [0, 0, 1]])
    moved, _ = in_database(predictions)
    for code in range(3):
        one, other = (e.summarise(p, p.models[0]).ranking(code) for e, p in ((memory, predictions), (database, moved)))
        for name in ("scores", "positives", "negatives", "starts"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert other.positives.dtype.kind == other.negatives.dtype.kind == "i"


@pytest.fixture
def queries(monkeypatch):
    """Everything that is sent to the database from now on."""
    sent, fetch_table = [], database_queries.fetch_table
    monkeypatch.setattr(database_queries, "fetch_table", lambda query: (sent.append(query), fetch_table(query))[1])
    return sent


def models_in_a_database(as_what, **roles):
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 400)
    rows = {"y": truth, "a": 0.3 * truth + 0.7 * draw.random(400), "b": 0.2 * truth + 0.8 * draw.random(400)}
    rows = pa.table(rows | {"d": np.arange(400) % 8, "fold": np.arange(400) % 5})
    table = ibis.memtable(rows) if as_what == "ibis" else duckdb.sql("SELECT * FROM rows")

    def read(**options):
        return Predictions.read(table, truth="y", models=["a", "b"], by=["d"], **roles, **options)

    return read


@pytest.mark.parametrize("as_what", ["relation", "ibis"])
@pytest.mark.parametrize(
    "design",
    [{"subsets": 4}, {"test": "bootstrap"}, {"test": "permutation"}],
    ids=str,
)
def test_what_needs_rows_is_refused_before_anything_is_asked(queries, as_what, design):
    predictions = models_in_a_database(as_what, fold="fold")()
    assert queries
    queries.clear()
    for refused in (
        lambda: compare(predictions, "accuracy", **design),
        lambda: gate(predictions, "accuracy", production="a", candidate="b", margin=0.1, **design),
    ):
        with pytest.raises(RefereeError) as caught:
            refused()
        assert caught.value.code == "E_ROWS"
    assert queries == []


@pytest.mark.parametrize("wrong", [{"alpha": 2}, {"margin": -1}, {"test": "bootstrp"}, {"metrics": "acuracy"}])
def test_wrong_settings_are_refused_before_anything_is_asked(queries, wrong):
    rows = duckdb.sql("SELECT range % 2 AS y, range AS a, -range AS b FROM range(100)")
    with pytest.raises(RefereeError):
        compare(rows, truth="y", goal="roc_auc", **wrong)
    assert queries == []


@pytest.mark.parametrize("as_what", ["relation", "ibis"])
def test_what_the_refusal_proposes_works(as_what):
    read = models_in_a_database(as_what)
    with pytest.raises(RefereeError) as caught:
        compare(read(), "accuracy", test="bootstrap")
    assert "engine='memory'" in caught.value.hint and "unit='slice'" in caught.value.hint
    rows = compare(read(options=ReadOptions(engine="memory")), "accuracy", test="bootstrap")
    slices = compare(read(), "accuracy", by="d", unit="slice")
    assert (rows.winners, slices.winners) == (("a",), ("a",))
    assert rows.values == pytest.approx(slices.values, abs=1e-12)

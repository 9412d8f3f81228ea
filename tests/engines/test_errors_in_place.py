"""Standard errors of rows that stay in a database: the same as in memory, for whatever memory has them."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import referee
from referee.engines.database import answers

ROWS = 600
IN_PLACE, IN_MEMORY = (referee.ReadOptions(engine=engine) for engine in ("database", "memory"))
NAMED = ["accuracy", "f_beta", "log_loss", "roc_auc", "average_precision", "ks", "lift"]


def two_classes(digits=6):
    draw = np.random.default_rng(4)
    truth = draw.integers(0, 2, ROWS)
    scores = [1 / (1 + np.exp(0.6 - 1.2 * truth - draw.normal(size=ROWS) * noise)) for noise in (1.0, 1.3)]
    return pa.table(
        {
            "y": truth,
            "a": np.round(scores[0], digits),
            "b": np.round(scores[1], digits),
            "weight": draw.uniform(0.2, 3, ROWS),
            "times": draw.integers(0, 4, ROWS),
            "region": draw.integers(0, 3, ROWS),
            "fold": draw.integers(0, 4, ROWS),
        }
    )


def three_classes():
    draw = np.random.default_rng(5)
    truth = draw.integers(0, 3, ROWS)
    columns = {"y": truth}
    for name, noise in (("a", 1.0), ("b", 1.5)):
        logits = draw.normal(size=(ROWS, 3)) * noise
        logits[np.arange(ROWS), truth] += 1.2
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        columns |= {f"{name}_{code}": shares[:, code] for code in range(3)}
    return pa.table(columns)


def in_duckdb(table):
    return duckdb.connect().from_arrow(table)


def assert_same(table, source=None, lacking=lambda _: False, **asked):
    """Every value, error and end of an interval that memory has, but for errors that are lacking."""
    given = in_duckdb(table) if source is None else source
    found = referee.evaluate(given, truth="y", options=IN_PLACE, **asked)
    expected = referee.evaluate(table, truth="y", options=IN_MEMORY, **asked)
    assert found.predictions.engine == "database"
    assert len(found.rows) == len(expected.rows)
    for one, other in zip(found, expected, strict=True):
        place = one.model, one.metric, one.class_, one.slice, one.unit
        assert place == (other.model, other.metric, other.class_, other.slice, other.unit)
        for name in ("value", "standard_error", "low", "high"):
            here, there = getattr(one, name), getattr(other, name)
            if name != "value" and lacking(one.metric):
                assert here is None
                continue
            assert (here is None) == (there is None), (place, name)
            assert here is None or here == pytest.approx(there, rel=1e-9, abs=1e-13), (place, name)
    return found


@pytest.mark.parametrize(
    "roles",
    [{}, {"weight": "weight"}, {"weight": "times", "weight_kind": "frequency"}],
    ids=["plain", "weights", "frequencies"],
)
@pytest.mark.parametrize("digits", [6, 1], ids=["distinct", "ties"])
def test_named_metrics(roles, digits):
    assert_same(two_classes(digits), models=["a", "b"], metrics=NAMED, **roles)


@pytest.mark.parametrize("more", [{"by": "region"}, {"by": "region", "weight": "weight"}, {"fold": "fold"}])
def test_slices_and_folds(more):
    assert_same(two_classes(), models=["a", "b"], metrics=["accuracy", "log_loss", "roc_auc"], **more)


@pytest.mark.parametrize(
    "roles", [{}, {"weight": "weight"}, {"group": "region"}, {"weight": "weight", "group": "region"}],
    ids=["plain", "weights", "groups", "both"],
)  # fmt: skip
def test_metrics_beside_the_goal(roles):
    asked = {"truth": "y", "models": ["a", "b"], "goal": "accuracy", "metrics": NAMED, **roles}
    found = referee.compare(in_duckdb(two_classes()), options=IN_PLACE, **asked)
    expected = {(row.model, row.metric): row for row in referee.compare(two_classes(), **asked).scores if row.overall}
    assert found.predictions.engine == "database"
    for row in found.scores:
        known = expected.pop((row.model, row.metric))
        assert row.standard_error == pytest.approx(known.standard_error, rel=1e-9), (row.model, row.metric)
    assert not expected


def test_guessing_on_rows_that_were_seen_several_times():
    asked = {"truth": "y", "models": ["a"], "metrics": NAMED, "weight": "times", "weight_kind": "frequency"}
    found = referee.evaluate(in_duckdb(two_classes()), options=IN_PLACE, **asked)
    rows = two_classes().to_pandas()
    copies = referee.evaluate(rows.loc[rows.index.repeat(rows["times"])].drop(columns="times"), **asked | PLAIN)
    for one, other in zip(found.baseline, copies.baseline, strict=True):
        assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9, abs=1e-15), one.metric
        assert one.low == pytest.approx(other.low, rel=1e-9), one.metric
    assert "W_INTERVALS" not in {notice.code for notice in found.notices}


PLAIN = {"weight": None, "weight_kind": None}


def test_averages_over_classes():
    averages = ["roc_auc(average=macro)", "average_precision(average=weighted)", "roc_auc", "f_beta(average=macro)"]
    assert_same(two_classes(), models=["a", "b"], metrics=averages)
    models = {"a": "a_{class}", "b": "b_{class}"}
    assert_same(three_classes(), models=models, metrics=averages)


def numbers():
    draw = np.random.default_rng(6)
    truth = draw.normal(20, 5, ROWS)
    noise = np.round(draw.normal(size=(2, ROWS)), 2)
    columns = {"y": truth, "a": truth + noise[0], "b": truth + 1.3 * noise[1]}
    return pa.table(columns | {"weight": draw.uniform(0.2, 3, ROWS), "times": draw.integers(0, 4, ROWS)})


NUMBERS = ["median_ae", "mae", "rmse", "r2", "correlation"]


class TestAsAServer:
    """All metrics at once, where nothing but answers may leave: as of a server, although it runs here."""

    @pytest.fixture(autouse=True)
    def far(self, monkeypatch):
        monkeypatch.setattr("referee.engines.database.summary.MOST_STEPS", 0)
        monkeypatch.setattr("referee.engines.database.rankings.DatabaseRanking.whole", None)

    @pytest.mark.parametrize("digits", [6, 1], ids=["distinct", "ties"])
    def test_two_classes(self, digits):
        assert_same(two_classes(digits), lacking=is_lacking, models=["a"])

    def test_three_classes(self):
        asked = ["roc_auc", "hand_till", "roc_auc(average=micro)", "max_calibration_error(average=weighted)"]
        assert_same(three_classes(), models={"a": "a_{class}"}, metrics=asked)

    def test_averages_of_all_decisions(self):
        assert_same(two_classes(), models=["a"], metrics=[f"{name}(average=micro)" for name in ("roc_auc", "ks")])


def is_lacking(metric):
    """A yardstick that is estimated from the same rows, and in a table of all metrics rankings of all decisions."""
    pooled = metric.endswith("(average=micro)") and "ranking" in referee.metrics[metric.partition("(")[0]].summaries
    return pooled or metric in ("probability_rae", "probability_rrse")


@pytest.mark.parametrize(
    "roles",
    [{}, {"weight": "weight"}, {"weight": "times", "weight_kind": "frequency"}],
    ids=["plain", "weights", "frequencies"],
)
def test_medians_and_other_numbers(roles):
    assert_same(numbers(), models=["a", "b"], metrics=NUMBERS, **roles)


def test_parts_of_a_ranking_give_the_same(monkeypatch):
    """Many rows are sorted stretch by stretch, of which some are empty where scores have few digits."""
    monkeypatch.setattr(answers, "PART_ROWS", 50)
    for digits in (6, 1):
        table = two_classes(digits)
        assert_same(table, models=["a", "b"], metrics=NAMED, weight="weight")
        for goal in ("roc_auc", "average_precision", "ks", "roc_auc(average=macro)"):
            asked = {"truth": "y", "models": ["a", "b"], "goal": goal, "metrics": "goal"}
            here, there = (
                referee.compare(source, options=options, **asked)
                for source, options in ((in_duckdb(table), IN_PLACE), (table, IN_MEMORY))
            )
            assert here.sentence == there.sentence
            for name in ("difference", "standard_error", "df", "p"):
                one, other = (getattr(verdict.comparisons[0], name) for verdict in (here, there))
                assert one == pytest.approx(other, rel=1e-9), (goal, name)


class TestBeyondMemory:
    """A Parquet file that `--max-memory` does not hold."""

    @pytest.fixture
    def file(self, tmp_path):
        parquet.write_table(two_classes(), tmp_path / "rows.parquet")
        return str(tmp_path / "rows.parquet")

    @pytest.mark.parametrize("goal", ["accuracy", "log_loss", "roc_auc"])
    def test_is_compared_by_duckdb(self, file, goal, referee):
        about = ["--truth", "y", "--models", "a,b", "--goal", goal, "--metrics", "goal"]
        here, there = (referee("compare", file, *about, *more, form="") for more in (["--max-memory", "20kB"], []))
        assert "beyond 19.5 KiB of memory, so processed by DuckDB" in here.err
        assert here.out.splitlines()[-2:] == there.out.splitlines()[-2:]

    def test_what_needs_rows_is_refused(self, file, referee):
        about = ["--truth", "y", "--models", "a,b", "--goal", "accuracy", "--max-memory", "20kB"]
        found = referee("compare", file, *about, "--test", "bootstrap")
        assert found.code == 2
        assert "E_ROWS" in found.out

"""Attempts that once gave a wrong number, a crash or a hang, each through the command line and through Python."""

from __future__ import annotations

import csv
import gzip
import json
import math
import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import t as student_t
from sklearn.metrics import roc_auc_score

import referee as library
from tests.case_record import COMMAND_LINE, PYTHON

ROWS = 300
COMMON = ("--truth", "y", "--id", "id", "--models", "A,B", "--goal", "roc_auc", "--positive", "pos")


def drawn(rows=ROWS, seed=5):
    chance = np.random.default_rng(seed)
    positive = chance.random(rows) < 0.5
    signs = np.where(positive, 1.0, -1.0)
    scores = {name: 1 / (1 + np.exp(-(1.2 * signs + chance.normal(size=rows) * 1.4))) for name in ("A", "B")}
    return {"id": np.arange(rows), "y": np.where(positive, "pos", "neg")} | scores


@pytest.fixture
def table(tmp_path):
    """Write columns as CSV or Parquet: `table(columns, "t.parquet")`."""

    def write(columns, name="preds.csv"):
        path = tmp_path / name
        if name.endswith(".parquet"):
            pq.write_table(pa.table({key: pa.array(values) for key, values in columns.items()}), path)
            return path
        with path.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(columns)
            rows.writerows(zip(*columns.values(), strict=True))
        return path

    return write


def codes(answer):
    return [notice["code"] for notice in answer["warnings"]]


def refused(referee, *arguments, code, exit_code):
    answer = referee(*arguments)
    assert (answer.code, answer.json["error"]["code"]) == (exit_code, code), answer.err
    assert "Traceback" not in answer.err
    return answer.json["error"]["message"]


# D1: a third label must not become a negative


@pytest.mark.parametrize(
    ("label", "code"),
    [("pos ", "E_LABELS"), ("Pos", "E_LABELS"), ("pos\u00a0", "E_LABELS"), ("p\u043es", "E_LABELS")]
    + [(mark, "E_MISSING") for mark in ("?", "unknown", "NA")],
)
@pytest.mark.case("D1", COMMAND_LINE, PYTHON)
def test_d1_a_third_label_is_asked_about(referee, table, label, code):
    columns = drawn()
    columns["y"] = np.where(np.arange(ROWS) % 30 == 7, label, columns["y"])
    path = table(columns)
    refused(referee, "compare", path, *COMMON, code=code, exit_code=3)
    with pytest.raises(library.RefereeError) as caught:
        library.compare(columns["y"], {"A": columns["A"], "B": columns["B"]}, goal="roc_auc", positive="pos")
    assert caught.value.code == code


@pytest.mark.case("D1", COMMAND_LINE)
def test_d1_the_rest_is_always_said(referee, table):
    columns = drawn()
    columns["y"] = np.where(np.arange(ROWS) % 30 == 7, "other", columns["y"])
    read = referee("compare", table(columns), *COMMON).json["read"]
    assert set(read["rest"]) == {"neg", "other"}


# D2: 0 and 1 mean the same thing in all columns of a command


@pytest.mark.parametrize(("labels", "positive"), [(("0", "1"), "0"), (("no", "yes"), "no")])
@pytest.mark.case("D2", COMMAND_LINE, PYTHON)
def test_d2_hard_and_soft_columns_mean_the_same(referee, table, labels, positive):
    chance = np.random.default_rng(1)
    truth = chance.integers(0, 2, 200)
    hard = np.where(chance.random(200) < 0.8, 1 - truth, truth).astype(float)  # the probability of the lower class
    soft = hard.copy()
    soft[0] = abs(soft[0] - 0.001)
    columns = {"y": np.array(labels)[truth], "hard": hard, "soft": soft}
    path = table(columns)
    options = ("--truth", "y", "--models", "hard,soft", "--goal", "roc_auc", "--positive", positive)
    answer = referee("compare", path, *options)
    for name in ("hard", "soft"):
        expected = roc_auc_score(truth == 0, columns[name])
        assert answer.value(name, "roc_auc") == pytest.approx(expected, abs=1e-12)
    verdict = library.compare(path, truth="y", models=["hard", "soft"], goal="roc_auc", positive=positive)
    assert verdict.outcome == answer.json["verdict"]["outcome"] == "tie"


# D3 and D5: the scale of weights, and weights that count rows


@pytest.mark.parametrize("metric", ["precision_at_recall", "break_even_point", "lift", "recall_at_precision"])
@pytest.mark.case("D3", COMMAND_LINE, PYTHON)
def test_d3_errors_do_not_depend_on_the_scale_of_weights(referee, table, metric):
    columns = drawn()
    seen = []
    for weight in (1, 3, 1000):
        path = table(columns | {"w": np.full(ROWS, weight)}, f"{weight}.csv")
        answer = referee("compare", path, *COMMON[:-4], "--goal", metric, "--positive", "pos", "--weight", "w").json
        verdict = library.compare(path, truth="y", models=["A", "B"], goal=metric, positive="pos", weight="w")
        assert verdict.comparisons[0].p == answer["comparisons"][0]["p"]
        (score,) = [
            row for row in answer["scores"] if (row["model"], row["metric"]) == ("A", metric) and not row["class"]
        ]
        seen.append((score["standard_error"], score["low"], answer["comparisons"][0]["p"]))
    np.testing.assert_allclose(np.array(seen, float), np.array(seen[:1] * 3, float), rtol=1e-9)


@pytest.mark.parametrize("metric", ["accuracy", "recall", "precision", "specificity", "roc_auc"])
@pytest.mark.case("D5", COMMAND_LINE, PYTHON)
def test_d5_frequency_weights_are_repeated_rows(referee, table, metric):
    columns = drawn(60)
    times = np.arange(60) % 4
    repeated = {name: np.repeat(values, times) for name, values in columns.items()}
    options = ("--truth", "y", "--models", "A,B", "--positive", "pos", "--metrics", metric)
    counted = referee(
        "evaluate", table(columns | {"w": times}), *options, "--weight", "w", "--weight-kind", "frequency"
    )
    plain = referee("evaluate", table(repeated, "repeated.csv"), *options)
    own = library.evaluate(repeated["y"], {"A": repeated["A"]}, metrics=metric, positive="pos")["A", metric]
    (first,), (second,) = (
        [row for row in answer.json["scores"] if row["model"] == "A" and not row["class"] and row["metric"] == metric]
        for answer in (counted, plain)
    )
    for part in ("value", "low", "high", "standard_error"):
        assert first[part] == pytest.approx(second[part], rel=1e-9), part
        assert getattr(own, part) == pytest.approx(second[part], rel=1e-9), part


# D4: ranks of folds that score on different scales


@pytest.mark.case("D4", COMMAND_LINE, PYTHON)
def test_d4_a_constant_model_is_not_reversed(referee, table):
    chance = np.random.default_rng(3)
    columns = {"x": chance.normal(size=61), "y": np.where(np.arange(61) % 3, "pos", "neg")}
    path = table(columns)
    asked = ("--models", "dummy,logistic", "--goal", "roc_auc", "--positive", "pos", "--scheme", "k_fold(k=2)")
    answer = referee("select", path, "--target", "y", *asked)
    assert answer.value("dummy", "roc_auc", unit="mean") == 0.5
    assert answer.value("dummy", "roc_auc") is None
    rows = [row for row in answer.json["scores"] if (row["model"], row["metric"]) == ("dummy", "roc_auc")]
    assert "different scales" in next(row["undefined"] for row in rows if row["unit"] is None)
    own = library.select(
        ["dummy", "logistic"], columns["x"][:, None], columns["y"], goal="roc_auc", positive="pos", scheme="k_fold(k=2)"
    )
    assert own.scores["dummy", "roc_auc"].value is None
    for found in (answer.json["warnings"], [vars(notice) for notice in own.warnings]):
        assert "W_REVERSED" not in [notice["code"] for notice in found]
        guessing = [notice["message"] for notice in found if notice["code"] == "W_GUESSING"]
        assert not any("is worse than" in message or "0.4333" in message for message in guessing)
    for found in (answer.json["verdict"], own.to_dict()["verdict"]):
        assert set(found["winners"]) <= {"dummy", "logistic"}
        assert found["values"]["dummy"] == 0.5  # the mean of its folds, not 0.4333 of pooled ranks


@pytest.mark.case("D4", COMMAND_LINE, PYTHON)
def test_d4_no_verdict_from_folds_of_different_scales(referee, table):
    columns = drawn()
    fold = np.arange(ROWS) % 4
    shifted = columns | {"A": columns["A"] + 3.0 * fold, "fold": fold}
    path = table(shifted)
    message = refused(referee, "compare", path, *COMMON, "--fold", "fold", code="E_POOLED", exit_code=4)
    assert "different scales" in message
    with pytest.raises(library.RefereeError, match="different scales"):
        library.compare(path, truth="y", models=["A", "B"], goal="roc_auc", positive="pos", fold="fold")
    by_folds = referee("compare", path, *COMMON, "--fold", "fold", "--unit", "fold")
    within = [roc_auc_score(columns["y"][fold == k] == "pos", shifted["A"][fold == k]) for k in range(4)]
    assert by_folds.value("A", "roc_auc", unit="mean") == pytest.approx(np.mean(within), abs=1e-12)
    same_scale = table(columns | {"fold": fold}, "same.csv")
    assert referee("compare", same_scale, *COMMON, "--fold", "fold").code == 0


# D6: whole numbers beyond 2^53


@pytest.mark.parametrize("name", ["big.csv", "big.parquet"])
@pytest.mark.case("D6", COMMAND_LINE, PYTHON)
def test_d6_integers_that_floats_cannot_tell_apart(referee, table, name):
    columns = drawn()
    columns["A"] = np.where(columns["y"] == "pos", 2**53 + 1, 2**53)
    path = table(columns, name)
    message = refused(referee, "compare", path, *COMMON, code="E_PRECISION", exit_code=3)
    assert "'A'" in message
    assert str(2**53 + 1) in message
    for given in (columns["A"], columns["A"].astype(np.uint64), columns["A"].tolist()):
        with pytest.raises(library.RefereeError, match=str(2**53 + 1)):
            library.compare(columns["y"], {"A": given, "B": columns["B"]}, goal="roc_auc", positive="pos")
    columns["A"] = np.where(columns["y"] == "pos", 2**60, 2**53)
    assert referee("compare", table(columns, name), *COMMON).value("A", "roc_auc") == 1.0


# D7: the same intervals from a database


@pytest.mark.case("D7", COMMAND_LINE, PYTHON)
def test_d7_a_database_has_intervals(referee, table, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    columns = drawn(80)
    with closing(duckdb.connect(tmp_path / "p.duckdb")) as database:
        database.register("given", pa.table({name: pa.array(values) for name, values in columns.items()}))
        database.execute("CREATE TABLE preds AS SELECT * FROM given")
        relation = database.table("preds")
        verdict = library.compare(relation, truth="y", goal="roc_auc", positive="pos", models=["A", "B"])
    options = ("--truth", "y", "--models", "A,B", "--positive", "pos", "--metrics", "roc_auc,average_precision,f1")
    rows = [
        {(row["model"], row["metric"]): row for row in referee("evaluate", source, *options).json["scores"]
         if row["class"] is None and row["unit"] is None and "average=" not in row["metric"]}
        for source in (f"duckdb:///{tmp_path}/p.duckdb#preds", table(columns))
    ]  # fmt: skip
    assert rows[0].keys() == rows[1].keys()
    for key, row in rows[0].items():
        for part in ("value", "low", "high", "standard_error"):
            assert row[part] == pytest.approx(rows[1][key][part], rel=1e-9), (key, part)
    expected = {name: roc_auc_score(columns["y"] == "pos", columns[name]) for name in ("A", "B")}
    assert verdict.values == pytest.approx(expected, abs=1e-12)


def three_classes(draw, rows):
    truth = draw.choice(list("abc"), rows)
    odds = np.exp(draw.normal(size=(rows, 3)) + 1.5 * (truth[:, None] == np.array(list("abc"))))
    shares = odds / odds.sum(axis=1, keepdims=True)
    return {"y": truth} | {f"A:{label}": shares[:, place] for place, label in enumerate("abc")}


@pytest.mark.parametrize("kind", ["three classes", "two classes", "numbers", "numbers with weights"])
@pytest.mark.case("D7", COMMAND_LINE, PYTHON)
def test_d7_a_database_has_intervals_of_every_metric(referee, table, tmp_path, kind):
    """All metrics, their averages and each class, of as many rows and classes as the case has."""
    duckdb = pytest.importorskip("duckdb")
    draw = np.random.default_rng(0)
    columns = three_classes(draw, 80) if kind == "three classes" else {"y": draw.normal(size=80)}
    columns = {"y": draw.integers(0, 2, 80)} if kind == "two classes" else columns
    columns |= {} if kind == "three classes" else {"A": draw.random(80)}
    columns |= {"w": draw.uniform(1, 2, 80)} if "weights" in kind else {}
    with closing(duckdb.connect(tmp_path / "p.duckdb")) as database:
        database.register("given", pa.table(columns))
        database.execute("CREATE TABLE preds AS SELECT * FROM given")
    weight = {"weight": "w"} if "weights" in kind else {}
    options = [text for role in weight for text in (f"--{role}", weight[role])]
    path = f"duckdb:///{tmp_path}/p.duckdb#preds"
    stored = referee("evaluate", path, "--truth", "y", "--models", "A", *options).json
    plain = referee("evaluate", table(columns, "preds.parquet"), "--truth", "y", "--models", "A", *options).json
    own = library.evaluate(path, truth="y", models=["A"], **weight).to_dict()
    assert len({row["metric"].partition("(")[0] for row in stored["scores"]}) >= (10 if "numbers" in kind else 24)
    for answer in (stored, own):
        for row, other in zip(answer["scores"], plain["scores"], strict=True):
            assert row.keys() == other.keys()
            for part, value in row.items():
                expected = other[part]
                assert value == (pytest.approx(expected, rel=1e-9) if isinstance(expected, float) else expected), part
        lacking = [row for row in answer["scores"] if row["value"] is not None and row["low"] is None]
        assert lacking == []


# D8: series in another order


@pytest.mark.case("D8", PYTHON)
def test_d8_permuted_indexes_are_an_error():
    pandas = pytest.importorskip("pandas")
    columns = drawn()
    truth, own = pandas.Series(columns["y"]), pandas.Series(columns["A"])
    with pytest.raises(library.RefereeError, match="another order"):
        library.compare(truth, {"A": own[::-1], "B": columns["B"]}, goal="roc_auc", positive="pos")


@pytest.mark.case("D8", PYTHON)
def test_d8_two_labelled_indexes_must_be_the_same():
    """Shifted, disjoint and of names; an index that only counts rows says nothing, and may stand beside any other."""
    pandas = pytest.importorskip("pandas")
    columns = drawn()
    labels = np.random.default_rng(0).permutation(ROWS) + 1000

    def compared(of_truth, of_model):
        truth, own = pandas.Series(columns["y"], of_truth), pandas.Series(columns["A"], of_model)
        return library.compare(truth, {"A": own, "B": columns["B"]}, goal="roc_auc", positive="pos").values["A"]

    for other in (labels + 1, labels + ROWS, [f"r{label}" for label in labels], np.arange(ROWS) + 1):
        for pair in ((labels, other), (other, labels)):
            with pytest.raises(library.RefereeError, match="other labels") as caught:
                compared(*pair)
            assert (caught.value.code, caught.value.exit) == ("E_ALIGN", 2)
            assert ".to_numpy()" in caught.value.hint
    expected = roc_auc_score(columns["y"] == "pos", columns["A"])
    for pair in ((labels, None), (None, labels), (labels, labels), (np.arange(ROWS) + 1, None)):
        assert compared(*pair) == pytest.approx(expected, abs=1e-12)


def test_d8_no_two_labelled_columns_contradict_each_other():
    """Models between themselves, scores without a truth, and what a test is given."""
    pandas = pytest.importorskip("pandas")
    columns = drawn()
    a, b = pandas.Series(columns["A"]), pandas.Series(columns["B"], range(ROWS)[::-1])
    calls = (
        lambda a, b: library.compare(columns["y"], {"A": a, "B": b}, goal="roc_auc", positive="pos"),
        lambda a, b: library.compare({"A": a, "B": b}, task="scores", goal="mean"),
        lambda a, b: library.compare({"y": columns["y"], "A": a, "B": b}, truth="y", positive="pos", goal="accuracy"),
        library.tests["paired_t"],
        library.tests["wilcoxon"],
        lambda a, b: library.tests["mcnemar"](a > 0.5, b > 0.5),
        lambda a, b: library.tests["friedman"]({"A": a, "B": b, "C": a}),
    )
    for call in calls:
        with pytest.raises(library.RefereeError, match="in another order") as caught:
            call(a, b)
        assert (caught.value.code, caught.value.exit) == ("E_ALIGN", 2)
        call(a, b.reset_index(drop=True))


# D9: copies, and weights that leave few rows


@pytest.mark.case("D9", COMMAND_LINE, PYTHON)
def test_d9_copies_of_rows_are_pointed_out(referee, table):
    columns = drawn()
    ten = {name: np.tile(values, 10) for name, values in columns.items()} | {"id": np.arange(10 * ROWS)}
    path = table(ten)
    answer = referee("compare", path, *COMMON)
    (notice,) = [notice for notice in answer.json["warnings"] if notice["code"] == "W_DUPROWS"]
    assert "2,700 rows of 3,000" in notice["message"]
    verdict = library.compare(ten["y"], {"A": ten["A"], "B": ten["B"]}, goal="roc_auc", positive="pos")
    assert "W_DUPROWS" in [own.code for own in verdict.warnings]
    assert "W_DUPROWS" not in codes(referee("compare", table(columns), *COMMON).json)


@pytest.mark.case("D9", COMMAND_LINE)
def test_d9_decisions_alone_are_no_copies(referee, table):
    columns = drawn()
    decided = columns | {name: np.where(columns[name] > 0.5, "pos", "neg") for name in ("A", "B")}
    answer = referee("compare", table(decided), *COMMON[:-4], "--goal", "accuracy", "--positive", "pos")
    assert answer.code == 0
    assert "W_DUPROWS" not in codes(answer.json)


@pytest.mark.case("D9", COMMAND_LINE, PYTHON)
def test_d9_weights_that_leave_few_rows(referee, table):
    columns = drawn()
    weight = 10 ** np.random.default_rng(2).uniform(-8, 7, ROWS)
    answer = referee("compare", table(columns | {"w": weight}), *COMMON, "--weight", "w").json
    (notice,) = [notice for notice in answer["warnings"] if notice["code"] == "W_EFFECTIVE"]
    kish = weight.sum() ** 2 / (weight**2).sum()
    assert f"300 rows count as about {kish:.3g}" in notice["message"]
    arrays = (columns["y"], {"A": columns["A"], "B": columns["B"]})
    heavy = library.compare(*arrays, goal="roc_auc", positive="pos", weight=weight)
    even = library.compare(*arrays, goal="roc_auc", positive="pos", weight=np.linspace(1, 5, ROWS))
    assert "W_EFFECTIVE" in [own.code for own in heavy.warnings]
    assert "W_EFFECTIVE" not in [own.code for own in even.warnings]


@pytest.mark.case("D9", COMMAND_LINE, PYTHON)
def test_d9_rows_that_depend_on_their_neighbours(referee, table):
    """Influences of an autoregressive process in the order of the rows, and the dates of these rows without --time."""
    draw, columns = np.random.default_rng(0), drawn()
    level = np.zeros(ROWS)
    for row in range(1, ROWS):
        level[row] = 0.8 * level[row - 1] + 0.6 * draw.normal()
    signs = np.where(columns["y"] == "pos", 1, -1)
    columns["A"] = 1 / (1 + np.exp(-signs * (1 + level)))
    dated = columns | {"day": (np.datetime64("2024-01-01") + np.arange(ROWS)).astype(str)}
    mixed = draw.permutation(ROWS)

    def warned(given, name, **more):
        path = table(given, name)
        options = [text for role, column in more.items() for text in (f"--{role}", column)]
        said = referee("compare", path, *COMMON, *options).json["warnings"]
        own = library.compare(path, truth="y", id="id", models=["A", "B"], goal="roc_auc", positive="pos", **more)
        assert [notice.code for notice in own.warnings] == [notice["code"] for notice in said]
        return {notice["code"]: notice["message"] for notice in said}

    plain, with_dates = warned(columns, "plain.csv"), warned(dated, "dated.csv")
    assert "--time COL" in plain["W_ORDER"]
    assert "W_DATES" not in plain
    assert with_dates["W_ORDER"].endswith("use --time 'day'")
    assert with_dates["W_DATES"].endswith("use --time 'day'")
    shuffled = warned({name: cells[mixed] for name, cells in dated.items()}, "shuffled.csv")
    assert "in the order of 'day'" in shuffled["W_ORDER"]
    assert not {"W_ORDER", "W_DATES"} & set(warned(dated, "dated.csv", time="day"))
    without = {name: cells[mixed] for name, cells in columns.items()}
    assert "W_ORDER" not in warned(without, "without.csv")


@pytest.mark.case("D9", COMMAND_LINE, PYTHON)
@pytest.mark.parametrize("engine", ["auto", "database"])
def test_d9_rows_that_stay_in_a_database(referee, tmp_path, engine):
    """Nothing there has an order; copies, weights and dates are told as of a file."""
    duckdb, arrow = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    columns = drawn()
    plain = columns | {"w": np.linspace(1, 5, ROWS)}
    odd = {name: np.tile(values, 10) for name, values in columns.items()} | {"id": np.arange(10 * ROWS)}
    odd |= {"w": 10 ** np.random.default_rng(2).uniform(-8, 7, 10 * ROWS)}
    odd |= {"day": np.tile(np.datetime64("2024-01-01") + np.arange(10), ROWS)}
    for name, given in (("plain", plain), ("odd", odd)):
        rows = arrow.table(given)  # noqa: F841 (DuckDB finds it by its name)
        with duckdb.connect(str(tmp_path / f"{name}.duckdb")) as connection:
            connection.execute("CREATE TABLE preds AS SELECT * FROM rows")
    asked = (*COMMON, "--weight", "w", "--engine", engine)
    told = {
        notice["code"]: notice["message"]
        for notice in referee("compare", tmp_path / "odd.duckdb", *asked).json["warnings"]
    }
    assert "2,700 rows of 3,000" in told["W_DUPROWS"]
    assert f"count as about {odd['w'].sum() ** 2 / (odd['w'] ** 2).sum():.3g}" in told["W_EFFECTIVE"]
    assert "--time 'day'" in told["W_DATES"]
    roles = {"truth": "y", "id": "id", "models": ["A", "B"], "positive": "pos", "weight": "w"}
    own = library.compare(str(tmp_path / "odd.duckdb"), goal="roc_auc", **roles)
    assert {"W_DUPROWS", "W_EFFECTIVE", "W_DATES"} <= {notice.code for notice in own.warnings}
    plainly = codes(referee("compare", tmp_path / "plain.duckdb", *asked).json)
    assert not {"W_DUPROWS", "W_EFFECTIVE", "W_DATES"} & set(plainly)


# D10: the same warnings from every format


@pytest.mark.case("D10", COMMAND_LINE, PYTHON)
def test_d10_warnings_do_not_depend_on_the_format(referee, table, tmp_path):
    columns = drawn() | {"y": (drawn()["y"] == "pos").astype(int)}
    lines = tmp_path / "preds.jsonl"
    rows = zip(*(np.asarray(values).tolist() for values in columns.values()), strict=True)
    lines.write_text("".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows))
    options = (*COMMON[:-1], "1")
    answers = [
        referee("compare", path, *options).json
        for path in (table(columns), table(columns, "preds.parquet"), lines)
    ]  # fmt: skip
    own = library.compare(lines, truth="y", models=["A", "B"], id="id", goal="roc_auc", positive="1")
    assert [notice.code for notice in own.warnings] == codes(answers[2])
    assert codes(answers[0]) == codes(answers[1]) == codes(answers[2])
    assert answers[0]["scores"] == answers[1]["scores"] == answers[2]["scores"]


# C: crashes and messages


@pytest.mark.case("C1", COMMAND_LINE, PYTHON)
def test_c1_no_infinity_reaches_json(referee, table):
    path = table(drawn())
    answer = referee("compare", path, *COMMON, "--alpha", "1e-300")
    assert answer.code in (0, 2)
    json.loads(answer.out, parse_constant=pytest.fail)
    try:
        own = library.compare(path, truth="y", models=["A", "B"], goal="roc_auc", positive="pos", alpha=1e-300)
    except library.RefereeError:
        assert answer.code == 2
    else:
        assert json.loads(own.to_json(), parse_constant=pytest.fail)["alpha"] == 1e-300
        assert np.isfinite(list(own.values.values())).all()


@pytest.mark.case("C1", COMMAND_LINE, PYTHON)
def test_c1_an_infinite_value_is_null_in_json(referee, table):
    """A value that is infinite, and the comparison on it: null with the reason, never Infinity."""
    columns = drawn()
    columns["A"][np.flatnonzero(columns["y"] == "pos")[0]] = 0  # log loss without clipping is infinite
    path, goal = table(columns), "log_loss(clip=0)"
    own = library.compare(path, truth="y", models=["A", "B"], goal=goal, positive="pos", metrics="goal").to_json()
    for text in (referee("compare", path, *COMMON[:-3], goal, *COMMON[-2:], "--metrics", "goal").out, own):
        answer = json.loads(text, parse_constant=pytest.fail)
        (score,) = [row for row in answer["scores"] if (row["model"], row["metric"]) == ("A", goal)]
        assert (score["value"], score["undefined"]) == (None, "infinite")
        (pair,) = answer["comparisons"]
        assert (pair["difference"], pair["low"], pair["high"], pair["p"]) == (None,) * 4
        assert "infinite" in pair["undefined"]
        assert "infinite" in answer["verdict"]["sentence"]


@pytest.mark.parametrize("alpha", ["1e-12", "0.999999999999"])
@pytest.mark.case("C1", COMMAND_LINE, PYTHON)
def test_c1_the_smallest_and_the_largest_alpha_have_finite_ends(referee, table, alpha):
    """Below 1e-16 the critical value was infinite; the least alpha that is allowed has one of about 7."""
    path = table(drawn())
    own = library.compare(path, truth="y", models=["A", "B"], goal="roc_auc", positive="pos", alpha=float(alpha))
    for text in (referee("compare", path, *COMMON, "--alpha", alpha).out, own.to_json()):
        (pair,) = json.loads(text, parse_constant=pytest.fail)["comparisons"]
        assert pair["low"] < pair["difference"] < pair["high"]
        assert pair["critical"] == pytest.approx(student_t.isf(float(alpha) / 2, pair["df"]), rel=1e-5, abs=1e-12)


@pytest.mark.case("C2", COMMAND_LINE)
def test_c2_a_nested_configuration_is_no_answer_of_a_gate(referee, table, tmp_path):
    deep = tmp_path / "deep.toml"
    deep.write_text("a = " + "[" * 100_000 + "]" * 100_000)
    gate = ("gate", table(drawn()), *COMMON, "--production", "A", "--candidate", "B", "--margin", "0.1")
    refused(referee, *gate, "--config", deep, code="E_CONFIG", exit_code=2)
    refused(referee, "advise", "--answers", deep, code="E_ANSWERS", exit_code=2)


@pytest.mark.filterwarnings("error")
@pytest.mark.case("C3", COMMAND_LINE, PYTHON)
def test_c3_no_foreign_warning_beside_our_error(referee, table):
    columns = drawn()
    cells = [f"{value}" for value in columns["A"]]
    cells[3], cells[9] = "9" * 400, "n/a"
    refused(referee, "compare", table(columns | {"A": cells}), *COMMON, code="E_NOTNUM", exit_code=3)
    with pytest.raises(library.RefereeError):
        library.compare(columns["y"], {"A": cells, "B": columns["B"]}, goal="roc_auc", positive="pos")


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (np.ones(ROWS) * 1j, "complex"),
        ((value for value in range(ROWS)), "generator"),
        (map(float, range(ROWS)), "map"),
        ({1, 2, 3}, "set"),
        (object(), "object"),
        (3.5, "float"),
        (np.full(ROWS, object(), object), ""),
        (np.array(["a"] * ROWS, "S1"), ""),
        ([[1, 2], [3]] * (ROWS // 2), ""),
        (None, ""),
    ],
)
@pytest.mark.case("C6", PYTHON)
def test_c6_odd_arrays_get_our_errors(given, word):
    columns = drawn()
    with pytest.raises(library.RefereeError) as caught:
        library.compare(columns["y"], {"A": given, "B": columns["B"]}, goal="roc_auc", positive="pos")
    assert word in str(caught.value)


@pytest.mark.case("C7", COMMAND_LINE, PYTHON)
def test_c7_standard_input_and_pipes_are_read(table):
    path = table(drawn())
    script = "import referee; print(referee.compare('-', truth='y', id='id', goal='roc_auc', positive='pos').to_json())"
    program = [sys.executable, "-m", "referee", "compare"]
    asked = [*COMMON, "--format", "json", "--metrics", "goal"]
    with path.open("rb") as file:
        piped = subprocess.run([*program, "-", *asked], stdin=file, capture_output=True, check=True, timeout=120)
    with path.open("rb") as file:
        own = subprocess.run([sys.executable, "-c", script], stdin=file, capture_output=True, check=True, timeout=120)
    substituted = subprocess.run(
        ["bash", "-c", 'exec "$@" <(cat "$FILE")', "bash", *program, *asked],
        env={**os.environ, "FILE": str(path)}, capture_output=True, check=True, timeout=120,
    )  # fmt: skip
    scores = [json.loads(run.stdout)["scores"] for run in (piped, substituted, own)]
    expected = {name: roc_auc_score(drawn()["y"] == "pos", drawn()[name]) for name in ("A", "B")}
    for each in scores:
        found = {row["model"]: row["value"] for row in each if row["class"] is None and row["metric"] == "roc_auc"}
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.case("C5", COMMAND_LINE, PYTHON)
def test_c5_two_hundred_models_take_a_few_seconds(referee, table):
    """Most of them without a reliable test; a constant one has no precision at all."""
    chance = np.random.default_rng(0)
    models = {f"m{number}": chance.random(10) for number in range(200)} | {"constant": np.zeros(10)}
    path = table({"y": ["no", "yes"] * 5} | models)
    begun = time.process_time()
    said = referee("compare", path, "--truth", "y", "--goal", "precision", "--positive", "yes").json
    own = library.compare(path, truth="y", goal="precision", positive="yes")
    assert time.process_time() - begun < 25, "it took 25 seconds once for each"
    assert said["verdict"]["outcome"] == own.outcome == "undecided"
    assert len(said["comparisons"]) == 200


# S: special files, formulas in cells, pages, limits


@pytest.mark.parametrize("kind", ["/dev/zero", "/dev/null", "pipe"])
@pytest.mark.parametrize(
    "command",
    [
        ("compare", "FILE", *COMMON),
        ("evaluate", "sqlite:///FILE", "--truth", "y"),
        ("select", "FILE", "--target", "y", "--models", "tree", "--goal", "accuracy"),
        ("advise", "--answers", "FILE"),
        ("history", "FILE"),
        ("compare", "TABLE", *COMMON, "--config", "FILE"),
        ("calibrate", "TABLE", "--apply", "FILE", "--output", "TABLE.out"),
    ],
)
@pytest.mark.case("S7", COMMAND_LINE)
def test_s7_special_files_are_refused_at_once(referee, table, tmp_path, kind, command):
    path = kind
    if kind == "pipe":
        path = tmp_path / "pipe"
        os.mkfifo(path)
    names = {"FILE": str(path), "TABLE": str(table(drawn()))}
    words = [word.replace("FILE", names["FILE"]).replace("TABLE", names["TABLE"]) for word in command]
    refused(referee, *words, code="E_SPECIAL", exit_code=8)


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
@pytest.mark.case("S7", COMMAND_LINE)
def test_s7_verdicts_are_not_kept_in_a_pipe(referee, table, tmp_path, scheme):
    os.mkfifo(tmp_path / "pipe")
    address = f"{scheme}:///{tmp_path / 'pipe'}#verdicts"
    refused(referee, "compare", table(drawn()), *COMMON, "--save-to", address, code="E_WRITE", exit_code=6)
    refused(referee, "history", address, code="E_WRITE", exit_code=6)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is no such file")
@pytest.mark.case("S7", COMMAND_LINE, PYTHON)
def test_s7_a_file_that_cannot_be_read(referee):
    """An error of input or output at the first byte."""
    for command in ("compare", "evaluate"):
        goal = ("--goal", "accuracy") if command == "compare" else ()
        refused(referee, command, "/proc/self/mem", "--truth", "y", *goal, code="E_READ", exit_code=3)
    with pytest.raises(library.RefereeError, match="cannot be read"):
        library.evaluate("/proc/self/mem", truth="y")


@pytest.mark.case("S7", PYTHON)
def test_s7_special_files_in_python(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path / "pipe"):
        with pytest.raises(library.RefereeError, match="not an ordinary file"):
            library.compare(path, truth="y", goal="roc_auc")


@pytest.mark.case("S7", COMMAND_LINE, PYTHON)
def test_s7_a_small_archive_of_much_is_refused(referee, tmp_path):
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(gzip.compress(b"y,A,B\n" + b"1,0.5,0.5\n" * 3_000_000))
    message = refused(
        referee, "compare", bomb, *COMMON, "--engine", "memory", "--max-memory", "5MB", code="E_TOOBIG", exit_code=8
    )
    assert "--max-memory" in message
    with pytest.raises(library.RefereeError) as caught:
        library.compare(
            bomb, truth="y", goal="roc_auc", options=library.ReadOptions(max_memory=5_000_000, engine="memory")
        )
    assert (caught.value.code, caught.value.exit) == ("E_TOOBIG", 8)


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "@SUM(1)", "+1", "-1", "=HYPERLINK(1)", "\t=1"])
@pytest.mark.case("S1", COMMAND_LINE, PYTHON)
def test_s1_names_are_no_formulas_in_csv(referee, table, name):
    columns = drawn()
    path = table({"id": columns["id"], "y": columns["y"], name: columns["A"], "B": columns["B"]})
    listed = ("--truth", "y", "--id", "id", "--goal", "roc_auc", "--positive", "pos", "--metrics", "goal")
    answer = referee("compare", path, *listed, form="csv")
    assert answer.code == 0
    cells = [cell for row in csv.reader(answer.out.splitlines()) for cell in row]
    formulas = [cell for cell in cells if cell[:1] in tuple("=+-@\t\r") and not _is_number(cell)]
    assert not formulas
    frame = library.compare(path, truth="y", id="id", goal="roc_auc", positive="pos", metrics="goal").to_csv()
    assert frame == answer.out


def _is_number(cell):
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


@pytest.mark.case("S5", COMMAND_LINE, PYTHON)
def test_s5_a_page_has_no_absolute_path(referee, table, tmp_path):
    path, page = table(drawn()), tmp_path / "page.html"
    assert path.is_absolute()
    assert referee("compare", path, *COMMON, "--metrics", "goal", "--html", page).code == 0
    assert str(tmp_path) not in page.read_text()
    own = library.compare(path, truth="y", models=["A", "B"], goal="roc_auc", positive="pos", metrics="goal")
    assert str(tmp_path) not in own.to_html()


@pytest.mark.case("S6", COMMAND_LINE, PYTHON)
def test_s6_files_follow_the_umask(referee, table, tmp_path):
    before = os.umask(0o077)
    try:
        page, out = tmp_path / "page.html", tmp_path / "run"
        assert referee("compare", table(drawn()), *COMMON, "--metrics", "goal", "--html", page).code == 0
        columns = {"x": np.arange(40.0), "y": np.arange(40) % 2}
        asked = ("--models", "dummy,tree", "--goal", "accuracy", "--scheme", "k_fold(k=2)")
        assert referee("select", table(columns, "data.csv"), "--target", "y", *asked, "--out", out).code == 0
        own = tmp_path / "own.html"
        library.compare(table(drawn()), truth="y", models=["A", "B"], goal="roc_auc", positive="pos").to_html(own)
    finally:
        os.umask(before)
    for path in (page, own, out, *out.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path

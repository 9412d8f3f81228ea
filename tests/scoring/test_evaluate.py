"""`referee evaluate` as its users see it: invariances, containers, slices, folds, formats, warnings."""

from __future__ import annotations

import csv
import io
import json
import sqlite3

import numpy as np
import pytest

import referee as package
from referee import metrics
from referee.predictions import Predictions
from referee.scoring import evaluate

ROWS = 60


def example(seed=0, rows=ROWS):
    """Two models with tied scores on a grid that binary fractions hold exactly."""
    draw = np.random.default_rng(seed)
    truth = draw.integers(0, 2, rows)
    scores = {name: np.clip(truth * 16 + draw.integers(0, 48, rows), 1, 63) / 64 for name in "AB"}
    return truth, scores


def overall(scores):
    return {(row.model, row.metric): row.value for row in scores if row.overall}


@pytest.fixture(scope="module")
def expected():
    """All metrics of the example."""
    truth, scores = example()
    return overall(evaluate(Predictions.from_arrays(truth, scores)))


@pytest.fixture
def frame():
    truth, scores = example()
    draw = np.random.default_rng(1)
    return {"id": [f"r{i}" for i in range(ROWS)], "y": truth, **scores, "region": draw.choice(["north", "south"], ROWS)}


@pytest.fixture
def file(frame, tmp_path):
    path = tmp_path / "preds.csv"
    with path.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(frame)
        writer.writerows(zip(*frame.values(), strict=True))
    return path


@pytest.mark.parametrize("orders", [range(3), pytest.param(range(3, 40), marks=pytest.mark.soak)], ids=len)
def test_row_order_changes_no_bit(expected, orders):
    truth, scores = example()
    for seed in orders:
        order = np.random.default_rng(seed).permutation(ROWS)
        shuffled = Predictions.from_arrays(truth[order], {name: column[order] for name, column in scores.items()})
        assert overall(evaluate(shuffled)) == expected


def test_model_order_changes_nothing(expected):
    truth, scores = example()
    assert overall(evaluate(Predictions.from_arrays(truth, dict(reversed(scores.items()))))) == expected


def test_label_names_change_nothing(expected):
    truth, scores = example()
    for names in (["no", "yes"], ["pos", "neg"], ["-1", "1"]):
        renamed = Predictions.from_arrays([names[label] for label in truth], scores, positive=names[1])
        assert overall(evaluate(renamed)) == expected


def test_integer_weights_are_repeated_rows():
    truth, scores = example()
    weight = np.random.default_rng(2).integers(1, 5, ROWS)
    weighted = overall(evaluate(Predictions.from_arrays(truth, scores, weight=weight)))
    repeated = Predictions.from_arrays(truth.repeat(weight), {n: s.repeat(weight) for n, s in scores.items()})
    assert weighted == pytest.approx(overall(evaluate(repeated)), rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(("factor", "tolerance"), [(2, 0), (2.0**-700, 0), (0.3, 1e-12), (1e306, 1e-12)])
def test_scale_of_weights(factor, tolerance):
    truth, scores = example()
    weight = np.random.default_rng(2).integers(1, 5, ROWS).astype(float)
    expected = overall(evaluate(Predictions.from_arrays(truth, scores, weight=weight)))
    scaled = overall(evaluate(Predictions.from_arrays(truth, scores, weight=weight * factor)))
    assert scaled == (pytest.approx(expected, rel=tolerance, abs=tolerance) if tolerance else expected)


def test_complement_of_auc():
    truth, scores = example()
    auc = metrics["roc_auc"]
    assert auc(truth, scores["A"]) + auc(1 - truth, scores["A"]) == pytest.approx(1, abs=2.3e-16)


def containers(frame, tmp_path):
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    arrow = pa.table(frame)
    pyarrow.parquet.write_table(arrow, tmp_path / "preds.parquet")
    pyarrow.feather.write_feather(arrow, tmp_path / "preds.feather")
    (tmp_path / "preds.jsonl").write_text("\n".join(json.dumps(row) for row in arrow.to_pylist()))
    with sqlite3.connect(tmp_path / "preds.db") as database:
        database.execute("create table preds (id text, y integer, A real, B real, region text)")
        database.executemany("insert into preds values (?, ?, ?, ?, ?)", zip(*arrow.to_pydict().values(), strict=True))
    database.close()
    files = [tmp_path / f"preds.{ending}" for ending in ("parquet", "feather", "jsonl", "db")]
    return [*files, pd.DataFrame(frame), pl.DataFrame(frame), arrow, frame]


def test_every_container_gives_the_same_bytes(frame, file, tmp_path):
    def result(source):
        read = Predictions.read(source, truth="y", models=["A", "B"], by="region")
        return json.dumps(evaluate(read, ["accuracy", "brier", "roc_auc"], by="region").to_dict())

    expected = result(file)
    for container in containers(frame, tmp_path):
        assert result(container) == expected, type(container)


def test_series_of_any_kind():
    import pandas as pd
    import polars as pl

    truth, scores = example()
    expected = metrics["roc_auc"](truth, scores["A"])
    for kind in (list, pd.Series, pl.Series):
        assert metrics["roc_auc"](kind(truth.tolist()), kind(scores["A"].tolist())) == expected


def test_slices_are_the_rows_of_the_slice(referee, file, frame):
    run = referee("evaluate", file, "--truth", "y", "--models", "A,B", "--by", "region", "--metrics", "roc_auc")
    region = np.array(frame["region"])
    for name in ("north", "south"):
        here = region == name
        alone = metrics["roc_auc"](frame["y"][here], frame["A"][here])
        assert run.value("A", "roc_auc", slice_=name) == alone
    assert run.value("A", "roc_auc") == metrics["roc_auc"](frame["y"], frame["A"])


def test_folds_and_their_mean(referee, file, frame):
    run = referee("evaluate", file, "--truth", "y", "--models", "A", "--fold", "region", "--metrics", "f1")
    each = [run.value("A", "f_beta", unit=name) for name in ("north", "south")]
    assert run.value("A", "f_beta", unit="mean") == pytest.approx(sum(each) / 2)
    assert run.value("A", "f_beta") == metrics["f1"](frame["y"], frame["A"])


def test_several_files_joined_by_id(referee, frame, tmp_path):
    order = np.random.default_rng(3).permutation(ROWS)
    for name, rows in (("A", range(ROWS)), ("B", order)):
        lines = [f"{frame['id'][i]},{frame['y'][i]},{frame[name][i]}" for i in rows]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"id,y,{name}", *lines]))
    run = referee(
        "evaluate", tmp_path / "A.csv", tmp_path / "B.csv", "--truth", "y", "--id", "id", "--metrics", "brier"
    )
    for name in "AB":
        assert run.value(name, "brier") == metrics["brier"](frame["y"], frame[name])


def test_several_positive_classes(referee, tmp_path):
    """The paper turns 26 letters into two classes."""
    draw = np.random.default_rng(0)
    letters = draw.choice(list("ABCDEFGHIJ"), 200)
    scores = draw.random(200)
    file = tmp_path / "letters.csv"
    file.write_text("\n".join(["y,m", *(f"{a},{s}" for a, s in zip(letters, scores, strict=True))]))
    run = referee("evaluate", file, "--truth", "y", "--positive", "A,B,C", "--metrics", "roc_auc,accuracy")
    vowels = np.isin(letters, list("ABC"))
    assert run.value("m", "roc_auc") == metrics["roc_auc"](vowels, scores)
    assert run.json["confusion"][0]["classes"] == ["rest", "A,B,C"]
    assert run.json["positive"] == "A,B,C"


def test_probabilities_of_several_positive_classes_add_up():
    truth = ["a", "b", "c", "a"]
    columns = {"a": [0.5, 0.2, 0.3, 0.6], "b": [0.3, 0.5, 0.2, 0.3], "c": [0.2, 0.3, 0.5, 0.1]}
    predictions = Predictions.from_arrays(truth, {"m": columns}, positive=["a", "b"])
    together = np.add(columns["a"], columns["b"])
    expected = metrics["brier"]([1, 1, 0, 1], together)
    assert evaluate(predictions, ["brier"])["m", "brier"].value == pytest.approx(expected, rel=1e-12)


def test_own_decisions_beside_probabilities():
    predictions = Predictions.from_arrays([1, 0, 1], {"m": [0.9, 0.6, 0.3]}, decisions={"m": [1, 0, 0]})
    scores = evaluate(predictions, ["accuracy", "roc_auc"])
    assert scores["m", "accuracy"].value == 2 / 3
    assert scores["m", "accuracy"].threshold is None
    assert scores["m", "roc_auc"].value == 0.5


def test_the_threshold_is_shown_where_it_matters(referee, file):
    run = referee("evaluate", file, "--truth", "y", "--models", "A", "--threshold", "0.25")
    for row in run.json["scores"]:
        assert (row["threshold"] == 0.25) == metrics[row["metric"]].depends_on_threshold, row
    text = referee("evaluate", file, "--truth", "y", "--models", "A", "--threshold", "0.25", form=None).out
    assert "at 0.25" in text


def test_guessing_is_always_there(referee, file, frame):
    run = referee("evaluate", file, "--truth", "y", "--models", "A")
    share = frame["y"].mean()
    guessed = {row["metric"]: row["value"] for row in run.json["baseline"]}
    assert guessed["accuracy"] == max(share, 1 - share)
    assert guessed["roc_auc"] == 0.5
    assert guessed["average_precision"] == pytest.approx(share)
    assert guessed["brier"] == pytest.approx(share * (1 - share))
    assert "guessing" in referee("evaluate", file, "--truth", "y", "--models", "A", form=None).out


def test_formats_agree(referee, file):
    command = ("evaluate", file, "--truth", "y", "--models", "A,B", "--metrics", "roc_auc,brier")
    in_json = referee(*command).json["scores"]
    in_csv = list(csv.DictReader(io.StringIO(referee(*command, form="csv").out)))
    in_csv = [row for row in in_csv if row["model"] != "guessing"]
    assert [float(row["value"]) for row in in_csv] == [row["value"] for row in in_json]
    table = referee(*command, form="md").out
    for row in in_json:
        if row["class"] is None:
            assert f"{row['value']:.4f}" in table


def test_text_fits_eighty_columns(referee, file):
    out = referee("evaluate", file, "--truth", "y", "--models", "A,B", form=None).out
    assert max(map(len, out.splitlines())) <= 80
    assert "sensitivity" in out


def test_same_bytes_twice(referee, file):
    command = ("evaluate", file, "--truth", "y", "--models", "A,B", "--seed", "3")
    assert referee(*command).out == referee(*command).out


def warned(scores):
    return {notice.code for notice in scores.notices}


def test_warnings():
    truth, scores = example()
    plain = Predictions.from_arrays(truth, {"A": scores["A"]})
    assert not warned(evaluate(plain))
    rare = Predictions.from_arrays([1] + [0] * 30, {"A": np.linspace(0.9, 0.1, 31)})
    assert "W_IMBALANCE" in warned(evaluate(rare))
    assert "W_IMBALANCE" not in warned(evaluate(rare, ["roc_auc"]))
    hard = Predictions.from_arrays(truth, {"A": (scores["A"] > 0.5).astype(int)})
    assert "W_HARDLABELS" in warned(evaluate(hard))
    assert "W_HARDLABELS" not in warned(evaluate(hard, ["accuracy"]))
    assert "W_REVERSED" in warned(evaluate(Predictions.from_arrays(truth, {"A": 1 - scores["A"]})))
    one = Predictions.from_arrays([1, 1, 1], {"A": [0.2, 0.6, 0.7]})
    assert "W_ONECLASS" in warned(evaluate(one))
    wrong = Predictions.from_arrays([1, 0, 1], {"A": [0.0, 0.4, 0.7]})
    assert "W_CLIPPED" in warned(evaluate(wrong))
    sure = Predictions.from_arrays([1, 0, 1], {"A": [1.0, 0.4, 0.7]})
    assert "W_CERTAIN" in warned(evaluate(sure))


def test_log_loss_of_an_impossible_event():
    assert metrics["log_loss"]([1, 0], [0.0, 0.5]) == pytest.approx((-np.log(2.220446049250313e-16) + np.log(2)) / 2)
    exact = evaluate(Predictions.from_arrays([1, 0], {"m": [0.0, 0.5]}), ["log_loss(clip=0)"])
    assert exact["m", "log_loss(clip=0)"].undefined == "infinite"


def test_json_has_the_contracts_keys(referee, file):
    found = referee("evaluate", file, "--truth", "y", "--models", "A").json
    assert {
        "referee",
        "command",
        "rows",
        "goal",
        "alpha",
        "seed",
        "fingerprint",
        "scores",
        "baseline",
        "confusion",
        "warnings",
    } <= set(found)
    assert found["referee"] == package.__version__
    wanted = [
        "model",
        "metric",
        "value",
        "low",
        "high",
        "standard_error",
        "class",
        "slice",
        "unit",
        "threshold",
        "undefined",
        "interval",
    ]
    assert all(list(row) == wanted for row in found["scores"])


def test_options_from_a_file(referee, file, tmp_path):
    config = tmp_path / "referee.toml"
    config.write_text('truth = "y"\nmodels = ["A", "B"]\nmetrics = ["roc_auc"]\n')
    expected = referee("evaluate", file, "--truth", "y", "--models", "A,B", "--metrics", "roc_auc")
    assert referee("evaluate", file, "--config", config).out == expected.out


def test_scikit_learn_scorer():
    from sklearn.datasets import load_iris, make_classification
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    x, y = make_classification(200, random_state=0)
    for ours, theirs in {
        "roc_auc": "roc_auc",
        "log_loss": "neg_log_loss",
        "brier": "neg_brier_score",
        "f1": "f1",
    }.items():
        found = cross_val_score(LogisticRegression(), x, y, scoring=metrics[ours].scorer())
        assert found == pytest.approx(cross_val_score(LogisticRegression(), x, y, scoring=theirs), rel=1e-10)
    x, y = load_iris(return_X_y=True)
    found = cross_val_score(LogisticRegression(max_iter=500), x, y, scoring=metrics["log_loss"].scorer())
    assert found == pytest.approx(cross_val_score(LogisticRegression(max_iter=500), x, y, scoring="neg_log_loss"))


def test_guessing_is_scored_when_it_is_looked_at():
    """By what a classifier of scikit-learn has that always says the majority class, or the classes' shares."""
    from sklearn.dummy import DummyClassifier
    from sklearn.metrics import balanced_accuracy_score, brier_score_loss

    truth = np.repeat([0, 1], [70, 30])
    scores = evaluate(truth, np.linspace(0, 1, 100), metrics=["accuracy", "balanced_accuracy", "brier"])
    assert "rows" not in vars(scores.guessing)
    guessed = {row.metric: row.value for row in scores.baseline}
    shares = DummyClassifier(strategy="prior").fit(np.zeros((100, 1)), truth)
    decided = shares.predict(np.zeros((100, 1)))
    assert guessed["accuracy"] == pytest.approx(np.mean(decided == truth), rel=1e-12)
    assert guessed["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(truth, decided), rel=1e-12)
    expected = brier_score_loss(truth, shares.predict_proba(np.zeros((100, 1)))[:, 1])
    assert guessed["brier"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("classes", [2, 4])
def test_models_that_are_scored_together_have_what_each_has_alone(classes):
    from sklearn.metrics import cohen_kappa_score, matthews_corrcoef

    draw = np.random.default_rng(3)
    truth = draw.integers(0, classes, 200)
    models = {name: np.where(draw.random(200) < right, truth, draw.integers(0, classes, 200)) for name, right in
              (("a", 0.9), ("b", 0.5), ("c", 0.1))}  # fmt: skip
    chosen = ["mcc", "kappa", "f1_macro", "recall_macro"]
    together = evaluate(truth, models, metrics=chosen, task="multiclass" if classes > 2 else "binary")
    for name, labels in models.items():
        assert together[name, "mcc"].value == pytest.approx(matthews_corrcoef(truth, labels), rel=1e-12)
        assert together[name, "kappa"].value == pytest.approx(cohen_kappa_score(truth, labels), rel=1e-12)
        alone = evaluate(truth, {name: labels}, metrics=chosen, task="multiclass" if classes > 2 else "binary")
        for row in alone.rows:
            (same,) = [other for other in together if (other.model, other.metric, other.class_)
                       == (name, row.metric, row.class_)]  # fmt: skip
            for number in ("value", "low", "high", "standard_error"):
                assert getattr(same, number) == pytest.approx(getattr(row, number), rel=1e-13), (row, number)

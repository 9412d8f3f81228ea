"""How columns are understood: nothing is guessed, nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest

from referee import metrics, threshold
from referee.errors import RefereeError
from referee.predictions import Predictions
from referee.scoring import evaluate

TRUTH = [1, 0, 1, 0]
SCORES = [0.9, 0.2, 0.6, 0.4]


def refused(code, **given):
    with pytest.raises(RefereeError) as caught:
        Predictions.from_arrays(given.pop("truth", TRUTH), given.pop("models", {"m": SCORES}), **given)
    assert caught.value.code == code
    return str(caught.value)


@pytest.mark.parametrize("name", ["truth", "weight", "fold", "m label", "prediction"])
def test_any_model_name_is_only_a_name(name):
    predictions = Predictions.from_arrays(
        TRUTH, {name: SCORES, "m": SCORES}, weight=[1, 2, 3, 4], fold=[1, 1, 2, 2], decisions={"m": [1, 1, 1, 0]}
    )
    scores, weight = predictions.model(name).scores, predictions.weight
    assert (scores.tolist(), weight.tolist(), predictions.truth.tolist()) == (SCORES, [1, 2, 3, 4], TRUTH)


def test_unknown_roles_are_refused():
    assert "did you mean 'weight'" in refused("E_KEYWORD", wieght=[1, 2, 3, 4])
    assert "'b'" in refused("E_NOMODEL", decisions={"b": [1, 0, 1, 0]})
    refused("E_LENGTH", weight=[1, 2])
    refused("E_SOURCE", models={"m": 3})
    refused("E_CALL", threshold="a")


def test_classes_given_are_all_classes():
    """A fold that lacks a class is still of that problem."""
    from sklearn.metrics import f1_score

    truth, decided = [0, 0, 1, 1], [0, 2, 1, 2]
    expected = f1_score(truth, decided, labels=[0, 1, 2], average="macro", zero_division=0)
    assert metrics["f1"](truth, decided, classes=[0, 1, 2], undefined=0) == pytest.approx(expected)
    assert metrics["accuracy"](["a", "a"], ["a", "b"], classes=["a", "b"]) == 0.5
    assert "'c'" in refused("E_LABELS", truth=["a", "c"], models={"m": ["a", "a"]}, classes=["a", "b"])


@pytest.mark.parametrize("labels", [(0, 1, 2), ("a", "b", "c")])
def test_scorers_where_folds_lack_classes(labels):
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold, LeaveOneOut, cross_val_score

    x, y = load_iris(return_X_y=True)
    x, y = x[::5], np.array(labels)[y[::5]]
    model = LogisticRegression(max_iter=500)
    for folds in (KFold(5), LeaveOneOut()):
        found = cross_val_score(model, x, y, cv=folds, scoring=metrics["accuracy"].scorer(), error_score="raise")
        assert found == pytest.approx(cross_val_score(model, x, y, cv=folds, scoring="accuracy"))


@pytest.mark.parametrize(
    ("names", "positive"), [(("no", "yes"), "no"), (("no", "yes"), "yes"), ((-1, 1), "-1"), ((-1, 1), -1)]
)
def test_decision_functions_speak_of_the_second_class(names, positive):
    from sklearn.datasets import make_classification
    from sklearn.metrics import recall_score, roc_auc_score
    from sklearn.svm import LinearSVC

    x, y = make_classification(300, random_state=0)
    y = np.array(names)[y]
    model = LinearSVC().fit(x, y)
    is_positive = np.char.equal(y.astype(str), str(positive))
    towards = model.decision_function(x) * (1 if str(names[1]) == str(positive) else -1)
    assert metrics["roc_auc"].scorer(positive=positive)(model, x, y) == pytest.approx(
        roc_auc_score(is_positive, towards)
    )
    found = metrics["recall"].scorer(positive=positive, threshold=0.0)(model, x, y)
    assert found == pytest.approx(recall_score(is_positive, towards >= 0))


def test_a_stray_label_is_pointed_out(referee, tmp_path):
    file = tmp_path / "stray.csv"
    file.write_text("y,m\n1,1\n2,3\n1,1\n2,2\n")
    command = ("evaluate", file, "--truth", "y", "--positive", "2")
    assert "W_SCORES" in {warning["code"] for warning in referee(*command).json["warnings"]}
    error = referee(*command, "--metrics", "accuracy").json["error"]
    assert (error["code"], "row 2" in error["message"]) == ("E_LABELS", True)


def test_probabilities_must_add_up():
    predictions = Predictions.from_arrays([0, 1, 0], {"m": np.ones((3, 2))})
    scores = evaluate(predictions)
    assert "add up to 2" in scores["m", "log_loss"].undefined
    with pytest.raises(RefereeError, match="add up to 2") as caught:
        evaluate(predictions, ["log_loss"])
    assert caught.value.code == "E_PROBSUM"
    rounded = Predictions.from_arrays(["a", "b", "c"], {"m": [[0.33, 0.33, 0.33], [0.2, 0.5, 0.3], [0.1, 0.1, 0.81]]})
    assert evaluate(rounded, ["log_loss"])["m", "log_loss"].value > 0


def test_unknown_decisions_are_no_rest():
    for truth, positive in ((["rest", "work", "work"], "work"), (["a", "b", "c"], ["a"])):
        with pytest.raises(RefereeError, match="'wrk'") as caught:
            Predictions.from_arrays(truth, {"m": [*truth[:2], "wrk"]}, positive=positive)
        assert caught.value.code == "E_LABELS"
    with pytest.raises(RefereeError) as caught:
        columns = {"a": [0.2], "b": [0.3], "c": [0.4], "oops": [0.1]}
        Predictions.from_arrays(["a"], {"m": columns}, classes=["a", "b", "c"], positive="a")
    assert caught.value.code == "E_CLASSCOL"


def test_the_same_column_in_two_files(referee, tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("id,y,p\n1,1,0.9\n2,0,0.1\n")
    files = (tmp_path / "one.csv", tmp_path / "two.csv", "--id", "id", "--truth", "y")
    assert referee("evaluate", *files, "--models", "p").json["error"]["code"] == "E_AMBIGUOUS"
    assert referee("evaluate", *files, "--model", "m=p").json["error"]["code"] == "E_AMBIGUOUS"
    found = referee("evaluate", *files, "--metrics", "accuracy").json["scores"]
    assert {row["model"] for row in found} == {"one", "two"}


def test_labels_are_compared_exactly():
    big = ["9007199254740992", "9007199254740993"]
    predictions = Predictions.from_arrays(big, {"m": list(reversed(big))}, positive=big[0])
    assert evaluate(predictions, ["accuracy"])["m", "accuracy"].value == 0
    with pytest.raises(RefereeError, match="'01' is not a class"):
        metrics["accuracy"](["001", "002"], ["01", "002"], positive="001")


def test_rows_are_named_as_their_file_counts_them(referee, tmp_path):
    (tmp_path / "a.csv").write_text("id,y,p\na,1,0.9\nb,0,0.1\nc,1,0.4\n")
    (tmp_path / "b.csv").write_text("id,y,q\nb,0,1.7\nc,1,0.2\na,1,0.3\n")
    run = referee(
        "evaluate", tmp_path / "a.csv", tmp_path / "b.csv", "--id", "id", "--truth", "y", "--metrics", "brier"
    )
    assert "b.csv" in run.json["error"]["message"]
    assert "row 1 is 1.7" in run.json["error"]["message"]


def test_extreme_weights_show_as_they_are():
    predictions = Predictions.from_arrays(TRUTH, {"m": SCORES}, weight=[1e100] * 4)
    assert evaluate(predictions, ["accuracy"]).confusion["m"].sum() == pytest.approx(4e100)
    tiny = Predictions.from_arrays(TRUTH, {"m": SCORES}, weight=[5e-324] * 4)
    assert evaluate(tiny, ["accuracy"])["m", "accuracy"].value == 1


def test_top_one_is_accuracy_with_ties_in_any_order_of_columns():
    draw = np.random.default_rng(0)
    truth = draw.choice(list("abc"), 300)
    columns = {label: draw.integers(1, 4, 300) for label in "cab"}
    total = sum(columns.values())
    predictions = Predictions.from_arrays(truth, {"m": {label: column / total for label, column in columns.items()}})
    scores = evaluate(predictions, ["top_k(k=1)", "accuracy"])
    assert scores["m", "top_k(k=1)"].value == scores["m", "accuracy"].value


def test_the_threshold_is_shown_only_where_it_decides():
    columns = {"0": [0.4, 0.7], "1": [0.6, 0.3]}
    scores = evaluate(Predictions.from_arrays([1, 0], {"m": columns}), ["accuracy"])
    assert scores["m", "accuracy"].threshold is None
    scores = evaluate(Predictions.from_arrays([1, 0], {"m": columns}, threshold=0.7), ["accuracy"])
    assert (scores["m", "accuracy"].threshold, scores["m", "accuracy"].value) == (0.7, 0.5)


def test_slices_by_any_column_that_was_read():
    """The contract's example: by= is said to evaluate, not to read."""
    import polars as pl

    frame = pl.DataFrame({"y": TRUTH, "a": SCORES, "region": ["n", "n", "s", "s"]})
    predictions = Predictions.read(frame, truth="y", models=["a"])
    scores = evaluate(predictions, metrics=["brier"], by="region")
    assert {row.slice for row in scores} == {None, "n", "s"}


def test_quantile_columns_of_whole_numbers():
    columns = {"0.1": [1, 2, 3], "0.5": [2, 3, 4], "0.9": [3, 4, 5]}
    predictions = Predictions.from_arrays([2, 4, 9], {"m": columns})
    assert predictions.task == "regression"
    assert evaluate(predictions, ["crps"])["m", "crps"].value > 0


def test_few_amounts_are_amounts():
    assert Predictions.from_arrays([2.7, 1.5, 1.5], {"m": [2.0, 1.0, 2.0]}).task == "regression"
    assert Predictions.from_arrays([1.5], {"m": [2.0]}).task == "regression"


def test_one_truth_in_several_spellings(referee, tmp_path):
    (tmp_path / "a.csv").write_text("id,y,p\n1,1,0.9\n2,0,0.1\n")
    (tmp_path / "b.csv").write_text("id,y,q,w\n2,0.0,0.2,1\n1,1.0,0.7,3\n")
    files = (tmp_path / "a.csv", tmp_path / "b.csv", "--id", "id", "--truth", "y")
    run = referee("evaluate", *files, "--models", "p,q", "--weight", "w", "--metrics", "accuracy")
    assert run.value("q", "accuracy") == 1, run.out


def test_decimal_commas_are_recognised_in_the_hint(referee, tmp_path):
    file = tmp_path / "comma.csv"
    file.write_text("y;m\n1;0,9\n0;0,2\n")
    for options in ((), ("--models", "m")):
        assert "--decimal" in referee("evaluate", file, "--truth", "y", *options).json["error"]["hint"]
    assert (
        referee("evaluate", file, "--truth", "y", "--decimal", ",", "--metrics", "accuracy").value("m", "accuracy") == 1
    )


def test_decisions_have_no_place_in_regression(referee, tmp_path):
    file = tmp_path / "numbers.csv"
    file.write_text("y,m,lab\n1.5,1.2,a\n2.5,2.2,b\n3.7,3.1,a\n")
    run = referee("evaluate", file, "--truth", "y", "--models", "m", "--label", "m=lab")
    assert (run.code, run.json["error"]["code"]) == (2, "E_LABELROLE")


def test_one_fold_has_no_other_folds():
    predictions = Predictions.from_arrays([1.5, 2.5, 3.5], {"m": [1.0, 2.0, 4.0]}, fold=[1, 1, 1])
    assert evaluate(predictions, ["rae"])["m", "rae"].value == pytest.approx(1.5 / 2)


def test_a_fingerprint_tells_roles_apart():
    """The same numbers in another role are other predictions."""
    numbers, models, other = [1.5, 2.5, 4.0], {"m": [1.0, 2.0, 3.0]}, [1.0, 2.0, 3.0]
    taken = [
        Predictions.from_arrays(numbers, models),
        Predictions.from_arrays(numbers, {"n": models["m"]}),
        Predictions.from_arrays(numbers, models, weight=other),
        Predictions.from_arrays(numbers, models, weight=other, weight_kind="frequency"),
        Predictions.from_arrays(numbers, models, baseline=other),
        Predictions.from_arrays(numbers, models, fold=["a", "b", "c"]),
        Predictions.from_arrays(numbers, models, group=["a", "b", "c"]),
        Predictions.from_arrays(numbers, {"m": {"0.1": other, "0.9": numbers}}),
        Predictions.from_arrays(numbers, {"m": {"0.2": other, "0.7": numbers}}),
    ]
    assert len({one.fingerprint for one in taken}) == len(taken)
    assert taken[0].fingerprint == Predictions.from_arrays(numbers, models).fingerprint


def test_what_is_drawn_does_not_hang_on_the_last_digit():
    """Fits differ by machine in the last digits: folds, and so the threshold, must stay the same."""
    draw = np.random.default_rng(5)
    truth = draw.integers(0, 2, 400)
    scores = draw.random(400) ** 8
    nearby = np.nextafter(scores, draw.integers(0, 2, 400).astype(float))
    assert (scores != nearby).any()
    both = [threshold(truth, values, goal="f1", seed=3).to_dict() for values in (scores, nearby)]
    here, there = (result["thresholds"][0] for result in both)
    assert here["value"] == there["value"] and here["threshold"] == pytest.approx(there["threshold"], rel=1e-12)

"""Weka's predictions: what referee makes of them is what Weka says of them itself."""

from __future__ import annotations

import re

import pytest

from referee import RefereeError, compare, evaluate

MODELS = ("J48", "NaiveBayes")
POSITIVE = "recurrence-events"


@pytest.fixture(scope="module")
def folder(reference):
    return reference / "weka_predictions"


def wekas_own(folder, name):
    """Accuracy, kappa, the area below the ROC curve and the confusion matrix, as Weka rounds them."""
    text = (folder / f"{name}.summary").read_text()
    counts = re.findall(r"^\s+(\d+)\s+(\d+) \|", text, re.MULTILINE)
    return {
        "accuracy": float(re.search(r"Correctly Classified Instances\s+\d+\s+([\d.]+) %", text)[1]) / 100,
        "kappa": float(re.search(r"Kappa statistic\s+([\d.-]+)", text)[1]),
        "roc_auc": float(re.search(rf"([\d.]+)\s+[\d.]+\s+{POSITIVE}", text)[1]),
        "counts": [[int(count) for count in row] for row in counts],
    }


@pytest.mark.parametrize("ending", [".csv", ".short.csv", ".36.txt"])
@pytest.mark.parametrize("name", MODELS)
def test_wekas_summary_follows_from_its_predictions(folder, referee, name, ending):
    theirs = wekas_own(folder, name)
    asked = (
        "--positive",
        POSITIVE,
        "--metrics",
        "accuracy,kappa,roc_auc",
        "--classes",
        f"no-recurrence-events,{POSITIVE}",
    )
    if ending == ".36.txt":  # plain text cuts names off
        asked = ("--positive", "recurren", "--metrics", "accuracy,kappa,roc_auc")
    found = referee("evaluate", folder / f"{name}{ending}", *asked)
    assert found.code == 0, found.out
    model = f"{name}{ending}".rpartition(".")[0]
    assert found.value(model, "accuracy") == pytest.approx(theirs["accuracy"], abs=5e-7)
    assert found.value(model, "kappa") == pytest.approx(theirs["kappa"], abs=5e-5)
    area = found.value(model, "roc_auc", class_=asked[1])
    if name == "J48":  # Weka ranks the rows of all folds together, though each fold's tree has other scores
        reasons = [row["undefined"] or "" for row in found.json["scores"] if row["metric"] == "roc_auc"]
        assert area is None and any("different scales" in reason for reason in reasons)
    else:
        assert area == pytest.approx(theirs["roc_auc"], abs=2e-3)
    assert found.json["confusion"][0]["counts"] == theirs["counts"]


def test_two_files_are_two_models_of_the_same_rows(folder, referee):
    files = [folder / f"{name}.csv" for name in MODELS]
    found = referee("compare", *files, "--goal", "accuracy").json
    assert {row["a"] for row in found["comparisons"]} | {row["b"] for row in found["comparisons"]} == {*MODELS}
    assert found["rows"] == 286
    assert found["read"]["columns"]["actual"] == {"as": "truth"}
    verdict = compare(*files, goal="accuracy")
    assert verdict.values == pytest.approx({name: wekas_own(folder, name)["accuracy"] for name in MODELS}, abs=5e-7)
    assert verdict.call == f"referee.compare('{files[0]}', '{files[1]}', goal='accuracy')"
    assert len(verdict.predictions.fold) == 10


def test_one_of_several_models_can_be_named(folder):
    files = [folder / f"{name}.csv" for name in MODELS]
    assert evaluate(*files, models="J48", metrics="accuracy").predictions.names == ("J48",)
    with pytest.raises(RefereeError, match="there is no model 'j49'; did you mean 'J48'"):
        evaluate(*files, models=["j49"])


def test_numbers(folder, referee):
    text = (folder / "M5P.summary").read_text()
    for file, model in (("M5P.csv", "M5P"), ("M5P.36.txt", "M5P.36")):
        found = referee("evaluate", folder / file, "--metrics", "rmse,mae,correlation")
        for metric, heading in (("rmse", "Root mean squared error"), ("mae", "Mean absolute error")):
            theirs = float(re.search(rf"{heading}\s+([\d.]+)", text)[1])
            assert found.value(model, metric) == pytest.approx(theirs, abs=2e-3)
    verdict = compare(folder / "M5P.csv", folder / "LinearRegression.csv", goal="rmse")
    assert verdict.predictions.task == "regression"


def test_more_classes_and_tabs(folder):
    verdict = compare(folder / "J48.iris.tsv", folder / "NaiveBayes.iris.tsv", goal="accuracy")
    assert verdict.predictions.classes == ("Iris-setosa", "Iris-versicolor", "Iris-virginica")
    plain = compare(folder / "J48.iris.36.txt", folder / "NaiveBayes.iris.36.txt", goal="accuracy")
    values = {name.removesuffix(".36"): value for name, value in plain.values.items()}
    assert values == pytest.approx(verdict.values)
    assert plain.predictions.classes == ("Iris-set", "Iris-ver", "Iris-vir")


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path, folder):
    for part, name in (("first", "J48"), ("second", "NaiveBayes")):
        (tmp_path / part).mkdir()
        (tmp_path / part / "preds.csv").write_bytes((folder / f"{name}.csv").read_bytes())
    verdict = compare(str(tmp_path / "*/preds.csv"), goal="accuracy")
    assert verdict.predictions.names == ("first/preds", "second/preds")


def test_a_file_that_is_given_twice_is_said_to_be(folder):
    verdict = compare(folder / "J48.csv", folder / "J48.csv", goal="accuracy")
    assert len(verdict.predictions.names) == 2
    assert "W_SAMEFILE" in {notice.code for notice in verdict.warnings}


def test_names_in_quotes_and_distributions_of_unseen_classes(written):
    path = written(
        "q.csv", "inst#,actual,predicted,error,distribution,,\n1,1:'a, b',2:c,+,0.2,*0.7,0.1\n2,2:c,2:c,,0,*1,0\n"
    )
    read = evaluate(path, metrics="accuracy").predictions
    assert {*read.classes} == {"3", "a, b", "c"}


BAD = {
    "cut": ("inst#,actual,predicted,error,prediction\n1,1:n,1:n,,0.9\n2,2:p,", "line 3", "cut off"),
    "number": ("inst#,actual,predicted,error,prediction\n1,1:n,1:n,,high\n2,2:p,2:p,,0.9\n", "line 2", "'high'"),
    "class": (
        "inst#,actual,predicted,error,prediction\n1,1:n,1:n,,0.9\n2,p,2:p,,0.9\n",
        "line 3",
        "'p' is not a class",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_damaged_is_named(written, referee, case):
    text, *parts = BAD[case]
    found = referee("evaluate", written("J48.csv", text))
    assert (found.code, found.json["error"]["code"]) == (3, "E_WEKA")
    assert all(part in found.json["error"]["message"] for part in parts), found.json


def test_a_header_alone_and_a_row_without_truth(written, referee):
    found = referee("evaluate", written("J48.csv", "inst#,actual,predicted,error,prediction\n"))
    assert found.json["error"]["code"] == "E_NOROWS"
    missing = written(
        "NB.csv", "inst#,actual,predicted,error,prediction\n1,1:?,1:n,,0.9\n2,2:p,2:p,,0.8\n3,1:n,1:n,,0.7\n"
    )
    error = referee("evaluate", missing).json["error"]
    assert error["code"] == "E_MISSING" and "row 1" in error["message"]


def test_it_is_not_read_with_what_says_nothing_of_itself(folder, written, referee):
    found = referee("compare", folder / "J48.csv", written("other.csv", "y,m\n1,0.5\n0,0.2\n"), "--goal", "accuracy")
    assert (found.code, found.json["error"]["code"]) == (2, "E_SOURCES")
    assert "other.csv" in found.json["error"]["message"]


def test_other_rows_are_refused(folder, referee):
    found = referee("compare", folder / "J48.csv", folder / "NaiveBayes.iris.tsv", "--goal", "accuracy")
    assert found.code in (2, 3)

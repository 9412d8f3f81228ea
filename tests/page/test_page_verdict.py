"""The page's words follow from facts: no name changes what they say, and no part contradicts another."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from referee.comparing import compare, gate
from referee.fitting import select
from referee.page.verdict_page import gate_page
from referee.predictions import Predictions
from tests.pages_to_read import Page, binary, scores_of_rows


def rows_of(read, name):
    """The rows of a table, each as its cells by the titles of the columns."""
    inside, tables = None, {}
    for element in read.elements:
        if element["tag"] == "table":
            inside = tables.setdefault(element.get("data-name"), {"head": [], "rows": []})
        elif inside is not None and element["tag"] == "th" and element.get("scope") == "col":
            inside["head"].append(element["text"])
        elif inside is not None and element["tag"] == "tr" and inside["head"]:
            inside["rows"].append([])
        elif inside is not None and element["tag"] in ("td", "th"):
            inside["rows"][-1].append(element)
    return [dict(zip(tables[name]["head"], row, strict=True)) for row in tables[name]["rows"]]


def named(*names, goal="accuracy", **options):
    truth, models = scores_of_rows(models=names)
    return compare(Predictions.from_arrays(truth, models), goal, metrics=[goal], **options)


def test_the_margin_is_told_of_the_models_that_it_is_about():
    """Names that end in what the relation begins with."""
    names = ("nb", "web", "b", "a")
    verdict = named(*names, margin=0.001)
    for row, found in zip(rows_of(Page(verdict.to_html()), "pairs"), verdict.comparisons, strict=True):
        relation = verdict.margins[found.a, found.b].relation
        said = row["Against the margin"]["text"]
        if relation == "a is better by more":
            assert said == f"{found.a} is better than {found.b} by more than 0.0010"
        elif relation == "b is better by more":
            assert said == f"{found.b} is better than {found.a} by more than 0.0010"
        else:
            assert said.startswith(("it is not clear whether", f"{found.a} and {found.b} are practically equal"))
    assert {margin.relation for margin in verdict.margins.values()} >= {"a is better by more", "cannot be said"}


def test_no_name_changes_what_is_said():
    plain, odd = named("a", "b", goal="roc_auc"), named("svm (approximately linear)", "cat allergy", goal="roc_auc")
    assert (plain.approximate, odd.approximate) == (False, False)
    tags = [Page(one.to_html()).all("span", **{"class": "tag good"})[0]["text"] for one in (plain, odd)]
    assert tags == ["Clear winner"] * 2


def test_a_tie_of_models_with_odd_names_keeps_what_could_have_been_found():
    truth, models = scores_of_rows(models=("x", "y", "z"))
    tied = {"cat at all": models["y"], "practically equal": models["z"]}
    verdict = compare(Predictions.from_arrays(truth, tied), "accuracy", metrics=["accuracy"])
    assert verdict.outcome == "tie"
    assert "with 80% power" in verdict.sentence
    assert not verdict.practically_equal
    equal = compare(Predictions.from_arrays(truth, tied), "accuracy", metrics=["accuracy"], margin=0.5)
    assert equal.practically_equal and equal.sentence.startswith("Practically equal")
    assert Page(equal.to_html()).all("span", **{"class": "tag warn"})[0]["text"] == "Practically equal"


def test_a_gate_that_is_undecided_says_why_whatever_the_names():
    truth = np.array([1] * 4 + [0] * 60)
    scores = np.linspace(0, 1, 64)
    both = Predictions.from_arrays(truth, {"old: a": scores, "new: b": scores[::-1]})
    answer = gate(both, "roc_auc", production="old: a", candidate="new: b", margin=0.1)
    assert answer.sentence.startswith("Inconclusive: there are 4 rows of class '1'")


def test_models_that_do_not_differ_are_not_called_approximately_equal():
    """The third model differs by a few rows; that says nothing of the first two."""
    truth, models = scores_of_rows()
    same = {"a": models["good"], "b": models["good"].copy(), "c": models["poor"]}
    verdict = compare(Predictions.from_arrays(truth, same), "log_loss", metrics=["log_loss"])
    assert verdict.sentence.endswith("do not differ at all.")
    assert not [notice for notice in verdict.warnings if notice.code == "W_APPROXIMATE"]
    alone = verdict.scores["a", "log_loss"]
    pair = compare(Predictions.from_arrays(truth, {"a": same["a"], "b": same["b"]}), "log_loss", metrics=["log_loss"])
    assert pair.corrected.low == pytest.approx(alone.low, rel=0.02)
    assert pair.corrected.high == pytest.approx(alone.high, rel=0.02)
    assert "-0.0000" not in pair.to_html()


@pytest.fixture(scope="module")
def selected():
    generator = np.random.default_rng(4)
    x = generator.normal(size=(150, 4))
    y = (x[:, 0] + x[:, 1] * x[:, 2] + generator.normal(size=150) * 0.6 > 0).astype(int)
    models = {"tree": DecisionTreeClassifier(random_state=0), "nb": GaussianNB(), "linear": LogisticRegression()}
    return select(models, x, y, goal="roc_auc", scheme="stratified_k_fold(k=5, repeats=2)")


def test_no_row_of_the_metrics_contradicts_itself(selected):
    """Where folds decide, cells are the means over the folds, as the scores of the JSON have them."""
    read = Page(selected.to_html())
    means = {(row.model, row.metric): row.value for row in selected.scores if row.unit == "mean"}
    better = {metric.full_name: metric.better for metric in selected.scores.metrics}
    seen = 0
    for name in ("metrics", "more-metrics"):
        for row in rows_of(read, name):
            metric = row["Metric"].get("data-value") or row["Metric"]["text"]
            shown = {model: row[model] for model in selected.values}
            if row["Best"]["text"].startswith("–"):
                continue
            values = {model: float(cell["data-value"]) for model, cell in shown.items()}
            assert values == pytest.approx({model: means[model, metric] for model in shown})
            winner = (max if better[metric] == "higher" else min)(values.values())
            green = {model for model, cell in shown.items() if "best" in (cell.get("class") or "")}
            assert green == {model for model, value in values.items() if value == winner}
            assert next(model for model in shown if row["Best"]["text"].startswith(model)) in green
            seen += 1
    assert seen > 10
    assert "means over the folds" in read.one("section", id="metrics")["text"]


def test_guessing_is_compared_with_what_it_is_comparable_to(selected):
    shown = Page(selected.to_html()).one("div", id="verdict")["text"]
    gain = selected.scores[selected.best, "roc_auc"].value - 0.5
    assert re.search(rf"Better than guessing by\s*{gain:.4f}\s*Guessing has 0.5000 on all rows", shown)


def test_worse_than_guessing_is_said_so():
    truth, models = scores_of_rows(models=("one", "two"))
    turned = {name: 1 - scores for name, scores in models.items()}
    shown = Page(compare(Predictions.from_arrays(truth, turned), "log_loss").to_html())
    assert "Worse than guessing by" in shown.one("div", id="verdict")["text"]
    assert "W_GUESSING" in shown.one("aside")["text"]


def test_only_metrics_that_people_know_are_among_the_things_to_check():
    truth, models = scores_of_rows(models=("sharp", "mild"))
    models["mild"] = np.where(truth == 1, 0.4, 0.3) + np.random.default_rng(1).normal(0, 0.02, len(truth))
    verdict = compare(Predictions.from_arrays(truth, models), "roc_auc")
    winning = {one.metric for one in verdict.other_goals if one.wins and one.best != verdict.best}
    assert winning, "the models should disagree on some metric"
    text = Page(verdict.to_html()).one("aside")["text"]
    assert "murphy" not in text and "max_calibration_error" not in text


def test_the_page_of_a_gate_has_one_direction_and_one_interval():
    truth, models = scores_of_rows(models=("old", "new"))
    answer = gate(Predictions.from_arrays(truth, models), "accuracy", production="old", candidate="new", margin=0.01)
    read = Page(gate_page(answer))
    card, goal = read.one("div", id="verdict")["text"], read.one("section", id="goal")["text"]
    low, high = answer.held.low, answer.held.high
    difference = answer.verdict.values["new"] - answer.verdict.values["old"]
    assert not answer.passed and difference < 0
    assert re.search(rf"new minus old\s*{difference:.4f}\s*90% interval {low:.4f} to {high:.4f}", card)
    assert re.search(r"Margin\s*0.0100", card)
    assert "95%" not in card
    assert "may be best" not in goal and "may each be" not in card
    assert "margin -0.0100" in goal and f"{difference:.4f} [{low:.4f}, {high:.4f}]" in goal
    (found,) = rows_of(read, "pairs")
    assert (found["a"]["text"], found["b"]["text"]) == ("new", "old")


def test_the_page_of_a_gate_calls_nothing_a_tie():
    """The candidate passes although neither model is significantly better."""
    truth, models = scores_of_rows(models=("old", "new"))
    models["new"] = models["old"] + np.random.default_rng(1).normal(0, 0.02, len(truth))
    answer = gate(Predictions.from_arrays(truth, models), "roc_auc", production="old", candidate="new", margin=0.1)
    assert answer.passed and answer.comparison.outcome == "tie"
    read = Page(gate_page(answer))
    (found,) = rows_of(read, "pairs")
    assert found["Better"]["text"] == "neither is shown to be"
    assert "tie" not in read.one("section", id="pairs")["text"].lower().split()


def test_metrics_are_judged_although_the_goal_is_undecided():
    """Log loss is infinite for one of them; accuracy is not, and one is better."""
    truth = np.array([0, 1] * 20)
    sure, mild = truth.astype(float), np.full(40, 0.4)
    sure[:2] = 1, 0
    verdict = compare(
        Predictions.from_arrays(truth, {"sure": sure, "mild": mild}), "log_loss(clip=0)", metrics=["accuracy"]
    )
    assert verdict.outcome == "undecided"
    (other,) = verdict.other_goals
    assert (other.best, other.wins, other.cost) == ("sure", True, None)
    row = next(row for row in rows_of(Page(verdict.to_html()), "metrics") if "accuracy" in row["Metric"]["text"])
    assert row["Best"]["text"].startswith("sure")


def test_names_stay_as_they_are_in_what_else_to_know():
    verdict = named("éa", "b", margin=0.001)
    shown = Page(verdict.to_html()).one("div", id="verdict")["text"]
    assert "éa is better than b by more than" in shown
    assert "Éa" not in shown


def test_every_metric_of_twenty_models_is_there_on_request():
    names = [f"model_number_{i:02d}" for i in range(20)]
    truth, models = scores_of_rows(rows=150, models=names)
    verdict = compare(Predictions.from_arrays(truth, models), "roc_auc", metrics=["roc_auc", "brier", "accuracy"])
    read = Page(verdict.to_html())
    assert set(names) <= set(rows_of(read, "metrics-of-all-models")[0])
    narrow = [svg["text"] for svg in read.all("svg") if svg.get("class") == "narrow"]
    assert "may be best" in narrow[1] and "no difference" in narrow[0]
    lines = [text["text"] for text in read.all("text") if "model_number" in text["text"]]
    assert lines and max(map(len, lines)) <= 42


def test_where_the_best_has_no_column_its_value_is_told():
    names = [f"m{i:02d}" for i in range(25)]
    truth, models = scores_of_rows(rows=150, models=names)
    models["m24"] = np.full(150, truth.mean())
    verdict = compare(Predictions.from_arrays(truth, models), "roc_auc", metrics=["roc_auc", "calibration_error"])
    read = Page(verdict.to_html())
    row = next(row for row in rows_of(read, "metrics") if "calibration_error" in row["Metric"]["text"])
    assert row["Best"]["text"].startswith("m240.0000")
    assert "best" in row["Best"]["class"]
    beaten = sum(found.winner == verdict.best for found in verdict.comparisons)
    assert f"significantly better than {beaten}" in read.one("section", id="pairs")["text"]


def test_the_same_minus_everywhere():
    assert "−" not in Page(binary().to_html()).one("main")["text"]


@pytest.mark.parametrize("goal", ["accuracy", "log_loss", "f1", "average_precision"])
def test_the_verdict_under_another_goal_is_that_of_compare(goal):
    truth, models = scores_of_rows()
    predictions = Predictions.from_arrays(truth, models)
    first, asked = compare(predictions, "roc_auc"), compare(predictions, goal, metrics="goal")
    under = first.under(goal)
    assert (under.sentence, under.outcome, under.winners) == (asked.sentence, asked.outcome, asked.winners)
    assert [pair.to_dict() for pair in under.comparisons] == [pair.to_dict() for pair in asked.comparisons]


def test_the_verdict_of_folds_under_another_goal_is_that_of_select(selected):
    """The same models on the same splits, asked for the other goal."""
    generator = np.random.default_rng(4)
    x = generator.normal(size=(150, 4))
    y = (x[:, 0] + x[:, 1] * x[:, 2] + generator.normal(size=150) * 0.6 > 0).astype(int)
    models = {"tree": DecisionTreeClassifier(random_state=0), "nb": GaussianNB(), "linear": LogisticRegression()}
    asked = select(models, x, y, goal="brier", scheme="stratified_k_fold(k=5, repeats=2)")
    assert selected.under("brier").sentence == asked.sentence


def test_a_headline_of_many_models_is_short():
    truth, models = scores_of_rows(rows=150, models=[f"model_number_{i:02d}" for i in range(20)])
    verdict = compare(Predictions.from_arrays(truth, models), "roc_auc", metrics="goal")
    headline = Page(verdict.to_html()).one("h1")["text"]
    left = len(verdict.winners)
    assert verdict.outcome == "tie" and headline.startswith(
        f"No winner on roc_auc: {left} of 20 models may be the best"
    )
    assert len(headline) < 120

"""The data in the page's sections: what is drawn and listed is what the rows say."""

from __future__ import annotations

import re
from itertools import pairwise
from math import inf

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve
from sklearn.naive_bayes import GaussianNB

from referee.calibration.diagnosis import diagnose
from referee.comparing import compare
from referee.fitting import select
from referee.page.sections.curves import fewest_digits, plain_counts
from referee.page.verdict_page import scores_page
from referee.predictions import Predictions
from referee.scoring import QUANTILES, evaluate, residual_summary, tenths
from tests.pages_to_read import Page, multiclass, regression, scores_of_rows, sliced


def cells(page, name):
    """The exact values of a table by its heads, row by row."""
    return [dict(row) for row in _rows(page, page.one("table", **{"data-name": name}))]


def _rows(page, table):
    inside = page.elements[page.elements.index(table) :]
    heads, row = [], []
    for element in inside[1:]:
        if element["tag"] == "table":
            break
        if element["tag"] == "th" and element.get("scope") == "col":
            heads.append(element["text"])
        elif element["tag"] in ("td", "th"):
            row.append(element.get("data-value") or element["text"])
            if len(row) == len(heads):
                yield zip(heads, row, strict=True)
                row = []


@pytest.fixture(scope="module")
def weighted():
    """Numbers of which the lowest third counts nothing."""
    generator = np.random.default_rng(5)
    truth = generator.normal(10, 4, 240)
    weight = np.where(truth < np.quantile(truth, 1 / 3), 0.0, generator.random(240) * 3)
    return truth, truth + generator.normal(0.5, 2, 240), weight


class TestResiduals:
    def test_their_summary_is_weighted(self, weighted):
        truth, said, weight = weighted
        found = residual_summary(truth, said, weight)
        assert found.mean == pytest.approx(np.average(truth - said, weights=weight))
        assert found.absolute == pytest.approx(np.average(abs(truth - said), weights=weight))
        expected = np.quantile(truth - said, QUANTILES, weights=weight, method="inverted_cdf")
        assert found.quantiles == pytest.approx(expected)

    def test_a_weight_of_two_is_the_row_twice(self, weighted):
        truth, said, _ = weighted
        twice = np.repeat(np.arange(240), np.arange(240) % 3)
        found = residual_summary(truth, said, np.arange(240) % 3)
        assert found.mean == pytest.approx((truth - said)[twice].mean())
        assert found.quantiles == pytest.approx(
            np.quantile((truth - said)[twice], QUANTILES, method="inverted_cdf").tolist()
        )

    def test_tenths_have_a_tenth_of_the_weight(self, weighted):
        truth, _, weight = weighted
        groups = [*tenths(truth, weight)]
        shares = [weight[rows].sum() / weight.sum() for rows in groups]
        assert len(groups) == 10
        assert shares == pytest.approx([0.1] * 10, abs=weight.max() / weight.sum())
        assert all(truth[a].max() <= truth[b].min() for a, b in pairwise(groups))

    def test_tenths_without_weight_are_not_there(self):
        weight = np.array([0.0, 0.0, 1.0, 0.0])
        assert [rows.tolist() for rows in tenths(np.arange(4.0), weight)] == [[2]]

    def test_rows_without_weight_have_no_part_in_the_page(self, weighted):
        truth, said, weight = weighted
        made = compare(
            Predictions.from_arrays(truth, {"m": said, "n": said + 1}, task="regression", weight=weight), "rmse"
        )
        text = made.to_html()
        page = Page(text)
        shown = page.one("section", id="residuals")
        assert "nan" not in shown["text"].lower()
        (row, _) = [one for one in cells(page, "residuals") if one["Model"] in "mn"]
        expected = np.quantile(truth - said, QUANTILES, weights=weight, method="inverted_cdf")
        assert float(row["Mean"]) == pytest.approx(np.average(truth - said, weights=weight))
        assert [float(row[f"{100 * q:g}%"]) for q in QUANTILES] == pytest.approx(expected.tolist())
        errors = cells(page, "error-by-tenth")
        assert sum(int(one["Rows"]) for one in errors) == (weight > 0).sum()
        inside = (truth >= float(errors[3]["Truth from"])) & (truth <= float(errors[3]["to"]))
        error = np.average(abs(truth - said)[inside], weights=weight[inside])
        assert float(errors[3]["m"]) == pytest.approx(error)

    def test_behind_the_clouds_are_their_numbers(self):
        made = regression()
        found = cells(Page(made.to_html()), "by-prediction-1")
        said = np.asarray(made.predictions.model(made.best).values)
        order = np.argsort(said)[:25]
        assert int(found[0]["Rows"]) == 25
        assert float(found[0]["Predicted, mean"]) == pytest.approx(said[order].mean())
        assert float(found[0]["Actual, mean"]) == pytest.approx(made.predictions.truth[order].mean())


def drawn(page, name, model):
    """The points of a drawn curve, on its axes."""
    figure = page.one("figure", **{"data-name": name})
    inside = page.elements[page.elements.index(figure) :]
    chart = next(one for one in inside if "data-plot" in one)
    line = next(one for one in inside if one["tag"] == "path" and f"model-{model}" in one["class"].split())
    x0, x1, y0, y1 = map(float, chart["data-plot"].split())
    return (followed(line["d"]) - [x0, y0]) / [x1 - x0, y1 - y0]


def followed(path):
    """Where a path of M, l, h and v leads."""
    points = []
    for kind, numbers in re.findall(r"([Mlhv])([^Mlhv]*)", path):
        values = [float(one) for one in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", numbers)]
        dx, dy = {"h": (values[0], 0), "v": (0, values[0])}.get(kind, values)
        points.append((dx, dy) if kind == "M" else (points[-1][0] + dx, points[-1][1] + dy))
    return np.array(points)


def farthest(points, line):
    """The largest distance of a point from a line through others."""
    a, way = line[:-1], np.diff(line, axis=0)
    length = np.maximum((way**2).sum(axis=1), 1e-300)
    away = points[:, None] - a
    share = np.clip((away * way).sum(axis=2) / length, 0, 1)
    return np.sqrt(((away - share[..., None] * way) ** 2).sum(axis=2).min(axis=1)).max()


def steps(recall, precision):
    """Average precision's own picture: to each point at its height."""
    recall, precision = recall[:-1][::-1], precision[:-1][::-1]
    return np.stack([np.concatenate([[0], np.repeat(recall, 2)[:-1]]), np.repeat(precision, 2)], axis=1)


def classes_and_scores(classes=10, models=4, rows=1500):
    generator = np.random.default_rng(1)
    truth = generator.integers(0, classes, rows)
    raw = {
        f"m{place}": np.exp(generator.normal(size=(rows, classes)) + (3 - place / 2) * np.eye(classes)[truth])
        for place in range(models)
    }
    return truth, {name: one / one.sum(axis=1, keepdims=True) for name, one in raw.items()}


class TestCurves:
    def test_of_several_classes_they_are_as_exact_as_can_be_seen(self):
        truth, models = classes_and_scores()
        made = compare(Predictions.from_arrays(truth, models, task="multiclass"), "accuracy", metrics=["accuracy"])
        page = Page(made.to_html())
        for place, name in list(enumerate(made.values))[:2]:
            for code in (0, 7):
                suffix = f"-{code + 1}" if code else ""
                check_curves(page, suffix, place, truth == code, models[name][:, code])

    @pytest.mark.parametrize("rows", [300, 900, 30_000])
    def test_of_two_classes_they_are_as_exact_as_can_be_seen(self, rows):
        truth, models = scores_of_rows(rows, ("a", "b"))
        page = Page(scores_page(evaluate(Predictions.from_arrays(truth, models), ["roc_auc"])))
        for place, scores in enumerate(models.values()):
            check_curves(page, "", place, truth == 1, scores)

    def test_weights_are_kept_to_the_last_digit_that_can_be_seen(self):
        truth, models = scores_of_rows(700)
        weight = np.random.default_rng(2).random(700) * 3
        made = compare(Predictions.from_arrays(truth, models, weight=weight), "roc_auc", metrics=["brier"])
        found = Page(made.to_html()).data["curves"][0]
        for series in found["models"]:
            score = models[series["name"]]
            for threshold, tp, fp in zip(series["t"], series["tp"], series["fp"], strict=True):
                fn = weight[(score < threshold) & (truth == 1)].sum()
                tn = weight[(score < threshold) & (truth == 0)].sum()
                assert found["positives"] - tp == pytest.approx(fn, abs=1e-7)
                assert found["negatives"] - fp == pytest.approx(tn, abs=1e-7)

    def test_whole_counts_stay_whole(self):
        assert plain_counts(np.array([3.0, 28.155123456789])) == [3, 28.1551234568]


def check_curves(page, suffix, place, truth, scores):
    fpr, tpr, _ = roc_curve(truth, scores, drop_intermediate=False)
    precision, recall, _ = precision_recall_curve(truth, scores)
    area, average = roc_auc_score(truth, scores), average_precision_score(truth, scores)
    exact = {"roc": (np.stack([fpr, tpr], axis=1), area), "precision-recall": (steps(recall, precision), average)}
    for name, (points, enclosed) in exact.items():
        line = drawn(page, name + suffix, place)
        some = points[:: max(1, len(points) // 2000)]
        assert farthest(some, line) < 0.002
        assert farthest(line, points) < 0.002 if len(points) < 5000 else True
        assert np.trapezoid(line[:, 1], line[:, 0]) == pytest.approx(enclosed, abs=1e-3)


class TestThresholds:
    @pytest.mark.parametrize(
        "stretch",
        [lambda p: 1 - 1e-6 * (1 - p), lambda p: 1e12 + 100 * p, lambda p: p, lambda p: 1e-9 * p],
        ids=["near 1", "near 1e12", "probabilities", "tiny"],
    )
    def test_as_many_places_as_there_are_scores_and_each_does_what_it_says(self, stretch):
        truth, models = scores_of_rows(300)
        scores = {name: stretch(p) for name, p in models.items()}
        page = Page(compare(Predictions.from_arrays(truth, scores), "roc_auc", metrics=["accuracy"]).to_html())
        for series in page.data["curves"][0]["models"]:
            own = scores[series["name"]]
            called = [int((own >= threshold).sum()) for threshold in series["t"]]
            assert len(set(called)) > 100
            assert called == [tp + fp for tp, fp in zip(series["tp"], series["fp"], strict=True)]
        for row in cells(page, "best-f1"):
            own = scores[row["Model"]]
            shown = float(next(one for one in texts(page, "best-f1", row["Model"])))
            assert (own >= shown).tolist() == (own >= float(row["Threshold"])).tolist()
            assert 0 < (own >= shown).sum() < 300

    @pytest.mark.parametrize(
        ("value", "below", "expected"),
        [(0.123456, 0.1, 0.1234), (0.123456, 0.12345, 0.123456), (7.0, -inf, 7.0), (-0.5, -0.51, -0.5),
         (-1234.5678, -1234.9, -1234.6), (0.3, np.nextafter(0.3, 0), 0.3)],
    )  # fmt: skip
    def test_fewest_digits(self, value, below, expected):
        assert fewest_digits(value, below) == expected

    def test_the_given_threshold_has_all_its_digits(self):
        truth, models = scores_of_rows(100)
        predictions = Predictions.from_arrays(truth, models, threshold=0.99999999)
        shown = Page(scores_page(evaluate(predictions, ["roc_auc"]))).one("main")["text"]
        assert "At threshold 0.99999999" in shown
        assert "Back to 0.99999999" in shown

    def test_why_no_threshold_was_chosen_is_said(self):
        truth = np.array([1] + [0] * 60)
        scores = np.random.default_rng(0).random(61)
        page = Page(scores_page(evaluate(Predictions.from_arrays(truth, {"m": scores}), ["roc_auc"])))
        assert "No threshold was chosen: a class is too rare" in page.one("section", id="threshold")["text"]
        assert "Not recalibrated: " in page.one("section", id="calibration")["text"]


def texts(page, name, model):
    table = page.one("table", **{"data-name": name})
    inside = page.elements[page.elements.index(table) :]
    start = next(place for place, one in enumerate(inside) if one["tag"] == "th" and one["text"] == model)
    return [one["text"] for one in inside[start + 1 :] if one["tag"] == "td"]


def fitted(scheme, goal="accuracy", **options):
    generator = np.random.default_rng(0)
    features = generator.normal(size=(120, 2))
    target = features[:, 0] + generator.normal(size=120) > 0.3
    models = {"line": LogisticRegression(), "bayes": GaussianNB()}
    return select(models, features, target, goal=goal, scheme=scheme, **options), target


class TestDesign:
    @pytest.mark.parametrize("scheme", ["k_fold(k=4, repeats=3)", "random_subsampling(splits=12)"])
    def test_classes_have_each_row_once(self, scheme):
        made, target = fitted(scheme)
        found = {row["Class"].split()[0]: int(row["Rows"]) for row in cells(Page(made.to_html()), "classes")}
        tested = np.unique([int(name) - 1 for name in made.predictions.example.names])
        assert sum(found.values()) == len(tested)
        assert sorted(found.values()) == sorted([int(target[tested].sum()), int((~target[tested]).sum())])

    def test_random_splits_are_called_splits_and_drawn_where_their_rows_are(self):
        made, _ = fitted("random_subsampling(splits=6)")
        text = made.to_html()
        page = Page(text)
        shown = page.one("main")["text"]
        assert "split 6" in shown and "means over the splits" in shown
        assert "repeat 1" not in shown and "folds" not in page.one("section", id="design")["text"]
        figure = page.one("figure", **{"data-name": "splits"})
        inside = page.elements[page.elements.index(figure) :]
        bars = [one["d"] for one in inside if one["tag"] == "path" and "test" in one.get("class", "").split()]
        assert len(set(bars)) == len(bars)

    def test_folds_are_drawn_as_stairs(self):
        made, _ = fitted("k_fold(k=4)")
        page = Page(made.to_html())
        figure = page.one("figure", **{"data-name": "splits"})
        inside = page.elements[page.elements.index(figure) :]
        bars = [one["d"] for one in inside if one["tag"] == "path" and "test" in one.get("class", "").split()]
        starts = [float(re.match(r"M([\d.]+)", bar)[1]) for bar in bars]
        assert starts == pytest.approx([120 + 137.5 * step for step in range(4)], abs=0.06)
        assert "fold 4" in figure["text"] and "test rows orange" in figure["text"]

    @pytest.mark.parametrize(("goal", "word"), [("log_loss", "still falls"), ("accuracy", "still climbs")])
    def test_learning_curves_are_read_by_what_is_better(self, goal, word):
        made, _ = fitted("k_fold(k=3)", goal, learning_curve="0.5")
        assert word in Page(made.to_html()).one("section", id="learning")["text"]

    def test_a_training_value_of_a_sample_says_so(self):
        generator = np.random.default_rng(0)
        features = generator.normal(size=(2600, 1))
        target = features[:, 0] + generator.normal(size=2600) > 0
        models = {"a": LogisticRegression(), "b": GaussianNB()}
        made = select(models, features, target, goal="accuracy", scheme="k_fold(k=10)")
        assert "on 1,000 of the 2,340 training rows" in Page(made.to_html()).one("section", id="tradeoffs")["text"]


class TestManyModels:
    def test_sections_that_leave_models_out_say_so(self):
        truth, models = scores_of_rows(120, [f"m{number}" for number in range(10)])
        page = Page(compare(Predictions.from_arrays(truth, models), "accuracy", metrics=["brier"]).to_html())
        for section in ("threshold", "calibration"):
            assert "The best 8 of 10 models are shown here." in page.one("section", id=section)["text"]

    def test_sections_of_several_classes_too(self):
        truth, models = classes_and_scores(3, 9, 150)
        page = Page(compare(Predictions.from_arrays(truth, models, task="multiclass"), "accuracy").to_html())
        for section in ("confusion", "classes"):
            assert "The best 8 of 9 models are shown here." in page.one("section", id=section)["text"]

    def test_eight_models_leave_nobody_out(self):
        assert "models are shown here" not in Page(multiclass().to_html()).one("main")["text"]


class TestOthers:
    def test_points_of_reliability_diagrams_have_six_digits(self):
        truth, models = scores_of_rows()
        page = Page(scores_page(evaluate(Predictions.from_arrays(truth, {"m": models["good"]}))))
        said = [float(row["Forecast"]) for row in cells(page, "reliability-1") if row["Diagram"] == "As delivered"]
        rows = [int(float(row["Rows"])) for row in cells(page, "reliability-1") if row["Diagram"] == "As delivered"]
        ends = np.cumsum([0, *rows])
        means = [np.sort(models["good"])[a:b].mean() for a, b in pairwise(ends)]
        assert said == pytest.approx(means, rel=5e-6)

    def test_the_reach_of_intercept_and_slope_is_that_of_alpha(self):
        truth, models = scores_of_rows()
        predictions = Predictions.from_arrays(truth, {"m": models["fair"]})
        (wide,) = diagnose(predictions, "m")
        (narrow,) = diagnose(predictions, "m", alpha=0.32)
        assert wide.intercept_reach == pytest.approx(norm.ppf(0.975) * wide.recalibration.intercept_error)
        assert narrow.slope_reach == pytest.approx(norm.ppf(0.84) * narrow.recalibration.slope_error)

    def test_a_star_is_explained_where_there_is_one(self):
        shown = Page(sliced().to_html()).one("section", id="slices")["text"]
        assert ("* differs" in shown) == (" *" in shown.replace("* differs", ""))
        assert "No model differs between a slice and the other rows at 5%" in shown
        assert ("its p is vs" in shown) == ("vs good" in shown)

    def test_many_classes_are_set_smaller(self):
        truth, models = classes_and_scores(15, 2, 300)
        page = Page(compare(Predictions.from_arrays(truth, models, task="multiclass"), "accuracy").to_html())
        assert "dense" in page.one("table", **{"data-name": "confusion-1"})["class"]

"""Interval forecasts: scikit-learn's pinball loss, NumPy, the jackknife, and intervals that are none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

import referee
from referee import metrics
from referee.errors import RefereeError


@pytest.fixture(params=range(3))
def forecasts(request):
    """Truth, and the ends of intervals of 80% that are too narrow, about right and too wide."""
    draw = np.random.default_rng(request.param)
    centre = draw.normal(5, 20, 200)
    truth = centre + draw.standard_t(4, 200)
    reach = {"narrow": 0.5, "right": 1.533, "wide": 4.0}
    return truth, {name: {"lower": centre - half, "upper": centre + 1.2 * half} for name, half in reach.items()}


def scored(forecasts, **said):
    truth, models = forecasts
    return referee.evaluate(
        truth, models, interval=0.8, metrics=["interval_score", "coverage", "interval_width"], **said
    )


def test_the_score_is_two_pinball_losses(forecasts):
    truth, models = forecasts
    for name, ends in models.items():
        losses = [sk.mean_pinball_loss(truth, ends[end], alpha=a) for end, a in (("lower", 0.1), ("upper", 0.9))]
        assert scored(forecasts)[name, "interval_score"].value == pytest.approx(sum(losses) / 0.1, rel=1e-12)


def test_coverage_and_width(forecasts):
    truth, models = forecasts
    scores = scored(forecasts)
    for name, ends in models.items():
        inside = (truth >= ends["lower"]) & (truth <= ends["upper"])
        width = ends["upper"] - ends["lower"]
        assert scores[name, "interval_coverage"].value == pytest.approx(inside.mean(), rel=1e-12)
        assert scores[name, "interval_coverage"].standard_error == pytest.approx(stats.sem(inside), rel=1e-9)
        assert scores[name, "interval_width"].value == pytest.approx(width.mean(), rel=1e-12)


def test_the_paired_comparison_is_scipys(forecasts):
    truth, models = forecasts

    def each(ends):
        below, above = np.maximum(ends["lower"] - truth, 0), np.maximum(truth - ends["upper"], 0)
        return ends["upper"] - ends["lower"] + (below + above) / 0.1

    chosen = {name: models[name] for name in ("narrow", "right")}
    (found,) = referee.compare(truth, chosen, interval=0.8, goal="interval_score").comparisons
    expected = stats.ttest_rel(each(chosen[found.a]), each(chosen[found.b]))
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)


def test_intervals_that_hold_too_much_or_too_little_are_named(forecasts):
    said = {notice.message.split("'")[1]: notice.message for notice in scored(forecasts).notices}
    assert said["narrow"].endswith("should hold 0.8: they are too narrow")
    assert said["wide"].endswith("they are too wide")
    assert "right" not in said


def test_levels_choose_the_ends():
    truth = np.array([0.0, 1.0, 5.0])
    quantiles = {0.05: truth - 8, 0.25: truth - 1, 0.5: truth, 0.75: truth + 1, 0.95: truth + 8}
    assert metrics["interval_width"](truth, quantiles) == 16
    assert metrics["interval_width"](truth, quantiles, level=0.5) == 2
    assert metrics["coverage"](truth, {"lower": truth, "upper": truth + 1}, interval=0.5) == 1


def table(**changed):
    columns = {"y": [1.5, 2.5, 3.5, 4.5], "a_lower": [1.0] * 4, "a_upper": [4.0] * 4}
    return columns | {"b_lower": [0.0] * 4, "b_upper": [9.0] * 4} | changed


def of_table(columns, **said):
    models = {"a": "a_{bound}", "b": "b_{bound}"}
    return referee.compare(columns, truth="y", **{"models": models, "interval": 0.9, "goal": "interval_score", **said})


def test_columns_by_pattern():
    scores = of_table(table()).scores
    assert scores["a", "interval_score"].value == pytest.approx(3 + 20 * 0.5 / 4)
    assert scores["b", "interval_score"].value == 9


@pytest.mark.parametrize(
    ("columns", "said", "code", "words"),
    [
        (table(a_lower=[1.0, 1.0, 7.0, 8.0]), {}, "E_INTERVAL", "row 3: the lower end 7 (column 'a_lower') lies above"),
        (table(a_lower=[1.0, None, 1.0, 1.0]), {}, "E_MISSING", "column 'a_lower', row 2"),
        (table(), {"interval": None}, "E_INTERVAL", "what share of the truths should the interval contain?"),
        (table(), {"interval": 90}, "E_INTERVAL", "must lie between 0 and 1"),
        (table(), {"goal": "interval_score(level=0.5)"}, "E_NOSCORE", "needs the quantiles 0.25 and 0.75"),
        (table(), {"models": ["a_lower", "a_upper"]}, "E_NOSCORE", "interval_score needs quantiles"),
        (table(), {"models": {"a": "a_{bound}", "c": "c_{bound}"}}, "E_NOCOL", "'c_{bound}' of model 'c'"),
    ],
)
def test_bad_intervals(columns, said, code, words):
    with pytest.raises(RefereeError) as caught:
        of_table(columns, **said)
    assert caught.value.code == code
    assert words in caught.value.message

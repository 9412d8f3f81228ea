"""Plans against statsmodels, SciPy and exact binomial moments; and what cannot be planned."""

from __future__ import annotations

import json
from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from scipy import stats

import referee
from referee import Predictions, RefereeError, plan
from referee.advice.plan_basis import Guess
from referee.comparing import Precision, compare
from referee.scoring import t_power
from tests.conftest import REFERENCE

VALUES = json.loads((REFERENCE / "statsmodels_power.json").read_text())
SIDES = {"two-sided": 2, "larger": 1}


def paired(rows):
    """Differences with a standard deviation of 1, as a t-test of so many rows sees them."""
    return Precision(rows, 1 / rows, rows - 1)


class TestAgainstStatsmodels:
    @pytest.mark.parametrize(("effect", "alpha", "power", "side", "rows"), VALUES["sizes"])
    def test_rows(self, effect, alpha, power, side, rows):
        assert paired(40).units_for(effect, power, alpha, SIDES[side]) == ceil(rows)

    @pytest.mark.parametrize(("effect", "rows", "power"), VALUES["powers"])
    def test_power(self, effect, rows, power):
        assert paired(40).power(rows, effect, 0.05, sides=1) == pytest.approx(power, abs=1e-9)

    @pytest.mark.parametrize(("rows", "effect"), VALUES["smallest"])
    def test_smallest_difference(self, rows, effect):
        # statsmodels also counts winners with the wrong sign, of which there are next to none at 80% power.
        assert paired(40).smallest_difference(rows, 0.8, 0.05) == pytest.approx(effect, rel=1e-5)

    def test_a_pilot_of_data_sets_is_the_t_test_with_what_ranks_are_worth(self):
        draw = np.random.default_rng(1)
        a, b = draw.normal(0.8, 0.03, 12), draw.normal(0.79, 0.03, 12)
        found = plan({"set": list(range(12)), "a": a, "b": b}, task="scores", dataset="set", margin=0.02)
        effect = 0.02 / ((a - b).std(ddof=1) * (np.pi / 3) ** 0.5)
        powers = [
            stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, effect * n**0.5) for n in (found.units - 1, found.units)
        ]
        assert powers[0] < 0.8 <= powers[1]
        assert found.unit == "data set"


@pytest.mark.parametrize("df", [2, 9, 51.5, 3000])
@pytest.mark.parametrize("shift", [0.0, 1.0, 2.8, 6.0])
def test_the_noncentral_t_is_scipys(df, shift):
    for critical in (1.3, 2.0, 4.3):
        expected = stats.nct.sf(critical, df, shift) if shift else stats.t.sf(critical, df)
        assert t_power(df, shift, critical) == pytest.approx(expected, abs=1e-10)


class TestGuesses:
    def test_shares_have_the_binomial_variance(self):
        """0.85 and 0.87 with covariance 0.6 sqrt(0.85 0.15 0.87 0.13), by hand."""
        p, q = 0.85, 0.87
        variance = p * (1 - p) + q * (1 - q) - 2 * 0.6 * (p * (1 - p) * q * (1 - q)) ** 0.5
        found = plan(goal="accuracy", margin=0.02, value=p, correlation=0.6)
        precision = found.basis.precision
        assert precision.standard_error(1000) ** 2 == pytest.approx(variance / 1000, rel=1e-12)
        normal = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) ** 2 * variance / 0.02**2
        assert normal < found.rows < 1.01 * normal

    def test_degrees_of_freedom_are_those_of_the_three_outcomes(self):
        """Right and wrong with exact fractions: both right 3/4, one alone 1/8 each: mean 0, kurtosis 4."""
        chance, both = Fraction(7, 8), Fraction(3, 4)
        correlation = (both - chance**2) / (chance * (1 - chance))
        basis = Guess(referee.metrics["accuracy"], 7 / 8, 7 / 8, float(correlation)).basis()
        rows = basis.precision.units
        assert basis.precision.df == pytest.approx(2 * rows / (4 - 1))

    def test_recall_counts_positive_rows_only(self):
        few, all_rows = (
            plan(goal=goal, margin=0.05, value=0.8, correlation=0.5, prevalence=0.1).rows
            for goal in ("recall", "accuracy")
        )
        assert few == pytest.approx(10 * all_rows, rel=0.02)

    def test_areas_have_hanley_and_mcneils_variance(self):
        """Of one area of 0.893 with 58 and 51 rows: 0.032 is their table's standard error for this case."""
        area, positives, negatives = 0.893, 51, 58
        twice_above, twice_below = area / (2 - area), 2 * area**2 / (1 + area)
        exact = (
            area * (1 - area) + (positives - 1) * (twice_above - area**2) + (negatives - 1) * (twice_below - area**2)
        )
        share = positives / (positives + negatives)
        basis = Guess(referee.metrics["roc_auc"], area, area, 0.5, share).basis()
        # With correlation 0.5 the difference has the variance of one area.
        error = basis.precision.standard_error(positives + negatives)
        assert error == pytest.approx((exact / (positives * negatives)) ** 0.5, rel=0.02)
        assert error == pytest.approx(0.032, abs=0.001)

    def test_means_between_0_and_1_are_bounded_by_those_of_0_and_1(self):
        found = plan(goal="mean", margin=0.02, value=0.6, correlation=0.5)
        assert found.basis.at_most
        assert found.sentence.startswith("At most ")
        draw = np.random.default_rng(0).beta(3, 2, (10_000, 1))  # mean 0.6, and less spread than right and wrong
        assert draw.var() < 0.6 * 0.4
        assert found.rows == pytest.approx(
            plan(goal="accuracy", margin=0.02, value=0.6, correlation=0.5).rows, rel=0.01
        )

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"goal": "log_loss", "value": 0.3, "correlation": 0.5}, "does not follow from its value"),
            ({"goal": "f1", "value": 0.8, "correlation": 0.5}, "does not follow from its value"),
            ({"goal": "accuracy", "value": 0.8}, "correlation=R is missing"),
            ({"goal": "accuracy", "correlation": 0.5}, "value=V is missing"),
            ({"goal": "accuracy", "value": 0.99, "correlation": 0.5}, "no accuracy is 1.01"),
            ({"goal": "accuracy", "value": 0.9, "correlation": 0.99}, "cannot have correlation 0.99"),
            ({"goal": "accuracy", "value": 0.9, "correlation": 1}, "between -1 and 1"),
            ({"goal": "recall", "value": 0.9, "correlation": 0.5}, "depends on how many rows are positive"),
            ({"goal": "roc_auc", "value": 0.9, "correlation": 0.5, "prevalence": 2}, "between 0 and 1"),
            ({"goal": "accuracy", "value": 0.8, "correlation": 0.5, "margin": 0}, "positive number"),
            ({"goal": "accuracy", "value": 0.8, "correlation": 0.5, "margin": 2}, "lets everything pass"),
            ({"goal": "accuracy", "value": 0.8, "correlation": 0.5, "margin": None}, "plan what"),
            ({"goal": "accuracy", "value": 0.8, "correlation": 0.5, "rows": 1}, "of at least 2"),
            ({"goal": "accuracy", "value": 0.8, "correlation": 0.5, "power": 0.01}, "between alpha"),
            ({"goal": "accuracy", "value": 0.8, "correlation": 0.5, "claim": "equal"}, "'better' and 'not_worse'"),
        ],
    )
    def test_what_cannot_be_planned(self, given, said):
        with pytest.raises(RefereeError, match=said) as error:
            plan(**{"margin": 0.02} | given)
        assert error.value.exit == 2


@pytest.fixture(scope="module")
def predictions():
    draw = np.random.default_rng(3)
    truth = (draw.random(400) < 0.3).astype(int)
    scores = {
        name: 1 / (1 + np.exp(-(lead * (truth - 0.5) + draw.normal(0, 1, 400))))
        for name, lead in (("a", 2), ("b", 1.5))
    }
    return Predictions.from_arrays(truth, scores, group=np.arange(400) // 4)


@pytest.fixture(scope="module")
def ungrouped(predictions):
    return Predictions.from_arrays(predictions.truth, {model.name: model.scores for model in predictions.models})


class TestPilots:
    @pytest.mark.parametrize("goal", ["accuracy", "roc_auc", "log_loss", "f1", "average_precision", "mcc"])
    def test_every_metric_is_planned_as_compare_says_it(self, ungrouped, goal):
        found, verdict = (
            plan(ungrouped, goal=goal, margin=0.03),
            compare(ungrouped, goal=goal, delta=0.03, metrics="goal"),
        )
        assert found.rows == verdict.rows_to_separate
        (pair,) = verdict.comparisons
        assert found.basis.precision.standard_error(400) == pytest.approx(pair.standard_error)
        assert found.low < found.rows < found.high

    def test_the_interval_of_the_rows_is_that_of_the_variance(self, ungrouped):
        """An estimated variance is distributed as chi-squared: SciPy's quantiles."""
        found = plan(ungrouped, goal="log_loss", margin=0.03)
        df = found.basis.precision.df
        times = [df / stats.chi2.ppf(share, df) for share in (0.975, 0.025)]
        assert [found.low / found.rows, found.high / found.rows] == pytest.approx(times, rel=0.01)

    def test_groups_are_what_is_counted(self, predictions):
        found = plan(predictions, goal="accuracy", margin=0.03)
        assert (found.unit, found.rows) == ("group", 4 * found.units)
        assert "groups (" in found.sentence

    def test_rows_the_other_way_round(self, ungrouped):
        smallest = plan(ungrouped, goal="roc_auc", rows=1500).smallest_difference
        assert plan(ungrouped, goal="roc_auc", margin=smallest).rows == pytest.approx(1500, abs=1)
        both = plan(ungrouped, goal="roc_auc", rows=1500, margin=smallest)
        assert both.power_of_given == pytest.approx(0.8, abs=1e-6)

    def test_the_gate_is_planned_one_sided(self, ungrouped):
        found = plan(ungrouped, goal="accuracy", margin=0.03, claim="not_worse")
        error = found.basis.precision.standard_error(found.rows)
        df = found.basis.precision.degrees_of_freedom(found.rows)
        assert stats.nct.sf(stats.t.ppf(0.95, df), df, 0.03 / error) == pytest.approx(0.8, abs=1e-3)
        assert "not worse by 0.03" in found.sentence

    def test_repeats_cannot_make_up_for_overlapping_training_sets(self):
        draw = np.random.default_rng(0)
        folds = {"fold": [*range(1, 11)] * 2, "repeat": [1] * 10 + [2] * 10}
        table = folds | {"a": draw.normal(0.8, 0.02, 20), "b": draw.normal(0.79, 0.02, 20)}
        said = {"task": "scores", "fold": "fold", "repeat": "repeat", "test_fraction": 0.1}
        spread = float(np.std(table["a"] - table["b"], ddof=1))
        found = plan(table, margin=0.001, **said)
        assert found.units is None and "overlap" in found.sentence
        # s sqrt(1.5/9) is left of the error, however often the folds are drawn; 10 folds have 9 df.
        floor = stats.nct.sf(stats.t.ppf(0.975, 9), 9, found.smallest_difference / (spread * (1.5 / 9) ** 0.5))
        assert floor == pytest.approx(0.8, abs=1e-6)
        wide = plan(table, margin=0.04, **said)
        assert wide.unit == "repeat" and wide.units >= 1

    def test_one_model_needs_the_correlation(self, ungrouped):
        alone = Predictions.from_arrays(ungrouped.truth, {"a": ungrouped.models[0].scores})
        with pytest.raises(RefereeError, match="a difference needs two"):
            plan(alone, goal="accuracy", margin=0.02)
        half = plan(alone, goal="accuracy", margin=0.02, correlation=0.5)
        right = np.mean((ungrouped.models[0].scores >= 0.5) == ungrouped.truth)
        assert half.basis.precision.standard_error(400) ** 2 == pytest.approx(right * (1 - right) / 399)

    def test_models_that_never_differ_say_nothing(self, ungrouped):
        same = Predictions.from_arrays(ungrouped.truth, dict.fromkeys("ab", ungrouped.models[0].scores))
        with pytest.raises(RefereeError, match="does not show how many") as error:
            plan(same, goal="accuracy", margin=0.02)
        assert error.value.exit == 4

    def test_few_rows_of_the_rarer_class_are_pointed_out(self, ungrouped):
        found = plan(ungrouped, goal="roc_auc", rows=40)
        assert [notice.code for notice in found.warnings] == ["W_FEWROWS"]
        share = ungrouped.truth.mean()
        assert f"take at least {ceil(20 / share)}" in found.warnings[0].message

    @pytest.mark.parametrize("more", [{"value": 0.8}, {"prevalence": 0.5}, {"correlation": 0.5}])
    def test_a_pilot_and_guesses_contradict_each_other(self, ungrouped, more):
        with pytest.raises(RefereeError):
            plan(ungrouped, goal="accuracy", margin=0.02, **more)


class TestCommandLine:
    @pytest.fixture
    def file(self, tmp_path, ungrouped):
        path = tmp_path / "pilot.csv"
        rows = zip(ungrouped.truth, *(model.scores for model in ungrouped.models), strict=True)
        path.write_text(
            "y,a,b\n" + "".join(f"{y},{a!r},{b!r}\n" for y, a, b in rows).replace("np.float64(", "").replace(")", "")
        )
        return path

    def test_it_says_what_python_says(self, referee, file, ungrouped):
        run = referee(
            "plan", "--goal", "accuracy", "--margin", "0.02", "--pilot", file, "--truth", "y", "--power", "0.9"
        )
        found = plan(ungrouped, goal="accuracy", margin=0.02, power=0.9)
        assert run.code == 0
        assert (run.json["rows"], run.json["low"], run.json["curve"]) == (found.rows, found.low, found.records())
        assert run.json["command"] == "plan"

    def test_scores_and_numbers_share_an_option(self, referee, tmp_path):
        path = tmp_path / "folds.csv"
        path.write_text("a,b\n" + "".join(f"{0.8 + k % 3 / 50},{0.79 + k % 4 / 50}\n" for k in range(10)))
        options = ("--pilot", path, "--task", "scores", "--rows", "folds", "--test-fraction", "0.1")
        run = referee("plan", *options, "--rows", "30")
        assert (run.code, run.json["unit"], run.json["given"]) == (0, "repeat", 30)
        assert referee("plan", *options, "--rows", "many").json["error"]["code"] == "E_PLAN"

    def test_every_format_and_the_page(self, referee, file, tmp_path):
        line = ("plan", "--goal", "roc_auc", "--margin", "0.02", "--pilot", file, "--truth", "y")
        texts = {form: referee(*line, form=form).out for form in ("text", "md", "latex", "csv")}
        assert "About " in texts["text"] and "| rows" in texts["md"] and "tabular" in texts["latex"]
        assert texts["csv"].splitlines()[0] == "units,rows,power,smallest_difference,power_low,power_high"
        page = tmp_path / "plan.html"
        assert referee(*line, "--html", page, "--figures", tmp_path / "charts").code == 0
        assert 'data-name="power"' in page.read_text()
        assert (tmp_path / "charts" / "power.svg").read_text().startswith("<svg")

    @pytest.mark.parametrize(
        ("options", "code"),
        [(("--goal", "accuracy"), 2), (("--goal", "acuracy", "--margin", "0.1"), 2), (("--margin", "0.1"), 2)],
    )
    def test_wrong_calls(self, referee, options, code):
        assert referee("plan", *options).code == code


def test_the_result_is_like_the_others(ungrouped):
    found = plan(ungrouped, goal="accuracy", margin=0.02)
    assert repr(found).startswith("Plan: ") and len(repr(found).splitlines()) < 20
    assert found.plot().name == "power"
    assert len(found.to_frame()) == len(found.curve)
    assert [point.power for point in found.curve] == sorted(point.power for point in found.curve)
    assert "goal='accuracy', margin=0.02" in found.call

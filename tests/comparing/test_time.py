"""Rows in the order of time, against cosines written out, SciPy, `scores` and statsmodels."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter

import referee
from referee import Predictions, compare, gate, metrics, tests
from referee.cli.process import run
from referee.comparing import Contender
from referee.errors import RefereeError
from referee.predictions import Instants
from referee.scoring import TimeOrder, in_time_order, ratio_to_independence
from referee.scoring.time_order import cosines, independent_pieces

FOREIGN = json.loads((Path(__file__).parents[1] / "reference" / "time_series_tests.json").read_text())
BY_R = json.loads((Path(__file__).parents[1] / "reference" / "r" / "dm_test.json").read_text())


def autoregression(rho, rows, seed):
    drawn = np.random.default_rng(seed).normal(size=rows + 200) * np.sqrt(1 - rho**2)
    return lfilter([1], [1, -rho], drawn)[200:]


def two_classifiers(rows=400, seed=0, rho=0.8):
    signal = 1.5 * autoregression(rho, rows, seed)
    truth = (signal + np.random.default_rng(seed).logistic(size=rows) > 0).astype(int)
    scores = [1 / (1 + np.exp(-signal - autoregression(rho, rows, seed + place))) for place in (1, 2)]
    return truth, {"a": scores[0], "b": scores[1]}


def two_forecasts(rows=600, seed=0, rho=0.8):
    truth = autoregression(0.9, rows, seed)
    return truth, {name: truth + autoregression(rho, rows, seed + place) for place, name in enumerate("ab", 1)}


class TestCosines:
    @pytest.mark.parametrize("rows", [7, 100, 333])
    def test_they_are_those_of_the_definition(self, rows):
        series = np.random.default_rng(rows).normal(size=rows)
        each, moment = np.arange(1, 6), (np.arange(rows) + 0.5) / rows
        by_definition = np.sqrt(2 / rows) * np.cos(np.pi * np.outer(each, moment)) @ series
        assert cosines(series, 5) == pytest.approx(by_definition * np.sqrt(rows / 5), rel=1e-11, abs=1e-12)

    def test_many_moments_in_bins_keep_the_variance(self):
        series = np.random.default_rng(0).normal(size=400_000)
        each, moment = np.array([1, 50, 1000]), (np.arange(400_000) + 0.5) / 400_000
        exact = np.sqrt(2 / 4000) * np.cos(np.pi * np.outer(each, moment)) @ series
        assert cosines(series, 4000)[each - 1] == pytest.approx(exact, abs=0.02 * np.std(exact) + 0.05)

    @pytest.mark.parametrize("goal", ["accuracy", "f1", "log_loss", "brier", "mcc", "roc_auc", "average_precision"])
    def test_all_of_them_are_the_variance_of_independent_rows(self, goal):
        truth, models = two_classifiers()
        predictions = Predictions.from_arrays(truth, models)
        a, b = (Contender(predictions, model, metrics[goal]) for model in predictions.models)
        sums = in_time_order(predictions, metrics[goal]).sums(a.changes - b.changes)
        assert (cosines(sums, 399) ** 2).sum() == pytest.approx(a.spread_of_difference(b).variance, rel=1e-12)


class TestPieces:
    def test_independent_rows_have_as_many_as_are_allowed(self):
        found = [independent_pieces(np.random.default_rng(seed).normal(size=1000))[0] for seed in range(20)]
        assert np.median(found) >= 30 and max(found) == 39  # 0.4 n^(2/3)

    @pytest.mark.parametrize(("rho", "most"), [(0.9, 25), (0.95, 12), (0.99, 4)])
    def test_an_autoregression_has_no_more_than_show_nine_tenths_of_its_spectrum(self, rho, most):
        """By the spectrum of the true process, (1 - r)^2 / (1 - 2 r cos w + r^2), about so many."""
        angle = np.pi * np.arange(1, 400) / 1000
        shown = np.cumsum((1 - rho) ** 2 / (1 - 2 * rho * np.cos(angle) + rho**2)) / np.arange(1, 400)
        assert most >= 0.6 * np.count_nonzero(shown >= 0.9)
        assert 4 <= np.median([independent_pieces(autoregression(rho, 1000, s))[0] for s in range(20)]) <= most

    def test_the_variance_is_the_long_run_one(self):
        """Of an autoregression (1 + r) / (1 - r) times that of independent rows; a little more, to be safe."""
        order = TimeOrder(Instants(np.arange(2000)))
        found = [order.spread(series - series.mean()) for series in (autoregression(0.5, 2000, s) for s in range(40))]
        assert 2.9 < np.mean([one.variance / one.independent for one in found]) < 3.6

    def test_turning_time_around_changes_nothing(self):
        truth, models = two_forecasts(512)
        forward, back = (compare(truth, models, goal="mse", time=np.arange(512)[::step]) for step in (1, -1))
        assert back.comparisons[0].p == pytest.approx(forward.comparisons[0].p, rel=1e-9)

    def test_the_order_of_the_rows_does_not_matter(self):
        truth, models = two_classifiers()
        shuffled = np.random.default_rng(3).permutation(400)
        as_it_is = compare(truth, models, goal="roc_auc", time=np.arange(400))
        mixed = {name: scores[shuffled] for name, scores in models.items()}
        other = compare(truth[shuffled], mixed, goal="roc_auc", time=shuffled)
        assert other.comparisons[0].p == pytest.approx(as_it_is.comparisons[0].p, rel=1e-9)
        assert as_it_is.design.kind == "time"

    def test_rows_of_one_moment_are_taken_together(self):
        """Twice each row, at the same time, is what the rows themselves are."""
        truth, models = two_forecasts(300)
        once = compare(truth, models, goal="mae", metrics="goal", time=np.arange(300)).comparisons[0]
        twice = compare(
            np.repeat(truth, 2), {name: np.repeat(one, 2) for name, one in models.items()}, goal="mae", metrics="goal",
            time=np.repeat(np.arange(300), 2),
        ).comparisons[0]  # fmt: skip
        assert twice.p == pytest.approx(once.p, rel=1e-9)
        assert twice.details["moments"] == 300

    def test_weights_are_rows(self):
        truth, models = two_forecasts(300)
        weight = np.random.default_rng(0).integers(0, 3, 300)
        options = {"goal": "mse", "metrics": "goal"}
        weighted = compare(truth, models, time=np.arange(300), weight=weight, weight_kind="frequency", **options)
        repeated = {name: np.repeat(one, weight) for name, one in models.items()}
        rows = compare(np.repeat(truth, weight), repeated, time=np.repeat(np.arange(300), weight), **options)
        assert weighted.comparisons[0].p == pytest.approx(rows.comparisons[0].p, rel=1e-9)

    def test_heavy_tails_leave_fewer_degrees_of_freedom(self):
        """1 / df = 1 / pieces + excess kurtosis / (2 n): with all cosines that is 2 n / (kurtosis - 1)."""
        truth, models = two_forecasts(1000, rho=0.0)
        models["a"] = truth + np.random.default_rng(5).standard_t(3, 1000)
        found = compare(truth, models, goal="mse", metrics="goal", time=np.arange(1000)).comparisons[0]
        each = (models["a"] - truth) ** 2 - (models["b"] - truth) ** 2
        expected = 1 / (1 / found.details["pieces"] + stats.kurtosis(each) / 2000)
        assert found.df == pytest.approx(expected, rel=1e-9)
        assert found.df < found.details["pieces"] / 2


class TestOthersValues:
    @pytest.mark.parametrize("foreign", FOREIGN, ids=lambda one: f"h{one['horizon']}")
    def test_diebold_and_mariano_as_scores_has_it(self, foreign):
        a, b, theirs = foreign["a"], foreign["b"], foreign["scores"]
        found = tests["diebold_mariano"]([0.0] * len(a), a, b, metric="mse", horizon=foreign["horizon"])
        assert found.difference == pytest.approx(theirs["mean"], rel=1e-9)
        assert found.statistic == pytest.approx(theirs["dm_test_stat"], rel=1e-9)
        assert [found.low, found.high] == pytest.approx([theirs["ci_lower"], theirs["ci_upper"]], rel=1e-9)
        assert found.p == pytest.approx(2 * min(theirs["confidence_gt_0"], 1 - theirs["confidence_gt_0"]), rel=1e-9)

    @pytest.mark.parametrize("foreign", FOREIGN[1:], ids=lambda one: f"h{one['horizon']}")
    def test_its_long_run_error_is_that_of_statsmodels(self, foreign):
        found = tests["diebold_mariano"](
            [0.0] * len(foreign["a"]), foreign["a"], foreign["b"], metric="mse", horizon=foreign["horizon"]
        )
        assert found.details["long_run_error"] == pytest.approx(foreign["hac_without_weights"], rel=1e-9)

    @pytest.mark.parametrize("theirs", BY_R, ids=lambda one: f"{one['series']}-h{one['horizon']}-{one['power']}")
    def test_diebold_and_mariano_as_r_has_it(self, theirs):
        """dm.test of the package forecast, whose horizons need Harvey, Leybourne and Newbold's correction."""
        metric = {1: "mae", 2: "mse"}[theirs["power"]]
        given = theirs["truth"], theirs["a"], theirs["b"]
        found = tests["diebold_mariano"](*given, metric=metric, horizon=theirs["horizon"])
        assert (found.statistic, found.p) == pytest.approx((theirs["statistic"], theirs["p"]), rel=1e-9)

    def test_rs_values_are_of_several_horizons(self):
        assert {one["horizon"] for one in BY_R} == {1, 2, 4, 8} and len(BY_R) >= 20

    def test_at_one_step_it_is_the_paired_t_test_but_for_a_factor(self):
        """Harvey, Leybourne and Newbold's correction at h = 1 is (n - 1) / n, which is Bessel's."""
        truth, models = two_forecasts(200)
        found = tests["diebold_mariano"](truth, models["a"], models["b"], metric="mae")
        expected = stats.ttest_rel(*(np.abs(one - truth) for one in models.values()))
        assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)

    def test_a_variance_that_is_not_positive_is_undefined(self):
        found = tests["diebold_mariano"]([0.0] * 40, [1.0, 2.0] * 20, [2.0, 1.0] * 20, metric="mse", horizon=2)
        assert found.p is None and "not positive" in found.undefined

    def test_a_horizon_as_long_as_the_series_is_undefined(self):
        assert tests["diebold_mariano"]([0.0] * 4, [1, 2, 3, 4], [4, 2, 3, 1], metric="mse", horizon=4).undefined


class TestVerdict:
    def test_it_says_how_many_pieces_the_rows_hold(self):
        truth, models = two_forecasts(1200)
        verdict = compare(truth, models, goal="mse", time=np.arange(1200))
        pair = verdict.comparisons[0]
        assert f"1,200 rows in time hold about {pair.details['pieces']} independent pieces" in verdict.sentence
        assert verdict.to_dict()["design"] == "time"
        independent = compare(truth, models, goal="mse").comparisons[0]
        assert pair.details["times_wider"] == pytest.approx(pair.standard_error / independent.standard_error, rel=1e-9)

    def test_every_value_is_less_certain(self):
        truth, models = two_forecasts(1200, rho=0.9)
        in_time, independent = (compare(truth, models, goal="mse", **more) for more in ({"time": range(1200)}, {}))
        for name in models:
            wide, narrow = (one.scores[name, "mse"] for one in (in_time, independent))
            assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)

    def test_few_pieces_are_approximate(self):
        truth, models = two_forecasts(45)
        verdict = compare(truth, models, goal="mse", time=range(45))
        assert verdict.certainty == "approximate"
        assert "45 rows in time hold about" in verdict.approximate_reason

    def test_a_long_horizon_is_approximate(self):
        truth, models = two_forecasts(1000, rho=0.0)
        short, long = (compare(truth, models, goal="mse", time=range(1000), horizon=h) for h in (100, 101))
        assert (short.certainty, long.certainty) == ("clean", "approximate")
        assert "10 for each of the 101 steps" in long.approximate_reason

    def test_equal_models_stay_together(self):
        """Taken for independent, five equal models are all kept in about a third of such sets."""
        kept = {"time": 0, "rows": 0}
        for seed in range(20):
            models = {name: autoregression(0.8, 300, 10 * seed + place) for place, name in enumerate("abcde")}
            for kind, more in (("time", {"time": range(300)}), ("rows", {})):
                verdict = compare(np.zeros(300), models, goal="mse", task="regression", metrics="goal", **more)
                kept[kind] += len(verdict.winners) == 5
        assert kept["time"] >= 17
        assert kept["rows"] <= 12

    def test_a_gate_takes_it_too(self):
        truth, models = two_forecasts(1200, seed=4)
        said = {"goal": "mse", "production": "a", "candidate": "b", "margin": 0.05}
        in_time, rows = (gate(truth, models, **said, **more) for more in ({"time": range(1200)}, {}))
        assert in_time.held.high - in_time.held.low > 1.5 * (rows.held.high - rows.held.low)
        assert "independent pieces" in in_time.sentence

    def test_scores_of_items_have_times_too(self):
        series = {name: autoregression(0.8, 500, place) for place, name in enumerate("ab")}
        days = np.datetime64("2024-01-01") + np.arange(500)
        table = {"item": np.arange(500), "day": days.astype(str), **series}
        verdict = compare(table, task="scores", goal="mean", id="item", time="day", models=["a", "b"])
        assert verdict.design.kind == "time"
        other = compare(series["a"] * 0, series, goal="mae", task="regression", time=days)
        assert verdict.comparisons[0].details["moments"] == other.comparisons[0].details["moments"] == 500

    def test_predictions_take_a_column_of_their_source(self, tmp_path):
        truth, models = two_classifiers()
        lines = [f"{2000 + row},{y},{a},{b}" for row, (y, a, b) in enumerate(zip(truth, *models.values(), strict=True))]
        path = tmp_path / "preds.csv"
        path.write_text("\n".join(["year,y,a,b", *lines]) + "\n")
        read = Predictions.read(path, truth="y", models=["a", "b"])
        from_file = compare(path, truth="y", models=["a", "b"], goal="roc_auc", time="year")
        assert compare(read, "roc_auc", time="year").sentence == from_file.sentence
        with pytest.raises(RefereeError, match="column 'day'"):
            compare(read, "roc_auc", time="day")
        with pytest.raises(RefereeError, match="'time' has 3 values"):
            compare(read, "roc_auc", time=[1, 2, 3])


class TestRefusals:
    def test_panels(self):
        truth, models = two_classifiers()
        with pytest.raises(RefereeError, match=r"\(a panel\) is refused"):
            compare(truth, models, goal="accuracy", time=range(400), group=np.arange(400) // 4)

    def test_other_units(self):
        truth, models = two_classifiers()
        for more in ({"subsets": 10}, {"fold": np.arange(400) % 5, "unit": "fold"}):
            with pytest.raises(RefereeError, match="are compared here"):
                compare(truth, models, goal="accuracy", time=range(400), **more)

    def test_tests_of_independent_rows(self):
        truth, models = two_classifiers()
        for name in ("mcnemar", "permutation", "bootstrap"):
            with pytest.raises(RefereeError, match="not valid here"):
                compare(truth, models, goal="accuracy", test=name, time=range(400))

    def test_a_horizon_or_the_test_without_time(self):
        truth, models = two_forecasts()
        with pytest.raises(RefereeError, match="use time=COL"):
            compare(truth, models, goal="mse", horizon=3)
        with pytest.raises(RefereeError, match="use time=COL"):
            compare(truth, models, goal="mse", test="diebold_mariano")

    def test_times_with_and_without_zones(self, tmp_path, capsys):
        path = tmp_path / "mixed.csv"
        rows = [f"2024-10-27T02:30:{row:02}Z,{row % 2},0.{row + 10},0.5" for row in range(20)]
        rows[7] = rows[7].replace("Z", "")
        path.write_text("\n".join(["t,y,a,b", *rows]) + "\n")
        assert run(["compare", str(path), "--truth", "y", "--goal", "accuracy", "--time", "t"]) == 3
        said = " ".join(capsys.readouterr().err.split())
        assert "column 't', row 8 has no time zone, the others do" in said


DAYS = np.datetime64("2023-06-01") + np.arange(300)
MIXED = np.random.default_rng(5).permutation(300)


class TestWarnings:
    def codes(self, verdict):
        return {notice.code for notice in verdict.warnings}

    def test_neighbours_that_are_alike(self):
        truth, models = two_forecasts(600, rho=0.9)
        verdict = compare(truth, models, goal="mse")
        assert "W_ORDER" in self.codes(verdict)
        assert "W_ORDER" not in self.codes(compare(truth, models, goal="mse", time=range(600)))
        mixed = np.random.default_rng(0).permutation(600)
        shuffled = compare(truth[mixed], {name: one[mixed] for name, one in models.items()}, goal="mse")
        assert "W_ORDER" not in self.codes(shuffled)

    def test_rows_sorted_by_the_truth_are_in_no_order_of_time(self):
        truth, models = two_classifiers(rho=0.0)
        order = np.argsort(truth, kind="stable")
        models["a"] = np.where(truth == 1, models["a"], 0.9)  # one class is much harder for one of them
        found = compare(truth[order], {name: one[order] for name, one in models.items()}, goal="log_loss")
        assert "W_ORDER" not in self.codes(found)

    def test_independent_rows_seldom_look_alike(self):
        """At the 1% level: 20 of 1,000 would be 4 standard deviations too many."""
        draws = np.random.default_rng(8).normal(size=(1000, 300))
        assert sum(ratio_to_independence(row - row.mean())[1] < 0.01 for row in draws) < 20

    def test_dates_that_are_not_used(self):
        truth, models = two_forecasts(300, rho=0.9)
        days = np.datetime64("2024-01-01") + np.random.default_rng(1).permutation(300)
        table = {"day": days, "y": truth, **models}
        warned = compare(table, truth="y", goal="mse")
        assert "W_DATES" in self.codes(warned) and "W_ORDER" not in self.codes(warned)
        in_order = np.argsort(days)
        sorted_by_day = {"day": days, "y": truth, **models} | {
            name: one[np.argsort(in_order)] for name, one in {"y": truth, **models}.items()
        }
        found = {notice.code: notice.message for notice in compare(sorted_by_day, truth="y", goal="mse").warnings}
        assert "use time='day'" in found["W_DATES"] and "in the order of 'day'" in found["W_ORDER"]
        assert found["W_ORDER"].endswith("use time='day'")
        assert not {"W_DATES", "W_ORDER"} & self.codes(compare(sorted_by_day, truth="y", goal="mse", time="day"))

    @pytest.mark.parametrize(
        ("name", "cells", "use"),
        [
            ("x", DAYS.astype(str), "use time='x'"),
            ("x", DAYS.astype("datetime64[s]"), "use time='x'"),
            ("x", [day.strftime("%d.%m.%Y") for day in DAYS.tolist()], "write them as 2024-01-31 and use time='x'"),
            ("x", [day.strftime("%m/%d/%Y") for day in DAYS.tolist()], "write them as 2024-01-31 and use time='x'"),
            ("x", DAYS.astype("datetime64[M]").astype(str), "use time='x'"),
            ("visit_date", DAYS[MIXED].astype(str), "use time='visit_date'"),
            ("year", DAYS.astype("datetime64[Y]").astype(int) + 1970, "use time='year'"),
            ("createdTime", 1.7e9 + np.arange(300) * 60, "use time='createdTime'"),
        ],
    )
    def test_the_time_of_rows_by_its_name_or_its_order(self, name, cells, use):
        truth, models = two_forecasts(300, rho=0.0)
        asked = {"truth": "y", "models": list(models), "goal": "mse", "metrics": "goal"}
        (notice,) = [n for n in compare({name: cells, "y": truth, **models}, **asked).warnings if n.code == "W_DATES"]
        assert notice.message.endswith(use)

    @pytest.mark.parametrize(
        ("name", "cells"),
        [
            ("birthdate", DAYS[MIXED].astype(str)),
            ("expiry", DAYS[MIXED].astype(str)),
            ("yearly_income", 1900 + np.arange(300)[MIXED]),
            ("price", np.arange(300)[MIXED] / 7),
            ("year", np.arange(300)[MIXED]),
        ],
    )
    def test_dates_of_something_else(self, name, cells):
        """Neither the name nor the order of the rows says that it is when they were observed."""
        truth, models = two_forecasts(300, rho=0.0)
        asked = {"truth": "y", "models": list(models), "goal": "mse", "metrics": "goal"}
        found = self.codes(compare({name: cells, "y": truth, **models}, **asked))
        assert not {"W_DATES", "W_ORDER"} & found

    def test_dates_of_another_name_in_whose_order_rows_are_alike(self):
        truth, models = two_forecasts(300, rho=0.9)
        columns = {"expiry": DAYS.astype(str), "y": truth, **models}
        mixed = {name: np.asarray(cells)[MIXED] for name, cells in columns.items()}
        found = {notice.code: notice.message for notice in compare(mixed, truth="y", goal="mse").warnings}
        assert found["W_ORDER"].endswith("use time='expiry'")
        assert "W_DATES" not in found

    @pytest.mark.parametrize(("differing", "at_random"), [(1, False), (3, True), (10, False), (30, True), (90, True)])
    def test_few_rows_that_differ_are_no_neighbours(self, differing, at_random):
        """A row at an end that alone carries the difference looked like a trend in 81 of 100 tables."""
        draw, alarms = np.random.default_rng(0), 0
        for _ in range(300):
            changes = np.zeros(300)
            rows = draw.choice(300, differing, replace=False) if at_random else np.arange(differing)
            changes[rows] = draw.choice([-1.0, 1.0], differing)
            wider, p = ratio_to_independence(changes - changes.mean())
            alarms += p < 0.01 and wider > 1.1
        assert alarms <= 15  # 5%

    def test_power_is_kept(self):
        """An autoregressive process of 0.8 is seen in nearly all series, also where only a third of the rows differ."""
        draw, seen = np.random.default_rng(0), [0, 0]
        for _ in range(100):
            series = lfilter([0.6], [1, -0.8], draw.normal(size=400))[100:]
            for place, changes in enumerate((series, np.where(abs(series) > 1, np.sign(series), 0))):
                wider, p = ratio_to_independence(changes - changes.mean())
                seen[place] += p < 0.01 and wider > 1.1
        assert seen[0] >= 95 and seen[1] >= 85


def test_the_doors_are_one(tmp_path, capsys):
    """The command line, arrays and a table say the same."""
    truth, models = two_forecasts(300)
    days = np.datetime64("2024-01-01") + np.arange(300)
    path = tmp_path / "forecasts.csv"
    columns = [days.astype(str).tolist(), *(one.tolist() for one in (truth, *models.values()))]
    path.write_text(
        "".join(",".join(map(str, row)) + "\n" for row in [("day", "y", "a", "b"), *zip(*columns, strict=True)])
    )
    options = ["--truth", "y", "--goal", "mse", "--time", "day", "--format", "json"]
    assert run(["compare", str(path), *options, "--test", "diebold_mariano", "--horizon", "2"]) == 0
    printed = json.loads(capsys.readouterr().out)
    asked = {"goal": "mse", "test": "diebold_mariano", "horizon": 2}
    by_arrays = compare(truth, models, time=days, **asked)
    by_table = referee.compare(str(path), truth="y", time="day", **asked)
    assert printed["test"] == "diebold_mariano(horizon=2)" and printed["design"] == "time"
    expected = pytest.approx(by_arrays.comparisons[0].p, rel=1e-9)
    assert printed["comparisons"][0]["p"] == expected and by_table.comparisons[0].p == expected
    assert "time='day', horizon=2" in by_table.call or "horizon=2" in by_table.call

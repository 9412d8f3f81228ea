"""Tiers and ranks: the quantile is Tukey's, orders are those of the pairs, and equal models are not told apart."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from referee import Predictions, compare
from referee.comparing.all_pairs import draws_for, kurtosis_df, t_as_z
from referee.comparing.leaderboard import leaderboard_of
from tests.all_pairs_of import all_pairs


def scores_of(values, rows=500, seed=0):
    """0/1 scores of models with a common difficulty of each item."""
    draw = np.random.default_rng(seed)
    hard = 1.5 * draw.standard_normal(rows)
    ease = stats.norm.ppf(values) * np.sqrt(1 + 1.5**2)
    right = ease - hard[:, None] + draw.standard_normal((rows, len(values))) > 0
    return {f"m{place:02d}": column.astype(float) for place, column in enumerate(right.T)}


def verdict_of(table, **options):
    return compare(table, task="scores", goal="mean", metrics="goal", **options)


class TestStepDown:
    def test_the_first_quantile_is_tukeys(self):
        """Independent values with the same variance: the studentised range, over the square root of 2."""
        tukey = stats.studentized_range.ppf(0.95, 5, np.inf) / 2**0.5
        every = all_pairs([*"abcde"], {})
        assert every.largest_by_chance(np.ones((5, 5))) == pytest.approx(tukey, abs=0.03)

    def test_what_is_left_is_held_against_a_smaller_quantile(self):
        """With d told apart from all others three models are left, and their quantile is that of three."""
        of_three, of_four = (stats.studentized_range.ppf(0.95, k, np.inf) / 2**0.5 for k in (3, 4))
        between = (of_three + of_four) / 2
        worse = dict.fromkeys([(0, 3), (1, 3), (2, 3)], 9.0)
        beats, critical = all_pairs([*"abcd"], worse | {(0, 2): between}).step_down()
        assert beats[0, 2]
        assert not beats[0, 1]
        assert critical == pytest.approx(of_three, abs=0.03)
        assert not all_pairs([*"abcd"], {(0, 2): between}).step_down()[0].any()

    def test_of_many_pairs_the_last_is_the_normal_quantile(self):
        sure = {pair: 9.0 for pair in combinations(range(4), 2) if pair != (0, 1)}
        beats, critical = all_pairs([*"abcd"], sure | {(0, 1): 1.97}).step_down()
        assert beats[0, 1]
        assert critical == pytest.approx(stats.norm.ppf(0.975), abs=1e-12)

    def test_the_confidence_set_is_that_of_one_elimination_after_the_other(self):
        """As it is defined: the quantile found anew after each model that is dropped."""
        draw = np.random.default_rng(3)
        mixed = draw.normal(size=(12, 30))
        covariance = mixed @ mixed.T / 30
        values = np.linspace(0, 4, 12)
        own = np.diag(covariance)
        errors = np.sqrt(own[:, None] + own - 2 * covariance + np.eye(12))
        z = (values[:, None] - values) / errors
        every = all_pairs([*"abcdefghijkl"], {}, covariance)
        object.__setattr__(every, "z", z)
        kept = list(range(12))
        while len(kept) > 1:
            among = [(abs(z[pair]), pair) for pair in combinations(kept, 2)]
            size, pair = max(among)
            noise = every.draws[kept]
            largest = np.max([np.abs(every.draws[a] - every.draws[b]) / errors[a, b] for _, (a, b) in among], axis=0)
            assert len(noise) == len(kept)
            if size <= np.quantile(largest, 0.95):
                break
            kept.remove(min(pair, key=lambda place: values[place]))
        found, _ = every.confidence_set([*"lkjihgfedcba"])
        assert found == ["abcdefghijkl"[place] for place in kept]


class TestRanks:
    def test_ranks_count_who_beats_whom(self):
        beats = np.array([[0, 1, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]], bool)
        board = leaderboard_of([*"abcd"], beats, "draws")
        assert board.ranks == {"a": (1, 1), "b": (2, 3), "c": (2, 4), "d": (3, 4)}
        assert board.tiers == (("a",), ("b", "c"), ("d",))

    def test_single_tests_that_go_round_in_a_circle_tell_nobody_apart(self):
        circle = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], bool)
        assert leaderboard_of([*"abc"], circle, "posterior").tiers == (("a", "b", "c"),)

    def test_every_tier_is_beaten_by_the_one_above(self):
        verdict = verdict_of(scores_of(np.linspace(0.3, 0.8, 12)))
        assert len(verdict.tiers) > 2
        assert [name for tier in verdict.tiers for name in tier if name not in verdict.values] == []
        assert all(low <= place <= high for place, (low, high) in enumerate(verdict.ranks.values(), 1))
        assert set(verdict.winners) <= {name for tier in verdict.tiers[:2] for name in tier}

    def test_equal_models_are_one_tier(self):
        verdict = verdict_of(scores_of([0.5] * 8, seed=1))
        assert (len(verdict.tiers), set(verdict.ranks.values())) == (1, {(1, 8)})

    def test_two_models_are_decided_by_their_p(self):
        one = verdict_of(scores_of([0.7, 0.3]))
        assert (one.tiers, one.ranks) == ((("m00",), ("m01",)), {"m00": (1, 1), "m01": (2, 2)})
        even = verdict_of(scores_of([0.5, 0.5]))
        assert (len(even.tiers), set(even.ranks.values())) == (1, {(1, 2)})

    def test_the_same_orders_for_a_metric_of_which_less_is_better(self):
        table = scores_of(np.linspace(0.3, 0.8, 6))
        losses = {name: 1 - values for name, values in table.items()}
        assert verdict_of(table).tiers == verdict_of(losses, better="lower").tiers

    def test_models_that_predict_the_same_share_a_tier(self):
        table = scores_of([0.6, 0.3])
        verdict = verdict_of({"a": table["m00"], "again": table["m00"], "low": table["m01"]})
        assert verdict.tiers == (("a", "again"), ("low",))

    def test_a_model_without_a_value_is_told_apart_from_nobody(self):
        truth = np.arange(400) % 2
        right = np.where(np.random.default_rng(0).random(400) < 0.9, truth, 1 - truth)
        models = {"good": right, "fair": np.where(np.arange(400) % 3, truth, 1 - truth), "never": np.zeros(400, int)}
        verdict = compare(truth, models, goal="precision", positive=1, metrics="goal")
        assert verdict.outcome == "undecided"
        assert verdict.ranks == {"good": (1, 2), "fair": (2, 3), "never": (1, 3)}


class TestManyModels:
    def test_all_at_once_has_each_pairs_own_p(self):
        """The paired t of each pair with the degrees of freedom of its kurtosis, as SciPy has it."""
        table = scores_of(np.linspace(0.4, 0.6, 25), rows=120)
        verdict = verdict_of(table)
        names, n = sorted(table), 120
        pieces = np.stack([(table[name] - table[name].mean()) / n * np.sqrt(n / (n - 1)) for name in names])
        df = kurtosis_df(pieces)
        best = names.index(verdict.best)
        for pair in verdict.comparisons:
            seen = pair.seen_from(verdict.best)
            other = names.index(seen.b)
            each = table[seen.a] - table[seen.b]
            kurtosis = stats.kurtosis(each, fisher=False)
            assert df[best, other] == pytest.approx(min(n - 1, 2 * n / (kurtosis - 1)), rel=1e-9)
            t = stats.ttest_1samp(each, 0).statistic
            z = t_as_z(np.array(t), df[best, other])
            assert 2 * stats.norm.sf(abs(z)) == pytest.approx(2 * stats.t.sf(abs(t), df[best, other]), rel=1e-9)
            assert seen.p == pytest.approx(2 * stats.t.sf(abs(t), df[best, other]), rel=1e-9)

    def test_the_orders_are_those_of_all_pairs_tested_one_by_one(self, monkeypatch):
        table = scores_of(np.linspace(0.3, 0.8, 30), rows=300)
        at_once = verdict_of(table)
        monkeypatch.setattr("referee.comparing.case.ALL_PAIRS", 30)
        each = verdict_of(table)
        assert (len(at_once.comparisons), len(each.comparisons)) == (29, 435)
        assert (at_once.tiers, at_once.ranks, at_once.winners) == (each.tiers, each.ranks, each.winners)

    def test_a_thousand_rows_of_which_all_differ(self):
        """A model that is right wherever the other one is wrong leaves no variance, and is better all the same."""
        table = {f"m{place:02d}": np.ones(40) for place in range(12)}
        table |= {f"w{place:02d}": np.zeros(40) for place in range(12)}
        verdict = verdict_of(table)
        assert [len(tier) for tier in verdict.tiers] == [12, 12]

    def test_other_metrics_are_judged_on_request(self):
        table = scores_of([0.5] * 50, rows=60)
        alone = compare(table, task="scores")
        assert [metric.name for metric in alone.scores.metrics] == ["mean"]
        assert "with 50 models only the goal is judged" in alone.to_markdown()
        asked = compare(table, task="scores", metrics=["median"])
        assert {metric.name for metric in asked.scores.metrics} == {"mean", "median"}
        assert not asked.goal_alone

    def test_fewer_draws_from_five_hundred_models_on(self):
        assert [draws_for(models) for models in (2, 20, 21, 499, 500)] == [20_000, 20_000, 5_000, 5_000, 1_000]

    def test_rows_to_separate_the_first_two_by_both_quantiles(self):
        """n ((c + 0.84) se / delta)^2 with the t quantile for the pair, and that of all pairs for the tie."""
        verdict = verdict_of(scores_of(np.linspace(0.55, 0.6, 10), rows=300))
        assert verdict.outcome == "tie"
        first = verdict.comparison(verdict.best, verdict.runner_up).seen_from(verdict.best)
        furthest = max(abs(first.low), abs(first.high))
        power = stats.norm.ppf(0.8)
        pair = 300 * ((stats.t.ppf(0.975, first.df) + power) * first.standard_error / furthest) ** 2
        tukey = stats.studentized_range.ppf(0.95, len(verdict.winners), np.inf) / 2**0.5
        alone = 300 * ((tukey + power) * first.standard_error / furthest) ** 2
        assert verdict.rows_at_least == pytest.approx(pair, rel=0.01)  # the noncentral t has hardly more
        assert verdict.rows_to_stand_out == pytest.approx(alone, rel=0.03)  # the draws have the models' own covariance


def test_in_every_format(tmp_path):
    verdict = verdict_of(scores_of(np.linspace(0.3, 0.8, 6)))
    given = json.loads(verdict.to_json())
    assert given["tiers"] == [list(names) for names in verdict.tiers]
    assert given["ranks"] == {name: list(ends) for name, ends in verdict.ranks.items()}
    assert "tiers: " in verdict.to_markdown()
    assert "| m05 | 1 | 1 |" in verdict.to_markdown()
    assert "m05 & 1 & 1" in verdict.to_latex()
    assert "m05" in verdict.tiers[0]
    page = tmp_path / "page.html"
    verdict.to_html(page)
    assert 'data-name="leaderboard"' in page.read_text()


@pytest.mark.parametrize("models", [6, 24])
def test_equal_models_are_rarely_told_apart(models):
    """At most 7% of sets may have any false order (docs/simulations/tiers.md has 2,000 sets a cell)."""
    false = sum(len(verdict_of(scores_of([0.5] * models, 200, seed)).tiers) > 1 for seed in range(60))
    assert false <= stats.binom.ppf(0.999, 60, 0.07)


def test_groups_are_told_apart_by_their_sums():
    """Rows that are there ten times over in a group say no more than one."""
    table = scores_of(np.linspace(0.45, 0.55, 24), rows=60)
    once = verdict_of(table)
    groups = np.repeat(np.arange(60), 10)
    predictions = Predictions.from_arrays(
        np.zeros(600),
        {name: 1 - np.repeat(values, 10) for name, values in table.items()},
        group=groups,
        task="regression",
    )
    repeated = compare(predictions, "mae", metrics="goal")
    assert repeated.tiers == once.tiers

"""Boundaries of repeated looks: those of rpact, of Jennison and Turnbull's table, of SeqBounds.jl, and exact ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from referee.comparing.boundaries import (
    LookPlan,
    beta_mixture,
    bets,
    crossing_probabilities,
    lan_demets,
    log_evidence,
    log_wealth,
    obrien_fleming,
    obrien_fleming_spending,
    sequence_reach,
)
from referee.errors import UsageError

KNOWN = json.loads((Path(__file__).parents[1] / "reference/group_sequential.json").read_text())


class TestObrienFleming:
    def test_as_rpact_has_them(self):
        known = KNOWN["rpact"]
        found = obrien_fleming(known["looks"], known["alpha"])
        assert found == pytest.approx(known["critical_values"], abs=1e-7)
        spent = np.cumsum(crossing_probabilities(range(1, 4), found))
        assert spent == pytest.approx(known["alpha_spent"], abs=1e-8)

    @pytest.mark.parametrize("looks", [1, 2, 3, 4, 5, 10, 20])
    def test_as_the_table_has_them(self, looks):
        """The table has two decimals more for its two-sided tests, whose other side is met in less than 1e-4."""
        known = KNOWN["jennison_turnbull"]
        assert obrien_fleming(looks, known["alpha"])[-1] == pytest.approx(known["constants"][str(looks)], abs=1e-3)

    def test_two_looks_by_the_bivariate_normal_distribution(self):
        first, last = obrien_fleming(2, 0.05)
        both_below = stats.multivariate_normal([0, 0], [[1, 0.5**0.5], [0.5**0.5, 1]]).cdf([first, last])
        assert 1 - both_below == pytest.approx(0.05, abs=1e-6)

    def test_a_hundred_looks_by_simulated_paths(self):
        bounds = np.array(obrien_fleming(100, 0.05))
        draw = np.random.default_rng(0)
        crossed = 0
        for _ in range(20):
            paths = draw.standard_normal((2_000, 100)).cumsum(axis=1) / np.sqrt(np.arange(1, 101))
            crossed += (paths > bounds).any(axis=1).sum()
        assert crossed / 40_000 == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 40_000))


class TestSpending:
    def test_as_seqbounds_has_them(self):
        known = KNOWN["seqbounds"]
        spent = [obrien_fleming_spending(share, known["alpha"]) for share in known["shares"]]
        assert spent == pytest.approx(known["spent"], rel=1e-5)
        assert lan_demets(known["shares"], known["alpha"]) == pytest.approx(known["z"], abs=5e-5)

    def test_planned_looks_are_obrien_and_flemings(self):
        plan = LookPlan(5, 1000, 0.05)
        assert plan.boundaries([200, 400, 600, 800, 1000]) == pytest.approx(obrien_fleming(5, 0.05), abs=1e-5)

    @pytest.mark.parametrize("rows", [[130, 420, 430, 777, 1000], [999, 1000], [50, 1300], [*range(10, 1001, 10)]])
    def test_uneven_looks_spend_alpha_in_all(self, rows):
        """Also where they are more than planned, or the last one overshoots."""
        bounds = LookPlan(5, 1000, 0.05).boundaries(rows)
        draw, crossed, steps = np.random.default_rng(1), 0, np.sqrt(np.diff([0, *rows]))
        for _ in range(20):
            paths = (draw.standard_normal((2_000, len(rows))) * steps).cumsum(axis=1) / np.sqrt(rows)
            crossed += (paths > np.array(bounds)).any(axis=1).sum()
        assert crossed / 40_000 == pytest.approx(0.05, abs=3.5 * np.sqrt(0.05 * 0.95 / 40_000))

    def test_early_looks_spend_next_to_nothing(self):
        assert LookPlan(5, 1000, 0.05).spent(20) < 1e-12
        assert LookPlan(5, 1000, 0.05).boundaries([20, 1000])[1] == pytest.approx(stats.norm.isf(0.05), abs=1e-4)

    def test_a_plan_has_looks_and_rows(self):
        for looks, until in ((0, 100), (2000, 100), (5, 1)):
            with pytest.raises(UsageError):
                LookPlan(looks, until, 0.05)


class TestAnytime:
    def test_the_confidence_sequence_as_the_paper_writes_it(self):
        """Waudby-Smith et al. (2024), the boundary of theorem 2.2 and its one-sided form, divided by the error."""
        n, alpha, rho = 700, 0.05, 0.03
        best_at = (-2 * np.log(alpha) + np.log(1 - 2 * np.log(alpha))) / rho**2
        two = np.sqrt(2 * (n * rho**2 + 1) / (n**2 * rho**2) * np.log(np.sqrt(n * rho**2 + 1) / alpha)) * np.sqrt(n)
        one = np.sqrt(2 * (n * rho**2 + 1) / (n**2 * rho**2) * np.log(1 + np.sqrt(n * rho**2 + 1) / (2 * alpha)))
        assert sequence_reach(n, alpha, best_at, two_sided=True) == pytest.approx(two)
        assert sequence_reach(n, alpha, best_at) == pytest.approx(one * np.sqrt(n))

    def test_the_mixture_is_the_integral_over_shares_of_wins(self):
        from scipy.integrate import quad

        def density(share):
            return stats.beta.pdf(share, 5, 5) * (share**30 * (1 - share) ** 14) * 2.0**44

        assert beta_mixture(30, 44) == pytest.approx(np.log(quad(density, 0, 1)[0]), abs=1e-9)

    def test_evidence_is_expected_to_be_one_where_nothing_is_gained(self):
        """All paths of eight fair games: the mean wealth of the bets is exactly 1."""
        paths = np.array(np.meshgrid(*[[-1.0, 1.0]] * 8)).reshape(8, -1).T
        assert np.mean([np.exp(log_evidence(log_wealth(path, -1.0))) for path in paths]) == pytest.approx(1)

    def test_evidence_of_shards_adds_up(self):
        gains = np.random.default_rng(0).uniform(-0.5, 0.6, 200)
        parts = [log_wealth(part, -0.5) for part in (gains[:70], gains[70:])]
        assert np.add(*parts) == pytest.approx(log_wealth(gains, -0.5), abs=1e-12)
        assert bets(2.0).max() == 1.0

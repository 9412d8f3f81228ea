"""The regret map: exact enumeration on tiny populations, scikit-learn, and what the committed result says."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.calibration import calibration_curve
from sklearn.metrics import accuracy_score, balanced_accuracy_score, brier_score_loss, f1_score, log_loss, roc_auc_score

import referee
from referee.comparing import INDEX_GOALS, INDEX_METRICS
from referee.errors import UsageError
from referee.fitting import DataSet, Limits
from referee.paper import SHOWN, Problem, best_other, own_levels, regret_map
from referee.paper.candidates import CANDIDATES, KINDS, SETS, CandidateSet
from referee.paper.drawn_values import drawn_values
from referee.paper.populations import Population, bundled_problems, populations
from referee.paper.regret_advice import Evidence, evidence
from referee.paper.regret_draws import (
    INDEX,
    SELECTORS,
    TIES,
    Drawing,
    Unit,
    learned_covariances,
    paper_averages,
    ties_broken,
)
from referee.paper.regret_map import Level, level_of
from tests.cli.test_schemas import refusals

DOCS = Path(__file__).parents[2] / "docs" / "study"


def population(rows=400, seed=0):
    """27 models that add noise of their own to the truth."""
    draw = np.random.default_rng(seed)
    truth = (draw.random(rows) < 0.4).astype(float)
    noise = np.linspace(0.5, 2.5, len(CANDIDATES))
    scores = 1 / (1 + np.exp(-(2 * truth - 1)[:, None] - draw.normal(size=(rows, len(CANDIDATES))) * noise))
    return Population("made", "made", 0, scores, truth)


def test_values_are_those_of_scikit_learn():
    made = population()
    found = drawn_values(made.scores, made.truth)
    for place in range(3):
        score = made.scores[:, place]
        label = score >= 0.5
        misses, alarms = (made.truth * ~label).mean(), ((1 - made.truth) * label).mean()
        assert found[place] == pytest.approx(
            [
                accuracy_score(made.truth, label), f1_score(made.truth, label), roc_auc_score(made.truth, score),
                balanced_accuracy_score(made.truth, label), -log_loss(made.truth, score),
                -brier_score_loss(made.truth, score), *(-(cost * misses + alarms) for cost in (0.2, 0.5, 2, 5, 10)),
            ]
        )  # fmt: skip


def test_costs_by_enumeration():
    """Four rows, all 4^4 holdout sets of four: the mean cost over many draws is that of all sets with both classes."""
    truth = np.array([1.0, 1, 0, 0])
    scores = np.tile(np.array([[0.9], [0.4], [0.2], [0.6]]), (1, len(CANDIDATES)))
    forests = SETS[0].places()
    scores[:, forests[0]] = [0.9, 0.8, 0.7, 0.6]
    scores[:, forests[1]] = [0.6, 0.4, 0.1, 0.2]
    scores[:, forests[2]] = [0.6, 0.4, 0.7, 0.2]
    made = Population("tiny", "tiny", 0, scores, truth)
    worth = made.true_values[forests, 0]
    costs = []
    for rows in product(range(4), repeat=4):
        if truth[list(rows)].sum() == 2:
            seen = ((scores[list(rows)][:, forests] >= 0.5) == truth[list(rows), None]).mean(axis=0)
            costs.append(worth.max() - worth[seen == seen.max()].mean())
    work = Drawing({}, {"tiny": {"any": np.eye(11) * 0.04}}, 4000, 0)
    random = np.random.default_rng(1)
    drawn = [work._drawn(made, 4, random) for _ in range(4000)]
    found, *_ = work._judged("tiny", SETS[0], made.true_values[forests], 4, drawn, 0)
    assert found[0, SELECTORS.index("accuracy")] == pytest.approx(np.mean(costs), abs=4 * np.std(costs) / 4000**0.5)


def test_exact_ties_are_broken_by_brier():
    values, brier = np.array([[0.8, 0.8, 0.7], [0.6, 0.5, 0.5]]), np.array([[-0.2, -0.1, 0.0], [-0.3, -0.1, -0.1]])
    assert ties_broken(values, brier).tolist() == [[0, 1, 0], [1, 0, 0]]


def test_calibration_spread_by_scikit_learn():
    """Murphy's reliability in ten bins of equally many rows, which scikit-learn's curve has as bins of quantiles."""
    made, chosen = population(), CandidateSet("three", "mixed", CANDIDATES[:3])
    reliabilities = []
    for place in chosen.places():
        true, said = calibration_curve(made.truth, made.scores[:, place], n_bins=10, strategy="quantile")
        reliabilities.append(((true - said) ** 2).mean())
    brier = [brier_score_loss(made.truth, made.scores[:, place]) for place in chosen.places()]
    assert made.calibration_spread(chosen) == pytest.approx(np.std(reliabilities) / np.std(brier), rel=0.02)


def test_covariances_leave_a_source_out():
    draw = np.random.default_rng(0)
    worlds = [(source, chosen, np.diag(draw.random(11))) for source in "abc" for chosen in SETS]
    without = learned_covariances(worlds, "a")
    assert np.allclose(without["any"], learned_covariances([world for world in worlds if world[0] != "a"])["any"])
    tuned = [matrix for source, chosen, matrix in worlds if source != "a" and chosen.kind == "tuning"]
    assert np.allclose(without["tuning"], np.mean(tuned, axis=0))
    assert not np.allclose(without["any"], learned_covariances(worlds)["any"])


def test_intervals_over_sources_by_scipy():
    from scipy import stats

    values = np.array([0.1, 0.25, 0.05, np.nan, 0.2])
    known = values[np.isfinite(values)]
    found = level_of(values)
    interval = stats.t.interval(0.95, 3, loc=known.mean(), scale=stats.sem(known))
    assert (found.value, found.low, found.high, found.sources) == (
        pytest.approx(known.mean()),
        *map(pytest.approx, interval),
        4,
    )


def test_a_map_from_the_command_line_needs_sources(referee):
    ran = referee("study", "--map", "--tables", "2")
    assert (ran.code, "does not belong to --map" in ran.json["error"]["message"]) == (2, True)
    with pytest.raises(UsageError, match="learns from other sources"):
        regret_map({"wdbc": bundled_problems()["wdbc"]})


@pytest.fixture(scope="module")
def small():
    """Six small sources, two draws."""
    draw = np.random.default_rng(5)
    problems = {}
    for number in range(6):
        x = draw.normal(size=(260, 3))
        y = x[:, 0] + draw.normal(0, 0.5 + 0.2 * number, 260) > 0
        problems[f"p{number}"] = Problem(DataSet.from_arrays(x, y, positive=True), f"s{number}")
    return problems


@pytest.mark.usefixtures("fits_here")
def test_a_small_map_goes_on_and_says_the_same(small, tmp_path):
    first = regret_map(small, splits=1, draws=2, store=tmp_path / "run")
    again = regret_map(small, splits=1, draws=2, store=tmp_path / "run")
    assert first.to_dict() == again.to_dict()
    assert len(first.worlds) == 6 * len(SETS)
    assert first.prior.sources == tuple(f"s{number}" for number in range(6))
    own = first.chosen_by("goal", "accuracy")
    assert np.array_equal(own, first.chosen_by("accuracy", "accuracy"), equal_nan=True)
    assert np.isnan(own[:, 2:]).all(), "182 rows are no holdout set of 200"
    claims = "is better chosen by Brier" in first.sentence, "itself is clearly better" in first.sentence
    assert first.sentence.startswith("Both camps are right somewhere") == all(claims)
    assert first.sentence.startswith("These sources do not settle it") == (not any(claims))
    assert "Brier or the goal itself" in first.to_markdown()


def test_the_committed_map_is_of_many_sources_and_bears_the_promise():
    """In no kind of case does the advice lose more than .02 against the best value, exact ties by Brier.

    The index advises for the goals that its prior names, and on sources that nothing was learned from it is better for
    these, on the whole and surely.
    """
    found = json.loads((DOCS / "map.json").read_text())
    assert len(found["sources"]) - len(found["held_out"]) >= 5
    assert len(found["held_out"]) >= 5
    assert found["prior"]["metrics"] == list(INDEX_METRICS)
    by = {(one["goal"], one["chosen_by"], one["candidates"], one["rows"]): one["value"] for one in found["regret"]}
    for goal, kind, rows in product(INDEX_GOALS, ("tuning", "unlike", "mixed"), (50, 100, 200, 500)):
        assert by[goal, "advice", kind, rows] < by[goal, "goal, ties by Brier", kind, rows] + 0.02, (goal, kind, rows)
        if goal not in found["prior"]["advised"]:
            assert by[goal, "advice", kind, rows] == by[goal, "goal, ties by Brier", kind, rows]
    assert found["prior"]["advised"] == ["roc_auc"]
    measured = {(one["goal"], one["held_out"]): one for one in found["advice"]}
    for goal in INDEX_GOALS:
        assert (measured[goal, False]["high"] < 0) == (goal in found["prior"]["advised"])
    assert measured["roc_auc", True]["high"] < 0
    assert max(one["worst"] for one in found["advice"]) < 0.05
    for kind in ("tuning", "unlike", "mixed"):
        assert by["accuracy", "brier", kind, 50] < by["accuracy", "accuracy", kind, 50]


LOW, MIDDLE, HIGH = (Level(value, value - 0.01, value + 0.01, 20) for value in (-0.02, 0.015, 0.035))


@pytest.mark.parametrize(
    ("change", "cells", "enough"),
    [
        pytest.param(LOW, [LOW, MIDDLE], True, id="better, and no kind of case loses much"),
        pytest.param(LOW._replace(high=0.001), [LOW], False, id="not surely better"),
        pytest.param(LOW, [LOW, HIGH], False, id="a kind of case that loses clearly"),
        pytest.param(LOW, [LOW, HIGH._replace(low=0.0)], True, id="it may be noise"),
        pytest.param(LOW, [LOW, Level(0.051, -0.1, 0.2, 20)], False, id="noise, but too large"),
    ],
)
def test_when_the_index_may_advise(change, cells, enough):
    assert Evidence("accuracy", change, tuple(cells), change).is_enough == enough


def test_the_evidence_of_a_small_map_by_hand(small):
    """The mean over rows and candidates in each source, then over sources: 260 rows have holdout sets of 50 and 100."""
    mapped = regret_map(small, splits=1, draws=2)
    found = evidence(mapped, "accuracy", held_out=False)
    apart = (mapped.chosen_by(INDEX, "accuracy") - mapped.chosen_by(TIES, "accuracy"))[:, :2]
    owners, several = np.array([world.source for world in mapped.worlds]), mapped.of_kind(None)
    several = several & ~np.isnan(apart).all(axis=1)
    means = [np.nanmean(np.nanmean(apart[several & (owners == source)], axis=1)) for source in mapped.sources]
    assert found.change.value == pytest.approx(np.mean(means))
    assert found.change.high == pytest.approx(np.mean(means) + stats.t.ppf(0.975, 5) * stats.sem(means))
    assert len(found.cells) == 3 * 2


def test_the_papers_average_is_the_catalogues():
    draw = np.random.default_rng(4)
    truth, scores = draw.integers(0, 2, 80), draw.random((80, 3))
    values = np.stack([drawn_values(scores, truth)])
    scored = referee.evaluate(truth, {str(model): scores[:, model] for model in range(3)}, metrics="paper_average")
    expected = [row["value"] for row in scored.to_dict()["scores"] if row["class"] is None]
    assert paper_averages(values)[0] == pytest.approx(expected)


def test_a_problem_of_the_committed_map_is_made_again():
    """The regret by the goal itself needs no prior: models fitted, holdout sets drawn, and costs taken once more."""
    problem = {"diabetes": bundled_problems()["diabetes"]}
    fitted = {Unit(each.problem, each.split): each for each in populations(problem, 2, seed=0, folder=None,
                                                                          limits=Limits(1, quiet=True))}  # fmt: skip
    work = Drawing(fitted, {"diabetes": dict.fromkeys(("any", *KINDS), np.eye(11))}, 40, 0)
    records = [work(unit) for unit in fitted]
    several = [number for number, chosen in enumerate(SETS) if chosen.kind != "two"]
    committed = json.loads((DOCS / "map.json").read_text())["by_problem"]["diabetes"]
    for goal, by_rows in committed.items():
        place = INDEX_METRICS.index(goal)
        costs = np.array([record["costs"][several, :, place, place] for record in records])
        regrets = (costs / np.array([record["coins"][several, place] for record in records])[..., None]).mean((0, 1))
        known = np.isfinite(regrets)
        assert [value for value in by_rows if value is not None] == pytest.approx(regrets[known], abs=6e-6)
        assert known.sum() == 3, "309 rows are holdout sets of up to 200"


def test_the_same_map_without_a_store_and_by_two_workers(small):
    first, again = (regret_map(small, splits=1, draws=2, jobs=jobs).to_json() for jobs in (1, 2))
    assert first == again
    assert refusals(json.loads(first)) == []


@pytest.mark.usefixtures("fits_here")
def test_the_chart_draws_what_the_table_says(small):
    """The goal itself and the best other metric, with intervals, for each of seven goals."""
    mapped = regret_map(small, splits=1, draws=2)
    page = mapped.to_html()
    assert page.count('data-name="regret-') == len(SHOWN) == 7
    goal, other = "accuracy", best_other(mapped, "accuracy")
    for selector in SHOWN:
        if selector != goal:
            means = [
                np.nanmean([level.value for level in own_levels(mapped, name, goal)]) for name in (other, selector)
            ]
            assert means[0] <= means[1]
    level = own_levels(mapped, "goal", goal)[0]
    assert f"{level.value:.2f}" in page and f"[{level.low:.2f}, {level.high:.2f}]" in page
    drawn = mapped.plot("regret-accuracy").svg
    assert drawn.count("<circle") == 2 and drawn.count("<polygon") == 2, "sizes of 50 and 100 rows for both"
    assert "best other metric" in drawn and "Holdout rows" in drawn


def test_units_are_named():
    assert str(Unit("adult", 0)) == "adult, split 1"

"""Items and seeds as crossed random factors: against an analysis of variance, exact fractions, and on the way in."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from referee import Predictions, RefereeError, compare, evaluate, gate, plan
from referee.scoring import SeedSpread, Spread
from tests.conftest import REFERENCE

CROSSED = json.loads((REFERENCE / "statsmodels_power.json").read_text())["crossed"]


def long_table(a, b, **more):
    """A row for each score of two models: (item, seed)."""
    items, seeds = np.shape(a)
    rows = [
        (item, seed, model, scores[item][seed])
        for model, scores in (("a", a), ("b", b))
        for item in range(items)
        for seed in range(seeds)
    ]
    names = ("id", "seed", "model", "score")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)) | more


SAID = {"task": "scores", "id": "id", "model_column": "model", "score_column": "score", "seed_column": "seed"}


def pair_of(table, **more):
    (pair,) = compare(table, **SAID | more).comparisons
    return pair


class TestTheVariance:
    def test_parts_are_the_mean_squares_of_statsmodels(self):
        scores = np.array(CROSSED["scores"])
        items, seeds = scores.shape
        found = pair_of(long_table(scores, np.zeros_like(scores))).details["seeds"]
        expected = {name: square / (items * seeds) for name, square in CROSSED["mean_squares"].items()}
        assert found["items_variance"] == pytest.approx(expected["items"], rel=1e-12)
        assert found["seeds_variance"] == pytest.approx(expected["seeds"], rel=1e-12)
        assert found["rest_variance"] == pytest.approx(expected["rest"], rel=1e-12)

    def test_the_whole_is_exact(self):
        """Two-way random effects with whole numbers, by exact fractions: (MS items + MS seeds - MS rest) / (I J)."""
        scores = [[4, 1, 3], [0, -2, 1], [5, 2, 2], [1, 0, 4], [7, 3, 5]]
        items, seeds = len(scores), len(scores[0])
        table = [[Fraction(score) for score in row] for row in scores]
        mean = sum(map(sum, table)) / (items * seeds)
        of_items, of_seeds = (
            [sum(row) / seeds for row in table],
            [sum(column) / items for column in zip(*table, strict=True)],
        )
        squares = {
            "items": seeds * sum((value - mean) ** 2 for value in of_items) / (items - 1),
            "seeds": items * sum((value - mean) ** 2 for value in of_seeds) / (seeds - 1),
            "rest": sum(
                (table[i][j] - of_items[i] - of_seeds[j] + mean) ** 2 for i in range(items) for j in range(seeds)
            ) / ((items - 1) * (seeds - 1)),
        }  # fmt: skip
        whole = (squares["items"] + squares["seeds"] - squares["rest"]) / (items * seeds)
        assert whole > max(squares["items"], squares["seeds"]) / (items * seeds)
        pair = pair_of(long_table(np.array(scores, float), np.zeros((items, seeds))))
        assert pair.standard_error**2 == pytest.approx(float(whole), rel=1e-12)
        assert pair.difference == pytest.approx(float(mean), rel=1e-12)
        parts = pair.details["seeds"]
        assert parts["share"] == pytest.approx(float(1 - squares["items"] / (items * seeds) / whole), rel=1e-12)
        # Satterthwaite, with the degrees of freedom of the items as their influences have them.
        scatter = sum(
            float(squares[name] / (items * seeds)) ** 2 / df
            for name, df in (("items", parts["items_df"]), ("seeds", 2), ("rest", 8))
        )
        assert pair.df == pytest.approx(float(whole) ** 2 / scatter, rel=1e-12)

    @pytest.mark.parametrize(("items", "seeds", "rest"), [(0.4, 0.1, 0.3), (0.1, 0.4, 0.3)])
    def test_it_is_never_below_the_larger_of_the_two(self, items, seeds, rest):
        spread = SeedSpread(Spread(items, 50), seeds, rest, 4, 200).spread
        assert (spread.variance, spread.df) == ((items, 50) if items > seeds else (seeds, 4))

    def test_seeds_that_all_score_the_same_change_nothing(self):
        draw = np.random.default_rng(0)
        once = draw.normal(0, 1, (2, 40, 1))
        pair = pair_of(long_table(*np.repeat(once, 5, axis=2)))
        alone = compare({"a": once[0, :, 0], "b": once[1, :, 0]}, task="scores").comparisons[0]
        assert (pair.standard_error, pair.p) == (pytest.approx(alone.standard_error), pytest.approx(alone.p))
        assert pair.details["seeds"]["share"] == 0

    def test_groups_of_one_item_are_items(self):
        draw = np.random.default_rng(1)
        table = long_table(*draw.normal(0, 1, (2, 30, 5)))
        alone, grouped = pair_of(table), pair_of(table | {"g": [str(item) for item in table["id"]]}, group="g")
        assert grouped.standard_error == pytest.approx(alone.standard_error, rel=1e-9)

    def test_each_models_own_interval_knows_seeds(self):
        draw = np.random.default_rng(2)
        scores = draw.normal(0, 0.1, (2, 60, 1)) + draw.normal(0, 1, (2, 1, 5)) + draw.normal(0, 0.1, (2, 60, 5))
        table = long_table(*scores)
        table["topic"] = [str(item % 2) for item in table["id"]]
        scored = evaluate(table, **SAID, by="topic")
        whole, *slices = [row for row in scored if row.model == "a" and row.metric == "mean"]
        assert whole.value == pytest.approx(scores[0].mean()) and len(slices) == 2
        for row, part in zip((whole, *slices), (scores[0], scores[0, ::2], scores[0, 1::2]), strict=True):
            assert row.standard_error >= part.mean(axis=0).std(ddof=1) / 5**0.5 * (1 - 1e-9)


class TestTheVerdict:
    @pytest.fixture
    def noisy(self):
        """Seeds make most of the noise: a test of the items alone names a winner."""
        draw = np.random.default_rng(4)
        of_seed = np.array([0.5, -0.1, 0.4, 0.05, -0.25])
        shared, both = draw.normal(0, 0.3, (100, 1)), draw.normal(0, 0.1, (2, 100, 5))
        return shared + 0.12 + of_seed + both[0], shared + both[1]

    def test_it_says_how_much_is_the_seeds(self, noisy):
        verdict = compare(long_table(*noisy), **SAID)
        (pair,) = verdict.comparisons
        share = pair.details["seeds"]["share"]
        assert share > 0.9
        assert f"With 5 seeds, seeds account for {100 * share:.0f}% of the uncertainty" in verdict.sentence
        assert verdict.outcome == "tie" and verdict.approximate_reason is None
        without = {name: value for name, value in SAID.items() if name != "seed_column"}
        assert compare(long_table(*noisy), **without).outcome == "winner"

    def test_few_seeds_are_approximate(self, noisy):
        verdict = compare(long_table(*(scores[:, :3] for scores in noisy)), **SAID)
        assert verdict.approximate_reason == "there are only 3 seeds"

    def test_one_seed_is_said_and_ignored(self, noisy):
        verdict = compare(long_table(*(scores[:, :1] for scores in noisy)), **SAID)
        assert "W_ONESEED" in [notice.code for notice in verdict.warnings]
        alone = compare({"a": noisy[0][:, 0], "b": noisy[1][:, 0]}, task="scores")
        assert verdict.comparisons[0].p == pytest.approx(alone.comparisons[0].p)

    def test_gate_and_plan_know_that_more_items_do_not_help(self, noisy):
        table = long_table(*noisy)
        assert gate(table, **SAID, production="b", candidate="a", margin=0.05).rows_needed is None
        found = plan(table, **SAID, margin=0.05)
        assert found.units is None and "the 5 seeds of the pilot are too few" in found.sentence

    def test_slices_know_seeds(self, noisy):
        table = long_table(*(np.tile(scores, (3, 1)) for scores in noisy))
        table["topic"] = [str(item % 2) for item in table["id"]]
        verdict = compare(table, **SAID, by="topic")
        against = [test for test in verdict.slices.tests if test.against is not None]
        assert len(against) == 2 and all(test.p > 0.05 for test in against)

    def test_the_fingerprint_sees_the_scores_of_the_seeds(self, noisy):
        first, turned = ([scores[:, order] for scores in noisy] for order in ([0, 1, 2, 3, 4], [1, 0, 2, 3, 4]))
        prints = {Predictions.read(long_table(*scores), **SAID).fingerprint for scores in (first, turned)}
        assert len(prints) == 2


BAD = [
    (
        "id,seed,a,b\nq,1,0.5,0.4\nq,2,0.5,0.4\nr,1,0.1,0.2\n",
        (),
        "E_ALIGN",
        3,
        ["item r with seed 2", "--on-missing drop"],
    ),
    ("id,seed,a,b\nq,1,0.5,0.4\nq,1,0.5,0.4\nr,1,0.1,0.2\n", (), "E_DUPID", 3, ["item q", "rows 1 and 2"]),
    ("id,seed,a,b\nq,1,0.5,0.4\nq,2,0.5,0.4\n", ("--goal", "median"), "E_GOAL", 2, ["several seeds"]),
    ("id,seed,a,b\nq,1,0.5,0.4\nq,2,0.5,0.4\nr,1,1,0\nr,2,0,1\n", ("--test", "paired_t"), "E_TEST", 2, ["seeds"]),
    ("id,seed,a,b\nq,1,0.5,0.4\nq,2,0.5,0.4\n", ("--rows", "folds"), "E_ROLE", 2, ["--id COL"]),
]


@pytest.mark.parametrize(("text", "options", "code", "exit_code", "parts"), BAD, ids=[case[2] for case in BAD])
def test_what_cannot_be_read_is_named(referee, tmp_path, text, options, code, exit_code, parts):
    file = tmp_path / "scores.csv"
    file.write_text(text)
    run = referee("compare", file, "--task", "scores", "--id", "id", "--seed-column", "seed", *options)
    error = run.json["error"]
    assert (error["code"], run.code) == (code, exit_code)
    assert all(part in f"{error['message']} {error['hint']}" for part in parts), error


def test_missing_cells_are_dropped_where_that_is_asked(referee, tmp_path):
    """Seed 3 has no scores of b at all, and item r none with seed 2."""
    rows = [f"{item},{seed},{model},{k % 7}" for k, (item, seed, model) in enumerate(
        (item, seed, model) for item in "qrstuvwxyz" for seed in "123" for model in "ab"
    ) if not (model == "b" and seed == "3") and not (item == "r" and seed == "2")]  # fmt: skip
    file = tmp_path / "scores.csv"
    file.write_text("id,seed,model,score\n" + "\n".join(rows) + "\n")
    long = (
        "--task",
        "scores",
        "--id",
        "id",
        "--seed-column",
        "seed",
        "--model-column",
        "model",
        "--score-column",
        "score",
    )
    run = referee("compare", file, *long, "--on-missing", "drop")
    assert run.code == 0
    said = [notice["message"] for notice in run.json["warnings"] if notice["code"] == "W_DROPPED"]
    assert said[0].startswith("1 seed ") and said[1].startswith("1 item ")
    assert run.json["rows"] == 9
    assert run.json["comparisons"][0]["details"]["seeds"]["number"] == 2


def test_a_role_of_scores_only(referee, tmp_path):
    file = tmp_path / "preds.csv"
    file.write_text("y,a,b\n1,0.5,0.4\n0,0.2,0.3\n")
    run = referee("compare", file, "--truth", "y", "--goal", "accuracy", "--seed-column", "a")
    assert run.json["error"]["code"] == "E_ROLE"
    with pytest.raises(RefereeError):
        compare(str(file), truth="y", goal="accuracy", seed_column="a")

"""The simulation behind docs/validity.md: its machinery works, and it tells a broken verdict from a valid one."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import referee
from benchmarks.validity import __main__ as validity
from benchmarks.validity import cell, elsewhere, fitted, learners, rates, refits, rows, stack, worlds
from benchmarks.validity.agreement import CLOSE, agreement
from benchmarks.validity.grid import grid
from benchmarks.validity.page import _scheme, page
from benchmarks.validity.sizes import sizes
from referee.comparing.decision import CorrectedScore
from referee.comparing.design_choice import REASONS
from referee.comparing.verdict_words import FALSE_WINNERS_OF_SPLITS

CELLS = grid()
BY_NAME = {one.name: one for one in CELLS}
LEAST = 100
"""Data sets of every cell: with fewer, what is said of it was not measured."""
WON = {cell.CLEAN_WINNER: 1, cell.ROUGH_WINNER: 0, cell.CLEAN: 1, cell.UNDECIDED: 0, cell.SIGNIFICANT: 1}
TIED = WON | {cell.CLEAN_WINNER: 0, cell.SIGNIFICANT: 0}


def a_cell(look, *, equal=True, part="rows"):
    return cell.Cell(part, "n = 100", "same shape", "accuracy", look, 2000, equal)


def named_in(share):
    """A test that names a winner in that share of the data sets."""
    return a_cell(lambda _, number, __: {"influence": WON if number % 100 < 100 * share else TIED})


def results_of(*cells, sets=2000):
    return rates.tested([one.measured(range(sets)) for one in cells], cells)


def stored():
    return rates.tested(validity.stored(), CELLS)


def measured(part, place=""):
    """The results of a part, all of whose cells must have been run."""
    wanted = [one for one in CELLS if one.part == part and place in one.place]
    found = [one for one in stored() if one.cell in wanted]
    sets = rates.data_sets(found)
    assert [one.name for one in wanted if sets[one.name] < LEAST] == [], "make validity"
    return found


@pytest.mark.parametrize(("share", "broken"), [(0.05, False), (0.08, False), (0.09, True), (1, True), (0, False)])
def test_a_broken_promise_is_bold_and_named(share, broken):
    """Of 2,000 data sets 8% may be 7% by chance, and 9% may not: 7% + 2 sqrt(0.09 x 0.91 / 2000) = 8.3%."""
    found = results_of(named_in(share))
    assert found[0].breaks_promise == broken
    text = page(found, [found[0].cell], [])
    assert (f"**{100 * share:.1f}**" in text) == broken == ("1 of 1 cells break the promise" in text)


@pytest.mark.parametrize(("again", "broken"), [(0.06, False), (0.08, True)])
def test_a_cell_above_the_promise_is_drawn_again(again, broken, monkeypatch, tmp_path):
    """8% of 2,000 may be chance; fresh data sets decide, and are not mixed with the first ones."""
    some = a_cell(
        lambda _, number, __: {"influence": WON if number % 100 < (8 if number < 2000 else 100 * again) else TIED}
    )
    path = tmp_path / "results.jsonl"
    monkeypatch.setattr(validity, "RESULTS", path)
    monkeypatch.setattr(validity, "grid", lambda: [some])
    path.write_text(json.dumps(some.measured(range(2000))) + "\n", encoding="utf-8")
    ((name, numbers),) = validity.again([])
    assert (name, numbers) == (some.name, range(2000, 3000))
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(some.measured(numbers)) + "\n")
    assert list(validity.again([])) == []
    (found,) = rates.tested(validity.stored(), [some])
    assert (found.drawn, found.rates[cell.CLEAN_WINNER].mean, found.fresh.mean) == (2000, 0.08, again)
    text = page([found], [some], [])
    assert found.breaks_promise == broken == ("- 8.0 ± 0.6% (8.0 ± 0.9% of 1,000 fresh data sets) in rows" in text)
    assert ("not in fresh data sets: rows, n = 100, same shape, accuracy (6.0" in text) != broken


def test_no_cell_waits_for_fresh_data_sets():
    assert [one.cell.name for one in stored() if one.waits] == [], "make validity"


def test_bold_cells_of_other_pages_are_exceptions_here():
    """Every bold cell of the tables of time, and of procedures those that are clean."""
    in_time = (elsewhere.PAGES / "time_tests.md").read_text(encoding="utf-8")
    assert len(list(elsewhere.in_time())) == len(elsewhere.BOLD.findall(in_time)) > 0
    table = (
        "## 300 rows\n| rows depend by | AUC | F1 |\n|---|---|---|\n| a world | 4.0 + 0.1 (5) | **10.0** + 0.0 (16) |\n"
    )
    assert list(elsewhere.in_time(table)) == ["10.0% in time, 300 rows, a world, F1"]
    row = "| stump, heavy, 150 | {} | 500 | **8.6** (1.3) | {} |  | 0.78 | 92.1 |\n"
    table = "".join(row.format(*each) for each in (("roc_auc", 3.2), ("f1", "-"), ("brier", 7.4)))
    assert list(elsewhere.of_procedures(table)) == ["8.6% with leave_two_groups_out, stump, heavy, 150, brier"]
    text = validity.PAGE.read_text(encoding="utf-8")
    assert [line for line in (*elsewhere.in_time(), *elsewhere.of_procedures()) if f"- {line}" not in text] == []


def test_approximate_and_undecided_verdicts_break_nothing_and_are_counted():
    rough = {cell.CLEAN_WINNER: 0, cell.ROUGH_WINNER: 1, cell.CLEAN: 0, cell.UNDECIDED: 0, cell.SIGNIFICANT: 1}
    nobody = {cell.CLEAN_WINNER: 0, cell.ROUGH_WINNER: 0, cell.CLEAN: 0, cell.UNDECIDED: 1, cell.SIGNIFICANT: 1}
    (found,) = results_of(a_cell(lambda _, number, __: {"influence": rough if number % 4 else nobody}), sets=400)
    assert (found.in_short, found.breaks_promise, found.of_clean) == ("0.0 + 75.0 (25)", False, None)


def test_clean_verdicts_that_are_few_and_wrong_are_named():
    """In 4% of all data sets a false winner, but in 40% of the 10% that are clean."""
    rough = TIED | {cell.CLEAN: 0}
    looks = {number: WON if number < 4 else TIED if number < 10 else rough for number in range(100)}
    (found,) = results_of(a_cell(lambda _, number, __: {"influence": looks[number % 100]}))
    assert not found.breaks_promise and found.of_clean.mean == pytest.approx(0.4)
    assert "40.0 ± 3.5% of 200 clean verdicts" in page([found], [found.cell], [])


def test_rounds_add_up_to_one_run():
    one = rows.cell("rows", "n = 60", "same shape", "accuracy", partial(rows.binary, 60, 0.5, (worlds.PLAIN,) * 2, 0.0))
    parts = [one.measured(range(start, start + 10)) for start in (0, 10)]
    (together,), (whole,) = rates.tested(parts, [one]), rates.tested([one.measured(range(20))], [one])
    assert together == whole and together.rates[cell.CLEAN].sets == 20


def test_a_run_goes_on_where_it_was(monkeypatch, tmp_path):
    first, second, *_ = (one.name for one in CELLS)
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps({"cell": first, "sets": 100, "tests": {}}) + "\n", encoding="utf-8")
    monkeypatch.setattr(validity, "RESULTS", path)
    left = list(validity.missing([]))
    assert (first, range(100)) not in left and (first, range(100, 500)) in left
    assert left[0] == (second, range(100)) and (second, range(500, 1000)) in left
    assert {name for name, _ in validity.missing(["time"])} == {one.name for one in CELLS if one.part == "time"}


OF_EVERY_RULE = {
    "rows | n = 300, 5% positive | few calls | mcc": "FEWEST_HITS",
    "rows | n = 300, 2% positive | same shape | roc_auc": "TOO_FEW",
    "rows | n = 1,000, 5% positive | same shape | mcc": "FEW",
    "numbers | n = 30 | errors t3 vs t3 | rmse": "FEW_DEGREES",
    "rows | n = 100, 20% positive | same shape | accuracy": None,
}


@pytest.mark.parametrize(("name", "limit"), OF_EVERY_RULE.items())
def test_stacked_data_sets_are_decided_as_compare_decides(name, limit, monkeypatch):
    """And a rule that the stack would forget is noticed."""
    found = agreement(BY_NAME[name], 20, [])
    assert (found["sets"], found["differ"]) == (20, 0) and found["p"] < CLOSE
    if limit is not None:
        monkeypatch.setattr(stack, limit, 0)
        assert agreement(BY_NAME[name], 20, [])["differ"] > 0


def test_a_set_without_an_error_is_decided_one_by_one():
    """Two models that are the same, and one whose classes are all alike: neither has a difference with an error."""
    truth, told = np.arange(100) % 2, rows.LABELS
    same, constant = np.tile([0.3, 0.6], 50), np.full(100, 0.9)
    drawn = [(truth, {"a": same, "b": same}, told), (np.ones(100, int), {"a": same, "b": constant}, told)]
    both = stack.Stack.of(drawn, "roc_auc", [0, 1])
    assert not both.ordinary.any()
    assert [both.decided(place).outcome for place in (0, 1)] == ["tie", "undecided"]


def test_what_was_held_against_compare_agrees_with_it():
    """At least half of all cells, and some of every part."""
    agreed = {one["cell"]: one for one in validity.agreed()}
    assert agreed.keys() <= BY_NAME.keys() and 2 * len(agreed) > len(CELLS)
    assert {BY_NAME[name].part for name in agreed} >= {one.part for one in CELLS if one.together}
    assert [one for one in agreed.values() if one["differ"] or one["stored_differ"] or one["p"] > CLOSE] == []
    once = {line["cell"] for line in validity.stored() if line["by"] == cell.COMPARE}
    stacked = [one for one in agreed.values() if BY_NAME[one["cell"]].together and one["cell"] in once]
    assert stacked and [one["cell"] for one in stacked if one["stored_sets"] < 50] == []


def test_fifty_data_sets_of_every_cell_went_through_compare():
    """When they were drawn, or when they were held against it."""
    through = Counter({one["cell"]: one["sets"] for one in validity.agreed()})
    for line in validity.stored():
        through[line["cell"]] += line["sets"] * (line["by"] == cell.COMPARE)
    assert [one.name for one in CELLS if one.part != "fitted models" and through[one.name] < 50] == []


def test_the_population_of_a_file_is_met_by_every_fold():
    from sklearn.metrics import accuracy_score

    generator = cell.generator_of("new rows", 0)
    truth, scores = generator.integers(0, 2, 300), generator.random((fitted.FOLDS, 300))
    each = [accuracy_score(truth, one > 0.5) for one in scores]
    assert fitted._on_new_rows("accuracy", truth, scores) == pytest.approx(np.mean(each), abs=1e-12)


def test_every_metric_stands_at_every_setting_under_both_nulls():
    """So that no cell of the page's two large tables is blank."""
    wanted = {(rows.place_of(*setting), null, metric) for setting in rows.SETTINGS for null in (rows.SAME, rows.OTHER)
              for metric in rows.METRICS}  # fmt: skip
    assert wanted <= {(one.place, one.null, one.metric) for one in CELLS if one.part == "rows"}


def test_the_grid_has_every_kind_of_cell():
    names = [one.name for one in CELLS]
    assert len(set(names)) == len(names) and len([one for one in CELLS if one.part == "rows"]) >= 200
    assert all(one.sets >= 2000 for one in CELLS if one.part in ("rows", "numbers", "groups", "time") and one.equal)
    assert all(one.sets >= 500 for one in CELLS if one.part == "refits")


@pytest.mark.parametrize("part", dict.fromkeys(one.part for one in CELLS))
def test_a_cell_of_every_part_runs(part):
    some = next(one for one in CELLS if one.part == part and (part != "data sets" or "folds" in one.place))
    measures = [name for each in some.measured(range(2))["tests"].values() for name in each]
    assert set(measures) & {cell.SIGNIFICANT, cell.HOLDS, cell.CORRECTED}


def test_every_test_is_in_the_grid():
    seen = {"tost", "non_inferiority", *(one.own for one in CELLS)}
    seen |= {name for each in refits.TESTS.values() for name in each}
    for part in ("rows", "time", "subsets", "data sets"):
        some = [one for one in CELLS if one.part == part and one.metric in ("any", "accuracy", "roc_auc", "rmse")]
        for one in {(one.place.partition(", ")[2], one.null, one.metric): one for one in some}.values():
            seen |= set(one.measured(range(1))["tests"])
    assert {name.partition("(")[0] for name in seen if name} == set(referee.tests)


def test_the_page_and_the_cards_are_made_of_the_stored_results():
    results = stored()
    assert validity.PAGE.read_text(encoding="utf-8") == page(results, CELLS, validity.agreed())
    assert json.loads(validity.SIZES.read_text(encoding="utf-8")) == sizes(results)


def test_a_card_has_the_range_of_its_cells_and_the_worst():
    first, second = named_in(0.02), cell.Cell("rows", "n = 300", "same shape", "f1", named_in(0.06).look)
    assert sizes(results_of(first, second)) == {
        "influence": ["false winners, rows, same shape: 2.0 to 6.0% (most: n = 300, f1; 2,000 data sets each)"]
    }


def test_what_the_guide_says_is_left_of_the_optimism_was_measured():
    each = [one.rates for one in measured("corrected score")]
    left = [one[cell.CORRECTED].mean / one[cell.RAW].mean for one in each]
    said = f"{100 * min(left):.0f} to {100 * max(left):.0f}% of the optimism"
    guide = Path(validity.PAGE).parent / "guide" / "compare.md"
    for text in (guide.read_text(encoding="utf-8"), CorrectedScore.__doc__):
        assert said in " ".join(text.split())


def test_the_range_of_out_of_fold_files_is_the_measured_one():
    """What the verdict says of them is what the stored results say, over all learners and metrics."""
    files = [one for one in measured("refits", refits.OUT_OF_FOLD) if one.test == "influence"]
    found = [100 * one.rates[cell.SIGNIFICANT].mean for one in files]
    low, high = re.search(r"in (\d+) to (\d+)% of simulated files", REASONS["out_of_fold"]).groups()
    assert (int(low), int(high)) == (round(min(found)), round(max(found)))


def test_how_often_the_interval_of_a_file_held_is_what_was_measured():
    found = [100 * one.rates[cell.HOLDS].mean for one in stored() if one.cell.part == cell.FITTED]
    low, high = re.search(r"of the fitted models in (\d+) to (\d+)%", REASONS["out_of_fold"]).groups()
    assert (int(low), int(high)) == (round(min(found)), round(max(found)))


@pytest.mark.parametrize(
    ("scheme", "said", "learner"),
    [
        (refits.RANDOM, "30 random splits, with 15 neighbours on the Brier score", "15 nearest neighbours"),
        (refits.ONCE, "10-fold", "decision stump"),
        (refits.REPEATED, "10 x 10-fold", "decision stump"),
    ],
)
def test_what_a_verdict_on_splits_says_of_unstable_learners_was_measured(scheme, said, learner):
    own = [one for one in measured("refits", scheme) if one.is_own and one.cell.equal and _scheme(one.cell) == scheme]
    most = max(own, key=lambda one: one.all_false_winners)
    assert most.cell.place.startswith(learner) and (learner == "decision stump" or most.cell.metric == "brier")
    (share,) = re.search(rf"(\d+)%(?: of simulated data sets)? at {said}", " ".join(REASONS["splits"].split())).groups()
    assert int(share) == np.floor(100 * most.all_false_winners + 0.5)


def test_a_winner_on_splits_is_shown_with_the_largest_rate_that_was_measured():
    """Also on the short screen, where the reason of the test is not."""
    schemes = (refits.RANDOM, refits.ONCE, refits.REPEATED)
    own = [one for scheme in schemes for one in measured("refits", scheme) if one.is_own and one.cell.equal]
    (share,) = re.search(r"in up to (\d+)% of simulated", FALSE_WINNERS_OF_SPLITS).groups()
    assert int(share) == np.floor(100 * max(one.all_false_winners for one in own) + 0.5)
    verdict = referee.select(["tree", "dummy"], *two_blobs(), goal="accuracy", scheme="k_fold(k=5)")
    assert verdict.outcome == "winner" and FALSE_WINNERS_OF_SPLITS in " ".join(verdict.to_markdown().split())
    assert (
        FALSE_WINNERS_OF_SPLITS
        not in referee.select(["tree", "tree(prune=true)"], *two_blobs(), goal="accuracy").to_markdown()
    )


def two_blobs():
    draw = np.random.default_rng(0)
    truth = np.arange(200) % 2
    return draw.normal(2.0 * truth[:, None], 1.0, (200, 3)), truth


def test_an_interval_that_misses_fitted_models_is_an_exception():
    """18 of 100 files: 7% + 2 sqrt(0.18 x 0.82 / 100) = 14.7%."""
    some = next(one for one in CELLS if one.part == cell.FITTED)
    line = {
        "cell": some.name,
        "sets": 100,
        "tests": {"influence": {cell.HOLDS: [100, 82, 82], cell.CLAIM: [100, 3, 3]}},
    }
    results = rates.tested([line], [some])
    assert "- 18.0 ± 3.8% in fitted models, naive Bayes" in page(results, [some], [])
    assert "outside its interval, out-of-fold files: 18.0% (100 data sets)" in sizes(results)["influence"][0]


@pytest.mark.parametrize(
    ("scheme", "said"),
    [(refits.ONCE, "10-fold"), (refits.REPEATED, "at 10 x 10-fold"), (refits.RANDOM, "at 30 random splits")],
)
def test_what_the_naive_test_warns_of_was_measured(scheme, said):
    results = [one for one in measured("refits", scheme) if one.test == "paired_t" and one.cell.equal]
    found = [100 * one.rates[cell.SIGNIFICANT].mean for one in results if _scheme(one.cell) == scheme]
    why = referee.tests["paired_t"].with_warning["splits"]
    low, high = re.search(rf"(\d+) to (\d+)% (?:of the time at )?{said}", why).groups()
    assert (int(low), int(high)) == (round(min(found)), round(max(found)))


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "log_loss"])
def test_models_of_different_shape_are_equal(metric):
    """By scikit-learn, on another sample."""
    import sklearn.metrics as theirs

    value = {
        "accuracy": lambda y, p: theirs.accuracy_score(y, p > 0.5),
        "roc_auc": theirs.roc_auc_score,
        "log_loss": theirs.log_loss,
    }[metric]
    rival = worlds.of_equal_value(0.2, metric, 200_000)
    truth, models = worlds.classes(0.2, 200_000, (worlds.PLAIN, rival), cell.generator_of("another sample", 0))
    plain, other = (value(truth, scores) for scores in models.values())
    assert rival != worlds.PLAIN and other == pytest.approx(plain, abs=0.004)


@pytest.mark.parametrize("metric", worlds.CLOSED)
def test_operating_points_have_the_same_value_by_scikit_learn(metric):
    import sklearn.metrics as theirs

    value = {
        "precision": theirs.precision_score, "f1": theirs.f1_score, "mcc": theirs.matthews_corrcoef,
        "kappa": theirs.cohen_kappa_score,
    }[metric]  # fmt: skip
    positives, recall, alarms = 0.25, 0.6, 0.2
    false = worlds.rates_of_equal_value(metric, positives, recall, alarms, 0.5)
    truth = np.r_[np.ones(1000), np.zeros(3000)].astype(int)
    weight = np.ones(4000)

    def expected(recall, alarms):
        """Each row is called with its rate: the same row twice, called and not, by weight."""
        rate = np.where(truth == 1, recall, alarms)
        both, called = np.r_[truth, truth], np.r_[np.ones(4000), np.zeros(4000)]
        return value(both, called, sample_weight=np.r_[weight * rate, weight * (1 - rate)])

    assert expected(0.5, false) == pytest.approx(expected(recall, alarms), abs=1e-9)


@pytest.mark.parametrize("shape", worlds.ERRORS)
def test_errors_have_the_sizes_that_they_are_scaled_by(shape):
    draw, size, root = worlds.ERRORS[shape]
    drawn = draw(cell.generator_of("errors", 0), 4_000_000)
    assert np.abs(drawn).mean() == pytest.approx(size, rel=0.005)
    assert np.sqrt(np.square(drawn).mean()) == pytest.approx(root, rel=0.08 if shape == "t3" else 0.02)


def test_autoregressive_errors_have_their_correlation():
    series = worlds.autoregressive(400_000, 0.8, cell.generator_of("series", 0))
    assert np.corrcoef(series[1:], series[:-1])[0, 1] == pytest.approx(0.8, abs=0.01)
    assert series.std() == pytest.approx(1, abs=0.02)


def test_every_two_groups_are_left_out_together_once_a_deal():
    turns = learners.rounds(6)
    pairs = [frozenset(pair) for turn in turns for pair in turn]
    assert len(turns) == 5 and len(set(pairs)) == len(pairs) == 15
    assert all(sorted(group for pair in turn for group in pair) == list(range(6)) for turn in turns)


def sample_and_splits(splits):
    sample = learners.Sample.drawn(cell.generator_of("some sample", 0), 60)
    return sample, learners.random_splits(sample.truth, splits, cell.generator_of("some splits", 0))


def test_naive_bayes_is_scikit_learns():
    from sklearn.naive_bayes import GaussianNB

    sample, tested = sample_and_splits(3)
    found = learners.naive_bayes(sample.halves[0], sample.truth, tested)
    for scores, rows_tested in zip(found, tested, strict=True):
        fitted = GaussianNB(var_smoothing=0).fit(sample.halves[0][~rows_tested], sample.truth[~rows_tested])
        np.testing.assert_allclose(scores, fitted.predict_proba(sample.halves[0])[:, 1], rtol=1e-9)


@pytest.mark.parametrize("learner", learners.LEARNERS.values(), ids=learners.LEARNERS)
def test_a_learner_knows_only_what_it_was_trained_on(learner):
    sample, tested = sample_and_splits(2)
    turned = np.where(tested[0], 1 - sample.truth, sample.truth)
    found, again = (learner(sample.halves[0], truth, tested) for truth in (sample.truth, turned))
    np.testing.assert_array_equal(found[0], again[0])
    assert (found[1] != again[1]).any() and found.min() > 0 and found.max() < 1


@pytest.mark.parametrize("k", [3, 15])
def test_nearest_neighbours_are_scikit_learns(k):
    from sklearn.neighbors import KNeighborsClassifier

    sample, (tested,) = sample_and_splits(1)
    found = learners.nearest_neighbours(sample.halves[0], sample.truth, tested[None], k)[0]
    fitted = KNeighborsClassifier(k).fit(sample.halves[0][~tested], sample.truth[~tested])
    theirs = k * fitted.predict_proba(sample.halves[0][tested])[:, 1]
    np.testing.assert_allclose(found[tested], (theirs + 1) / (k + 2), rtol=1e-9)


def test_splits_are_stratified():
    truth, generator = np.arange(200) % 2, cell.generator_of("some splits", 0)
    tested = learners.repeated_folds(truth, 10, 2, generator)
    assert tested.shape == (20, 200) and (tested[:10].sum(axis=0) == 1).all()
    assert set(tested[:, truth == 1].sum(axis=1)) == {10}
    assert set(learners.random_splits(truth, 5, generator)[:, truth == 1].sum(axis=1)) == {34}

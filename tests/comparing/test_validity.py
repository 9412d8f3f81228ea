"""The simulation behind docs/validity.md: its machinery works, and it tells a broken test from a valid one."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks.validity import __main__ as validity
from benchmarks.validity import learners, measuring, optimism, rows, several_models
from benchmarks.validity.judging import exceptions
from benchmarks.validity.page import page
from benchmarks.validity.populations import COMMON, PLAIN, Maker, draw, of_equal_value
from benchmarks.validity.sentences import sentences
from benchmarks.validity.splits import OUT_OF_FOLD
from referee import metrics
from referee.comparing import Comparison, Contender, SignificanceTest, tests
from referee.comparing.decision import CorrectedScore
from referee.comparing.design_choice import REASONS


@pytest.fixture(scope="module")
def quick():
    return validity.quick_results()


def always_sure(_a, _b, design):
    return Comparison(0.1, 0.01, design.outcome(0.1, 0.01))


def never_sure(*_):
    return Comparison(0.0, 1.0, "tie")


def rates(compare, data_sets=200):
    """What is found of a test that is taken for the product's own choice on rows."""
    test = compare
    if not isinstance(compare, SignificanceTest):
        told = {"question": "?", "hypothesis": "?", "takes": "rows", "designs": ("rows",), "assumptions": ()}
        test = SignificanceTest(title=compare.__name__, compare=compare, **told)
    one = partial(
        rows.one_test_set, COMMON, 100, {"accuracy": PLAIN}, (rows.Entrant(test, ("accuracy",)),),
        measuring.FALSE_WINNER,
    )  # fmt: skip
    return measuring.run(measuring.Experiment("rows", "n = 100", rows.EQUALLY_NOISY, one, data_sets, (test.name,)))


def result(value, *, part="rows", measure=measuring.FALSE_WINNER, default=True):
    return measuring.Result(part, "here", "equal", "some_test", "accuracy", measure, "", value, 0.005, 2000, default)


@pytest.mark.parametrize("compare", [always_sure, never_sure])
def test_a_broken_default_is_marked_and_named(compare):
    found = rates(compare)
    assert [one.test for one in exceptions(found)] == [compare.__name__]
    text = page(found)
    assert "(!)" in text and f"- {compare.__name__}: false winner" in text


def test_a_valid_default_is_not_marked():
    found = rates(tests["influence"])
    assert exceptions(found) == []
    assert "None." in page(found)


@pytest.mark.parametrize(
    ("value", "part", "measure", "broken"),
    [
        (0.05, "rows", measuring.FALSE_WINNER, False),
        (0.019, "rows", measuring.FALSE_WINNER, True),
        (0.071, "rows", measuring.FALSE_WINNER, True),
        (0.019, "splits", measuring.FALSE_WINNER, False),
        (0.071, "splits", measuring.FALSE_WINNER, True),
        (0.0, "several models", measuring.FALSE_WINNER, False),
        (0.92, "several models", several_models.KEEPS_ALL, True),
        (0.99, "several models", several_models.KEEPS_ALL, False),
        (0.92, "intervals of a difference", measuring.COVERAGE, True),
        (0.98, "intervals of a difference", measuring.COVERAGE, True),
        (0.95, "intervals of a difference", measuring.COVERAGE, False),
        (0.5, "rows", measuring.POWER, False),
    ],
)
def test_what_is_promised(value, part, measure, broken):
    assert bool(exceptions([result(value, part=part, measure=measure)])) == broken
    assert not exceptions([result(value, part=part, measure=measure, default=False)])


NOT_IN_THE_GRID = {
    "diebold_mariano": "needs rows in time",
    "bayes_hierarchical": "has a posterior, no p",
    "leave_two_out_t": "has a grid of its own: docs/simulations/procedure_tests.md",
}


def test_the_quick_run_measures_every_test(quick):
    measured = {name.partition("(")[0] for name in sentences(quick)}
    assert measured == set(tests) - set(NOT_IN_THE_GRID)
    assert all(0 <= one.value <= 1 for one in quick if one.part != "corrected score")
    assert {"corrected score", "subsets dealt again"} <= {one.part for one in quick}
    assert page(quick).count("\n## ") == 8


def test_the_page_is_made_of_the_stored_results():
    results = validity.all_of(validity.stored())
    assert validity.PAGE.read_text(encoding="utf-8") == page(results)
    assert json.loads(validity.RESULTS.read_text(encoding="utf-8"))["measured"] == sentences(results)


def test_what_the_guide_says_is_left_of_the_optimism_was_measured():
    results = [one for one in validity.all_of(validity.stored()) if one.part == "corrected score"]
    of = {(one.setting, one.situation, one.measure): one.value for one in results}
    raw = {key: value for key, value in of.items() if key[2] == optimism.RAW}
    left = [of[(*key[:2], optimism.CORRECTED)] / value for key, value in raw.items()]
    said = f"{100 * min(left):.0f} to {100 * max(left):.0f}% of the optimism"
    guide = Path(validity.PAGE).parent / "guide" / "compare.md"
    for text in (guide.read_text(encoding="utf-8"), CorrectedScore.__doc__):
        assert said in " ".join(text.split())


def test_the_range_of_out_of_fold_files_is_the_measured_one():
    """What the verdict says of them is what the stored results say, over all learners and metrics."""
    rates = [
        100 * result.value
        for result in validity.all_of(validity.stored())
        if (result.test, result.design, result.measure) == ("influence", OUT_OF_FOLD, measuring.FALSE_WINNER)
    ]
    assert len(rates) >= 18
    low, high = re.search(r"in (\d+) to (\d+)% of simulated files", REASONS["out_of_fold"]).groups()
    assert (int(low), int(high)) == (round(min(rates)), round(max(rates)))


def test_data_sets_do_not_depend_on_each_other(monkeypatch):
    few, more = (rates(tests["influence"], number)[0].value * number for number in (20, 60))
    monkeypatch.setattr(measuring, "AT_ONCE", 7)
    assert [rates(tests["influence"], number)[0].value * number for number in (20, 60)] == [few, more]


def test_what_does_not_count_is_left_out():
    key = measuring.Key("some_test", "accuracy", measuring.FALSE_WINNER)
    one = measuring.Experiment("rows", "here", "equal", dict, 4)
    (found,) = measuring.summarised(one, [{key: 1.0}, {key: 0.0}, {key: np.nan}, {}])
    assert (found.value, found.data_sets, found.standard_error) == (0.5, 2, pytest.approx(0.125**0.5))


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "log_loss"])
def test_models_of_different_shape_are_equal(metric):
    rival = of_equal_value(COMMON, metric, 100_000)
    predictions = draw(COMMON, 100_000, {"a": PLAIN, "b": rival}, measuring.generator_of("another sample", 0))
    a, b = (Contender(predictions, model, metrics[metric]) for model in predictions.models)
    error = a.spread_of_difference(b).standard_error
    assert rival != Maker() and abs(a.value - b.value) < 4 * error


def test_naive_bayes_is_scikit_learns():
    from sklearn.naive_bayes import GaussianNB

    sample = learners.Sample.drawn(measuring.generator_of("some sample", 0), 60)
    tested = learners.random_splits(sample.truth, 3, measuring.generator_of("some splits", 0))
    found = learners.naive_bayes(sample.halves[0], sample.truth, tested)
    for scores, rows_tested in zip(found, tested, strict=True):
        fitted = GaussianNB(var_smoothing=0).fit(sample.halves[0][~rows_tested], sample.truth[~rows_tested])
        np.testing.assert_allclose(scores, fitted.predict_proba(sample.halves[0])[:, 1], rtol=1e-9)


@pytest.mark.parametrize("learner", learners.LEARNERS.values(), ids=learners.LEARNERS)
def test_a_learner_knows_only_what_it_was_trained_on(learner):
    sample = learners.Sample.drawn(measuring.generator_of("some sample", 0), 60)
    tested = learners.random_splits(sample.truth, 2, measuring.generator_of("some splits", 0))
    turned = np.where(tested[0], 1 - sample.truth, sample.truth)
    found, again = (learner(sample.halves[0], truth, tested) for truth in (sample.truth, turned))
    np.testing.assert_array_equal(found[0], again[0])
    assert (found[1] != again[1]).any() and found.min() > 0 and found.max() < 1


def test_nearest_neighbours_are_scikit_learns():
    from sklearn.neighbors import KNeighborsClassifier

    sample = learners.Sample.drawn(measuring.generator_of("some sample", 0), 60)
    (tested,) = learners.random_splits(sample.truth, 1, measuring.generator_of("some splits", 0))
    found = learners.nearest_neighbours(sample.halves[0], sample.truth, tested[None])[0]
    fitted = KNeighborsClassifier(3).fit(sample.halves[0][~tested], sample.truth[~tested])
    np.testing.assert_allclose(
        found[tested], (3 * fitted.predict_proba(sample.halves[0][tested])[:, 1] + 1) / 5, rtol=1e-9
    )


def test_splits_are_stratified():
    truth, generator = np.arange(200) % 2, measuring.generator_of("some splits", 0)
    tested = learners.repeated_folds(truth, 10, 2, generator)
    assert tested.shape == (20, 200) and (tested[:10].sum(axis=0) == 1).all()
    assert set(tested[:, truth == 1].sum(axis=1)) == {10}
    assert set(learners.random_splits(truth, 5, generator)[:, truth == 1].sum(axis=1)) == {34}

"""The paper's experiment: its parts against scikit-learn and SciPy, and all of it from data to tables."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_1samp
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, log_loss, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from referee import metrics
from referee.comparing import tests
from referee.errors import CheckpointError, ModelError, UndefinedError, UsageError
from referee.fitting import Rows, Store
from referee.paper import CLAIMS, run
from referee.paper.experiment import Repeating, Unit, repeat_all
from referee.paper.outcomes import average_of_five
from referee.paper.settings import FIVE, PAPER_PAIRS, Pair, Sample, Settings, predicted
from referee.paper.subsets import compared, deal, decided, values_on
from tests.made_up_study import SMALL, made_up_data
from tests.stored_digest import digest_of

pytestmark = pytest.mark.usefixtures("fits_here")


@pytest.fixture(scope="module")
def example():
    """Truth, scores with many ties, and how the rows are dealt out."""
    draw = np.random.default_rng(1)
    truth = (draw.random(1500) < 0.3).astype(int)
    scores = np.clip(draw.normal(0.35 + 0.25 * truth, 0.2), 0.1, 0.9).round(1)
    settings = Settings(**SMALL)
    return truth, scores, settings, deal(Rows(1500, labels=truth), settings, 1)


def by_sklearn(truth, scores):
    decided = scores >= 0.5
    return {
        "accuracy": accuracy_score(truth, decided),
        "roc_auc": roc_auc_score(truth, scores),
        "f_beta": f1_score(truth, decided),
        "rms": brier_score_loss(truth, scores) ** 0.5,
        "log_loss": log_loss(truth, scores),
    }


def test_metrics_of_subsets_equal_scikit_learn(example):
    truth, scores, settings, dealt = example
    y, s = truth[dealt.others], scores[dealt.others]
    values = values_on(y, s, 1, dealt, settings.measured)
    checked = 0
    for partition, units in dealt.places.values():
        for unit in range(units.start, units.stop):
            rows = dealt.codes[partition] == unit
            expected = by_sklearn(y[rows], s[rows])
            np.testing.assert_allclose(values[:, partition, unit], [expected[name] for name in FIVE], rtol=1e-12)
            checked += 1
    assert checked == 30


def test_tied_scores_within_a_subset_are_in_the_example(example):
    _, scores, _, dealt = example
    one = scores[dealt.others][dealt.codes[0] == 0]
    assert len(np.unique(one)) < len(one) / 4


def test_mxe_believes_no_probability_below_the_clip(example):
    truth, _, _, dealt = example
    y = truth[dealt.others]
    wrong = values_on(y, 1.0 - y, 1, dealt, Settings(**SMALL).measured)[FIVE.index("log_loss")]
    np.testing.assert_allclose(wrong[3, 0], -np.log(1e-6), rtol=1e-12)


def test_the_average_of_five_is_the_metric_of_that_name(example):
    truth, scores, settings, dealt = example
    y, s = truth[dealt.others], scores[dealt.others]
    five = values_on(y, s, 1, dealt, settings.measured)
    weights, constant = average_of_five(settings, 0.3)
    ours = np.tensordot(weights, five, axes=1) + constant
    for unit in range(5):
        rows = dealt.codes[2] == unit
        assert ours[2, unit] == pytest.approx(metrics["paper_average"](y[rows], s[rows]), rel=1e-12)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.8])
def test_the_normalised_average_is_0_for_guessing_and_1_for_perfection(share):
    weights, constant = average_of_five(Settings(average="normalised"), share)
    truth = np.arange(1000) < 1000 * share
    prior = np.full(1000, share)
    guessing = by_sklearn(truth, prior) | {"accuracy": max(share, 1 - share), "f_beta": f1_score(truth, prior >= 0)}
    assert weights @ [guessing[name] for name in FIVE] + constant == pytest.approx(0, abs=1e-12)
    assert weights @ [1, 1, 1, 0, 0] + constant == pytest.approx(1)


def test_outcomes_equal_scipy():
    draw = np.random.default_rng(2)
    gains = draw.normal(0.02, 0.1, size=(300, 50)).round(1)
    expected_t, expected_sign = [], []
    for row in gains:
        expected_t.append(np.sign(row.mean()) if ttest_1samp(row, 0).pvalue < 0.05 else 0)
        wins, losses = (row > 0).sum(), (row < 0).sum()
        significant = binomtest(wins, wins + losses).pvalue < 0.05
        expected_sign.append(np.sign(wins - losses) if significant else 0)
    assert decided(gains, "t").tolist() == expected_t
    assert decided(gains, "sign").tolist() == expected_sign
    assert set(expected_t) == {-1, 0, 1}
    assert set(expected_sign) >= {0, 1}


@pytest.mark.parametrize("test", ["t", "sign"])
@pytest.mark.parametrize("gains", [[0.0] * 20, [0.1] * 20, [-0.1] * 4, [0.0] * 19 + [0.5], [1.0, -1.0] * 5])
def test_degenerate_outcomes_are_those_of_the_tests(test, gains):
    entry = tests["paired_t" if test == "t" else "sign"]
    expected = entry(gains, [0.0] * len(gains)).outcome
    assert {1: "a", -1: "b", 0: "tie"}[int(decided(np.array(gains), test))] == expected


def test_rows_are_dealt_out_as_the_paper_says():
    truth = (np.random.default_rng(0).random(2000) < 0.25).astype(int)
    settings = Settings(test_subsets=100, holdout_subsets=50)
    dealt = deal(Rows(2000, labels=truth), settings, 1)
    assert len(dealt.train) == 200
    assert sorted([*dealt.train, *dealt.others]) == list(range(2000))
    assert abs(truth[dealt.train].mean() - truth.mean()) < 1 / 200
    assert np.bincount(dealt.codes[4]).tolist() == [900, 900]
    for partition, units in dealt.places.values():
        mine = np.isin(dealt.codes[partition], np.arange(units.start, units.stop))
        sizes = np.bincount(dealt.codes[partition][mine])[units]
        positives = np.bincount(dealt.codes[partition][mine], truth[dealt.others][mine])[units]
        assert set(sizes) == {18}
        assert np.ptp(positives) <= 1
    assert (dealt.codes[0] != dealt.codes[1]).mean() > 0.9


def test_repetitions_differ_and_may_keep_their_training_rows():
    truth = np.arange(900) % 3 == 0
    rows = Rows(900, labels=truth.astype(int))
    first, second = (deal(rows, Settings(**SMALL), number) for number in (1, 2))
    assert set(first.train) != set(second.train)
    kept = [deal(rows, Settings(**SMALL, retrain=False), number) for number in (1, 2)]
    assert kept[0].train.tolist() == kept[1].train.tolist()
    assert (kept[0].codes[0] != kept[1].codes[0]).any()


def test_identical_models_never_differ(example):
    truth, scores, settings, dealt = example
    found = compared(truth[dealt.others], scores[dealt.others], scores[dealt.others], 1, dealt, settings.measured)
    assert not found["differences"].any()


def sample_of(data, seed=0):
    train = np.arange(0, data.rows, 2)
    other = np.arange(1, data.rows, 2)
    return Sample(data.features, data.X[train], data.target[train], data.X[other], data.positive, seed)


def test_pairs_predict_as_scikit_learn_does():
    data = made_up_data()["numbers"]
    sample = sample_of(data)
    low, high = sample.X_train.min(axis=0), sample.X_train.max(axis=0)
    scaled = [(rows - low) / (high - low) for rows in (sample.X_train, sample.X_test)]
    for k, found in zip((5, 50), predicted(PAPER_PAIRS[1], sample), strict=True):
        share = KNeighborsClassifier(k).fit(scaled[0], sample.y_train).predict_proba(scaled[1])[:, data.positive]
        expected = (k * share + 1 / len(scaled[0])) / (k + 2 / len(scaled[0]))
        # scikit-learn has exactly k neighbours, also where others are as near as the last: seldom.
        assert (np.abs(found - expected) < 1e-9).mean() > 0.9
        assert np.ptp(expected) > 0.5
    densities = Pair("naive_bayes", "naive_bayes(attributes={first})", "naive_bayes(attributes={second})")
    both = predicted(densities.on((2, 4)), sample)
    for columns, found in zip((2, 4), both, strict=True):
        model = GaussianNB().fit(sample.X_train[:, :columns], sample.y_train)
        expected = model.predict_proba(sample.X_test[:, :columns])[:, data.positive]
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_trees_are_one_grown_tree_and_its_pruned_form():
    for data in made_up_data().values():
        sample = sample_of(data, seed=3)
        pruned, grown = predicted(PAPER_PAIRS[0], sample)
        assert not np.array_equal(pruned, grown)
        swapped = predicted(Pair("tree", PAPER_PAIRS[0].b, PAPER_PAIRS[0].a), sample)
        assert np.array_equal(swapped[0], grown)
        assert np.array_equal(swapped[1], pruned)


def test_two_repetitions_of_everything(referee, shared):
    folder = shared / "data" / "uci"
    if not folder.is_dir():
        pytest.skip(f"the UCI data sets are missing: there is no folder {folder}")
    found = referee("study", "--data", folder, "--repetitions", 2, "--quiet")
    assert found.code == 0, found.err
    body = found.json
    assert list(body["tables"]) == list("1234567")
    assert set(body["tables"]["7"]["values"]["accuracy"]) == {*FIVE, "paper_average"}
    assert set(body["tables"]["5"]["values"]["adult"]) == {"tree", "knn", "naive_bayes"}
    assert body["tables"]["5"]["paper"]["adult"]["tree"] == {"accuracy": 0.97, "roc_auc": 0.62}
    assert body["tables"]["1"]["values"]["kr-vs-kp"]["rows"] == 3196
    assert body["figure_1"]["pen-digits"]["positive"] == "0,1,2"
    assert body["figure_1"]["pen-digits-other"]["positive"] == "7,8,9"
    assert len(CLAIMS) == 34
    assert 30 <= len(body["claims"]) <= 34, "two repetitions may have no tie where ties are asked about"
    assert [notice["code"] for notice in body["warnings"]] == ["W_NOTWHOLE"]
    assert "2 of its 100 repetitions" in body["warnings"][0]["message"]
    assert {one["verdict"] for one in body["claims"]} <= {"reproduced", "partly", "not"}
    assert all(one["rule"] and one["count"] and one["where"] for one in body["claims"])


@pytest.mark.usefixtures("in_workers")
def test_any_number_of_processes_and_a_resumed_run_give_the_same_bytes(tmp_path):
    data = made_up_data()
    whole = run(data, repetitions=3, store=tmp_path / "whole", **SMALL).to_json()
    assert run(data, repetitions=3, jobs=2, **SMALL).to_json() == whole
    run(data, repetitions=1, store=tmp_path / "parts", **SMALL)
    assert run(data, repetitions=3, store=tmp_path / "parts", **SMALL).to_json() == whole
    stores = [Store.read(tmp_path / name) for name in ("whole", "parts")]
    assert len({digest_of(store, without=["seconds"]) for store in stores}) == 1
    for store in stores:
        store.close()


KILLED = """
import sys
from tests.made_up_study import SMALL, made_up_data
from referee.paper import run
run(made_up_data(), repetitions=40, store=sys.argv[1], **SMALL)
"""


def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path):
    folder = tmp_path / "run"
    root = Path(__file__).parents[2]
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(folder)], cwd=root, start_new_session=True)
    deadline = time.monotonic() + 120
    while not (kept := records_in(folder)) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kept = records_in(folder)
    assert kept
    repetitions = 1 + max(int(key.rpartition(" ")[2]) for key in kept)
    data = made_up_data()
    resumed = run(data, repetitions=repetitions, store=folder, **SMALL)
    assert resumed.to_json() == run(data, repetitions=repetitions, **SMALL).to_json()


def records_in(folder):
    try:
        store = Store.read(folder)
    except CheckpointError:
        return []
    try:
        return store.keys()
    finally:
        store.close()


def test_only_repartitioning_keeps_the_models():
    study = run(made_up_data(), repetitions=3, retrain=False, **SMALL)
    for case in study.cases:
        whole = case.partitions["test_sets", "goal"].whole_a
        assert np.ptp(whole, axis=0).max() < 1e-9


def test_what_is_chosen_after_the_fits_needs_no_new_ones(tmp_path):
    data = made_up_data()
    first = run(data, repetitions=2, store=tmp_path, **SMALL)
    other = run(data, repetitions=2, store=tmp_path, average="normalised", ties="strict", **SMALL)
    assert all(first.repeated[unit]["seconds"] == record["seconds"] for unit, record in other.repeated.items())
    assert first.tables_of_other_average[7].values == other.tables[7].values
    assert first.tables[2].more["other_ties"]["strict"] == other.tables[2].values
    with pytest.raises(CheckpointError, match="configuration"):
        run(data, repetitions=2, store=tmp_path, clip=0.01, **SMALL)
    with pytest.raises(CheckpointError, match="seed"):
        run(data, repetitions=2, store=tmp_path, seed=1, **SMALL)


def test_eight_metrics_and_another_pair():
    pairs = (*PAPER_PAIRS, Pair("linear", "logistic", "dummy"))
    study = run(made_up_data(), repetitions=2, metrics="eight", pairs=pairs, tables=(5, 7), **SMALL)
    assert {"lift", "break_even_point", "average_precision", "paper_average"} < set(study.tables[7].values)
    assert "linear" in study.tables[5].values["mixed"]
    assert not [one for one in study.claims if one.claim.where == "Table 6"]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"tables": (8,)}, UsageError, "Tables 1 to 7"),
        ({"ties": "no"}, UsageError, "half, strict, excluded"),
        ({"train": 0.7}, UsageError, "no row to test on"),
        ({"holdout_subsets": 200}, UndefinedError, "rarer class"),
        ({"clip": 0.0}, UsageError, "clip=0 must be above 0"),
        ({"pen_digits": ()}, UsageError, "no pen digit"),
        ({"train": 0.001}, UndefinedError, "no training row of the rarer class"),
        ({"pairs": (Pair("knn", "knn(k=5)", "knn(k=5000)"),)}, UndefinedError, r"numbers: knn\(k=5000\) asks for more"),
        ({"download": True}, UsageError, "download="),
        ({"pairs": (Pair("svm", "sklearn.svm:LinearSVC", "dummy"),)}, UsageError, "predict_proba"),
        ({"pairs": (Pair("knn", "knn(k=5)", "knn(k=5)"),)}, UsageError, "more than once"),
    ],
)
def test_what_cannot_be_done_is_refused(given, error, words):
    with pytest.raises(error, match=words):
        run(made_up_data(), **{"repetitions": 1, **SMALL, **given})


def test_a_model_that_fails_is_named_with_its_repetition():
    pairs = (Pair("counts", "sklearn.naive_bayes:MultinomialNB", "dummy"),)
    data = {"numbers": made_up_data()["numbers"]}
    with pytest.raises(ModelError, match=r"numbers, repetition 00001: ValueError: Negative values") as caught:
        run(data, repetitions=1, pairs=pairs, **SMALL)
    assert "Traceback" not in (caught.value.hint or "")


def test_errors_for_users_keep_their_kind_in_workers(monkeypatch):
    """Half of the values undefined is no model's failure: exit 4, not 5."""

    def refused(*_):
        raise UndefinedError("E_SUBSETS", "undefined on a subset")

    monkeypatch.setattr("referee.paper.experiment.compared", refused)
    work = Repeating({"numbers": made_up_data()["numbers"]}, {"numbers": PAPER_PAIRS[:1]}, Settings(**SMALL))
    answer = work(Unit("numbers", 1))
    assert isinstance(answer, UndefinedError)
    monkeypatch.setattr(
        "referee.paper.experiment.run_units", lambda units, *_, **__: (one for one in [(units[0], answer)])
    )
    with pytest.raises(UndefinedError, match="undefined on a subset"):
        repeat_all(work)


def test_what_is_not_the_papers_experiment_is_said():
    study = run(made_up_data(), repetitions=2, tables=(5,), alpha=0.1, **SMALL)
    (notice,) = study.warnings
    for words in ("0 of its 15 cases", "6 cases that it does not have", "2 of its 100", "train 0.3", "alpha 0.1"):
        assert words in notice.message
    assert {one["alpha"] for one in study.to_dict()["beyond_the_paper"]["contests"]} == {0.1}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--tables", "two"), "'two' is not the number of a table"),
        (("--tables", "5-9"), "Tables 1 to 7"),
        (("--data-sets", "iris"), "no data set 'iris'"),
        (("--data-sets", ""), "no data set is named"),
        (("--pen-digits", ""), "no pen digit is positive"),
        (("--download",), "--download fetches into the cache"),
        (("--clip", "0"), "clip=0"),
        (("--pair", "knn"), "NAME=SPEC,SPEC"),
        (("--metrics", "ten"), "paper, eight"),
    ],
)
def test_the_command_line_says_what_is_wrong(referee, tmp_path, arguments, words):
    found = referee("study", "--data", tmp_path, *arguments, form=None)
    assert found.code == 2
    assert words in found.err

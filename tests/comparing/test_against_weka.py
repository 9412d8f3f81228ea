"""The outcomes of Weka 3.6.14's two paired testers on the Experimenter's 10 x 10-fold scores.

No row is left out: on these scores no two schemes are equal in all folds.
"""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from referee.comparing import tests

COLUMNS = {
    "Percent_correct": "percent_correct",
    "Area_under_ROC": "area_under_roc",
    "Root_mean_squared_error": "root_mean_squared_error",
}
"""The scores of Weka's other two metrics (F, kappa) are not in the file."""
WHO = {1: "a", -1: "b", 0: "tie"}


def same(expected):
    return pytest.approx(expected, rel=1e-9, abs=0)


@pytest.fixture(scope="module")
def scores(reference):
    with (reference / "weka/experimenter_10x10_scores.csv").open() as file:
        rows = list(csv.DictReader(file))

    def of(dataset, scheme, column):
        return np.array([float(row[column]) for row in rows if (row["dataset"], row["scheme"]) == (dataset, scheme)])

    return of


@pytest.fixture(scope="module")
def outcomes(reference):
    found = json.loads((reference / "weka/experimenter_ttests.json").read_text())
    return [one for one in found if one["metric"] in COLUMNS]


def of_tester(outcomes, tester):
    chosen = [one for one in outcomes if one["tester"] == tester]
    assert len(chosen) == 300
    return chosen


def compare(scores, one, test, **options):
    x, y = (scores(one["dataset"], one[scheme], COLUMNS[one["metric"]]) for scheme in ("x", "y"))
    return tests[test](x, y, **options)


def sizes(scores, one):
    columns = {"n_train": "number_of_training_instances", "n_test": "number_of_testing_instances"}
    return {name: scores(one["dataset"], one["x"], column) for name, column in columns.items()}


def assert_same(ours, one):
    assert ours.units == one["n"]
    assert ours.difference == pytest.approx(one["diff_mean"], rel=1e-9, abs=1e-12 * abs(one["x_mean"]))
    assert ours.statistic == same(one["t"])
    assert ours.p == same(one["p"])
    assert ours.outcome == WHO[one["significance"]]


def test_paired(scores, outcomes):
    for one in of_tester(outcomes, "PairedTTester"):
        assert_same(compare(scores, one, "paired_t"), one)


def test_paired_corrected(scores, outcomes):
    """Weka's degrees of freedom are the number of scores less 1: the default where nobody tells of folds."""
    for one in of_tester(outcomes, "PairedCorrectedTTester"):
        ours = compare(scores, one, "corrected_resampled_t", **sizes(scores, one))
        assert ours.df == 99
        assert_same(ours, one)


def test_repeated_folds_have_fewer_degrees_of_freedom_unless_named(scores, outcomes):
    for one in of_tester(outcomes, "PairedCorrectedTTester")[::10]:
        options = sizes(scores, one) | {"folds": 10, "repeats": 10}
        ours = compare(scores, one, "corrected_resampled_t", **options)
        assert ours.df == 9
        assert ours.statistic == same(one["t"])
        assert ours.p > one["p"]
        assert_same(compare(scores, one, "corrected_resampled_t(df=99)", **options), one)


def test_the_bayesian_test_without_a_rope_is_half_of_the_p(scores, outcomes):
    """Corani and Benavoli (2015): the posterior of the mean is the t distribution of the corrected test."""
    for one in of_tester(outcomes, "PairedCorrectedTTester")[::10]:
        ours = compare(scores, one, "bayes_correlated_t", rope=0, **sizes(scores, one))
        worse = ours.details["b_better" if one["t"] > 0 else "a_better"]
        assert worse == same(one["p"] / 2)


def test_the_share_of_test_rows_says_as_much_as_their_numbers(scores, outcomes):
    for one in of_tester(outcomes, "PairedCorrectedTTester")[::10]:
        rows = sizes(scores, one)
        share = rows["n_test"] / (rows["n_train"] + rows["n_test"])
        assert_same(compare(scores, one, "corrected_resampled_t", test_fraction=share), one)

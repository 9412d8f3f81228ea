"""Tables of scores as autorank, scikit-posthocs and baycomp take them: the same numbers where the test is the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from referee import compare, tests

SIGNED_RANK = json.loads((Path(__file__).parents[1] / "reference/signed_rank.json").read_text())["found"]


@pytest.fixture(scope="module")
def peers(reference):
    return json.loads((reference / "rankings.json").read_text())


class TestAutorank:
    """The example of its README: 50 data sets, 6 models, in a frame."""

    def test_friedmans_p_and_the_mean_ranks(self, peers):
        theirs = peers["autorank"]
        found = tests["friedman"](pd.DataFrame(theirs["data"]))
        assert theirs["omnibus"] == "friedman"
        assert found.p == pytest.approx(theirs["p"], rel=1e-9)
        assert found.details["mean_ranks"] == pytest.approx(theirs["mean_ranks"])

    def test_the_verdict_has_its_critical_difference(self, peers):
        theirs = peers["autorank"]
        verdict = compare(pd.DataFrame(theirs["data"]), task="scores", rows="datasets")
        # autorank takes the quantile of the range from a table with few digits.
        assert verdict.across.details["critical_difference"] == pytest.approx(theirs["critical_difference"], rel=2e-5)
        assert verdict.across.details["mean_ranks"] == pytest.approx(theirs["mean_ranks"])
        # By its plot the three last are one group, and the first is outside of it.
        assert set(verdict.winners) == {"pop_3", "pop_4", "pop_5"}


class TestScikitPosthocs:
    """The example of its functions for blocks: 6 blocks, 3 groups."""

    def test_nemenyis_smallest_p(self, peers):
        theirs = peers["scikit_posthocs"]
        blocks = pd.DataFrame(theirs["blocks"], columns=[*"abc"])
        found = tests["nemenyi"](blocks)
        assert found.p == pytest.approx(np.min(theirs["nemenyi"]), rel=1e-6)
        different = np.argwhere(np.array(theirs["nemenyi"]) < 0.05)
        assert {frozenset(pair) for pair in found.details["pairs_that_differ"]} == {
            frozenset("abc"[place] for place in pair) for pair in different
        }


class TestBaycompOnManyDataSets:
    """Its signed-rank test by 200,000 draws; ours has 20,000: three standard errors are 0.011."""

    @pytest.mark.parametrize("theirs", SIGNED_RANK, ids=lambda found: f"{found['a']}-{found['b']}-{found['rope']}")
    def test_probabilities(self, peers, theirs):
        frame = pd.DataFrame(peers["autorank"]["data"])[[theirs["a"], theirs["b"]]]
        verdict = compare(frame, task="scores", rows="datasets", test=f"bayes_signed_rank(rope={theirs['rope']})")
        found = verdict.comparison(theirs["a"], theirs["b"]).details
        ours = [found["a_better"], found["practically_equal"], found["b_better"]]
        assert ours == pytest.approx(theirs["probabilities"], abs=0.012)


class TestBaycomp:
    """Two models on one data set, by 10 x 10 folds; a difference of a percentage point does not matter."""

    @pytest.mark.parametrize("name", ["breast-w", "ionosphere", "pima_diabetes"])
    def test_probabilities_on_a_data_set(self, peers, reference, name):
        left, equal, right = peers["baycomp"]["naive_bayes_j48"][name]
        scores = pd.read_csv(reference / "weka/experimenter_10x10_scores.csv").query("dataset == @name")
        verdict = compare(
            scores, task="scores", model_column="scheme", score_column="percent_correct", fold="fold", repeat="run",
            test_fraction=0.1, models=["NaiveBayes", "J48"], test="bayes_correlated_t(rope=1)",
        )  # fmt: skip
        found = verdict.comparison("NaiveBayes", "J48").details
        ours = [found["a_better"], found["practically_equal"], found["b_better"]]
        assert ours == pytest.approx([left, equal, right], abs=1e-9)

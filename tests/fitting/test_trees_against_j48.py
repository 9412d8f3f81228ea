"""C4.5 beside Weka's J48 on the folds of Weka's cross-validations and on splits of the paper's data sets.

Leaves, nodes and the probabilities of every row that was not trained on; docs/study/trees.md lists all trees.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from referee.fitting.estimators.c45 import C45Tree
from tests.one_estimator import estimator_of
from tests.reference.j48_splits import CASES, data_and_splits, digest, sampled

BY_WEKA = json.loads((Path(__file__).parents[1] / "reference/j48_splits.json").read_text())
SPECS = {"J48": "tree(like=c45, prune=true)", "J48-U": "tree(like=c45)"}


def grown(case, option, shared):
    """Of each split: the tree of the learner, that of the declared categories, its shares, and J48's values."""
    data, extra, splits = data_and_splits(shared / "data", shared / "reference/weka", case)
    sizes = tuple(len(feature.categories) + extra.get(feature.name, 0) for feature in data.features)
    for number, trained in enumerate(splits):
        seen, asked = data.X[trained], data.X[~trained]
        learner = estimator_of(SPECS[option], data.features, data.task).fit(seen, data.target[trained])
        declared = C45Tree(prune=option == "J48", categories=sizes).fit(seen, data.target[trained])
        yield learner, declared, learner.predict_proba(asked), BY_WEKA[f"{case}, {option}, {number}"]


@pytest.mark.parametrize(("case", "option"), [(case, option) for case, options in CASES.items() for option in options])
def test_trees_have_the_leaves_the_nodes_and_the_predictions_of_j48(case, option, shared):
    for learner, declared, shares, weka in grown(case, option, shared):
        assert len(shares) == weka["rows"]
        assert np.allclose(sampled(shares), weka["sample"], rtol=0, atol=1e-12)
        assert digest(shares) == weka["digest"]
        assert (declared.get_n_leaves(), declared.size) == (weka["leaves"], weka["size"])
        if case != "credit-g folds":
            assert (learner.get_n_leaves(), learner.size) == (weka["leaves"], weka["size"])


def test_the_reference_has_trees_that_pruning_changes():
    unpruned = {key.replace("J48-U", "J48"): tree["size"] for key, tree in BY_WEKA.items() if "J48-U" in key}
    assert sum(BY_WEKA[key]["size"] < size for key, size in unpruned.items()) > 15

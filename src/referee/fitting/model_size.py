"""How large a fitted model is, in the terms that people use of its kind."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np


def size_of(estimator: Any) -> dict[str, int]:
    """Measure a fitted estimator: leaves, trees, coefficients, support vectors, stored rows; and bytes as pickled.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> size_of(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))["leaves"]
    2
    """
    last = _last_step(estimator)
    measures = {
        "leaves": _leaves(last),
        "trees": _trees(last),
        "coefficients": _coefficients(last),
        "support_vectors": _counted(getattr(last, "n_support_", None)),
        "stored_rows": _stored_rows(last),
        "bytes": _bytes(estimator),
    }
    return {name: amount for name, amount in measures.items() if amount is not None}


def _last_step(estimator: Any) -> Any:
    while hasattr(estimator, "steps"):
        estimator = estimator.steps[-1][1]
    return estimator


def _members(model: Any) -> list[Any] | None:
    """The trees of an ensemble, whatever it calls them."""
    members = getattr(model, "_predictors", None) or getattr(model, "estimators_", None)
    if members is None:
        return None
    return [tree for row in members for tree in (row if isinstance(row, list | np.ndarray) else [row])]


def _trees(model: Any) -> int | None:
    members = _members(model)
    return None if members is None or _leaves(members[0]) is None else len(members)


def _leaves(model: Any) -> int | None:
    if hasattr(model, "get_n_leaf_nodes"):
        return int(model.get_n_leaf_nodes())
    if hasattr(model, "get_n_leaves"):
        return int(model.get_n_leaves())
    if hasattr(model, "tree_"):
        return _leaves(model.tree_)
    each = [_leaves(tree) for tree in _members(model) or ()]
    return sum(leaves or 0 for leaves in each) if any(each) else None


def _coefficients(model: Any) -> int | None:
    weights = getattr(model, "coef_", None)
    if weights is None:
        return None
    return int(np.size(weights) + np.size(getattr(model, "intercept_", ())))


def _counted(counts: Any) -> int | None:
    return None if counts is None else int(np.sum(counts))


def _stored_rows(model: Any) -> int | None:
    rows = getattr(model, "n_samples_fit_", None)
    return None if rows is None else int(rows)


def _bytes(estimator: Any) -> int | None:
    try:
        return len(pickle.dumps(estimator, protocol=5))
    except Exception:
        return None

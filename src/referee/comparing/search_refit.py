"""refit(): the simplest candidate of a search that may be the best, as scikit-learn's searches ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.comparing.verdicts import compare
from referee.errors import CallError
from referee.predictions import candidate_names, is_fold_scores, splits_of_search

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def refit(
    goal: str | None = None,
    *,
    simplest: Callable[[Mapping[str, Any]], Any] | None = None,
    test_fraction: float | None = None,
    alpha: float = 0.05,
) -> Callable[[Mapping[str, Any]], int]:
    """Choose the simplest candidate that cannot be told from the best: `GridSearchCV(..., refit=refit("accuracy"))`.

    Simplest is what comes first in the order of the candidates, so put simple values first; or what has the smallest
    `simplest(parameters)`. The splits are taken as those of a cross-validation that is not repeated, unless
    `test_fraction` says what share of the rows a split tests.

    >>> results = {"params": [{"depth": 1}, {"depth": 2}, {"depth": 9}]}
    >>> folds = [(0.5, 0.80, 0.81), (0.6, 0.88, 0.86), (0.5, 0.80, 0.82), (0.6, 0.85, 0.86), (0.5, 0.82, 0.81)]
    >>> results |= {f"split{place}_test_score": scores for place, scores in enumerate(folds)}
    >>> refit("accuracy")(results)
    1
    """

    def chosen(results: Mapping[str, Any]) -> int:
        if not is_fold_scores(results):
            given = "refit() is given no cv_results_ of a search"
            raise CallError("E_CALL", given, hint='write GridSearchCV(..., refit=referee.refit("accuracy"))')
        share = test_fraction or 1 / splits_of_search(results)
        verdict = compare(results, goal=goal, test_fraction=share, alpha=alpha)
        names = candidate_names(results["params"])
        may_be_best = [names.index(name) for name in verdict.winners or (verdict.best,)]
        key = (lambda place: simplest(results["params"][place])) if simplest else (lambda place: place)
        return min(may_be_best, key=key)

    return chosen

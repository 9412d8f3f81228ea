from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.scoring import RANKING, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import RankedLists, Sums

GAINS = {"linear": lambda relevance: relevance, "exponential": lambda relevance: np.exp2(relevance) - 1}


def row_terms(ranked: RankedLists, *, k: int | None = None, gain: str = "linear") -> dict[str, Array]:
    discount = np.where(ranked.within(k), 1 / np.log2(ranked.place + 1), 0)
    reached = ranked.relevance.totals(GAINS[gain](ranked.relevance.values) * ranked.over_ties(discount))
    possible = ranked.ideal.totals(GAINS[gain](ranked.ideal.values) * discount)
    return {"ndcg": np.minimum(reached / possible, 1)}


def value(sums: Sums) -> Array:
    return sums.mean("ndcg")


metric = Metric(
    title="Normalised discounted cumulative gain",
    question="How near is the order of a query's items to the best one, if the first places count most?",
    formula="mean over queries of DCG / DCG of the best order; DCG = sum over places of gain / log2(place + 1)",
    needs="scores",
    tasks=RANKING,
    better="higher",
    range=(0, 1),
    value=value,
    row_terms=row_terms,
    undefined_when="no item of a query is relevant",
    blind_to="items that were not judged or not ranked. Without k it is high for any order of a short list, so "
    "compare it with a random order",
    aliases=("normalized_discounted_cumulative_gain", "normalised_dcg"),
    related=("mean_average_precision", "mean_reciprocal_rank"),
    references=(
        "K. Järvelin and J. Kekäläinen (2002). Cumulated gain-based evaluation of IR techniques. ACM Transactions on "
        "Information Systems 20, 422-446",
        "C. Burges et al. (2005). Learning to rank using gradient descent. ICML 22, 89-96. The exponential gain",
        "F. McSherry and M. Najork (2008). Computing information retrieval performance measures efficiently in the "
        "presence of tied scores. ECIR 30, 414-421",
    ),
    parameters={
        "k": Parameter("how many of the first places count; none: all", low=1, whole=True, optional=True),
        "gain": Parameter(
            "the gain of a relevance r: r itself (linear) or 2^r - 1 (exponential)", choices=tuple(GAINS)
        ),
    },
    examples=(
        Example(
            truth=[10, 0, 0, 1, 5],
            prediction=[0.1, 0.2, 0.3, 4, 70],
            value=0.6956940443813076,
            source="scikit-learn's example of ndcg_score: 0.69...",
        ),
        Example(
            truth=[10, 0, 0, 1, 5],
            prediction=[1, 0, 0, 0, 1],
            value=0.75,
            source="scikit-learn's example of tied scores: (10 / 10 + 5 / 10) / 2",
            settings={"k": 1},
        ),
        Example(
            truth=[1, 0, 2],
            prediction=[3, 2, 1],
            value=(1 + 3 / 2) / (3 + 1 / log2(3)),
            source="by hand",
            settings={"gain": "exponential"},
        ),
    ),
)

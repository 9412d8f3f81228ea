from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.scoring import RANKING, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import RankedLists, Sums


def row_terms(ranked: RankedLists, *, k: int | None = None) -> dict[str, Array]:
    # Of tied items the first relevant one may stand at several places.
    behind = ranked.ahead + ranked.tied - ranked.place
    may_be_first = (ranked.hits > 0) & (ranked.hits_ahead == 0) & (behind >= ranked.hits - 1) & ranked.within(k)
    first = np.where(may_be_first, _share_of_orders(behind, ranked.hits, ranked.tied), 0)
    reached = np.minimum(ranked.relevance.totals(first / ranked.place), 1)
    return {"reciprocal_rank": np.where(ranked.hits_of_list > 0, reached, np.nan)}


def _share_of_orders(behind: Array, hits: Array, tied: Array) -> Array:
    """In which the first relevant item has so many tied ones behind it: C(behind, hits - 1) / C(tied, hits)."""
    from scipy.special import gammaln

    ways = gammaln(behind + 1) - gammaln(behind - hits + 2) - gammaln(hits)
    return np.exp(ways - (gammaln(tied + 1) - gammaln(tied - hits + 1) - gammaln(hits + 1)))


def value(sums: Sums) -> Array:
    return sums.mean("reciprocal_rank")


metric = Metric(
    title="Mean reciprocal rank",
    question="How far up is the first relevant item, on average over queries?",
    formula="mean over queries of 1 / place of the first relevant item",
    needs="scores",
    tasks=RANKING,
    better="higher",
    range=(0, 1),
    value=value,
    row_terms=row_terms,
    undefined_when="no item of a query is relevant",
    blind_to="all relevant items except the first, and degrees of relevance: all above 0 count the same",
    aliases=("mrr", "reciprocal_rank"),
    related=("mean_average_precision", "ndcg"),
    references=(
        "E. M. Voorhees (1999). The TREC-8 question answering track report. TREC 8, 77-82",
        "F. McSherry and M. Najork (2008). Computing information retrieval performance measures efficiently in the "
        "presence of tied scores. ECIR 30, 414-421",
    ),
    parameters={
        "k": Parameter(
            "how many of the first places count; a first relevant item below gives 0; none: all",
            low=1,
            whole=True,
            optional=True,
        )
    },
    examples=(
        Example(truth=[0, 0, 1, 1], prediction=[4, 3, 2, 1], value=1 / 3, source="by hand"),
        Example(
            truth=[0, 1, 0],
            prediction=[0.5, 0.5, 0.5],
            value=(1 + 1 / 2 + 1 / 3) / 3,
            source="by hand: at each of three places as often",
        ),
        Example(truth=[0, 0, 1, 1], prediction=[4, 3, 2, 1], value=0, source="by hand", settings={"k": 2}),
    ),
)

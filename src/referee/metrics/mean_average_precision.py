from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.scoring import RANKING, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import RankedLists, Sums


def row_terms(ranked: RankedLists, *, k: int | None = None) -> dict[str, Array]:
    # Where items are tied, a place holds a relevant one with some probability, and some of the others before it.
    share = ranked.hits / ranked.tied
    others_before = (ranked.place - ranked.ahead - 1) * (ranked.hits - 1) / np.maximum(ranked.tied - 1, 1)
    precision = share * (ranked.hits_ahead + 1 + others_before) / ranked.place
    total = ranked.relevance.totals(np.where(ranked.within(k), precision, 0))
    return {"average_precision": total / ranked.hits_of_list}


def value(sums: Sums) -> Array:
    return sums.mean("average_precision")


metric = Metric(
    title="Mean average precision",
    question="How pure is the list down to each relevant item, on average over queries?",
    formula="mean over queries of the average precision: sum over relevant items of relevant items down to its place / "
    "its place, over all relevant items",
    needs="scores",
    tasks=RANKING,
    better="higher",
    range=(0, 1),
    value=value,
    row_terms=row_terms,
    undefined_when="no item of a query is relevant",
    blind_to="degrees of relevance: all above 0 count the same. It assumes that a reader wants all relevant items; "
    "mean_reciprocal_rank looks at the first only",
    aliases=("map",),
    related=("ndcg", "mean_reciprocal_rank", "average_precision"),
    references=(
        "C. Buckley and E. M. Voorhees (2000). Evaluating evaluation measure stability. SIGIR 23, 33-40",
        "F. McSherry and M. Najork (2008). Computing information retrieval performance measures efficiently in the "
        "presence of tied scores. ECIR 30, 414-421",
    ),
    parameters={
        "k": Parameter(
            "how many of the first places count; relevant items further down are missed, as in trec_eval's map_cut; "
            "none: all",
            low=1,
            whole=True,
            optional=True,
        )
    },
    examples=(
        Example(
            truth=[1, 0, 1, 0, 1],
            prediction=[5, 4, 3, 2, 1],
            value=(1 + 2 / 3 + 3 / 5) / 3,
            source="by hand",
        ),
        Example(
            truth=[1, 0],
            prediction=[0.5, 0.5],
            value=0.75,
            source="by hand: first or second, each as often",
        ),
        Example(
            truth=[1, 0, 1, 0, 1],
            prediction=[5, 4, 3, 2, 1],
            value=(1 + 2 / 3) / 3,
            source="by hand",
            settings={"k": 3},
        ),
    ),
)

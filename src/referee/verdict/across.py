"""All models over several data sets at once: mean ranks, and how far they must be apart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.significance import tests

if TYPE_CHECKING:
    from referee.comparison import Comparison
    from referee.verdict.contest import Contest


def across_data_sets(contest: Contest) -> Comparison | None:
    """Friedman's test with Iman and Davenport's correction, and Nemenyi's critical difference."""
    names = list(contest.predictions.names)
    if contest.design.kind != "data_sets" or len(names) < 3:
        return None
    values = np.stack([contest.unit_values[name] for name in names])
    found = tests["iman_davenport"].apply(names, values, contest.design)
    nemenyi = tests["nemenyi"].apply(names, values, contest.design)
    return replace(found, details={**found.details, **nemenyi.details}, metric=contest.metric.full_name)


def too_far_from_the_best(across: Comparison) -> list[str]:
    """The models whose mean rank is worse than the best one's by more than the critical difference."""
    ranks = across.details["mean_ranks"]
    return [name for name, rank in ranks.items() if rank - min(ranks.values()) > across.details["critical_difference"]]

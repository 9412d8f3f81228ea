from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from referee.catalogue import Parameter
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def value(ranking: Ranking, *, top: float = 0.1) -> Array:
    hits = ranking.hits(top * (ranking.P + ranking.N))
    return hits / (top * ranking.P)


metric = Metric(
    title="Lift",
    question="How many times as many positives are at the top as a random choice would find?",
    formula="{hits_at_top:positives in the top rows} / ({top} x {positives}) = "
    "share of positives in the top rows / share of positives in all rows",
    needs="scores",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, inf),
    value=value,
    per_class=True,
    depends_on_prevalence=True,
    undefined_when="there is no positive row",
    blind_to="everything below the cut; its largest value, min(1 / top, rows / positives), "
    "depends on the share of positives",
    related=("ks", "precision", "average_precision"),
    references=(
        "G. Piatetsky-Shapiro and B. Masand (1999). Estimating campaign benefits and modeling lift. In KDD, 185-193",
        "R. Caruana and A. Niculescu-Mizil (2004). Data mining in metric space: an empirical analysis of supervised "
        "learning performance criteria. In KDD, 69-78",
    ),
    parameters={
        "top": Parameter(
            "the share of rows that is chosen; rows at the cut, tied or not, count in proportion",
            low=0,
            high=1,
            above=True,
        )
    },
    examples=(
        Example(
            truth=[1, 1, 0, 1, 1, 0, 1, 0, 0, 1],
            prediction=[0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742],
            value=10 / 6,
            source="the lecture's ROC table, by hand: the first row is P, as 6 of 10 are",
        ),
        Example(
            truth=[1, 1, 0, 1, 1, 0, 1, 0, 0, 1],
            prediction=[0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742],
            value=(4 / 5) / (6 / 10),
            source="the lecture's ROC table, by hand: 4 of the first 5",
            settings={"top": 0.5},
        ),
    ),
)

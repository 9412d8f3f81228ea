"""The paper's experiment: its data, its tables, and the same question asked of any data."""

from __future__ import annotations

from referee.paper.claim_rules import NOT, PARTLY, REPRODUCED
from referee.paper.claims import CLAIMS
from referee.paper.datasets import DATA_SETS
from referee.paper.experiment import run
from referee.paper.metric_contests import constant_ratios, contests
from referee.paper.outcome_confusions import Confusions, agreement_on_subsets, confusions
from referee.paper.own_data import study_own_data
from referee.paper.own_study import OwnStudy
from referee.paper.regret import Choice, mean_regrets
from referee.paper.settings import Settings, with_pairs
from referee.paper.study import OTHER_AVERAGE, OTHER_DIGITS, Study
from referee.paper.tables import (
    BY_CASE,
    BY_METRIC,
    TWO,
    Table,
    closeness,
    figure_1,
    mean_ratio,
    paper,
    paper_name,
    printed,
    remarks,
)

__all__ = [
    "BY_CASE", "BY_METRIC", "CLAIMS", "DATA_SETS", "NOT", "OTHER_AVERAGE", "OTHER_DIGITS", "PARTLY", "REPRODUCED",
    "TWO", "Choice", "Confusions", "OwnStudy", "Settings", "Study", "Table", "agreement_on_subsets", "closeness",
    "confusions", "constant_ratios", "contests", "figure_1", "mean_ratio", "mean_regrets", "paper", "paper_name",
    "printed", "remarks", "run", "study_own_data", "with_pairs",
]  # fmt: skip

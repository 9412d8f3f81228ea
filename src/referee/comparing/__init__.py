"""Comparing: scores are compared, and comparisons give a verdict."""

from __future__ import annotations

from referee.comparing.case import ALL_PAIRS, COMPARE_KEYWORDS, MANY, compare
from referee.comparing.checks import IN_GROUPS, splits_in_words
from referee.comparing.comparison import (
    DUST,
    Comparison,
    Differences,
    adjusted,
    by_student_t,
    differences,
    no_difference,
    out_of_reach,
    student_t,
    undefined,
    without_variance,
)
from referee.comparing.contender import Contender, compare_rows, refuse_weights_and_groups, why_undefined
from referee.comparing.contest import Contest, best_first
from referee.comparing.decision import TOO_FEW
from referee.comparing.design import Design, Kind
from referee.comparing.design_choice import DEFAULTS, contest_of
from referee.comparing.gates import Gate, gate
from referee.comparing.group_pairs import ALL_SIGNS, both_agree
from referee.comparing.margins import Margin
from referee.comparing.mean_differences import (
    FOLDS,
    REPEATS,
    ROPE,
    by_probabilities,
    corrected_for_overlap,
    five_by_two,
    mean_difference,
    overlap_ratio,
    within_margin,
)
from referee.comparing.ranks import f_details, midranks, pseudo_median, rank_table, signed_ranks, walsh_averages
from referee.comparing.replicate_intervals import Correction, bias_and_acceleration, by_replicates
from referee.comparing.sentence import certainty, estimate
from referee.comparing.significance_test import SignificanceTest, TestExample, tests
from referee.comparing.slice_tests import FEW, FEW_OF_CLASS, SliceTests
from referee.comparing.split_estimates import NAMES, Combine, SchemeEstimate, combined
from referee.comparing.tie_set import DRAWS, MOST_TIMES, POWER, normal_draws, random_numbers, rows_to_separate
from referee.comparing.verdict import OtherGoal, Verdict

__all__ = [
    "ALL_PAIRS", "ALL_SIGNS", "COMPARE_KEYWORDS", "DEFAULTS", "DRAWS", "DUST", "FEW", "FEW_OF_CLASS", "FOLDS",
    "IN_GROUPS", "MANY", "MOST_TIMES", "NAMES", "POWER", "REPEATS", "ROPE", "TOO_FEW", "Combine", "Comparison",
    "Contender", "Contest", "Correction", "Design", "Differences", "Gate", "Kind", "Margin", "OtherGoal",
    "SchemeEstimate", "SignificanceTest", "SliceTests", "TestExample", "Verdict", "adjusted", "best_first",
    "bias_and_acceleration", "both_agree", "by_probabilities", "by_replicates", "by_student_t", "certainty",
    "combined", "compare", "compare_rows", "contest_of", "corrected_for_overlap", "differences", "estimate",
    "f_details", "five_by_two", "gate", "mean_difference", "midranks", "no_difference", "normal_draws",
    "out_of_reach", "overlap_ratio", "pseudo_median", "random_numbers", "rank_table", "refuse_weights_and_groups",
    "rows_to_separate", "signed_ranks", "splits_in_words", "student_t", "tests", "undefined", "walsh_averages",
    "why_undefined", "within_margin", "without_variance",
]  # fmt: skip

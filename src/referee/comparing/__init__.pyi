from .all_pairs import draws_for, normal_draws, random_numbers
from .case import ALL_PAIRS, MANY
from .checks import IN_GROUPS, splits_in_words
from .comparison import (
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
from .contender import Contender, compare_rows, refuse_weights_and_groups, why_undefined
from .contest import Contest, best_first
from .data_set_effects import DataSetEffects
from .design import Design, Kind
from .design_choice import DEFAULTS, contest_of, default_test
from .doubts import TOO_FEW
from .gates import Gate, gate
from .group_pairs import ALL_SIGNS, both_agree
from .in_time import ROWS_OF_A_STEP, cautions_of_order
from .kept_verdicts import KeptVerdicts, refuse_no_keeper
from .leaderboard import MOGSTAD, ROMANO_WOLF, Leaderboard, said_of_tiers, tiers_in_methods
from .ledger import History, history
from .left_out import compare_refits
from .margins import Margin, refuse_margin
from .mean_differences import (
    FOLDS,
    REPEATS,
    ROPE,
    by_probabilities,
    corrected_for_overlap,
    five_by_two,
    fold_correlation,
    mean_difference,
    overlap_ratio,
    within_margin,
)
from .other_goals import OtherGoal
from .power import POWER, InTime, Precision, Sides, rows_to_separate
from .question import predictions_and_goal, why_rows, with_notice
from .ranks import f_details, midranks, pseudo_median, rank_table, signed_ranks, walsh_averages
from .replicate_intervals import Correction, bias_and_acceleration, by_replicates
from .selection_index import (
    FEWEST_OF_CLASS,
    INDEX_COSTS,
    INDEX_GOALS,
    INDEX_METRICS,
    RAREST_SHARE,
    Prior,
    index_of,
    pooled_noise,
    published_prior,
)
from .sentence import after_opening, certainty, estimate
from .significance_test import SignificanceTest, TestExample, tests
from .slice_tests import FEW, FEW_OF_CLASS, SliceTests
from .split_estimates import NAMES, Combine, SchemeEstimate, combined
from .test_cards import TEST_CARDS
from .verdict import Verdict
from .verdict_document import pairs_table
from .verdict_words import (
    MARKS,
    MOST_MODELS,
    across_in_words,
    against_margin,
    background,
    deciding_interval,
    in_slices,
    of_ranks,
    ropes_in_words,
    rows_in_words,
    score_intervals,
    what_else,
    wins_in_words,
)
from .verdicts import compare, refit

__all__ = [
    "ALL_PAIRS", "ALL_SIGNS", "DEFAULTS", "DUST", "FEW", "FEWEST_OF_CLASS", "FEW_OF_CLASS", "FOLDS", "INDEX_COSTS",
    "INDEX_GOALS", "INDEX_METRICS", "IN_GROUPS", "MANY", "MARKS", "MOGSTAD", "MOST_MODELS", "NAMES", "POWER",
    "RAREST_SHARE", "REPEATS", "ROMANO_WOLF", "ROPE", "ROWS_OF_A_STEP", "TEST_CARDS", "TOO_FEW", "Combine",
    "Comparison", "Contender", "Contest", "Correction", "DataSetEffects", "Design", "Differences", "Gate", "History",
    "InTime", "KeptVerdicts", "Kind", "Leaderboard", "Margin", "OtherGoal", "Precision", "Prior", "SchemeEstimate",
    "Sides", "SignificanceTest", "SliceTests", "TestExample", "Verdict", "across_in_words", "adjusted", "after_opening",
    "against_margin", "background", "best_first", "bias_and_acceleration", "both_agree", "by_probabilities",
    "by_replicates", "by_student_t", "cautions_of_order", "certainty", "combined", "compare", "compare_refits",
    "compare_rows", "contest_of", "corrected_for_overlap", "deciding_interval", "default_test", "differences",
    "draws_for", "estimate", "f_details", "five_by_two", "fold_correlation", "gate", "history", "in_slices", "index_of",
    "mean_difference", "midranks", "no_difference", "normal_draws", "of_ranks", "out_of_reach", "overlap_ratio",
    "pairs_table", "pooled_noise", "predictions_and_goal", "pseudo_median", "published_prior", "random_numbers",
    "rank_table", "refit", "refuse_margin", "refuse_no_keeper", "refuse_weights_and_groups", "ropes_in_words",
    "rows_in_words", "rows_to_separate", "said_of_tiers", "score_intervals", "signed_ranks", "splits_in_words",
    "student_t", "tests", "tiers_in_methods", "undefined", "walsh_averages", "what_else", "why_rows", "why_undefined",
    "wins_in_words", "with_notice", "within_margin", "without_variance",
]  # fmt: skip

from .applicability import (
    GUESSING,
    asked_metrics,
    chosen_metrics,
    goal_of,
    guess,
    has_kind,
    in_our_words,
    metrics_beside,
    refuse_unless_applicable,
    why_not,
)
from .counted_intervals import SMOOTHED, exact_bounds
from .data_warnings import rare_below
from .derivatives import derivative, window
from .distributions import normal_quantile, t_power
from .errors_in_place import know_errors
from .explained_scores import KnownNumbers, worked_metric, worked_on_counts
from .fold_scales import refuse_scales, why_not_pooled, with_one_scale
from .forecast_intervals import interval_ends, level_of
from .formula import Summary, averages_a_class, given_for_class, given_whole, values
from .group_sums import GroupSums
from .groups import Groups, Reach, groups_of, scarcest, spread_of_groups
from .influences import Influence, influence, row_changes
from .intervals import (
    Spread,
    clopper_pearson,
    df_from_moments,
    interval,
    median_interval,
    mid_p_interval,
    on_its_scale,
    quantile,
    sign_p,
    tail,
    wilson,
)
from .metric import (
    AVERAGES,
    BINARY,
    CLASSIFICATION,
    COMMON_PARAMETERS,
    MULTICLASS,
    MULTILABEL,
    RANKING,
    REGRESSION,
    SCORES,
    Example,
    Metric,
    Needs,
    Task,
    metrics,
    shown_name,
)
from .metric_cards import METRIC_CARDS
from .moments import compares_classes
from .pair_moments import PairMoments, know_beside_guess, tails, why_not_summed
from .partitions import Partitioned, deal, values_by_partition
from .pieces import IndependentRows, Pieces, added_by_rows, in_time_order, pieces_of_rows, refuse_panel
from .propriety_document import Rewards
from .propriety_game import OTHERS, Curve, Game, curves, has_others, propriety, sees_reports
from .resampled_values import Bootstrapped, bootstrap_values, in_canonical_order, permuted_differences
from .residuals import QUANTILES, residual_summary, tenths
from .sampled_rows import SampledRows
from .score_table import Score
from .scores import Guessing, Scores, evaluate, score_all
from .scores_document import confusion_parts
from .seed_spread import SeedSpread, covariance_of_seeds, seed_spread, with_seeds
from .sensitivity import ByCell, sensitivities
from .shown_scores import (
    Overall,
    average_label,
    averaged_name,
    by_class,
    by_unit,
    described,
    guessing_name,
    overall,
    rows_described,
)
from .standard_errors import Uncertainty, rows_that_count, spread_of_difference, spread_of_influence, uncertainty
from .states import summarise
from .taped_steps import UnitByUnitError
from .time_order import BLOCKS, FEW_PIECES, LongRun, TimeOrder, in_pieces, pieces_expected, ratio_to_independence

__all__ = [
    "AVERAGES", "BINARY", "BLOCKS", "CLASSIFICATION", "COMMON_PARAMETERS", "FEW_PIECES", "GUESSING", "METRIC_CARDS",
    "MULTICLASS", "MULTILABEL", "OTHERS", "QUANTILES", "RANKING", "REGRESSION", "SCORES", "SMOOTHED", "Bootstrapped",
    "ByCell", "Curve", "Example", "Game", "GroupSums", "Groups", "Guessing", "IndependentRows", "Influence",
    "KnownNumbers", "LongRun", "Metric", "Needs", "Overall", "PairMoments", "Partitioned", "Pieces", "Reach",
    "Rewards", "SampledRows", "Score", "Scores", "SeedSpread", "Spread", "Summary", "Task", "TimeOrder",
    "Uncertainty", "UnitByUnitError", "added_by_rows", "asked_metrics", "average_label", "averaged_name",
    "averages_a_class", "bootstrap_values", "by_class", "by_unit", "chosen_metrics", "clopper_pearson",
    "compares_classes", "confusion_parts", "covariance_of_seeds", "curves", "deal", "derivative", "described",
    "df_from_moments",
    "evaluate", "exact_bounds", "given_for_class", "given_whole", "goal_of", "groups_of", "guess", "guessing_name",
    "has_kind", "has_others", "in_canonical_order", "in_our_words", "in_pieces", "in_time_order", "influence",
    "interval", "interval_ends", "know_beside_guess", "know_errors", "level_of", "median_interval", "metrics",
    "metrics_beside",
    "mid_p_interval", "normal_quantile", "on_its_scale", "overall", "permuted_differences", "pieces_expected",
    "pieces_of_rows", "propriety", "quantile", "rare_below", "ratio_to_independence", "refuse_panel", "refuse_scales",
    "refuse_unless_applicable", "residual_summary", "row_changes", "rows_described", "rows_that_count",
    "scarcest", "score_all",
    "seed_spread", "sees_reports", "sensitivities", "shown_name", "sign_p", "spread_of_difference",
    "spread_of_groups", "spread_of_influence", "summarise", "t_power", "tail", "tails", "tenths", "uncertainty",
    "values", "values_by_partition", "why_not", "why_not_pooled", "why_not_summed", "wilson", "window",
    "with_one_scale", "with_seeds", "worked_metric", "worked_on_counts",
]  # fmt: skip

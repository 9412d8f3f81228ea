from .database.answers import AskedLaterError, replay
from .database.rankings import DatabaseRanking, StepSlopes, Stretch
from .database.step_columns import StepColumn
from .database.summary import is_in_process, is_near
from .forecast_bins import (
    BINS,
    BINS_OR_NONE,
    MASS,
    binned_forecasts,
    bins_by_mass,
    bins_by_width,
    gap,
    in_bins,
)
from .kernels import COMPILE_FROM, compiled, has_compiler, moments_about_means
from .memory.baseline import Baseline
from .memory.cells import Cells
from .memory.engine import summarise
from .memory.rows import KEPT_ROWS, Rows, rank_falling, rows_of, steps_of_rows
from .memory.summary import Summary, known_as
from .memory.unit_summary import UnitSummary
from .protocol import PairSums, RepeatedRows, WeightFacts, engine_of, share_summaries, summing_engine_of
from .rank_sums import RankSums
from .ranked_lists import RankedLists
from .ranked_scores import (
    CHUNK,
    Ranking,
    Steps,
    joined_steps,
    just_below,
    median_of,
    medians_of,
    merge_rankings,
    reaches,
)
from .state.pair_sums import BIN_ERRORS
from .state.state_of_rows import state_of
from .stream.rankings import BlockRanking
from .summaries import ROUNDING, Counts, Sums, nonzero, pairs_across

__all__ = [
    "BINS",
    "BINS_OR_NONE",
    "BIN_ERRORS",
    "CHUNK",
    "COMPILE_FROM",
    "KEPT_ROWS",
    "MASS",
    "ROUNDING",
    "AskedLaterError",
    "Baseline",
    "BlockRanking",
    "Cells",
    "Counts",
    "DatabaseRanking",
    "PairSums",
    "RankSums",
    "RankedLists",
    "Ranking",
    "RepeatedRows",
    "Rows",
    "StepColumn",
    "StepSlopes",
    "Steps",
    "Stretch",
    "Summary",
    "Sums",
    "UnitSummary",
    "WeightFacts",
    "binned_forecasts",
    "bins_by_mass",
    "bins_by_width",
    "compiled",
    "engine_of",
    "gap",
    "has_compiler",
    "in_bins",
    "is_in_process",
    "is_near",
    "joined_steps",
    "just_below",
    "known_as",
    "median_of",
    "medians_of",
    "merge_rankings",
    "moments_about_means",
    "nonzero",
    "pairs_across",
    "rank_falling",
    "reaches",
    "replay",
    "rows_of",
    "share_summaries",
    "state_of",
    "steps_of_rows",
    "summarise",
    "summing_engine_of",
]  # fmt: skip

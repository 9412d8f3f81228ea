from .claim_rules import NOT, PARTLY, REPRODUCED
from .claims import CLAIMS
from .datasets import DATA_SETS
from .deviations import closeness, deviations, explained
from .experiment import run
from .outcomes import Confusions, agreement_on_subsets
from .own_data import study_own_data
from .own_study import Choice, OwnStudy
from .own_study_document import with_interval
from .populations import Population, Problem, bundled_problems
from .regret import constant_ratios, contests, mean_regrets
from .regret_draws import SIZES
from .regret_map import Level, RegretMap, regret_map
from .regret_map_document import SHOWN, best_other, own_levels
from .settings import Settings, with_pairs
from .study import OTHER_AVERAGE, OTHER_DIGITS, Study
from .study_tables import OUTCOMES, flows, ratio_shown, ratios_by_metric, short_name
from .tables import BY_CASE, BY_METRIC, TWO, Table, figure_1, mean_ratio, paper, paper_name, printed, remarks

__all__ = [
    "BY_CASE", "BY_METRIC", "CLAIMS", "DATA_SETS", "NOT", "OTHER_AVERAGE", "OTHER_DIGITS", "OUTCOMES", "PARTLY",
    "REPRODUCED", "SHOWN", "SIZES", "TWO", "Choice", "Confusions", "Level", "OwnStudy", "Population", "Problem",
    "RegretMap", "Settings", "Study", "Table", "agreement_on_subsets", "best_other", "bundled_problems",
    "closeness", "constant_ratios", "contests", "deviations", "explained", "figure_1", "flows", "mean_ratio",
    "mean_regrets", "own_levels", "paper", "paper_name", "printed", "ratio_shown", "ratios_by_metric", "regret_map",
    "remarks", "run", "short_name", "study_own_data", "with_interval", "with_pairs",
]  # fmt: skip

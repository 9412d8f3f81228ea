from .complexity import Complexity, TreeCode, linear_dimension, not_defined
from .dataset import DataSet, Feature, dataset_of, leakage_notices, read_dataset
from .dataset_columns import RoleColumns, dataset_of_table
from .features import prepared
from .fit_runs import Limits, model_errors, too_few_left
from .learner_cards import LEARNER_CARDS
from .learning_curve import CurvePoint, Growth
from .model_spec import CLASSIFICATION, REGRESSION, Learner, category_sizes, estimators_of, learners
from .penalties import PENALTIES, Penalised, PenaltyChoice, penalised, smallest
from .resampled_models import NestedSelection, Resampling, refuse_before_fitting
from .robustness import Robustness
from .rows import Rows, Together
from .runner.crew import Failure
from .runner.pool import run, saying_how_to_go_on
from .runner.store import Store
from .scheme import Scheme, SchemeExample, schemes
from .scheme_cards import SCHEME_CARDS
from .selection import Selection, select
from .shared_fits import ask_together, families, fit_together
from .splits import BAG_PARAMETERS, Split, bags, bags_with_training_rows, dealt, group_folds, numbered, parted
from .splitters import rows_of, stratified_folds
from .stored_predictions import is_run, predictions_of, read_run
from .tradeoffs import MEASURES, TieBreaker, Tradeoff

__all__ = [
    "BAG_PARAMETERS", "CLASSIFICATION", "LEARNER_CARDS", "MEASURES", "PENALTIES", "REGRESSION", "SCHEME_CARDS",
    "Complexity", "CurvePoint", "DataSet", "Failure", "Feature", "Growth", "Learner", "Limits", "NestedSelection",
    "Penalised", "PenaltyChoice", "Resampling", "Robustness", "RoleColumns", "Rows", "Scheme",
    "SchemeExample", "Selection", "Split", "Store", "TieBreaker", "Together", "Tradeoff", "TreeCode", "ask_together",
    "bags", "bags_with_training_rows", "category_sizes", "dataset_of", "dataset_of_table", "dealt", "estimators_of",
    "families", "fit_together", "group_folds", "is_run", "leakage_notices", "learners", "linear_dimension",
    "model_errors", "not_defined", "numbered", "parted", "penalised", "predictions_of", "prepared", "read_dataset",
    "read_run", "refuse_before_fitting", "rows_of", "run", "saying_how_to_go_on", "schemes", "select", "smallest",
    "stratified_folds", "too_few_left",
]  # fmt: skip

"""Fitting: data and candidate models become predictions on the same splits."""

from __future__ import annotations

from referee.fitting.answers import model_errors, too_few_left
from referee.fitting.corruption import Robustness
from referee.fitting.dataset import DataSet, Feature, dataset_of, read_dataset
from referee.fitting.dataset_reading import RoleColumns, dataset_of_table
from referee.fitting.fold_turns import rows_of, stratified_folds
from referee.fitting.leakage import leakage_notices
from referee.fitting.learning_curve import CurvePoint, Growth
from referee.fitting.model_spec import CLASSIFICATION, REGRESSION, Learner, category_sizes, estimators_of, learners
from referee.fitting.nesting import NestedSelection
from referee.fitting.options import refuse_before_fitting
from referee.fitting.preprocessing import prepared
from referee.fitting.resampling import Resampling
from referee.fitting.rows import Rows, Together
from referee.fitting.run_folder import is_run, read_run
from referee.fitting.runner.pool import Failure, run, saying_how_to_go_on
from referee.fitting.runner.progress import Progress
from referee.fitting.runner.store import Store
from referee.fitting.scheme import Scheme, SchemeExample, schemes
from referee.fitting.selection import Selection, select
from referee.fitting.shared_fits import ask_together, families, fit_together
from referee.fitting.splits import (
    BAG_PARAMETERS,
    Split,
    bags,
    bags_with_training_rows,
    dealt,
    group_folds,
    numbered,
    parted,
)
from referee.fitting.stored_predictions import predictions_of
from referee.fitting.tradeoffs import MEASURES, TieBreaker, Tradeoff

__all__ = [
    "BAG_PARAMETERS", "CLASSIFICATION", "MEASURES", "REGRESSION", "CurvePoint", "DataSet", "Failure", "Feature",
    "Growth", "Learner", "NestedSelection", "Progress", "Resampling", "Robustness", "RoleColumns", "Rows", "Scheme",
    "SchemeExample", "Selection", "Split", "Store", "TieBreaker", "Together", "Tradeoff", "ask_together", "bags",
    "bags_with_training_rows", "category_sizes", "dataset_of", "dataset_of_table", "dealt", "estimators_of",
    "families", "fit_together", "group_folds", "is_run", "leakage_notices", "learners", "model_errors", "numbered",
    "parted", "predictions_of", "prepared", "read_dataset", "read_run", "refuse_before_fitting", "rows_of", "run",
    "saying_how_to_go_on", "schemes", "select", "stratified_folds", "too_few_left",
]  # fmt: skip

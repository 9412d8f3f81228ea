from .assertions import assert_better, assert_not_worse
from .contract import METRIC_CHECKS, PREDICTION_CHECKS, check_metric
from .invariances import ENGINE_CHECKS
from .samples import ContractError, samples_for, using_engine

__all__ = [
    "ENGINE_CHECKS", "METRIC_CHECKS", "PREDICTION_CHECKS", "ContractError", "assert_better", "assert_not_worse",
    "check_metric", "samples_for", "using_engine",
]  # fmt: skip

"""For test suites: the contract of metrics, for people who add their own, and a gate for new models.

>>> from referee import metrics
>>> from referee.testing import check_metric
>>> check_metric(metrics["accuracy"])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.testing.declarations import CARD_CHECKS, DECLARATION_CHECKS
from referee.testing.invariances import ENGINE_CHECKS, INVARIANCE_CHECKS
from referee.testing.propriety import PROPRIETY_CHECKS
from referee.testing.samples import ContractError, assert_not_worse, samples_for, using_engine

if TYPE_CHECKING:
    from referee.scoring import Metric

METRIC_CHECKS = (*CARD_CHECKS, *DECLARATION_CHECKS, *PROPRIETY_CHECKS)
"""Each takes a metric, and raises ContractError with what is not true."""

PREDICTION_CHECKS = INVARIANCE_CHECKS
"""Each takes a metric and any predictions that it applies to."""

__all__ = [
    "ENGINE_CHECKS", "METRIC_CHECKS", "PREDICTION_CHECKS", "ContractError", "assert_not_worse", "check_metric",
    "samples_for", "using_engine",
]  # fmt: skip


def check_metric(metric: Metric) -> None:
    """Check everything that a metric declares, and what holds for every metric; stop at the first lie."""
    for check in METRIC_CHECKS:
        check(metric)
    for predictions in samples_for(metric):
        for invariance in PREDICTION_CHECKS:
            invariance(metric, predictions)

"""The contract of metrics, for people who add their own: everything that a metric declares is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.testing.declarations import CARD_CHECKS, DECLARATION_CHECKS
from referee.testing.invariances import INVARIANCE_CHECKS
from referee.testing.propriety import PROPRIETY_CHECKS
from referee.testing.samples import samples_for

if TYPE_CHECKING:
    from referee.scoring import Metric

METRIC_CHECKS = (*CARD_CHECKS, *DECLARATION_CHECKS, *PROPRIETY_CHECKS)
"""Each takes a metric, and raises ContractError with what is not true."""

PREDICTION_CHECKS = INVARIANCE_CHECKS
"""Each takes a metric and any predictions that it applies to."""


def check_metric(metric: Metric) -> None:
    """Check everything that a metric declares, and what holds for every metric; stop at the first lie.

    >>> from referee import metrics
    >>> check_metric(metrics["accuracy"])
    """
    for check in METRIC_CHECKS:
        check(metric)
    for predictions in samples_for(metric):
        for invariance in PREDICTION_CHECKS:
            invariance(metric, predictions)

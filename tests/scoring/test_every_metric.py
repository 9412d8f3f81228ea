"""Every metric is what it says it is; a new file in the folder is tested by being there."""

from __future__ import annotations

import pytest
from hypothesis import given

from referee import metrics
from referee.testing import METRIC_CHECKS, PREDICTION_CHECKS
from referee.testing.declarations import check_undefined
from referee.testing.invariances import ENGINE_CHECKS
from referee.testing.samples import samples_for, using_engine
from tests.strategies import FEW_EXAMPLES, predictions_for

NAMES = list(metrics)
WITH_SETTINGS = [
    "calibration_error(bins=4, mass=true)",
    "expected_cost(fp=2, fn=2)",
    "f_beta(average=macro)",
    "f_beta(average=micro)",
    "f_beta(beta=2, average=weighted)",
    "lift(top=0.5)",
    "log_loss(clip=0.001)",
    "max_calibration_error(mass=true)",
    "murphy_reliability(bins=5)",
    "murphy_resolution(bins=5)",
    "pinball(level=0.9)",
    "precision(undefined=0)",
    "precision_at_recall(recall=0.5)",
    "recall_at_precision(precision=0.5)",
    "roc_auc(average=weighted)",
    "share_above(x=2)",
    "top_k(k=1)",
]


def by_name(check):
    return check.__name__.removeprefix("check_")


@pytest.mark.parametrize("check", METRIC_CHECKS, ids=by_name)
@pytest.mark.parametrize("name", NAMES)
def test_declarations(name, check):
    check(metrics[name])


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", [*NAMES, *WITH_SETTINGS])
def test_invariances(name):
    """All checks on the same examples: making them is most of the work."""
    metric = metrics[name]

    @FEW_EXAMPLES
    @given(predictions_for(metric))
    def hold(predictions):
        for check in PREDICTION_CHECKS:
            check(metric, predictions)

    hold()


def asks_for(name):
    """What a metric has the engine make: metrics of counts or rankings see the same ones, sums are each one's own."""
    metric = metrics[name]
    return name if "sums" in metric.summaries else (metric.summaries, metric.needs, metric.tasks)


EACH_SUMMARY = [*{asks_for(name): name for name in reversed(NAMES)}.values()]


@pytest.mark.parametrize(
    ("name", "samples"),
    [*((name, 1) for name in EACH_SUMMARY), *(pytest.param(name, 5, marks=pytest.mark.soak) for name in NAMES)],
)
def test_the_same_in_a_database(name, samples):
    """One definition, every engine; that the values agree is tests/engines/test_database_engine.py."""
    metric = metrics[name]
    with using_engine("database"):
        check_undefined(metric)
        for check in ENGINE_CHECKS:
            for predictions in samples_for(metric, samples):
                check(metric, predictions)


EXPECTED = (
    "accuracy", "error_rate", "recall", "sensitivity", "specificity", "precision", "f1", "f_beta", "tpr", "fpr", "auc",
    "average_precision", "pr_auc", "log_loss", "mxe", "brier", "rms", "correlation", "mae", "mse", "rmse", "rae",
    "rrse", "r2", "calibration_error", "expected_cost", "paper_average", "hand_till", "balanced_accuracy", "mcc",
    "kappa", "informedness", "jaccard", "lift", "break_even_point", "recall_at_precision", "precision_at_recall", "ks",
    "median_ae", "mape", "pinball", "crps", "top_k", "max_calibration_error", "murphy_reliability", "murphy_resolution",
    "murphy_uncertainty", "probability_mae", "probability_rae", "probability_rrse", "npv", "false_positive_rate",
)  # fmt: skip


def test_what_the_seeds_define_and_users_expect_is_there():
    assert {metrics[name].name for name in EXPECTED} <= set(metrics)

"""Flipping any declared property of any metric makes its contract fail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee import metrics
from referee.errors import RefereeError
from referee.testing import check_metric

PROPER = {"strictly": "weakly", "weakly": "no", "no": "strictly"}


def flips(metric):
    """Each declared property with a value that is not true."""
    yield "better", "lower" if metric.better == "higher" else "higher"
    yield "per_class", not metric.per_class
    yield "units_power", metric.units_power + 1
    yield "undefined_when", None if metric.undefined_when else "never"
    if metric.needs == "probabilities":
        yield "proper", PROPER[metric.proper]
    if metric.depends_on_prevalence is not None:
        yield "depends_on_prevalence", not metric.depends_on_prevalence
    if metric.needs == "values":
        yield "elicits", "median" if metric.elicits != "median" else "mean"
    low, high = metric.range
    if low > float("-inf"):
        yield "range", (low + 0.01, high)
    if high < float("inf"):
        yield "range", (low, high - 0.01)


CANNOT_BE_FALSE = {
    ("murphy_uncertainty", "better"): "it does not depend on the predictions, so neither direction is false",
}
CASES = [
    pytest.param(name, key, value, id=f"{name}-{key}-{value}")
    for name, metric in metrics.items()
    for key, value in flips(metric)
    if (name, key) not in CANNOT_BE_FALSE
]


@pytest.mark.parametrize(("name", "key", "value"), CASES)
def test_a_false_declaration_is_found(name, key, value):
    lie = replace(metrics[name], **{key: value})
    # Some lies, such as about classes, do not even run.
    with pytest.raises((AssertionError, RefereeError, TypeError, ValueError)):
        check_metric(lie)

"""What it means that a degenerate prediction does as well as the model: said by the properties of the metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.linting.tricks import Kind
    from referee.metric import Metric

RECALIBRATE = "recalibrate it (`referee calibrate`)"
HONEST_GOAL = "a strictly proper goal such as log_loss or brier does not pay for it"


@dataclass(frozen=True)
class Meaning:
    """A text for a kind of trick on metrics with certain properties; `{blind_to}` is the metric's own."""

    kind: Kind
    metric: Mapping[str, object]
    text: str
    significant: bool = True
    """Whether the degenerate prediction is better by more than chance; else nothing is known of the model."""


UNDECIDED = (
    Meaning(
        "constant",
        {"needs": "labels"},
        "these rows do not show that the decisions do better; the metric is blind to {blind_to}",
        significant=False,
    ),
    Meaning(
        "constant",
        {"needs": "scores"},
        "these rows do not show that the order tells more than chance would",
        significant=False,
    ),
    Meaning(
        "constant",
        {"proper": "strictly"},
        "these rows do not show that the probabilities tell more than the shares of the classes",
        significant=False,
    ),
    Meaning(
        "constant",
        {"needs": "probabilities"},
        f"these rows do not show that the model does better; the metric is blind to {{blind_to}}; {HONEST_GOAL}",
        significant=False,
    ),
    Meaning(
        "constant",
        {},
        "these rows do not show that the model does better than one answer for all of them",
        significant=False,
    ),
)
MEANINGS = (
    *UNDECIDED,
    Meaning(
        "constant",
        {"name": "expected_cost"},
        "these decisions cost more than they save: `referee threshold` finds the cheapest threshold",
    ),
    Meaning("constant", {"needs": "labels"}, "the metric is blind to {blind_to}"),
    Meaning(
        "constant", {"needs": "scores"}, "the order is worse than chance on this metric, as if it were turned round"
    ),
    Meaning(
        "constant",
        {"proper": "strictly"},
        f"the probabilities are worse than the shares of the classes alone; {RECALIBRATE}, or it knows nothing",
    ),
    Meaning("constant", {"needs": "probabilities"}, f"the metric is blind to {{blind_to}}; {HONEST_GOAL}"),
    Meaning("constant", {}, "one answer for all rows does better, so the model is of no use here"),
    Meaning("surer", {"proper": "strictly"}, f"the model is underconfident; {RECALIBRATE}"),
    Meaning("surer", {"needs": "scores"}, "the order within the decisions is worse than none"),
    Meaning("surer", {}, f"the metric pays for certainty that the model does not have; {HONEST_GOAL}"),
    Meaning("unsure", {"proper": "strictly"}, f"the model is overconfident; {RECALIBRATE}"),
    Meaning(
        "unsure", {"needs": "values"}, "the predictions vary more than they know, as those of overfitted models do"
    ),
    Meaning("unsure", {}, f"the metric pays for less certainty than the model has; {HONEST_GOAL}"),
    Meaning("moved", {"elicits": "mean"}, "the predictions are too high or too low on average"),
    Meaning("moved", {"elicits": "median"}, "more than half of the predictions are too high, or too low"),
    Meaning("moved", {"needs": "values"}, "this metric is not best at the mean; it is blind to {blind_to}"),
    Meaning("moved", {"proper": "strictly"}, f"the probabilities are too high or too low on average; {RECALIBRATE}"),
    Meaning("moved", {}, f"the metric pays for probabilities that are moved; {HONEST_GOAL}"),
)


def meaning(kind: Kind, metric: Metric, *, significant: bool = True) -> str:
    """The first text whose properties the metric has."""
    for one in MEANINGS:
        if (one.kind, one.significant) == (kind, significant) and _has(metric, one.metric):
            return one.text.format(blind_to=metric.blind_to.partition(". ")[0])
    raise AssertionError(kind)


def _has(metric: Metric, wanted: Mapping[str, object]) -> bool:
    return all(getattr(metric, key) == value for key, value in wanted.items())

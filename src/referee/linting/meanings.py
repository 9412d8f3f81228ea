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


MEANINGS = (
    Meaning(
        "constant",
        {"name": "expected_cost"},
        "these decisions cost more than they save: `referee threshold` finds the cheapest threshold",
    ),
    Meaning("constant", {"needs": "labels"}, "the metric is blind to {blind_to}"),
    Meaning("constant", {"needs": "scores"}, "the order of the rows tells nothing that chance would not"),
    Meaning(
        "constant",
        {"proper": "strictly"},
        f"the probabilities tell no more than the shares of the classes alone; {RECALIBRATE}, or it knows nothing",
    ),
    Meaning("constant", {"needs": "probabilities"}, f"the metric is blind to {{blind_to}}; {HONEST_GOAL}"),
    Meaning("constant", {}, "the model is of no use here: one answer for all rows does as well"),
    Meaning("surer", {"proper": "strictly"}, f"the model is underconfident; {RECALIBRATE}"),
    Meaning("surer", {"needs": "scores"}, "the order within the decisions is worse than none"),
    Meaning("surer", {}, f"the metric pays for certainty that the model does not have; {HONEST_GOAL}"),
    Meaning("unsure", {"proper": "strictly"}, f"the model is overconfident; {RECALIBRATE}"),
    Meaning(
        "unsure", {"needs": "values"}, "the predictions vary more than they know, as those of overfitted models do"
    ),
    Meaning("unsure", {}, f"the metric pays for less certainty than the model has; {HONEST_GOAL}"),
    Meaning("moved", {"needs": "values"}, "the predictions are too high or too low on average"),
    Meaning("moved", {"proper": "strictly"}, f"the probabilities are too high or too low on average; {RECALIBRATE}"),
    Meaning("moved", {}, f"the metric pays for probabilities that are moved; {HONEST_GOAL}"),
)


def meaning(kind: Kind, metric: Metric) -> str:
    """The first text whose properties the metric has."""
    for one in MEANINGS:
        if one.kind == kind and all(getattr(metric, key) == value for key, value in one.metric.items()):
            return one.text.format(blind_to=metric.blind_to.partition(". ")[0])
    raise AssertionError(kind)

"""What a reader of the metric's card relies on: texts, names, parameters, examples."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from referee.scoring import COMMON_PARAMETERS, metrics
from referee.testing.verdicts import require, same

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.scoring import Metric

TEXTS = ("title", "question", "formula", "blind_to")


def check_texts(metric: Metric) -> None:
    for name in TEXTS:
        require(metric, getattr(metric, name).strip(), f"{name} is told")
    require(metric, metric.question.endswith("?"), "the question is a question")
    require(metric, metric.undefined_when is None or metric.undefined_when.strip(), "undefined_when is told or None")
    require(metric, metric.references, "there is a reference")
    require(metric, all(one.strip() for one in metric.references), "no reference is empty")
    require(metric, metric.examples, "there is an example")
    require(metric, all(one.source.strip() for one in metric.examples), "every example says who computed it")


def check_names(metric: Metric) -> None:
    for name in metric.related:
        require(metric, name in metrics, f"the related metric {name} exists")
        require(metric, name != metric.name, "related metrics are others")
    require(metric, len(set(metric.aliases)) == len(metric.aliases), "no alias is given twice")
    taken = set(_names([other for other in metrics.values() if other.name != metric.name]))
    for alias in (metric.name, *metric.aliases):
        require(metric, alias not in taken, f"{alias} is the name of no other metric")


def _names(others: Iterable[Metric]) -> Iterable[str]:
    for other in others:
        yield from (other.name, *other.aliases)


def check_kind(metric: Metric) -> None:
    """Hold the parts of the declaration against each other."""
    require(metric, metric.tasks, "there is a task for it")
    require(metric, metric.summaries, "the formula needs a summary")
    require(metric, metric.range[0] < metric.range[1], "the range goes up")
    of_numbers = metric.needs in ("values", "quantiles")
    require(metric, of_numbers == (metric.tasks == ("regression",)), f"{metric.needs} fit {metric.tasks}")
    if of_numbers:
        require(metric, metric.depends_on_prevalence is None, "prevalence is a matter of classes")
        require(metric, not metric.per_class, "numbers have no classes")
    else:
        require(metric, metric.depends_on_prevalence is not None, "it says whether it depends on prevalence")
        require(metric, metric.elicits is None, "only predictions of numbers elicit something; see `proper`")
        require(metric, metric.units_power == 0, "classes have no units")


def check_parameters(metric: Metric) -> None:
    own = metric.defaults.keys() - COMMON_PARAMETERS.keys()
    require(metric, own == metric.parameters.keys(), f"the parameters of the formula, {sorted(own)}, are described")
    for name, parameter in metric.parameters.items():
        require(metric, parameter.meaning.strip(), f"the parameter {name} has a meaning")
        default = metric.defaults[name]
        require(metric, default is None or not parameter.refusal(default), f"{name}={default} is allowed")


def check_examples(metric: Metric) -> None:
    for example in metric.examples:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            value = metric(example.truth, example.prediction, **example.settings)
        require(metric, same(value, example.value), f"{example.source}: {example.value!r} (it is {value!r})")


CARD_CHECKS = (check_texts, check_names, check_kind, check_parameters, check_examples)

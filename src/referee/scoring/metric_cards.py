"""What a metric's card says."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING

from referee.catalogue import Card, Shelf, in_symbols, parameter_in_words, parameters
from referee.document import number
from referee.scoring.propriety_document import gamed_by
from referee.scoring.shown_scores import HEADINGS, heading_of

if TYPE_CHECKING:
    from referee.scoring.metric import Metric


def metric_card(metric: Metric) -> Card:
    """A metric's declarations and what follows from them."""
    low, high = (None if isinf(end) else float(end) for end in metric.range)
    about = parameters(metric)
    values = {
        "name": metric.full_name,
        "title": metric.title,
        "question": metric.question,
        "formula": " ".join(in_symbols(metric.formula)),
        "better": metric.better,
        "range": [low, high],
        "best": None if isinf(metric.best) else metric.best,
        **({} if metric.compares_models else {"compares_models": False}),
        "needs": metric.needs,
        "tasks": list(metric.tasks),
        "proper": metric.proper,
        "gamed_by": gamed_by(metric),
        "elicits": metric.elicits,
        "depends_on_threshold": metric.depends_on_threshold,
        "depends_on_prevalence": metric.depends_on_prevalence,
        "additive": metric.additive,
        "per_class": metric.per_class,
        "undefined_when": metric.undefined_when,
        "interval": metric.interval,
        "blind_to": metric.blind_to,
        "parameters": about,
        "aliases": list(metric.aliases),
        "related": list(metric.related),
        "references": list(metric.references),
        "examples": [{"value": example.value, "source": example.source} for example in metric.examples],
    }
    words = {
        "range": [range_in_words(low, high)],
        "parameters": [parameter_in_words(name, parameter) for name, parameter in about.items()],
        "references": metric.references,
        "examples": [f"{number(example.value)} ({example.source})" for example in metric.examples],
    }
    return Card("metric", values, words, frozenset({"formula"}))


def range_in_words(low: float | None, high: float | None) -> str:
    """Ends that are None are infinite.

    >>> range_in_words(0.0, None)
    '0 to infinity'
    """
    ends = ("-infinity" if low is None else f"{low:g}", "infinity" if high is None else f"{high:g}")
    return " to ".join(ends)


METRIC_CARDS = Shelf("metric", metric_card, ("name", "needs", "better", "proper", "question"), HEADINGS, heading_of)

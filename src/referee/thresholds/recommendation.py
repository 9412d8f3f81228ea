"""The recommendation: which model to use at which threshold, and what that gains over the threshold that was given."""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING

from referee.document import number
from referee.engines import engine_of
from referee.thresholds.judgement import decided

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.predictions import Predictions
    from referee.thresholds.objective import Objective
    from referee.thresholds.thresholds import Threshold, Thresholds


def values_as_given(judged: Predictions, models: Iterable[str], objective: Objective) -> dict[str, float | None]:
    """What each model is worth on the judged rows at the threshold that was given, such as 0.5."""
    positive = judged.positive
    assert positive is not None
    rows = {name: engine_of(judged).summarise(judged, judged.model(name)).rows for name in models}
    called = {name: each.score(positive) >= judged.threshold for name, each in rows.items()}
    known = decided(judged, called, objective.metric, objective.prevalence)
    values = {name: float(contender.value) for name, contender in known.items()}
    return {name: value if isfinite(value) else None for name, value in values.items()}


def recommended(thresholds: Thresholds) -> Threshold | None:
    """The model with the best value on rows that its threshold was not chosen on; none where no threshold will do."""
    known = [chosen for chosen in thresholds.chosen if chosen.reached and chosen.value is not None]
    sign = 1 if thresholds.objective.better == "higher" else -1
    return max(known, key=lambda chosen: sign * (chosen.value or 0.0), default=None)


def recommendation(thresholds: Thresholds) -> str:
    """In a sentence, without its full stop; nothing where no threshold will do."""
    chosen = recommended(thresholds)
    if chosen is None:
        return ""
    return f"{_use(chosen)}: {_worth(thresholds, chosen)}" if _gains(thresholds, chosen) else _keep(thresholds, chosen)


def _gains(thresholds: Thresholds, chosen: Threshold) -> bool:
    """Whether the chosen threshold is at least as good as the given one, on rows that it was not chosen on."""
    if chosen.value is None or chosen.value_as_given is None or thresholds.objective.limits:
        return True
    gain = chosen.value - chosen.value_as_given
    return gain >= 0 if thresholds.objective.better == "higher" else gain <= 0


def _keep(thresholds: Thresholds, chosen: Threshold) -> str:
    """A choice that does worse on other rows than the threshold that was given is not recommended."""
    metric, given = thresholds.objective.metric, thresholds.predictions.threshold
    values = f"{number(chosen.value_as_given)} vs {number(chosen.value)}"
    what = f"{metric.shown_name} {values}"
    return f"Keep {chosen.model} at {given:g}: {what} on other rows at the threshold chosen for it"


def _use(chosen: Threshold) -> str:
    if chosen.threshold == inf:
        return f"Use {chosen.model} to call no row positive"
    if chosen.threshold == -inf:
        return f"Use {chosen.model} to call every row positive"
    return f"Use {chosen.model} at {number(chosen.threshold)}"


def _worth(thresholds: Thresholds, chosen: Threshold) -> str:
    """The value; of costs, which have a zero, how much less that is."""
    metric, at = thresholds.objective.metric, f"at {thresholds.predictions.threshold:g}"
    value, given = chosen.value, chosen.value_as_given
    costs = metric.name == "expected_cost"
    said = f"costs {number(value)} a row" if costs else f"{metric.shown_name} {number(value)}"
    if given is None or value is None:
        return said
    if not costs:
        return f"{said} vs {number(given)} {at}"
    if number(value) == number(given) or not given:
        return f"{said}, as {at}" if number(value) == number(given) else f"{said} vs {number(given)} {at}"
    return f"{said}, {100 * abs(value - given) / given:.0f}% {'less' if value < given else 'more'} than {at}"

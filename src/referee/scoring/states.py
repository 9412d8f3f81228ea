"""summarise(): rows become a state that adds up with others; what bins of scores may hide of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.engines import BIN_ERRORS, engine_of, state_of
from referee.errors import Notice, UsageError
from referee.predictions import State, predictions_of, takes_predictions
from referee.scoring.applicability import chosen_metrics, each_once, has_kind
from referee.scoring.formula import class_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Unpack

    from referee.predictions import Columns, Predictions
    from referee.scoring.metric import Metric
    from referee.scoring.scores import Scores

ROLES = {
    "weight": "a state counts every row once", "group": "rows of a state are independent",
    "time": "rows of a state have no order", "fold": "a state does not know which fold a row is in",
    "repeat": "a state does not know which repeat a row is in", "baseline": "a state has no yardstick of each row",
}  # fmt: skip


@takes_predictions("metrics")
def summarise(
    *given: Any, metrics: str | Metric | Sequence[str | Metric] | None = None, **columns: Unpack[Columns]
) -> State:
    """Summarise rows in a state, which is small and can be added to those of other days without the rows.

    The input is rows, as for `compare()`, or states, which are added up. `metrics` are further metrics to sum, such as
    "pinball(level=0.9)"; every metric with its default parameters is always included. Counts, joint tables of decisions
    and moments of row terms are exact; scores are kept in bins, and a value that depends on the bins says by how much
    it may be off.

    >>> y, a, b = [0, 1, 1, 0] * 10, [0.1, 0.8, 0.6, 0.3] * 10, [0.4, 0.7, 0.2, 0.5] * 10
    >>> from referee import compare, evaluate
    >>> state = summarise(y, {"a": a, "b": b})
    >>> evaluate(state, metrics="accuracy")["b", "accuracy"].value
    0.5
    """
    asked = () if metrics is None else each_once(metrics)
    predictions = predictions_of("summarise", given, columns, metrics=asked)
    if isinstance(predictions.truth, State):
        return predictions.truth
    _refuse(predictions)
    if asked:
        chosen_metrics(predictions, asked)
    every = {metric.full_name: metric for metric in (*chosen_metrics(predictions, None), *asked)}
    return state_of(predictions, [metric for metric in every.values() if _is_summed(metric, predictions)])


def _is_summed(metric: Metric, predictions: Predictions) -> bool:
    alone = metric.summaries == ("sums",) and "baseline" not in metric.row_arguments
    facts = predictions.facts.values()
    outside = metric.needs == "probabilities" and any(each.outside or each.not_summing for each in facts)
    return alone and not outside and all(has_kind(metric, model) for model in predictions.models)


def _refuse(predictions: Predictions) -> None:
    if predictions.task not in ("binary", "multiclass", "regression"):
        raise UsageError("E_TASK", f"{predictions.task} rows have no state", hint="a state is of classes or numbers")
    for role, why in ROLES.items():
        if getattr(predictions, role) is not None:
            raise UsageError("E_ROLE", f"--{role} is not for states: {why}", hint="compare the rows themselves")


MOST_METRICS = 4


def hidden_by_bins(scores: Scores) -> Iterator[Notice]:
    """By how much values may be off, as the order of rows within a bin is not known."""
    predictions = scores.predictions
    if not isinstance(predictions.truth, State) or predictions.positive is None:
        return
    ranked = [metric for metric in scores.metrics if metric.summaries == ("ranking",)]
    shown = {row.metric for row in scores.rows if row.value is not None}
    hidden = {metric.full_name: _most_hidden(predictions, metric) for metric in ranked if metric.full_name in shown}
    said = [f"{name} is exact to within {amount:.1e}" for name, amount in hidden.items() if amount > 0]
    if not said:
        return
    errors = vars(predictions).get(BIN_ERRORS, {})
    share = max(errors.values(), default=0.0)
    also = f"; standard errors of differences to within {100 * share / 2:.2g}%" if share > 0 else ""
    yield Notice("W_BINS", f"a state has scores in bins: {'; '.join(said)}{also}")


def _most_hidden(predictions: Predictions, metric: Metric) -> float:
    """The largest distance of a model's value from those of the best and the worst order within the bins."""
    assert predictions.positive is not None
    amounts = [0.0]
    for model in predictions.models:
        summary = engine_of(predictions).summarise(predictions, model)
        value = class_values(metric, summary, predictions.positive)[0]
        for ranking in summary.extreme_rankings():
            other = class_values(metric, _Ranked(ranking), predictions.positive)[0]  # type: ignore[arg-type]
            amounts.append(abs(float(other - value)))
    return max(amounts)


class _Ranked:
    """A summary of which only a ranking is known."""

    units, scale = 1, 1.0

    def __init__(self, ranking: Any) -> None:
        self._ranking = ranking

    def ranking(self, _code: int, *, as_probability: bool = False) -> Any:  # noqa: ARG002 (one protocol)
        return self._ranking

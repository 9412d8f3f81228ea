"""lint: look for degenerate predictions that a goal metric likes better than the model."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.calibration import refuse_without_rows
from referee.catalogue import known_keywords
from referee.comparing import Comparison, contest_of, tests
from referee.document import number, p_value
from referee.engines import rows_of
from referee.errors import UsageError
from referee.predictions import Lists, Model, Predictions
from referee.records import dataclass
from referee.scoring import Metric, Needs, chosen_metrics, guess, refuse_unless_applicable, sees_reports

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from referee.arrays import Array


Kind = Literal["constant", "surer", "unsure", "moved"]
ROUNDS = 100


@dataclass(frozen=True)
class Trick:
    """A way to make predictions that deserve no credit."""

    name: str
    title: str
    kind: Kind
    serves: tuple[Needs, ...]
    """The kinds of predictions that it changes; the others it leaves as they are."""
    make: Callable[[Predictions, Model], Model]


def tricks(predictions: Predictions) -> Iterator[Trick]:
    """All that can be tried on these predictions."""
    if predictions.task == "regression":
        yield from OF_NUMBERS
        return
    yield Trick("prior", "giving every row the shares of the classes", "constant", ("scores", "probabilities"), _prior)
    for code in _constant_answers(class_shares(predictions)):
        name = predictions.classes[code]
        title, answer = f'always predicting "{name}"', partial(_always, code)
        yield Trick(f"always {name}", title, "constant", ("labels", "probabilities"), answer)
    yield from OF_PROBABILITIES


def class_shares(predictions: Predictions) -> Array:
    weights = np.bincount(predictions.truth, predictions.weight, len(predictions.classes))
    return np.asarray(weights / weights.sum())


def _constant_answers(shares: Array) -> list[int]:
    """The majority class, and of two classes the other one too."""
    majority = int(shares.argmax())
    return [majority, 1 - majority] if len(shares) == 2 else [majority]


def _prior(predictions: Predictions, model: Model) -> Model:  # noqa: ARG001 (every trick is made of both)
    return guess(predictions, class_shares(predictions))


def _always(code: int, predictions: Predictions, model: Model) -> Model:  # noqa: ARG001
    columns = np.eye(len(predictions.classes))[code]
    rows = predictions.rows
    return Model(
        "always",
        class_scores=tuple(np.broadcast_to(column, rows) for column in columns),
        labels=np.full(rows, code),
    )


def _probabilities(predictions: Predictions, model: Model) -> Array:
    """What the model gives to each class: (class, row)."""
    if model.class_scores is not None:
        return np.stack([np.asarray(column, float) for column in model.class_scores])
    positive = np.asarray(model.scores, float)
    return np.stack([1 - positive, positive] if predictions.positive == 1 else [positive, 1 - positive])


def _with(predictions: Predictions, model: Model, columns: Array) -> Model:
    """Other probabilities; the decisions stay the model's own."""
    labels = rows_of(predictions, model).labels
    return Model("changed", class_scores=tuple(columns), labels=labels, tie_order=model.tie_order)


def _thresholded(predictions: Predictions, model: Model) -> Model:
    labels = rows_of(predictions, model).labels
    return _with(predictions, model, np.eye(len(predictions.classes))[labels].T)


def _sharpened(predictions: Predictions, model: Model) -> Model:
    """Log odds times two."""
    squares = _probabilities(predictions, model) ** 2
    return _with(predictions, model, squares / squares.sum(axis=0))


def _shrunk(predictions: Predictions, model: Model) -> Model:
    """Half way to the shares of the classes."""
    shrunk = (_probabilities(predictions, model) + class_shares(predictions)[:, None]) / 2
    return _with(predictions, model, shrunk)


def _recentred(predictions: Predictions, model: Model) -> Model:
    """Odds multiplied so that the mean of each class's probability is its share."""
    columns, shares = _probabilities(predictions, model), class_shares(predictions)
    for _ in range(ROUNDS):
        means = np.average(columns, axis=1, weights=predictions.weight)
        if np.abs(means - shares).max() < 1e-9 or not (means * shares).all():
            break
        columns = columns * (shares / means)[:, None]
        columns = columns / columns.sum(axis=0)
    return _with(predictions, model, columns)


OF_PROBABILITIES = (
    Trick("thresholded", "its own decisions as certainties", "surer", ("scores", "probabilities"), _thresholded),
    Trick("sharpened", "the model made more confident (log odds times two)", "surer", ("probabilities",), _sharpened),
    Trick(
        "shrunk", "the model made less confident (halfway to the class shares)", "unsure", ("probabilities",), _shrunk
    ),
    Trick("recentred", "the model moved to the right mean", "moved", ("probabilities",), _recentred),
)


def _mean(predictions: Predictions) -> float:
    return float(np.average(predictions.truth, weights=predictions.weight))


def _constant(predictions: Predictions, value: float) -> Model:
    return Model("constant", values=np.full(predictions.rows, value))


def _median(predictions: Predictions) -> float:
    return float(np.quantile(predictions.truth, 0.5, weights=predictions.weight, method="inverted_cdf"))


def _shrunk_numbers(predictions: Predictions, model: Model) -> Model:
    assert model.values is not None
    return Model("shrunk", values=(np.asarray(model.values, float) + _mean(predictions)) / 2)


def _recentred_numbers(predictions: Predictions, model: Model) -> Model:
    assert model.values is not None
    predicted = np.asarray(model.values, float)
    return Model("recentred", values=predicted + _mean(predictions) - np.average(predicted, weights=predictions.weight))


OF_NUMBERS = (
    Trick("mean", "predicting the mean for every row", "constant", ("values",), lambda p, _: _constant(p, _mean(p))),
    Trick(
        "median", "predicting the median for every row", "constant", ("values",), lambda p, _: _constant(p, _median(p))
    ),
    Trick("quantiles", "the same quantiles for every row", "constant", ("quantiles",), lambda p, _: guess(p, None)),
    Trick("shrunk", "the model shrunk halfway to the mean", "unsure", ("values",), _shrunk_numbers),
    Trick("recentred", "the model moved to the right mean", "moved", ("values",), _recentred_numbers),
)


RECALIBRATE = "recalibrate it (`referee calibrate`)"
HONEST_GOAL = "a strictly proper goal such as log_loss or brier does not reward it"


@dataclass(frozen=True)
class Meaning:
    """A text for a kind of trick on metrics with certain properties; `{blind_to}` is the metric's own."""

    kind: Kind
    metric: Mapping[str, object]
    text: str
    significant: bool = True
    """Whether the degenerate prediction is better by more than chance; else nothing is known of the model."""


UNDECIDED = tuple(
    Meaning("constant", metric, f"these rows do not show that {text}", significant=False)
    for metric, text in (
        ({"needs": "labels"}, "the decisions do better; the metric is blind to {blind_to}"),
        ({"needs": "scores"}, "the order is better than chance"),
        ({"proper": "strictly"}, "the probabilities are better than the class shares"),
        ({"needs": "probabilities"}, f"the model does better; the metric is blind to {{blind_to}}; {HONEST_GOAL}"),
        ({}, "the model does better than one answer for all rows"),
    )
)
MEANINGS = (
    *UNDECIDED,
    Meaning(
        "constant",
        {"name": "expected_cost"},
        "these decisions cost more than they save: `referee threshold` finds the cheapest threshold",
    ),
    Meaning("constant", {"needs": "labels"}, "the metric is blind to {blind_to}"),
    Meaning("constant", {"needs": "scores"}, "the order is worse than chance on this metric, as if it were reversed"),
    Meaning(
        "constant",
        {"proper": "strictly"},
        f"the probabilities are worse than the shares of the classes alone; {RECALIBRATE}, or the model has learned "
        "nothing",
    ),
    Meaning("constant", {"needs": "probabilities"}, f"the metric is blind to {{blind_to}}; {HONEST_GOAL}"),
    Meaning("constant", {}, "one answer for all rows does better, so the model is of no use here"),
    Meaning("surer", {"proper": "strictly"}, f"the model is underconfident; {RECALIBRATE}"),
    Meaning("surer", {"needs": "scores"}, "the order within the decisions is worse than none"),
    Meaning("surer", {}, f"the metric rewards certainty that the model does not have; {HONEST_GOAL}"),
    Meaning("unsure", {"proper": "strictly"}, f"the model is overconfident; {RECALIBRATE}"),
    Meaning("unsure", {"needs": "values"}, "the predictions vary more than is justified, as in an overfitted model"),
    Meaning("unsure", {}, f"the metric rewards less certainty than the model has; {HONEST_GOAL}"),
    Meaning("moved", {"elicits": "mean"}, "the predictions are too high or too low on average"),
    Meaning("moved", {"elicits": "median"}, "more than half of the predictions are too high, or too low"),
    Meaning("moved", {"needs": "values"}, "this metric is not best at the mean; it is blind to {blind_to}"),
    Meaning("moved", {"proper": "strictly"}, f"the probabilities are too high or too low on average; {RECALIBRATE}"),
    Meaning("moved", {}, f"the metric rewards probabilities that are moved; {HONEST_GOAL}"),
)


def meaning(kind: Kind, metric: Metric, *, significant: bool = True) -> str:
    """The first text whose properties the metric has."""
    fitting = (
        entry.text
        for entry in MEANINGS
        if (entry.kind, entry.significant) == (kind, significant)
        and all(getattr(metric, key) == value for key, value in entry.metric.items())
    )
    return next(fitting).format(blind_to=metric.blind_to.partition(". ")[0])


@dataclass(frozen=True)
class Finding:
    """A degenerate prediction that beats a model on a metric, or that the model does not clearly beat."""

    model: str
    metric: str
    trick: str
    is_constant: bool
    """Whether it is one answer for all rows; else it is the model itself, distorted."""
    outcome: Literal["beats", "level"]
    """Whether the degenerate prediction is better, or the model is, but not significantly."""
    value: float
    trick_value: float
    comparison: Comparison
    """The model (a) and the degenerate prediction (b), row by row."""
    sentence: str
    meaning: str

    @property
    def significant(self) -> bool:
        """Whether the degenerate prediction is better by more than chance."""
        return self.comparison.outcome == "b"

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON holds it; the difference is that of the model minus the degenerate prediction."""
        fields = {key: value for key, value in vars(self).items() if key != "comparison"}
        test = {key: getattr(self.comparison, key) for key in ("difference", "low", "high", "p", "test")}
        return fields | {"significant": self.significant} | test


@known_keywords()
def lint(
    predictions: Predictions, goal: str | Metric | Sequence[str | Metric], *, alpha: float = 0.05
) -> tuple[Finding, ...]:
    """Find degenerate predictions that beat a model on the goal, or on each of several metrics.

    It tries one answer for all rows, the model's decisions stated with certainty, and its probabilities moved or made
    more or less extreme, and reports the best of both kinds, also a constant that the model does not clearly beat.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0] * 9 + [1], {"m": [0.2] * 8 + [0.7, 0.6]})
    >>> [(finding.trick, finding.outcome, finding.trick_value) for finding in lint(predictions, "accuracy")]
    [('always 0', 'level', 0.9)]
    """
    if isinstance(predictions.truth, Lists):
        raise UsageError("E_TASK", f"this check is for classes and numbers, not for a {predictions.task} truth")
    chosen = [metric for metric in chosen_metrics(predictions, goal) if sees_reports(metric)]
    refuse_without_rows(predictions)
    findings: list[Finding] = []
    for model in predictions.models:
        facts = predictions.facts[model.name]
        for metric in chosen:
            refuse_unless_applicable(metric, model, facts)
            findings += _of_model(predictions, model, metric, has_probabilities=facts.outside is None, alpha=alpha)
    return tuple(findings)


def _of_model(
    predictions: Predictions, model: Model, metric: Metric, *, has_probabilities: bool, alpha: float
) -> Iterator[Finding]:
    """At most one constant answer and one distorted copy: of several the best says most."""
    tried = [trick for trick in tricks(predictions) if _can_differ(trick, metric, model, has_probabilities)]
    # Names of their own: a model may be called like a trick.
    names = [f"{model.name} {place}: {trick.name}" for place, trick in enumerate(tried)]
    made = [replace(trick.make(predictions, model), name=name) for trick, name in zip(tried, names, strict=True)]
    contest = contest_of(replace(predictions, models=(model, *made)), metric, unit="row", alpha=alpha)
    value = contest.contenders[model.name].value
    findings: list[Finding] = []
    for trick, name in zip(tried, names, strict=True):
        comparison, other = contest.compare(tests["influence"], model.name, name), contest.contenders[name].value
        if outcome := _outcome(trick, metric, comparison, value, other):
            findings.append(_finding(trick, metric, replace(comparison, b=trick.name), outcome, value, other))
    sign = 1 if metric.better == "higher" else -1
    for constant in (True, False):
        some = [finding for finding in findings if finding.is_constant == constant]
        if some:
            yield max(some, key=lambda finding: sign * finding.trick_value)


def _can_differ(trick: Trick, metric: Metric, model: Model, has_probabilities: bool) -> bool:
    gives_scores = model.scores is not None or model.class_scores is not None
    own = trick.kind != "constant" and metric.needs not in ("values", "quantiles")
    return metric.needs in trick.serves and (not own or (gives_scores and has_probabilities))


def _outcome(
    trick: Trick, metric: Metric, comparison: Comparison, value: float, other: float
) -> Literal["beats", "level"] | None:
    """Distorted copies count only where they are better by more than chance: some of them always are, by a hair."""
    if comparison.outcome is None or not (isfinite(value) and isfinite(other)):
        return None
    if comparison.outcome == "b":
        return "beats"
    if trick.kind != "constant" or comparison.outcome == "a":
        return None
    return "beats" if (other > value if metric.better == "higher" else other < value) else "level"


def _finding(
    trick: Trick, metric: Metric, comparison: Comparison, outcome: Literal["beats", "level"], value: float, other: float
) -> Finding:
    name, p = metric.shown_name, p_value(comparison.p or 0.0)
    if comparison.difference == 0:
        sentence = f"{name} {number(value)} is what {trick.title} gets"
    elif outcome == "level":
        sentence = f"{name} {number(value)} is not clearly better than {trick.title}, {number(other)} ({p})"
    else:
        sure = p if comparison.outcome == "b" else f"{p}, so it may be chance"
        sentence = f"beaten by {trick.title}: {name} {number(other)} vs {number(value)} ({sure})"
    text = meaning(trick.kind, metric, significant=comparison.outcome == "b")
    constant = trick.kind == "constant"
    return Finding(
        comparison.a, metric.full_name, trick.name, constant, outcome, value, other, comparison, sentence, text
    )

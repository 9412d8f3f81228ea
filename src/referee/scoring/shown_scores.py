"""Which scores a report shows, and in what order; how they are worded is another matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import counted, number, one_line, plus_minus
from referee.errors import listed
from referee.predictions import Lists, kinds_of
from referee.records import dataclass
from referee.scoring.metric import AVERAGES, SCORES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.predictions import ModelKind, Predictions
    from referee.scoring.metric import Metric
    from referee.scoring.score_table import Score
    from referee.scoring.scores import Scores

MOST_LABELS = 10
MOST_OTHERS = 3
"""Models of another kind than most, which the head of a result names."""
HEADINGS = {
    "labels": "decisions",
    "scores": "ranking",
    "probabilities": "probabilities",
    "values": "numbers",
    "quantiles": "quantiles",
    "given": "given scores, without a truth",
    "data": "the data, whatever the model",
}


def heading_of(metric: Metric) -> str:
    """The kind of predictions that a metric needs; given scores and a property of the data stand by themselves."""
    if metric.tasks == SCORES:
        return "given"
    return metric.needs if metric.compares_models else "data"


@dataclass(frozen=True)
class Overall:
    """One metric on all rows: of each model, and of guessing."""

    metric: Metric
    models: list[Score]
    guessed: Score | None
    """None where there is nothing to guess."""

    @property
    def name(self) -> str:
        """With the threshold, where the value depends on one."""
        return self.metric.shown_name + self.at_threshold

    @property
    def at_threshold(self) -> str:
        thresholds = dict.fromkeys(score.threshold for score in self.models if score.threshold is not None)
        return "".join(f" at {threshold:g}" for threshold in thresholds)

    def is_best(self, score: Score) -> bool:
        """Whether it is the best of several; that it is proves nothing yet."""
        values = [row.value for row in self.models if row.value is not None]
        best = max if self.metric.better == "higher" else min
        several = len(values) > 1 and self.metric.compares_models
        return several and score.value is not None and score.value == best(values)


def overall(scores: Scores) -> list[Overall]:
    """Every metric on all rows, by the kind of predictions that it needs."""
    by_place = {(row.model, row.metric): row for row in scores if row.overall}
    guessed = {row.metric: row for row in scores.baseline}
    names = scores.predictions.names
    rows = [
        Overall(metric, [by_place[model, metric.full_name] for model in names], guessed.get(metric.full_name))
        for metric in scores.metrics
    ]
    return sorted(rows, key=lambda row: list(HEADINGS).index(heading_of(row.metric)))


@dataclass(frozen=True)
class Grid:
    """Scores of one model by metric and unit (slice, fold or class)."""

    model: str
    metrics: list[str]
    units: list[str]
    cells: dict[tuple[str, str], Score]


def by_unit(scores: Scores, kind: str) -> Iterator[Grid]:
    """The scores of slices (kind "slice") or folds ("unit"), a grid for each model that has some."""
    for model in scores.predictions.names:
        rows = [row for row in scores if row.model == model and getattr(row, kind) is not None]
        if rows:
            yield _grid(model, [(row.metric, getattr(row, kind), row) for row in rows])


def by_class(scores: Scores) -> Iterator[Grid]:
    """Each class against the rest, and below the averages over the classes."""
    for model in scores.predictions.names:
        rows = [row for row in scores if row.model == model]
        placed = [(row.metric, row.class_, row) for row in rows if row.class_ is not None]
        placed += _averages(rows, scores.predictions.classes)
        if placed:
            yield _grid(model, placed)


def _averages(rows: Sequence[Score], classes: Sequence[str]) -> Iterator[tuple[str, str, Score]]:
    by_metric = {row.metric: row for row in rows if row.overall}
    for metric in dict.fromkeys(row.metric for row in rows if row.class_ is not None):
        for average in AVERAGES:
            if row := by_metric.get(averaged_name(metric, average)):
                yield metric, average_label(average, classes), row


def averaged_name(metric: str, average: str) -> str:
    """The full name of a metric that is averaged over the classes.

    >>> averaged_name("recall", "macro"), averaged_name("f_beta(beta=2)", "micro")
    ('recall(average=macro)', 'f_beta(beta=2, average=micro)')
    """
    return f"{metric[:-1]}, average={average})" if metric.endswith(")") else f"{metric}(average={average})"


def average_label(average: str, classes: Sequence[str]) -> str:
    """What an average is called beside classes, one of which may be called that too."""
    return f"{average} average" if average in classes else average


def _grid(model: str, placed: Sequence[tuple[str, str, Score]]) -> Grid:
    return Grid(
        model,
        list(dict.fromkeys(metric for metric, _, _ in placed)),
        list(dict.fromkeys(unit for _, unit, _ in placed)),
        {(metric, unit): row for metric, unit, row in placed},
    )


def half_width(score: Score) -> str:
    """The larger half of a value's interval; nothing where there is none."""
    half = _larger_half(score)
    return "" if half is None or score.value is None else plus_minus(half, score.value)


def largest_half(scores: Sequence[Score]) -> str:
    """The largest half of the intervals of several models on one metric; nothing where there is none."""
    halves = [half for score in scores if (half := _larger_half(score)) is not None]
    values = [score.value for score in scores if score.value is not None]
    return plus_minus(max(halves), max(values, key=abs)) if halves else ""


def _larger_half(score: Score) -> float | None:
    if score.value is None or score.low is None or score.high is None:
        return None
    return max(score.high - score.value, score.value - score.low)


def uncertainty(score: Score) -> str:
    """Both ends of a lopsided interval, of which a half says little; otherwise its half."""
    if not is_lopsided(score):
        return half_width(score)
    return f"[{number(score.low, 3)}, {number(score.high, 3)}]"


def is_lopsided(score: Score) -> bool:
    """Whether the halves of a value's interval differ by more than a quarter of the larger one."""
    if score.value is None or score.low is None or score.high is None:
        return False
    shorter, longer = sorted((score.high - score.value, score.value - score.low))
    return longer - shorter > longer / 4


def pieces_in_words(scores: Scores, rows: Sequence[Overall]) -> Iterator[str]:
    """How many independent pieces rows in time hold, which differs between metrics and models."""
    pieces = [score.pieces for row in rows for score in row.models if score.pieces is not None]
    if not pieces:
        return
    least, most = min(pieces), max(pieces)
    up_to = "" if least == most else f" to {most:,}"
    yield (
        f"{scores.predictions.rows_seen:,.0f} rows in time hold about {least:,}{up_to} independent pieces, depending "
        "on how similar neighbours are; errors and intervals are based on these"
    )


def guessing_name(labels: Sequence[str]) -> str:
    """What guessing is called beside models, one of which may be called that too."""
    return "(guessing)" if "guessing" in labels else "guessing"


def rows_described(predictions: Predictions) -> str:
    """The head of a result: how many rows, and what was understood of them."""
    return f"{counted(predictions.rows, predictions.row_name)}, {described(predictions)}"


def described(predictions: Predictions) -> str:
    """What was understood of the truth, or of the scores where there is none."""
    if predictions.scored is not None:
        return f"scores without a truth, {predictions.scored.better} is better"
    text = f"{predictions.task} truth {one_line(predictions.truth_column)!r}"
    if isinstance(predictions.truth, Lists) and predictions.query_column is not None:
        text += f" of {len(predictions.truth.values):,} items"
    if predictions.label_names:
        text += f" with {len(predictions.label_names):,} labels"
    if predictions.task == "multiclass":
        text += f" with {len(predictions.classes)} classes{_in_order(predictions)}"
    if predictions.positive is not None:
        text += f", positive {_sides(predictions, predictions.classes[predictions.positive])}"
    return text + (", weighted" if predictions.weight is not None else "") + _given(predictions)


def _given(predictions: Predictions) -> str:
    """What the models give: the commonest kind, and the others by name. Of numbers only what are not values."""
    kinds, names = kinds_of(predictions), dict[str, list[str]]()
    for model, kind in kinds.items():
        names.setdefault(kind.name, []).append(model)
    usual = max(names, key=lambda kind: (len(names[kind]), kind == "probabilities"), default="values")
    if not predictions.classes and set(names) <= {"values", "scores"}:
        return ""
    others = [_others(kind, models, kinds) for kind, models in names.items() if kind != usual]
    because = _because(names[usual], kinds)
    said = f"; {'model' if len(kinds) == 1 else 'models'}: {usual}{because}"
    return f"{said}, but {' and '.join(others)}" if others else said


def _others(kind: str, models: Sequence[str], kinds: Mapping[str, ModelKind]) -> str:
    whose = listed(map(one_line, models)) if len(models) <= MOST_OTHERS else f"{len(models):,}"
    return f"{whose} {kind}{_because(models, kinds)}"


def _because(models: Sequence[str], kinds: Mapping[str, ModelKind]) -> str:
    """Why the first of these models does not give probabilities."""
    first = kinds[models[0]]
    if first.name != "scores" or not first.because:
        return ""
    whose = f"{one_line(models[0])!r}: " if len(models) > 1 else ""
    return f" ({whose}{first.because})"


def _in_order(predictions: Predictions) -> str:
    """The order of the classes where somebody gave it."""
    shown = predictions.order_said and len(predictions.classes) <= MOST_LABELS
    return f", {' < '.join(map(one_line, predictions.classes))}" if shown else ""


def _sides(predictions: Predictions, positive: str) -> str:
    """Both classes, unless they are 0 and 1; where more than two labels make them, the rows of each label."""
    account = predictions.account
    if account is None or len(account.positive) + len(account.rest) < 3:
        rest = [label for label in predictions.classes if label != positive and {label, positive} != {"0", "1"}]
        return " against ".join(repr(one_line(label)) for label in (positive, *rest))
    return f"{_with_rows(account.positive)} against {_with_rows(account.rest)}"


def _with_rows(rows_of: Mapping[str, int]) -> str:
    shown = [f"{one_line(label)!r} ({rows:,})" for label, rows in list(rows_of.items())[:MOST_LABELS]]
    if len(rows_of) > MOST_LABELS:
        shown.append(f"{len(rows_of) - MOST_LABELS:,} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)

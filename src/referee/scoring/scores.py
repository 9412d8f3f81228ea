"""Scores: every metric of every model, overall and for each class, slice and fold; `evaluate` makes them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.catalogue import python_call
from referee.document import Result
from referee.engines import engine_of
from referee.errors import Notice, UndefinedError, UnknownNameError, UsageError, did_you_mean, listed, refuse_alpha
from referee.predictions import (
    Columns,
    Facts,
    Predictions,
    Units,
    as_written,
    date_notices,
    fold_scores,
    is_fold_scores,
    predictions_of,
    slice_names,
    takes_predictions,
)
from referee.records import dataclass
from referee.scoring.applicability import chosen_metrics, each_once, guess, refuse_unless_applicable, rows_to_guess
from referee.scoring.counted_changes import run_together
from referee.scoring.data_warnings import cautions, few_pieces, few_rows, without_intervals
from referee.scoring.errors_in_place import know_errors, steps_fetched
from referee.scoring.fold_scales import folds_of
from referee.scoring.metric import Metric
from referee.scoring.metric import metrics as catalogue
from referee.scoring.pieces import refuse_panel
from referee.scoring.score_table import Score, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Unpack

    from referee.arrays import Array
    from referee.document import Document, Part


@dataclass(frozen=True)
class Slices:
    """Some columns, and the slices that they cut the rows into."""

    by: tuple[str, ...]
    units: Units


@dataclass(frozen=True, eq=False)
class Guessing:
    """A model that only knows how often things are; scored when somebody looks at it."""

    predictions: Predictions
    metrics: Sequence[Metric]
    class_weights: Array | None
    alpha: float
    in_full: Sequence[Metric] | None

    @cached_property
    def rows(self) -> tuple[Score, ...]:
        return () if self._table is None else tuple(self._table.overall())

    def row_on(self, metric: Metric) -> Score | None:
        """The row of one metric, without the others."""
        known = [known for known in self.metrics if known.full_name == metric.full_name]
        return None if self._table is None else next(replace(self._table, metrics=known).overall(), None)

    @cached_property
    def _table(self) -> ScoreTable | None:
        predictions = self.predictions
        if predictions.scored is not None:
            return None
        rows = rows_to_guess(predictions, self.class_weights)
        try:
            model = guess(rows, self.class_weights)
        except UndefinedError:  # a state of numbers does not know them
            return None
        return ScoreTable(rows, model, self.metrics, Facts(predictions.rows), self.alpha, in_full=self.in_full)


@dataclass(frozen=True, repr=False)
class Scores(Result):
    """The scores of all models and of guessing, as tidy rows, with the predictions that they came from.

    >>> scores = evaluate(Predictions.from_arrays([0, 1, 1], {"a": [0.1, 0.8, 0.4]}), metrics=["accuracy"])
    >>> scores["a", "accuracy"].value
    0.6666666666666666

    Rows are Score objects; scores[model, metric] is the one on all rows. `baseline`
    has what guessing gets, `confusion` the confusion matrices, `notices` what is
    odd about the data.

    Like every result, it has `to_html(path)`, `to_markdown()`, `to_latex()`, `to_json()`,
    `to_csv()`, `to_frame()`, `save(path)`, `plot()`, `explained()`.
    """

    predictions: Predictions
    metrics: tuple[Metric, ...]
    rows: tuple[Score, ...]
    guessing: Guessing
    confusion: dict[str, Array]
    notices: tuple[Notice, ...] = ()
    slices: Slices | None = None
    alpha: float = 0.05
    """1 - alpha is how sure the intervals are."""
    seed: int = 0
    call: str = ""
    """What was called in Python to make them."""

    @property
    def baseline(self) -> tuple[Score, ...]:
        """The score of guessing on each metric; none for scores without a truth."""
        return self.guessing.rows

    def __iter__(self) -> Iterator[Score]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: tuple[str, str | Metric]) -> Score:
        """The overall score of (model, metric)."""
        if not (isinstance(key, tuple) and len(key) == 2):
            raise UnknownNameError(f"{key!r} is not a model and a metric", 'write scores["A", "roc_auc"]')
        model, metric = key
        name = metric.full_name if isinstance(metric, Metric) else metric
        if (model, name, None) not in self._by_name:
            name = catalogue[name].full_name
        if (model, name, None) not in self._by_name:
            scored = listed(f"{model}, {metric}" for model, metric, unit in self._by_name if unit is None)
            raise UnknownNameError(f"there is no score of {model!r} on {name!r}", f"there are {scored}")
        return self._by_name[model, name, None]

    @cached_property
    def _by_name(self) -> dict[tuple[str, str, str | None], Score]:
        """By model, metric and fold; those of classes and slices are not asked for by name."""
        rows = (row for row in reversed(self.rows) if row.class_ is None and row.slice is None)
        return {(row.model, row.metric, row.unit): row for row in rows}

    def telling(self, model: str, metric: Metric) -> Score:
        """The score that warnings may rest on: not ranks among rows of other folds, which other models have scored."""
        mean = self._by_name.get((model, metric.full_name, "mean"))
        return mean if metric.pools_ranks and self.predictions.classes and mean else self[model, metric]

    def to_dict(self) -> dict[str, Any]:
        """The parts of the contract's JSON that scores give."""
        predictions, classes = self.predictions, list(self.predictions.classes)
        return {
            "goal": None,
            "alpha": self.alpha,
            "seed": self.seed,
            "rows": predictions.rows,
            "task": predictions.task,
            "positive": None if predictions.positive is None else classes[predictions.positive],
            "fingerprint": predictions.fingerprint,
            "read": predictions.reading,
            "scores": [row.to_dict() for row in self.rows],
            "baseline": [row.to_dict() for row in self.baseline],
            "confusion": [
                {"model": name, "classes": classes, "counts": matrix.tolist()}
                for name, matrix in self.confusion.items()
            ],
            "warnings": [vars(notice) for notice in self.notices],
        }

    @property
    def command(self) -> str:
        return "evaluate"

    def document(self, *, whole: bool = False) -> Document:
        from referee.scoring.scores_document import scores_document

        return scores_document(self, whole=whole)

    def explanation(self) -> tuple[Part, ...]:
        """Each model's formulas with its numbers filled in."""
        from referee.scoring.explained_scores import explained_scores

        return explained_scores(self)

    def records(self) -> list[dict[str, Any]]:
        """One for each score, of the models and of guessing."""
        in_time = self.predictions.time is not None
        return [
            row.to_dict() | ({"pieces": row.pieces} if in_time else {}) | {"kind": kind}
            for kind, rows in (("model", self.rows), ("baseline", self.baseline))
            for row in rows
        ]

    def __str__(self) -> str:
        from referee.scoring.scores_document import in_short

        return in_short(self)


@takes_predictions("metrics", "by")
def evaluate(
    *given: Any,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    by: str | Sequence[str] | Mapping[str, Any] = (),
    alpha: float = 0.05,
    time: Any = None,
    **columns: Unpack[Columns],
) -> Scores:
    """Score every model on the given metrics, or on all that apply: overall, by slice and by fold.

    Each score has its standard error and its 1 - alpha interval. The input is the truth and one model's predictions, or
    several models' by name; a table (frame, file, database) and truth="COLUMN"; fitted models, X_test and y_test; or
    `Predictions`. `docs/guide/inputs.md` shows all of them. `positive` names the positive class, `models` the columns
    of a table; id, weight, group, fold, repeat, baseline and `time` are columns or arrays. With `time` (when a row was
    observed; rows close in time may be similar) errors and intervals are those of rows in time order.

    >>> evaluate([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.7], metrics="brier")["model", "brier"].value
    0.175
    >>> scores = evaluate({"y": [1, 0, 1, 0], "a": [0.9, 0.2, 0.6, 0.7]}, truth="y", metrics=["roc_auc", "accuracy"])
    >>> [(score.metric, score.value) for score in scores.rows if score.class_ is None]
    [('roc_auc', 0.75), ('accuracy', 0.75)]
    >>> by_day = evaluate([1, 2, 3, 4] * 50, [1.5, 2, 2.5, 4.2] * 50, metrics="mae", time=range(200))
    >>> by_day["model", "mae"].pieces
    13
    """
    refuse_alpha(alpha)
    said: Any = columns if time is None else {**columns, "time": time}
    if len(given) == 1 and is_fold_scores(given[0]):
        predictions, asked = _of_folds(given[0], metrics, said), None
    else:
        asked = None if metrics is None else each_once(metrics)
        predictions = predictions_of("evaluate", given, said, by=by, metrics=asked or (), push_down=True)
    refuse_panel(predictions)
    chosen = chosen_metrics(predictions, asked)
    every = asked is None
    know_errors(predictions, chosen, averages=every)
    scores = score_all(predictions, chosen, () if every else chosen, slice_names(by), alpha=alpha, averages=every)
    data, written = as_written(given, said, by)
    call = python_call(evaluate, *data, metrics=metrics, alpha=alpha, **written)
    dated = date_notices(predictions) if predictions.has_independent_rows else ()
    about = (*few_rows(scores), *few_pieces(scores), *dated, *without_intervals(scores), *steps_fetched(predictions))
    return replace(scores, notices=(*scores.notices, *about), call=call)


def _of_folds(results: Any, scorer: Any, columns: Columns) -> Predictions:
    """Results of cross-validation, whose scores have one name."""
    names = [] if scorer is None else [scorer] if isinstance(scorer, str | Metric) else list(scorer)
    if len(names) > 1:
        raise UsageError("E_METRICS", "only one score of a cross-validation can be evaluated: name it in metrics=")
    name: Any = names[0] if names else None
    scored_by = name.name if isinstance(name, Metric) else name
    return fold_scores(results, scored_by, **{key: value for key, value in columns.items() if value is not None})


def score_all(
    predictions: Predictions,
    chosen: Sequence[Metric],
    required: Sequence[Metric],
    by: str | Sequence[str] = (),
    *,
    alpha: float = 0.05,
    averages: bool = False,
    errors_of_units: bool = True,
    in_full: Sequence[Metric] | None = None,
    of_classes: bool = True,
) -> Scores:
    """Score every model on the chosen metrics; those that are required must apply and be defined.

    All have standard errors and values of each class, unless `in_full` names those that do, or `of_classes` is false.
    """
    facts = predictions.facts
    for model in predictions.models:
        for metric in required:
            refuse_unless_applicable(metric, model, facts[model.name])
    slices = _slices(predictions, (by,) if isinstance(by, str) else tuple(by))
    groupings = {"slice": slices.units if slices else None, "unit": folds_of(predictions)}
    tables = [
        ScoreTable(predictions, model, chosen, facts[model.name], alpha, errors_of_units, in_full)
        for model in predictions.models
    ]
    class_weights = None if not predictions.classes else tables[0].summary.class_weights[0]
    if class_weights is not None and predictions.has_rows:
        run_together([table.summary for table in tables], chosen)
    scores = Scores(
        predictions,
        tuple(chosen),
        rows=tuple(
            row for table in tables for row in table.all_rows(groupings, averages=averages, of_classes=of_classes)
        ),
        guessing=Guessing(predictions, chosen, class_weights, alpha, in_full),
        confusion={} if class_weights is None else {t.model.name: t.confusion for t in tables},
        slices=slices,
        alpha=alpha,
    )
    _refuse_if_all_undefined(scores, required, class_weights)
    return replace(scores, notices=(*predictions.notices, *cautions(scores, class_weights, facts)))


def _slices(predictions: Predictions, by: tuple[str, ...]) -> Slices | None:
    for name in by:
        if name not in predictions.slices:
            raise UsageError("E_NOCOL", f"there is no column {name!r}; {did_you_mean(name, predictions.slices)}")
    units = engine_of(predictions).crossed([predictions.slices[name] for name in by])
    return None if units is None else Slices(by, units)


def _refuse_if_all_undefined(scores: Scores, required: Sequence[Metric], class_weights: Array | None) -> None:
    """Stop where nothing that was asked for by name exists on these data."""
    names = {metric.full_name for metric in required}
    overall = [row for row in scores if row.overall and row.metric in names]
    of_folds = [row for row in scores if row.unit == "mean" and row.metric in names]
    if not required or any(row.value is not None or row.undefined == "infinite" for row in (*overall, *of_folds)):
        return
    predictions, first = scores.predictions, required[0]
    place = ": ".join(filter(None, [predictions.source, f"column {predictions.truth_column!r}"]))
    present = np.flatnonzero(class_weights) if class_weights is not None else np.array([], int)
    if len(present) == 1:
        only = predictions.classes[present[0]]
        raise UndefinedError(
            "E_ONECLASS",
            f"{place}: only one class, {only!r}, so {first.name} ({first.title}) is undefined",
            hint="accuracy, log_loss and brier are defined with one class",
        )
    raise UndefinedError("E_UNDEFINED", f"{place}: {first.name} is undefined: {overall[0].undefined}")

"""What was given in Python, whatever it is, as Predictions: the one door of compare() and its neighbours."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from referee.catalogue import known_keywords
from referee.errors import CallError, UsageError, did_you_mean, listed
from referee.predictions.fitted_models import arrays_of_fitted, models_in
from referee.predictions.given_arrays import (
    ROLE_COLUMNS,
    arrays_to_predictions,
    has_class_columns,
    one_column,
    own_names,
)
from referee.predictions.given_scores import is_fold_scores, with_score_columns
from referee.predictions.predictions import Predictions
from referee.predictions.roles import Columns, Roles, as_tuple
from referee.predictions.score_tables import read_score_table
from referee.predictions.source import is_table
from referee.predictions.sources_read import read_predictions
from referee.predictions.state import states_in
from referee.predictions.table import FEW_ROWS, ReadOptions, shape_of
from referee.predictions.times import with_time
from referee.predictions.told import with_told
from referee.predictions.wrong_calls import (
    described,
    no_truth,
    nothing_given,
    refuse_swapped_truth,
    refuse_texts,
    right_call,
    wrong_arrays,
    wrong_order,
)
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.scoring import Metric

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def takes_predictions(*then: str) -> Callable[[Callable[Asked, Answer]], Callable[Asked, Answer]]:
    """Let a function take synonyms for its keywords; `then` are those that may follow a Predictions by position."""

    def opened(function: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
        known: Callable[..., Answer] = known_keywords(Columns)(function)

        @wraps(known)
        def call(*given: Asked.args, **said: Asked.kwargs) -> Answer:
            if given and (state := states_in(given, said.get("options"))) is not None:  # type: ignore[arg-type]
                return known(state.predictions(), **said)
            if len(given) > 1 and isinstance(given[0], Predictions):
                return known(given[0], **_by_name(function.__name__, given[1:], then, said))
            return known(*given, **said)

        return call

    return opened


def _by_name(call: str, further: Sequence[Any], names: Sequence[str], said: Mapping[str, Any]) -> dict[str, Any]:
    if len(further) > len(names):
        message = f"{call}() takes a Predictions and, by position, {listed(names)}, not {len(further)} things"
        raise CallError("E_CALL", message)
    named = dict(zip(names, further, strict=False))
    if twice := named.keys() & said.keys():
        raise CallError("E_KEYWORD", f"{call}() was given {twice.pop()!r} twice, by position and by name")
    return named | dict(said)


@dataclass(frozen=True)
class Given:
    """All that a call has said of its data."""

    call: str
    data: tuple[Any, ...]
    said: Mapping[str, Any]
    by: Any
    metrics: tuple[Metric, ...]
    push_down: bool
    why_rows: str | None = None

    @property
    def first(self) -> Any:
        return self.data[0] if self.data else None

    @property
    def truth(self) -> Any:
        return self.said.get("truth")

    @property
    def settings(self) -> dict[str, Any]:
        """All but what the models are and how a file is read."""
        return {name: value for name, value in self.said.items() if name not in ("truth", "models", "options")}


def predictions_of(
    call: str,
    data: tuple[Any, ...],
    said: Columns,
    *,
    by: Any = (),
    metrics: Sequence[Metric] = (),
    push_down: bool = False,
    why_rows: str | None = None,
    train_size: float | None = None,
) -> Predictions:
    """Recognise what was given to a function of that name, and make predictions of it.

    `metrics` are those asked for, `by` the slices; with `push_down` a database keeps its rows, `why_rows`: why not.

    >>> predictions_of("evaluate", ([0, 1], [0.2, 0.7]), {}).names
    ('model',)
    >>> predictions_of("compare", ({"y": [0, 1], "a": [0.2, 0.7], "b": [0.3, 0.6]},), {"truth": "y"}).names
    ('a', 'b')
    """
    said = {name: value for name, value in said.items() if value is not None}  # type: ignore[assignment]
    if isinstance(data[0] if data else None, Predictions):
        return _as_it_is(Given(call, data, said, by, tuple(metrics), push_down))
    data, said = with_told(data, said)  # type: ignore[assignment]
    given = Given(call, data, said, by, tuple(metrics), push_down, why_rows)
    if said.get("task") == "scores":
        return _of_scores(given, train_size)
    if is_fold_scores(given.first):
        what = f"{call}() does not take cross-validation results, which have no rows"
        raise CallError("E_CALL", f"{what}; {right_call('compare', 'folds')} does")
    if models_in(given.first):
        return _of_fitted(given)
    _refuse_models_elsewhere(given)
    if (tables := _tables(given)) is not None:
        return _of_tables(given, tables)
    return _of_arrays(given)


def slice_names(by: Any) -> tuple[str, ...]:
    """The slices that were asked for: names of columns, or arrays by name."""
    return tuple(map(str, by)) if isinstance(by, Mapping) else as_tuple(by) if by else ()


def _of_scores(given: Given, train_size: float | None) -> Predictions:
    """A table of scores, or several."""
    several = len(given.data) == 1 and isinstance(given.first, list | tuple)
    data = _of_records(given.first) if several and all(map(_is_source, given.first)) else given.data
    said = {name: value for name, value in given.said.items() if name != "options"}
    sources, roles = with_score_columns(given.call, data, said)
    if isinstance(roles.get("models"), Mapping):
        roles["columns"] = roles.pop("models")
    roles |= {"by": given.by, "train_size": train_size}
    return read_score_table(Predictions, sources, roles, given.said.get("options"))


def _as_it_is(given: Given) -> Predictions:
    said = {name: value for name, value in given.said.items() if name != "time"}
    if said:
        right = f"Predictions.from_arrays(..., {next(iter(said))}=...)"
        raise CallError("E_ROLE", f"{listed(said)} belongs to the Predictions: give it when you make them, {right}")
    if isinstance(given.by, Mapping):
        raise CallError("E_ROLE", "slices belong to the Predictions: by= names those that it has")
    return given.first if "time" not in given.said else with_time(given.first, given.said["time"])


def _of_fitted(given: Given) -> Predictions:
    """Fitted estimators, and rows for them to predict."""
    answers = arrays_of_fitted(given.call, given.data, given.said)
    settings = {**given.settings, **answers.columns}
    classes = given.said.get("classes", answers.classes)
    made = arrays_to_predictions(
        Predictions, answers.truth, answers.models, decisions=answers.decisions | dict(given.said.get("labels", {})),
        by=_arrays_by_name(given), metrics=given.metrics, **{**_for_arrays(settings), "classes": classes},
    )  # fmt: skip
    return replace(made, order_said="classes" in given.said)  # estimators sort their classes by name


def _refuse_models_elsewhere(given: Given) -> None:
    """Estimators that do not come first, such as in scikit-learn's order X, y, models."""
    if any(models_in(thing) for thing in (*given.data[1:], given.said.get("models"))):
        raise wrong_order(given.call, given.data, "fitted")


def _tables(given: Given) -> list[Any] | None:
    """The sources that were given, if that is what these are: tables or where they are."""
    if not given.data or not (given.truth is None or isinstance(given.truth, str)):
        return None
    several = len(given.data) == 1 and isinstance(given.first, list | tuple) and bool(given.first)
    sources = _of_records(given.first) if several else [*given.data]
    refuse_texts(given.call, given.data, given.truth)
    if any(isinstance(source, str | os.PathLike) for source in sources) or all(map(is_table, sources)):
        return sources if all(_is_source(source, given.truth) for source in sources) else None
    return sources if given.truth is not None and all(_is_source(source, given.truth) for source in sources) else None


def _of_records(given: Sequence[Any]) -> list[Any]:
    """Records are one table; anything else in a list is several."""
    if not all(isinstance(record, Mapping) and not any(map(shape_of, record.values())) for record in given):
        return list(given)
    names = dict.fromkeys(name for record in given for name in record)
    return [{name: [record.get(name) for record in given] for name in names}]


def _is_source(thing: Any, truth: str | None = "") -> bool:
    return isinstance(thing, str | os.PathLike) or is_table(thing) or (isinstance(thing, Mapping) and truth is not None)


def _of_tables(given: Given, sources: Sequence[Any]) -> Predictions:
    if given.truth is None:
        raise no_truth(given.call, sources)
    if isinstance(given.by, Mapping):
        raise CallError("E_ROLE", "the slices of a table are its columns: by= takes their names, not arrays")
    _refuse_arrays_for_columns(given)
    options = given.said.get("options", ReadOptions())
    few, pairs = FEW_ROWS if given.call == "evaluate" else options.read_up_to, given.call in ("compare", "gate")
    down = options.push_down and given.push_down
    options = replace(options, push_down=down, why_rows=given.why_rows, read_up_to=few, compares=pairs)
    said = {name: value for name, value in given.said.items() if name != "options"}
    roles = Roles.of(**said, by=slice_names(given.by), metrics=given.metrics)
    return read_predictions(Predictions, sources, roles, options)


def _refuse_arrays_for_columns(given: Given) -> None:
    for name in ROLE_COLUMNS:
        value = given.said.get(name)
        if value is not None and not isinstance(value, str):
            what = f"{given.call}() was given a table, and {described(value)} as {name!r}"
            raise CallError("E_ROLE", f"{what}: name the column, such as {name}={name!r}")
    models = given.said.get("models")
    if isinstance(models, Mapping) and not all(isinstance(column, str) for column in models.values()):
        what = f"{given.call}() was given a table with truth={given.truth!r}, and arrays as models"
        right = f"{right_call(given.call, 'table')}, or {right_call(given.call, 'arrays')}"
        raise CallError("E_CALL", f"{what}: give one of them, {right}")


def _of_arrays(given: Given) -> Predictions:
    truth, models = _truth_and_models(given)
    if given.said.get("task") != "regression" and not _has_labels(given):
        refuse_swapped_truth(given.call, truth, models)
    return arrays_to_predictions(
        Predictions, truth, models, decisions=given.said.get("labels"), by=_arrays_by_name(given),
        metrics=given.metrics, **_for_arrays(given.settings),
    )  # fmt: skip


def _truth_and_models(given: Given) -> tuple[Any, Mapping[str, Any]]:
    """The truth, first or by name, and what the models say: by name, as a frame, or one after the other."""
    if not given.data and given.truth is None:
        raise nothing_given(given.call)
    truth, rest = (given.truth, given.data) if given.truth is not None else (given.first, given.data[1:])
    truth = one_column(truth)
    models, names = given.said.get("models"), None
    if isinstance(models, Mapping) or (models is not None and not rest):
        rest = (*rest, models)
    elif models is not None:
        names = list(map(str, as_tuple(models)))
    problem = wrong_arrays(given.call, truth, rest, labels=_has_labels(given))
    if problem is not None:
        raise problem
    return truth, _named(given.call, truth, rest, names)


def _has_labels(given: Given) -> bool:
    """Whether the truth is a matrix of labels: somebody must have said so."""
    return given.said.get("task") == "multilabel" or any("multilabel" in metric.tasks for metric in given.metrics)


def _named(call: str, truth: Any, rest: Sequence[Any], names: list[str] | None) -> dict[str, Any]:
    if len(rest) == 1 and isinstance(rest[0], Mapping):
        return dict(rest[0])
    if len(rest) == 1 and is_table(rest[0]) and not has_class_columns(rest[0], truth):
        columns_of = {str(name): rest[0][name] for name in rest[0].columns}
        for name in names or ():
            if name not in columns_of:
                raise UsageError("E_NOCOL", f"there is no column {name!r}; {did_you_mean(name, columns_of)}")
        return {name: columns_of[name] for name in names or columns_of}
    several = len(rest) == 1 and isinstance(rest[0], list | tuple) and _are_models(rest[0], truth)
    columns = list(rest[0]) if several else list(rest)
    if names is not None and len(names) != len(columns):
        raise CallError("E_CALL", f"{call}() was given {len(columns)} predictions and {len(names)} names of models")
    return dict(zip(names or own_names(columns), columns, strict=True))


def _are_models(given: Sequence[Any], truth: Any) -> bool:
    """Whether a list holds arrays, one for each model, and not one value for each row."""
    return all(hasattr(each, "__len__") and not isinstance(each, str) and len(each) == len(truth) for each in given)


def _arrays_by_name(given: Given) -> dict[str, Any]:
    if isinstance(given.by, Mapping):
        return {str(name): values for name, values in given.by.items()}
    if names := slice_names(given.by):
        right = f"by={{{names[0]!r}: values}}"
        raise CallError("E_ROLE", f"by={names[0]!r} names a column, and arrays have none: give the values, {right}")
    return {}


def _for_arrays(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What may be said of arrays."""
    if "on_missing" in settings:
        raise UsageError("E_ROLE", "on_missing= is for sources that are joined by id, and arrays are not")
    return {name: value for name, value in settings.items() if name != "labels"}


class Word(str):
    """A name that is written as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def as_written(data: Sequence[Any], said: Mapping[str, Any], by: Any = ()) -> tuple[list[str], dict[str, Any]]:
    """What was given as a call would write it: the names of data, and keywords whose values are short.

    >>> as_written(["preds.csv"], {"truth": "y", "weight": None})
    (["'preds.csv'"], {'truth': 'y'})
    >>> as_written([[0, 1], {"a": [0.2, 0.7]}], {"weight": [1, 2]}, {"region": ["n", "s"]})
    (['y', 'models'], {'weight': weight, 'by': by})
    """
    short = {name: value if _is_short(value) else Word(name) for name, value in said.items() if value is not None}
    return _data_names(data, short), short | ({"by": Word("by") if isinstance(by, Mapping) else by} if by else {})


def _data_names(data: Sequence[Any], said: Mapping[str, Any]) -> list[str]:
    first = data[0] if data else None
    if isinstance(first, Predictions):
        return ["predictions"]
    if models_in(first):
        return ["models", "X_test", "y_test"][: len(data)]
    if isinstance(first, list) and "truth" in said and all(isinstance(name, str) for name in first):
        return [repr(first)]
    if "truth" in said or all(isinstance(source, str | os.PathLike) for source in data):
        return [repr(os.fspath(source)) if isinstance(source, str | os.PathLike) else "frame" for source in data]
    is_named = len(data) == 2 and (isinstance(data[1], Mapping) or is_table(data[1]))
    return ["y", "models"] if is_named else ["y", *(f"p_{place}" for place in range(1, len(data)))]


def _is_short(value: Any) -> bool:
    if isinstance(value, Mapping):
        return _is_short([*value.values()])
    plain = isinstance(value, str | int | float | ReadOptions)
    return plain or (isinstance(value, list | tuple) and all(isinstance(name, str) for name in value))

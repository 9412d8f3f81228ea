"""What a significance test is given when it is called from Python: values, decisions, rows or many models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.columns.from_arrays import ROLE_COLUMNS, SETTINGS
from referee.columns.roles import as_tuple
from referee.contender import Contender
from referee.design import Design
from referee.errors import UsageError, listed
from referee.metric import metrics
from referee.predictions import Predictions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array
    from referee.comparison import Comparison
    from referee.significance import SignificanceTest, Takes

SPLIT_SIZES = ("n_train", "n_test", "test_fraction")


def _take_units(test: SignificanceTest, data: Sequence[Any], options: dict[str, Any], **asked: Any) -> Comparison:
    a, b = _vectors(test, data, 2, "two aligned lists of values, one of each unit")
    if sizes := _sizes_of_splits({name: options.pop(name, None) for name in SPLIT_SIZES}, len(a)):
        options |= {"kind": "splits", **sizes}
    return test.apply(a, b, _design(test, options, asked))


def _sizes_of_splits(given: Mapping[str, Any], units: int) -> dict[str, Array]:
    """Training and test rows of each split; where only the share of test rows is known, shares of both."""
    sizes = {name: _sizes(name, size, units) for name, size in given.items() if size is not None}
    if set(sizes) not in ({"n_train", "n_test"}, {"test_fraction"}, set()):
        raise UsageError(
            "E_DESIGN", "n_train and n_test belong together, or test_fraction alone: the share of test rows"
        )
    if "test_fraction" not in sizes:
        return sizes
    share = sizes["test_fraction"]
    if not ((share > 0) & (share < 1)).all():
        raise UsageError("E_DESIGN", f"test_fraction={given['test_fraction']} must lie between 0 and 1")
    return {"n_train": 1 - share, "n_test": share}


def _take_decisions(test: SignificanceTest, data: Sequence[Any], options: dict[str, Any], **asked: Any) -> Comparison:
    right = _vectors(test, data, 2, "two aligned lists: whether each row was decided rightly")
    if not np.isin(np.concatenate(right), (0, 1)).all():
        raise UsageError("E_DECISIONS", f"{test.name} takes 1 for a right decision and 0 for a wrong one")
    return test.apply(right[0] == 1, right[1] == 1, _design(test, {"kind": "rows", "unit": "row"} | options, asked))


def _take_many(test: SignificanceTest, data: Sequence[Any], options: dict[str, Any], **asked: Any) -> Comparison:
    values = _columns_of(data[0]) if len(data) == 1 else {}
    if not values:
        what = "a mapping of names to values, or a frame with a column for each model: one value of each data set"
        raise UsageError("E_USAGE", f"{test.name} takes {what}")
    names, columns = list(values), _vectors(test, list(values.values()), len(values), "aligned lists of values")
    return test.apply(
        names, np.stack(columns), _design(test, {"kind": "data_sets", "unit": "data set"} | options, asked)
    )


def _columns_of(given: Any) -> dict[str, Any]:
    """The models' values by name, of a mapping or of any frame; nothing for anything else."""
    if hasattr(given, "column_names"):  # Arrow
        return {name: given[name].to_numpy() for name in given.column_names}
    if isinstance(given, Mapping):
        return dict(given)
    return {name: given[name] for name in given.columns} if hasattr(given, "columns") else {}


def _take_rows(test: SignificanceTest, data: Sequence[Any], options: dict[str, Any], **asked: Any) -> Comparison:
    if len(data) != 3:
        raise UsageError("E_USAGE", f"{test.name} takes the truth and what each of two models predicted")
    a, b = contenders(test, data[0], {"a": data[1], "b": data[2]}, options)
    return test.apply(a, b, Design("rows", "row", a.metric.better, **asked))


def contenders(
    test: SignificanceTest, truth: Any, models: Mapping[str, Any], options: dict[str, Any]
) -> list[Contender]:
    """The models on the metric that was asked for, or on the only one that the test speaks of."""
    if test.metrics is None and "metric" not in options:
        raise UsageError("E_NOMETRIC", f"on which metric? Say {test.name}(truth, a, b, metric=...)")
    _refuse_unknown(
        test, options, ("metric", *SETTINGS, *ROLE_COLUMNS, "classes", "by", *as_tuple(options.get("by", ())))
    )
    metric = options.pop("metric", None) or (test.metrics or ("",))[0]
    metric = metrics[metric] if isinstance(metric, str) else metric
    predictions = Predictions.from_arrays(truth, models, metric=metric, **options)
    return [Contender(predictions, model, metric) for model in predictions.models]


def _design(test: SignificanceTest, options: dict[str, Any], asked: dict[str, Any]) -> Design:
    of_splits = (*SPLIT_SIZES, "folds", "repeats") if test.takes == "units" else ()
    _refuse_unknown(test, options, ("better", "unit", "kind", *of_splits))
    return Design(**options, **asked)


def _refuse_unknown(test: SignificanceTest, options: Mapping[str, Any], known: Sequence[str]) -> None:
    unknown = [name for name in options if name not in known]
    if unknown:
        takes = listed([*test.defaults, "alpha", "seed", *known], most=30)
        raise UsageError("E_PARAMETER", f"{test.name} does not take {listed(unknown)}; it takes {takes}")


def _sizes(name: str, given: Any, units: int) -> Array:
    try:
        return np.broadcast_to(np.asarray(given, float), units)
    except ValueError:
        raise UsageError("E_DESIGN", f"{name} is a number, or {units} of them: one of each unit") from None


def _numbers(test: SignificanceTest, column: Any) -> Array:
    try:
        return np.asarray(column, float)
    except (TypeError, ValueError):
        raise UsageError("E_NUMBER", f"{test.name} takes numbers, not {str(column)[:60]}") from None


def _vectors(test: SignificanceTest, data: Sequence[Any], count: int, what: str) -> list[Array]:
    if len(data) != count:
        raise UsageError("E_USAGE", f"{test.name} takes {what}, not {len(data)} of them")
    columns = [_numbers(test, column) for column in data]
    if any(column.ndim != 1 or len(column) != len(columns[0]) for column in columns):
        shapes = " and ".join(str(column.shape) for column in columns)
        raise UsageError("E_LENGTH", f"{test.name} takes {what}; these have the shapes {shapes}")
    return columns


TAKERS: dict[Takes, Callable[..., Comparison]] = {
    "units": _take_units,
    "decisions": _take_decisions,
    "rows": _take_rows,
    "many": _take_many,
}

"""The same predictions for another engine, so that a contract can be checked on every one of them."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import engine_of
from referee.predictions import Model, Predictions, Units

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_engine: ContextVar[str] = ContextVar("engine", default="memory")


@contextmanager
def using_engine(name: str) -> Iterator[None]:
    """Check contracts on another engine than the one for arrays.

    >>> from referee import metrics
    >>> from referee.testing.invariances import check_units_alone
    >>> from referee.testing.samples import sample
    >>> with using_engine("database"):
    ...     check_units_alone(metrics["accuracy"], sample("binary", seed=0))
    """
    token = _engine.set(name)
    try:
        yield
    finally:
        _engine.reset(token)


def summary_of(predictions: Predictions, by: Units | None = None) -> Any:
    """The summary of the first model, by the engine in use."""
    if _engine.get() == "database" and predictions.has_rows:
        predictions, by = in_database(predictions, by)
    return engine_of(predictions).summarise(predictions, predictions.models[0], by)


def in_database(predictions: Predictions, by: Units | None = None) -> tuple[Predictions, Units | None]:
    """The same predictions, and units, as a table of Ibis' default database: DuckDB in memory."""
    import ibis
    import pyarrow as pa

    arrays: list[Any] = []
    _with_columns(predictions, by, lambda array: arrays.append(np.ascontiguousarray(array)))
    names = [f"column {place}" for place in range(len(arrays))]
    table = ibis.memtable(pa.table(dict(zip(names, arrays, strict=True))))
    columns = iter([table[name] for name in names])
    stored, units = _with_columns(predictions, by, lambda _: next(columns))
    return replace(stored, engine="database", row_count=predictions.rows), units


def _with_columns(
    predictions: Predictions, by: Units | None, go: Callable[[Any], Any]
) -> tuple[Predictions, Units | None]:
    """Put something else in the place of every array, always in the same order."""

    def one(column: Any) -> Any:
        return None if column is None else go(column)

    def units(each: Units | None) -> Any:
        return None if each is None else Units(go(each.codes), each.names)

    def model(each: Model) -> Model:
        single = {name: one(getattr(each, name)) for name in ("scores", "labels", "values")}
        class_scores = each.class_scores and tuple(map(go, each.class_scores))
        quantiles = each.quantiles and {level: go(column) for level, column in each.quantiles.items()}
        return replace(each, **single, class_scores=class_scores, quantiles=quantiles)

    return replace(
        predictions,
        **{name: one(getattr(predictions, name)) for name in ("truth", "weight", "baseline")},
        **{name: units(getattr(predictions, name)) for name in ("fold", "repeat", "group")},
        models=tuple(map(model, predictions.models)),
        slices={name: units(each) for name, each in predictions.slices.items()},
    ), units(by)

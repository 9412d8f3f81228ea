"""Columns as features: what is a number, a category or missing; and what a learner cannot read, prepared for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import Notice
from referee.fitting.dataset import Feature
from referee.predictions import Table, coded, is_numeric, is_text, marks_in, mostly_numeric, numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array


MISSING_WORDS = ("?", "na", "n/a", "nan", "null", "none", "-", ".")
"""What a cell among numbers may hold where there is not a number."""
MISSING_CATEGORY = ("?",)
"""In a column of names the other words may be names."""
FEW_CODES = 20
"""Numbers with words among them are codes if they are so few, and damaged numbers otherwise."""


@dataclass
class FoundFeatures:
    """Features in the order of their columns, and what is to be said about the others."""

    features: tuple[Feature, ...] = ()
    matrix: Array = field(default_factory=lambda: np.empty((0, 0)))
    notices: tuple[Notice, ...] = ()
    notes: tuple[str, ...] = ()
    marks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Feature -> what stands for a missing value, and in how many rows."""


@dataclass(frozen=True)
class Values:
    """A column as numbers or codes, NaN where it has none."""

    feature: Feature
    column: Array
    marks: Mapping[str, int] = field(default_factory=dict)
    """What stands for a missing value, and in how many rows."""
    note: str | None = None


def read_features(table: Table, columns: Sequence[str]) -> FoundFeatures:
    """Read the columns that have no role; those that cannot be learned from are left out and named."""
    matrix = np.empty((table.rows, len(columns)))
    features: list[Feature] = []
    notices: list[Notice] = []
    notes: list[str] = []
    marks: dict[str, Mapping[str, int]] = {}
    for name in columns:
        values = _values(table, name)
        if values.feature.missing == table.rows:
            notes.append(f"column {name!r} is left out: it has no values")
        elif _differs_in_every_row(values.feature, table.rows):
            notices.append(_id_like(table, name, left_out=True))
        else:
            matrix[:, len(features)] = values.column
            features.append(values.feature)
            marks |= {name: values.marks} if values.marks else {}
            notes += [values.note] if values.note else []
            notices += [_id_like(table, name, left_out=False)] if _counts_rows(values) else []
    used = np.ascontiguousarray(matrix[:, : len(features)])
    return FoundFeatures(tuple(features), used, tuple(notices), tuple(notes), marks)


def _values(table: Table, name: str) -> Values:
    import pyarrow as pa

    kind = table.column(name).type
    if pa.types.is_temporal(kind):
        seconds = _seconds(table.column(name))
        note = f"column {name!r} holds times and is taken as a number; --time '{name}' makes it the order of the rows"
        absent = np.isnan(seconds)
        marks = {"": int(absent.sum())} if absent.any() else {}
        return Values(Feature(name, missing=int(absent.sum())), seconds, marks, note)
    if not (table.text or pa.types.is_dictionary(kind) or is_text(kind) or pa.types.is_boolean(kind)):
        return _numeric(table, name, ())
    if not table.text:
        return _categorical(table, name)
    if is_numeric(table, name):
        return _numeric(table, name, ("nan",))
    if _damaged_numbers(table, name):
        return _numeric(table, name, MISSING_WORDS)
    return _categorical(table, name)


def _seconds(cells: Any) -> Array:
    import pyarrow as pa

    kind = pa.duration("us") if pa.types.is_duration(cells.type) else pa.timestamp("us")
    try:
        whole = cells.cast(kind, safe=False)
    except pa.ArrowException:  # a time of day
        whole = cells.cast(pa.time64("us"), safe=False)
    return np.asarray(whole.cast(pa.int64()).cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)) / 1e6


def _damaged_numbers(table: Table, name: str) -> bool:
    """Whether the words in a column of text stand among numbers, instead of being names."""
    import pyarrow.compute as pc

    if not mostly_numeric(table, name):
        return False
    present = table.column(name).filter(_present(table.column(name), MISSING_WORDS))
    rest = Table(table.name, _one_column(name, present), text=True, decimal=table.decimal)
    return bool(is_numeric(rest, name) or pc.count_distinct(present.cast("large_string")).as_py() > FEW_CODES)


def _numeric(table: Table, name: str, missing_words: Sequence[str]) -> Values:
    """Read numbers; a word that does not stand for a missing value is an error with its row."""
    present, part = _part_with_values(table, name, missing_words)
    column = np.full(table.rows, np.nan)
    if part is not None:
        column[present] = numbers(part, name)
    return Values(Feature(name, missing=int((~present).sum())), column, marks_in(table.column(name), ~present))


def _categorical(table: Table, name: str) -> Values:
    present, part = _part_with_values(table, name, MISSING_CATEGORY)
    column = np.full(table.rows, np.nan)
    names: tuple[str, ...] = ()
    if part is not None:
        codes, names = coded(part, name)
        column[present] = codes
    names += tuple(level for level in table.levels.get(name, ()) if level not in names)
    feature = Feature(name, "categorical", names, int((~present).sum()))
    return Values(feature, column, marks_in(table.column(name), ~present))


def _part_with_values(table: Table, name: str, missing_words: Sequence[str]) -> tuple[Array, Table | None]:
    """Which rows have a value, and a table of these alone that knows their row numbers."""
    cells = table.column(name)
    flags = _present(cells, missing_words)
    present = np.asarray(flags.to_numpy(zero_copy_only=False), bool)
    if not present.any():
        return present, None
    rows = None if present.all() else [table.row_number(int(place) + 1) for place in np.flatnonzero(present)]
    part = cells if rows is None else cells.filter(flags)
    return present, Table(table.name, _one_column(name, part), table.text, table.decimal, row_numbers=rows)


def _one_column(name: str, cells: Any) -> Any:
    import pyarrow as pa

    return pa.table({name: cells})


def _present(cells: Any, missing_words: Sequence[str]) -> Any:
    """Tell for each cell whether it holds a value: neither null, nor NaN, blank or one of the words."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(cells.type):
        return pc.invert(pc.is_null(cells, nan_is_null=True)).combine_chunks()
    if not is_text(cells.type):
        return pc.is_valid(cells).combine_chunks()
    words = pc.utf8_lower(pc.ascii_trim(cells.cast(pa.large_string()), characters=" "))
    absent = pc.is_in(words, value_set=pa.array(["", *missing_words], pa.large_string()))
    return pc.and_(pc.is_valid(cells), pc.invert(absent)).combine_chunks()


def _differs_in_every_row(feature: Feature, rows: int) -> bool:
    return feature.is_categorical and 2 < len(feature.categories) == rows - feature.missing


def _counts_rows(values: Values) -> bool:
    """Whether numbers go up by one from row to row, as those of an index."""
    return len(values.column) > 2 and not values.feature.is_categorical and bool((np.diff(values.column) == 1).all())


def _id_like(table: Table, name: str, *, left_out: bool) -> Notice:
    place = f"{table.name}: column {name!r}"
    if left_out:
        return Notice(
            "W_IDLIKE", f"{place} has a different text in every row, so it is left out; --id '{name}' if it is the id"
        )
    return Notice("W_IDLIKE", f"{place} counts the rows and is taken as a feature; --id '{name}' if it is the id")


MOST_CATEGORIES = 100
"""The rarest categories of a feature with more share one column."""


def prepared(
    estimator: Any,
    features: Sequence[Feature],
    *,
    scale: bool = False,
    magnify: bool = False,
    impute: bool = True,
) -> Any:
    """Put what the features need in front of an estimator, fitted with it on training rows; nothing if they need none.

    Numbers: the median for missing values with a column that marks them, then to mean 0 and variance 1 if `scale`,
    to one magnitude if `magnify`. Categories: the most frequent one for missing values, then a column for each.
    Features without missing values are not imputed; `impute=False` leaves missing numbers to a learner that
    understands them.

    >>> from referee.fitting import Feature
    >>> from sklearn.linear_model import Ridge
    >>> prepared(Ridge(), [Feature("age")])
    Ridge()
    >>> two = [Feature("age", missing=1), Feature("job", "categorical", ("a", "b"))]
    >>> prepared(Ridge(), two)[0].fit_transform(np.array([[30.0, 0], [np.nan, 1], [50.0, 0]])).tolist()
    [[30.0, 0.0, 1.0, 0.0], [40.0, 1.0, 0.0, 1.0], [50.0, 0.0, 1.0, 0.0]]
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline

    scaler = _scaler(scale=scale, magnify=magnify)
    every = (
        ("complete", _for_numbers(scaler, impute=False), _places(features, "numeric", missing=False)),
        ("incomplete", _for_numbers(scaler, impute=impute), _places(features, "numeric", missing=True)),
        ("named", _for_categories(impute=False), _places(features, "categorical", missing=False)),
        ("unnamed", _for_categories(impute=True), _places(features, "categorical", missing=True)),
    )
    parts = [part for part in every if part[-1]]
    if all(steps == "passthrough" for _, steps, _ in parts):
        return estimator
    return make_pipeline(ColumnTransformer(parts, sparse_threshold=0), estimator)


def _places(features: Sequence[Feature], kind: str, *, missing: bool) -> list[int]:
    return [
        place for place, feature in enumerate(features) if feature.kind == kind and (feature.missing > 0) == missing
    ]


def _scaler(*, scale: bool, magnify: bool) -> list[Any]:
    from sklearn.preprocessing import StandardScaler

    from referee.fitting.estimators.tree import Magnitudes

    return [*([StandardScaler()] if scale else []), *([Magnitudes()] if magnify else [])]


def _for_numbers(scaler: list[Any], *, impute: bool) -> Any:
    from sklearn.base import clone
    from sklearn.impute import SimpleImputer

    # A column may be empty in one training part, and must keep its place.
    imputer = [SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)] if impute else []
    return _in_a_row([*imputer, *map(clone, scaler)])


def _for_categories(*, impute: bool) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    imputer = [SimpleImputer(strategy="most_frequent", keep_empty_features=True)] if impute else []
    encoder = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES, sparse_output=False)
    return _in_a_row([*imputer, encoder])


def _in_a_row(steps: list[Any]) -> Any:
    from sklearn.pipeline import make_pipeline

    if not steps:
        return "passthrough"
    return steps[0] if len(steps) == 1 else make_pipeline(*steps)


def with_names(estimator: Any, features: Sequence[Feature]) -> Any:
    """Put the columns' names and the categories' texts back for a pipeline that selects columns by name."""
    from functools import partial

    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    return make_pipeline(FunctionTransformer(partial(frame_of, features=tuple(features))), estimator)


def frame_of(matrix: Any, features: Sequence[Feature]) -> Any:
    """The matrix as a pandas frame with names and texts, as a user's own pipeline expects it."""
    import pandas as pd

    columns = {}
    for place, feature in enumerate(features):
        values = matrix[:, place]
        if feature.is_categorical:
            texts = np.array([*feature.categories, np.nan], dtype=object)
            values = texts[np.nan_to_num(values, nan=len(feature.categories)).astype(int)]
        columns[feature.name] = values
    return pd.DataFrame(columns)

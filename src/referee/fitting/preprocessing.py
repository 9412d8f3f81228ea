"""What a learner cannot read is prepared for it, fitted on the training rows alone as a part of the estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.fitting.dataset import Feature

MOST_CATEGORIES = 100
"""The rarest categories of a feature with more share one column."""


def prepared(
    estimator: Any,
    features: Sequence[Feature],
    *,
    scale: bool = False,
    magnify: bool = False,
    categories: Literal["one_hot", "codes"] = "one_hot",
    impute: bool = True,
) -> Any:
    """Put what the features need in front of an estimator; nothing if they need nothing.

    >>> from referee.fitting import Feature
    >>> from sklearn.linear_model import Ridge
    >>> prepared(Ridge(), [Feature("age")])
    Ridge()
    >>> list(prepared(Ridge(), [Feature("age", missing=2)]).named_steps)
    ['columntransformer', 'ridge']
    """
    from sklearn.pipeline import make_pipeline

    steps = preprocessing(features, scale=scale, magnify=magnify, categories=categories, impute=impute)
    return estimator if steps is None else make_pipeline(steps, estimator)


def preprocessing(
    features: Sequence[Feature],
    *,
    scale: bool = False,
    magnify: bool = False,
    categories: Literal["one_hot", "codes"] = "one_hot",
    impute: bool = True,
) -> Any | None:
    """Make a transformer of the matrix of features, or None if none is needed.

    Numbers: the median for missing values with a column that marks them, then to mean 0 and variance 1 if `scale`,
    to one magnitude if `magnify`.
    Categories: the most frequent one for missing values, then a column for each. Features without missing values
    are not imputed; `impute=False` leaves missing numbers to a learner that understands them.

    >>> import numpy as np
    >>> from referee.fitting import Feature
    >>> two = [Feature("age", missing=1), Feature("job", "categorical", ("a", "b"))]
    >>> preprocessing(two).fit_transform(np.array([[30.0, 0], [np.nan, 1], [50.0, 0]])).tolist()
    [[30.0, 0.0, 1.0, 0.0], [40.0, 1.0, 0.0, 1.0], [50.0, 0.0, 1.0, 0.0]]
    """
    from sklearn.compose import ColumnTransformer

    scaler = _scaler(scale=scale, magnify=magnify)
    parts = [
        (name, steps, places)
        for name, steps, places in (
            ("complete", _numeric(scaler, impute=False), _places(features, "numeric", missing=False)),
            ("incomplete", _numeric(scaler, impute=impute), _places(features, "numeric", missing=True)),
            ("named", _categorical(categories, impute=False), _places(features, "categorical", missing=False)),
            ("unnamed", _categorical(categories, impute=True), _places(features, "categorical", missing=True)),
        )
        if places
    ]
    if all(steps == "passthrough" for _, steps, _ in parts):
        return None
    return ColumnTransformer(parts, sparse_threshold=0)


def _places(features: Sequence[Feature], kind: str, *, missing: bool) -> list[int]:
    return [
        place for place, feature in enumerate(features) if feature.kind == kind and (feature.missing > 0) == missing
    ]


def _scaler(*, scale: bool, magnify: bool) -> list[Any]:
    from sklearn.preprocessing import StandardScaler

    from referee.fitting.estimators.tree import Magnitudes

    return [*([StandardScaler()] if scale else []), *([Magnitudes()] if magnify else [])]


def _numeric(scaler: list[Any], *, impute: bool) -> Any:
    from sklearn.base import clone
    from sklearn.impute import SimpleImputer

    # A column may be empty in one training part, and must keep its place.
    imputer = [SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)] if impute else []
    return _in_a_row([*imputer, *map(clone, scaler)])


def _categorical(categories: str, *, impute: bool) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    imputer = [SimpleImputer(strategy="most_frequent", keep_empty_features=True)] if impute else []
    encoder = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES, sparse_output=False)
    return _in_a_row([*imputer, *([encoder] if categories == "one_hot" else [])])


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
    import numpy as np
    import pandas as pd

    columns = {}
    for place, feature in enumerate(features):
        values = matrix[:, place]
        if feature.is_categorical:
            texts = np.array([*feature.categories, np.nan], dtype=object)
            values = texts[np.nan_to_num(values, nan=len(feature.categories)).astype(int)]
        columns[feature.name] = values
    return pd.DataFrame(columns)

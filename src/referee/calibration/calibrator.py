"""Calibrator: a map from scores to probabilities as an estimator, kept as plain JSON and applied to tables."""

from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, check_X_y

from referee import __version__
from referee.calibration.map_fits import apply_maps, fit_maps
from referee.calibration.methods import METHODS, Map
from referee.errors import InputError, UsageError, did_you_mean
from referee.predictions import Table, numbers, small_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from referee.arrays import Array


FORMAT = "referee calibrator"
VERSION = 1


def read_content(text: str, name: str) -> dict[str, Any]:
    """What was written, with its maps made again; whatever is not as it should be is named."""
    content = _object(text, name)
    if content.get("format") != FORMAT:
        _refuse(name, f"it is not a calibrator: 'format' is {_shown(content.get('format'))}, not {FORMAT!r}")
    if content.get("version") != VERSION or isinstance(content["version"], bool):
        _refuse(name, f"its version is {_shown(content.get('version'))}, and this referee reads version {VERSION}")
    method = content.get("method")
    if not isinstance(method, str) or method not in METHODS:
        _refuse(name, f"there is no method {_shown(method)}; {did_you_mean(str(method), METHODS)}")
    classes = _classes(content.get("classes"), name)
    columns, maps = content.get("columns"), content.get("maps")
    if columns not in ((1, 2) if len(classes) == 2 else (len(classes),)) or isinstance(columns, bool):
        _refuse(name, f"'columns' is {_shown(columns)}, which does not fit {len(classes)} classes")
    wanted = 1 if len(classes) == 2 or METHODS[method].joint else len(classes)
    if not isinstance(maps, list) or len(maps) != wanted:
        _refuse(name, f"'maps' must be a list of {wanted}")
    return content | {"classes": classes, "maps": tuple(_map(method, given, name) for given in maps)}


def _object(text: str, name: str) -> dict[str, Any]:
    content = _json(text, name)
    if not isinstance(content, dict):
        _refuse(name, "it is JSON, but not an object")
    return content


def _json(text: str, name: str) -> Any:
    def no_number(word: str) -> NoReturn:
        raise ValueError(f"{word} is not a JSON number")

    try:
        return json.loads(text, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        _refuse(name, f"it is not JSON: {error}")


def _classes(given: Any, name: str) -> list[Any]:
    plain = isinstance(given, list) and len(given) >= 2 and all(isinstance(label, str | int | float) for label in given)
    if not plain or len({repr(label) for label in given}) != len(given):
        _refuse(name, f"'classes' is {_shown(given)}, and must be a list of at least two different labels")
    return list(given)


def _map(method: str, numbers: Mapping[str, Any], name: str) -> Map:
    try:
        return METHODS[method].restore(**numbers)
    except (TypeError, ValueError) as error:
        reason = str(error) if isinstance(error, ValueError) else f"its numbers are {_shown(numbers)}"
        _refuse(name, f"a map of {method} is not valid: {reason}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"


def _refuse(name: str, why: str) -> NoReturn:
    raise InputError(
        "E_CALIBRATOR", f"{name}: {why}", hint="`referee calibrate ... --save FILE.json` writes a calibrator"
    )


class Calibrator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn probabilities from scores and outcomes, by "platt", "isotonic", "temperature" or "beta".

    X is one column of scores of the last class, or one column of probabilities per class in the order of `classes_`.
    Platt scaling and isotonic regression take any score, temperature and beta need probabilities.

    >>> calibrator = Calibrator("platt").fit([-2.0, -1.0, 0.5, 3.0], [0, 1, 0, 1])
    >>> Calibrator.from_json(calibrator.to_json()).predict_proba([0.0]).round(3).tolist()
    [[0.507, 0.493]]
    """

    def __init__(self, method: str = "platt") -> None:
        self.method = method

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803 (as scikit-learn has it)
        if self.method not in METHODS:
            raise UsageError(
                "E_METHOD", f"there is no method {self.method!r}; {did_you_mean(str(self.method), METHODS)}"
            )
        scores, y = check_X_y(X, y, dtype=np.float64, ensure_2d=False)
        scores = _columns(scores)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, scores, dtype=np.float64, ensure_non_negative=True)
        self.classes_, codes = np.unique(y, return_inverse=True)
        _refuse_columns(scores.shape[1], len(self.classes_))
        _refuse_missing_class(weight, codes, len(self.classes_))
        _refuse_no_probabilities(self.method, scores)
        self.n_features_in_ = scores.shape[1]
        self.maps_ = fit_maps(METHODS[self.method], self._given(scores), codes, weight)
        return self

    @classmethod
    def of_maps(cls, method: str, classes: Sequence[Any], maps: Sequence[Map], columns: int) -> Self:
        """A calibrator whose maps are known."""
        made = cls(method)
        made.classes_ = np.asarray(classes)
        made.maps_ = tuple(maps)
        made.n_features_in_ = columns
        return made

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """The probability of every class: (row, class)."""
        check_is_fitted(self)
        scores = _columns(X)
        if scores.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {scores.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input"
            )
        _refuse_no_probabilities(self.method, scores)
        mapped = apply_maps(self.maps_, self._given(scores))
        return np.column_stack([1 - mapped[0], mapped[0]] if len(mapped) == 1 else mapped)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """The most probable class."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[best])

    @property
    def strictly_increasing(self) -> bool:
        """Whether the map of two classes keeps every ranking, and so AUC, but for rounding."""
        check_is_fitted(self)
        return len(self.classes_) == 2 and self.maps_[0].strictly_increasing

    def to_json(self, **facts: Any) -> str:
        """Its parameters as plain JSON; `facts` are kept beside them (model, columns, rows ...)."""
        check_is_fitted(self)
        content = {
            "format": FORMAT,
            "version": VERSION,
            "referee": __version__,
            "method": self.method,
            "classes": self.classes_.tolist(),
            "columns": self.n_features_in_,
            "maps": [dict(fitted.numbers()) for fitted in self.maps_],
        }
        return json.dumps(content | facts, ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str, name: str = "the text") -> Self:
        """The calibrator that was written; what is none is refused, and nothing in it is run."""
        content = read_content(text, name)
        return cls.of_maps(content["method"], content["classes"], content["maps"], content["columns"])

    def _given(self, scores: Array) -> list[Array]:
        """The columns that maps are fitted on: of two classes that of the last one."""
        of_two = len(self.classes_) == 2
        return [scores[:, -1]] if of_two else list(scores.T)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = True
        return tags


def _columns(X: Any) -> Array:  # noqa: N803
    scores = check_array(X, dtype=np.float64, ensure_2d=False, input_name="X")
    return scores.reshape(-1, 1) if scores.ndim == 1 else scores


def _refuse_columns(columns: int, classes: int) -> None:
    if (classes > 2 and columns != classes) or (classes <= 2 and columns not in (1, 2)):
        wanted = "one column, or two" if classes <= 2 else f"{classes} columns, one per class"
        raise ValueError(f"X has {columns} columns, and {classes} classes need {wanted}")


def _refuse_missing_class(weight: Array, codes: Array, classes: int) -> None:
    if classes < 2 or (np.bincount(codes, weight, classes) <= 0).any():
        raise ValueError(
            "Calibrator needs rows of at least two classes, each with a weight above 0: "
            f"the data contain {classes} class{'' if classes == 1 else 'es'}"
        )


def _refuse_no_probabilities(method: str, scores: Array) -> None:
    if METHODS[method].needs == "probabilities" and not (scores.min(initial=0) >= 0 and scores.max(initial=1) <= 1):
        raise ValueError(f"{method} needs probabilities, and X has values outside [0, 1]; platt takes any score")


def read_calibrators(path: str) -> list[tuple[Calibrator, dict[str, Any]]]:
    """The calibrator in a file, or those in a list of them, each with what was kept beside it."""
    try:
        text = small_file(path).decode("utf-8")
    except OSError as error:
        raise UsageError("E_NOFILE", f"--apply {path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError("E_CALIBRATOR", f"{path}: it is not a text file, so it is not a calibrator") from error
    if not text.lstrip().startswith("["):
        return [(Calibrator.from_json(text, path), json.loads(text))]
    each = [json.dumps(content) for content in _json(text, path)] or [""]
    return [(Calibrator.from_json(content, path), json.loads(content)) for content in each]


def apply_to(table: Table, path: str, columns: dict[str, str] | None = None) -> tuple[pa.Table, list[str]]:
    """The table with the calibrated probabilities as further columns, and these columns' names.

    `columns` maps a model's name to its column, or to a pattern with {class}; without it those are taken that the
    calibrator was fitted on.
    """
    kept, asked = read_calibrators(path), columns or {}
    unknown = asked.keys() - {facts.get("model") for _, facts in kept} if len(kept) > 1 else set()
    if unknown:
        name = min(unknown)
        known = did_you_mean(name, [str(facts.get("model")) for _, facts in kept])
        raise UsageError("E_MODELS", f"--model {name}: {path} has no map for this model; {known}")
    result, made = table.columns, list[str]()
    for calibrator, facts in kept:
        own = {name: column for name, column in asked.items() if len(kept) == 1 or name == facts.get("model")}
        mapped = _mapped(table, calibrator, _sources(calibrator, facts, own, path))
        result = _with_columns(table, result, mapped)
        made += mapped
    return result, made


def _mapped(table: Table, calibrator: Calibrator, model: tuple[str, list[str]]) -> dict[str, Array]:
    """The calibrated probabilities by the names of their columns."""
    name, sources = model
    scores = [numbers(table, column).astype(float) for column in sources]
    _refuse_outside(calibrator, table, sources, scores)
    mapped = apply_maps(calibrator.maps_, scores)
    title = f"{name}+{calibrator.method}"
    if len(mapped) == 1 and calibrator.n_features_in_ == 2:
        mapped = [1 - mapped[0], mapped[0]]
    titles = [title] if len(mapped) == 1 else [f"{title}:{label}" for label in calibrator.classes_]
    return dict(zip(titles, mapped, strict=True))


def _with_columns(table: Table, result: pa.Table, made: dict[str, Array]) -> pa.Table:
    import pyarrow as pa

    for column, values in made.items():
        if column in result.column_names:
            raise InputError("E_DUPCOL", f"{table.name} already has a column {column!r}", hint="rename it")
        cells = pa.array(values)
        if table.decimal != ".":  # as the other numbers of the file are written
            cells = pa.array([repr(value).replace(".", table.decimal) for value in values.tolist()])
        result = result.append_column(column, cells)
    return result


def _sources(calibrator: Calibrator, kept: dict[str, Any], columns: dict[str, str], path: str) -> tuple[str, list[str]]:
    """The model's name and its columns: that of the last of two classes, or one for each class."""
    labels = calibrator.classes_[-1:] if len(calibrator.classes_) == 2 else calibrator.classes_
    if columns:
        return _named(columns, [str(label) for label in labels])
    sources = kept.get("source_columns")
    names = [source for source in sources if isinstance(source, str)] if isinstance(sources, list) else []
    if len(names) != len(labels):
        raise UsageError(
            "E_MODELS", f"{path} does not say which column it was fitted on", hint="use --model NAME=COLUMN"
        )
    return str(kept.get("model") or names[0]), names


def _named(columns: dict[str, str], labels: list[str]) -> tuple[str, list[str]]:
    if len(columns) > 1:
        raise UsageError("E_MODELS", "a calibrator belongs to one model: give --model once")
    ((name, pattern),) = columns.items()
    if len(labels) > 1 and "{class}" not in pattern:
        raise UsageError(
            "E_MODELS",
            f"--model {name}={pattern}: the calibrator needs a column for each of {len(labels)} classes",
            hint=f"use --model {name}=pattern_{{class}}",
        )
    return name, [pattern.replace("{class}", label) for label in labels]


def _refuse_outside(calibrator: Calibrator, table: Table, columns: list[str], scores: list[Array]) -> None:
    if METHODS[calibrator.method].needs != "probabilities":
        return
    for column, values in zip(columns, scores, strict=True):
        outside = (values < 0) | (values > 1)
        if outside.any():
            row = int(np.argmax(outside))
            raise InputError(
                "E_PROBRANGE",
                f"{table.name}: {calibrator.method} needs probabilities, and column {column!r}, row "
                f"{table.row_number(row + 1)} is {values[row]:g}, outside [0, 1]",
            )


def table_bytes(table: pa.Table, path: str) -> bytes:
    """A table as the name of its file says: CSV or Parquet."""
    kind = Path(path).suffix.lower()
    if kind == ".parquet":
        import pyarrow.parquet

        sink = BytesIO()
        pyarrow.parquet.write_table(table, sink)
        return sink.getvalue()
    if kind != ".csv":
        raise UsageError("E_OUTPUT", f"--output {path}: its name must end in .csv or .parquet")
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return text.getvalue().encode()

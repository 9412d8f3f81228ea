"""SignificanceTest: a way to ask whether a difference is real; `tests` is the catalogue of all of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.catalogue import Catalogue
from referee.design import Design
from referee.entry import Entry, Parameter
from referee.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from referee.arrays import Array
    from referee.comparison import Comparison
    from referee.contender import Contender
    from referee.design import Kind

Takes = Literal["units", "rows", "decisions", "many"]


@dataclass(frozen=True)
class TestExample:
    """A worked example: what was given, and what somebody else has found."""

    __test__ = False

    given: tuple[Any, ...]
    finds: Mapping[str, float | str]
    source: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SignificanceTest(Entry):
    """Whether a difference could be chance, for the designs that it is valid for.

    `compare(a, b, design, *, settings)` is the test; its keywords are the parameters. `takes` says what a and b are:
    one value for each unit; models on a metric, row by row; right and wrong decisions; or many models' values.

    >>> from referee import tests
    >>> tests["sign"]([0.9, 0.8, 0.7, 0.9, 0.8], [0.8, 0.7, 0.6, 0.7, 0.7], alpha=0.0625).p
    0.0625
    """

    title: str
    question: str
    hypothesis: str
    """What is assumed until the data speak against it."""
    takes: Takes
    designs: tuple[Kind, ...]
    """Where it is valid."""
    assumptions: tuple[str, ...]
    compare: Callable[..., Comparison]
    measured: str = ""
    """How often it names a false winner, where that was measured."""
    with_warning: Mapping[Kind, str] = field(default_factory=dict)
    """Designs on which it is not valid, and runs because it is taught; with what is wrong about it."""
    random: bool = False
    """Whether it draws random numbers."""
    metrics: tuple[str, ...] | None = None
    """The only metrics it speaks of, where it does not take any."""
    statistic_formula: str = ""
    """How statistic, df or p are computed, one per line, `{names}` for what was found: `t = {difference} / {...}`."""
    aliases: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    examples: tuple[TestExample, ...] = ()
    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", "_".join(re.findall(r"\w+", self.title.lower())))

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return (self.compare,)

    def __call__(self, *data: Any, alpha: float = 0.05, seed: int = 0, **options: Any) -> Comparison:
        """Compare two models; see `question` and `takes` for what to give.

        Values of units, or decisions: `(a, b)`, and `n_train`, `n_test` where training sets overlap. Rows:
        `(truth, a, b, metric=...)`. Many models: a mapping of names to values. `better="lower"` for losses.

        >>> from referee import tests
        >>> tests["mcnemar"]([1, 1, 0, 1], [1, 1, 0, 1]).p
        1.0
        """
        settings = {key: options.pop(key) for key in list(options) if key in self.defaults}
        test = self.bind(**settings) if settings else self
        return _TAKERS[self.takes](test, data, options, alpha=alpha, seed=seed)

    def apply(self, a: Any, b: Any, design: Design) -> Comparison:
        """Compare what was taken; the result knows which test it is of."""
        found = self.compare(a, b, design, **self.settings)
        return replace(found, test=self.full_name, alpha=design.alpha)


def _take_units(test: SignificanceTest, data: Sequence[Any], options: dict[str, Any], **asked: Any) -> Comparison:
    a, b = _vectors(test, data, 2, "two aligned lists of values, one of each unit")
    n_train, n_test = (options.pop(name, None) for name in ("n_train", "n_test"))
    if (n_train is None) != (n_test is None):
        raise UsageError("E_DESIGN", "n_train and n_test belong together")
    if n_train is not None:
        sizes = [np.broadcast_to(np.asarray(size, float), len(a)) for size in (n_train, n_test)]
        options |= {"kind": "splits", "n_train": sizes[0], "n_test": sizes[1]}
    return test.apply(a, b, _design(test, options, asked))


def _take_decisions(test: SignificanceTest, data: Sequence[Any], options: dict[str, Any], **asked: Any) -> Comparison:
    right = _vectors(test, data, 2, "two aligned lists: whether each row was decided rightly")
    if not np.isin(np.concatenate(right), (0, 1)).all():
        raise UsageError("E_DECISIONS", f"{test.name} takes 1 for a right decision and 0 for a wrong one")
    return test.apply(right[0] == 1, right[1] == 1, _design(test, {"kind": "rows", "unit": "row"} | options, asked))


def _take_many(test: SignificanceTest, data: Sequence[Any], options: dict[str, Any], **asked: Any) -> Comparison:
    if len(data) != 1 or not hasattr(data[0], "items"):
        raise UsageError("E_USAGE", f"{test.name} takes a mapping of names to values, one of each data set")
    names, columns = list(data[0]), _vectors(test, list(data[0].values()), len(data[0]), "aligned lists of values")
    return test.apply(
        names, np.stack(columns), _design(test, {"kind": "data_sets", "unit": "data set"} | options, asked)
    )


def _take_rows(test: SignificanceTest, data: Sequence[Any], options: dict[str, Any], **asked: Any) -> Comparison:
    if len(data) != 3:
        raise UsageError("E_USAGE", f"{test.name} takes the truth and what each of two models predicted")
    a, b = contenders(test, data[0], {"a": data[1], "b": data[2]}, options)
    return test.apply(a, b, Design("rows", "row", a.metric.better, **asked))


def contenders(
    test: SignificanceTest, truth: Any, models: Mapping[str, Any], options: dict[str, Any]
) -> list[Contender]:
    """The models on the metric that was asked for, or on the only one that the test speaks of."""
    from referee.contender import Contender
    from referee.metric import metrics
    from referee.predictions import Predictions

    if test.metrics is None and "metric" not in options:
        raise UsageError("E_NOMETRIC", f"on which metric? Say {test.name}(truth, a, b, metric=...)")
    metric = options.pop("metric", None) or (test.metrics or ("",))[0]
    metric = metrics[metric] if isinstance(metric, str) else metric
    predictions = Predictions.from_arrays(truth, models, metric=metric, **options)
    return [Contender(predictions, model, metric) for model in predictions.models]


def _design(test: SignificanceTest, options: dict[str, Any], asked: dict[str, Any]) -> Design:
    try:
        return Design(**options, **asked)
    except TypeError:
        known = [*test.defaults, "alpha", "seed", "better", "unit"]
        raise UsageError(
            "E_PARAMETER", f"{test.name} does not take {listed_options(options)}; it takes {known}"
        ) from None


def listed_options(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}=" for key in options)


def _vectors(test: SignificanceTest, data: Sequence[Any], count: int, what: str) -> list[Array]:
    if len(data) != count:
        raise UsageError("E_USAGE", f"{test.name} takes {what}, not {len(data)} of them")
    columns = [np.asarray(column, float) for column in data]
    if any(column.ndim != 1 or len(column) != len(columns[0]) for column in columns):
        shapes = " and ".join(str(column.shape) for column in columns)
        raise UsageError("E_LENGTH", f"{test.name} takes {what}; these have the shapes {shapes}")
    return columns


_TAKERS: dict[Takes, Callable[..., Comparison]] = {
    "units": _take_units,
    "decisions": _take_decisions,
    "rows": _take_rows,
    "many": _take_many,
}

tests: Catalogue[SignificanceTest] = Catalogue("referee.significance_tests", "test")

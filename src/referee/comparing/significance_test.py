"""SignificanceTest: an entry of the catalogue, and what it is given when it is called from Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.arrays import joint
from referee.catalogue import Catalogue, Entry, Parameter
from referee.comparing.contender import Contender
from referee.comparing.design import IN_WORDS, Design
from referee.errors import Notice, UsageError, listed
from referee.predictions import ROLE_COLUMNS, SETTINGS, Predictions, refuse_other_orders
from referee.records import dataclass
from referee.scoring import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array
    from referee.comparing.comparison import Comparison
    from referee.comparing.design import Kind
    from referee.comparing.test_cards import WorkedTest

Takes = Literal["units", "rows", "decisions", "many", "folds", "refits"]


@dataclass(frozen=True)
class TestExample:
    """A worked example: what was given, and what somebody else has found."""

    __test__ = False

    given: tuple[Any, ...]
    finds: Mapping[str, float | str]
    source: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class SignificanceTest(Entry):
    """Whether a difference could be chance, for the designs that it is valid for.

    `compare(a, b, design, *, settings)` is the test; its keywords are the parameters. `takes` says what a and b are:
    one value for each unit; models on a metric, row by row, or fit by fit of the same rows; how many rows the first
    decides rightly, and how many wrongly, of which the second decides some wrongly and some rightly; many models'
    values; or values of the folds of each data set.

    >>> from referee import tests
    >>> tests["sign"]([0.9, 0.8, 0.7, 0.9, 0.8], [0.8, 0.7, 0.6, 0.7, 0.7], alpha=0.0625).p
    0.0625

    `full_name` has its parameters, `bind(rope=0.01)` changes them. `hypothesis`
    is what it tries to refute; `designs` and `assumptions` say when to trust it.
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
    with_warning: Mapping[Kind, str] = field(default_factory=dict)
    """Designs on which it is not valid, and runs because it is taught; with what is wrong about it."""
    random: bool = False
    """Whether it draws random numbers."""
    metrics: tuple[str, ...] | None = None
    """The only metrics it speaks of, where it does not take any."""
    statistic_formula: str = ""
    """How statistic, df and p are computed, a line each, `{name}` or `{name:words}` for what was found; a line of one
    setting begins with it (`method=exact: p = ...`). See `referee.catalogue.worked_formula`."""
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

        Values of units, or decisions: `(a, b)`, and `n_train` with `n_test`, or `test_fraction`, where training sets
        overlap. Folds of data sets: the same with a list for each data set. Rows: `(truth, a, b, metric=...)`, and of
        refits also id, fold and repeat. Many models: a mapping of names to values, or a frame.
        `better="lower"` for losses.

        >>> from referee import tests
        >>> tests["mcnemar"]([1, 1, 0, 1], [1, 1, 0, 1]).p
        1.0
        """
        test, a, b, design = self._taken(data, options, alpha=alpha, seed=seed)
        return test.apply(a, b, design)

    def worked(
        self, *data: Any, names: tuple[str, str] = ("a", "b"), alpha: float = 0.05, seed: int = 0, **options: Any
    ) -> WorkedTest:
        """The same call, to be explained step by step.

        >>> from referee import tests
        >>> tests["paired_t"].worked([0.9, 0.8, 0.85, 0.95], [0.7, 0.75, 0.7, 0.8]).comparison.outcome
        'a'
        """
        from referee.comparing.test_cards import WorkedTest  # the layer above

        test, a, b, design = self._taken(data, options, alpha=alpha, seed=seed)
        return WorkedTest(replace(test.apply(a, b, design), a=names[0], b=names[1]), test, design)

    def _taken(self, data: Any, options: dict[str, Any], **asked: Any) -> tuple[SignificanceTest, Any, Any, Design]:
        settings = {key: options.pop(key) for key in list(options) if key in self.defaults}
        test = self.bind(**settings) if settings else self
        return test, *TAKERS[self.takes](test, data, options, **asked)

    def apply(self, a: Any, b: Any, design: Design) -> Comparison:
        """Compare what was taken, unless the design forbids it; the result knows which test it is of."""
        refuse_unless_valid(self, design)
        comparison = self.compare(a, b, design, **self.settings)
        naive = [Notice("W_NAIVE", why) for kind, why in self.with_warning.items() if kind == design.kind]
        given = (a, b) if self.takes == "units" else None
        warnings = (*naive, *comparison.warnings)
        return replace(comparison, test=self.full_name, alpha=design.alpha, warnings=warnings, given=given)


def refuse_unless_valid(test: SignificanceTest, design: Design) -> None:
    """Stop where the design forbids the test, and name those that it allows; nothing is known of independent units."""
    if design.kind == "independent" or design.kind in (*test.designs, *test.with_warning):
        return
    valid = [name for name, other in tests.items() if design.kind in other.designs and other.takes != "many"]
    raise UsageError(
        "E_TEST",
        f"{test.name} ({test.title}) is not valid here ({IN_WORDS[design.kind]}): it is for "
        + "; ".join(IN_WORDS[kind] for kind in test.designs),
        hint="use --time COL" if test.designs == ("time",) else f"valid tests are {listed(valid, most=30)}",
    )


tests: Catalogue[SignificanceTest] = Catalogue(
    "referee.significance_tests",
    "test",
    """tests["wilcoxon"](scores_a, scores_b).p
tests["corrected_resampled_t"](folds_a, folds_b, test_fraction=0.1)
tests["friedman"](frame)
referee.compare(..., test="delong")""",
)


Taken = tuple[Any, Any, Design]
"""What a test compares, and its design."""
SPLIT_SIZES = ("n_train", "n_test", "test_fraction")


def _take_units(test: SignificanceTest, data: Sequence[Any], options: dict[str, Any], **asked: Any) -> Taken:
    a, b = _vectors(test, data, 2, "two aligned lists of values, one value for each unit")
    if sizes := _sizes_of_splits({name: options.pop(name, None) for name in SPLIT_SIZES}, len(a)):
        options |= {"kind": "splits", **sizes}
    return a, b, _design(test, options, asked)


def _sizes_of_splits(given: Mapping[str, Any], units: int) -> dict[str, Array]:
    """Training and test rows of each split; where only the share of test rows is known, shares of both."""
    sizes = {name: _sizes(name, size, units) for name, size in given.items() if size is not None}
    if set(sizes) not in ({"n_train", "n_test"}, {"test_fraction"}, set()):
        raise UsageError("E_DESIGN", "give both n_train and n_test, or only test_fraction, the share of test rows")
    if "test_fraction" not in sizes:
        return sizes
    share = sizes["test_fraction"]
    if not ((share > 0) & (share < 1)).all():
        raise UsageError("E_DESIGN", f"test_fraction={given['test_fraction']} must lie between 0 and 1")
    return {"n_train": 1 - share, "n_test": share}


def _take_folds(test: SignificanceTest, data: Sequence[Any], options: dict[str, Any], **asked: Any) -> Taken:
    what = "the values of each data set's folds: two lists of lists"
    if len(data) != 2 or not all(hasattr(model, "__len__") for model in data):
        raise UsageError("E_USAGE", f"{test.name} takes {what}")
    a, b = ([_numbers(test, folds) for folds in model] for model in data)
    if [folds.shape for folds in a] != [folds.shape for folds in b] or any(folds.ndim != 1 for folds in a):
        raise UsageError("E_LENGTH", f"{test.name} takes {what}, as long for both models")
    sizes = _sizes_of_splits({name: options.pop(name, None) for name in SPLIT_SIZES}, sum(map(len, a)))
    return a, b, _design(test, {"kind": "data_sets", "unit": "data set", **options, **sizes}, asked)


def _take_decisions(test: SignificanceTest, data: Sequence[Any], options: dict[str, Any], **asked: Any) -> Taken:
    right = _vectors(test, data, 2, "two aligned lists: whether each row was classified correctly")
    if not np.isin(np.concatenate(right), (0, 1)).all():
        raise UsageError("E_DECISIONS", f"{test.name} takes 1 for a correct decision and 0 for a wrong one")
    wrong_of_a, right_of_a = joint(right[0] == 1, right[1] == 1)
    return right_of_a, wrong_of_a, _design(test, {"kind": "rows", "unit": "row"} | options, asked)


def _take_many(test: SignificanceTest, data: Sequence[Any], options: dict[str, Any], **asked: Any) -> Taken:
    values = _columns_of(data[0]) if len(data) == 1 else {}
    if not values:
        what = "a mapping of names to values, or a frame with a column for each model: one value for each data set"
        raise UsageError("E_USAGE", f"{test.name} takes {what}")
    names, columns = list(values), _vectors(test, list(values.values()), len(values), "aligned lists of values")
    return names, np.stack(columns), _design(test, {"kind": "data_sets", "unit": "data set"} | options, asked)


def _columns_of(given: Any) -> dict[str, Any]:
    """The models' values by name, of a mapping or of any frame; nothing for anything else."""
    if hasattr(given, "column_names"):  # Arrow
        return {name: given[name].to_numpy() for name in given.column_names}
    if isinstance(given, Mapping):
        return dict(given)
    return {name: given[name] for name in given.columns} if hasattr(given, "columns") else {}


def _take_rows(test: SignificanceTest, data: Sequence[Any], options: dict[str, Any], **asked: Any) -> Taken:
    if len(data) != 3:
        raise UsageError("E_USAGE", f"{test.name} takes the truth and what each of two models predicted")
    a, b = contenders(test, data[0], {"a": data[1], "b": data[2]}, options)
    kind: Kind = "time" if a.predictions.time is not None or test.designs == ("time",) else "rows"
    kind, unit = ("left_out", "fit") if test.takes == "refits" else (kind, "row")
    return a, b, Design(kind, unit, a.metric.better, **asked)


def contenders(
    test: SignificanceTest, truth: Any, models: Mapping[str, Any], options: dict[str, Any]
) -> list[Contender]:
    """The models on the metric that was asked for, or on the only one that the test speaks of."""
    if test.metrics is None and "metric" not in options:
        raise UsageError("E_NOMETRIC", f"on which metric? Use {test.name}(truth, a, b, metric=...)")
    _refuse_unknown(test, options, ("metric", *SETTINGS, *ROLE_COLUMNS, "classes", "by"))
    metric = options.pop("metric", None) or (test.metrics or ("",))[0]
    metric = metrics[metric] if isinstance(metric, str) else metric
    predictions = Predictions.from_arrays(truth, models, metrics=(metric,), **options)
    return [Contender(predictions, model, metric) for model in predictions.models]


def _design(test: SignificanceTest, options: dict[str, Any], asked: dict[str, Any]) -> Design:
    of_splits = (*SPLIT_SIZES, "folds", "repeats") if test.takes in ("units", "folds") else ()
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
        raise UsageError("E_DESIGN", f"{name} is a number, or {units} of them: one for each unit") from None


def _numbers(test: SignificanceTest, column: Any) -> Array:
    if np.ma.is_masked(column):
        raise UsageError("E_MISSING", f"{test.name} takes numbers, and some are masked", hint="leave these pairs out")
    try:
        if np.asarray(column).dtype.kind not in "cmMV":  # complex numbers and times would lose what makes them so
            return np.asarray(column, float)
    except (TypeError, ValueError):
        pass
    raise UsageError("E_NUMBER", f"{test.name} takes numbers, not {str(column)[:60]}")


def _vectors(test: SignificanceTest, data: Sequence[Any], count: int, what: str) -> list[Array]:
    if len(data) != count:
        raise UsageError("E_USAGE", f"{test.name} takes {what}, not {len(data)} of them")
    refuse_other_orders({f"list {place}": column for place, column in enumerate(data, 1)})
    columns = [_numbers(test, column) for column in data]
    if any(column.ndim != 1 or len(column) != len(columns[0]) for column in columns):
        shapes = " and ".join(str(column.shape) for column in columns)
        raise UsageError("E_LENGTH", f"{test.name} takes {what}; these have the shapes {shapes}")
    return columns


TAKERS: dict[Takes, Callable[..., Taken]] = {
    "units": _take_units,
    "decisions": _take_decisions,
    "rows": _take_rows,
    "many": _take_many,
    "folds": _take_folds,
    "refits": _take_rows,
}

"""Metric: a formula over a summary, with all that is known about it; `metrics` is the catalogue of all of them."""

from __future__ import annotations

import re
from contextlib import contextmanager, nullcontext
from dataclasses import field, replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from referee.catalogue import Catalogue, Entry, Parameter, argument_names, write_call
from referee.errors import RefereeError, UsageError
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from referee.scoring.scorer import Scorer

Needs = Literal["labels", "scores", "probabilities", "values", "quantiles"]
Task = Literal["binary", "multiclass", "regression", "scores", "ranking", "multilabel"]
"""What a truth holds; scores have none."""
Proper = Literal["strictly", "weakly", "no"]

CLASSIFICATION: tuple[Task, ...] = ("binary", "multiclass")
BINARY: tuple[Task, ...] = ("binary",)
MULTICLASS: tuple[Task, ...] = ("multiclass",)
REGRESSION: tuple[Task, ...] = ("regression",)
SCORES: tuple[Task, ...] = ("scores",)
RANKING: tuple[Task, ...] = ("ranking",)
MULTILABEL: tuple[Task, ...] = ("multilabel",)

SUMMARIES = ("counts", "sums", "ranking", "pairs")
AVERAGES = ("macro", "micro", "weighted")


@dataclass(frozen=True)
class Example:
    """A worked example whose value somebody else has computed."""

    truth: Sequence[Any]
    prediction: Sequence[Any] | Mapping[float, Sequence[Any]]
    value: float
    source: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Metric(Entry):
    """How good predictions are, as one number.

    `value(counts | sums | ranking | pairs, *, settings)` is the formula; the
    names of its arguments say which summaries it needs, its keywords are the
    metric's parameters. `row_terms(truth, prediction, xp)` names the row values
    that are summed. Both take whole arrays, for every unit and engine at once.

    >>> from referee import metrics
    >>> accuracy = metrics["accuracy"]
    >>> accuracy([1, 0, 1, 1], [0.9, 0.2, 0.4, 0.7])
    0.75
    >>> accuracy.better, accuracy.best, accuracy.depends_on_threshold
    ('higher', 1.0, True)

    `full_name` has its parameters, `bind(beta=2)` changes them. `of_counts()`
    scores a confusion matrix, `scorer()` is for scikit-learn. `better`, `best`,
    `range`, `proper`, `needs` and `tasks` say what is true of it.
    """

    title: str
    question: str
    formula: str
    """In words, or in symbols: `{TP}`, `{rows:n}` stand for numbers that `--explain` puts in, see `KnownNumbers`."""
    needs: Needs
    tasks: tuple[Task, ...]
    better: Literal["higher", "lower"]
    range: tuple[float, float]
    value: Callable[..., Any]
    blind_to: str
    row_terms: Callable[..., dict[str, Any]] | None = None
    per_class: bool = False
    """The formula speaks of one class against the rest; with several classes it is averaged."""
    proper: Proper = "no"
    """Whether reporting one's true probabilities is best: uniquely, among others, or not."""
    depends_on_prevalence: bool | None = None
    elicits: str | None = None
    """The property of the distribution that the best prediction reports: mean, median, quantile ..."""
    compares_models: bool = True
    """Whether models can differ in it: not in a property of the data, which is the same for all of them."""
    units_power: int = 0
    """1 if the value is in units of the truth, 2 if in their square."""
    carried_by: str | None = None
    """The row term with no upper end that makes up the value, where a few rows can carry it: squared errors."""
    of_chance: float | None = None
    """The value of predictions that know nothing of the truth, where always predicting the same has none."""
    ordinal: bool = False
    """Whether the order of the classes matters, so that it must be known."""
    cut_at: str | None = None
    """The parameter that says which share of the positive rows lies above the cut."""
    range_of_two: tuple[float, float] | None = None
    """The range where there are two classes, if it is another one."""
    small: float | None = None
    """A lead below this is called small; None: 0.005 of a bounded range, 1% of the way from guessing to the best."""
    undefined_when: str | None = None
    cells_added: float = 0.0
    """What each cell of a table of two classes is given for the interval, which is too narrow where cells are empty."""
    aliases: tuple[str, ...] = ()
    known_as: str = ""
    """The alias that people know it by as long as its formula has its default parameters: F1 for F-beta."""
    related: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", "_".join(re.findall(r"\w+", self.title.lower())) or "metric")

    def __hash__(self) -> int:
        return hash(self.full_name)

    @property
    def shown_name(self) -> str:
        """The name that people read, which can also be typed; keys of JSON and CSV are full names.

        >>> from referee import metrics
        >>> [metrics[name].shown_name for name in ("f_beta", "f1_macro", "f_beta(beta=2)", "AUC")]
        ['f1', 'f1(average=macro)', 'f_beta(beta=2)', 'roc_auc']
        """
        is_default = self.known_as and self.settings.keys() <= COMMON_PARAMETERS.keys()
        return write_call(self.known_as, self.settings) if is_default else self.full_name

    def called(self, classes: int) -> str:
        """What it is called in a sentence about so many classes, with the average over them where there is one.

        >>> from referee import metrics
        >>> metrics["f1"].called(2), metrics["f1"].called(3), metrics["f1_weighted"].called(2)
        ('f1', 'f1, macro average', 'f1, weighted average')
        """
        average = self.settings.get("average") or ("macro" if self.per_class and classes > 2 else None)
        others = {key: value for key, value in self.settings.items() if key != "average"}
        return f"{replace(self, settings=others).shown_name}, {average} average" if average else self.shown_name

    @property
    def best(self) -> float:
        return float(self.range[self.better == "higher"])

    @property
    def strictly_proper(self) -> bool:
        return self.proper == "strictly"

    @property
    def depends_on_threshold(self) -> bool:
        return "counts" in self.summaries or self.tasks == MULTILABEL

    @property
    def of_classes(self) -> bool:
        """Whether each row is of one class."""
        return bool(set(self.tasks) & set(CLASSIFICATION))

    @property
    def of_one_class(self) -> bool:
        """Whether it is about one of two classes, so that the positive class must be known."""
        return self.per_class and "average" not in self.settings

    @property
    def pools_ranks(self) -> bool:
        """Whether rows are ranked among each other, so that all must have scores of the same scale."""
        return self.compares_models and bool({"ranking", "pairs"} & set(self.summaries))

    @property
    def ranks_only(self) -> bool:
        """Whether only the order of the scores matters."""
        return self.needs == "scores"

    @cached_property
    def without_average(self) -> str:
        """The name that it shares with its averages over the classes."""
        return write_call(self.name, {key: value for key, value in self.settings.items() if key != "average"})

    @cached_property
    def summaries(self) -> tuple[str, ...]:
        return tuple(name for name in SUMMARIES if name in argument_names(self.value))

    @cached_property
    def row_arguments(self) -> tuple[str, ...]:
        """What the row terms are made of: truth, prediction, baseline ..."""
        return argument_names(self.row_terms) if self.row_terms else ()

    @cached_property
    def additive(self) -> bool:
        """Whether the value on all rows is the average of the values of its rows."""
        from referee.scoring.formula import is_additive

        with self.answerable():
            return is_additive(self)

    @cached_property
    def called_classes(self) -> tuple[int, ...]:
        """Of two classes those whose calls carry the value: the positive one (1) in precision, both in MCC."""
        from referee.scoring.formula import called_classes

        with self.answerable():
            return called_classes(self)

    @cached_property
    def needs_calls(self) -> bool:
        """Whether a class that is never called has no value, as in precision: its first calls are then all of it."""
        from referee.scoring.formula import needs_calls

        with self.answerable():
            return needs_calls(self)

    @cached_property
    def interval(self) -> str:
        """What kind of interval its value has, inside its range, where rows are independent and count the same."""
        from referee.scoring.counted_intervals import kind_of_interval  # the layer above

        with self.answerable():
            return kind_of_interval(self)

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return tuple(function for function in (self.value, self.row_terms) if function)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """All parameters with their default values, in the order of the formula."""
        return super().defaults | ({"average": None} if self.per_class else {}) | {"undefined": None}

    @property
    def file(self) -> str:
        """The file of its formula."""
        code = getattr(self.value, "__code__", None)
        return code.co_filename if code else ""

    @cached_property
    def built_in(self) -> bool:
        return Path(self.file).parent == Path(__file__).parents[1] / "metrics"

    def answerable(self) -> AbstractContextManager[None]:
        """Name the file of a user's own formula where it fails: that is no bug of referee's."""
        return nullcontext() if self.built_in else self._answerable()

    @contextmanager
    def _answerable(self) -> Iterator[None]:
        try:
            yield
        except RefereeError:
            raise
        except Exception as error:
            what = f"the formula of the metric {self.full_name} fails: {type(error).__name__}: {error}"
            raise UsageError("E_METRICFILE", f"{self.file}: {what}") from error

    def parameter(self, key: str) -> Parameter:
        return COMMON_PARAMETERS.get(key) or super().parameter(key)

    def __call__(
        self,
        truth: Any,
        prediction: Any,
        weight: Any = None,
        *,
        positive: Any = None,
        classes: Sequence[Any] | None = None,
        drop_label: Any = None,
        query: Any = None,
        interval: float | None = None,
        threshold: float = 0.5,
        **settings: Any,
    ) -> float:
        """Score one model's predictions; nan (with a warning that says why) where the metric is undefined.

        `drop_label` names labels whose rows are left out, `query` the query of each ranked item (default: all one),
        `interval` the share that predictions named "lower" and "upper" are meant to hold.

        >>> from referee import metrics
        >>> metrics["roc_auc"](["no", "yes", "yes"], [0.1, 0.4, 0.8], positive="yes")
        1.0
        """
        from referee.scoring.scorer import score_arrays  # the layer above: a metric is callable

        metric = self.bind(**settings) if settings else self
        said = {"positive": positive, "classes": classes, "drop_label": drop_label, "query": query}
        return score_arrays(metric, truth, prediction, weight, threshold=threshold, interval=interval, **said)

    def of_counts(self, matrix: Any, *, positive: int = 0) -> float:
        """Score a confusion matrix: rows are the true classes, columns the predicted ones.

        >>> from referee import metrics
        >>> metrics["recall"].of_counts([[90, 210], [140, 9560]])
        0.3
        """
        from referee.scoring.scorer import score_counts  # the layer above

        return score_counts(self, matrix, positive)

    def scorer(self, *, positive: Any = None, threshold: float | None = None) -> Scorer:
        """A scikit-learn scorer, where greater is better, so losses are negative."""
        from referee.scoring.scorer import Scorer, refuse_scorer  # the layer above

        refuse_scorer(self)
        return Scorer(self, positive=positive, threshold=threshold)


COMMON_PARAMETERS = {
    "average": Parameter(
        "over the classes: macro (each class counts the same), weighted (by its rows) or micro (all decisions pooled); "
        "none: the positive class where there are two, macro where there are more",
        choices=(None, *AVERAGES),
    ),
    "undefined": Parameter("the value to give where the metric is undefined", low=-inf),
}


def by_scikit_learns_name(letters: str, find: Callable[[str], Metric | None]) -> Metric | None:
    """neg_ before a loss, _score or _loss behind a name, or an average: neg_log_loss, r2_score, f1_macro."""
    for ending in ("score", *AVERAGES):
        if letters.endswith(ending) and (metric := find(letters.removesuffix(ending))):
            return metric if ending == "score" else _averaged(metric, ending)
    loss = find(letters.removeprefix("neg")) if letters.startswith("neg") else None
    loss = find(letters.removesuffix("loss")) if letters.endswith("loss") and loss is None else loss
    return loss if loss is not None and loss.better == "lower" else None


def _averaged(metric: Metric, average: str) -> Metric | None:
    return metric.bind(average=average) if "average" in metric.defaults else None


metrics: Catalogue[Metric] = Catalogue(
    "referee.metrics",
    "metric",
    """metrics["roc_auc"](y, scores)
metrics["f_beta(beta=2)"].scorer()  # for scikit-learn
referee.compare(..., goal="log_loss")""",
    by_scikit_learns_name,
)


def shown_name(full_name: str) -> str:
    """What people read for a metric that is known by its full name.

    >>> shown_name("f_beta"), shown_name("f_beta(beta=2)"), shown_name("mine")
    ('f1', 'f_beta(beta=2)', 'mine')
    """
    return metrics[full_name].shown_name if full_name in metrics else full_name

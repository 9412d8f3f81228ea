"""Engine: what makes summaries of rows, wherever these are."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.engines.rank_sums import RankSums
    from referee.predictions import Facts, Model, Predictions, Units
    from referee.scoring import Metric


@dataclass(frozen=True)
class PairSums:
    """Sums over all rows of what these add to the values of several models: all that comparing any two needs."""

    products: Array
    """Of what two models' rows add: (class, model, model), or (1, model, model) where classes are not compared."""
    squares: Array
    """Of their difference, which the products would give less exactly where models are alike; on the diagonal of what
    one model's rows add."""
    fourths: Array
    """Fourth powers of the same, of all classes: (model, model)."""
    powers: Array
    """Of what one model's rows of each class add, from the first to the fourth: (class, model, 4)."""


@dataclass(frozen=True, eq=False)
class GroupCells:
    """Rows of a group that have the same class, and the same decisions where these were asked for, as one cell."""

    group: Array
    truth: Array
    labels: Array | None
    """(model, cell)"""
    weight: Array
    """How many rows they are, or what they weigh."""
    changes: Array
    """What they add to each model's value, on average: (model, cell)"""


@dataclass(frozen=True)
class WeightFacts:
    """What the weights of rows, where they are not 0, add up to."""

    rows: int
    total: float
    squares: float
    low: float
    high: float


@dataclass(frozen=True)
class RepeatedRows:
    """Rows that repeat an earlier one, and how often equal predictions come with different truths."""

    copies: int
    differ: float = 0.0
    expected: float = 0.0
    """As often as that, if rows had no more in common than neighbours in the order of their predictions."""


class Engine(Protocol):
    """What the module `engine` of each folder beside this file gives, for predictions of its kind."""

    TO_HAVE_ROWS: str
    """How a user has the rows in memory, where they are not."""
    ROWS_ARE: str
    """Where they are instead."""
    IN_BATCHES: bool
    """Whether rows pass by in batches, so that looking at all of them once more is a pass over the file."""
    SUMS_PAIRS: bool
    """Whether models are compared where their rows are: it is a `SummingEngine`."""

    ANSWERS: bool
    """Whether it answers questions about rankings where the rows are: it is a `SummingEngine`."""

    def summarise(self, predictions: Predictions, model: Model, by: Units | None = None) -> Any:
        """The summaries of a model: counts, sums, ranking, for all rows or unit by unit."""
        ...

    def facts(self, predictions: Predictions, model: Model) -> Facts:
        """What is worth a warning."""
        ...

    def rows_of_classes(self, predictions: Predictions) -> Array: ...

    def constant(self, predictions: Predictions, value: float) -> Any:
        """A column that holds one value."""
        ...

    def mean_and_quantiles(self, predictions: Predictions, levels: Sequence[float]) -> tuple[float, dict[float, float]]:
        """Of the truth."""
        ...

    def units_alone(self, predictions: Predictions, model: Model, units: Units) -> Iterator[Any]:
        """The summary of each unit by itself; None for each where the engine has none."""
        ...

    def rank_sums(self, summary: Any) -> Iterator[list[RankSums]]:
        """Of each column of scores the ranks within each class, added up by the units of a summary."""
        ...

    def crossed(self, several: Sequence[Units]) -> Units | None:
        """The units that several groupings give together."""
        ...

    def rows_of_units(self, several: Sequence[Units]) -> Array:
        """How many rows each combination of units of several groupings has; where rows are compared in folds."""
        ...

    def fingerprint(self, predictions: Predictions) -> str:
        """A hash of the content, the same whatever container it came in."""
        ...


class SummingEngine(Engine, Protocol):
    """An engine that compares models where their rows are: only sums over rows leave it."""

    def repeated_rows(self, predictions: Predictions, columns: Sequence[Any], least: int) -> RepeatedRows:
        """Of predictions in some columns; only how many rows there are, if fewer than `least` repeat another."""
        ...

    def prepare(self, predictions: Predictions, metrics: Sequence[Metric]) -> None:
        """Ask for all models at once what their values of some metrics are made of."""
        ...

    def pair_sums(self, predictions: Predictions, influences: Sequence[Any], *, by_class: bool) -> PairSums:
        """Of some models' influences on one value."""
        ...

    def predictions_of_units(self, predictions: Predictions, units: Units) -> list[Predictions]:
        """Of each unit by itself; none where these are too many."""
        ...

    def all_but(self, predictions: Predictions, units: Units, place: int) -> Predictions:
        """Of all units but one, where each is had by itself."""
        ...

    def own_sums(self, predictions: Predictions, influences: Sequence[Any], by_class: Sequence[bool]) -> list[PairSums]:
        """Of one model's influences, each by itself, by the classes of rows where it compares these."""
        ...

    def group_cells(self, predictions: Predictions, influences: Sequence[Any], *, by_label: bool) -> GroupCells:
        """What the rows of each group add to some models' values."""
        ...

    def why_lacking(self, predictions: Predictions, metric: Metric) -> str | None:
        """Why what was summed earlier does not give a metric; None where everything may be asked."""
        ...

    def weight_facts(self, predictions: Predictions) -> WeightFacts: ...

    def counts_seen(self, predictions: Predictions, model: Model) -> Array:
        """The confusion matrix of rows, each as often as it was seen: calls and hits."""
        ...

    def decisions_of_pair(self, predictions: Predictions, a: Model, b: Model) -> Array:
        """True classes, the decisions of two models, and how many rows have them: (4, cell)."""
        ...

    def losses(self, predictions: Predictions, metric: Metric) -> list[tuple[Any, float]]:
        """Of each model the row term that a few rows can carry, as a column, and what it adds up to."""
        ...

    def most_carried(self, predictions: Predictions, metric: Metric, name: str) -> float:
        """A share that the largest 1% of rows of a model's losses do not exceed, known without asking; or infinity."""
        ...

    def largest_sums(self, predictions: Predictions, losses: Sequence[Any], largest: int) -> list[float]:
        """Of each column what its largest rows add up to."""
        ...


SUMMARIES = "_summaries_of_models"
"""What predictions that are not in memory keep of each model."""


def share_summaries(known: Predictions, other: Predictions) -> None:
    """Let predictions of the same rows know what others have asked."""
    vars(other)[SUMMARIES] = vars(known).setdefault(SUMMARIES, {})


def summing_engine_of(predictions: Predictions) -> SummingEngine:
    return cast("SummingEngine", engine_of(predictions))


def engine_of(predictions: Predictions) -> Engine:
    """The engine for these predictions' columns."""
    return _engine(predictions.engine)


@cache
def _engine(name: str) -> Engine:
    return cast("Engine", import_module(f"referee.engines.{name}.engine"))

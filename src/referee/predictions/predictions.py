"""Predictions: what each model said of each row, what was true, and the roles of the other columns."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.arrays import largest, scale_to_one, total
from referee.catalogue import known_keywords
from referee.errors import UsageError, did_you_mean
from referee.predictions.canonical_order import canonical_order
from referee.predictions.model_kinds import kinds_of
from referee.predictions.roles import Columns
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Self, Unpack

    from referee.arrays import Array
    from referee.engines import WeightFacts
    from referee.errors import Notice
    from referee.predictions.account import Account
    from referee.predictions.column_facts import Facts
    from referee.predictions.model import Model, TrainingPart
    from referee.predictions.scored_rows import ScoredRows
    from referee.predictions.units import Instants, Units
    from referee.scoring import Task

COLUMNS = ("truth", "weight", "fold", "repeat", "group", "time", "example", "baseline", "train_rows")


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """Truth and predictions of several models on the same rows.

    >>> predictions = Predictions.from_arrays([0, 1, 1], {"a": [0.1, 0.8, 0.4], "b": [0.3, 0.6, 0.7]})
    >>> predictions
    Predictions(task='binary', rows=3, models=('a', 'b'), positive='1')

    Made by `from_arrays()`, `from_frame()` or `read()`. `names` are the models,
    `model(name)` is one of them, `part(rows)` has some of the rows, and
    `fingerprint` is the same wherever the same rows come from.
    """

    task: Task
    truth: Array
    """Codes of the classes, or numbers; of queries and of labels Lists of them."""
    models: tuple[Model, ...]
    classes: tuple[str, ...] = ()
    positive: int | None = None
    label_names: tuple[str, ...] = ()
    """Of which each row may have several, where the truth is Lists of 0 and 1."""
    order_said: bool = False
    """Whether the user gave the classes in this order."""
    weight: Array | None = None
    weight_kind: str = "probability"
    """What a weight means: the rows of the population that one stands for, or how often it was seen (frequency)."""
    weight_scale: float = 1.0
    """The power of two by which extreme weights were multiplied."""
    fold: Units | None = None
    repeat: Units | None = None
    group: Units | None = None
    time: Instants | None = None
    """When each row was observed, where neighbours in time may be alike."""
    example: Units | None = None
    """Rows that are predictions of the same example, where examples were predicted in several folds or repeats."""
    baseline: Array | None = None
    train_rows: Array | None = None
    """How many rows the model was fitted on that predicted each row, where that is known."""
    training: TrainingPart | None = None
    """What the same fits say of the rows they learned from, where the estimate of the scheme wants it."""
    scored: ScoredRows | None = None
    """What the rows are, where they hold scores and there is no truth."""
    slices: Mapping[str, Units] = field(default_factory=dict)
    threshold: float = 0.5
    truth_column: str = "truth"
    query_column: str | None = None
    """Where rows are queries: what tells the items of one from those of another."""
    source: str = ""
    notices: tuple[Notice, ...] = ()
    notes: tuple[str, ...] = ()
    account: Account | None = None
    """What was read, where it came from columns."""
    engine: str = "memory"
    """The module of `referee.engines` that makes summaries of these columns."""
    row_count: int | None = None
    """Where the columns are not in memory."""

    @classmethod
    @known_keywords()
    def from_arrays(
        cls,
        truth: Any,
        models: Mapping[str, Any],
        *,
        labels: Mapping[str, Any] | None = None,
        task: Task | None = None,
        positive: Any = None,
        classes: str | Sequence[Any] | None = None,
        drop_label: Any = None,
        id: Any = None,  # noqa: A002 (its name everywhere)
        weight: Any = None,
        weight_kind: Literal["probability", "frequency"] = "probability",
        group: Any = None,
        query: Any = None,
        time: Any = None,
        fold: Any = None,
        repeat: Any = None,
        baseline: Any = None,
        interval: float | None = None,
        threshold: float = 0.5,
        by: Mapping[str, Any] | None = None,
        metrics: Any = (),
    ) -> Self:
        """Take arrays, lists or series; `models` maps names to scores, labels, values or (row, class) matrices.

        `labels` maps names to the models' own decisions. `drop_label` names labels of the truth whose rows are left
        out, `classes` all labels, where one is in doubt. id, weight, group, time, fold, repeat and baseline are arrays,
        too; by={"region": ...} makes slices. `metrics` are those that will be asked, where they settle the task.

        >>> Predictions.from_arrays(["no", "yes"], {"m": [0.2, 0.7]}, positive="yes").classes
        ('no', 'yes')
        """
        from referee.predictions.given_arrays import arrays_to_predictions

        return arrays_to_predictions(
            cls, truth, models, decisions=labels, classes=classes, metrics=metrics, by=by, task=task,
            positive=positive, drop_label=drop_label, id=id, weight=weight, weight_kind=weight_kind, group=group,
            query=query, time=time, fold=fold, repeat=repeat, baseline=baseline, interval=interval, threshold=threshold,
        )  # fmt: skip

    @classmethod
    @known_keywords(Columns)
    def read(
        cls,
        *sources: Any,
        by: str | Sequence[str] = (),
        metrics: Any = (),
        train_size: float | None = None,
        time: str | None = None,
        **columns: Unpack[Columns],
    ) -> Self:
        """Read files, database tables or frames; keywords name the columns' roles as on the command line.

        With task="scores" there is no truth, and the columns are scores of models.

        >>> import polars
        >>> frame = polars.DataFrame({"y": [0, 1], "a": [0.2, 0.9]})
        >>> Predictions.read(frame, truth="y").names
        ('a',)
        """
        from referee.predictions.roles import Roles
        from referee.predictions.sources_read import read_predictions
        from referee.predictions.told import with_told

        sources, columns = with_told(sources, columns)  # type: ignore[assignment]
        options = columns.pop("options", None)
        if columns.get("task") == "scores" and columns.get("truth") is None:
            from referee.predictions.score_tables import read_score_table

            return read_score_table(
                cls, sources, {**columns, "by": by, "train_size": train_size, "time": time}, options
            )
        if columns.get("truth") is None:
            raise UsageError("E_NOTRUTH", "which column holds the truth?", hint="use --truth COL, or --task scores")
        return read_predictions(cls, sources, Roles.of(**columns, by=by, metrics=metrics, time=time), options)

    @property
    def reading(self) -> dict[str, Any] | None:
        """What was made of the columns, as JSON says it under "read"; None where there were none."""
        return None if self.account is None else self.account.to_dict(kinds_of(self))

    @cached_property
    def facts(self) -> Mapping[str, Facts]:
        """What is worth knowing of each model's columns, by its name."""
        from referee.engines import engine_of  # the layer above

        return {model.name: engine_of(self).facts(self, model) for model in self.models}

    from_frame = read
    """The same by the name that users of frames look for."""

    def __repr__(self) -> str:
        positive = "" if self.positive is None else f", positive={self.classes[self.positive]!r}"
        return f"{type(self).__name__}(task={self.task!r}, rows={self.rows}, models={self.names}{positive})"

    @property
    def rows(self) -> int:
        return len(self.truth) if self.row_count is None else self.row_count

    @property
    def row_name(self) -> str:
        """What one row is called."""
        if self.scored is None:
            return "row" if self.query_column is None else "query"
        return "score" if self.scored.data_set is not None and self.group is not None else self.scored.unit

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(model.name for model in self.models)

    def model(self, name: str) -> Model:
        for model in self.models:
            if model.name == name:
                return model
        raise UsageError("E_NOMODEL", f"there is no model {name!r}; {did_you_mean(name, self.names)}")

    def content(self) -> dict[tuple[str, ...], Array]:
        """All columns by their roles, those of models by name and kind: what a fingerprint is made of."""
        single = {(role,): getattr(self, role) for role in ("truth", "weight", "baseline")}
        of_models = {(m.name, kind): column for m in self.models for kind, column in m.columns_by_kind().items()}
        units = {(role,): getattr(self, role) for role in ("fold", "repeat", "group", "example")}
        of_units = {(*role, *unit.names): unit.codes for role, unit in units.items() if unit is not None}
        of_units |= {} if self.time is None else {("time",): self.time.codes}
        seeds = {} if self.scored is None or self.scored.seeds is None else self.scored.seeds.content()
        return {role: column for role, column in single.items() if column is not None} | of_models | of_units | seeds

    def described(self, content: Iterable[tuple[str, ...]]) -> bytes:
        """What the content is the content of."""
        return repr((self.task, self.classes, self.positive, self.weight_kind, *content)).encode()

    def decides_by_threshold(self, model: Model) -> bool:
        """Whether a row is positive from the threshold on: not with decisions, nor by the most probable class."""
        if self.label_names:
            return True
        most_probable = model.class_scores is not None and self.threshold == 0.5
        return self.positive is not None and model.labels is None and not most_probable

    @property
    def clusters(self) -> Units | None:
        """Rows that depend on each other: those of a group, or of one example."""
        return self.example if self.group is None else self.group

    @property
    def has_seeds(self) -> bool:
        """Whether scores of several seeds stand behind those of the items."""
        return self.scored is not None and self.scored.seeds is not None

    @property
    def has_independent_rows(self) -> bool:
        """Whether no row is said to depend on another: by a group, or by time."""
        return self.clusters is None and self.time is None

    @cached_property
    def times_seen(self) -> Array | None:
        """How often each row counts as a row: never without weight, so often with a frequency weight; None: once."""
        if self.weight is None:
            return None
        return self.weight / self.weight_scale if self.weight_kind == "frequency" else (self.weight > 0).astype(float)

    @cached_property
    def rows_seen(self) -> float:
        if self.weight is None:
            return float(self.rows)
        if self.has_rows:
            return float(total(self.times_seen))  # type: ignore[arg-type]
        seen = self.weight_facts
        return seen.total / self.weight_scale if self.weight_kind == "frequency" else float(seen.rows)

    @cached_property
    def rows_of_classes(self) -> Array:
        from referee.engines import engine_of  # the layer above

        if not self.has_rows:
            return engine_of(self).rows_of_classes(self)
        return np.bincount(self.truth, self.times_seen, len(self.classes))

    @cached_property
    def weight_facts(self) -> WeightFacts:
        from referee.engines import summing_engine_of  # the layer above

        return summing_engine_of(self).weight_facts(self)

    @cached_property
    def row_weight(self) -> float:
        """The weight of one row; of rows that stand for more or less, such that there are as many as Kish counts."""
        if self.weight is None or self.weight_kind == "frequency":
            return self.weight_scale
        if not self.has_rows:
            return self.weight_facts.squares / self.weight_facts.total if self.weight_facts.total else self.weight_scale
        near_one = scale_to_one(largest(self.weight))  # squares of the weights of a slice may be nothing
        weight = self.weight * near_one
        return total(weight**2) / total(weight) / near_one if weight.any() else self.weight_scale

    @property
    def weights_in_rows(self) -> Array:
        """The weight of each row as a number of rows, whatever its scale."""
        rows = np.ones(self.rows) if self.weight is None else self.weight / self.row_weight
        return rows if self.times_seen is None or not self.has_equal_weights else self.times_seen

    @cached_property
    def has_equal_rows(self) -> bool:
        """Whether every row counts the same, and belongs to nobody."""
        return self.has_independent_rows and self.has_equal_weights

    @cached_property
    def has_equal_weights(self) -> bool:
        """Whether every row that counts at all counts as one."""
        if self.weight is None or self.weight_kind == "frequency":
            return True
        if not self.has_rows:
            return self.weight_facts.low == self.weight_facts.high
        return bool((self.weight[self.weight > 0] == self.weight.max(initial=0.0)).all())

    @property
    def overlapping_folds(self) -> bool:
        """Whether an example was predicted in several folds of one repeat: then the folds are random splits."""
        if self.example is None or self.fold is None:
            return False
        repeats = 1 if self.repeat is None else len(self.repeat)
        pairs = self.example.codes * repeats + (0 if self.repeat is None else self.repeat.codes)
        return int(np.bincount(pairs).max()) > 1

    def in_canonical_order(self) -> Self:
        """The same rows in an order of their own, so that what is drawn is too."""
        return self.part(canonical_order(self))

    def with_rows_that_count(self) -> Self:
        """Without rows of weight 0, which are no rows."""
        return self if self.weight is None or self.weight.all() else self.part(self.weight > 0)

    def part(self, rows: slice | Array) -> Self:
        """Some rows of predictions in memory."""
        scored = None if self.scored is None else self.scored.part(rows)
        return replace(self.mapped(lambda own: own.part(rows) if hasattr(own, "part") else own[rows]), scored=scored)

    def mapped(self, change: Callable[[Any], Any]) -> Self:
        """Every column changed, wherever its rows are."""
        columns: Any = {name: change(each) for name in COLUMNS if (each := getattr(self, name)) is not None}
        return replace(self, models=tuple(model.mapped(change) for model in self.models), **columns)

    @cached_property
    def has_rows(self) -> bool:
        """Whether the rows are in memory, and not only summaries of them to be had."""
        from referee.engines import engine_of  # the layer above

        engine = engine_of(self)
        return not (engine.IN_BATCHES or engine.SUMS_PAIRS)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the content, the same whatever container it came in."""
        from referee.engines import engine_of  # the layer above

        return str(engine_of(self).fingerprint(self))

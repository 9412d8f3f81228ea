"""Roles: what the user said about the columns, before any data are read."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np

from referee.catalogue import split_list
from referee.errors import CallError, UsageError, did_you_mean
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.arrays import Array
    from referee.predictions.predictions import Predictions
    from referee.predictions.table import ReadOptions
    from referee.scoring import Metric, Task

TASKS = ("binary", "multiclass", "regression", "ranking", "multilabel")


LABEL = "{label}"
"""In the place of a label, where the truth is a column for each of several."""


class Columns(TypedDict, total=False):
    """What may be said of the rows, by the names that the command line has: columns of a table, or arrays."""

    truth: Any
    models: Any
    labels: Mapping[str, Any] | None
    task: Task | None
    positive: Any
    classes: str | Sequence[Any] | None
    drop_label: Any
    id: Any
    weight: Any
    weight_kind: Literal["probability", "frequency"] | None
    group: Any
    query: Any
    fold: Any
    repeat: Any
    baseline: Any
    interval: float | None
    threshold: float | None
    on_missing: Literal["error", "drop"] | None
    on_repeated: Literal["error", "average"] | None
    model_column: str | None
    score_column: str | None
    winner: str | None
    seed_column: str | None
    rows: Literal["items", "folds", "datasets"] | None
    better: Any
    dataset: Any
    test_size: float | None
    test_fraction: float | None
    options: ReadOptions | None


def refuse_one_text(classes: Any) -> None:
    """Refuse a text of all labels, which is not taken apart: a label may hold a comma."""
    if isinstance(classes, str):
        apart = ", ".join(repr(label.strip()) for label in classes.split(","))
        raise UsageError("E_LABELS", f"classes={classes!r} is one text, not all labels", hint=f"use classes=[{apart}]")


def refuse_names_of_metrics(metrics: Sequence[Any]) -> None:
    """Refuse what is asked of predictions where they are only read."""
    if wrong := [metric for metric in metrics if not hasattr(metric, "tasks")]:
        what = f"Predictions are read without a goal; metrics= takes entries of the catalogue, not {wrong[0]!r}"
        right = f"compare(predictions, goal={wrong[0]!r})" if isinstance(wrong[0], str) else "metrics=[metrics['mae']]"
        raise CallError("E_CALL", what, hint=f"use {right}")


COLUMN_ROLES = ("truth", "id", "weight", "group", "query", "time", "fold", "repeat", "baseline")


@dataclass(frozen=True)
class Roles:
    """The roles of columns, as the options of the command line name them."""

    truth: str
    models: tuple[str, ...] | None = None
    """Names of models; None: every numeric column that has no other role."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Model name -> its column, or the pattern of its columns with {class} in it."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Model name -> the column with its own decisions."""
    task: Task | None = None
    positive: tuple[str, ...] | None = None
    classes: tuple[str, ...] | None = None
    """All labels, where the truth may lack some of them."""
    drop_label: tuple[str, ...] = ()
    """Labels of the truth whose rows are left out."""
    id: str | None = None
    weight: str | None = None
    weight_kind: Literal["probability", "frequency"] = "probability"
    group: str | None = None
    query: str | None = None
    """The column of the query that an item belongs to, where items are ranked."""
    time: str | None = None
    fold: str | None = None
    repeat: str | None = None
    baseline: str | None = None
    by: tuple[str, ...] = ()
    interval: float | None = None
    """The share of the truths that lies between columns of lower and upper ends, if these are right."""
    threshold: float = 0.5
    on_missing: Literal["error", "drop"] = "error"
    metrics: tuple[Metric, ...] = ()
    """The metrics that will be asked, where they settle what kind of truth it is."""
    id_like: Mapping[str, str] | None = None
    """Columns that are no models unless they are named, and what each looks like; None: not looked for yet."""

    @classmethod
    def of(cls, **given: Any) -> Roles:
        """Take Python arguments: single names for tuples, any label as the positive one, models with their columns.

        >>> Roles.of(truth="y", models=["a", "b"], positive=1).positive
        ('1',)
        >>> Roles.of(truth="y", models={"nn": "nn_{class}"}).columns
        {'nn': 'nn_{class}'}
        """
        if isinstance(given.get("models"), Mapping):
            given |= {"models": None, "columns": dict(given["models"])}
        known = {role.name for role in fields(cls)} - {"id_like"}
        for name in given:
            if name not in known:
                raise UsageError("E_ROLE", f"there is no role {name!r}; {did_you_mean(name, known)}")
        for name in ("models", "positive", "drop_label", "by", "metrics"):
            if given.get(name) is not None:
                given[name] = as_tuple(given[name])
        refuse_names_of_metrics(given.get("metrics") or ())
        refuse_one_text(given.get("classes"))
        for name in ("positive", "drop_label", "classes"):
            if given.get(name) is not None:
                given[name] = tuple(label_text(label) for label in given[name])
        _refuse_other_names(given)
        if given.get("models") == ("all",):
            given["models"] = None
        said = {name: value for name, value in given.items() if value is not None}
        implied = "multilabel" if LABEL in str(said.get("truth")) else "ranking" if "query" in said else None
        roles = cls(**({"task": implied} if implied else {}) | said)
        roles.check()
        return roles

    def check(self) -> None:
        if self.task is not None and self.task not in TASKS:
            raise UsageError("E_TASK", f"there is no task {self.task!r}; {did_you_mean(self.task, TASKS)}")
        self._check_query()
        self._check_labels()
        if self.interval is not None and not 0 < self.interval < 1:
            raise UsageError("E_INTERVAL", f"--interval {self.interval:g} must lie between 0 and 1: 0.9 for 90%")
        if not isinstance(self.threshold, int | float) or not 0 <= abs(self.threshold) < float("inf"):
            raise UsageError("E_THRESHOLD", f"the threshold must be a finite number, not {self.threshold}")

    def _check_query(self) -> None:
        ranks = [metric.name for metric in self.metrics if "ranking" in metric.tasks]
        if self.query is None and (ranks or self.task == "ranking"):
            what = f"{ranks[0]} ranks the items of queries" if ranks else "items are ranked for a query"
            raise UsageError("E_ROLE", f"{what}: which column is the query?", hint="use --query COL")
        if self.query is not None and self.task != "ranking":
            hint = "omit --task, or use --group instead of --query: the rows of a group belong together"
            raise UsageError("E_ROLE", f"--query is for rankings, not for --task {self.task}", hint=hint)

    def _check_labels(self) -> None:
        labelled = [metric.name for metric in self.metrics if "multilabel" in metric.tasks]
        if LABEL not in self.truth and (labelled or self.task == "multilabel"):
            what = f"{labelled[0]} is for rows with several labels" if labelled else "labels are columns of 0 and 1"
            hint = "use --truth 'prefix_{label}', where prefix_ comes before the label in their names"
            raise UsageError("E_ROLE", f"{what}: which columns hold them?", hint=hint)
        if LABEL in self.truth and self.task != "multilabel":
            raise UsageError(
                "E_ROLE", f"a truth with {LABEL} has a column for each label, so it is not a {self.task} truth"
            )

    @property
    def taken(self) -> set[str]:
        """Columns that have a role other than a model's prediction."""
        single = (
            self.truth, self.id, self.weight, self.group, self.query, self.time, self.fold, self.repeat, self.baseline,
        )  # fmt: skip
        return {name for name in (*single, *self.by, *self.labels.values()) if name}


def _refuse_other_names(given: Mapping[str, Any]) -> None:
    names = [given[role] for role in COLUMN_ROLES if given.get(role) is not None]
    names += [name for several in ("models", "by") for name in given.get(several) or ()]
    names += [name for several in ("columns", "labels") for name in (given.get(several) or {}).values()]
    if odd := [name for name in names if not isinstance(name, str)]:
        raise CallError("E_NOCOL", f"{repr(odd[0])[:40]} is not the name of a column")


def as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple | set) else (value,)


def label_text(label: Any) -> str:
    """A label as it is compared: its text, whole numbers without a point, true and false in small letters.

    >>> [label_text(label) for label in ("yes", 1, 1.0, True)]
    ['yes', '1', '1', 'true']
    """
    value = label.item() if hasattr(label, "item") and not (getattr(label, "ndim", 0) and len(label) > 1) else label
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def assignments(given: Sequence[str], option: str) -> dict[str, str]:
    """Read NAME=COLUMN pairs.

    >>> assignments(["nb=p_{class}"], "--model")
    {'nb': 'p_{class}'}
    """
    pairs = {}
    for text in given:
        name, equals, column = text.partition("=")
        if not equals or not name or not column:
            raise UsageError("E_SYNTAX", f"{option} {text!r} is not of the form NAME=COLUMN")
        if name in pairs:
            raise UsageError("E_DUPMODEL", f"{option} gives the model {name!r} more than one column")
        pairs[name] = column
    return pairs


def name_list(given: Sequence[str]) -> tuple[str, ...] | None:
    """Names given once or several times, each a list as a CSV row writes it.

    >>> name_list(["a,b", '"com,ma"'])
    ('a', 'b', 'com,ma')
    """
    names = [name for text in given for name in csv_row(text)]
    return tuple(names) if names else None


def csv_row(text: str, *, empty: bool = False) -> list[str]:
    """Split as a CSV row, in which a name may hold line breaks even without quotes, or be nothing if that is allowed.

    >>> csv_row('a,"com,ma"'), csv_row("", empty=True)
    (['a', 'com,ma'], [''])
    """
    import csv

    hidden = text.translate(str.maketrans("\n\r", "\ue000\ue001"))
    shown = str.maketrans("\ue000\ue001", "\n\r")
    return [name.translate(shown) for row in csv.reader([hidden]) or [[]] for name in row or [""] if name or empty]


def option_row(names: Iterable[str]) -> str:
    r"""Names as `csv_row` reads them, quoted for a shell.

    >>> print(option_row(["pos", "pos "]), option_row(["a"]), option_row(["com,ma", "\u00a0"]))
    'pos,pos ' 'a' $'"com,ma",\u00a0'
    """
    row = ",".join(f'"{name.replace(chr(34), chr(34) * 2)}"' if set(name) & {",", '"'} else name for name in names)
    if row.isprintable():
        return f"'{row}'" if shlex.quote(row) == row else shlex.quote(row)
    return "$'" + "".join(map(_in_shell, row)) + "'"


def _in_shell(letter: str) -> str:
    """A letter between $' and ', where a reader would not see every letter as it is."""
    if letter in "\\'":
        return f"\\{letter}"
    code = f"u{ord(letter):04x}" if ord(letter) <= 0xFFFF else f"U{ord(letter):08x}"
    return letter if letter.isprintable() else f"\\{code}"


def metric_list(given: Sequence[str]) -> list[str]:
    """Metrics given once or several times; an option without a name is a mistake, not a wish for all of them."""
    names = [name for text in given for name in split_list(text)]
    if given and not names:
        raise UsageError("E_NOMETRIC", "--metrics names no metric", hint="leave it out to get all that apply")
    return names


def column_and_value(option: str, given: str) -> tuple[str, str]:
    """Read COL=VALUE.

    >>> column_and_value("--choose-on", "part=validation")
    ('part', 'validation')
    """
    column, equals, value = given.partition("=")
    if not equals or not column or not value:
        raise UsageError("E_SYNTAX", f"{option} {given!r} is not of the form COL=VALUE")
    return column, value


def marked_rows(predictions: Predictions, column: str, value: str) -> Array:
    """Whether each row has the value; some must have it, and some not."""
    if column not in predictions.slices:
        raise UsageError("E_NOCOL", f"there is no column {column!r}; {did_you_mean(column, predictions.slices)}")
    units = predictions.slices[column]
    if str(value) not in units.names:
        raise UsageError("E_NOVALUE", f"column {column!r} has no {value!r}; {did_you_mean(str(value), units.names)}")
    rows = np.asarray(units.codes == units.names.index(str(value)))
    if rows.all():
        raise UsageError("E_NOVALUE", f"all rows have {value!r} in column {column!r}: none is left to evaluate on")
    return rows

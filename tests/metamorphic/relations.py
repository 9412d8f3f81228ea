"""Relations: changes of a table that must leave everything printed as it is, or rename it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.metamorphic.cases import KINDS, Case

if TYPE_CHECKING:
    from collections.abc import Callable


def same(place: tuple[Any, ...]) -> tuple[Any, ...]:
    return place


@dataclass(frozen=True)
class Relation:
    """A change, the kinds of weights that it is about, and where each number stands after it."""

    claim: str
    change: Callable[[Case], Case]
    kinds: tuple[str | None, ...] = KINDS
    tasks: tuple[str, ...] = ()
    """All, where none is named."""
    keeps_rows: bool = True
    may_warn: tuple[str, ...] = ()
    """Of what the change itself is: copies that stand side by side."""
    place: Callable[[tuple[Any, ...]], tuple[Any, ...]] = same
    words: Callable[[Any], Any] = lambda text: text
    """What is printed there, in the words of the table as it was."""
    holds_for: Callable[[Any], bool] = lambda _metric: True

    def fits(self, task: str, kind: str | None) -> bool:
        weighs = "weight" in self.claim or "seen" in self.claim
        return kind in self.kinds and task in (self.tasks or (task,)) and not (weighs and task == "scores")


def scaled(case: Case) -> Case:
    return replace(case, columns=case.columns | {"the weight": case.weight * (1000 / 3)})


def of_ones(kind: str) -> Callable[[Case], Case]:
    return lambda case: case.with_columns(weight=np.ones(case.height, np.int64)).with_roles(weight_kind=kind)


def of_pieces(case: Case) -> Any:
    """The weight of each row, or query."""
    return np.array([case.weight[places[0]] for places in case.pieces])


def repeated(case: Case) -> Case:
    times = of_pieces(case)
    return case.with_columns(weight=None).take(np.repeat(np.arange(len(times)), times))


def without_light_rows(case: Case) -> Case:
    return case.take(np.flatnonzero(of_pieces(case) > 0))


def shuffled(case: Case) -> Case:
    return case.take(np.random.default_rng(9).permutation(len(case.pieces)))


def columns_reversed(case: Case) -> Case:
    return replace(case, columns=dict(reversed(case.columns.items())))


OTHER_NAMES = {"yes": "-1", "no": "zz", "ant": "w", "bee": "v", "cat": "u"}
"""In another order than before, and such that look like something else."""
OLD_NAMES = {new: old for old, new in OTHER_NAMES.items()}


def relabelled(case: Case) -> Case:
    columns = {
        name.replace(":" + name.partition(":")[2], ":" + OTHER_NAMES.get(name.partition(":")[2], "")): values
        for name, values in case.columns.items()
    }
    columns["y"] = np.array([OTHER_NAMES[label] for label in case.columns["y"]])
    named = {"positive": OTHER_NAMES.get, "classes": lambda labels: [OTHER_NAMES[label] for label in labels]}
    said = {role: rename(case.roles[role]) for role, rename in named.items() if role in case.roles}
    return replace(case, columns=columns).with_roles(**said)


def with_old_labels(place: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(OLD_NAMES.get(part, part) if isinstance(part, str) else part for part in place)


def of_old_labels(shown: Any) -> Any:
    """A label, or a sentence with the labels, as the table had them."""
    shown = OLD_NAMES.get(shown, shown) if isinstance(shown, str) else shown
    for new, old in OLD_NAMES.items():
        shown = shown.replace(repr(new), repr(old)) if isinstance(shown, str) else shown
    return shown


PARTNERS = {
    "recall": "specificity",
    "precision": "negative_predictive_value",
    "false_positive_rate": "false_negative_rate",
}
PARTNERS |= {other: name for name, other in PARTNERS.items()}


def other_class_positive(case: Case) -> Case:
    complements = {name: 1 - case.columns[name] for name in case.roles["models"]}
    return replace(case, columns=case.columns | complements).with_roles(positive="no")


RELATIONS = {
    "scale of weights": Relation("only the ratio of weights matters", scaled, ("probability",)),
    "weights of one": Relation("weights of one are no weights", of_ones("probability"), (None,)),
    "rows seen once": Relation("rows seen once are rows", of_ones("frequency"), (None,)),
    "repeated rows": Relation(
        "a row seen twice stands twice", repeated, ("frequency",), keeps_rows=False, may_warn=("W_DUPROWS", "W_ORDER")
    ),
    "zero weights": Relation(
        "a row without weight is no row", without_light_rows, ("probability", "frequency"), keeps_rows=False
    ),
    "row order": Relation("the order of rows does not matter", shuffled),
    "column order": Relation("the order of columns does not matter", columns_reversed),
    "label names": Relation(
        "names of labels do not matter",
        relabelled,
        tasks=("binary", "multiclass"),
        place=with_old_labels,
        words=of_old_labels,
    ),
    "positive swap": Relation(
        "which class is called positive does not matter where both are treated alike",
        other_class_positive,
        tasks=("binary",),
        holds_for=lambda metric: not metric.per_class or metric.name == "roc_auc",
    ),
}

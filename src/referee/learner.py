"""Learner: a way to fit a model; `learners` is the catalogue of those that are built in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from referee.arguments import arguments_of
from referee.catalogue import Catalogue
from referee.entry import Entry, Parameter
from referee.errors import UsageError, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from referee.dataset import Feature
    from referee.metric import Task

CLASSIFICATION: tuple[Task, ...] = ("binary", "multiclass")
REGRESSION: tuple[Task, ...] = ("regression",)


@dataclass(frozen=True)
class Learner(Entry):
    """A learner by name; `make(features, task, seed, *, settings)` gives an estimator as scikit-learn knows them.

    It names those of features, task and seed that it needs; its keywords are the parameters.

    >>> learners["knn(k=50)"].estimator([], "binary", seed=0).k
    50
    """

    title: str
    what: str
    """What it does, in a sentence."""
    tasks: tuple[Task, ...]
    make: Callable[..., Any]
    random: bool = False
    """Whether the seed matters."""
    aliases: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", "_".join(re.findall(r"\w+", self.title.lower())))

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return (self.make,)

    def estimator(self, features: Sequence[Feature], task: Task, seed: int = 0) -> Any:
        """Make an estimator that is not fitted yet, with the preprocessing that it needs."""
        if task not in self.tasks:
            able = [name for name, one in learners.items() if task in one.tasks]
            numbers = "; if the target holds amounts, choose a goal such as rmse or mae"
            raise UsageError(
                "E_LEARNER",
                f"{self.full_name} ({self.title}) is not for {task}, only for {' and '.join(self.tasks)}",
                hint=f"for {task} there are {listed(able, most=30)}{numbers if self.tasks == ('regression',) else ''}",
            )
        given = arguments_of(self.make, {"features": lambda: features, "task": lambda: task, "seed": lambda: seed})
        return self.make(**given, **self.settings)


def category_sizes(features: Sequence[Feature]) -> tuple[int, ...] | None:
    """How many categories each feature has, 0 for numbers; None if all are numbers.

    >>> from referee.dataset import Feature
    >>> category_sizes([Feature("age"), Feature("job", "categorical", ("a", "b"))])
    (0, 2)
    """
    sizes = tuple(len(one.categories) if one.is_categorical else 0 for one in features)
    return sizes if any(sizes) else None


learners: Catalogue[Learner] = Catalogue("referee.learners", "learner")

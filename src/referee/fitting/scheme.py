"""Scheme: a way to split rows into training and test sets; `schemes` is the catalogue of all of them."""

from __future__ import annotations

import re
from dataclasses import field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, Self

from referee.catalogue import Catalogue, Entry, Parameter
from referee.document import counted
from referee.errors import UndefinedError, UsageError
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from referee.arrays import Array
    from referee.comparing import Combine
    from referee.fitting.rows import Rows
    from referee.fitting.splits import Split

Need = Literal["classes", "groups", "time"]

PROPERTIES = ("combine", "overlapping", "stratified", "tests_every_row", "with_replacement", "random", "needs")
"""What holds for the splits, and so for those of a scheme that takes them from another."""


@dataclass(frozen=True)
class SchemeExample:
    """A worked example: what is split or combined, and what somebody else says about it."""

    given: Mapping[str, Any]
    finds: Mapping[str, Any]
    source: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    within: float = 1e-12
    """How far a number may be from what it should be: far, where it is drawn at random."""


@dataclass(frozen=True, repr=False)
class Scheme(Entry):
    """Which rows models are fitted on and which they are tested on, and how the scores become one.

    `draw(rows, *, settings)` gives the splits; its keywords are the parameters. A scheme is a splitter as
    scikit-learn has them, so it can be the `cv` of `cross_val_score` or `GridSearchCV`.

    >>> from referee import schemes
    >>> for train, test in schemes["k_fold"](k=2).split([10, 20, 30, 40]):
    ...     print(train, test)
    [1 3] [0 2]
    [0 2] [1 3]

    `full_name` has its parameters, `bind(k=5)` changes them. `splits()` gives
    numbered splits, `split()` pairs of arrays; `needs` says what rows must have.
    """

    title: str
    question: str
    draws: str
    """How training and test rows are found, in words."""
    draw: Callable[..., Iterator[Split]]
    combine: Combine
    overlapping: bool
    """Whether the training sets of different fits share rows, so that their scores depend on each other.

    Two folds, or a single split, are exceptions that a parameter makes.
    """
    weak_at: str
    """What it is not good for."""
    needs: tuple[Need, ...] = ()
    stratified: bool = False
    """Whether every part has its share of each class, rounded down or up, where the target has classes."""
    tests_every_row: bool = False
    """Whether each row is tested exactly once in each repeat."""
    with_replacement: bool = False
    """Whether a training set holds copies of rows."""
    random: bool = True
    """Whether the splits depend on the seed."""
    keeps_groups: bool = False
    """Whether it sees to it by itself that no group is divided; the others are given groups as if they were rows."""
    decided_by: str = ""
    """The parameter that names another scheme, which makes the splits and so has the properties."""
    aliases: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    examples: tuple[SchemeExample, ...] = ()
    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", "_".join(re.findall(r"\w+", self.title.lower())))
        if self.decided_by:
            other = schemes[(self.defaults | dict(self.settings))[self.decided_by]]
            for key in PROPERTIES:
                object.__setattr__(self, key, getattr(other, key))

    def __hash__(self) -> int:
        return hash((self.full_name, self.seed))

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        return (self.draw,)

    def __call__(self, *, seed: int | None = None, **settings: Any) -> Self:
        """Give the same scheme with other parameters, or another seed for `split`.

        >>> from referee import schemes
        >>> schemes["bootstrap_632"](repeats=50, seed=7).full_name
        'bootstrap_632(repeats=50)'
        """
        named = {key: value.full_name if isinstance(value, Scheme) else value for key, value in settings.items()}
        bound = self.bind(**named) if named else self
        return bound if seed is None else replace(bound, seed=seed)

    def splits(
        self,
        X: Any,  # noqa: N803 (as scikit-learn has it)
        y: Any = None,
        groups: Any = None,
        time: Any = None,
        *,
        seed: int | None = None,
    ) -> Iterator[Split]:
        """All splits, numbered; rows of one group are never on both sides.

        The splits of a repeat depend on the seed and the number of the repeat only.

        >>> from referee import schemes
        >>> [(split.repeat, split.fold) for split in schemes["k_fold(k=2, repeats=2)"].splits([[1], [2], [3]])]
        [(1, 1), (1, 2), (2, 1), (2, 2)]
        """
        from referee.fitting.rows import Rows

        return self.splits_of(Rows.of(X, y, groups, time, seed=self.seed if seed is None else seed))

    def splits_of(self, rows: Rows) -> Iterator[Split]:
        """The same of rows that are known; what cannot be split is refused at once, not when it is looped over."""
        if not self.decided_by:
            self._refuse_rows(rows)
        every = self._drawn(rows)
        return chain([next(every)], every)

    def _drawn(self, rows: Rows) -> Iterator[Split]:
        if rows.groups is None or self.keeps_groups:
            return self.draw(rows, **self.settings)
        from referee.fitting.rows import Together

        groups = Together(rows.groups)
        self._refuse_few(len(groups), "group")
        return map(groups.expanded, self.draw(groups.as_rows(rows), **self.settings))

    def split(self, X: Any, y: Any = None, groups: Any = None, time: Any = None) -> Iterator[tuple[Array, Array]]:  # noqa: N803
        """The training and test rows of each split, as scikit-learn's splitters give them."""
        return ((split.train, split.test) for split in self.splits(X, y, groups, time))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None, time: Any = None) -> int:  # noqa: N803
        """How many splits there are, which may depend on the rows: scikit-learn's protocol."""
        return sum(1 for _ in self.splits(X, y, groups, time))

    def _refuse_rows(self, rows: Rows) -> None:
        self._refuse_few(rows.count, rows.what)
        if "classes" in self.needs and rows.labels is None:
            raise UsageError(
                "E_CLASSES",
                f"{self.name} is stratified by class, and the target has no classes",
                hint="k_fold and random_subsampling do not need classes",
            )
        if "groups" in self.needs and rows.groups is None:
            raise UsageError(
                "E_GROUP",
                f"{self.name} needs to know which rows belong together",
                hint="name the column: --group COL (groups= of an array)",
            )
        if "time" in self.needs and rows.moments is None:
            raise UsageError(
                "E_TIME",
                f"{self.name} needs the time of each row",
                hint="--time COL; for scikit-learn's functions, cv=list(scheme.split(X, y, time=...))",
            )
        if "time" not in self.needs and rows.moments is not None:
            raise UsageError(
                "E_TIME",
                f"--time: the rows of {self.full_name} are shuffled, so a model would train on rows from the future of "
                "those it is tested on",
                hint="time_ordered trains on the past only; or leave --time out",
            )

    def _refuse_few(self, pieces: int, what: str) -> None:
        if pieces < 2:
            raise UndefinedError("E_TOOFEW", f"{self.name}: {counted(pieces, what)} cannot be split in two")


schemes: Catalogue[Scheme] = Catalogue(
    "referee.schemes",
    "scheme",
    """schemes["k_fold(k=5)"].split(X, y)
cross_validate(model, X, y, cv=schemes["k_fold"])  # of scikit-learn
referee.select(..., scheme="bootstrap_632(repeats=200)")""",
)

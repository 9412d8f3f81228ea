"""Scheme: a way to split rows into training and test sets; `schemes` is the catalogue of all, with their cards."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from referee.catalogue import Card, Catalogue, Entry, Parameter, Shelf, in_words, parameter_in_words, parameters
from referee.comparing import Combine, combined
from referee.comparing.split_estimates import IN_WORDS
from referee.errors import UndefinedError, UsageError
from referee.fitting.rows import Rows, Together
from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from referee.arrays import Array
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

    def __repr__(self) -> str:
        return f"<scheme {self.full_name}>"

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
                f"{self.name} shares out the classes, and the target has none",
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
                f"--time: {self.full_name} takes training rows from any time (shuffled), so a model would learn from "
                "the future of the rows that it is tested on",
                hint="time_ordered trains on the past only; or leave --time out",
            )

    def _refuse_few(self, pieces: int, what: str) -> None:
        if pieces < 2:
            raise UndefinedError("E_TOOFEW", f"{self.name}: {counted(pieces, what)} cannot be split in two")


schemes: Catalogue[Scheme] = Catalogue("referee.schemes", "scheme")


NEEDS = {
    "classes": "classes: the target has a few distinct values",
    "groups": "groups: which rows belong together (--group)",
    "time": "time: when each row was (--time)",
}
OPTIONS = {"groups": " --group GROUP", "time": " --time TIME"}
CODE = frozenset({"command_line", "python"})


def scheme_card(scheme: Scheme) -> Card:
    """A scheme's declarations, its examples worked again, and how it is called."""
    about = parameters(scheme)
    examples = [worked(scheme, example) for example in scheme.examples]
    values = {
        "name": scheme.full_name,
        **{key: getattr(scheme, key) for key in ("title", "question", "draws", *PROPERTIES)},
        "needs": list(scheme.needs),
        "weak_at": scheme.weak_at,
        "parameters": about,
        "aliases": list(scheme.aliases),
        "command_line": command_line(scheme),
        "python": call(scheme),
        "examples": examples,
        "references": list(scheme.references),
    }
    words = {
        "combine": [IN_WORDS[scheme.combine]],
        "overlapping": [f"{in_words(scheme.overlapping)}: {OVERLAPPING[scheme.overlapping]}"],
        "needs": [NEEDS[need] for need in scheme.needs],
        "parameters": [parameter_in_words(name, parameter) for name, parameter in about.items()],
        "examples": [_example_in_words(example) for example in examples],
        "references": scheme.references,
    }
    return Card("scheme", values, words, CODE)


OVERLAPPING = {
    True: "training sets share rows, so only a test that is corrected for it is valid (corrected_resampled_t)",
    False: "there is one training set; what is compared are fitted models",
}


def command_line(scheme: Scheme) -> str:
    """How the command line fits models on the splits."""
    name = f'"{scheme.full_name}"' if scheme.settings else scheme.name
    needed = "".join(OPTIONS.get(need, "") for need in scheme.needs)
    return f"referee select data.csv --target y --models tree,naive_bayes --goal METRIC --scheme {name}{needed}"


def call(scheme: Scheme) -> str:
    """How Python makes the splits."""
    settings = ", ".join(f"{name}={value!r}" for name, value in scheme.settings.items())
    bound = f"({settings})" if settings else ""
    given = ["X", "y", *(f"{need}={need}" for need in scheme.needs if need != "classes")]
    return f'referee.schemes["{scheme.name}"]{bound}.split({", ".join(given)})'


def worked(scheme: Scheme, example: SchemeExample) -> dict[str, Any]:
    """An example with what the scheme finds."""
    return {
        "given": dict(example.given),
        "settings": dict(example.settings),
        "finds": dict(example.finds),
        "referee": {key: value for key, value in _worked_again(scheme, example).items() if key in example.finds},
        "source": example.source,
    }


def _worked_again(scheme: Scheme, example: SchemeExample) -> dict[str, Any]:
    given = dict(example.given)
    if "test" in given:
        return {"combined": combined(scheme.combine, **given)}
    rows = given.pop("rows", None) or len(next(iter(given.values())))
    as_described = replace(scheme, settings={})(**example.settings)
    return facts(as_described.splits(np.arange(rows), **given), rows, given.get("y"))


def facts(splits: Iterable[Split], rows: int, y: Sequence[Any] | None = None) -> dict[str, Any]:
    """Numbers that describe splits: smallest and largest sizes, and shares of all rows on average.

    >>> from referee import schemes
    >>> facts(schemes["k_fold(k=3)"].splits(range(8)), 8)["test_rows"]
    [2, 3]
    """
    every = list(splits)
    subsets = [part for split in every for parts in split.subsets.values() for part in parts]
    known = {
        "splits": len(every),
        "folds": max(split.fold for split in every),
        "train_rows": _range(len(split.train) for split in every),
        "test_rows": _range(len(split.test) for split in every),
        "trained_share": float(np.mean([len(np.unique(split.train)) / rows for split in every])),
        "tested_share": float(np.mean([len(split.test) / rows for split in every])),
        "inner_splits": _range(len(split.inner) for split in every),
    }
    if subsets:
        known["subsets"] = {purpose: len(parts) for purpose, parts in every[0].subsets.items()}
        known["subset_rows"] = _range(map(len, subsets))
    if y is not None:
        classes = np.asarray(y)
        known["test_rows_of_class"] = {
            str(name): _range(int((classes[split.test] == name).sum()) for split in every)
            for name in np.unique(classes)
        }
    return known


def _range(sizes: Iterable[int]) -> list[int]:
    every = list(sizes)
    return [min(every), max(every)]


def _example_in_words(example: Mapping[str, Any]) -> str:
    settings = "".join(f", {key}={value}" for key, value in example["settings"].items())
    given = ", ".join(_given_in_words(key, value) for key, value in example["given"].items())
    theirs, ours = _in_words(example["finds"]), _in_words(example["referee"])
    return f"{example['source']}. Given {given}{settings}: {theirs}. referee: {ours}"


def _given_in_words(key: str, value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,} {key}"
    names, counts = np.unique(np.asarray(value), return_counts=True)
    if len(names) < len(value):
        return f"{key}: " + ", ".join(f"{count} x {name}" for name, count in zip(names, counts, strict=True))
    return f"{key} {', '.join(map(str, value))}"


def _in_words(known: Mapping[str, Any]) -> str:
    return ", ".join(f"{key.replace('_', ' ')} {_value_in_words(value)}" for key, value in known.items())


def _value_in_words(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key} {_value_in_words(part)}" for key, part in value.items())
    if isinstance(value, list):
        return f"{value[0]:,}" if value[0] == value[1] else f"{value[0]:,} to {value[1]:,}"
    return f"{value:,.10g}"


SCHEME_CARDS = Shelf(
    "scheme",
    scheme_card,
    ("name", "combine", "overlapping", "needs", "question"),
    IN_WORDS,
    lambda scheme: scheme.combine,
)

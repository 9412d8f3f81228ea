"""Learner: a way to fit a model; `learners` is the catalogue of those that are built in."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from hashlib import blake2b
from importlib import import_module
from typing import TYPE_CHECKING, Any

from referee.catalogue import Catalogue, Entry, Parameter, arguments_of, parse_call
from referee.errors import UnknownNameError, UsageError, did_you_mean, listed
from referee.fitting.features import prepared, with_names
from referee.records import dataclass

if TYPE_CHECKING:
    from referee.fitting.complexity import Complexity
    from referee.fitting.dataset import Feature
    from referee.scoring import Task

CLASSIFICATION: tuple[Task, ...] = ("binary", "multiclass")
REGRESSION: tuple[Task, ...] = ("regression",)


@dataclass(frozen=True, repr=False)
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
    complexity: tuple[Complexity, ...] = ()
    """What penalties need to know of the models that it fits, and of others of the same kind."""
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
            able = [name for name, learner in learners.items() if task in learner.tasks]
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

    >>> from referee.fitting import Feature
    >>> category_sizes([Feature("age"), Feature("job", "categorical", ("a", "b"))])
    (0, 2)
    """
    sizes = tuple(len(feature.categories) if feature.is_categorical else 0 for feature in features)
    return sizes if any(sizes) else None


learners: Catalogue[Learner] = Catalogue(
    "referee.learners", "learner", 'referee.select(["tree", "knn(k=5)"], X, y, goal="accuracy")'
)


HOW = "write a built-in name such as knn(k=5), or package.module:attribute"


@dataclass(frozen=True)
class Wanted:
    """What the models are for."""

    features: Sequence[Feature]
    task: Task
    seed: int = 0


def estimators_of(spec: Any, features: Sequence[Feature], task: Task, seed: int = 0) -> dict[str, Any]:
    """Give the estimators that a SPEC names, by name; lists and dicts of SPECs give all of theirs.

    >>> from referee.fitting import Feature
    >>> list(estimators_of(["knn(k=50)", "sklearn.naive_bayes:GaussianNB"], [Feature("age")], "binary"))
    ['knn(k=50)', 'GaussianNB']
    """
    wanted = Wanted(features, task, seed)
    if not isinstance(spec, list | tuple):
        return _named(spec, wanted)
    every: dict[str, Any] = {}
    for entry in spec:
        for name, estimator in _named(entry, wanted).items():
            if name in every:
                raise UsageError("E_DUPMODEL", f"the model {name!r} was named more than once")
            every[name] = estimator
    return every


def _named(spec: Any, wanted: Wanted) -> dict[str, Any]:
    if isinstance(spec, Mapping):
        return _of_mapping(spec, wanted, "the dict of models")
    if isinstance(spec, Learner):
        return {spec.full_name: spec.estimator(wanted.features, wanted.task, wanted.seed)}
    if not isinstance(spec, str):
        return {type(spec).__name__: _of_object(spec, wanted, f"a {type(spec).__name__}")}
    if ":" in spec:
        return _imported(spec, wanted)
    return _named(_built_in(spec), wanted)


def _built_in(spec: str) -> Learner:
    try:
        return learners[spec]
    except UnknownNameError as error:
        raise UnknownNameError(error.message, HOW) from None


def _of_mapping(spec: Mapping[Any, Any], wanted: Wanted, place: str) -> dict[str, Any]:
    if not spec:
        raise UsageError("E_SPEC", f"{place} is empty", hint="give a name and an estimator for each model")
    estimators: dict[str, Any] = {}
    for name, given in spec.items():
        inner = _named(given, wanted) if isinstance(given, str | Learner) else {}
        if len(inner) > 1 or isinstance(given, Mapping):
            raise UsageError("E_SPEC", f"{place}: {name!r} stands for several models, expected one estimator")
        estimators[str(name)] = next(iter(inner.values())) if inner else _of_object(given, wanted, f"{place}: {name!r}")
    return estimators


def _imported(spec: str, wanted: Wanted) -> dict[str, Any]:
    """Import what a SPEC names; a class may be given parameters."""
    path, settings = parse_call(spec)
    module_name, _, attribute = path.partition(":")
    imported = _attribute(spec, _module(spec, module_name), attribute)
    if isinstance(imported, Mapping):
        if settings:
            raise UsageError("E_SPEC", f"{spec!r} is a dict of models, which takes no parameters")
        return _of_mapping(imported, wanted, repr(spec))
    made = _with_settings(spec, imported, settings)
    name = spec.partition(":")[2].strip()
    return {name: _of_object(made, wanted, repr(spec))}


def _module(spec: str, name: str) -> Any:
    here = os.getcwd()  # noqa: PTH109 - a path that imports understand
    if not {"", here} & set(sys.path):
        sys.path.append(here)
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        hint = f"modules are searched for in {here} and among the installed packages; {HOW}"
        raise UsageError("E_SPEC", f"{spec!r}: cannot import {name!r}: {reason}", hint=hint) from error


def _attribute(spec: str, module: Any, path: str) -> Any:
    reached = module
    for word in path.split("."):
        if not word or not hasattr(reached, word):
            names = [name for name in vars(reached) if not name.startswith("_")] if hasattr(reached, "__dict__") else []
            place = getattr(module, "__file__", None) or module.__name__
            hint = did_you_mean(word, names)
            raise UsageError("E_SPEC", f"{spec!r}: {place} has no {path!r}", hint=hint or HOW)
        reached = getattr(reached, word)
    return reached


def _with_settings(spec: str, given: Any, settings: Mapping[str, Any]) -> Any:
    """Make an estimator of a class; of an instance, one with other parameters."""
    from sklearn.base import clone

    try:
        if isinstance(given, type):
            return given(**settings)
        return clone(given).set_params(**settings) if settings else given
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise UsageError("E_SPEC", f"{spec!r}: cannot be made: {reason}") from error


def _of_object(given: Any, wanted: Wanted, place: str) -> Any:
    """Check an estimator of the user's, fix its seed and prepare the features for it."""
    from sklearn.base import clone

    if isinstance(given, type):
        given = _with_settings(place, given, {})
    lacking = [name for name in ("fit", "predict") if not callable(getattr(given, name, None))]
    if lacking:
        kind = type(given).__name__
        hint = "an estimator needs fit(X, y) and predict(X), as in scikit-learn"
        raise UsageError("E_SPEC", f"{place} is not an estimator: a {kind} without {' and '.join(lacking)}", hint=hint)
    try:
        seeded = with_seed(clone(given, safe=False), wanted.seed)
    except Exception as error:
        raise UsageError("E_SPEC", f"{place} cannot be cloned: {type(error).__name__}: {error}") from error
    return _prepared_unless_pipeline(seeded, wanted.features)


def with_seed(estimator: Any, seed: int) -> Any:
    """Fix every random state that is open; one that the user has chosen stays.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> with_seed(DecisionTreeClassifier(), 1).random_state == with_seed(DecisionTreeClassifier(), 1).random_state
    True
    """
    if not hasattr(estimator, "get_params"):
        return estimator
    open_states = {
        name: _derived(seed, name)
        for name, value in sorted(estimator.get_params().items())
        if name.rpartition("__")[2] == "random_state" and value is None
    }
    return estimator.set_params(**open_states) if open_states else estimator


def _derived(seed: int, name: str) -> int:
    """A seed for one of several random states."""
    return int.from_bytes(blake2b(f"{seed} {name}".encode(), digest_size=4).digest(), "big") >> 1


def _prepared_unless_pipeline(estimator: Any, features: Sequence[Feature]) -> Any:
    """Prepare the features, unless the estimator is a pipeline that does so itself."""
    from sklearn.pipeline import Pipeline

    if not isinstance(estimator, Pipeline):
        return prepared(estimator, features)
    transformers = [step for name, step in estimator.get_params().items() if hasattr(step, "transform")]
    if any(_selects_by_name(step) for step in transformers):
        return with_names(estimator, features)
    prepares = ("Imputer", "Encoder", "ColumnTransformer", "Vectorizer")
    itself = any(word in type(step).__name__ for step in transformers for word in prepares)
    return estimator if itself else prepared(estimator, features)


def _selects_by_name(transformer: Any) -> bool:
    """Whether a ColumnTransformer needs a frame: names of columns, or a choice by their types."""
    for _, _, columns in getattr(transformer, "transformers", ()) or ():
        chosen = columns if isinstance(columns, list | tuple) else [columns]
        if any(isinstance(column, str) or callable(column) for column in chosen):
            return True
    return False

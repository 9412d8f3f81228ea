"""All fits of all models on all splits: each is stored when it is done, and none is done twice."""

from __future__ import annotations

from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from referee import __version__
from referee.document import Progress
from referee.errors import ModelError, UsageError
from referee.fitting.fits import Fit, Fitting, Unit
from referee.fitting.runner.cluster import Cluster, run_on
from referee.fitting.runner.crew import Failure
from referee.fitting.runner.pool import run, saying_how_to_go_on
from referee.fitting.runner.store import Store
from referee.fitting.runner.worker_process import pickled
from referee.fitting.shared_fits import families
from referee.fitting.splits import Split, fingerprint
from referee.fitting.stored_predictions import ABOUT, Leading, Records, about
from referee.fitting.stored_schema import stored_fit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from referee.fitting.dataset import DataSet
    from referee.scoring import Metric


@dataclass(frozen=True)
class Limits:
    """How fits are run."""

    jobs: int = 1
    """Worker processes."""
    timeout: float | None = None
    """Seconds for the fits of a family on a split."""
    max_memory: int | None = None
    """Bytes beyond what a worker holds before."""
    quiet: bool = True
    """Whether no line of progress is shown."""
    cluster: Cluster | None = None
    """Where fits run instead of worker processes of this one."""


def fit_all(
    data: DataSet,
    splits: Sequence[Split],
    estimators: Mapping[str, Any],
    *,
    folder: str | Path | None = None,
    configuration: str = "",
    seed: int = 0,
    goal: Metric | None = None,
    limits: Limits | None = None,
) -> tuple[Records, list[Failure]]:
    """Give the record of every fit, and what failed; with a folder, go on where an earlier run has ended.

    With a goal, models without the scores that it needs are refused before any fit, scores that it cannot take are a
    failure of the model, and the progress line says who leads.
    """
    limits = limits or Limits()
    if goal is not None:
        refuse_without_scores(estimators, goal, len(data.classes))
    work = Fitting.of(data, splits, estimators)
    identity = {
        "data": data.fingerprint,
        "configuration": configuration,
        "splits": fingerprint(splits),
        "version": __version__,
        "seed": str(seed),
    }
    names = list(estimators)
    fits = [Fit(name, split) for split in range(len(splits)) for name in names]
    with nullcontext() if folder is None else Store(folder, identity) as store:
        records = {} if store is None else _stored(store, fits, data, splits, about(data, splits, names))
        progress = Progress(len(fits), "fitting", already=len(records), quiet=limits.quiet)
        leading = Leading(data, splits, goal) if goal is not None and progress.is_shown else None
        fitting = _Run(work, records, store, progress, leading, limits)
        with progress, saying_how_to_go_on(folder, records, "fit"):
            failures = fitting.fit(_missing(families(estimators), len(splits), records))
    return records, sorted([*failures, *_improbable(records, goal)], key=lambda failure: str(failure.unit))


def refuse_without_scores(estimators: Mapping[str, Any], goal: Metric, classes: int) -> None:
    """Refuse models without the scores that the goal needs: of two classes, a decision_function ranks as well."""
    if goal.needs not in ("scores", "probabilities"):
        return
    enough = ["predict_proba"] + (["decision_function"] if goal.needs == "scores" and classes == 2 else [])
    for name, estimator in estimators.items():
        if any(hasattr(estimator, method) for method in enough):
            continue
        of_classes = f" of each of {classes} classes" if classes > 2 else ""
        raise UsageError(
            "E_NOSCORE",
            f"{name} has no predict_proba, and {goal.name} ({goal.title}) needs {goal.needs}{of_classes}",
            hint="choose a goal for decisions such as accuracy, or a model that gives probabilities",
        )


def _stored(
    store: Store, fits: Sequence[Fit], data: DataSet, splits: Sequence[Split], record: dict[str, Any]
) -> Records:
    kept = set(store.keys())
    if ABOUT not in kept:
        store.save(ABOUT, record)
    classes = len(data.classes)
    return {fit: stored_fit(store, fit, splits, classes) for fit in fits if str(fit) in kept}


def _missing(groups: Sequence[tuple[str, ...]], splits: int, records: Records) -> list[Unit]:
    """What is still to be fitted: of a family that was interrupted between two of its records, the rest."""
    every = (
        Unit(tuple(name for name in group if (name, split) not in records), split)
        for split in range(splits)
        for group in groups
    )
    return [unit for unit in every if unit.models]


@dataclass
class _Run:
    """The fits of one call, and where they go."""

    work: Fitting
    records: Records
    store: Store | None
    progress: Progress
    leading: Leading | None
    limits: Limits

    def fit(self, units: Sequence[Unit]) -> list[Failure]:
        """Fit; a family that fails is fitted again model by model, so that each stands for itself only."""
        failures = self._outcomes_of(units)
        again = [unit for failure in failures for unit in _unit(failure).alone]
        failures = [failure for failure in failures if not _unit(failure).alone] + self._outcomes_of(again)
        return [replace(failure, unit=_unit(failure).fits[0]) for failure in failures]

    def _outcomes_of(self, units: Sequence[Unit]) -> list[Failure]:
        failures: list[Failure] = []
        if not units:
            return failures
        with _naming_the_model(self.work), closing(outcomes(units, self.work, self.limits)) as answered:
            for unit, outcome in answered:
                if isinstance(outcome, Failure):
                    failures.append(outcome)
                    if not unit.alone:
                        self.progress.advance()
                else:
                    self._keep(unit, outcome)
        return failures

    def _keep(self, unit: Unit, outcome: Mapping[str, Any]) -> None:
        for fit in unit.fits:
            record = outcome[fit.model]
            if self.store is not None:
                self.store.save(str(fit), record)
            self.records[fit] = record
            if self.leading is not None:
                self.leading.add(*fit, record)
            self.progress.advance(None if self.leading is None else str(self.leading))


def _unit(failure: Failure) -> Unit:
    unit: Any = failure.unit
    return Unit(*unit)


def outcomes(units: Sequence[Unit], work: Fitting, limits: Limits) -> Any:
    """What workers make of units, each with its outcome, as they come; a model can read which split it is in."""
    begin = partial(run, jobs=limits.jobs) if limits.cluster is None else partial(run_on, limits.cluster)
    return begin(
        units, work, timeout=limits.timeout, max_memory=limits.max_memory,
        environment=lambda unit: {"REFEREE_FOLD": str(unit.split)},
    )  # fmt: skip


def _improbable(records: Records, goal: Metric | None) -> list[Failure]:
    """Fits whose scores are not probabilities, where the goal needs them."""
    if goal is None or goal.needs != "probabilities":
        return []
    return [
        Failure("refused", record["test_improbable"], Fit(*fit))
        for fit, record in records.items()
        if record.get("test_improbable")
    ]


@contextmanager
def _naming_the_model(work: Fitting) -> Iterator[None]:
    """Say which model cannot be sent to a worker."""
    try:
        yield
    except UsageError as error:
        if error.code != "E_PICKLE":
            raise
        for name, estimator in work.estimators.items():
            if reason := _why_not_sent(estimator):
                message = f"{name} cannot be sent to a worker process by pickle: {reason}"
                raise UsageError("E_PICKLE", message, hint=error.hint) from error
        raise


def _why_not_sent(estimator: Any) -> str | None:
    try:
        pickled(estimator)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


CODES = {
    "raised": "E_MODEL", "timeout": "E_TIMEOUT", "signal": "E_WORKER", "exited": "E_WORKER", "memory": "E_MEMORY",
    "refused": "E_PROBRANGE",
}  # fmt: skip


class Place(NamedTuple):
    """A model, and the split that it failed in, in words."""

    model: str
    split: str


def placed(failures: Sequence[Failure], splits: Sequence[Split], *, inner: bool = False) -> list[Failure]:
    """Failures with the words for where they are; `inner` splits have their outer one as their repeat."""
    placed_failures = []
    for failure in failures:
        unit: Any = failure.unit
        split = splits[unit.split]
        words = f"inner split {split.fold} of outer split {split.repeat}" if inner else _outer(split, splits)
        placed_failures.append(replace(failure, unit=Place(unit.model, words)))
    return placed_failures


def _outer(split: Split, splits: Sequence[Split]) -> str:
    if all(other.repeat == split.repeat for other in splits):
        return f"fold {split.fold}"
    return f"repeat {split.repeat}" + (f", fold {split.fold}" if any(other.fold > 1 for other in splits) else "")


def model_errors(failures: Sequence[Failure]) -> dict[str, ModelError]:
    """The first failure of each model, in words, and in how many fits it failed."""
    errors: dict[str, ModelError] = {}
    for failure in failures:
        unit: Any = failure.unit
        times = sum(getattr(other.unit, "model", None) == unit.model for other in failures)
        more = f" (and in {times - 1} more fits)" if times > 1 else ""
        where = unit.split if isinstance(unit.split, str) else f"fold {unit.split + 1}"
        message = f"{unit.model} failed in {where}: {failure.message}{more}"
        errors.setdefault(unit.model, ModelError(CODES[failure.kind], message, hint=failure.details or None))
    return errors


def why_unfitted(failures: Sequence[Failure], splits: Sequence[Split]) -> dict[str, str]:
    """Why a model could not be fitted, by its name."""
    return {name: error.message for name, error in model_errors(placed(failures, splits)).items()}


def too_few_left(names: Sequence[str], errors: Mapping[str, ModelError]) -> ModelError:
    first = next(iter(errors.values()))
    left = f"only {names[0]} is left" if names else "none is left"
    others = [error.message for error in errors.values()][1:]
    return ModelError(first.code, "; ".join([first.message, *others, left]), hint=first.hint)

"""All fits of all models on all splits: each is stored when it is done, and none is done twice."""

from __future__ import annotations

from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee import __version__
from referee.errors import Notice, UsageError
from referee.fitting.fits import Fit, Fitting, Unit
from referee.fitting.options import refuse_without_scores
from referee.fitting.run_folder import ABOUT, about
from referee.fitting.runner.pool import Failure, Progress, run, saying_how_to_go_on
from referee.fitting.runner.store import Store
from referee.fitting.runner.worker_process import pickled
from referee.fitting.shared_fits import families
from referee.fitting.split_scores import Leading
from referee.fitting.splits import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from referee.fitting.dataset import DataSet
    from referee.fitting.splits import Split
    from referee.scoring import Metric

    Records = dict[tuple[str, int], Mapping[str, Any]]
    from collections.abc import Mapping

    from referee.arrays import Array
    from referee.fitting.resampling import Resampling


def fit_all(
    data: DataSet,
    splits: Sequence[Split],
    estimators: Mapping[str, Any],
    *,
    folder: str | Path | None = None,
    configuration: str = "",
    seed: int = 0,
    goal: Metric | None = None,
    quiet: bool = True,
    **limits: Any,
) -> tuple[Records, list[Failure]]:
    """Give the record of every fit, and what failed; with a folder, go on where an earlier run has ended.

    With a goal, models without the scores that it needs are refused before any fit, scores that it cannot take are a
    failure of the model, and the progress line says who leads.
    """
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
        records = {} if store is None else _stored(store, fits, about(data, splits, names))
        progress = Progress(len(fits), already=len(records), quiet=quiet)
        leading = Leading(data, splits, goal) if goal is not None and progress.is_shown else None
        fitting = _Run(work, records, store, progress, leading, limits)
        with progress, saying_how_to_go_on(folder, records, "fit"):
            failures = fitting.of_all(_missing(families(estimators), len(splits), records))
    return records, sorted([*failures, *_improbable(records, goal)], key=lambda failure: str(failure.unit))


def _stored(store: Store, fits: Sequence[Fit], record: dict[str, Any]) -> Records:
    kept = set(store.keys())
    if ABOUT not in kept:
        store.save(ABOUT, record)
    return {fit: store.load(str(fit)) for fit in fits if str(fit) in kept}


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
    limits: dict[str, Any]

    def of_all(self, units: Sequence[Unit]) -> list[Failure]:
        """Fit; a family that fails is fitted again model by model, so that each stands for itself only."""
        failures = self._of(units)
        again = [unit for failure in failures for unit in _unit(failure).alone]
        failures = [failure for failure in failures if not _unit(failure).alone] + self._of(again)
        return [replace(failure, unit=_unit(failure).fits[0]) for failure in failures]

    def _of(self, units: Sequence[Unit]) -> list[Failure]:
        failures: list[Failure] = []
        if not units:
            return failures
        with _naming_the_model(self.work), closing(outcomes(units, self.work, **self.limits)) as found:
            for unit, outcome in found:
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


def outcomes(units: Sequence[Unit], work: Fitting, *, quiet: bool = True, **limits: Any) -> Any:
    """What workers make of units, each with its outcome, as they come; a model can read which split it is in."""
    del quiet
    return run(units, work, environment=lambda unit: {"REFEREE_FOLD": str(unit.split)}, **limits)


def _improbable(records: Records, goal: Metric | None) -> list[Failure]:
    """Fits whose scores are no probabilities, where the goal needs them."""
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


ROWS = 20
"""Of the first test part, that are predicted one by one."""
NEAR = 1e-6
"""What the order of a sum may change, in relation to the value."""


@dataclass(frozen=True)
class Check(Fitting):
    """Fit once more, and predict some rows together and alone."""

    def __call__(self, unit: Unit) -> dict[str, Any]:
        test = self.splits[unit.split].test
        ((model, *_),) = self.fitted(unit)
        rows = self.X[test][:ROWS]
        together = _said(self, model, rows)
        return {
            "again": _said(self, model, self.X[test]),
            "differs": not _equal(together, _said(self, model, rows)),
            "alone": _first_that_differs(together, [_said(self, model, rows[[row]]) for row in range(len(rows))]),
        }


def _said(work: Fitting, model: Any, rows: Array) -> dict[str, Array]:
    (said,) = work.said([model], rows)
    return {kind: values for kind, values in said.answers.items() if isinstance(values, np.ndarray)}


def _equal(one: Mapping[str, Array], other: Mapping[str, Array]) -> bool:
    return all(np.array_equal(values, other[kind]) for kind, values in one.items())


def _first_that_differs(together: Mapping[str, Array], alone: Sequence[Mapping[str, Array]]) -> int | None:
    for row, said in enumerate(alone):
        if not all(np.allclose(values[row], said[kind][0], rtol=NEAR) for kind, values in together.items()):
            return row
    return None


def check_models(resampling: Resampling, records: Records) -> list[Notice]:
    """Fit each model on the first split again, and say which are not what a comparison takes them to be."""
    work = Check.of(resampling.data, resampling.splits, resampling.estimators)
    units = [Unit((name,), 0) for name in resampling.estimators if (name, 0) in records]
    found = dict(outcomes(units, work, **resampling.limits))
    return [notice for unit in units for notice in _notices(unit.models[0], found[unit], records)]


def _notices(name: str, found: Any, records: Records) -> list[Notice]:
    if isinstance(found, Failure):
        return [Notice("W_NONDET", f"{name} failed when it was fitted again with the same seed: {found.message}")]
    first = {kind: records[name, 0][f"test_{kind}"] for kind in found["again"]}
    if found["differs"] or not _equal(found["again"], first):
        return [
            Notice(
                "W_NONDET",
                f"{name} gives different predictions with the same seed and the same rows: what it is worth here will "
                "not be found again, nor will a run that is resumed be the same",
            )
        ]
    if found["alone"] is not None:
        return [
            Notice(
                "W_BATCH",
                f"{name} predicts test row {found['alone'] + 1} differently alone than in a batch with others: it uses "
                "the test rows beside it, which a row in use may not have",
            )
        ]
    return []

"""All fits of all models on all splits: each is stored when it is done, and none is done twice."""

from __future__ import annotations

from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Any

from referee import __version__
from referee.runner.failure import Failure
from referee.runner.pool import run
from referee.runner.progress import Progress
from referee.runner.store import Store
from referee.selection.fitting import Fit, Fitting
from referee.selection.run_folder import ABOUT, about
from referee.splitting.split import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from referee.dataset import DataSet
    from referee.splitting.split import Split

    Records = dict[tuple[str, int], Mapping[str, Any]]


def fit_all(
    data: DataSet,
    splits: Sequence[Split],
    estimators: Mapping[str, Any],
    *,
    folder: str | Path | None = None,
    configuration: str = "",
    seed: int = 0,
    quiet: bool = True,
    **limits: Any,
) -> tuple[Records, list[Failure]]:
    """Give the record of every fit, and what failed; with a folder, go on where an earlier run has ended."""
    units = [Fit(name, split) for split in range(len(splits)) for name in estimators]
    work = Fitting(data.X, data.target, len(data.classes), data.positive, splits, estimators)
    identity = {
        "data": data.fingerprint,
        "configuration": configuration,
        "splits": fingerprint(splits),
        "version": __version__,
        "seed": str(seed),
    }
    with nullcontext() if folder is None else Store(folder, identity) as store:
        records = {} if store is None else _stored(store, units, about(data, splits, list(estimators)))
        missing = [unit for unit in units if (unit.model, unit.split) not in records]
        failures = _fit(missing, work, records, store, Progress(len(units), already=len(records), quiet=quiet), limits)
    return records, failures


def _stored(store: Store, units: Sequence[Fit], record: dict[str, Any]) -> Records:
    kept = set(store.keys())
    if ABOUT not in kept:
        store.save(ABOUT, record)
    return {(unit.model, unit.split): store.load(str(unit)) for unit in units if str(unit) in kept}


def _fit(
    units: Sequence[Fit],
    work: Fitting,
    records: Records,
    store: Store | None,
    progress: Progress,
    limits: dict[str, Any],
) -> list[Failure]:
    failures: list[Failure] = []
    if not units:
        return failures
    fits: Any = run(units, work, environment=_environment, **limits)
    with progress, closing(fits) as outcomes:
        for unit, outcome in outcomes:
            if isinstance(outcome, Failure):
                failures.append(outcome)
            else:
                records[unit.model, unit.split] = outcome
                if store is not None:
                    store.save(str(unit), outcome)
            progress.advance(str(unit))
    return sorted(failures, key=lambda failure: str(failure.unit))


def _environment(unit: Fit) -> dict[str, str]:
    return {"REFEREE_FOLD": str(unit.split)}

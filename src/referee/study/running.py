"""All repetitions on all data sets: each is stored when it is done, and none is done twice."""

from __future__ import annotations

from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Any

from referee import __version__
from referee.errors import ModelError, RefereeError
from referee.runner.failure import Failure
from referee.runner.interruption import saying_how_to_go_on
from referee.runner.pool import run
from referee.runner.progress import Progress
from referee.runner.store import Store
from referee.study.repetition import Repeating, Unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    Records = dict[Unit, Mapping[str, Any]]


def repeat_all(work: Repeating, *, jobs: int = 1, folder: str | Path | None = None, quiet: bool = True) -> Records:
    """Give the record of every unit; with a folder, go on where an earlier run has ended."""
    settings = work.settings
    units = [Unit(name, number) for number in range(1, settings.repetitions + 1) for name in work.data]
    identity = {
        "data": " ".join(f"{name} {data.fingerprint}" for name, data in work.data.items()),
        "configuration": settings.fingerprint,
        "version": __version__,
        "seed": str(settings.seed),
    }
    with nullcontext() if folder is None else Store(folder, identity) as store:
        kept = set() if store is None else set(store.keys())
        records: Records = {unit: store.load(str(unit)) for unit in units if store and str(unit) in kept}
        missing = [unit for unit in units if unit not in records]
        progress = Progress(len(units), already=len(records), quiet=quiet)
        with saying_how_to_go_on(folder, records, "repetition"):
            _repeat(missing, work, records, store, progress, jobs)
    return records


def _repeat(
    units: Sequence[Unit], work: Repeating, records: Records, store: Store | None, progress: Progress, jobs: int
) -> None:
    if not units:
        return
    results: Any = run(units, work, jobs=min(jobs, len(units)))
    with progress, closing(results) as outcomes:
        for unit, outcome in outcomes:
            if isinstance(outcome, Failure):
                raise ModelError("E_MODEL", f"{unit}: {outcome.message}", hint="another --pair, or a larger --train")
            if isinstance(outcome, RefereeError):
                raise outcome
            records[unit] = outcome
            if store is not None:
                store.save(str(unit), outcome)
            progress.advance(str(unit))

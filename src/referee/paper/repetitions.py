"""All repetitions on all data sets: each is stored when it is done, and none is done twice."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee import __version__
from referee.errors import ModelError, RefereeError
from referee.fitting import Failure, Progress, Rows, Store, run, saying_how_to_go_on
from referee.paper.settings import Pair, Sample, predicted
from referee.paper.subsets import compared, deal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from referee.fitting import DataSet
    from referee.paper.settings import Settings
    from referee.paper.subsets import Deal

    Records = dict["Unit", Mapping[str, Any]]

MODELS = 0
"""The last part of the key of a repetition's stream of random numbers that is the models'."""


class Unit(NamedTuple):
    """A unit of work; repetitions are numbered from 1."""

    data_set: str
    repetition: int

    def __str__(self) -> str:
        return f"{self.data_set}, repetition {self.repetition:05d}"


@dataclass(frozen=True, eq=False)
class Repeating:
    """What workers do: all that a repetition needs, by its unit."""

    data: Mapping[str, DataSet]
    pairs: Mapping[str, tuple[Pair, ...]]
    """Of each data set."""
    settings: Settings

    def __call__(self, unit: Unit) -> dict[str, Any] | RefereeError:
        """The record of a unit, or why there can be none: errors that are raised in a worker come as text only."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        # The order in which threads add up would show in the last digit.
        with threadpool_limits(1):
            try:
                return self._record(unit)
            except RefereeError as error:
                return error

    def _record(self, unit: Unit) -> dict[str, Any]:
        data, clock = self.data[unit.data_set], _Clock()
        record: dict[str, Any] = {}
        dealt = deal(self._rows(unit), self.settings, unit.repetition)
        clock.add("dealing")
        sample = self._sample(unit, dealt)
        for pair in self.pairs[unit.data_set]:
            a, b = predicted(pair, sample)
            clock.add(pair.name)
            found = compared(data.target[dealt.others], a, b, sample.positive, dealt, self.settings.measured)
            record |= {f"{pair.name}_{key}": values for key, values in found.items()}
            clock.add("metrics")
        return record | {"seconds": clock.seconds}

    def _cell(self, unit: Unit) -> tuple[int, ...]:
        """What keeps the random numbers of the data sets apart, whatever others are in the study."""
        return tuple(unit.data_set.encode())

    def _rows(self, unit: Unit) -> Rows:
        target = self.data[unit.data_set].target
        return Rows(len(target), labels=target, seed=self.settings.seed, cell=self._cell(unit))

    def _sample(self, unit: Unit, dealt: Deal) -> Sample:
        data, train = self.data[unit.data_set], dealt.train
        assert data.positive is not None
        key = (*self._cell(unit), unit.repetition if self.settings.retrain else 1, MODELS)
        seed = np.random.SeedSequence(self.settings.seed % 2**64, spawn_key=key).generate_state(1)[0]
        return Sample(data.features, data.X[train], data.target[train], data.X[dealt.others], data.positive, int(seed))


class _Clock:
    """CPU seconds by what they were spent on."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = process_time()

    def add(self, what: str) -> None:
        now = process_time()
        self.seconds[what] = self.seconds.get(what, 0.0) + now - self._last
        self._last = now


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

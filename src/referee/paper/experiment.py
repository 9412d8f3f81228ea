"""run(): the paper's experiment, from its data to a Study; what is done is stored, and not done a second time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee import __version__
from referee.document import Progress
from referee.errors import ModelError, RefereeError, UsageError
from referee.fitting import DataSet, Failure, Rows, Store, saying_how_to_go_on
from referee.fitting import run as run_units
from referee.paper.datasets import DATA_SETS, NAMES, PEN_DIGITS, described, load
from referee.paper.settings import PAPER_PAIRS, Pair, Sample, Settings, predicted, refuse_few_rows, refuse_models
from referee.paper.study import OTHER_DIGITS, Study
from referee.paper.subsets import Deal, compared, deal, refuse_small
from referee.paper.tables import NUMBERS
from referee.records import dataclass

if TYPE_CHECKING:
    from pathlib import Path

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
            compared_values = compared(data.target[dealt.others], a, b, sample.positive, dealt, self.settings.measured)
            record |= {f"{pair.name}_{key}": values for key, values in compared_values.items()}
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
        progress = Progress(len(units), "repeating the experiment", already=len(records), quiet=quiet)
        with saying_how_to_go_on(folder, records, "repetition"):
            _repeat(missing, work, records, store, progress, jobs)
    return records


def _repeat(
    units: Sequence[Unit], work: Repeating, records: Records, store: Store | None, progress: Progress, jobs: int
) -> None:
    if not units:
        return
    results: Any = run_units(units, work, jobs=min(jobs, len(units)))
    with progress, closing(results) as outcomes:
        for unit, outcome in outcomes:
            if isinstance(outcome, Failure):
                raise ModelError(
                    "E_MODEL", f"{unit}: {outcome.message}", hint="use another --pair, or a larger --train"
                )
            if isinstance(outcome, RefereeError):
                raise outcome
            records[unit] = outcome
            if store is not None:
                store.save(str(unit), outcome)
            progress.advance(str(unit))


LAST_DIGITS = ("7", "8", "9")


def run(
    data: str | Path | Mapping[str, DataSet] | None = None,
    *,
    tables: Sequence[int] = NUMBERS,
    data_sets: Sequence[str] = NAMES,
    jobs: int = 1,
    store: str | Path | None = None,
    download: bool = False,
    quiet: bool = True,
    repetitions: int = 100,
    seed: int = 0,
    train: float = 0.1,
    holdout: float = 0.45,
    test_subsets: int = 100,
    holdout_subsets: int = 50,
    retrain: bool = True,
    pairs: tuple[Pair, ...] = PAPER_PAIRS,
    metrics: str = "paper",
    clip: float = 1e-6,
    pen_digits: tuple[str, ...] = PEN_DIGITS,
    alpha: float = 0.05,
    ties: str = "half",
    average: str = "plain",
) -> Study:
    """Do the paper's experiment and give its tables, its figure and what becomes of its claims.

    `data` is the folder of the UCI data sets (without one they are looked for in the cache, and downloaded from OpenML
    if that is wanted), or data sets of your own by name, with two classes. With a folder as `store`, a run that was
    interrupted goes on. From `repetitions` on, they are the fields of `Settings`, which explains them.

    >>> import numpy as np
    >>> from referee.fitting import DataSet
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> own = {"made-up": DataSet.from_arrays(X, X[:, 0] + X[:, 1] > 0, positive=True)}
    >>> study = run(own, repetitions=2, train=0.4, holdout=0.3, test_subsets=5, holdout_subsets=5)
    >>> sorted(study.tables), study.tables[5].values["made-up"]["tree"]["accuracy"] <= 1
    ([1, 2, 3, 4, 5, 6, 7], True)
    """
    settings = Settings(
        repetitions, seed, train, holdout, test_subsets, holdout_subsets, retrain, pairs, metrics, clip, pen_digits,
        alpha, ties, average,
    )  # fmt: skip
    if data is not None and download:
        raise UsageError(
            "E_USAGE", "--download fetches into the cache, and --data DIR reads from a folder: use one of them"
        )
    numbers = _known(tables)
    loaded = dict(data) if isinstance(data, Mapping) else _loaded(data, data_sets, settings, download, quiet)
    work = Repeating(loaded, {name: _pairs(name, content, settings) for name, content in loaded.items()}, settings)
    if numbers == (1,):
        return Study(work, {}, numbers)
    for name, content in loaded.items():
        _refuse_before_fitting(name, content, work)
    return Study(work, repeat_all(work, jobs=jobs, folder=store, quiet=quiet), numbers)


def _known(tables: Sequence[int]) -> tuple[int, ...]:
    """The numbers of the tables in order, if the paper has them all."""
    unknown = [number for number in tables if number not in NUMBERS]
    if unknown or not tables:
        raise UsageError("E_TABLES", f"the paper has Tables 1 to 7, not {', '.join(map(str, unknown)) or 'none'}")
    return tuple(sorted(set(tables)))


def _refuse_before_fitting(name: str, data: DataSet, work: Repeating) -> None:
    refuse_small(name, data, work.settings)
    for given, pair in zip(work.settings.pairs, work.pairs[name], strict=True):
        refuse_few_rows(pair, data.features, round(work.settings.train * data.rows), name)
        if given not in PAPER_PAIRS:
            refuse_models(pair, data.features)


def _loaded(
    folder: str | Path | None, names: Sequence[str], settings: Settings, download: bool, quiet: bool
) -> dict[str, DataSet]:
    """The data sets in the order of the paper, and the pen digits with the other digits as positive ones."""
    if not names:
        raise UsageError("E_DATASET", "no data set is named")
    wanted = {described(name).name: settings.pen_digits for name in sorted(set(names), key=_order)}
    if "pen-digits" in wanted:
        wanted[OTHER_DIGITS] = LAST_DIGITS if set(settings.pen_digits) == set(PEN_DIGITS) else PEN_DIGITS
    return {
        key: load(key.removesuffix("-other"), folder, pen_digits=digits, download=download, quiet=quiet)
        for key, digits in wanted.items()
    }


def _order(name: str) -> int:
    return NAMES.index(name) if name in NAMES else len(NAMES)


def _pairs(name: str, data: DataSet, settings: Settings) -> tuple[Pair, ...]:
    """The pairs on a data set; of one that is not the paper's, naive Bayes takes half of the attributes, and all."""
    known = DATA_SETS.get(name.removesuffix("-other"))
    columns = len(data.features)
    attributes = known.first_attributes if known else (max(1, columns // 2), columns)
    return tuple(pair.on(attributes) for pair in settings.pairs)

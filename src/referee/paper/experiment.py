"""run(): the paper's experiment from its data to a Study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from referee.errors import UsageError
from referee.paper.datasets import DATA_SETS, NAMES, PEN_DIGITS, described, load
from referee.paper.repetitions import Repeating, repeat_all
from referee.paper.settings import PAPER_PAIRS, Settings, refuse_few_rows, refuse_models
from referee.paper.study import OTHER_DIGITS, Study
from referee.paper.subsets import refuse_small
from referee.paper.tables import NUMBERS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from referee.fitting import DataSet
    from referee.paper.settings import Pair

FIRST_DIGITS = ("0", "1", "2")


def run(
    data: str | Path | Mapping[str, DataSet] | None = None,
    *,
    tables: Sequence[int] = NUMBERS,
    data_sets: Sequence[str] = NAMES,
    jobs: int = 1,
    store: str | Path | None = None,
    download: bool = False,
    quiet: bool = True,
    **settings: Any,
) -> Study:
    """Do the paper's experiment and give its tables, its figure and what becomes of its claims.

    `data` is the folder of the UCI data sets (without one they are looked for in the cache, and downloaded if that
    is wanted), or data sets of your own by name, with two classes. With a folder as `store`, a run that was
    interrupted goes on. `settings` are those of `Settings`: repetitions, seed, pen_digits ...

    >>> import numpy as np
    >>> from referee.fitting import DataSet
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> own = {"made-up": DataSet.from_arrays(X, X[:, 0] + X[:, 1] > 0, positive=True)}
    >>> study = run(own, repetitions=2, train=0.4, holdout=0.3, test_subsets=5, holdout_subsets=5)
    >>> sorted(study.tables), study.tables[5].values["made-up"]["tree"]["accuracy"] <= 1
    ([1, 2, 3, 4, 5, 6, 7], True)
    """
    chosen = Settings(**settings)
    if data is not None and download:
        raise UsageError("E_USAGE", "--download fetches into the cache, and --data DIR reads from a folder: say one")
    numbers = _known(tables)
    found = dict(data) if isinstance(data, Mapping) else _loaded(data, data_sets, chosen, download, quiet)
    work = Repeating(found, {name: _pairs(name, one, chosen) for name, one in found.items()}, chosen)
    if numbers == (1,):
        return Study(work, {}, numbers)
    for name, one in found.items():
        _refuse_before_fitting(name, one, work)
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
        wanted[OTHER_DIGITS] = PEN_DIGITS if set(settings.pen_digits) == set(FIRST_DIGITS) else FIRST_DIGITS
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

"""Looking twice at each model: whether it says the same after another fit, and of a row without others beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import Notice
from referee.runner.failure import Failure
from referee.selection.fits.fitting import Fitting, Unit
from referee.selection.fits.running import outcomes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.selection.fits.running import Records
    from referee.selection.resampling import Resampling

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

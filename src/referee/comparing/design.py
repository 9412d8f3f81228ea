"""Design: how the values that are compared came about, which says what tests are valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from referee.errors import UsageError, listed
from referee.records import dataclass

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing.split_estimates import Combine

Kind = Literal["rows", "out_of_fold", "time", "splits", "left_out", "subsets", "data_sets", "independent"]
Outcome = Literal["a", "b", "tie"]

"""Far below it 1 - alpha is 1, and every critical value infinite."""

IN_WORDS: dict[Kind, str] = {
    "rows": "one test set: the rows are the units",
    "out_of_fold": "out-of-fold predictions: each row was predicted once, by one of several fitted models",
    "time": "rows in time order: neighbours may be similar",
    "splits": "resampling with refits: the training sets of the splits overlap",
    "left_out": "refits that leave out every pair of groups of rows, and are tested on it",
    "subsets": "one test set, divided into equal stratified subsets",
    "data_sets": "several data sets, one value for each",
    "independent": "independent units, one value for each",
}


@dataclass(frozen=True)
class Design:
    """The units of a comparison, and what is asked of it.

    >>> Design("rows", better="lower").outcome(-0.2, p=0.01)
    'a'
    """

    kind: Kind = "independent"
    unit: str = "fold"
    """What one of the units is called."""
    better: Literal["higher", "lower"] = "higher"
    alpha: float = 0.05
    seed: int = 0
    n_train: Array | None = None
    """Training rows of each split."""
    n_test: Array | None = None
    folds: int | None = None
    """In each repeat."""
    repeats: int | None = None
    horizon: int | None = None
    """Steps that forecasts look ahead, where rows are in the order of time."""
    correction: float = 1
    """How many times the overlap of training sets counts: Nadeau and Bengio's is 1."""
    combine: Combine = "mean"
    """How the values of the units become one."""

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise UsageError("E_PARAMETER", f"alpha={self.alpha} must lie between 0 and 1")
        for name, known in (("kind", IN_WORDS), ("better", ("higher", "lower"))):
            if getattr(self, name) not in known:
                raise UsageError("E_PARAMETER", f"{name}={getattr(self, name)!r}: the choices are {listed(known)}")

    @property
    def by_rows(self) -> bool:
        """Whether models are compared row by row, and not by values of units."""
        return self.kind in ("rows", "out_of_fold", "time")

    @property
    def value_name(self) -> str:
        """What models are ranked by, where that is not their value on all rows."""
        from referee.comparing.split_estimates import NAMES  # which needs NumPy

        return f"{NAMES[self.combine]} estimate" if self.mixes_training else f"mean of {self.unit}s"

    @property
    def value_names(self) -> str:
        """The same of several models."""
        return f"{self.value_name}s" if self.mixes_training else f"means over the {self.unit}s"

    @property
    def mixes_training(self) -> bool:
        """Whether the value of the training rows has a part in that of a model."""
        from referee.comparing.split_estimates import NAMES

        return self.combine in NAMES

    @property
    def overlapping(self) -> bool:
        """Whether training sets share rows, so that the values of the units depend on each other."""
        return self.kind == "splits"

    def outcome(self, difference: float, p: float) -> Outcome:
        """Who is better: significant means p below alpha, strictly."""
        if not p < self.alpha or difference == 0:
            return "tie"
        return "a" if (difference > 0) == (self.better == "higher") else "b"

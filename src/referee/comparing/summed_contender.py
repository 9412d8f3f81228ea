"""SummedContender: one model on one metric whose rows stay where they are; what a comparison needs is summed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from referee.arrays import joint
from referee.comparing.contender import Contender
from referee.engines import summing_engine_of
from referee.records import dataclass
from referee.scoring import GroupSums, PairMoments, tails

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.scoring import Groups, Spread


@dataclass(frozen=True, eq=False)
class SummedContender(Contender):
    """A contender of a database: it has sums of pairs, and no rows."""

    @property
    def moments(self) -> PairMoments:
        """Those of all models, which are asked for together."""
        return PairMoments.of(self.predictions, self.metric)

    @cached_property
    def value(self) -> float:
        assert self.influence  # whose run gives the value, too
        return float(super().value)

    @property
    def units(self) -> int:
        group = self.predictions.group
        return super().units if group is None else len(group)

    @cached_property
    def changes(self) -> Array:
        """What a row of each kind in each group adds, on average."""
        return GroupSums.of(self.predictions, self.metric).changes[self.name]

    @cached_property
    def groups(self) -> Groups | None:
        return None if self.predictions.group is None else GroupSums.of(self.predictions, self.metric).groups[self.name]

    @property
    def _spread_of_rows(self) -> Spread | None:
        return self.moments.spread(self.name) if self.groups is None else super()._spread_of_rows

    def _spread_against(self, other: Contender) -> Spread | None:
        return self.moments.spread(self.name, other.name) if self.groups is None else super()._spread_against(other)

    def squares_apart(self, other: Contender) -> float:
        moments = self.moments
        return float(moments.sums.squares[:, moments.names.index(self.name), moments.names.index(other.name)].sum())

    @cached_property
    def rarer_class(self) -> tuple[str, int] | None:
        classes = self.predictions.classes
        if not classes:
            return None
        rows = [round(float(number)) for number in self.predictions.rows_of_classes]
        return classes[rows.index(min(rows))], min(rows)

    @cached_property
    def _seen(self) -> Array:
        return summing_engine_of(self.predictions).counts_seen(self.predictions, self.model)

    def _calls_of(self, code: int) -> tuple[int, int]:
        return round(float(self._seen[:, code].sum())), round(float(self._seen[code, code]))

    def _decided(self, other: Contender) -> Array:
        return summing_engine_of(self.predictions).decisions_of_pair(self.predictions, self.model, other.model)

    def decides_like(self, other: Contender) -> bool:
        _, first, second, _ = self._decided(other)
        return bool((first == second).all())

    def right_with(self, other: Contender) -> Array:
        truth, first, second, rows = self._decided(other)
        return joint(first == truth, second == truth, rows)

    def _tails(self, other: Contender, light: float) -> dict[str, Any] | None:
        """Only the tail of the better one can be doubted."""
        is_better = (self.value > other.value) == (self.metric.better == "higher")
        better, worse = (self.name, other.name) if is_better else (other.name, self.name)
        return tails(self.predictions, self.metric, better, worse, light)

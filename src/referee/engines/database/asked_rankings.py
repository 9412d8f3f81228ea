"""Rankings of a server: what formulas want of the steps is asked, for many formulas together, and no step leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.rankings import SIDES, DatabaseRanking, StepSlopes, slopes_of_steps
from referee.engines.ranked_scores import Ranking
from referee.predictions import FLOAT, fetch_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.arrays import Array, Column

    Term = Callable[[Any], Any]


class AwaitedError(BaseException):
    """A formula cannot go on before something is known that will be asked together with what others ask.

    No Exception, which a formula may catch.
    """


class Questions:
    """What the formulas of one model wait for; of each ranking it is one query, or two."""

    def __init__(self) -> None:
        self.are_collected = False
        self._waiting: dict[AskedRanking, dict[Any, Any]] = {}

    def put(self, ranking: AskedRanking, things: dict[Any, Any]) -> None:
        """Ask for things that are not known yet: at once, or when all formulas wait."""
        new = {key: thing for key, thing in things.items() if key not in ranking.known}
        if new and self.are_collected:
            self._waiting.setdefault(ranking, {}).update(new)
            raise AwaitedError
        ranking.learn(new)

    def answer_all(self, formulas: Sequence[Callable[[], object]]) -> None:
        """Run formulas until all of them are done; each round asks for what is next in every one of them."""
        self.are_collected = True
        try:
            while formulas := [run for run in formulas if _waits(run)]:
                waiting, self._waiting = self._waiting, {}
                assert waiting, "a formula waits for what it did not ask"
                for ranking, things in waiting.items():
                    ranking.learn(things)
        finally:
            self.are_collected = False


def _waits(formula: Callable[[], object]) -> bool:
    try:
        formula()
    except AwaitedError:
        return True
    return False


class AskedRanking(DatabaseRanking):
    """Steps are fetched only for a formula that columns of steps cannot follow."""

    __hash__ = object.__hash__
    questions: Questions

    def __init__(self, grouped: Any, totals: tuple[float, float], questions: Questions) -> None:
        super().__init__(grouped, totals)
        self.__dict__.update(questions=questions)

    def __eq__(self, other: object) -> bool:
        return self is other

    @property
    def coarse(self) -> AskedRanking:
        """Itself: steps need not be few where they are not fetched."""
        return self

    def asked(self, *aggregates: Column) -> list[float]:
        self.questions.put(self, {each.op(): each for each in aggregates})
        return [self.known[each.op()] for each in aggregates]

    def learn(self, things: dict[Any, Any]) -> None:
        slopes = {key: thing for key, thing in things.items() if isinstance(thing, StepSlopes)}
        super().learn({key: thing for key, thing in things.items() if key not in slopes})
        if slopes:
            self.known.update(zip(slopes, self._asked_powers([*slopes.values()]), strict=True))

    def sum(self, term: Term) -> Array:
        try:
            column = self.column(term)
        except TypeError:
            return self.whole.sum(term)
        (total,) = self.asked(column.value.sum())
        return np.where(self.P + self.N > 0, total, 0.0)

    def max(self, term: Term) -> Array:
        try:
            column = self.column(term)
        except TypeError:
            return self.whole.max(term)
        return np.array(self.asked(column.value.max()))

    def hits(self, rows: Array) -> Array:
        (step,) = self.at_ranks(float(rows[0]))
        return np.array([step.positives_among(float(rows[0]))])

    def binned(self, bin_of: Term, bins: int) -> Ranking:
        try:
            place = self.column(bin_of)
        except TypeError:
            return self.whole.binned(bin_of, bins)
        # From the lowest bin, as those of a ranking in memory.
        parts = {name: numbers[::-1] for name, numbers in self.in_bins(place.value).items()}
        means = parts["scores"] / (parts["positives"] + parts["negatives"])
        return Ranking(means, parts["positives"], parts["negatives"], np.array([0, len(means)]))

    def powers(self, slopes: StepSlopes) -> Array:
        """Of negative and of positive rows, their number and the first four powers of what each adds: (2, 5)."""
        self.questions.put(self, {slopes.key: slopes})
        powers: Array = self.known[slopes.key]
        return powers

    def _asked_powers(self, several: Sequence[StepSlopes]) -> Iterator[Array]:
        """All rows of a class at a step add the same, so that no row has to look its step up."""
        import ibis

        steps = slopes_of_steps(self, several, ("score", "positives", "negatives"))
        phi = {
            f"{side}{place}": steps[f"{side}{place}"] + slopes.of_rows(steps.score, ibis.literal(side == "positive"))
            for place, slopes in enumerate(several)
            for side in SIDES
        }
        steps = steps.select(**{f"{side}_rows": steps[f"{side}s"].cast(FLOAT) for side in SIDES}, **phi)
        sums: dict[str, Any] = {}
        for name in phi:
            powers = [steps[f"{name.rstrip('0123456789')}_rows"]]
            powers += [powers[0] * steps[name] ** power for power in range(1, 5)]
            sums |= {f"{name}_{power}": each.sum() for power, each in enumerate(powers)}
        answer = fetch_row(steps.aggregate(**sums))
        for place in range(len(several)):
            yield np.array([[float(answer[f"{side}{place}_{power}"] or 0) for power in range(5)] for side in SIDES])

    def pooled(self, parts: Sequence[AskedRanking]) -> AskedRanking:
        """The rows of several rankings together, as if they were of one class."""
        import ibis

        steps = ibis.union(*(part.grouped for part in parts))
        sizes = {name: steps[name].sum() for name in ("positives", "negatives")}
        positives, negatives = (float(sum(getattr(part, side)[0] for part in parts)) for side in ("P", "N"))
        return AskedRanking(steps.group_by("score").aggregate(**sizes), (positives, negatives), self.questions)

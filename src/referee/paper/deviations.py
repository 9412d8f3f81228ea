"""How close ours is to the paper: each table beside what the paper's own means would give, and why numbers differ."""

from __future__ import annotations

from math import hypot, nan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.paper.tables import BY_CASE, TWO, paper, printed
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.paper.tables import Table

MANY_ERRORS = 2.0
"""So many standard errors apart, a number of ours and one of the paper want a reason."""
PAPER_REPETITIONS = 100
ROUNDING = 0.01 / sqrt(12)
"""The standard deviation of what two decimals leave out."""
LEFT_OPEN, CHANCE, UNEXPLAINED, AS_ABOVE = "left open", "may be chance", "unexplained", "as above"
SLIP = 0.01
"""Beyond what rounding leaves of a mean of fifteen."""
ABOUT_TIES = (
    "it depends on how tied subsets count, which the paper does not say: its number lies within the range of the ways "
    "to count them"
)
ABOUT_CHANCE = "between two and three standard errors, which happens by chance for about one number in twenty"
CHANCE_ERRORS = 3.0
CASES_OF = {6: 3, 7: 5}
"""The table with the cases of a table of means, where the goal is accuracy."""
ABOUT_F = (
    "the paper prints no case of it, so it cannot be traced to one; with ours, F agrees with every other metric more "
    "often"
)
ABOUT_NO_CASE = (
    "the paper prints no case of it, so it cannot be traced to a data set or a learner; ours averages the cases "
    "whose deviations stand above"
)


class Place(NamedTuple):
    """Where a number stands: data set and pair in Tables 2 to 5, the goal and nothing in Tables 6 and 7."""

    table: int
    row: str
    pair: str
    metric: str


@dataclass(frozen=True)
class Deviation:
    """A number of ours, the paper's, and how many standard errors of both lie between them."""

    place: Place
    paper: float
    ours: float
    errors: float

    @property
    def difference(self) -> float:
        return self.ours - self.paper

    @property
    def is_large(self) -> bool:
        return abs(self.errors) > MANY_ERRORS


@dataclass(frozen=True)
class Closeness:
    """How near a table's numbers are to the paper's, and how near the paper's own column means would be."""

    numbers: int
    correlation: float
    mean: float
    largest: float
    beyond: int
    """Numbers that are more than two standard errors off."""
    benchmark_correlation: float
    benchmark_mean: float


def deviations(table: Table) -> list[Deviation]:
    """Every number of a table that the paper has, too."""
    return [
        Deviation(place, theirs, ours, _errors(table, ours, theirs, error))
        for place, theirs, ours, error in _numbers(table)
    ]


def _numbers(table: Table) -> Iterator[tuple[Place, float, float, float]]:
    theirs = printed(table.number)
    for row, inner in table.values.items():
        known, errors = theirs.get(row, {}), table.standard_errors.get(row, {})
        if table.number not in BY_CASE:
            inner, known, errors = {"": inner}, {"": known}, {"": errors}  # noqa: PLW2901 (goals have no pairs)
        for pair, values in inner.items():
            for metric, ours in values.items():
                if metric in known.get(pair, {}) and not np.isnan(ours):
                    place = Place(table.number, row, pair, metric)
                    yield place, float(known[pair][metric]), ours, errors.get(pair, {}).get(metric, nan)


def _errors(table: Table, ours: float, theirs: float, error: float) -> float:
    """The paper prints no errors: its shares of repetitions have a binomial one, its means about ours."""
    if table.number in BY_CASE and table.number > 2:
        ours_is_off, paper_is_off = max(error, _of_share(ours)), _of_share(theirs)
    else:
        ours_is_off = paper_is_off = error
    return (ours - theirs) / hypot(ours_is_off, paper_is_off, ROUNDING)


def _of_share(share: float) -> float:
    """The standard error of a share of a hundred repetitions; that of none or all is not 0.

    >>> round(_of_share(0.5), 3), round(_of_share(1.0), 3)
    (0.05, 0.01)
    """
    likely = (share * PAPER_REPETITIONS + 1) / (PAPER_REPETITIONS + 2)
    return sqrt(likely * (1 - likely) / PAPER_REPETITIONS)


def closeness(table: Table) -> dict[str, Closeness]:
    """Of all numbers that both have; in Tables 6 and 7 also of the diagonal, and of what is off it."""
    each = deviations(table)
    places = {"all": each}
    if table.number not in BY_CASE:
        places["diagonal"] = [near for near in each if near.place.row == near.place.metric]
        places["off the diagonal"] = [near for near in each if near.place.row != near.place.metric]
    return {place: _closeness(table.number, numbers) for place, numbers in places.items() if numbers}


def _closeness(number: int, each: Sequence[Deviation]) -> Closeness:
    ours, theirs = np.array([[near.ours, near.paper] for near in each]).T
    guesses = _column_means(number, [near.place for near in each])
    apart = np.abs(ours - theirs)
    return Closeness(
        len(each), _correlation(ours, theirs), float(apart.mean()), float(apart.max()),
        sum(near.is_large for near in each), _correlation(guesses, theirs), float(np.abs(guesses - theirs).mean()),
    )  # fmt: skip


def _column_means(number: int, places: Sequence[Place]) -> Any:
    """What somebody would say who knows nothing of a row but the paper's mean of its column: of learner and metric."""
    columns: dict[tuple[str, str], list[float]] = {}
    for row, inner in printed(number).items():
        for pair, values in (inner if number in BY_CASE else {"": inner}).items():
            for metric, value in values.items():
                known = columns.setdefault((pair, _column(number, row, metric)), [])
                known.append(float(value))
    return np.array([np.mean(columns[place.pair, _column(number, place.row, place.metric)]) for place in places])


def _column(number: int, row: str, metric: str) -> str:
    """In Tables 6 and 7 the diagonal is a column of its own: that a metric selects best by itself is no news there."""
    return "itself" if number not in BY_CASE and row == metric else metric


def _correlation(a: Any, b: Any) -> float:
    return float(np.corrcoef(a, b)[0, 1]) if np.ptp(a) > 0 and np.ptp(b) > 0 else float("nan")


@dataclass(frozen=True)
class Explained:
    """The numbers of one case that are far off, whose doing that is (ours, the paper's, unexplained), and why.

    Of Tables 6 and 7, which are means over the cases, `data_set` is the goal, and `pair` empty.
    """

    data_set: str
    pair: str
    large: tuple[Deviation, ...]
    cause: str
    reason: str


def explained(tables: Sequence[Table]) -> list[Explained]:
    """A reason, or that there is none, for every number that is far off."""
    by_case: dict[tuple[str, str, str, str], list[Deviation]] = {}
    for table in (table for table in tables if table.number > 1):
        for deviation in filter(lambda near: near.is_large, deviations(table)):
            why = _why(table, deviation) if table.number in BY_CASE else _why_of_mean(deviation)
            by_case.setdefault((deviation.place.row, deviation.place.pair, *why), []).append(deviation)
    return [Explained(row, pair, tuple(large), *why) for (row, pair, *why), large in by_case.items()]


def _why(table: Table, deviation: Deviation) -> tuple[str, str]:
    ways = _ways_to_count_ties(table, deviation.place)
    reach = MANY_ERRORS * abs(deviation.difference / deviation.errors)
    if ways and min(ways) - reach <= deviation.paper <= max(ways) + reach:
        return LEFT_OPEN, ABOUT_TIES
    for known in paper()["deviations"]:
        if (known["data_set"], known["pair"]) == (deviation.place.row, deviation.place.pair):
            return known["cause"], known["reason"]
    return (CHANCE, ABOUT_CHANCE) if abs(deviation.errors) <= CHANCE_ERRORS else (UNEXPLAINED, "no reason is known")


def _ways_to_count_ties(table: Table, place: Place) -> list[float]:
    if "other_ties" not in table.more:
        return []
    ways = [table.values, *table.more["other_ties"].values()]
    return [way[place.row][place.pair][place.metric] for way in ways]


def _why_of_mean(deviation: Deviation) -> tuple[str, str]:
    """Of a number of Tables 6 and 7; where the goal is accuracy, the paper has two of its columns case by case."""
    place = deviation.place
    if place.row == "accuracy" and place.metric in TWO:
        return _why_of_cases(deviation)
    if abs(deviation.errors) <= CHANCE_ERRORS:
        return CHANCE, ABOUT_CHANCE
    return UNEXPLAINED, ABOUT_F if "f_beta" in (place.row, place.metric) else ABOUT_NO_CASE


def _why_of_cases(deviation: Deviation) -> tuple[str, str]:
    """How much of a mean's deviation is the paper's own slip, and how much that of the cases that it prints."""
    number = CASES_OF[deviation.place.table]
    cases = [values[deviation.place.metric] for pairs in printed(number).values() for values in pairs.values()]
    mean = float(np.mean(cases))
    rest = (
        f"{deviation.ours - mean:+.2f} is the mean of what the cases of Table {number} are off, for the reasons above"
    )
    if abs(mean - deviation.paper) <= SLIP:
        return AS_ABOVE, rest
    slip = f"its own cases in Table {number} have the mean {mean:.2f}, and it prints {deviation.paper:.2f}"
    return "the paper's", f"{slip}; the other {rest}"

"""Study: what the experiment found, as the paper's tables and figure, and what becomes of the paper's claims."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from referee.study.assembling import cases_of
from referee.study.confusions import Confusions, confusions
from referee.study.tables import (
    BY_CASE,
    BY_METRIC,
    NUMBERS,
    TWO,
    Table,
    table_of_cases,
    table_of_data,
    table_of_metrics,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.errors import Notice
    from referee.study.claims import Judged
    from referee.study.outcomes import CaseOutcomes
    from referee.study.repetition import Repeating
    from referee.study.running import Records
    from referee.study.settings import Settings

OTHER_DIGITS = "pen-digits-other"
"""The pen digits with the other choice of positive ones, which is reported beside the paper's cases."""
OTHER_AVERAGE = {"plain": "normalised", "normalised": "plain"}


@dataclass(frozen=True, eq=False)
class Study:
    """The results of `referee.study.run`."""

    work: Repeating
    records: Records = field(repr=False)
    numbers: tuple[int, ...] = NUMBERS
    """The tables that were asked for."""

    @property
    def settings(self) -> Settings:
        return self.work.settings

    @cached_property
    def cases(self) -> tuple[CaseOutcomes, ...]:
        """Every pair on every data set."""
        return tuple(case for case in self._every_case if case.data_set != OTHER_DIGITS)

    @cached_property
    def other_digits(self) -> tuple[CaseOutcomes, ...]:
        """The pairs on the pen digits with the other choice of positive digits."""
        return tuple(case for case in self._every_case if case.data_set == OTHER_DIGITS)

    @cached_property
    def _every_case(self) -> tuple[CaseOutcomes, ...]:
        return cases_of(self.records, self.work, self.settings) if self.records else ()

    @cached_property
    def tables(self) -> dict[int, Table]:
        """Those that were asked for, by their number."""
        data = {name: one for name, one in self.work.data.items() if name != OTHER_DIGITS}
        found = {1: table_of_data(data)} if 1 in self.numbers else {}
        found |= {number: table_of_cases(number, self.cases, self.settings) for number in BY_CASE if self._has(number)}
        return found | {number: table_of_metrics(number, self.cases) for number in BY_METRIC if self._has(number)}

    def _has(self, number: int) -> bool:
        return number in self.numbers and bool(self.cases)

    @cached_property
    def tables_of_other_digits(self) -> dict[int, Table]:
        """Tables 2 to 5 for the other choice of positive digits."""
        numbers = [number for number in BY_CASE if number in self.numbers and self.other_digits]
        return {number: table_of_cases(number, self.other_digits, self.settings) for number in numbers}

    @cached_property
    def tables_of_other_average(self) -> dict[int, Table]:
        """Tables 6 and 7 with the average of the five computed in the other way."""
        if not self.cases:
            return {}
        other = replace(self.settings, average=OTHER_AVERAGE[self.settings.average])
        cases = [case for case in cases_of(self.records, self.work, other) if case.data_set != OTHER_DIGITS]
        return {number: table_of_metrics(number, cases) for number in BY_METRIC if self._has(number)}

    @cached_property
    def figure(self) -> dict[str, dict[str, Confusions]]:
        """Figure 1 for both choices of positive pen digits: what accuracy and AUC take the goal's outcomes for."""
        drawn = ("pen-digits", OTHER_DIGITS) if 5 in self.numbers else ()
        return {
            case.data_set: {metric: confusions(case, "holdout", "accuracy", metric) for metric in TWO}
            for case in self._every_case
            if case.pair == "tree" and case.data_set in drawn
        }

    def positive(self, name: str) -> str:
        """The class of a data set that is the positive one."""
        data = self.work.data[name]
        return data.classes[data.positive or 0]

    @cached_property
    def claims(self) -> tuple[Judged, ...]:
        """What becomes of every claim of the paper that the tables asked for can tell."""
        from referee.study.claims import judged

        return judged(self)

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What must be known before the claims are believed."""
        from referee.study.departures import departure_notices

        return departure_notices(self)

    @property
    def seconds(self) -> Mapping[str, float]:
        """CPU seconds of all repetitions, by what they were spent on."""
        total: dict[str, float] = {}
        for record in self.records.values():
            for what, seconds in record["seconds"].items():
                total[what] = total.get(what, 0.0) + seconds
        return total

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; the same seed gives the same."""
        from referee.study.describing import described

        return described(self)

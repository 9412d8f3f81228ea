"""Study: what the experiment found, as the paper's tables and figure, and what becomes of the paper's claims."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from referee.document import Document, Result, finite
from referee.errors import Notice
from referee.paper.datasets import DATA_SETS
from referee.paper.deviations import closeness
from referee.paper.outcomes import CaseOutcomes, Confusions, cases_of
from referee.paper.penalty_regret import ONE_IN, WayCost, way_costs
from referee.paper.regret import beyond_the_paper
from referee.paper.settings import PAPER_PAIRS, Settings
from referee.paper.tables import (
    BY_CASE,
    BY_METRIC,
    NUMBERS,
    TWO,
    Table,
    figure_1,
    printed,
    remarks,
    table_of_cases,
    table_of_data,
    table_of_metrics,
)
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.paper.claims import Judged
    from referee.paper.experiment import Records, Repeating
    from referee.paper.tables import Table

OTHER_DIGITS = "pen-digits-other"
"""The pen digits with the other choice of positive ones, which is reported beside the paper's cases."""
OTHER_AVERAGE = {"plain": "normalised", "normalised": "plain"}


@dataclass(frozen=True, eq=False, repr=False)
class Study(Result):
    """The results of `referee.paper.run`."""

    work: Repeating
    repeated: Records
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
        return cases_of(self.repeated, self.work, self.settings) if self.repeated else ()

    @cached_property
    def tables(self) -> dict[int, Table]:
        """Those that were asked for, by their number."""
        data = {name: data_set for name, data_set in self.work.data.items() if name != OTHER_DIGITS}
        tables = {1: table_of_data(data)} if 1 in self.numbers else {}
        tables |= {number: table_of_cases(number, self.cases, self.settings) for number in BY_CASE if self._has(number)}
        return tables | {number: table_of_metrics(number, self.cases) for number in BY_METRIC if self._has(number)}

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
        cases = [case for case in cases_of(self.repeated, self.work, other) if case.data_set != OTHER_DIGITS]
        return {number: table_of_metrics(number, cases) for number in BY_METRIC if self._has(number)}

    @cached_property
    def way_costs(self) -> tuple[WayCost, ...]:
        """What choosing by holdout, cross-validation or a penalty costs, where there are repetitions enough."""
        if self.settings.repetitions < ONE_IN or self.numbers != NUMBERS or not self.cases:
            return ()
        data = {name: data_set for name, data_set in self.work.data.items() if name != OTHER_DIGITS}
        return way_costs(data, self.settings.repetitions, self.settings.seed)

    @cached_property
    def figure(self) -> dict[str, dict[str, Confusions]]:
        """Figure 1 for both choices of positive pen digits: what accuracy and AUC take the goal's outcomes for."""
        drawn = ("pen-digits", OTHER_DIGITS) if 5 in self.numbers else ()
        return {
            case.data_set: {metric: case.confusions("holdout", "accuracy", metric) for metric in TWO}
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
        from referee.paper.claims import judged

        return judged(self)

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """That the paper's claims are judged by something else than its experiment."""
        said = departures(self)
        if not said:
            return ()
        message = f"this is not the paper's full experiment ({', '.join(said)}): its claims are about all of it"
        return (Notice("W_NOTWHOLE", message),)

    @property
    def seconds(self) -> Mapping[str, float]:
        """CPU seconds of all repetitions, by what they were spent on."""
        total: dict[str, float] = {}
        for record in self.repeated.values():
            for what, seconds in record["seconds"].items():
                total[what] = total.get(what, 0.0) + seconds
        return total

    def to_dict(self) -> dict[str, Any]:
        """The contract's fields of `referee study`; the same seed gives the same."""
        settings = self.settings
        body = {
            "repetitions": settings.repetitions,
            "alpha": settings.alpha,
            "seed": settings.seed,
            "settings": asdict(settings),
            "data": {name: _data(data_set) for name, data_set in self.work.data.items()},
            "claims": [claim.to_dict() for claim in self.claims],
            "tables": {str(number): _table(table) for number, table in self.tables.items()},
            "figure_1": _figure(self),
            "variants": _variants(self),
            "beyond_the_paper": beyond_the_paper(self),
            "penalties": [asdict(cost) for cost in self.way_costs],
            "warnings": [vars(notice) for notice in self.warnings],
        }
        return dict(finite(body))

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (nothing in it is long)
        from referee.paper.study_document import study_document

        return study_document(self)

    @property
    def columns(self) -> tuple[str, ...]:
        return "table", "data_set", "pair", "goal", "evaluation", "paper", "ours", "standard_error"

    def records(self) -> list[dict[str, Any]]:
        """Each number of Tables 2 to 7."""
        from referee.paper.study_document import study_records

        return list(study_records(self))


def _data(data: Any) -> dict[str, Any]:
    return {"rows": data.rows, "fingerprint": data.fingerprint, "source": data.source.rpartition("/")[2]}


def _table(table: Table) -> dict[str, Any]:
    body = {"title": table.title, "values": table.values, "paper": _printed(table)}
    if table.standard_errors:
        body["standard_errors"] = table.standard_errors
    near = {place: asdict(differences) for place, differences in closeness(table).items()}
    body |= {"absolute_differences": near} if near else {}
    return body | table.more | ({"remarks": said} if (said := remarks(table.number)) else {})


def _printed(table: Table) -> dict[str, Any]:
    """The paper's numbers of the rows that there are."""
    return {row: values for row, values in printed(table.number).items() if row in table.values}


def _figure(study: Study) -> dict[str, Any]:
    confused = {
        name: {"positive": study.positive(name), **{metric: counts.to_dict() for metric, counts in of_metrics.items()}}
        for name, of_metrics in study.figure.items()
    }
    return {"paper": figure_1(), **confused} if confused else {}


def _variants(study: Study) -> dict[str, Any]:
    """What other readings of the paper give: the other digits in Tables 2 to 5, the other average in 6 and 7."""
    variants: dict[str, Any] = {}
    if study.tables_of_other_digits:
        tables = {str(number): _table(table) for number, table in study.tables_of_other_digits.items()}
        variants["pen_digits"] = {"positive": study.positive(study.other_digits[0].data_set), "tables": tables}
    if study.tables_of_other_average:
        tables = {str(number): _table(table) for number, table in study.tables_of_other_average.items()}
        variants["average"] = {"average": OTHER_AVERAGE[study.settings.average], "tables": tables}
    return variants


PAPER_CASES = len(DATA_SETS) * len(PAPER_PAIRS)
PRINTED = ("train", "holdout", "test_subsets", "holdout_subsets", "retrain", "alpha")
"""Settings that the paper prints, or that its ratios between 0 and 1 need."""


def departures(study: Study) -> list[str]:
    """What is not as in the paper, in words; where no models were fitted, only which data there are."""
    if not study.cases:
        known = sum(name in DATA_SETS for name in study.work.data)
        return [] if known == len(DATA_SETS) else [f"{known} of its {len(DATA_SETS)} data sets"]
    usual, settings = Settings(), study.settings
    cases = sum(_is_the_papers(study, case.data_set, case.pair) for case in study.cases)
    said = [] if cases == PAPER_CASES else [f"{cases} of its {PAPER_CASES} cases"]
    if len(study.cases) > cases:
        said.append(f"{len(study.cases) - cases} cases that it does not have")
    if settings.repetitions < usual.repetitions:
        said.append(f"{settings.repetitions} of its {usual.repetitions} repetitions")
    other = [name for name in PRINTED if getattr(settings, name) != getattr(usual, name)]
    return said + [f"{name.replace('_', '-')} {getattr(settings, name)}" for name in other]


def _is_the_papers(study: Study, data_set: str, pair: str) -> bool:
    return data_set in DATA_SETS and pair in [known.name for known in PAPER_PAIRS if known in study.settings.pairs]

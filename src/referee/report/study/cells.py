"""The numbers of a study as every format shows them: the paper's, ours, and the difference with its standard error."""

from __future__ import annotations

from collections import Counter
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from referee.paper import CLAIMS, DATA_SETS, NOT, OTHER_DIGITS, PARTLY, REPRODUCED, closeness, paper_name, printed
from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.paper import Study, Table

VERDICTS = (REPRODUCED, PARTLY, NOT)
NARROW = {"tree": "Tree", "break_even_point": "BEP", "average_precision": "AP"}
OUTCOMES = ("X > Y", "X = Y", "X < Y")


class Cell(NamedTuple):
    """One number of a table."""

    paper: float | None
    ours: float
    standard_error: float

    @property
    def difference(self) -> float | None:
        return None if self.paper is None else self.ours - self.paper

    @property
    def written(self) -> tuple[str, str, str]:
        """The paper's, ours with its standard error, and the difference; nothing where the paper has none.

        >>> Cell(0.96, 0.982, 0.0041).written
        ('0.96', '0.98 ±.004', '+0.02')
        """
        paper = "" if self.paper is None else shown(self.paper)
        ours = f"{shown(self.ours)} {error_shown(self.standard_error)}".rstrip()
        return paper, ours, difference_shown(self.difference)


def cells_by_case(study: Study, table: Table) -> Iterator[tuple[str, str, dict[str, Cell]]]:
    """The rows of Tables 2 to 5: data set, pair, and a number for each metric; below them the other pen digits."""
    other = study.tables_of_other_digits.get(table.number)
    for one in (table, other) if other else (table,):
        for data_set, pairs in one.values.items():
            theirs = printed(table.number).get("pen-digits" if data_set == OTHER_DIGITS else data_set, {})
            for pair, row in pairs.items():
                errors, known = one.standard_errors[data_set][pair], theirs.get(pair, {})
                yield data_set, pair, {key: Cell(known.get(key), ours, errors[key]) for key, ours in row.items()}


def cells_by_metric(table: Table) -> Iterator[tuple[str, dict[str, Cell]]]:
    """The rows of Tables 6 and 7: goal metric, and a number for each evaluation metric."""
    theirs = printed(table.number)
    for goal, row in table.values.items():
        known, errors = theirs.get(goal, {}), table.standard_errors[goal]
        yield goal, {name: Cell(known.get(name), ours, errors[name]) for name, ours in row.items()}


def shown(value: float | None) -> str:
    """A ratio as the paper prints it.

    >>> shown(0.9712), shown(None), shown(float("nan"))
    ('0.97', '–', '–')
    """
    return "–" if value is None or isnan(value) else f"{value:.2f}"


def error_shown(value: float) -> str:
    """A standard error without the zero that every one has.

    >>> error_shown(0.0123), error_shown(0.0), error_shown(float("nan"))
    ('±.012', '±.000', '')
    """
    return "" if isnan(value) else f"±{value:.3f}".replace("±0.", "±.")


def difference_shown(value: float | None) -> str:
    """A difference with its sign.

    >>> difference_shown(0.021), difference_shown(-0.001), difference_shown(None)
    ('+0.02', '+0.00', '')
    """
    return "" if value is None or isnan(value) else f"{value:+.2f}".replace("-0.00", "+0.00")


def short_name(name: str) -> str:
    """What the paper calls a data set, pair or metric; as it is, where the paper has none."""
    return DATA_SETS[name].title if name in DATA_SETS else paper_name(name)


def data_set_name(study: Study, name: str) -> str:
    """The same of a data set of the study, one of which are the pen digits with other positive digits."""
    return f"Pen {study.positive(name)}" if name == OTHER_DIGITS else short_name(name)


def narrow_name(name: str) -> str:
    """The same for tables that have to fit 80 columns."""
    return NARROW.get(name) or short_name(name)


def summary(study: Study) -> str:
    """The sentence that says it all."""
    counts = Counter(one.verdict for one in study.claims)
    total = len(study.claims)
    settings = study.settings
    done = [counted(len(study.cases), "case"), counted(settings.repetitions, "repetition"), f"seed {settings.seed}"]
    done += ["not the paper's whole experiment"] if study.warnings else []
    cases = f" ({', '.join(done)})" if study.cases else ""
    if not total:
        return f"No claim of the paper is about the tables that were asked for{cases}."
    told = f"{counts[REPRODUCED]} reproduced, {counts[PARTLY]} partly, {counts[NOT]} not"
    left = f", which has {len(CLAIMS)}" if total < len(CLAIMS) else ""
    return f"Of {counted(total, 'claim')} of the paper{left}: {told}{cases}."


def table_remarks(study: Study, number: int) -> list[str]:
    """What must be known to read a table, and how close it is to the paper's."""
    near = [
        f"{'' if place == 'all' else f'{place}: '}mean {one.mean:.2f}, largest {one.largest:.2f}"
        for place, one in closeness(study.tables[number]).items()
    ]
    said = [f"absolute differences to the paper: {'; '.join(near)}"] if near else []
    if number == 2:
        ways = {"half": "one half", "strict": "as wrong", "excluded": "not at all"}
        said.append(f"a subset on which both models are equal counts {ways[study.settings.ties]} (--ties)")
    if number in study.tables_of_other_digits:
        name = data_set_name(study, OTHER_DIGITS)
        said.append(f"{name}: the pen digits with these as positive ones; not among the cases that are counted")
    return said

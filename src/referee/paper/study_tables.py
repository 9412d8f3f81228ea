"""The numbers of a study as every format shows them: the paper's, ours, and the difference with its standard error."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, isnan
from typing import TYPE_CHECKING, NamedTuple

from referee.document import Cell, Column, Table, name_cell, table
from referee.paper.datasets import DATA_SETS
from referee.paper.outcomes import Confusions, agreement_on_subsets
from referee.paper.regret import mean_regrets
from referee.paper.study import OTHER_AVERAGE, OTHER_DIGITS, Study
from referee.paper.tables import TWO, figure_1, paper_name, printed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.paper.tables import Table as PaperTable

NARROW = {"tree": "Tree", "accuracy": "ACC", "break_even_point": "BEP", "average_precision": "AP"}
OUTCOMES = ("X > Y", "X = Y", "X < Y")
LONGEST_NAME = 11
"""Of data sets and pairs: those of the paper fit."""
STEPS = 9
KINDS = ("found", "> with =", "< with =", "> with <")


class Ratio(NamedTuple):
    """One number of a table."""

    paper: float | None
    ours: float
    standard_error: float

    @property
    def difference(self) -> float | None:
        return None if self.paper is None else self.ours - self.paper

    @property
    def written(self) -> tuple[Cell, Cell, Cell]:
        """The paper's, ours with its standard error, and the difference; nothing where the paper has none.

        >>> [cell.both() for cell in Ratio(0.96, 0.982, 0.0041).written]
        ['0.96', '0.98 ±.004', '+0.02']
        """
        return self.paper_cell, self.ours_cell(), Cell(difference_shown(self.difference), mark="quiet")

    @property
    def paper_cell(self) -> Cell:
        return Cell("" if self.paper is None else ratio_shown(self.paper), self.paper)

    def ours_cell(self, mark: str = "") -> Cell:
        return ratio_cell(self.ours, mark, error_shown(self.standard_error))


def ratio_cell(value: float, mark: str = "", small: str = "") -> Cell:
    return Cell(ratio_shown(value), None if isnan(value) else value, mark, small)


def ratio_shown(value: float | None) -> str:
    """A ratio as the paper prints it.

    >>> ratio_shown(0.9712), ratio_shown(None), ratio_shown(float("nan"))
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


def shade(colour: str, value: float, *, best: bool = False) -> str:
    """How deep a page colours a value from 0 to 1, and that it is the best one.

    >>> shade("heat", 0.5), shade("burn", 2.0, best=True)
    ('heat4', 'burn9 best')
    """
    depth = 1 if isnan(value) else max(1, min(STEPS, round(STEPS * value)))
    return f"{colour}{depth}{' best' if best else ''}"


def short_name(name: str) -> str:
    """What the paper calls a data set, pair or metric; as it is, where the paper has none."""
    return DATA_SETS[name].title if name in DATA_SETS else paper_name(name)


def data_set_name(study: Study, name: str) -> str:
    """The same of a data set of the study, one of which are the pen digits with other positive digits."""
    return f"Pen {study.positive(name)}" if name == OTHER_DIGITS else short_name(name)


def narrow_name(name: str) -> str:
    """The same for tables that have to fit 80 columns."""
    return NARROW.get(name) or short_name(name)


def ratios_by_case(study: Study, number: int) -> Iterator[tuple[str, str, dict[str, Ratio]]]:
    """The rows of Tables 2 to 5: data set, pair, and a number for each metric; below them the other pen digits."""
    other = study.tables_of_other_digits.get(number)
    for shown in (study.tables[number], *([other] if other else [])):
        for data_set, pairs in shown.values.items():
            theirs = printed(number).get("pen-digits" if data_set == OTHER_DIGITS else data_set, {})
            for pair, row in pairs.items():
                errors, known = shown.standard_errors[data_set][pair], theirs.get(pair, {})
                yield data_set, pair, {key: Ratio(known.get(key), ours, errors[key]) for key, ours in row.items()}


def ratios_by_metric(shown: PaperTable) -> Iterator[tuple[str, dict[str, Ratio]]]:
    """The rows of Tables 6 and 7: goal metric, and a number for each evaluation metric."""
    theirs = printed(shown.number)
    for goal, row in shown.values.items():
        known, errors = theirs.get(goal, {}), shown.standard_errors[goal]
        yield goal, {name: Ratio(known.get(name), ours, errors[name]) for name, ours in row.items()}


def data_table(shown: PaperTable) -> Table:
    """Table 1: the data sets, beside what the paper says of them."""
    columns = ["data set", "rows", "paper", "attr.", "paper", "classes", "paper", "positive", "paper"]
    rows = []
    for name, row in shown.values.items():
        known, cells = printed(1).get(name, {}), []
        for key in ("rows", "attributes", "classes"):
            cells += [Cell(f"{row[key]:,}", float(row[key])), Cell(f"{known[key]:,}" if known else "")]
        share = Cell(f"{row['positive_percent']:.1f}%", row["positive_percent"])
        rows.append([_name(name), *cells, share, Cell(f"{known['positive_percent']:g}%" if known else "")])
    return table("table-1", columns, rows, longest_name=LONGEST_NAME)


def _name(name: str) -> Cell:
    return name_cell(narrow_name(name))


def cases_table(study: Study, number: int) -> Table:
    """Tables 2 to 5: every pair on every data set."""
    heads = [f"{narrow_name(metric)}: {what}" for metric in TWO for what in ("paper", "ours", "diff.")]
    rows = [
        [
            name_cell(data_set_name(study, data_set)),
            _name(pair),
            *(cell for ratios in row.values() for cell in ratios.written),
        ]
        for data_set, pair, row in ratios_by_case(study, number)
    ]
    return _with_two_names(f"table-{number}", ("data set", "models"), heads, rows)


def _with_two_names(key: str, names: tuple[str, str], heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    """A table of which two columns name a row; its heads go over several lines where that saves room."""
    columns = [*(Column(name, words=True) for name in names), *(Column(head, is_name=True) for head in heads)]
    return table(key, columns, rows, labels=2, longest_name=LONGEST_NAME)


def metrics_table(shown: PaperTable) -> Table:
    """Tables 6 and 7: goal down, evaluation metric across; on a narrow screen standard errors have their own lines."""
    columns = [*(Column(title, words=True) for title in ("goal", "")), *map(Column, map(narrow_name, shown.values))]
    wide, narrow = [], []
    for goal, row in ratios_by_metric(shown):
        cells = [*row.values()]
        best = max(cell.ours for cell in cells)
        ours = [cell.ours_cell(shade("heat", cell.ours, best=cell.ours == best)) for cell in cells]
        errors = [Cell(cell.small, mark="quiet") for cell in ours]
        theirs = [("paper", [cell.paper_cell for cell in cells]), ("difference", [cell.written[2] for cell in cells])]
        wide += [_named_row(goal, *line) for line in [("ours", ours), *theirs] if _says_something(line[1])]
        bare = [replace(cell, small="") for cell in ours]
        narrow += [
            _named_row(goal, *line) for line in [("ours", bare), ("", errors), *theirs] if _says_something(line[1])
        ]
    name = f"table-{shown.number}"
    return table(name, columns, wide, labels=2, narrower=(table(name, columns, narrow, labels=2),))


def _named_row(goal: str, kind: str, cells: Sequence[Cell]) -> list[Cell]:
    return [Cell(narrow_name(goal)), Cell(kind, mark="quiet"), *cells]


def _says_something(cells: Sequence[Cell]) -> bool:
    return any(cell.text for cell in cells)


def ties_table(study: Study) -> Table:
    """Table 2 with tied subsets counted in every way."""
    shown = study.tables[2]
    ways = {shown.more["ties"]: shown.values} | shown.more["other_ties"]
    rows = [
        [
            _name(data_set),
            _name(pair),
            *(ratio_cell(ways[way][data_set][pair][metric]) for metric in TWO for way in ways),
        ]
        for data_set, pairs in shown.values.items()
        for pair in pairs
    ]
    heads = [f"{narrow_name(metric)}: {way}" for metric in TWO for way in ways]
    return _with_two_names("table-2-ties", ("data set", "models"), heads, rows)


def average_table(study: Study, number: int) -> Table:
    """Tables 6 and 7 with the other average of the five."""
    values = study.tables_of_other_average[number].values
    rows = [[Cell(narrow_name(goal)), *map(ratio_cell, row.values())] for goal, row in values.items()]
    name = f"table-{number}-{OTHER_AVERAGE[study.settings.average]}"
    return table(name, ["goal", *map(narrow_name, values)], rows)


def flows(study: Study) -> dict[str, dict[str, list[list[int]]]]:
    """Figure 1 of the paper and ours: for each metric, the truth (rows) and what is selected (columns)."""
    ours = {
        f"positive {study.positive(name)}": {metric: counts.crossed.tolist() for metric, counts in crossed.items()}
        for name, crossed in study.figure.items()
    }
    return {"paper": figure_1()["crossed"]} | ours


def figure_table(study: Study) -> Table:
    drawn = flows(study)
    heads = [f"{title} {outcome[2]}" for title in drawn for outcome in OUTCOMES]
    rows = [
        [
            Cell(narrow_name(metric)),
            Cell(outcome),
            *(Cell(str(n)) for crossed in drawn.values() for n in crossed[metric][place]),
        ]
        for metric in TWO
        for place, outcome in enumerate(OUTCOMES)
    ]
    return _with_two_names("figure-1", ("by", "truth"), heads, rows)


def regret_table(study: Study) -> Table:
    """What selecting by a metric costs on each goal; standard errors where there is room."""
    names = list(study.settings.chosen)
    regrets, errors = mean_regrets(study.cases, "holdout")
    rows = [
        [
            Cell(narrow_name(goal)),
            *(
                ratio_cell(value, shade("burn", value, best=value == min(row)), error_shown(error))
                for value, error in zip(row, wrong, strict=True)
            ),
        ]
        for goal, row, wrong in zip(names, regrets.tolist(), errors.tolist(), strict=True)
    ]
    bare = [[replace(cell, small="") for cell in row] for row in rows]
    columns = ["goal", *map(narrow_name, names)]
    return table("regret", columns, rows, narrower=(table("regret", columns, bare),))


def confusions_table(study: Study) -> Table:
    """The paper's section 4 for every case."""
    heads = ["different", *(f"{narrow_name(metric)}: {kind}" for metric in TWO for kind in KINDS)]
    rows = []
    for case in study.cases:
        each = [case.confusions("holdout", "accuracy", metric) for metric in TWO]
        cells = [Cell(text) for repetitions in each for text in _counts(repetitions)]
        names = name_cell(data_set_name(study, case.data_set)), _name(case.pair)
        rows.append([*names, Cell(str(each[0].different)), *cells])
    return _with_two_names("confusions", ("data set", "models"), heads, rows)


def _counts(repetitions: Confusions) -> list[str]:
    recall = f"{repetitions.found} ({ratio_shown(repetitions.recall)})" if repetitions.different else "–"
    return [recall, str(repetitions.a_with_tie), str(repetitions.b_with_tie), str(repetitions.a_with_b)]


def agreement_table(study: Study) -> Table:
    """Huang and Ling's consistency and discriminancy of every two metrics."""
    names = list(study.settings.chosen)
    rows = [[Cell(narrow_name(f)), *(Cell("" if f == g else _degrees(study, f, g)) for g in names)] for f in names]
    return table("agreement", ["f, g", *map(narrow_name, names)], rows)


def _degrees(study: Study, f: str, g: str) -> str:
    both = agreement_on_subsets(study.cases, f, g)
    return f"{ratio_shown(both.consistency)} / {_times(both.discriminancy)}"


def _times(value: float) -> str:
    """A ratio that may be very small, very large or infinite.

    >>> _times(0.062), _times(6e-5), _times(15885.2), _times(float("inf")), _times(float("nan"))
    ('0.062', '<0.001', '15,885', '∞', '–')
    """
    if not isfinite(value):
        return "–" if isnan(value) else "∞"
    return "<0.001" if 0 < value < 0.001 else f"{value:.2g}" if value < 100 else f"{value:,.0f}"

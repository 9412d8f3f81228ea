"""A study in the four formats."""

from __future__ import annotations

import sys
from math import isnan
from typing import TYPE_CHECKING

from referee.document import write_json, write_notices, write_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.paper import Study
    from referee.report.study.cells import Cell


def show_study(study: Study, form: str, *, quiet: bool = False) -> None:
    """Write a study to standard output."""
    if form == "json":
        write_json("study", study.to_dict())
    elif form == "csv":
        write_table(_rows(study))
        write_notices(study.warnings)
    elif form == "md":
        from referee.report.study.markdown import to_markdown

        sys.stdout.write(to_markdown(study))
    else:
        from referee.report.study.screen import print_study

        print_study(study, quiet=quiet)


def _rows(study: Study) -> Iterator[list[object]]:
    """One line for each number of Tables 2 to 7, for people who go on with them elsewhere."""
    from referee.paper import BY_CASE, BY_METRIC
    from referee.report.study.cells import cells_by_case, cells_by_metric

    yield ["table", "data_set", "pair", "goal", "evaluation", "paper", "ours", "standard_error"]
    for number, table in study.tables.items():
        if number in BY_CASE:
            for data_set, pair, row in cells_by_case(study, table):
                for metric, cell in row.items():
                    yield [number, data_set, pair, "accuracy", metric, *_known(cell)]
        elif number in BY_METRIC:
            for goal, row in cells_by_metric(table):
                for metric, cell in row.items():
                    yield [number, "", "", goal, metric, *_known(cell)]


def _known(cell: Cell) -> list[object]:
    """Nothing where there is no number."""
    return [None if value is None or isnan(value) else value for value in cell]

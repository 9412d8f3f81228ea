"""A study as plain values for JSON: every number with all its digits, None where there is none."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.study.beyond import beyond_the_paper
from referee.study.closeness import closeness
from referee.study.paper import figure_1, printed, remarks
from referee.study.results import OTHER_AVERAGE

if TYPE_CHECKING:
    from referee.study.results import Study
    from referee.study.tables import Table


def described(study: Study) -> dict[str, Any]:
    """The contract's fields of `referee study`; the same seed gives the same."""
    settings = study.settings
    body = {
        "repetitions": settings.repetitions,
        "alpha": settings.alpha,
        "seed": settings.seed,
        "settings": asdict(settings),
        "data": {name: _data(one) for name, one in study.work.data.items()},
        "claims": [one.to_dict() for one in study.claims],
        "tables": {str(number): _table(table) for number, table in study.tables.items()},
        "figure_1": _figure(study),
        "variants": _variants(study),
        "beyond_the_paper": beyond_the_paper(study),
        "warnings": [vars(notice) for notice in study.warnings],
    }
    return dict(plain(body))


def _data(data: Any) -> dict[str, Any]:
    return {"rows": data.rows, "fingerprint": data.fingerprint, "source": data.source.rpartition("/")[2]}


def _table(table: Table) -> dict[str, Any]:
    body = {"title": table.title, "values": table.values, "paper": _printed(table)}
    if table.standard_errors:
        body["standard_errors"] = table.standard_errors
    near = {place: asdict(one) for place, one in closeness(table).items()}
    body |= {"absolute_differences": near} if near else {}
    return body | table.more | ({"remarks": said} if (said := remarks(table.number)) else {})


def _printed(table: Table) -> dict[str, Any]:
    """The paper's numbers of the rows that there are."""
    return {row: values for row, values in printed(table.number).items() if row in table.values}


def _figure(study: Study) -> dict[str, Any]:
    found = {
        name: {"positive": study.positive(name), **{metric: one.to_dict() for metric, one in of_metrics.items()}}
        for name, of_metrics in study.figure.items()
    }
    return {"paper": figure_1(), **found} if found else {}


def _variants(study: Study) -> dict[str, Any]:
    """What other readings of the paper give: the other digits in Tables 2 to 5, the other average in 6 and 7."""
    found: dict[str, Any] = {}
    if study.tables_of_other_digits:
        tables = {str(number): _table(table) for number, table in study.tables_of_other_digits.items()}
        found["pen_digits"] = {"positive": study.positive(study.other_digits[0].data_set), "tables": tables}
    if study.tables_of_other_average:
        tables = {str(number): _table(table) for number, table in study.tables_of_other_average.items()}
        found["average"] = {"average": OTHER_AVERAGE[study.settings.average], "tables": tables}
    return found


def plain(value: Any) -> Any:
    """What JSON can hold.

    >>> plain({1: (float("nan"), np.float64(0.5), np.array([1, 2]))})
    {'1': [None, 0.5, [1, 2]]}
    """
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    return None if isinstance(value, float) and not isfinite(value) else value

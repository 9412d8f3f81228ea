"""A study as Markdown: the claims with their rules, then every table with the paper's numbers beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.markdown import escaped, folded_away, listed_items, table_row
from referee.report.study.beyond import constants_in_words, contests_caution, contests_in_words
from referee.report.study.cells import (
    OUTCOMES,
    cells_by_case,
    cells_by_metric,
    data_set_name,
    error_shown,
    short_name,
    shown,
    summary,
    table_remarks,
)
from referee.report.study.more import beyond_the_tables, other_readings
from referee.study.paper import figure_1, printed, remarks
from referee.study.regret import mean_regrets
from referee.study.tables import BY_CASE, TWO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.report.study.more import Grid
    from referee.study.results import Study
    from referee.study.tables import Table


def to_markdown(study: Study) -> str:
    """Everything that was found; parts without content are left out."""
    lines = [f"**{escaped(summary(study))}**", ""]
    lines += listed_items(f"{notice.code}: {notice.message}" for notice in study.warnings)
    lines += ["## Claims", "", *_claims(study), ""] if study.claims else []
    for number, table in study.tables.items():
        lines += [f"## Table {number}: {table.title}", ""]
        lines += _data(table) if number == 1 else _cases(study, table) if number in BY_CASE else _metrics(table)
        lines += [*listed_items([*remarks(number), *table_remarks(study, number)]), ""]
        lines += [line for grid in other_readings(study, number) for line in folded_away(grid.title, _grid(grid))]
    lines += ["## Figure 1", "", *_figure(study), ""] if study.figure else []
    lines += ["## Beyond the paper", "", *_beyond(study)] if study.cases else []
    return "\n".join(lines).rstrip() + "\n"


def _beyond(study: Study) -> Iterator[str]:
    names = list(study.settings.chosen)
    regrets, errors = mean_regrets(study.cases, "holdout")
    yield "Regret on holdout sets, 0 an oracle's, 1 a coin's; goal down, evaluation metric across"
    yield ""
    yield table_row(["", *map(short_name, names)])
    yield "|---|" + "--:|" * len(names)
    for goal, *row in zip(names, regrets.tolist(), errors.tolist(), strict=True):
        cells = [f"{shown(value)} {error_shown(error)}".rstrip() for value, error in zip(*row, strict=True)]
        yield table_row([short_name(goal), *cells])
    yield from listed_items([constants_in_words(study), contests_in_words(study), contests_caution(study)])
    for grid in beyond_the_tables(study):
        yield from ["", f"### {grid.title}", "", *_grid(grid)]


def _grid(grid: Grid) -> Iterator[str]:
    yield escaped(grid.lead)
    yield ""
    yield table_row(grid.head)
    yield "|" + "---|" * grid.names + "--:|" * (len(grid.head) - grid.names)
    yield from map(table_row, grid.rows)


def _claims(study: Study) -> Iterator[str]:
    yield table_row(["where", "the paper claims", "", "count", "rule"])
    yield "|---|---|---|---|---|"
    for one in study.claims:
        yield table_row([one.claim.where, one.claim.words, one.verdict, one.count, one.claim.rule])


def _data(table: Table) -> Iterator[str]:
    keys = ("rows", "attributes", "classes", "positive_percent")
    yield table_row(["", *[title for key in keys for title in (key.replace("_", " "), "paper")]])
    yield "|---|" + "--:|" * (2 * len(keys))
    for name, row in table.values.items():
        known = printed(1).get(name, {})
        cells = [text for key in keys for text in (f"{row[key]:.4g}" if key == "positive_percent" else f"{row[key]:,}",
                                                   f"{known[key]:,}" if known else "")]  # fmt: skip
        yield table_row([short_name(name), *cells])


def _cases(study: Study, table: Table) -> Iterator[str]:
    heads = [title for name in TWO for title in (f"{short_name(name)}: paper", "ours", "difference")]
    yield table_row(["", "", *heads])
    yield "|---|---|" + "--:|" * len(heads)
    for data_set, pair, row in cells_by_case(study, table):
        cells = [text for cell in row.values() for text in cell.written]
        yield table_row([data_set_name(study, data_set), short_name(pair), *cells])


def _metrics(table: Table) -> Iterator[str]:
    yield table_row(["goal", "", *map(short_name, table.values)])
    yield "|---|---|" + "--:|" * len(table.values)
    for goal, row in cells_by_metric(table):
        paper, ours, difference = zip(*(cell.written for cell in row.values()), strict=True)
        for kind, cells in {"ours": ours, "paper": paper, "difference": difference}.items():
            if any(cells):
                yield table_row([short_name(goal) if kind == "ours" else "", kind, *cells])


def _figure(study: Study) -> Iterator[str]:
    yield table_row(["by", "what is so", *[f"selected: {outcome}" for outcome in OUTCOMES], "of"])
    yield "|---|---|--:|--:|--:|---|"
    drawn = {"paper": figure_1()["crossed"]} | {
        f"positive {study.positive(name)}": {metric: one.crossed.tolist() for metric, one in found.items()}
        for name, found in study.figure.items()
    }
    for metric in TWO:
        for title, crossed in drawn.items():
            for outcome, row in zip(OUTCOMES, crossed[metric], strict=True):
                yield table_row([short_name(metric), outcome, *map(str, row), title])

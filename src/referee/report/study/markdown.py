"""A study as Markdown: the claims with their rules, then every table with the paper's numbers beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document.markdown import escaped, folded_away, listed_items, table
from referee.paper import BY_CASE, TWO, figure_1, mean_regrets, printed, remarks
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

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.paper import Study, Table
    from referee.report.study.more import Grid


def to_markdown(study: Study) -> str:
    """Everything that was found; parts without content are left out."""
    lines = [f"**{escaped(summary(study))}**", ""]
    lines += listed_items(f"{notice.code}: {notice.message}" for notice in study.warnings)
    lines += ["## Claims", "", *_claims(study), ""] if study.claims else []
    for number, found in study.tables.items():
        lines += [f"## Table {number}: {found.title}", ""]
        lines += _data(found) if number == 1 else _cases(study, found) if number in BY_CASE else _metrics(found)
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
    rows = []
    for goal, *row in zip(names, regrets.tolist(), errors.tolist(), strict=True):
        cells = [f"{shown(value)} {error_shown(error)}".rstrip() for value, error in zip(*row, strict=True)]
        rows.append([short_name(goal), *cells])
    yield from table(["", *map(short_name, names)], rows)
    yield from listed_items([constants_in_words(study), contests_in_words(study), contests_caution(study)])
    for grid in beyond_the_tables(study):
        yield from ["", f"### {grid.title}", "", *_grid(grid)]


def _grid(grid: Grid) -> Iterator[str]:
    yield escaped(grid.lead)
    yield ""
    yield from table(grid.head, grid.rows, words=grid.names)


def _claims(study: Study) -> list[str]:
    rows = [[one.claim.where, one.claim.words, one.verdict, one.count, one.claim.rule] for one in study.claims]
    return table(["where", "the paper claims", "", "count", "rule"], rows, words=5)


def _data(found: Table) -> list[str]:
    keys = ("rows", "attributes", "classes", "positive_percent")
    rows = []
    for name, row in found.values.items():
        known = printed(1).get(name, {})
        cells = [text for key in keys for text in (f"{row[key]:.4g}" if key == "positive_percent" else f"{row[key]:,}",
                                                   f"{known[key]:,}" if known else "")]  # fmt: skip
        rows.append([short_name(name), *cells])
    return table(["", *[title for key in keys for title in (key.replace("_", " "), "paper")]], rows)


def _cases(study: Study, found: Table) -> list[str]:
    heads = [title for name in TWO for title in (f"{short_name(name)}: paper", "ours", "difference")]
    rows = []
    for data_set, pair, row in cells_by_case(study, found):
        cells = [text for cell in row.values() for text in cell.written]
        rows.append([data_set_name(study, data_set), short_name(pair), *cells])
    return table(["", "", *heads], rows, words=2)


def _metrics(found: Table) -> list[str]:
    rows = []
    for goal, row in cells_by_metric(found):
        paper, ours, difference = zip(*(cell.written for cell in row.values()), strict=True)
        for kind, cells in {"ours": ours, "paper": paper, "difference": difference}.items():
            if any(cells):
                rows.append([short_name(goal) if kind == "ours" else "", kind, *cells])
    return table(["goal", "", *map(short_name, found.values)], rows, words=2)


def _figure(study: Study) -> list[str]:
    drawn = {"paper": figure_1()["crossed"]} | {
        f"positive {study.positive(name)}": {metric: one.crossed.tolist() for metric, one in found.items()}
        for name, found in study.figure.items()
    }
    rows = [
        [short_name(metric), title, outcome, *map(str, row)]
        for metric in TWO
        for title, crossed in drawn.items()
        for outcome, row in zip(OUTCOMES, crossed[metric], strict=True)
    ]
    return table(["by", "of", "what is so", *[f"selected: {outcome}" for outcome in OUTCOMES]], rows, words=3)

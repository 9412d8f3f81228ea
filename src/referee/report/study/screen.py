"""A study on the screen: the claims first, then every table with the paper's numbers beside ours."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from referee.paper import BY_CASE, TWO, figure_1, printed, remarks
from referee.report.study.beyond import blocks, print_beyond
from referee.report.study.cells import (
    OUTCOMES,
    cells_by_case,
    cells_by_metric,
    data_set_name,
    difference_shown,
    error_shown,
    narrow_name,
    short_name,
    shown,
    summary,
    table_remarks,
)
from referee.report.terminal.console import plain, print_dim, print_title, print_whole, print_wrapped, screen, table_of
from referee.report.terminal.notices import print_notices
from referee.wording import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from referee.paper import Study, Table
    from referee.report.study.cells import Cell

STYLES = {"reproduced": "green", "partly": "yellow", "not": "red"}
INDENT = 24
LONGEST_NAME = 11
"""Of data sets and pairs: those of the paper fit."""


def print_study(study: Study, *, quiet: bool = False) -> None:
    """Print the checklist of claims, the tables, the figure, and the sentence that says it all."""
    console = screen()
    if not quiet:
        _print_findings(console, study)
    print_notices(console, study.warnings, quiet=quiet)
    print_wrapped(console, summary(study), "bold")


def _print_findings(console: Console, study: Study) -> None:
    if study.claims:
        _print_claims(console, study)
    for number, table in study.tables.items():
        print_title(console, f"Table {number}. {table.title}")
        if number == 1:
            _print_data(console, table)
        elif number in BY_CASE:
            _print_cases(console, study, table)
        else:
            _print_metrics(console, table)
        print_dim(console, [*remarks(number), *_remarks(study, number)])
    _print_figure(console, study)
    print_beyond(console, study)
    console.print()


def _print_claims(console: Console, study: Study) -> None:
    print_title(console, "What the paper claims, and what became of it")
    for one in study.claims:
        head = plain(f"{one.verdict:<11}", STYLES[one.verdict])
        head.append(f"{one.claim.where:<{INDENT - 11}}", "dim")
        first, *more = wrap(one.claim.words, console.width - INDENT)
        console.print(head + plain(first), soft_wrap=True)
        for line in more:
            console.print(plain(" " * INDENT + line), soft_wrap=True)
        for line in wrap(one.count, console.width - INDENT - 2):
            console.print(plain(" " * (INDENT + 2) + line, "dim"), soft_wrap=True)
    print_dim(console, ["by which rule each is judged: --format json, md or --html"])


def _print_data(console: Console, table: Table) -> None:
    theirs = printed(1)
    found = table_of("", "rows", "paper", "attr.", "paper", "classes", "paper", "positive", "paper")
    for name, row in table.values.items():
        known = theirs.get(name, {})
        cells = []
        for key in ("rows", "attributes", "classes"):
            cells += [f"{row[key]:,}", f"{known[key]:,}" if known else ""]
        cells += [f"{row['positive_percent']:.1f} %", f"{known['positive_percent']:g} %" if known else ""]
        found.add_row(*map(plain, (f"  {one_line(short_name(name), LONGEST_NAME)}", *cells)))
    print_whole(console, found)


def _print_cases(console: Console, study: Study, table: Table) -> None:
    headers = [column for name in TWO for column in (f"{short_name(name)}\npaper", "ours", "diff.")]
    found, last = table_of("", "", *headers), ""
    found.columns[1].justify = "left"
    for data_set, pair, row in cells_by_case(study, table):
        numbers = [text for cell in row.values() for text in cell.written]
        name = one_line(data_set_name(study, data_set), LONGEST_NAME) if data_set != last else ""
        found.add_row(*map(plain, (name, one_line(narrow_name(pair), LONGEST_NAME), *numbers)))
        last = data_set
    print_whole(console, found)


def _print_metrics(console: Console, table: Table) -> None:
    names = list(table.values)
    for some in blocks(len(names)):
        found = table_of("  goal", "select by", *map(narrow_name, names[some]))
        found.columns[1].justify = "left"
        for goal, row in cells_by_metric(table):
            best = max(cell.ours for cell in row.values())
            for kind, cells in _lines([row[name] for name in names[some]], best).items():
                name = f"  {narrow_name(goal)}" if kind == "ours" else ""
                found.add_row(plain(name), plain(kind, "dim"), *cells)
        print_whole(console, found)


def _lines(cells: list[Cell], best: float) -> dict[str, list[Text]]:
    """Ours, the standard errors, the paper's and the differences; lines without a number are left out."""
    lines = {
        "ours": [plain(shown(one.ours), "bold" if one.ours == best else "") for one in cells],
        "": [plain(error_shown(one.standard_error), "dim") for one in cells],
        "paper": [plain("" if one.paper is None else shown(one.paper)) for one in cells],
        "difference": [plain(difference_shown(one.difference), "dim") for one in cells],
    }
    return {kind: texts for kind, texts in lines.items() if any(text.plain for text in texts)}


def _remarks(study: Study, number: int) -> list[str]:
    """What one must know to read a table."""
    if number == 1:
        return []
    lines = ["± Monte-Carlo standard error of ours"] if number == min(set(study.tables) - {1}) else []
    lines += table_remarks(study, number)
    if number in (6, 7):
        table = study.tables[number]
        best = table.more["cases_where_the_goal_is_best"]
        told = ", ".join(f"{short_name(goal)} {count}" for goal, count in best.items())
        lines.append(f"cases of {table.more['cases']} in which no metric selects better than the goal itself: {told}")
    return lines


def _print_figure(console: Console, study: Study) -> None:
    if not study.figure:
        return
    theirs = figure_1()
    print_title(console, "Figure 1. Decision trees on pen digits, goal accuracy, holdout sets")
    print_dim(
        console,
        ["X: with pruning, Y: without (the paper does not say which is which); down: what is so; across: selected"],
    )
    drawn = {"paper": theirs["crossed"]}
    drawn |= {
        f"positive {study.positive(name)}": {metric: one.crossed.tolist() for metric, one in found.items()}
        for name, found in study.figure.items()
    }
    for metric in TWO:
        table = table_of(
            f"  by {short_name(metric)}", *[column for title in drawn for column in (f"{title}\n>", "=", "<")]
        )
        for place, outcome in enumerate(OUTCOMES):
            numbers = [str(count) for crossed in drawn.values() for count in crossed[metric][place]]
            table.add_row(*map(plain, (f"  {outcome}", *numbers)))
        print_whole(console, table)

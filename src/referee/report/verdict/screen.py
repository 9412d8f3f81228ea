"""A verdict on the screen: in words first and last, and between them what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.explanation.steps import wrapped
from referee.report.scores.shown import described, guessing_name, level
from referee.report.selection.words import rows_in_words
from referee.report.terminal.console import (
    BETWEEN_COLUMNS,
    needed_width,
    plain,
    print_dim,
    print_title,
    print_whole,
    print_wrapped,
    screen,
    table_of,
)
from referee.report.terminal.notices import print_notices
from referee.report.terminal.strips import scale_of
from referee.report.verdict.words import MARKS, what_else
from referee.wording import counted, distinct_names, message_line, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

    from referee.comparison import Comparison
    from referee.report.terminal.strips import Scale
    from referee.verdict import Verdict

LONGEST_NAME = 18
LONGEST_PAIR = 27
FEW_METRICS = 6
STYLES = {"winner": "bold green", "tie": "bold yellow", "undecided": "bold red"}


def print_verdict(verdict: Verdict, *, quiet: bool, explanation: Sequence[str]) -> None:
    """Print everything that `referee compare` found; the last line is the verdict."""
    console = screen()
    if not quiet:
        print_wrapped(console, f"{rows_in_words(verdict)}, {described(verdict.scores)}", "dim")
        print_wrapped(console, verdict.sentence, "bold")
        _print_goal(console, verdict)
        _print_comparisons(console, verdict)
        _print_across(console, verdict)
        _print_other_goals(console, verdict)
        _print_what_else(console, verdict)
        print_reasons(console, verdict)
    _print_explanation(console, explanation)
    print_notices(console, verdict.warnings)
    if not quiet:
        console.print()
    print_wrapped(console, verdict.sentence, STYLES[verdict.outcome])


def print_reasons(console: Console, verdict: Verdict) -> None:
    """Which test, and why."""
    print_title(console, "Why this test")
    print_dim(console, map(message_line, verdict.reasons))


def _print_goal(console: Console, verdict: Verdict) -> None:
    """Each model's value and interval, drawn beside it where the screen is wide enough."""
    print_title(console, f"{verdict.goal.full_name}, {verdict.goal.better} is better")
    without = _goal_table(verdict, None)
    scores = [verdict.scores[name, verdict.goal] for name in verdict.values]
    ends = [end for score in scores for end in (score.low, score.high)]
    scale = scale_of(console, ends, needed_width(console, without) + BETWEEN_COLUMNS)
    print_whole(console, without if scale is None else _goal_table(verdict, scale))


def _goal_table(verdict: Verdict, scale: Scale | None) -> Table:
    """Where units are compared, their mean, and the value on all rows beside it."""
    names = distinct_names(verdict.values, LONGEST_NAME)
    by_units = verdict.design.kind not in ("rows", "out_of_fold")
    columns = [f"mean of {verdict.design.unit}s"] if by_units else []
    table = table_of("", *columns, "on all rows" if by_units else "value", f"{level(verdict.alpha)} interval", "")
    if scale is not None:
        table.add_column("", no_wrap=True)
    for name, value in verdict.values.items():
        score, style = verdict.scores[name, verdict.goal], "bold" if name in verdict.winners else ""
        interval = "" if score.low is None else f"[{number(score.low)}, {number(score.high)}]"
        shown = [number(value), number(score.value)] if by_units else [number(score.value)]
        mark = MARKS[verdict.outcome] if name in verdict.winners else ""
        cells = [plain(cell, style) for cell in (f"  {names[name]}", *shown)]
        drawn = [] if scale is None else [plain(scale.strip(score.low, score.value, score.high))]
        table.add_row(*cells, plain(interval), plain(mark, style), *drawn)
    guessed = next(row for row in verdict.scores.baseline if row.metric == verdict.goal.full_name)
    empty = [plain("")] if by_units else []
    table.add_row(plain(f"  {guessing_name(list(names.values()))}"), *empty, plain(number(guessed.value)))
    return table


def _print_comparisons(console: Console, verdict: Verdict) -> None:
    several = len(verdict.comparisons) > 1
    print_title(console, f"Comparisons: {verdict.test.title}")
    columns = ["difference", f"{level(verdict.alpha)} interval", "p", *(["adjusted"] if several else [])]
    table = table_of("", *columns)
    names = distinct_names(verdict.values, LONGEST_PAIR // 2 - 1)
    for found in verdict.comparisons:
        sign = "?" if found.undefined else {found.a: ">", found.b: "<"}.get(found.winner or "", "~")
        p = [_p(found.p), *([_p(found.p_adjusted)] if several else [])]
        cells = [number(found.difference), _interval(found), *p]
        table.add_row(plain(f"  {names[found.a]} {sign} {names[found.b]}"), *map(plain, cells))
    print_whole(console, table)
    signs = "> better, < worse, ~ no significant difference"
    print_dim(console, [f"{signs}; p adjusted by {verdict.adjustment}" if several else signs])


def _p(p: float | None) -> str:
    return "–" if p is None else "< 0.0001" if p < 1e-4 else f"{p:.4f}"


def _interval(found: Comparison) -> str:
    return "" if found.low is None else f"[{number(found.low)}, {number(found.high)}]"


def _print_across(console: Console, verdict: Verdict) -> None:
    """Mean ranks over the data sets, and how far apart they must be."""
    if verdict.across is None:
        return
    found, details = verdict.across, verdict.across.details
    print_title(console, f"Mean ranks over {counted(found.units, 'data set')}; 1 is best")
    table = table_of(" " * (LONGEST_NAME + 2), "mean rank", "behind the best", "")
    ranks = dict(sorted(details["mean_ranks"].items(), key=lambda item: item[1]))
    names, best = distinct_names(ranks, LONGEST_NAME), min(ranks.values())
    for name, rank in ranks.items():
        beyond = "beyond the critical difference" if rank - best > details["critical_difference"] else ""
        table.add_row(*map(plain, (f"  {names[name]}", f"{rank:.2f}", f"{rank - best:.2f}", beyond)))
    print_whole(console, table)
    print_dim(console, [
        f"critical difference {details['critical_difference']:.3f} (Nemenyi); Friedman with Iman and Davenport's "
        f"correction: F = {found.statistic:.3f}, p = {_p(found.p)}; a winner is found pair by pair, the critical "
        "difference says which models may be the best where there is none"
    ])  # fmt: skip


def _print_other_goals(console: Console, verdict: Verdict) -> None:
    if not verdict.other_goals:
        return
    print_title(console, "If another metric had decided")
    same = [other for other in verdict.other_goals if other.best == verdict.best]
    table = table_of(" " * 27, "its best model", "there", f"costs on {verdict.goal.name}")
    names = distinct_names(verdict.values, LONGEST_NAME)
    for other in verdict.other_goals:
        if other.best != verdict.best:
            there = "wins" if other.wins else "ties"
            table.add_row(*map(plain, (f"  {other.metric}", names[other.best], there, number(other.cost))))
    if table.row_count:
        print_whole(console, table)
    if same:
        listed = ", ".join(other.metric for other in same) if len(same) <= FEW_METRICS else f"{len(same)} other metrics"
        print_dim(console, [f"{names[verdict.best]} is best, too, on {listed}"])


def _print_what_else(console: Console, verdict: Verdict) -> None:
    lines = list(what_else(verdict))
    if lines:
        print_title(console, "What else to know")
        print_dim(console, lines)


def _print_explanation(console: Console, explanation: Sequence[str]) -> None:
    if explanation:
        print_title(console, "The test, step by step")
        for line in wrapped(explanation, console.width):
            console.print(plain(line), soft_wrap=True)

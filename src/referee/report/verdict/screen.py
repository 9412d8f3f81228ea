"""A verdict on the screen: in words first and last, and between them what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.explanation.steps import wrapped
from referee.report.scores.shown import described, guessing_name
from referee.report.selection.screen import print_selection
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
from referee.report.verdict.words import (
    MARKS,
    MOST_MODELS,
    across_in_words,
    remark_on_comparisons,
    shown_comparisons,
    what_else,
)
from referee.scoring import shown_name
from referee.wording import counted, distinct_names, level, message_line, name_key, number, short_p

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

    from referee.comparing import Comparison, Verdict
    from referee.report.terminal.strips import Scale

LONGEST_NAME = 18
LONGEST_PAIR = 25
FEW_METRICS = 6
STYLES = {"winner": "bold green", "tie": "bold yellow", "undecided": "bold red"}


def print_verdict(verdict: Verdict, *, quiet: bool, explanation: Sequence[str]) -> None:
    """Print everything that was found; the first words and the last ones are the verdict."""
    console = screen()
    if not quiet:
        print_wrapped(console, f"{rows_in_words(verdict)}, {described(verdict.predictions)}", "dim")
        if verdict.selection is None:
            print_dim(console, map(message_line, verdict.predictions.notes))
        print_wrapped(console, verdict.sentence, "bold")
        _print_goal(console, verdict)
        _print_comparisons(console, verdict)
        _print_across(console, verdict)
        _print_other_goals(console, verdict)
        _print_what_else(console, verdict)
        if verdict.selection is not None:
            print_selection(console, verdict, verdict.selection)
        print_reasons(console, verdict)
    _print_explanation(console, explanation)
    print_notices(console, verdict.warnings, quiet=quiet)
    if not quiet:
        console.print()
    print_wrapped(console, verdict.sentence, STYLES[verdict.outcome])


def print_reasons(console: Console, verdict: Verdict) -> None:
    """Which test, and why."""
    print_title(console, "Why this test")
    print_dim(console, map(message_line, verdict.reasons))


def _print_goal(console: Console, verdict: Verdict) -> None:
    """Each model's value and interval, drawn beside it where the screen is wide enough."""
    print_title(console, f"{verdict.goal_name}, {verdict.goal.better} is better")
    without = _goal_table(verdict, None)
    scores = [verdict.scores[name, verdict.goal] for name in _best(verdict)]
    ends = [end for score in scores for end in (score.low, score.high)]
    scale = scale_of(console, ends, needed_width(console, without) + BETWEEN_COLUMNS)
    print_whole(console, without if scale is None else _goal_table(verdict, scale))
    if (left := len(verdict.values) - MOST_MODELS) > 0:
        print_dim(console, [f"{counted(left, 'more model')}: --format json"])
    print_dim(console, name_key(distinct_names(_best(verdict), LONGEST_NAME)))


def _best(verdict: Verdict) -> list[str]:
    """The models that are shown."""
    return list(verdict.values)[:MOST_MODELS]


def _goal_table(verdict: Verdict, scale: Scale | None) -> Table:
    """Where units are compared, their mean, and the value on all rows beside it."""
    names, by_units = distinct_names(_best(verdict), LONGEST_NAME), verdict.by_units
    columns = [verdict.design.value_name] if by_units else []
    table = table_of("", *columns, "on all rows" if by_units else "value", f"{level(verdict.alpha)} interval", "")
    if scale is not None:
        table.add_column("", no_wrap=True)
    for name in names:
        value = verdict.values[name]
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
    several, shown = len(verdict.comparisons) > 1, shown_comparisons(verdict)
    print_title(console, f"Comparisons: {verdict.test.title}")
    columns = ["difference", f"{level(verdict.alpha)} interval", "p", *(["adjusted"] if several else [])]
    table = table_of("", *columns)
    names = distinct_names(_best(verdict), LONGEST_PAIR // 2 - 1)
    for found in shown:
        sign = {found.a: ">", found.b: "<", "tie": "~"}.get(found.answer, "?")
        p = [short_p(found.p), *([short_p(found.p_adjusted)] if several else [])]
        cells = [number(found.difference), _interval(found), *p]
        table.add_row(plain(f"  {names[found.a]} {sign} {names[found.b]}"), *map(plain, cells))
    print_whole(console, table)
    signs = "> better, < worse, ~ no significant difference"
    without = dict.fromkeys(found.answer for found in shown if found.undefined or found.undecided)
    signs += f", ? {' or '.join(without)}" if without else ""
    left = len(verdict.comparisons) - len(shown)
    more = [f"{counted(left, 'more comparison')}: --format csv"] if left else []
    print_dim(console, [*more, f"{signs}; {remark_on_comparisons(verdict)}", *name_key(names)])


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
        f"{across_in_words(found)}; a winner is found pair by pair, the critical difference says which models may be "
        "the best where there is none"
    ])  # fmt: skip


def _print_other_goals(console: Console, verdict: Verdict) -> None:
    if not verdict.other_goals:
        return
    print_title(console, "If another metric had decided")
    same = [other for other in verdict.other_goals if other.best == verdict.best]
    table = table_of(" " * 27, "its best model", "there", f"costs on {verdict.goal_name}")
    names = distinct_names(verdict.values, LONGEST_NAME)
    for other in verdict.other_goals:
        if other.best != verdict.best:
            there = "wins" if other.wins else "ties"
            table.add_row(*map(plain, (f"  {shown_name(other.metric)}", names[other.best], there, number(other.cost))))
    if table.row_count:
        print_whole(console, table)
    if same:
        listed = (
            ", ".join(shown_name(other.metric) for other in same)
            if len(same) <= FEW_METRICS
            else f"{len(same)} other metrics"
        )
        print_dim(console, [f"{names[verdict.best]} is best, too, on {listed}"])


def _print_what_else(console: Console, verdict: Verdict) -> None:
    if lines := [message_line(line) for line in what_else(verdict)]:
        print_title(console, "What else to know")
        print_dim(console, lines)


def _print_explanation(console: Console, explanation: Sequence[str]) -> None:
    if explanation:
        print_title(console, "The test, step by step")
        for line in wrapped(explanation, console.width):
            console.print(plain(line), soft_wrap=True)

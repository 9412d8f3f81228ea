"""A study of the user's own data on the screen: one goal in detail, or all goals as matrices; the sentence last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.own_study.formats import chance_explained, described, explained
from referee.report.terminal.console import plain, print_dim, print_title, print_whole, print_wrapped, screen, table_of
from referee.report.terminal.notices import print_notices
from referee.wording import distinct_names, folded, level, number, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from referee.paper import Choice, OwnStudy

LONGEST_NAME = 17
WIDEST_METRIC, MOST_METRICS = 9, 6
WIDEST_MODEL, MOST_MODELS = 12, 4


def print_own_study(study: OwnStudy, *, quiet: bool) -> None:
    """Print everything that `referee study --on` found; the last line is the sentence."""
    console = screen()
    if not quiet:
        print_wrapped(console, described(study), "bold")
        print_dim(console, study.notes)
        if study.goal is not None:
            _print_goal(console, study, study.goal)
        else:
            _print_matrix(console, study, "How often the right model is chosen", lambda one: one.right, max)
            _print_matrix(console, study, "Regret: 0 is perfect, 1 a coin flip", lambda one: one.regret, min)
            _print_rest(console, study)
        _print_best(console, study)
        print_title(console, "How to read it")
        print_dim(console, explained(study))
    print_notices(console, study.warnings, quiet=quiet)
    if not quiet:
        console.print()
    print_wrapped(console, study.sentence, "bold green")


def _print_goal(console: Console, study: OwnStudy, goal: str) -> None:
    """All evaluation metrics for one goal, the cheapest first."""
    print_title(console, f"Goal {study.called(goal)}: what choosing by each metric would have cost")
    table = table_of("chosen by", "right", "cost", f"{level(study.alpha)} interval", "regret", "same", "p")
    rows = study.for_goal(goal)
    names = distinct_names((study.called(one.evaluation) for one in rows), 24)
    for one in rows:
        style = "bold" if one.evaluation == goal else ""
        cells = [_share(one.right), number(one.cost), _interval(one), _share(one.regret), _share(one.same_outcome)]
        table.add_row(*(plain(cell, style) for cell in (f"  {names[study.called(one.evaluation)]}", *cells, _p(one))))
    print_whole(console, table)
    print_dim(console, [chance_explained(study)])


def _print_matrix(
    console: Console,
    study: OwnStudy,
    title: str,
    value: Callable[[Choice], float | None],
    best: Callable[[Sequence[float]], float],
) -> None:
    """Goals down, evaluation metrics across; a star at the best of each goal."""
    shown = list(study.usual)
    names = distinct_names(shown, LONGEST_NAME)
    print_title(console, f"{title} (goal down, chosen by across)")
    for first in range(0, len(shown), MOST_METRICS):
        across = shown[first : first + MOST_METRICS]
        table = table_of("", *(folded(name, WIDEST_METRIC) for name in across))
        for goal in shown:
            row = {name: value(study.choice(goal, name)) for name in shown}
            known = [one for one in row.values() if one is not None]
            cells = [_starred(row[name], best(known) if known else None) for name in across]
            table.add_row(plain(f"  {names[goal]}"), *map(plain, cells))
        print_whole(console, table)
    print_dim(console, ["* the best for this goal"])


def _print_rest(console: Console, study: OwnStudy) -> None:
    hidden = len(study.metrics) - len(study.usual)
    if hidden:
        print_dim(
            console,
            [f"{hidden} more metrics: --goal METRIC shows one goal in full, --metrics chooses, --format json has all"],
        )


def _print_best(console: Console, study: OwnStudy) -> None:
    """Which model is the best on the test part, and how often."""
    shown = [study.goal] if study.goal is not None else list(study.usual)
    print_title(console, "Who is best on the test part, share of repetitions")
    models = distinct_names(study.models, LONGEST_NAME)
    for first in range(0, len(models), MOST_MODELS):
        across = list(models)[first : first + MOST_MODELS]
        table = table_of("", *(folded(models[name], WIDEST_MODEL) for name in across))
        for goal in shown:
            cells = [_share(study.best[goal][name]) for name in across]
            table.add_row(*map(plain, (f"  {one_line(study.called(goal), LONGEST_NAME)}", *cells)))
        print_whole(console, table)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _starred(value: float | None, best: float | None) -> str:
    return f"{_share(value)}{'*' if value is not None and value == best else ' '}"


def _interval(one: Choice) -> str:
    return f"[{number(one.cost_low)}, {number(one.cost_high)}]"


def _p(one: Choice) -> str:
    if one.p_adjusted is None:
        return ""
    return "<.001" if one.p_adjusted < 0.001 else f"{one.p_adjusted:.3f}"

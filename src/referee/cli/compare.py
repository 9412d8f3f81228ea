"""`referee compare`: who won, on predictions that exist."""

from __future__ import annotations

from typing import Any

import click

from referee.cli.inputs import design_options, named_goal, run_or_sources
from referee.cli.options import (
    COLUMNS,
    EXPLAIN,
    FIGURES,
    KEEPING,
    PAGE,
    PAPER_OUTPUT,
    READING,
    SCORES,
    SERVER,
    TESTING,
    TIME,
    shared,
)


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@shared(TESTING)
@click.option("--margin", type=float, metavar="D", help="The difference that matters, in units of the goal.")
@click.option("--delta", type=float, metavar="D", help="The difference to plan rows for (default: the margin).")
@click.option("--metrics", multiple=True, metavar="M1,M2", help="Metrics to show besides the goal (default: all).")
@click.option(
    "--adjust",
    type=click.Choice(["holm", "hochberg", "bh", "bonferroni", "none"]),
    default="holm",
    show_default=True,
    help="How p is adjusted for several comparisons.",
)
@shared(EXPLAIN, TIME, COLUMNS, SCORES, READING, SERVER, PAPER_OUTPUT, PAGE, FIGURES, KEEPING)
def command(
    sources: tuple[str, ...],
    goal: str | None,
    metrics: tuple[str, ...],
    by: tuple[str, ...],
    explain: bool,
    form: str,
    quiet: bool,
    html: str | None,
    **given: Any,
) -> None:
    """Name the winner on the goal metric, or a tie, with margin, certainty and reasons.

    The test fits the design of the predictions: rows of a test set, out-of-fold rows (--fold), folds (--unit fold),
    equal subsets (--subsets), data sets (--by COL --unit slice). A table of scores without a truth (--task scores)
    has a row for each item, fold or data set (--rows).
    """
    from referee.cli.output import keep, save_page_of, show
    from referee.comparing import compare, why_rows, with_notice
    from referee.predictions import metric_list

    names = metric_list(metrics)
    asked, columns = design_options(given)
    goal = named_goal(goal, sources, lambda: run_or_sources(sources, names, by, **columns), columns["task"])
    reason = why_rows(goal, columns, test=asked["test"], unit=asked["unit"], subsets=asked["subsets"])
    predictions = run_or_sources(sources, [goal, *names], by, push_down=True, why_rows=reason, compares=True, **columns)
    predictions = with_notice(predictions, sources, reason, columns["engine"])
    asked |= {key: columns[key] for key in ("margin", "delta", "adjust")}
    verdict = compare(predictions, goal, metrics=names or None, by=by, **asked)
    keep(verdict, given.pop("save_to"))
    save_page_of(verdict, html, given["figures"], explain=explain)
    show(verdict, form, quiet=quiet, whole=given["whole"], explain=explain)

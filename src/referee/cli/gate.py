"""`referee gate`: whether the candidate may replace production."""

from __future__ import annotations

from typing import Any

import click

from referee.cli.commands import Answered
from referee.cli.inputs import design_options, named_goal, read_sources
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

GATE = ("margin", "superiority", "inconclusive", "guards", "ledger", "looks", "until", "anytime", "new_rows", "spend")


def guards_of(_context: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> dict[str, float]:
    """Metrics with their margins, as in `recall:0.01`."""
    guards = {}
    for text in texts:
        metric, colon, margin = text.rpartition(":")
        try:
            guards[metric] = float(margin)
        except ValueError:
            colon = ""
        if not (metric and colon):
            raise click.BadParameter(f"{text!r} is not METRIC:MARGIN, such as recall:0.01")
    return guards


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--production", required=True, metavar="A", help="The model in production.")
@click.option("--candidate", required=True, metavar="B", help="The model that may replace it.")
@click.option("--margin", type=float, required=True, metavar="D", help="How much worse the candidate may be, at most.")
@click.option("--superiority", is_flag=True, help="The candidate must also be significantly better.")
@click.option(
    "--inconclusive",
    type=click.Choice(["pass", "fail"]),
    default="fail",
    show_default=True,
    help="What to do if the answer is inconclusive.",
)
@click.option(
    "--guard",
    "guards",
    multiple=True,
    metavar="METRIC:D",
    callback=guards_of,
    help="Another metric on which the candidate may be worse by at most D; with --by, in every slice. Can be repeated.",
)
@click.option("--junit", metavar="FILE", help="Also write the answer as JUnit XML, which CI servers show.")
@click.option(
    "--ledger", metavar="FILE", help="Record every look at the growing data here, so that all looks share alpha."
)
@click.option("--looks", type=click.IntRange(1), metavar="L", help="With --ledger: the planned number of looks.")
@click.option(
    "--until", type=click.IntRange(2), metavar="N", help="With --ledger: the number of rows at the last look."
)
@click.option(
    "--anytime",
    is_flag=False,
    flag_value="asymptotic",
    type=click.Choice(["asymptotic", "exact"]),
    help="Instead of --looks: look whenever you like (exact: bets on bounded losses).",
)
@click.option(
    "--new-rows",
    is_flag=True,
    help="The source contains only new rows; with --id, rows that were counted before are refused.",
)
@click.option("--spend", is_flag=True, help="Share alpha among all candidates for this production model.")
@shared(EXPLAIN, TESTING, TIME, COLUMNS, SCORES, READING, SERVER, PAPER_OUTPUT, PAGE, FIGURES, KEEPING)
def command(
    sources: tuple[str, ...],
    goal: str | None,
    production: str,
    candidate: str,
    by: tuple[str, ...],
    form: str,
    quiet: bool,
    html: str | None,
    **given: Any,
) -> None:
    """Exit 0 if the candidate is not worse than production by more than the margin, 1 if that is not shown.

    The answer is pass, fail (shown to be worse by more than the margin) or inconclusive (neither is shown).
    """
    from referee.cli.output import keep, save_page_of, show
    from referee.comparing import gate, why_rows, with_notice
    from referee.document import refuse_no_place, write_file

    if junit := given.pop("junit"):
        refuse_no_place("--junit", junit)

    asked, columns = design_options(given)
    asked |= {key: columns.pop(key) for key in GATE}
    asked["anytime"] = asked["anytime"] or False
    goal = named_goal(goal, sources, lambda: read_sources(sources, [], by, push_down=False, **columns), columns["task"])
    design = {name: asked[name] for name in ("test", "unit", "subsets", "ledger", "guards")}
    reason = why_rows(goal, columns, by=by, **design)
    predictions = read_sources(sources, [goal, *asked["guards"]], by, why_rows=reason, compares=True, **columns)
    predictions = with_notice(predictions, sources, reason, columns["engine"])
    result = gate(predictions, goal, production=production, candidate=candidate, by=by, **asked)
    keep(result, given.pop("save_to"))
    save_page_of(result, html, given["figures"], explain=given["explain"])
    if junit:
        write_file("--junit", junit, result.to_junit().encode())
    show(result, form, quiet=quiet, explain=given["explain"])
    raise Answered(0 if result.passed else 1)

"""`referee summarise`: rows as a state, which adds up with those of other days."""

from __future__ import annotations

from typing import Any

import click

from referee.cli.inputs import read_sources
from referee.cli.options import COLUMNS, READING, quietly, shared


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--out", required=True, metavar="FILE.state", help="Where the state is written.")
@click.option("--metrics", multiple=True, metavar="M1,M2", help="Further metrics to sum, such as pinball(level=0.9).")
@shared(COLUMNS, READING)
@click.option("--quiet", is_flag=True, callback=quietly, help="Print nothing at all.")
def command(sources: tuple[str, ...], out: str, metrics: tuple[str, ...], quiet: bool, **given: Any) -> None:
    """Summarise rows in a small file, a state; `compare`, `evaluate` and `gate` treat several of them as one.

    States can be added up without their rows: counts, tables of decisions and moments of row terms exactly, rankings by
    bins of scores, with what these may hide. SOURCE may be states: then their sum is written.
    """
    from referee.cli.output import say, write
    from referee.document import message_line
    from referee.predictions import metric_list, refuse_no_state
    from referee.scoring import rows_described, summarise

    refuse_no_state(out)
    names = metric_list(metrics)
    predictions = read_sources(sources, names, (), push_down=False, **given)
    state = summarise(predictions, metrics=names or None)
    state.save(out)
    if not quiet:
        say(predictions.notices)
        said = rows_described(predictions)
        write("".join(f"{message_line(line)}\n" for line in (said, *predictions.notes, f"{out}: {state.sentence}")))

"""`referee history`: the looks that a gate's ledger, or a table of verdicts, has kept."""

from __future__ import annotations

import click

from referee.cli.options import PAPER_OUTPUT, shared


@click.command()
@click.argument("ledger", metavar="LEDGER|URL#TABLE")
@shared(PAPER_OUTPUT)
def command(ledger: str, form: str, quiet: bool, **_given: object) -> None:
    """Show every look that a gate's ledger has recorded, with its boundary and outcome.

    For what --save-to wrote (sqlite:///f.db#table, duckdb:///f.duckdb#table, postgresql://host/db#table,
    mlflow://experiment): how the verdict on each pair has changed, and how often each test set was looked at.
    """
    from referee.cli.output import show
    from referee.comparing import history

    show(history(ledger), form, quiet=quiet)

"""`referee history`: the looks that a gate's ledger has kept."""

from __future__ import annotations

import click

from referee.cli.options import PAPER_OUTPUT, shared


@click.command()
@click.argument("ledger", metavar="LEDGER")
@shared(PAPER_OUTPUT)
def command(ledger: str, form: str, quiet: bool, **_given: object) -> None:
    """Show every look at a gate that its ledger has kept, with the boundary and the outcome of each."""
    from referee.cli.output import show
    from referee.comparing import history

    show(history(ledger), form, quiet=quiet)

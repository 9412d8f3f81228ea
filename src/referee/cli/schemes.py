"""`referee schemes`: the ways to split rows into training and test sets, or one scheme's card."""

from __future__ import annotations

import click

from referee.cli.options import OUTPUT, PAGE, shared


@click.command()
@click.argument("name", required=False)
@click.option("--combine", type=click.Choice(["mean", "pooled", "point_632", "point_632_plus"]), help="How scores mix.")
@click.option("--needs", type=click.Choice(["classes", "groups", "time"]), help="What it needs to know of the rows.")
@click.option("--overlapping/--not-overlapping", default=None, help="Training sets share rows, or do not.")
@click.option("--stratified/--not-stratified", default=None, help="Shares out the classes evenly, or does not.")
@shared([OUTPUT[0]], PAGE)
def command(name: str | None, form: str, html: str | None, **wanted: str | bool | None) -> None:
    """List the resampling schemes, or show the card of one: `referee schemes k_fold`."""
    from referee.cli.catalogues import show_entries
    from referee.fitting import SCHEME_CARDS, schemes

    show_entries(name, form, html, wanted, schemes, SCHEME_CARDS)

"""`referee tests`: the significance tests, or one test's card."""

from __future__ import annotations

import click

from referee.cli.options import OUTPUT, PAGE, shared
from referee.comparing.design import IN_WORDS


@click.command()
@click.argument("name", required=False)
@click.option("--design", type=click.Choice(list(IN_WORDS)), help="Valid for that design.")
@click.option("--takes", type=click.Choice(["units", "rows", "decisions", "many"]), help="What it is given.")
@shared([OUTPUT[0]], PAGE)
def command(name: str | None, form: str, html: str | None, **wanted: str | bool | None) -> None:
    """List the significance tests, or show the card of one: `referee tests paired_t`."""
    from referee.cli.catalogues import show_entries
    from referee.comparing import TEST_CARDS, tests

    show_entries(name, form, html, wanted, tests, TEST_CARDS)

"""`referee lecture`: the lecture on evaluation, with its own numbers and with the user's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from referee.cli.inputs import read_sources
from referee.cli.options import COLUMNS, FORM, PAGE, READING, SERVER, shared
from referee.errors import UsageError


@click.command()
@click.argument("wanted", nargs=-1, metavar="[SECTION | SOURCE]...")
@click.option("--list", "wants_list", is_flag=True, help="Only list the sections.")
@shared(COLUMNS, READING, SERVER, FORM, PAGE)
def command(wanted: tuple[str, ...], wants_list: bool, form: str, html: str | None, **given: Any) -> None:
    """Go through the lecture on performance evaluation, all of it or the sections that are named.

    With a SOURCE of predictions, and the options of `evaluate`, each section is repeated with its numbers.
    """
    from referee.cli.output import save_page_of, show
    from referee.lecture import SECTIONS, SectionList, lecture

    sources = [word for word in wanted if word not in SECTIONS and (given["truth"] or Path(word).exists())]
    names = [word for word in wanted if word not in sources]
    if given["truth"] and not sources:
        raise UsageError("E_USAGE", "--truth needs a file of predictions, and none was given")
    predictions = read_sources(sources, [], (), push_down=False, **given) if sources else None
    result = SectionList() if wants_list else lecture(names, predictions)
    save_page_of(result, html)
    show(result, form)

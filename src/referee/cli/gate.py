"""`referee gate`: whether the candidate may replace production."""

from __future__ import annotations

from typing import Any

import click

from referee.cli.options import COLUMNS, OUTPUT, PAGE, READING, TESTING, design_options, read_sources, shared
from referee.cli.typed import typed_command


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--production", required=True, metavar="A", help="The model that is in use.")
@click.option("--candidate", required=True, metavar="B", help="The model that may replace it.")
@click.option("--margin", type=float, required=True, metavar="D", help="How much worse it may be, at most.")
@click.option("--superiority", is_flag=True, help="It must be significantly better, too.")
@shared(TESTING, COLUMNS, READING, OUTPUT, PAGE)
def command(
    sources: tuple[str, ...],
    goal: str,
    production: str,
    candidate: str,
    by: tuple[str, ...],
    form: str,
    quiet: bool,
    html: str | None,
    **given: Any,
) -> None:
    """Exit 0 if the candidate is not worse than production by more than the margin, 1 if that is not shown."""
    from referee.report.verdict.gate import show_gate
    from referee.verdict import gate

    asked, columns = design_options(given)
    asked |= {key: columns.pop(key) for key in ("margin", "superiority")}
    predictions = read_sources(sources, [goal], by, push_down=False, **columns)
    found = gate(predictions, goal, production=production, candidate=candidate, by=by, **asked)
    show_gate(found, form, quiet=quiet)
    if html is not None:
        from referee.report.page.gate_page import gate_page
        from referee.report.page.saving import save_page

        save_page(html, gate_page(found, command=typed_command()))
    raise click.exceptions.Exit(0 if found.passed else 1)

"""`referee demo`: the main job on data that ship with scikit-learn."""

from __future__ import annotations

import click

from referee.cli.options import PAGE, PAPER_OUTPUT, shared


@click.command()
@click.option("--goal", default="roc_auc", show_default=True, metavar="METRIC", help="The metric that decides.")
@click.option("--explain", is_flag=True, help="Walk through the test with these numbers.")
@shared(PAPER_OUTPUT, PAGE)
def command(
    goal: str,
    explain: bool,
    form: str,
    alpha: float,
    seed: int,
    quiet: bool,
    whole: bool,
    html: str | None,
) -> None:
    """Fit three models on a half of the breast cancer data and compare them on the other half."""
    from referee.cli.output import save_page_of, show_verdict
    from referee.comparing import compare
    from referee.testing.samples import demo_predictions

    verdict = compare(demo_predictions(seed), goal, alpha=alpha, seed=seed)
    save_page_of(verdict, html)
    show_verdict(verdict, form, quiet=quiet, whole=whole, explain=explain)

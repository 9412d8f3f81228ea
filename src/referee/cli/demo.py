"""`referee demo`: the main job on data that ship with scikit-learn."""

from __future__ import annotations

import click

from referee.cli.options import PAGE, PAPER_OUTPUT, shared, typed_command


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
    html: str | None,
) -> None:
    """Fit three models on a half of the breast cancer data and compare them on the other half."""
    from referee.comparing import compare
    from referee.report.verdict.formats import show_verdict
    from referee.testing.samples import demo_predictions

    verdict = compare(demo_predictions(seed), goal, alpha=alpha, seed=seed)
    if html is not None:
        verdict.to_html(html, command=typed_command())
    show_verdict(verdict, form, quiet=quiet, explain=explain)

"""`referee demo`: the main job on data that ship with scikit-learn."""

from __future__ import annotations

import click

from referee.cli.options import OUTPUT, shared


@click.command()
@shared(OUTPUT)
def command(form: str, alpha: float, seed: int, quiet: bool) -> None:
    """Fit three models on a half of the breast cancer data and score them on the other half."""
    from referee.demo import demo_predictions
    from referee.report.scores import show_scores
    from referee.scores import evaluate

    show_scores(evaluate(demo_predictions(seed), alpha=alpha), form, alpha=alpha, seed=seed, quiet=quiet)

"""`referee evaluate`: scores, no tests."""

from __future__ import annotations

from typing import Any

import click

from referee.cli.options import COLUMNS, PAPER_OUTPUT, READING, read_sources, shared


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--metrics", multiple=True, metavar="M1,M2", help="Such as roc_auc,f_beta(beta=2) (default: all).")
@click.option("--by", multiple=True, metavar="COL", help="Scores for each value of a column, too.")
@shared(COLUMNS, READING, PAPER_OUTPUT)
def command(
    sources: tuple[str, ...],
    metrics: tuple[str, ...],
    by: tuple[str, ...],
    form: str,
    alpha: float,
    seed: int,
    quiet: bool,
    **given: Any,
) -> None:
    """Score every model on every metric that applies.

    SOURCE is a CSV (any delimiter, gzip too), Parquet file or folder, Arrow, JSON lines, SQLite or DuckDB file.
    """
    from referee.columns.roles import metric_list
    from referee.report.scores import show_scores
    from referee.scores import evaluate

    names = metric_list(metrics)
    predictions = read_sources(sources, names, by, **given)
    scores = evaluate(predictions, names or None, by=by, alpha=alpha)
    show_scores(scores, form, alpha=alpha, seed=seed, quiet=quiet)

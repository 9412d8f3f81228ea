"""`referee evaluate`: scores, no tests; with --lint, degenerate predictions that do as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from referee.cli.inputs import read_sources
from referee.cli.options import (
    COLUMNS,
    EXPLAIN,
    FIGURES,
    PAGE,
    PAPER_OUTPUT,
    READING,
    SCORES,
    SERVER,
    SIZE,
    TIME,
    shared,
)
from referee.errors import UsageError


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--metrics",
    multiple=True,
    metavar="M1,M2",
    help="Metrics such as roc_auc,f_beta(beta=2) (default: all that apply).",
)
@click.option("--by", multiple=True, metavar="COL", help="Also score each value of a column.")
@click.option("--lint", "wants_lint", is_flag=True, help="Also look for degenerate predictions that do just as well.")
@click.option("--goal", metavar="METRIC", help="The metric that --lint examines (default: those of --metrics).")
@shared(EXPLAIN, TIME[:1], COLUMNS, SCORES, [SIZE], READING, SERVER, PAPER_OUTPUT, PAGE, FIGURES)
def command(
    sources: tuple[str, ...],
    metrics: tuple[str, ...],
    by: tuple[str, ...],
    wants_lint: bool,
    goal: str | None,
    explain: bool,
    form: str,
    quiet: bool,
    **given: Any,
) -> None:
    """Score every model on every metric that applies.

    SOURCE is a CSV (any delimiter, gzip too), Parquet file or folder, Arrow, JSON lines, SQLite or DuckDB file.
    """
    from referee.cli.output import save_page_of, say_lint, show
    from referee.predictions import FEW_ROWS, metric_list
    from referee.scoring import evaluate

    names, alpha, seed = metric_list(metrics), given["alpha"], given["seed"]
    if wants_lint and form == "latex":
        raise UsageError(
            "E_USAGE", "--format latex has the scores only, not what --lint finds", hint="--format md has both"
        )
    linted = _linted(wants_lint, goal, names)
    predictions = read_sources(sources, [*names, *linted], by, push_down=not wants_lint, read_up_to=FEW_ROWS, **given)
    scores = replace(evaluate(predictions, names or None, by=by, alpha=alpha), seed=seed)
    save_page_of(scores, given["html"], given["figures"], explain=explain)
    if not wants_lint:
        show(scores, form, quiet=quiet, whole=given["whole"], explain=explain)
        return
    from referee.advice import lint, lint_part

    findings = lint(predictions, linted, alpha=alpha)
    document = scores.document(whole=given["whole"]).with_parts(lint_part(findings, linted))
    said = {"goal": goal and linted[0], "lint": [finding.to_dict() for finding in findings]}
    show(scores, form, quiet=quiet, explain=explain, document=document, more=said)
    say_lint(findings if form == "csv" else ())


def _linted(wants_lint: bool, goal: str | None, metrics: list[str]) -> list[str]:
    """The metrics that are looked at; a goal in a --config file is for other commands too."""
    if not wants_lint:
        return []
    if goal is None and not metrics:
        raise UsageError(
            "E_NOMETRIC", "--lint needs a metric", hint="use --goal METRIC; `referee advise` helps you choose"
        )
    from referee.scoring import metrics as catalogue

    return metrics if goal is None else [catalogue[goal].full_name]

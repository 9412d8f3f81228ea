"""`referee threshold`: from which score on a row should be called positive."""

from __future__ import annotations

from typing import Any

import click

from referee.cli.inputs import read_sources
from referee.cli.options import COLUMNS, EXPLAIN, PAGE, PAPER_OUTPUT, READING, SERVER, shared


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--for",
    "--goal",
    "goal",
    required=True,
    metavar="METRIC",
    help="The metric to optimise: f_beta, accuracy, youden, mcc, recall, expected_cost(fp=1, fn=5).",
)
@click.option("--at-least", multiple=True, metavar="METRIC=X", help="A limit to keep, such as precision=0.9.")
@click.option("--at-most", multiple=True, metavar="METRIC=X", help="A limit to keep, such as false_positive_rate=0.05.")
@click.option("--capacity", type=float, metavar="K", help="At most K rows per thousand can be called positive.")
@click.option(
    "--prevalence", type=float, metavar="SHARE", help="The share of positives where the threshold will be applied."
)
@click.option("--choose-on", metavar="COL=VALUE", help="Choose on these rows and evaluate on the others.")
@click.option(
    "--folds",
    type=int,
    default=10,
    show_default=True,
    help="Choose on all folds but one and evaluate on that one, in turn; 0: evaluate on the same rows.",
)
@click.option(
    "--region", is_flag=True, help="Show for which costs and shares of positives each of two models is cheaper."
)
@shared(EXPLAIN, COLUMNS, READING, SERVER, PAPER_OUTPUT, PAGE)
def command(
    sources: tuple[str, ...],
    goal: str,
    at_least: tuple[str, ...],
    at_most: tuple[str, ...],
    choose_on: str | None,
    region: bool,
    form: str,
    quiet: bool,
    **given: Any,
) -> None:
    """Choose each model's best threshold, evaluate it on other rows, and compare the models, each at its own.

    Several models are compared by a paired test of their decisions.
    """
    from dataclasses import replace

    from referee.cli.output import save_page_of, show
    from referee.predictions import column_and_value
    from referee.thresholds import Objective, cheaper_regions, limits, threshold

    kept = {name: given.pop(name) for name in ("capacity", "prevalence")}
    objective = Objective.of(goal, at_least=limits(at_least), at_most=limits(at_most), **kept)
    chosen_on = None if choose_on is None else column_and_value("--choose-on", choose_on)
    asked = {name: given.pop(name) for name in ("folds", "alpha", "seed")} | {"chosen_on": chosen_on}
    by = () if chosen_on is None else chosen_on[:1]
    predictions = read_sources(sources, ["roc_auc"], by, push_down=not asked["folds"], **given)
    thresholds = threshold(predictions, objective, **asked)
    if region:
        thresholds = replace(thresholds, regions=cheaper_regions(predictions, **asked))
    save_page_of(thresholds, given["html"], explain=given["explain"])
    show(thresholds, form, quiet=quiet, explain=given["explain"])

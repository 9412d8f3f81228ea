"""`referee metrics`: the catalogue, or one metric's card."""

from __future__ import annotations

import click

from referee.cli.options import OUTPUT, PAGE, shared
from referee.errors import UsageError


@click.command()
@click.argument("name", required=False)
@click.option("--proper", type=click.Choice(["strictly", "weakly", "no"]), help="Proper scoring rules.")
@click.option("--needs", type=click.Choice(["labels", "scores", "probabilities", "values", "quantiles"]))
@click.option("--task", type=click.Choice(["binary", "multiclass", "regression", "scores"]))
@click.option("--better", type=click.Choice(["higher", "lower"]))
@click.option("--threshold/--no-threshold", default=None, help="Depends on a threshold, or does not.")
@click.option("--prevalence/--no-prevalence", default=None, help="Depends on how rare the classes are, or does not.")
@click.option("--additive/--not-additive", default=None, help="Is an average over rows, or is not.")
@click.option("--show-proper", is_flag=True, help="Draw what a metric rewards: honest probabilities, or others.")
@shared([OUTPUT[0]], PAGE)
def command(name: str | None, form: str, html: str | None, show_proper: bool, **wanted: str | bool | None) -> None:
    """List the metrics, filtered by property, or show the card of one: `referee metrics f_beta`."""
    from referee.cli.catalogues import refuse_filters, show_entries
    from referee.scoring import METRIC_CARDS, metrics

    if not show_proper:
        show_entries(name, form, html, wanted, metrics, METRIC_CARDS)
        return
    from referee.cli.output import save_page_of, show
    from referee.scoring import SCORES, Rewards

    if name is None:
        raise UsageError("E_USAGE", "--show-proper draws one metric", hint="referee metrics brier --show-proper")
    refuse_filters(name, "metric", wanted)
    if metrics[name].tasks == SCORES:
        raise UsageError(
            "E_USAGE", f"{name} is of scores without a truth, so there are no reports that it could reward"
        )
    rewards = Rewards(metrics[name])
    save_page_of(rewards, html)
    show(rewards, form)

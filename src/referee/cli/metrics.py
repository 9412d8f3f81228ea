"""`referee metrics`: the catalogue, or one metric's card."""

from __future__ import annotations

import click

from referee.cli.options import OUTPUT, shared
from referee.errors import UsageError


@click.command()
@click.argument("name", required=False)
@click.option("--proper", type=click.Choice(["strictly", "weakly", "no"]), help="Proper scoring rules.")
@click.option("--needs", type=click.Choice(["labels", "scores", "probabilities", "values", "quantiles"]))
@click.option("--task", type=click.Choice(["binary", "multiclass", "regression"]))
@click.option("--better", type=click.Choice(["higher", "lower"]))
@click.option("--threshold/--no-threshold", default=None, help="Depends on a threshold, or does not.")
@click.option("--prevalence/--no-prevalence", default=None, help="Depends on how rare the classes are, or does not.")
@click.option("--additive/--not-additive", default=None, help="Is an average over rows, or is not.")
@shared([OUTPUT[0]])
def command(name: str | None, form: str, **wanted: str | bool | None) -> None:
    """List the metrics, filtered by property, or show the card of one: `referee metrics f_beta`."""
    from referee.metric import metrics
    from referee.report.cards import show_card, show_catalogue

    if name is not None:
        _refuse_filters(name, wanted)
        show_card(metrics[name], form)
    else:
        show_catalogue([metric for metric in metrics.values() if has_properties(metric, wanted)], form)


def _refuse_filters(name: str, wanted: dict[str, str | bool | None]) -> None:
    given = [key for key, value in wanted.items() if value is not None]
    if given:
        raise UsageError(
            "E_USAGE",
            f"{name!r} names one metric, and --{given[0]} filters the list of them",
            hint="give a name or filters, not both",
        )


def has_properties(metric: object, wanted: dict[str, str | bool | None]) -> bool:
    """Whether a metric has all the properties that were asked for."""
    names = {"threshold": "depends_on_threshold", "prevalence": "depends_on_prevalence", "task": "tasks"}
    for key, value in wanted.items():
        if value is None:
            continue
        found = getattr(metric, names.get(key, key))
        if value not in found if key == "task" else found != value:
            return False
    return True

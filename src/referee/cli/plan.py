"""`referee plan`: how many rows it takes to find a difference."""

from __future__ import annotations

from typing import Any

import click

from referee.cli.inputs import named_goal, read_sources
from referee.cli.options import (
    COLUMNS,
    FIGURES,
    PAGE,
    PAPER_OUTPUT,
    READING,
    ROW_KIND,
    SCORES,
    SERVER,
    SIZE,
    TIME,
    shared,
)
from referee.errors import UsageError
from referee.predictions.scored_rows import ROW_KINDS

WITHOUT_ROWS = [option for option in SCORES if option is not ROW_KIND]


@click.command()
@click.option("--goal", metavar="METRIC", help="The metric that will decide, such as roc_auc.")
@click.option("--margin", type=float, metavar="D", help="The difference to detect, in units of the metric.")
@click.option(
    "--rows",
    multiple=True,
    metavar="N",
    help="The difference that N rows detect; with --task scores, also what a row is.",
)
@click.option("--pilot", multiple=True, metavar="SOURCE", help="Predictions or scores of the models, on some rows.")
@click.option("--value", type=float, metavar="V", help="Without a pilot: the metric's value.")
@click.option(
    "--correlation", type=float, metavar="R", help="Without a pilot: the correlation of the models' results on a row."
)
@click.option("--prevalence", type=float, metavar="SHARE", help="Without a pilot: the share of positives.")
@click.option(
    "--for",
    "claim",
    type=click.Choice(["better", "not_worse"]),
    default="better",
    show_default=True,
    help="To name a winner, or to pass a gate with the margin.",
)
@click.option("--power", type=float, default=0.8, show_default=True, help="Probability of detecting the difference.")
@shared([SIZE], TIME, COLUMNS, WITHOUT_ROWS, READING, SERVER, PAPER_OUTPUT, PAGE, FIGURES)
def command(
    goal: str | None,
    rows: tuple[str, ...],
    pilot: tuple[str, ...],
    form: str,
    quiet: bool,
    html: str | None,
    whole: bool,
    seed: int,  # noqa: ARG001 (every command has it, and nothing is drawn here)
    **given: Any,
) -> None:
    """Plan a test set before it is collected: rows needed to detect a difference, or the difference N rows detect.

    From a pilot, which shows how much the models' results vary, or from the guesses --value and --correlation.
    """
    from referee.advice import plan
    from referee.cli.output import save_page_of, show

    names = ("margin", "value", "correlation", "prevalence", "claim", "power", "alpha")
    asked = {name: given.pop(name) for name in (*names, "horizon")}
    number, kind = _number_and_kind(rows)
    columns = given | {"rows": kind}
    if pilot:
        sizes = None if given["task"] == "scores" else given["train_size"]
        goal = named_goal(goal, pilot, lambda: read_sources(pilot, [], (), push_down=False, **columns), given["task"])
        predictions = read_sources(pilot, [goal], (), push_down=False, **columns)
        result = plan(predictions, goal=goal, rows=number, train_size=sizes, **asked)
    else:
        result = plan(goal=goal, rows=number, time=given["time"], **asked)
    save_page_of(result, html, given["figures"])
    show(result, form, quiet=quiet, whole=whole)


def _number_and_kind(given: tuple[str, ...]) -> tuple[int | None, str | None]:
    """`--rows 500` asks about 500 rows; `--rows folds` says what the rows of a pilot are.

    >>> _number_and_kind(("folds", "500"))
    (500, 'folds')
    """
    kinds = [word for word in given if word in ROW_KINDS]
    numbers = [word for word in given if word not in ROW_KINDS]
    if len(kinds) > 1 or len(numbers) > 1 or not all(word.replace(",", "").isdigit() for word in numbers):
        raise UsageError(
            "E_PLAN", f"--rows {' '.join(given)}: a whole number is needed, or what the rows of a pilot are",
            hint="--rows 500, --rows folds",
        )  # fmt: skip
    return (int(numbers[0].replace(",", "")) if numbers else None), (kinds[0] if kinds else None)

"""`referee study --on DATA`: the options and the run of the study on the user's own data."""

from __future__ import annotations

from typing import Any

import click

from referee.cli.options import READING, label_list, reading_options, size
from referee.errors import UsageError


def _parameters_of(add: Any) -> list[click.Parameter]:
    """What an option adds to a command."""
    return list(add(lambda: None).__click_params__)


OWN = [
    click.option("--on", metavar="DATA", help="Ask the same of your own data: a table with features and target."),
    click.option("--target", metavar="COL", help="With --on: the column to predict."),
    click.option("--models", multiple=True, metavar="SPEC,SPEC", help="With --on: such as tree,knn(k=5),logistic."),
    click.option("--goal", metavar="METRIC", help="With --on: the goal metric; without one, all are asked."),
    click.option("--subsets", type=click.IntRange(2), help="With --on: of each part, for the paper's t-test."),
    click.option("--positive", metavar="LABEL", help="With --on: the positive class."),
    click.option("--classes", metavar="A,B,C", help="With --on: all classes, where one is in doubt."),
    click.option("--drop-label", metavar="A,B", help="With --on: leave out the rows with these labels."),
    click.option(
        "--task", type=click.Choice(["binary", "multiclass", "regression"]), help="With --on: if it could be two."
    ),
    click.option("--id", metavar="COL", help="With --on: identifies a row; no feature."),
    click.option("--group", metavar="COL", help="With --on: rows that belong together; no feature."),
    click.option("--weight", metavar="COL", help="With --on: the rows' weights; no feature."),
    click.option("--timeout", type=click.FloatRange(0, min_open=True), metavar="S", help="With --on: for one fit."),
    *READING,
]
OWN_NAMES = {parameter.name for add in OWN for parameter in _parameters_of(add)}
FOR_BOTH = {
    "repetitions", "metrics", "train", "holdout", "out", "jobs", "html", "figures", "form", "alpha", "seed", "quiet",
    "whole",
}  # fmt: skip


def is_on_own_data(context: click.Context) -> bool:
    """Whether --on was given; options that belong to the other study are refused."""
    default = click.core.ParameterSource.DEFAULT
    given = {name for name in context.params if context.get_parameter_source(name) is not default}
    on = context.params["on"] is not None
    foreign = given - OWN_NAMES - FOR_BOTH if on else given & OWN_NAMES
    if foreign:
        option = f"--{min(foreign).replace('_', '-')}"
        why = "belongs to the paper's experiment, not to --on" if on else "is for your own data: say --on DATA, too"
        raise UsageError("E_USAGE", f"{option} {why}")
    return on


def study_on(given: dict[str, Any], form: str, html: str | None, *, quiet: bool) -> None:
    """Run the study on the user's own data and show it."""
    from referee.catalogue import split_list
    from referee.cli.output import save_page_of, say_failures, show
    from referee.fitting import read_dataset
    from referee.paper import study_own_data
    from referee.scoring import metrics

    if not given["target"] or not given["models"]:
        missing = "--models SPEC,SPEC" if given["target"] else "--target COL"
        raise UsageError("E_USAGE", f"--on needs {missing}", hint="`referee study --help` shows the options")
    roles = {name: given[name] for name in ("task", "id", "group", "weight")}
    asked = [name for name in (given["goal"], *split_list(given["metrics"] or "")) if name]
    roles |= {name: label_list(given[name]) for name in ("positive", "classes")}
    roles["drop_label"] = label_list(given["drop_label"], empty=True)
    data = read_dataset(
        given["on"], given["target"], options=reading_options(given), metrics=[metrics[name] for name in asked], **roles
    )
    names = ("goal", "alpha", "seed", "metrics", "repetitions", "train", "holdout", "subsets", "jobs", "timeout")
    study = study_own_data(
        [spec for text in given["models"] for spec in split_list(text)], data, store=given["out"],
        max_memory=size(given["max_memory"]), quiet=quiet, **{n: given[n] for n in names if given[n] is not None},
    )  # fmt: skip
    save_page_of(study, html, given["figures"])
    show(study, form, quiet=quiet, document=study.document(whole=given["whole"]))
    say_failures(study.failures)
    if study.failures:
        raise click.exceptions.Exit(5)

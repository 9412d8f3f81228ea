"""`referee select`: fit, resample, compare."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from referee.cli.commands import Answered
from referee.cli.inputs import named_goal, reading_options, size
from referee.cli.options import EXPLAIN, FIGURES, KEEPING, PAGE, PAPER_OUTPUT, READING, shared


@click.command()
@click.argument("source", metavar="DATA")
@click.option("--target", required=True, metavar="COL", help="The column to predict.")
@click.option(
    "--models", required=True, multiple=True, metavar="SPEC,SPEC", help="Models such as tree,knn(k=5),my.module:model."
)
@click.option("--goal", metavar="METRIC", help="The metric that decides, such as roc_auc.")
@click.option(
    "--scheme",
    default="random_subsampling",
    show_default=True,
    help="The resampling scheme; `referee schemes` lists them.",
)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Number of worker processes.")
@click.option("--cluster", metavar="ADDRESS", help="Fit on a Dask cluster: the address of its scheduler.")
@click.option("--out", metavar="DIR", help="Keep all fits here; an interrupted run resumes.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), metavar="S", help="Time limit for one fit, in seconds."
)
@click.option(
    "--task", type=click.Choice(["binary", "multiclass", "regression"]), help="Type of task, if it cannot be inferred."
)
@click.option("--positive", metavar="LABEL", help="The positive class, or several: A,B,C vs the rest.")
@click.option("--classes", metavar="A,B,C", help="All classes, if the target is ambiguous.")
@click.option("--drop-label", metavar="A,B", help="Leave out the rows with these labels, such as '?'.")
@click.option("--id", metavar="COL", help="The column that identifies a row; not a feature.")
@click.option("--group", metavar="COL", help="The column of rows that stay together in each split; not a feature.")
@click.option("--time", metavar="COL", help="The column with the time of a row; not a feature.")
@click.option("--weight", metavar="COL", help="The column with the rows' weights; not a feature.")
@click.option("--margin", type=float, metavar="D", help="The difference that matters, in units of the goal.")
@click.option(
    "--test",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="The significance test; `referee tests` lists them.",
)
@click.option("--robustness", metavar="KIND=RATE,...", help="Also fit with noise: `default`, label_noise=0.1,0.2 ...")
@click.option("--learning-curve", metavar="SIZES", help="Also fit on fewer rows: `default`, 0.25,0.5 or 100,200.")
@click.option(
    "--simplest-first", is_flag=True, help="--models are ordered from simple to complex (one-standard-error rule)."
)
@click.option(
    "--penalty",
    type=click.Choice(["aic", "bic", "mdl", "vc"]),
    help="Also show what a complexity penalty would choose; it never replaces the verdict.",
)
@click.option("--check", is_flag=True, help="Fit each model once more, and check that it gives the same predictions.")
@shared(EXPLAIN, READING, PAPER_OUTPUT, PAGE, FIGURES, KEEPING)
def command(
    source: str, models: tuple[str, ...], goal: str | None, explain: bool, form: str, quiet: bool, **given: Any
) -> None:
    """Fit every model on the same splits of DATA and name the winner on the goal metric, or a tie."""
    from referee.catalogue import split_list
    from referee.cli.inputs import label_list
    from referee.cli.output import keep, save_page_of, say_failures, show
    from referee.fitting import read_dataset, select
    from referee.scoring import metrics

    roles = {name: given[name] for name in ("task", "id", "group", "time", "weight")}
    roles |= {name: label_list(given[name]) for name in ("positive", "classes")}
    roles["drop_label"] = label_list(given["drop_label"], empty=True)
    read = partial(read_dataset, source, given["target"], options=reading_options(given), **roles)
    goal = named_goal(goal, [source], read, given["task"])
    data = read(metrics=[metrics[goal]])
    names = ("scheme", "jobs", "cluster", "timeout", "margin", "test", "alpha", "seed")
    beside = ("robustness", "learning_curve", "simplest_first", "penalty", "check")
    asked = {name: given[name] for name in (*names, *beside)}
    specs = [spec for text in models for spec in split_list(text)]
    verdict = select(
        specs, data, goal=goal, store=given["out"], max_memory=size(given["max_memory"]), quiet=quiet, **asked
    )
    keep(verdict, given.pop("save_to"))
    save_page_of(verdict, given["html"], given["figures"], explain=explain)
    show(verdict, form, quiet=quiet, whole=given["whole"], explain=explain)
    if verdict.selection is not None and verdict.selection.failures:
        say_failures(verdict.selection.failures)
        raise Answered(5)

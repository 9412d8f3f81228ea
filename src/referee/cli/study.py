"""`referee study`: the paper's experiment, on its data or on your own."""

from __future__ import annotations

import re
from typing import Any

import click

from referee.cli.commands import Answered
from referee.cli.inputs import label_list, reading_options, size
from referee.cli.options import FIGURES, OUTPUT, PAGE, READING, shared
from referee.errors import UsageError


def _parameters_of(add: Any) -> list[click.Parameter]:
    """What an option adds to a command."""
    return list(add(lambda: None).__click_params__)


OWN = [
    click.option(
        "--on", metavar="DATA", help="Ask the same question of your own data: a table with features and a target."
    ),
    click.option("--target", metavar="COL", help="With --on: the column to predict."),
    click.option(
        "--models", multiple=True, metavar="SPEC,SPEC", help="With --on: models such as tree,knn(k=5),logistic."
    ),
    click.option("--goal", metavar="METRIC", help="With --on: the goal metric (default: every metric in turn)."),
    click.option(
        "--goals", metavar="METRIC=WEIGHT,...", help="With --on: the possible goals, if the goal is undecided."
    ),
    click.option(
        "--deals", type=click.IntRange(1), help="With --on: pairs of holdout and test parts for each fit. [default: 16]"
    ),
    click.option("--subsets", type=click.IntRange(2), help="With --on: subsets of each part, for the paper's t-test."),
    click.option("--positive", metavar="LABEL", help="With --on: the positive class."),
    click.option("--classes", metavar="A,B,C", help="With --on: all classes, if the target is ambiguous."),
    click.option("--drop-label", metavar="A,B", help="With --on: leave out the rows with these labels."),
    click.option(
        "--task",
        type=click.Choice(["binary", "multiclass", "regression"]),
        help="With --on: type of task, if it cannot be inferred.",
    ),
    click.option("--id", metavar="COL", help="With --on: the column that identifies a row."),
    click.option("--group", metavar="COL", help="With --on: the column that says which rows belong together."),
    click.option("--weight", metavar="COL", help="With --on: the column with the rows' weights."),
    click.option(
        "--timeout",
        type=click.FloatRange(0, min_open=True),
        metavar="S",
        help="With --on: time limit for one fit, in seconds.",
    ),
    *READING,
]
OWN_NAMES = {parameter.name for add in OWN for parameter in _parameters_of(add)}
FOR_BOTH = {
    "repetitions", "metrics", "train", "holdout", "out", "jobs", "html", "figures", "form", "alpha", "seed", "quiet",
    "whole",
}  # fmt: skip


@click.command()
@click.option("--tables", default="1-7", show_default=True, metavar="N-N", help="Tables of the paper, such as 2,5-7.")
@click.option(
    "--repetitions",
    type=click.IntRange(1),
    help="Number of repetitions, each with its own split.  [default: 100; --on: 30]",
)
@click.option("--data", metavar="DIR", help="The folder of the UCI data sets (default: the cache).")
@click.option("--download", is_flag=True, help="Download missing data sets into the cache.")
@click.option("--data-sets", metavar="A,B", help="Use only these of the five data sets.")
@click.option("--out", metavar="DIR", help="Keep all repetitions here; an interrupted run resumes.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Number of worker processes.")
@click.option("--pen-digits", metavar="A,B,C", help="The positive pen digits.  [default: 0,1,2]")
@click.option("--pair", multiple=True, metavar="NAME=SPEC,SPEC", help="Other models for a pair, or an additional pair.")
@click.option(
    "--metrics", metavar="paper|eight", help="The paper's six metrics, Huang and Ling's eight, or with --on a list."
)
@click.option("--train", type=float, metavar="SHARE", help="Share of the rows to train on.  [default: 0.1; --on: 0.5]")
@click.option(
    "--holdout", type=float, metavar="SHARE", help="Share of the rows to select on.  [default: 0.45; --on: 0.25]"
)
@click.option(
    "--test-subsets", type=click.IntRange(2), help="Number of subsets in Tables 2, 3, 4 and 6.  [default: 100]"
)
@click.option(
    "--holdout-subsets",
    type=click.IntRange(2),
    help="Number of subsets in Tables 5 and 7, and of the test rows.  [default: 50]",
)
@click.option(
    "--retrain/--repartition", default=None, help="Fit new models in each repetition, or only draw new subsets."
)
@click.option("--clip", type=float, metavar="P", help="The smallest probability that MXE uses.  [default: 1e-6]")
@click.option("--ties", type=click.Choice(["half", "strict", "excluded"]), help="How tied subsets count in Table 2.")
@click.option("--map", "mapped", is_flag=True, help="Make the regret map: what choosing on 50 to 2,000 rows costs.")
@click.option("--average", type=click.Choice(["plain", "normalised"]), help="How the five metrics are averaged.")
@shared(OWN, PAGE, FIGURES, OUTPUT)
@click.pass_context
def command(context: click.Context, /, tables: str, form: str, quiet: bool, html: str | None, **given: Any) -> None:
    """Ask which metric selects the model that is best on the goal metric: the paper's experiment, or your own data."""
    if is_on_own_data(context):
        study_on(given, form, html, quiet=quiet)
        return
    if given.pop("mapped"):
        study_map(context, given, form, html, quiet=quiet)
        return
    given = {name: value for name, value in given.items() if name not in {*OWN_NAMES, "whole"}}
    from referee.cli.output import save_page_of, show
    from referee.paper import run

    places = {name: given.pop(name) for name in ("data", "download", "jobs")}
    names, store, figures = given.pop("data_sets"), given.pop("out"), given.pop("figures")
    chosen: dict[str, Any] = {} if names is None else {"data_sets": _listed(names)}
    study = run(tables=table_numbers(tables), store=store, quiet=quiet, **places, **chosen, **_settings(given))
    save_page_of(study, html, figures)
    show(study, form, quiet=quiet)


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """What was said of the experiment; the rest stays as it is."""
    from referee.paper import with_pairs

    digits, pairs = given.pop("pen_digits"), given.pop("pair")
    said = {name: value for name, value in given.items() if value is not None}
    said |= {} if digits is None else {"pen_digits": _listed(digits)}
    return said | ({"pairs": with_pairs(pairs)} if pairs else {})


def _listed(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def table_numbers(text: str) -> tuple[int, ...]:
    """Read the numbers of tables.

    >>> table_numbers("2,5-7")
    (2, 5, 6, 7)
    """
    numbers: list[int] = []
    for word in text.split(","):
        ends = re.fullmatch(r"\s*(\d{1,3})\s*(?:-\s*(\d{1,3})\s*)?", word)
        if not ends:
            raise UsageError(
                "E_TABLES", f"--tables {text!r}: {word!r} is not the number of a table", hint="such as 2,5-7"
            )
        numbers += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    return tuple(dict.fromkeys(numbers))


def is_on_own_data(context: click.Context) -> bool:
    """Whether --on was given; options that belong to the other study are refused."""
    given = _given(context)
    on = context.params["on"] is not None
    foreign = given - OWN_NAMES - FOR_BOTH if on else given & OWN_NAMES
    if foreign:
        option = f"--{min(foreign).replace('_', '-')}"
        why = "belongs to the paper's experiment, not to --on" if on else "is for your own data: also use --on DATA"
        raise UsageError("E_USAGE", f"{option} {why}")
    return on


FOR_MAP = {"mapped", "data", "download", "data_sets", "out", "jobs", "repetitions", "seed", "html", "figures", "form"}
FOR_MAP |= {"quiet", "whole"}


def study_map(context: click.Context, given: dict[str, Any], form: str, html: str | None, *, quiet: bool) -> None:
    """Make the regret map of the paper's data sets and show it; --repetitions are training sets of each."""
    from referee.cli.output import save_page_of, show
    from referee.paper import regret_map

    if foreign := _given(context) - FOR_MAP:
        raise UsageError("E_USAGE", f"--{min(foreign).replace('_', '-')} does not belong to --map")
    names, splits = given["data_sets"], given["repetitions"]
    chosen: dict[str, Any] = {} if names is None else {"data_sets": _listed(names)}
    chosen |= {} if splits is None else {"splits": splits}
    mapped = regret_map(
        given["data"], store=given["out"], jobs=given["jobs"], download=given["download"], seed=given["seed"],
        quiet=quiet, **chosen,
    )  # fmt: skip
    save_page_of(mapped, html, given["figures"])
    show(mapped, form, quiet=quiet)


def _given(context: click.Context) -> set[str]:
    """What was said, and not left as it is."""
    default = click.core.ParameterSource.DEFAULT
    return {name for name in context.params if context.get_parameter_source(name) is not default}


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
    names = (
        "goal",
        "goals",
        "deals",
        "alpha",
        "seed",
        "metrics",
        "repetitions",
        "train",
        "holdout",
        "subsets",
        "jobs",
        "timeout",
    )
    study = study_own_data(
        [spec for text in given["models"] for spec in split_list(text)], data, store=given["out"],
        max_memory=size(given["max_memory"]), quiet=quiet, **{n: given[n] for n in names if given[n] is not None},
    )  # fmt: skip
    save_page_of(study, html, given["figures"])
    show(study, form, quiet=quiet, document=study.document(whole=given["whole"]))
    say_failures(study.failures)
    if study.failures:
        raise Answered(5)

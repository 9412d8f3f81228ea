"""Options that several commands share, and what they say of the predictions."""

from __future__ import annotations

from contextlib import suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from referee.cli.configuration import read_config
from referee.cli.without_pandas import keep_pandas_out
from referee.errors import SMALLEST_ALPHA, UsageError
from referee.predictions.scored_rows import DIRECTIONS, ROW_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.fitting import DataSet
    from referee.predictions import Predictions, ReadOptions
    from referee.scoring import Task

Command = TypeVar("Command", bound="Callable[..., Any]")

COLUMNS = [
    click.option("--truth", metavar="COL", help="The column that holds the truth."),
    click.option(
        "--task",
        type=click.Choice(["binary", "multiclass", "regression", "scores", "ranking", "multilabel"]),
        help="Type of task, if it cannot be inferred; scores: a table of scores without a truth.",
    ),
    click.option("--positive", metavar="LABEL", help="The positive class, or several: A,B,C vs the rest."),
    click.option("--classes", metavar="A,B,C", help="All classes, if the truth lacks some or their number is unclear."),
    click.option("--drop-label", metavar="A,B", help="Leave out the rows with these labels, such as '?'."),
    click.option(
        "--models", multiple=True, metavar="A,B", help="Columns with predictions (default: all with numbers but ids)."
    ),
    click.option(
        "--model", multiple=True, metavar="NAME=COL", help="A model's column, or its pattern: p_{class}, p_{bound}."
    ),
    click.option("--label", multiple=True, metavar="NAME=COL", help="The column with a model's own decisions."),
    click.option("--id", metavar="COL", help="The column that identifies a row; joins several sources."),
    click.option("--weight", metavar="COL", help="The column with the rows' weights."),
    click.option(
        "--weight-kind",
        type=click.Choice(["probability", "frequency"]),
        default="probability",
        help="What a weight means: rows that it stands for, or times that a row was seen.",
    ),
    click.option("--group", metavar="COL", help="The column of rows that belong together (a person, a document)."),
    click.option(
        "--query", metavar="COL", help="The column of what items are ranked for; the truth is their relevance."
    ),
    click.option("--fold", metavar="COL", help="The column with the fold in which a row was predicted."),
    click.option("--repeat", metavar="COL", help="The column with the repeat of the cross-validation."),
    click.option("--baseline", metavar="COL", help="The column with the mean of the training rows, for RAE and RRSE."),
    click.option(
        "--interval", type=float, metavar="0.9", help="The coverage that columns NAME:lower and NAME:upper promise."
    ),
    click.option(
        "--threshold", type=float, default=0.5, show_default=True, help="Scores from here on are called positive."
    ),
]
READING = [
    click.option("--table", metavar="NAME", help="The table of a database."),
    click.option("--sql", metavar="QUERY", help="A query to a database, whose result is the table."),
    click.option("--encoding", help="Encoding of a text file (default: by its mark, else UTF-8)."),
    click.option("--delimiter", help="Delimiter of a CSV file (default: inferred from its header)."),
    click.option("--decimal", default=".", show_default=True, help="The decimal mark of a CSV file."),
    click.option(
        "--on-missing",
        type=click.Choice(["error", "drop"]),
        default="error",
        help="What to do with ids that some sources lack.",
    ),
    click.option("--max-memory", metavar="SIZE", help="Memory limit, such as 2GB (default: half of the machine's)."),
]
ENGINES = ["auto", "memory", "stream", "database", "spark"]
SERVER = [
    click.option(
        "--engine",
        type=click.Choice(ENGINES),
        default="auto",
        show_default=True,
        help="Where rows are summed up: here, here in batches, or where they are.",
    ),
    click.option(
        "--timeout",
        "query_timeout",
        type=click.FloatRange(0, min_open=True),
        metavar="S",
        help="Most seconds that a database server may take for one query (default: 600).",
    ),
]
"""Of commands that leave predictions where they are."""
TIME = [
    click.option("--time", metavar="COL", help="The column with the time of a row; rows close in time may be alike."),
    click.option(
        "--horizon", type=click.IntRange(1), metavar="H", help="With --time: how many steps forecasts look ahead."
    ),
]
"""Of commands that compare rows."""
SIZE = click.option(
    "--train-size", type=click.FloatRange(1), metavar="N", help="How many training rows each split had."
)
TESTING = [
    click.option("--goal", metavar="METRIC", help="The metric that decides, such as roc_auc."),
    click.option(
        "--test",
        default="auto",
        show_default=True,
        metavar="NAME",
        help="The significance test; `referee tests` lists them.",
    ),
    click.option("--by", multiple=True, metavar="COL", help="Also score each value of a column."),
    click.option(
        "--unit",
        type=click.Choice(["row", "fold", "slice"]),
        help="What is compared: rows, folds, or the values of --by (data sets).",
    ),
    click.option("--subsets", type=int, metavar="N", help="Divide the rows into N equal subsets and compare these."),
    click.option(
        "--partitions", type=click.IntRange(1), default=25, show_default=True, help="How often to divide the rows."
    ),
    SIZE,
]
ROW_KIND = click.option("--rows", type=click.Choice(ROW_KINDS), help="What a row of scores is (default: an item).")
SCORES = [
    click.option("--better", type=click.Choice(DIRECTIONS), help="Which scores are better (default: higher)."),
    ROW_KIND,
    click.option("--dataset", metavar="COL", help="The column with the data set of a score."),
    click.option("--model-column", metavar="COL", help="In a long table: the column with the model."),
    click.option("--score-column", metavar="COL", help="In a long table: the column with the score."),
    click.option("--winner", metavar="COL", help="In judgements: the column with the preferred model, or tie."),
    click.option("--on-repeated", type=click.Choice(["error", "average"]), help="What to do with repeated scores."),
    click.option("--seed-column", metavar="COL", help="The column with the seed of a run, if there are several."),
    click.option("--test-size", type=click.FloatRange(1), metavar="N", help="How many test rows each split had."),
    click.option("--test-fraction", type=float, metavar="F", help="The share of test rows: 0.1 for ten folds."),
]
"""Of commands that also take tables of scores."""
FORMATS = ["text", "json", "csv", "md"]
OUTPUT = [
    click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="Format of the output."),
    click.option("--alpha", type=click.FloatRange(SMALLEST_ALPHA, 1, max_open=True), default=0.05, show_default=True),
    click.option("--seed", type=int, default=0, show_default=True),
    click.option("--quiet", is_flag=True, help="Print the result only."),
    click.option("--all", "whole", is_flag=True, help="Show everything, and long tables in full."),
    click.option("--config", metavar="FILE.toml", is_eager=True, expose_value=False, help="Read options from a file.",
                 callback=lambda ctx, _, path: read_config(ctx, path)),
]  # fmt: skip
PAPER_FORMATS = [*FORMATS, "latex"]
PAPER_OUTPUT = [
    click.option("--format", "form", type=click.Choice(PAPER_FORMATS), default="text", help="Format of the output."),
    *OUTPUT[1:],
]
"""Of commands whose results go into papers."""


def _writable(_context: click.Context, _option: click.Parameter, path: str | None) -> str | None:
    """Stop before the work, not after it."""
    if path is not None:
        from referee.page import refuse_no_page

        refuse_no_page(path)
    return path


def _folder(_context: click.Context, _option: click.Parameter, path: str | None) -> str | None:
    if path is not None:
        from referee.page import refuse_folder

        refuse_folder(path)
    return path


EXPLAIN = [click.option("--explain", is_flag=True, help="Write out each formula with these numbers.")]
FIGURES = [
    click.option("--figures", metavar="DIR", callback=_folder, help="Also write the page's charts as SVG and PNG."),
]
PAGE = [
    click.option("--html", metavar="FILE", callback=_writable, help="Also write a page that works offline."),
]


def shared(*groups: list[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Add groups of options to a command."""

    def add(command: Command) -> Command:
        for option in reversed([option for group in groups for option in group]):
            command = option(command)
        return command

    return add


def read_sources(
    sources: Sequence[str], metrics: Sequence[str], by: Sequence[str], *, push_down: bool = True, **given: Any
) -> Predictions:
    """Read the sources as the options say; without `push_down` a database's rows are read, too."""
    from referee.predictions import Predictions, Roles, read_predictions
    from referee.scoring import metrics as catalogue

    tables, given = _with_told(sources, given)
    if given["task"] == "scores":
        return _score_sources(tables, by, given)
    if alone := [name for name in OF_SCORES if given.get(name) is not None]:
        option = f"--{alone[0].replace('_', '-')}"
        raise UsageError("E_ROLE", f"{option} is for tables of scores without a truth", hint="also say --task scores")
    if not given["truth"]:
        raise UsageError("E_NOTRUTH", "which column holds the truth?", hint=_hint_of_truth(sources, given))
    names = (
        "truth", "task", "id", "weight", "weight_kind", "group", "query", "fold", "repeat", "baseline", "interval",
        "threshold", "on_missing",
    )  # fmt: skip
    roles = Roles.of(
        **{name: given[name] for name in (*names, "models", "columns", "labels")},
        time=given.get("time"),
        classes=label_list(given["classes"]),
        positive=label_list(given["positive"]),
        drop_label=label_list(given["drop_label"], empty=True),
        by=tuple(by),
        metrics=tuple(catalogue[name] for name in metrics if name != "goal"),
    )
    return read_predictions(Predictions, tables, roles, reading_options(given, push_down=push_down))


def _with_told(sources: Sequence[str], given: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """The models' columns, and whatever files say of themselves where no option does."""
    from referee.predictions import assignments, name_list, with_told

    models, columns = name_list(given["models"]), assignments(given["model"], "--model")
    said = {name: given.get(name) for name in ("score_column", "id", "group", "fold", "repeat", "dataset")}
    said |= {"models": columns or models, "options": reading_options(given)}
    tables, told = with_told(sources, said)
    given = given | {name: told[name] for name in given.keys() & told.keys() if given[name] is None}
    own = told.get("models") if isinstance(told.get("models"), dict) else None
    given |= {"models": models if own in (None, columns) else None, "columns": own or {}}
    return tables, given | {"labels": assignments(given["label"], "--label") or told.get("labels") or {}}


SMALL = 50_000_000
"""Bytes that are read only to name the usual goals of a task, or to say what a table may be."""
OF_SCORES = (
    "better", "rows", "dataset", "model_column", "score_column", "seed_column", "winner", "test_size", "test_fraction",
    "on_repeated",
)  # fmt: skip
NEED_TRUTH = ("truth", "positive", "classes", "drop_label", "label", "weight", "query", "baseline", "interval")


def _score_sources(sources: Sequence[Any], by: Sequence[str], given: dict[str, Any]) -> Predictions:
    """Tables of scores without a truth."""
    from referee.predictions import Predictions, ScoreRoles, read_scores

    if "better" not in given:
        raise UsageError("E_TASK", "this command needs predictions and a truth, and scores have neither")
    for name in NEED_TRUTH:
        if given[name]:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(
                "E_ROLE", f"a table of scores has no {option}", hint=f"leave {option} or --task scores out"
            )
    names = (
        "model_column", "score_column", "seed_column", "winner", "rows", "better", "id", "dataset", "fold", "repeat",
        "group", "on_missing", "on_repeated", "train_size", "test_size", "test_fraction", "models", "columns",
    )  # fmt: skip
    roles = ScoreRoles.of(**{name: given[name] for name in names}, time=given.get("time"), by=tuple(by))
    return read_scores(Predictions, sources, roles, reading_options(given))


def _hint_of_truth(sources: Sequence[str], given: dict[str, Any]) -> str:
    from referee.predictions import could_be_scores

    may_be = "better" in given and sum(map(_size_of, sources)) <= SMALL
    if may_be and could_be_scores(sources, reading_options(given)):
        return "say --truth COL, or --task scores if the columns are scores of models, not predictions"
    return "say --truth COL"


def named_goal(
    goal: str | None, sources: Sequence[str], read: Callable[[], Predictions | DataSet], task: Task | None
) -> str:
    """The goal; where none is named, a refusal that knows the task, as long as finding out takes no time."""
    from referee.errors import RefereeError
    from referee.predictions import tells
    from referee.scoring import goal_of

    if goal is None and task is None and any(map(tells, sources)):
        task = read().task
    elif goal is None and task is None and sum(map(_size_of, sources)) <= SMALL:
        with suppress(RefereeError):
            task = read().task
    return goal if goal is not None else goal_of(None, task).full_name


def _size_of(source: str) -> float:
    return Path(source).stat().st_size if Path(source).is_file() else inf


def run_or_sources(
    sources: Sequence[str], metrics: Sequence[str], by: Sequence[str], *, push_down: bool = False, **given: Any
) -> Predictions:
    """The predictions of a run that `referee select --out` has kept, or those in the sources."""
    if len(sources) == 1 and Path(sources[0]).is_dir():
        from referee.fitting import is_run, read_run

        if is_run(sources[0]):
            if given.get("time"):
                raise UsageError("E_ROLE", "--time is for rows, and the splits of a run of `select` are compared")
            return read_run(sources[0], positive=label_list(given["positive"]))
    return read_sources(sources, metrics, by, push_down=push_down, **given)


def reading_options(given: dict[str, Any], *, push_down: bool = True) -> ReadOptions:
    """What was said of the sources."""
    from referee.predictions import ReadOptions

    keep_pandas_out()
    names = ("table", "sql", "delimiter", "encoding", "decimal")
    said = {name: given[name] for name in names} | {"timeout": given.get("query_timeout")}
    said |= {"engine": given.get("engine", "auto"), "say": None if given.get("quiet") else _say}
    return ReadOptions(**said, max_memory=size(given["max_memory"]), push_down=push_down)


def _say(text: str) -> None:
    click.echo(text, err=True)


def label_list(given: str | None, *, empty: bool = False) -> tuple[str, ...] | None:
    """Labels as a CSV row writes them; with `empty` one may be nothing, which rows without a label have.

    >>> label_list("a,b"), label_list("", empty=True), label_list("?,", empty=True)
    (('a', 'b'), ('',), ('?', ''))
    """
    from referee.predictions import csv_row

    return None if given is None else tuple(csv_row(given, empty=empty))


def size(text: str | None) -> int | None:
    """Read a size in bytes.

    >>> size("2GB"), size("512 MiB")
    (2000000000, 536870912)
    """
    if text is None:
        return None
    number = text.strip().lower().rstrip("bi kmgt")
    unit = text.strip().lower()[len(number) :].strip()
    factor = {"": 1, "b": 1} | {f"{p}b": 1000**k for k, p in enumerate("kmgt", 1)}
    factor |= {f"{p}ib": 1024**k for k, p in enumerate("kmgt", 1)} | {p: 1000**k for k, p in enumerate("kmgt", 1)}
    try:
        return int(float(number) * factor[unit])
    except (ValueError, KeyError):
        raise UsageError("E_SIZE", f"--max-memory {text!r} is not a size", hint="write 2GB or 512MiB") from None


def design_options(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is said of the comparison, and the rest."""
    names = {"test", "unit", "subsets", "partitions", "train_size", "alpha", "seed", "horizon"}
    asked = {name: value for name, value in given.items() if name in names}
    # A table of scores may itself be of splits of that size.
    return asked, {key: value for key, value in given.items() if key not in names or key == "train_size"}

"""Options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from referee.cli.configuration import read_config
from referee.errors import SMALLEST_ALPHA, UsageError
from referee.predictions.scored_rows import DIRECTIONS, ROW_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable


Command = TypeVar("Command", bound="Callable[..., Any]")

COLUMNS = [
    click.option("--truth", metavar="COL", help="The column that holds the truth."),
    click.option(
        "--task",
        type=click.Choice(["binary", "multiclass", "regression", "scores", "ranking", "multilabel"]),
        help="Type of task, if it cannot be inferred; scores: a table of scores without a truth.",
    ),
    click.option("--positive", metavar="LABEL", help="The positive class, or several: A,B,C vs the rest."),
    click.option("--classes", metavar="A,B,C", help="All classes, if the truth lacks some or is ambiguous."),
    click.option("--drop-label", metavar="A,B", help="Leave out the rows with these labels, such as '?'."),
    click.option(
        "--models",
        multiple=True,
        metavar="A,B",
        help="Columns with predictions (default: all numeric ones except ids).",
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
        help="What a weight means: how many rows of the population a row stands for, or how often it was seen.",
    ),
    click.option(
        "--group", metavar="COL", help="The column that says which rows belong together (a person, a document)."
    ),
    click.option(
        "--query",
        metavar="COL",
        help="The column with the query that items are ranked for; the truth is their relevance.",
    ),
    click.option("--fold", metavar="COL", help="The column with the fold in which a row was predicted."),
    click.option("--repeat", metavar="COL", help="The column with the repeat, if cross-validation was repeated."),
    click.option("--baseline", metavar="COL", help="The column with the mean of the training rows, for RAE and RRSE."),
    click.option(
        "--interval", type=float, metavar="0.9", help="The nominal coverage of the columns NAME:lower and NAME:upper."
    ),
    click.option(
        "--threshold", type=float, default=0.5, show_default=True, help="Scores at or above this are positive."
    ),
]
READING = [
    click.option("--table", metavar="NAME", help="The table of a database."),
    click.option("--sql", metavar="QUERY", help="A query; its result is the table."),
    click.option("--encoding", help="Encoding of a text file (default: by its byte order mark, else UTF-8)."),
    click.option("--delimiter", help="Delimiter of a CSV file (default: inferred from its header)."),
    click.option("--decimal", default=".", show_default=True, help="The decimal mark of a CSV file."),
    click.option(
        "--on-missing",
        type=click.Choice(["error", "drop"]),
        default="error",
        help="What to do with ids that are missing from some sources.",
    ),
    click.option(
        "--max-memory", metavar="SIZE", help="Memory limit, such as 2GB (default: half of the machine's memory)."
    ),
]
ENGINES = ["auto", "memory", "stream", "database", "spark"]
SECONDS = click.FloatRange(0, min_open=True)
SERVER = [
    click.option("--engine", type=click.Choice(ENGINES), default="auto", help="Where the rows are processed."),
    click.option(
        "--timeout", "query_timeout", type=SECONDS, metavar="S", help="Time limit for a query to a server, in seconds."
    ),
]
"""Of commands that leave predictions where they are."""
TIME = [
    click.option("--time", metavar="COL", help="The column with the time of a row; rows close in time may be similar."),
    click.option(
        "--horizon", type=click.IntRange(1), metavar="H", help="With --time: how many steps ahead the forecasts look."
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
    click.option(
        "--test-fraction", type=float, metavar="F", help="The share of test rows in a split: 0.1 for ten folds."
    ),
]
"""Of commands that also take tables of scores."""
FORMATS = ["text", "json", "csv", "md"]
PAPER_FORMATS = [*FORMATS, "latex"]
RAW = "raw"


def _raw_is_for_csv(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """Note the format and whether texts stay as they are, and stop, whichever is read last, if they do not agree."""
    context.meta[option.name] = value
    if context.meta.get(RAW) and context.meta.get("form", "csv") != "csv":
        raise UsageError("E_USAGE", "--raw is for --format csv: no other format is changed for spreadsheets")
    return value


def quietly(_context: click.Context, _option: click.Parameter, quiet: bool) -> bool:
    """Nobody who asked for silence is told how far the work is."""
    if quiet:
        from referee.document import be_quiet

        be_quiet()
    return quiet


def _form(formats: list[str]) -> list[Callable[[Command], Command]]:
    return [
        click.option(
            "--format", "form", type=click.Choice(formats), default="text", callback=_raw_is_for_csv,
            help="Format of the output.",
        ),
        click.option(
            "--raw", is_flag=True, expose_value=False, callback=_raw_is_for_csv,
            help="With --format csv: leave texts as they are, even those that a spreadsheet would run.",
        ),
    ]  # fmt: skip


FORM = _form(FORMATS)
"""Of commands that print something else than a verdict."""
SETTINGS = [
    click.option(
        "--alpha",
        type=click.FloatRange(SMALLEST_ALPHA, 1, max_open=True),
        default=0.05,
        show_default=True,
        help="The significance level.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="The seed of random numbers."),
    click.option("--quiet", is_flag=True, callback=quietly, help="Print only the result."),
    click.option("--all", "whole", is_flag=True, help="Show everything, and long tables in full."),
    click.option("--config", metavar="FILE.toml", is_eager=True, expose_value=False, help="Read options from a file.",
                 callback=lambda ctx, _, path: read_config(ctx, path)),
]  # fmt: skip
OUTPUT = [*FORM, *SETTINGS]
PAPER_OUTPUT = [*_form(PAPER_FORMATS), *SETTINGS]
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


EXPLAIN = [click.option("--explain", is_flag=True, help="Write out each formula with your numbers.")]
FIGURES = [
    click.option("--figures", metavar="DIR", callback=_folder, help="Also write the page's charts as SVG and PNG."),
]
PAGE = [
    click.option("--html", metavar="FILE", callback=_writable, help="Also write a self-contained HTML page."),
]


def _writable_table(_context: click.Context, _option: click.Parameter, url: str | None) -> str | None:
    if url is not None:
        from referee.comparing import refuse_no_keeper

        refuse_no_keeper(url)
    return url


KEEPING = [
    click.option(
        "--save-to", metavar="URL", callback=_writable_table, help="Also save the verdict in a table, or with MLflow."
    ),
]


def shared(*groups: list[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Add groups of options to a command."""

    def add(command: Command) -> Command:
        for option in reversed([option for group in groups for option in group]):
            command = option(command)
        return command

    return add

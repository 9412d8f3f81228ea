"""`referee calibrate`: whether the probabilities are right, and maps that make them so."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from referee.cli.inputs import reading_options, run_or_sources
from referee.cli.options import COLUMNS, EXPLAIN, PAGE, PAPER_OUTPUT, READING, SERVER, shared
from referee.errors import UsageError

USED_BY_APPLY = {
    "sources", "calibrator", "output", "overwrite", "model", "form", "quiet", "config", "table", "encoding",
    "delimiter", "decimal", "max_memory",
}  # fmt: skip


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--method",
    default="all",
    show_default=True,
    metavar="M1,M2",
    help="Methods to try: platt, isotonic, temperature, beta or all.",
)
@click.option(
    "--goal", default="log_loss", show_default=True, metavar="METRIC", help="The metric that chooses the best method."
)
@click.option(
    "--metrics", multiple=True, metavar="M1,M2", help="Metrics to show before and after (default: all that apply)."
)
@click.option(
    "--folds", type=click.IntRange(2), default=10, show_default=True, help="Number of folds for cross-fitting."
)
@click.option("--fit-on", metavar="COL=VALUE", help="Fit on these rows and evaluate on the others.")
@click.option(
    "--bins",
    type=click.IntRange(1, 1_000_000),
    default=10,
    show_default=True,
    help="Number of bins for the calibration error.",
)
@click.option("--mass", is_flag=True, help="Use bins with about the same number of rows.")
@click.option("--save", metavar="FILE.json", help="Save the best map of each model, fitted on all rows.")
@click.option("--apply", "calibrator", metavar="FILE.json", help="Apply saved maps to SOURCE.")
@click.option(
    "--output", metavar="FILE", help="With --apply: where to write the table with its new columns (.csv, .parquet)."
)
@click.option("--overwrite", is_flag=True, help="Replace the files of --save and --output if they exist.")
@shared(EXPLAIN, COLUMNS, READING, SERVER, PAPER_OUTPUT, PAGE)
def command(
    sources: tuple[str, ...], calibrator: str | None, form: str, quiet: bool, overwrite: bool, **given: Any
) -> None:
    """Say whether probabilities are calibrated, and compare each model before and after calibration.

    Maps are judged on rows that they were not fitted on. One model is shown in full, several side by side.
    """
    if calibrator is not None:
        _apply(sources, calibrator, form, overwrite=overwrite, **given)
        return
    if given["output"]:
        raise UsageError("E_USAGE", "--output belongs to --apply FILE.json", hint="--save saves the map")
    _calibrate(sources, form, quiet=quiet, overwrite=overwrite, **given)


def _calibrate(sources: tuple[str, ...], form: str, *, quiet: bool, overwrite: bool, **given: Any) -> None:
    from referee.calibration import calibrate, kept_part, kept_text
    from referee.cli.output import save_page_of, show
    from referee.document import refuse_existing, write_file
    from referee.predictions import metric_list

    asked = {name: given.pop(name) for name in ("method", "goal", "folds", "bins", "mass", "alpha", "seed")}
    names, fit_on, save = metric_list(given.pop("metrics")), given.pop("fit_on"), given.pop("save")
    refuse_existing("--save", save, overwrite=overwrite)
    by = () if fit_on is None else (fit_on.partition("=")[0],)
    predictions = run_or_sources(sources, [asked["goal"], *names], by, **given)
    calibration = calibrate(predictions, fit_on=fit_on, metrics=names or None, **asked)
    if save:
        write_file("--save", save, kept_text(calibration).encode())
    explain = given["explain"]
    save_page_of(calibration, given["html"], explain=explain)
    document = calibration.document().with_parts(*([kept_part(calibration, save)] if save else []))
    show(calibration, form, quiet=quiet, explain=explain, document=document, more={"saved": save})


def _apply(sources: tuple[str, ...], calibrator: str, form: str, *, overwrite: bool, **given: Any) -> None:
    from referee.calibration import apply_to, table_bytes
    from referee.cli.output import show_written
    from referee.document import counted, refuse_existing, write_file
    from referee.predictions import assignments, read_table

    _refuse_what_apply_ignores()
    if len(sources) != 1 or not given["output"]:
        raise UsageError("E_USAGE", "--apply takes one SOURCE and writes it to --output FILE")
    refuse_existing("--output", given["output"], overwrite=overwrite)
    table = read_table(sources[0], reading_options(given, push_down=False))
    result, columns = apply_to(table, calibrator, assignments(given["model"], "--model"))
    write_file("--output", given["output"], table_bytes(result, given["output"]))
    written = {"rows": table.rows, "columns": list(columns), "output": given["output"]}
    new = f"new {'column' if len(columns) == 1 else 'columns'} {', '.join(columns)}"
    show_written("calibrate", written, f"{given['output']}: {counted(table.rows, 'row')}, {new}", form)


def _refuse_what_apply_ignores() -> None:
    """A map that was kept is not chosen, fitted or judged; options of a file may belong to other commands."""
    context = click.get_current_context()
    for parameter in context.command.params:
        typed = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if typed and parameter.name not in USED_BY_APPLY:
            raise UsageError(
                "E_USAGE",
                f"--apply uses a saved map as it is, and does not take {parameter.opts[-1]}",
                hint="leave one of them out",
            )

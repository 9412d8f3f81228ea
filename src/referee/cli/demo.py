"""`referee demo`: the main job on data that ship with scikit-learn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from referee.cli.options import EXPLAIN, PAPER_OUTPUT, shared

TABLE, PAGE = "predictions.csv", "verdict.html"


@click.command()
@click.option("--goal", default="brier", show_default=True, metavar="METRIC", help="The metric that decides.")
@click.option(
    "--out", default="demo", show_default=True, metavar="DIR", help="Folder for the predictions and the page."
)
@shared(EXPLAIN, PAPER_OUTPUT)
def command(goal: str, out: str, explain: bool, form: str, alpha: float, seed: int, quiet: bool, whole: bool) -> None:
    """Fit three models on half of the breast cancer data and compare them on the other half."""
    from referee.cli.output import show
    from referee.comparing import compare
    from referee.predictions import Predictions

    table = Path(out, TABLE)
    write_table(table, seed)
    verdict = compare(Predictions.read(table, truth="diagnosis", positive="malignant"), goal, alpha=alpha, seed=seed)
    again = f"referee compare {table} --truth diagnosis --positive malignant --goal {goal}"
    verdict.to_html(Path(out, PAGE), command=again, explain=explain)
    document = verdict.document(whole=whole)
    where = f"the predictions are in {table}, the page is {Path(out, PAGE)}"
    show(verdict, form, quiet=quiet, explain=explain, document=replace(document, more=(where,)))


def write_table(path: Path, seed: int) -> None:
    """The predictions of three fitted models as a CSV file."""
    import pyarrow as pa
    from pyarrow.csv import write_csv

    from referee.document import write_file
    from referee.errors import WriteError
    from referee.testing.samples import demo_table

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError("E_WRITE", f"--out {path.parent} cannot be made: {error.strerror or error}") from error
    buffer = pa.BufferOutputStream()
    write_csv(pa.table(demo_table(seed)), buffer)
    write_file("--out", path, buffer.getvalue().to_pybytes())

"""`referee curves`: the points of ROC, precision-recall and other curves."""

from __future__ import annotations

from typing import Any

import click

from referee.cli.inputs import read_sources
from referee.cli.options import COLUMNS, EXPLAIN, PAGE, PAPER_OUTPUT, READING, SERVER, shared


def _drawable(_context: click.Context, _option: click.Parameter, path: str | None) -> str | None:
    """Stop before the work, not after it."""
    if path is not None:
        from referee.document import refuse_no_place
        from referee.page import refuse_format

        refuse_format(path, "--figure")
        refuse_no_place("--figure", path)
    return path


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--kind",
    default="roc",
    show_default=True,
    metavar="KIND",
    help="roc, precision_recall, precision_recall_gain, lift, cumulative_gains, det, cost, decision or calibration.",
)
@click.option(
    "--band",
    type=click.Choice(["none", "pointwise", "simultaneous"]),
    default="none",
    show_default=True,
    help="A 1 - alpha band for each point separately, or for the whole curve.",
)
@click.option(
    "--band-method",
    type=click.Choice(["influence", "bootstrap"]),
    default="influence",
    show_default=True,
    help="How the band is computed.",
)
@click.option("--hull", "only_hull", is_flag=True, help="Show only the convex hull of the ROC curve.")
@click.option(
    "--tolerance",
    type=float,
    metavar="SHARE",
    help="Omit points that are closer to another than this share of each axis (default: 0 up to 10,000 points, "
    "else 0.0005).",
)
@click.option(
    "--figure", metavar="FILE", callback=_drawable, help="Draw the curves into FILE.svg, FILE.png or FILE.pdf."
)
@shared(EXPLAIN, COLUMNS, READING, SERVER, PAPER_OUTPUT, PAGE)
def command(
    sources: tuple[str, ...],
    kind: str,
    only_hull: bool,
    tolerance: float | None,
    figure: str | None,
    html: str | None,
    form: str,
    quiet: bool,
    **given: Any,
) -> None:
    """Compute the points of a curve, row by row: rank, score, TP, FP, TN, FN and both axes.

    With two classes, the curve is that of the positive class; with more, each class has one vs the rest.
    """
    from dataclasses import replace

    from referee.cli.output import save_page_of, show
    from referee.thresholds import banded, curves, hull, kinds

    chosen = kinds[kind]
    band, method = given.pop("band"), given.pop("band_method")
    asked = {name: given.pop(name) for name in ("alpha", "seed")}
    explain = given.pop("explain")
    predictions = read_sources(sources, ["roc_auc"], (), **given)
    drawn = curves(predictions, chosen, tolerance=0 if only_hull else tolerance)
    shown = tuple(map(hull, drawn)) if only_hull else drawn.curves
    if band != "none":
        shown = tuple(banded(curve, predictions, band, method=method, **asked) for curve in shown)
    result = replace(drawn, curves=shown, **asked)
    if figure is not None:
        from referee.page import below_each_other, pictures_in

        below_each_other([*pictures_in(result.to_html()).values()]).save(figure, option="--figure")
    save_page_of(result, html, explain=explain)
    show(result, form, quiet=quiet, explain=explain)

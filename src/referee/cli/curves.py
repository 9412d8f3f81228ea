"""`referee curves`: the points of ROC, precision-recall and other curves."""

from __future__ import annotations

from typing import Any

import click

from referee.cli.options import COLUMNS, OUTPUT, PAGE, READING, read_sources, shared, typed_command


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
    help="A 1 - alpha band of each point by itself, or of the whole curve.",
)
@click.option(
    "--band-method",
    type=click.Choice(["influence", "bootstrap"]),
    default="influence",
    show_default=True,
    help="Where the band comes from.",
)
@click.option("--hull", "only_hull", is_flag=True, help="The convex hull of the ROC curve.")
@click.option(
    "--tolerance",
    type=float,
    metavar="SHARE",
    help="Leave out points that are nearer to another than this share of each axis (default: 0 up to 10,000 points, "
    "else 0.0005).",
)
@click.option("--figure", metavar="FILE", callback=_drawable, help="Draw them into FILE.svg, FILE.png or FILE.pdf.")
@shared(COLUMNS, READING, OUTPUT, PAGE)
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
    """Give the points of a curve, row by row: rank, score, TP, FP, TN, FN and both axes.

    With two classes for the positive one, else for each class against the rest.
    """
    from referee.curve_points import banded, curves, hull, kinds
    from referee.report.curves.formats import show_curves

    chosen = kinds[kind]
    band, method = given.pop("band"), given.pop("band_method")
    asked = {name: given.pop(name) for name in ("alpha", "seed")}
    predictions = read_sources(sources, ["roc_auc"], (), **given)
    found = curves(predictions, chosen, tolerance=0 if only_hull else tolerance)
    if only_hull:
        found = tuple(map(hull, found))
    if band != "none":
        found = tuple(banded(one, predictions, band, method=method, **asked) for one in found)
    if figure is not None:
        from referee.page import below_each_other, pictures_in
        from referee.page.curves_page import curves_page

        pictures = pictures_in(curves_page(predictions, found, **asked))
        below_each_other([*pictures.values()]).save(figure, option="--figure")
    if html is not None:
        from referee.page import save_page
        from referee.page.curves_page import curves_page

        save_page(html, curves_page(predictions, found, command=typed_command(), **asked))
    show_curves(predictions, found, form, quiet=quiet, **asked)

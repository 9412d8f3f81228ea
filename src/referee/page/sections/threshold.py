"""The threshold and its cost: a slider with a live confusion matrix, and the same as a table for paper."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from referee.document import Cell, count, message_line, number_cell, one_line
from referee.errors import RefereeError
from referee.page.sections.curves import Ranked, in_full
from referee.page.shell import Section, rendered, table
from referee.thresholds import Thresholds, threshold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from referee.page.subject import Subject
    from referee.predictions import Predictions

MOST_ROWS = 200_000
"""Beyond, no thresholds are chosen for the report: `referee threshold` does that."""
TOO_MANY = f"the page does this for up to {MOST_ROWS:,} rows in memory, `referee threshold` for more"
ONE_FOLD = "a class is too rare to choose on some rows and evaluate on others"
LEAD = (
    "Slide the threshold, or enter what each mistake costs and jump to the cheapest one. Choose it on validation "
    "data: on the rows it was chosen on, the best threshold looks better than it is."
)


def threshold_section(subject: Subject) -> Section | None:
    """For models that give scores for the positive class."""
    predictions = subject.predictions
    if predictions.positive is None or not (models := subject.ranked):
        return None
    chosen = _chosen(subject, models)
    body = rendered(
        "section/threshold.html",
        slider=slider(predictions),
        threshold=in_full(predictions.threshold),
        table=_table(subject, models),
        chosen=_best_f1(subject, models, chosen) if isinstance(chosen, Thresholds) else "",
        reason="" if isinstance(chosen, Thresholds) else message_line(chosen).rstrip("."),
        left_out=subject.left_out,
    )
    return Section("threshold", "Threshold and cost", body, LEAD, "Threshold", {"given": predictions.threshold})


def slider(
    predictions: Predictions, *, alarm: float = 1, miss: float = 1, objective: str = "", legend: str = ""
) -> Markup:
    """The threshold to be moved, with the decisions there and what they cost."""
    assert predictions.positive is not None
    return rendered(
        "section/slider.html",
        positive=one_line(predictions.classes[predictions.positive]),
        negative=one_line(predictions.classes[1 - predictions.positive]),
        threshold=in_full(predictions.threshold),
        alarm=f"{alarm:g}",
        miss=f"{miss:g}",
        objective=objective,
        legend=legend,
    )


def _chosen(subject: Subject, models: Sequence[Ranked]) -> Thresholds | str:
    """The thresholds with the best F1, or why none were chosen."""
    predictions = subject.predictions
    if not predictions.has_rows or predictions.rows > MOST_ROWS:
        return TOO_MANY
    few = replace(
        predictions, models=tuple(predictions.model(model.name) for model in models if model.name in subject.detailed)
    )
    if few.weight is not None:
        few = few.part(np.flatnonzero(few.weight > 0))
    try:
        thresholds = threshold(few, "f_beta", alpha=subject.alpha, seed=subject.seed)
    except RefereeError as error:
        return error.message
    return thresholds if thresholds.how == "cross_fitted" else ONE_FOLD


def _best_f1(subject: Subject, models: Sequence[Ranked], thresholds: Thresholds) -> Markup:
    """Each model's threshold, and what choosing it so is worth on rows that it was not chosen on."""
    ranked = {model.name: model for model in models}
    rows = []
    for choice in thresholds.chosen:
        model, threshold = choice.model, choice.threshold
        best, low, high = (_threshold(ranked[model], value) for value in (threshold, choice.low, choice.high))
        values = map(number_cell, (choice.value, choice.value_low, choice.value_high, choice.apparent))
        name = subject.cell(model)
        rows.append([name, Cell(best, threshold if isfinite(threshold) else None), Cell(f"{low} to {high}"),
                     *values])  # fmt: skip
    columns = ["Model", "Threshold", "As good", "F1 on other rows", "Low", "High", "F1 on the same rows"]
    return table("The threshold with the best F1", columns, rows, name="best-f1", sortable=True)


def _threshold(model: Ranked, value: float) -> str:
    """In as few digits as call the same rows positive; an infinite one calls none, or all."""
    if isfinite(value):
        return in_full(model.told_apart(np.array([value]))[0])
    return "above all" if value > 0 else "below all"


def _table(subject: Subject, models: Sequence[Ranked]) -> Markup:
    threshold = subject.predictions.threshold
    rows = []
    for model in models:
        (tp,), (fp,) = model.counts_at(np.array([threshold]))
        fn, tn = model.positives - tp, model.negatives - fp
        counts = [Cell(count(rows), float(rows)) for rows in (tp, fn, fp, tn)]
        shares = [
            number_cell(part / whole if whole else None)
            for part, whole in ((tp, tp + fp), (tp, tp + fn), (tn, tn + fp))
        ]
        rows.append([subject.cell(model.name), *counts, *shares])
    columns = [
        "Model",
        "Caught",
        "Missed",
        "False alarms",
        "Left alone",
        "Precision",
        "Recall",
        "Specificity",
    ]
    return table(f"Decisions at threshold {in_full(threshold)}", columns, rows, name="decisions", sortable=True)

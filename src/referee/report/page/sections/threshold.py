"""The threshold and its cost: a slider with a live confusion matrix, and the same as a table for paper."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from referee.errors import RefereeError
from referee.report.page.document import Section, rendered
from referee.report.page.sections.rankings import ranked_models
from referee.report.page.tables import Cell, of_number, table
from referee.thresholds import best_thresholds
from referee.wording import count, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from referee.report.page.sections.rankings import Ranked
    from referee.report.page.subject import Subject

MOST_MODELS = 8
MOST_ROWS = 200_000
"""Beyond, no thresholds are chosen for the report: `referee threshold` does that."""
LEAD = (
    "Slide the threshold, or say what each mistake costs and go to the cheapest one. Choose it on validation data: the "
    "best threshold of these rows flatters itself on these rows."
)


def threshold_section(subject: Subject) -> Section | None:
    """For models that give scores for the positive class."""
    predictions = subject.predictions
    if predictions.positive is None or not (models := ranked_models(subject, predictions.positive)):
        return None
    negative = 1 - predictions.positive
    body = rendered(
        "section/threshold.html",
        positive=one_line(predictions.classes[predictions.positive]),
        negative=one_line(predictions.classes[negative]),
        threshold=f"{predictions.threshold:g}",
        table=_table(subject, models),
        chosen=_chosen(subject, models),
    )
    return Section("threshold", "Threshold and cost", body, LEAD, "Threshold", {"given": predictions.threshold})


def _chosen(subject: Subject, models: Sequence[Ranked]) -> Markup | str:
    """The threshold with the best F1, and what choosing it so is worth on rows that it was not chosen on."""
    predictions = subject.predictions
    if predictions.engine != "memory" or predictions.rows > MOST_ROWS:
        return ""
    few = replace(predictions, models=tuple(predictions.model(one.name) for one in models[:MOST_MODELS]))
    if few.weight is not None:
        few = few.part(np.flatnonzero(few.weight > 0))
    try:
        found = best_thresholds(few, "f_beta", alpha=subject.alpha, seed=subject.seed)
    except RefereeError:
        return ""
    if found.how != "cross_fitted":
        return ""
    rows = [
        [Cell(subject.labels[one.model], one.model, hint=subject.full(one.model)), _threshold(one.threshold),
         Cell(f"{_threshold(one.low).text} to {_threshold(one.high).text}"), of_number(one.value),
         of_number(one.value_low), of_number(one.value_high), of_number(one.apparent)]
        for one in found.chosen
    ]  # fmt: skip
    columns = ["Model", "Threshold", "As good", "F1 on other rows", "Low", "High", "F1 on the same rows"]
    return table("The threshold with the best F1", columns, rows, name="best-f1", sortable=True)


def _threshold(value: float) -> Cell:
    """An infinite threshold calls no row positive, or all."""
    return of_number(value) if isfinite(value) else Cell("above all" if value > 0 else "below all")


def _table(subject: Subject, models: Sequence[Ranked]) -> Markup:
    threshold = subject.predictions.threshold
    rows = []
    for model in models:
        (tp,), (fp,) = model.counts_at(np.array([threshold]))
        fn, tn = model.positives - tp, model.negatives - fp
        counts = [Cell(count(one), float(one)) for one in (tp, fn, fp, tn)]
        shares = [
            of_number(part / whole if whole else None) for part, whole in ((tp, tp + fp), (tp, tp + fn), (tn, tn + fp))
        ]
        rows.append([Cell(subject.labels[model.name], model.name, hint=subject.full(model.name)), *counts, *shares])
    columns = ["Model", "Caught", "Missed", "False alarms", "Left alone", "Precision", "Recall", "Specificity"]
    return table(f"Decisions at threshold {threshold:g}", columns, rows, name="decisions", sortable=True)

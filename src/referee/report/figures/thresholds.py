"""What each threshold does: precision, recall, specificity and F1 of all models."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.report.figures.looks import REFERENCE, look
from referee.report.figures.pictures import Picture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.arrays import Array
    from referee.page.sections.rankings import Ranked
    from referee.page.subject import Subject

    Counts = tuple[Array, Array, Array, Array]

METRICS: dict[str, Callable[..., tuple[Array, Array]]] = {
    "precision": lambda tp, fp, _fn, _tn: (tp, tp + fp),
    "recall": lambda tp, _fp, fn, _tn: (tp, tp + fn),
    "specificity": lambda _tp, fp, _fn, tn: (tn, tn + fp),
    "F1": lambda tp, fp, fn, _tn: (2 * tp, 2 * tp + fp + fn),
}
"""What is counted, and of how many."""


def threshold_pictures(subject: Subject) -> Iterator[Picture]:
    """Where models have scores for the positive class."""
    if not subject.ranked:
        return
    ends = _ends(subject)
    counts = {subject.places[model.name]: _counts(model, ends) for model in subject.ranked}
    given = subject.predictions.threshold
    panels = [partial(_draw, name=name, counts=counts, given=given) for name in METRICS]
    legend = {subject.labels[subject.names[place]]: look(place) for place in counts}
    legend[f"threshold {given:g}, as given"] = REFERENCE
    title = "Rows are called positive from the threshold on"
    yield Picture("threshold", title, panels, legend, across=2, width=3.6, height=2.9)


def _ends(subject: Subject) -> tuple[float, float]:
    """From 0 to 1 where all scores are in there."""
    found = np.concatenate([_scores(model) for model in subject.ranked])
    low, high = float(found.min()), float(found.max())
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)


def _scores(model: Ranked) -> Array:
    thresholds = model.roc.threshold.astype(float)
    return thresholds[np.isfinite(thresholds)]


def _counts(model: Ranked, ends: tuple[float, float]) -> tuple[Array, Counts]:
    """At thresholds from low to high."""
    thresholds = np.unique(np.concatenate([_scores(model), ends]))
    tp, fp = model.counts_at(thresholds)
    return thresholds, (tp, fp, model.positives - tp, model.negatives - fp)


def _draw(axes: Any, name: str, counts: dict[int, tuple[Array, Counts]], given: float) -> None:
    axes.axvline(given, **REFERENCE)
    for place, (thresholds, found) in reversed(counts.items()):
        part, whole = METRICS[name](*found)
        share = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
        # A threshold between two scores calls the same rows positive as the higher one does.
        axes.plot(thresholds, share, linewidth=1.4, drawstyle="steps-pre", gid=f"model-{place}", **look(place))
    axes.set(title=name, xlabel="threshold", ylim=(-0.02, 1.02))

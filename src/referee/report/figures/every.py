"""All pictures of a verdict or of scores, in the order of the page; those that have nothing to show are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.page.subject import Subject
from referee.report.figures.calibration import calibration_pictures
from referee.report.figures.confusions import confusion_pictures
from referee.report.figures.curves import cost_pictures, curve_pictures
from referee.report.figures.goal import goal_pictures
from referee.report.figures.pairs import pairs_pictures
from referee.report.figures.residuals import residual_pictures
from referee.report.figures.slices import slice_pictures
from referee.report.figures.splits import split_pictures
from referee.report.figures.thresholds import threshold_pictures
from referee.report.figures.tradeoffs import learning_curve_pictures, tradeoff_pictures
from referee.scoring import Scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.comparing import Verdict
    from referee.report.figures.pictures import Picture

MAKERS = (
    goal_pictures, pairs_pictures, curve_pictures, threshold_pictures, cost_pictures, confusion_pictures,
    residual_pictures, calibration_pictures, slice_pictures, tradeoff_pictures, learning_curve_pictures,
    split_pictures,
)  # fmt: skip


def pictures_of(found: Verdict | Scores) -> Iterator[Picture]:
    """Each as soon as it is asked for."""
    if isinstance(found, Scores):
        subject = Subject(found, alpha=found.alpha)
    else:
        subject = Subject(found.scores, found, found.alpha, found.seed)
    for make in MAKERS:
        yield from make(subject)

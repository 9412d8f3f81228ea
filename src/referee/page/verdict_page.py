"""The page of a verdict: its sections in their order, each where it has something to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.page.sections.calibration import calibration_section
from referee.page.sections.confusions import confusions_section
from referee.page.sections.curves import curves_section
from referee.page.sections.design import design_section
from referee.page.sections.each_class import each_class_section
from referee.page.sections.each_metric import each_metric_section
from referee.page.sections.every_pair import every_pair_section
from referee.page.sections.goal import goal_section
from referee.page.sections.learning_curves import learning_curves_section
from referee.page.sections.methods import methods_section
from referee.page.sections.reproducing import reproducing_section
from referee.page.sections.residuals import residuals_section
from referee.page.sections.slices import slices_section
from referee.page.sections.things_to_check import things_to_check
from referee.page.sections.threshold import threshold_section
from referee.page.sections.tradeoffs import tradeoffs_section
from referee.page.sections.verdict_card import headline, verdict_card
from referee.page.shell import page
from referee.page.subject import Subject

if TYPE_CHECKING:
    from referee.comparing import Verdict
    from referee.page.shell import Section


def verdict_page(verdict: Verdict, *, command: str = "") -> str:
    """A verdict as one self-contained HTML file; the same verdict gives the same bytes.

    >>> from referee import Predictions, compare
    >>> predictions = Predictions.from_arrays([0, 1] * 20, {"a": [0.1, 0.9] * 20, "b": [0.2, 0.8, 0.9, 0.4] * 10})
    >>> "a is the better of 2 models on accuracy." in verdict_page(compare(predictions, "accuracy"))
    True
    """
    subject = Subject(verdict.scores, verdict, verdict.alpha, verdict.seed, command)
    opening = verdict_card(subject, verdict) + things_to_check(subject)
    return page(headline(subject, verdict), verdict_sections(subject, verdict), opening=opening)


def verdict_sections(subject: Subject, verdict: Verdict, goal: Section | None = None) -> list[Section]:
    """Everything below the card; `goal` is the first section, where it is another one than usual."""
    sections = [
        goal or goal_section(subject, verdict),
        each_metric_section(subject),
        every_pair_section(subject, verdict),
        curves_section(subject),
        threshold_section(subject),
        confusions_section(subject),
        each_class_section(subject),
        residuals_section(subject),
        calibration_section(subject),
        slices_section(subject),
        tradeoffs_section(subject, verdict),
        learning_curves_section(subject, verdict),
        design_section(subject),
        methods_section(subject, verdict),
        reproducing_section(subject),
    ]
    return [section for section in sections if section is not None]

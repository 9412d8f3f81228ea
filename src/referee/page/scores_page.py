"""The page of scores alone: no model is said to win, as nothing was tested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.page.card import Fact, opening_card
from referee.page.sections.calibration import calibration_section
from referee.page.sections.confusions import confusions_section
from referee.page.sections.curves import curves_section
from referee.page.sections.design import design_section
from referee.page.sections.each_class import each_class_section
from referee.page.sections.each_metric import each_metric_section
from referee.page.sections.reproducing import reproducing_section
from referee.page.sections.residuals import residuals_section
from referee.page.sections.slices import slices_section
from referee.page.sections.things_to_check import things_to_check
from referee.page.sections.threshold import threshold_section
from referee.page.sections.verdict_card import rows_fact
from referee.page.shell import page
from referee.page.subject import Subject
from referee.wording import counted

if TYPE_CHECKING:
    from referee.scoring import Scores


def scores_page(scores: Scores, *, command: str = "") -> str:
    """Scores as one self-contained HTML file."""
    subject = Subject(scores, None, scores.alpha, scores.seed, command)
    makers = (
        each_metric_section, curves_section, threshold_section, confusions_section, each_class_section,
        residuals_section, calibration_section, slices_section, design_section, reproducing_section,
    )  # fmt: skip
    sections = [section for make in makers if (section := make(subject)) is not None]
    models, metrics = counted(len(subject.names), "model"), counted(len(scores.metrics), "metric")
    headline = f"{models} on {metrics}."
    facts = [rows_fact(subject), Fact("Models", f"{len(subject.names):,}"), Fact("Metrics", f"{len(scores.metrics):,}")]
    said = "Scores with their intervals; no model was tested against another."
    hint = "" if len(subject.names) < 2 else "Which of them is better on your goal, and how surely: `referee compare`."
    card = opening_card("Scores", headline, said, hint, facts=facts)
    return page(headline, sections, opening=card + things_to_check(subject))

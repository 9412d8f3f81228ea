"""Subject: what a page is about, and how its models are called and look in all of its sections."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from referee.wording import distinct_names, visible

if TYPE_CHECKING:
    from referee.metric import Metric
    from referee.predictions import Predictions
    from referee.report.page.sections.calibration import Panel
    from referee.report.page.sections.rankings import Ranked
    from referee.score_table import Score
    from referee.scores import Scores
    from referee.verdict import Verdict

LONGEST_NAME = 40
MOST_SHOWN = 20
"""Of more models, the best ones are drawn; tables have the rest."""


@dataclass(frozen=True)
class Subject:
    """Scores, and the verdict on them where models were compared."""

    scores: Scores
    verdict: Verdict | None = None
    alpha: float = 0.05
    seed: int = 0
    command: str = ""
    """What was typed to make the page, if anything was."""
    ranked: dict[int, list[Ranked]] = field(default_factory=dict)
    """The models' rows ranked for a class: several sections need the same."""
    calibrated: list[Panel] = field(default_factory=list)
    """How the models' probabilities are calibrated, which the list of things to check looks at, too."""

    @property
    def predictions(self) -> Predictions:
        return self.scores.predictions

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All models: best first where there is a verdict, otherwise as they were given."""
        return tuple(self.verdict.values) if self.verdict else self.predictions.names

    @property
    def shown(self) -> tuple[str, ...]:
        """The models that are drawn."""
        return self.names[:MOST_SHOWN]

    @cached_property
    def labels(self) -> dict[str, str]:
        """The models' names as they are shown: nothing in them is hidden, and none fills the page."""
        return distinct_names(self.names, LONGEST_NAME)

    @cached_property
    def places(self) -> dict[str, int]:
        """Which colour and dash a model has."""
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def overall(self) -> dict[tuple[str, str], Score]:
        """The scores on all rows by model and metric."""
        return {(row.model, row.metric): row for row in self.scores if row.overall}

    def goal_score(self, name: str, metric: Metric) -> Score:
        return self.overall[name, metric.full_name]

    def full(self, name: str) -> str:
        """The whole name, where the label is a shorter one."""
        return "" if self.labels[name] == name else visible(name)

"""Subject: what a page is about, and how its models are called and look in all of its sections."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from referee.document import Cell, Column, distinct_names, visible
from referee.predictions import Predictions, lookalikes
from referee.records import dataclass

if TYPE_CHECKING:
    from referee.comparing import Gate, Verdict
    from referee.page.sections.calibration import Panel
    from referee.page.sections.curves import Ranked
    from referee.scoring import Metric, Score, Scores

LONGEST_NAME = 40
MOST_SHOWN = 20
"""Of more models, the best ones are drawn; tables have the rest."""
MOST_DETAILED = 8
"""Of more models, the best ones have a part of their own in the sections that look closer."""
MOST_NAMED, FEWER_NAMED = 1000, 200
"""Of more models, only the table of the goal has all, and the others list the best ones: a page stays below 1 MB."""
MOST_LETTERS = 3


@dataclass(frozen=True)
class Subject:
    """Scores, and the verdict on them where models were compared."""

    scores: Scores
    verdict: Verdict | None = None
    alpha: float = 0.05
    seed: int = 0
    command: str = ""
    """What was typed to make the page, if anything was."""
    gate: Gate | None = None
    """What was asked of the verdict, where it was whether one model may replace the other."""

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

    @property
    def detailed(self) -> tuple[str, ...]:
        """The models that sections with a part for each of them look at."""
        return self.names[:MOST_DETAILED]

    @property
    def left_out(self) -> str:
        """What such a section says of the others."""
        if len(self.names) <= MOST_DETAILED:
            return ""
        which = "best" if self.verdict else "first"
        return f"The {which} {MOST_DETAILED} of {len(self.names):,} models are shown here."

    @property
    def listed(self) -> tuple[str, ...]:
        """The models in the tables of pairs and of ranks."""
        return self.names if len(self.names) <= MOST_NAMED else self.names[:FEWER_NAMED]

    @property
    def unlisted(self) -> str:
        """What such a table says of the others."""
        if len(self.listed) == len(self.names):
            return ""
        return f"The best {len(self.listed)} of {len(self.names):,} models are listed; JSON has all of them."

    @cached_property
    def ranked(self) -> list[Ranked]:
        """The drawn models' rows ranked for the positive class: several sections need the same."""
        from referee.page.sections.curves import ranked_models

        positive = self.predictions.positive
        return [] if positive is None else ranked_models(self, positive)

    @cached_property
    def calibrated(self) -> list[Panel]:
        """How the models' probabilities are calibrated, which the list of things to check looks at, too."""
        from referee.page.sections.calibration import panels_of

        return panels_of(self)

    @cached_property
    def labels(self) -> dict[str, str]:
        """The models' names as they are shown: nothing in them is hidden, none fills the page, no two look alike."""
        alike = {name for group in lookalikes(self.names) for name in group}
        shown = distinct_names(self.names, LONGEST_NAME)
        return {name: label + (_letters(name) if name in alike else "") for name, label in shown.items()}

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

    def column(self, name: str) -> Column:
        """The head of a model's column: in a CSV file it is the name as it was given, as in a row's first cell."""
        return Column(self.labels[name], hint=self.full(name), value=name)

    def cell(self, name: str) -> Cell:
        """The name of a model's row."""
        return Cell(self.labels[name], name, hint=self.full(name))

    def full(self, name: str) -> str:
        """The whole name, where the label is a shorter one."""
        return "" if self.labels[name] == name else visible(name)


def _letters(name: str) -> str:
    """The letters by which it may be told from a name that looks the same.

    >>> _letters("\N{CYRILLIC CAPITAL LETTER A}"), _letters("A")
    (' (U+0410)', '')
    """
    codes = list(dict.fromkeys(f"U+{ord(letter):04X}" for letter in name if not letter.isascii()))
    return f" ({' '.join(codes[:MOST_LETTERS])})" if codes else ""

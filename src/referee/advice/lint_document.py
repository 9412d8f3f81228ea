"""What lint found, below the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import Lines, Part
from referee.scoring import metrics, sees_reports

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.advice.findings import Finding

NOTHING = "nothing found"


def lint_part(findings: Sequence[Finding], linted: Sequence[str]) -> Part:
    """Model, what was found and what it means, in a line for each."""
    return Part(_title(linted), (Lines(tuple(map(finding_line, findings)) or (NOTHING,), "list"),))


def finding_line(finding: Finding) -> str:
    """The model, what was found, and what it means."""
    return f"{finding.model}: {finding.sentence}; {finding.meaning}"


def _title(linted: Sequence[str]) -> str:
    looked_at = [name for name in linted if sees_reports(metrics[name])]
    if not looked_at:
        return f"Lint: {', '.join(linted)} is the same for all predictions"
    return f"Lint: is there a degenerate prediction that does as well on {', '.join(looked_at)}?"

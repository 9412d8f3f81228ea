"""Methods to paste: the text, and BibTeX of what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.page.document import Section, rendered
from referee.report.verdict.bibliography import bibliography
from referee.report.verdict.methods import methods_text, references_of
from referee.wording import message_line

if TYPE_CHECKING:
    from referee.verdict import Verdict

LEAD = "Written from what was recorded, and from nothing else. Read it before you sign it."


def methods_section(verdict: Verdict) -> Section:
    body = rendered(
        "section/methods.html", text=message_line(methods_text(verdict)), bibtex=bibliography(references_of(verdict))
    )
    return Section("methods", "Methods, ready to paste", body, LEAD, "Methods")

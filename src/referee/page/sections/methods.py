"""Methods to paste: the text, and BibTeX of what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.page.bibliography import bibliography
from referee.page.methods import methods_text, references_of
from referee.page.shell import Section, rendered
from referee.wording import visible

if TYPE_CHECKING:
    from referee.comparing import Verdict
    from referee.page.subject import Subject

LEAD = "Written from what was recorded, and from nothing else. Read it before you sign it."


def methods_section(subject: Subject, verdict: Verdict) -> Section:
    body = rendered(
        "section/methods.html",
        text=visible(methods_text(verdict, subject.gate)),
        bibtex=bibliography(references_of(verdict, subject.gate)),
    )
    return Section("methods", "Methods, ready to paste", body, LEAD, "Methods")

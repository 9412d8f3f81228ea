"""The page of every result; as a file, and inside a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from referee.document import refuse_no_place, write_file
from referee.errors import WriteError
from referee.wording import message_line

if TYPE_CHECKING:
    from os import PathLike

    from referee.document import Result

FIRST = b"<!doctype html>"
FRAME = Markup(
    '<p>{}</p><iframe title="{}" sandbox="allow-scripts allow-downloads" width="100%" height="780" srcdoc="{}">'
    "</iframe>"
)


def page_of(result: Result, *, command: str = "") -> str:
    """A result as one self-contained HTML file; `command` is what it says of how to make it again."""
    from importlib import import_module

    module, function = PAGES.get(type(result).__name__, ("document_page", "document_page"))
    build = getattr(import_module(f"referee.page.{module}"), function)
    return build(result, command=command)


PAGES = {
    "Verdict": ("verdict_page", "verdict_page"),
    "Scores": ("verdict_page", "scores_page"),
    "Gate": ("verdict_page", "gate_page"),
    "Thresholds": ("classifier_pages", "thresholds_page"),
    "Calibration": ("classifier_pages", "calibration_page"),
    "Curves": ("classifier_pages", "curves_page"),
    "Plan": ("plan_page", "plan_page"),
    "Study": ("study_page", "study_page"),
    "OwnStudy": ("study_page", "own_study_page"),
    "Listing": ("document_page", "catalogue_page"),
    "Card": ("document_page", "card_page"),
}
"""Where the page of a result is made that has more than the parts of its document: loaded when it is asked for."""


def refuse_no_page(path: str | PathLike[str]) -> None:
    """Stop before the work where a page cannot be written; a file that is no page stays as it is."""
    refuse_no_place("--html", path)
    place = Path(path)
    if place.exists() and place.stat().st_size and not _is_page(place):
        raise WriteError(
            "E_EXISTS", f"--html {path}: this file is there already, and is no HTML page", hint="name another file"
        )


def save_page(path: str | PathLike[str], text: str) -> None:
    """Write a page."""
    refuse_no_page(path)
    write_file("--html", path, text.encode())


def _is_page(place: Path) -> bool:
    with place.open("rb") as file:
        return file.read(len(FIRST)).lower() == FIRST


def in_notebook(title: str, sentence: str, text: str) -> str:
    """A page in a frame: nothing of it can reach the notebook, and the sentence is there without it.

    >>> in_notebook("The verdict", "a wins", "<h1>A & B</h1>").partition("srcdoc=")[2]
    '"&lt;h1&gt;A &amp; B&lt;/h1&gt;"></iframe>'
    """
    return str(FRAME.format(message_line(sentence), title, text))

"""One self-contained HTML file: cards and sections in, a page out that asks nobody for anything."""

from __future__ import annotations

import json
import platform
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from referee import __version__
from referee.document import (
    Cell,
    Column,
    Document,
    Part,
    as_sentence,
    coded,
    element,
    finite,
    message_line,
    part_html,
    table_html,
    visible,
)
from referee.document import table as document_table
from referee.errors import spoken
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jinja2 import Environment


TEMPLATE = Path(__file__).parent / "template"
STYLES = ("colours", "layout", "tables", "charts", "controls", "print")
SCRIPTS = (
    "dom", "data", "numbers", "csv", "cells", "matching", "tooltip", "theme", "navigation", "scrolling", "panels",
    "sorting", "export", "copying", "printing", "counts", "forest", "curves", "threshold", "ordering", "filtering",
    "student", "pairs", "differences",
)  # fmt: skip
"""In the order in which one needs another."""
PACKAGES = ("numpy", "scipy", "scikit-learn", "pyarrow", "numba")


@dataclass(frozen=True)
class Section:
    """A part of a page with a heading of its own.

    `body` and a `Markup` lead are HTML that is safe already: made by `rendered`, `table`, `figure` or
    `Markup(...).format(...)`, all of which escape what they are given. Plain text is escaped here.
    """

    key: str
    """The anchor: `#key`."""
    title: str
    body: Markup
    lead: str = ""
    """What is to be seen, and how to read it."""
    short: str = ""
    """Its name in the navigation; without one it is not listed there."""
    data: Any = None
    """What its script needs: anything that JSON can hold, found there by the section's key."""


def page(title: str, sections: Sequence[Section], *, opening: str = "", closing: str = "") -> str:
    """Put sections together to a page: one file with its style and scripts in it.

    `opening` stands above the sections and has the page's only `<h1>`; without one the title is the heading.
    `closing` is the footer. Every page has light, dark and print colours, a theme button, navigation, and for each
    table a button that saves it as CSV and for each figure one that saves it as SVG (none of them needed for reading).
    A Content-Security-Policy allows exactly this style and this script, so nothing else can run or be fetched:
    `style="..."` and `onclick="..."` have no effect, colours come from classes (see `template/style/colours.css`).

    >>> text = page("Two & three", [Section("more", "More", Markup("<p>five</p>"))])
    >>> "<title>Two &amp; three</title>" in text, "<script src" in text
    (True, False)
    """
    style, script = stylesheet(), bundle()
    whole = rendered(
        "page.html",
        title=title,
        sections=sections,
        opening=opening,
        closing=closing,
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
        data=_data_block({section.key: section.data for section in sections if section.data is not None}),
        version=__version__,
    )
    return str(whole)


def rendered(template: str, **context: Any) -> Markup:
    """Fill in a template of the report; what is not Markup is escaped."""
    return Markup(_templates().get_template(template).render(**context))


@cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(TEMPLATE, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    templates.globals["coded"] = coded
    templates.globals["spoken"] = spoken  # not a filter: what a filter makes of a constant is kept for all pages
    return templates


@cache
def stylesheet() -> str:
    """All styles in one, without comments and spaces."""
    whole = "".join(_text(f"style/{name}.css") for name in STYLES)
    return re.sub(
        r"\s*([{};,]|(?<=[\w-]): )\s*", lambda sign: sign[1].strip(), re.sub(r"/\*.*?\*/", "", whole, flags=re.S)
    )


@cache
def bundle() -> str:
    """All scripts in one: modules may import each other by name, and a page has no addresses to import from."""
    joined = "".join(
        re.sub(r"^(import [^;]+;\n|export | *//.*\n| +|\n)", "", _text(f"script/{name}.js"), flags=re.M)
        for name in SCRIPTS
    )
    return f'\n(() => {{\n"use strict";\n{joined}}})();\n'


def _text(name: str) -> str:
    return (TEMPLATE / name).read_text(encoding="utf-8")


def with_sections(text: str, sections: Iterable[Section]) -> str:
    """A page with further sections at its end.

    >>> text = with_sections(page("One", []), [Section("more", "More", Markup("<p>five</p>"))])
    >>> text.index("<p>five</p>") < text.index("</main>")
    True
    """
    return text.replace("</main>", str(rendered("sections.html", sections=[*sections])) + "</main>", 1)


def _policy(style: str, script: str) -> str:
    """Allow this style and this script only: nothing inline, nothing from anywhere."""
    return "; ".join(["default-src 'none'", *hashes(style, script), "base-uri 'none'", "form-action 'none'"])


def hashes(style: str, script: str) -> list[str]:
    """The rules of a policy that allow one style and one script."""
    allowed = {"style-src": style, "script-src": script}
    return [f"{rule} 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for rule, text in allowed.items()]


def _data_block(data: dict[str, Any]) -> Markup:
    """JSON that no parser of HTML can take for the end of its script element."""
    text = json.dumps(finite(data), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def figure(drawing: Markup, *, name: str, title: str = "", behind: str = "") -> Markup:
    """A chart in its frame: saved as `name`.svg, and with the table of its numbers `behind` it.

    >>> "<figure" in figure(Markup("<svg></svg>"), name="roc", title="ROC")
    True
    """
    return rendered("figure.html", drawing=drawing, name=name, title=title, behind=behind)


def table(
    caption: str,
    columns: Sequence[Column | str],
    rows: Sequence[Sequence[Cell | str]],
    *,
    name: str,
    sortable: bool = False,
    style: str = "",
) -> Markup:
    """A table whose first column has the names of the rows; `name` is that of the CSV file that it is saved as.

    >>> str(table("Scores", ["model", "value"], [["<a>", "0.5"]], name="scores")).count("&lt;a&gt;")
    1
    """
    return table_html(document_table(name, columns, rows, caption, sortable=sortable, style=style))


class Fact(NamedTuple):
    """A number that everybody looks for first."""

    name: str
    value: str
    remark: str = ""


def opening_card(
    tag: str,
    headline: str,
    sentence: str,
    below: str = "",
    *,
    look: str = "",
    facts: Iterable[Fact] = (),
    remarks: Iterable[str] = (),
) -> Markup:
    """The answer in words, the numbers that it rests on, and what else is to be known; `look` is good, warn or bad.

    >>> "<h1>a is best.</h1>" in opening_card("Winner", "a is best.", "It has 0.9 against 0.8.")
    True
    """
    return rendered(
        "section/verdict_card.html",
        tag=tag, headline=headline, sentence=sentence, below=below, look=look, facts=[*facts], remarks=[*remarks],
    )  # fmt: skip


def result_card(tag: str, headline: str, *said: str, document: Document, rows: int) -> Markup:
    """What a page of a result opens with, with its rows and its warnings."""
    warned = [as_sentence(f"{notice.code}: {message_line(notice.message)}") for notice in document.notices]
    return opening_card(tag, headline, *said, facts=[Fact("Rows", f"{rows:,}")], remarks=warned)


def plain_card(*parts: str) -> Markup:
    """What belongs together."""
    return element("div", *parts, class_="card")


def folded_part(part: Part) -> Markup:
    """A part of a document that is unfolded on request."""
    return element("details", element("summary", part.title), part_html(part))


def reproduction(command: str, facts: Iterable[tuple[str, str]]) -> Section:
    """The command or call where there was one, what the result rests on, and the versions it may depend on."""
    facts = [*facts, ("Versions", versions())]
    what = "call" if command.startswith("referee.") else "command"
    body = rendered("section/reproduction.html", command=visible(command), what=what, facts=facts)
    return Section("reproduce", "Reproduce this page", body, short="Reproduce")


def versions() -> str:
    packages = ", ".join(map(_with_version, PACKAGES))
    return f"referee {__version__}, Python {platform.python_version()}, {packages}"


def _with_version(name: str) -> str:
    """An extra may be missing, and the numbers rest on that as well."""
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"without {name}"

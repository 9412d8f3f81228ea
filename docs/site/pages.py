"""The Markdown of the repository as pages of the site: copied, with links to where things are there."""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from catalogues import ROOMS, entry_pages
from notebook_pages import notebook_text
from reference import api_pages, command_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parents[2]
PROJECT = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "MAINTENANCE.md", "SECURITY.md")
LISTS = {"docs": "index.md", "docs/decisions": "decisions/index.md", "README.md": "index.md"}
"""What pages link to as a whole, and the page that says what is in it."""
ENTRIES = {room.file("").removesuffix(".py"): f"{room.name}/" for room in ROOMS}
LINK = re.compile(r"```.*?```|`[^`\n]*`|^ {4}[^\n]*$|\]\(([^)\s]+)\)", re.DOTALL | re.MULTILINE)
"""Code first, in which nothing is a link."""
SECTIONS = {
    "guide/index": ("Guides", "How to ask, and how to read the answers.", ["inputs", "evaluate", "compare", "*"]),
    "notebooks/index": ("Notebooks", "Five cases from end to end, as files in docs/notebooks.", ["*"]),
    "catalogue": (
        "Catalogues",
        "Every entry is one file, and its page is written from that file.",
        [f"/{room.name}" for room in ROOMS],
    ),
    "reference": ("Reference", "Every public name, command and option.", ["/api/index", "/commands/index"]),
    "evidence": (
        "Evidence",
        "What is promised, measured: error rates, coverage, speed, and the paper's experiment.",
        [
            "/statistics",
            "/validity",
            "/coverage",
            "/reliability",
            "/simulations/*",
            "/study/README",
            "/study/map",
            "/study/trees",
            "/speed",
            "/scale",
            "/engines",
        ],
    ),
    "project": (
        "Project",
        "How it is built, what changed, and why it is as it is.",
        [
            "/migration",
            "/security",
            *(f"/project/{name.removesuffix('.md')}" for name in PROJECT),
            "/decisions/index",
            "/house",
            "/versions",
            "/sizes",
        ],
    ),
}
"""Pages that list others: their title, what they say, and what they list."""
TOP = ["guide/index", "notebooks/index", "catalogue", "reference", "evidence", "faq", "project"]
CHILDREN = {f"{room.name}.md": f"/{room.name}/*" for room in ROOMS}
"""Pages that name others already, which they only have to own."""


def stage(target: Path) -> None:
    """Make the folder that Sphinx reads."""
    shutil.rmtree(target, ignore_errors=True)
    for place, text in [*written_pages(), *made_pages()]:
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        (target / place).write_text(text, encoding="utf-8")
    for source, place in linked_files().items():
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / source, target / place)


def page_sources() -> list[str]:
    """Every page that somebody wrote, or that a script keeps in docs/."""
    files = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb")]
    return [*(file.relative_to(ROOT).as_posix() for file in sorted(files)), *PROJECT]


def _text(source: str) -> str:
    text = (ROOT / source).read_text(encoding="utf-8")
    return notebook_text(text) if source.endswith(".ipynb") else text


def written_pages() -> Iterator[tuple[str, str]]:
    for source in page_sources():
        place = site_place(source)
        yield place, LINK.sub(lambda match, source=source: _moved(match, source), _text(source)) + _owned(place)


def made_pages() -> Iterator[tuple[str, str]]:
    yield from entry_pages()
    for place, text in [*api_pages(), *command_pages()]:
        yield place, text + _owned(place)
    yield "decisions/index.md", "# Decisions\nWhat was decided, why, and what follows from it.\n" + _contents(["*"])
    for place, (title, lead, listed) in SECTIONS.items():
        yield f"{place}.md", f"# {title}\n{lead}\n" + _contents(listed)


def _owned(place: str) -> str:
    if place == "index.md":
        return _contents(TOP, hidden=True)
    if place in ("api/index.md", "commands/index.md"):
        return _contents(["*"], hidden=True)
    return _contents([CHILDREN[place]], hidden=True) if place in CHILDREN else ""


def _contents(listed: Sequence[str], *, hidden: bool = False) -> str:
    options = [":glob:", ":maxdepth: 1", *([":hidden:"] if hidden else [])]
    return "\n".join(["", "```{toctree}", *options, "", *listed, "```", ""])


def site_place(source: str) -> str:
    """Where something of the repository is on the site.

    >>> site_place("docs/guide/compare.md"), site_place("src/referee/metrics/brier.py"), site_place("action.yml")
    ('guide/compare.md', 'metrics/brier.md', 'files/action.yml')
    """
    folder, _, name = source.rpartition("/")
    if source in LISTS:
        return LISTS[source]
    if f"{folder}/" in ENTRIES and not name.startswith("_"):
        return f"{ENTRIES[f'{folder}/']}{name.removesuffix('.py')}.md"
    if source in PROJECT:
        return f"project/{source}"
    place = source.replace(".ipynb", ".md")
    return place.removeprefix("docs/") if place.startswith("docs/") else f"files/{place}"


def linked_files() -> dict[str, str]:
    """What pages link to, or show, that is not a page; and the file of each entry: each with its place on the site."""
    targets = {target for source in page_sources() for target in _targets(source)}
    linked = {target: site_place(target) for target in targets if (ROOT / target).is_file()}
    files = {target: place for target, place in linked.items() if not place.endswith(".md")}
    return files | {file: f"files/{file}" for room in ROOMS for file in map(room.file, room.catalogue)}


def _targets(source: str) -> Iterator[str]:
    links = (match[1] for match in LINK.finditer(_text(source)))
    yield from (_repository_path(link, source) for link in links if _is_local(link))


def _is_local(link: str | None) -> bool:
    return bool(link) and not re.match(r"[a-z]+:|#", str(link))


def _repository_path(link: str, source: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link.partition("#")[0]))


def _moved(match: re.Match[str], source: str) -> str:
    """The same link, from the page's place on the site."""
    if not _is_local(match[1]):
        return match[0]
    target = site_place(_repository_path(match[1], source))
    relative = posixpath.relpath(target, posixpath.dirname(site_place(source)) or ".")
    return f"]({relative}{''.join(match[1].partition('#')[1:])})"

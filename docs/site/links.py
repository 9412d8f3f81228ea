"""Whether every link of the built site leads to a page, a place on it, or a file."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from pathlib import Path


class Page(HTMLParser):
    """The links of a page, and the places on it that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 (HTMLParser's)
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.places.add(value)


@cache
def page(file: Path) -> Page:
    return Page(file.read_text(encoding="utf-8"))


def broken_links(site: Path) -> list[str]:
    """Each with the page that it is on; addresses elsewhere are only refused where a page would fetch from them."""
    return [
        f"{file.relative_to(site)}: {link}"
        for file in sorted(site.rglob("*.html"))
        if "_downloads" not in file.parts and "_static" not in file.parts
        for link in page(file).links
        if not leads_somewhere(file, link)
    ]


def leads_somewhere(file: Path, link: str) -> bool:
    address = urlsplit(link)
    if address.scheme or address.netloc:
        return True
    target = (file.parent / unquote(address.path)).resolve() if address.path else file
    if not target.is_file():
        return False
    return target.suffix != ".html" or "_downloads" in target.parts or unquote(address.fragment) in page(target).places

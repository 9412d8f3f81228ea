"""The page's own style sheet, resolved: what a chart looks like in light colours, as attributes of its elements."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from referee.page.shell import stylesheet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

KEPT = {
    "display", "fill", "fill-opacity", "font-size", "font-weight", "opacity", "paint-order", "stroke",
    "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stroke-width",
}  # fmt: skip
"""What SVG knows as an attribute, too."""
IGNORED = re.compile(r"/\*.*?\*/|@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", re.S)
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
SELECTOR = re.compile(r"(?:svg )?(:root|[a-z]*)((?:\.[\w-]+)*)")
VARIABLE = re.compile(r"var\((--[\w-]+)\)")


class Rule(NamedTuple):
    """What elements of a tag and of classes look like."""

    tag: str
    classes: frozenset[str]
    style: dict[str, str]

    def fits(self, tag: str, classes: set[str]) -> bool:
        return self.tag in ("", tag) and self.classes <= classes


@cache
def chart_style(tag: str, classes: str) -> dict[str, str]:
    """The attributes that an element of a chart would need, had it no classes.

    >>> chart_style("path", "curve c1 s1")["stroke"], chart_style("svg", "narrow")["display"]
    ('#cf5700', 'none')
    """
    style: dict[str, str] = {}
    for rule in _rules():
        if rule.tag != ":root" and rule.fits(tag, set(classes.split())):
            style |= rule.style
    known = _light() | {name: value for name, value in style.items() if name.startswith("--")}
    shown = {name: _resolved(value, known).replace("px", "") for name, value in style.items() if name in KEPT}
    return {name: value for name, value in shown.items() if name != "display" or value == "none"}


def colour(name: str) -> str:
    """A colour of the light theme.

    >>> colour("card"), colour("blue")
    ('#fff', '11, 92, 173')
    """
    return _light()[f"--{name}"]


@cache
def shade(classes: str) -> str:
    """The colour of a cell that is shaded, on white paper; nothing for another one.

    >>> shade("heat9"), shade("best"), shade("words burn1")
    ('#a7c4e1', '', '#fcf6f3')
    """
    for rule in _rules():
        if rule.classes and rule.fits("td", set(classes.split())) and "rgba" in rule.style.get("background", ""):
            *mixed, share = map(float, re.findall(r"[\d.]+", _resolved(rule.style["background"], _light())))
            return "#" + "".join(f"{round(255 - share * (255 - part)):02x}" for part in mixed)
    return ""


def with_own_style(drawing: Element) -> Element:
    """The same drawing with its looks in its attributes; what the page hides is left out."""
    for element in [*drawing.iter()]:
        for child in [*element]:
            if chart_style(child.tag, child.get("class", "")).get("display") == "none":
                element.remove(child)
    for element in drawing.iter():
        looks = chart_style(element.tag, element.get("class", ""))
        kept = {name: value for name, value in element.items() if name != "class" and not name.startswith("data-")}
        element.attrib.clear()
        element.attrib.update(kept | looks)
    return drawing


def _resolved(value: str, known: dict[str, str]) -> str:
    while match := VARIABLE.search(value):
        value = value.replace(match[0], known[match[1]])
    return value


@cache
def _light() -> dict[str, str]:
    return next(rule.style for rule in _rules() if rule.tag == ":root")


@cache
def _rules() -> list[Rule]:
    """Those of one element by its tag and classes, the less specific first; charts need no others."""
    rules = [rule for selectors, style in _blocks() for rule in _of(selectors, style)]
    return sorted(rules, key=lambda rule: (len(rule.classes), bool(rule.tag)))


def _blocks() -> Iterator[tuple[str, dict[str, str]]]:
    for selectors, body in RULE.findall(IGNORED.sub("", stylesheet())):
        lines = (line.partition(":") for line in body.split(";") if ":" in line)
        yield selectors, {name.strip(): value.strip() for name, _, value in lines}


def _of(selectors: str, style: dict[str, str]) -> Iterator[Rule]:
    for selector in selectors.split(","):
        match = SELECTOR.fullmatch(selector.strip())
        if match:
            yield Rule(match[1], frozenset(match[2].split(".")[1:]), style)

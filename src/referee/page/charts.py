"""The charts of a page, each as an SVG file by itself, with its title, key and the page's style as attributes."""

from __future__ import annotations

import re
from dataclasses import field
from functools import cache
from html.parser import HTMLParser
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import Element, SubElement, TreeBuilder, indent, tostring

from referee.document import columns_of, folded
from referee.page.shell import stylesheet
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator


MARK = "drawn by referee"
"""In every file, so that another one is not taken for it."""
FONTS = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
"""Whichever there is; what draws PNG brings a font of its own where there is none of these."""
VOID = {"br", "hr", "img", "input", "link", "meta"}
NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
EDGE, LINE, TITLE_LINE, SAMPLE = 14, 20, 21, 36
LETTER, TITLE_LETTER = 7.4, 10.0
"""About how wide a letter is in the widest of the fonts, in pixels."""
CELL_LETTER, CELL_LINE, AROUND, GAP = 6.9, 15.0, 9.0, 2.0
WIDEST_NAME = 18
"""Letters of a line of a name; what is longer goes on below."""


@dataclass(frozen=True)
class Chart:
    """A drawing as the page has it, with what stands around it there."""

    name: str
    title: str
    drawing: Element
    key: list[tuple[str, Element]] = field(default_factory=list)
    """What each line means."""


def charts_in(page: str) -> dict[str, str]:
    """Every chart of a page as the text of an SVG file, by its name; a shaded table is a chart, too."""
    return {chart.name: _standalone(chart) for chart in _charts(_tree(page), "", []) if len(chart.drawing)}


class _Reader(HTMLParser):
    """A page as a tree; HTML closes some elements by itself, and writes attributes of SVG in small letters."""

    def __init__(self) -> None:
        super().__init__()
        self.tree = TreeBuilder()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tree.start(tag, {"viewBox" if name == "viewbox" else name: value or "" for name, value in attrs})
        if tag in VOID:
            self.tree.end(tag)

    def handle_endtag(self, tag: str) -> None:
        self.tree.end(tag)

    def handle_data(self, data: str) -> None:
        self.tree.data(data)


def _tree(page: str) -> Element:
    reader = _Reader()
    reader.feed(page[page.index("<main") : page.index("</main>") + len("</main>")])
    return reader.tree.close()


def _charts(inside: Element, panel: str, legend: list[Element]) -> Iterator[Chart]:
    """In the order of the page; a panel's name belongs to the titles of its charts."""
    for element in inside:
        if element.tag == "figure":
            yield _figure(element, panel, legend)
        elif element.tag == "table" and is_shaded(element):
            title = ": ".join(filter(None, [panel, _text(element.find("caption"))]))
            yield Chart(element.get("data-name", ""), title, drawn_table(element))
        else:
            entries = element.findall(".//ul[@class='legend']/li") if "data-legend" in element.attrib else legend
            named = element.find("h3[@class='panel-title']") if "data-panel" in element.attrib else None
            yield from _charts(element, _text(named) or panel, entries)


def _figure(figure: Element, panel: str, legend: list[Element]) -> Chart:
    drawing = next(svg for svg in figure.iter("svg") if "narrow" not in svg.get("class", "").split())
    drawn = {name for element in drawing.iter() for name in element.get("class", "").split()}
    shown = [entry for entry in legend if f"model-{entry.get('data-model')}" in drawn]
    key = [(_text(entry), line) for entry in shown for line in entry.iter("line")]
    title = ": ".join(filter(None, [panel, _text(figure.find("figcaption"))]))
    return Chart(figure.get("data-name", ""), title, with_own_style(drawing), key)


def _text(element: Element | None) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _standalone(chart: Chart) -> str:
    """White paper, the title above, the key below."""
    wide, high = map(float, chart.drawing.get("viewBox", "").split()[2:])
    title = folded(chart.title, int(wide / TITLE_LETTER)).split("\n") if chart.title else []
    key, longest = chart.key, max((columns_of(name) for name, _ in chart.key), default=0)
    across = max(1, int(wide / (SAMPLE + 20 + LETTER * longest)))
    top = TITLE_LINE * len(title) + (8 if title else 0)
    whole = top + high + LINE * -(-len(key) // across) + (10 if key else 0)
    box = (-EDGE, -top - EDGE, wide + 2 * EDGE, whole + 2 * EDGE)
    root = _root(chart.drawing.get("aria-label") or chart.title, box)
    for place, line in enumerate(title):
        y = TITLE_LINE * (place + 0.75) - top
        _add_text(root, line.strip(), 0, y, fill=colour("ink"), **{"font-size": "15.5", "font-weight": "bold"})
    root.extend(chart.drawing)
    for place, (name, sample) in enumerate(key):
        _add_key(root, name, sample, wide / across * (place % across), high + 10 + LINE * (place // across + 0.7))
    indent(root, "")
    return NO_XML.sub("\N{REPLACEMENT CHARACTER}", tostring(root, "unicode"))


def _root(label: str, box: tuple[float, ...]) -> Element:
    left, top, width, height = (f"{side:g}" for side in box)
    root = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg", "viewBox": f"{left} {top} {width} {height}", "width": width,
            "height": height, "role": "img", "aria-label": label, "font-family": FONTS,
        },
    )  # fmt: skip
    SubElement(root, "metadata").text = MARK
    SubElement(root, "rect", {"x": left, "y": top, "width": width, "height": height, "fill": colour("card")})
    return root


def _add_key(root: Element, name: str, line: Element, x: float, y: float) -> None:
    looks = chart_style("line", line.get("class", ""))
    ends = {"x1": f"{x:g}", "x2": f"{x + 30:g}", "y1": f"{y - 4:g}", "y2": f"{y - 4:g}"}
    SubElement(root, "line", ends | looks)
    _add_text(root, name, x + SAMPLE, y, fill=colour("ink"), **{"font-size": "12"})


def _add_text(root: Element, words: str, x: float, y: float, **looks: str) -> None:
    SubElement(root, "text", {"x": f"{x:g}", "y": f"{y:g}"} | looks).text = words


class Cell(NamedTuple):
    """The lines of a cell, and what is below them."""

    lines: list[str]
    small: list[str]
    paper: str
    strong: bool = False

    @property
    def width(self) -> float:
        return CELL_LETTER * max((columns_of(line) for line in (*self.lines, *self.small)), default=0) + 2 * AROUND

    @property
    def height(self) -> float:
        return CELL_LINE * (len(self.lines) + len(self.small)) + AROUND


def is_shaded(table: Element) -> bool:
    """Whether colours say how much there is of something, or could do so."""
    return "matrix" in table.get("class", "").split() or any(shade(cell.get("class", "")) for cell in table.iter("td"))


def drawn_table(table: Element) -> Element:
    """As it stands on the page: names above and at the left, all else in the middle of its cell."""
    rows = [[*map(_cell, row)] for row in table.iter("tr")]
    widths = [max(row[place].width for row in rows) for place in range(len(rows[0]))]
    heights = [max(cell.height for cell in row) for row in rows]
    left, top = [0.0, *accumulate(widths)], [0.0, *accumulate(heights)]
    svg = Element("svg", {"viewBox": f"0 0 {left[-1]:g} {top[-1]:g}"})
    for y, height, row in zip(top, heights, rows, strict=False):
        for x, width, cell in zip(left, widths, row, strict=False):
            svg.extend(_drawn_cell(cell, (x, y, width, height), at_left=x == 0))
    return svg


def _cell(element: Element) -> Cell:
    classes = element.get("class", "")
    text, below = (element.text or "").strip(), [small.text or "" for small in element.iter("small")]
    is_name = element.tag == "th"
    lines = folded(text, WIDEST_NAME).split("\n") if is_name else [text]
    return Cell(
        lines, [line for words in below for line in words.split("\n")], shade(classes), "best" in classes.split()
    )


def _drawn_cell(cell: Cell, box: tuple[float, float, float, float], *, at_left: bool) -> Iterator[Element]:
    x, y, width, height = box
    if cell.paper:
        sides = {"x": x + GAP / 2, "y": y + GAP / 2, "width": width - GAP, "height": height - GAP}
        yield Element("rect", {name: f"{side:.1f}" for name, side in sides.items()} | {"rx": "4", "fill": cell.paper})
    middle = y + (height - cell.height) / 2 + AROUND / 2
    for place, line in enumerate([*cell.lines, *cell.small]):
        is_small = place >= len(cell.lines)
        looks = {"font-size": "11" if is_small else "12.5", "fill": colour("quiet" if is_small else "ink")}
        looks |= {"font-weight": "bold"} if cell.strong and not is_small else {}
        looks |= {} if at_left else {"text-anchor": "middle"}
        at = {"x": f"{0 if at_left else x + width / 2:.1f}", "y": f"{middle + CELL_LINE * (place + 0.75):.1f}"}
        text = Element("text", at | looks)
        text.text = line
        yield text


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
    ('#fff', '11,92,173')
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
    rules = [rule for selectors, style in _blocks() for rule in _rules_of(selectors, style)]
    return sorted(rules, key=lambda rule: (len(rule.classes), bool(rule.tag)))


def _blocks() -> Iterator[tuple[str, dict[str, str]]]:
    for selectors, body in RULE.findall(IGNORED.sub("", stylesheet())):
        lines = (line.partition(":") for line in body.split(";") if ":" in line)
        yield selectors, {name.strip(): value.strip() for name, _, value in lines}


def _rules_of(selectors: str, style: dict[str, str]) -> Iterator[Rule]:
    for selector in selectors.split(","):
        match = SELECTOR.fullmatch(selector.strip())
        if match:
            yield Rule(match[1], frozenset(match[2].split(".")[1:]), style)

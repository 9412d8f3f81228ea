"""Pictures read back: an SVG chart by the ticks that it shows, and the pixels of a PNG file."""

from __future__ import annotations

import re
import zlib
from xml.etree import ElementTree

import numpy as np
from numba import njit

SVG = "{http://www.w3.org/2000/svg}"
COLOURS = ["#005a9e", "#cf5700", "#007a57", "#b0448a"]
"""Of the first models, as the page promises them to those who are colour-blind."""


class Drawn:
    """A chart in the numbers of its axes."""

    def __init__(self, text):
        self.root = ElementTree.fromstring(text)

    def all(self, tag, **attributes):
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        return [e for e in self.root.iter(SVG + tag) if all(e.get(name) == value for name, value in wanted.items())]

    def texts(self):
        return ["".join(one.itertext()) for one in self.root.iter(f"{SVG}text")]

    @property
    def shades(self):
        """Of the cells of a matrix."""
        return {one.get("fill") for one in self.all("rect") if one.get("rx")}

    def numbers(self):
        """Every text that is a number: where it stands, and its value."""
        groups = {child: group for group in self.root.iter() for child in group}
        for one in self.root.iter(f"{SVG}text"):
            if re.fullmatch(r"-?[\d.]+", one.text or "") and one.get("x"):
                anchor = one.get("text-anchor") or groups[one].get("text-anchor")
                yield float(one.get("x")), float(one.get("y")), anchor, float(one.text)

    def values(self, axis, places):
        """Places as values: ticks of the x axis stand in the middle below it, those of the y axis at its left."""
        found = [n for n in self.numbers() if n[2] == {"x": "middle", "y": "end"}[axis]]
        at, shown = zip(*((x, value) if axis == "x" else (y - 4, value) for x, y, _, value in found), strict=True)
        slope, start = np.polyfit(at, shown, 1)
        return slope * np.asarray(places) + start

    def line(self, colour):
        """The points of a model's curve, in the numbers of the axes."""
        (path,) = [one.get("d") for one in self.all("path", stroke=colour)]
        x, y = zip(*points_of(path), strict=True)
        return np.column_stack([self.values("x", x), self.values("y", y)])


def points_of(path):
    """The corners of an SVG path of straight lines."""
    x = y = 0.0
    for command, text in re.findall(r"([MLlhv])([^MLlhvZ]*)", path):
        numbers = [float(n) for n in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", text)]
        if command in "ML":
            x, y = numbers
        else:
            dx, dy = {"l": numbers, "h": [*numbers, 0], "v": [0, *numbers]}[command][:2]
            x, y = x + dx, y + dy
        yield x, y


def pixels(png):
    """The red, green and blue of every pixel (PNG specification, filters 0 to 4)."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    place, chunks = 8, []
    while place < len(png):
        length, kind = int.from_bytes(png[place : place + 4], "big"), png[place + 4 : place + 8]
        body = png[place + 8 : place + 8 + length]
        assert zlib.crc32(kind + body) == int.from_bytes(png[place + 8 + length : place + 12 + length], "big")
        chunks.append((kind, body))
        place += 12 + length
    head = dict(chunks)[b"IHDR"]
    wide, high, depth, colours = (*(int.from_bytes(head[k : k + 4], "big") for k in (0, 4)), head[8], head[9])
    step = {2: 3, 6: 4}[colours]
    assert depth == 8
    raw = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    rows = np.frombuffer(raw, np.uint8).reshape(high, wide * step + 1)
    return _unfiltered(rows, step).reshape(high, wide, step)[..., :3]


@njit
def _unfiltered(rows, step):
    found = np.zeros((rows.shape[0], rows.shape[1] - 1), np.uint8)
    for y in range(rows.shape[0]):
        for x in range(found.shape[1]):
            left = int(found[y, x - step]) if x >= step else 0
            up = int(found[y - 1, x]) if y else 0
            corner = int(found[y - 1, x - step]) if y and x >= step else 0
            kind, guess = rows[y, 0], 0
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = up
            elif kind == 3:
                guess = (left + up) // 2
            elif kind == 4:
                a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
                guess = left if a <= b and a <= c else up if b <= c else corner
            found[y, x] = (rows[y, x + 1] + guess) % 256
    return found

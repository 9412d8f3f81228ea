"""How things look in all pictures: the colours of the page, and lines and marks that print without colour."""

from __future__ import annotations

from typing import Any

COLOURS = ("#005a9e", "#cf5700", "#007a57", "#b0448a", "#4a4a4a", "#8a6d00", "#2585bd")
"""Those of the page, which colour-blind readers can tell apart."""
GOOD, BAD = "#0b5cad", "#c8510a"
"""Of cells that show how much of something there is."""
STYLES = ("-", (0, (4.5, 2)), (0, (1.2, 1.8)), (0, (6, 2, 1.2, 2)), (0, (9, 2.5)))
MARKERS = ("o", "s", "^", "D", "X")
REFERENCE: dict[str, Any] = {"color": "0.6", "linewidth": 1, "linestyle": (0, (4, 3))}
"""Of what guessing or a perfect model would give."""


def look(place: int) -> dict[str, Any]:
    """A model's line.

    >>> look(8)["color"], look(8)["linestyle"] == look(3)["linestyle"]
    ('#cf5700', True)
    """
    return {"color": COLOURS[place % len(COLOURS)], "linestyle": STYLES[place % len(STYLES)]}


def mark(place: int) -> dict[str, Any]:
    """A model's mark, without a line.

    >>> mark(8)
    {'color': '#cf5700', 'marker': 'D', 'linestyle': ''}
    """
    return {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place % len(MARKERS)], "linestyle": ""}

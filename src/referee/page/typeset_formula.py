"""Formulas of the catalogues as MathML: an entry states its formula once, in plain text, and this reads it.

`x`, `/`, `+` and `-` are signs, `sqrt(...)`, `|...|` and `²` what they look like. `sum of` takes the product behind it,
`mean of` and `sum over ... of` also its quotient. Runs of other words are the names of numbers. What stands behind a
comma, a semicolon or a colon is a formula again where it has a sign, and a remark where it has none.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup

from referee.document import element

if TYPE_CHECKING:
    from collections.abc import Callable

TOKEN = re.compile(r"²|[()|/+]|(?<!\S)-(?!\S)|[^\s()|/+²]+")
PAUSE = re.compile(r"[,;:] | = ")
SIGN = re.compile(r"[/+²|]|sqrt\(| - | x |^(- )?(mean|sum|median) (of|over) |^\w$")
SIGNS = {"+": "+", "-": "−", "x": "×"}
BETWEEN = re.compile(r"[()|/+²]| - | x |(?:mean|sum|median) (?:of|over [^()|]+? of) ")
LONGEST_NAME = 48
"""Letters: what is longer is a sentence, and has to be broken into lines."""
BRACKET = re.compile(r"(?<=\() | (?=\))")
GREEK = {"beta": "β", "chi-squared": "χ²"}
SPACE = element("mspace", width="0.35em")
WHOLES = {"mean": "mean", "sum": "∑", "median": "median"}
OPEN = {"(": ")", "|": "|"}
FUNCTIONS = ("log", "log2")
"""That belong together with the brackets behind them."""


@cache
def typeset(formula: str) -> Markup:
    """A formula as it is printed.

    >>> str(typeset("1 / n, n rows"))
    '<math displaystyle="true"><mfrac><mn>1</mn><mi>n</mi></mfrac></math>, n rows'
    """
    return Markup("").join(_shown(piece) for piece in _pieces(formula.replace("^2", "²")))


def _pieces(formula: str) -> list[str]:
    """Formulas and remarks in turn with the signs between them; a pause in brackets parts nothing."""
    pieces, start = [], 0
    for pause in PAUSE.finditer(formula):
        before = formula[start : pause.start()]
        if before.count("(") == before.count(")"):
            pieces += [before, pause[0]]
            start = pause.end()
    return [*pieces, formula[start:]]


def _shown(piece: str) -> Markup:
    closed = piece.count("(") == piece.count(")") and piece.count("|") % 2 == 0
    if not closed or not SIGN.search(piece) or max(map(len, BETWEEN.split(piece))) > LONGEST_NAME:
        return Markup.escape(piece)
    return element("math", *Reader(TOKEN.findall(piece)).whole(), displaystyle="true")


class Reader:
    """Goes once through the tokens of a formula."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.place = tokens, 0

    @property
    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def taken(self) -> str:
        self.place += 1
        return self.tokens[self.place - 1]

    def whole(self) -> list[Markup]:
        parts = self._sum()
        return parts if self.place >= len(self.tokens) else [*parts, *self.whole()]

    def _sum(self) -> list[Markup]:
        return self._joined(("+", "-"), self._quotient)

    def _joined(self, signs: tuple[str, ...], part: Callable[[], Markup]) -> list[Markup]:
        parts = [_sign(self.taken())] if self.next in ("+", "-") else []
        parts.append(part())
        while self.next in signs:
            parts += [_sign(self.taken()), part()]
        return parts

    def _quotient(self) -> Markup:
        whole = _row(self._product())
        while self.next == "/":
            self.taken()
            whole = _row([element("mfrac", _bare(whole), _bare(self._atom())), *self._beside()])
            if self.next == "x":
                whole = _row([whole, _sign(self.taken()), *self._product()])
        return whole

    def _product(self) -> list[Markup]:
        return self._joined(("x",), self._factor)

    def _factor(self) -> Markup:
        return _row([self._atom(), *self._beside()])

    def _beside(self) -> list[Markup]:
        """What stands behind an atom without a sign."""
        atoms: list[Markup] = []
        while (self.next and self.next not in {*SIGNS, "/", ")", "|"}) or (self.next == "|" and self._opens()):
            atoms += [SPACE, self._atom()]
        return atoms

    def _opens(self) -> bool:
        return self.tokens[: self.place].count("|") % 2 == 0

    def _atom(self) -> Markup:
        if self.next in WHOLES and self._after() in ("of", "over"):
            return self._whole()
        if self.next in FUNCTIONS and self._after() == "(":
            return _row([self._words(), self._bracketed()])
        atom = self._bracketed() if self.next in OPEN or self.next == "sqrt" else self._words()
        if self.next == "²":
            self.taken()
            return element("msup", atom, element("mn", "2"))
        return atom

    def _after(self) -> str:
        return self.tokens[self.place + 1] if self.place + 1 < len(self.tokens) else ""

    def _whole(self) -> Markup:
        """A sum or a mean, of what is behind it."""
        sign = element("mo", WHOLES[kind := self.taken()])
        if self.taken() == "over":
            over = []
            while self.next not in ("of", ""):
                over.append(self.taken())
            if self.next:
                self.taken()
            words = element("mtext", BRACKET.sub("", " ".join(over)))
            return _row([element("munder", sign, words), SPACE, self._quotient()])
        if kind == "sum":
            return _row([sign, SPACE, *self._product()])
        return _row([element("mtext", f"{kind} of"), SPACE, self._quotient()])

    def _bracketed(self) -> Markup:
        root = self.next == "sqrt"
        if root:
            self.taken()
        end = OPEN[start := self.taken()]
        inside = self._sum()
        if self.next == end:
            self.taken()
        if root:
            return element("msqrt", *inside)
        stretchy = "true" if any("<mfrac" in part for part in inside) else "false"
        first, last = (element("mo", sign, stretchy=stretchy) for sign in (start, end))
        return element("mrow", first, *inside, last, class_="group" if end == ")" else None)

    def _words(self) -> Markup:
        """A number, a letter, or the name of a number in several words."""
        words = [self.taken()]
        while self.next and self.next not in {*SIGNS, *OPEN, "/", ")", "²", "sqrt"}:
            if self.next in WHOLES and self._after() in ("of", "over"):
                break
            words.append(self.taken())
        text = " ".join(words)
        if text.replace(".", "").isdigit():
            return element("mn", text)
        if INDEXED.fullmatch(text):
            return element("msub", *(element("mi", part) for part in text.split("_")))
        return element("mi" if len(words) == 1 and text.isalpha() else "mtext", GREEK.get(text, text))


def _sign(token: str) -> Markup:
    return element("mo", SIGNS[token])


def _row(parts: list[Markup]) -> Markup:
    return parts[0] if len(parts) == 1 else element("mrow", *parts)


GROUP = re.compile(r'<mrow class="group"><mo [^>]*>\(</mo>(.*)<mo [^>]*>\)</mo></mrow>', re.DOTALL)
INDEXED = re.compile(r"[A-Za-z]_\w+")


def _bare(part: Markup) -> Markup:
    """Above and below a line no brackets are needed."""
    group = GROUP.fullmatch(part)
    return Markup(f"<mrow>{group[1]}</mrow>") if group else part

r"""The tables of a document for papers, the answer as the first caption. They want `\usepackage{booktabs}`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeGuard

from referee.document.model import Lines
from referee.document.words import message_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.document.model import Block, Cell, Document, Part, Table

SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}", "±": r"$\pm$", "–": "--", "—": "---",
    "−": "$-$", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "²": "$^2$", "…": r"\dots{}", "≤": r"$\leq$", "≥": r"$\geq$",
    "∞": r"$\infty$", '"': r"\texttt{\char34}",
} | {letter: f"\\{letter}" for letter in "&%$#_{}"}  # fmt: skip
LAST_LATIN = "\u017f"
LACKING, KNOWN = "«»ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ", "‘’“”•€™"
"""What pdfLaTeX lacks without more packages up to the last Latin letter, and what it knows beyond."""
NUMBERED = re.compile(r"^\d+\. ")
OTHER_ENGINE = (
    "% Some names have letters that pdfLaTeX does not support: use LuaLaTeX or XeLaTeX, with a font that has them.\n"
)


def latex_text(document: Document) -> str:
    """Every table of the document, each with a caption that says what it shows; and what explains the numbers."""
    shown = [(part, table) for part in document.parts for table in part.tables]
    captions = [_caption(document, *both, is_first=not place) for place, both in enumerate(shown)]
    texts = [_table(table, caption) for (_, table), caption in zip(shown, captions, strict=True)]
    texts += [_explanation(part.title, block) for part in document.parts for block in part.blocks if _explains(block)]
    return _with_engine("\n".join(texts))


def _explains(block: Block) -> TypeGuard[Lines]:
    return isinstance(block, Lines) and block.kind in ("steps", "formulas")


def _explanation(title: str, lines: Lines) -> str:
    items = [rf"\item {escaped(message_line(re.sub(NUMBERED, '', line)))}" for line in lines.items]
    kind = "enumerate" if lines.kind == "steps" else "itemize"
    head = [rf"\paragraph{{{escaped(title)}}}"]
    return "\n".join([*head, rf"\begin{{{kind}}}", *items, rf"\end{{{kind}}}"]) + "\n"


def _caption(document: Document, part: Part, table: Table, *, is_first: bool) -> str:
    """The answer above the first table; what stands below a table elsewhere belongs to its caption here."""
    answer = [f"{message_line(document.sentence).removesuffix('.')}."] if is_first and document.sentence else []
    title = part.title if table is part.tables[0] else table.caption
    said = "; ".join(message_line(text) for text in (title, *table.remarks, table.more) if text)
    return " ".join([*answer, f"{said.removesuffix('.')}."])


def _table(table: Table, caption: str) -> str:
    columns = "".join("l" if column.words else "r" for column in table.columns)
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{escaped(caption)}}}", rf"\label{{tab:{table.name}}}"]
    heads = [escaped(column.title) for column in table.columns]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _line(heads)]
    lines += [r"\midrule", *(_line(cells) for row in table.rows for cells in _rows(row, len(table.columns)))]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


def _rows(row: Sequence[Cell], columns: int) -> Iterator[list[str]]:
    """A row, and below it in smaller print what stands beside its cells."""
    missing = [""] * (columns - len(row))
    yield [*map(_cell, row), *missing]
    if any(cell.small for cell in row):
        yield [*(rf"{{\footnotesize {_signed(cell.small)}}}" if cell.small else "" for cell in row), *missing]


def _cell(cell: Cell) -> str:
    if cell.names:
        text = escaped(cell.shown())
    else:
        text = _number(cell.text) if isinstance(cell.value, float) else _signed(cell.text)
    if cell.mark == "part":
        return rf"\quad {text}"
    return rf"\textbf{{{text}}}" if cell.is_bold and text else text


def _signed(text: str) -> str:
    """A text whose numbers have a minus that is one."""
    return re.sub(r"(?<![\w.$}])-(?=[\d.])", "$-$", escaped(text))


def _line(cells: Sequence[str]) -> str:
    r"""One row; an asterisk or a bracket at its start would belong to the `\\` or rule above it."""
    text = " & ".join(cells) + r" \\"
    return "{}" + text if text.startswith(("[", "*")) else text


def _with_engine(text: str) -> str:
    """Say which engine is needed, where it is not any."""
    is_lacking = any((letter > LAST_LATIN and letter not in KNOWN) or letter in LACKING for letter in set(text))
    return OTHER_ENGINE + text if is_lacking else text


def _number(text: str) -> str:
    r"""A number with a minus that is one, and powers of ten.

    >>> print(_number("-0.0123"), _number("2e-07"), _number("–"))
    $-$0.0123 2$\times10^{-7}$ --
    """
    digits, _, power = text.partition("e") if re.fullmatch(r"-?[\d.,]+e[-+]\d+", text) else (text, "", "")
    return _signed(digits) + (rf"$\times10^{{{int(power)}}}$" if power else "")


def escaped(text: str) -> str:
    r"""A text that LaTeX shows as it is.

    >>> print(escaped("50% of a_b"))
    50\% of a\_b
    """
    apart = re.sub("-(?=-)", "-\0", visible(text))
    return "".join(SPECIAL.get(letter, letter) for letter in apart).replace("\0", "{}")

"""Reads tables as LaTeX does: what would stop pdfLaTeX stops this, without a TeX installation."""

from __future__ import annotations

import re
from itertools import pairwise

from pylatexenc.latexwalker import (
    LatexCharsNode,
    LatexCommentNode,
    LatexEnvironmentNode,
    LatexGroupNode,
    LatexMacroNode,
    LatexMathNode,
    LatexSpecialsNode,
    LatexWalker,
)

RULES = {"toprule", "midrule", "bottomrule"}
DEFINED = RULES | {
    "\\", "&", "%", "$", "#", "_", "{", "}", "begin", "end", "caption", "label", "centering", "textbf", "texttt",
    "footnotesize", "textbackslash", "textasciitilde", "textasciicircum", "textasciigrave", "textless", "textgreater",
    "textbar", "dots", "pm", "leq", "geq", "times", "mathrm", "char",
}  # fmt: skip
"""What LaTeX and booktabs define, of what is needed here."""
ENVIRONMENTS = {"table", "tabular"}
LETTERS = re.compile("[\\0-\u017f‘’“”•€™]*")
"""What pdfLaTeX knows without more packages; other engines know more."""


class NotLatexError(Exception):
    """LaTeX would stop here, or typeset something else."""


def tables_in(text):
    """The rows of cells of every tabular, as LaTeX code; an error where LaTeX would stop."""
    if not text.startswith("%") and not LETTERS.fullmatch(text):
        raise NotLatexError(f"pdfLaTeX lacks {LETTERS.sub('', text)}")
    nodes, _, _ = LatexWalker(text, tolerant_parsing=False).get_latex_nodes()
    return list(_tables(nodes))


def _tables(nodes, *, is_math=False):
    """Look into everything but the rows of tables; those are yielded."""
    for node in nodes:
        _refuse_undefined(node, is_math)
        if isinstance(node, LatexEnvironmentNode) and node.environmentname == "tabular":
            yield _rows(node)
        else:
            yield from _tables(_inside(node), is_math=is_math or isinstance(node, LatexMathNode))


def _inside(node):
    arguments = getattr(getattr(node, "nodeargd", None), "argnlist", None) or []
    return [*(each for each in arguments if each is not None), *(getattr(node, "nodelist", None) or [])]


def _refuse_undefined(node, is_math):
    match node:
        case LatexMacroNode() if node.macroname not in DEFINED:
            raise NotLatexError(f"undefined: \\{node.macroname}")
        case LatexEnvironmentNode() if node.environmentname not in ENVIRONMENTS:
            raise NotLatexError(f"undefined: the environment {node.environmentname}")
        case LatexCommentNode() if node.latex_verbatim().strip() and node.pos > 0:
            raise NotLatexError(f"a comment hides the rest of a line: {node.comment}")
        case LatexSpecialsNode(specials_chars="&" | "~" | "?`" | "!`" | "``" | "''"):
            raise NotLatexError(f"{node.specials_chars} means something else here")
        case LatexCharsNode() if not is_math and set(node.chars) & set("_^#&"):
            raise NotLatexError(f"special letters outside of formulas: {node.chars}")


def _rows(tabular):
    (alignment,) = (each for each in tabular.nodeargd.argnlist if isinstance(each, LatexGroupNode))
    columns = len(alignment.latex_verbatim().strip("{}"))
    rows, start = [], []
    for node in tabular.nodelist:
        if isinstance(node, LatexMacroNode) and node.macroname == "\\":
            rows.append(_cells(start, columns))
            _refuse_options(node)
            start = []
        else:
            start.append(node)
    _refuse_rest(start)
    return rows


def _cells(nodes, columns):
    """A row's cells; rules stand before it, and a bracket right after a rule would be its option."""
    while nodes and (_is_rule(nodes[0]) or _is_blank(nodes[0])):
        if _is_rule(nodes[0]) and len(nodes) > 1 and nodes[1].latex_verbatim().lstrip().startswith("["):
            raise NotLatexError("a row's bracket is taken for the option of a rule")
        nodes = nodes[1:]
    ends = [place for place, node in enumerate(nodes) if isinstance(node, LatexSpecialsNode) and _is_column_end(node)]
    cells = [nodes[first + 1 : last] for first, last in pairwise([-1, *ends, len(nodes)])]
    if len(cells) != columns:
        raise NotLatexError(f"{len(cells)} cells in {columns} columns")
    if any(_is_rule(node) for cell in cells for node in cell):
        raise NotLatexError("a rule inside of a row")
    if any(list(_tables(cell)) for cell in cells):
        raise NotLatexError("a table in a cell")
    return ["".join(node.latex_verbatim() for node in cell).strip() for cell in cells]


def _is_column_end(node):
    return node.specials_chars == "&"


def _is_rule(node):
    return isinstance(node, LatexMacroNode) and node.macroname in RULES


def _is_blank(node):
    return isinstance(node, LatexCharsNode) and not node.chars.strip()


def _refuse_options(line_end):
    if any(each is not None for each in line_end.nodeargd.argnlist):
        raise NotLatexError("the start of a row is taken for the option of the line above")


def _refuse_rest(nodes):
    if any(not _is_rule(node) and not _is_blank(node) for node in nodes):
        raise NotLatexError("a row without an end")

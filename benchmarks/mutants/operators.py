"""The mistakes: one changed node of a module's syntax tree, and a name for it that survives edits elsewhere."""

from __future__ import annotations

import ast
from collections import Counter
from copy import copy
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
WORDS = ("Notice", "UsageError", "InputError", "cast")
"""Calls whose arguments are texts and types."""
LONGEST = 90


@dataclass(frozen=True)
class Mutant:
    path: str
    """Of the module, from the root of the repository."""
    function: str
    """Its qualified name. Declarations are not changed: tests/scoring/test_every_declaration.py does that."""
    before: str
    after: str
    number: int
    """Which of several alike in the function."""
    line: int

    @property
    def key(self) -> str:
        return f"{self.path} {self.function}: {self.before} -> {self.after} #{self.number}"

    def draw(self, seed: int) -> str:
        """A random number that stays the same whatever else is edited."""
        return sha256(f"{seed} {self.key}".encode()).hexdigest()


def mutants_of(path: Path, name: str) -> list[Mutant]:
    return [mutant for mutant, _tree in _changed(ast.parse(path.read_bytes()), name)]


def mutated(source: bytes, mutant: Mutant) -> ast.Module:
    tree = ast.parse(source)
    for candidate, changed in _changed(tree, mutant.path):
        if candidate.key == mutant.key:
            return changed
    raise LookupError(mutant.key)


def _changed(tree: ast.Module, path: str) -> Iterator[tuple[Mutant, ast.Module]]:
    """Each mutant with the tree as it is while the mutant is looked at; afterwards the change is taken back."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for function, parent, field, place, node in _places(tree):
        for changed in map(copy, _mistakes(node)):  # a part of the node keeps its own place
            before, after = _words(node), _words(changed)
            seen[function, before, after] += 1
            ast.fix_missing_locations(ast.copy_location(changed, node))
            _put(parent, field, place, changed)
            yield Mutant(path, function, before, after, seen[function, before, after], node.lineno), tree
            _put(parent, field, place, node)


def _words(node: ast.AST) -> str:
    """The code of a node on one line, cut where it is long: those alike are numbered."""
    text = f"if {ast.unparse(node.test)}" if isinstance(node, ast.If) else ast.unparse(node)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _put(parent: ast.AST, field: str, place: int | None, node: ast.AST) -> None:
    if place is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[place] = node


def _places(
    node: ast.AST, names: tuple[str, ...] = (), *, inside: bool = False
) -> Iterator[tuple[str, ast.AST, str, int | None, ast.AST]]:
    """Every node of a function's body that may be changed, with where it hangs; texts and types are left out."""
    for field, value in ast.iter_fields(node):
        if (isinstance(node, ast.FunctionDef) and field != "body") or field == "annotation":
            continue
        for place, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _is_left_out(child):
                continue
            if inside:
                yield ".".join(names), node, field, place, child
            is_function = isinstance(child, ast.FunctionDef)
            inner = (child.name,) if is_function or isinstance(child, ast.ClassDef) else ()
            yield from _places(child, (*names, *inner), inside=inside or is_function)


def _is_left_out(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):
        return True
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return True  # an assertion of equal lengths
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WORDS


def _mistakes(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in COMPARISONS:
            yield ast.Compare(node.left, [COMPARISONS[type(operator)]()], node.comparators)
        case ast.BinOp(op=operator) if type(operator) in ARITHMETIC and not _is_text(node):
            yield ast.BinOp(node.left, ARITHMETIC[type(operator)](), node.right)
        case ast.BoolOp(op=operator):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1 if value + 1 != value else 2 * value)
        case ast.IfExp():
            yield node.body
            yield node.orelse
        case ast.If():
            yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()


def _is_text(node: ast.BinOp) -> bool:
    """Whether it puts texts together, or types: there a mistake is about words, or is none."""
    parts = [part for part in ast.walk(node) if isinstance(part, ast.Constant | ast.JoinedStr)]
    return any(isinstance(part, ast.JoinedStr) or isinstance(part.value, str) for part in parts)

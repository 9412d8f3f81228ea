"""Columns that others are made of, worked out once: a server repeats what SQL repeats, for every row."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from referee.arrays import Column

SHARED = "shared"
"""What their names begin with."""
LEAST_WORK = 4
"""Operations that are worth a column of their own."""


def worked_out_once(table: Any, columns: Mapping[str, Column], kept: Iterable[str] = ()) -> tuple[Any, dict[str, Any]]:
    """A table with what the columns share, and the same columns of it; some columns of the table are kept."""
    import ibis.expr.operations as ops

    roots: dict[str, Any] = {name: column.op() for name, column in columns.items()}
    place = 0
    while shared := _lowest_shared(roots.values()):
        above = _nodes(roots.values(), stop=set(shared))
        fields = {each.name for each in above if isinstance(each, ops.Field)} | {*kept}
        named = {f"{SHARED}{place + k}": node for k, node in enumerate(shared)}
        below, table = table, table.select(*sorted(fields), **{name: node.to_expr() for name, node in named.items()})
        replaced = {below[name].op(): table[name].op() for name in fields}
        replaced |= {node: table[name].op() for name, node in named.items()}
        roots = {name: root.replace(replaced, filter=ops.Value) for name, root in roots.items()}
        place += len(named)
    return table, {name: root.to_expr() for name, root in roots.items()}


def _lowest_shared(roots: Iterable[Any]) -> list[Any]:
    """What occurs more than once, takes work, and is made of nothing that is so, too."""
    import ibis.expr.operations as ops

    roots = list(roots)
    uses = Counter(child for node in _nodes(roots) for child in _values(node)) + Counter(roots)
    work: dict[Any, int] = {}
    lowest: list[Any] = []
    holds: set[Any] = set()
    """What is shared, or is made of that."""
    for node in _nodes(roots):
        children = [*_values(node)]
        work[node] = 1 + sum(work[child] for child in children) if children else 0
        if any(child in holds for child in children):
            holds.add(node)
        elif uses[node] > 1 and work[node] >= LEAST_WORK and not isinstance(node, ops.Reduction):
            lowest.append(node)
            holds.add(node)
    return lowest


def _nodes(roots: Iterable[Any], stop: Container[Any] = ()) -> list[Any]:
    """All values that others are made of, each once, and after what it is made of itself; none below some."""
    seen: dict[Any, None] = {}

    def visit(node: Any) -> None:
        if node not in seen and node not in stop:
            for child in _values(node):
                visit(child)
            seen[node] = None

    for root in roots:
        visit(root)
    return [*seen]


def _values(node: Any) -> Iterator[Any]:
    import ibis.expr.operations as ops

    return (child for child in node.__children__ if isinstance(child, ops.Value))

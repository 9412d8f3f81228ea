"""Results as Markdown tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.validity.judging import is_exception

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from benchmarks.validity.measuring import Result

    Heading = Callable[[Result], tuple[str, ...]]


def percent(result: Result) -> str:
    """A share with its Monte-Carlo standard error; what breaks a promise stands out."""
    shown = f"{100 * result.value:.1f} ± {100 * result.standard_error:.1f}"
    return f"**{shown} (!)**" if is_exception(result) else shown


def decimal(result: Result) -> str:
    return f"{result.value:+.4f} ± {result.standard_error:.4f}"


def table(
    results: Iterable[Result],
    titles: Sequence[str],
    row: Heading,
    column: Callable[[Result], str],
    cell: Callable[[Result], str] = percent,
) -> list[str]:
    """A line for each row heading, in the order in which they came; empty where something was not measured."""
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for result in results:
        cells.setdefault(row(result), {})[column(result)] = cell(result)
    columns = list(dict.fromkeys(name for line in cells.values() for name in line))
    head = ["| " + " | ".join([*titles, *columns]) + " |", "|" + "---|" * len(titles) + "--:|" * len(columns)]
    lines = [
        "| " + " | ".join([*heading, *(line.get(name, "") for name in columns)]) + " |"
        for heading, line in cells.items()
    ]
    return [*head, *lines, ""]


def as_named(result: Result) -> str:
    """The test, with a mark where it is the product's own choice."""
    return f"{result.test} (default)" if result.default else result.test

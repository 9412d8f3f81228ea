"""What was selected, in the four formats: the verdict, and what else matters."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee.report.verdict import explained, show_verdict, write_json
from referee.wording import distinct_names, message_line, number

if TYPE_CHECKING:
    from referee.selection.tradeoffs import Tradeoff
    from referee.verdict import Verdict


def show_selection(verdict: Verdict, form: str, *, quiet: bool, explain: bool) -> None:
    """Write the verdict with its trade-offs to standard output, and failed models to standard error."""
    if form == "json":
        write_json("select", verdict.to_dict() | ({"explanation": explained(verdict)} if explain else {}))
    else:
        if not quiet and form == "text":
            _print_tradeoffs(verdict)
        show_verdict(verdict, form, quiet=quiet, explain=explain)
    assert verdict.selection is not None
    for error in verdict.selection.failures:
        sys.stderr.write(f"error[{error.code}] {message_line(error.message)}\n")


def _print_tradeoffs(verdict: Verdict) -> None:
    from referee.report.console import plain, print_dim, print_title, screen, table_of

    selection, console = verdict.selection, screen()
    assert selection is not None
    print_title(console, f"{selection.scheme}: {selection.splits} splits")
    table = table_of("", "test", "training", "fit", "predict", "size", "")
    names = distinct_names(verdict.values)
    for row in selection.tradeoffs:
        cells = (number(row.test), number(row.train), seconds(row.fit_seconds), seconds(row.predict_seconds))
        table.add_row(*map(plain, (f"  {names[row.model]}", *cells, size_in_words(row), "*" if row.efficient else "")))
    console.print(table)
    print_dim(console, ["* no other model is better in one of these and at least as good in all (Pareto set); "
                        "CPU seconds are medians over the splits"])  # fmt: skip
    if selection.folder:
        print_dim(
            console, [f"kept in {selection.folder}: `referee compare {selection.folder} --goal METRIC` fits nothing"]
        )
    console.print()


def seconds(value: float) -> str:
    """CPU time as people read it.

    >>> seconds(0.00042), seconds(0.25), seconds(75)
    ('0.4 ms', '250 ms', '75.0 s')
    """
    if value < 1:
        return f"{1000 * value:.1f} ms" if value < 0.01 else f"{1000 * value:.0f} ms"
    return f"{value:,.1f} s"


def size_in_words(row: Tradeoff) -> str:
    """The plainest measure that the model has."""
    for key in ("leaves", "coefficients", "support_vectors", "stored_rows", "bytes"):
        if key in row.size:
            return f"{row.size[key]:,.0f} {key.replace('_', ' ')}"
    return ""

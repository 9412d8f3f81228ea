"""Scores with what lint found, in the four formats."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee.report.scores.formats import show_scores, write_csv
from referee.report.writing import write_json
from referee.scoring import metrics, sees_reports
from referee.wording import message_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.advice import Finding
    from referee.scoring import Scores

NOTHING = "nothing found"


def show_lint(
    scores: Scores,
    findings: Sequence[Finding],
    linted: Sequence[str],
    form: str,
    *,
    goal: str | None,
    alpha: float,
    seed: int,
    quiet: bool,
) -> None:
    """Write the scores, and then what lint found on the metrics that it looked at."""
    if form == "json":
        head = {"goal": goal, "alpha": alpha, "seed": seed}
        write_json("evaluate", head | scores.to_dict() | {"lint": [one.to_dict() for one in findings]})
    elif form == "csv":
        write_csv(scores)
        for one in findings:
            sys.stderr.write(f"lint {message_line(in_words(one))}\n")
    elif form == "md":
        from referee.report.markdown import listed_items
        from referee.report.scores.markdown import to_markdown

        found = listed_items([in_words(one) for one in findings] or [NOTHING])
        sys.stdout.write(to_markdown(scores, alpha=alpha) + "\n".join(["", _title(linted), *found]) + "\n")
    else:
        show_scores(scores, form, alpha=alpha, seed=seed, quiet=quiet)
        _print(findings, linted)


def _title(linted: Sequence[str]) -> str:
    looked_at = [name for name in linted if sees_reports(metrics[name])]
    if not looked_at:
        return f"Lint: {', '.join(linted)} is the same for all predictions"
    return f"Lint: is there a degenerate prediction that does as well on {', '.join(looked_at)}?"


def in_words(found: Finding) -> str:
    """Model, what was found and what it means, in one line."""
    return f"{found.model}: {found.sentence}; {found.meaning}"


def _print(findings: Sequence[Finding], linted: Sequence[str]) -> None:
    from referee.report.terminal.console import print_dim, print_wrapped, screen  # rich is for the screen only

    console = screen()
    console.print()
    print_wrapped(console, _title(linted), "bold")
    for one in findings:
        print_wrapped(console, f"{one.model}: {one.sentence}")
        print_dim(console, [message_line(one.meaning)])
    if not findings:
        print_wrapped(console, NOTHING)

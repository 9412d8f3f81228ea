"""Scores in all formats."""

from __future__ import annotations

import csv
import json
import sys
from typing import TYPE_CHECKING

from referee import __version__
from referee.wording import message_line

if TYPE_CHECKING:
    from referee.scores import Scores


def show_scores(scores: Scores, form: str, *, alpha: float, seed: int, quiet: bool) -> None:
    """Write scores to standard output."""
    if form == "json":
        sys.stdout.write(to_json(scores, alpha=alpha, seed=seed))
    elif form == "csv":
        write_csv(scores)
    elif form == "md":
        from referee.report.markdown import to_markdown

        sys.stdout.write(to_markdown(scores, alpha=alpha))
    elif form == "latex":
        from referee.report.latex import scores_to_latex

        sys.stdout.write(scores_to_latex(scores, alpha=alpha))
    else:
        from referee.report.scores.screen import print_scores  # rich is for the screen only

        print_scores(scores, alpha=alpha, quiet=quiet)


def to_json(scores: Scores, *, alpha: float, seed: int) -> str:
    """The contract's object; the same input gives the same bytes."""
    head = {"referee": __version__, "command": "evaluate", "goal": None, "alpha": alpha, "seed": seed}
    return json.dumps(head | scores.to_dict(), ensure_ascii=False, allow_nan=False) + "\n"


def write_csv(scores: Scores) -> None:
    """One line per score, for people who go on with them elsewhere; warnings have no place in it."""
    rows = [row.to_dict() | {"kind": "model"} for row in scores.rows]
    rows += [row.to_dict() | {"kind": "baseline"} for row in scores.baseline]
    writer = csv.DictWriter(sys.stdout, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    for notice in scores.notices:
        sys.stderr.write(f"warning[{notice.code}] {message_line(notice.message)}\n")

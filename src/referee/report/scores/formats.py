"""Scores in all formats."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee.report.writing import write_json, write_notices, write_rows

if TYPE_CHECKING:
    from referee.scoring import Scores


def show_scores(scores: Scores, form: str, *, alpha: float, seed: int, quiet: bool) -> None:
    """Write scores to standard output."""
    if form == "json":
        write_json("evaluate", {"goal": None, "alpha": alpha, "seed": seed} | scores.to_dict())
    elif form == "csv":
        write_csv(scores)
    elif form == "md":
        from referee.report.scores.markdown import to_markdown

        sys.stdout.write(to_markdown(scores, alpha=alpha))
    elif form == "latex":
        from referee.report.latex import scores_to_latex

        sys.stdout.write(scores_to_latex(scores, alpha=alpha))
        write_notices(scores.notices)
    else:
        from referee.report.scores.screen import print_scores  # rich is for the screen only

        print_scores(scores, alpha=alpha, quiet=quiet)


def write_csv(scores: Scores) -> None:
    """One line per score, for people who go on with them elsewhere; warnings have no place in it."""
    rows = [row.to_dict() | {"kind": "model"} for row in scores.rows]
    rows += [row.to_dict() | {"kind": "baseline"} for row in scores.baseline]
    write_rows(list(rows[0]), rows)
    write_notices(scores.notices)

"""Scores in the four formats."""

from __future__ import annotations

import csv
import json
import sys
from typing import TYPE_CHECKING, Any

from referee import __version__
from referee.metric import metrics
from referee.report.wording import number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.scores import Score, Scores


def show_scores(scores: Scores, form: str, *, alpha: float, seed: int, quiet: bool) -> None:
    """Write scores to standard output."""
    if form == "json":
        sys.stdout.write(to_json(scores, alpha=alpha, seed=seed))
    elif form == "csv":
        write_csv(scores)
    elif form == "md":
        sys.stdout.write(to_markdown(scores))
    else:
        from referee.report.terminal import print_scores  # rich is for the screen only

        print_scores(scores, quiet=quiet)


def to_json(scores: Scores, *, alpha: float, seed: int) -> str:
    """The contract's object; the same input gives the same bytes."""
    head = {"referee": __version__, "command": "evaluate", "goal": None, "alpha": alpha, "seed": seed}
    return json.dumps(head | scores.to_dict(), ensure_ascii=False, allow_nan=False) + "\n"


def write_csv(scores: Scores) -> None:
    """One line per score, for people who go on with them elsewhere."""
    rows: list[dict[str, Any]] = [row.to_dict() for row in (*scores.rows, *scores.baseline)]
    writer = csv.DictWriter(sys.stdout, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def to_markdown(scores: Scores) -> str:
    """A table for a pull request."""
    names = scores.predictions.names
    lines = [
        f"**{scores.predictions.rows:,} rows**, {described(scores)}",
        "",
        "| metric | better | " + " | ".join(escaped(one_line(name)) for name in names) + " | guessing |",
        "|---|---|" + "--:|" * (len(names) + 1),
    ]
    lines += [
        f"| {metric} | {metrics[metric].better} | " + " | ".join(number(row.value) for row in row_scores) + " |"
        for metric, row_scores in overall_table(scores)
    ]
    lines += ["", *(f"- {notice.code}: {escaped(notice.message)}" for notice in scores.notices)]
    return "\n".join(lines).rstrip() + "\n"


def overall_table(scores: Scores) -> Iterator[tuple[str, list[Score]]]:
    """Each metric with the overall scores of all models, and of guessing last."""
    guessed = {row.metric: row for row in scores.baseline}
    for metric in scores.metrics:
        name = metric.full_name
        yield name, [*(scores[model, name] for model in scores.predictions.names), guessed[name]]


def described(scores: Scores) -> str:
    """What was understood of the truth."""
    predictions = scores.predictions
    text = f"{predictions.task} truth {one_line(predictions.truth_column)!r}"
    if predictions.task == "multiclass":
        text += f" with {len(predictions.classes)} classes"
    if predictions.positive is not None:
        text += f", positive {one_line(predictions.classes[predictions.positive])!r}"
    return text + (", weighted" if predictions.weight is not None else "")


def escaped(text: str) -> str:
    """A text that Markdown shows as it is."""
    return "".join(f"\\{letter}" if letter in r"\`*_{}[]<>|#" else letter for letter in text)

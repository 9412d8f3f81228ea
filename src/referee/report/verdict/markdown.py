"""A verdict as Markdown for a pull request: the sentence and the comparisons in sight, the rest folded away."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from referee.report.markdown import escaped, folded_away, listed_items, table_row
from referee.report.notices import few_of_each
from referee.report.verdict.words import MARKS, MOST_MODELS, remark_on_comparisons, shown_comparisons, what_else
from referee.scoring import shown_name
from referee.wording import counted, level, message_line, number, short_p

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.comparing import Verdict

MOST_IN_SIGHT = 10
"""Comparisons; more are folded away."""


def to_markdown(verdict: Verdict, explanation: Sequence[str]) -> str:
    lines = [f"**{escaped(verdict.sentence)}**", "", *_goal(verdict), *_failures(verdict), *_pairs(verdict)]
    lines += listed_items(what_else(verdict))
    lines += listed_items(f"{notice.code}: {message_line(notice.message)}" for notice in few_of_each(verdict.warnings))
    if verdict.other_goals:
        lines += folded_away("If another metric had decided", _other_goals(verdict))
    lines += folded_away("Why this test", (f"- {escaped(reason)}" for reason in verdict.reasons))
    if explanation:
        lines += folded_away("The test, step by step", (f"- {escaped(step)}" for step in explanation))
    return "\n".join(lines).rstrip() + "\n"


def _goal(verdict: Verdict) -> Iterator[str]:
    yield table_row(["model", verdict.goal_name, ""])
    yield "|---|--:|---|"
    for name, value in islice(verdict.values.items(), MOST_MODELS):
        mark = MARKS[verdict.outcome] if name in verdict.winners else ""
        yield table_row([name, number(value), mark])
    if (left := len(verdict.values) - MOST_MODELS) > 0:
        yield from ("", f"{counted(left, 'more model')}: `--format json`")


def _failures(verdict: Verdict) -> list[str]:
    """Models that could not be fitted."""
    failures = verdict.selection.failures if verdict.selection else ()
    return listed_items(f"failed, and no part of the verdict: {message_line(one.message)}" for one in failures)


def _pairs(verdict: Verdict) -> list[str]:
    table = [*_comparisons(verdict)]
    if len(verdict.comparisons) <= MOST_IN_SIGHT:
        return ["", *table]
    return folded_away(f"{len(verdict.comparisons):,} comparisons", table)


def _comparisons(verdict: Verdict) -> Iterator[str]:
    yield table_row(["a", "b", "difference", f"{level(verdict.alpha)} interval", "p", "p adjusted", "better"])
    yield "|---|---|--:|--:|--:|--:|---|"
    shown = shown_comparisons(verdict)
    for found in shown:
        ends = "" if found.low is None else f"{number(found.low)} to {number(found.high)}"
        p = [short_p(found.p), short_p(found.p_adjusted)]
        yield table_row([found.a, found.b, number(found.difference), ends, *p, found.answer])
    left = len(verdict.comparisons) - len(shown)
    yield from ("", escaped(remark_on_comparisons(verdict)) + (f"; {left:,} more: `--format csv`" if left else ""))


def _other_goals(verdict: Verdict) -> Iterator[str]:
    yield table_row(["metric", "its best model", "wins there", f"costs on {verdict.goal_name}"])
    yield "|---|---|---|--:|"
    for other in verdict.other_goals:
        yield table_row([shown_name(other.metric), other.best, "yes" if other.wins else "no", number(other.cost)])

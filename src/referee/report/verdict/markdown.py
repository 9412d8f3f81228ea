"""A verdict as Markdown for a pull request: the sentence and the comparisons in sight, the rest folded away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.markdown import escaped, folded_away, listed_items, table_row
from referee.report.verdict.words import MARKS, what_else
from referee.wording import message_line, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.verdict import Verdict


def to_markdown(verdict: Verdict, explanation: Sequence[str]) -> str:
    lines = [f"**{escaped(verdict.sentence)}**", "", *_goal(verdict), "", *_comparisons(verdict)]
    lines += listed_items(what_else(verdict))
    lines += listed_items(f"{notice.code}: {message_line(notice.message)}" for notice in verdict.warnings)
    if verdict.other_goals:
        lines += folded_away("If another metric had decided", _other_goals(verdict))
    lines += folded_away("Why this test", (f"- {escaped(reason)}" for reason in verdict.reasons))
    if explanation:
        lines += folded_away("The test, step by step", (f"- {escaped(step)}" for step in explanation))
    return "\n".join(lines).rstrip() + "\n"


def _goal(verdict: Verdict) -> Iterator[str]:
    yield table_row(["model", verdict.goal.full_name, ""])
    yield "|---|--:|---|"
    for name, value in verdict.values.items():
        mark = MARKS[verdict.outcome] if name in verdict.winners else ""
        yield table_row([name, number(value), mark])


def _comparisons(verdict: Verdict) -> Iterator[str]:
    level = f"{100 * (1 - verdict.alpha):g} % interval"
    yield table_row(["a", "b", "difference", level, "p", "p adjusted", "better"])
    yield "|---|---|--:|--:|--:|--:|---|"
    for found in verdict.comparisons:
        ends = "" if found.low is None else f"{number(found.low)} to {number(found.high)}"
        p = ["–" if p is None else f"{p:.4g}" for p in (found.p, found.p_adjusted)]
        better = found.winner or ("undefined" if found.undefined else "tie")
        yield table_row([found.a, found.b, number(found.difference), ends, *p, better])


def _other_goals(verdict: Verdict) -> Iterator[str]:
    yield table_row(["metric", "its best model", "wins there", f"costs on {verdict.goal.full_name}"])
    yield "|---|---|---|--:|"
    for other in verdict.other_goals:
        yield table_row([other.metric, other.best, "yes" if other.wins else "no", number(other.cost)])

"""Advice on the goal metric in the four formats."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee.advice import ARTICLE, ELKAN, Reason
from referee.report.writing import write_json, write_notices, write_table
from referee.wording import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from referee.advice import Advice

Section = tuple[str, list[str]]


def show_advice(advice: Advice, form: str, *, quiet: bool = False) -> None:
    """Write advice to standard output."""
    if form == "json":
        write_json("advise", advice.to_dict())
    elif form == "csv":
        write_table(_rows(advice))
        write_notices(advice.warnings)
    elif form == "md":
        sys.stdout.write("\n".join(_markdown(advice)) + "\n")
    else:
        _print(advice, quiet=quiet)


def _rows(advice: Advice) -> Iterator[list[str]]:
    yield ["role", "metric", "reason", "source"]
    yield from (["goal", advice.goal.full_name, one.text, one.source] for one in advice.reasons)
    yield from (["watch", one.metric.full_name, one.reason.text, one.reason.source] for one in advice.watched)
    for one in advice.avoided:
        yield from (["avoid", name, one.reason.text, one.reason.source] for name in one.metrics)


class Sources:
    """Numbers for the sources, in the order in which they are cited."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def cite(self, reason: Reason) -> str:
        return f"{reason.text} [{self.numbers.setdefault(reason.source, len(self.numbers) + 1)}]"

    def lines(self) -> list[str]:
        return [f"[{place}] {source}" for source, place in self.numbers.items()]


def sections(advice: Advice) -> Iterator[Section]:
    """Everything under its heading, except the goal and the command."""
    sources = Sources()
    if advice.facts:
        from referee.advice import in_words

        yield "Your data", list(in_words(advice.facts))
    yield "Why", [sources.cite(one) for one in advice.reasons]
    yield "What it cannot see", [advice.cannot_see]
    yield "Watch beside it", [f"{', '.join(names)}: {sources.cite(one)}" for one, names in _together(advice).items()]
    yield "Avoid here", [f"{', '.join(one.metrics)}: {sources.cite(one.reason)}" for one in advice.avoided]
    yield "Rows", list(_about_rows(advice))
    if advice.goal.depends_on_threshold:
        yield "Threshold", [sources.cite(_about_threshold(advice.threshold))]
    if assumed := [f"{key} = {value}" for key, value in advice.answers.assumed.items() if value != "none"]:
        yield "Assumed, as nobody said otherwise", [", ".join(assumed)]
    yield "Sources", sources.lines()


def _together(advice: Advice) -> dict[Reason, list[str]]:
    """The metrics that are watched for the same reason."""
    found: dict[Reason, list[str]] = {}
    for one in advice.watched:
        found.setdefault(one.reason, []).append(one.metric.shown_name)
    return found


def _about_rows(advice: Advice) -> Iterator[str]:
    needed = advice.rows_needed
    if needed.rarer_rows is not None:
        yield f"at least {needed.rarer_rows} of the rarer class; with fewer a verdict is approximate, or there is none"
    difference = f"a difference of {number(needed.difference)}"
    if needed.rows is None:
        yield f"{difference}: not to be planned beforehand; `referee compare --delta` plans it from predictions"
    else:
        yield f"{difference} is found with 80 % probability on about {needed.rows:,} rows ({needed.basis})"


def _about_threshold(threshold: float | None) -> Reason:
    if threshold is None:
        best = "the best threshold is generally not 0.5, and belongs to the value: `referee threshold` finds it"
        return Reason(best, f"{ARTICLE}, Common Confusions")
    cheapest = f"with calibrated probabilities it is cheapest to decide for the positive class from {threshold:.4g} on"
    return Reason(f"{cheapest}, fp / (fp + fn)", ELKAN)


def _markdown(advice: Advice) -> Iterator[str]:
    from referee.report.markdown import escaped, listed_items

    yield f"**Goal: `{advice.goal.shown_name}`** {escaped(advice.goal.question)}"
    for title, lines in sections(advice):
        if lines:
            yield from ["", f"**{title}**", *listed_items(lines)]
    yield from listed_items(f"{notice.code}: {notice.message}" for notice in advice.warnings)
    yield from ["", "**Run next**", "", "```", advice.command, "```"]


def _print_items(console: Console, lines: list[str]) -> None:
    from referee.report.terminal.console import plain, wrapped
    from referee.wording import message_line

    for line in lines:
        for part in wrapped(message_line(line), console.width, "  - ", "    "):
            console.print(plain(part), soft_wrap=True)


def _print(advice: Advice, *, quiet: bool) -> None:
    from referee.report.terminal.console import plain, print_title, print_wrapped, screen
    from referee.report.terminal.notices import print_notices

    console = screen()
    for title, lines in () if quiet else sections(advice):
        if lines:
            print_title(console, title)
            _print_items(console, lines)
    print_notices(console, advice.warnings, quiet=quiet)
    print_title(console, f"Goal: {advice.goal.shown_name}")
    print_wrapped(console, advice.goal.question)
    print_title(console, "Run next")
    console.print(plain(f"  {advice.command}"), soft_wrap=True)

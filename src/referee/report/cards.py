"""The catalogue as a list, and each metric's card."""

from __future__ import annotations

import csv
import json
import sys
from math import isinf
from typing import TYPE_CHECKING, Any

from referee.call_syntax import write_value
from referee.report.selection import HEADINGS
from referee.report.wording import counted, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.metric import Metric


def show_catalogue(entries: Sequence[Metric], form: str) -> None:
    """List metrics, one line each."""
    rows = [summary_of(metric) for metric in entries]
    if form == "json":
        sys.stdout.write(json.dumps({"metrics": [card(metric) for metric in entries]}, ensure_ascii=False) + "\n")
    elif form == "csv":
        writer = csv.DictWriter(sys.stdout, fieldnames=list(SUMMARY), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    elif form == "md":
        lines = ["| " + " | ".join(SUMMARY) + " |", "|---" * len(SUMMARY) + "|"]
        lines += ["| " + " | ".join(row.values()) + " |" for row in rows]
        sys.stdout.write("\n".join(lines) + "\n")
    else:
        _print_catalogue(entries)


SUMMARY = ("name", "needs", "better", "proper", "question")


def summary_of(metric: Metric) -> dict[str, str]:
    return {key: str(getattr(metric, key)) for key in SUMMARY}


def _print_catalogue(entries: Sequence[Metric]) -> None:
    from referee.report.console import plain, screen  # rich is for the screen only

    console = screen()
    for needs, heading in HEADINGS.items():
        chosen = [metric for metric in entries if metric.needs == needs]
        if chosen:
            console.print(plain(heading, "bold"))
        for metric in chosen:
            console.print(plain(f"  {metric.name:<27}{metric.question}"), soft_wrap=True)
    ending = "`referee metrics NAME` shows a card" if entries else "widen the filter"
    console.print(plain(f"{counted(len(entries), 'metric')}; {ending}", "dim"))


def show_card(metric: Metric, form: str) -> None:
    """Show all that is known about one metric."""
    fields = card(metric)
    if form == "json":
        sys.stdout.write(json.dumps(fields, ensure_ascii=False) + "\n")
    elif form == "csv":
        csv.writer(sys.stdout, lineterminator="\n").writerows([key, in_words(value)] for key, value in fields.items())
    elif form == "md":
        sys.stdout.write(markdown_card(metric))
    else:
        _print_card(metric)


def card(metric: Metric) -> dict[str, Any]:
    """A metric's declarations and what follows from them."""
    low, high = (None if isinf(end) else float(end) for end in metric.range)
    return {
        "name": metric.full_name,
        "title": metric.title,
        "question": metric.question,
        "formula": metric.formula,
        "better": metric.better,
        "range": [low, high],
        "best": None if isinf(metric.best) else metric.best,
        "needs": metric.needs,
        "tasks": list(metric.tasks),
        "proper": metric.proper,
        "elicits": metric.elicits,
        "depends_on_threshold": metric.depends_on_threshold,
        "depends_on_prevalence": metric.depends_on_prevalence,
        "additive": metric.additive,
        "per_class": metric.per_class,
        "undefined_when": metric.undefined_when,
        "blind_to": metric.blind_to,
        "parameters": parameters(metric),
        "aliases": list(metric.aliases),
        "related": list(metric.related),
        "references": list(metric.references),
        "examples": [{"value": example.value, "source": example.source} for example in metric.examples],
    }


def parameters(metric: Metric) -> dict[str, dict[str, Any]]:
    """Each parameter with its meaning and default, and its value in this metric."""
    return {
        name: {
            "default": default,
            "value": metric.settings.get(name, default),
            "meaning": metric.parameter(name).meaning,
        }
        for name, default in metric.defaults.items()
    }


def in_words(value: Any) -> str:
    """A card's value as text.

    >>> in_words([0.0, None]), in_words(True), in_words(["a", "b"]), in_words(None)
    ('0 to infinity', 'yes', 'a, b', 'no')
    """
    if value is None or isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and len(value) == 2 and all(end is None or isinstance(end, float) for end in value):
        ends = [
            "-infinity" if value[0] is None else f"{value[0]:g}",
            "infinity" if value[1] is None else f"{value[1]:g}",
        ]
        return " to ".join(ends)
    if isinstance(value, list):
        return (
            "; ".join(map(in_words, value)) if any(isinstance(i, dict) for i in value) else ", ".join(map(str, value))
        )
    if isinstance(value, dict) and "source" in value:
        return f"{number(value['value'])} ({value['source']})"
    if isinstance(value, dict):
        return "; ".join(parameter_in_words(name, about) for name, about in value.items())
    return str(value)


def parameter_in_words(name: str, about: dict[str, Any]) -> str:
    """Give a parameter as it would be written, its default if that is another, and its meaning.

    >>> parameter_in_words("beta", {"default": 1.0, "value": 2, "meaning": "what recall weighs"})
    'beta=2 (default 1.0): what recall weighs'
    """
    default = f" (default {write_value(about['default'])})" if about["value"] != about["default"] else ""
    return f"{name}={write_value(about['value'])}{default}" + (f": {about['meaning']}" if about["meaning"] else "")


def markdown_card(metric: Metric) -> str:
    """The card as a section of the documentation."""
    fields = card(metric)
    lines = [f"## {fields.pop('name')}", "", f"**{fields.pop('title')}**. {fields.pop('question')}", ""]
    lines += [
        f"- {key.replace('_', ' ')}: {in_words(value)}" for key, value in fields.items() if value not in (None, [])
    ]
    return "\n".join(lines) + "\n"


def _print_card(metric: Metric) -> None:
    from rich.table import Table  # rich is for the screen only

    from referee.report.console import plain, screen

    console, fields = screen(), card(metric)
    console.print(plain(f"{fields.pop('name')}: {fields.pop('title')}", "bold"))
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for key, value in fields.items():
        if value not in (None, []):
            table.add_row(key.replace("_", " "), plain_wrapped(in_words(value)))
    console.print(table)


def plain_wrapped(text: str) -> Any:
    from rich.text import Text  # rich is for the screen only

    return Text(text)

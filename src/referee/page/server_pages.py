"""The pages of `referee serve`: where a file is dropped, and where its columns and the goal are chosen."""

from __future__ import annotations

import re
import shlex
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from referee.comparing import compare
from referee.page.every_page import page_of
from referee.page.shell import TEMPLATE, hashes, rendered, stylesheet
from referee.predictions import size_text
from referee.records import dataclass
from referee.scoring import evaluate, metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from starlette.datastructures import QueryParams

    from referee.document import Result
    from referee.errors import RefereeError
    from referee.page.uploads import Upload
    from referee.predictions import Table

ROWS_SHOWN = 5
LONGEST_CELL = 40
ROLES = {
    "truth": "The truth",
    "id": "What identifies a row",
    "group": "Rows that belong together (a person, a document)",
    "weight": "Weights",
    "time": "Time",
    "by": "Also score each value of",
}
"""The options that name a column, as the form asks for them."""
USUAL = {
    "truth": ("truth", "y", "y_true", "label", "target", "actual", "class", "outcome"),
    "id": ("id", "row_id", "index", "uid"),
    "group": (), "weight": ("weight", "sample_weight"), "time": (), "by": (),
}  # fmt: skip
"""Names that a column of this role often has: what the form proposes, for the reader to change."""
TASKS = {
    "binary": "Classes",
    "multiclass": "Several classes",
    "regression": "Numbers",
    "scores": "Scores without a truth",
}


@dataclass(frozen=True)
class Asked:
    """What the form was filled in with."""

    question: str = ""
    """compare or evaluate; empty before the form was sent."""
    goal: str = ""
    positive: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    models: tuple[str, ...] = ()

    @classmethod
    def of(cls, sent: QueryParams) -> Asked:
        text = {name: sent.get(name, "").strip() for name in ("question", "goal", "positive")}
        columns = {role: sent[role] for role in ROLES if sent.get(role)}
        return cls(columns=columns, models=tuple(sent.getlist("models")), **text)

    @property
    def is_complete(self) -> bool:
        return self.question in ("compare", "evaluate")

    @property
    def options(self) -> dict[str, Any]:
        given: dict[str, Any] = dict(self.columns)
        given |= {"positive": self.positive} if self.positive else {}
        given |= {"models": list(self.models)} if self.models else {}
        return given if "truth" in given else given | {"task": "scores"}

    def result(self, upload: Upload) -> Result:
        if self.question == "evaluate":
            return evaluate(upload.table(), **self.options)
        return compare(upload.table(), goal=self.goal or None, **self.options)

    def page(self, upload: Upload) -> str:
        return page_of(self.result(upload), command=self.command(upload.name))

    def command(self, name: str) -> str:
        """What gives the same page on the command line.

        >>> Asked("compare", "roc_auc", columns={"truth": "y"}).command("my preds.csv")
        "referee compare 'my preds.csv' --truth y --goal roc_auc --html report.html"
        """
        given = self.options | ({"goal": self.goal} if self.question == "compare" and self.goal else {})
        texts = {key: ",".join(value) if isinstance(value, list) else value for key, value in given.items()}
        words = [f"--{key}" if part == 0 else text for key, text in texts.items() for part in (0, 1)]
        return shlex.join(["referee", self.question, name, *words, "--html", "report.html"])


def start_page(limit: int) -> str:
    return _page("Drop a file", "server/start.html", limit=size_text(limit))


def message_page(title: str, text: str) -> str:
    return _page(title, "server/message.html", text=text)


def form_page(upload: Upload, asked: Asked, error: RefereeError | None = None) -> str:
    """What the file holds, and what is to be said of it; an error says what did not fit."""
    table = upload.table()
    names = table.columns.column_names
    chosen = asked.columns if asked.is_complete else {role: _usual(role, names) for role in ROLES}
    return _page(
        upload.name, "server/form.html",
        key=upload.key, rows=table.rows, names=names, cells=[*_first_rows(table)], asked=asked, chosen=chosen,
        roles=ROLES, goals=_goals(), error=error,
    )  # fmt: skip


def _usual(role: str, names: list[str]) -> str:
    return next((name for usual in USUAL[role] for name in names if name.casefold() == usual), "")


def _first_rows(table: Table) -> Iterator[list[str]]:
    for row in table.columns.slice(0, ROWS_SHOWN).to_pylist():
        cells = ("" if cell is None else str(cell) for cell in row.values())
        yield [cell if len(cell) <= LONGEST_CELL else f"{cell[:LONGEST_CELL]}…" for cell in cells]


def _goals() -> dict[str, list[tuple[str, str]]]:
    """The metrics, by what they judge."""
    goals: dict[str, list[tuple[str, str]]] = {label: [] for label in TASKS.values()}
    for metric in metrics.values():
        if (label := TASKS.get(metric.tasks[0])) and metric.better in ("higher", "lower"):
            goals[label].append((metric.name, metric.title))
    return goals


def _page(title: str, template: str, **context: Any) -> str:
    style, script = _style(), _script()
    return str(rendered(template, title=title, style=Markup(style), script=Markup(script), **context))


@cache
def _script() -> str:
    return (TEMPLATE / "server" / "upload.js").read_text(encoding="utf-8")


@cache
def _style() -> str:
    own = (TEMPLATE / "server" / "server.css").read_text(encoding="utf-8")
    return stylesheet() + re.sub(r"\s+", " ", own)


@cache
def policy() -> str:
    """Allow this style and this script, and requests to this server only."""
    own = ["connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"]
    return "; ".join(["default-src 'none'", *hashes(_style(), _script()), *own])

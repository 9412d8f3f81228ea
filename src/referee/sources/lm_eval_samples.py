"""Samples of lm-evaluation-harness (`--log_samples`): the metrics of each document, and the document's fields."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NoReturn

from referee.errors import InputError
from referee.predictions import ReadOptions, Source, Table, Told, as_utf8, log_table

START = re.compile(rb'\s*\{\s*"doc_id":')
NAME = re.compile(r"samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?$")
OWN = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash",
       "prompt_hash", "target_hash")  # fmt: skip
"""What is no metric, where a line does not name its metrics."""


def read_samples(source: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    r"""Read the bytes of a file of samples: a row for each document, with a column for each metric.

    Where responses were filtered in several ways, a column is called by metric and filter, as lm-eval's results are.

    >>> line = b'{"doc_id": 7, "doc": {"passage": "p"}, "filter": "none", "metrics": ["acc"], "acc": 1.0}'
    >>> read_samples("gpt/samples_sums_2026-11-17T11-03-44.jsonl", line, ReadOptions()).columns.to_pylist()
    [{'item': 'sums/7', 'model': 'gpt', 'passage': 'p', 'acc': 1.0}]
    """
    text, encoding = as_utf8(source, data, options.encoding)
    lines = [_line(source, number, line) for number, line in enumerate(text.split(b"\n"), 1) if line.strip()]
    task = match["task"] if (match := NAME.fullmatch(Path(source).stem)) else Path(source).stem
    model = options.model or model_beside(Path(source)) or task
    filters = {line.get("filter", "none") for line in lines}
    scores: dict[Any, dict[str, float | None]] = {}
    documents: dict[Any, dict[str, Any]] = {}
    for number, line in enumerate(lines, start=1):
        key = line["doc_id"]
        document = line.get("doc")
        documents.setdefault(key, document if isinstance(document, dict) else {})
        values = _values(line, len(filters) > 1)
        if repeated := values.keys() & scores.setdefault(key, {}).keys():
            _refuse(source, number, f"document {key} has a second {sorted(repeated)[0]!r}")
        scores[key] |= values
    items = [{"item": f"{task}/{key}", "model": model} for key in scores]
    told = Told(model, {}, benchmark=task)
    return log_table(source, items, [*documents.values()], [*scores.values()], told, notes + encoding)


def _line(source: str, number: int, text: bytes) -> dict[str, Any]:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError) as error:
        _refuse(source, number, f"not valid JSON, so the file may be cut off: {error}")
    if not isinstance(line, dict) or "doc_id" not in line:
        _refuse(source, number, "not a sample of lm-evaluation-harness: it has no 'doc_id'")
    return line


def _values(line: dict[str, Any], by_filter: bool) -> dict[str, float | None]:
    names = line.get("metrics") or [name for name in line if name not in OWN]
    behind = f",{line.get('filter')}" if by_filter else ""
    numbers = {name: line.get(name) for name in names if isinstance(line.get(name), bool | int | float | None)}
    return {f"{name}{behind}": None if value is None else float(value) for name, value in numbers.items()}


def model_beside(path: Path) -> str | None:
    """The model whose results lie in the folder: by the results beside a file, else by the folder's name."""
    for results in sorted(path.parent.glob("results_*.json")):
        if match := re.search(r'"model_name": ("(?:[^"\\]|\\.)*")', results.read_text(errors="replace")):
            return str(json.loads(match[1]))
    return path.parent.name or None


def _refuse(source: str, line: int, what: str) -> NoReturn:
    raise InputError("E_LOG", f"{source}, line {line}: {what}", hint="copy or write it again; none of it was used")


source = Source(
    "lm-evaluation-harness samples",
    what="Samples of lm-evaluation-harness, one file for each model: the metrics of documents.",
    shown="out/*/samples_*.jsonl",
    looks_like=lambda head: START.match(head) is not None,
    content=read_samples,
    tells="scores",
)

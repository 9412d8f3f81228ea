"""Results of lm-evaluation-harness (results_*.json): a score of each benchmark, which are data sets."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from referee.errors import InputError
from referee.predictions import ReadOptions, Source, Table, Told, log_table
from referee.sources.lm_eval_samples import model_beside

START = re.compile(rb'\s*\{\s*"results":\s*\{')


def read_results(source: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    """Read the bytes of the results: a row for each benchmark, with a column for each metric.

    >>> results = {"results": {"sums": {"alias": "sums", "acc,none": 0.5, "acc_stderr,none": 0.1}}, "model_name": "gpt"}
    >>> read_results("results.json", json.dumps(results).encode(), ReadOptions()).columns.to_pylist()
    [{'item': 'sums', 'model': 'gpt', 'acc': 0.5}]
    """
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        what = f"{source} is cut off, or not a results file of lm-evaluation-harness: {error}"
        raise InputError("E_LOG", what, hint="copy or write it again; none of it was used") from error
    model = options.model or str(content.get("model_name") or model_beside(Path(source)) or Path(source).stem)
    scores = {task: _scores(values) for task, values in content["results"].items() if isinstance(values, dict)}
    directions = content.get("higher_is_better") or {}
    lower = {name for better in directions.values() for name, higher in better.items() if higher is False}
    items = [{"item": task, "model": model} for task in scores]
    named = frozenset(name for values in scores.values() for name in values if name.split(",")[0] in lower)
    told = Told(model, {"rows": "datasets", "dataset": "item"}, lower=named)
    return log_table(source, items, [{}] * len(items), [*scores.values()], told, notes)


def _scores(values: dict[str, Any]) -> dict[str, float | None]:
    numbers = {
        name.removesuffix(",none"): float(value)
        for name, value in values.items()
        if "," in name and "_stderr," not in name and isinstance(value, int | float)
    }
    return dict(numbers)


source = Source(
    "lm-evaluation-harness results",
    what="Results of lm-evaluation-harness, one file for each model: benchmarks are data sets.",
    shown="out/*/results_*.json",
    looks_like=lambda head: START.match(head) is not None,
    content=read_results,
    tells="scores",
)

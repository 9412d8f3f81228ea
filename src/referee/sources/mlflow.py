"""MLflow: `mlflow://EXPERIMENT` is its runs; with `#METRIC` a metric at each step, with `#FILE.json` a logged table.

Verdicts are logged as runs of their own, which tell of themselves by a tag.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from referee.errors import InputError, UsageError, WriteError, did_you_mean, listed, refuse_without
from referee.predictions import Logged, ReadOptions, Source, Table, Told, log_table, refuse_password, refuse_query

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SCHEME = "mlflow://"
AT_ONCE = 1000
RUN = "run"
OURS = "referee."
"""What the names of our tags begin with."""
MOST_LETTERS = 5000
"""Of a tag, in MLflow before 3."""
WHERE = "MLFLOW_TRACKING_URI says where MLflow keeps its runs"


def read_experiment(source: str, options: ReadOptions) -> Table:
    """Read the runs of an experiment of the server, database or folder that MLFLOW_TRACKING_URI names."""
    refuse_password(source)
    refuse_query(source, options, "sql", "timeout")
    refuse_without("mlflow", "mlflow", to=f"reading {source}")
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException

    named, _, part = source.removeprefix(SCHEME).partition("#")
    part = part or options.table or ""
    try:
        client = MlflowClient()
        runs = _runs(client, source, unquote(named))
        names = _names(runs)
        rows = [*_rows(client, source, runs, names, unquote(part))]
    except MlflowException as error:
        raise InputError(
            "E_MLFLOW", f"{source} cannot be read: {str(error).splitlines()[0]}",
            hint=WHERE,
        ) from error  # fmt: skip
    items, further, scores = ([*column] for column in zip(*rows, strict=True))
    notes = (f"{len(runs)} runs",)
    table = log_table(source, items, further, scores, Told(unquote(named), {"model_column": RUN}), notes)
    return _without_items(table)


def _without_items(table: Table) -> Table:
    """What a score is of, only the user knows: a step may be a fold or a round of training."""
    from dataclasses import replace

    assert table.told is not None
    roles = {role: value for role, value in table.told.roles.items() if role != "id"}
    return replace(table, told=replace(table.told, roles=roles))


def _runs(client: Any, source: str, name: str) -> list[Any]:
    experiment = client.get_experiment_by_name(name)
    if experiment is None:
        known = [other.name for other in client.search_experiments(max_results=AT_ONCE)]
        raise UsageError("E_NOFILE", f"{source}: there is no experiment {name!r}; {did_you_mean(name, known)}")
    runs = [run for run in _found(client, experiment) if f"{OURS}key" not in run.data.tags]
    if not runs:
        raise InputError("E_NOROWS", f"{source} has no runs")
    return runs


def _found(client: Any, experiment: Any, asked: str = "") -> list[Any]:
    """The oldest first."""
    runs, token = [], None
    while True:
        page = client.search_runs([experiment.experiment_id], asked, max_results=AT_ONCE, page_token=token)
        runs += page
        token = page.token
        if not token:
            return runs[::-1]


def _names(runs: list[Any]) -> list[str]:
    """The runs by name, with the beginning of their id where several have one name."""
    times = Counter(run.info.run_name for run in runs)
    return [
        run.info.run_name if times[run.info.run_name] == 1 else f"{run.info.run_name} ({run.info.run_id[:8]})"
        for run in runs
    ]


def _rows(
    client: Any, source: str, runs: list[Any], names: list[str], part: str
) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, float | None]]]:
    for run, name in zip(runs, names, strict=True):
        params = {f"params.{key}": value for key, value in run.data.params.items()}
        if not part:
            metrics: dict[str, float | None] = {
                f"metrics.{key}": float(value) for key, value in run.data.metrics.items()
            }
            yield {RUN: name}, {"status": run.info.status, **params}, metrics
        elif part.endswith(".json"):
            for record in _logged_table(client, source, run.info.run_id, name, part):
                scores = {key: value for key, value in record.items() if isinstance(value, int | float)}
                others = {key: value for key, value in record.items() if key not in scores}
                yield {RUN: name}, others | params, {key: float(value) for key, value in scores.items()}
        else:
            if part not in run.data.metrics:
                what = f"{source}: run {name!r} has no metric {part!r}; {did_you_mean(part, run.data.metrics)}"
                raise UsageError("E_NOCOL", what)
            for metric in client.get_metric_history(run.info.run_id, part):
                yield {RUN: name, "step": metric.step}, params, {part: metric.value}


def _logged_table(client: Any, source: str, run_id: str, name: str, part: str) -> Iterator[dict[str, Any]]:
    files = [file.path for file in client.list_artifacts(run_id)]
    if part not in files:
        raise UsageError("E_TABLE", f"{source}: run {name!r} has no table {part!r}; it has {listed(files)}")
    logged = json.loads(_text(client, run_id, part))
    if not isinstance(logged, dict) or not {"columns", "data"} <= logged.keys():
        raise InputError("E_MLFLOW", f"{source}: {part!r} of run {name!r} is not a table made by `mlflow.log_table`")
    yield from (dict(zip(logged["columns"], row, strict=True)) for row in logged["data"])


def _text(client: Any, run_id: str, part: str) -> str:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return Path(client.download_artifacts(run_id, part, folder)).read_text(encoding="utf-8")


def log_verdict(address: str, logged: Logged) -> bool:
    """Log a verdict as a run, which counts only when all of it is there; False where it was there already."""
    with _verdicts(address) as (client, name):
        experiment = client.get_experiment_by_name(name)
        known = experiment.experiment_id if experiment else client.create_experiment(name)
        if experiment and _logged(client, experiment, f"tags.`{OURS}key` = '{logged.row['key']}'"):
            return False
        run = client.create_run(known, run_name=logged.title).info.run_id
        try:
            _fill(client, run, logged)
            client.set_terminated(run)
        except BaseException:
            with suppress(Exception):
                client.delete_run(run)
            raise
    return True


def _fill(client: Any, run: str, logged: Logged) -> None:
    from mlflow.entities import Metric, RunTag

    now = int(time() * 1000)
    tags = {f"{OURS}{name}": str(value) for name, value in logged.row.items() if name != "result"}
    tags["mlflow.note.content"] = logged.row["sentence"]
    metrics = [Metric(name, value, now, 0) for name, value in _as_keys(logged.values).items()]
    client.log_batch(run, tags=[RunTag(name, value[:MOST_LETTERS]) for name, value in tags.items()])
    for start in range(0, len(metrics), AT_ONCE):
        client.log_batch(run, metrics[start : start + AT_ONCE])
    client.log_text(run, logged.row["result"], RESULT)
    client.log_text(run, logged.page, "verdict.html")


RESULT = "verdict.json"


def _as_keys(values: Mapping[tuple[str, str], float]) -> dict[str, float]:
    """By metric and model in the letters that MLflow takes; equal names are numbered."""
    keys: dict[str, float] = {}
    for names, value in values.items():
        key = "/".join(re.sub(r"[^\w .-]", "_", name)[:100].strip(". ") or "_" for name in names)
        further = (f"{key} {number}" for number in range(2, len(values) + 2))
        keys[next(further) if key in keys else key] = value
    return keys


def logged_verdicts(address: str) -> list[dict[str, Any]]:
    """The verdicts of an experiment, oldest first; one that two programs logged at once counts once."""
    with _verdicts(address) as (client, name):
        experiment = client.get_experiment_by_name(name)
        if experiment is None:
            known = [other.name for other in client.search_experiments(max_results=AT_ONCE)]
            raise UsageError("E_NOFILE", f"{address}: there is no experiment {name!r}; {did_you_mean(name, known)}")
        runs = {run.data.tags[f"{OURS}key"]: run for run in _logged(client, experiment)[::-1]}
        rows = [{name.removeprefix(OURS): value for name, value in run.data.tags.items()} for run in runs.values()]
        results = [_text(client, run.info.run_id, RESULT) for run in runs.values()]
    return [row | {"result": result} for row, result in zip(rows, results, strict=True)]


def _logged(client: Any, experiment: Any, asked: str = f"tags.`{OURS}key` != ''") -> list[Any]:
    return _found(client, experiment, f"{asked} AND attributes.status = 'FINISHED'")


@contextmanager
def _verdicts(address: str) -> Iterator[tuple[Any, str]]:
    """A client, and the name of the experiment."""
    refuse_without("mlflow", "mlflow", to=f"verdicts in {address}")
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException

    name, _, part = address.removeprefix(SCHEME).partition("#")
    if part or not name:
        raise UsageError(
            "E_ADDRESS", f"{address}: verdicts are runs of an experiment", hint=f"write {SCHEME}EXPERIMENT"
        )
    try:
        yield MlflowClient(), unquote(name)
    except MlflowException as error:
        raise WriteError("E_WRITE", f"{address}: {str(error).splitlines()[0]}", hint=WHERE) from error


source = Source(
    "MLflow runs",
    what="The runs of an experiment; `#METRIC` is a metric at each step, `#FILE.json` a table that was logged.",
    shown="mlflow://experiment#metric",
    address=read_experiment,
    tells="scores",
    logs=log_verdict,
    logged=logged_verdicts,
)

"""MLflow: `mlflow://EXPERIMENT` is its runs; with `#METRIC` a metric at each step, with `#FILE.json` a logged table."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from referee.errors import InputError, UsageError, did_you_mean, listed, refuse_without
from referee.predictions import ReadOptions, Source, Table, Told, log_table, refuse_password, refuse_query

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEME = "mlflow://"
AT_ONCE = 1000
RUN = "run"


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
            hint="MLFLOW_TRACKING_URI says where MLflow keeps its runs",
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
    runs, token = [], None
    while True:
        page = client.search_runs([experiment.experiment_id], max_results=AT_ONCE, page_token=token)
        runs += page
        token = page.token
        if not token:
            break
    if not runs:
        raise InputError("E_NOROWS", f"{source} has no runs")
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
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        logged = json.loads(Path(client.download_artifacts(run_id, part, folder)).read_text())
    if not isinstance(logged, dict) or not {"columns", "data"} <= logged.keys():
        raise InputError("E_MLFLOW", f"{source}: {part!r} of run {name!r} is not a table made by `mlflow.log_table`")
    yield from (dict(zip(logged["columns"], row, strict=True)) for row in logged["data"])


source = Source(
    "MLflow runs",
    what="The runs of an experiment; `#METRIC` is a metric at each step, `#FILE.json` a table that was logged.",
    shown="mlflow://experiment#metric",
    address=read_experiment,
    tells="scores",
)

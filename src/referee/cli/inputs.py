"""What was given on the command line: sources read as the options say, sizes, lists of labels."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.fitting import DataSet
    from referee.predictions import Predictions, ReadOptions
    from referee.scoring import Task


def read_sources(
    sources: Sequence[str],
    metrics: Sequence[str],
    by: Sequence[str],
    *,
    push_down: bool = True,
    why_rows: str | None = None,
    read_up_to: int = 0,
    compares: bool = False,
    **given: Any,
) -> Predictions:
    """Read the sources as the options say; without `push_down`, or up to so many, a database's rows are read, too."""
    from referee.predictions import Predictions, Roles, read_predictions, refuse_missing_files, states_in
    from referee.scoring import metrics as catalogue

    if (state := states_in(sources, reading_options(given))) is not None:
        _refuse_roles(given, by)
        return state.predictions()
    tables, given = _with_told(sources, given)
    if given["task"] == "scores":
        return _score_sources(tables, by, given)
    if alone := [name for name in OF_SCORES if given.get(name) is not None]:
        option = f"--{alone[0].replace('_', '-')}"
        raise UsageError("E_ROLE", f"{option} is for tables of scores without a truth", hint="also use --task scores")
    if not given["truth"]:
        refuse_missing_files(sources)
        raise UsageError("E_NOTRUTH", "which column holds the truth?", hint=_hint_of_truth(sources, given))
    names = (
        "truth", "task", "id", "weight", "weight_kind", "group", "query", "fold", "repeat", "baseline", "interval",
        "threshold", "on_missing",
    )  # fmt: skip
    roles = Roles.of(
        **{name: given[name] for name in (*names, "models", "columns", "labels")},
        time=given.get("time"),
        classes=label_list(given["classes"]),
        positive=label_list(given["positive"]),
        drop_label=label_list(given["drop_label"], empty=True),
        by=tuple(by),
        metrics=tuple(catalogue[name] for name in metrics if name != "goal"),
    )
    options = reading_options(given, push_down=push_down and why_rows is None)
    options = replace(options, why_rows=why_rows, read_up_to=read_up_to, compares=compares)
    return read_predictions(Predictions, tables, roles, options)


ROLES_OF_STATES = ("truth", "task", "positive", "classes", "drop_label", "models", "model", "label", "id", "interval")
ROLES = (*ROLES_OF_STATES, "weight", "group", "query", "fold", "repeat", "baseline", "time")


def _refuse_roles(given: dict[str, Any], by: Sequence[str]) -> None:
    """A state says itself what its columns were."""
    for name in (*(["by"] if by else []), *(name for name in ROLES if given.get(name))):
        option = f"--{name.replace('_', '-')}"
        own = name in ROLES_OF_STATES
        hint = "say it to `referee summarise`" if own else "give the rows that the state was made of"
        raise UsageError("E_ROLE", f"{option} is for rows, and a state has none", hint=hint)


def _with_told(sources: Sequence[str], given: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """The models' columns, and whatever files say of themselves where no option does."""
    from referee.predictions import assignments, name_list, with_told

    models, columns = name_list(given["models"]), assignments(given["model"], "--model")
    said = {name: given.get(name) for name in ("score_column", "id", "group", "fold", "repeat", "dataset")}
    said |= {"models": columns or models, "options": reading_options(given)}
    tables, told = with_told(sources, said)
    given = given | {name: told[name] for name in given.keys() & told.keys() if given[name] is None}
    own = told.get("models") if isinstance(told.get("models"), dict) else None
    given |= {"models": models if own in (None, columns) else None, "columns": own or {}}
    return tables, given | {"labels": assignments(given["label"], "--label") or told.get("labels") or {}}


SMALL = 50_000_000
"""Bytes that are read only to name the usual goals of a task, or to say what a table may be."""
OF_SCORES = (
    "better", "rows", "dataset", "model_column", "score_column", "seed_column", "winner", "test_size", "test_fraction",
    "on_repeated",
)  # fmt: skip
NEED_TRUTH = ("truth", "positive", "classes", "drop_label", "label", "weight", "query", "baseline", "interval")


def _score_sources(sources: Sequence[Any], by: Sequence[str], given: dict[str, Any]) -> Predictions:
    """Tables of scores without a truth."""
    from referee.predictions import Predictions, ScoreRoles, read_scores

    if "better" not in given:
        raise UsageError("E_TASK", "this command needs predictions and a truth, and scores have neither")
    for name in NEED_TRUTH:
        if given[name]:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(
                "E_ROLE", f"a table of scores has no {option}", hint=f"leave {option} or --task scores out"
            )
    names = (
        "model_column", "score_column", "seed_column", "winner", "rows", "better", "id", "dataset", "fold", "repeat",
        "group", "on_missing", "on_repeated", "train_size", "test_size", "test_fraction", "models", "columns",
    )  # fmt: skip
    roles = ScoreRoles.of(**{name: given[name] for name in names}, time=given.get("time"), by=tuple(by))
    return read_scores(Predictions, sources, roles, reading_options(given))


def _hint_of_truth(sources: Sequence[str], given: dict[str, Any]) -> str:
    from referee.predictions import could_be_scores

    may_be = "better" in given and sum(map(_size_of, sources)) <= SMALL
    if may_be and could_be_scores(sources, reading_options(given)):
        return "use --truth COL, or --task scores if the columns are scores of models, not predictions"
    return "use --truth COL"


def named_goal(
    goal: str | None, sources: Sequence[str], read: Callable[[], Predictions | DataSet], task: Task | None
) -> str:
    """The goal; where none is named, a refusal that knows the task, as long as finding out takes no time."""
    from referee.errors import RefereeError
    from referee.predictions import tells
    from referee.scoring import goal_of

    if goal is None and task is None and any(map(tells, sources)):
        task = read().task
    elif goal is None and task is None and sum(map(_size_of, sources)) <= SMALL:
        with suppress(RefereeError):
            task = read().task
    return goal if goal is not None else goal_of(None, task).full_name


def _size_of(source: str) -> float:
    from referee.predictions import is_file

    return Path(source).stat().st_size if is_file(source) else inf


def run_or_sources(
    sources: Sequence[str], metrics: Sequence[str], by: Sequence[str], *, push_down: bool = False, **given: Any
) -> Predictions:
    """The predictions of a run that `referee select --out` has kept, or those in the sources."""
    from referee.predictions import is_folder

    if len(sources) == 1 and is_folder(sources[0]):
        from referee.fitting import is_run, read_run

        if is_run(sources[0]):
            if given.get("time"):
                raise UsageError("E_ROLE", "a run of `select` keeps the time of its rows", hint="leave --time out")
            return read_run(sources[0], positive=label_list(given["positive"]))
    return read_sources(sources, metrics, by, push_down=push_down, **given)


def reading_options(given: dict[str, Any], *, push_down: bool = True) -> ReadOptions:
    """What was said of the sources."""
    from referee.cli.output import say_lines
    from referee.predictions import ReadOptions

    settle_arrow()
    said = {name: given[name] for name in ("table", "sql", "delimiter", "encoding", "decimal")}
    said |= {"engine": given.get("engine", "auto"), "timeout": given.get("query_timeout")}
    said["say"] = None if click.get_current_context().params.get("quiet") else lambda line: say_lines([line])
    return ReadOptions(**said, max_memory=size(given["max_memory"]), push_down=push_down)


def label_list(given: str | None, *, empty: bool = False) -> tuple[str, ...] | None:
    """Labels as a CSV row writes them; with `empty` one may be nothing, which rows without a label have.

    >>> label_list("a,b"), label_list("", empty=True), label_list("?,", empty=True)
    (('a', 'b'), ('',), ('?', ''))
    """
    from referee.predictions import csv_row

    return None if given is None else tuple(csv_row(given, empty=empty))


def size(text: str | None, option: str = "--max-memory") -> int | None:
    """Read a size in bytes.

    >>> size("2GB"), size("512 MiB")
    (2000000000, 536870912)
    """
    if text is None:
        return None
    number = text.strip().lower().rstrip("bi kmgt")
    unit = text.strip().lower()[len(number) :].strip()
    factor = {"": 1, "b": 1} | {f"{p}b": 1000**k for k, p in enumerate("kmgt", 1)}
    factor |= {f"{p}ib": 1024**k for k, p in enumerate("kmgt", 1)} | {p: 1000**k for k, p in enumerate("kmgt", 1)}
    try:
        return int(float(number) * factor[unit])
    except (ValueError, KeyError):
        raise UsageError("E_SIZE", f"{option} {text!r} is not a size", hint="write 2GB or 512MiB") from None


def design_options(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is said of the comparison, and the rest."""
    names = {"test", "unit", "subsets", "partitions", "train_size", "alpha", "seed", "horizon"}
    asked = {name: value for name, value in given.items() if name in names}
    # A table of scores may itself be of splits of that size.
    return asked, {key: value for key, value in given.items() if key not in names or key == "train_size"}


class _NoPandas:
    """Finds nothing else, either."""

    @staticmethod
    def find_spec(name: str, *_: Any) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("not needed", name=name)


def settle_arrow() -> None:
    """PyArrow would load pandas with the first number, to know its objects; the command line is never given one.

    A signal that comes while a short piece of CSV is parsed would be lost: PyArrow takes it, and is done too soon.
    """
    import pyarrow as pa

    pa.enable_signal_handlers(False)
    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.scalar(0)
    finally:
        sys.meta_path.remove(_NoPandas)

"""Who sums the rows up: whom the user named, or who can; and what is said of it before a large scan."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from referee.errors import InputError, UsageError, refuse_without
from referee.predictions.batches import open_batches
from referee.predictions.memory import memory_limit, room_for_rows, size_text
from referee.predictions.source import refuse_query, sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.predictions.batches import Batches
    from referee.predictions.roles import Roles
    from referee.predictions.table import ReadOptions

READ = "read into memory"
MANY_ROWS, MANY_BYTES = 5_000_000, 500_000_000
BYTES_OF_KEY = 8


def left_where_they_are(kind: type[Any], source: Any, roles: Roles, options: ReadOptions) -> Any:
    """Predictions of a database table, or of a file that memory does not hold; None for others."""
    plain = options.decimal == "." and roles.time is None  # a database reads no other decimal mark
    if options.push_down and plain and options.engine not in ("memory", "stream"):
        from referee.predictions.database_source import predictions_or_none

        if (predictions := predictions_or_none(kind, source, roles, options)) is not None:
            return predictions
    batches = None if options.engine == "spark" else open_batches(source, options)
    if batches is None:
        return None
    refuse_query(batches.name, options)
    beyond = options.engine == "auto" and batches.is_too_large(options)
    if options.engine == "memory" or (options.engine == "auto" and not beyond):
        _say_of_file(options, batches, READ, beyond=False)
        return None
    return _in_pieces(kind, batches, roles, options, beyond=beyond)


def _in_pieces(kind: type[Any], batches: Batches, roles: Roles, options: ReadOptions, *, beyond: bool) -> Any:
    """Predictions of a file that is not read at once; None if the database that was asked for cannot have it."""
    from referee.predictions.stream_source import stream_predictions

    if options.why_rows is not None and beyond:
        raise UsageError(
            "E_ROWS",
            f"{batches.name}: this needs the rows in memory, which does not hold them: {options.why_rows}",
            hint="raise --max-memory",
        )
    can_sum = options.push_down and roles.time is None
    if options.why_rows is not None or (options.engine == "database" and not can_sum):
        return None
    if options.engine == "stream" or not can_sum or not _is_for_duckdb(batches, roles, options):
        _say_of_file(options, batches, "read in batches", beyond=beyond)
        return stream_predictions(kind, batches, roles, room_for_rows(options))
    refuse_without("sql", "duckdb", "ibis", to="DuckDB over files")
    if batches.format == "parquet" and options.decimal == ".":
        _say_of_file(options, batches, "processed by DuckDB", beyond=beyond)
        return _over_parquet(kind, batches, roles, options)
    _say_of_file(options, batches, "copied as Parquet and processed by DuckDB", beyond=beyond)
    from referee.predictions.parquet_copies import predictions_of_copy

    return predictions_of_copy(stream_predictions(kind, batches, roles, room_for_rows(options)), options)


def _over_parquet(kind: type[Any], batches: Batches, roles: Roles, options: ReadOptions) -> Any:
    """Leave Parquet files to DuckDB; what is wrong with a cell is said with its row."""
    from referee.predictions.database_source import read_in_place
    from referee.predictions.stream_source import stream_predictions

    opener = sources["duckdb"].over_parquet
    assert opener is not None
    try:
        return read_in_place(kind, opener(batches.name, [*batches.stamps.of], options), roles)
    except InputError:
        layout: Any = stream_predictions(kind, batches, roles, room_for_rows(options)).truth
        for _ in layout.layout.pieces([*layout.layout.candidates], group=True):
            pass
        raise


def _is_for_duckdb(batches: Batches, roles: Roles, options: ReadOptions) -> bool:
    """Whether more is asked than batches give: to compare, or named metrics with weights, slices, folds, averages."""
    if options.engine == "database":
        return True
    apart = roles.weight is not None or roles.fold is not None or bool(roles.by)
    unequal = bool(roles.metrics) and (apart or any("average" in metric.settings for metric in roles.metrics))
    asked = options.compares or unequal or _ranks_more_than_fits(batches, roles, options)
    return asked and all(map(find_spec, ("duckdb", "ibis")))


def _ranks_more_than_fits(batches: Batches, roles: Roles, options: ReadOptions) -> bool:
    """Whether not even the scores of one model fit into memory to be sorted; DuckDB sorts on the disk."""
    ranks = not roles.metrics or any({"ranking", "pairs"} & set(metric.summaries) for metric in roles.metrics)
    return ranks and BYTES_OF_KEY * (batches.about_rows or 0) > room_for_rows(options)


def _say_of_file(options: ReadOptions, batches: Batches, how: str, *, beyond: bool) -> None:
    if beyond:
        how = f"beyond {size_text(memory_limit(options))} of memory, so {how}"
    say_scan(options, batches.name, batches.about_rows, batches.stamps.size, how, always=beyond)


def say_scan(
    options: ReadOptions, name: str, rows: int | None, size: int | None, how: str, *, always: bool = False
) -> None:
    """Say who will look at how much, before a look that is large."""
    if options.say is None or not (always or (rows or 0) >= MANY_ROWS or (size or 0) >= MANY_BYTES):
        return
    parts = ("" if rows is None else f"about {rows:,} rows", "" if size is None else size_text(size), how)
    options.say(f"{name}: {', '.join(part for part in parts if part)}")


def other_engine(given: Sequence[Any], roles: Roles, options: ReadOptions) -> UsageError:
    """Why an engine that was asked for is not the one for these rows."""
    asked = options.why_rows or "this command needs the rows in memory"
    reasons = {
        "several sources are aligned in memory": len(given) > 1,
        asked: options.why_rows is not None or (not options.push_down and options.engine != "stream"),
        "rows are sorted by time in memory": roles.time is not None,
        "items of queries are ranked in memory": roles.task == "ranking",
        "rows with several labels are read into memory": roles.task == "multilabel",
        f"{options.engine} takes {TAKES[options.engine]}": True,
    }
    why = next(reason for reason, holds in reasons.items() if holds)
    return UsageError(
        "E_ENGINE",
        f"--engine {options.engine} cannot be used here: {why}",
        hint="omit --engine",
    )


TAKES = {
    "stream": "CSV and Parquet files",
    "database": "tables of DuckDB and PostgreSQL, relations, Ibis tables, CSV and Parquet files",
    "spark": "Spark frames and Parquet files",
}

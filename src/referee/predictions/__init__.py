"""Predictions: what a user has, read, understood and aligned."""

from __future__ import annotations

from referee.predictions.alignment import drop_labelled, dropped_notices, refuse_duplicate_keys
from referee.predictions.batches import BATCH_ROWS, end_of_last_record
from referee.predictions.cell_errors import shown_cell
from referee.predictions.cell_labels import coded, texts
from referee.predictions.cells import is_numeric, is_text, mostly_numeric, numbers, refuse_missing
from referee.predictions.column_facts import (
    MANY_ROWS,
    Facts,
    Outside,
    facts_of_arrays,
    narrow_ties,
    rows_by_side,
    score_columns,
)
from referee.predictions.database_columns import FLOAT, Operations, fetch, fetch_row, lookup, number, table_of
from referee.predictions.formats import (
    COMPRESSIONS,
    HEAD,
    chosen_table,
    damaged,
    format_of,
    inner_name,
    quoted,
    refuse_pickle,
    unpacked,
)
from referee.predictions.given_arrays import ROLE_COLUMNS, SETTINGS, refuse_other_order
from referee.predictions.locations import head_of, read_table, unchanged
from referee.predictions.memory import memory_limit, refuse_beyond, size_text, too_big, unpacked_size
from referee.predictions.predictions import Account, Model, Predictions, TrainingPart, Units
from referee.predictions.roles import Roles, as_tuple, assignments, csv_row, label_text, metric_list, name_list
from referee.predictions.row_filter import column_and_value, marked_rows
from referee.predictions.source import Source, sources
from referee.predictions.sources_read import no_weight, weights
from referee.predictions.spellings import lookalikes
from referee.predictions.stream_columns import Layout, Streamed
from referee.predictions.table import (
    ReadOptions,
    Table,
    column_of,
    kind_of,
    length_of,
    mixed_error,
    refuse_duplicate_columns,
)
from referee.predictions.text_files import (
    NEWLINE,
    QuoteError,
    Record,
    as_utf8,
    chosen_delimiter,
    encoding_of,
    found_delimiter,
    line_of,
    quote_error,
    quotes_are_regular,
    record_at,
    refuse_damage,
    refuse_invalid,
    shown,
)
from referee.predictions.truth import Truth, needs_positive, understand_truth

__all__ = [
    "BATCH_ROWS",
    "COMPRESSIONS",
    "FLOAT",
    "HEAD",
    "MANY_ROWS",
    "NEWLINE",
    "ROLE_COLUMNS",
    "SETTINGS",
    "Account",
    "Facts",
    "Layout",
    "Model",
    "Operations",
    "Outside",
    "Predictions",
    "QuoteError",
    "ReadOptions",
    "Record",
    "Roles",
    "Source",
    "Streamed",
    "Table",
    "TrainingPart",
    "Truth",
    "Units",
    "as_tuple",
    "as_utf8",
    "assignments",
    "chosen_delimiter",
    "chosen_table",
    "coded",
    "column_and_value",
    "column_of",
    "csv_row",
    "damaged",
    "drop_labelled",
    "dropped_notices",
    "encoding_of",
    "end_of_last_record",
    "facts_of_arrays",
    "fetch",
    "fetch_row",
    "format_of",
    "found_delimiter",
    "head_of",
    "inner_name",
    "is_numeric",
    "is_text",
    "kind_of",
    "label_text",
    "length_of",
    "line_of",
    "lookalikes",
    "lookup",
    "marked_rows",
    "memory_limit",
    "metric_list",
    "mixed_error",
    "mostly_numeric",
    "name_list",
    "narrow_ties",
    "needs_positive",
    "no_weight",
    "number",
    "numbers",
    "quote_error",
    "quoted",
    "quotes_are_regular",
    "read_table",
    "record_at",
    "refuse_beyond",
    "refuse_damage",
    "refuse_duplicate_columns",
    "refuse_duplicate_keys",
    "refuse_invalid",
    "refuse_missing",
    "refuse_other_order",
    "refuse_pickle",
    "rows_by_side",
    "score_columns",
    "shown",
    "shown_cell",
    "size_text",
    "sources",
    "table_of",
    "texts",
    "too_big",
    "unchanged",
    "understand_truth",
    "unpacked",
    "unpacked_size",
    "weights",
]  # fmt: skip

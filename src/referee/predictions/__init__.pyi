from .account import Account, rows_by_side
from .alignment import drop_labelled, dropped_notices, refuse_duplicate_keys
from .arrow_functions import applied
from .batches import BATCH_ROWS, end_of_last_record
from .cell_errors import shown_cell
from .cell_labels import coded, lookalikes, texts
from .cells import is_numeric, is_text, mostly_numeric, numbers, refuse_missing
from .column_facts import MANY_ROWS, Facts, Outside, facts_of_arrays, narrow_ties, score_columns
from .cursor_rows import columns_of
from .database_queries import (
    FLOAT,
    Answering,
    Operations,
    answered_table,
    fetch,
    fetch_row,
    lookup,
    number,
    table_of,
    table_of_relation,
)
from .database_source import is_in_database
from .fitted_models import models_in
from .formats import (
    CLOSE,
    COMPRESSIONS,
    HEAD,
    chosen_table,
    damaged,
    find_table,
    format_of,
    inner_name,
    quoted,
    readable,
    refuse_pickle,
    unpacked,
)
from .given import as_written, predictions_of, slice_names, takes_predictions
from .given_arrays import ROLE_COLUMNS, SETTINGS, refuse_other_order
from .given_scores import candidate_names, fold_scores, is_fold_scores, splits_of_search
from .locations import bare_address, file_and_table, head_of, named_table, read_table, unchanged
from .memory import memory_limit, refuse_beyond, size_text, too_big, unpacked_size
from .model import Model
from .predictions import Predictions, TrainingPart
from .roles import (
    Columns,
    Roles,
    assignments,
    column_and_value,
    csv_row,
    label_text,
    marked_rows,
    metric_list,
    name_list,
    option_row,
)
from .score_cells import could_be_scores
from .score_roles import ScoreRoles
from .score_tables import read_scores
from .scored_rows import DIRECTIONS, ROW_KINDS, RowKind, ScoredRows
from .source import SOURCE_CARDS, InPlace, Source, sources
from .sources_read import no_weight, read_predictions, weights
from .special_files import small_file
from .state import STATE_MAGIC, State, states_in
from .state_sums import BITS, CellSums, JointBins, TermMoments, bins_of, term_pairs
from .stream_columns import Layout, Streamed
from .table import (
    FEW_ROWS,
    ReadOptions,
    Table,
    Told,
    column_of,
    kind_of,
    length_of,
    mixed_error,
    refuse_duplicate_columns,
)
from .text_files import (
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
from .times import date_columns, times
from .told import file_labels, log_table, tells, with_told
from .truth import Truth, are_numbers, needs_positive, understand_truth
from .units import Instants, Lists, Units
from .written_tables import Run, WrittenTable

__all__ = [
    "BATCH_ROWS", "BITS", "CLOSE", "COMPRESSIONS", "DIRECTIONS", "FLOAT", "HEAD", "MANY_ROWS", "NEWLINE",
    "ROLE_COLUMNS", "ROW_KINDS", "SETTINGS", "SOURCE_CARDS", "STATE_MAGIC", "Account", "Answering", "CellSums",
    "Columns", "FEW_ROWS", "Facts", "InPlace", "Instants", "JointBins", "Layout", "Lists", "Model", "Operations", "Outside",
    "Predictions", "QuoteError", "ReadOptions", "Record", "Roles", "RowKind", "Run", "ScoreRoles", "ScoredRows",
    "Source", "State", "Streamed", "Table", "TermMoments", "Told", "TrainingPart", "Truth", "Units", "WrittenTable",
    "answered_table", "applied", "are_numbers", "as_utf8", "as_written", "assignments", "bare_address", "bins_of",
    "candidate_names", "chosen_delimiter", "chosen_table", "coded", "column_and_value", "column_of", "columns_of",
    "could_be_scores", "csv_row", "damaged", "date_columns", "drop_labelled", "dropped_notices", "encoding_of",
    "end_of_last_record", "facts_of_arrays", "fetch", "fetch_row", "file_and_table", "file_labels", "find_table",
    "fold_scores", "format_of", "found_delimiter", "head_of", "inner_name", "is_fold_scores", "is_in_database",
    "is_numeric", "is_text", "kind_of", "label_text", "length_of", "line_of", "log_table", "lookalikes", "lookup",
    "marked_rows", "memory_limit", "metric_list", "mixed_error", "models_in", "mostly_numeric", "name_list",
    "named_table", "narrow_ties", "needs_positive", "no_weight", "number", "numbers", "option_row", "predictions_of",
    "quote_error", "quoted", "quotes_are_regular", "read_predictions", "read_scores", "read_table", "readable",
    "record_at", "refuse_beyond", "refuse_damage", "refuse_duplicate_columns", "refuse_duplicate_keys",
    "refuse_invalid", "refuse_missing", "refuse_other_order", "refuse_pickle", "rows_by_side", "score_columns",
    "shown", "shown_cell", "size_text", "slice_names", "small_file", "sources", "splits_of_search", "states_in",
    "table_of", "table_of_relation", "takes_predictions", "tells", "term_pairs", "texts", "times", "too_big",
    "unchanged", "understand_truth", "unpacked", "unpacked_size", "weights", "with_told",
]  # fmt: skip

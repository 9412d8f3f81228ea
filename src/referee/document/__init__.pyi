from .html import block_html, coded, element, part_html, table_html
from .json_schema import schema_names, schema_of
from .kinds import refuse_other_kinds
from .latex import latex_text
from .markdown import markdown_text
from .model import (
    UNDEFINED,
    Bar,
    Cell,
    Cells,
    Column,
    Columns,
    Document,
    Footnotes,
    Later,
    Lines,
    Part,
    Table,
    Term,
    Terms,
    few_of_each,
    interval_cell,
    letters,
    listed,
    name_cell,
    number_cell,
    pair_cell,
    remarks,
    table,
)
from .progress import Progress, be_quiet, line_cleared, waiting, with_progress
from .result import Result, csv_lines, csv_text, finite, frame_of, json_text, result_json
from .screen import wrapped
from .short_names import columns_of
from .terminal import print_document, terminal_text
from .words import (
    as_sentence,
    count,
    counted,
    distinct_names,
    folded,
    level,
    message_line,
    name_key,
    named,
    number,
    one_line,
    p_value,
    percent,
    plural,
    plus_minus,
    short_p,
    signed,
    visible,
    within_a_sentence,
)
from .written_files import NO_FILE, refuse_existing, refuse_no_place, sync_folder, write_file, write_whole

__all__ = [
    "NO_FILE", "UNDEFINED", "Bar", "Cell", "Cells", "Column", "Columns", "Document", "Footnotes", "Later", "Lines",
    "Part", "Progress", "Result", "Table", "Term", "Terms", "as_sentence", "be_quiet", "block_html", "coded",
    "columns_of", "count", "counted", "csv_lines", "csv_text", "distinct_names", "element", "few_of_each",
    "finite", "folded", "frame_of", "interval_cell", "json_text", "latex_text", "letters", "level",
    "line_cleared", "listed", "markdown_text", "message_line", "name_cell", "name_key", "named", "number",
    "number_cell", "one_line", "p_value", "pair_cell", "part_html", "percent", "plural", "plus_minus",
    "print_document", "refuse_existing", "refuse_no_place", "refuse_other_kinds", "remarks", "result_json",
    "schema_names", "schema_of",
    "short_p", "signed", "sync_folder", "table", "table_html", "terminal_text", "visible", "waiting",
    "with_progress", "within_a_sentence", "wrapped", "write_file", "write_whole",
]  # fmt: skip

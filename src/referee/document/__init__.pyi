from .html import block_html, element, part_html, table_html
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
from .result import Result, csv_lines, csv_text, finite, frame_of, json_text, result_json
from .screen import wrapped
from .terminal import print_document, terminal_text
from .written_files import refuse_existing, refuse_no_place, sync_folder, write_file, write_whole

__all__ = [
    "UNDEFINED", "Bar", "Cell", "Cells", "Column", "Columns", "Document", "Footnotes", "Lines", "Part", "Result",
    "Table", "Term", "Terms", "block_html", "csv_lines", "csv_text", "element", "few_of_each", "finite", "frame_of",
    "interval_cell", "json_text", "latex_text", "letters", "listed", "markdown_text", "name_cell", "number_cell",
    "pair_cell", "part_html", "print_document", "refuse_existing", "refuse_no_place",
    "remarks", "result_json", "sync_folder", "table", "table_html", "terminal_text", "wrapped",
    "write_file", "write_whole",
]  # fmt: skip

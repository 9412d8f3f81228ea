"""A page: one self-contained HTML file, built from sections, tables and charts."""

from referee.report.page.charts import figure
from referee.report.page.document import Section, page
from referee.report.page.tables import Cell, Column, table

__all__ = ["Cell", "Column", "Section", "figure", "page", "table"]

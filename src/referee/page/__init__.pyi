from .every_page import in_notebook, page_of, refuse_no_page, save_page
from .shell import Section, figure, page, table

__all__ = ["Section", "figure", "in_notebook", "page", "page_of", "refuse_no_page", "save_page", "table"]

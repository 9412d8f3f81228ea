from .every_page import in_notebook, page_of, refuse_no_page, save_page
from .pictures import Picture, below_each_other, chosen, pictures_in, refuse_folder, refuse_format, write_pictures
from .shell import Section, figure, page, table

__all__ = [
    "Picture", "Section", "below_each_other", "chosen", "figure", "in_notebook", "page", "page_of", "pictures_in",
    "refuse_folder", "refuse_format", "refuse_no_page", "save_page", "table", "write_pictures",
]  # fmt: skip

from .every_page import FramedPage, page_of, refuse_no_page, save_page
from .metric_pictures import metric_picture
from .pictures import Picture, below_each_other, chosen, pictures_in, refuse_folder, refuse_format, write_pictures
from .shell import Section, figure, page, table
from .typeset_formula import typeset

__all__ = [
    "FramedPage", "Picture", "Section", "below_each_other", "chosen", "figure", "metric_picture", "page", "page_of",
    "pictures_in", "refuse_folder", "refuse_format", "refuse_no_page", "save_page", "table", "typeset",
    "write_pictures",
]  # fmt: skip

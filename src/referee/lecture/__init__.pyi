from .lecture import Lecture, SectionList, lecture
from .sections import SECTIONS
from .t_table import t_table

__all__ = ["SECTIONS", "Lecture", "SectionList", "lecture", "t_table"]

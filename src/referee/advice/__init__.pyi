from .advice import Advice, advise
from .advice_document import finding_line, lint_part
from .answers import Answers, answered, read_answers
from .findings import Finding, lint
from .questions import ARTICLE, QUESTIONS, Question
from .rule import Reason
from .rules import ELKAN
from .sample_size import in_words

__all__ = [
    "ARTICLE", "ELKAN", "QUESTIONS", "Advice", "Answers", "Finding", "Question", "Reason", "advise", "answered",
    "finding_line", "in_words", "lint", "lint_part", "read_answers",
]  # fmt: skip

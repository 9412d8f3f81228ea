from .advice import Advice, advise
from .advice_document import finding_line, lint_part
from .answers import Answers, answered, read_answers
from .findings import Finding, lint
from .plan_basis import USUAL_CORRELATION, Basis
from .plan_pilots import from_pilot, with_another
from .plans import RARER_ROWS, Plan, PlanPoint, plan
from .questions import ARTICLE, QUESTIONS, Question
from .rule import Reason
from .rules import ELKAN
from .sample_size import in_words

__all__ = [
    "ARTICLE", "ELKAN", "QUESTIONS", "RARER_ROWS", "USUAL_CORRELATION", "Advice", "Answers", "Basis", "Finding",
    "Plan", "PlanPoint", "Question", "Reason", "advise", "answered", "finding_line", "from_pilot", "in_words", "lint",
    "lint_part", "plan", "read_answers", "with_another",
]  # fmt: skip

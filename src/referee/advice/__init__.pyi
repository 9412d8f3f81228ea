from .advice import Advice, advice_on, advise
from .advice_document import finding_line, lint_part, safe_part
from .answers import Answers, answered, read_answers
from .choices import AVERAGE, SafeChoice, cost_of, cost_of_a_coin, preferred, rightness, safe_choices, safest
from .findings import Finding, lint
from .open_goal import USUAL, goal_weights, safe_for, values_by_unit
from .plan_basis import RARER_ROWS, USUAL_CORRELATION, Basis
from .plan_pilots import from_pilot, with_another
from .plans import Plan, PlanPoint, plan
from .questions import ARTICLE, QUESTIONS, Question
from .rule import Reason
from .rules import ELKAN
from .sample_size import in_words

__all__ = [
    "ARTICLE", "AVERAGE", "ELKAN", "QUESTIONS", "RARER_ROWS", "USUAL", "USUAL_CORRELATION", "Advice", "Answers",
    "Basis", "Finding", "Plan", "PlanPoint", "Question", "Reason", "SafeChoice", "advice_on", "advise", "answered",
    "cost_of", "cost_of_a_coin", "finding_line", "from_pilot", "goal_weights", "in_words", "lint", "lint_part", "plan",
    "preferred", "read_answers", "rightness", "safe_choices", "safe_for", "safe_part", "safest", "values_by_unit",
    "with_another",
]  # fmt: skip

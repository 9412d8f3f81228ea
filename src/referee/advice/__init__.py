"""Which goal metric, and why; and whether a prediction that knows nothing does better on it."""

from __future__ import annotations

from referee.advice.advice import Advice, advise
from referee.advice.answers import Answers, read_answers
from referee.advice.choice import Reason
from referee.advice.data_facts import in_words
from referee.advice.dialogue import answered
from referee.advice.findings import Finding, lint
from referee.advice.questions import ARTICLE, QUESTIONS, Question
from referee.advice.rules import ELKAN

__all__ = [
    "ARTICLE", "ELKAN", "QUESTIONS", "Advice", "Answers", "Finding", "Question", "Reason", "advise", "answered",
    "in_words", "lint", "read_answers",
]  # fmt: skip

"""Answers: checked, completed by what they imply, held against each other; and asked one by one in a terminal."""

from __future__ import annotations

import tomllib
from dataclasses import field, replace
from math import isfinite
from sys import float_info
from textwrap import fill
from typing import TYPE_CHECKING, Any

from referee.advice.questions import BY_KEY, QUESTIONS, USUAL_PRECISION, Question
from referee.catalogue import parse_value, write_value
from referee.errors import UsageError, did_you_mean
from referee.predictions import small_file
from referee.records import dataclass
from referee.scoring import rare_below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from referee.predictions import Predictions


@dataclass(frozen=True)
class Answers:
    """What was said, what follows from it, and what was assumed because nobody said it.

    >>> Answers.of({"fp": 1, "fn": 5}).given
    {'fp': 1, 'fn': 5, 'task': 'binary', 'purpose': 'decision', 'costs': 'known'}
    """

    given: Mapping[str, Any] = field(default_factory=dict)
    """Said, or implied by what was said."""
    assumed: Mapping[str, Any] = field(default_factory=dict)
    from_data: Mapping[str, Any] = field(default_factory=dict)
    """What the data answer, wherever that question arises."""
    positive_share: float | None = None
    """Of the rows, where the data say it."""

    @classmethod
    def of(cls, given: Mapping[str, Any], where: str = "") -> Answers:
        """Check answers by key; `where` names the file that they stand in."""
        named = {key.replace("-", "_"): value for key, value in given.items() if value is not None}
        return cls(_implied({key: _checked(key, value, where) for key, value in named.items()}, where))

    def __getitem__(self, key: str) -> Any:
        return self.all.get(key)

    @property
    def all(self) -> dict[str, Any]:
        answers = {**self.given, **self.assumed}
        for key, value in self.from_data.items():
            if key not in answers and BY_KEY[key].arises(answers):
                answers[key] = value
        return answers

    def open_questions(self) -> Iterator[Question]:
        """Those that arise and have no answer yet."""
        answers = self.all
        arising = (question for question in QUESTIONS if question.key not in answers and question.arises(answers))
        return (
            replace(question, default=self._demanding()) if question.key == "precision" else question
            for question in arising
        )

    def _demanding(self) -> float:
        """A precision that calling every row positive does not reach; 0.5 is enough where positives are rare."""
        answers, share = self.all, self.positive_share
        if share is None and answers["task"] == "binary" and answers.get("balance") == "balanced":
            share = 0.5
        return USUAL_PRECISION if share is None or share < rare_below(2) else round((1 + share) / 2, 3)

    def also(self, key: str, value: Any) -> Answers:
        return replace(self, given=_implied({**self.given, key: _checked(key, value, "")}, ""))

    def completed(self) -> Answers:
        """Assume the usual answer wherever there is one; refuse where there is none."""
        answers = self
        # One after the other: an answer decides which questions arise next.
        while question := next((asked for asked in answers.open_questions() if asked.default is not None), None):
            answers = replace(answers, assumed={**answers.assumed, question.key: question.default})
        for question in answers.open_questions():
            if question.required:
                raise UsageError(
                    "E_ANSWERS",
                    f"{_flag(question.key)} is needed: {question.text}",
                    hint=_hint(question) + "; or answer the questions in a terminal: referee advise",
                )
        return answers


def read_answers(path: str) -> dict[str, Any]:
    """The content of a TOML file."""
    try:
        return tomllib.loads(small_file(path).decode("utf-8"))
    except RecursionError:
        raise UsageError("E_ANSWERS", f"{path} cannot be read: it is nested too deeply") from None
    except OSError as error:
        raise UsageError("E_ANSWERS", f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UsageError("E_ANSWERS", f"{path} is not valid TOML: {error}") from error


def _flag(key: str) -> str:
    return "--" + key.replace("_", "-")


def _hint(question: Question) -> str:
    return f"{_flag(question.key)} {'|'.join(question.options) or question.kind.upper()}"


def _checked(key: str, value: Any, where: str) -> Any:
    place = f"{where}: " if where else ""
    if key not in BY_KEY:
        hint = did_you_mean(key, BY_KEY)
        raise UsageError("E_ANSWERS", f"{place}there is no question {key!r}; {hint}", hint=hint)
    question = BY_KEY[key]
    if question.options:
        if not isinstance(value, str) or value not in question.options:
            hint = did_you_mean(str(value), question.options)
            raise UsageError("E_ANSWERS", f"{place}{key} = {write_value(value)} is not an answer; {hint}", hint=hint)
        return value
    check = _matrix_problem if question.kind == "matrix" else _number_problem
    value = parse_value(value) if isinstance(value, str) else value
    if problem := check(question, value):
        raise UsageError("E_ANSWERS", f"{place}{key} = {write_value(value)} {problem}", hint=question.text)
    return int(value) if question.kind == "whole" else value


def _number_problem(question: Question, value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= float_info.max:
        return "is not a finite number"
    if question.kind == "whole" and value % 1:
        return "is not a whole number"
    if question.key in ("fp", "fn"):
        return None if value >= 0 else "must be at least 0"
    if value <= question.low:
        return f"must be above {question.low:g}"
    if question.high is not None and value >= question.high and question.key not in ("precision", "recall"):
        return f"must be below {question.high:g}"
    return f"must be at most {question.high:g}" if question.high is not None and value > question.high else None


def _matrix_problem(question: Question, value: Any) -> str | None:  # noqa: ARG001 (as for numbers)
    rows = value if isinstance(value, list | tuple) else []
    square = len(rows) > 1 and all(isinstance(row, list | tuple) and len(row) == len(rows) for row in rows)
    if not square:
        return "is not a square matrix"
    cells = [cell for row in rows for cell in row]
    if any(isinstance(cell, bool) or not isinstance(cell, int | float) or not cell >= 0 for cell in cells):
        return "must hold numbers that are at least 0"
    if not any(cells) or not all(map(isfinite, cells)):
        return "must hold finite costs that are not all 0"
    return "is for two classes: give their costs as fp and fn" if len(rows) == 2 else None


def _implied(given: dict[str, Any], where: str) -> dict[str, Any]:
    """Add what an answer presupposes: a cost of misses says that the costs are known; refuse what contradicts it."""
    place, answers = f"{where}: " if where else "", dict(given)
    for key, value in given.items():
        for other, allowed in BY_KEY[key].when.items():
            if other not in answers and len(allowed) == 1:
                answers[other] = allowed[0]
            elif other in answers and answers[other] not in allowed:
                raise UsageError(
                    "E_CONTRADICTION",
                    f"{place}{key} = {write_value(value)} contradicts {other} = {write_value(answers[other])}",
                    hint=f"{key} is asked where {other} is {' or '.join(answer or 'not asked' for answer in allowed)}",
                )
    if answers.get("fp") == answers.get("fn") == 0:
        raise UsageError("E_CONTRADICTION", f"{place}fp = 0 and fn = 0: no error costs anything")
    return answers


WIDTH = 80
UNASKED = ("tables", "difference")
"""They change the goal in no case; their options answer them."""


def interview(answers: Answers, read: Callable[[str], str], say: Callable[[str], None]) -> Answers:
    """Ask all questions that are open and matter; `read` shows a prompt and gives a line, empty at the end of input.

    >>> lines = iter(["1", "3", "2"])
    >>> interview(Answers(), lambda prompt: next(lines) + chr(10), lambda text: None).given
    {'task': 'binary', 'purpose': 'unknown', 'single': 'yes'}
    """
    skipped: set[str] = set(UNASKED)
    while True:
        question = next((question for question in answers.open_questions() if question.key not in skipped), None)
        if question is None:
            return answers
        value = _asked(question, read, say)
        if value is None:
            skipped.add(question.key)
            continue
        try:
            answers = answers.also(question.key, value)
        except UsageError as error:
            say(f"  {error.message}")


def _asked(question: Question, read: Callable[[str], str], say: Callable[[str], None]) -> Any:
    """One answer; None for none."""
    say(f"\n{question.text}")
    for place, (option, meaning) in enumerate(question.options.items(), 1):
        usual = "  (usual)" if option == question.default else ""
        say(f"  {place}  {meaning}{usual}")
    while True:
        line = read(_prompt(question))
        if not line:
            raise UsageError("E_ANSWERS", "the input ended before the last question", hint="see referee advise --help")
        text = line.strip()
        if text == "?":
            say(fill(question.explanation, WIDTH, initial_indent="  ", subsequent_indent="  "))
        elif not text and not question.required:
            return question.default
        elif not question.options and text:
            return text
        elif (chosen := _chosen(question, text)) is not None:
            return chosen
        else:
            say(f"  {text or 'nothing'!r} is not an answer: {_expected(question)}, or ? for an explanation")


def _prompt(question: Question) -> str:
    usual = "" if question.default is None or question.options else f" [{question.default}]"
    return f"{_expected(question)}{usual} > "


def _expected(question: Question) -> str:
    return f"1-{len(question.options)}" if question.options else "a matrix" if question.kind == "matrix" else "a number"


def _chosen(question: Question, text: str) -> str | None:
    options = list(question.options)
    if text.isdecimal() and 1 <= int(text) <= len(options):
        return options[int(text) - 1]
    return text if text in options else None


def answered(
    given: Answers, predictions: Predictions | None, read: Callable[[str], str], say: Callable[[str], None]
) -> Answers:
    """Let the data answer what they can, and ask the rest."""
    if predictions is not None:
        from referee.advice.advice import with_facts
        from referee.advice.sample_size import facts_of

        given = with_facts(given, facts_of(predictions))
    return interview(given, read, say)

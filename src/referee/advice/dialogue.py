"""The questions asked one by one in a terminal: numbered answers, `?` explains, an empty line takes the usual one."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

from referee.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.advice.answers import Answers
    from referee.advice.questions import Question
    from referee.predictions import Predictions

WIDTH = 80
UNASKED = ("tables", "difference")
"""They change the goal in no case; their options answer them."""


def interview(answers: Answers, read: Callable[[str], str], say: Callable[[str], None]) -> Answers:
    """Ask all questions that are open and matter; `read` shows a prompt and gives a line, empty at the end of input.

    >>> from referee.advice.answers import Answers
    >>> lines = iter(["1", "3", "2"])
    >>> interview(Answers(), lambda prompt: next(lines) + chr(10), lambda text: None).given
    {'task': 'binary', 'purpose': 'unknown', 'single': 'yes'}
    """
    skipped: set[str] = set(UNASKED)
    while True:
        question = next((one for one in answers.open_questions() if one.key not in skipped), None)
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
            say(f"  {text or 'nothing'!r} is no answer: {_expected(question)}, or ? for an explanation")


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

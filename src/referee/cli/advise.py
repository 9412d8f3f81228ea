"""`referee advise`: which goal metric, and why."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from referee.advice import QUESTIONS
from referee.cli.inputs import read_sources
from referee.cli.options import COLUMNS, OUTPUT, READING, SERVER, shared

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.advice import Question
    from referee.predictions import Predictions


def _option(question: Question) -> Callable[[Any], Any]:
    """The flag of a question; a number is read with the other answers, so that all errors are told alike."""
    kind = click.Choice(list(question.options)) if question.options else click.STRING
    metavar = None if question.options else {"matrix": "MATRIX", "whole": "N"}.get(question.kind, "X")
    name = "--" + question.key.replace("_", "-")
    return click.option(name, f"answer_{question.key}", type=kind, metavar=metavar, help=question.text)


ANSWERS = [_option(question) for question in QUESTIONS if question.key != "task"]


@click.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--answers", "file", metavar="FILE.toml", help="Read answers from a file; options override it.")
@click.option("--no-questions", is_flag=True, help="Ask nothing: use the default answer where none is given.")
@click.option("--goals", metavar="METRIC=WEIGHT,...", help="With --purpose unknown: the possible goals, for a SOURCE.")
@shared(ANSWERS, COLUMNS, READING, SERVER, OUTPUT)
@click.pass_context
def command(
    context: click.Context,
    /,
    sources: tuple[str, ...],
    file: str | None,
    no_questions: bool,
    goals: str | None,
    form: str,
    alpha: float,
    quiet: bool,
    **given: Any,
) -> None:
    """Name the goal metric: from an interview, options or a file. A SOURCE answers the questions about the data."""
    from referee.advice import Answers, advice_on, answered, read_answers
    from referee.cli.output import show

    answers = Answers.of(read_answers(file) if file else {}, file or "").given
    flags = {key.removeprefix("answer_"): given.pop(key) for key in list(given) if key.startswith("answer_")}
    given["task"] = given["task"] or answers.get("task")
    answers = {**answers, **{k: v for k, v in (flags | {"task": given["task"]}).items() if v is not None}}
    predictions = read_sources(sources, (), (), push_down=False, **given) if sources else None
    if sys.stdin is not None and sys.stdin.isatty() and not no_questions:
        answers = answered(Answers.of(answers), predictions, _read, lambda text: click.echo(text, err=True)).given
    options = _as_given(context, given | {"alpha": alpha}, predictions)
    advice = advice_on(predictions, answers, alpha=alpha, goals=goals, sources=sources, options=options)
    show(advice, form, quiet=quiet)


def _read(prompt: str) -> str:
    click.echo(prompt, err=True, nl=False)
    return sys.stdin.readline()


def _as_given(context: click.Context, given: dict[str, Any], predictions: Predictions | None) -> list[str]:
    """The options that say how the source is read, as they are typed."""
    if predictions is None:
        return []
    typed = []
    for parameter in context.command.params:
        value = given.get(str(parameter.name))
        if value not in (None, (), parameter.get_default(context, call=True)):
            for word in value if isinstance(value, tuple) else [value]:
                typed += [parameter.opts[0], str(word)]
    return typed

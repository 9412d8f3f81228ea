"""Where a result goes: its format to standard output, and to standard error what has no place in it."""

from __future__ import annotations

import re
import shlex
import sys
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from referee.cli.options import RAW
from referee.document import few_of_each, line_cleared, message_line, result_json, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from referee.advice import Finding
    from referee.comparing import Gate, Verdict
    from referee.document import Document, Result
    from referee.errors import Notice, RefereeError


def show(
    result: Result,
    form: str,
    *,
    quiet: bool = False,
    whole: bool = False,
    explain: bool = False,
    document: Document | None = None,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Write a result in a format; `document` is what is shown if not the usual one, `more` joins the JSON."""
    more = dict(more or {}) | ({"explanation": result.explained()} if explain else {})
    if form == "json":
        write((result_json(result.command, result.to_dict() | more) if more else result.to_json()) + "\n")
        return
    shown = (document or result.document(whole=whole)).with_parts(*(result.explanation() if explain else ()))
    if form == "text":
        from referee.document import print_document

        say(shown.notices if quiet else ())
        with line_cleared():
            print_document(shown, quiet=quiet)
    else:
        write(_text(result, shown, form))
        say(shown.notices if form != "md" else (), shown.sentence if form == "csv" else "")


def show_written(command: str, written: Mapping[str, Any], sentence: str, form: str) -> None:
    """Say what was written where, for programs and for everybody else."""
    write((result_json(command, dict(written)) if form == "json" else message_line(sentence)) + "\n")


def _text(result: Result, document: Document, form: str) -> str:
    from referee.document import latex_text, markdown_text

    if form == "csv":
        context = click.get_current_context(silent=True)
        return result.to_csv(raw=context is not None and bool(context.meta.get(RAW)))
    return markdown_text(document) if form == "md" else latex_text(document)


def write(text: str) -> None:
    """To standard output, where a terminal obeys nothing in it."""
    if sys.stdout.isatty():
        text = "\n".join(map(visible, text.split("\n")))
    with line_cleared():
        sys.stdout.write(text)


def say(notices: Iterable[Notice], sentence: str = "") -> None:
    """Warnings, and the answer, to standard error."""
    said = [f"warning[{notice.code}] {message_line(notice.message)}" for notice in few_of_each(notices)]
    say_lines([*said, *([message_line(sentence)] if sentence else [])])


def say_lines(lines: Iterable[str]) -> None:
    with line_cleared():
        sys.stderr.writelines(f"{line}\n" for line in lines)


def say_lint(findings: Iterable[Finding]) -> None:
    """What lint found, where the format has no place for it."""
    from referee.advice import finding_line

    say_lines(f"lint {message_line(finding_line(finding))}" for finding in findings)


def say_failures(errors: Iterable[RefereeError]) -> None:
    """What did not stop the others."""
    say_lines(f"error[{error.code}] {message_line(error.message)}" for error in errors)


def keep(result: Verdict | Gate, url: str | None) -> None:
    """In the table that `--save-to` names."""
    if url is not None:
        result.save_to(url)


def save_page_of(result: Result, path: str | None, figures: str | None = None, *, explain: bool = False) -> None:
    """The page that `--html` names, and its charts in the folder that `--figures` names."""
    if path is None and figures is None:
        return
    page = result.to_html(path, command=typed_command(), explain=explain)
    if figures is not None:
        save_pictures_in(page, figures)


def save_pictures_in(page: str, folder: str) -> None:
    """The charts of a page as files."""
    from referee.page import pictures_in, write_pictures

    say(write_pictures(folder, pictures_in(page)))


def typed_command() -> str:
    """The running command with all that was given to it, on the command line or in a file; without passwords."""
    context = click.get_current_context()
    words = ["referee", context.info_name or ""]
    for parameter in sorted(context.command.params, key=lambda candidate: isinstance(candidate, click.Option)):
        if context.get_parameter_source(str(parameter.name)) not in (None, ParameterSource.DEFAULT):
            words += _words(parameter, context.params.get(str(parameter.name)))
    return re.sub(r"(://[^/@:\s]*):[^/@\s]*@", r"\1:***@", shlex.join(words))


def _words(parameter: click.Parameter, value: object) -> list[str]:
    """One parameter as it is written: `--by a --by b` for an option that may be repeated."""
    if value is None or value is False:
        return []
    values = [str(part) for part in (value if isinstance(value, tuple) else (value,))]
    if isinstance(parameter, click.Argument):
        return values
    name = parameter.opts[-1]
    return [name] if value is True else [word for part in values for word in (name, part)]

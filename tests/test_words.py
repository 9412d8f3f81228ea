"""Words that readers see: none of those that CONTRIBUTING.md says we do not use, and no misspelling."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import click
import pytest

import referee
from referee.cli.commands import command_named
from referee.cli.overview import COMMANDS

SOURCE = Path(referee.__file__).parent
ROOT = Path(__file__).parents[1]
NOT = {
    r", too[.;:]|, too$": "also",
    r"(?<!share )of the cases": "80% power, 70% of the time",
    r"\btold apart\b": "differ significantly",
    r"chance drew": "a random sample",
    r"has it\b": "as in Weka",
    r"\bflatter": "optimistic",
    r"\bnext best\b": "runner-up",
    r"(?<!there )\b(is|are) no (class|label|number|model|table|file|test|answer|feature|size)\b": "is not a",
    r"\bless (1|\{|those|what)": "minus",
    r"\d %(?!\})": "95%",
    r"\bspeaks? (of|against)\b": "is about",
    r"^Look\b|\bLook:": "Note",
    r"All that is known": "Details",
    r"\bagainst \{?\d": "vs",
    r"\bhangs? on\b": "depends on",
    r"\bhave it,|\bhave it:": "after Nadeau and Bengio",
    r"\b[Ss]ay --": "use --group COL",
    r"\bknown are\b": "the choices are; available:",
    r"\bdealt out\b": "divided into",
    r"\banew\b": "again",
    r", as asked\b": "as requested",
    r"\balways saying\b": "always predicting",
    r"numbers put in\b": "with the numbers filled in",
    r"\bheld against\b": "compared with",
    r"decided rightly|decides rightly": "classified correctly",
    r"\bis there already\b": "already exists",
    r"What else to know": "Notes",
}


def strings_of(tree):
    """All texts of a file but its docstrings."""
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.lineno, node.value


@cache
def shown_texts():
    return [*_texts()]


def _texts():
    for file in sorted(SOURCE.rglob("*.py")):
        if file.relative_to(SOURCE).parts[0] != "testing":
            for line, text in strings_of(ast.parse(file.read_bytes())):
                yield f"{file.relative_to(SOURCE)}:{line}", text
    for file in sorted(SOURCE.rglob("*.html")):
        yield str(file.relative_to(SOURCE)), file.read_text()
    for file in (ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md"))):
        yield str(file.relative_to(ROOT)), "\n".join(re.split(r"```.*?```", file.read_text(), flags=re.DOTALL))


@pytest.mark.parametrize("word", NOT)
def test_nobody_reads_a_word_that_we_do_not_use(word):
    matches = [(place, match) for place, text in shown_texts() for match in re.finditer(word, text, re.MULTILINE)]
    found = [f"{place}: {match.string[max(0, match.start() - 50) : match.end() + 40]}" for place, match in matches]
    assert found == [], f"rather: {NOT[word]}"


def test_the_scan_would_see_one():
    tree = ast.parse('"""b is better, too."""\nsaid = f"{a} is better, too"')
    assert [re.search(r", too$", text) is not None for _, text in strings_of(tree)].count(True) == 1


def test_contributing_names_them():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    assert all(word in text for word in ("minus", "runner-up", "optimistic", "vs", "95%", "Note", "also"))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_does(name):
    """A full phrase: a capital, several words and a full stop."""
    for option in command_named(name).params:
        if isinstance(option, click.Option) and option.name not in ("alpha", "seed", "help"):
            words = re.sub(r"\s*\[default: .*\]$", "", option.help or "")
            assert re.match(r"[A-Z`.]|--|\d|[a-z_]+[,(]", words), (option.name, words)
            assert words.endswith((".", "?", ")", "]]")), (option.name, words)
            assert len(words.split()) >= 3, (option.name, words)


@pytest.mark.skipif(shutil.which("codespell", path=str(Path(sys.executable).parent)) is None, reason="no codespell")
def test_no_word_is_misspelled():
    program = Path(sys.executable).with_name("codespell")
    run = subprocess.run([program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stdout == ""

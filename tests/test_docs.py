"""The documentation is complete and true."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from referee.cli.compare import command as compare_command
from referee.cli.gate import command as gate_command
from referee.cli.options import COLUMNS, OUTPUT, READING

ROOT = Path(__file__).parents[1]


def guides():
    return "".join(file.read_text() for file in sorted((ROOT / "docs/guide").glob("*.md")))


@pytest.mark.parametrize("page", ["metrics.md", "tests.md"])
def test_the_pages_of_cards_are_up_to_date(page):
    spec = importlib.util.spec_from_file_location("make_cards", ROOT / "docs/make_cards.py")
    make_cards = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_cards)
    assert (ROOT / "docs" / page).read_text() == make_cards.pages()[page], "run `make docs`"


def test_every_warning_is_explained():
    codes = {code for file in (ROOT / "src").rglob("*.py") for code in re.findall(r'"(W_[A-Z]+)"', file.read_text())}
    assert codes
    assert {code for code in codes if f"`{code}`" not in guides()} == set()


def test_every_column_option_is_explained():
    guide = (ROOT / "docs/guide/evaluate.md").read_text()
    names = {option for add in COLUMNS for option in add(lambda: None).__click_params__[0].opts}
    assert {name for name in names if f"`{name}" not in guide} == set()
    assert READING and OUTPUT


@pytest.mark.parametrize("command", [compare_command, gate_command], ids=["compare", "gate"])
def test_every_option_is_in_a_guide(command):
    names = {option for parameter in command.params for option in parameter.opts if option.startswith("--")}
    elsewhere = {option for add in [*READING, *OUTPUT] for option in add(lambda: None).__click_params__[0].opts}
    assert {name for name in names - elsewhere if not re.search(rf"{name}\b", guides())} == set()


GUIDES = ["docs/guide/evaluate.md", "docs/guide/compare.md", "docs/guide/select.md"]


@pytest.mark.parametrize("file", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", *GUIDES])
def test_links_lead_somewhere(file):
    here = ROOT / file
    for target in re.findall(r"\]\(([\w./-]+)\)", here.read_text()):
        assert (here.parent / target).exists(), target


def test_python_in_the_readme_runs():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    scope: dict[str, object] = {}
    exec(code, scope)
    assert scope["scores"]["a", "roc_auc"].value == 0.75


def test_python_in_the_guide_to_comparing_runs():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guide/compare.md").read_text(), re.DOTALL)
    scope: dict[str, object] = {}
    exec(code, scope)
    assert (scope["verdict"].outcome, scope["verdict"].winners) == ("winner", ("good",))
    assert scope["found"].outcome == "tie"

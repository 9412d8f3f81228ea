"""The documentation is complete and true."""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path

import pytest

from referee.cli.options import COLUMNS, OUTPUT, READING
from referee.cli.overview import COMMANDS

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


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_in_a_guide(command):
    parameters = importlib.import_module(f"referee.cli.{command}").command.params
    names = {option for parameter in parameters for option in parameter.opts if option.startswith("--")}
    elsewhere = {option for add in [*READING, *OUTPUT] for option in add(lambda: None).__click_params__[0].opts}
    assert {name for name in names - elsewhere if not re.search(rf"{name}\b", guides())} == set()


PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/study/README.md"]
GUIDES = sorted(str(file.relative_to(ROOT)) for file in (ROOT / "docs/guide").glob("*.md"))


@pytest.mark.parametrize("file", [*PAGES, *GUIDES])
def test_links_lead_somewhere(file):
    here = ROOT / file
    for target in re.findall(r"\]\(([\w./-]+)\)", here.read_text()):
        assert (here.parent / target).exists(), target


def test_python_in_the_readme_runs():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    scope: dict[str, object] = {}
    exec(code, scope)
    assert scope["scores"]["a", "roc_auc"].value == 0.75


@pytest.mark.parametrize("file", GUIDES)
def test_python_in_a_guide_runs(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", (ROOT / file).read_text(), re.DOTALL):
        exec(code, scope)
    if file.endswith("compare.md"):
        assert (scope["verdict"].outcome, scope["verdict"].winners) == ("winner", ("good",))
        assert scope["found"].outcome == "tie"

"""The documentation is complete and true."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from referee.cli.options import COLUMNS, OUTPUT, READING

ROOT = Path(__file__).parents[1]


def test_the_page_of_metrics_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_metrics", ROOT / "docs/make_metrics.py")
    make_metrics = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_metrics)
    assert (ROOT / "docs/metrics.md").read_text() == make_metrics.page(), "run `make docs`"


def test_every_warning_is_explained():
    codes = {code for file in (ROOT / "src").rglob("*.py") for code in re.findall(r'"(W_[A-Z]+)"', file.read_text())}
    guide = (ROOT / "docs/guide/evaluate.md").read_text()
    assert codes
    assert {code for code in codes if f"`{code}`" not in guide} == set()


def test_every_column_option_is_explained():
    guide = (ROOT / "docs/guide/evaluate.md").read_text()
    names = {option for add in COLUMNS for option in add(lambda: None).__click_params__[0].opts}
    assert {name for name in names if f"`{name}" not in guide} == set()
    assert READING and OUTPUT


@pytest.mark.parametrize("file", ["README.md", "docs/guide/evaluate.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(file):
    here = ROOT / file
    for target in re.findall(r"\]\(([\w./-]+)\)", here.read_text()):
        assert (here.parent / target).exists(), target


def test_python_in_the_readme_runs():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    scope: dict[str, object] = {}
    exec(code, scope)
    assert scope["scores"]["a", "roc_auc"].value == 0.75

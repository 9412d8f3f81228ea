"""A section as CONTRIBUTING says: a Part for every format, and a file with its template for the page."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import referee

INPUTS = Path(__file__).parents[1] / "golden/inputs"
COMPARE = ["compare", INPUTS / "binary.csv", "--truth", "y", "--models", "good,fair", "--goal", "roc_auc"]
PART = """

def _weather(verdict: Verdict) -> Part:
    return Part("Weather", (table("weather", ["sky"], [["half covered"]]),))
"""
SECTION = '''"""The weather."""

from referee.page.shell import Section, rendered


def weather_section(subject):
    return Section("weather", "Weather", rendered("section/weather.html", sky="half covered"), short="Weather")
'''
TEMPLATE = "<p>{{ sky }}</p>\n"


@pytest.fixture(scope="module")
def with_weather(tmp_path_factory):
    """A copy of the package with two files edited and two added."""
    folder = tmp_path_factory.mktemp("weather")
    package = shutil.copytree(
        Path(referee.__file__).parent, folder / "referee", ignore=shutil.ignore_patterns("__pycache__")
    )
    document = package / "comparing/verdict_document.py"
    edit(document, "parts = [", "parts = [_weather(verdict), ")
    document.write_text(document.read_text() + PART)
    edit(
        package / "page/verdict_page.py",
        "        goal or goal_section",
        "        weather_section(subject),\n        goal or goal_section",
    )
    edit(
        package / "page/verdict_page.py",
        "from referee.page.subject import Subject",
        "from referee.page.sections.weather import weather_section\nfrom referee.page.subject import Subject",
    )
    (package / "page/sections/weather.py").write_text(SECTION)
    (package / "page/template/section/weather.html").write_text(TEMPLATE)
    return folder


def edit(file, before, after):
    text = file.read_text()
    assert text.count(before) == 1
    file.write_text(text.replace(before, after))


@pytest.mark.parametrize(
    ("form", "title", "row"),
    [
        ("text", "\nWeather\n", "half covered"),
        ("md", "**Weather**", "| half covered |"),
        ("latex", " Weather.}", "half covered"),
    ],
)
def test_every_format_has_it(with_weather, form, title, row):
    printed = run(with_weather, "--format", form)
    assert title in printed
    assert row in printed


def test_the_page_has_it(with_weather, tmp_path):
    run(with_weather, "--quiet", "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<p>half covered</p>" in page
    assert 'href="#weather"' in page


def run(folder, *options):
    environment = os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "80"}
    command = [sys.executable, "-m", "referee", *map(str, (*COMPARE, *options))]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

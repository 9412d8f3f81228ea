"""The site has a page for every entry, public name and option; what needs Sphinx itself is checked by `make docs`."""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path

import pytest

import referee
from referee.cli.commands import command_named
from referee.cli.overview import COMMANDS

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site():
    """The modules of docs/site by name."""
    sys.path.insert(0, str(ROOT / "docs/site"))
    names = ("catalogues", "reference", "notebook_pages", "pages", "links", "manual")
    yield {name: import_module(name) for name in names}
    sys.path.remove(str(ROOT / "docs/site"))
    for name in names:
        del sys.modules[name]


@pytest.fixture(scope="module")
def pages(site):
    """The text of each page by its place."""
    return dict([*site["pages"].written_pages(), *site["pages"].made_pages()])


def test_the_man_page_has_every_command_and_option(site, tmp_path):
    page = site["manual"].manual().replace("\\-", "-")
    for name in COMMANDS:
        assert f"referee {name} " in page
        assert all(option.opts[0] in page for option in command_named(name).params if option.opts[0][0] == "-")
    if groff := shutil.which("groff"):
        file = tmp_path / "referee.1"
        file.write_text(site["manual"].manual())
        printed = subprocess.run([groff, "-man", "-ww", "-z", file], capture_output=True, text=True, check=True)
        assert printed.stderr == ""


def test_the_lists_of_the_catalogues_are_up_to_date(site):
    for name, text in site["catalogues"].lists().items():
        assert (ROOT / "docs" / name).read_text() == text, "run `make docs`"


@pytest.mark.parametrize("kind", ["metrics", "tests", "schemes", "learners"])
def test_every_entry_has_a_page_that_its_list_leads_to(pages, kind):
    for name, entry in getattr(referee, kind).items():
        page = pages[f"{kind}/{name}.md"]
        assert entry.title in page
        assert f"]({kind}/{name}.md)" in pages[f"{kind}.md"]


def test_every_metric_has_its_formula_and_most_a_picture(pages):
    texts = [pages[f"metrics/{name}.md"] for name in referee.metrics]
    assert all("<math" in text or 'class="formula"' in text for text in texts)
    assert sum("<svg" in text for text in texts) > 50


def test_every_public_name_has_a_page_and_an_example(pages):
    for name in referee.__all__:
        thing = getattr(referee, name)
        assert f"referee.{name}" in pages[f"api/{name}.md"]
        assert ">>> " in thing.__doc__ or "How they are used" in thing.__doc__, name


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_on_the_page_of_its_command(pages, command):
    options = {option for parameter in command_named(command).params for option in parameter.opts}
    shown = set(re.findall(r"--[\w-]+", pages[f"commands/{command}.md"]))
    assert {option for option in options if option.startswith("--")} <= shown


def test_every_page_is_listed_by_another(pages):
    """Sphinx refuses a page that no list leads to; its lists are those between `{toctree}` and the end of the block."""
    listed = set()
    for place, text in pages.items():
        for block in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL):
            names = [line for line in block.splitlines() if line and not line.startswith(":")]
            wanted = [posixpath.join("/", posixpath.dirname(place), name).lstrip("/") + ".md" for name in names]
            listed |= {other for name in wanted for other in pages if fnmatch(other, name)}
    assert set(pages) - listed == {"index.md"}


def test_links_between_pages_lead_to_pages_or_files(site, pages):
    known = {*pages, *site["pages"].linked_files().values()}
    for place, text in pages.items():
        for match in site["pages"].LINK.finditer(text):
            if match[1] and not re.match(r"[a-z]+:|#", match[1]):
                target = posixpath.normpath(posixpath.join(posixpath.dirname(place), match[1].partition("#")[0]))
                assert target in known, f"{place}: {match[1]}"


def test_a_link_that_leads_nowhere_is_found(site, tmp_path):
    (tmp_path / "a.html").write_text('<h1 id="here">A</h1><a href="b.html#there">b</a> <a href="https://x.org">x</a>')
    (tmp_path / "b.html").write_text('<p id="there"><a href="a.html#nowhere">a</a> <a href="c.html">c</a></p>')
    assert site["links"].broken_links(tmp_path) == ["b.html: a.html#nowhere", "b.html: c.html"]

"""The documentation is complete and true."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy
import pandas
import pytest

from referee.cli.commands import command_named
from referee.cli.options import COLUMNS, OUTPUT, READING
from referee.cli.overview import COMMANDS

ROOT = Path(__file__).parents[1]


def guides():
    return "".join(file.read_text() for file in sorted((ROOT / "docs/guide").glob("*.md")))


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
    parameters = command_named(command).params
    names = {option for parameter in parameters for option in parameter.opts if option.startswith("--")}
    elsewhere = {option for add in [*READING, *OUTPUT] for option in add(lambda: None).__click_params__[0].opts}
    assert {name for name in names - elsewhere if not re.search(rf"{name}\b", guides())} == set()


PAGES = sorted(
    file.relative_to(ROOT).as_posix()
    for file in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
)  # fmt: skip
CODE = re.compile(r"```.*?```|`[^`\n]*`|^ {4}[^\n]*$", re.DOTALL | re.MULTILINE)


def places(file):
    """What can be linked to on a page: its headings, as code hosts and the site write them."""
    text = re.sub(r"```.*?```", "", file.read_text(), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.*?)\s*$", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    here = ROOT / page
    for link in re.findall(r"\]\(([^)\s]+)\)", CODE.sub("", here.read_text())):
        if not re.match(r"[a-z]+:", link):
            target, _, place = link.partition("#")
            file = here.parent / target if target else here
            assert file.exists(), link
            assert not place or place in places(file), link


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A folder in which somebody has run `referee demo`."""
    from referee.cli.process import run

    folder = tmp_path_factory.mktemp("demo")
    assert run(["demo", "--out", str(folder / "demo"), "--quiet"]) == 0
    return folder


def python_in(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


def said(text):
    return " ".join(text.split())


def run_python(page, capsys):
    """The names that the page's Python has made; whatever it prints stands on the page."""
    scope: dict[str, object] = {}
    capsys.readouterr()
    for code in python_in(page):
        exec(code, scope)
        assert said(capsys.readouterr().out) in said((ROOT / page).read_text())
    return scope


@pytest.mark.parametrize("page", [page for page in PAGES if python_in(page)])
def test_python_on_a_page_runs_and_prints_what_it_says(page, demo, monkeypatch, capsys):
    monkeypatch.chdir(demo)
    scope = run_python(page, capsys)
    if page.endswith("compare.md"):
        assert (scope["verdict"].outcome, scope["verdict"].winners) == ("winner", ("good",))
        assert scope["found"].outcome == "tie"


def test_the_numbers_of_the_readme_are_those_of_others(demo, monkeypatch, capsys):
    from scipy.stats import ttest_rel
    from sklearn.metrics import brier_score_loss

    monkeypatch.chdir(demo)
    scope, text = run_python("README.md", capsys), said((ROOT / "README.md").read_text())
    malignant = scope["frame"]["diagnosis"] == "malignant"
    for name, article in (("boosting", "{} for boosting"), ("boosting", "boosting ({})"), ("lda", "lda ({})")):
        assert article.format(f"{brier_score_loss(malignant, scope['frame'][name]):.4f}") in text
    folds = {name: found["test_score"] for name, found in scope["folds"].items()}
    assert all(f"{name} ({values.mean():.4f})" in text for name, values in folds.items())
    assert f"has p = {ttest_rel(folds['bayes'], folds['tree']).pvalue:.2f}" in text


def test_the_command_of_the_readme_prints_what_it_says(demo, monkeypatch, referee):
    monkeypatch.chdir(demo)
    text = (ROOT / "README.md").read_text()
    line = next(line for line in text.splitlines() if line.startswith("    referee compare demo/"))
    printed = referee(*shlex.split(line)[1:], form=None).out
    verdict = re.search(r"^(logistic wins on brier: .*)\Z", printed, re.MULTILINE | re.DOTALL)[1]
    assert said(verdict) in said(text)


def test_the_readme_fits_two_screens():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 110


QUICK = (
    "compare preds",
    "compare cv",
    "compare all",
    "compare scores",
    "compare folds",
    "gate",
    "plan",
    "threshold",
    "calibrate",
    "curves",
    "evaluate",
    "lecture",
)


def commands_to_start_with():
    lines = re.findall(r"^    referee (.*?)(?:  +#.*)?$", (ROOT / "docs/index.md").read_text(), re.MULTILINE)
    chosen = [line for line in lines if line.startswith(QUICK)]
    assert len(chosen) > 12
    return chosen


@pytest.fixture(scope="module")
def files_to_start_with(tmp_path_factory):
    """Two models on 240 rows, under the names that the first page gives to files and columns."""
    folder, draw = tmp_path_factory.mktemp("start"), numpy.random.default_rng(0)
    rows = numpy.arange(240)
    truth = (draw.random(240) < 0.4).astype(int)
    models = {name: numpy.clip(0.3 + 0.4 * truth + draw.normal(0, 0.2, 240), 0.01, 0.99) for name in ("old", "new")}
    frame = pandas.DataFrame({"y": truth, **models})
    frame.to_csv(folder / "preds.csv", index=False)
    frame.assign(dataset=rows % 6).to_csv(folder / "all.csv", index=False)
    pandas.DataFrame(models | {"passage": rows // 6}).to_csv(folder / "scores.csv", index=False)
    frame[["old", "new"]].head(10).assign(fold=rows[:10]).to_csv(folder / "folds.csv", index=False)
    runs = [frame.assign(row=rows, run=run, fold=draw.permutation(rows) % 5) for run in range(2)]
    pandas.concat(runs).to_csv(folder / "cv.csv", index=False)
    frame.assign(row=rows, region=rows % 2)[["row", "y", "old", "region"]].to_parquet(folder / "a.parquet")
    frame.assign(row=rows)[["row", "y", "new"]].to_parquet(folder / "b.parquet")
    return folder


@pytest.mark.parametrize("command", commands_to_start_with())
def test_commands_to_start_with_run(referee, files_to_start_with, monkeypatch, command):
    monkeypatch.chdir(files_to_start_with)
    run = referee(*shlex.split(command), form=None)
    assert run.code in ((0, 1) if command.startswith("gate") else (0,)), run.err

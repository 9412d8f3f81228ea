"""The documentation is complete and true."""

from __future__ import annotations

import importlib.util
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
    parameters = command_named(command).params
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


def test_python_in_the_readme_runs_and_prints_what_it_says(capsys):
    from sklearn.metrics import roc_auc_score

    text = (ROOT / "README.md").read_text()
    scope: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(code, scope)
    printed = capsys.readouterr().out
    assert " ".join(printed.split()) in " ".join(text.split())
    area = roc_auc_score(scope["frame"]["y"], scope["p_lr"])
    assert scope["scores"]["model", "roc_auc"].value == pytest.approx(area)
    for verdict in (scope["verdict"], scope["same"], scope["again"]):
        assert (verdict.winners, verdict.values["lr"]) == (("lr",), pytest.approx(area))


@pytest.mark.parametrize("file", GUIDES)
def test_python_in_a_guide_runs(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", (ROOT / file).read_text(), re.DOTALL):
        exec(code, scope)
    if file.endswith("compare.md"):
        assert (scope["verdict"].outcome, scope["verdict"].winners) == ("winner", ("good",))
        assert scope["found"].outcome == "tie"


QUICK = (
    "compare preds",
    "compare cv",
    "compare all",
    "compare scores",
    "gate",
    "plan",
    "threshold",
    "calibrate",
    "curves",
    "evaluate",
    "metrics",
)


def commands_of_the_readme():
    lines = re.findall(r"^    referee (.*?)(?:  +#.*)?$", (ROOT / "README.md").read_text(), re.MULTILINE)
    chosen = [line for line in lines if line.startswith(QUICK)]
    assert len(chosen) > 12
    return chosen


@pytest.fixture(scope="module")
def files_of_the_readme(tmp_path_factory):
    """Two models on 240 rows, under the names that the README gives to files and columns."""
    folder, draw = tmp_path_factory.mktemp("readme"), numpy.random.default_rng(0)
    rows = numpy.arange(240)
    truth = (draw.random(240) < 0.4).astype(int)
    models = {name: numpy.clip(0.3 + 0.4 * truth + draw.normal(0, 0.2, 240), 0.01, 0.99) for name in ("old", "new")}
    frame = pandas.DataFrame({"y": truth, **models})
    frame.to_csv(folder / "preds.csv", index=False)
    frame.assign(dataset=rows % 6).to_csv(folder / "all.csv", index=False)
    pandas.DataFrame(models | {"passage": rows // 6}).to_csv(folder / "scores.csv", index=False)
    runs = [frame.assign(row=rows, run=run, fold=draw.permutation(rows) % 5) for run in range(2)]
    pandas.concat(runs).to_csv(folder / "cv.csv", index=False)
    frame.assign(row=rows, region=rows % 2)[["row", "y", "old", "region"]].to_parquet(folder / "a.parquet")
    frame.assign(row=rows)[["row", "y", "new"]].to_parquet(folder / "b.parquet")
    return folder


@pytest.mark.parametrize("command", commands_of_the_readme())
def test_commands_of_the_readme_run(referee, files_of_the_readme, monkeypatch, command):
    monkeypatch.chdir(files_of_the_readme)
    run = referee(*shlex.split(command), form=None)
    assert run.code in ((0, 1) if command.startswith("gate") else (0,)), run.err

"""What the extras bring may be missing: the answers are the same, or one line says what to install."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import duckdb
import numpy as np
import pytest

WITHOUT = "import sys; sys.modules.update(dict.fromkeys({packages!r})); from referee.cli.process import run; "
ROWS = 2_000
COMMANDS = [
    ["evaluate", "--by", "site"],
    ["evaluate", "--fold", "site", "--metrics", "roc_auc,brier,accuracy"],
    ["compare", "--goal", "roc_auc"],
    ["compare", "--goal", "average_precision", "--test", "bootstrap(replicates=200)", "--metrics", "average_precision"],
    ["compare", "--goal", "brier", "--test", "permutation(permutations=500)", "--metrics", "brier"],
    ["calibrate", "--models", "a"],
    ["threshold", "--for", "f1"],
    ["curves"],
]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    draw = np.random.default_rng(0)
    truth, shared = draw.integers(0, 2, ROWS), draw.normal(size=(2, ROWS))
    a, b = 1 / (1 + np.exp(0.5 - truth - shared))
    columns = zip(truth, np.round(a, 3), b, draw.choice(["north", "south", "west"], ROWS), strict=True)
    path = tmp_path_factory.mktemp("extras") / "preds.csv"
    path.write_text("y,a,b,site\n" + "".join(f"{y},{p!r},{q!r},{s}\n" for y, p, q, s in map(_plain, columns)))
    return path


def _plain(row):
    truth, a, b, site = row
    return int(truth), float(a), float(b), str(site)


@pytest.fixture(scope="module")
def answers(file):
    """Of every command, with and without Numba: each in one process, as packages take longer to load than to run."""
    told = [[each[0], str(file), "--truth", "y", *each[1:], "--format", "json"] for each in COMMANDS]
    return [_answers_without(packages, told) for packages in ([], ["numba"])]


def _answers_without(packages, told):
    code = WITHOUT.format(packages=packages) + f"sys.exit(max(run(each) for each in {told!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(zip(map(" ".join, COMMANDS), map(json.loads, done.stdout.splitlines()), strict=True))


def run_without(packages, told):
    code = WITHOUT.format(packages=packages) + f"sys.exit(run({told!r}))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("told", [*map(" ".join, COMMANDS)])
def test_the_same_answers_without_numba(answers, told):
    with_it, without = answers
    assert_same(with_it[told], without[told])


def assert_same(a, b, place=""):
    if isinstance(a, dict):
        assert a.keys() == b.keys(), place
        for key in a:
            assert_same(a[key], b[key], f"{place}.{key}")
    elif isinstance(a, list):
        assert len(a) == len(b), place
        for number, pair in enumerate(zip(a, b, strict=True)):
            assert_same(*pair, f"{place}[{number}]")
    elif isinstance(a, float) and isinstance(b, float):
        assert b == pytest.approx(a, rel=1e-12, abs=1e-15), place
    else:
        assert a == b, place


@pytest.mark.parametrize(
    ("told", "packages", "missing"),
    [
        (["evaluate"], ["ibis"], "ibis"),
        (["evaluate"], ["duckdb", "ibis"], "duckdb and ibis"),
        (["compare", "--goal", "roc_auc"], ["duckdb"], "duckdb"),
    ],
)
def test_a_database_without_its_extra_is_one_line(tmp_path, told, packages, missing):
    file = tmp_path / "preds.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE preds AS SELECT range % 2 AS y, range / 9.0 AS a FROM range(9)")
    run = run_without(packages, [told[0], str(file), "--truth", "y", *told[1:]])
    assert run.returncode == 2
    assert f"requires {missing}, not installed" in " ".join(run.stderr.split())
    assert "pip install 'referee[sql]'" in run.stderr
    assert "Traceback" not in run.stderr


EXTRAS = {
    "sql": "evaluate preds.duckdb --truth y",
    "postgres": "evaluate postgresql://localhost/db#preds --truth y",
    "spark": "evaluate preds.parquet --truth y --engine spark",
    "dask": "select preds.csv --target y --models tree,logistic --goal accuracy --cluster tcp://127.0.0.1:1",
    "mlflow": "compare mlflow://experiment --goal accuracy",
    "png": "curves preds.csv --truth y --figure roc.png",
    "serve": "serve",
}
PACKAGES = ["distributed", "duckdb", "ibis", "psycopg", "pyspark", "mlflow", "typst", "starlette", "uvicorn"]


@pytest.fixture(scope="module")
def refusals(tmp_path_factory):
    """What each command says where no extra is installed, in one process; an empty line ends each."""
    folder = tmp_path_factory.mktemp("no_extras")
    draw = np.random.default_rng(0).uniform(size=(30, 2))
    (folder / "preds.csv").write_text("y,a\n" + "".join(f"{int(x > 0.5)},{p}\n" for x, p in draw))
    with duckdb.connect(str(folder / "preds.duckdb")) as connection:
        connection.execute(f"CREATE TABLE preds AS FROM '{folder}/preds.csv'")
        connection.execute(f"COPY preds TO '{folder}/preds.parquet'")
    told = [line.split() for line in EXTRAS.values()]
    code = WITHOUT.format(packages=PACKAGES) + f"[sys.stderr.write(f'exit {{run(each)}}\\n\\n') for each in {told!r}]"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder)
    return dict(zip(EXTRAS, done.stderr.strip().split("\n\n"), strict=True))


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_that_is_missing_is_named(refusals, extra):
    said = " ".join(refusals[extra].split())
    assert said.startswith("error[E_EXTRA] ")
    assert f"pip install 'referee[{extra}]'" in said
    assert said.endswith("exit 2")
    assert "Traceback" not in said


HIDDEN = """import importlib.metadata as metadata
known = metadata.distribution
def distribution(name):
    if name in {packages!r}: raise metadata.PackageNotFoundError(name)
    return known(name)
metadata.distribution = distribution
"""


def test_pages_without_any_extra(file, tmp_path):
    """As after a plain `pip install referee`, where not even the names of the others are known."""
    packages = [*PACKAGES, "numba"]
    told = [
        [each[0], str(file), "--truth", "y", *each[1:], "--html", f"{tmp_path}/{place}.html", "--quiet"]
        for place, each in enumerate([COMMANDS[0], COMMANDS[2], COMMANDS[5], COMMANDS[6]])
    ] + [["demo", "--out", str(tmp_path / "demo"), "--quiet"]]
    code = HIDDEN.format(packages=packages) + WITHOUT.format(packages=packages)
    code += f"sys.exit(max([run(each) for each in {told!r}]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = [*tmp_path.rglob("*.html")]
    assert len(pages) == len(told)
    assert all("without numba" in page.read_text() for page in pages)


def test_every_extra_is_looked_at():
    """`fast` changes nothing but the time, `all` is the others."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert set(project["optional-dependencies"]) == {*EXTRAS, "fast", "all"}

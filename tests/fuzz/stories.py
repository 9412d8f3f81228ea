"""Command lines that build on each other: files that one writes, another reads, now and then damaged between."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import referee
from tests.fuzz.calls import FORMS, OF_AMOUNTS, OF_CLASSES, PAGE, columns_of, compare, curves, evaluate, gate, goal
from tests.fuzz.calls import calibrate as checked
from tests.fuzz.tables import FORMATS, damaged, table, usual, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from random import Random

Words = list[str]
Columns = dict[str, list[Any]]
FILE_STORIES = ("sqlite:///{}/verdicts.db#kept", "duckdb:///{}/verdicts.duckdb#kept")


def part(columns: Columns, first: int, last: int) -> Columns:
    return {name: cells[first:last] for name, cells in columns.items()}


def spoil(draw: Random, path: Path, chance: float = 0.3) -> None:
    """Now and then damage a file that was written, if it was."""
    if path.is_file() and draw.random() < chance:
        path.write_bytes(damaged(draw, path.read_bytes()))


def put(draw: Random, folder: Path, name: str, columns: Columns) -> str:
    """A table in a file of this name, in some format."""
    ending = draw.choice(list(FORMATS))
    path = folder / (name + ending.removeprefix("rows"))
    path.write_bytes(FORMATS[ending](columns))
    return str(path)


def states(draw: Random, folder: Path) -> Iterator[Words]:
    """Summarised in parts, of which one may be of something else, or damaged; then added, compared and scored."""
    columns = table(draw)
    middle = draw.randrange(len(columns["y"]) + 1)
    other = part(columns, middle, 99) if draw.random() < 0.8 else table(draw)
    roles, paths = columns_of(draw, columns), []
    for place, rows in enumerate((part(columns, 0, middle), other)):
        paths.append(folder / f"{place}.state")
        paths[-1].unlink(missing_ok=True)
        more = ["--metrics", goal(draw, columns)] if draw.random() < 0.3 else []
        yield ["summarise", put(draw, folder, f"part{place}", rows), "--out", str(paths[-1]), *roles, *more]
    spoil(draw, paths[0], 0.2)
    given = [str(path) for path in paths[: draw.choice((1, 2, 2, 2))]]
    asked = draw.choice((compare, evaluate, gate))(draw, "SOURCE", columns)
    bare = [asked[0], *given, *asked[asked.index("--goal") :]] if "--goal" in asked else [asked[0], *given]
    yield bare + (["--quiet"] if draw.random() < 0.1 else [])
    yield ["summarise", *given, "--out", str(folder / "sum.state")]
    yield ["evaluate", str(folder / "sum.state")]


def advise(draw: Random, folder: Path) -> Iterator[Words]:
    columns = table(draw)
    source = [written(draw, folder, columns)] if draw.random() < 0.8 else []
    yield ["advise", *source, *(columns_of(draw, columns) if source else []), "--no-questions", *answers(draw)]


def answers(draw: Random) -> Words:
    """To some of the questions, also such as nobody would give."""
    numbers = ("0", "0.5", "1", "-1", "nan", "1e308", "x")
    known: dict[str, Sequence[str]] = {
        "--purpose": ("decision", "probabilities", "unknown"),
        "--quality": ("ranking", "calibration", "both"),
        "--costs": ("equal", "misses", "false_alarms", "known", "unknown"),
        "--target": ("value", "quantile", "interval", "distribution"),
        "--penalty": ("large", "alike", "percent", "typical"),
        "--cost-matrix": ("[[0, 1], [5, 0]]", "[[0, 1, 2], [1, 0, 2], [5, 5, 0]]", "[[", "[[nan, 1], [1, 0]]", "1"),
        "--goals": ("accuracy=2, f1", "rmse=0", "f1=-1", "nonsense=1", ""),
        "--focus": ("positive", "both"),
        "--single": ("no", "yes"),
    } | dict.fromkeys(("--fp", "--fn", "--precision", "--recall", "--beta", "--capacity", "--level"), numbers)
    said = draw.sample(list(known), draw.randrange(5))
    return [word for option in said for word in (option, draw.choice(known[option]))]


def lecture(draw: Random, folder: Path) -> Iterator[Words]:
    columns = table(draw)
    sections = draw.sample((*SECTIONS, "nonsense"), draw.randrange(3))
    yield ["lecture", *sections, written(draw, folder, columns), *columns_of(draw, columns)]


SECTIONS = ("confusion-matrix", "class-imbalance", "precision-recall", "holdout", "t-test", "roc", "numeric-measures")
LEARNERS = ("majority", "dummy", "naive_bayes", "knn(k=3)", "tree", "linear", "ridge", "nonsense", "knn(k=0)")
SCHEMES = ("holdout", "k_fold(k=3)", "stratified_k_fold(k=2)", "random_subsampling(repeats=3)", "leave_one_out", "x")


def data(draw: Random, folder: Path, rows: Columns) -> Words:
    """A table with features and what is to be predicted of it, mostly the truth."""
    names = [name for name in rows if name != "y"]
    said = [put(draw, folder, "data", rows), "--target", "y" if draw.random() < 0.95 else draw.choice(["x", *rows])]
    labels = sorted({str(cell) for cell in rows["y"]}) or ["1"]
    said += ["--positive", draw.choice(labels)] if len(labels) < 5 and draw.random() < 0.7 else []
    for option, chance in (("--weight", 0.1), ("--group", 0.1), ("--id", 0.1)):
        said += [option, draw.choice(names)] if draw.random() < chance and names else []
    return said + (["--drop-label", "?"] if "?" in labels else [])


def fitted(draw: Random, rows: Columns) -> Words:
    of_amounts = all(isinstance(cell, float) for cell in rows["y"])
    suited = ("linear", "ridge", "tree") if of_amounts else ("majority", "naive_bayes", "tree")
    models = draw.sample(suited if draw.random() < 0.8 else LEARNERS, 2)
    aim = draw.choice(OF_AMOUNTS if of_amounts else OF_CLASSES)
    return ["--models", ",".join(models), "--goal", aim]


def select(draw: Random, folder: Path) -> Iterator[Words]:
    """Fits that are kept, gone on with, and read again."""
    rows = usual(draw) if draw.random() < 0.8 else table(draw)
    kept = folder / f"run{draw.randrange(10**9)}"
    asked = ["select", *data(draw, folder, rows), *fitted(draw, rows), "--scheme", draw.choice(SCHEMES)]
    asked += draw.choice(([], [], ["--robustness", "label_noise=0.2"], ["--learning-curve", "0.5"], ["--check"]))
    if draw.random() < 0.7:
        yield asked
        return
    yield [*asked, "--out", str(kept)]
    spoil(draw, kept / "results.sqlite")
    yield [*asked, "--out", str(kept)]
    yield ["compare", str(kept), "--goal", draw.choice(("accuracy", "rmse", "log_loss"))]


def study(draw: Random, folder: Path) -> Iterator[Words]:
    rows = usual(draw) if draw.random() < 0.8 else table(draw)
    again = ["--repetitions", draw.choice(("1", "2")), "--deals", draw.choice(("1", "2"))]
    usually = ["--train", "0.2", "--holdout", "0.4"]
    shares = draw.choice((usually, usually, usually, [], ["--train", "1"], ["--holdout", "nan"]))
    yield ["study", "--on", *data(draw, folder, rows), *fitted(draw, rows), *again, *shares]


def ledger(draw: Random, folder: Path) -> Iterator[Words]:
    """A gate that looks at growing data, at all rows or at the new ones."""
    columns, path = usual(draw), folder / "looks.jsonl"
    path.unlink(missing_ok=True)
    rows = len(columns["y"])
    new = draw.random() < 0.4
    asked = gate(draw, "SOURCE", columns)[2:]
    looks = draw.choice((["--looks", "3", "--until", str(rows)], ["--anytime", "asymptotic"], ["--anytime", "exact"]))
    asked += [*looks, *(["--new-rows"] if new else []), *(["--spend"] if draw.random() < 0.2 else [])]
    cuts = (0, rows // 3, 2 * rows // 3, rows)
    for first, last in pairwise(cuts):
        source = put(draw, folder, "look", part(columns, first if new else 0, last))
        yield ["gate", source, *asked, "--ledger", str(path)]
        spoil(draw, path, 0.1)
    yield ["history", str(path)]


def verdicts(draw: Random, folder: Path) -> Iterator[Words]:
    """Verdicts that are kept in a table, and their history."""
    place = draw.choice(FILE_STORIES).format(folder)
    path = folder / place.rpartition("/")[2].partition("#")[0]
    for left in folder.glob("verdicts*"):
        left.unlink()
    columns = usual(draw)
    for _ in range(draw.choice((1, 2))):
        asked = draw.choice((compare, gate))(draw, put(draw, folder, "rows", columns), columns)
        yield [*asked, "--save-to", place]
        spoil(draw, path, 0.1)
    yield ["history", place if draw.random() < 0.9 else draw.choice((str(path), place + "2", place[:-5]))]


def figures(draw: Random, folder: Path) -> Iterator[Words]:
    columns = usual(draw)
    kind = draw.choice((compare, evaluate, gate, curves))
    onto = ["--html", str(folder / PAGE)]
    onto += ["--figures", str(folder / "figures")] if kind is not curves and draw.random() < 0.2 else []
    yield [*kind(draw, written(draw, folder, columns), columns), *onto]


def calibrators(draw: Random, folder: Path) -> Iterator[Words]:
    """Maps that are saved and applied, to the same table or another one."""
    columns, saved = usual(draw), folder / "maps.json"
    saved.unlink(missing_ok=True)
    yield [*checked(draw, put(draw, folder, "rows", columns), columns), "--save", str(saved)]
    spoil(draw, saved)
    other = put(draw, folder, "new", columns if draw.random() < 0.8 else table(draw))
    yield ["calibrate", other, "--apply", str(saved), "--output", str(folder / draw.choice(("new.csv", "o.parquet")))]


def settings(draw: Random, folder: Path) -> Iterator[Words]:
    """Options that stand in a file, where some are none."""
    path, columns = folder / "settings.toml", table(draw)
    asked = draw.choice((compare, evaluate, curves))(draw, written(draw, folder, columns), columns)
    lines = ("goal = 'f1'", "alpha = 2", "alpha = 'x'", "models = ['m1', 'm2']", "by = [[1]]", "seed = -1", "x = 1")
    path.write_text("\n".join(draw.sample(lines, 2)) + draw.choice(("", "", "\n[", "\n[compare]\nseed = 1\n")))
    yield [*asked, "--config", str(path)]


def cards(draw: Random, _folder: Path) -> Iterator[Words]:
    """Catalogues, by names that are known, nearly known, or nobody's."""
    command = draw.choice(("metrics", "schemes", "tests", "learners", "sources", "schema"))
    known = list(getattr(referee, command, ())) or ["compare", "error", "gate"]
    name = draw.choice(known)
    odd = ("", " ", "x" * 300, "f_beta(beta=", "f_beta(beta=nan)", "\x1b[2J", "é", "(", "a,b", "-", "∞", "knn(k=-1)")
    yield [command, *draw.choice(([], [name], [name.upper()], [name[:-1]], [draw.choice(odd)], [name, name]))]


STORIES: dict[Callable[[Random, Path], Iterator[Words]], int] = {
    states: 8, advise: 6, lecture: 5, select: 2, study: 1, ledger: 6, verdicts: 5, figures: 2, calibrators: 4,
    settings: 3, cards: 6,
}  # fmt: skip
"""And how often each is drawn."""
WITHOUT_FORMATS = ("summarise", "schema")


def story(seed: int, folder: Path) -> Iterator[tuple[str, ...]]:
    """Command lines one after the other, each to be run before the next one is drawn."""
    draw = random.Random(f"{seed} story")
    (kind,) = draw.choices(list(STORIES), list(STORIES.values()))
    for words in kind(draw, folder):
        form = [] if words[0] in WITHOUT_FORMATS else ["--format", draw.choice(FORMS)]
        yield (*words, *form)

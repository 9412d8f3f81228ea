"""Random command lines over random tables, and what must be true of every one of them."""

from __future__ import annotations

import json
import random
import shlex
import signal
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import referee
from tests.fuzz.tables import table, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from random import Random

BUG, NO = 70, 1
PATIENCE = 60
"""Seconds of the processor in which a command ends, also where it is slow."""
PAGE = "page.html"
GOALS = (
    *referee.metrics,
    "f1",
    "f1_macro",
    "precision_at_recall(recall=0.3)",
    "expected_cost(fp=1, fn=5)",
    "nonsense",
    "f1(",
)
OF_CLASSES = ("accuracy", "f1", "roc_auc", "log_loss", "brier", "balanced_accuracy", "mcc", "average_precision")
OF_AMOUNTS = ("rmse", "mae", "r2", "rae", "correlation", "median_ae")
FORMS = ("json", "json", "json", "text", "csv", "md", "latex")
TESTS = ("auto", *referee.tests)


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    arguments: tuple[str, ...]
    code: int
    out: str
    err: str
    late: bool = False
    """Whether it was stopped because it took too long."""

    @property
    def problem(self) -> str | None:
        """What is wrong with it, if anything is."""
        wrong = {
            f"it takes more than {PATIENCE} seconds of the processor": self.late,
            "it ends in a bug": self.code == BUG or "Traceback" in self.err + self.out,
            "only a gate may say no": self.code == NO and self.arguments[0] != "gate",
            "the warning of another package is shown": "Warning:" in self.err,
            "standard output is not one JSON object": self.is_to_be_json and not is_json(self.out),
            "there are control characters in it": "\x1b" in self.out + self.err,
            "the page names a folder": self.has_page_with_folder,
        }
        return next((what for what, is_so in wrong.items() if is_so), None)

    @property
    def is_to_be_json(self) -> bool:
        asked = self.arguments
        return "--format" in asked and asked[asked.index("--format") + 1] == "json"

    @property
    def has_page_with_folder(self) -> bool:
        """A page is sent to others: it says nothing of the folders that its tables are in."""
        if self.code or "--html" not in self.arguments:
            return False
        page = Path(self.arguments[self.arguments.index("--html") + 1])
        return page.parent != Path() and str(page.parent) in page.read_text(encoding="utf-8")

    def __str__(self) -> str:
        return f"referee {shlex.join(self.arguments)}\nexit {self.code}\n{self.err[-3000:]}{self.out[:300]}"


def is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text, parse_constant=_refuse), dict)
    except ValueError:
        return False


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def columns_of(draw: Random, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Roles of columns, as people would name them, and some as nobody would."""
    names = list(columns)
    said = ["--truth", "y" if draw.random() < 0.97 else draw.choice(["x", *names])]
    labels = sorted({str(cell) for cell in columns["y"]}) or ["1"]
    if len(labels) < 5 and draw.random() < 0.8:
        said += ["--positive", draw.choice(labels) if draw.random() < 0.95 else "zz"]
    said += ["--models", ",".join(name for name in names if name in ("m1", "m2", "m3"))] if "m2" in names else []
    said += ["--weight", "w"] if "w" in names and draw.random() < 0.8 else []
    said += ["--fold", "fold"] if "fold" in names and draw.random() < 0.6 else []
    for option, chance, choices in STRANGE:
        if draw.random() < chance:
            said += [option, draw.choice(choices or names)]
    return said


STRANGE: tuple[tuple[str, float, tuple[str, ...]], ...] = (
    ("--id", 0.05, ()),
    ("--group", 0.08, ()),
    ("--repeat", 0.03, ()),
    ("--task", 0.1, ("binary", "multiclass", "regression", "scores")),
    ("--drop-label", 0.1, ("?", "1", "NA")),
    ("--threshold", 0.1, ("0.3", "nan", "inf", "-1", "1e308")),
    ("--weight-kind", 0.15, ("frequency",)),
)
"""Options, how often they are said, and with what; without choices with a column."""


def goal(draw: Random, columns: Mapping[str, Sequence[Any]]) -> str:
    """One that fits the truth, or any."""
    of_amounts = all(isinstance(cell, float) for cell in columns["y"])
    return draw.choice(GOALS if draw.random() < 0.3 else OF_AMOUNTS if of_amounts else OF_CLASSES)


def evaluate(draw: Random, source: str, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    asked = ["--metrics", goal(draw, columns)] if draw.random() < 0.6 else []
    by = ["--by", draw.choice(list(columns))] if draw.random() < 0.2 else []
    return [
        "evaluate",
        source,
        *columns_of(draw, columns),
        *asked,
        *by,
        *(["--explain"] if draw.random() < 0.1 else []),
    ]


def compare(draw: Random, source: str, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    more = ["--metrics", "goal"] if draw.random() < 0.7 else []
    more += ["--test", draw.choice(TESTS)] if draw.random() < 0.3 else []
    more += ["--margin", draw.choice(("0.1", "0", "nan", "1e300"))] if draw.random() < 0.2 else []
    more += ["--subsets", draw.choice(("2", "5", "1000"))] if draw.random() < 0.1 else []
    more += ["--alpha", draw.choice(("1e-12", "0.5", "0.999"))] if draw.random() < 0.1 else []
    more += ["--time", draw.choice(list(columns))] if draw.random() < 0.1 else []
    return ["compare", source, *columns_of(draw, columns), "--goal", goal(draw, columns), *more]


def gate(draw: Random, source: str, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    first, second = ("m1", "m2") if "m2" in columns else (draw.choice(list(columns)), draw.choice(list(columns)))
    margin = draw.choice(("0.1", "0", "0.01", "inf"))
    sides = ["--production", first, "--candidate", second, "--margin", margin]
    return ["gate", source, *columns_of(draw, columns), "--goal", goal(draw, columns), *sides]


def curves(draw: Random, source: str, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    kinds = ("roc", "precision_recall", "precision_recall_gain", "lift", "cumulative_gains", "det", "cost", "decision")
    band = ["--band", draw.choice(("pointwise", "simultaneous"))] if draw.random() < 0.3 else []
    return ["curves", source, *columns_of(draw, columns), "--kind", draw.choice((*kinds, "calibration")), *band]


def threshold(draw: Random, source: str, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    aim = draw.choice(("f1", "accuracy", "youden", "mcc", "recall", "expected_cost(fp=1, fn=5)", "roc_auc"))
    limit = ["--at-least", draw.choice(("precision=0.9", "recall=2", "x=1"))] if draw.random() < 0.3 else []
    return [
        "threshold",
        source,
        *columns_of(draw, columns),
        "--goal",
        aim,
        *limit,
        "--folds",
        draw.choice(("0", "2", "10")),
    ]


def calibrate(draw: Random, source: str, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    method = draw.choice(("all", "platt", "isotonic", "temperature", "beta", "none"))
    return ["calibrate", source, *columns_of(draw, columns), "--method", method, "--folds", draw.choice(("2", "5"))]


def plan(draw: Random, source: str, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    return [
        "plan",
        "--goal",
        goal(draw, columns),
        "--margin",
        draw.choice(("0.1", "0.001", "0")),
        "--pilot",
        source,
        *columns_of(draw, columns),
    ]


COMMANDS: tuple[Callable[..., list[str]], ...] = (evaluate, compare, compare, gate, curves, threshold, calibrate, plan)


def drawn(seed: int, folder: Path) -> tuple[str, ...]:
    """A command line, and the file that it names."""
    draw = random.Random(seed)
    columns = table(draw)
    source = written(draw, folder, columns)
    arguments = draw.choice(COMMANDS)(draw, source, columns)
    form = ["--format", draw.choice(FORMS), *(["--quiet"] if draw.random() < 0.1 else [])]
    return (*arguments, *form, *elsewhere(random.Random(f"{seed} elsewhere"), folder))


def elsewhere(draw: Random, folder: Path) -> list[str]:
    """Now and then on another engine, in little memory, or onto a page."""
    said = ["--engine", draw.choice(("database", "stream", "memory"))] if draw.random() < 0.1 else []
    said += ["--max-memory", draw.choice(("1kB", "50kB", "1MB"))] if draw.random() < 0.05 else []
    return said + (["--html", str(folder / PAGE)] if draw.random() < 0.05 else [])


def run(arguments: Sequence[str], capture: Any) -> Ended:
    """In this process; `capture` is pytest's capfd."""
    from referee.cli.process import run as run_command

    capture.readouterr()
    with limited() as late:
        code = run_command(list(arguments))
    shown = capture.readouterr()
    return Ended(tuple(arguments), code, shown.out, shown.err, bool(late))


@contextmanager
def limited(seconds: float = PATIENCE) -> Iterator[list[str]]:
    """Stop what takes more of the processor's time, and say so in the list; where there is such a clock."""
    late: list[str] = []

    def stop(*_: object) -> None:
        late.append("stopped")
        raise RuntimeError(f"more than {seconds} seconds of the processor")

    if not hasattr(signal, "setitimer"):
        yield late
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield late
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)

"""`make figures`: how large the house is, counted anew, as docs/house.md."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import resource
import statistics
import subprocess
import sys
import tokenize
from pathlib import Path

import referee
from tests.test_architecture import CATALOGUES, LAYERS

SOURCE = Path(referee.__file__).parent
FORMATS = {"text", "md", "latex", "csv", "html"}
ROOT = Path(__file__).parents[1]
PAGE, INPUTS = ROOT / "docs/house.md", ROOT / "tests/golden/inputs"
PYTEST = [sys.executable, "-m", "pytest"]
COMPARE = ["compare", str(INPUTS / "binary.csv"), "--truth", "y", "--models", "good,fair", "--goal", "roc_auc"]


def main():
    PAGE.write_text(page(), encoding="utf-8")


def page():
    lines = [
        "# The size of the house",
        "Counted by `make figures` (`benchmarks/house.py`).",
        "",
        "| what | now |",
        "|---|--:|",
    ]
    return "\n".join([*lines, *(f"| {what} | {value} |" for what, value in figures().items())]) + "\n"


def figures():
    files = {file: file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py")}
    bodies = [size for text in files.values() for size in bodies_in(text)]
    (functions, places), (hops, walked) = every_function(), walk()
    return {
        "lines of `src/referee`": f"{sum(text.count(chr(10)) for text in files.values()):,}",
        "tokens": f"{sum(map(tokens_in, files.values())):,}",
        "files": len(files),
        "files outside the catalogues": sum(file.parent.name not in CATALOGUES for file in files),
        "names at the top": len({file.relative_to(SOURCE).parts[0] for file in files}),
        "layers": len(LAYERS),
        "lines of a file, median / largest": spread(text.count("\n") for text in files.values()),
        "lines of a function's body, median / largest": spread(bodies),
        "files whose code compares with the name of a format": sum(map(knows_a_format, files.values())),
        "functions / files from `referee compare` to cells, test, sentence and screen": f"{hops} / {walked}",
        "functions / files that run for it at all": f"{functions} / {places}",
        "characters of `repr(verdict)`": f"{len(repr(verdict())):,}",
        "tests": f"{tests():,}",
        "seconds of CPU that `make quick` takes": round(quick_seconds()),
    }


def spread(sizes):
    sizes = list(sizes)
    return f"{statistics.median(sizes):g} / {max(sizes)}"


def bodies_in(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            yield body[-1].end_lineno - body[0].lineno + 1 if body else 0


def tokens_in(text):
    return sum(1 for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.string.strip())


def knows_a_format(text):
    compared = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Compare))
    return any(
        isinstance(part, ast.Constant) and part.value in FORMATS
        for node in compared
        for side in node.comparators
        for part in ast.walk(side)
    )


STATIONS = {
    ("csv.py", "read_csv"),
    ("contender.py", "compare_rows"),
    ("sentence.py", "sentence"),
    ("screen.py", "write"),
}


def walk():
    """The functions, and their files, on the way to each station: what somebody reads who follows one row."""
    seen = set()

    def look(frame, event, _):
        code = frame.f_code
        if event == "call" and (Path(code.co_filename).name, code.co_name) in STATIONS:
            while frame is not None:
                seen.update(named(frame))
                frame = frame.f_back

    compare_watched_by(look)
    return counted(seen)


def every_function():
    seen = set()
    compare_watched_by(lambda frame, event, _: seen.update(named(frame)) if event == "call" else None)
    return counted(seen)


def compare_watched_by(look):
    from referee.cli.process import run

    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")):
        sys.setprofile(look)
        run([*COMPARE, "--metrics", "roc_auc", "--quiet"])
        sys.setprofile(None)


def named(frame):
    """A function of ours by its file and name; nothing for others, and for what has no name."""
    code = frame.f_code
    ours = str(SOURCE) in code.co_filename and code.co_name[0] != "<"
    return [(code.co_filename, code.co_name)] if ours else []


def counted(seen):
    return len(seen), len({file for file, _ in seen})


def verdict():
    return referee.compare(
        referee.Predictions.read(INPUTS / "binary.csv", truth="y", models=["good", "fair"]), "roc_auc"
    )


def tests():
    listed = subprocess.run([*PYTEST, "--collect-only", "-qq"], cwd=ROOT, capture_output=True, text=True, check=True)
    return sum(map(int, re.findall(r"\.py: (\d+)$", listed.stdout, re.MULTILINE)))


def quick_seconds():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*PYTEST, "@tests/quick.txt"], cwd=ROOT, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()

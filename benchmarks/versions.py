"""The tests with the lowest and the newest versions that pyproject.toml allows: `make test-lowest`, `make test-newest`.

Each has an environment of its own, in build/. With QUICK=1 only tests/quick.txt is run, and tests/extras.txt, the
tests of the extras. What was tested is kept in docs/versions.json, where a remark may be added, and shown in
docs/versions.md.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "docs" / "versions.json", ROOT / "docs" / "versions.md"
HOW = {"lowest": "lowest-direct", "newest": "highest"}
SHOWN = (
    "numpy", "scipy", "scikit-learn", "pyarrow", "narwhals", "click", "rich", "numba", "duckdb", "ibis-framework",
    "psycopg", "mlflow-skinny", "starlette", "distributed",
)  # fmt: skip
OUTCOME = re.compile(r"^(?:\d+ \w+(?:, )?)+ in [\d.]+s.*$", re.MULTILINE)
FAILED = re.compile(r"^FAILED (\S+)", re.MULTILINE)
NOT_TESTED = "Python 3.12 was not tested with them."
HEAD = f"""# Versions that were tested
Made by `make test-lowest` and `make test-newest`, which resolve the packages that `pyproject.toml` names to the lowest
and to the newest versions allowed, install them into an environment of their own with all extras but Spark, and run the
tests ("quick": those of `make quick` and of the extras). {NOT_TESTED}

"""


def version_of(interpreter: str) -> str:
    told = "import sys; print(*sys.version_info[:2], sep='.')"
    return subprocess.run([interpreter, "-c", told], capture_output=True, text=True, check=True).stdout.strip()


def environment(which: str, interpreter: str, uv: str) -> tuple[Path, dict[str, str]]:
    """A new environment with these versions of what the package needs, and the newest of what tests need."""
    python = version_of(interpreter)
    folder = ROOT / "build" / f"{which}-{python}"
    pins = folder.with_name(f"{folder.name}.txt")
    run(uv, "venv", "--quiet", "--clear", "--no-python-downloads", "--python", interpreter, str(folder))
    asked = ["--extra", "all", "--python-version", python, "--resolution", HOW[which], "--no-header", "--no-annotate"]
    run(uv, "pip", "compile", "--quiet", "pyproject.toml", *asked, "-o", str(pins))
    install = [uv, "pip", "install", "--quiet", "--python", str(folder / "bin" / "python")]
    run(*install, "-r", str(pins), "--group", "test")
    run(*install, "--no-deps", "--editable", ".")
    return folder, dict(line.split("==") for line in pins.read_text().splitlines() if "==" in line)


def run(*words: str) -> None:
    subprocess.run(words, cwd=ROOT, check=True)


def tested(which: str, interpreter: str, uv: str) -> dict:
    """What came of the tests."""
    folder, versions = environment(which, interpreter, uv)
    quick = bool(os.environ.get("QUICK"))
    chosen = ["@tests/quick.txt", "@tests/extras.txt"] if quick else ["-n", "2", "--dist", "worksteal"]
    words = [str(folder / "bin" / "python"), "-m", "pytest", "-p", "no:cacheprovider", "-rf", *chosen]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    said = OUTCOME.findall(done.stdout)
    sys.stdout.write(done.stdout[-200_000:] + done.stderr[-5_000:])
    return {
        "which": which, "python": version_of(interpreter), "tests": "quick" if quick else "all",
        "outcome": said[-1].split(" in ")[0] if said else f"exit {done.returncode}",
        "failed": FAILED.findall(done.stdout),
        "on": datetime.now(UTC).date().isoformat(), "versions": {name: versions[name] for name in SHOWN},
    }  # fmt: skip


def kept(result: dict) -> list[dict]:
    """All results, this one instead of the last of its kind."""
    old = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    same = ("which", "python")
    others = [each for each in old if any(each[key] != result[key] for key in same)]
    return sorted([*others, result], key=lambda each: [each[key] for key in same])


def page(results: list[dict]) -> str:
    """A column for each run."""
    told = [("Python", "python"), ("tests", "tests"), ("outcome", "outcome"), ("on", "on")]
    lines = [["", *(each["which"] for each in results)], ["---"] * (len(results) + 1)]
    lines += [[name, *(each[key] for each in results)] for name, key in told]
    lines += [[name, *(each["versions"].get(name, "") for each in results)] for name in SHOWN]
    failed = [f"- {each['which']}, Python {each['python']}: `{name}`" for each in results for name in each["failed"]]
    since = [f"{each['remark']}\n\n" for each in results if "remark" in each]
    said = "\n".join(["What failed:", "", *failed, "", *since]) if failed else ""
    return HEAD + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n\n" + said + _bounds()


def _bounds() -> str:
    """The lower bounds, as pyproject.toml has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return f"The package itself now needs {', '.join(f'`{each}`' for each in project['dependencies'])}.\n"


if __name__ == "__main__":
    result = tested(sys.argv[1], *sys.argv[2:])
    results = kept(result)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    PAGE.write_text(page(results))
    sys.exit("failed" in result["outcome"] or "error" in result["outcome"] or "exit" in result["outcome"])

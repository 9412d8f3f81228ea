"""Repeat the full study and write what it found: README.md, tables.json, tables.txt and index.html.

    python docs/study/make.py [DIR of the UCI data sets]

With the same versions it gives the same bytes.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from referee.document import terminal_text
from referee.page.shell import versions
from referee.paper import run

HERE = Path(__file__).parent
DATA = "../shared/data/uci"
COMMAND = shlex.join(["referee", "study", "--data", DATA, "--repetitions", "100", "--seed", "0"])


def main() -> None:
    folder = sys.argv[1] if sys.argv[1:] else HERE.parents[1] / DATA
    study = run(folder, repetitions=100, seed=0, jobs=2, quiet=False)
    (HERE / "tables.json").write_text(study.to_json() + "\n")
    (HERE / "tables.txt").write_text(terminal_text(study.document()))
    (HERE / "index.html").write_text(study.to_html(command=COMMAND))
    (HERE / "README.md").write_text(readme(study.to_markdown()))
    sys.stderr.write(f"CPU seconds: {', '.join(f'{what} {spent:.1f}' for what, spent in study.seconds.items())}\n")


def readme(findings: str) -> str:
    return f"""# The paper's experiment, repeated
Made by [make.py](make.py) with

    {COMMAND}

{versions()}.
The same as a page: [index.html](index.html); as the terminal shows it: [tables.txt](tables.txt); all numbers with all
digits: [tables.json](tables.json). What was decided where the paper is silent, and how claims are judged:
[the guide](../guide/study.md). What choosing on few rows costs, on more data sets:
[the regret map](map.md). Its trees beside those of Weka's J48: [tree by tree](trees.md).

{findings}"""


if __name__ == "__main__":
    main()

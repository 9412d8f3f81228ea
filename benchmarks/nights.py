"""`python -m benchmarks.nights`: a gate that runs on ten nights, as docs/guide/looks.md shows it."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import numpy as np

import referee

PAGE = Path(__file__).parents[1] / "docs/guide/looks.md"
NIGHTS, ROWS = 10, 300
WHEN = re.compile(r"\| (?:when|[0-9]{4}-[^|]*) \| |(?<=\|---\|---)\|---(?=\|--:)")
"""The column that would differ from run to run."""
SHOWN = r"(?<=## Ten nights\n).*?(?=\n## )"


def predictions():
    """Two models that are right equally often, which only time will show."""
    draw = np.random.default_rng(7)
    truth = draw.integers(0, 2, NIGHTS * ROWS)
    right = {name: draw.random(len(truth)) < share for name, share in (("old", 0.80), ("new", 0.80))}
    return {"y": truth} | {name: np.where(each, truth, 1 - truth) for name, each in right.items()}


def history():
    """Every night the rows so far, and at the end what the ledger says of all of them."""
    rows = predictions()
    with tempfile.TemporaryDirectory() as folder:
        ledger = str(Path(folder) / "gate.jsonl")
        for night in range(1, NIGHTS + 1):
            so_far = {name: column[: night * ROWS] for name, column in rows.items()}
            referee.gate(
                so_far, truth="y", models=["old", "new"], goal="accuracy", production="old", candidate="new",
                margin=0.02, ledger=ledger, looks=NIGHTS, until=NIGHTS * ROWS,
            )  # fmt: skip
        return WHEN.sub(lambda cell: "| " if cell[0].startswith("| ") else "", referee.history(ledger).to_markdown())


def text():
    about = (
        f"{ROWS} rows are added every night, and both models are right in 80% of them\n"
        "(`python -m benchmarks.nights`). After the last night, `referee history gate.jsonl` shows the looks; once a\n"
        "gate has passed, later nights are no new ones.\n"
    )
    return f"{about}\n{history().strip()}\n"


def main():
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(SHOWN, lambda _: text(), page, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()

"""`python -m benchmarks.databases`: comparing three models in DuckDB, beside SQL by hand of the same numbers.

Writes benchmarks/databases.json and the table of docs/scale.md; a number of rows (`1e6`) measures that size only.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np

import referee
from benchmarks.measure import least_by_turns

PAGE = Path(__file__).parents[1] / "docs/scale.md"
RESULTS = Path(__file__).with_suffix(".json")
SIZES = (1_000_000, 10_000_000)
MODELS = ("a", "b", "c")
PAIRS = (*combinations(MODELS, 2),)
LIMIT = 1000
"""Megabytes that DuckDB may take."""
ASKED = {
    "accuracy": ["accuracy"],
    "accuracy, log loss": ["accuracy", "log_loss"],
    "AUC": ["roc_auc"],
}
ROWS = """
SELECT y, least(greatest(0.25 + 0.3 * y + 0.2 * g, 0.001), 0.999) AS a,
       least(greatest(0.25 + 0.28 * y + 0.14 * g + 0.14 * h, 0.001), 0.999) AS b,
       round(least(greatest(0.25 + 0.2 * y + 0.2 * k, 0.001), 0.999), 3) AS c
FROM (SELECT (random() < 0.3)::INT AS y, sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) AS g,
             sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) AS h,
             sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) AS k FROM range({rows}))"""
COUNTS = "SELECT y, a >= 0.5, b >= 0.5, c >= 0.5, count(*) FROM preds GROUP BY ALL"
SURPRISE = "-ln(greatest(CASE WHEN y = 1 THEN {0} ELSE 1 - {0} END, 2.220446049250313e-16::DOUBLE)) AS {0}"
"""Probabilities are clipped, as scikit-learn and referee do."""
OFF = [(f"{m} - m{m}", m) for m in MODELS] + [(f"({i} - m{i}) - ({j} - m{j})", i + j) for i, j in PAIRS]
SURPRISES = f"""
WITH terms AS (SELECT {", ".join(SURPRISE.format(m) for m in MODELS)} FROM preds),
     means AS (SELECT {", ".join(f"avg({m}) AS m{m}" for m in MODELS)} FROM terms),
     off AS (SELECT *, {", ".join(f"({off}) * ({off}) AS s{name}" for off, name in OFF)} FROM terms, means)
SELECT count(*), {", ".join(f"any_value(m{m})" for m in MODELS)},
       {", ".join(f"sum(s{name}), sum(s{name} * s{name})" for _, name in OFF)} FROM off"""
WINDOW = "sum(y) OVER (ORDER BY {0} DESC) AS tp_{0}, row_number() OVER (ORDER BY {0} DESC) AS rank_{0}"
WINDOWS = "SELECT {} FROM (SELECT {} FROM preds)".format(
    ", ".join(f"sum(tp_{m}), sum(rank_{m})" for m in MODELS), ", ".join(map(WINDOW.format, MODELS))
)
"""What any exact ranking needs of each row, and no standard error."""


def connected(path):
    import duckdb

    database = duckdb.connect(str(path), read_only=True)
    database.execute(f"SET memory_limit = '{LIMIT}MB'")
    database.execute("SET enable_progress_bar = false")
    return database


def made(path, rows):
    import duckdb

    with duckdb.connect(str(path)) as database:
        database.execute("SELECT setseed(0.5)")
        database.execute("CREATE TABLE preds AS " + ROWS.format(rows=rows))


def of_sums(rows, value, squares, fourths):
    """A value with its standard error and degrees of freedom, as a paired t-test of rows has them."""
    kurtosis = rows * fourths / squares**2
    return value, (squares / (rows - 1) / rows) ** 0.5, 2 * rows / (kurtosis - 1)


def accuracy_by_hand(database):
    """Of each model, and of the difference of every two."""
    cells = np.array(database.execute(COUNTS).fetchall(), float)
    times, right = cells[:, 4], (cells[:, 1:4] == cells[:, :1]).astype(float)
    columns = {m: right[:, place] for place, m in enumerate(MODELS)}
    columns |= {i + j: columns[i] - columns[j] for i, j in PAIRS}
    rows, answer = times.sum(), {}
    for name, column in columns.items():
        mean = (times * column).sum() / rows
        answer[name] = of_sums(rows, mean, *((times * (column - mean) ** power).sum() for power in (2, 4)))
    return answer


def log_loss_by_hand(database):
    ((rows, *numbers),) = database.execute(SURPRISES).fetchall()
    means = dict(zip(MODELS, numbers, strict=False))
    values = means | {i + j: means[i] - means[j] for i, j in PAIRS}
    sums = iter(numbers[len(MODELS) :])
    return {name: of_sums(rows, values[name], next(sums), next(sums)) for _, name in OFF}


BY_HAND = {
    "accuracy": lambda database: {"accuracy": accuracy_by_hand(database)},
    "accuracy, log loss": lambda database: {
        "accuracy": accuracy_by_hand(database), "log_loss": log_loss_by_hand(database),
    },
    "AUC": lambda database: database.execute(WINDOWS).fetchall(),
}  # fmt: skip


def compared(database, metrics):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return referee.compare(database.table("preds"), truth="y", models=[*MODELS], goal=metrics[0], metrics=metrics)


def deviation(verdict, by_hand):
    """The largest, relative, of values, differences, standard errors and degrees of freedom of the goal."""
    known = by_hand[verdict.goal.name]
    off = [
        abs(found - expected) / abs(expected)
        for pair in verdict.comparisons
        for found, expected in zip(
            (abs(pair.difference), pair.standard_error, pair.df),
            (abs(known["".join(sorted((pair.a, pair.b)))][0]), *known["".join(sorted((pair.a, pair.b)))][1:]),
            strict=True,
        )
    ]
    return max([*off, *(abs(verdict.values[m] - known[m][0]) / known[m][0] for m in MODELS)])


def peak(path, metrics):
    """Megabytes that a process of its own took at most; PyArrow would load pandas, which the command line does not."""
    code = (
        "import sys; from benchmarks import databases as d; from referee.cli.inputs import settle_arrow\n"
        "settle_arrow()\n"
        "d.compared(d.connected(sys.argv[1]), sys.argv[2].split(','))\n"
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    answer = subprocess.run([sys.executable, "-c", code, str(path), ",".join(metrics)], capture_output=True, check=True)
    return round(int(answer.stdout.split()[-1]) * 1024 / 1e6)


def measure(rows):
    """Of each comparison: CPU seconds of both, their ratio, and the peak of memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "preds.duckdb"
        made(path, rows)
        with connected(path) as database:
            for name, metrics in ASKED.items():
                verdict, by_hand = compared(database, metrics), BY_HAND[name](database)
                off = None if name == "AUC" else deviation(verdict, by_hand)
                assert off is None or off < 1e-9, off
                runs = {
                    "referee": lambda metrics=metrics: compared(database, metrics),
                    "hand": lambda name=name: BY_HAND[name](database),
                }
                spent = least_by_turns(runs, 2)
                ratio = spent["referee"] / spent["hand"]
                yield {"what": name, **spent, "ratio": ratio, "peak": peak(path, metrics), "deviation": off}


def main(sizes):
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for rows in sizes:
        kept[f"{rows:,}"] = [*measure(rows)]
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(TABLE, lambda _: table(kept), text, flags=re.DOTALL), encoding="utf-8")


TABLE = r"\| rows \| compared \|.*?\n\n"


def table(kept):
    lines = ["| rows | compared | CPU s | by hand | ratio | peak MB |", "|--:|---|--:|--:|--:|--:|"]
    for rows, measured in kept.items():
        lines += [
            f"| {rows} | {row['what']} | {row['referee']:.2f} | {row['hand']:.2f} | {row['ratio']:.1f} | "
            f"{row['peak']} |"
            for row in measured
        ]
    return "\n".join(lines) + "\n\n"


if __name__ == "__main__":
    main([int(float(size)) for size in sys.argv[1:]] or SIZES)

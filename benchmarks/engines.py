"""`make engines`: every metric compared in memory and on each engine, as docs/engines.md.

Names (`python -m benchmarks.engines PostgreSQL`) measure these engines only and keep what is known of the others.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa

import referee
from referee.comparing import slice_tests, why_rows
from referee.engines.database.engine import MOST_ALONE
from tests.postgres_server import PASSWORDS, READER, postgres_server
from tests.spark_session import spark_session

PAGE = Path(__file__).parents[1] / "docs/engines.md"
RESULTS = Path(__file__).with_name("engines.json")
ENGINES = ("DuckDB", "PostgreSQL", "Spark")
ROWS = 2000
SHOWN = ("value", "standard_error", "df", "p", "intervals")
NUMBERS = ("difference", "standard_error", "df", "p", "low", "high")
IN_MEMORY = (("ranking",), ("multilabel",), ("scores",))
"""Tasks whose rows are lists or scores, which are always read."""
TWO = {"truth": "y", "models": ["a", "b", "c"]}
THREE = {"truth": "class", "models": {"m": "m:{class}", "n": "n:{class}"}}
AMOUNTS = {"truth": "amount", "models": ["near", "far"]}
QUANTILES = {"truth": "amount", "models": ["low", "wide"]}
WITH_ROLES = [
    ("probability weights", {"weight": "w"}),
    ("frequency weights", {"weight": "w", "weight_kind": "frequency"}),
    ("folds", {"fold": "fold"}),
    ("folds one by one", {"fold": "fold", "unit": "fold"}),
    ("slices", {"by": "region"}),
    ("groups", {"group": "person"}),
    ("unequal groups", {"group": "house"}),
    ("the other class positive", {"positive": 0}),
]
"""Roles beside those of truth and models."""
GOALS = ("accuracy", "f1", "log_loss", "roc_auc", "average_precision", "calibration_error")
AVERAGES = ("accuracy", "f1_macro", "f1_weighted", "f_beta(average=micro)", "roc_auc", "roc_auc(average=weighted)")


def table(rows: int = ROWS) -> pa.Table:
    """Made-up rows: continuous scores, ties, class probabilities, numbers and quantiles."""
    draw = np.random.default_rng(11)
    truth = (draw.random(rows) < 0.3).astype(int)
    three, amount = draw.integers(0, 3, rows), draw.normal(5, 2, rows)
    columns = {"y": truth, "class": np.array(["x", "y", "z"])[three], "amount": amount}
    for name, strength, digits in (("a", 0.3, 12), ("b", 0.28, 12), ("c", 0.2, 2)):
        scores = np.round(0.25 + strength * truth + draw.normal(0, 0.2, rows), digits)
        columns[name] = np.clip(scores, 0.001, 0.999)
    for name, strength in (("m", 1.2), ("n", 1.0)):
        logits = draw.normal(0, 1, (rows, 3)) + strength * np.eye(3)[three]
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        columns |= {f"{name}:{label}": shares[:, place] for place, label in enumerate("xyz")}
    columns |= {name: amount + draw.normal(0, size, rows) for name, size in (("near", 1), ("far", 1.1))}
    for name, size in (("low", 1.0), ("wide", 1.3)):
        middle = amount + draw.normal(0, size, rows)
        columns |= {f"{name}:{level}": middle + (level - 0.5) * 3 * size for level in (0.1, 0.5, 0.9)}
    columns |= {"w": draw.integers(0, 4, rows), "fold": draw.integers(0, 5, rows)}
    columns |= {"region": np.array(["north", "south", "east"])[draw.integers(0, 3, rows)]}
    return pa.table(
        columns | {"person": draw.integers(0, 40, rows), "house": (25 * draw.random(rows) ** 3).astype(int)}
    )


def case_of(metric):
    """The columns that a metric can be compared on; None where rows are always read."""
    if metric.tasks in IN_MEMORY or not metric.compares_models:
        return None
    if "binary" in metric.tasks:
        return TWO
    if "multiclass" in metric.tasks:
        return THREE | ({"classes": ["x", "y", "z"]} if metric.name == "weighted_kappa" else {})
    return QUANTILES if metric.needs == "quantiles" else AMOUNTS


def numbers_of(verdict):
    """All that may differ."""
    found = {(one.a, one.b, name): getattr(one, name) for one in verdict.comparisons for name in NUMBERS}
    for one in verdict.comparisons:
        found |= {(one.a, one.b, "procedures", name): told for name, told in one.details.get("procedures", {}).items()}
    for score in verdict.goal_scores:
        if score.overall:
            found |= {(score.model, name): getattr(score, name) for name in ("value", "low", "high", "standard_error")}
    if verdict.slices:
        found |= {(test.slice, test.model, test.against, "p"): test.p for test in verdict.slices.tests}
    return found


def deviation(key, found, expected):
    """Relative; of differences and their intervals relative to the standard error, as they may be near 0."""
    a, b = found[key], expected[key]
    if a is None or b is None:
        return 0.0 if a is b else math.inf
    size = expected[(*key[:-1], "standard_error")] if key[-1] in ("difference", "low", "high", "value") else 0.0
    return 0.0 if a == b else abs(a - b) / max(abs(a), abs(b), size or 0.0)


def compared(rows, goal, source=None, **roles):
    """The verdict in memory, that of a database (a file where no other is named), and their largest deviation."""
    if source is None:
        with duckdb_file(rows) as made:
            return compared(rows, goal, made, **roles)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        memory, database = (referee.compare(each, goal=goal, metrics="goal", **roles) for each in (rows, source))
    expected, found = numbers_of(memory), numbers_of(database)
    assert expected.keys() == found.keys()
    largest = dict.fromkeys((*NUMBERS, "value"), 0.0)
    for key in expected:
        largest[key[-1]] = max(largest[key[-1]], deviation(key, found, expected))
    return memory, database, largest


@contextmanager
def duckdb_file(rows):
    """The address of a table in a file, which is there until the end."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "preds.duckdb")
        with duckdb.connect(path) as connection:
            connection.register("given", rows)
            connection.execute("CREATE TABLE preds AS FROM given")
        yield f"duckdb:///{path}#preds"


@contextmanager
def sources_of(engine, rows):
    """What is compared on an engine; whatever serves it is started, and stopped at the end."""
    if engine == "DuckDB":
        with duckdb_file(rows) as source:
            yield source
    elif engine == "PostgreSQL":
        with postgres_server() as server:
            os.environ["PGPASSWORD"] = PASSWORDS[READER]
            yield server.address(server.store("preds", rows))
    else:
        with spark_session() as session:
            yield session.createDataFrame(rows).cache()


def cases():
    """The part of the page, the name, the goal and the roles of everything that is compared."""
    for name, metric in referee.metrics.items():
        roles = case_of(metric)
        if roles is not None and not why_rows(metric, roles):
            yield "Every metric", name, name, roles
    for case, more in WITH_ROLES:
        yield from (("Weights, folds, slices, groups", f"{goal}, {case}", goal, TWO | more) for goal in GOALS)
    yield from (("Three classes", goal, goal, THREE) for goal in AVERAGES)


def measure(engine):
    """The largest deviations of every case from memory."""
    rows, found = table(), {}
    with sources_of(engine, rows) as source:
        for part, name, goal, roles in cases():
            memory, database, largest = compared(rows, goal, source, **roles)
            assert database.predictions.engine == "database", name
            assert memory.sentence == database.sentence, name
            numbers = {**largest, "intervals": max(largest["low"], largest["high"])}
            found[f"{part}: {name}"] = [numbers[column] for column in SHOWN]
            print(engine, name, max(found[f"{part}: {name}"]), flush=True)  # noqa: T201
    return found


def main(names):
    if unknown := set(names) - set(ENGINES):
        sys.exit(f"{', '.join(sorted(unknown))}: not an engine; these are {', '.join(ENGINES)}")
    for engine in names or ENGINES:
        found = measure(engine)
        kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        RESULTS.write_text(json.dumps(kept | {engine: found}, indent=1) + "\n")
    PAGE.write_text(page(json.loads(RESULTS.read_text())), encoding="utf-8")


def shown(number):
    return "0" if number == 0 else f"{number:.0e}"


def page(results):
    engines = [engine for engine in ENGINES if engine in results]
    parts = {}
    for part, name, *_ in cases():
        cells = [results[engine].get(f"{part}: {name}", [None] * len(SHOWN)) for engine in engines]
        columns = [" / ".join("-" if n is None else shown(n) for n in column) for column in zip(*cells, strict=True)]
        parts.setdefault(part, []).append(f"| {name} | " + " | ".join(columns) + " |")
    heads = f"| | {' | '.join(name.replace('_', ' ') for name in SHOWN)} |\n|---|{'--:|' * len(SHOWN)}"
    tables = "\n\n".join(f"## {part}\n{heads}\n" + "\n".join(lines) for part, lines in parts.items())
    read = [
        f"| {name} | {reason.partition(': ')[2]} |"
        for name, metric in referee.metrics.items()
        if (roles := case_of(metric)) and (reason := why_rows(metric, roles))
    ]
    limits = {**slice_tests.MOST_WORK_IN_PLACE, "rankings": slice_tests.MOST_WORK, "slices": MOST_ALONE}
    return TEXT.format(rows=ROWS, engines=" / ".join(engines), tables=tables, read="\n".join(read), **limits)


TEXT = """# Engines
`compare` and `gate` on a table of DuckDB or PostgreSQL, a DuckDB relation, an Ibis table, a Spark frame or a polars
LazyFrame run where the rows are: what each row adds to a value is a column, and one query sums its products and powers
for every two models.

This page is made by `make engines` (`benchmarks/engines.py`): the largest relative deviations from memory over all
models and pairs of {rows:,} made-up rows, continuous scores among them, and over the tests of each slice. Each cell has
them for **{engines}**. All verdict sentences are the same. PostgreSQL is Debian's server, asked by a role that may only
read. Spark is PySpark on one machine (`local[2]`). Of BigQuery, Snowflake, Trino and ClickHouse only the SQL is tested:
it compiles, and was never run there.

{tables}

## What reads the rows
Rows are read if they fit within `--max-memory`, and the verdict says so (`W_ROWSREAD`); `Predictions` that stay in a
database are refused before anything is asked of it (`E_ROWS`), and so is everything with `--engine database` or `spark`
(`E_ENGINE`). Files that memory does not hold are refused before they are scanned, too (`E_ROWS`). These are ids in
several folds, time, `--subsets`, a gate's `--ledger`, its guards where folds of slices are compared, tests that draw
rows (bootstrap, permutation) or look at each of them (Diebold and Mariano), and these metrics:

| metric | why |
|---|---|
{read}

Rankings of queries, rows with several labels, tables of scores, SQLite files and Ibis tables of its SQLite, polars and
DataFusion backends are always read. `evaluate` also reads a table of DuckDB or PostgreSQL of up to 100,000 rows, as
rows give every interval and sums only some; the first lines of its result say so, and `--engine database` keeps the
rows where they are. Not checked inside a database, which the verdict says: whether neighbouring rows behave alike.

Slices are tested where the rows are: each one's rows, and all others, are asked about as a table of their own (counts
of the others are subtracted). There may be up to {slices} slices, and of rows times slices times models up to
{counts:,.0f} for goals of counts, {sums:,.0f} for those of sums and {rankings:,.0f} for rankings; of more the
verdict says that they have values and were not tested.
"""


if __name__ == "__main__":
    main(sys.argv[1:])

"""`make validity`: simulate, write results.json and docs/validity.md.

Names of parts run these only and keep the other results; `--quick` prints a page of a few data sets.
"""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.validity import (
    clusters,
    data_sets,
    intervals,
    optimism,
    repartitions,
    rows,
    several_models,
    splits,
)
from benchmarks.validity.measuring import Result, run
from benchmarks.validity.page import page
from benchmarks.validity.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from benchmarks.validity.measuring import Experiment

PARTS = {
    "rows": rows.experiments,
    "repartitions": repartitions.experiments,
    "clusters": clusters.experiments,
    "splits": splits.experiments,
    "more_learners": splits.of_more_learners,
    "out_of_fold": splits.of_out_of_fold_rows,
    "data_sets": data_sets.experiments,
    "several_models": several_models.experiments,
    "optimism": optimism.experiments,
    "intervals": intervals.experiments,
}
DATA_SETS, JOBS = 2000, 2
QUICK_DATA_SETS = 3
QUICKLY = {
    "rows": {"huge": 20_000},
    "several_models": {"most": 10},
    "optimism": {"most": 10},
    "intervals": {"huge": 20_000},
}
RESULTS = Path(__file__).with_name("results.json")
PAGE = Path(__file__).parents[2] / "docs" / "validity.md"

ByPart = dict[str, list[Result]]


def experiments(part: str, *, quick: bool) -> Iterator[Experiment]:
    return PARTS[part](QUICK_DATA_SETS, **QUICKLY.get(part, {})) if quick else PARTS[part](DATA_SETS)


def measured(part: str, *, quick: bool = False, jobs: int = 1) -> Iterator[Result]:
    for experiment in experiments(part, quick=quick):
        start = perf_counter()
        yield from run(experiment, jobs)
        print(f"{experiment.name}: {perf_counter() - start:.0f} s", file=sys.stderr, flush=True)  # noqa: T201


def all_of(by_part: Mapping[str, list[Result]]) -> list[Result]:
    """In the order of the parts, whichever was measured first."""
    return [result for part in PARTS for result in by_part.get(part, [])]


def stored() -> ByPart:
    if not RESULTS.exists():
        return {}
    parts = json.loads(RESULTS.read_text(encoding="utf-8"))["parts"]
    return {part: [Result(**result) for result in results] for part, results in parts.items()}


def store(by_part: ByPart) -> None:
    results = all_of(by_part)
    content = {
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
        "measured": sentences(results),
        "parts": {part: [asdict(result) for result in by_part[part]] for part in PARTS if part in by_part},
    }
    RESULTS.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(results), encoding="utf-8")


def quick_results() -> list[Result]:
    return [result for part in PARTS for result in measured(part, quick=True)]


def main(arguments: Collection[str]) -> None:
    if "--quick" in arguments:
        print(page(quick_results()))  # noqa: T201 (what it is for)
        return
    by_part = stored()
    for part in arguments or PARTS:
        by_part[part] = list(measured(part, jobs=JOBS))
        store(by_part)


if __name__ == "__main__":
    main(sys.argv[1:])

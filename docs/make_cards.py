"""Write docs/metrics.md, docs/schemes.md and docs/tests.md from the catalogues: `make docs`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from referee import metrics, schemes
from referee.comparing import tests
from referee.report.catalogue.cards import markdown_card
from referee.report.catalogue.metric_cards import METRICS
from referee.report.catalogue.scheme_cards import SCHEMES
from referee.report.catalogue.significance_cards import TESTS

if TYPE_CHECKING:
    from referee.catalogue import Catalogue
    from referee.report.catalogue.cards import Shelf

METRICS_HEAD = "# Metrics\nOne card per metric, written from its file in `src/referee/metrics/` by `make docs`.\n\n"
SCHEMES_HEAD = (
    "# Resampling schemes\n"
    "One card per scheme, written from its file in `src/referee/schemes/` by `make docs`. Where rows belong together\n"
    "(`--group`), every scheme draws whole groups.\n\n"
)
TESTS_HEAD = (
    "# Significance tests\n"
    "One card per test, written from its file in `src/referee/significance_tests/` by `make docs`; the\n"
    "[guide](guide/compare.md) says which one answers which question.\n\n"
)


def pages() -> dict[str, str]:
    return {
        "metrics.md": _page(METRICS_HEAD, metrics, METRICS),
        "schemes.md": _page(SCHEMES_HEAD, schemes, SCHEMES),
        "tests.md": _page(TESTS_HEAD, tests, TESTS),
    }


def _page(head: str, catalogue: Catalogue, shelf: Shelf) -> str:
    return head + "\n".join(markdown_card(shelf.card(entry)) for entry in catalogue.values())


if __name__ == "__main__":
    for name, text in pages().items():
        Path(__file__).with_name(name).write_text(text, encoding="utf-8")

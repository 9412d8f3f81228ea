"""Write docs/metrics.md, docs/schemes.md and docs/tests.md from the catalogues: `make docs`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from referee import metrics, schemes
from referee.comparing import TEST_CARDS, tests
from referee.document import Document, Part, markdown_text
from referee.fitting import SCHEME_CARDS
from referee.scoring import METRIC_CARDS

if TYPE_CHECKING:
    from referee.catalogue import Card, Catalogue, Shelf

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
        "metrics.md": _page(METRICS_HEAD, metrics, METRIC_CARDS),
        "schemes.md": _page(SCHEMES_HEAD, schemes, SCHEME_CARDS),
        "tests.md": _page(TESTS_HEAD, tests, TEST_CARDS),
    }


def _page(head: str, catalogue: Catalogue, shelf: Shelf) -> str:
    return head + "\n".join(_section(shelf.card(entry)) for entry in catalogue.values())


def _section(card: Card) -> str:
    """A card under a heading that others can link to."""
    name, title, question = (card.values[key] for key in ("name", "title", "question"))
    known = Part("", (card.terms("name", "title", "question"),))
    return f"## {name}\n\n{markdown_text(Document(card.kind, title, (known,), opening=question))}"


if __name__ == "__main__":
    for name, text in pages().items():
        Path(__file__).with_name(name).write_text(text, encoding="utf-8")

"""Write docs/metrics.md from the catalogue: `make docs`."""

from __future__ import annotations

from pathlib import Path

from referee import metrics
from referee.report.cards import markdown_card

HEAD = "# Metrics\nOne card per metric, written from its file in `src/referee/metrics/` by `make docs`.\n\n"


def page() -> str:
    return HEAD + "\n".join(markdown_card(metric) for metric in metrics.values())


if __name__ == "__main__":
    Path(__file__).with_name("metrics.md").write_text(page(), encoding="utf-8")

"""`make screenshots`: the pictures of the README and the guides, taken of real pages in Chromium."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from referee import metrics
from referee.catalogue import Listing
from referee.comparing import compare
from referee.predictions import Predictions
from referee.scoring import METRIC_CARDS
from referee.testing.samples import demo_table
from referee.thresholds import threshold
from tests.browser.conftest import OPTIONS, PROGRAMS

PICTURES = Path(__file__).parents[2] / "docs/pictures"
WIDTH = 1000
PARTS = {
    "verdict": ".verdict", "differences": "#differences", "curves": "#curves", "threshold": "#threshold",
    "calibration": "#calibration",
}  # fmt: skip


def main() -> None:
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        sys.exit("there is no Chromium: `make browser` installs it")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=OPTIONS)
        place, columns = Path(folder), demo_table()
        predictions = Predictions.from_arrays(columns.pop("diagnosis"), columns, positive="malignant")
        compare(predictions, goal="brier").to_html(place / "verdict.html")
        page = browser.new_page(viewport={"width": WIDTH, "height": 800})
        page.goto((place / "verdict.html").as_uri())
        for name, part in PARTS.items():
            page.locator(part).first.screenshot(path=PICTURES / f"{name}.png")
        threshold(predictions, goal="expected_cost(fp=1, fn=5)").to_html(place / "thresholds.html")
        page.goto((place / "thresholds.html").as_uri())
        page.screenshot(path=PICTURES / "thresholds.png")
        Listing(METRIC_CARDS, tuple(metrics.values())).to_html(place / "metrics.html")
        page.goto((place / "metrics.html").as_uri())
        page.screenshot(path=PICTURES / "catalogue.png")
        browser.close()


if __name__ == "__main__":
    main()

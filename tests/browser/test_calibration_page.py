"""The page of several calibrations: all models in one diagram, each model on request."""

from __future__ import annotations

import pytest

from referee import Predictions, calibrate
from tests.browser.conftest import serious, sideways
from tests.calibration.test_several_models import three


@pytest.fixture(scope="module")
def several():
    truth, models = three()
    return calibrate(Predictions.from_arrays(truth, models), metrics=["brier"])


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_in_a_browser(several, show, axe, tmp_path, width):
    several.to_html(tmp_path / "page.html")
    page = show(tmp_path / "page.html", width=width)
    assert page.locator("h1").inner_text() == several.sentence
    before = page.locator('[data-name="reliability-before"]')
    assert before.locator("circle").count() == sum(len(several[n].diagnoses[n][0].binned) for n in ("extreme", "right"))
    page.get_by_role("button", name="extreme").click()
    assert before.locator(".model-0").get_attribute("class") == "model-0 off"
    page.locator("#models select").select_option("right")
    assert page.locator("[data-panel]:visible p").first.inner_text() == several["right"].sentence
    assert sideways(page) == 0
    assert serious(axe, page) == []

"""The pages of a study, of the paper's data and of one's own, as a reader meets them."""

from __future__ import annotations

import numpy as np
import pytest

from referee.paper import run, study_own_data
from tests.browser.conftest import serious, sideways
from tests.made_up_study import SMALL, made_up_data

pytestmark = pytest.mark.usefixtures("fits_here")


def of_the_paper():
    data = made_up_data(columns=10)
    return run({"pen-digits": data["numbers"]}, repetitions=2, **SMALL).to_html(command="referee study")


def of_own_data():
    draw = np.random.default_rng(0)
    target = (np.arange(300) < 120).astype(int)
    features = np.column_stack([target + draw.normal(size=300), draw.normal(size=300)])
    models = ["naive_bayes", "knn(k=5)"]
    return study_own_data(models, features, target, metrics="accuracy,roc_auc", repetitions=3).to_html()


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    for name, make in (("paper", of_the_paper), ("own", of_own_data)):
        (folder / f"{name}.html").write_text(make(), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["paper", "own"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_serious_and_no_head_is_empty(show, axe, studies, name, colours):
    page = show(studies / f"{name}.html", color_scheme=colours)
    assert serious(axe, page) == []
    assert [text for text in page.locator("th").all_text_contents() if not text.strip()] == []


@pytest.mark.parametrize("name", ["paper", "own"])
@pytest.mark.parametrize("width", [320, 390, 768, 1180])
def test_nothing_is_cut_off(show, studies, name, width):
    assert sideways(show(studies / f"{name}.html", width=width)) == 0


def test_a_card_without_numbers_has_no_rule_below(show, studies):
    page = show(studies / "own.html")
    assert page.locator(".verdict .facts").count() == 0
    assert page.locator(".verdict h1").is_visible()


def test_the_chart_shows_the_regret_of_every_metric_for_the_chosen_goal(show, studies):
    page = show(studies / "own.html", width=1280)
    page.locator("#regrets select").select_option("roc_auc")
    drawn = page.locator("[data-panel=roc_auc] svg.wide").inner_html()
    cells = page.locator("table[data-name=regret] tbody tr:nth-child(2) td")
    for value in cells.evaluate_all("(all) => all.map((one) => Number(one.dataset.value ?? one.firstChild.data))"):
        assert f">{value:.4f} [" in drawn
    assert "the goal itself, right in" in drawn
    assert page.locator("#regret .swatch, #right .swatch").count() == 18

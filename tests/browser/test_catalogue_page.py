"""The catalogue as a page: every card is there, and search and filters find what has the property."""

from __future__ import annotations

import pytest

from referee import metrics, schemes
from referee.catalogue import Listing
from referee.comparing import TEST_CARDS, tests
from referee.fitting import SCHEME_CARDS
from referee.scoring import METRIC_CARDS
from tests.browser.conftest import serious, sideways

SHELVES = {"metrics": (metrics, METRIC_CARDS), "schemes": (schemes, SCHEME_CARDS), "tests": (tests, TEST_CARDS)}


@pytest.fixture(scope="module")
def catalogues(tmp_path_factory):
    folder = tmp_path_factory.mktemp("catalogues")
    for name, (catalogue, shelf) in SHELVES.items():
        text = Listing(shelf, tuple(catalogue.values())).to_html()
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


def shown(page):
    return {card.get_attribute("id") for card in page.locator("article:visible").all()}


@pytest.mark.parametrize("name", SHELVES)
@pytest.mark.parametrize("width", [320, 768, 1180])
def test_every_card_is_there(show, catalogues, name, width):
    page = show(catalogues / f"{name}.html", width=width)
    assert shown(page) == set(SHELVES[name][0])
    assert sideways(page) == 0
    gap = page.locator("h1").bounding_box()["y"] - page.locator(".bar").bounding_box()["height"]
    assert gap > 15


@pytest.mark.parametrize("name", SHELVES)
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_serious(show, axe, catalogues, name, colours):
    assert serious(axe, show(catalogues / f"{name}.html", color_scheme=colours)) == []


def test_filters_find_what_has_the_property(show, catalogues):
    page = show(catalogues / "metrics.html")
    page.get_by_text("More filters").click()
    page.select_option("select[name=proper]", "strictly")
    assert shown(page) == {name for name, metric in metrics.items() if metric.proper == "strictly"}
    page.select_option("select[name=proper]", "")
    page.select_option("select[name=tasks]", "regression")
    page.select_option("select[name=better]", "higher")
    both = {name for name, one in metrics.items() if one.better == "higher" and "regression" in one.tasks}
    assert both
    assert shown(page) == both
    assert page.locator("[role=status]").inner_text() == f"{len(both)} of {len(metrics)}"


@pytest.mark.parametrize(
    ("words", "name"),
    [("F-score", "f_beta"), ("f1", "f_beta"), ("ROC AUC", "roc_auc"), ("Cohen's kappa", "kappa"), ("R2", "r2"),
     ("matthews", "mcc"), ("log-loss", "log_loss"), ("PR AUC", "average_precision")],
)  # fmt: skip
def test_search_finds_a_metric_by_what_people_call_it(show, catalogues, words, name):
    page = show(catalogues / "metrics.html")
    page.fill("input[type=search]", words)
    assert name in shown(page)
    assert len(shown(page)) < len(metrics)


def test_nothing_found_is_said_and_everything_comes_back(show, catalogues):
    page = show(catalogues / "metrics.html")
    page.fill("input[type=search]", "no such thing")
    page.select_option("select[name=tasks]", "regression")
    assert shown(page) == set()
    assert page.locator("[role=status]").inner_text() == "Nothing matches."
    page.get_by_role("button", name="Show all").click()
    assert shown(page) == set(metrics)
    assert page.locator("[role=status]").inner_text() == f"{len(metrics)} of {len(metrics)}"


def test_search_finds_words_and_a_link_shows_its_card(show, catalogues):
    page = show(catalogues / "metrics.html")
    page.fill("input[type=search]", "Random  POSITIVE area")
    found = shown(page)
    assert "roc_auc" in found and "mae" not in found
    page.evaluate("location.hash = '#mae'")
    page.locator("#mae").wait_for()
    assert shown(page) == set(metrics)


def test_the_index_leads_to_every_metric_by_what_it_judges(show, catalogues):
    page = show(catalogues / "metrics.html")
    links = page.locator("#index a").evaluate_all("(all) => all.map((one) => one.hash.slice(1))")
    assert sorted(links) == sorted(metrics)
    assert page.locator("#index h3").all_inner_texts()[:4] == [
        "I need to decide: is the right class named?", "I need to rank: do the right rows come first?",
        "I need to trust probabilities: do they come true?", "I need to predict numbers: how far off are they?",
    ]  # fmt: skip
    given = page.locator("#index h3", has_text="scores without a truth").locator("xpath=following-sibling::*[1]//a")
    assert set(given.evaluate_all("(all) => all.map((one) => one.hash.slice(1))")) == {
        "mean", "median", "share_above", "win_rate",
    }  # fmt: skip
    page.get_by_role("link", name="Brier score").first.click()
    assert page.url.endswith("#brier")


def test_formulas_are_set_and_drawn(show, catalogues):
    page = show(catalogues / "metrics.html")
    fraction = page.locator("#precision mfrac")
    above, below = (fraction.locator(":scope > *").nth(place).bounding_box() for place in (0, 1))
    assert above["y"] + above["height"] <= below["y"] + 1
    assert page.locator("#precision .picture svg").get_attribute("aria-label").startswith("Precision: cells")
    assert page.locator("#precision .raises").count() == page.locator("#precision .lowers").count() == 1
    assert show(catalogues / "tests.html").locator("#paired_t mfrac").count() == 2

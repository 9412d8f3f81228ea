"""The catalogue as a page: every card is there, and search and filters find what has the property."""

from __future__ import annotations

import pytest

from referee import metrics, schemes, tests
from referee.report.catalogue.metric_cards import METRICS
from referee.report.catalogue.page import catalogue_page
from referee.report.catalogue.scheme_cards import SCHEMES
from referee.report.catalogue.significance_cards import TESTS

SHELVES = {"metrics": (metrics, METRICS), "schemes": (schemes, SCHEMES), "tests": (tests, TESTS)}


@pytest.fixture(scope="module")
def catalogues(tmp_path_factory):
    folder = tmp_path_factory.mktemp("catalogues")
    for name, (catalogue, shelf) in SHELVES.items():
        text = catalogue_page(list(catalogue.values()), shelf)
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


def shown(page):
    return {card.get_attribute("id") for card in page.locator("article:visible").all()}


@pytest.mark.parametrize("name", SHELVES)
@pytest.mark.parametrize("width", [390, 1180])
def test_every_card_is_there(show, axe, catalogues, name, width):
    page = show(catalogues / f"{name}.html", width=width)
    assert shown(page) == set(SHELVES[name][0])
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    found = axe.run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_filters_find_what_has_the_property(show, catalogues):
    page = show(catalogues / "metrics.html")
    page.select_option("select[name=proper]", "strictly")
    assert shown(page) == {name for name, metric in metrics.items() if metric.proper == "strictly"}
    page.select_option("select[name=tasks]", "regression")
    both = {name for name, one in metrics.items() if one.proper == "strictly" and "regression" in one.tasks}
    assert shown(page) == both
    assert page.locator("[role=status]").inner_text() == f"{len(both)} of {len(metrics)}"


def test_search_finds_words_and_a_link_shows_its_card(show, catalogues):
    page = show(catalogues / "metrics.html")
    page.fill("input[type=search]", "Random  POSITIVE area")
    found = shown(page)
    assert "roc_auc" in found and "mae" not in found
    page.evaluate("location.hash = '#mae'")
    page.wait_for_function("!document.getElementById('mae').hidden")
    assert shown(page) == set(metrics)

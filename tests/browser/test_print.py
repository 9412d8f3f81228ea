"""A page on paper: light, with all panels and everything unfolded, and nothing beyond the edge."""

from __future__ import annotations

import pytest

from tests.browser.conftest import paper

PAPER = 700
"""Pixels between the margins of A4 and of US letter."""


@pytest.fixture
def on_paper(show, files):
    def printed(kind, **options):
        page = show(files(kind), width=PAPER, **options)
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        return page

    return printed


def visible(page, selector):
    return [one.is_visible() for one in page.locator(selector).all()]


def test_all_panels_are_printed_with_their_titles_and_put_back(on_paper):
    page = on_paper("multiclass", color_scheme="dark")
    assert paper(page) == "rgb(255, 255, 255)"
    for section in ("confusion", "classes", "calibration", "curves"):
        assert len(visible(page, f"#{section} [data-panel]")) > 1
        assert all(visible(page, f"#{section} [data-panel]")), section
        assert all(visible(page, f"#{section} .panel-title")), section
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert visible(page, "#confusion [data-panel]") == [True, False]


def test_everything_is_unfolded_and_folded_again(on_paper):
    page = on_paper("binary")
    folded = "details:not([open]):not(.long)"
    assert page.locator(folded).count() == 0
    assert page.locator("table[data-name=goal-roc_auc]").is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(folded).count() > 3


@pytest.mark.parametrize("kind", ["binary", "multiclass", "regression", "sliced", "five", "twenty"])
def test_no_table_is_wider_than_paper(on_paper, kind):
    page = on_paper(kind)
    tables = page.evaluate(
        "[...document.querySelectorAll('table')].filter((one) => one.checkVisibility())"
        ".map((one) => [one.dataset.name, one.getBoundingClientRect().right])"
    )
    assert len(tables) > 3
    assert [name for name, right in tables if right > PAPER] == []


def test_every_pair_of_twenty_models_is_printed(on_paper):
    page = on_paper("twenty")
    assert page.locator("[data-name=pairs-matrix]").count() == 0  # tiers say more
    assert page.locator("[data-name=leaderboard]").is_visible()
    assert page.locator("[data-name=pairs] tbody tr:visible").count() == 190


def test_controls_are_not_printed(on_paper):
    page = on_paper("binary")
    assert page.locator(":is(select, input, nav, .save, .controls button):visible").count() == 0


def test_a_pdf_is_made(show, files):
    assert show(files("five")).pdf().startswith(b"%PDF")

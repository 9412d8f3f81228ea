"""Six hundred models on a page: a summary, and the rest to be searched and sorted."""

from __future__ import annotations

import pytest

from tests.browser.conftest import sideways


def rows_of(page):
    return page.locator("table[data-name=goal-accuracy] tbody tr:visible")


def test_the_page_is_a_summary_and_the_rest_can_be_searched(show, files):
    page = show(files("six hundred"))
    assert sideways(page) == 0
    page.locator("#goal summary").click()
    assert rows_of(page).count() == 600
    search = page.locator("#goal").get_by_label("Search")
    search.fill("model_05 7")
    expected = [f"model_{place:04}" for place in range(500, 600) if "7" in str(place)]
    assert sorted(rows_of(page).locator("th").all_inner_texts()) == expected
    assert page.locator("#goal [role=status]").inner_text() == f"{len(expected)} of 600"
    search.fill("nobody")
    assert rows_of(page).count() == 0
    assert page.locator("#goal [role=status]").inner_text() == "Nothing matches."
    search.fill("")
    assert rows_of(page).count() == 600


def test_the_table_is_sorted_both_ways(show, files):
    page = show(files("six hundred"))
    page.locator("#goal summary").click()
    head = page.locator("table[data-name=goal-accuracy] th button", has_text="Value")
    for turn in (1, -1):
        head.click()
        cells = page.locator("table[data-name=goal-accuracy] tbody td:nth-child(2)")
        values = [float(cell) for cell in cells.evaluate_all("(all) => all.map((one) => one.dataset.value)")]
        assert values == sorted(values)[::turn]


@pytest.mark.soak
def test_two_thousand_models_are_a_page_below_a_megabyte(show, files):
    file = files("two thousand")
    assert file.stat().st_size < 1_000_000
    page = show(file)
    assert sideways(page) == 0
    assert page.locator("table[data-name=goal-accuracy] tbody tr").count() == 2000
    assert page.locator("table[data-name=tiers] tbody tr").count() == 200
    assert page.locator("table[data-name=pairs] tbody tr").count() == 199

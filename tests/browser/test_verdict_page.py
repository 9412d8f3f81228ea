"""What a reader does with a page: look, slide, tab, print, save, on a screen and on a phone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.conftest import paper, serious, sideways
from tests.pages_to_read import scores_of_rows

KINDS = ["binary", "sliced", "multiclass", "regression"]
WIDTHS = [320, 390, 768, 1180]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_loads_offline_and_nothing_is_cut_off(show, files, kind, width):
    page = show(files(kind), width=width)
    assert page.locator("h1").is_visible()
    assert sideways(page) == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_serious(show, files, axe, kind, colours):
    assert serious(axe, show(files(kind), color_scheme=colours)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_pressed_is_large_enough(show, files, kind):
    page = show(files(kind), width=390)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    heights = page.evaluate(
        "[...document.querySelectorAll('button, summary, select, input, nav a')].filter((one) => one.checkVisibility())"
        ".map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect().height])"
    )
    assert len(heights) > 10
    assert [one for one in heights if one[1] < 24] == []


def cells(page):
    texts = {name: page.locator(f"[data-count={name}] b").inner_text() for name in ("tp", "fn", "fp", "tn")}
    return {name: int(text.replace(",", "")) for name, text in texts.items()}


def counted(truth, scores, threshold):
    called = scores >= threshold
    return {
        "tp": int((called & (truth == 1)).sum()), "fn": int((~called & (truth == 1)).sum()),
        "fp": int((called & (truth == 0)).sum()), "tn": int((~called & (truth == 0)).sum()),
    }  # fmt: skip


def slide(page, place):
    page.locator(".places").evaluate(
        "(slider, place) => { slider.value = place; slider.dispatchEvent(new Event('input')) }", place
    )
    return float(page.locator(".typed").input_value())


@pytest.mark.parametrize("name", ["good", "fair", "poor"])
def test_the_slider_counts_as_python_does(show, files, name):
    truth, models = scores_of_rows()
    page = show(files("binary"))
    page.locator(".model").select_option(label=name)
    last = int(page.locator(".places").get_attribute("max"))
    seen = set()
    for place in np.linspace(0, last, 25).round().astype(int).tolist():
        threshold = slide(page, place)
        assert cells(page) == counted(truth, models[name], threshold)
        seen.add(threshold)
    assert len(seen) > 20


def test_the_slider_moves_by_keys_and_says_where_it_is(show, files):
    page = show(files("binary"))
    slider = page.locator(".places")
    assert page.locator(".typed").input_value() == "0.5"
    before = slider.get_attribute("aria-valuetext")
    slider.press("ArrowRight")
    assert float(page.locator(".typed").input_value()) > 0.5
    assert slider.get_attribute("aria-valuetext") != before


def place_of(page):
    return int(page.locator(".places").input_value())


def test_the_slider_takes_large_steps_and_goes_to_its_ends(show, files):
    page = show(files("binary"))
    slider = page.locator(".places")
    last, start = int(slider.get_attribute("max")), place_of(page)
    slider.press("PageUp")
    higher = place_of(page)
    assert higher > start + 1
    slider.press("PageDown")
    assert place_of(page) < higher - 1
    slider.press("End")
    assert place_of(page) == last
    slider.press("Home")
    assert place_of(page) == 0


def test_buttons_go_to_the_best_f1_and_back(show, files):
    truth, models = scores_of_rows()

    def f1(threshold):
        at = counted(truth, models["good"], threshold)
        return 2 * at["tp"] / (2 * at["tp"] + at["fp"] + at["fn"])

    page = show(files("binary"))
    page.get_by_role("button", name="Go to the best F1").click()
    chosen = float(page.locator(".typed").input_value())
    assert f1(chosen) == max(map(f1, models["good"]))
    assert chosen != 0.5
    page.get_by_role("button", name="Back to 0.5").click()
    assert page.locator(".typed").input_value() == "0.5"


def test_the_share_that_is_called_positive(show, files):
    _, models = scores_of_rows()
    page = show(files("binary"))
    threshold = slide(page, place_of(page) // 3)
    share = np.mean(models["good"] >= threshold)
    assert page.locator('[data-value="Called positive"]').inner_text() == f"{100 * share:.1f}%"


def test_the_navigation_marks_what_is_read(show, files):
    page = show(files("binary"))
    for name in ("Calibration", "Pairs"):
        page.get_by_role("navigation").get_by_role("link", name=name).click()
        page.locator("nav [aria-current]", has_text=name).wait_for()
        assert page.url.endswith(f"#{name.lower()}")


def test_a_table_that_must_scroll_says_so_and_is_scrolled_by_keys(show, files):
    page = show(files("binary"), width=390)
    box = page.locator(".scroll", has=page.locator("[data-name=metrics]"))
    hint = box.locator("xpath=following-sibling::p[1]")
    assert hint.inner_text() == "scroll right →"
    assert box.get_attribute("tabindex") == "0"
    left = box.locator("tbody th").first.bounding_box()["x"]
    box.evaluate("(one) => one.scrollTo(one.scrollWidth, 0)")
    hint.wait_for(state="hidden")
    assert box.locator("tbody th").first.bounding_box()["x"] == left
    page.set_viewport_size({"width": 1600, "height": 900})
    areas = page.locator(".scroll", has=page.locator("[data-name=decisions]"))
    assert areas.get_attribute("tabindex") is None


def test_the_matrix_of_five_models_needs_no_scrolling(show, files):
    page = show(files("five"), width=1280)
    box = page.locator(".scroll", has=page.locator("[data-name=pairs-matrix]"))
    assert box.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0


def test_metrics_below_the_slider(show, files):
    truth, models = scores_of_rows()
    page = show(files("binary"))
    page.locator(".typed").fill("0.3")
    page.locator(".typed").press("Enter")
    threshold = float(page.locator(".typed").input_value())
    at = counted(truth, models["good"], threshold)
    expected = {
        "Precision": at["tp"] / (at["tp"] + at["fp"]), "Recall": at["tp"] / (at["tp"] + at["fn"]),
        "F1": 2 * at["tp"] / (2 * at["tp"] + at["fp"] + at["fn"]), "Accuracy": (at["tp"] + at["tn"]) / len(truth),
    }  # fmt: skip
    for name, value in expected.items():
        assert page.locator(f'[data-value="{name}"]').inner_text() == f"{value:.4f}"


def test_the_cheapest_threshold_is_the_cheapest_of_all(show, files):
    truth, models = scores_of_rows()
    page = show(files("binary"))
    page.locator(".alarm").fill("2")
    page.locator(".miss").fill("9")
    page.get_by_role("button", name="Go to the cheapest").click()
    chosen = float(page.locator(".typed").input_value())

    def cost(threshold):
        at = counted(truth, models["good"], threshold)
        return 2 * at["fp"] + 9 * at["fn"]

    assert cost(chosen) == min(map(cost, models["good"]))


def test_curves_are_read_by_keys_and_by_pointing(show, files):
    page = show(files("binary"))
    chart = page.locator(".reader[data-kind=roc]")
    chart.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    said = chart.locator(".readout").inner_text()
    assert "good, threshold" in said and "recall" in said
    page.keyboard.press("PageUp")
    further = chart.locator(".readout").inner_text()
    page.keyboard.press("PageDown")
    assert chart.locator(".readout").inner_text() == said != further
    page.keyboard.press("ArrowDown")
    assert "fair, threshold" in chart.locator(".readout").inner_text()
    box = chart.locator("svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.2)
    assert page.locator("#tooltip").is_visible()


def test_the_theme_can_be_switched(show, files):
    light, dark = show(files("binary")), show(files("binary"), color_scheme="dark")
    assert paper(light) != paper(dark)
    light.locator("#theme").click()
    assert paper(light) == paper(dark)
    dark.locator("#theme").click()
    assert paper(dark) != paper(light)


def test_tab_reaches_everything_and_shows_where_it_is(show, files):
    page = show(files("binary"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    reached = set()
    for _ in range(120):
        page.keyboard.press("Tab")
        place = page.evaluate(
            "(() => { const at = document.activeElement; const box = at.getBoundingClientRect();"
            "return [at.tagName + '.' + at.className, box.width * box.height, getComputedStyle(at).outlineStyle] })()"
        )
        if place[0].startswith("BODY"):
            break
        assert place[1] > 0
        assert place[2] != "none"
        reached.add(place[0])
    assert {"INPUT.places", "SELECT.model", "DIV.reader", "SUMMARY."} <= reached


def test_panels_show_one_model_at_a_time(show, files):
    page = show(files("multiclass"))
    panels = page.locator("#confusion [data-panel]")
    assert [panels.nth(place).is_visible() for place in range(2)] == [True, False]
    page.locator("#confusion select").first.select_option(label="dull")
    assert [panels.nth(place).is_visible() for place in range(2)] == [False, True]


def test_tables_are_sorted_by_their_heads(show, files):
    page = show(files("binary"))
    page.locator("#threshold th button", has_text="Missed").click()
    shown = [int(text) for text in page.locator("[data-name=decisions] tbody td:nth-child(3)").all_inner_texts()]
    assert shown == sorted(shown)
    page.locator("#threshold th button", has_text="Missed").click()
    assert [
        int(text) for text in page.locator("[data-name=decisions] tbody td:nth-child(3)").all_inner_texts()
    ] == sorted(shown)[::-1]


def test_without_scripts_everything_is_readable(show, files):
    page = show(files("binary"), java_script_enabled=False)
    assert page.locator("#curves svg").first.is_visible()
    assert page.locator("[data-name=decisions]").is_visible()
    assert not page.locator(".slider").is_visible()
    assert page.locator("#calibration [data-panel]").last.is_visible()


def test_classes_of_a_confusion_matrix_are_put_in_order(show, files):
    page = show(files("multiclass"))
    panel = page.locator("#confusion [data-panel]").first
    panel.locator("select").select_option("lowest recall first")
    rows = panel.locator("table.confused tbody tr")
    shown = [rows.nth(place).locator("td").all_inner_texts() for place in range(4)]
    shares = [float(cells[-1].rstrip(" %")) for cells in shown]
    assert shares == sorted(shares)
    for place, cells in enumerate(shown):
        number, total = (int(text.replace("·", "0")) for text in (cells[place], cells[-2]))
        assert number / total == pytest.approx(shares[place] / 100, abs=1e-4)

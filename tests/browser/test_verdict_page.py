"""What a reader does with a page: look, slide, tab, print, save, on a screen and on a phone."""

from __future__ import annotations

import csv
import io
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.pages_to_read import binary, scores_of_rows

KINDS = ["binary", "sliced", "multiclass", "regression"]
CASES = ["026_html_names", "028_odd_names", "030_lookalike_names", "032_path_names", "034_case_names"]


def sideways(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [320, 390, 1180])
def test_a_page_loads_offline_and_nothing_is_cut_off(show, files, kind, width):
    page = show(files(kind), width=width)
    assert page.locator("h1").is_visible()
    assert sideways(page) == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_serious(show, files, axe, kind, colours):
    page = show(files(kind), color_scheme=colours)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    found = axe.run(page).response["violations"]
    serious = [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in ("serious", "critical")]
    assert serious == []


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
    page.keyboard.press("ArrowDown")
    assert "fair, threshold" in chart.locator(".readout").inner_text()
    box = chart.locator("svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.2)
    assert page.locator("#tooltip").is_visible()


def test_models_can_be_switched_off(show, files):
    page = show(files("binary"))
    line = page.locator("#curves .model-0").first
    assert line.is_visible()
    switch = page.locator("#curves .legend button").first
    switch.click()
    assert not line.is_visible()
    assert switch.get_attribute("aria-pressed") == "false"


def paper(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


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


def test_a_page_is_printed_light_and_with_all_panels(show, files):
    page = show(files("multiclass"), color_scheme="dark")
    page.emulate_media(media="print")
    assert paper(page) == "rgb(255, 255, 255)"
    assert page.pdf().startswith(b"%PDF")


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


def test_tables_are_saved_with_all_digits(show, files):
    page = show(files("binary"))
    page.locator("#goal summary").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save goal-roc_auc as CSV").click()
    rows = list(csv.DictReader(io.StringIO(saved.value.path().read_text())))
    expected = binary().scores
    assert {row["Model"]: float(row["Value"]) for row in rows} == {
        name: expected[name, "roc_auc"].value for name in ("good", "fair", "poor")
    }


def test_charts_are_saved_as_they_look(show, files):
    page = show(files("binary"))
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save roc as SVG").click()
    drawing = ElementTree.fromstring(saved.value.path().read_text())
    lines = [one for one in drawing.iter("{http://www.w3.org/2000/svg}path") if "model-0" in (one.get("class") or "")]
    assert lines[0].get("stroke") == "rgb(0, 90, 158)"


def test_without_scripts_everything_is_readable(show, files):
    page = show(files("binary"), java_script_enabled=False)
    assert page.locator("#curves svg").first.is_visible()
    assert page.locator("[data-name=decisions]").is_visible()
    assert not page.locator(".slider").is_visible()
    assert page.locator("#calibration [data-panel]").last.is_visible()


def test_the_policy_stops_what_does_not_belong(chromium, files, tmp_path):
    text = files("binary").read_text()
    bad = tmp_path / "bad.html"
    bad.write_text(
        text.replace(
            "</main>", "<script>document.title = 'taken'</script><b onclick='1' style='color:red'>x</b></main>"
        )
    )
    page = chromium.new_context(offline=True).new_page()
    page.goto(bad.as_uri())
    assert page.title() != "taken"
    page.context.close()


@pytest.mark.parametrize("case", CASES)
def test_hostile_names_neither_run_nor_break_the_page(show, referee, shared, tmp_path, case):
    file = tmp_path / "page.html"
    source = shared / "cases" / f"{case}.csv"
    referee("compare", source, "--truth", "y", "--id", "id", "--goal", "roc_auc", "--html", file)
    for width in (390, 1180):
        page = show(file, width=width)
        page.mouse.move(300, 300)
        assert sideways(page) == 0
        assert page.locator("img").count() == 0


def test_hostile_labels_neither_run_nor_break_the_page(show, referee, shared, tmp_path):
    file = tmp_path / "page.html"
    source = shared / "cases" / "120_hostile_cells.csv"
    referee(
        "compare", source, "--truth", "y", "--id", "id", "--positive", "<i>pos</i>", "--goal", "roc_auc", "--html", file
    )
    page = show(file, width=390)
    assert "said <i>pos</i>" in page.locator(".confusion").inner_text()
    assert sideways(page) == 0


def test_classes_of_a_confusion_matrix_are_put_in_order(show, files):
    page = show(files("multiclass"))
    panel = page.locator("#confusion [data-panel]").first
    panel.locator("select").select_option("least recognised first")
    rows = panel.locator("table.confused tbody tr")
    shown = [rows.nth(place).locator("td").all_inner_texts() for place in range(4)]
    shares = [float(cells[-1].rstrip(" %")) for cells in shown]
    assert shares == sorted(shares)
    for place, cells in enumerate(shown):
        number, total = (int(text.replace("·", "0")) for text in (cells[place], cells[-2]))
        assert number / total == pytest.approx(shares[place] / 100, abs=1e-4)

"""Moving the threshold, saying what mistakes cost, and following one model among many."""

from __future__ import annotations

import numpy as np
import pytest

from referee.comparing import compare
from referee.document import number
from referee.predictions import Predictions
from referee.thresholds import threshold
from tests.browser.conftest import serious, sideways
from tests.pages_to_read import scores_of_rows


def made(folder, models, truth, **options):
    file = folder / "page.html"
    compare(Predictions.from_arrays(truth, models, **options), "roc_auc", metrics=["roc_auc"]).to_html(file)
    return file


@pytest.fixture(scope="module")
def weighted(tmp_path_factory):
    truth, models = scores_of_rows(300)
    weight = np.random.default_rng(4).random(300) * 5
    file = made(tmp_path_factory.mktemp("weighted"), {"a": models["good"], "b": models["poor"]}, truth, weight=weight)
    return file, truth, models["good"], weight


@pytest.fixture(scope="module")
def scales(tmp_path_factory):
    """Three models whose scores have nothing to do with each other's."""
    truth, models = scores_of_rows(600)
    scores = {
        "near one": 1 - 1e-6 * (1 - models["good"]), "plain": models["fair"], "large": 1e12 + 100 * models["poor"],
    }  # fmt: skip
    return made(tmp_path_factory.mktemp("scales"), scores, truth), truth, scores


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    truth, models = scores_of_rows(150, [f"m{number:02}" for number in range(20)])
    return made(tmp_path_factory.mktemp("many"), models, truth)


def slide(page, place):
    page.locator(".places").evaluate(
        "(slider, place) => { slider.value = place; slider.dispatchEvent(new Event('input')) }", place
    )
    return float(page.locator(".typed").input_value())


def shown(page, count):
    return float(page.locator(f"[data-count={count}] b").inner_text().replace(",", ""))


def test_weights_are_counted_exactly(show, weighted):
    file, truth, score, weight = weighted
    page = show(file)
    page.locator(".model").select_option(label="a")
    last = int(page.locator(".places").get_attribute("max"))
    for place in np.linspace(0, last, 15).round().astype(int).tolist():
        threshold = slide(page, place)
        called = score >= threshold
        expected = {
            "tp": called & (truth == 1), "fn": ~called & (truth == 1), "fp": called & (truth == 0),
            "tn": ~called & (truth == 0),
        }  # fmt: skip
        for name, rows in expected.items():
            assert shown(page, name) == pytest.approx(weight[rows].sum(), abs=0.0051)


@pytest.mark.parametrize("name", ["near one", "plain", "large"])
def test_every_scale_has_its_slider_and_its_axis(show, scales, name):
    file, truth, scores = scales
    page = show(file)
    page.locator(".model").select_option(label=name)
    last = int(page.locator(".places").get_attribute("max"))
    assert last > 100
    for place in (0, last // 3, last // 2, last):
        threshold = slide(page, place)
        assert shown(page, "tp") == ((scores[name] >= threshold) & (truth == 1)).sum()
    boxes = [one.bounding_box() for one in page.locator("svg.cost text").all()]
    apart = [
        a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"] or a["y"] + a["height"] <= b["y"]
        or b["y"] + b["height"] <= a["y"]
        for place, a in enumerate(boxes)
        for b in boxes[place + 1 :]
    ]  # fmt: skip
    assert all(apart)
    assert page.locator("svg.cost path").count() == 1


def test_models_on_one_scale_share_the_chart(show, files):
    assert show(files("binary")).locator("svg.cost path").count() == 3


@pytest.mark.parametrize("typed", ["-1", "", "1e12"])
def test_what_is_no_cost_is_refused_and_the_last_one_stays(show, files, typed):
    page = show(files("binary"))
    page.locator(".miss").fill("5")
    before = page.locator(".cheapest-words").inner_text()
    page.locator(".miss").fill(typed)
    assert page.locator(".miss").get_attribute("aria-invalid") == "true"
    assert page.locator(".alarm").get_attribute("aria-invalid") == "false"
    assert "a miss 5" in page.locator("#cost-refused").inner_text()
    assert page.locator(".cheapest-words").inner_text() == before
    page.locator(".miss").fill("6")
    assert page.locator(".miss").get_attribute("aria-invalid") == "false"
    assert page.locator("#cost-refused").inner_text() == ""
    assert page.locator(".cheapest-words").inner_text() != before


def test_a_threshold_that_was_wiped_out_comes_back(show, files):
    page = show(files("binary"))
    page.locator(".typed").fill("")
    page.locator(".typed").press("Tab")
    assert page.locator(".typed").input_value() == "0.5"


def test_on_paper_are_the_matrix_and_the_costs_where_the_slider_starts(show, files):
    truth, models = scores_of_rows()
    page = show(files("binary"))
    page.emulate_media(media="print")
    assert page.locator(".confusion").is_visible() and page.locator("svg.cost").is_visible()
    assert "good at threshold 0.5" in page.locator(".where").inner_text()
    assert shown(page, "tp") == ((models["good"] >= 0.5) & (truth == 1)).sum()
    assert not page.locator(".places").is_visible() and not page.locator(".model").is_visible()


def followed(page):
    """The models that are drawn and not dimmed, in all charts of curves."""
    return set(
        page.locator("#curves path[class*='model-']:not(.dim):not(.off)").evaluate_all(
            "(lines) => lines.map((line) => line.getAttribute('class').match(/model-(\\d+)/)[1])"
        )
    )


def test_of_many_the_best_two_are_drawn_and_pointing_at_a_name_shows_it_alone(show, many):
    page = show(many)
    names = page.locator("#curves .legend li[data-model] button")
    assert names.count() == 20 and followed(page) == {"0", "1"}
    names.nth(3).hover()
    assert followed(page) == {"3"}
    page.mouse.move(0, 0)
    assert followed(page) == {"0", "1"}
    names.nth(5).focus()
    assert followed(page) == {"5"}
    page.keyboard.press("Tab")
    assert followed(page) == {"6"}


def test_all_of_few_models_are_drawn(show, files):
    assert followed(show(files("binary"))) == {"0", "1", "2"}


def test_a_click_draws_a_model_and_the_next_takes_it_away(show, many):
    page = show(many)
    names = page.locator("#curves .legend li[data-model] button")
    names.nth(3).press("Enter")
    names.nth(8).click()
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur()")
    assert followed(page) == {"0", "1", "3", "8"}
    assert [names.nth(place).get_attribute("aria-pressed") for place in (3, 4, 8)] == ["true", "false", "true"]
    chart = page.locator(".reader[data-kind=roc]")
    chart.focus()
    page.keyboard.press("ArrowRight")
    first = chart.locator(".readout").inner_text().split(",")[0]
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    assert chart.locator(".readout").inner_text().split(",")[0] == first
    for place in (3, 8):
        names.nth(place).click()
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur()")
    assert followed(page) == {"0", "1"}
    page.get_by_role("button", name="Show all").click()
    assert len(followed(page)) == 20


@pytest.fixture(scope="module")
def costs(tmp_path_factory):
    truth, models = scores_of_rows()
    file = tmp_path_factory.mktemp("costs") / "thresholds.html"
    found = threshold(Predictions.from_arrays(truth, models), "expected_cost(fp=1, fn=5)")
    found.to_html(file)
    return file, found, truth, models


def test_the_page_of_thresholds_says_what_to_use_and_starts_there(show, costs):
    file, found, truth, models = costs
    page = show(file)
    best = min(found.chosen, key=lambda one: one.value)
    given = np.mean(
        1.0 * ((models[best.model] >= 0.5) & (truth == 0)) + 5.0 * ((models[best.model] < 0.5) & (truth == 1))
    )
    less = f"costs {best.value:.4f} a row, {100 * (1 - best.value / given):.0f}% less than at 0.5"
    assert page.locator("h1").inner_text() == f"Use {best.model} at {best.threshold:.4f}: {less}."
    assert str(found).startswith(page.locator("h1").inner_text())
    assert page.locator(".model option:checked").inner_text() == best.model
    assert float(page.locator(".typed").input_value()) == pytest.approx(best.threshold, abs=1e-4)
    for name in ("tp", "fp", "fn", "tn"):
        assert shown(page, name) == getattr(best, name)


@pytest.mark.parametrize("name", ["good", "fair", "poor"])
def test_the_slider_of_thresholds_has_the_objective_of_all_rows(show, costs, name):
    """Counts by hand, and the cost that they make."""
    file, _, truth, models = costs
    page = show(file)
    page.locator(".model").select_option(label=name)
    last = int(page.locator(".places").get_attribute("max"))
    for place in np.linspace(0, last, 12).round().astype(int).tolist():
        chosen = models[name] >= slide(page, place)
        fp, fn = (chosen & (truth == 0)).sum(), (~chosen & (truth == 1)).sum()
        assert (shown(page, "fp"), shown(page, "fn")) == (fp, fn)
        assert page.locator("[data-value=objective]").inner_text() == f"{(fp + 5 * fn) / len(truth):.4f}"
        assert page.locator('[data-value="Cost per 1,000 rows"]').inner_text() == number(
            1000 * (fp + 5 * fn) / len(truth)
        )


def test_the_page_of_thresholds_is_readable_by_all(show, costs, axe):
    for width, colours in ((1280, "light"), (390, "dark")):
        page = show(costs[0], width=width, color_scheme=colours)
        assert sideways(page) == 0
        assert serious(axe, page) == []
        assert page.locator("svg.cost").is_visible() and not page.locator("[data-name=objective]").is_visible()
    plain = show(costs[0], java_script_enabled=False)
    assert (
        plain.locator("[data-name=objective] svg.wide").is_visible()
        and plain.locator("[data-name=thresholds]").is_visible()
    )
    assert not plain.locator(".slider").is_visible()

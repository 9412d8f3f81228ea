"""The reader picks goal, pair, margin and alpha; every number shown is what `compare` says when it is asked."""

from __future__ import annotations

import re

import pytest

from referee.comparing import compare
from referee.comparing.sentence import after_opening
from referee.document import level, number, p_value, signed
from tests.browser.conftest import serious, sideways
from tests.pages_to_read import binary, regression

GOALS = ["accuracy", "brier", "log_loss", "average_precision"]


def choose(page, goal):
    page.locator("select.goal").select_option(label=goal)


def set_to(page, field, value):
    page.locator(f"[data-differences] .{field}").fill(value)


def pair_of(page):
    return page.locator("p.pair").inner_text()


@pytest.mark.parametrize("goal", GOALS)
def test_the_card_says_what_compare_says_of_that_goal(show, files, goal):
    asked = binary(goal)
    page = show(files("binary"))
    choose(page, goal)
    assert page.locator("#verdict .big").inner_text() == after_opening(asked)
    assert asked.sentence.endswith(after_opening(asked))
    assert page.locator("h1").inner_text() == f"good is the best of 3 models on {goal}."
    pair = asked.comparison(asked.best, asked.runner_up).seen_from(asked.best)
    assert page.locator("#verdict .facts b").first.inner_text() == signed(pair.difference)
    assert "You named roc_auc as the goal" in page.locator(".other-goal").inner_text()


def test_every_goal_has_the_outcome_that_compare_gives_it(show, files):
    page, verdict = show(files("binary")), binary()
    words = {"winner": "inner", "tie": "Tie", "undecided": "Undecided"}
    for goal in verdict.other_goals:
        asked = compare(verdict.predictions, goal.metric, metrics="goal")
        choose(page, asked.goal_name)
        assert words[asked.outcome] in page.locator("#verdict .tag").inner_text()
    assert len(verdict.other_goals) > 25


def test_a_row_of_the_metric_table_becomes_the_goal_and_the_way_back(show, files):
    page = show(files("binary"))
    before = page.locator("#verdict").inner_text(), page.locator("#differences").inner_text()
    button = page.locator("#metrics button.as-goal", has_text="brier")
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert page.locator("select.goal option:checked").inner_text() == "brier"
    assert "on brier" in page.locator("h1").inner_text() and "on brier" in pair_of(page)
    page.get_by_role("button", name="Reset").click()
    assert page.locator("#verdict").inner_text() == before[0]
    assert pair_of(page) in before[1]


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.01])
@pytest.mark.parametrize(("first", "second"), [("good", "poor"), ("fair", "poor"), ("poor", "good")])
def test_a_pair_at_an_alpha_is_what_compare_gives(show, files, alpha, first, second):
    page = show(files("binary"))
    page.locator(".first").select_option(label=first)
    page.locator(".second").select_option(label=second)
    set_to(page, "alpha", str(alpha))
    pair = binary(alpha=alpha).comparison(first, second).seen_from(first)
    ends = f"{level(alpha)} interval {number(pair.low)} to {number(pair.high)}"
    expected = f"{first} minus {second} on roc_auc: {signed(pair.difference)}, {ends}, {p_value(pair.p)}; "
    assert pair_of(page).startswith(expected)
    winner = f"{pair.winner} is significantly better." if pair.winner else "these data cannot separate the two."
    assert pair_of(page) == expected + winner


@pytest.mark.parametrize("goal", ["roc_auc", "brier"])
@pytest.mark.parametrize("margin", [0.01, 0.1, 0.15, 0.3])
def test_a_margin_says_what_compare_says_of_it(show, files, goal, margin):
    verdict = binary(goal, margin=margin)
    page = show(files("binary"))
    choose(page, goal)
    set_to(page, "margin", str(margin))
    for first, second in (("good", "fair"), ("good", "poor"), ("fair", "poor")):
        page.locator(".first").select_option(label=first)
        page.locator(".second").select_option(label=second)
        relation = next(held.relation for names, held in verdict.margins.items() if set(names) == {first, second})
        given = next(names for names in verdict.margins if set(names) == {first, second})
        better = {"a is better by more": given[0], "b is better by more": given[1]}.get(relation)
        said = pair_of(page).split(". ")[-1]
        if better:
            assert re.match(rf"{better} is better than \w+ by more than", said)
        else:
            assert {"practically equal": "are practically equal", "cannot be said": "It is not clear"}[relation] in said


def test_the_drawing_follows_the_numbers(show, files):
    """The interval's ends are where they should be between two ticks, by the labels of the axis."""
    page = show(files("binary"))
    set_to(page, "alpha", "0.2")
    drawing = page.locator("#differences svg.wide")
    ticks = drawing.locator("text[text-anchor=middle]").evaluate_all(
        "(all) => all.map((one) => [Number(one.textContent), Number(one.getAttribute('x'))]).filter(([v]) => !isNaN(v))"
    )
    (v0, x0), (v1, x1) = ticks[0], ticks[-1]
    bars = drawing.locator(".interval").evaluate_all(
        "(all) => all.map((one) => [one.x1, one.x2].map((x) => x.baseVal.value))"
    )
    verdict = binary(alpha=0.2)
    for (low, high), name in zip(bars, ("fair", "poor"), strict=True):
        pair = verdict.comparison("good", name).seen_from("good")
        shown = [v0 + (x - x0) * (v1 - v0) / (x1 - x0) for x in (low, high)]
        assert shown == pytest.approx([pair.low, pair.high], abs=1e-6)


@pytest.mark.parametrize(("field", "typed"), [("alpha", "0"), ("alpha", "0.7"), ("alpha", ""), ("margin", "-1")])
def test_what_cannot_be_is_refused_and_the_last_one_stays(show, files, field, typed):
    page = show(files("binary"))
    set_to(page, "alpha", "0.1")
    before = pair_of(page)
    set_to(page, field, typed)
    assert page.locator(f"[data-differences] .{field}").get_attribute("aria-invalid") == "true"
    assert "still" in page.locator("#pair-refused").inner_text()
    assert pair_of(page) == before


def test_what_is_drawn_first_is_what_the_script_draws(show, files):
    """Python draws what was asked for, and the script everything else, in the same way."""
    page = show(files("binary"))
    drawing = page.locator("#differences svg.wide")
    texts = drawing.locator("text").all_text_contents()
    boxes = drawing.locator(".interval").evaluate_all("(all) => all.map((one) => Number(one.getAttribute('x1')))")
    set_to(page, "alpha", "0.06")
    set_to(page, "alpha", "0.05")
    assert sorted(drawing.locator("text").all_text_contents()) == sorted(texts)
    again = drawing.locator(".interval").evaluate_all("(all) => all.map((one) => Number(one.getAttribute('x1')))")
    assert again == pytest.approx(boxes, abs=0.1)


def test_numbers_of_regression_have_their_goals(show, files):
    page, verdict = show(files("regression")), regression()
    other = verdict.under("mae" if verdict.goal.name != "mae" else "rmse")
    choose(page, other.goal_name)
    assert page.locator("#verdict .big").inner_text() == after_opening(other)


def test_another_goal_is_as_readable_as_the_first(show, files, axe):
    for colours in ("light", "dark"):
        page = show(files("binary"), width=390, color_scheme=colours)
        choose(page, "brier")
        set_to(page, "margin", "0.02")
        assert sideways(page) == 0
        assert serious(axe, page) == []


def test_without_scripts_the_difference_is_there(show, files):
    page = show(files("binary"), java_script_enabled=False)
    assert page.locator("#differences svg.wide").is_visible()
    assert page.locator("p.pair").inner_text().startswith("good minus fair on roc_auc: +0.1740, 95% interval")
    assert not page.locator("[data-differences] .controls").is_visible()


def zoomed(page, kind):
    return page.locator(f".reader[data-kind={kind}] svg")


def ticks_of(page, kind):
    texts = zoomed(page, kind).locator(".axes text").all_text_contents()
    return [float(text) for text in texts if re.fullmatch(r"[\d.]+", text)]


@pytest.mark.parametrize("kind", ["roc", "precision_recall"])
def test_zooming_by_button_and_by_key_keeps_points_on_their_curves(show, files, kind):
    page = show(files("binary"))
    figure = page.locator("figure", has=page.locator(f".reader[data-kind={kind}]"))
    figure.get_by_role("button", name="Zoom in").click()
    assert max(ticks_of(page, kind)) == 1 and min(t for t in ticks_of(page, kind) if t > 0.45) >= 0.4
    reader = page.locator(f".reader[data-kind={kind}]")
    reader.focus()
    page.keyboard.press("-")
    assert figure.get_by_role("button", name="Zoom out").is_disabled()
    page.keyboard.press("+")
    for _ in range(60):
        page.keyboard.press("PageUp")
        ring = zoomed(page, kind).locator(".ring")
        if "off" not in ring.get_attribute("class"):
            break
    assert "off" not in ring.get_attribute("class")
    distance = page.evaluate(
        """(kind) => {
          const svg = document.querySelector(`.reader[data-kind=${kind}] svg`);
          const [ring, line] = [svg.querySelector('.ring'), svg.querySelector('.model-0')];
          const m = svg.querySelector('.lines').transform.baseVal.consolidate().matrix;
          let nearest = Infinity;
          for (let at = 0; at <= line.getTotalLength(); at += 0.2) {
            const p = line.getPointAtLength(at).matrixTransform(m);
            nearest = Math.min(nearest, Math.hypot(p.x - ring.getAttribute('cx'), p.y - ring.getAttribute('cy')));
          }
          return nearest;
        }""",
        kind,
    )
    assert distance < 2


def test_a_frame_is_dragged_around_what_is_zoomed(show, files):
    page = show(files("binary"))
    drawing = zoomed(page, "roc")
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    at = lambda x, y: (box["x"] + box["width"] * x, box["y"] + box["height"] * y)  # noqa: E731
    page.mouse.move(*at(0.2, 0.1))
    page.mouse.down()
    page.mouse.move(*at(0.5, 0.4), steps=4)
    page.mouse.up()
    assert drawing.locator(".lines").get_attribute("transform").startswith("matrix(")
    assert max(ticks_of(page, "roc")) < 1


def test_the_menu_of_a_phone_shows_that_it_goes_on(show, files):
    page = show(files("binary"), width=390)
    menu = page.locator(".bar nav")
    assert menu.get_attribute("class") == "more"
    menu.evaluate("(one) => { one.scrollLeft = one.scrollWidth }")
    page.locator(".bar nav.before:not(.more)").wait_for()

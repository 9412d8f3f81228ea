"""A verdict shown in a notebook: a page in a frame that has no address of its own."""

from __future__ import annotations

import pytest

from tests.pages_to_read import binary

ADDRESS = "http://notebook.test/lab/tree/work.ipynb"


@pytest.fixture
def notebook(chromium):
    """The frame within a page that comes from somewhere, as a notebook's does."""
    context = chromium.new_context(viewport={"width": 1180, "height": 900})
    page, asked, complaints = context.new_page(), [], []
    body = f"<!doctype html><title>work</title><h1>My notebook</h1>{binary().page()._repr_html_()}"

    def answer(route):
        asked.append(route.request.url)
        route.fulfill(body=body, content_type="text/html; charset=utf-8")

    page.route("**/*", answer)
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(ADDRESS)
    yield page
    assert [one for one in asked if one != ADDRESS and not one.endswith("favicon.ico")] == []
    assert complaints == []
    context.close()


def test_links_stay_in_the_report(notebook):
    frame = notebook.frame_locator("iframe")
    for name, key in (("Curves", "curves"), ("Pairs", "pairs"), ("Skip to the result", "main")):
        link = frame.get_by_role("link", name=name)
        link.focus()
        link.press("Enter")
        assert frame.locator("h1").inner_text() == "good is the best of 3 models on roc_auc."
        assert frame.locator(":focus").get_attribute("id") == key
    frame.get_by_role("link", name="Curves").click()
    frame.locator("#curves").evaluate(
        "(one) => new Promise((done) => { const look = () => (Math.abs(one.getBoundingClientRect().top) < 80 ? done()"
        " : requestAnimationFrame(look)); look() })"
    )
    assert notebook.url == ADDRESS


def test_scripts_work_in_the_frame(notebook):
    frame = notebook.frame_locator("iframe")
    frame.locator(".places").press("ArrowRight")
    assert float(frame.locator(".typed").input_value()) > 0.5
    with notebook.expect_download() as saved:
        frame.get_by_role("button", name="Save roc as SVG").click()
    assert saved.value.suggested_filename == "roc.svg"

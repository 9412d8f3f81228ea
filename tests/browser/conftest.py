"""A real Chromium with the network off; without one these tests say so, and fail where CI=true."""

from __future__ import annotations

import os
import shutil

import pytest

from referee.comparing import compare
from referee.predictions import Predictions
from tests.pages_to_read import binary, multiclass, regression, scores_of_rows, sliced

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def of_models(many, rows=400, **options):
    truth, models = scores_of_rows(rows, [f"model_{place:04}" for place in range(many)])
    return compare(Predictions.from_arrays(truth, models), "accuracy", **options)


MAKERS = {
    "binary": binary,
    "sliced": sliced,
    "multiclass": multiclass,
    "regression": regression,
    "five": lambda: of_models(5),
    "twenty": lambda: of_models(20),
    "two thousand": lambda: of_models(2000, 60, metrics=["accuracy"]),
    "six hundred": lambda: of_models(600, 60, metrics=["accuracy"]),
}


def missing(what):
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what}, and CI=true: `make browser` installs it")
    pytest.skip(f"{what}: `make browser` installs it")


@pytest.fixture(scope="session")
def chromium():
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        missing("there is no Chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe():
    """Finds what people who cannot see, or not well, would stumble over."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        missing("axe-playwright-python is not installed")
    return Axe()


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Where the page of each kind of verdict is; made when it is first asked for."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def file_of(kind):
        if kind not in made:
            made[kind] = folder / f"{kind}.html"
            MAKERS[kind]().to_html(made[kind])
        return made[kind]

    return file_of


def serious(axe, page):
    """What axe finds with everything unfolded."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    found = axe.run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] != "moderate"]


def paper(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def sideways(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@pytest.fixture
def show(chromium):
    """Open a file: `show(path, width=390, color_scheme="dark")`; what the page complains of is an error."""
    contexts, complaints = [], []

    def open_page(path, width=1180, height=900, **options):
        context = chromium.new_context(viewport={"width": width, "height": height}, offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on(
            "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"a dialog: {dialog.message}"))
        page.on(
            "request",
            lambda request: complaints.append(request.url) if not request.url.startswith(("file:", "blob:")) else None,
        )
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []

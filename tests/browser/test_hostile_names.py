"""Names and labels that would break a page, or run in it."""

from __future__ import annotations

import pytest

from referee.comparing import compare
from referee.predictions import Predictions
from tests.browser.conftest import sideways
from tests.page.test_page import hostile_verdict
from tests.pages_to_read import scores_of_rows

CASES = ["026_html_names", "028_odd_names", "030_lookalike_names", "032_path_names", "034_case_names"]
WIDTHS = [320, 390, 768, 1180]
SNEAKED = """<script>document.title = "taken"</script>
<b id="sneaked" onclick="document.title = 'taken'" style="color: rgb(1, 2, 3)">x</b>
<img src="https://example.org/x.png"><style>h1 { color: rgb(1, 2, 3) }</style></main>"""


def looked_at(show, file, width):
    page = show(file, width=width)
    page.mouse.move(300, 300)
    assert sideways(page) == 0
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("case", CASES)
def test_hostile_names_neither_run_nor_break_the_page(show, referee, shared, tmp_path, case):
    file = tmp_path / "page.html"
    source = shared / "cases" / f"{case}.csv"
    referee("compare", source, "--truth", "y", "--id", "id", "--goal", "roc_auc", "--html", file)
    for width in WIDTHS:
        looked_at(show, file, width)


def test_names_that_look_alike_are_told_apart(show, referee, shared, tmp_path):
    file = tmp_path / "page.html"
    source = shared / "cases" / "030_lookalike_names.csv"
    referee("compare", source, "--truth", "y", "--id", "id", "--goal", "roc_auc", "--html", file)
    page = show(file)
    names = page.locator("#curves .legend li").all_inner_texts()
    assert sorted(name.strip() for name in names) == ["A", "e\u0301 (U+0301)", "\u00e9 (U+00E9)", "\u0410 (U+0410)"]


def test_a_family_of_emoji_is_one_picture(show, tmp_path):
    family = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"
    truth, models = scores_of_rows(80, [family, "other"])
    compare(Predictions.from_arrays(truth, models), "accuracy", metrics=["accuracy"]).to_html(tmp_path / "page.html")
    assert show(tmp_path / "page.html").locator("#curves .legend li").first.inner_text().strip() == family


def test_all_hostile_names_at_once(show, tmp_path):
    file = tmp_path / "page.html"
    hostile_verdict().to_html(file)
    for width in WIDTHS:
        looked_at(show, file, width)


def test_hostile_labels_neither_run_nor_break_the_page(show, referee, shared, tmp_path):
    file = tmp_path / "page.html"
    source = shared / "cases" / "120_hostile_cells.csv"
    referee(
        "compare", source, "--truth", "y", "--id", "id", "--positive", "<i>pos</i>", "--goal", "roc_auc", "--html", file
    )
    page = show(file, width=390)
    assert "predicted <i>pos</i>" in page.locator(".confusion").inner_text()
    assert sideways(page) == 0


def test_the_policy_stops_what_does_not_belong(chromium, files, tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text(files("binary").read_text().replace("</main>", SNEAKED))
    page = chromium.new_context(offline=True).new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    page.goto(bad.as_uri())
    page.locator("#sneaked").click()
    assert page.title() != "taken"
    for place in ("#sneaked", "h1"):
        assert page.locator(place).evaluate("(one) => getComputedStyle(one).color") != "rgb(1, 2, 3)"
    words = " ".join(refused)
    assert all(rule in words for rule in ("script-src", "style-src", "default-src"))
    page.context.close()

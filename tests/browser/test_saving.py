"""What a reader takes along: tables as CSV, charts as SVG, texts by the clipboard."""

from __future__ import annotations

import csv
import io
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from referee.comparing import compare
from referee.predictions import Predictions
from tests.pages_to_read import binary, scores_of_rows

SVG = "{http://www.w3.org/2000/svg}"
LONG, JOINED, FORMULA, FRENCH = "x" * 90, "A\u200dB", "=1+1", "mod\u00e8le"


def unfold(page):
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")


def saved(page, what, form):
    with page.expect_download() as found:
        page.get_by_role("button", name=f"Save {what} as {form}", exact=True).first.click()
    assert found.value.suggested_filename == f"{what}.{form.lower()}"
    return found.value.path().read_bytes().decode("utf-8")


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """Names that are cut, escaped or defused where they are shown, and a model without a value."""
    truth, models = scores_of_rows(150, [LONG, JOINED, FORMULA, FRENCH])
    models["silent"] = np.zeros(150)
    file = tmp_path_factory.mktemp("odd") / "odd.html"
    made = compare(Predictions.from_arrays(truth, models), "accuracy", metrics=["precision", "brier"])
    made.to_html(file)
    return file, made


def test_tables_are_saved_with_all_digits(show, files):
    page = show(files("binary"))
    page.locator("#goal summary").click()
    rows = rows_of(saved(page, "goal-roc_auc", "CSV"))
    expected = binary().scores
    assert {row["Model"]: float(row["Value"]) for row in rows} == {
        name: expected[name, "roc_auc"].value for name in ("good", "fair", "poor")
    }


def test_a_cell_of_two_lines_is_saved_as_two(show, odd):
    file, made = odd
    text = saved(show(file), "metrics", "CSV")
    assert text.startswith("\ufeff")
    rows = {row["Metric"]: row for row in rows_of(text)}
    assert rows["accuracy"]["Best"].removeprefix("'") == made.best
    assert rows["accuracy"]["Best: note"] in ("wins", "not significantly")
    assert rows["precision"]["silent"] == ""
    assert float(rows["brier"]["silent"]) == made.scores["silent", "brier"].value


def test_heads_and_rows_are_saved_under_the_same_names(show, odd):
    file, made = odd
    page = show(file)
    unfold(page)
    names = {"'" + name if name == FORMULA else name for name in made.values}
    heads = rows_of(saved(page, "metrics", "CSV"))[0]
    assert names <= set(heads)
    assert {row["Model"] for row in rows_of(saved(page, "goal-accuracy", "CSV"))} == names
    matrix = rows_of(saved(page, "pairs-matrix", "CSV"))
    assert {row["Row minus column"] for row in matrix} == names
    assert names <= set(matrix[0])


def test_charts_are_saved_as_they_look(show, files):
    drawing = ElementTree.fromstring(saved(show(files("binary")), "roc", "SVG"))
    lines = [one for one in drawing.iter(f"{SVG}path") if "model-0" in (one.get("class") or "")]
    assert lines[0].get("stroke") == "rgb(0, 90, 158)"


@pytest.mark.parametrize(
    ("what", "title"), [("roc", "ROC"), ("precision-recall", "Precision-recall"), ("cost", "Cost per 1,000 rows")]
)
def test_lines_can_be_told_apart_in_the_file(show, files, what, title):
    drawing = ElementTree.fromstring(saved(show(files("binary")), what, "SVG"))
    texts = [one.text for one in drawing.iter(f"{SVG}text")]
    assert any(text.startswith(title) for text in texts)
    drawn = {one.get("stroke") for one in drawing.iter(f"{SVG}path") if "curve" in (one.get("class") or "")}
    children = list(drawing)
    keys = {}
    for line, text in pairwise(children):
        if line.tag == f"{SVG}line" and text.tag == f"{SVG}text" and text.text in ("good", "fair", "poor"):
            keys[text.text] = line.get("stroke")
    assert set(keys) == {"good", "fair", "poor"}
    assert set(keys.values()) == drawn and len(drawn) == 3
    height = float(drawing.get("height"))
    top = float(drawing.get("viewBox").split()[1])
    places = [float(one.get("y")) for one in drawing.iter(f"{SVG}text") if one.get("y")]
    assert top < min(places) and max(places) < top + height


def test_texts_are_copied(show, files):
    page = show(files("binary"))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = page.get_by_role("button", name="Copy the text")
    button.click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#methods pre").first.inner_text()


def test_where_nothing_can_be_copied_the_text_is_selected(show, files):
    page = show(files("binary"))
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")
    page.get_by_role("button", name="Copy the text").click()
    page.get_by_role("button", name="Selected: press Ctrl+C").wait_for()
    assert page.evaluate("getSelection().toString()").strip() == page.locator("#methods pre").first.inner_text().strip()

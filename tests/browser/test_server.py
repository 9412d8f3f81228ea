"""`referee serve` as a person uses it: a large file is dropped, the form is filled in, the verdict is read."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

import referee

ROWS = 500_000
LARGE = 100_000_000


@pytest.fixture(scope="module")
def large_file(tmp_path_factory):
    """100 MB, most of it a text beside each row; of two models one is right a little more often."""
    generator = np.random.default_rng(8)
    truth = generator.random(ROWS) < 0.3
    models = [truth ^ (generator.random(ROWS) < share) for share in (0.2, 0.21)]
    file = tmp_path_factory.mktemp("large") / "large.csv"
    words = np.array(["no", "yes"])
    with file.open("w") as lines:
        lines.write("id,y,first,second\n")
        each = zip(*(words[values.astype(int)].tolist() for values in (truth, *models)), strict=True)
        lines.writelines(f"{row:0200d},{y},{first},{second}\n" for row, (y, first, second) in enumerate(each))
    assert file.stat().st_size > LARGE
    return file


@pytest.fixture
def server():
    command = [sys.executable, "-m", "referee", "serve"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    yield re.search(r"http://\S+", process.stdout.readline())[0]
    process.terminate()
    process.communicate(timeout=20)


def test_a_real_upload_of_100_megabytes(chromium, axe, server, large_file):
    page = chromium.new_page()
    outside = []
    page.on("request", lambda request: outside.append(request.url) if "127.0.0.1" not in request.url else None)
    page.goto(server)
    assert "token" not in page.url
    assert axe.run(page).violations_count == 0
    page.set_input_files("#file", large_file)
    page.wait_for_url("**/files/*", timeout=120_000)
    assert "500,000 rows" in page.inner_text("main")
    assert page.input_value("[name=truth]") == "y"
    assert axe.run(page).violations_count == 0
    page.select_option("[name=goal]", "accuracy")
    page.fill("[name=positive]", "yes")
    page.select_option("[name=models]", ["first", "second"])
    page.click("text=Show the answer", timeout=120_000)
    page.wait_for_selector("#verdict", timeout=120_000)
    verdict = referee.compare(
        str(large_file), truth="y", id="id", goal="accuracy", positive="yes", models=["first", "second"]
    )
    assert verdict.best == "first"
    assert all(f"{value:.4f}" in page.inner_text("main") for value in verdict.values.values())
    assert outside == []
    page.close()


def test_an_error_is_read_on_the_first_page(chromium, server, tmp_path):
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    page = chromium.new_page()
    page.goto(server)
    page.set_input_files("#file", empty)
    page.wait_for_selector("#error:not([hidden])")
    assert "empty.csv is empty" in page.inner_text("#error")
    page.close()

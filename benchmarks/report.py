"""The page: rendering against scoring, its size, and how long a step of the slider takes in a real browser.

`REFEREE_BENCH_ROWS=100000 python -m benchmarks report` runs fewer rows; the titles say so.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

from referee.comparing import compare
from referee.predictions import Predictions

ROWS = int(os.environ.get("REFEREE_BENCH_ROWS", "1000000"))
MODELS, STEPS = 5, 60
RENDERING_SHARE, SLOWEST_STEP = 0.2, 0.016
SLIDE = """(steps) => {
  const slider = document.querySelector(".places"), times = [];
  for (let step = 0; step < steps; step++) {
    slider.value = Math.round(slider.max * step / (steps - 1));
    const started = performance.now();
    slider.dispatchEvent(new Event("input"));
    document.body.getBoundingClientRect();
    times.push(performance.now() - started);
  }
  return times;
}"""


def predictions():
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, ROWS)
    scores = {f"m{k}": 1 / (1 + np.exp(-draw.normal(2 * truth - 1, 1 + k / 4))) for k in range(MODELS)}
    return Predictions.from_arrays(truth, scores)


def results():
    given = predictions()
    started = time.process_time()
    verdict = compare(given, goal="roc_auc")
    scored = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        verdict.to_html(file)
        rendered = time.process_time()
        seconds = {"scoring and testing": scored - started, "rendering": rendered - scored}
        ratio = seconds["scoring and testing"] / seconds["rendering"]
        yield {
            "title": f"the page of {MODELS} models x {ROWS:,} rows: rendering, against scoring",
            "cpu_seconds": seconds,
            "kilobytes": file.stat().st_size / 1000,
            "times_less_cpu": {"scoring and testing": ratio},
            "goals": {"scoring and testing": 1 / RENDERING_SHARE},
            "met": {"scoring and testing": ratio >= 1 / RENDERING_SHARE},
        }
        if (program := shutil.which("chromium")) is not None:
            yield slider(file, program)


def slider(file, program):
    """Each step with its layout; a frame is what a step may take."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(file.as_uri())
        page.evaluate(SLIDE, STEPS)
        seconds = np.array(page.evaluate(SLIDE, STEPS)) / 1000
        browser.close()
    slow = float(np.quantile(seconds, 0.95))
    return {
        "title": f"a step of the slider, {ROWS:,} rows: 19 of 20 steps, against a frame of 16 ms",
        "wall_seconds": {"a frame": SLOWEST_STEP, "a step": slow, "median step": float(np.median(seconds))},
        "times_less_cpu": {"a frame": SLOWEST_STEP / slow},
        "goals": {"a frame": 1},
        "met": {"a frame": slow <= SLOWEST_STEP},
    }

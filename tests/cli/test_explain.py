"""`--explain` on every command: what is written out gives the numbers that others find."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats
from sklearn.calibration import calibration_curve
from sklearn.metrics import roc_curve

from referee.cli.commands import referee as command

pytestmark = pytest.mark.usefixtures("fits_here")
DRAW = np.random.default_rng(3)
TRUTH = DRAW.integers(0, 2, 120)
SCORES = np.round(np.clip(0.4 * TRUTH + DRAW.uniform(0.01, 0.59, 120), 0, 1), 3)
OTHERS = np.round(np.clip(0.3 * TRUTH + DRAW.uniform(0.01, 0.69, 120), 0, 1), 3)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "preds.csv"
    rows = zip(TRUTH, SCORES, OTHERS, np.arange(120) % 6, strict=True)
    path.write_text("y,m,other,fold\n" + "".join(f"{y},{m},{o},{fold}\n" for y, m, o, fold in rows))
    return str(path)


def run(*words):
    result = CliRunner().invoke(command, [*words, "--explain"])
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def test_curves_are_scikit_learns_row_by_row(table):
    body = run("curves", table, "--truth", "y", "--models", "m", "--format", "json")
    lines = json.loads(body)["explanation"]
    fpr, tpr, thresholds = roc_curve(TRUTH, SCORES, drop_intermediate=False)
    known = {round(float(t), 3): (x, y) for t, x, y in zip(thresholds, fpr, tpr, strict=True)}
    rows = [line.split("; ") for line in lines if re.match(r"\d+; ", line)]
    assert len(rows) == 20
    for row in rows:
        x, y = known[float(row[2])]
        shown = [float(cell.split(" = ")[1]) for cell in row[-2:]]
        assert shown == pytest.approx([y, x], abs=5e-4)


def test_a_threshold_sums_its_costs(table):
    text = run("threshold", table, "--truth", "y", "--models", "m", "--for", "expected_cost(fp=1, fn=5)")
    threshold = float(re.search(r"score >= ([\d.]+)", text)[1])
    called = threshold <= SCORES
    fp, fn = int((called & (TRUTH == 0)).sum()), int((~called & (TRUTH == 1)).sum())
    assert f"({fp} x 1 + {fn} x 5) / 120 = {(fp + 5 * fn) / 120:.4g} on the rows" in text


def test_a_calibration_error_is_summed_bin_by_bin(table):
    text = run("calibrate", table, "--truth", "y", "--models", "m", "--method", "platt")
    observed, forecast = calibration_curve(TRUTH, SCORES, n_bins=10)
    rows = np.histogram(SCORES, np.linspace(0, 1, 11))[0]
    distances = abs(observed - forecast)
    ece = float((rows[rows > 0] * distances).sum() / 120)
    assert f"ECE = sum of share x distance = {ece:.4g}" in text
    assert f"MCE = largest distance = {distances.max():.4g}" in text


def test_folds_are_listed_with_mean_variance_and_decision(table):
    text = run(
        "compare", table, "--truth", "y", "--models", "m,other", "--fold", "fold", "--unit", "fold",
        "--goal", "accuracy", "--metrics", "accuracy",
    )  # fmt: skip
    folds = np.arange(120) % 6
    right = [[((s[folds == k] >= 0.5) == TRUTH[folds == k]).mean() for k in range(6)] for s in (SCORES, OTHERS)]
    each = np.subtract(*right)
    variance = float(each.var(ddof=1))
    assert f"/ (n - 1) = {5 * variance:.4g} / 5 = {variance:.4g}" in text
    statistic = abs(each.mean()) / np.sqrt(variance * (1 / 6 + 1.5 * 20 / 100))
    assert f"|t| = {statistic:.4g} " in text
    assert f"t(0.025, 5) = {stats.t.isf(0.025, 5):.4g}" in text


def test_a_bootstrap_shows_where_632_comes_from(tmp_path):
    data = tmp_path / "data.csv"
    features = DRAW.normal(size=(90, 2)).round(3)
    rows = zip(features, features[:, 0] > 0, strict=True)
    data.write_text("a,b,y\n" + "".join(f"{a},{b},{int(y)}\n" for (a, b), y in rows))
    words = ["--models", "logistic,dummy", "--goal", "accuracy", "--scheme", "bootstrap_632(repeats=5)"]
    text = run("select", str(data), "--target", "y", *words)
    assert f"1 - (1 - 1/90)^90 = {1 - (1 - 1 / 90) ** 90:.4g}" in text
    test, train, mixed = map(float, re.search(r"0\.632 x ([\d.]+) \+ 0\.368 x ([\d.]+) = ([\d.]+)", text).groups())
    assert mixed == pytest.approx(0.632 * test + 0.368 * train, abs=1e-4)


def test_a_test_is_walked_through_with_typed_values():
    a, b = "0.12,0.18,0.14,0.21,0.21", "0.03,0.03,0.02,0.25,0.18"
    text = run("tests", "paired_t", "--a", a, "--b", b, "--better", "lower")
    expected = stats.ttest_rel([float(x) for x in a.split(",")], [float(x) for x in b.split(",")])
    assert f"|t| = {expected.statistic:.4g} " in text
    assert f"(p = {expected.pvalue:.4g} " in text


@pytest.mark.parametrize("name", ["paired_t", "corrected_resampled_t", "mcnemar", "friedman", "wilcoxon"])
def test_a_test_is_walked_through_with_its_own_example(name):
    assert "The test, step by step" in run("tests", name)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tests", "paired_t", "--explain", "--a", "1,2"], "must be given together"),
        (["tests", "paired_t", "--explain", "--a", "1,x", "--b", "1,2"], "not a list of numbers"),
        (["tests", "delong", "--explain", "--a", "1,2", "--b", "1,2"], "does not take two lists"),
        (["tests", "delong", "--explain"], "has no example"),
        (["tests", "--explain"], "walks through one test"),
        (["tests", "paired_t", "--a", "1,2", "--b", "1,2"], "walks through one test"),
        (["tests", "paired_t", "--explain", "--takes", "units"], "give a name or filters"),
    ],
)
def test_what_cannot_be_explained_is_refused(words, said):
    error = CliRunner().invoke(command, words).exception
    assert said in f"{error.message} {error.hint}"


def test_a_gate_is_explained(table):
    words = ["--truth", "y", "--models", "m,other", "--goal", "accuracy", "--production", "other", "--candidate", "m"]
    result = CliRunner().invoke(command, ["gate", table, *words, "--margin", "0.2", "--explain"])
    assert "The test, step by step" in result.output


@pytest.mark.parametrize("words", [["evaluate", "--metrics", "recall"], ["curves"], ["threshold", "--for", "f1"]])
@pytest.mark.parametrize("form", ["md", "latex"])
def test_formats_and_pages_have_it_alike(table, tmp_path, words, form):
    page = tmp_path / "page.html"
    text = run(*words, table, "--truth", "y", "--models", "m", "--format", form, "--html", str(page))
    positives = int(TRUTH.sum())
    assert f"/ {positives}" in text or "TP / (TP + FN)" in text or "precision" in text
    assert "TP" in page.read_text()

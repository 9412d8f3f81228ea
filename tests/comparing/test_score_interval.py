"""Tango's score interval of the difference of two shares of the same rows, beside McNemar's test."""

from __future__ import annotations

from decimal import Decimal, getcontext

import pytest

from referee import tests
from referee.significance_tests.mcnemar import tango

CASES = [(6, 16, 161), (1, 7, 21), (12, 2, 50), (40, 20, 160), (3, 0, 20), (0, 5, 9), (300, 250, 100_000)]


@pytest.mark.parametrize(
    ("only_a", "only_b", "rows", "low", "high", "digits"),
    [
        # R's contingencytables, the complete response of Cavo et al. (2012): its own tests have these digits.
        (6, 16, 161, -0.1240, -0.0054, 4),
    ],
)
def test_published_values(only_a, only_b, rows, low, high, digits):
    assert [round(end, digits) for end in tango(only_a, only_b, rows, 0.05)] == [low, high]


@pytest.mark.parametrize("case", CASES)
def test_the_score_at_both_ends_is_critical(case):
    """By the formulas of Tango (1998) in fifty digits."""
    getcontext().prec = 50
    for end in tango(*case, 0.05):
        assert float(score_squared(*map(Decimal, case), Decimal(end))) == pytest.approx(1.959963984540054**2, rel=1e-8)


def score_squared(b, c, n, delta):
    """The likelihood's maximum for the rows that only the second decides rightly, and the score there."""
    square, linear, constant = 2 * n, -b - c + (2 * n - b + c) * delta, -c * delta * (1 - delta)
    share = ((linear**2 - 4 * square * constant).sqrt() - linear) / (2 * square)
    return (b - c - n * delta) ** 2 / (n * (2 * share + delta * (1 - delta)))


@pytest.mark.parametrize("rows", [5, 20, 1000])
def test_without_a_row_that_only_one_decides_rightly(rows):
    """By algebra z^2 = n d / (1 - d)."""
    z = 1.959963984540054**2
    assert tango(0, 0, rows, 0.05) == pytest.approx((-z / (rows + z), z / (rows + z)), rel=1e-9)


@pytest.mark.parametrize("rows", [4, 30])
def test_at_the_ends_of_the_range(rows):
    assert tango(rows, 0, rows, 0.05)[1] == 1.0
    assert tango(0, rows, rows, 0.05)[0] == -1.0


def right(only_a, only_b, rows):
    both = rows - only_a - only_b
    return [1] * only_a + [0] * only_b + [1] * both, [0] * only_a + [1] * only_b + [1] * both


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("case", CASES[:5])
def test_it_stands_beside_every_method_and_is_that_of_the_asymptotic_one(case, better):
    expected = sorted((1 if better == "higher" else -1) * end for end in tango(*case, 0.05))
    for method in ("exact", "mid_p", "asymptotic"):
        found = tests["mcnemar"](*right(*case), method=method, better=better)
        assert found.details["score_interval"] == expected
    assert [found.low, found.high] == expected
    assert (found.p < 0.05) == (found.low > 0 or found.high < 0)


def test_seen_from_the_other_model():
    case = CASES[0]
    found = tests["mcnemar"](*right(*case)).seen_from("b")
    low, high = tango(*case, 0.05)
    assert found.details["score_interval"] == [-high, -low]


def test_it_is_shown_beside_mcnemar():
    """Of 6 and 16 rows that only one model gets right, among 161: by hand of the values above."""
    from referee import compare
    from referee.significance_tests.mcnemar import tango

    right = [(1, 1)] * 100 + [(1, 0)] * 6 + [(0, 1)] * 16 + [(0, 0)] * 39
    truth = [place % 2 for place in range(161)]
    models = {name: [y if each[side] else 1 - y for y, each in zip(truth, right, strict=True)]
              for side, name in enumerate("ab")}  # fmt: skip
    verdict = compare(truth, models, goal="accuracy", test="mcnemar", metrics="goal")
    low, high = tango(16, 6, 161, 0.05)
    said = f"b minus a [{low:.4f}, {high:.4f}]"
    for text in (verdict.to_markdown(), verdict.to_latex(), verdict.to_html()):
        plain = " ".join(text.replace("\\[", "[").replace("\\]", "]").replace("{[}", "[").replace("{]}", "]").split())
        assert "Tango" in plain
    assert said in " ".join(verdict.to_markdown().replace("\\[", "[").replace("\\]", "]").split())

"""The scripts' own functions, one by one, in the browser that runs them."""

from __future__ import annotations

import csv
import io
import random

import pytest
from scipy import stats

from referee.document import words
from referee.page.shell import TEMPLATE

CALL = """async ([module, call, given]) => {
  const found = await import(`http://scripts/${module}.js`);
  return new Function("module", "given", `return module.${call}`)(found, given);
}"""
EMPTY = "<!doctype html><title>scripts</title>"


@pytest.fixture(scope="module")
def call(chromium):
    """`call("numbers", "number(given)", 0.5)`: what a module's function returns."""
    page = chromium.new_context().new_page()

    def answer(route):
        file = TEMPLATE / "script" / route.request.url.removeprefix("http://scripts/")
        if file.suffix == ".js":
            route.fulfill(body=file.read_text(), content_type="text/javascript")
        else:
            route.fulfill(body=EMPTY, content_type="text/html; charset=utf-8")

    page.route("**/*", answer)
    page.goto("http://scripts/")
    yield lambda module, call, given=None: page.evaluate(CALL, [module, call, given])
    page.context.close()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("nearestPlace([0.9, 0.5, 0.1], 0.45)", 1),
        ("nearestPlace([0.9, 0.5, 0.1], 7)", 0),
        ("bestPlace([3, 2, 1], (place) => [4, 9, 9][place])", 1),
        ("precision({ tp: 3, fp: 1 })", 0.75),
        ("recall({ tp: 3, fn: 9 })", 0.25),
        ("specificity({ tn: 3, fp: 1 })", 0.75),
        ("fOne({ tp: 1, fp: 1, fn: 1 })", 0.5),
        ("accuracy({ tp: 1, fp: 2, fn: 3, tn: 4 })", 0.5),
        ("flagged({ tp: 1, fp: 2, fn: 3, tn: 4 })", 0.3),
        ("costPerThousand({ tp: 1, fp: 2, fn: 3, tn: 4 }, 10, 100)", 32_000),
        ("countsAt({ t: [0.5], tp: [3], fp: [1] }, { positives: 5, negatives: 7 }, 0)",
         {"threshold": 0.5, "tp": 3, "fp": 1, "fn": 2, "tn": 6}),
    ],
)  # fmt: skip
def test_counts(call, expression, expected):
    assert call("counts", expression) == expected


def values():
    """Of every size and sign, with the halves that must go to the even digit, and what rounding carries over."""
    draw = random.Random(3)
    halves = [0.03125, 1234.5, 1235.5, 12.125, 12.375, 1234500.0, 1235500.0, 0.5, 2.5, 123456.5, 1e-4 + 0.5e-8]
    carried = [9.99996, 99.996, 999.96, 9999.6, 999999.6, 9999999.0, 9.99996e-5, 9.9999e-5, 1e-4, 1e6, 12.3456, 1234567]
    drawn = [draw.choice((-1, 1)) * draw.random() * 10 ** draw.randint(-12, 12) for _ in range(600)]
    fractions = [draw.randint(0, 10**7) / 2 ** draw.randint(0, 12) for _ in range(600)]
    return [0.0, 1e-300, 1e200, 5e-324, *halves, *(-one for one in halves), *carried, *drawn, *fractions]


def test_numbers_are_written_as_python_writes_them(call):
    given = values()
    assert call("numbers", "number && given.map((one) => module.number(one))", given) == [*map(words.number, given)]
    assert call("numbers", "number(null)") == call("numbers", "number(NaN)") == words.number(None)


def test_counts_are_written_as_python_writes_them(call):
    given = [one for one in values() if abs(one) < 1e15]
    assert call("numbers", "count && given.map((one) => module.count(one))", given) == [*map(words.count, given)]


@pytest.mark.parametrize(
    ("a", "b", "sign"),
    [("2", "10", -1), ("1,200", "300", 1), ("–", "5", 1), ("beta", "alpha", 1), ("5%", "40%", -1), ("-1", "1", -1),
     ("m2", "m10", -1)],
)  # fmt: skip
def test_order_of_cells(call, a, b, sign):
    found = call("sorting", "inOrder(...given)", [a, b])
    assert (found > 0) - (found < 0) == sign


HOSTILE = ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x")']
HARMLESS = ["-1.5", "+3", "a,b", 'say "x"', "two\nlines", "", "é", "0.5"]


def test_csv_is_read_back_and_holds_no_formula(call):
    text = call("csv", "asCsv([given])", [*HOSTILE, *HARMLESS])
    assert text.startswith("\ufeff")  # for Excel, as é is in it
    (row,) = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    assert row == [*("'" + one for one in HOSTILE), *HARMLESS]


def test_csv_in_plain_letters_has_no_mark(call):
    assert call("csv", "asCsv([['a', '1']])") == "a,1\n"


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [("F-beta, f_score", "F-score", True), ("F-beta, f_score", "fscore", True), ("Cohen’s kappa", "Cohen's", True),
     ("Caf\u00e9", "cafe", True), ("roc_auc", "roc auc", True), ("roc_auc", "brier", False), ("anything", "", True)],
)  # fmt: skip
def test_words_are_found_however_they_are_written(call, text, words, found):
    assert call("matching", "hasWords(module.plain(given[0]), given[1])", [text, words]) is found


@pytest.mark.parametrize("df", [1, 2.5, 7, 30, 381.7, 71689.6, 9e6, None])
def test_students_t_is_scipys(call, df):
    known = stats.norm if df is None else stats.t(df)
    for share in (0.45, 0.25, 0.1, 0.05, 0.025, 0.005, 1e-4, 1e-7):
        if df == 1 and share < 1e-5:
            continue
        assert call("student", "exceeded(...given)", [share, df]) == pytest.approx(known.isf(share), rel=1e-8)
    for t in (0, 0.3, 1, 2.4, 2.6, 6):
        assert call("student", "upperTail(...given)", [t, df]) == pytest.approx(known.sf(t), rel=1e-8)


@pytest.mark.parametrize("p", [0.0344, 1e-9, 1.0, 0.0499, 0.04996, 0.05, 0.31, 0.00012, 0.1003, 0.0500001, 0.9999])
def test_p_is_written_as_python_writes_it(call, p):
    assert call("numbers", "pValue(given)", p) == words.p_value(p)

"""The scripts' own functions, one by one, in the browser that runs them."""

from __future__ import annotations

import pytest

from referee.report.page.document import TEMPLATE

CALL = """async ([code, call]) => {
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const module = await import(address);
  return new Function("module", `return module.${call}`)(module);
}"""


@pytest.fixture(scope="module")
def blank(chromium):
    page = chromium.new_context(offline=True).new_page()
    yield page
    page.context.close()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("nearestPlace([0.9, 0.5, 0.1], 0.45)", 1),
        ("nearestPlace([0.9, 0.5, 0.1], 7)", 0),
        ("bestPlace([3, 2, 1], (place) => [4, 9, 9][place])", 1),
        ("precision({ tp: 3, fp: 1 })", 0.75),
        ("recall({ tp: 3, fn: 9 })", 0.25),
        ("specificity({ tn: 3, fp: 1 })", 0.75),
        ("fOne({ tp: 1, fp: 1, fn: 1 })", 0.5),
        ("accuracy({ tp: 1, fp: 2, fn: 3, tn: 4 })", 0.5),
        ("costPerThousand({ tp: 1, fp: 2, fn: 3, tn: 4 }, 10, 100)", 32_000),
        ("countsAt({ t: [0.5], tp: [3], fp: [1] }, { positives: 5, negatives: 7 }, 0)",
         {"threshold": 0.5, "tp": 3, "fp": 1, "fn": 2, "tn": 6}),
    ],
)  # fmt: skip
def test_counts(blank, call, expected):
    code = (TEMPLATE / "script/counts.js").read_text()
    assert blank.evaluate(CALL, [code, call]) == expected


@pytest.mark.parametrize(
    ("a", "b", "sign"),
    [("2", "10", -1), ("1,200", "300", 1), ("–", "5", 1), ("beta", "alpha", 1), ("5 %", "40 %", -1), ("-1", "1", -1)],
)
def test_order_of_cells(blank, a, b, sign):
    code = (TEMPLATE / "script/sorting.js").read_text().replace('from "./dom.js"', "from 'data:text/javascript,"
           "export const all = () => []; export const make = 0; export const one = 0;'")  # fmt: skip
    found = blank.evaluate(CALL, [code, f"inOrder({a!r}, {b!r})"])
    assert (found > 0) - (found < 0) == sign

"""Formulas as MathML: well-formed, no word lost, fractions and roots where the text has them."""

from __future__ import annotations

import re
from xml.etree.ElementTree import fromstring

import pytest

from referee import metrics, tests
from referee.catalogue import in_symbols
from referee.page.typeset_formula import typeset

FORMULAS = [line for metric in metrics.values() for line in in_symbols(metric.formula)]
FORMULAS += [line for test in tests.values() for line in in_symbols(test.statistic_formula)]
SPELT = {"β": "beta", "χ²": "chi-squared", "∑": "sum"}


def words_in(text):
    for sign, word in SPELT.items():
        text = text.replace(sign, f" {word} ")
    text = re.sub(r"[^\w'-]|\b(x|of|over|sqrt)\b|²|(?<!\w)-|_", " ", text.replace("^2", " 2 ").replace("²", " 2 "))
    return sorted(text.split())


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_word_is_lost(formula):
    shown = fromstring(f"<p>{typeset(formula)}</p>")
    text = " ".join(shown.itertext()).replace("−", "-").replace("×", "x")
    assert words_in(text) == words_in(formula)


def shape(element):
    """An element with its children, those that only group left out."""
    inside = [shape(child) for child in element if child.tag != "mspace"]
    if element.tag in ("math", "mrow"):
        return inside[0] if len(inside) == 1 else inside
    return [element.tag, *inside] if inside else element.text


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("TP / (TP + FP)", ["mfrac", "TP", ["TP", "+", "FP"]]),
        ("sqrt(a x b) / n", ["mfrac", ["msqrt", ["a", "×", "b"]], "n"]),
        ("(y - p)²", ["msup", ["(", "y", "−", "p", ")"], "2"]),
        ("mean of |y - p| / |y|", ["mean of", ["mfrac", ["|", "y", "−", "p", "|"], ["|", "y", "|"]]]),
        ("sum of a x b / sum of c", ["mfrac", ["∑", "a", "×", "b"], ["∑", "c"]]),
        ("sum over places of gain / n", [["munder", "∑", "places"], ["mfrac", "gain", "n"]]),
        ("1 - a / b x c", ["1", "−", [["mfrac", "a", "b"], "×", "c"]]),
        ("S_PA / 2", ["mfrac", ["msub", "S", "PA"], "2"]),
        ("- mean of log(p)", ["−", ["mean of", ["log", ["(", "p", ")"]]]]),
        ("gain / log2(place + 1)", ["mfrac", "gain", ["log2", ["(", "place", "+", "1", ")"]]]),
        ("2 n / (k - 1) of rows", [["mfrac", "2 n", ["k", "−", "1"]], "of rows"]),
    ],
)
def test_the_structure_is_that_of_the_text(formula, expected):
    assert shape(fromstring(str(typeset(formula)))) == expected


def test_sentences_stay_sentences():
    long = "area under the part of the ROC curve between two specificities / its width"
    assert str(typeset(long)) == long
    assert "<math" not in typeset("share of rows with fewer than k classes ahead; a < b")
    assert str(typeset("share of a < b")) == "share of a &lt; b"

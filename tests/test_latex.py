"""Tables for papers: nothing that a user names is obeyed by LaTeX, and every line has all its cells."""

from __future__ import annotations

import re

import pytest

from referee import Predictions, compare, evaluate
from referee.report.latex import scores_to_latex, verdict_to_latex
from referee.report.terminal.strips import ASCII, Scale

TRUTH = [0, 1] * 50
HOSTILE = r"\input{/etc/passwd} 50% a_b & $x^2$ #1 ~"


@pytest.fixture
def predictions():
    good, bad = [0.1, 0.9] * 50, [0.1, 0.9, 0.8, 0.3] * 25
    return Predictions.from_arrays(TRUTH, {HOSTILE: good, "plain": bad})


def tables(text):
    return re.findall(r"\\toprule\n(.*?)\\bottomrule", text, re.S)


def cells(line):
    return re.split(r"(?<!\\)&", line)


@pytest.mark.parametrize("written", ["scores", "verdict"])
def test_every_line_is_whole(predictions, written):
    of_scores = written == "scores"
    text = (
        scores_to_latex(evaluate(predictions), alpha=0.05)
        if of_scores
        else verdict_to_latex(compare(predictions, "roc_auc"))
    )
    assert text.count(r"\begin{") == text.count(r"\end{")
    assert len(re.findall(r"(?<!\\){", text)) == len(re.findall(r"(?<!\\)}", text))
    assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0
    assert r"\input" not in text and "±" not in text
    for table, alignment in zip(tables(text), re.findall(r"\\begin{tabular}{(\w+)}", text), strict=True):
        lines = [line for line in table.splitlines() if line != r"\midrule"]
        assert lines and all(line.endswith(r" \\") for line in lines)
        assert {len(cells(line)) for line in lines} == {len(alignment)}


def test_the_caption_is_the_verdict(predictions):
    verdict = compare(predictions, "accuracy")
    assert verdict.outcome == "winner"
    caption = re.search(r"\\caption{(.*)}\n\\label{tab:verdict}", verdict_to_latex(verdict))
    assert "wins" in caption[1] or "better" in caption[1]
    assert r"\textbackslash{}input" in caption[1]


@pytest.mark.parametrize(
    ("interval", "drawn"),
    [
        ((0.0, 0.5, 1.0), "|----o----|"),
        ((0.0, 0.0, 0.2), "o-|"),
        ((0.8, 1.0, 1.0), "        |-o"),
        ((None, 0.5, None), ""),
    ],
)
def test_intervals_drawn_in_text(interval, drawn):
    assert Scale(0.0, 1.0, 11, ASCII).strip(*interval) == drawn


def test_one_value_has_a_place():
    assert Scale(0.7, 0.7, 11, ASCII).strip(0.7, 0.7, 0.7) == " " * 5 + "o"

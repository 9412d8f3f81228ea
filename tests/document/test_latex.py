"""Tables for papers: nothing that a user names is obeyed by LaTeX, and every value stands beside its own interval."""

from __future__ import annotations

import re

import numpy as np
import pytest
from pylatexenc.latexwalker import LatexWalkerParseError
from sklearn.metrics import accuracy_score, roc_auc_score

from referee.comparing import compare, gate
from referee.document import Bar, Document, Part, latex_text, number_cell, table
from referee.document.latex import escaped
from referee.document.terminal import drawn as drawn_bar
from referee.predictions import Predictions
from referee.scoring import evaluate
from tests.document.latex_reader import NotLatexError, tables_in

TRUTH = [0, 1] * 50
GOOD, BAD = [0.1, 0.9] * 50, [0.1, 0.9, 0.8, 0.3] * 25
HOSTILE = [
    r"\input{/etc/passwd} 50% a_b & $x^2$ #1 ~", "[x]", "*x", "[2pt] y", "*[1cm]", r"\\[2pt]", r"\midrule", "a--b---c",
    "`q' ?` !` \"z\"", "<<>>|{}", "{", "%", "$", "two\nlines", "ł é ß ’ € ≥",
]  # fmt: skip


@pytest.fixture
def predictions():
    return Predictions.from_arrays(TRUTH, {HOSTILE[0]: GOOD, "plain": BAD})


def tables(text):
    return re.findall(r"\\toprule\n(.*?)\\bottomrule", text, re.DOTALL)


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix(r" \\"))]


def lines(table):
    return [cells(line) for line in table.splitlines() if line != r"\midrule"]


def numbers(cell):
    """The numbers of a cell, whatever is around them."""
    return [float(one) for one in re.findall(r"-?[\d.]+", cell.replace("$-$", "-"))]


@pytest.mark.parametrize("written", ["scores", "verdict"])
def test_every_line_is_whole(predictions, written):
    of_scores = written == "scores"
    text = evaluate(predictions).to_latex() if of_scores else compare(predictions, "roc_auc").to_latex()
    assert text.count(r"\begin{") == text.count(r"\end{")
    assert len(re.findall(r"(?<!\\){", text)) == len(re.findall(r"(?<!\\)}", text))
    assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0
    assert r"\input" not in text
    for inside, alignment in zip(tables(text), re.findall(r"\\begin{tabular}{(\w+)}", text), strict=True):
        rows = [line for line in inside.splitlines() if line != r"\midrule"]
        assert rows and all(line.endswith(r" \\") for line in rows)
        assert {len(cells(line)) for line in rows} == {len(alignment)}


def test_the_caption_is_the_verdict(predictions):
    verdict = compare(predictions, "accuracy")
    assert verdict.outcome == "winner"
    caption = re.search(r"\\caption{(.*)}\n\\label{tab:verdict}", verdict.to_latex())
    assert "wins" in caption[1] or "better" in caption[1]
    assert r"\textbackslash{}input" in caption[1]


def some_models(rows=300, folds=5):
    draw = np.random.default_rng(3)
    truth = draw.integers(0, 2, rows)
    scores = {name: truth * gap + draw.normal(size=rows) for name, gap in (("one", 1.2), ("two", 0.9))}
    return truth, scores, np.arange(rows) % folds


def test_the_mean_of_folds_and_the_value_of_all_rows_are_two_columns():
    """The interval is that of the latter: both values are scikit-learn's."""
    truth, scores, fold = some_models()
    verdict = compare(Predictions.from_arrays(truth, scores, fold=fold), "roc_auc", unit="fold")
    head, *rows = lines(tables(verdict.to_latex())[0])
    assert head == ["", "mean of folds", "on all rows", r"95\% interval", ""]
    for shown, *found in rows[:2]:
        name = re.sub(r"\\textbf{(.*)}", r"\1", shown)
        each = [roc_auc_score(truth[fold == k], scores[name][fold == k]) for k in range(5)]
        pooled = roc_auc_score(truth, scores[name])
        assert numbers(found[0]) == pytest.approx([np.mean(each)], abs=5e-5)
        assert numbers(found[1]) == pytest.approx([pooled], abs=5e-5)
        low, high = numbers(found[2])
        assert (low, high) == pytest.approx(
            [getattr(verdict.scores[name, "roc_auc"], end) for end in ("low", "high")], abs=5e-5
        )
        assert low < pooled < high
    assert rows[2][:3] == ["guessing", "", "0.5000"]


def test_one_column_where_rows_are_compared():
    truth, scores, _ = some_models()
    head, *rows = lines(tables(compare(Predictions.from_arrays(truth, scores), "roc_auc").to_latex())[0])
    assert head == ["", "value", r"95\% interval", ""]
    for shown, value, *_ in rows[:2]:
        name = re.sub(r"\\textbf{(.*)}", r"\1", shown)
        assert numbers(value) == pytest.approx([roc_auc_score(truth, scores[name])], abs=5e-5)


def test_the_better_minus_the_other():
    """10 of 100 rows wrong against 30, whichever was given first."""
    a, b = np.array(TRUTH, float), np.array(TRUTH, float)
    a[:10], b[20:50] = 1 - a[:10], 1 - b[20:50]
    verdict = compare(Predictions.from_arrays(TRUTH, {"a": a, "b": b}), "accuracy")
    (found,) = lines(tables(verdict.to_latex())[1])[1:]
    gap = accuracy_score(TRUTH, a) - accuracy_score(TRUTH, b)
    assert found[0] == r"a \textgreater{} b"
    assert numbers(found[1]) == pytest.approx([gap], abs=5e-5)
    low, high = numbers(found[2])
    assert low < gap < high
    assert low > 0
    backwards = compare(Predictions.from_arrays(TRUTH, {"b": b, "a": a}), "accuracy")
    (found,) = lines(tables(backwards.to_latex())[1])[1:]
    assert (found[0], numbers(found[1])) == (r"a \textgreater{} b", [pytest.approx(gap, abs=5e-5)])


def test_a_lopsided_interval_is_shown_with_both_ends():
    truth = [1] * 6 + [0] * 94
    scores = [0.9, 0.8, 0.7, 0.6, 0.2, 0.1] + [0.85, 0.55] + [0.05] * 92
    found = evaluate(Predictions.from_arrays(truth, {"a": scores}), ["average_precision"])
    score = found["a", "average_precision"]
    (row,) = [row for row in lines(tables(found.to_latex())[0]) if row[0] == "a"]
    assert numbers(row[1]) == pytest.approx([score.value], abs=5e-5)
    assert numbers(row[2]) == pytest.approx([score.low, score.high], abs=5e-5)
    assert abs((score.high - score.value) - (score.value - score.low)) > 0.05


def test_what_is_undefined_is_a_dash():
    constant = compare(Predictions.from_arrays(TRUTH, {"a": GOOD, "b": [0.1] * 100}), "mcc")
    text = constant.to_latex()
    assert "$--$" not in text and "–" not in text
    assert lines(tables(text)[1])[1][1] == "--"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "0.5000"),
        (-0.25, "$-$0.2500"),
        (2e-7, r"2$\times10^{-7}$"),
        (-1.5e9, r"$-$1.5$\times10^{9}$"),
        (None, "--"),
    ],
)
def test_numbers(value, shown):
    text = latex_text(Document("test", "", (Part("Numbers", (table("n", ["", "x"], [["a", number_cell(value)]]),)),)))
    assert lines(tables(text)[0])[1][1] == shown


def test_a_row_never_begins_with_what_belongs_to_the_line_above():
    """After a rule or a line break, an asterisk or a bracket is an option of it."""
    models = {name: np.roll(GOOD, place) for place, name in enumerate(HOSTILE)}
    text = compare(Predictions.from_arrays(TRUTH, models), "accuracy").to_latex()
    for inside in tables(text):
        assert not re.search(r"(^|\n)\s*[\[*]", inside)
    assert re.search(r"\n({}|\\textbf{)\[x\]", text)
    assert re.search(r"\n({}|\\textbf{)\*x", text)


@pytest.mark.parametrize("what", ["verdict", "scores", "gate"])
def test_latex_takes_it(what):
    models = {name: np.roll(GOOD, place % 3) for place, name in enumerate(HOSTILE)}
    predictions = Predictions.from_arrays(TRUTH, models)
    text = {
        "verdict": lambda: compare(predictions, "mcc").to_latex(),
        "scores": lambda: evaluate(predictions, ["accuracy", "roc_auc"]).to_latex(),
        "gate": lambda: gate(predictions, "accuracy", production="[x]", candidate="*x", margin=0.05).to_latex(),
    }[what]()
    names = {"verdict": [*HOSTILE, "guessing"], "scores": HOSTILE, "gate": ["*x", "[x]"]}[what]
    first = [row[0] for row in tables_in(text)[0]]
    plain = {re.sub(r"^\\textbf{(.*)}$", r"\1", cell.removeprefix("{}")) for cell in first}
    assert {escaped(name) for name in names} <= plain


@pytest.mark.parametrize(
    "hostile",
    [
        r"\input{x}",
        "50%",
        "a_b",
        "x^2",
        "#1",
        "a & b",
        "$",
        "{",
        "}",
        "~",
        "?`",
        "[x]",
        r"x \\ *y",
        r"\\[2pt]",
        "≥",
        r"y \midrule",
    ],
)
def test_the_reader_refuses_what_latex_does(hostile):
    table = r"\begin{tabular}{ll}\midrule NAME & 1 \\ \end{tabular}"
    assert tables_in(table) == [[["NAME", "1"]]]
    with pytest.raises((NotLatexError, LatexWalkerParseError)):
        tables_in(table.replace("NAME", hostile))


@pytest.mark.parametrize(
    ("name", "is_needed"), [("模型", True), ("α", True), ("🎉", True), ("Đ", True), ("é ’ €", False)]
)
def test_the_engine_is_named_where_not_any_will_do(name, is_needed):
    text = compare(Predictions.from_arrays(TRUTH, {name: GOOD, "b": BAD}), "accuracy").to_latex()
    assert text.startswith("% ") == is_needed
    assert ("LuaLaTeX or XeLaTeX" in text) == is_needed
    assert escaped(name) in text


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,a,b\n" + "1,0.9,0.4\n0,0.2,0.3\n1,0.6,0.8\n0,0.7,0.1\n" * 10)
    return path


def test_evaluate_and_gate_write_it_too(referee, source):
    run = referee("evaluate", source, "--truth", "y", form="latex")
    assert run.code == 0
    assert r"\label{tab:scores}" in run.out
    asked = ("--production", "a", "--candidate", "b", "--margin", "0.9", "--goal", "accuracy")
    run = referee("gate", source, "--truth", "y", *asked, form="latex")
    assert run.code == 0
    assert run.out.count(r"\toprule") == 1
    assert re.search(r"\\caption{Pass: b is not worse than a", run.out)


def test_lint_has_no_place_in_it(referee, source):
    run = referee("evaluate", source, "--truth", "y", "--lint", "--goal", "accuracy", form="latex")
    assert run.code == 2
    assert "--lint" in run.err and not run.out


@pytest.mark.parametrize(
    ("interval", "drawn"),
    [
        ((0.0, 0.5, 1.0), "├────●────┤"),
        ((0.0, 0.0, 0.2), "●─┤"),
        ((0.8, 1.0, 1.0), "        ├─●"),
        ((None, 0.5, None), ""),
    ],
)
def test_intervals_drawn_in_text(interval, drawn):
    assert drawn_bar(Bar(*interval), 0.0, 1.0, 11) == drawn


def test_one_value_has_a_place():
    assert drawn_bar(Bar(0.7, 0.7, 0.7), 0.7, 0.7, 11) == " " * 5 + "●"

"""What people see: nothing is dropped, names stay apart, and tables fit."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from referee.cli.output import show
from referee.comparing import compare
from referee.document import columns_of, distinct_names, folded, message_line, name_key, visible
from referee.predictions import Predictions
from referee.scoring import evaluate

NAMES = ("model_a_test_auc", "model_b_test_auc", "model_c_test_auc", "model_d_test_auc")


def predictions(names=("A", "B"), rows=120, slices=3, folds=0, classes=2, seed=0):
    draw = np.random.default_rng(seed)
    truth = np.arange(rows) % classes
    columns = {}
    for name in names:
        scores = draw.random((rows, classes)) + 0.4 * np.eye(classes)[truth]
        columns[name] = scores[:, 1] / 2 if classes == 2 else scores / scores.sum(axis=1, keepdims=True)
    further = {"by": {"region": [f"region {row % slices}" for row in range(rows)]}} if slices else {}
    further |= {"fold": [f"f{row // (rows // folds)}" for row in range(rows)]} if folds else {}
    return Predictions.from_arrays(truth if classes == 2 else [f"c{code:02}" for code in truth], columns, **further)


@pytest.fixture
def shown(capsys):
    """Write scores in a format: `shown(scores, "text")`."""

    def written(scores, form="text", **options):
        show(scores, form, **options)
        captured = capsys.readouterr()
        if form == "text":
            assert max(map(cell_len, captured.out.splitlines())) <= 80
        return captured.out

    return written


def lines_with(text, *words):
    return [line for line in text.splitlines() if all(word in line for word in words)]


def test_headers_of_different_models_differ(shown):
    for names in (NAMES, [f"{'x' * 60}{place}{'y' * 60}" for place in range(5)]):
        out = shown(evaluate(predictions(names, slices=0)))
        labels = distinct_names(names, 33)
        assert len(set(labels.values())) == len(names)
        for name in names:
            assert all(part in out for part in folded(labels[name], 11).split("\n"))


@given(
    names=st.lists(st.text(min_size=1, max_size=40), unique=True, max_size=20)
    | st.builds(
        lambda start, end, cores: [f"{start}{core}{end}" for core in cores],
        st.text("xgb_depth0.1模", max_size=20),
        st.text("eta_0.1 ", max_size=20),
        st.lists(st.text("0123456789_ab", max_size=8), unique=True, min_size=1, max_size=20),
    ),
    longest=st.integers(8, 33),
)
def test_names_that_are_cut_stay_apart_and_borrow_no_sign(names, longest):
    labels = distinct_names(names, longest)
    assert len(set(labels.values())) == len(names)
    assert max(map(columns_of, labels.values()), default=0) <= longest
    for name, label in labels.items():
        if columns_of(text := visible(name)) <= longest and "…" not in text and "\\" not in text:
            assert label == text
        assert not set("<>~?±[]–↓") & (set(label) - set(name))


@pytest.mark.parametrize("longest", [11, 18])
@pytest.mark.parametrize(
    "names, parts",
    [
        (["xgb_depth6_eta0.1", "xgb_depth8_eta0.1"], ["6", "8"]),
        ([f"lightgbm_leaves{leaves}_baseline" for leaves in (7, 15, 31, 63, 127)], ["7", "15", "31", "63", "127"]),
        ([f"gradient_boosting_{place}_of_twenty" for place in range(20)], [str(place) for place in range(20)]),
        (["model_v9_features_all", "model_v10_features_all"], ["9", "10"]),
    ],
)
def test_names_that_are_cut_show_what_differs(names, parts, longest):
    """The whole number: 27 of leaves127 would be another one."""
    labels = distinct_names(names, longest)
    for label, part in zip(labels.values(), parts, strict=True):
        assert part in re.findall(r"\d+", label)
    assert name_key(labels) == []


def test_names_that_differ_in_nothing_that_fits_are_told_by_their_key():
    names = ["a" * 50, "a" * 51, "a\nb", "a\\nb"]
    labels = distinct_names(names, 11)
    assert len(set(labels.values())) == 4
    assert [line.partition(" = ")[2] for line in name_key(labels)] == ["a" * 50, "a" * 51, "a\\nb"]


def test_a_model_called_guessing(shown):
    scores = evaluate(predictions(["guessing", "B"], slices=0))
    header = next(line for line in shown(scores).splitlines() if "(guessing)" in line)
    assert re.findall(r"\(?guessing\)?", header) == ["guessing", "(guessing)"]
    rows = list(csv.DictReader(io.StringIO(shown(scores, "csv"))))
    assert {row["kind"] for row in rows} == {"model", "baseline"}
    assert len([row for row in rows if row["kind"] == "baseline"]) == len(scores.baseline)
    assert len([row for row in rows if row["kind"] == "model"]) == len(scores.rows)
    assert "| guessing | B | (guessing) |" in shown(scores, "md")


def test_few_metrics_have_their_intervals(shown):
    scores = evaluate(predictions(slices=0), ["accuracy", "roc_auc", "brier"], alpha=0.1)
    out = shown(scores)
    assert "90% interval" in out
    for row in (row for row in scores if row.overall):
        assert lines_with(out, row.model, f"{row.value:.4f}", f"[{row.low:.4f}, {row.high:.4f}]")
        assert lines_with(out, row.model, f"{row.standard_error:.4f}")
    assert "brier, lower is better" in out


def test_half_widths_where_they_fit(shown):
    scores = evaluate(predictions(slices=0))
    row = scores["A", "roc_auc"]
    half = max(row.high - row.value, row.value - row.low)
    assert lines_with(shown(scores), "roc_auc", f"{row.value:.4f} ±{half:.3f}")
    assert lines_with(shown(evaluate(predictions(NAMES, slices=0))), "guessing", "±")


def test_every_slice_of_few_metrics(shown):
    scores = evaluate(predictions(slices=7), ["accuracy", "roc_auc"], by="region")
    out = shown(scores)
    for place in range(7):
        name = f"region {place}"
        values = [row.value for row in scores if row.model == "A" and row.slice == name]
        assert lines_with(out, name, *(f"{value:.4f}" for value in values))


def test_the_ends_of_many_metrics_and_slices(shown):
    out = shown(evaluate(predictions(slices=7), by="region"))
    assert "--metrics M1,M2" in out
    assert "lowest" in out


def test_the_mean_over_folds_is_that_of_json(shown):
    """Of folds with one class AUC is undefined, and so is their mean."""
    rows, truth = 60, np.array([1] * 6 + [0, 1] * 27)
    scores = np.random.default_rng(0).random(rows)
    given = Predictions.from_arrays(truth, {"A": scores}, fold=[f"f{row // 6}" for row in range(rows)])
    found = evaluate(given, ["roc_auc", "accuracy"])
    out = shown(found)
    mean = {row.metric: row.value for row in found if row.unit == "mean"}
    by_fold = out[out.index("by fold") :]
    assert mean["roc_auc"] is None
    assert lines_with(by_fold, "mean", "–", f"{mean['accuracy']:.4f}")
    narrow = shown(evaluate(given))
    narrow = narrow[narrow.index("by fold") :]
    assert lines_with(narrow, "roc_auc", "9 of 10", "–")
    assert lines_with(narrow, "accuracy", "10", f"{mean['accuracy']:.4f}")


def test_footnotes_only_for_what_is_shown(shown):
    truth = [1, 1, 0, 1, 0, 1]
    given = Predictions.from_arrays(
        truth, {"A": [0.9, 0.8, 0.3, 0.4, 0.6, 0.7]}, by={"region": ["n", "n", "s", "s", "s", "s"]}
    )
    out = shown(evaluate(given, ["roc_auc"], by="region"))
    overall, slices = out.split("by slice")
    reason = "only one class"
    assert reason not in overall
    assert reason in slices


def test_rows_are_counted_as_people_do(shown):
    assert shown(evaluate(Predictions.from_arrays([1], {"A": [0.4]}))).startswith("1 row, ")
    assert shown(evaluate(Predictions.from_arrays([1, 0], {"A": [0.4, 0.3]}))).startswith("2 rows, ")


@pytest.mark.parametrize("classes", [2, 3, 6, 12])
def test_text_fits(shown, classes):
    given = predictions(("a_rather_long_name_of_a_model", "B"), rows=240, slices=5, folds=6, classes=classes)
    shown(evaluate(given, by="region"))
    asked = ["negative_predictive_value", "false_positive_rate", "average_precision", "recall", "precision", "f_beta"]
    shown(evaluate(given, asked, by="region"))


def test_per_class_table_of_what_was_asked_for(shown):
    scores = evaluate(predictions(classes=3, slices=0), ["jaccard"])
    out = shown(scores)
    for row in (row for row in scores if row.class_ is not None):
        assert lines_with(out, row.class_, f"{row.value:.4f}")


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("asked", [None, ["roc_auc", "f1"]])
def test_markdown_holds_every_score(shown, classes, asked):
    scores = evaluate(predictions(classes=classes, slices=7, folds=5), asked, by="region")
    out = shown(scores, "md", whole=True)
    for row in scores:
        assert row.value is None or f"| {row.value:.4f}" in out or f"{row.value:.4g}" in out, row
        assert row.undefined is None or row.undefined in out
    for matrix in scores.confusion.values():
        for line in matrix:
            shown_first = line[::-1] if classes == 2 else line  # the positive class, as textbooks draw it
            assert " | ".join(map(str, shown_first)) in out
    for table in re.findall(r"(?:^\|.*\n)+", out, re.MULTILINE):
        assert len({line.replace(r"\|", "").count("|") for line in table.splitlines()}) == 1


def test_markdown_says_the_threshold_and_why_there_is_a_dash(shown):
    given = Predictions.from_arrays([1, 0, 1], {"A": [0.1, 0.2, 0.3]})
    out = shown(evaluate(given, ["precision", "accuracy"]), "md")
    assert "accuracy at 0.5" in out
    assert "- a  no row was predicted positive" in out
    assert "W\\_ZERODIV" in out


def test_balanced_classes_are_not_rare():
    def codes(given):
        return {notice.code for notice in evaluate(given, ["accuracy"]).notices}

    assert "W_IMBALANCE" not in codes(predictions(classes=12, rows=240, slices=0))
    truth = ["a"] * 10 + ["b"] * 10 + ["c"] * 1
    hard = Predictions.from_arrays(truth, {"m": truth[1:] + truth[:1]})
    assert "W_IMBALANCE" in codes(hard)
    assert "W_IMBALANCE" in codes(Predictions.from_arrays([1] + [0] * 12, {"A": np.linspace(0.9, 0.1, 13)}))
    assert "W_IMBALANCE" not in codes(Predictions.from_arrays([1] * 2 + [0] * 12, {"A": np.linspace(0.9, 0.1, 14)}))


def test_a_reversed_ranking_is_said_once():
    given = predictions(classes=3, slices=0)
    (model,) = Predictions.from_arrays(
        [f"c{code:02}" for code in given.truth], {"A": 1 - np.column_stack(given.models[0].class_scores)}
    ).models
    from dataclasses import replace

    scores = evaluate(replace(given, models=(model,)))
    (notice,) = [notice for notice in scores.notices if notice.code == "W_REVERSED"]
    assert "macro average" in notice.message
    assert not evaluate(replace(given, models=(model,)), ["roc_auc(average=micro)"]).notices


def test_messages_are_cut_and_obey_nothing():
    assert message_line("a\tb\x1b[0m") == "a\\tb\\x1b[0m"
    assert len(message_line("word " * 5000)) <= 2000


FORMULAS = ["=cmd|' /C calc'!A0", "@SUM(1)", "+1+1", "-2+3", "\t=1", '=HYPERLINK("http://x","y")']


@pytest.mark.parametrize("form", ["scores", "comparisons"])
def test_what_a_spreadsheet_would_run_is_text(capsys, form):
    found = predictions([*FORMULAS, "plain"], slices=0)
    if form == "scores":
        show(evaluate(found, ["brier"]), "csv")
    else:
        show(compare(found, "brier", metrics=["brier"]), "csv")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    names = {row["model"] for row in rows} if form == "scores" else {row[side] for row in rows for side in "ab"}
    assert names - {"guessing"} == {*(f"'{name}" for name in FORMULAS), "plain"}
    numbers = [row["value"] if form == "scores" else row["difference"] for row in rows]
    assert all(isinstance(float(number), float) for number in numbers)
    assert form == "scores" or any(number.startswith("-") for number in numbers)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_csv_is_not_obeyed_by_a_terminal_now_or_later(monkeypatch, is_terminal):
    out = io.StringIO()
    out.isatty = lambda: is_terminal
    monkeypatch.setattr("sys.stdout", out)
    name = "\x1b]0;pwn\x07\x1b[2J"
    show(evaluate(predictions([name], slices=0), ["brier"]), "csv")
    assert "\x1b" not in out.getvalue()
    assert r"\x1b]0;pwn\x07" in out.getvalue()


@pytest.mark.parametrize("models", [1, 2, 3, 6])
def test_every_value_of_the_table_has_its_uncertainty(shown, models):
    """Beside each value where there is room, else in a column for all models of a table."""
    scores = evaluate(predictions([f"model{place}" for place in range(models)], slices=0))
    out = shown(scores)
    for metric in ("accuracy", "roc_auc", "brier"):
        rows = [scores[name, metric] for name in scores.predictions.names]
        halves = [max(row.high - row.value, row.value - row.low) for row in rows]
        found = [line for line in out.splitlines() if re.match(rf"  {metric}\b", line)]
        said = [float(half) for line in found for half in re.findall(r"±(0\.\d+)", line)]
        each = [float(end) for line in found for end in re.findall(r"\[(0\.\d+), 0\.\d+\]", line)]
        assert len(said) + len(each) == (models if models <= 2 else len(found))
        assert not each or each == pytest.approx([row.low for row in rows], abs=0.0006)
        if models > 2:
            assert said == pytest.approx([max(halves)] * len(found), abs=0.0006)
    assert "decisions at 0.5" in out and "accuracy at 0.5" not in out

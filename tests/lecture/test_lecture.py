"""The lecture: every number that its slides print is computed, read off the slides themselves."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats
from sklearn.metrics import accuracy_score

from referee.cli.commands import referee as command
from referee.errors import UnknownNameError
from referee.lecture import SECTIONS, lecture, t_table
from referee.predictions import Predictions


@pytest.fixture(scope="module")
def slides(shared):
    (file,) = (shared / "seeds").glob("001_*.txt")
    return file.read_text().replace("\\", "").replace("$", "")


def said(name, predictions=None):
    """All lines of a section in one."""
    parts = lecture([name], predictions).document().parts
    return " ".join(line for part in parts for block in part.blocks for line in getattr(block, "items", ()))


def tables(name):
    parts = lecture([name]).document().parts
    return {part.title: [[cell.text for cell in row] for row in part.tables[0].rows] for part in parts if part.tables}


def cells_in(row, count):
    return re.findall(r"<b>(\d+)</b>|\t(\d+)", row)[:count]


def test_every_section_of_the_slides_is_there(slides):
    heads = ["Confusion Matrix", "Class Imbalance", "Precision and Recall", "Holdout", "Random subsampling"]
    heads += ["Cross-Validation", "Bootstrap", "t-test", "ROC Curves", "Issues Affecting", "Numeric Prediction"]
    assert all(head in slides for head in heads)
    assert len(SECTIONS) == len(heads) + 1  # and the t table by itself


def test_confusion_matrices_have_the_positive_class_first(slides):
    shown = lecture(["confusion-matrix"]).document().parts
    (ten, computers) = [[cell.text for cell in row] for part in shown if part.tables for row in part.tables[0].rows[:1]]
    assert "Y\t2\t2\t4\nN\t1\t5\t6" in slides
    assert ten[:4] == ["{}", "2", "2", "4"]
    assert "<b>6954</b>\t<b>46</b>\t7000" in slides
    assert computers[1:4] == ["6,954", "46", "7,000"]
    assert "accuracy = 70%" in slides
    assert "= 0.7 " in said("confusion-matrix")


def test_a_rare_class_is_missed_and_accuracy_does_not_tell(slides):
    assert "9920 / 10000 = 99.2%" in slides
    assert "(20 + 9,900) / (20 + 9,900 + 0 + 80) = 0.992" in said("class-imbalance")


def test_precision_recall_and_f(slides):
    text = said("precision-recall")
    assert "90/230 = 39.13%" in slides
    assert "precision = TP / (TP + FP) = 90 / (90 + 140) = 0.3913" in text
    assert "90/300 = 30.00%" in slides
    assert "90 / (90 + 210) = 0.3 " in text
    found = [float(value) for value in re.findall(r"\(\d² x 0\.3913 \+ 0\.3\) = (0\.\d+)", text)]
    printed = [float(value) for value in re.findall(r"(?:0\.39 \+ 0\.3\)) = (0\.\d+)", slides)]
    assert found == pytest.approx(printed, abs=0.001)  # the slide computes with 0.39
    assert len(found) == 2


def test_the_t_test_is_that_of_the_slide(slides):
    rows = re.findall(r"^(0\.\d+)\t(0\.\d+)\t(-?0\.\d+)\t\t?", slides, re.M)
    shown = tables("t-test")["The test, step by step"]
    assert [[float(text) for text in row[1:]] for row in shown] == [[*map(float, row)] for row in rows]
    text = said("t-test")
    for number in ("0.005245556", "0.022903178", "2.488737606"):
        assert number in slides
        assert f"{float(number):.4g}" in text
    assert "t_{0.025,9} = 2.262" in slides
    assert "t(0.025, 9) = 2.262" in text
    assert re.search(r"conclude +M_2 +is better than +M_1", slides)
    assert "M2 is better" in text


def test_the_textbooks_population_variance_and_the_overlap_are_named():
    each = [0.09, 0.15, 0.12, -0.04, 0.03, 0.08, 0.11, 0.1, -0.01, -0.06]
    population = stats.ttest_1samp(each, 0).statistic * (10 / 9) ** 0.5
    corrected = stats.ttest_1samp(each, 0).statistic * (9 / 19) ** 0.5
    assert f"t = {population:.4g}" in said("t-test")
    assert f"t = {corrected:.4g}, p = {2 * stats.t.sf(corrected, 9):.4g}" in said("t-test")


def printed_t_table(slides):
    rows = re.findall(r"^(\d+)\t([\d.\t]+)$", slides, re.M)
    return {int(df): [float(value) for value in row.split("\t")] for df, row in rows if row.count("\t") == 9}


def test_the_t_table_is_that_of_the_slide_but_for_its_last_column(slides):
    printed = printed_t_table(slides)
    assert [*printed] == [*range(1, 19)]
    shown = {row[0].text: [cell.text for cell in row[1:]] for row in t_table().tables[0].rows}
    for df, values in printed.items():
        assert [float(text) for text in shown[str(df)][:8]] == pytest.approx(values[1:9], abs=0.00051, rel=5e-4)
        assert [float(text) for text in shown[str(df)]] == pytest.approx(
            [stats.t.isf(float(column.title), df) for column in t_table().tables[0].columns[1:]], rel=5e-4, abs=5.1e-4
        )


def test_the_last_column_of_the_slide_is_labelled_wrongly(slides):
    printed = printed_t_table(slides)
    tails = {df: stats.t.sf(values[-1], df) for df, values in printed.items()}
    assert all(tail > 0.0014 for tail in tails.values())
    assert [df for df, tail in tails.items() if tail == pytest.approx(0.0025, rel=2e-3)] == [1, 2, 3]
    assert printed[9][-1] == 3.787
    said_of_it = t_table().blocks[1].items[1]
    assert f"probability {tails[9]:.2g}" in said_of_it
    assert f"t(.001, 9) = {stats.t.isf(0.001, 9):.3f}" in said_of_it


def test_the_roc_curve_row_by_row(slides):
    rows = re.findall(r"^(\d+)\t[PN]\t([\d.]+)\t(\d)\t(\d)\t(\d)\t(\d)\t([\d.]+)\t([\d.]+)$", slides, re.M)
    ((_, shown),) = tables("roc").items()
    assert len(rows) == len(shown) == 10
    for row, (rank, actual, score, *counts, tpr, fpr) in zip(rows, shown, strict=True):
        assert [rank, *counts] == [row[0], *row[2:6]]
        assert float(score) == float(row[1])
        assert actual == ("P" if f"\n{rank}\tP\t" in slides else "N")
        for cell, printed in ((tpr, row[6]), (fpr, row[7])):
            assert float(cell.split(" = ")[-1]) == pytest.approx(float(printed), abs=0.005)
    assert "3 / 6 = 0.5" in slides
    assert shown[3][-2:] == ["3 / 6 = 0.5", "1 / 4 = 0.25"]


def test_the_five_numeric_measures(slides):
    text = said("numeric-measures")
    for name, unit in (("Correlation coefficient", 1), ("Mean absolute error", 1), ("Root mean squared error", 1)):
        printed = float(re.search(rf"^{name}\t([\d.]+)", slides, re.M)[1])
        assert f"= {printed * unit:.4g} " in text
    for name in ("Relative absolute error", "Root relative squared error"):
        printed = float(re.search(rf"^{name}\t([\d.]+) %", slides, re.M)[1]) / 100
        assert f"= {printed:.4g} " in text


def test_the_bootstrap_holds_632_thousandths(slides):
    assert "e^{-1} = 0.368" in slides
    assert "0.3677" in said("bootstrap")
    (rows,) = tables("bootstrap").values()
    assert all(int(distinct) + int(test) == 1000 for _, _, distinct, test in rows)
    assert all(0.59 < int(distinct) / 1000 < 0.67 for _, _, distinct, _ in rows)


@pytest.fixture
def own():
    truth = [0, 1] * 20
    return Predictions.from_arrays(
        truth, {"a": [0.1, 0.9] * 15 + [0.9, 0.1] * 5, "b": [0.2, 0.4] * 20}, fold=[n % 4 for n in range(40)]
    )


@pytest.mark.parametrize("name", SECTIONS)
def test_every_section_is_gone_through_with_other_rows_too(name, own):
    titles = [part.title for part in lecture([name], own).document().parts]
    assert any("your rows" in title for title in titles) == (SECTIONS[name].yours is not None)


def test_own_rows_of_another_task_are_said_to_be(own):
    assert "yours is binary" in said("numeric-measures", own)


def test_own_folds_are_compared_as_on_the_slides(own):
    shown = [part.tables[0] for part in lecture(["t-test"], own).document().parts if part.tables]
    assert [column.title for column in shown[-1].columns] == ["fold", "a", "b", "difference"]
    assert len(shown[-1].rows) == 5


def test_an_unknown_section_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 't-test'"):
        lecture(["ttest"])


def run(*words):
    result = CliRunner().invoke(command, ["lecture", *words])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_command_lists_its_sections():
    assert [line.split()[0] for line in run("--list").splitlines()[3:]] == [*SECTIONS]


@pytest.mark.parametrize("form", ["text", "md", "json", "csv"])
def test_the_command_has_all_formats(form):
    text = run("roc", "--format", form)
    assert "0.992" in text
    if form == "json":
        assert len(json.loads(text)["sections"]["roc"][1]["tables"][0]) == 10


def test_the_command_reads_predictions_and_writes_a_page(tmp_path):
    table, page = tmp_path / "own.csv", tmp_path / "own.html"
    table.write_text("y,m\n" + "1,0.9\n0,0.2\n1,0.4\n0,0.6\n" * 5)
    text = run("precision-recall", str(table), "--truth", "y", "--html", str(page))
    assert "precision at 0.5 = TP / (TP + FP) = 5 / (5 + 5) = 0.5" in text
    assert "5 / (5 + 5) = 0.5" in page.read_text()


def test_nothing_is_wider_than_80_columns():
    assert max(map(len, run().splitlines())) <= 80


def test_estimates_of_the_users_splits_are_accuracies_of_their_test_rows():
    """Of ten folds of equal size the mean is the accuracy of all rows, and its error that of a share."""
    draw = np.random.default_rng(0)
    truth, scores = draw.integers(0, 2, 200), draw.random(200)
    given = Predictions.from_arrays(truth, {"m": scores})
    parts = {part.title: part for part in lecture(["cross-validation", "bootstrap"], given).document().parts}
    rows = {row[0].text: row for row in parts["accuracy on the test rows of each split"].tables[0].rows}
    assert rows["all rows"][2].value == accuracy_score(truth, scores >= 0.5)
    assert "which predictions do not have" in said("bootstrap", given)
    folds = lecture(["cross-validation"], given).document().parts[-1].tables[0].rows
    assert [row[1].text for row in folds[:10]] == ["20"] * 10
    assert np.mean([row[2].value for row in folds[:10]]) == pytest.approx(accuracy_score(truth, scores >= 0.5))
    assert folds[11][2].value == pytest.approx(np.std([row[2].value for row in folds[:10]], ddof=1))

"""Curves: the lecture's table, scikit-learn's and pROC's numbers, and points that are left out unseen."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.special import ndtri
from sklearn import metrics as sk

import referee as package
from referee import metrics
from referee.errors import UsageError
from referee.predictions import Predictions
from referee.thresholds import banded, curves, hull, kinds, thinned
from referee.thresholds.curve_points import curve
from tests.scoring.test_lecture import ROC_CLASSES, ROC_ROWS, ROC_TABLE


def lecture():
    return Predictions.from_arrays(list(ROC_CLASSES), {"m": ROC_ROWS}, positive="P")


def some_rows(rows=2000, *, seed=3, digits=None, weighted=False):
    draw = np.random.default_rng(seed)
    truth = (draw.random(rows) < 0.3).astype(int)
    scores = 1 / (1 + np.exp(-(1.2 * truth - 0.6 + draw.normal(size=rows))))
    scores = scores if digits is None else scores.round(digits)
    weight = draw.integers(0, 4, rows) if weighted else None
    return truth, scores, weight


def read_credit(reference):
    folder = reference / "r"
    expected = json.loads((folder / "proc_and_paired.json").read_text())["pairs"][0]
    with (folder / expected["input"]).open() as file:
        rows = list(csv.DictReader(file))
    truth = [int(row["y"]) for row in rows]
    return expected, truth, {name: [float(row[f"score_{name}"]) for row in rows] for name in "ab"}


def test_the_lectures_table_row_by_row():
    found = curve(lecture(), "roc")
    columns = found.columns()
    assert list(columns) == ["rank", "score", "tp", "fp", "tn", "fn", "tpr", "fpr"]
    rows = list(zip(*(columns[name][1:].tolist() for name in ("tp", "fp", "tn", "fn")), strict=True))
    assert rows == ROC_TABLE
    assert columns["rank"].tolist() == list(range(11))
    assert columns["score"][1:].tolist() == ROC_ROWS
    on_the_slide = [0.17, 0.33, 0.33, 0.5, 0.67, 0.67, 0.83, 0.83, 0.83, 1.0]
    assert columns["tpr"][1:].round(2).tolist() == on_the_slide
    assert columns["fpr"][1:].round(2).tolist() == [0, 0, 0.25, 0.25, 0.25, 0.5, 0.5, 0.75, 1.0, 1.0]
    assert round(found.area, 4) == 0.6667


def test_the_lectures_table_on_the_screen(referee, tmp_path):
    path = tmp_path / "lecture.csv"
    rows = zip(ROC_CLASSES, ROC_ROWS, strict=True)
    path.write_text("y,s\n" + "".join(f"{label},{score}\n" for label, score in rows))
    lines = referee("curves", path, "--truth", "y", "--positive", "P", form="text").out.splitlines()
    first = lines.index("ROC curve of s for 'P': roc_auc 0.6667") + 1
    assert lines[first].split() == ["rank", "score", "TP", "FP", "TN", "FN", "TPR", "FPR"]
    assert lines[first + 1].split() == ["1", "0.9920", "1", "0", "4", "5", "0.1667", "0.0000"]
    assert lines[first + 10].split() == ["10", "0.7420", "6", "4", "0", "0", "1.0000", "1.0000"]


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_roc_is_scikit_learns(digits, weighted):
    truth, scores, weight = some_rows(digits=digits, weighted=weighted)
    found = curve(Predictions.from_arrays(truth, {"m": scores}, weight=weight), "roc")
    fpr, tpr, thresholds = sk.roc_curve(truth, scores, sample_weight=weight, drop_intermediate=False)
    seen = np.isin(thresholds, found.threshold)  # rows without weight are no points
    np.testing.assert_allclose(found.x, fpr[seen], atol=1e-12)
    np.testing.assert_allclose(found.y, tpr[seen], atol=1e-12)
    np.testing.assert_array_equal(found.threshold, thresholds[seen])
    assert found.area == pytest.approx(sk.roc_auc_score(truth, scores, sample_weight=weight), rel=1e-12)


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_precision_recall_is_scikit_learns(digits, weighted):
    truth, scores, weight = some_rows(digits=digits, weighted=weighted)
    found = curve(Predictions.from_arrays(truth, {"m": scores}, weight=weight), "pr")
    precision, recall, thresholds = sk.precision_recall_curve(truth, scores, sample_weight=weight)
    seen = np.flatnonzero(np.isin(thresholds, found.threshold))[::-1]
    np.testing.assert_allclose(found.y, precision[seen], atol=1e-12)
    np.testing.assert_allclose(found.x, recall[seen], atol=1e-12)
    assert found.area == pytest.approx(sk.average_precision_score(truth, scores, sample_weight=weight), rel=1e-12)
    assert found.guessing.y.tolist() == pytest.approx([np.average(truth, weights=weight)] * 2)


def test_det_is_scikit_learns():
    truth, scores, _ = some_rows()
    found = curve(Predictions.from_arrays(truth, {"m": scores}), "det")
    fpr, fnr, thresholds = sk.det_curve(truth, scores)
    places = [int(np.argmin(np.abs(found.threshold - one))) for one in thresholds]
    np.testing.assert_allclose(found.x[places], fpr, atol=1e-15)
    np.testing.assert_allclose(found.y[places], fnr, atol=1e-15)


def test_partial_areas_are_those_of_proc(reference):
    expected, truth, scores = read_credit(reference)
    for name in "ab":
        for focus, short in (("specificity", "spec"), ("sensitivity", "sens")):
            for scale, ending in (("area", ""), ("mcclish", "_corrected")):
                ours = metrics["partial_auc"](truth, scores[name], focus=focus, scale=scale)
                assert ours == pytest.approx(expected[f"auc_{name}"][f"pauc_{short}_1_0.9{ending}"], rel=1e-12)


def test_points_and_intervals_are_those_of_proc(reference):
    expected, truth, scores = read_credit(reference)
    predictions = Predictions.from_arrays(truth, scores)
    for found in curves(predictions, "roc"):
        known = expected[f"auc_{found.model}"]
        assert len(found) == known["n_thresholds"]
        assert found.area == pytest.approx(known["auc"], rel=1e-12)
    for name, error in ((one, expected[f"auc_{one}"]["delong_var"] ** 0.5) for one in "ab"):
        score = package.evaluate(predictions, ["roc_auc"])[name, "roc_auc"]
        assert score.standard_error == pytest.approx(error, rel=1e-10)
        low, high = expected[f"auc_{name}"]["delong_ci95"]
        assert high - low == pytest.approx(2 * 1.959963984540054 * score.standard_error, rel=1e-9)


def test_mcclish_is_scikit_learns_max_fpr():
    truth, scores, _ = some_rows(digits=2)
    for share in (0.05, 0.1, 0.37):
        ours = metrics["partial_auc"](truth, scores, low=1 - share, scale="mcclish")
        assert ours == pytest.approx(sk.roc_auc_score(truth, scores, max_fpr=share), rel=1e-9)


def test_gains_lift_and_decision_by_hand():
    gains, lift = curve(lecture(), "gains"), curve(lecture(), "lift")
    assert (gains.x[5], gains.y[5]) == (0.5, 4 / 6)
    assert gains.area == pytest.approx(float(np.trapezoid(gains.y, gains.x)))
    assert lift.y[4] == pytest.approx((4 / 5) / (6 / 10))
    decision = curve(lecture(), "decision")
    at = {round(float(x), 2): y for x, y in zip(decision.x, decision.y, strict=True)}
    assert at[0.9] == pytest.approx((3 - 1 * 0.9 / 0.1) / 10)  # Vickers and Elkin's formula: TP 3, FP 1 of 10
    assert at[0.5] == pytest.approx((6 - 4 * 1) / 10)
    treat_all = dict(zip(decision.guessing.x.round(2).tolist(), decision.guessing.y.tolist(), strict=True))
    assert treat_all[0.5] == pytest.approx(0.6 - 0.4)


def test_the_cost_curve_is_the_cheapest_of_all_thresholds():
    truth, scores, _ = some_rows(300, digits=2)
    predictions = Predictions.from_arrays(truth, {"m": scores})
    found, roc = curve(predictions, "cost"), curve(predictions, "roc")
    for condition in np.linspace(0, 1, 41):
        cheapest = (condition * (1 - roc.y) + (1 - condition) * roc.x).min()
        assert np.interp(condition, found.x, found.y) == pytest.approx(cheapest, abs=1e-12)
    # Drummond and Holte: the area below the curve of guessing is 1/4.
    assert found.area < 0.25
    assert float(np.trapezoid(found.guessing.y, found.guessing.x)) == 0.25


def test_gain_curve_is_flach_and_kulls():
    """Their formulas: gain = (value - share) / ((1 - share) value), on precision and on recall."""
    truth, scores, _ = some_rows(500)
    predictions = Predictions.from_arrays(truth, {"m": scores})
    found, pr, share = curve(predictions, "prg"), curve(predictions, "pr"), truth.mean()
    kept = pr.x >= share
    with np.errstate(divide="ignore"):
        recall_gain, precision_gain = ((one - share) / ((1 - share) * one) for one in (pr.x, pr.y))
    np.testing.assert_allclose(found.x, recall_gain[kept], atol=1e-12)
    np.testing.assert_allclose(found.y, precision_gain[kept], atol=1e-12)
    # One threshold that calls all rows positive has no gain, and a perfect ranking all of it.
    assert curve(Predictions.from_arrays([0, 1, 1, 0], {"m": [0.5] * 4}), "prg").area == pytest.approx(0, abs=1e-12)
    assert curve(Predictions.from_arrays([0, 1, 1, 0], {"m": [0.1, 0.9, 0.8, 0.2]}), "prg").area == pytest.approx(1)


def test_the_hull_is_the_smallest_concave_curve_above():
    truth, scores, _ = some_rows(400, digits=2)
    roc = curve(Predictions.from_arrays(truth, {"m": scores}), "roc")
    corners = hull(roc)
    slopes = np.diff(corners.y) / np.maximum(np.diff(corners.x), 1e-300)
    assert (np.diff(slopes) < 0).all()
    assert (np.interp(roc.x, corners.x, corners.y) >= roc.y - 1e-12).all()
    assert set(zip(corners.x, corners.y, strict=True)) <= set(zip(roc.x, roc.y, strict=True))
    assert corners.area > roc.area


@pytest.mark.parametrize(
    "kind", ["roc", "precision_recall", "precision_recall_gain", "lift", "cumulative_gains", "det"]
)
def test_thinning_changes_no_picture(kind):
    """Every point that was left out is within the tolerance of one that is there; the area is the same."""
    truth, scores, _ = some_rows(60_000)
    predictions = Predictions.from_arrays(truth, {"m": scores})
    whole, thin = curve(predictions, kind, tolerance=0), curve(predictions, kind)
    assert (whole.tolerance, thin.tolerance) == (0, 0.0005)
    assert thin.points == len(whole)
    if kind != "precision_recall_gain":
        assert thin.points == (60_001 if kind in ("roc", "cumulative_gains", "det") else 60_000)
    assert len(thin) < len(whole) / (4 if kind == "det" else 5)  # normal scales tell more points apart
    assert thin.area == whole.area
    scale = np.array([np.ptp(whole.x), np.ptp(whole.y)])
    points, kept = (np.stack([one.x, one.y], axis=1) / scale for one in (whole, thin))
    following = np.searchsorted(thin.rank, whole.rank, side="right")
    off = np.full(len(points), np.inf)
    for place in (following - 1, np.minimum(following, len(kept) - 1)):
        for shift in (0, 1, 2):
            near = np.clip(place - shift, 0, len(kept) - 1)
            off = np.minimum(off, np.abs(points - kept[near]).max(axis=1))
    assert off.max() <= 0.0005
    if kind == "det":
        on_scale, kept = (ndtri(np.stack([one.x, one.y]).clip(1e-6, 1 - 1e-6)) for one in (whole, thin))
        tree = cKDTree((kept / np.ptp(on_scale, axis=1)[:, None]).T)
        apart, _ = tree.query((on_scale / np.ptp(on_scale, axis=1)[:, None]).T, p=np.inf)
        assert apart.max() <= 0.0005
    fewer = thinned(whole, points=200)
    assert len(fewer) <= 200
    assert fewer.tolerance > 0.0005


def test_rows_that_are_not_in_memory_have_the_same_curves(tmp_path):
    """A file that is larger than the memory allowed, and a database table."""
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    truth, scores, _ = some_rows(30_000, digits=4)
    pq.write_table(pa.table({"y": truth, "m": scores}), tmp_path / "p.parquet", row_group_size=1000)
    streamed = Predictions.read(tmp_path / "p.parquet", truth="y", options=package.ReadOptions(engine="stream"))
    with duckdb.connect(str(tmp_path / "d.duckdb")) as connection:
        connection.execute(f"create table p as select * from '{tmp_path / 'p.parquet'}'")
    pushed = Predictions.read(tmp_path / "d.duckdb", truth="y")
    assert (streamed.engine, pushed.engine) == ("stream", "database")
    here = Predictions.from_arrays(truth, {"m": scores})
    for kind in kinds:
        expected = curve(here, kind)
        for elsewhere in (streamed, pushed):
            found = curve(elsewhere, kind)
            np.testing.assert_allclose(found.x, expected.x, rtol=1e-12)
            np.testing.assert_allclose(found.y, expected.y, rtol=1e-12, atol=1e-15)
            assert found.area == (None if expected.area is None else pytest.approx(expected.area, rel=1e-12))


def test_each_class_against_the_rest():
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 3, 300)
    matrix = draw.dirichlet(np.ones(3), 300) + np.eye(3)[truth]
    matrix /= matrix.sum(axis=1, keepdims=True)
    found = curves(Predictions.from_arrays(truth, {"m": matrix}), "roc")
    assert [one.class_ for one in found] == ["0", "1", "2"]
    for code, one in enumerate(found):
        assert one.area == pytest.approx(sk.roc_auc_score(truth == code, matrix[:, code]), rel=1e-12)


@pytest.mark.parametrize("method", ["influence", "bootstrap"])
@pytest.mark.parametrize("kind", [name for name, one in kinds.items() if one.has_bands])
def test_every_kind_has_bands(kind, method):
    truth, scores, _ = some_rows(300)
    predictions = Predictions.from_arrays(truth, {"m": scores})
    plain = curve(predictions, kind)
    narrow, wide = (banded(plain, predictions, one, method=method) for one in ("pointwise", "simultaneous"))
    for found in (narrow, wide):
        assert np.isfinite(found.low).all()
        assert (found.low <= found.y).all()
        assert (found.y <= found.high).all()
    assert (wide.high - wide.low).mean() > (narrow.high - narrow.low).mean()


def test_the_calibration_curve_is_scikit_learns():
    from sklearn.calibration import calibration_curve

    truth, scores, _ = some_rows(500, digits=2)
    predictions = Predictions.from_arrays(truth, {"m": scores})
    found = curve(predictions, "calibration")
    observed, forecast = calibration_curve(truth, scores, n_bins=10)
    np.testing.assert_allclose(found.y[::-1], observed, rtol=1e-12)
    np.testing.assert_allclose(found.x[::-1], forecast, rtol=1e-12)
    for threshold, rank in zip(found.threshold, found.rank, strict=True):
        assert rank == (scores >= threshold).sum()
    with pytest.raises(UsageError, match="no band"):
        banded(found, predictions)


def test_a_pointwise_band_is_the_textbooks():
    """At a fixed threshold the net benefit is a mean of independent rows: its normal interval is known."""
    truth, scores, _ = some_rows(1000)
    predictions = Predictions.from_arrays(truth, {"m": scores})
    found = banded(curve(predictions, "decision"), predictions)
    place = int(np.argmin(np.abs(found.x - 0.3)))
    each = np.where(scores >= 0.3, np.where(truth == 1, 1, -0.3 / 0.7), 0)
    error = np.std(each, ddof=1) / 1000**0.5
    assert found.y[place] == pytest.approx(each.mean())
    assert (found.high - found.low)[place] == pytest.approx(2 * 1.96 * error, rel=0.01)


def test_the_bands_of_roc_agree_with_the_bootstrap():
    truth, scores, _ = some_rows(1500)
    predictions = Predictions.from_arrays(truth, {"m": scores})
    plain = curve(predictions, "roc")
    ours, drawn = (banded(plain, predictions, method=one) for one in ("influence", "bootstrap"))
    middle = (plain.x > 0.1) & (plain.x < 0.6)
    ratio = (ours.high - ours.low)[middle].mean() / (drawn.high - drawn.low)[middle].mean()
    assert 0.9 < ratio < 1.1


def test_bands_know_weights_and_groups():
    """Every row twice: as a frequency it says more; as two rows of one group it says the same as once."""
    truth, scores, _ = some_rows(400)
    once = Predictions.from_arrays(truth, {"m": scores})
    twice = Predictions.from_arrays(truth, {"m": scores}, weight=np.full(400, 2), weight_kind="frequency")
    grouped = Predictions.from_arrays(np.tile(truth, 2), {"m": np.tile(scores, 2)}, group=np.tile(np.arange(400), 2))
    weighted = Predictions.from_arrays(truth, {"m": scores}, weight=np.full(400, 2.0))
    widths = [
        np.median(one.high - one.low)
        for one in (banded(curve(p, "gains"), p) for p in (once, twice, grouped, weighted))
    ]
    assert widths[1] == pytest.approx(widths[0] / 2**0.5, rel=0.06)
    assert widths[2] == pytest.approx(widths[0], rel=0.05)
    assert widths[3] == pytest.approx(widths[0], rel=0.02)


def test_points_for_people_who_draw_their_own(referee, tmp_path):
    path = tmp_path / "p.csv"
    truth, scores, _ = some_rows(50)
    path.write_text("y,a,b\n" + "".join(f"{y},{s},{1 - s}\n" for y, s in zip(truth, scores, strict=True)))
    run = referee("curves", path, "--truth", "y", "--kind", "pr", "--band", "pointwise", form="csv")
    rows = list(csv.DictReader(run.out.splitlines()))
    assert run.code == 0
    assert list(rows[0]) == [
        "model",
        "class",
        "rank",
        "score",
        "tp",
        "fp",
        "tn",
        "fn",
        "precision",
        "recall",
        "low",
        "high",
    ]
    assert [row["model"] for row in rows].count("a") == 50
    body = referee("curves", path, "--truth", "y").json
    assert (body["command"], body["rows"], len(body["curves"])) == ("curves", 50, 2)
    first = body["curves"][0]
    assert (first["kind"], first["axes"]) == ("roc", {"x": "fpr", "y": "tpr"})
    assert first["columns"]["score"][0] is None
    assert first["area"] == pytest.approx(sk.roc_auc_score(truth, scores))
    area = sk.roc_auc_score(truth, scores)
    assert f"| a | {area:.4f} | 51 |" in referee("curves", path, "--truth", "y", form="md").out


def test_curves_of_several_kinds_and_classes_in_every_format():
    """Three rows of three classes: two kinds of curves for each, each point a row of the table of points."""
    scores = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6]])
    found = curves(Predictions.from_arrays(["a", "b", "c"], {"m": scores}), ["roc", "lift"])
    assert [(one.kind, one.class_) for one in found] == [(kind, name) for kind in ("roc", "lift") for name in "abc"]
    rows = list(csv.DictReader(found.to_csv().splitlines()))
    assert len(rows) == sum(map(len, found))
    assert {row["kind"]: (row["tpr"] == "", row["lift"] == "") for row in rows} == {
        "roc": (False, True),
        "lift": (True, False),
    }
    assert len(found.to_frame()) == len(rows)
    page, text = found.to_html(), found.to_markdown()
    for one in found:
        assert f"{one.title} for '{one.class_}'" in text
        assert f"{one.title} for &#39;{one.class_}&#39;" in page


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
@pytest.mark.parametrize("kind", ["roc", "pr", "det", "decision", "lift"])
def test_pictures(referee, tmp_path, kind, ending):
    if ending != "svg":
        pytest.importorskip("typst", reason="PNG and PDF need typst")
    path = tmp_path / "p.csv"
    truth, scores, _ = some_rows(80)
    path.write_text("y,_a$b\n" + "".join(f"{y},{s}\n" for y, s in zip(truth, scores, strict=True)))
    files = [tmp_path / f"{number}.{ending}" for number in (1, 2)]
    for file in files:
        asked = ("curves", path, "--truth", "y", "--kind", kind, "--band", "simultaneous", "--figure", file)
        assert referee(*asked).code == 0
    content = files[0].read_bytes()
    assert content == files[1].read_bytes()
    assert content.startswith({"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])


def test_a_bootstrap_band_of_few_positives_draws_again_where_a_class_is_missing():
    """Of three positives in a hundred rows a draw has none in 0.97**100 = 5% of the draws."""
    truth = np.repeat([1, 0], [3, 97])
    predictions = Predictions.from_arrays(truth, {"m": np.linspace(1, 0, 100) ** 2 + 0.1 * truth})
    found = banded(curve(predictions, "roc"), predictions, method="bootstrap")
    draws = 2000 / (1 - 0.97**100)
    assert found.redrawn == pytest.approx(draws - 2000, abs=5 * (draws * 0.05) ** 0.5)
    assert np.isfinite(found.low).all()
    assert np.isfinite(found.high).all()


def test_where_all_rows_are_called_positive_nothing_is_left_to_chance():
    truth, scores, _ = some_rows(100)
    predictions = Predictions.from_arrays(truth, {"m": scores})
    found = banded(curve(predictions, "roc"), predictions, "simultaneous")
    assert (found.low[-1], found.high[-1]) == (1, 1)
    assert found.low[-30] < found.y[-30]


def test_the_hull_is_that_of_all_points(referee, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    truth, scores, _ = some_rows(15_000)
    predictions = Predictions.from_arrays(truth, {"m": scores})
    with pytest.raises(UsageError, match="left out"):
        hull(curve(predictions, "roc"))
    whole = hull(curve(predictions, "roc", tolerance=0))
    assert whole.points == len(whole)
    with pytest.raises(UsageError, match="no band"):
        banded(whole, predictions)
    pq.write_table(pa.table({"y": truth, "m": scores}), tmp_path / "p.parquet")
    asked = ("curves", tmp_path / "p.parquet", "--truth", "y", "--hull")
    assert referee(*asked).json["curves"][0]["area"] == pytest.approx(whole.area, rel=1e-12)
    assert referee(*asked, "--band", "pointwise").json["error"]["code"] == "E_BAND"

"""Pictures: the charts of a page as files that stand by themselves, read back and compared with what others say."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from scipy.special import ndtri
from sklearn.metrics import confusion_matrix, det_curve, precision_recall_curve, roc_auc_score, roc_curve

from referee import Predictions, compare, evaluate, gate
from referee.errors import RefereeError, UsageError, WriteError
from referee.fitting import select
from referee.page import below_each_other, pictures_in, refuse_folder, write_pictures
from referee.page.curves_page import curves_page
from referee.page.pictures import STEMS
from referee.thresholds import curves
from tests.page.drawn import COLOURS, Drawn, pixels, points_of
from tests.pages_to_read import Page, multiclass, regression, sliced

NEAR = 0.003
"""Of an axis from 0 to 1: about a pixel."""
needs_png = pytest.mark.skipif(
    not __import__("importlib.util").util.find_spec("typst"), reason="PNG needs typst: pip install 'referee[png]'"
)


def distance(points, line):
    """The largest distance of any of the points from a line of segments."""
    start, step = line[:-1], np.diff(line, axis=0)
    length = np.maximum((step**2).sum(axis=1), 1e-30)
    along = np.clip(((points[:, None] - start) * step).sum(axis=2) / length, 0, 1)
    return np.sqrt(((points[:, None] - start - along[..., None] * step) ** 2).sum(axis=2)).min(axis=1).max()


def same_line(a, b):
    return max(distance(a, b), distance(b, a))


def pictures_of_curves(predictions, kind):
    return pictures_in(curves_page(curves(predictions, kind)))


@pytest.fixture(scope="module")
def models():
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 150)
    scores = {
        name: np.round(1 / (1 + np.exp(-(truth * gap + draw.normal(size=150)))), 3)
        for name, gap in (("weak", 0.5), ("strong", 2.0), ("middle", 1.2))
    }
    return truth, scores


@pytest.fixture(scope="module")
def verdict(models):
    return compare(Predictions.from_arrays(*models), "roc_auc")


@pytest.fixture(scope="module")
def page(verdict):
    return verdict.to_html()


@pytest.fixture(scope="module")
def folder(page, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    assert write_pictures(folder, pictures_in(page)) == []
    return folder


@pytest.fixture(scope="module")
def every(verdict):
    """Pictures of pages of several kinds."""
    draw = np.random.default_rng(1)
    x = draw.normal(size=(60, 3))
    asked = {"goal": "rmse", "scheme": "random_subsampling(splits=2)", "learning_curve": [0.5]}
    found = [verdict, multiclass(), regression(), sliced()]
    found += [select(["linear", "dummy"], x, x[:, 0] + draw.normal(size=60), **asked)]
    predictions = verdict.scores.predictions
    found += [gate(predictions, "accuracy", production="weak", candidate="strong", margin=0.1)]
    return [picture for result in found for picture in pictures_in(result.to_html()).values()]


@needs_png
def test_every_chart_of_the_page_is_written_twice_and_again_the_same(page, folder, tmp_path):
    read = Page(page)
    charts = {figure["data-name"] for figure in read.all("figure")} - {"cost"}  # which the page's script draws
    write_pictures(tmp_path, pictures_in(page))
    assert {path.stem for path in folder.iterdir()} == charts | {"pairs-matrix"}
    assert {"goal", "roc", "precision-recall", "calibration-1", "calibration-3-isotonic"} <= charts
    assert sorted(path.name for path in folder.glob("*.png")) == sorted(
        f"{path.stem}.png" for path in folder.glob("*.svg")
    )
    for path in folder.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


def test_a_picture_needs_nothing_else(every):
    assert {picture.name.partition("-")[0] for picture in every} <= STEMS
    for picture in every:
        text = picture.svg
        assert not re.search(r"var\(|url\(|href|<script|<style| class=| style=| on\w+=|inherit|data-", text)
        assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
        root = Drawn(text).root
        left, top, wide, high = map(float, root.get("viewBox").split())
        paper = root[1]
        assert [float(paper.get(side)) for side in ("x", "y", "width", "height")] == [left, top, wide, high]
        assert (paper.get("fill"), root.get("width"), root.get("height")) == ("#fff", f"{wide:g}", f"{high:g}")
        assert root.get("font-family").endswith("sans-serif")
        titles = [one.text for one in Drawn(text).all("text", font_size="15.5")]
        assert all(10 * len(line.rstrip()) <= wide for line in titles)
        assert all(one.get("fill", "").startswith("#") for one in Drawn(text).all("text"))


@needs_png
@pytest.mark.parametrize("name", ["goal", "roc", "pairs-matrix"])
def test_pixels(folder, name):
    found = pixels((folder / f"{name}.png").read_bytes())
    root = Drawn((folder / f"{name}.svg").read_text()).root
    assert found.shape[:2] == tuple(round(3 * float(root.get(side))) for side in ("height", "width"))
    assert found[0, 0].tolist() == [255, 255, 255]
    colours = {tuple(colour) for colour in found.reshape(-1, 3).tolist()}
    drawn = COLOURS[:3] if name != "pairs-matrix" else Drawn((folder / f"{name}.svg").read_text()).shades
    assert {tuple(bytes.fromhex(colour[1:])) for colour in drawn} <= colours
    dark = (found.sum(axis=2) < 200).mean()
    assert 0.001 < dark < 0.2  # letters


def test_the_goal_stands_where_it_is(models, folder):
    truth, scores = models
    drawn = Drawn((folder / "goal.svg").read_text())
    names = [text for text in drawn.texts() if text in scores]
    assert names == ["strong", "middle", "weak"]
    (circle,) = drawn.all("circle", fill=COLOURS[0])
    assert drawn.values("x", [float(circle.get("cx"))]) == pytest.approx(
        [roc_auc_score(truth, scores["strong"])], abs=1e-3
    )
    for line, name in zip([one for one in drawn.all("line") if one.get("stroke-linecap")], names, strict=True):
        low, high = drawn.values("x", [float(line.get("x1")), float(line.get("x2"))])
        assert low < roc_auc_score(truth, scores[name]) < high


def test_curves_are_those_of_scikit_learn(models, folder):
    truth, scores = models
    roc, precisions = (Drawn((folder / f"{name}.svg").read_text()) for name in ("roc", "precision-recall"))
    for colour, name in zip(COLOURS, ["strong", "middle", "weak"], strict=False):
        fpr, tpr, _ = roc_curve(truth, scores[name], drop_intermediate=False)
        assert same_line(roc.line(colour), np.column_stack([fpr, tpr])) < NEAR
        precision, recall, _ = precision_recall_curve(truth, scores[name])
        assert distance(np.column_stack([recall, precision])[:-1], precisions.line(colour)) < NEAR
    assert {"ROC curve", "False positive rate", "True positive rate", "strong", "middle", "weak"} <= set(roc.texts())


def test_a_detection_error_curve_has_probit_axes(models):
    truth, scores = models
    predictions = Predictions.from_arrays(truth, {"strong": scores["strong"]})
    drawn = Drawn(pictures_of_curves(predictions, "det")["det"].svg)
    ticks = {side: [n for n in drawn.numbers() if n[2] == anchor] for side, anchor in (("x", "middle"), ("y", "end"))}
    fit = {
        s: np.polyfit([ndtri(n[3]) for n in ns], [n[s == "y"] - 4 * (s == "y") for n in ns], 1)
        for s, ns in ticks.items()
    }
    fpr, fnr, _ = det_curve(truth, scores["strong"])
    inside = (fpr > 0.001) & (fnr > 0.001) & (fpr < 0.999) & (fnr < 0.999)
    points = np.column_stack([np.polyval(fit[s], ndtri(rate[inside])) for s, rate in (("x", fpr), ("y", fnr))])
    (path,) = [one.get("d") for one in drawn.all("path", stroke=COLOURS[0])]
    assert distance(points, np.array([*points_of(path)])) < 1  # pixel


def test_several_classes_below_each_other():
    draw = np.random.default_rng(2)
    truth = draw.integers(0, 3, 90)
    shares = draw.dirichlet([1, 1, 1], 90) * 0.7 + 0.3 * np.eye(3)[truth]
    predictions = Predictions.from_arrays(truth, {"m": shares}, task="multiclass")
    found = pictures_of_curves(predictions, "roc")
    assert [*found] == ["roc", "roc-2", "roc-3"]
    whole = Drawn(below_each_other([*found.values()]).svg)
    heights = [float(Drawn(one.svg).root.get("height")) for one in found.values()]
    assert float(whole.root.get("height")) == sum(heights)
    assert [float(one.get("y")) for one in whole.root] == [0, heights[0], heights[0] + heights[1]]
    for place, one in enumerate(found.values()):
        fpr, tpr, _ = roc_curve(truth == place, shares[:, place], drop_intermediate=False)
        assert same_line(Drawn(one.svg).line(COLOURS[0]), np.column_stack([fpr, tpr])) < NEAR
        assert f"ROC curve for '{place}'" in Drawn(one.svg).texts()


def test_matrices_are_pictures_too(models, folder):
    truth, scores = models
    gap = roc_auc_score(truth, scores["strong"]) - roc_auc_score(truth, scores["weak"])
    texts = Drawn((folder / "pairs-matrix.svg").read_text()).texts()
    assert {f"{gap:+.4f}", f"{-gap:+.4f}"} <= set(texts)
    draw = np.random.default_rng(5)
    true, said = (np.array(["cat", "dog", "emu"])[draw.integers(0, 3, 500)] for _ in range(2))
    shown = Drawn(evaluate(Predictions.from_arrays(true, {"m": said}), ["accuracy"]).plot("confusion").svg).texts()
    for name, row in zip(["cat", "dog", "emu"], confusion_matrix(true, said), strict=True):
        start = shown.index(name, shown.index("Recognised"))
        assert shown[start + 1 : start + 5] == [*map(str, row), str(row.sum())]


NAMES = ["_a", "$x_2$", r"\frac{1}{2}", "<b>&amp;", "%", "</svg><script>", "two\nlines", "\x1b[31m", "\ufffe", "'\""]
SHOWN = {"two\nlines": r"two\nlines", "\x1b[31m": r"\x1b[31m", "\ufffe": "\ufffd"}


def test_hostile_names_are_drawn_as_they_are():
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 80)
    said = {name: np.where(draw.random(80) < 0.7, truth, 1 - truth).astype(str) for name in NAMES}
    found = compare(Predictions.from_arrays(truth.astype(str), said), "accuracy")
    scores = Predictions.from_arrays(truth, {name: draw.random(80) for name in NAMES})
    drawn = [Drawn(found.plot(what).svg) for what in ("goal", "leaderboard")]
    drawn.append(Drawn(pictures_of_curves(scores, "roc")["roc"].svg))
    for one in drawn:
        texts = {text.partition(", roc_auc")[0] for text in one.texts()}
        assert {SHOWN.get(name, name) for name in NAMES} <= texts
        assert one.all("script") == []


def test_twenty_models_have_a_key_below_the_curves():
    draw = np.random.default_rng(0)
    models = {f"model_{k}": draw.uniform(size=40) for k in range(20)}
    predictions = Predictions.from_arrays([0, 1] * 20, models)
    drawn = Drawn(pictures_of_curves(predictions, "roc")["roc"].svg)
    names = [one for one in drawn.all("text") if (one.text or "").startswith("model_")]
    left, top, wide, high = map(float, drawn.root.get("viewBox").split())
    places = {(float(one.get("x")), float(one.get("y"))) for one in names}
    assert len(places) == 20
    assert all(360 < y < top + high and left < x < left + wide - 60 for x, y in places)
    looks = {(one.get("stroke"), one.get("stroke-dasharray")) for one in drawn.all("line") if one.get("x1") != "52"}
    assert len(looks) == 20


@needs_png
def test_signs_that_no_font_has_are_told_once_and_are_text_in_svg(models, tmp_path):
    truth, scores = models
    unknown = "\U0010fffc"  # private use, in no font
    named = dict(zip([unknown, f"{unknown} é b"], scores.values(), strict=False))
    found = compare(Predictions.from_arrays(truth, named), "accuracy")
    (said,) = write_pictures(tmp_path, found._pictures)
    assert (said.code, "1 sign " in said.message) == ("W_SIGNS", True)
    assert unknown in Drawn((tmp_path / "goal.svg").read_text()).texts()


def test_plot_gives_a_picture_by_name(verdict, tmp_path):
    assert (verdict.plot().name, verdict.plot("goal").name) == ("differences", "goal")
    assert verdict.plot("roc")._repr_svg_() == verdict.plot("roc").svg
    assert repr(verdict.plot("roc")) == "Picture: roc"
    assert verdict.plot("calibration").name == "calibration-1"
    assert evaluate(verdict.scores.predictions, ["roc_auc"]).plot("calibration-2-platt").name == "calibration-2-platt"
    with pytest.raises(RefereeError) as error:
        verdict.plot("rock")
    assert all(name in error.value.hint for name in ("goal", "roc", "calibration-3-isotonic"))
    verdict.plot("roc").save(tmp_path / "mine.svg")
    assert (tmp_path / "mine.svg").read_text() == verdict.plot("roc").svg
    with pytest.raises(UsageError, match="must end in"):
        verdict.plot("roc").save(tmp_path / "mine.gif")


@needs_png
@pytest.mark.parametrize(("ending", "first"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_other_formats(verdict, tmp_path, ending, first):
    for name in ("a", "b"):
        verdict.plot("roc").save(tmp_path / f"{name}.{ending}")
    assert (tmp_path / f"a.{ending}").read_bytes().startswith(first)
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,a,b\n" + "1,0.9,0.4\n0,0.2,0.3\n1,0.6,0.8\n0,0.7,0.1\n" * 10)
    return path


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_file_that_we_did_not_draw_stays(referee, source, tmp_path, ending):
    folder = tmp_path / "pictures"
    folder.mkdir()
    mine, others = folder / f"goal.{ending}", folder / "holiday.svg"
    mine.write_text("mine")
    others.write_text("mine")
    run = referee("compare", source, "--truth", "y", "--goal", "accuracy", "--figures", folder)
    assert (run.code, run.json["error"]["code"]) == (6, "E_EXISTS")
    assert "verdict" not in run.json
    assert mine.read_text() == "mine"
    mine.unlink()
    assert referee("compare", source, "--truth", "y", "--goal", "accuracy", "--figures", folder).code == 0
    assert others.read_text() == "mine"


def test_our_own_pictures_are_replaced(referee, source, tmp_path):
    asked = ("--truth", "y", "--figures", tmp_path / "pictures")
    assert referee("compare", source, "--goal", "accuracy", *asked).code == 0
    before = (tmp_path / "pictures/goal.svg").read_bytes()
    assert referee("compare", source, "--goal", "roc_auc", *asked).code == 0
    assert (tmp_path / "pictures/goal.svg").read_bytes() != before
    assert not [*(tmp_path / "pictures").glob(".*")]


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(WriteError, match="this is a file"):
        refuse_folder(str(tmp_path / "taken"))
    with pytest.raises(WriteError, match="cannot be written"):
        refuse_folder(str(tmp_path / "taken" / "below"))


def test_a_folder_is_looked_at_before_the_work_and_made_after_it(referee, source, tmp_path):
    run = referee("compare", source, "--truth", "y", "--goal", "accuracy", "--figures", "/proc/nowhere")
    assert (run.code, run.json["error"]["code"]) == (6, "E_WRITE")
    assert "verdict" not in run.json
    run = referee("compare", source, "--truth", "nothing", "--goal", "accuracy", "--figures", tmp_path / "new" / "one")
    assert run.code != 0
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("command", "asked", "some"),
    [
        ("evaluate", (), {"roc", "precision-recall", "calibration-1"}),
        ("gate", ("--goal", "accuracy", "--production", "a", "--candidate", "b", "--margin", "0.9"), {"gate", "goal"}),
    ],
)
def test_other_commands_draw_too(referee, source, tmp_path, command, asked, some):
    run = referee(command, source, "--truth", "y", *asked, "--figures", tmp_path / "pictures")
    assert run.code == 0
    assert some <= {path.stem for path in (tmp_path / "pictures").glob("*.svg")}


def test_without_the_extra_there_is_svg_and_its_name(referee, source, verdict, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    run = referee("compare", source, "--truth", "y", "--goal", "accuracy", "--figures", tmp_path / "pictures")
    assert run.code == 0
    assert "warning[W_EXTRA]" in run.err and "pip install 'referee[png]'" in run.err
    assert {path.suffix for path in (tmp_path / "pictures").iterdir()} == {".svg"}
    with pytest.raises(UsageError) as error:
        verdict.plot().save(tmp_path / "a.png")
    assert (error.value.code, "referee[png]" in error.value.hint) == ("E_EXTRA", True)

"""Pictures as files: what is drawn is read back and compared with what others say of the same predictions."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, precision_recall_curve, precision_score, roc_auc_score, roc_curve

import referee
from referee.comparing import compare
from referee.errors import UsageError, WriteError
from referee.fitting import select
from referee.page.subject import Subject
from referee.paper import run
from referee.predictions import Predictions
from referee.report.figures.confusions import confusion_pictures
from referee.report.figures.curves import curve_pictures
from referee.report.figures.files import NAMES, refuse_folder, write_figures, write_pictures
from referee.report.figures.goal import goal_pictures
from referee.report.figures.looks import COLOURS, look, mark
from referee.report.figures.pairs import pairs_pictures
from referee.report.figures.study import study_pictures
from referee.report.figures.thresholds import threshold_pictures
from referee.scoring import evaluate
from tests.made_up_study import SMALL, made_up_data

mpl = pytest.importorskip("matplotlib", reason="pictures are drawn by matplotlib: pip install 'referee[figures]'")
PNG = b"\x89PNG\r\n\x1a\n"
SVG = "{http://www.w3.org/2000/svg}"
BINARY = {"goal", "pairs", "roc", "precision_recall", "threshold", "cost", "confusion", "calibration"}
NEAR = 0.003
"""Of an axis from 0 to 1: less than a pixel."""


class Drawn:
    """A panel of an SVG picture, read back by the ticks that it shows."""

    def __init__(self, path, panel=0):
        self.root = ElementTree.parse(path).getroot()
        self.panel = self.named(f"panel-{panel}")
        self.prefix = f"panel-{panel}-"

    def named(self, name):
        (found,) = [one for one in self.root.iter(f"{SVG}g") if one.get("id") == name]
        return found

    def ticks(self, axis):
        """Where the panel shows which number, or name."""
        for group in self.panel.iter(f"{SVG}g"):
            if (group.get("id") or "").startswith(f"{axis}tick_"):
                (place,) = [float(use.get(axis)) for use in group.iter(f"{SVG}use")]
                (text,) = ["".join(one.itertext()) for one in group.iter(f"{SVG}text")]
                yield place, text

    def values(self, axis, places):
        at, shown = zip(*((place, float(text.replace("−", "-"))) for place, text in self.ticks(axis)), strict=True)
        slope, start = np.polyfit(at, shown, 1)
        return slope * np.array(places) + start

    def _numbers(self, text):
        return [tuple(map(float, pair)) for pair in re.findall(r"[ML] (-?[\d.]+) (-?[\d.]+)", text)]

    def line(self, name):
        """The points of a line, in the numbers of the axes."""
        (path,) = [one.get("d") for one in self.named(self.prefix + name).findall(f"{SVG}path")]
        x, y = zip(*self._numbers(path), strict=True)
        return np.column_stack([self.values("x", x), self.values("y", y)])

    def marks(self, name):
        """Where marks stand, in the coordinates of the picture."""
        return [(float(one.get("x")), float(one.get("y"))) for one in self.named(self.prefix + name).iter(f"{SVG}use")]

    def texts(self):
        return ["".join(one.itertext()) for one in self.root.iter(f"{SVG}text")]


def distance(points, line):
    """The largest distance of any of the points from a line of segments."""
    start, step = line[:-1], np.diff(line, axis=0)
    length = np.maximum((step**2).sum(axis=1), 1e-30)
    along = np.clip(((points[:, None] - start) * step).sum(axis=2) / length, 0, 1)
    return np.sqrt(((points[:, None] - start - along[..., None] * step) ** 2).sum(axis=2)).min(axis=1).max()


def same_line(a, b):
    return max(distance(a, b), distance(b, a))


def draw_some(found, folder, *makers):
    """Only the pictures that a test looks at."""
    subject = Subject(found.scores, found, found.alpha, found.seed)
    return write_pictures([picture for make in makers for picture in make(subject)], folder)


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
def folder(verdict, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    write_figures(verdict, folder)
    return folder


def test_every_picture_is_written_twice_and_again_the_same(verdict, folder, tmp_path):
    again = write_figures(verdict, tmp_path)
    assert {path.stem for path in again} == BINARY
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in again)
    for path in again:
        content = path.read_bytes()
        assert content == (folder / path.name).read_bytes()
        assert content.startswith(PNG) if path.suffix == ".png" else ElementTree.fromstring(content).tag == f"{SVG}svg"


def test_the_goal_stands_where_it_is(models, folder):
    truth, scores = models
    drawn = Drawn(folder / "goal.svg")
    rows = {name: place for place, name in drawn.ticks("y")}
    assert list(rows) == ["strong", "middle", "weak"]
    for place, name in enumerate(rows):
        ((x, y),) = drawn.marks(f"model-{place}")
        assert drawn.values("x", [x]) == pytest.approx([roc_auc_score(truth, scores[name])], abs=0.002)
        assert y == pytest.approx(rows[name], abs=0.01)


def test_curves_are_those_of_scikit_learn(models, folder):
    truth, scores = models
    for place, name in enumerate(["strong", "middle", "weak"]):
        fpr, tpr, _ = roc_curve(truth, scores[name], drop_intermediate=False)
        assert same_line(Drawn(folder / "roc.svg").line(f"model-{place}"), np.column_stack([fpr, tpr])) < NEAR
        precision, recall, _ = precision_recall_curve(truth, scores[name])
        points = np.column_stack([recall, precision])[:-1]
        drawn = Drawn(folder / "precision_recall.svg").line(f"model-{place}")
        assert distance(points, drawn) < NEAR
    assert [text for text in Drawn(folder / "roc.svg").texts() if "rate" in text] == [
        "false positive rate",
        "true positive rate",
    ]
    areas = [text for text in Drawn(folder / "roc.svg").texts() if "roc_auc" in text]
    assert areas == [
        f"{name}, roc_auc {roc_auc_score(truth, scores[name]):.3f}" for name in ("strong", "middle", "weak")
    ]


def test_what_a_threshold_does(models, folder):
    truth, scores = models
    line = Drawn(folder / "threshold.svg", panel=0).line("model-0")
    for threshold in (0.3, 0.5, 0.7):
        called = scores["strong"] >= threshold
        (height,) = line[np.abs(line[:, 0] - threshold).argmin(), 1:]
        assert height == pytest.approx(precision_score(truth, called), abs=0.02)


def test_between_two_scores_a_threshold_does_what_the_higher_one_does(tmp_path):
    truth, scores = [0, 0, 1, 0, 1, 1] * 5, [0.2, 0.4, 0.4, 0.6, 0.6, 0.8] * 5
    found = compare(Predictions.from_arrays(truth, {"m": scores, "n": scores}), "roc_auc")
    draw_some(found, tmp_path, threshold_pictures)
    recall = Drawn(tmp_path / "threshold.svg", panel=1).line("model-0")
    for threshold, expected in ((0.3, 1.0), (0.5, 2 / 3), (0.7, 1 / 3), (0.9, 0.0)):
        heights = [b[1] for a, b in pairwise(recall) if a[0] < threshold < b[0]]
        assert heights == pytest.approx([expected], abs=0.01)


def test_confusion_matrices(models, folder):
    truth, scores = models
    drawn = Drawn(folder / "confusion.svg")
    cells = [text for text in drawn.texts() if text.isdigit()]
    for name in ("strong", "middle", "weak"):
        expected = [str(count) for count in confusion_matrix(truth, scores[name] >= 0.5).ravel()]
        assert ",".join(expected) in ",".join(cells)


def test_pairs_are_row_less_column(models, folder):
    truth, scores = models
    gap = roc_auc_score(truth, scores["strong"]) - roc_auc_score(truth, scores["weak"])
    drawn = Drawn(folder / "pairs.svg")
    (text,) = ["".join(drawn.named("panel-0-cell-0-2").itertext()).split()[0]]
    assert float(text) == pytest.approx(gap, abs=5e-5)
    assert float("".join(drawn.named("panel-0-cell-2-0").itertext()).split()[0]) == pytest.approx(-gap, abs=5e-5)


def test_two_models_have_their_difference_drawn(models, tmp_path):
    truth, scores = models
    pair = {name: scores[name] for name in ("weak", "strong")}
    draw_some(compare(Predictions.from_arrays(truth, pair), "roc_auc"), tmp_path, pairs_pictures)
    drawn = Drawn(tmp_path / "pairs.svg")
    ((x, _),) = drawn.marks("pair-0")
    gap = roc_auc_score(truth, scores["weak"]) - roc_auc_score(truth, scores["strong"])
    assert drawn.values("x", [x]) == pytest.approx([gap], abs=0.005)
    assert "weak less strong" in drawn.texts()


def test_several_classes_have_a_panel_each(tmp_path):
    draw = np.random.default_rng(2)
    truth = np.array(["_cat", "dog", "emu"])[draw.integers(0, 3, 200)]
    shares = draw.dirichlet([1, 1, 1], 200) * 0.7 + 0.3 * (truth[:, None] == ["_cat", "dog", "emu"])
    predictions = Predictions.from_arrays(truth, {"m": shares}, classes=["_cat", "dog", "emu"])
    assert {path.stem for path in write_figures(evaluate(predictions), tmp_path)} == {
        "roc", "precision_recall", "confusion", "calibration",
    }  # fmt: skip
    for panel, name in enumerate(["_cat", "dog", "emu"]):
        fpr, tpr, _ = roc_curve(truth == name, shares[:, panel], drop_intermediate=False)
        assert same_line(Drawn(tmp_path / "roc.svg", panel).line("model-0"), np.column_stack([fpr, tpr])) < NEAR
    cells = [text for text in Drawn(tmp_path / "confusion.svg").texts() if text.isdigit()]
    said = np.array(["_cat", "dog", "emu"])[shares.argmax(axis=1)]
    assert cells == [str(count) for count in confusion_matrix(truth, said).ravel()]
    assert "_cat" in Drawn(tmp_path / "roc.svg").texts()


def test_pictures_of_numbers_slices_and_splits(tmp_path):
    draw = np.random.default_rng(1)
    truth = draw.gamma(2, 10, 300)
    said = {"near": truth + draw.normal(size=300), "low": truth * 0.5}
    halves = np.where(np.arange(300) < 150, "first", "second")
    predictions = Predictions.from_arrays(truth, said, fold=np.arange(300) % 5, by="half", half=halves)
    found = compare(predictions, "mae", by="half")
    names = {path.stem for path in write_figures(found, tmp_path)}
    errors = {"actual_and_predicted", "residuals", "error_by_tenth"}
    assert names == {"goal", "pairs", "slices", "splits"} | errors
    tenths = np.array_split(np.sort(truth), 10)
    drawn = Drawn(tmp_path / "error_by_tenth.svg").line("model-1")
    assert drawn[:, 0] == pytest.approx(range(1, 11), abs=0.05)
    assert drawn[:, 1] == pytest.approx([0.5 * tenth.mean() for tenth in tenths], abs=0.3)
    residuals = Drawn(tmp_path / "residuals.svg", panel=1)
    x, y = zip(*residuals.marks("model-1"), strict=True)
    assert residuals.values("y", y) == pytest.approx(residuals.values("x", x), abs=0.4)
    actual = Drawn(tmp_path / "actual_and_predicted.svg", panel=1)
    x, y = zip(*actual.marks("model-1"), strict=True)
    assert actual.values("y", y) == pytest.approx(2 * actual.values("x", x), abs=0.8)
    slices = Drawn(tmp_path / "slices.svg")
    shown = "".join(slices.named("panel-0-cell-0-1").itertext()).split()[0]
    assert float(shown) == pytest.approx(0.5 * truth[:150].mean(), abs=5e-4)


def test_pictures_of_a_selection(tmp_path):
    draw = np.random.default_rng(1)
    X = draw.normal(size=(120, 3))  # noqa: N806 (scikit-learn's letter)
    chosen = {"goal": "rmse", "scheme": "random_subsampling(splits=2)", "learning_curve": [0.5]}
    found = select(["linear", "dummy"], X, X[:, 0] + draw.normal(size=120), **chosen)
    names = {path.stem for path in write_figures(found, tmp_path)}
    assert {"tradeoffs", "learning_curve", "splits", "goal"} <= names
    (first, _), (last, value) = Drawn(tmp_path / "learning_curve.svg").marks("model-0")
    assert first < last
    row = next(row for row in found.selection.tradeoffs if row.model == found.best)
    assert Drawn(tmp_path / "learning_curve.svg").values("y", [value]) == pytest.approx([row.test], abs=0.01)


def test_pictures_of_a_study(tmp_path):
    data = made_up_data(columns=10)
    study = run({"pen-digits": data["numbers"], "mixed": data["mixed"]}, repetitions=2, quiet=True, **SMALL)
    names = {path.stem for path in write_pictures(study_pictures(study), tmp_path)}
    assert names == {"figure_1", "table_6", "table_7", "regret"}
    assert "X > Y: 13" in [text.strip() for text in Drawn(tmp_path / "figure_1.svg").texts()]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 80)
    names = ["_a", "a", "$x_2$ costs", "5 $", r"\frac{1}{2}", "<b>&amp;", "%", "__"]
    names += [f"a_long_name_that_has_the_number_{k}_of_many_in_its_middle" for k in (7, 8)]
    scores = {name: np.clip(truth * 0.2 + draw.uniform(size=80) * 0.8, 0, 1) for name in names}
    folder = tmp_path_factory.mktemp("hostile")
    makers = (goal_pictures, pairs_pictures, threshold_pictures, confusion_pictures)
    draw_some(compare(Predictions.from_arrays(truth, scores), "accuracy"), folder, *makers)
    return names, folder


@pytest.mark.parametrize("picture", ["goal", "pairs", "threshold", "confusion"])
def test_names_are_drawn_as_they_are_and_apart(hostile, picture):
    names, folder = hostile
    texts = Drawn(folder / f"{picture}.svg").texts()
    shown = {text for text in texts if text.startswith("a_long")}
    assert len(shown) == 2 or picture == "confusion"
    drawn = names[:8] if picture != "confusion" else [name for name in names[:8] if name in texts]
    assert len(drawn) >= 5
    assert all(name in texts for name in drawn)


def test_twenty_models_have_a_legend_beside_the_curves(tmp_path):
    truth = [0, 1] * 20
    draw = np.random.default_rng(0)
    models = {f"model_{k}": draw.uniform(size=40) for k in range(20)}
    draw_some(compare(Predictions.from_arrays(truth, models), "roc_auc"), tmp_path, curve_pictures)
    drawn = Drawn(tmp_path / "roc.svg")
    right = max(place for place, _ in drawn.ticks("x"))
    (legend,) = [one for one in drawn.root.iter(f"{SVG}g") if (one.get("id") or "").startswith("legend")]
    labels = [one for one in legend.iter(f"{SVG}text") if "model_" in one.text]
    assert len(labels) == 20
    places = [tuple(map(float, re.findall(r"-?[\d.]+", one.get("transform"))[-2:])) for one in labels]
    width, height = map(float, drawn.root.get("viewBox").split()[2:])
    assert min(x for x, _ in places) > right
    assert all(b[1] - a[1] > 8 for a, b in pairwise(places))
    assert all(0 < y < height and x < width for x, y in places)
    assert len({str((look(k), mark(k))) for k in range(20)}) == 20


def test_the_colours_are_those_of_the_page():
    style = (Path(referee.__file__).parent / "report/page/template/style/colours.css").read_text()
    light = style.partition("}")[0]
    assert tuple(re.findall(r"--c\d: (#\w+);", light)) == COLOURS


def test_the_users_own_style_changes_nothing(verdict, folder, tmp_path):
    own = {
        "font.size": 30,
        "lines.linewidth": 9,
        "axes.facecolor": "black",
        "svg.fonttype": "path",
        "text.usetex": True,
    }
    with mpl.rc_context(own):
        for path in draw_some(verdict, tmp_path, goal_pictures, curve_pictures):
            assert path.read_bytes() == (folder / path.name).read_bytes()
        assert mpl.rcParams["font.size"] == 30


def test_signs_that_the_font_lacks_are_told_once_and_are_text_in_svg(models, tmp_path, capsys):
    truth, scores = models
    named = dict(zip(["模型", "🎉 b"], scores.values(), strict=False))
    draw_some(compare(Predictions.from_arrays(truth, named), "accuracy"), tmp_path, goal_pictures, threshold_pictures)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("warning[W_SIGNS] ") and "3 signs" in line and "模" in line
    assert {"模型", "🎉 b"} <= set(Drawn(tmp_path / "goal.svg").texts())


def test_no_word_where_the_font_has_all_signs(verdict, tmp_path, capsys):
    draw_some(verdict, tmp_path, goal_pictures)
    assert capsys.readouterr().err == ""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,a,b\n" + "1,0.9,0.4\n0,0.2,0.3\n1,0.6,0.8\n0,0.7,0.1\n" * 10)
    return path


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_file_that_we_did_not_draw_stays(referee, source, tmp_path, ending):
    folder = tmp_path / "pictures"
    folder.mkdir()
    mine = folder / f"goal.{ending}"
    with mpl.rc_context():
        figure = mpl.figure.Figure()
        figure.savefig(mine)
    before = mine.read_bytes()
    run = referee("compare", source, "--truth", "y", "--goal", "accuracy", "--figures", folder)
    assert (run.code, run.json["error"]["code"]) == (6, "E_EXISTS")
    assert mine.read_bytes() == before
    assert [*folder.iterdir()] == [mine]


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
        ("evaluate", (), {"roc", "confusion"}),
        ("gate", ("--goal", "accuracy", "--production", "a", "--candidate", "b", "--margin", "0.9"), {"goal", "pairs"}),
    ],
)
def test_other_commands_draw_too(referee, source, tmp_path, command, asked, some):
    run = referee(command, source, "--truth", "y", *asked, "--figures", tmp_path / "pictures")
    assert run.code == 0
    assert some <= {path.stem for path in (tmp_path / "pictures").iterdir()} <= set(NAMES)


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(UsageError) as error:
        refuse_folder("anywhere")
    assert "referee[figures]" in error.value.hint

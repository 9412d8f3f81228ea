"""The page of a verdict: one file that asks nobody for anything, and runs nothing that it was given."""

from __future__ import annotations

import html
import re
from base64 import b64encode
from hashlib import sha256

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from referee import metrics
from referee.comparing import compare
from referee.fitting import select
from referee.page.shell import SCRIPTS, STYLES, TEMPLATE, Section, bundle, page, stylesheet
from referee.page.verdict_page import scores_page
from referee.predictions import Predictions
from referee.scoring import evaluate
from tests.case_record import COMMAND_LINE
from tests.pages_to_read import Page, binary, multiclass, regression, scores_of_rows, sliced

HOSTILE = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "</script><svg/onload=alert(3)>", "{{7*7}}${7*7}",
    "javascript:alert(4)", "' onmouseover='alert(5)", "two\nlines", "\u202egnp.exe", "=1+1", "x" * 300, "&amp;",
]  # fmt: skip


@pytest.fixture(scope="module")
def verdict():
    return binary()


@pytest.fixture(scope="module")
def text(verdict):
    return verdict.to_html()


@pytest.fixture(scope="module")
def read(text):
    return Page(text)


def policy(read):
    (found,) = [meta["content"] for meta in read.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    return dict(rule.split(" ", 1) for rule in found.split("; "))


def hash_of(text):
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@pytest.mark.case("189", COMMAND_LINE)
def test_the_policy_allows_this_style_and_this_script_only(read):
    rules = policy(read)
    code = [script["text"] for script in read.all("script") if script.get("type") != "application/json"]
    assert rules["default-src"] == "'none'"
    assert rules["style-src"] == hash_of(read.one("style")["text"])
    assert [rules["script-src"]] == [hash_of(one) for one in code]
    assert "unsafe" not in str(rules)


def test_nothing_inline_that_the_policy_would_block(read):
    names = {name for element in read.elements for name in element}
    assert "style" not in names
    assert not [name for name in names if name.startswith("on")]


def test_nothing_is_fetched(read):
    links = [
        element[name] for element in read.elements for name in ("href", "src", "srcset", "action") if name in element
    ]
    assert links and all(link.startswith("#") for link in links)
    assert not re.search(r"url\(|@import", read.one("style")["text"])
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|sendBeacon|eval|innerHTML)\b", bundle())


def test_every_link_inside_leads_somewhere(read):
    ids = [element["id"] for element in read.elements if "id" in element]
    assert len(ids) == len(set(ids))
    assert {link["href"].removeprefix("#") for link in read.all("a")} <= set(ids)


def test_the_same_verdict_gives_the_same_bytes(text):
    assert binary().to_html() == text


def test_landmarks_and_headings(read):
    assert len(read.all("main")) == len(read.all("nav")) == len(read.all("h1")) == len(read.all("footer")) == 1
    titles = {title["id"] for title in read.all("h2")}
    assert [section["aria-labelledby"] in titles for section in read.all("section")] == [True] * len(read.sections)


def test_tables_are_named_and_their_heads_say_what_they_head(read):
    assert len(read.all("caption")) == len(read.all("table"))
    assert all(head.get("scope") in ("col", "row") for head in read.all("th"))
    assert all(drawing.get("aria-label") or drawing.get("aria-hidden") for drawing in read.all("svg"))


def test_the_card_says_who_won_by_how_much_and_how_surely(verdict, read):
    shown = read.one("div", id="verdict")["text"]
    assert "good is the best of 3 models on roc_auc." in read.one("h1")["text"]
    assert shown.count("wins on") == 0  # the headline has said so
    assert verdict.sentence.removeprefix("good wins on roc_auc: ") in shown
    assert f"{verdict.predictions.rows:,}" in shown
    guessing = next(row.value for row in verdict.scores.baseline if row.metric == "roc_auc")
    assert f"Guessing has {guessing:.4f}" in shown


def test_tables_keep_all_digits(verdict, read):
    kept = {float(cell["data-value"]) for cell in read.all("td") if re.match(r"-?\d", cell.get("data-value") or "")}
    assert {verdict.scores[name, "roc_auc"].value for name in verdict.values} <= kept
    assert {found.p for found in verdict.comparisons} <= kept


@pytest.mark.parametrize(
    ("make", "there", "not_there"),
    [
        (
            binary,
            {"goal", "metrics", "pairs", "curves", "threshold", "calibration"},
            {"residuals", "slices", "classes"},
        ),
        (sliced, {"slices"}, {"residuals", "tradeoffs"}),
        (multiclass, {"curves", "confusion", "classes", "calibration"}, {"threshold", "residuals"}),
        (regression, {"goal", "residuals"}, {"curves", "threshold", "calibration", "confusion"}),
    ],
)
def test_sections_are_there_where_they_have_something_to_say(make, there, not_there):
    found = Page(make().to_html()).sections
    assert there | {"design", "methods", "reproduce"} <= set(found)
    assert not not_there & set(found)


def test_one_goal_metric_alone_needs_no_table_of_metrics():
    assert "metrics" not in Page(binary(metrics=["roc_auc"]).to_html()).sections


def test_counts_of_the_slider_are_those_of_the_rows(read):
    truth, models = scores_of_rows()
    for series in read.data["curves"][0]["models"]:
        scores = models[series["name"]]
        assert series["t"] == sorted(series["t"], reverse=True)
        assert 0.5 in series["t"]
        for threshold, tp, fp in zip(series["t"], series["tp"], series["fp"], strict=True):
            called = scores >= threshold
            assert (tp, fp) == (int(truth[called].sum()), int((1 - truth)[called].sum()))


@pytest.mark.parametrize(("alarm", "miss"), [(1, 1), (1, 7), (5, 1), (1, 100)])
@pytest.mark.parametrize("rows", [400, 30_000])
def test_the_slider_has_the_cheapest_threshold_of_all(alarm, miss, rows):
    truth, models = scores_of_rows(rows, ["good", "poor"])
    scores = models["poor"]
    found = Page(compare(Predictions.from_arrays(truth, models), "accuracy", metrics=["brier"]).to_html()).data[
        "curves"
    ][0]
    series = next(one for one in found["models"] if one["name"] == "poor")
    costs = [alarm * fp + miss * (truth.sum() - tp) for tp, fp in zip(series["tp"], series["fp"], strict=True)]
    order = np.argsort(-scores)
    caught, alarms = np.cumsum(truth[order]), np.cumsum(1 - truth[order])
    assert min(costs) == (alarm * alarms + miss * (truth.sum() - caught)).min()


def test_counts_of_the_slider_are_weights_where_rows_have_them():
    truth, models = scores_of_rows(120)
    weight = np.random.default_rng(0).integers(0, 4, 120) / 4
    made = compare(Predictions.from_arrays(truth, models, weight=weight), "roc_auc", metrics=["brier"])
    found = Page(made.to_html()).data["curves"][0]
    assert found["positives"] == weight[truth == 1].sum()
    series = next(one for one in found["models"] if one["name"] == "good")
    for threshold, tp in zip(series["t"], series["tp"], strict=True):
        assert tp == pytest.approx(weight[(models["good"] >= threshold) & (truth == 1)].sum())


def test_scores_that_are_no_probabilities_have_a_slider_and_no_calibration():
    truth, models = scores_of_rows(150)
    logits = {name: 7 * np.log(p / (1 - p)) for name, p in models.items()}
    found = Page(compare(Predictions.from_arrays(truth, logits), "roc_auc").to_html())
    assert "threshold" in found.sections
    assert "calibration" not in found.sections


def test_decisions_alone_have_a_confusion_matrix():
    truth, models = scores_of_rows(150)
    labels = {name: (p > 0.5).astype(int) for name, p in models.items()}
    predictions = Predictions.from_arrays(
        np.where(truth, "yes", "no"), {name: np.where(one, "yes", "no") for name, one in labels.items()}, positive="yes"
    )
    found = Page(compare(predictions, "accuracy").to_html())
    assert "confusion" in found.sections
    assert "threshold" not in found.sections
    cell = found.one("table", **{"data-name": "confusion-1"})
    assert str(int((labels["good"] & truth).sum())) in cell["text"]


def hostile_verdict():
    truth, models = scores_of_rows(90, HOSTILE)
    names = np.where(truth, "<i>pos</i>", "</script>neg")
    return compare(
        Predictions.from_arrays(names, models, positive="<i>pos</i>", by={"<b>by</b>": names[::-1]}),
        "accuracy", by="<b>by</b>",
    )  # fmt: skip


def test_names_are_shown_and_never_obeyed():
    made = hostile_verdict()
    found = Page(made.to_html(command="referee compare '<script>alert(6)</script>'"))
    plain = Page(binary().to_html())
    own = {(element["tag"], name) for element in plain.elements for name in element}
    new = {(element["tag"], name) for element in found.elements for name in element} - own
    assert {tag for tag, _ in new} <= {
        "li",
        "table",
        "th",
        "td",
        "ul",
        "polygon",
        "line",
        "text",
        "p",
        "b",
        "details",
        "div",
        "label",
    }
    assert not {name for _, name in new if name.startswith("on")}
    assert len(found.all("script")) == 2 and not found.all("img")
    assert "<script>alert(1)</script>" in found.one("main")["text"]
    assert "\u202e" not in found.one("main")["text"]


def test_no_name_fills_the_page():
    words = re.findall(r"\S+", Page(hostile_verdict().to_html()).one("main")["text"])
    assert not [word for word in words if "xxx" in word and len(word) > 170]


def test_a_verdict_that_is_undecided():
    truth, models = scores_of_rows(60)
    few = np.flatnonzero((truth == 0) | (np.cumsum(truth) <= 5))
    made = compare(Predictions.from_arrays(truth[few], {name: p[few] for name, p in models.items()}), "roc_auc")
    assert made.outcome == "undecided"
    found = Page(made.to_html())
    assert "Undecided on roc_auc." in found.one("h1")["text"]


def test_a_model_without_a_value_has_a_dash_and_the_reason():
    truth, models = scores_of_rows(150)
    models["silent"] = np.zeros(150)
    found = Page(compare(Predictions.from_arrays(truth, models), "accuracy", metrics=["precision"]).to_html())
    shown = found.one("section", id="metrics")["text"]
    assert "– a" in shown
    assert metrics["precision"].undefined_when in shown


def extreme(kind):
    truth, models = scores_of_rows(80)
    good, fair = models["good"], models["fair"]
    return {
        "constant": lambda: (truth, {"a": np.full(80, 0.5), "b": good, "c": np.zeros(80)}, "roc_auc", None),
        "huge scores": lambda: (truth, {"a": good * 1e308, "b": -fair * 1e308}, "roc_auc", None),
        "tiny scores": lambda: (truth, {"a": good * 1e-300, "b": fair * 1e-12}, "roc_auc", None),
        "huge values": lambda: (good * 1e300, {"a": fair * 1e300, "b": -good * 1e302}, "mae", "regression"),
        "two values": lambda: (truth + 7.0, {"a": np.full(80, 7.5), "b": np.full(80, 7.2)}, "mae", "regression"),
    }[kind]()


@pytest.mark.parametrize("kind", ["constant", "huge scores", "tiny scores", "huge values", "two values"])
def test_extreme_numbers_have_places_on_the_charts(kind):
    truth, models, goal, task = extreme(kind)
    made = compare(Predictions.from_arrays(truth, models, task=task), goal, metrics=[goal])
    names = ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "d", "points", "width", "height")
    places = [element[name] for element in Page(made.to_html()).elements for name in names if name in element]
    assert places
    assert not [place for place in places if re.search(r"nan|inf", place)]


def test_one_class_only_has_no_curves():
    _, models = scores_of_rows(50)
    made = compare(Predictions.from_arrays(np.ones(50, int), models, classes=[0, 1]), "accuracy")
    assert "curves" not in Page(made.to_html()).sections


def test_many_models_are_a_summary_and_the_rest_on_request():
    truth, models = scores_of_rows(120, [f"m{number:02}" for number in range(45)])
    made = compare(Predictions.from_arrays(truth, models), "accuracy", metrics=["brier"])
    found = Page(made.to_html())
    assert "All models, including the 25 that are not drawn" in found.one("section", id="goal")["text"]
    listed = found.one("table", **{"data-name": "goal-accuracy"})["text"]
    assert all(name in listed for name in models)
    assert len(found.data["curves"][0]["models"]) == 20


def test_twenty_models_look_different():
    read = Page(
        compare(
            Predictions.from_arrays(*scores_of_rows(80, [f"m{n}" for n in range(20)])), "accuracy", metrics=["brier"]
        ).to_html()
    )
    looks = [
        element["class"] for element in read.all("line") if re.match(r"curve c\d s\d$", element.get("class") or "")
    ]
    assert len(looks) == len(set(looks)) == 20


def test_a_page_of_many_rows_is_small():
    truth, models = scores_of_rows(100_000, [f"model_{number}" for number in range(5)])
    made = compare(Predictions.from_arrays(truth, models), "roc_auc", metrics=["brier", "log_loss", "accuracy"])
    assert len(made.to_html().encode()) < 260_000


def splits(**options):
    truth, models = scores_of_rows(150)
    predictions = Predictions.from_arrays(truth, models, fold=np.arange(150) % 5)
    return compare(predictions, "accuracy", metrics=["brier"], unit="fold", **options)


def data_sets():
    truth, models = scores_of_rows(180)
    sites = np.array([f"site {number % 6}" for number in range(180)])
    predictions = Predictions.from_arrays(truth, models, by={"site": sites})
    return compare(predictions, "accuracy", metrics=["brier"], by="site", unit="slice")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (splits, ["Corrected resampled t-test", "5 splits", "120 + 30"]),
        (lambda: splits(test="bayes_correlated_t"), ["probability of being better"]),
        (data_sets, ["Mean ranks over 6 data sets", "beyond the critical difference"]),
        (lambda: binary(margin=0.05, metrics=["brier"]), ["Against the margin", "better by more"]),
        (
            lambda: binary(goal="accuracy", subsets=10, partitions=3, metrics=["brier"]),
            ["means over the subsets", "Mean of subsets"],
        ),
    ],
    ids=["splits", "bayes", "data sets", "margin", "subsets"],
)
def test_every_design_has_its_page(make, words):
    shown = Page(make().to_html()).one("main")["text"]
    assert [word for word in words if word not in shown] == []


def test_only_what_is_significant_after_the_adjustment_is_shaded():
    read = Page(data_sets().to_html())
    cells = [cell for cell in read.all("td") if "adj." in cell["text"]]
    assert cells
    for cell in cells:
        adjusted = float(re.search(r"adj\. (?:< )?([\d.e-]+)", cell["text"])[1])
        assert ("heat" in (cell.get("class") or "") or "burn" in (cell.get("class") or "")) == (adjusted < 0.05)


class Breaks(LogisticRegression):
    def fit(self, *_):
        raise ValueError("<b>no</b>")


def test_a_selection_shows_what_it_cost_and_what_failed():
    features = np.random.default_rng(0).normal(size=(90, 2))
    models = {"line": LogisticRegression(), "lazy": DummyClassifier(), "broken": Breaks()}
    made = select(models, features, features[:, 0] > 0, goal="accuracy", scheme="k_fold(k=3)", learning_curve="0.5")
    found = Page(made.to_html())
    assert {"tradeoffs", "learning"} <= set(found.sections)
    assert "broken failed in fold 1" in found.one("aside")["text"]
    assert "90" in found.one("div", id="verdict")["text"]
    assert made.selection.splits_fingerprint in found.one("section", id="reproduce")["text"]


def test_scores_alone_name_no_winner():
    truth, models = scores_of_rows()
    found = Page(scores_page(evaluate(Predictions.from_arrays(truth, {"only": models["good"]}))))
    assert {"metrics", "curves", "threshold", "calibration"} <= set(found.sections)
    assert not {"goal", "pairs", "methods"} & set(found.sections)
    assert "wins" not in found.one("main")["text"]


def test_slices_that_differ_are_marked():
    truth, models = scores_of_rows(1200)
    broken = np.arange(1200) % 3 == 0
    models["good"] = np.where(broken, 1 - models["good"], models["good"])
    part = np.where(broken, "broken", "whole")
    predictions = Predictions.from_arrays(truth, models, by={"part": part})
    shown = Page(compare(predictions, "accuracy", by="part").to_html()).one("section", id="slices")["text"]
    value = np.mean((models["good"][broken] >= 0.5) == truth[broken])
    assert f"{value:.4f} *" in shown


def test_a_notebook_shows_the_answer_and_the_first_table(verdict):
    shown, written = verdict._repr_html_(), verdict._repr_markdown_()
    card = Page(shown)
    assert card.one("strong")["text"] == verdict.sentence
    assert not {"script", "style", "iframe"} & {tag for tag, _ in re.findall(r"<(\w+)( |>)", shown)}
    assert len(shown) < 20_000 < len(verdict.to_html())
    for score in (verdict.scores[model, verdict.goal] for model in verdict.winners):
        assert all(score.model in text and f"{score.value:.4f}" in text for text in (shown, written))


def test_a_page_in_a_notebook_is_the_page(verdict, text):
    frame = Page(verdict.page()._repr_html_())
    assert frame.one("iframe")["srcdoc"] == text
    assert frame.one("iframe")["sandbox"] == "allow-scripts allow-downloads"
    assert frame.one("p")["text"] == verdict.sentence


def test_every_style_and_script_is_used():
    assert {file.stem for file in (TEMPLATE / "style").glob("*.css")} == set(STYLES)
    assert {file.stem for file in (TEMPLATE / "script").glob("*.js")} == set(SCRIPTS)


def test_modules_can_stand_in_one_script():
    """Names of different modules meet there."""
    code = [(TEMPLATE / f"script/{name}.js").read_text() for name in SCRIPTS]
    names = [
        name
        for text in code
        for name in re.findall(r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)", text, re.M)
    ]
    assert len(names) == len(set(names))
    assert not re.search(r"^(import|export) ", bundle(), re.M)
    assert "</script" not in bundle() and "<!--" not in bundle() and "</style" not in stylesheet()


def test_text_that_looks_like_html_in_a_section_is_text():
    found = Page(page("<T>", [Section("a", "<i>", html.escape("<b>"), "<u>", "<s>")]))
    assert not {"i", "u", "s", "t"} & {element["tag"] for element in found.elements}


@pytest.fixture
def csv_file(tmp_path):
    truth, models = scores_of_rows(200)
    file = tmp_path / "rows.csv"
    lines = [",".join(map(str, row)) for row in zip(truth, *models.values(), strict=True)]
    file.write_text("\n".join(["y," + ",".join(models), *lines]) + "\n")
    return file


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("compare", ["--goal", "roc_auc"]),
        ("evaluate", []),
        ("gate", ["--goal", "roc_auc", "--production", "fair", "--candidate", "good", "--margin", "0.01"]),
    ],
)
def test_commands_write_pages(referee, csv_file, tmp_path, command, options):
    file = tmp_path / "page.html"
    result = referee(command, csv_file, "--truth", "y", *options, "--html", file)
    assert result.code == 0
    assert result.json["command"] == command
    shown = Page(file.read_text(encoding="utf-8"))
    assert f"referee {command} " in shown.one("section", id="reproduce")["text"]
    assert "--truth y" in shown.one("section", id="reproduce")["text"]


def test_rows_that_are_not_in_memory_have_the_same_slider(referee, csv_file, tmp_path):
    pages = []
    for number, limit in enumerate([[], ["--max-memory", "10KB"]]):
        file = tmp_path / f"{number}.html"
        referee("evaluate", csv_file, "--truth", "y", *limit, "--html", file)
        pages.append(Page(file.read_text(encoding="utf-8")))
    assert pages[0].data == pages[1].data
    assert "calibration" not in pages[1].sections


def test_a_page_is_replaced_and_nothing_else_is(referee, csv_file, tmp_path):
    file = tmp_path / "page.html"
    for _ in range(2):
        assert referee("evaluate", csv_file, "--truth", "y", "--html", file).code == 0
    before = csv_file.read_bytes()
    for place in (csv_file, tmp_path, tmp_path / "no" / "page.html"):
        refused = referee("evaluate", csv_file, "--truth", "y", "--html", place)
        assert refused.code == 6
        assert "--html" in refused.json["error"]["message"]
    assert csv_file.read_bytes() == before


def test_no_password_gets_into_a_page():
    import click

    from referee.cli.output import typed_command

    @click.command("compare")
    @click.argument("sources", nargs=-1)
    @click.option("--by", multiple=True)
    @click.option("--seed", default=0)
    def command(sources, by, seed):
        assert (sources, by, seed) == (("postgresql://me:secret@host/db#t",), ("a b", "c"), 0)
        said.append(typed_command())

    said = []
    given = ["postgresql://me:secret@host/db#t", "--by", "a b", "--by", "c"]
    command.main(given, prog_name="compare", standalone_mode=False)
    assert said == ["referee compare 'postgresql://me:***@host/db#t' --by 'a b' --by c"]

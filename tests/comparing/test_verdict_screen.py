"""What `compare`, `gate` and `select` say: the answer once and last, nothing obeyed, cut or untrue."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from rich.cells import cell_len
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from referee.cli.output import show
from referee.comparing import compare, gate
from referee.fitting import select
from referee.predictions import Predictions
from referee.scoring import evaluate
from tests.pages_to_read import scores_of_rows

pytestmark = pytest.mark.usefixtures("fits_here")
HOSTILE = "[bold red]bad[/] \x1b[31mname"


@pytest.fixture
def said(capsys):
    """The lines that a verdict is shown as."""

    def shown(verdict, form="text", **options):
        show(verdict, form, **options)
        return capsys.readouterr().out

    return shown


def three(goal="roc_auc", names=("good", "fair", "poor"), **options):
    truth, models = scores_of_rows(models=names)
    return compare(Predictions.from_arrays(truth, models), goal, metrics=[goal, "accuracy"], **options)


def many(models=60):
    truth, scores = scores_of_rows(rows=120, models=[f"m{i:03d}" for i in range(models)])
    return compare(Predictions.from_arrays(truth, scores), "accuracy", metrics=["accuracy"])


def over_data_sets():
    """b is a hundredth worse on nine data sets, and one worse on a tenth."""
    truth = np.linspace(0, 1, 100)
    sets = np.repeat(np.arange(10), 10)
    worse = np.where(sets == 0, 1.0, 0.01 + 0.0001 * sets)
    models = {"a": truth + 0.1, "b": truth + 0.1 + worse}
    several = Predictions.from_arrays(truth, models, task="regression", by={"d": sets})
    return compare(several, "mae", by="d", unit="slice", metrics=["mae"])


def joined(text):
    return " ".join(text.split())


def row_of(text, name):
    return next(line for line in text.splitlines() if line.strip().startswith(name))


def test_the_verdict_is_said_once_and_last(said):
    verdict = three()
    text = said(verdict)
    assert joined(text).count(verdict.sentence) == 1
    assert joined(text.rsplit("\n\n", 1)[1]) == verdict.sentence
    assert joined(said(verdict, quiet=True)).endswith(verdict.sentence)


@pytest.mark.parametrize(("models", "lines"), [(3, 30), (20, 45), (60, 45)])
def test_a_screen_is_short(said, models, lines):
    """Also with all metrics; every model has a row with its value, and one with its comparison."""
    truth, scores = scores_of_rows(models=[f"m{place}" for place in range(models)])
    text = said(compare(Predictions.from_arrays(truth, scores), "roc_auc"))
    assert len(text.splitlines()) <= lines
    assert max(map(cell_len, text.splitlines())) <= 80


@pytest.mark.parametrize(("models", "lines"), [(3, 30), (20, 45)])
def test_a_screen_with_warnings_is_short_too(said, tmp_path, models, lines):
    """Warnings of many columns are one, which names the file."""
    truth, scores = scores_of_rows(models=[f"m{place}" for place in range(models)])
    decided = {name: scores[name].round() if name in ("m0", "m1", "m2", "m7") else scores[name] for name in scores}
    file = tmp_path / "preds.csv"
    rows = zip(truth, *decided.values(), strict=True)
    file.write_text("\n".join([",".join(["y", *decided]), *(",".join(map(str, row)) for row in rows)]))
    verdict = compare(Predictions.read(file, truth="y"), "roc_auc")
    text = said(verdict)
    warned = text[text.index("warning[") :].partition("\n\n")[0].splitlines()
    assert len(text.splitlines()) - len(warned) <= lines
    assert len(warned) <= 5 * 2
    assert max(map(cell_len, text.splitlines())) <= 80
    assert "the arrays" not in text
    assert text.count("warning[W_HARDLABELS]") == 1 < sum(one.code == "W_HARDLABELS" for one in verdict.warnings)
    assert all("preds.csv" in notice.message for notice in verdict.warnings if "column" in notice.message)
    assert "likewise 'm1', 'm2'" in joined(text)


def test_details_are_named_and_shown_on_demand(said):
    truth, models = scores_of_rows()
    verdict = compare(Predictions.from_arrays(truth, models), "roc_auc")
    text, whole = joined(said(verdict)), said(verdict, whole=True)
    (told,) = re.findall(r"--all also shows: (.*?) No winner|--all also shows: (.*?) \S+ wins", text)
    for title in "".join(told).split("; "):
        assert title.capitalize() in whole and title.capitalize() not in text
    assert "also shows" not in whole
    assert all(title in said(verdict, "md") for title in ("Why this test", "If another metric had decided"))


@pytest.mark.parametrize("goal", ["roc_auc", "log_loss"])
def test_the_signs_say_who_is_better(said, goal):
    """Also where a low value is better, and where the better model was given last."""
    truth, models = scores_of_rows()
    turned = Predictions.from_arrays(truth, dict(reversed(models.items())))
    assert row_of(said(three(goal)), "good > poor")
    assert row_of(said(compare(turned, goal, metrics=[goal])), "good > poor")


def test_names_are_shown_and_not_obeyed(said):
    text = said(three(names=(HOSTILE, "fair", "poor")))
    assert "\x1b" not in text
    assert text.count("[bold red]bad[/]") >= 1
    broken = said(three(names=("two\nlines", "fair", "poor")))
    assert broken.count("two\\nlines") >= 4
    assert not [line for line in broken.splitlines() if line.startswith("lines")]


def test_no_cell_of_a_table_is_cut(said, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    verdict = three()
    text = said(verdict, whole=True)
    for found in verdict.comparisons:
        sign = {found.a: ">", found.b: "<", None: "~"}[found.winner]
        rows = [line for line in text.splitlines() if line.strip().startswith(f"{found.a} {sign} {found.b}")]
        assert any(f"[{found.low:.4f}, {found.high:.4f}]" in row for row in rows)
        assert not any("…" in row for row in rows)


def test_what_the_signs_rest_on_is_said(said):
    text = joined(said(three()))
    assert "significant means p below 0.05, not adjusted; adjusted p (holm) are for 3 comparisons at once" in text
    assert "? undefined" not in text
    sure, mild = np.array([0.0, 1.0] * 20), np.full(40, 0.5)
    sure[3] = 0.0
    infinite = compare(Predictions.from_arrays([0, 1] * 20, {"sure": sure, "mild": mild}), "log_loss(clip=0)")
    assert "? undefined" in joined(said(infinite))
    for form in ("md", "latex"):
        assert "p below 0.05, not adjusted" in said(three(), form)


def test_of_many_models_the_best_are_shown(said):
    verdict = many()
    text = said(verdict)
    assert len(text.splitlines()) <= 45
    assert "45 more models: --all" in text
    assert "54 more comparisons: --all" in text
    assert all(name in text for name in list(verdict.values)[:15])
    written = said(verdict, "md")
    assert len(written.splitlines()) < 90
    assert "45 more models: --all" in written
    assert len(said(verdict, "csv").splitlines()) == 60
    whole = said(verdict, whole=True)
    assert all(name in whole for name in verdict.values) and "more models" not in whole


def test_many_pairs_are_folded_away_in_markdown(said):
    written = said(many(6), "md")
    in_sight, _, folded = written.partition("<summary>Comparisons of the other models")
    assert in_sight.partition("**Comparisons: ")[2].count("\n| m0") == 5
    assert folded.partition("</details>")[0].count("\n| m0") == 10


def test_a_median_difference_is_called_one(said):
    """The means differ by 0.1095; the median of the pairwise means of the differences is about 0.01."""
    verdict = over_data_sets()
    (found,) = verdict.comparisons
    assert abs(verdict.values["b"] - verdict.values["a"]) == pytest.approx(0.10945, abs=1e-9)
    assert abs(found.difference) < 0.02
    assert "Hodges-Lehmann median of the differences" in verdict.sentence
    assert joined(said(verdict)).count("Hodges-Lehmann median of the differences") == 2


def test_an_infinite_statistic_and_a_small_p_are_words(said):
    """Three models that every data set ranks alike: Iman and Davenport's F divides by 0."""
    truth = np.linspace(0, 1, 200)
    sets = np.repeat(np.arange(20), 10)
    models = {name: truth + by * (1 + sets / 100) for name, by in (("a", 0.1), ("b", 0.2), ("c", 0.3))}
    several = Predictions.from_arrays(truth, models, task="regression", by={"d": sets})
    text = joined(said(compare(several, "mae", by="d", unit="slice", metrics=["mae"])))
    assert "F is infinite, as all data sets rank the models alike, p < 0.0001" in text
    assert "inf," not in text


def test_a_best_model_that_is_worse_than_guessing_is_pointed_out(said):
    truth, models = scores_of_rows(models=("one", "two"))
    turned = {name: 1 - scores for name, scores in models.items()}
    verdict = compare(Predictions.from_arrays(truth, turned), "log_loss", metrics=["log_loss"])
    share = truth.mean()
    entropy = -(share * np.log(share) + (1 - share) * np.log(1 - share))
    assert f"vs {entropy:.4f} for guessing" in next(n.message for n in verdict.warnings if n.code == "W_GUESSING")
    for form in ("text", "md", "json"):
        assert "W_GUESSING" in said(verdict, form).replace("\\", "")
    assert not [notice for notice in three().warnings if notice.code == "W_GUESSING"]


@pytest.fixture
def table():
    generator = np.random.default_rng(0)
    x = generator.normal(size=(90, 3))
    return x, (x[:, 0] + generator.normal(size=90) > 0).astype(int)


class Fails(DummyClassifier):
    def fit(self, *_, **__):
        raise RuntimeError("no fit today")


def test_a_selection_is_judged_last_and_names_what_failed(table, capsys):
    models = {"bayes": GaussianNB(), "guess": DummyClassifier(), "broken": Fails()}
    verdict = select(models, *table, goal="accuracy", scheme="k_fold(k=3)")
    show(verdict, "text")
    text = capsys.readouterr().out
    assert joined(text.rsplit("\n\n", 1)[1]) == verdict.sentence
    assert "broken" in text.partition("Failed, and not part of the verdict")[2]
    show(verdict, "md")
    assert "Failed, and not part of the verdict" in (written := capsys.readouterr().out)
    assert "broken" in written


def test_one_split_is_one_test_set(table, capsys):
    verdict = select({"bayes": GaussianNB(), "guess": DummyClassifier()}, *table, goal="roc_auc", scheme="holdout")
    show(verdict, "text")
    text = joined(capsys.readouterr().out)
    assert "holdout: 1 split " in text
    assert "several fitted models" not in text
    assert "medians over the splits" not in text
    assert "W_POOLED" not in text
    assert "not about the learning procedures" in verdict.sentence


def test_the_gate_answers_last(capsys):
    truth, models = scores_of_rows(models=("old", "new"))
    answer = gate(Predictions.from_arrays(truth, models), "accuracy", production="old", candidate="new", margin=0.01)
    show(answer, "text")
    text = capsys.readouterr().out
    assert joined(text).count(answer.sentence) == 1
    assert joined(text.rsplit("\n\n", 1)[1]) == answer.sentence
    difference = answer.verdict.values["new"] - answer.verdict.values["old"]
    for form in ("text", "md"):
        show(answer, form)
        found = joined(capsys.readouterr().out)
        assert f"candidate minus production: {difference:.4f} (90% interval" in found
        assert "margin 0.0100" in found


@pytest.mark.parametrize("many", [2, 5, 20])
def test_similar_names_read_apart_in_every_comparison(said, many):
    names = [f"xgb_depth{place}_eta0.1_subsample0.8" for place in range(many)]
    text = said(three("accuracy", names=names), whole=True)
    assert max(map(cell_len, text.splitlines())) <= 80
    start = text.index("Comparisons:")
    pairs = re.findall(r"^  (\S+) ([<>~]) (\S+)  ", text[start:], re.MULTILINE)
    assert len(pairs) == many * (many - 1) / 2
    assert not any(sign in a + b for a, _, b in pairs for sign in "<>~?")
    assert {frozenset(re.findall(r"\d+", label)[0] for label in (a, b)) for a, _, b in pairs} == {
        frozenset((str(a), str(b))) for a in range(many) for b in range(a + 1, many)
    }


def test_a_cut_is_not_the_sign_of_a_tie_where_a_terminal_has_only_ascii(monkeypatch):
    made = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(made, "ascii", write_through=True))
    show(three("accuracy", names=["xgb_depth6_eta0.1", "xgb_depth8_eta0.1"]), "text")
    (pair,) = [line for line in made.getvalue().decode("ascii").splitlines() if line.startswith("  xgb_depth6* ")]
    assert pair.split()[1] in "<>~" and "~" not in pair.split()[0] + pair.split()[2]


@pytest.mark.parametrize("typed", ["f1", "F1", "f_beta", "f1_score"])
def test_f1_is_read_as_f1(said, typed):
    verdict = three(typed)
    for form in ("text", "md", "latex"):
        text = said(verdict, form).replace(r"f\_1", "f1")
        assert "f1" in text and "f_beta" not in text.replace("\\", "")
    page = verdict.to_html()
    assert "on f1." in page.partition("<main")[2]
    read = re.sub(r"<script.*?</script>|<[^>]*>", "", page, flags=re.DOTALL)
    as_typed = f"goal=&#39;{typed}&#39;, metrics=[&#39;{typed}&#39;, &#39;accuracy&#39;]"
    assert as_typed in read and "f_beta" not in read.replace(as_typed, "")
    assert "on f1: " in verdict.sentence


def test_other_betas_keep_their_name_and_keys_stay():
    verdict = three("f_beta(beta=2)")
    assert "on f_beta(beta=2): " in verdict.sentence
    assert three("f1").to_dict()["goal"] == "f_beta"
    assert {row["metric"] for row in three("f1").to_dict()["scores"]} == {"f_beta", "accuracy"}


def test_f1_in_tables_of_scores(capsys):
    truth, models = scores_of_rows(models=("good", "poor"))
    several = Predictions.from_arrays(truth, models, by={"region": np.arange(len(truth)) % 3})
    for asked in (None, ["f1", "f1_macro", "f_beta(beta=2)"]):
        for form in ("text", "md"):
            show(evaluate(several, asked, by="region"), form)
            assert not re.search(r"f_beta(?!\(beta=2)", capsys.readouterr().out.replace("\\", ""))
    show(evaluate(several, ["f1"]), "csv")
    assert ",f_beta," in capsys.readouterr().out

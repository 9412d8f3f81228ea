"""The catalogue with files of the user's, good and bad, and metrics that are in no catalogue."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from referee import metrics, schemes
from referee.catalogue.folder import letters_of
from referee.comparing import tests
from referee.errors import UnknownNameError, UsageError
from referee.fitting import learners
from referee.predictions import Predictions
from referee.scoring import CLASSIFICATION, Metric, evaluate

FILE = """
from referee.scoring import CLASSIFICATION, Metric


def value(counts, *, weight: float = 1.0):
    return {formula}


metric = Metric(
    title="Mine",
    question="?",
    formula="...",
    needs="labels",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    blind_to="...",
    per_class=True,
    aliases={aliases},
)
"""


def metric_file(formula="counts.tp / (counts.tp + weight * counts.fn)", aliases=()):
    return FILE.format(formula=formula, aliases=aliases)


@pytest.fixture
def add(tmp_path):
    """Write a metric's file into a folder of the catalogue: `add("mine", text)`."""
    metrics.add_folder(tmp_path)

    def add_file(name, text):
        file = tmp_path / f"{name}.py"
        file.write_text(text)
        return file

    yield add_file
    metrics.remove_folder(tmp_path)


def refusal(look_up):
    with pytest.raises(UsageError) as caught:
        look_up()
    return caught.value.code, caught.value.message


def test_the_guides_example_has_a_card(add, referee):
    add("mine", metric_file())
    assert metrics["mine(weight=2)"]([1, 1, 0], [1, 0, 0]) == 1 / 3
    assert "mine(weight=2)" in referee("metrics", "mine(weight=2)", form=None).out


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def value(:\n", "SyntaxError"),
        ("import no_such_package\n", "no_such_package"),
        ("raise SystemExit(3)\n", "SystemExit"),
        ("x = 1\n", "no `metric`"),
        ("metric = 3\n", "a `metric` that is not one: 3"),
    ],
)
def test_a_file_that_cannot_be_used(add, referee, text, why):
    file = add("mine", text)
    assert metrics["accuracy"].name == "accuracy"
    assert metrics["f1"].name == "f_beta"
    code, message = refusal(lambda: metrics["mine"])
    assert code == "E_METRICFILE"
    assert str(file) in message
    assert why in message
    listing = referee("metrics")
    assert (listing.code, listing.json["error"]["code"]) == (2, "E_METRICFILE")
    assert referee("metrics", "accuracy").code == 0
    assert referee("metrics", "sensitivity").code == 0


def test_a_typing_error_beside_a_broken_file(add):
    file = add("mine", "x = 1\n")
    with pytest.raises(UsageError) as caught:
        metrics["acuracy"]
    assert "did you mean 'accuracy'" in caught.value.message
    assert str(file) in caught.value.hint


def test_a_broken_file_in_the_environment(tmp_path):
    (tmp_path / "mine.py").write_text("import no_such_package\n")
    data = tmp_path / "preds.csv"
    data.write_text("y,m\n1,0.9\n0,0.2\n1,0.4\n")

    def run(*options):
        command = [sys.executable, "-m", "referee", "evaluate", str(data), "--truth", "y", *options]
        environment = os.environ | {"REFEREE_METRICS": str(tmp_path)}
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)

    assert run("--metrics", "f1,roc_auc").returncode == 0
    needed = run("--metrics", "mine")
    assert needed.returncode == 2
    assert "error[E_METRICFILE]" in needed.stderr
    assert "mine.py" in needed.stderr


@pytest.mark.parametrize(
    ("name", "aliases", "taken"),
    [("accuracy", (), "accuracy"), ("f1", (), "f1"), ("mine", ("f1",), "f1"), ("mine", ("recall",), "recall")],
)
def test_a_name_that_is_taken(add, name, aliases, taken):
    file = add(name, metric_file(aliases=aliases))
    for look_up in (lambda: metrics[name], lambda: list(metrics.values())):
        code, message = refusal(look_up)
        assert code == "E_METRICFILE"
        assert str(file) in message
        assert f"{taken!r} is already taken" in message
    assert metrics["precision"].name == "precision"


def test_an_alias_of_a_users_file(add):
    add("mine", metric_file(aliases=("my_own",)))
    assert metrics["my_own"].name == "mine"
    assert "my_own" in metrics


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ("counts.tp / no_such_name", "NameError"),
        ("counts.no_such_attribute", "AttributeError"),
        ("0.5", "shape ()"),
        ("[1.0, 2.0, 3.0]", "shape (3,)"),
        ("'text'", "ValueError"),
    ],
)
def test_a_formula_that_fails(add, referee, tmp_path, formula, why):
    file = add("mine", metric_file(formula))
    data = tmp_path / "preds.csv"
    data.write_text("y,m\n1,0.9\n0,0.2\n1,0.4\n")
    run = referee("evaluate", data, "--truth", "y", "--metrics", "mine")
    assert (run.code, run.json["error"]["code"]) == (2, "E_METRICFILE")
    assert str(file) in run.json["error"]["message"]
    assert why in run.json["error"]["message"]
    assert refusal(lambda: metrics["mine"]([1, 0], [1, 0]))[0] == "E_METRICFILE"
    assert refusal(lambda: metrics["mine"].of_counts([[1, 0], [1, 0]]))[0] == "E_METRICFILE"
    assert referee("metrics", "mine").code in (0, 2)
    assert "mine" in referee("metrics", "--needs", "labels", form=None).out


def test_a_formula_that_only_the_standard_error_breaks(add, referee, tmp_path):
    text = metric_file("__import__('numpy').full(1, ranking.scores.max())").replace("(counts, *", "(ranking, *")
    add("mine", text.replace('"labels"', '"scores"'))
    data = tmp_path / "preds.csv"
    data.write_text("y,m\n1,0.9\n0,0.2\n1,0.4\n")
    assert referee("evaluate", data, "--truth", "y", "--metrics", "mine").code in (0, 2)


def test_built_in_metrics_know_that_they_are():
    assert all(metric.built_in for metric in metrics.values())


def test_aliases_and_calls_are_in_the_catalogue():
    for name in ("f1", "f_beta", "f_beta(beta=2)", "f-beta", "auc"):
        assert name in metrics
    for name in ("no_such_metric", "f_beta(gamma=2)", "f_beta(", 3, None):
        assert name not in metrics
    assert "f1" not in list(metrics)


def negative_jaccard(**changes):
    return Metric(
        title="Negative Jaccard", question="?", formula="TN / (TN + FP + FN)", needs="labels", tasks=CLASSIFICATION,
        better="higher", range=(0, 1), value=lambda counts: counts.tn / (counts.tn + counts.fp + counts.fn),
        blind_to="?", per_class=True, undefined_when="there is no negative", **changes,
    )  # fmt: skip


@pytest.fixture
def predictions():
    return Predictions.from_arrays([1, 1, 0, 0], {"a": [0.9, 0.3, 0.2, 0.1], "b": [0.2, 0.9, 0.8, 0.3]})


@pytest.mark.parametrize("form", ["text", "json", "csv", "md"])
def test_a_metric_that_is_in_no_catalogue(predictions, capsys, form):
    from referee.cli.output import show

    metric = negative_jaccard(name="mine")
    scores = evaluate(predictions, [metric, "accuracy"])
    assert scores["a", "mine"].value == scores["a", metric].value == 2 / 3
    show(scores, form)
    assert "mine" in capsys.readouterr().out


def test_a_metric_without_a_name_is_called_by_its_title(predictions):
    assert evaluate(predictions, negative_jaccard())["a", "negative_jaccard"].value == 2 / 3


def test_two_metrics_of_the_same_name(predictions):
    with pytest.raises(UsageError) as caught:
        evaluate(predictions, ["accuracy", negative_jaccard(name="accuracy")])
    assert caught.value.code == "E_DUPMETRIC"


def test_each_metric_once(predictions):
    for asked in (["accuracy", "accuracy"], ["f1", "f_beta"], ["f1", "f_beta(beta=1)"], "accuracy"):
        assert len(evaluate(predictions, asked).metrics) == 1
    assert [metric.name for metric in evaluate(predictions, "roc_auc,f_beta(beta=2)").metrics] == ["roc_auc", "f_beta"]


def test_no_metric_at_all(predictions):
    for asked in ([], "", ()):
        with pytest.raises(UsageError) as caught:
            evaluate(predictions, asked)
        assert caught.value.code == "E_NOMETRIC"


@pytest.mark.parametrize(
    ("typed", "full_name"),
    [
        ("AUC", "roc_auc"),
        ("ROC AUC", "roc_auc"),
        ("Roc-Auc", "roc_auc"),
        ("F1", "f_beta"),
        ("F1 score", "f_beta"),
        ("F-beta(beta=2)", "f_beta(beta=2)"),
        ("LogLoss", "log_loss"),
        ("RMSE", "rmse"),
        ("MCC", "mcc"),
        ("R²", "r2"),
        ("f1_macro", "f_beta(average=macro)"),
        ("precision_weighted", "precision(average=weighted)"),
        ("recall_micro", "recall(average=micro)"),
    ],
)
def test_names_as_people_type_them(referee, typed, full_name):
    assert metrics[typed].full_name == full_name
    assert referee("metrics", typed).json["name"] == full_name


@pytest.mark.parametrize("typed", ["neg_accuracy", "accuracy_loss", "neg_f1", "f1_samples", "roc_auc_ovo_weighted"])
def test_names_that_are_nobodys(typed):
    with pytest.raises(UnknownNameError, match="there is no metric"):
        metrics[typed]


def test_no_two_entries_differ_only_in_how_they_are_spelled():
    for catalogue in (metrics, tests, schemes, learners):
        words = {name: name for name in catalogue} | catalogue.aliases()
        owners = {}
        for word, name in words.items():
            owners.setdefault(letters_of(word), set()).add(name)
        assert [names for names in owners.values() if len(names) > 1] == []


def test_a_users_own_name_comes_before_a_way_to_spell_ours(add):
    add("rocauc", metric_file())
    assert metrics["rocauc"].name == "rocauc"
    assert metrics["roc_auc"].name == metrics["ROC-AUC"].name == "roc_auc"

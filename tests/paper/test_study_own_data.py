"""`referee study --on`: choosing by each metric for each goal on one's own data, by hand and against scikit-learn."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.metrics import accuracy_score, f1_score, log_loss, mean_absolute_error, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from referee.advice import cost_of, cost_of_a_coin, preferred, rightness
from referee.errors import ModelError, UndefinedError, UsageError
from referee.fitting import DataSet, Store, schemes
from referee.paper import study_own_data
from referee.paper.own_contest import different_fits, gain_over, settled_by
from referee.paper.own_data import gain_by
from referee.paper.own_parts import dealt_anew
from referee.paper.own_study import judged_choice
from referee.predictions import Units
from tests.stored_digest import digest_of

pytestmark = pytest.mark.usefixtures("fits_here")

FOUR = "accuracy,roc_auc,f_beta,log_loss"

WORTH = np.array([[0.75, 0.5, 0.25], [0.5, 0.75, 0.75], [0.25, 0.5, 1.0], [0.5, 0.5, 0.5]])
SAID = np.array([[0.9, 0.8, 0.1], [0.4, 0.9, 0.2], [0.7, 0.7, 0.1], [0.3, 0.2, 0.1]])


def test_who_is_chosen_how_often_that_is_right_and_what_it_costs():
    """By hand: the best; one of two best; one of two, both wrong; where all are equal every choice is right."""
    chosen = preferred(SAID)
    assert chosen.tolist() == [[1, 0, 0], [0, 1, 0], [0.5, 0.5, 0], [1, 0, 0]]
    assert rightness(chosen, WORTH).tolist() == [1, 1, 0, 1]
    assert cost_of(chosen, WORTH).tolist() == [0, 0, 1 - 0.375, 0]
    coin = [Fraction(1, 4), Fraction(3, 4) - Fraction(2, 3), 1 - Fraction(7, 12), 0]
    assert cost_of_a_coin(WORTH) == pytest.approx([float(one) for one in coin], abs=1e-15)


def test_a_choice_over_all_repetitions_by_hand():
    found = judged_choice(("goal", "other"), preferred(SAID), WORTH, between=0.5)
    assert (found.repetitions, found.right, found.cost) == (4, 0.75, 0.625 / 4)
    assert found.regret == pytest.approx(float(Fraction(5, 8) / (Fraction(1, 4) + Fraction(1, 12) + Fraction(5, 12))))
    # Variance (5/16)^2 of the costs 0, 0, 5/8, 0 times (1/4 + 1/2).
    assert found.cost_standard_error == pytest.approx(5 / 16 * (1 / 4 + 1 / 2) ** 0.5)
    reach = stats.t.ppf(0.975, 3) * found.cost_standard_error
    assert (found.cost_low, found.cost_high) == (0.0, pytest.approx(0.625 / 4 + reach))
    wilson = stats.binomtest(3, 4).proportion_ci(method="wilson")
    assert (found.right_low, found.right_high) == (pytest.approx(wilson.low), pytest.approx(wilson.high))


def test_repetitions_without_a_value_do_not_count():
    said, worth = SAID.copy(), WORTH.copy()
    said[0, 1] = worth[3, 0] = np.nan
    found = judged_choice(("goal", "other"), preferred(said), worth, between=0.5)
    assert (found.repetitions, found.right, found.cost) == (2, 0.5, 0.625 / 2)
    assert judged_choice(("goal", "other"), preferred(said)[:1], worth[:1], between=0.5).right is None


def test_equal_models_have_no_regret():
    found = judged_choice(("goal", "other"), preferred(SAID), np.full_like(WORTH, 0.5), between=1)
    assert (found.right, found.cost, found.regret) == (1.0, 0.0, None)


@pytest.fixture(scope="module")
def cancer():
    x, y = load_breast_cancer(return_X_y=True)
    return x[:, :6], y


@pytest.fixture(scope="module")
def models():
    return {
        "bayes": GaussianNB(),
        "neighbours": KNeighborsClassifier(3),
        "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
    }


@pytest.fixture(scope="module")
def study(cancer, models):
    return study_own_data(models, *cancer, metrics=FOUR, repetitions=6, subsets=6, deals=1)


@pytest.fixture(scope="module")
def by_hand(cancer, models, study):
    """Values by scikit-learn, more is better: (repetition, part, model, metric), and accuracies on subsets."""
    x, y = cancer
    splits = list(schemes[study.scheme].splits(x, y.astype(str), seed=0))
    values, subsets = np.empty((6, 2, 3, 4)), np.empty((6, 2, 3, 6))
    for r, split in enumerate(splits):
        for m, model in enumerate(models.values()):
            fitted = model.fit(x[split.train], y[split.train])
            for p, part in enumerate(("holdout", "test")):
                rows = np.concatenate(split.subsets[part])
                score = fitted.predict_proba(x[rows])[:, 1]
                label = score >= 0.5
                values[r, p, m] = (
                    accuracy_score(y[rows], label), roc_auc_score(y[rows], score), f1_score(y[rows], label),
                    -log_loss(y[rows], score),
                )  # fmt: skip
                for s, some in enumerate(split.subsets[part]):
                    subsets[r, p, m, s] = accuracy_score(y[some], fitted.predict_proba(x[some])[:, 1] >= 0.5)
    return values, subsets


def test_the_whole_study_agrees_with_scikit_learn(study, by_hand):
    values, _ = by_hand
    names = [metric.full_name for metric in study.metrics]
    assert names == ["accuracy", "roc_auc", "f_beta", "log_loss"]
    for g, goal in enumerate(names):
        for h, evaluation in enumerate(names):
            right, cost, coin = [], [], []
            for repetition in values:
                said, worth = repetition[0, :, h].round(12), repetition[1, :, g].round(12)
                picked = [m for m in range(3) if said[m] == said.max()]
                right.append(np.mean([worth[m] == worth.max() for m in picked]))
                cost.append(worth.max() - np.mean([worth[m] for m in picked]))
                coin.append(worth.max() - worth.mean())
            found = study.choice(goal, evaluation)
            assert found.right == pytest.approx(np.mean(right), abs=1e-9), (goal, evaluation)
            assert found.cost == pytest.approx(np.mean(cost), abs=1e-9), (goal, evaluation)
            assert found.regret == pytest.approx(np.sum(cost) / np.sum(coin), abs=1e-9), (goal, evaluation)


def test_the_significance_version_agrees_with_scipy(study, by_hand):
    _, subsets = by_hand

    def outcome(a, b):
        if np.array_equal(a, b):
            return 0
        found = stats.ttest_rel(a, b)
        return int(np.sign(found.statistic)) if found.pvalue < 0.05 else 0

    same = [
        outcome(of_repetition[0, a], of_repetition[0, b]) == outcome(of_repetition[1, a], of_repetition[1, b])
        for of_repetition in subsets
        for a, b in combinations(range(3), 2)
    ]
    assert study.choice("accuracy", "accuracy").same_outcome == pytest.approx(np.mean(same))


def test_what_a_study_tells_of_itself(study, cancer):
    rows = len(cancer[1])
    assert sum(study.sizes.values()) == study.rows == rows
    assert study.sizes["train"] == round(rows / 2)
    assert study.subsets == 6
    for shares in study.best.values():
        assert sum(shares.values()) == pytest.approx(1)
    assert study.sentence.startswith("Choose by your goal")
    own = [study.choice(name, name) for name in ("accuracy", "log_loss")]
    assert [choice.gain for choice in own] == [None, None]


def test_a_goal_is_spoken_of_and_asked_without_fitting_again(cancer, models, tmp_path, study):
    asked = {"metrics": FOUR, "repetitions": 6, "subsets": 6, "deals": 1, "store": tmp_path / "run"}
    first = study_own_data(models, *cancer, **asked)
    assert first.to_dict() == study.to_dict()
    before = digest_of(Store.read(tmp_path / "run"))  # with the CPU seconds of every fit
    second = study_own_data(models, *cancer, goal="f1", **asked)
    assert digest_of(Store.read(tmp_path / "run")) == before
    assert second.sentence.startswith("Choose by ") and "f1, your goal: the model that" in second.sentence
    assert second.choices == first.choices


@pytest.mark.usefixtures("in_workers")
def test_two_jobs_give_the_same(cancer, models, study):
    again = study_own_data(models, *cancer, metrics=FOUR, repetitions=6, subsets=6, deals=1, jobs=2)
    assert again.to_dict() == study.to_dict()


def test_sentence_of_a_clear_case():
    """A model that ranks well and decides badly: for accuracy, choosing by AUC is always wrong."""
    draw = np.random.default_rng(0)
    y = np.arange(400) % 2
    signal = y + draw.normal(0, 0.8, 400)
    models = {"ranks": Squeezed(column=0, factor=0.4), "decides": Squeezed(column=1)}
    x = np.column_stack([signal, signal + draw.normal(0, 0.5, 400)])
    study = study_own_data(models, x, y, goal="accuracy", metrics="accuracy,roc_auc", repetitions=5, deals=1)
    wrong, own = study.choice("accuracy", "roc_auc"), study.choice("accuracy", "accuracy")
    assert (wrong.right, wrong.regret) == (0.0, pytest.approx(2.0))
    assert (own.right, own.cost) == (1.0, 0.0)
    assert study.sentence == (
        "Choose by accuracy, your goal: the model that it picks is on average 0.0000 behind the best one; no other "
        f"common metric does better (the next is roc_auc: {wrong.cost:.4f})."
    )


class Squeezed(ClassifierMixin, BaseEstimator):
    """One feature as a score, times a factor: the same ranking, and below 1/2 no positive decision."""

    def __init__(self, column=0, factor=1.0):
        self.column = column
        self.factor = factor

    def fit(self, x, y):  # noqa: ARG002 (scikit-learn's protocol)
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, x):
        score = self.factor / (1 + np.exp(1 - 2 * x[:, self.column]))
        return np.column_stack([1 - score, score])

    def predict(self, x):
        return (self.predict_proba(x)[:, 1] >= 0.5).astype(int)


def test_several_classes():
    data = DataSet.from_arrays(*load_wine(return_X_y=True), task="multiclass")
    study = study_own_data(["naive_bayes", "knn(k=3)", "tree"], data, repetitions=3, seed=1)
    names = {metric.full_name for metric in study.metrics}
    assert {"accuracy", "f_beta", "roc_auc", "log_loss", "kappa"} <= names
    assert study.subsets is None, "44 rows are too few for five subsets of 20"
    assert all(one.same_outcome is None for one in study.choices)
    assert study.sentence.startswith("Choose by your goal")


def test_regression_against_scikit_learn():
    from sklearn.linear_model import LinearRegression
    from sklearn.neighbors import KNeighborsRegressor

    x, y = load_diabetes(return_X_y=True)
    models = {"linear": LinearRegression(), "neighbours": KNeighborsRegressor(5)}
    study = study_own_data(models, x, y, goal="mae", metrics="mae,rmse,r2", repetitions=4, deals=1)
    assert study.task == "regression"
    cost = []
    for split in schemes[study.scheme].splits(x, seed=0):
        error = {}
        for part in ("holdout", "test"):
            rows = np.concatenate(split.subsets[part])
            for name, model in models.items():
                fitted = model.fit(x[split.train], y[split.train])
                error[part, name] = mean_absolute_error(y[rows], fitted.predict(x[rows]))
        picked = min(models, key=lambda name: error["holdout", name])
        cost.append(error["test", picked] - min(error["test", name] for name in models))
    assert study.choice("mae", "mae").cost == pytest.approx(np.mean(cost), abs=1e-9)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A CSV file of 240 rows with a group column."""
    draw = np.random.default_rng(5)
    path = tmp_path_factory.mktemp("own") / "rows.csv"
    y = draw.integers(0, 2, 240)
    x = y + draw.normal(0, 1, 240)
    lines = [f"{x[i]:.4f},{draw.normal():.4f},{'yes' if y[i] else 'no'}" for i in range(240)]
    path.write_text("a,b,bought\n" + "\n".join(lines) + "\n")
    return path


def on(path, *more, models="naive_bayes,tree"):
    return ("study", "--on", path, "--target", "bought", "--models", models, "--positive", "yes", *more)


def test_the_command_in_every_format(referee, small, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "80")
    asked = on(small, "--repetitions", "4", "--out", tmp_path / "run")
    ran = referee(*asked, "--goal", "f1", "--metrics", "accuracy,roc_auc,log_loss")
    assert ran.code == 0
    found = ran.json
    assert (found["command"], found["goal"], found["repetitions"]) == ("study", "f_beta", 4)
    assert found["sizes"] == {"train": 120, "holdout": 60, "test": 60}
    assert found["metrics"] == ["f_beta", "accuracy", "roc_auc", "log_loss"]
    assert len(found["choices"]) == 16
    assert "f1, your goal: the model that" in found["sentence"]
    assert referee(*asked, "--goal", "f1", "--metrics", "accuracy,roc_auc,log_loss").out == ran.out
    text = referee(*asked, form="text")
    assert text.code == 0
    assert max(map(len, text.out.splitlines())) <= 80
    for words in (
        "How often the best model is chosen",
        "Regret: 0 is a perfect choice",
        "240 rows",
        "Choose by your goal",
    ):
        assert words in text.out
    goal = referee(*asked, "--goal", "accuracy", form="text")
    assert max(map(len, goal.out.splitlines())) <= 80
    assert "Goal accuracy: what choosing by each metric costs" in goal.out
    assert goal.out.rstrip().endswith(".")
    costs = {choice["evaluation"]: choice["cost"] for choice in referee(*asked, "--goal", "accuracy").json["choices"]
             if choice["goal"] == "accuracy"}  # fmt: skip
    assert f"on average {costs['accuracy']:.4f} behind the best one" in " ".join(goal.out.split())
    rows = list(csv.DictReader(io.StringIO(referee(*asked, "--metrics", "accuracy,roc_auc", form="csv").out)))
    assert [(row["goal"], row["evaluation"]) for row in rows][:2] == [("accuracy", "accuracy"), ("accuracy", "roc_auc")]
    markdown = referee(*asked, "--metrics", "accuracy,roc_auc", form="md").out
    assert markdown.startswith("**Choose by your goal")
    assert "| accuracy | " in markdown
    quiet = referee(*asked, "--goal", "accuracy", "--quiet", form="text").out
    assert " ".join(quiet.split()).startswith("Choose by accuracy, your goal")


def test_the_command_while_the_goal_is_open(referee, small, tmp_path):
    """The weights enter the mean and nothing else; the worst case is that of the possible goals alone."""
    asked = on(small, "--repetitions", "4", "--out", tmp_path / "run", "--metrics", "f1,accuracy,roc_auc,brier")
    ran = referee(*asked, "--goals", "f1=3,accuracy,roc_auc=0.5")
    assert ran.code == 0, ran.err
    weights = {"f_beta": 3.0, "accuracy": 1.0, "roc_auc": 0.5}
    assert ran.json["goals"] == weights
    regrets = {(choice["goal"], choice["evaluation"]): choice["regret"] for choice in ran.json["choices"]}
    safe = {choice["by"]: choice for choice in ran.json["safe"]}
    assert set(safe) == {"f_beta", "accuracy", "roc_auc", "brier", "average"}
    for by in set(safe) - {"average"}:
        each = [regrets[goal, by] for goal in weights]
        assert safe[by]["mean"] == pytest.approx(np.average(each, weights=list(weights.values())))
        assert safe[by]["worst"] == pytest.approx(max(each))
    text = " ".join(referee(*asked, "--goals", "f1=3,accuracy,roc_auc=0.5", form="text").out.split())
    assert "goals and their weights: f1 3, accuracy 1, roc_auc 0.5" in text
    first = {"average": "the average of the 3 goals", "f_beta": "f1"}
    first = first.get(ran.json["safe"][0]["by"], ran.json["safe"][0]["by"])
    assert f"If the goal is undecided, {first} is the safest to choose by: regret" in text
    wrong = referee(*asked, "--goals", "f1=-1,accuracy")
    assert (wrong.code, wrong.json["error"]["code"]) == (2, "E_GOAL")


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        pytest.param(on("FILE", models="tree"), 2, "at least two models", id="one model"),
        pytest.param(on("FILE", "--train", "0.7", "--holdout", "0.3"), 2, "leave no rows", id="no test part"),
        pytest.param(on("FILE", "--holdout", "0"), 2, "leave no rows", id="no holdout"),
        pytest.param(on("FILE", "--repetitions", "1"), 2, "at least 2 are needed", id="one repetition"),
        pytest.param(on("FILE", "--train", "0.9", "--holdout", "0.07"), 4, "the test part has 7 of the 240 rows",
                     id="test part too small"),
        pytest.param(on("FILE", "--train", "0.7", "--holdout", "0.02"), 4, "the holdout part has 5 of the 240 rows",
                     id="holdout too small"),
        pytest.param(on("FILE", "--subsets", "100"), 4, "cannot be divided into 100 subsets", id="too many subsets"),
        pytest.param(on("FILE", "--goal", "rmse"), 2, "rmse is for regression", id="goal of another task"),
        pytest.param(on("FILE", "--metrics", "nonsense"), 2, "nonsense", id="no such metric"),
        pytest.param(on("FILE", "--tables", "2"), 2, "--tables belongs to the paper's experiment", id="mixed"),
        pytest.param(("study", "--target", "bought"), 2, "use --on DATA", id="without --on"),
        pytest.param(("study", "--on", "FILE", "--target", "bought"), 2, "--on needs --models", id="no models"),
        pytest.param(("study", "--on", "FILE", "--models", "tree,knn"), 2, "--on needs --target", id="no target"),
        pytest.param(("study", "--on", "FILE", "--target", "bought", "--models", "tree,knn"), 2, "is the positive one?",
                     id="no positive class"),
    ],
)  # fmt: skip
def test_errors_say_what_is_wrong(referee, small, more, code, words):
    ran = referee(*(small if word == "FILE" else word for word in more))
    assert (ran.code, words in ran.json["error"]["message"]) == (code, True), ran.out


def test_one_class_in_a_part_is_refused_before_fitting():
    x, y = np.arange(60.0)[:, None] % 7, (np.arange(60) == 3).astype(int)
    with pytest.raises(UndefinedError) as caught:
        study_own_data(["tree", "dummy"], x, y, repetitions=3)
    assert caught.value.code == "E_ONECLASS"
    assert "class '1' has too few rows" in caught.value.message


def test_metrics_that_tell_nothing_are_named(cancer):
    x, y = cancer
    with pytest.raises(UndefinedError, match="the same for all models"):
        study_own_data({"one": GaussianNB(), "same": GaussianNB()}, x, y, repetitions=2, metrics="accuracy")
    with pytest.raises(UsageError):
        study_own_data(["naive_bayes"], x, y)


class Picky(Squeezed):
    """Cannot be fitted where the first training row is a negative one."""

    def fit(self, x, y):
        if not y[0]:
            raise ValueError("I do not like this split")
        return super().fit(x, y)


def test_a_model_that_fails_is_left_out_and_named(cancer):
    models = {"a": GaussianNB(), "b": Squeezed(), "c": Picky()}
    x = (cancer[0] - cancer[0].mean(axis=0)) / cancer[0].std(axis=0)
    study = study_own_data(models, x, cancer[1], metrics="accuracy,roc_auc", repetitions=4)
    assert study.models == ("a", "b")
    assert "I do not like this split" in study.failures[0].message
    with pytest.raises(ModelError, match="only a is left"):
        study_own_data({"a": GaussianNB(), "c": Picky()}, x, cancer[1], repetitions=4)


def test_a_gain_and_its_interval_by_scipy():
    """A t-interval of the mean over fits, with 1/5 of the variance between fits, which more of them do not change."""
    draw = np.random.default_rng(3)
    own, other, coin = draw.uniform(0.2, 0.4, 30), draw.uniform(0.1, 0.35, 30), draw.uniform(0.8, 1.2, 30)
    gain = gain_over(own, other, coin, different=30, rows=250)
    saved = (own - other) / coin.mean()
    error = np.std(saved, ddof=1) * np.sqrt(1 / 30 + 0.2)
    low, high = stats.t.interval(0.8, 29, loc=saved.mean(), scale=error)
    assert (gain.value, gain.low, gain.high) == pytest.approx((saved.mean(), low, high))
    assert gain.probability == pytest.approx(stats.t.cdf(saved.mean() / error, 29))


@pytest.mark.parametrize(
    ("value", "spread", "different", "sure", "settled"),
    [
        pytest.param(0.10, 0.10, 30, True, "", id="large and sure"),
        pytest.param(0.04, 0.01, 30, False, "less than the 5% that would make it worthwhile", id="too small"),
        pytest.param(0.10, 0.10, 9, False, "about 34 repetitions would settle it", id="they seldom differ"),
        pytest.param(0.10, 0.30, 30, False, "more rows would", id="no number of fits is enough"),
        pytest.param(0.10, 0.25, 30, False, "about 52 repetitions would settle it", id="more fits are enough"),
    ],
)
def test_another_metric_is_advised_only_where_it_surely_gains(value, spread, different, sure, settled):
    """Thirty fits: the t quantile of .8 with 29 degrees of freedom is .8542, so 1/R < (gain / (s .8542))^2 - .2."""
    saved = value + spread * stats.zscore(np.arange(30.0), ddof=1)
    gain = gain_over(saved, np.zeros(30), np.ones(30), different=different, rows=250)
    assert gain.is_sure == sure
    if not sure:
        assert settled in settled_by(gain)
    left = (value / (spread * stats.t.ppf(0.8, 29))) ** 2 - 0.2
    if "52" in settled:
        assert gain.fits_to_settle == int(np.ceil(1 / left)) == 52


@pytest.mark.parametrize(("rows", "value", "spread", "sure"), [
    pytest.param(199, 0.06, 0.01, False, id="few rows: a gain of .06 is not enough"),
    pytest.param(200, 0.06, 0.01, True, id="enough rows"),
    pytest.param(199, 0.10, 0.21, False, id="few rows: a probability of .83 is not enough"),
    pytest.param(200, 0.10, 0.21, True, id="above .8"),
])  # fmt: skip
def test_more_is_demanded_where_a_part_has_few_rows(rows, value, spread, sure):
    saved = value + spread * stats.zscore(np.arange(30.0), ddof=1)
    gain = gain_over(saved, np.zeros(30), np.ones(30), different=30, rows=rows)
    assert gain.probability == pytest.approx(stats.t.cdf(value / (spread * np.sqrt(1 / 30 + 0.2)), 29))
    assert gain.is_sure == sure


def test_costs_of_deals_are_averaged_in_each_fit():
    """Two fits of two deals by hand: the goal is wrong once in the first, the other metric once in the second."""
    worth = np.array([[[1.0, 0.5], [1.0, 0.5]], [[0.25, 0.75], [0.25, 0.75]]])
    by_goal = np.array([[[0.0, 1], [1, 0]], [[0, 1], [0, 1]]])
    other = np.array([[[1.0, 0], [1, 0]], [[1, 0], [0, 1]]])
    gain = gain_by(other, by_goal, worth, 250)
    # Costs of the goal 1/4 and 0, of the other 0 and 1/4; a coin costs 1/4 in each.
    assert (gain.value, gain.different, gain.spread) == (0.0, 2, pytest.approx(np.sqrt(2)))
    assert different_fits(other[:1], other[:1]) == 0


@pytest.mark.parametrize("grouped", [False, True])
def test_rows_are_dealt_out_anew_in_the_same_shares(grouped):
    y = np.repeat([0, 1, 1], 40)
    data = DataSet.from_arrays(np.arange(120.0)[:, None], y, positive="1")
    if grouped:
        data = replace(data, group=Units(np.arange(120) // 4, tuple(map(str, range(30)))))
    scheme = schemes["equal_subsets"](train=0.5, holdout=0.3, subsets=2, repeats=2)
    groups = None if data.group is None else data.group.codes
    first, second = scheme.splits(data.X, y.astype(str), groups, seed=4)
    deals = dealt_anew(data, first, 8, seed=4)
    tested = sum(map(len, first.subsets["test"]))
    assert len({deal.tobytes() for deal in deals}) == 8, "each deal is another one"
    for deal in deals:
        assert deal.sum() == pytest.approx(tested, abs=2 if grouped else 1)
        if grouped:
            parts = [set(deal[data.group.codes[first.test] == group]) for group in set(data.group.codes[first.test])]
            assert all(len(part) == 1 for part in parts)
        else:
            assert y[first.test][deal == 1].mean() == pytest.approx(2 / 3, abs=0.03)
    again = dealt_anew(data, first, 8, seed=4)
    assert all(map(np.array_equal, deals, again))
    assert not np.array_equal(dealt_anew(data, second, 8, seed=4)[0], deals[0])


def test_more_deals_of_the_same_fits(cancer, models, study, tmp_path):
    """The mean over deals is near the first one's, and the models were not fitted again."""
    asked = {"metrics": FOUR, "repetitions": 6, "subsets": 6, "store": tmp_path / "run"}
    study_own_data(models, *cancer, deals=1, **asked)
    before = digest_of(Store.read(tmp_path / "run"))
    dealt = study_own_data(models, *cancer, **asked)
    assert digest_of(Store.read(tmp_path / "run")) == before
    assert dealt.deals == 16
    for choice in dealt.choices:
        one = study.choice(choice.goal, choice.evaluation)
        assert choice.same_outcome == one.same_outcome, "of the first deal, which is the same"
        assert choice.goal == "log_loss" or choice.cost == pytest.approx(one.cost, abs=0.03)


def test_a_better_metric_is_advised():
    """Two good models with noise of their own that a threshold hides: squares tell them apart on few rows."""
    draw = np.random.default_rng(8)
    signal = draw.normal(size=500)
    y = (draw.random(500) < 1 / (1 + np.exp(-2 * signal))).astype(int)
    x = np.column_stack([signal, signal + draw.normal(0, 0.5, 500)])
    models = {"clear": Squeezed(0), "noisy": Squeezed(1)}
    study = study_own_data(models, x, y, goal="accuracy", metrics="accuracy,brier", train=0.6, holdout=0.1)
    gain = study.choice("accuracy", "brier").gain
    assert gain.is_sure
    assert study.advised("accuracy").evaluation == "brier"
    assert study.sentence.startswith(
        "Choose by brier instead of accuracy, your goal: the model that brier picks is on "
    )
    assert study.sentence.endswith(
        f"That saves {gain.value:.0%} of what a random choice loses (80% interval {gain.low:.0%} to {gain.high:.0%}; "
        "30 repetitions, 16 divisions each)."
    )


@pytest.mark.parametrize(("positives", "code"), [(30, "W_FEWROWS"), (50, "W_APPROXIMATE"), (120, None)])
def test_few_rows_of_the_rarer_class_are_said(positives, code):
    """A quarter of them is in each of the holdout and the test part."""
    draw = np.random.default_rng(1)
    y = (np.arange(400) < positives).astype(int)
    x = np.column_stack([y + draw.normal(size=400), draw.normal(size=400)])
    study = study_own_data(["naive_bayes", "knn(k=5)"], x, y, metrics="roc_auc,log_loss", repetitions=2)
    codes = [notice.code for notice in study.warnings if notice.code in ("W_FEWROWS", "W_APPROXIMATE")]
    assert codes == ([code] if code else [])
    assert ("may all be due to chance." in study.sentence) == (code == "W_FEWROWS")


def test_a_page_of_your_own_data(referee, small, tmp_path):
    place = tmp_path / "own.html"
    for more in ((), ("--goal", "f1")):
        ran = referee(*on(small, "--repetitions", "2", "--metrics", "accuracy,roc_auc", "--html", place, *more))
        assert ran.code == 0, ran.err
        page = place.read_text()
        assert ran.json["sentence"] in page
        assert ("Regret: 0 is a perfect choice, 1 a random one (rows: the goal" in page) == (not more)
        assert f"Goal {'f1' if more else 'accuracy'}: what choosing by each metric costs" in page


def test_no_difference_is_said_in_words():
    study = study_own_data(
        ["naive_bayes", "dummy"], *load_breast_cancer(return_X_y=True), metrics="accuracy,roc_auc", repetitions=3
    )
    assert "choosing always by the same metric 0.00: here the choice makes no difference" in study.sentence

"""`referee select`: the same splits for every model, fits that are kept, and models that misbehave."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from referee import compare, schemes, select
from referee.errors import ModelError
from referee.selection.run_folder import read_run


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    x = generator.normal(size=(120, 3))
    return x, (x[:, 0] + generator.normal(size=120) > 0).astype(int)


MODELS = {"logistic": LogisticRegression(), "bayes": GaussianNB()}


class TestAgainstScikitLearn:
    @pytest.mark.parametrize(
        ("goal", "scoring"), [("accuracy", "accuracy"), ("roc_auc", "roc_auc"), ("log_loss", None)]
    )
    def test_the_same_splits_and_estimators_give_the_same_scores(self, table, goal, scoring):
        x, y = table
        scheme = schemes["stratified_k_fold(k=5)"]
        verdict = select(MODELS, x, y, goal=goal, scheme=scheme)
        found = verdict.scores
        for name, estimator in MODELS.items():
            expected = cross_val_score(clone(estimator), x, y, cv=scheme, scoring=scoring or "neg_log_loss")
            units = [
                row.value for row in found if (row.model, row.metric) == (name, goal) and row.unit not in (None, "mean")
            ]
            np.testing.assert_allclose(units, expected if scoring else -expected, rtol=1e-12)

    def test_its_splitters_are_accepted(self, table):
        x, y = table
        splitter = StratifiedKFold(4, shuffle=True, random_state=1)
        verdict = select(MODELS, x, y, goal="accuracy", scheme=splitter)
        expected = cross_val_score(GaussianNB(), x, y, cv=splitter).mean()
        assert verdict.values["bayes"] == pytest.approx(expected, rel=1e-12)


class TestARunInAFolder:
    def test_another_goal_fits_nothing(self, table, tmp_path, referee):
        x, y = table
        verdict = select(MODELS, x, y, goal="accuracy", scheme="k_fold(k=4)", store=tmp_path / "run")
        again = compare(read_run(tmp_path / "run"), "accuracy")
        assert again.comparisons == verdict.comparisons
        run = referee("compare", tmp_path / "run", "--goal", "log_loss")
        assert (run.code, run.json["goal"], run.json["design"]) == (0, "log_loss", "splits")
        direct = select(MODELS, x, y, goal="log_loss", scheme="k_fold(k=4)")
        assert run.json["verdict"]["values"] == dict(direct.values)

    def test_the_number_of_workers_does_not_matter(self, table, tmp_path):
        x, y = table
        one = select(MODELS, x, y, goal="accuracy", scheme="k_fold(k=4)", jobs=1)
        two = select(MODELS, x, y, goal="accuracy", scheme="k_fold(k=4)", jobs=2, store=tmp_path / "two")
        resumed = select(MODELS, x, y, goal="accuracy", scheme="k_fold(k=4)", store=tmp_path / "two")
        for other in (two, resumed):
            assert other.comparisons == one.comparisons
            assert other.selection.splits_fingerprint == one.selection.splits_fingerprint

    def test_other_data_are_refused(self, table, tmp_path):
        x, y = table
        select(MODELS, x, y, goal="accuracy", scheme="holdout", store=tmp_path / "run")
        with pytest.raises(Exception, match="differs: data") as caught:
            select(MODELS, x + 1, y, goal="accuracy", scheme="holdout", store=tmp_path / "run")
        assert caught.value.exit == 7


class TestMisbehaving:
    def test_each_fate_is_named_and_the_others_are_kept(self, referee, shared, monkeypatch):
        monkeypatch.chdir(shared / "cases" / "models")
        bad = ["RaisesInFold3", "ReturnsNaN", "KillsWorker", "ExitsWorker", "SysExit", "Segfaults", "WrongLength"]
        models = ",".join(["logistic", "dummy", *(f"bad:{name}" for name in bad)])
        run = referee("select", "../141_dataset40.csv", "--target", "y", "--positive", "1", "--models",
                      models, "--goal", "roc_auc", "--scheme", "k_fold(k=5)", "--jobs", "2")  # fmt: skip
        assert run.code == 5
        failures = {one["message"].partition(" ")[0]: one for one in run.json["selection"]["failures"]}
        assert set(failures) == set(bad)
        for name, code, words in (
            ("RaisesInFold3", "E_MODEL", ("fold 3", "ValueError", "boom")),
            ("ReturnsNaN", "E_MODEL", ("fold 1", "row", "NaN")),
            ("KillsWorker", "E_WORKER", ("fold 1", "signal 9")),
            ("ExitsWorker", "E_WORKER", ("exited",)),
            ("SysExit", "E_MODEL", ("SystemExit",)),
            ("Segfaults", "E_WORKER", ("signal 11",)),
            ("WrongLength", "E_MODEL", ("8", "7")),
        ):
            assert failures[name]["code"] == code
            assert all(word in failures[name]["message"] for word in words)
        assert set(run.json["verdict"]["values"]) == {"logistic", "dummy"}

    def test_hanging_and_eating_memory(self, referee, shared, monkeypatch):
        monkeypatch.chdir(shared / "cases" / "models")
        run = referee("select", "../141_dataset40.csv", "--target", "y", "--positive", "1", "--models",
                      "logistic,dummy,bad:HangsIgnoringSignals,bad:EatsMemory", "--goal", "roc_auc", "--scheme",
                      "holdout", "--timeout", "10", "--max-memory", "1GB", "--jobs", "2")  # fmt: skip
        failures = {one["message"].partition(" ")[0]: one for one in run.json["selection"]["failures"]}
        assert run.code == 5
        assert failures["HangsIgnoringSignals"]["code"] == "E_TIMEOUT"
        assert "timeout" in failures["HangsIgnoringSignals"]["message"]
        assert failures["EatsMemory"]["code"] == "E_MEMORY"

    def test_harmless_oddities(self, referee, shared, monkeypatch):
        monkeypatch.chdir(shared / "cases" / "models")
        names = ["_Ok", "ReseedsGlobal", "Chatty", "KeepsState", "ExpensiveRepr"]
        models = ",".join(["dummy", *(f"bad:{name}" for name in names)])
        run = referee("select", "../141_dataset40.csv", "--target", "y", "--positive", "1", "--models",
                      models, "--goal", "roc_auc", "--scheme", "k_fold(k=5)")  # fmt: skip
        assert run.code == 0
        values = run.json["verdict"]["values"]
        assert {values[name] for name in names} == {values["_Ok"]}

    def test_no_scores_is_said_before_any_fit(self, referee, shared, monkeypatch):
        monkeypatch.chdir(shared / "cases" / "models")
        run = referee("select", "../141_dataset40.csv", "--target", "y", "--positive", "1", "--models",
                      "dummy,bad:NoProba", "--goal", "roc_auc")  # fmt: skip
        assert (run.code, run.json["error"]["code"]) == (2, "E_NOSCORE")
        assert all(word in run.json["error"]["message"] for word in ("NoProba", "predict_proba", "AUC"))

    def test_one_model_left_is_no_verdict(self, table):
        x, y = table

        class Raises(GaussianNB):
            def fit(self, *_):
                raise ValueError("boom")

        with pytest.raises(ModelError, match="only bayes is left"):
            select({"bayes": GaussianNB(), "raises": Raises()}, x, y, goal="accuracy", scheme="holdout")


class TestSchemes:
    def test_holdout_compares_rows(self, table):
        x, y = table
        verdict = select(MODELS, x, y, goal="roc_auc", scheme="holdout")
        assert verdict.design.kind == "out_of_fold"
        assert verdict.test.name == "influence"

    def test_random_splits_have_all_degrees_of_freedom(self, table):
        x, y = table
        verdict = select(MODELS, x, y, goal="accuracy", scheme="random_subsampling(splits=6)")
        (found,) = verdict.comparisons
        assert (found.test, found.df, set(verdict.design.n_train)) == ("corrected_resampled_t", 5, {80.0})

    def test_leave_one_out_has_no_auc(self, referee, shared):
        run = referee("select", shared / "cases" / "141_dataset40.csv", "--target", "y", "--positive", "1",
                      "--models", "dummy,logistic", "--goal", "roc_auc", "--scheme", "leave_one_out")  # fmt: skip
        assert (run.code, run.json["error"]["code"]) == (4, "E_FOLDS")

    @pytest.mark.parametrize(
        ("file", "options", "code", "error", "words"),
        [
            ("142_dataset_3pos.csv", ("--scheme", "stratified_k_fold(k=5)"), 4, "E_FOLDS",
             ("5 folds", "3 rows", "class '1'")),
            ("148_time.csv", ("--scheme", "k_fold(k=5)", "--time", "t"), 2, "E_TIME", ("--time", "shuffled", "future")),
            ("150_tz_naive_mix.csv", ("--time", "t"), 3, "E_TIME", ("column 't'", "row 8", "time zone")),
        ],
    )  # fmt: skip
    def test_what_cannot_be_split(self, referee, shared, file, options, code, error, words):
        run = referee("select", shared / "cases" / file, "--target", "y", "--positive", "1", "--models",
                      "logistic,tree", "--goal", "roc_auc", *options)  # fmt: skip
        assert (run.code, run.json["error"]["code"]) == (code, error)
        assert all(word in run.json["error"]["message"] for word in words)

    def test_two_folds_and_a_leaking_group_are_pointed_out(self, referee, shared):
        run = referee("select", shared / "cases" / "146_groups.csv", "--target", "y", "--positive", "1",
                      "--models", "logistic,tree", "--goal", "roc_auc", "--scheme", "k_fold(k=2)")  # fmt: skip
        found = {warning["code"]: warning["message"] for warning in run.json["warnings"]}
        assert "2 folds" in found["W_LOWPOWER"]
        assert all(word in found["W_GROUPLEAK"] for word in ("column 'grp'", "same group", "train and test", "--group"))


def test_trade_offs(table):
    x, y = table
    verdict = select(["tree", "logistic", "dummy"], x, y, goal="accuracy", scheme="k_fold(k=4)")
    rows = {row.model: row for row in verdict.selection.tradeoffs}
    assert rows["tree"].train == 1.0
    assert rows["tree"].test < 1.0
    assert rows["logistic"].size["coefficients"] == 4
    assert any(row.efficient for row in rows.values())
    assert json.dumps(verdict.to_dict(), allow_nan=False)

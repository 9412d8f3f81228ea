"""Runs in a folder, asked again: what goes on, what is refused, and what another goal is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from referee.errors import CheckpointError
from referee.fitting import Failure, Split, model_errors, read_run, select
from referee.fitting.fit_runs import placed
from referee.fitting.fits import Fit
from referee.fitting.model_identity import identity_of

pytestmark = pytest.mark.usefixtures("fits_here")


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(2)
    x = generator.normal(size=(60, 3))
    return x, (x[:, 0] + generator.normal(size=60) > 0).astype(int)


def vote(depth):
    """More than repr shows, around a parameter in the middle."""
    around = [
        [(f"{place} with a long name {i}", LogisticRegression(C=0.125 + i)) for i in range(10)]
        for place in ("before", "after")
    ]
    return VotingClassifier([*around[0], ("tree", DecisionTreeClassifier(max_depth=depth)), *around[1]], voting="soft")


def times(factor):
    return lambda x: factor * x


class Shifted(GaussianNB):
    shift = 0

    def fit(self, X, y):  # noqa: N803
        return super().fit(X + self.shift, y)


def edited(name, **members):
    """The same class after its author has changed it."""
    return type(name, (GaussianNB,), {"__module__": __name__, "__qualname__": name, **members})


def fitted(y):
    return LogisticRegression().fit(np.arange(6.0)[:, None], y)


class TestIdentity:
    @pytest.mark.parametrize(
        "make",
        [
            lambda: vote(3),
            lambda: RandomForestClassifier(random_state=np.random.RandomState(0)),
            lambda: FunctionTransformer(times(3)),
            lambda: FunctionTransformer(np.log1p),
            lambda: GaussianNB(priors=np.array([0.25, 0.75])),
            lambda: LogisticRegression(class_weight={0: 1, 1: 2}),
            Shifted,
        ],
        ids=["long", "random state", "closure", "ufunc", "array", "dict", "own class"],
    )
    def test_made_again_it_is_the_same(self, make):
        assert identity_of(make()) == identity_of(make())

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (vote(1), vote(10)),
            (RandomForestClassifier(random_state=np.random.RandomState(0)),
             RandomForestClassifier(random_state=np.random.RandomState(1))),
            (FunctionTransformer(times(3)), FunctionTransformer(times(4))),
            (FunctionTransformer(lambda x: x + 1), FunctionTransformer(lambda x: x - 1)),
            (FunctionTransformer(np.log1p), FunctionTransformer(np.expm1)),
            (np.arange(5000), np.where(np.arange(5000) == 2500, 0, np.arange(5000))),
            (edited("Own", shift=0), edited("Own", shift=1)),
            (edited("Own", fit=lambda *_: 1), edited("Own", fit=lambda *_: 2)),
            (FrozenEstimator(fitted([0, 0, 0, 1, 1, 1])), FrozenEstimator(fitted([0, 1, 1, 1, 1, 1]))),
            ({"a": [1, 2]}, {"a": [[1], 2]}),
            (1, True),
        ],
    )  # fmt: skip
    def test_what_differs_anywhere_is_another_one(self, one, other):
        assert identity_of(one) != identity_of(other)

    def test_something_that_holds_itself(self):
        ring = [1]
        ring.append(ring)
        assert identity_of(ring) != identity_of([1])


class TestGoingOn:
    def test_long_models_that_differ_in_the_middle(self, table, tmp_path):
        assert repr(vote(1)) == repr(vote(10))
        given = {"goal": "accuracy", "scheme": "holdout", "store": tmp_path / "run"}
        select({"vote": vote(1), "bayes": GaussianNB()}, *table, **given)
        with pytest.raises(CheckpointError, match="differs: configuration"):
            select({"vote": vote(10), "bayes": GaussianNB()}, *table, **given)

    def test_models_whose_repr_holds_an_address(self, table, tmp_path):
        def models():
            forest = RandomForestClassifier(5, random_state=np.random.RandomState(0))
            return {"scaled": make_pipeline(FunctionTransformer(times(3)), GaussianNB()), "forest": forest}

        given = {"goal": "accuracy", "scheme": "k_fold(k=2)", "store": tmp_path / "run"}
        first, again = (select(models(), *table, **given) for _ in range(2))
        assert first.selection.to_dict() == again.selection.to_dict()

    def test_a_model_that_failed_once(self, table, tmp_path):
        flag = tmp_path / "is broken"
        flag.touch()
        models = {"flaky": Flaky(str(flag)), "logistic": LogisticRegression(), "tree": DecisionTreeClassifier()}
        more = {"goal": "accuracy", "scheme": "holdout", "robustness": "label_noise=0.2", "learning_curve": [0.5]}
        broken = select(models, *table, **more, store=tmp_path / "run")
        assert [failure.message[:22] for failure in broken.selection.failures] == ["flaky failed in fold 1"]
        flag.unlink()
        mended, fresh = (select(models, *table, **more, store=store) for store in (tmp_path / "run", None))
        assert mended.values == fresh.values
        assert not mended.selection.failures
        for row, other in zip(mended.selection.tradeoffs, fresh.selection.tradeoffs, strict=True):
            assert row.robustness == other.robustness
            assert [point.test for point in row.learning_curve] == [point.test for point in other.learning_curve]
        assert set(read_run(tmp_path / "run/robustness/label_noise=0.2").names) == set(models)


class Flaky(GaussianNB):
    def __init__(self, flag=""):
        super().__init__()
        self.flag = flag

    def fit(self, X, y):  # noqa: N803
        if Path(self.flag).exists():
            raise ValueError("not today")
        return super().fit(X, y)


@pytest.mark.parametrize(
    "scheme", ["holdout", "leave_one_out", "k_fold(k=3)", "bootstrap_632(repeats=4)", "bootstrap_632_plus(repeats=4)",
               "nested(outer=leave_one_out, inner=holdout)"]
)  # fmt: skip
def test_compare_gives_the_verdict_of_the_run(referee, tmp_path, scheme):
    generator = np.random.default_rng(4)
    x = generator.normal(size=(30, 2))
    y = (x[:, 0] + 0.3 * generator.normal(size=30) > 0).astype(int)
    data, run = tmp_path / "data.csv", tmp_path / "run"
    np.savetxt(data, np.c_[x, y], fmt="%.6g", delimiter=",", header="a,b,y", comments="")
    goal = ("--goal", "accuracy")
    selected = referee("select", data, "--target", "y", "--positive", "1", "--models", "naive_bayes,dummy", *goal,
                       "--scheme", scheme, "--out", run)  # fmt: skip
    compared = referee("compare", run, *goal)
    assert (selected.code, compared.code) == (0, 0), compared.out
    for part in ("verdict", "comparisons", "design"):
        assert compared.json.get(part) == selected.json.get(part)


def test_where_a_model_failed_is_said_as_the_scheme_counts():
    rows = np.arange(4)
    failure = Failure("raised", "boom", Fit("tree", 3))

    def said(numbers, **more):
        splits = [Split(rows, rows, repeat, fold) for repeat, fold in numbers]
        return model_errors(placed([failure], splits, **more))["tree"].message

    grid = [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert said([(1, fold) for fold in range(1, 6)]) == "tree failed in fold 4: boom"
    assert said(grid) == "tree failed in repeat 2, fold 2: boom"
    assert said([(repeat, 1) for repeat in range(1, 6)]) == "tree failed in repeat 4: boom"
    assert said(grid, inner=True) == "tree failed in inner split 2 of outer split 2: boom"

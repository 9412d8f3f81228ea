"""Columns whose names end in the classes are offered as what they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

from referee import Predictions, RefereeError, compare, evaluate

DRAW = np.random.default_rng(1)
TRUTH = DRAW.integers(0, 10, 200)
NET, OTHER = DRAW.dirichlet(np.ones(10), (2, 200))
DIGITS = pd.DataFrame({"y": TRUTH} | {f"{n}_{k}": p[:, k] for n, p in (("nn", NET), ("rf", OTHER)) for k in range(10)})
OFFER = "models={'nn': 'nn_{class}', 'rf': 'rf_{class}'}"


@pytest.mark.parametrize("asked", [{"goal": "log_loss"}, {"goal": "accuracy"}])
def test_a_column_for_each_class_is_offered(asked):
    with pytest.raises(RefereeError, match="did you mean") as caught:
        compare(DIGITS, truth="y", **asked)
    assert OFFER in str(caught.value)


def test_also_where_the_task_is_not_known():
    with pytest.raises(RefereeError, match="classes or amounts") as caught:
        evaluate(DIGITS, truth="y")
    assert OFFER in str(caught.value)


def test_what_is_offered_is_right():
    models = {"nn": "nn_{class}", "rf": "rf_{class}"}
    values = compare(DIGITS, truth="y", goal="log_loss", models=models).values
    assert values == pytest.approx({"nn": log_loss(TRUTH, NET), "rf": log_loss(TRUTH, OTHER)})


def test_the_command_line_offers_its_option(referee, tmp_path):
    DIGITS.to_csv(tmp_path / "digits.csv", index=False)
    run = referee("compare", tmp_path / "digits.csv", "--truth", "y", "--goal", "accuracy", form=None)
    assert run.code == 3
    assert "did you mean --model 'nn=nn_{class}' --model 'rf=rf_{class}'?" in " ".join(run.err.split())
    right = ["--model", "nn=nn_{class}", "--model", "rf=rf_{class}"]
    assert referee("compare", tmp_path / "digits.csv", "--truth", "y", "--goal", "accuracy", *right).code == 0


def two_classes(share):
    truth = np.where(DRAW.random(80) < 0.5, "no", "yes")
    scores = DRAW.random(80)
    return pd.DataFrame({"y": truth, "lr_no": share - scores, "lr_yes": scores})


def test_probabilities_of_two_classes_are_no_two_models():
    notices = Predictions.read(two_classes(1.0), truth="y", positive="yes").notices
    (said,) = [one.message for one in notices if one.code == "W_CLASSCOLUMNS"]
    assert "did you mean models={'lr': 'lr_{class}'}?" in said
    codes = [one.code for one in Predictions.read(two_classes(1.4), truth="y", positive="yes").notices]
    assert "W_CLASSCOLUMNS" not in codes

"""Pictures of studies: Figure 1, the tables by metric and the regret of the paper's, and matrices of the user's own."""

from __future__ import annotations

import numpy as np

from referee.paper import run, study_own_data
from tests.made_up_study import SMALL, made_up_data
from tests.page.drawn import Drawn


def test_pictures_of_a_study():
    data = made_up_data(columns=10)
    study = run({"pen-digits": data["numbers"], "mixed": data["mixed"]}, repetitions=2, quiet=True, **SMALL)
    assert "X > Y: 13" in Drawn(study.plot("figure-1-accuracy").svg).texts()  # as the paper has it
    for name in ("table-6", "table-7", "regret"):
        assert "AUC" in Drawn(study.plot(name).svg).texts()


def test_pictures_of_an_own_study():
    data = made_up_data()["numbers"]
    study = study_own_data(["tree", "naive_bayes"], data, repetitions=2, metrics="accuracy,roc_auc", quiet=True)
    for name in ("regret", "right", "best"):
        assert {"accuracy", "roc_auc"} <= set(Drawn(study.plot(name).svg).texts())
    shown = [text for text in Drawn(study.plot("best").svg).texts() if text.replace(".", "").isdigit()]
    assert np.sum([float(text) for text in shown]) == 2  # both goals, shares of 1

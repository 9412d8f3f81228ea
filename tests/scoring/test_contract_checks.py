"""A metric with a false declaration fails: each check is shown lies that it must find, in both directions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee import metrics
from referee.catalogue import Parameter
from referee.engines import Counts, Ranking, Sums
from referee.scoring import Metric
from referee.testing import METRIC_CHECKS, PREDICTION_CHECKS, check_metric
from referee.testing.samples import ContractError, samples_for

CHECKS = {check.__name__.removeprefix("check_"): check for check in (*METRIC_CHECKS, *PREDICTION_CHECKS)}


def grows_with_weight(counts):
    return counts.correct / (counts.total + 1)


def of_second_class(counts):
    return counts.matrix[:, 1, 1] / counts.matrix[:, 1].sum(axis=1)


def depends_on_place(truth, prediction, xp):
    return {"absolute_error": xp.abs(truth - prediction) * np.linspace(0, 1, len(truth))}


def depends_on_rows(truth, prediction, xp):
    return {"absolute_error": xp.abs(truth - prediction) * len(truth)}


example = metrics["accuracy"].examples[0]

LIES = {
    "texts": [
        ("accuracy", {"title": ""}),
        ("accuracy", {"question": "How often it is right."}),
        ("accuracy", {"formula": " "}),
        ("accuracy", {"blind_to": ""}),
        ("accuracy", {"undefined_when": ""}),
        ("accuracy", {"references": ()}),
        ("accuracy", {"references": ("",)}),
        ("accuracy", {"examples": ()}),
        ("accuracy", {"examples": (replace(example, source=""),)}),
    ],
    "names": [
        ("accuracy", {"related": ("nothing",)}),
        ("accuracy", {"related": ("accuracy",)}),
        ("accuracy", {"aliases": ("f1",)}),
        ("accuracy", {"aliases": ("precision",)}),
        ("accuracy", {"aliases": ("share_right", "share_right")}),
    ],
    "kind": [
        ("accuracy", {"tasks": ()}),
        ("accuracy", {"tasks": ("regression",)}),
        ("accuracy", {"value": lambda rows: rows}),
        ("accuracy", {"range": (1, 0)}),
        ("accuracy", {"depends_on_prevalence": None}),
        ("accuracy", {"elicits": "mean"}),
        ("accuracy", {"units_power": 1}),
        ("mae", {"depends_on_prevalence": False}),
        ("mae", {"per_class": True}),
        ("mae", {"needs": "probabilities"}),
    ],
    "parameters": [
        ("f_beta", {"parameters": {}}),
        ("f_beta", {"parameters": {"beta": Parameter("")}}),
        ("f_beta", {"parameters": {"beta": Parameter("the weight of recall", low=2)}}),
        ("accuracy", {"parameters": {"beta": Parameter("no such parameter")}}),
    ],
    "examples": [("precision", {"examples": (replace(metrics["precision"].examples[0], value=0.6666),)})],
    "best": [
        ("accuracy", {"better": "lower"}),
        ("mae", {"better": "higher"}),
        ("accuracy", {"range": (0, 2)}),
        ("mae", {"range": (-1, float("inf"))}),
        ("lift", {"better": "lower", "range": (float("-inf"), 20)}),
    ],
    "worst": [("accuracy", {"range": (-1, 1)}), ("brier", {"range": (0, 3)}), ("roc_auc", {"range": (-0.5, 1)})],
    "direction": [
        (name, {"better": "lower"}) for name in ("accuracy", "roc_auc", "r2", "lift", "ks", "hand_till", "top_k")
    ]
    + [(name, {"better": "higher"}) for name in ("log_loss", "brier", "mae", "crps", "calibration_error")],
    "undefined": [
        ("precision", {"undefined_when": None}),
        ("roc_auc", {"undefined_when": None}),
        ("mape", {"undefined_when": None}),
        ("hand_till", {"undefined_when": None}),
        ("correlation", {"undefined_when": None}),
        ("accuracy", {"undefined_when": "it rains"}),
        ("mae", {"undefined_when": "it rains"}),
        ("r2", {"value": lambda sums: 1 - sums.mean("squared_error") / sums.variance("truth")}),
    ],
    "prevalence": [
        ("accuracy", {"depends_on_prevalence": False}),
        ("average_precision", {"depends_on_prevalence": False}),
        ("recall", {"depends_on_prevalence": True}),
        ("roc_auc", {"depends_on_prevalence": True}),
        ("hand_till", {"depends_on_prevalence": True}),
    ],
    "needs_probabilities": [("roc_auc", {"needs": "probabilities"}), ("hand_till", {"needs": "probabilities"})],
    "only_order_matters": [
        ("brier", {"needs": "scores"}),
        ("accuracy", {"needs": "scores"}),
        ("top_k", {"needs": "scores"}),
    ],
    "only_decisions_matter": [("roc_auc", {"needs": "labels"}), ("log_loss", {"needs": "labels"})],
    "classes": [
        ("recall", {"per_class": False}),
        ("expected_cost", {"value": lambda counts: (counts.fp + 5 * counts.fn) / counts.total}),
        ("accuracy", {"per_class": True}),
        ("mcc", {"per_class": True}),
        ("log_loss", {"per_class": True}),
    ],
    "proper": [
        ("brier", {"proper": "weakly"}),
        ("brier", {"proper": "no"}),
        ("log_loss", {"proper": "weakly"}),
        ("probability_mae", {"proper": "weakly"}),
        ("probability_mae", {"proper": "strictly"}),
        ("paper_average", {"proper": "strictly"}),
        ("calibration_error", {"proper": "strictly"}),
        ("calibration_error", {"proper": "no"}),
        ("top_k", {"proper": "strictly"}),
        ("top_k", {"proper": "no"}),
        ("accuracy", {"proper": "strictly"}),
        ("f_beta", {"proper": "weakly"}),
        ("rmse", {"proper": "strictly"}),
    ],
    "elicits": [
        ("mae", {"elicits": "mean"}),
        ("mae", {"elicits": None}),
        ("rmse", {"elicits": "median"}),
        ("mse", {"elicits": None}),
        ("median_ae", {"elicits": "median"}),
        ("correlation", {"elicits": "mean"}),
        ("mape", {"elicits": "median"}),
        ("pinball", {"elicits": "median"}),
        ("crps", {"elicits": "mean"}),
        ("crps", {"elicits": None}),
    ],
    "scaled_units": [
        ("mae", {"units_power": 0}),
        ("mae", {"units_power": 2}),
        ("mse", {"units_power": 1}),
        ("r2", {"units_power": 1}),
    ],
    "range": [("mcc", {"range": (0, 1)}), ("mae", {"range": (0, 1)}), ("r2", {"range": (0, 1)})],
    "row_order": [("mae", {"row_terms": depends_on_place}), ("median_ae", {"row_terms": depends_on_place})],
    "repeated_rows": [("mae", {"row_terms": depends_on_rows})],
    "doubled_weights": [("accuracy", {"value": grows_with_weight})],
    "cells_added": [
        ("kappa", {"cells_added": -0.25}),
        ("f_beta", {"cells_added": 0.25}),
        ("informedness", {"cells_added": 0.25}),
        ("brier", {"cells_added": 0.25}),
    ],
    "weights": [("accuracy", {"value": grows_with_weight}), ("mae", {"row_terms": depends_on_rows})],
    "renamed_classes": [("accuracy", {"value": of_second_class}), ("balanced_accuracy", {"value": of_second_class})],
    "units_alone": [("mae", {"row_terms": depends_on_rows}), ("median_ae", {"row_terms": depends_on_rows})],
}
CASES = [(check, name, lie) for check, lies in LIES.items() for name, lie in lies]


def run(check, metric):
    """Run one check, on predictions if it needs them."""
    if CHECKS[check] in METRIC_CHECKS:
        CHECKS[check](metric)
    else:
        for predictions in samples_for(metric):
            CHECKS[check](metric, predictions)


@pytest.mark.parametrize(
    ("check", "name", "lie"),
    CASES,
    ids=[f"{check}-{name}-{'-'.join(lie)}-{i}" for i, (check, name, lie) in enumerate(CASES)],
)
def test_a_lie_is_found(check, name, lie):
    honest = metrics[name]
    run(check, honest)
    with pytest.raises(ContractError):
        run(check, replace(honest, **lie))


@pytest.mark.parametrize("name", ["accuracy", "f_beta", "rmse", "log_loss", "murphy_uncertainty"])
def test_a_lie_about_additivity_is_found(name):
    liar = replace(metrics[name])
    vars(liar)["additive"] = not metrics[name].additive
    with pytest.raises(ContractError, match="average over rows"):
        run("additive", liar)


@pytest.mark.parametrize("name", ["accuracy", "paper_average", "roc_auc", "brier", "mae"])
def test_a_lie_about_the_threshold_is_found(name):
    class Liar(Metric):
        depends_on_threshold = not metrics[name].depends_on_threshold

    run("threshold", metrics[name])
    liar = Liar(**vars(replace(metrics[name])))
    with pytest.raises(ContractError, match="threshold"):
        run("threshold", liar)


@pytest.mark.parametrize(("summary", "name"), [(Counts, "accuracy"), (Sums, "rmse"), (Ranking, "roc_auc")])
def test_a_merge_that_loses_rows_is_found(monkeypatch, summary, name):
    monkeypatch.setattr(summary, "merge", lambda self, _: self)
    with pytest.raises(ContractError, match="merge"):
        run("merged_batches", metrics[name])


def test_every_check_is_shown_a_lie():
    shown = {*LIES, "additive", "threshold", "merged_batches"}
    assert shown == set(CHECKS)


def test_check_metric_runs_them_all():
    with pytest.raises(ContractError, match="question"):
        check_metric(replace(metrics["accuracy"], question="No question"))
    with pytest.raises(ContractError, match="only the order"):
        check_metric(replace(metrics["mcc"], needs="scores"))

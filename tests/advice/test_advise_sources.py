"""The advice agrees with what the article and the paper recommend, in their own words."""

from __future__ import annotations

import pytest

from referee.advice import advise

HARD = {"task": "binary", "purpose": "decision"}
SCORES = {"task": "binary", "purpose": "probabilities"}
UNKNOWN = {"task": "binary", "purpose": "unknown"}
NUMBER = {"task": "regression"}
CHOOSING, ACCURACY = "How to Choose the Right Metric", "Why Accuracy Is Often the Wrong Metric"
SITUATIONS = [
    # (where in the article, its words, answers, the goals that these words allow)
    ("Mental Model", "A cancer screening test needs high recall", HARD | {"costs": "misses"}, {"recall_at_precision"}),
    ("Mental Model", "A content recommendation system needs high precision", HARD | {"costs": "false_alarms"},
     {"precision"}),
    ("Mental Model", "A weather forecast needs good calibration", SCORES | {"quality": "calibration"},
     {"log_loss", "brier"}),
    ("Log Loss", "Log loss heavily penalizes confident wrong predictions",
     SCORES | {"quality": "calibration", "sure_errors": "unbounded"}, {"log_loss"}),
    ("Brier Score", "the Brier score does not blow up for confident wrong predictions: it is bounded",
     SCORES | {"quality": "both", "sure_errors": "bounded"}, {"brier"}),
    ("RMSE and MAE", "RMSE penalizes large errors more heavily", NUMBER | {"penalty": "large"}, {"rmse"}),
    ("RMSE and MAE", "MAE treats all errors linearly and is more robust to outliers", NUMBER | {"penalty": "alike"},
     {"mae"}),
    ("R-squared", "means the model is no better than predicting the mean",
     NUMBER | {"penalty": "large", "yardstick": "guessing"}, {"r2"}),
    ("Calibration", "Calibration matters when you use predicted probabilities for decision-making",
     SCORES | {"quality": "calibration"}, {"log_loss", "brier"}),
    (ACCURACY, "Precision/recall/F1 when you care about the minority class",
     HARD | {"balance": "imbalanced", "focus": "positive"}, {"precision", "recall", "f_beta"}),
    (ACCURACY, "AUC when you need threshold-independent discrimination",
     SCORES | {"quality": "ranking", "balance": "balanced"}, {"roc_auc"}),
    (ACCURACY, "Log loss or Brier score when you need calibrated probabilities", SCORES | {"quality": "calibration"},
     {"log_loss", "brier"}),
    (ACCURACY, "Cost-sensitive metrics when false positives and false negatives have different real-world costs",
     HARD | {"costs": "known", "fp": 1, "fn": 10}, {"expected_cost"}),
    (f"{CHOOSING}, 1", "If it is a hard yes/no decision, use F1 or a cost-sensitive metric", HARD, {"f_beta"}),
    (f"{CHOOSING}, 1", "If it is a hard yes/no decision, use F1 or a cost-sensitive metric",
     HARD | {"fp": 2, "fn": 1}, {"expected_cost"}),
    (f"{CHOOSING}, 1", "If probabilities matter, use log loss or Brier score", SCORES | {"quality": "both"},
     {"log_loss", "brier"}),
    (f"{CHOOSING}, 2", "If not, avoid accuracy. Use F1, AUC, or precision-recall AUC", HARD | {"balance": "imbalanced"},
     {"f_beta"}),
    (f"{CHOOSING}, 2", "If not, avoid accuracy. Use F1, AUC, or precision-recall AUC",
     SCORES | {"balance": "imbalanced", "quality": "ranking"}, {"roc_auc", "average_precision"}),
    (f"{CHOOSING}, 3", "AUC measures ranking", SCORES | {"quality": "ranking", "balance": "balanced"}, {"roc_auc"}),
    (f"{CHOOSING}, 3", "Log loss and Brier score measure calibration", SCORES | {"quality": "calibration"},
     {"log_loss", "brier"}),
    (f"{CHOOSING}, 4", "optimize recall at a fixed precision threshold", HARD | {"costs": "misses", "precision": 0.3},
     {"recall_at_precision"}),
    (f"{CHOOSING}, 4", "If false positives are costly (fraud flagging), optimize precision",
     HARD | {"costs": "false_alarms"}, {"precision"}),
    ("Summary", "Accuracy is misleading for imbalanced datasets; prefer F1, AUC, or log loss",
     {"task": "multiclass", "purpose": "decision", "balance": "imbalanced"}, {"f_beta"}),
    ("Summary", "RMSE optimizes the mean, MAE optimizes the median", NUMBER | {"penalty": "alike"}, {"mae"}),
]  # fmt: skip
PAPER = [
    ("we can use the average of several metrics as a robust goal metric when the goal metric is unknown",
     UNKNOWN, "paper_average"),
    ("MXE has the largest ratio for correct model selection", {"task": "multiclass", "purpose": "unknown"}, "log_loss"),
]  # fmt: skip


@pytest.fixture(scope="module")
def seeds(shared):
    def text(start):
        (file,) = (shared / "seeds").glob(f"{start}_*.txt")
        return " ".join(file.read_text().split())

    return text


def case_names(cases):
    return [f"{place}-{number}" for number, (place, *_) in enumerate(cases)]


@pytest.mark.parametrize(("place", "words", "answers", "goals"), SITUATIONS, ids=case_names(SITUATIONS))
def test_the_article(seeds, place, words, answers, goals):
    assert words in seeds("002"), f"the article does not say this in {place}"
    assert advise(**answers).goal.name in goals


@pytest.mark.parametrize(("words", "answers", "goal"), PAPER)
def test_the_paper(seeds, words, answers, goal):
    assert words in seeds("000")
    assert advise(**answers).goal.name == goal

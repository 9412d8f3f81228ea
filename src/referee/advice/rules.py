"""All rules: which metric is the goal, and which to avoid; of numbers, what metrics declare to elicit decides."""

from __future__ import annotations

from referee.advice.questions import ARTICLE, CHOOSE, HONEST, MULTICLASS, NUMBERS, RANKING, VALUE
from referee.advice.rule import avoid, goal
from referee.advice.watch_rules import (
    GNEITING,
    HYNDMAN,
    KOENKER,
    R_SQUARED,
    RMSE_AND_MAE,
    TSOUMAKAS,
    WATCH_RULES,
    WITTEN,
)

PAPER = "Huang, Ling, Zhang and Matwin (2008), Proper model selection with significance test, section 3.3"
ELKAN = "Elkan (2001), The foundations of cost-sensitive learning, IJCAI, 973-978"
LIFT = "Piatetsky-Shapiro and Masand (1999), Estimating campaign benefits and modeling lift, KDD, 185-193"
BRODERSEN = "Brodersen, Ong, Stephan and Buhmann (2010), The balanced accuracy and its posterior distribution, ICPR"
HAND_TILL = "Hand and Till (2001), Machine Learning 45, 171-186"
IMAGENET = "Russakovsky et al. (2015), ImageNet large scale visual recognition challenge, IJCV 115, 211-252"
JARVELIN = "Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, ACM TOIS 20, 422-446"
CRPS = "Gneiting and Raftery (2007), JASA 102, 359-378"
PROPER_RULES = "Gneiting and Raftery (2007), Strictly proper scoring rules, JASA 102, 359-378"

DECISION = {"purpose": "decision"}
UNSAID = ("equal", "unknown")

GOAL_RULES = (
    goal(
        DECISION,
        {"needs": "labels"},
        "a decision is judged by its errors at the threshold that is used",
        f"{CHOOSE}, 1",
        weight=10,
    ),
    goal(
        DECISION | {"costs": UNSAID},
        {"name": "f_beta"},
        "for a hard decision without known costs, F balances the positives that are missed and the false alarms",
        f"{CHOOSE}, 1",
        weight=5,
        settings={"beta": "beta"},
    ),
    goal(
        DECISION | {"costs": "known"},
        {"name": "expected_cost"},
        "the costs of the errors are known, so the goal is what a decision costs",
        f"{CHOOSE}, 1 and 4",
        weight=20,
        settings={"fp": "fp", "fn": "fn", "costs": "cost_matrix"},
    ),
    goal(
        DECISION | {"costs": "equal", "balance": "balanced"},
        {"needs": "labels", "additive": True, "better": "higher"},
        "every error costs the same and no class is rare, so the share of correct decisions is enough",
        ELKAN,
        weight=20,
    ),
    goal(
        DECISION | {"costs": UNSAID, "balance": "imbalanced", "focus": "both"},
        {"needs": "labels", "depends_on_prevalence": False, "per_class": False},
        "both classes count the same, however rare one is",
        BRODERSEN,
        weight=20,
    ),
    goal(
        DECISION | {"costs": "misses"},
        {"name": "recall_at_precision"},
        "misses are the worst errors: find as many positives as possible, at a precision fixed in advance",
        f"{CHOOSE}, 4",
        weight=30,
        settings={"precision": "precision"},
    ),
    goal(
        DECISION | {"costs": "false_alarms"},
        {"name": "precision"},
        "false alarms are costly, so precision is what counts",
        f"{CHOOSE}, 4",
        weight=20,
    ),
    goal(
        DECISION | {"costs": "false_alarms", "recall": ...},
        {"name": "precision_at_recall"},
        "false alarms are costly, so precision is what counts, at the recall that you demand",
        f"{CHOOSE}, 4",
        weight=40,
        settings={"recall": "recall"},
    ),
    goal(
        {"capacity": ...},
        {"name": "lift"},
        "only a limited number can be acted on, so what counts is how many positives are among the highest scores",
        LIFT,
        weight=60,
        settings={"top": "capacity"},
    ),
    goal(
        {"shortlist": ...},
        {"name": "top_k"},
        "somebody picks from a shortlist, so the true class has to be on it",
        IMAGENET,
        weight=60,
        settings={"k": "shortlist"},
    ),
    goal(
        HONEST,
        {"proper": "strictly", "additive": True},
        "probabilities matter, and only a strictly proper score makes honest ones the best",
        f"{CHOOSE}, 1 and 3; Proper Scoring Rules",
        weight=20,
    ),
    goal(
        HONEST | {"sure_errors": "unbounded"},
        {"proper": "strictly", "bounded": False},
        "log loss heavily penalises confident wrong predictions, as you want",
        f"{ARTICLE}, Log Loss",
        weight=5,
    ),
    goal(
        HONEST | {"sure_errors": "bounded"},
        {"name": "brier"},
        "the Brier score does not blow up for confident wrong predictions",
        f"{ARTICLE}, Brier Score",
        weight=5,
    ),
    goal(
        RANKING | {"balance": "balanced"},
        {"name": "roc_auc"},
        "AUC measures ranking: how often a positive is above a negative, at no particular threshold",
        f"{CHOOSE}, 3",
        weight=20,
    ),
    goal(
        RANKING | {"balance": "imbalanced"},
        {"name": "average_precision"},
        "with a rare class, precision and recall of the top of the ranking say more than the many easy negatives",
        f"{CHOOSE}, 2",
        weight=20,
    ),
    goal(
        RANKING | {"balance": "balanced", "task": MULTICLASS, "average": "macro"},
        {"name": "hand_till"},
        "with several classes, ranking means separating any two of them",
        HAND_TILL,
        weight=25,
    ),
    goal(
        {"purpose": "unknown"},
        {"name": "log_loss"},
        "of all single metrics, mean cross entropy most often finds the model that is best on the average of several",
        PAPER,
        weight=20,
    ),
    goal(
        {"purpose": "unknown"},
        {"name": "roc_auc"},
        "of the single metrics that need no probabilities, AUC most often finds the model that is best on the average",
        PAPER,
        weight=5,
    ),
    goal(
        {"purpose": "unknown", "task": MULTICLASS},
        {"name": "log_loss"},
        "the average of several metrics, which is more robust, is made for two classes",
        PAPER,
        weight=1,
    ),
    goal(
        {"purpose": "unknown", "single": "no"},
        {"name": "paper_average"},
        "the goal is unknown, and the average of several metrics is robust against that",
        PAPER,
        weight=30,
    ),
    goal(
        VALUE | {"penalty": "large"},
        {"elicits": "mean", "units_power": 1},
        "large errors hurt more than proportionally: squared errors reflect that, and the best prediction is the mean",
        RMSE_AND_MAE,
        weight=20,
    ),
    goal(
        VALUE | {"penalty": "alike"},
        {"elicits": "median", "units_power": 1},
        "errors hurt in proportion to their size, which is robust to outliers; the best prediction is the median",
        RMSE_AND_MAE,
        weight=20,
    ),
    goal(
        VALUE | {"penalty": "percent"},
        {"name": "mape"},
        "errors count as a percentage of the true value",
        HYNDMAN,
        weight=20,
    ),
    goal(
        VALUE | {"penalty": "typical"},
        {"name": "median_ae"},
        "the typical row matters, and the worst ones must not decide",
        HYNDMAN,
        weight=20,
    ),
    goal(
        VALUE | {"penalty": "unknown"},
        {"elicits": "mean", "units_power": 1},
        "as long as it is unknown which errors hurt: predictions usually stand for means, and sums need means",
        GNEITING,
        weight=20,
    ),
    goal(
        VALUE | {"penalty": "large", "yardstick": "guessing"},
        {"elicits": "mean", "units_power": 0, "better": "higher"},
        "compared with always predicting the mean: the share of the variance that the model explains",
        R_SQUARED,
        weight=40,
    ),
    goal(
        VALUE | {"penalty": "alike", "yardstick": "guessing"},
        {"elicits": "median", "units_power": 0},
        "compared with always predicting the mean, in absolute errors",
        WITTEN,
        weight=40,
    ),
    goal(
        NUMBERS | {"target": "quantile"},
        {"elicits": "quantile", "needs": "values"},
        "the best prediction is the quantile that is wanted",
        KOENKER,
        weight=20,
        settings={"level": "level"},
    ),
    goal(
        NUMBERS | {"target": "interval"},
        {"name": "interval_score"},
        "it rewards a narrow range and penalises each true value outside, so moving either end does not pay",
        PROPER_RULES,
        weight=20,
    ),
    goal(
        {"task": "ranking"},
        {"name": "ndcg"},
        "grades of relevance count, those at the top of the list most",
        JARVELIN,
        weight=20,
    ),
    goal(
        {"task": "multilabel"},
        {"name": "multilabel_f1"},
        "most labels of a row are absent, and F balances those that are missed and those that are wrongly given",
        TSOUMAKAS,
        weight=20,
    ),
    goal(
        NUMBERS | {"target": "distribution"},
        {"name": "crps"},
        "all quantiles are judged at once",
        CRPS,
        weight=20,
    ),
)

AVOID_RULES = (
    avoid(
        {"purpose": ("decision", "probabilities"), "balance": "imbalanced"},
        {"name": ("accuracy", "error_rate")},
        "where a class is rare, always predicting the other one is nearly always right",
        f"{CHOOSE}, 2",
    ),
    avoid(
        DECISION | {"costs": ("misses", "false_alarms", "known")},
        {"name": ("accuracy", "error_rate")},
        "it weights all errors equally",
        f"{ARTICLE}, Why Accuracy Is Often the Wrong Metric",
    ),
    avoid(
        {"purpose": "probabilities", "quality": ("calibration", "both", "ranking")},
        {"depends_on_threshold": True},
        "it depends on one threshold and ignores the rest of the scores",
        f"{ARTICLE}, Common Confusions",
    ),
    avoid(
        {"capacity": ...},
        {"depends_on_threshold": True},
        "the capacity sets the threshold, not the number that it is computed at",
        LIFT,
    ),
    avoid(
        HONEST | {"quality": "calibration"},
        {"needs": "scores", "depends_on_threshold": False, "proper": "no"},
        "it measures ranking, not calibration: these are different properties",
        f"{CHOOSE}, 3",
    ),
    avoid(
        {"purpose": ("probabilities", "unknown")},
        {"needs": "probabilities", "proper": "no", "depends_on_threshold": False},
        "it rewards overconfidence: predicting 0 or 1 is best even when uncertain",
        PROPER_RULES,
    ),
    avoid(
        RANKING,
        {"needs": "probabilities", "proper": "weakly", "better": "lower"},
        "calibration says nothing about the order",
        f"{CHOOSE}, 3",
    ),
    avoid(
        {"purpose": "unknown", "single": ("yes", None)},
        {"name": ("accuracy", "f_beta")},
        "of the five metrics compared, these two find the model that is best on average least often",
        PAPER,
    ),
    avoid(
        VALUE | {"penalty": ("alike", "typical")},
        {"elicits": "mean", "units_power": (1, 2)},
        "a few large errors decide it",
        RMSE_AND_MAE,
    ),
    avoid(
        VALUE | {"penalty": "large"},
        {"name": "median_ae"},
        "it does not see the larger half of the errors",
        HYNDMAN,
    ),
    avoid(
        VALUE | {"yardstick": ("units", None)},
        {"name": "correlation"},
        "predictions that are all too high, or ten times too large, have the same correlation",
        R_SQUARED,
    ),
    avoid(
        NUMBERS | {"target": ("quantile", "distribution")},
        {"elicits": ("mean", "median")},
        "its best prediction is the mean or the median, not the quantile that is wanted",
        GNEITING,
    ),
)

RULES = (*GOAL_RULES, *AVOID_RULES, *WATCH_RULES)

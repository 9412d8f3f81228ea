"""What to watch beside the goal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.advice.questions import ARTICLE, BINARY, CHOOSE, CLASSES, HONEST, MULTICLASS, NUMBERS, RANKING, VALUE
from referee.advice.rule import Rule, watch

if TYPE_CHECKING:
    from collections.abc import Mapping

REGRET_MAP = "The regret map, docs/study/map.md"
PAPER_TABLES = "Huang, Ling, Zhang and Matwin (2008), tables 6 and 7"
MATTHEWS = "Matthews (1975), Biochimica et Biophysica Acta 405, 442-451"
POWERS = "Powers (2011), Journal of Machine Learning Technologies 2, 37-63"
COHEN = "Cohen (1960), Educational and Psychological Measurement 20, 37-46"
JACCARD = "Jaccard (1912), The distribution of the flora in the alpine zone, New Phytologist 11, 37-50"
ALTMAN = "Altman and Bland (1994), Diagnostic tests 2: predictive values, BMJ 309, 102"
CALIBRATED = "Naeini, Cooper and Hauskrecht (2015), Obtaining well calibrated probabilities, AAAI, 2901-2907"
MURPHY = "Murphy (1973), A new vector partition of the probability score, Journal of Applied Meteorology 12, 595-600"
DAVIS = "Davis and Goadrich (2006), The relationship between precision-recall and ROC curves, ICML, 233-240"
JOACHIMS = "Joachims (1998), Text categorization with support vector machines, ECML, 137-142"
MCCLISH = "McClish (1989), Analyzing a portion of the ROC curve, Medical Decision Making 9, 190-195"
SMIRNOV = "Smirnov (1948), Annals of Mathematical Statistics 19, 279-281"
WITTEN = "Witten and Frank (2005), Data Mining, 2nd edition, pages 176-179"
HAN = "Han, Kamber and Pei (2012), Data Mining: Concepts and Techniques, section 8.5"
RMSE_AND_MAE = f"{ARTICLE}, RMSE and MAE"
R_SQUARED = f"{ARTICLE}, R-squared"
HYNDMAN = "Hyndman and Koehler (2006), International Journal of Forecasting 22, 679-688"
GNEITING = "Gneiting (2011), Making and evaluating point forecasts, JASA 106, 746-762"
TSOUMAKAS = "Tsoumakas and Katakis (2007), Multi-label classification: an overview, IJDWM 3, 1-13"
VOORHEES = "Voorhees and Harman (2005), TREC: Experiment and Evaluation in Information Retrieval, chapter 3"
INTERVALS = "Gneiting and Raftery (2007), Strictly proper scoring rules, JASA 102, 359-378, section 6.2"
KOENKER = "Koenker and Bassett (1978), Regression quantiles, Econometrica 46, 33-50"

DECISION = {"purpose": "decision", "capacity": None}


def _watch(when: Mapping[str, Any], names: tuple[str, ...], reason: str, source: str, *, insists: bool = False) -> Rule:
    return watch(when, {"name": names}, reason, source, insists=insists)


WATCH_RULES = (
    _watch(
        {"task": "ranking"},
        ("mean_average_precision",),
        "relevant or not, over the whole list: it does not depend on how grades are weighed",
        VOORHEES,
    ),
    _watch({"task": "ranking"}, ("mean_reciprocal_rank",), "how far down the first relevant item is", VOORHEES),
    _watch({"task": "multilabel"}, ("hamming_loss",), "the share of single labels that are wrong", TSOUMAKAS),
    _watch({"task": "multilabel"}, ("subset_accuracy",), "how often all labels of a row are right", TSOUMAKAS),
    _watch(
        NUMBERS | {"target": "interval"},
        ("interval_coverage", "interval_width"),
        "whether the range contains the true value as often as it should, and how wide it is",
        INTERVALS,
    ),
    _watch(
        DECISION | {"costs": ("equal", "unknown", "misses", "false_alarms", "known")},
        ("precision", "recall"),
        "the two kinds of error separately: precision and recall trade off",
        f"{ARTICLE}, Precision and Recall",
    ),
    _watch(
        DECISION | {"costs": ("equal", "unknown")},
        ("mcc",),
        "all four cells of the confusion matrix at once, where F ignores the true negatives",
        MATTHEWS,
    ),
    _watch(
        DECISION | {"focus": "both"},
        ("informedness",),
        "how much better than chance the decision is, in both classes",
        POWERS,
    ),
    _watch(DECISION | {"focus": "both"}, ("kappa",), "agreement beyond what the class shares alone would give", COHEN),
    _watch(
        DECISION | {"focus": "positive"},
        ("jaccard",),
        "what was found, as a share of all that was found or missed; it orders models as F1 does",
        JACCARD,
    ),
    _watch(
        DECISION | {"costs": "equal", "balance": "balanced"},
        ("balanced_accuracy",),
        "where it departs from accuracy, the errors are in one class",
        "Brodersen, Ong, Stephan and Buhmann (2010), ICPR",
    ),
    _watch(
        DECISION | {"costs": "misses", "task": BINARY},
        ("negative_predictive_value",),
        "how far a negative answer can be trusted",
        ALTMAN,
    ),
    _watch(
        DECISION | {"costs": "misses", "task": BINARY}, ("specificity",), "what the recall costs the negatives", HAN
    ),
    _watch(
        DECISION | {"costs": "false_alarms", "task": BINARY},
        ("false_positive_rate",),
        "false alarms as a share of all negatives",
        f"{ARTICLE}, ROC Curve and AUC",
    ),
    _watch(
        DECISION | {"costs": "false_alarms", "task": BINARY},
        ("partial_auc",),
        "the ranking where false alarms are few, at no particular threshold",
        MCCLISH,
    ),
    _watch(
        DECISION | {"costs": ("misses", "false_alarms", "unknown"), "balance": "imbalanced"},
        ("average_precision",),
        "the same question over all thresholds: F1 and precision belong to one",
        f"{ARTICLE}, Common Confusions",
    ),
    _watch(
        RANKING | {"balance": "balanced"},
        ("average_precision",),
        "how pure the top of the ranking is",
        DAVIS,
    ),
    _watch(
        RANKING | {"balance": "imbalanced"},
        ("roc_auc",),
        "ranking over all rows; it does not depend on how rare the class is",
        f"{ARTICLE}, ROC Curve and AUC",
    ),
    _watch(
        RANKING | {"balance": "imbalanced"},
        ("break_even_point",),
        "precision where it equals recall: a number that is easily explained",
        JOACHIMS,
    ),
    _watch(RANKING | {"balance": "balanced"}, ("ks",), "how far apart the classes are at the best threshold", SMIRNOV),
    _watch(
        {"capacity": ...},
        ("average_precision", "roc_auc"),
        "what happens beyond the cases that can be acted on, if the capacity changes",
        DAVIS,
    ),
    _watch(
        RANKING | {"shortlist": ...},
        ("hand_till",),
        "whether the model separates any two classes",
        "Hand and Till (2001), Machine Learning 45, 171-186",
    ),
    _watch(
        RANKING | {"capacity": None},
        ("log_loss",),
        "whether the scores could also serve as probabilities",
        f"{CHOOSE}, 3",
    ),
    _watch(
        HONEST | {"quality": "both"},
        ("roc_auc",),
        "ranking alone: a model can have good probabilities on average and rank badly, or the reverse",
        f"{ARTICLE}, Common Confusions",
    ),
    _watch(
        HONEST,
        ("calibration_error",),
        "calibration alone: whether 70% happens 70% of the time",
        CALIBRATED,
    ),
    _watch(
        HONEST | {"quality": "calibration"},
        ("max_calibration_error",),
        "the worst bin, where one wrong probability is enough",
        CALIBRATED,
    ),
    _watch(
        HONEST | {"sure_errors": "unbounded"},
        ("brier",),
        "bounded: whether a few confident errors make the difference",
        f"{ARTICLE}, Brier Score",
    ),
    _watch(
        HONEST | {"sure_errors": "bounded"},
        ("murphy_reliability", "murphy_resolution", "murphy_uncertainty"),
        "the parts of the Brier score: calibration, discrimination, and what no model can change",
        MURPHY,
    ),
    _watch(
        {"purpose": "unknown", "single": "no"},
        ("accuracy", "roc_auc", "f_beta", "rms", "log_loss"),
        "one of the metrics that are averaged: they may disagree",
        PAPER_TABLES,
    ),
    _watch(
        {"purpose": "unknown", "task": BINARY},
        ("brier",),
        "of all single metrics it had the smallest mean regret over seven goals in the regret map",
        REGRET_MAP,
    ),
    _watch(
        {"purpose": "unknown", "single": "yes"},
        ("paper_average", "log_loss", "rms", "roc_auc"),
        "the average itself, and the single metrics that find its best model most often",
        PAPER_TABLES,
    ),
    _watch(
        {"purpose": "unknown", "task": MULTICLASS},
        ("rms", "roc_auc"),
        "the single metrics that come next",
        PAPER_TABLES,
    ),
    _watch(
        {"tables": "weka", "task": CLASSES},
        ("accuracy", "kappa", "probability_mae", "rms", "probability_rae", "probability_rrse"),
        "printed by Weka; only for comparison with its output",
        WITTEN,
        insists=True,
    ),
    _watch(
        {"tables": "lecture", "task": CLASSES},
        ("error_rate", "accuracy", "recall", "specificity", "precision", "f_beta", "roc_auc"),
        "in the tables of the lecture; only for comparison with them",
        HAN,
        insists=True,
    ),
    _watch(
        {"tables": "paper", "task": CLASSES},
        ("accuracy", "roc_auc", "f_beta", "rms", "log_loss", "paper_average"),
        "in the tables of the paper; only for comparison with them",
        PAPER_TABLES,
        insists=True,
    ),
    watch(
        VALUE | {"penalty": ("large", "unknown", "percent", "typical")},
        {"name": "mae"},
        "what an error is on average; where RMSE is much larger, a few rows cause it",
        RMSE_AND_MAE,
    ),
    watch(
        VALUE | {"penalty": "alike"},
        {"name": "median_ae"},
        "the typical error; where MAE is much larger, a few rows cause it",
        HYNDMAN,
    ),
    watch(
        VALUE | {"penalty": ("large", "unknown")},
        {"elicits": "mean", "units_power": 0},
        "the same errors compared with always predicting the mean",
        R_SQUARED,
    ),
    watch(
        VALUE | {"penalty": ("alike", "typical")},
        {"elicits": "median", "units_power": 0},
        "the same errors compared with always predicting the mean",
        WITTEN,
    ),
    watch(
        VALUE | {"yardstick": "guessing"},
        {"elicits": ("mean", "median"), "units_power": 1},
        "the errors in units of the target",
        RMSE_AND_MAE,
    ),
    watch(
        VALUE | {"yardstick": "guessing"},
        {"name": "correlation"},
        "whether the order is right where the size is not",
        WITTEN,
    ),
    watch(
        NUMBERS | {"target": "distribution"},
        {"elicits": "quantile", "needs": "values"},
        "one quantile by itself",
        KOENKER,
    ),
    watch(
        NUMBERS | {"tables": "weka"},
        {"name": ("correlation", "mae", "rmse", "rae", "rrse")},
        "printed by Weka; only for comparison with its output",
        WITTEN,
        insists=True,
    ),
    watch(
        NUMBERS | {"tables": "lecture"},
        {"name": ("mae", "mse", "rae", "rrse")},
        "in the tables of the lecture; only for comparison with them",
        HAN,
        insists=True,
    ),
)

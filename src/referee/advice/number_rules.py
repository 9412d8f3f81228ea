"""Rules where numbers are predicted: what the best prediction is decides, and metrics declare what they elicit."""

from __future__ import annotations

from referee.advice.questions import ARTICLE, REGRESSION
from referee.advice.rule import avoid, goal, watch
from referee.advice.watch_rules import HAN, WITTEN

NUMBERS = {"task": REGRESSION}
VALUE = NUMBERS | {"target": "value"}
RMSE_AND_MAE = f"{ARTICLE}, RMSE and MAE"
R_SQUARED = f"{ARTICLE}, R-squared"
HYNDMAN = "Hyndman and Koehler (2006), International Journal of Forecasting 22, 679-688"
GNEITING = "Gneiting (2011), Making and evaluating point forecasts, JASA 106, 746-762"
KOENKER = "Koenker and Bassett (1978), Regression quantiles, Econometrica 46, 33-50"
CRPS = "Gneiting and Raftery (2007), JASA 102, 359-378"

NUMBER_RULES = (
    goal(
        VALUE | {"penalty": "large"},
        {"elicits": "mean", "units_power": 1},
        "large errors hurt more than in proportion: squares say so, and the best prediction is the mean",
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
        "errors are meant in percent of the true value",
        HYNDMAN,
        weight=20,
    ),
    goal(
        VALUE | {"penalty": "typical"},
        {"name": "median_ae"},
        "the typical row is meant, and the worst ones must not decide",
        HYNDMAN,
        weight=20,
    ),
    goal(
        VALUE | {"penalty": "unknown"},
        {"elicits": "mean", "units_power": 1},
        "as long as nobody can say which errors hurt: predictions are mostly meant as means, and sums need them",
        GNEITING,
        weight=20,
    ),
    goal(
        VALUE | {"penalty": "large", "yardstick": "guessing"},
        {"elicits": "mean", "units_power": 0, "better": "higher"},
        "compared with guessing the mean: the share of the variance that the model explains",
        R_SQUARED,
        weight=40,
    ),
    goal(
        VALUE | {"penalty": "alike", "yardstick": "guessing"},
        {"elicits": "median", "units_power": 0},
        "compared with guessing the mean, in absolute errors",
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
        NUMBERS | {"target": "distribution"},
        {"elicits": "quantile", "needs": "quantiles"},
        "all quantiles are judged at once",
        CRPS,
        weight=20,
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
        "its best prediction is the mean or the median, and not the quantile that is wanted",
        GNEITING,
    ),
    watch(
        VALUE | {"penalty": ("large", "unknown", "percent", "typical")},
        {"name": "mae"},
        "what an error is on average; where RMSE is much larger, a few rows make it",
        RMSE_AND_MAE,
    ),
    watch(
        VALUE | {"penalty": "alike"},
        {"name": "median_ae"},
        "the typical error; where MAE is much larger, a few rows make it",
        HYNDMAN,
    ),
    watch(
        VALUE | {"penalty": ("large", "unknown")},
        {"elicits": "mean", "units_power": 0},
        "the same errors compared with guessing the mean",
        R_SQUARED,
    ),
    watch(
        VALUE | {"penalty": ("alike", "typical")},
        {"elicits": "median", "units_power": 0},
        "the same errors compared with guessing the mean",
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
        "printed by Weka; to be compared with its output only",
        WITTEN,
        insists=True,
    ),
    watch(
        NUMBERS | {"tables": "lecture"},
        {"name": ("mae", "mse", "rae", "rrse")},
        "in the tables of the lecture; to be compared with them only",
        HAN,
        insists=True,
    ),
)

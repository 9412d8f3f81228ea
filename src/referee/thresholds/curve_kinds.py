"""All kinds of curves by name: what each shows, its two axes, and what to compare it with."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.catalogue import letters_of
from referee.engines import Ranking, binned_forecasts, bins_by_width
from referee.errors import UnknownNameError, did_you_mean
from referee.scoring import metrics
from referee.thresholds.curve_kind import Kind, Line, Place, hull_places

if TYPE_CHECKING:
    from referee.arrays import Array

BINS = 10
THRESHOLDS = np.arange(1, 100) / 100
"""Of the decision curve."""


def _straight(name: str, start: float, end: float) -> tuple[Line, ...]:
    return (Line(name, np.array([0.0, 1.0]), np.array([start, end])),)


def _bins(ranking: Ranking) -> Place:
    """One for each bin that has rows, at the lowest score that belongs to it; the condition is its mean forecast."""
    binned = binned_forecasts(ranking, BINS)
    from_the_top = np.argsort(-binned.scores)
    bins = bins_by_width(binned.scores[from_the_top], BINS)
    edges = np.linspace(0, 1, BINS + 1)
    # The bins are (a, b], the first one with 0.
    lowest = np.where(bins > 0, np.nextafter(edges[bins], 1.0), 0.0)
    tp, fp = (np.cumsum(counts[from_the_top]) for counts in (binned.positives, binned.negatives))
    return Place(lowest, tp, fp, ranking.P[0], ranking.N[0], binned.scores[from_the_top])


def _observed(at: Any) -> Array:
    """The share of positives in each bin by itself."""
    tp, fp = (np.diff(counts, prepend=0) for counts in (at.tp, at.fp))
    with np.errstate(invalid="ignore"):  # weights that vanish beside others leave a bin empty
        return tp / (tp + fp)


@np.errstate(invalid="ignore")  # weights that vanish beside others save and pay nothing
def _changes(ranking: Ranking) -> Place:
    """Where the best threshold changes: between two corners of the ROC curve's hull; and both ends."""
    corners = hull_places(ranking)
    miss, alarm = 1 - corners.tp / corners.P, corners.fp / corners.N
    saved, paid = -np.diff(miss), np.diff(alarm)
    changes = np.concatenate([[0.0], paid / (paid + saved), [1.0]])
    # At a change both corners cost the same; at the end the last one is best.
    before = np.append(np.arange(len(corners.tp)), len(corners.tp) - 1)
    return Place(corners.score[before], corners.tp[before], corners.fp[before], corners.P, corners.N, changes)


def _cost(at: Any) -> Array:
    return at.condition * (at.P - at.tp) / at.P + (1 - at.condition) * at.fp / at.N


def _mean_cost(ranking: Ranking) -> float:
    at = _changes(ranking)
    return float(np.trapezoid(_cost(at), at.condition))


def _area_of_gains(ranking: Ranking) -> float:
    """The area under the ROC curve, whose horizontal axis holds the negatives only, and the positives' own half."""
    share = float(ranking.P[0] / (ranking.P[0] + ranking.N[0]))
    return float(metrics["roc_auc"].value(ranking)[0]) * (1 - share) + share / 2


def _hundredths(ranking: Ranking) -> Place:
    """The counts at each hundredth: a threshold is what the user is ready to act on, not what the model said."""
    tp, fp = np.zeros(len(THRESHOLDS)), np.zeros(len(THRESHOLDS))
    for at in ranking.blocks():
        reached = np.searchsorted(-at.score, -THRESHOLDS, side="right")
        some = reached > 0
        tp[some], fp[some] = at.tp[reached[some] - 1], at.fp[reached[some] - 1]
    from_the_top = THRESHOLDS[::-1]
    return Place(from_the_top, tp[::-1], fp[::-1], ranking.P[0], ranking.N[0], from_the_top)


def _net_benefit(at: Any) -> Array:
    return (at.tp - at.fp * at.condition / (1 - at.condition)) / (at.P + at.N)


def _treating(share: float) -> tuple[Line, ...]:
    treated = share - (1 - share) * THRESHOLDS / (1 - THRESHOLDS)
    return Line("treat all", THRESHOLDS, treated), *_straight("treat none", 0.0, 0.0)


def _recall_gain(tp: Any, P: Any, N: Any) -> Any:  # noqa: N803 (the lecture's letters)
    return 1 - (P - tp) / tp * (P / N)  # a product of two weights may be beyond all numbers


def _precision_gain(tp: Any, fp: Any, P: Any, N: Any) -> Any:  # noqa: N803
    return 1 - fp / tp * (P / N)


def _area_of_gain(ranking: Ranking) -> float:
    """The area of straight lines from where the recall equals the share of positives."""

    def part(at: Any) -> Array:
        first = at.P**2 / (at.P + at.N)
        with np.errstate(all="ignore"):
            # The share of the step that lies before the curve begins.
            before = np.clip(np.nan_to_num((first - at.tp_above) / at.positives), 0, 1)
            tp, fp = at.tp_above + before * at.positives, at.fp_above + before * at.negatives
            width = _recall_gain(at.tp, at.P, at.N) - _recall_gain(tp, at.P, at.N)
            height = _precision_gain(at.tp, at.fp, at.P, at.N) + _precision_gain(tp, fp, at.P, at.N)
            return np.where(at.tp > first, width * height / 2, 0.0)

    return float(ranking.sum(part)[0])


class Kinds(dict[str, Kind]):
    """Found by name or alias, however it is spelled.

    >>> kinds["pr"].name, kinds["Cost curve"].name
    ('precision_recall', 'cost')
    """

    def __missing__(self, word: str) -> Kind:
        words = dict.fromkeys(self, "") | {alias: name for name, kind in self.items() for alias in kind.aliases}
        for spelling, name in words.items():
            if letters_of(spelling) == letters_of(word):
                return self[name or spelling]
        hint = "`referee curves --help` lists all"
        raise UnknownNameError(f"there is no kind of curve {word!r}; {did_you_mean(word, [*words])}", hint)


CALIBRATION = Kind(
    "calibration",
    title="Calibration curve",
    question="Of the rows with a forecast near this one, how many came true?",
    x=lambda at: at.condition,
    y=_observed,
    x_name="forecast",
    y_name="observed",
    x_title="mean forecast of a bin",
    y_title="share that came true",
    x_formula="mean of the bin's forecasts",
    y_formula="positives / rows of the bin",
    lines=lambda _: _straight("calibrated", 0.0, 1.0),
    places=_bins,
    has_bands=False,
    needs="probabilities",
    aliases=("calibration_curve", "reliability"),
    references=(
        "A. Niculescu-Mizil and R. Caruana (2005). Predicting good probabilities with supervised learning. In ICML, "
        "625-632",
    ),
)
COST = Kind(
    "cost",
    title="Cost curve",
    question="What does the best threshold cost, whatever the classes' shares and the costs of errors will be?",
    x=lambda at: at.condition,
    y=_cost,
    x_name="probability_cost",
    y_name="cost",
    x_title="probability cost",
    y_title="normalised expected cost",
    x_formula="share of positives x cost of a miss, of all costs",
    y_formula="{x} x ({P} - {TP}) / {P} + (1 - {x}) x {FP} / {N}",
    lines=lambda _: (Line("all or none positive", np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 0.0])),),
    area=_mean_cost,
    area_name="mean cost",
    places=_changes,
    aliases=("cost_curve",),
    references=(
        "C. Drummond and R. C. Holte (2006). Cost curves: an improved method for visualizing classifier performance. "
        "Machine Learning 65, 95-130",
    ),
)
CUMULATIVE_GAINS = Kind(
    "cumulative_gains",
    title="Cumulative gains curve",
    question="What share of the positives is found among each share of the highest scores?",
    x=lambda at: (at.tp + at.fp) / (at.P + at.N),
    y=lambda at: at.tp / at.P,
    x_name="share",
    y_name="gain",
    x_title="share of rows called positive",
    y_title="share of positives found",
    x_formula="({TP} + {FP}) / ({P} + {N})",
    y_formula="{TP} / {P}",
    slope="rising",
    lines=lambda share: (
        *_straight("guessing", 0.0, 1.0),
        Line("perfect", np.array([0.0, share, 1.0]), np.array([0.0, 1.0, 1.0])),
    ),
    area=_area_of_gains,
    area_name="area under the gains curve",
    aliases=("gains", "cap"),
    references=("G. S. Linoff and M. J. A. Berry (2011). Data Mining Techniques, 3rd edition. Wiley, chapter 5",),
)
DECISION = Kind(
    "decision",
    title="Decision curve",
    question="What is the model worth to somebody who acts at this probability or above?",
    x=lambda at: at.condition,
    y=_net_benefit,
    x_name="threshold",
    y_name="net_benefit",
    x_title="threshold probability",
    y_title="net benefit",
    x_formula="the threshold",
    y_formula="({TP} - {FP} x {x} / (1 - {x})) / ({P} + {N})",
    lines=_treating,
    places=_hundredths,
    y_range=(-inf, inf),
    needs="probabilities",
    aliases=("decision_curve", "net_benefit"),
    references=(
        "A. J. Vickers and E. B. Elkin (2006). Decision curve analysis: a novel method for evaluating prediction "
        "models. Medical Decision Making 26, 565-574",
    ),
)
DET = Kind(
    "det",
    title="DET curve",
    question="How many positives are missed, for each rate of false alarms?",
    x=lambda at: at.fp / at.N,
    y=lambda at: (at.P - at.tp) / at.P,
    x_name="fpr",
    y_name="fnr",
    x_title="false positive rate",
    y_title="false negative rate",
    x_formula="{FP} / {N}",
    y_formula="({P} - {TP}) / {P}",
    slope="falling",
    lines=lambda _: _straight("guessing", 1.0, 0.0),
    scale="probit",
    aliases=("detection_error_tradeoff",),
    references=(
        "A. Martin et al. (1997). The DET curve in assessment of detection task performance. In Eurospeech, 1895-1898",
    ),
)
LIFT = Kind(
    "lift",
    title="Lift curve",
    question="How many times as many positives does each share of the highest scores have as a random choice?",
    x=lambda at: (at.tp + at.fp) / (at.P + at.N),
    y=lambda at: at.tp / at.P * ((at.P + at.N) / (at.tp + at.fp)),
    x_name="share",
    y_name="lift",
    x_title="share of rows called positive",
    y_title="lift",
    x_formula="({TP} + {FP}) / ({P} + {N})",
    y_formula="({TP} / ({TP} + {FP})) / ({P} / ({P} + {N}))",
    lines=lambda _: _straight("guessing", 1.0, 1.0),
    begins_empty=False,
    y_range=(0, inf),
    references=(
        "G. Piatetsky-Shapiro and B. Masand (1999). Estimating campaign benefits and modeling lift. In KDD, 185-193",
    ),
)
PRECISION_RECALL = Kind(
    "precision_recall",
    title="Precision-recall curve",
    question="How reliable are the alarms, for each share of positives found?",
    x=lambda at: at.tp / at.P,
    y=lambda at: at.tp / (at.tp + at.fp),
    x_name="recall",
    y_name="precision",
    x_title="recall",
    y_title="precision",
    x_formula="{TP} / {P}",
    y_formula="{TP} / ({TP} + {FP})",
    lines=lambda share: _straight("guessing", share, share),
    area=lambda ranking: float(metrics["average_precision"].value(ranking)[0]),
    area_name="average_precision",
    # Without an alarm there is no precision.
    begins_empty=False,
    # A straight line between two points would promise what no threshold between them has.
    drawn="steps",
    aliases=("pr",),
    references=(
        "J. Davis and M. Goadrich (2006). The relationship between precision-recall and ROC curves. In ICML, 233-240",
    ),
)
PRECISION_RECALL_GAIN = Kind(
    "precision_recall_gain",
    title="Precision-recall-gain curve",
    question="How much better than calling every row positive are precision and recall, on a scale where areas add up?",
    x=lambda at: _recall_gain(at.tp, at.P, at.N),
    y=lambda at: _precision_gain(at.tp, at.fp, at.P, at.N),
    x_name="recall_gain",
    y_name="precision_gain",
    x_title="recall gain",
    y_title="precision gain",
    x_formula="1 - ({P} - {TP}) x {P} / ({TP} x {N})",
    y_formula="1 - {FP} x {P} / ({TP} x {N})",
    lines=lambda _: _straight("all positive", 0.0, 0.0),
    area=_area_of_gain,
    area_name="area under the gain curve",
    inside=lambda at: (at.tp > 0) & (at.tp * (at.P + at.N) >= at.P * at.P),
    begins_empty=False,
    y_range=(-inf, 1),
    aliases=("prg",),
    references=(
        "P. Flach and M. Kull (2015). Precision-recall-gain curves: PR analysis done right. In Advances in Neural "
        "Information Processing Systems 28, 838-846",
    ),
)
ROC = Kind(
    "roc",
    title="ROC curve",
    question="How many positives are found, at the price of how many false alarms?",
    x=lambda at: at.fp / at.N,
    y=lambda at: at.tp / at.P,
    x_name="fpr",
    y_name="tpr",
    x_title="false positive rate",
    y_title="true positive rate",
    x_formula="{FP} / {N}",
    y_formula="{TP} / {P}",
    slope="rising",
    lines=lambda _: _straight("guessing", 0.0, 1.0),
    area=lambda ranking: float(metrics["roc_auc"].value(ranking)[0]),
    area_name="roc_auc",
    aliases=("receiver_operating_characteristic",),
    references=("T. Fawcett (2006). An introduction to ROC analysis. Pattern Recognition Letters 27, 861-874",),
)
EVERY = (CALIBRATION, COST, CUMULATIVE_GAINS, DECISION, DET, LIFT, PRECISION_RECALL, PRECISION_RECALL_GAIN, ROC)
kinds = Kinds({kind.name: kind for kind in EVERY})

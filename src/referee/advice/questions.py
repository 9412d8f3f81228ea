"""The questions that lead to a goal metric: what may be answered, and when each of them matters."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    When = Mapping[str, tuple[str | None, ...]]

ARTICLE = "Evaluation Metrics and Properties"
CHOOSE = f"{ARTICLE}, How to Choose the Right Metric"

BINARY, MULTICLASS, REGRESSION = ("binary",), ("multiclass",), ("regression",)
CLASSES = ("binary", "multiclass")
NUMBERS = {"task": REGRESSION}
VALUE = NUMBERS | {"target": "value"}
RANKING = {"purpose": "probabilities", "quality": "ranking"}
HONEST = {"purpose": "probabilities", "quality": ("calibration", "both")}
"""Answers that rules are about."""
USUAL_PRECISION = 0.5
"""Where positives are rare; where they are not, calling everything positive may reach it."""


@dataclass(frozen=True)
class Question:
    """One question. It arises where earlier answers are among those of `when` (None: that one was not asked)."""

    key: str
    text: str
    explanation: str
    options: Mapping[str, str] = field(default_factory=dict)
    """Each answer and what it means; none for numbers."""
    kind: Literal["choice", "number", "whole", "matrix"] = "choice"
    low: float = 0.0
    high: float | None = None
    when: When = field(default_factory=dict)
    default: object = None
    required: bool = False
    """Whether there is no advice without it; else the default is assumed, and that is said."""

    def arises(self, answers: Mapping[str, object]) -> bool:
        return all(answers.get(key) in allowed for key, allowed in self.when.items())


QUESTIONS = (
    Question(
        "task",
        "What is predicted?",
        "Two classes, several classes, a number, the order of items, or several labels at once. Where a file with "
        "predictions is given, its columns say it.",
        {
            "binary": "one of two classes",
            "multiclass": "one of several classes",
            "regression": "a number",
            "ranking": "the order of items for each query",
            "multilabel": "several labels of one row",
        },
        required=True,
    ),
    Question(
        "purpose",
        "What will the predictions be used for?",
        "A hard decision is judged by its errors; scores and probabilities by what they say before anybody decides. "
        "If you do not know yet, some goals are robust whatever the use.",
        {
            "decision": "a hard yes/no decision, or a choice among classes",
            "probabilities": "scores or probabilities for later use",
            "unknown": "I do not know the goal yet",
        },
        when={"task": CLASSES},
        required=True,
    ),
    Question(
        "quality",
        "Do you need ranking or calibration?",
        "Ranking: positives above negatives, whatever the numbers are. Calibration: what is given 70% happens 70% "
        "of the time. These are different properties, and a model may have one without the other.",
        {
            "ranking": "the order: which rows come first",
            "calibration": "the numbers: probabilities that come true as often as they say",
            "both": "both",
        },
        when={"task": CLASSES, "purpose": ("probabilities",)},
        required=True,
    ),
    Question(
        "balance",
        "Are the classes about equally common?",
        "Where one class is rare (below a tenth of the rows, or a third of an equal share among several), always "
        "predicting the other one is nearly always right.",
        {"balanced": "about equally common", "imbalanced": "one of them is rare"},
        when={"task": CLASSES, "purpose": ("decision", "probabilities"), "quality": ("ranking", None)},
        default="imbalanced",
    ),
    Question(
        "costs",
        "What do errors cost?",
        "A miss is a positive that was called negative, a false alarm a negative that was called positive. If the "
        "costs are known as numbers, or their ratio is, they decide everything else.",
        {
            "equal": "every error costs the same",
            "misses": "misses are much worse (screening)",
            "false_alarms": "false alarms are much worse (accusing somebody of fraud)",
            "known": "I can give numbers",
            "unknown": "I do not know",
        },
        when={"task": CLASSES, "purpose": ("decision",)},
        default="unknown",
    ),
    Question(
        "fp",
        "What does a false alarm cost?",
        "In any unit; only the ratio to the cost of a miss matters for which model is better.",
        kind="number",
        when={"task": BINARY, "purpose": ("decision",), "costs": ("known",)},
        required=True,
    ),
    Question(
        "fn",
        "What does a miss cost?",
        "In the same unit as a false alarm.",
        kind="number",
        when={"task": BINARY, "purpose": ("decision",), "costs": ("known",)},
        required=True,
    ),
    Question(
        "cost_matrix",
        "What does each error cost? A matrix such as [[0, 1, 2], [1, 0, 2], [5, 5, 0]]",
        "Rows are the true classes, columns the predicted ones, in the order of the classes.",
        kind="matrix",
        when={"task": MULTICLASS, "purpose": ("decision",), "costs": ("known",)},
        required=True,
    ),
    Question(
        "precision",
        "How reliable must alarms be, at least? (precision, 0 to 1)",
        "Recall alone is best if everything is called positive. So you fix the share of alarms that must be right, "
        "and ask how many positives can then be found.",
        kind="number",
        high=1,
        when={"task": CLASSES, "purpose": ("decision",), "costs": ("misses",)},
        default=USUAL_PRECISION,
    ),
    Question(
        "recall",
        "How many of the positives must be found, at least? (recall, 0 to 1; empty: no demand)",
        "Precision alone is best with a single certain alarm. A demand on recall prevents that.",
        kind="number",
        high=1,
        when={"task": CLASSES, "purpose": ("decision",), "costs": ("false_alarms",)},
    ),
    Question(
        "focus",
        "Which class do you care about?",
        "With a rare class, you either want to find it (F1 sees nothing else), or to be equally right about both.",
        {"positive": "the rare or positive class", "both": "both classes equally"},
        when={
            "task": BINARY,
            "purpose": ("decision",),
            "costs": ("equal", "unknown"),
            "balance": ("imbalanced",),
        },
        default="positive",
    ),
    Question(
        "beta",
        "How many times as important is recall as precision?",
        "F-beta is the harmonic mean of precision and recall, with recall beta times as important: 1 for F1.",
        kind="number",
        when={"task": CLASSES, "purpose": ("decision",), "costs": ("unknown",), "focus": ("positive", None)},
        default=1,
    ),
    Question(
        "capacity",
        "What share of the rows can be acted on? (0 to 1; empty: no limit)",
        "If only a limited number of letters can be sent or patients seen, the highest scores are taken, and only "
        "these matter.",
        kind="number",
        high=1,
        when={"task": BINARY, "purpose": ("decision", "probabilities"), "quality": ("ranking", None)},
    ),
    Question(
        "shortlist",
        "How many classes does a shortlist show? (empty: there is no shortlist)",
        "Where somebody picks from the k most probable classes, the true one only has to be among them.",
        kind="whole",
        low=1,
        when={"task": MULTICLASS, "purpose": ("probabilities",), "quality": ("ranking",)},
    ),
    Question(
        "average",
        "How do the classes count?",
        "Macro: each class the same, however rare. Weighted: each by its rows. Micro: all decisions pooled.",
        {"macro": "each class the same", "weighted": "by how common they are", "micro": "all decisions pooled"},
        when={
            "task": MULTICLASS,
            "purpose": ("decision", "probabilities"),
            "quality": ("ranking", None),
            "costs": ("equal", "misses", "false_alarms", "unknown", None),
        },
        default="macro",
    ),
    Question(
        "sure_errors",
        "May one confident error outweigh many good rows?",
        "Log loss grows without bound as the probability of what happened goes to 0: that is right where such an "
        "error is a disaster. The Brier score is bounded.",
        {"unbounded": "yes: being certain and wrong is a disaster", "bounded": "no: every error has its limit"},
        when={"task": CLASSES, "purpose": ("probabilities",), "quality": ("calibration", "both")},
        default="unbounded",
    ),
    Question(
        "single",
        "Must it be a single metric, one that models can be trained on?",
        "An average of several metrics is the robust goal when the goal is unknown, but models cannot be trained on "
        "it.",
        {"no": "no, an average of several is fine", "yes": "yes"},
        when={"task": BINARY, "purpose": ("unknown",)},
        default="no",
    ),
    Question(
        "target",
        "What should a prediction be?",
        "One number for each row, one quantile (what is exceeded 10% of the time), a range that contains the true "
        "value with a given frequency, or several quantiles.",
        {
            "value": "one number",
            "quantile": "one quantile",
            "interval": "a range from a lower to an upper end",
            "distribution": "several quantiles at once",
        },
        when={"task": REGRESSION},
        default="value",
    ),
    Question(
        "level",
        "Which quantile? (0 to 1)",
        "0.9: nine of ten true values should be below the prediction.",
        kind="number",
        high=1,
        when={"task": REGRESSION, "target": ("quantile",)},
        required=True,
    ),
    Question(
        "penalty",
        "Which errors hurt?",
        "If an error of 10 is worse than ten errors of 1, squares are right, and the best prediction is the mean. If "
        "it is just as bad, absolute errors are, and the best prediction is the median.",
        {
            "large": "large errors hurt more than proportionally",
            "alike": "an error of 10 is as bad as ten errors of 1, or there are outliers",
            "percent": "errors in percent of the true value",
            "typical": "the typical row, whatever happens to the worst ones",
            "unknown": "I do not know",
        },
        when={"task": REGRESSION, "target": ("value",)},
        required=True,
    ),
    Question(
        "yardstick",
        "In units of the target, or compared with always predicting the mean?",
        "Relative values can be compared across data sets: 0 or 100% is what always predicting the mean gets.",
        {"units": "in units of the target", "guessing": "compared with always predicting the mean"},
        when={"task": REGRESSION, "target": ("value",), "penalty": ("large", "alike")},
        default="units",
    ),
    Question(
        "tables",
        "Must the numbers be comparable with somebody's tables?",
        "Weka prints errors of class probabilities that nobody else uses; a lecture or a paper has its own set. They "
        "are shown beside the goal, and do not become it.",
        {
            "none": "no",
            "weka": "Weka's output",
            "lecture": "the usual lecture: error rate, sensitivity, specificity ...",
            "paper": "the paper on model selection: accuracy, AUC, F, RMS, MXE",
        },
        default="none",
    ),
    Question(
        "difference",
        "Which difference between two models would matter? (in units of the goal; empty: a usual one)",
        "It says how many rows are needed: a difference half as large needs four times as many.",
        kind="number",
    ),
)
BY_KEY = {question.key: question for question in QUESTIONS}

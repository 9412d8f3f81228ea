"""advise: from answers, and from data where there are some, to a goal metric and what follows from it."""

from __future__ import annotations

import shlex
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

from referee.advice.answers import Answers
from referee.advice.choices import AVERAGE, safest
from referee.advice.open_goal import HALVES, goal_weights, is_mapped, regret_of_map, safe_by_map, safe_for
from referee.advice.plan_basis import RARER_ROWS
from referee.advice.questions import BY_KEY
from referee.advice.rule import Avoided, Choice, Reason, Watched, choose, metrics_of
from referee.advice.rules import RULES
from referee.advice.sample_size import DataFacts, RowsNeeded, facts_of, fitting, rows_needed
from referee.advice.watch_rules import REGRET_MAP
from referee.document import Document, Result
from referee.errors import Notice, UndefinedError, UsageError, listed, refuse_alpha
from referee.predictions import Predictions, predictions_of, takes_predictions
from referee.records import dataclass
from referee.scoring import metrics, shown_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.advice.choices import SafeChoice
    from referee.predictions import Columns
    from referee.scoring import Metric

PLACEHOLDERS = ("preds.csv", "--truth", "COL")
ROLES: dict[tuple[str, ...], tuple[str, ...]] = {("ranking",): ("--query", "COL")}


def next_command(
    goal: Metric,
    watched: Sequence[Metric],
    *,
    sources: Sequence[str] = (),
    options: Sequence[str] = (),
    models: int | None = None,
    threshold: float | None = None,
) -> str:
    """Compare where there are several models or it is not known, else score the only one and look for tricks.

    >>> from referee import metrics
    >>> next_command(metrics["f_beta(beta=2)"], [], sources=["my preds.csv"], options=["--truth", "y"], models=2)
    "referee compare 'my preds.csv' --truth y --goal 'f_beta(beta=2)'"
    """
    beside = [metric.full_name for metric in watched]
    where = [*sources, *options] if sources else [*PLACEHOLDERS, *ROLES.get(goal.tasks, ())]
    at = ["--threshold", f"{threshold:.4g}"] if threshold is not None else []
    if models == 1:
        metrics = ",".join([goal.full_name, *beside])
        what = ["evaluate", *where, "--metrics", metrics, "--goal", goal.full_name, "--lint"]
    else:
        also = ["--metrics", ",".join(beside)] if beside else []
        what = ["compare", *where, "--goal", goal.full_name, *also]
    return shlex.join(["referee", *what, *at])


def cheapest_threshold(goal: Metric) -> float | None:
    """From where on a calibrated probability is worth an alarm: fp / (fp + fn) (Elkan 2001); None without two costs.

    >>> from referee import metrics
    >>> cheapest_threshold(metrics["expected_cost(fn=4)"])
    0.2
    """
    if goal.name != "expected_cost" or "costs" in goal.settings:
        return None
    fp, fn = (goal.settings.get(name, goal.defaults[name]) for name in ("fp", "fn"))
    return None if fp == fn else float(fp / (fp + fn))


PAPER_AVERAGE = "paper_average"
SAVAGE = "Savage (1951), The theory of statistical decision, JASA 46, 55-67"

MANY_TIES = 0.02
"""Of the rows: a model with fewer distinct scores orders them coarsely."""

HOW_TO_GIVE = {
    "probabilities": "`referee calibrate` makes probabilities of scores; or ",
    "quantiles": "quantiles are columns such as NAME:0.1, NAME:0.5 and NAME:0.9; or ",
}


@dataclass(frozen=True, repr=False)
class Advice(Result):
    """A goal metric, and what to know about it here.

    >>> advice = advise(task="binary", purpose="decision", costs="known", fp=1, fn=5)
    >>> advice.goal.full_name
    'expected_cost(fn=5)'
    """

    goal: Metric
    reasons: tuple[Reason, ...]
    watched: tuple[Watched, ...]
    avoided: tuple[Avoided, ...]
    rows_needed: RowsNeeded
    command_line: str
    """What to run next."""
    answers: Answers
    facts: DataFacts | None = None
    threshold: float | None = None
    """From where on to decide for the positive class, if the costs say so and probabilities are calibrated."""
    warnings: tuple[Notice, ...] = ()
    goals: Mapping[str, float] = field(default_factory=dict)
    """While the goal is open: those that are possible, and their weights."""
    safe: tuple[SafeChoice, ...] = ()
    """What choosing by each metric costs over all of them, the smallest worst case first."""
    predictions: Predictions | None = None

    @property
    def command(self) -> str:
        return "advise"

    @property
    def cannot_see(self) -> str:
        return self.goal.blind_to

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "goal": self.goal.full_name,
            "question": self.goal.question,
            "reasons": [vars(reason) for reason in self.reasons],
            "cannot_see": self.cannot_see,
            "watch": [{"metric": watched.metric.full_name, **_said(watched.reason)} for watched in self.watched],
            "avoid": [{"metrics": list(avoided.metrics), **_said(avoided.reason)} for avoided in self.avoided],
            "rows_needed": self.rows_needed.to_dict(),
            "threshold": self.threshold,
            "command_line": self.command_line,
            "answers": {key: value for key, value in self.answers.all.items() if key not in self.answers.assumed},
            "assumed": dict(self.answers.assumed),
            "facts": self.facts and self.facts.to_dict(),
            "read": self.predictions and self.predictions.reading,
            "goals": dict(self.goals),
            "safe": [choice.to_dict() for choice in self.safe],
            "warnings": [vars(notice) for notice in self.warnings],
        }

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (nothing in it is long)
        from referee.advice.advice_document import advice_document

        return advice_document(self)

    def records(self) -> list[dict[str, str]]:
        from referee.advice.advice_document import advice_records

        return list(advice_records(self))


def _said(reason: Reason) -> dict[str, str]:
    return {"reason": reason.text, "source": reason.source}


@takes_predictions()
def advise(
    *given: Any,
    alpha: float = 0.05,
    goals: str | Mapping[str, float] | None = None,
    purpose: Literal["decision", "probabilities", "unknown"] | None = None,
    quality: Literal["ranking", "calibration", "both"] | None = None,
    balance: Literal["balanced", "imbalanced"] | None = None,
    costs: Literal["equal", "misses", "false_alarms", "known", "unknown"] | None = None,
    fp: float | None = None,
    fn: float | None = None,
    cost_matrix: Sequence[Sequence[float]] | None = None,
    precision: float | None = None,
    recall: float | None = None,
    focus: Literal["positive", "both"] | None = None,
    beta: float | None = None,
    capacity: float | None = None,
    shortlist: int | None = None,
    average: Literal["macro", "weighted", "micro"] | None = None,
    sure_errors: Literal["unbounded", "bounded"] | None = None,
    single: Literal["no", "yes"] | None = None,
    target: Literal["value", "quantile", "interval", "distribution"] | None = None,
    level: float | None = None,
    penalty: Literal["large", "alike", "percent", "typical", "unknown"] | None = None,
    yardstick: Literal["units", "guessing"] | None = None,
    tables: Literal["none", "weka", "lecture", "paper"] | None = None,
    difference: float | None = None,
    **columns: Unpack[Columns],
) -> Advice:
    """Name the goal metric that suits what the predictions are used for.

    The keywords answer the questions that `referee advise` asks and explains; a question that matters and is not
    answered gets its usual answer. The input, if there is any, is the same as for `compare`: it answers the questions
    about the data. If the purpose is unknown, `goals` lists the possible goals with their weights, such as
    "accuracy=2, f1", and the models show which metric is safe for all of them; without models, the regret map does.
    `alpha` is the level of the test that rows are planned for.

    >>> advise(task="binary", purpose="probabilities", quality="ranking", balance="balanced").goal.name
    'roc_auc'
    >>> advise([1, 0, 1, 0] * 50, {"a": [0.9, 0.2, 0.6, 0.7] * 50}, purpose="probabilities", quality="both").goal.name
    'log_loss'
    """
    said = {**locals(), "task": columns.get("task")}
    answers = {key: value for key, value in said.items() if key in BY_KEY}
    if given and isinstance(given[0], Predictions):
        columns.pop("task", None)  # an answer, which is compared with the data like any other
    predictions = predictions_of("advise", given, columns) if given or columns.keys() - {"task"} else None
    return advice_on(predictions, answers, alpha=alpha, goals=goals)


def advice_on(
    predictions: Predictions | None,
    answers: Mapping[str, Any],
    *,
    alpha: float = 0.05,
    goals: str | Mapping[str, float] | None = None,
    sources: Sequence[str] = (),
    options: Sequence[str] = (),
) -> Advice:
    """The same, of answers by their keys; `sources` and `options`, as typed, appear in the command to run next."""
    given = Answers.of(answers)
    refuse_alpha(alpha)
    facts = None if predictions is None else facts_of(predictions)
    complete = (given if facts is None else with_facts(given, facts)).completed()
    choice, notices = _chosen(complete, predictions)
    weights, safe, by_models = _safe(complete, predictions, facts, goals)
    choice = _with_safe(choice, safe, complete, models=len(facts.models) if facts else 0, by_models=by_models)
    threshold = cheapest_threshold(choice.goal) if facts is None or facts.gives_probabilities else None
    at = threshold if predictions is None or predictions.threshold == 0.5 else None
    rows = rows_needed(choice.goal, complete.all, predictions, threshold=at, alpha=alpha)
    beside, models = [watched.metric for watched in choice.watched], len(facts.models) if facts else None
    command = next_command(choice.goal, beside, sources=sources, options=options, models=models, threshold=at)
    warnings = (*(predictions.notices if predictions else ()), *notices, *_cautions(given, facts, choice.goal))
    of_choice = (choice.goal, choice.reasons, choice.watched, choice.avoided)
    return Advice(*of_choice, rows, command, complete, facts, threshold, warnings, weights, safe, predictions)


def _safe(
    answers: Answers, predictions: Predictions | None, facts: DataFacts | None, goals: str | Mapping[str, float] | None
) -> tuple[dict[str, float], tuple[SafeChoice, ...], bool]:
    """Which metric is safe to choose by, and whether these models say so: else the map does, of probabilities."""
    if answers["purpose"] != "unknown":
        if goals:
            raise UsageError("E_CONTRADICTION", "possible goals only matter where purpose = unknown")
        return {}, (), False
    asked = goal_weights(goals) if goals else None
    mapped = answers["task"] == "binary" and (facts is None or facts.gives_probabilities)
    if predictions is not None and len(predictions.models) > 1:
        weights, safe = safe_for(predictions, asked)
        if min((choice.worst for choice in safe), default=0) < 1 or not (mapped and is_mapped(asked)):
            return weights, safe, True
    if mapped:
        return *safe_by_map(asked), False
    if goals:
        raise UsageError(
            "E_GOAL", "possible goals need predictions of at least two models, or two classes and probabilities"
        )
    return {}, (), False


def _with_safe(choice: Choice, safe: Sequence[SafeChoice], answers: Answers, *, models: int, by_models: bool) -> Choice:
    """The goal is the metric that is safest on the models, or in the regret map where these cannot tell."""
    averages = (AVERAGE, PAPER_AVERAGE) if answers["single"] == "yes" else (AVERAGE,)
    usable = [each for each in safe if each.by not in averages]
    if not usable:
        return choice
    first = safest(usable)
    regret = f"{first.worst:.2f} at worst (if the goal is {shown_name(first.worst_goal)}), {first.mean:.2f} on average"
    if by_models:
        text = f"on your models, choosing by it is the safest over the possible goals: regret {regret}, "
        reason = Reason(f"{text}on {HALVES} halves of the rows", SAVAGE)
    else:
        held = regret_of_map()
        text = "on halves of your rows no metric chooses better than at random; " if models > 1 else ""
        text += f"on {held['sources']} data sources, with {held['rows'][0]} to {held['rows'][-1]:,} rows to choose on, "
        reason = Reason(f"{text}choosing by it was the safest over the possible goals: regret {regret}", REGRET_MAP)
    goal, same = metrics[first.by], choice.goal.full_name == first.by
    watched = tuple(each for each in choice.watched if each.metric.full_name != first.by)
    avoided = tuple(each for each in choice.avoided if each.metrics != (first.by,))
    reasons = (reason, *(choice.reasons if same else ()))
    return replace(choice, goal=goal, reasons=reasons, watched=watched, avoided=avoided)


def with_facts(given: Answers, facts: DataFacts) -> Answers:
    """Let the data answer what they can; an answer that they contradict is refused, or kept with a warning."""
    task = given["task"]
    if task is not None and task != facts.task:
        raise UsageError(
            "E_CONTRADICTION",
            f"task = {task}, but the truth is {facts.task}",
            hint="--task says how the truth is meant, --positive makes two classes of several",
        )
    matrix = given["cost_matrix"]
    if matrix is not None and len(matrix) != len(facts.classes):
        raise UsageError(
            "E_CONTRADICTION", f"cost_matrix is for {len(matrix)} classes; the data have {len(facts.classes)}"
        )
    read = {"task": facts.task, "balance": facts.balance}
    known = {key: value for key, value in read.items() if value is not None}
    return replace(given, from_data=known, positive_share=facts.positive_share)


def _chosen(answers: Answers, predictions: Predictions | None) -> tuple[Choice, list[Notice]]:
    """The best goal that applies to the models, and a word if a better one would not."""
    every = metrics_of(answers["task"])
    ideal = choose(RULES, answers.all, every)
    assert ideal is not None, "some rule speaks for a metric under all answers"
    if predictions is None:
        return ideal, []
    applicable = choose(RULES, answers.all, fitting(every, predictions))
    lacks = f"{ideal.goal.name} would be the goal, but it needs {ideal.goal.needs}, and not all models give them"
    if applicable is None:
        raise UndefinedError(
            "E_NOGOAL",
            lacks,
            hint=HOW_TO_GIVE.get(ideal.goal.needs, "") + "choose an answer that fits what the models give",
        )
    return applicable, [] if applicable.goal == ideal.goal else [Notice("W_UNFIT", lacks)]


def _disagreements(given: Answers, facts: DataFacts) -> list[Notice]:
    notices = []
    if facts.balance and given["balance"] not in (None, facts.balance):
        notices.append(Notice("W_ANSWERS", f"balance = {given['balance']} was given, but the data are {facts.balance}"))
    precision, share = given["precision"], facts.positive_share
    if precision is not None and share is not None and precision <= share:
        without = f"calling every row positive has {share:.3g} here, so this demands nothing"
        notices.append(Notice("W_ANSWERS", f"precision = {precision:g} was given, but {without}"))
    return notices


def _cautions(given: Answers, facts: DataFacts | None, goal: Metric) -> list[Notice]:
    if facts is None:
        return []
    notices = _disagreements(given, facts)
    if facts.rarer_rows is not None and facts.rarer_rows < RARER_ROWS:
        what = f"class {facts.rarer_class!r} has {facts.rarer_rows:,} rows, and {RARER_ROWS} are needed"
        notices.append(Notice("W_FEWROWS", f"{what} for a verdict that is more than approximate"))
    decided = [model.name for model in facts.models if model.gives == "decisions"]
    if decided and goal.needs in ("scores", "probabilities"):
        notices.append(Notice("W_HARDLABELS", f"{listed(decided)}: decisions, but the goal needs {goal.needs}"))
    if goal.needs == "scores":
        coarse = [m.name for m in facts.models if m.distinct is not None and m.distinct < MANY_TIES * facts.rows]
        if coarse:
            notices.append(
                Notice("W_TIES", f"{listed(coarse)}: few distinct scores, so most rows are tied in the order")
            )
    uncalibrated = [m.name for m in facts.models if m.calibration_p is not None and m.calibration_p < 0.05]
    if uncalibrated and (goal.needs == "probabilities" or cheapest_threshold(goal) is not None):
        fix = "`referee calibrate` shows how far off they are"
        notices.append(Notice("W_UNCALIBRATED", f"{listed(uncalibrated)}: the probabilities are not calibrated: {fix}"))
    return notices

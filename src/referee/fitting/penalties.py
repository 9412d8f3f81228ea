"""Penalties: what AIC, BIC, description length or the VC bound choose, fitted on all rows, beside the verdict."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite, log, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.document import counted, named
from referee.errors import UndefinedError, UnknownNameError, did_you_mean
from referee.fitting.complexity import Complexity, not_defined
from referee.fitting.fit_runs import outcomes
from referee.fitting.fits import Fitting, Unit
from referee.fitting.model_spec import learners
from referee.fitting.runner.crew import Failure
from referee.fitting.splits import Split
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array
    from referee.comparing import Verdict
    from referee.fitting.resampled_models import Resampling

EQUAL = 1e-9
"""Values that differ by this share of themselves are equal: two models may be one and the same tree."""
DIFFER = ": the two differ"


@dataclass(frozen=True)
class Fitted:
    """A model that was fitted on all rows, and what is known of its kind."""

    model: Any
    rows: Array
    """As the model sees them."""
    target: Array
    classes: int
    """How many; 0 for regression."""
    known: Complexity

    @property
    def log_likelihood(self) -> float:
        """Of the target given the attributes: of classes by their probabilities, of numbers by normal errors."""
        if self.classes:
            column = np.searchsorted(self.model.classes_, self.target)
            with np.errstate(divide="ignore"):
                return float(np.log(self.model.predict_proba(self.rows)[np.arange(len(column)), column]).sum())
        variance = float(np.mean((self.target - self.model.predict(self.rows)) ** 2))
        return -len(self.target) / 2 * (log(2 * pi * variance) + 1) if variance > 0 else inf

    @property
    def training_error(self) -> float:
        return float(np.mean(self.model.predict(self.rows) != self.target))


def _likelihood(fitted: Fitted) -> tuple[float, float]:
    """Minus twice the log likelihood, and the free parameters; the variance of the errors is one, as in R."""
    if fitted.known.parameters is None:
        raise not_defined("no known number of free parameters")
    likelihood = fitted.log_likelihood
    if not isfinite(likelihood):
        why = "the model leaves no error" if likelihood > 0 else "it gives probability 0 to a class that occurs"
        raise not_defined(f"its likelihood is not finite: {why}")
    return -2 * likelihood, fitted.known.parameters(fitted.model, fitted.rows) + (not fitted.classes)


def _code_length(fitted: Fitted) -> tuple[float, float]:
    """Bits for the exceptions, and for the tree."""
    if not fitted.classes or fitted.known.code is None:
        raise not_defined("not a tree that names classes")
    code = fitted.known.code(fitted.model, fitted.rows)
    return code.of_exceptions, code.of_tree


def _risk(fitted: Fitted) -> tuple[float, float]:
    """The share of wrong decisions on the training rows, and the dimension."""
    if fitted.known.dimension is None:
        raise not_defined("not a linear classifier")
    if fitted.classes != 2:
        raise not_defined("the bound is for two classes")
    dimension = fitted.known.dimension(fitted.model, fitted.rows)
    if dimension >= len(fitted.target):
        raise not_defined("it has as many dimensions as there are rows")
    return fitted.training_error, dimension


def vc_confidence(dimension: float, rows: int, alpha: float) -> float:
    """How far the error on new rows may be above that on the training rows, but for a probability of alpha.

    >>> round(vc_confidence(3700, 10_000, 0.05), 3)
    0.997
    """
    return sqrt((dimension * (log(2 * rows / dimension) + 1) - log(alpha / 4)) / rows)


@dataclass(frozen=True)
class Penalty:
    """A trade of fit for complexity; the smallest value is chosen."""

    title: str
    misfit: str
    complexity: str
    about: str
    terms: Callable[[Fitted], tuple[float, float]]
    value: Callable[[float, float, int, float], float]
    """Of misfit, complexity, rows and alpha."""

    @property
    def in_words(self) -> str:
        return self.title if self.title.isupper() else f"the {self.title}"


OF_LIKELIHOOD = (
    "the likelihood is of the target given the attributes; penalised weights count by their effective number"
)
PENALTIES = {
    "aic": Penalty(
        "AIC", "-2 log L", "parameters", f"AIC = -2 log L + 2 x parameters (Akaike 1974); {OF_LIKELIHOOD}",
        _likelihood, lambda misfit, complexity, _rows, _alpha: misfit + 2 * complexity,
    ),
    "bic": Penalty(
        "BIC", "-2 log L", "parameters", f"BIC = -2 log L + log(rows) x parameters (Schwarz 1978); {OF_LIKELIHOOD}",
        _likelihood, lambda misfit, complexity, rows, _alpha: misfit + log(rows) * complexity,
    ),
    "mdl": Penalty(
        "description length", "exceptions", "tree",
        "bits that describe the tree and the training rows that are exceptions to it (Quinlan and Rivest 1989)",
        _code_length, lambda misfit, complexity, _rows, _alpha: misfit + complexity,
    ),
    "vc": Penalty(
        "VC bound", "training error", "dimension",
        "training error + sqrt((h (log(2 rows / h) + 1) - log(alpha / 4)) / rows), h the dimension (Vapnik 1995); a "
        "bound of 1 or more promises nothing, but still orders the models",
        _risk, lambda misfit, complexity, rows, alpha: misfit + vc_confidence(complexity, rows, alpha),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Penalised:
    """One model's value: its misfit on all rows, and what its complexity adds."""

    model: str
    value: float | None = None
    misfit: float | None = None
    complexity: float | None = None
    undefined: str | None = None
    """Why there is no value."""


@dataclass(frozen=True)
class PenaltyChoice:
    """What a penalty chooses, which is not a verdict."""

    penalty: str
    rows: int
    models: tuple[Penalised, ...]
    chosen: tuple[str, ...]
    """The model with the smallest value; several only if they are equal, none if no model has a value."""
    agrees: bool | None
    """Whether the verdict names it, alone or in a tie; None where one of the two names nobody."""
    sentence: str

    @property
    def kind(self) -> Penalty:
        return PENALTIES[self.penalty]


def refuse_unknown(penalty: str | None) -> None:
    """Refuse before anything is fitted."""
    if penalty is not None and penalty not in PENALTIES:
        hint = did_you_mean(str(penalty), PENALTIES) or f"the penalties are {', '.join(PENALTIES)}"
        raise UnknownNameError(f"there is no penalty {penalty!r}", hint)


def penalised(
    name: str,
    fitted: Any,
    data: tuple[Array, Array, int],
    penalty: str,
    alpha: float = 0.05,
) -> Penalised:
    """The value of a model that was fitted on these data: rows, target and how many classes this has, 0 for numbers."""
    X, target, classes = data  # noqa: N806
    kind = PENALTIES[penalty]
    try:
        model, rows = _last_step(fitted, X)
        misfit, complexity = kind.terms(Fitted(model, np.asarray(rows), target, classes, _known_of(model)))
    except UndefinedError as error:
        return Penalised(name, undefined=error.message)
    return Penalised(name, kind.value(misfit, complexity, len(target), alpha), misfit, complexity)


def _known_of(model: Any) -> Complexity:
    every = (known for learner in learners.values() for known in learner.complexity)
    return next((known for known in every if known.describes(model)), Complexity(()))


def _last_step(estimator: Any, rows: Any) -> tuple[Any, Any]:
    """The model behind its preparation, and the rows as they reach it."""
    from sklearn.feature_selection import SelectorMixin
    from sklearn.pipeline import Pipeline
    from sklearn.utils import get_tags

    while isinstance(estimator, Pipeline):
        before = [step for _, step in estimator.steps[:-1] if step != "passthrough"]
        if any(isinstance(step, SelectorMixin) or get_tags(step).target_tags.required for step in before):
            raise not_defined("its pipeline also learns from the target, which is not counted")
        rows = estimator[:-1].transform(rows)
        estimator = estimator[-1]
    return estimator, rows


@dataclass(frozen=True)
class Penalising(Fitting):
    """What workers do: fit a model on all rows, and judge it by the penalty."""

    penalty: str = ""
    alpha: float = 0.05

    def __call__(self, unit: Unit) -> Any:
        (fit,) = self.fitted(unit)
        data = self.X, self.target, self.classes
        return penalised(unit.models[0], fit.estimator, data, self.penalty, self.alpha)


def penalty_choice(resampling: Resampling, penalty: str, names: Sequence[str], verdict: Verdict) -> PenaltyChoice:
    """Fit each model once on all rows, and choose by the penalty."""
    data, kind = resampling.data, PENALTIES[penalty]
    if data.weight is not None:
        models = [Penalised(name, undefined="rows with weights do not have a known number") for name in names]
    else:
        split = Split(np.arange(data.rows), np.arange(0))
        work = replace(Penalising.of(data, [split], resampling.estimators), penalty=penalty, alpha=verdict.alpha)
        units = [Unit((name,), 0) for name in names]
        answers = dict(outcomes(units, work, resampling.limits))
        models = [_or_failure(unit.models[0], answers[unit]) for unit in units]
    chosen = smallest(models)
    agrees = bool(set(chosen) & set(verdict.winners)) if chosen and verdict.winners else None
    sentence = _sentence(kind, models, chosen, verdict)
    return PenaltyChoice(penalty, data.rows, tuple(models), chosen, agrees, sentence)


def _or_failure(name: str, answer: Penalised | Failure) -> Penalised:
    if isinstance(answer, Failure):
        return Penalised(name, undefined=f"it failed on all rows: {answer.message}")
    return answer


def smallest(models: Sequence[Penalised]) -> tuple[str, ...]:
    """The models with the smallest value."""
    known = {row.model: row.value for row in models if row.value is not None}
    least = min(known.values(), default=inf)
    return tuple(name for name, value in known.items() if value <= least + EQUAL * abs(least))


def _sentence(kind: Penalty, models: Sequence[Penalised], chosen: Sequence[str], verdict: Verdict) -> str:
    """What the penalty chooses, and whether the verdict says otherwise."""
    title = kind.in_words
    known = sum(row.value is not None for row in models)
    if not chosen:
        return f"{title} is not defined for any of these models"
    among = "" if known == len(models) else f" among the {counted(known, 'model')} that it is defined for"
    said = f"{title} chooses {named(chosen)}{among}"
    if not verdict.winners:
        return f"{said}; the verdict is undecided"
    agrees = bool(set(chosen) & set(verdict.winners))
    if len(verdict.winners) > 1:
        tied = "one of" if agrees else "which is not among"
        return f"{said}, {tied} the {len(verdict.winners)} models that may be best" + ("" if agrees else DIFFER)
    return f"{said}, " + ("as the verdict does" if agrees else f"but the winner is {verdict.winners[0]}{DIFFER}")

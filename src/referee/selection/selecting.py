"""select(): data and candidate models become a verdict."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.data.leakage import leakage_notices
from referee.dataset import DataSet
from referee.errors import ModelError, Notice, UndefinedError, UsageError, listed
from referee.metric import Metric
from referee.metric import metrics as catalogue
from referee.selection.assembling import predictions_of
from referee.selection.running import fit_all
from referee.selection.tradeoffs import tradeoffs
from referee.specification import estimators_of
from referee.splitters import scheme_of
from referee.verdict import compare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.runner.failure import Failure
    from referee.scheme import Scheme
    from referee.selection.tradeoffs import Tradeoff
    from referee.splitting.split import Split
    from referee.verdict import Verdict

CODES = {"raised": "E_MODEL", "timeout": "E_TIMEOUT", "signal": "E_WORKER", "exited": "E_WORKER", "memory": "E_MEMORY"}


@dataclass(frozen=True)
class Selection:
    """How the predictions of a verdict were made."""

    scheme: str
    splits: int
    splits_fingerprint: str
    tradeoffs: tuple[Tradeoff, ...]
    failures: tuple[ModelError, ...] = ()
    """One for each model that failed in a fit: it has no part in the verdict."""
    folder: str | None = None

    def to_dict(self) -> dict[str, Any]:
        failures = [{"code": error.code, "message": error.message} for error in self.failures]
        return asdict(replace(self, failures=())) | {"failures": failures}


def select(
    models: Any,
    X: Any,  # noqa: N803 (as scikit-learn has it)
    y: Any = None,
    *,
    goal: str | Metric,
    scheme: Any = "random_subsampling",
    jobs: int = 1,
    store: Any = None,
    seed: int = 0,
    timeout: float | None = None,
    max_memory: int | None = None,
    quiet: bool = True,
    **options: Any,
) -> Verdict:
    """Fit every model on the same splits and name the winner on the goal metric, or a tie.

    `models` are names such as "knn(k=5)", import paths, or a dict of estimators; X and y are arrays or a frame, or X is
    a `DataSet`. With a folder as `store` a run that was interrupted goes on, and `referee compare FOLDER` asks another
    goal without fitting again. `options` are those of `compare`.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(90, 2))
    >>> verdict = select(["logistic", "dummy"], X, X[:, 0] > 0, goal="accuracy", scheme="k_fold(k=3)")
    >>> verdict.best
    'logistic'
    """
    data = X if isinstance(X, DataSet) else DataSet.from_arrays(X, y)
    data = replace(data, notices=tuple(dict.fromkeys((*data.notices, *leakage_notices(data)))))
    goal = catalogue[goal] if isinstance(goal, str) else goal
    estimators = estimators_of(models, data.features, data.task, seed)
    chosen = scheme_of(scheme)
    _refuse_before_fitting(estimators, goal, chosen)
    splits = _splits(chosen, data, seed)
    records, failures = fit_all(
        data, splits, estimators, folder=store, configuration=_configuration(estimators, chosen), seed=seed,
        quiet=quiet, jobs=jobs, timeout=timeout, max_memory=max_memory,
    )  # fmt: skip
    errors = _errors(failures)
    names = [name for name in estimators if name not in errors]
    if len(names) < 2:
        raise _too_few(names, errors)
    predictions = predictions_of(data, splits, names, records)
    unit = "row" if len(splits) == 1 or chosen.name == "leave_one_out" else "fold"
    if unit == "row":
        predictions = replace(predictions, train_rows=None)
    verdict = compare(predictions, goal, seed=seed, **{"unit": unit} | options)
    return _with_selection(verdict, data, splits, records, chosen, tuple(errors.values()), store)


def _splits(scheme: Scheme, data: DataSet, seed: int) -> list[Split]:
    labels = np.array(data.classes)[data.target] if data.classes else None
    groups = None if data.group is None else data.group.codes
    return list(scheme.splits(data.X, labels, groups, data.time, seed=seed))


def _configuration(estimators: Mapping[str, Any], scheme: Scheme) -> str:
    """A hash of the models and the scheme, as far as they say what they are."""
    said = [(name, type(estimator).__name__, repr(estimator)) for name, estimator in estimators.items()]
    return blake2b(repr((said, scheme.full_name)).encode(), digest_size=16).hexdigest()


def _refuse_before_fitting(estimators: Mapping[str, Any], goal: Metric, scheme: Scheme) -> None:
    if len(estimators) < 2:
        raise UsageError("E_ONEMODEL", f"selecting needs at least two models, and there is {listed(estimators)}")
    for name, estimator in estimators.items():
        scores = hasattr(estimator, "predict_proba") or (
            goal.needs == "scores" and hasattr(estimator, "decision_function")
        )
        if goal.needs in ("scores", "probabilities") and not scores:
            raise UsageError(
                "E_NOSCORE",
                f"{name} has no predict_proba, and {goal.name} ({goal.title}) needs {goal.needs}",
                hint="choose a goal of decisions such as accuracy, or a model that gives probabilities",
            )
    if scheme.name in ("nested", "equal_subsets"):
        raise UsageError(
            "E_SCHEME",
            f"{scheme.name} is not for comparing given models on splits",
            hint="`referee compare --subsets N` compares subsets of one test set; tuning belongs inside an estimator, "
            "such as scikit-learn's GridSearchCV",
        )
    if scheme.name == "leave_one_out" and {"ranking", "pairs"} & set(goal.summaries):
        raise UndefinedError(
            "E_FOLDS",
            f"leave_one_out tests one row at a time, and {goal.name} compares rows of different classes: pooling the "
            "scores of different models would not be what it says",
            hint="stratified_k_fold and random_subsampling have both classes in each test set",
        )


def _errors(failures: Sequence[Failure]) -> dict[str, ModelError]:
    """The first failure of each model, in words, and in how many fits it failed."""
    found: dict[str, ModelError] = {}
    for failure in failures:
        unit: Any = failure.unit
        times = sum(getattr(other.unit, "model", None) == unit.model for other in failures)
        more = f" (and in {times - 1} more fits)" if times > 1 else ""
        message = f"{unit.model} failed in fold {unit.split + 1}: {failure.message}{more}"
        found.setdefault(unit.model, ModelError(CODES[failure.kind], message, hint=failure.details or None))
    return found


def _too_few(names: Sequence[str], errors: Mapping[str, ModelError]) -> ModelError:
    first = next(iter(errors.values()))
    left = f"only {names[0]} is left" if names else "none is left"
    others = [error.message for error in errors.values()][1:]
    return ModelError(first.code, "; ".join([first.message, *others, left]), hint=first.hint)


def _with_selection(
    verdict: Verdict, data: DataSet, splits: Sequence[Split], records: Any, scheme: Scheme,
    errors: tuple[ModelError, ...], folder: Any,
) -> Verdict:  # fmt: skip
    from referee.splitting.split import fingerprint

    changed = sorted({name for (name, _), record in records.items() if record["changed_input"]})
    notices = [Notice("W_MUTATES", f"{name} changed its input: it was given a copy") for name in changed]
    table = tradeoffs(data, splits, records, verdict, scheme.combine)
    selection = Selection(
        scheme.full_name, len(splits), fingerprint(splits), table, errors, None if folder is None else str(folder)
    )
    return replace(verdict, selection=selection, warnings=(*verdict.warnings, *notices))

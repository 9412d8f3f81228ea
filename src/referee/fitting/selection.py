"""select(): data and candidate models become a verdict, step by step; Selection: how its predictions were made."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.catalogue import known_keywords, python_call, written
from referee.comparing import SignificanceTest, Verdict, compare
from referee.errors import CallError, ModelError, Notice, UsageError
from referee.fitting.dataset import DataSet, dataset_of, leakage_notices
from referee.fitting.fit_runs import Limits, model_errors, placed, too_few_left
from referee.fitting.learning_curve import growth, learning_curves, sizes_of, smaller_splits
from referee.fitting.penalties import penalty_choice, refuse_unknown
from referee.fitting.resampled_models import (
    Resampling,
    inner_splits,
    nested_selection,
    refuse_before_fitting,
    refuse_without_positive,
)
from referee.fitting.robustness import Corruption, check_models, corruptions_of, robustness_of
from referee.fitting.runner.cluster import connected
from referee.fitting.shared_fits import takes_weights
from referee.fitting.splits import fingerprint
from referee.fitting.splitters import scheme_of
from referee.fitting.tradeoffs import one_standard_error, tie_breakers, tradeoffs
from referee.predictions import models_in
from referee.records import dataclass
from referee.scoring import Metric, goal_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from referee.document import Part
    from referee.fitting.penalties import PenaltyChoice
    from referee.fitting.resampled_models import NestedSelection
    from referee.fitting.runner.cluster import Cluster
    from referee.fitting.stored_predictions import Records
    from referee.fitting.tradeoffs import OneStandardError, TieBreaker, Tradeoff


@dataclass(frozen=True)
class Selection:
    """How the predictions of a verdict were made."""

    rows: int
    """Of the data; each may be predicted in several splits, or in none."""
    scheme: str
    splits: int
    splits_fingerprint: str
    tradeoffs: tuple[Tradeoff, ...]
    one_standard_error: OneStandardError | None = None
    """What that rule takes, which is no verdict; None where there is no standard error or no measure of size."""
    tie_breakers: tuple[TieBreaker, ...] = ()
    """In a tie, which of the tied models is ahead in what."""
    nested: NestedSelection | None = None
    """What selecting itself is worth, where the scheme is nested."""
    penalty: PenaltyChoice | None = None
    """What a penalty on complexity would choose, where one was asked for."""
    failures: tuple[ModelError, ...] = ()
    """One for each model that failed in a fit: it has no part in the verdict."""
    folder: str | None = None

    def parts(self, verdict: Verdict) -> list[Part]:
        """What is shown of it beside the verdict."""
        from referee.fitting.selection_document import selection_parts

        return selection_parts(verdict, self)

    def explanation(self) -> tuple[Part, ...]:
        """How the scheme makes one value of all splits, where that is more than a mean."""
        from referee.fitting.selection_document import explained_scheme

        return explained_scheme(self)

    def to_dict(self) -> dict[str, Any]:
        failures = [{"code": error.code, "message": error.message} for error in self.failures]
        rule = {} if self.one_standard_error is None else {"sentence": self.one_standard_error.sentence}
        content = asdict(replace(self, failures=())) | {"failures": failures}
        return content | ({"one_standard_error": content["one_standard_error"] | rule} if rule else {})


@known_keywords()
def select(
    models: Any,
    X: Any,  # noqa: N803 (as scikit-learn has it)
    y: Any = None,
    *,
    goal: str | Metric | None = None,
    positive: Any = None,
    classes: str | Sequence[Any] | None = None,
    drop_label: Any = None,
    scheme: Any = "random_subsampling",
    jobs: int = 1,
    cluster: Any = None,
    store: str | Path | None = None,
    seed: int = 0,
    timeout: float | None = None,
    max_memory: int | None = None,
    robustness: str | Mapping[str, float | Sequence[float]] | None = None,
    learning_curve: str | Sequence[float] | None = None,
    simplest_first: bool = False,
    penalty: str | None = None,
    check: bool = False,
    quiet: bool = True,
    test: str | SignificanceTest = "auto",
    margin: float | None = None,
    delta: float | None = None,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    adjust: str = "holm",
    alpha: float = 0.05,
    unit: str | None = None,
    train_size: float | None = None,
) -> Verdict:
    """Fit every model on the same splits and name the winner on the goal metric, or a tie.

    `models` are names such as "knn(k=5)", import paths, or a dict of estimators; X and y are arrays or a frame, or X is
    a `DataSet`. `positive` names the positive class, or several, if the goal is about one class; `drop_label` names
    labels whose rows are left out; `classes` lists all labels if the target is ambiguous. `scheme` is the name of a
    scheme or a scikit-learn splitter. With a folder as `store`, an interrupted run resumes, and `referee compare
    FOLDER` answers for another goal without fitting again. `cluster` is where models are fitted instead of in `jobs`
    processes here: the address of a Dask scheduler, a dask.distributed client, or an executor of concurrent.futures.
    `timeout` (seconds) and `max_memory` (bytes) limit one fit. The keywords from `test` on are those of `compare`.

    `robustness` gives rates of noise to fit with as well: {"label_noise": [0.1, 0.2], "missing": 0.1}, or "default".
    `learning_curve` gives shares of the training rows, or numbers of rows: [0.25, 0.5], or "default". `simplest_first`
    says that the models are ordered from simple to complex, for the one-standard-error rule. `penalty` (aic, bic, mdl,
    vc) also shows what a complexity penalty would choose. All of these results are in the verdict's `selection`.
    `check` fits each model once more, and checks that it gives the same predictions.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(90, 2))
    >>> verdict = select(["logistic", "dummy"], X, X[:, 0] > 0, goal="accuracy", scheme="k_fold(k=3)")
    >>> verdict.best
    'logistic'
    >>> verdict.selection.rows, verdict.selection.tradeoffs[0].model
    (90, 'logistic')
    """
    if models_in(X) or models_in(y):
        raise CallError("E_CALL", "the models come first, as in referee.select(models, X, y, goal=...)")
    said = {"positive": positive, "classes": classes, "drop_label": drop_label}
    compared = {
        "test": test, "margin": margin, "delta": delta, "metrics": metrics, "adjust": adjust, "alpha": alpha,
        "unit": unit, "train_size": train_size,
    }  # fmt: skip
    # What cannot be is refused before anything is fitted.
    data, goal = _data_and_goal(X, y, goal, said)
    with _place_of_fits(cluster, jobs) as place:
        limits = Limits(jobs, timeout, max_memory, quiet, place)
        resampling = Resampling(data, models, scheme_of(scheme), goal, seed, store, limits)
        corruptions, sizes = corruptions_of(robustness), sizes_of(learning_curve)
        refuse_unknown(penalty)
        refuse_before_fitting(resampling.estimators, goal, resampling.scheme, data)
        if sizes:
            smaller_splits(resampling, sizes)
        fits = _fitted(resampling)
        predictions = resampling.predictions(fits.names, fits.outer)
        usual = {"unit": "row" if resampling.compares_rows else "fold"}
        usual = usual if unit is None and predictions.time is None else {}
        verdict = compare(predictions, goal, seed=seed, **compared | usual)  # type: ignore[arg-type]
        resampling = replace(resampling, in_time=verdict.design.kind == "time")
        rows = _with_further_fits(resampling, fits, verdict, corruptions, sizes)
        selection = _selection(resampling, fits, verdict, rows, simplest_first=simplest_first)
        if penalty is not None:
            selection = replace(selection, penalty=penalty_choice(resampling, penalty, fits.names, verdict))
        notices = [*_unweighted(resampling), *_changed_input(fits.outer), *_unfitted(rows)]
        notices += check_models(resampling, fits.outer) if check else []
    call = python_call(
        select, written(models), *(["data"] if isinstance(X, DataSet) else ["X", "y"]), goal=goal,
        scheme=resampling.scheme, jobs=jobs, cluster=cluster if isinstance(cluster, str) else None, store=store,
        seed=seed, timeout=timeout, max_memory=max_memory,
        robustness=robustness, learning_curve=learning_curve, simplest_first=simplest_first, penalty=penalty,
        check=check, **said, **compared,
    )  # fmt: skip
    return replace(verdict, selection=selection, warnings=(*verdict.warnings, *notices), call=call)


def _place_of_fits(cluster: Any, jobs: int) -> AbstractContextManager[Cluster | None]:
    if cluster is not None and jobs > 1:
        raise UsageError("E_OPTION", f"--jobs {jobs} and --cluster exclude each other", hint="leave out --jobs")
    return connected(cluster)


def _data_and_goal(
    X: Any,  # noqa: N803
    y: Any,
    goal: str | Metric | None,
    said: Mapping[str, Any],
) -> tuple[DataSet, Metric]:
    """The rows as the goal needs them, with what they may give away, and the goal for their task."""
    data = dataset_of(X, y, metrics=[] if goal is None else [goal_of(goal)], **said)
    chosen = goal_of(goal, data.task)
    refuse_without_positive(data, [chosen])
    return replace(data, notices=tuple(dict.fromkeys((*data.notices, *leakage_notices(data))))), chosen


class _Fits(NamedTuple):
    """All fits on the splits, and on the inner ones of a nested scheme."""

    outer: Records
    inner: Records
    names: list[str]
    """The models that were fitted everywhere."""
    errors: dict[str, ModelError]
    """Of the others."""


def _fitted(resampling: Resampling) -> _Fits:
    """Fit every model on every split; two at least must be fitted everywhere."""
    outer, failed = resampling.fits()
    inside = inner_splits(resampling.splits)
    inner, failed_inside = resampling.fits("inner", splits=inside) if resampling.is_nested else ({}, [])
    failures = placed(failed, resampling.splits) + placed(failed_inside, inside, inner=True)
    errors = model_errors(failures)
    names = [name for name in resampling.estimators if name not in errors]
    if len(names) < 2:
        raise too_few_left(names, errors)
    return _Fits(outer, inner, names, errors)


def _with_further_fits(
    resampling: Resampling,
    fits: _Fits,
    verdict: Verdict,
    corruptions: Sequence[Corruption],
    sizes: Sequence[float],
) -> tuple[Tradeoff, ...]:
    """The trade-offs with what fits on damaged data and on fewer rows show, where these were asked for."""
    rows = tradeoffs(resampling, fits.outer, verdict)
    if not corruptions and not sizes:
        return rows
    judged = resampling.judged(fits.names, fits.outer)
    if corruptions:
        damage = robustness_of(resampling, corruptions, judged, verdict.design)
        rows = tuple(replace(row, robustness=damage[row.model]) for row in rows)
    if sizes:
        curves = learning_curves(resampling, sizes, judged, fits.outer)
        rows = tuple(_with_curve(row, curves[row.model]) for row in rows)
    return rows


def _with_curve(row: Tradeoff, curve: Sequence[Any]) -> Tradeoff:
    measured = [point for point in curve if point.fit_seconds is not None]
    grown = growth([point.rows for point in measured], [point.fit_seconds for point in measured])
    return replace(row, learning_curve=tuple(curve), growth=grown)


def _selection(
    resampling: Resampling, fits: _Fits, verdict: Verdict, rows: tuple[Tradeoff, ...], *, simplest_first: bool
) -> Selection:
    """What was fitted, and what it shows beside the verdict."""
    return Selection(
        rows=resampling.data.rows,
        scheme=resampling.scheme.full_name,
        splits=len(resampling.splits),
        splits_fingerprint=fingerprint(resampling.splits),
        tradeoffs=rows,
        one_standard_error=one_standard_error(resampling, fits.outer, verdict, rows, in_order=simplest_first),
        tie_breakers=tie_breakers(verdict, rows),
        nested=nested_selection(resampling, fits.outer, fits.inner, verdict) if resampling.is_nested else None,
        failures=tuple(fits.errors.values()),
        folder=None if resampling.folder is None else str(resampling.folder),
    )


def _unweighted(resampling: Resampling) -> list[Notice]:
    """Models that cannot be fitted with the weights that their scores have."""
    weighted = resampling.data.weight is not None
    return [
        Notice("W_UNWEIGHTED", f"{name} does not support weights: its fits count every row equally, its scores do not")
        for name, estimator in resampling.estimators.items()
        if weighted and not takes_weights(estimator)
    ]


def _changed_input(records: Records) -> list[Notice]:
    changed = sorted({name for (name, _), record in records.items() if record["changed_input"]})
    return [Notice("W_MUTATES", f"{name} changed its input: it was given a copy") for name in changed]


def _unfitted(rows: Sequence[Tradeoff]) -> list[Notice]:
    """Models without a value on damaged data, or on fewer rows."""
    notices = []
    for row in rows:
        told = [(f"{noise.kind}={noise.rate:g}", noise.undefined) for noise in row.robustness]
        told += [(f"{point.rows:,.0f} training rows", point.undefined) for point in row.learning_curve]
        notices += [Notice("W_UNFITTED", f"{row.model} has no value with {where}: {why}") for where, why in told if why]
    return notices

"""Selection: data and candidate models become a verdict, by select()."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any

from referee.comparing import COMPARE_KEYWORDS, compare
from referee.document import python_call, written
from referee.errors import CallError, Notice, did_you_mean
from referee.fitting.answers import model_errors, placed, too_few_left
from referee.fitting.corruption import robustness as robustness_of
from referee.fitting.dataset import DataSet, dataset_of
from referee.fitting.features import leakage_notices
from referee.fitting.fit_runs import check_models
from referee.fitting.learning_curve import growth, learning_curves, smaller_splits
from referee.fitting.nesting import inner_fits, inner_splits, nested_selection
from referee.fitting.options import corruptions_of, refuse_before_fitting, refuse_without_positive, sizes_of
from referee.fitting.resampling import Resampling
from referee.fitting.shared_fits import takes_weights
from referee.fitting.splits import fingerprint
from referee.fitting.splitters import scheme_of
from referee.fitting.tradeoffs import one_standard_error, tie_breakers, tradeoffs
from referee.scoring import Metric, goal_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.comparing import Verdict
    from referee.document import Part
    from referee.errors import ModelError
    from referee.fitting.corruption import Corruption
    from referee.fitting.fit_runs import Records
    from referee.fitting.nesting import NestedSelection
    from referee.fitting.runner.pool import Failure
    from referee.fitting.split_scores import Judged
    from referee.fitting.tradeoffs import OneStandardError, TieBreaker, Tradeoff
    from referee.scoring import Metric


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
    failures: tuple[ModelError, ...] = ()
    """One for each model that failed in a fit: it has no part in the verdict."""
    folder: str | None = None

    def parts(self, verdict: Verdict) -> list[Part]:
        """What is shown of it beside the verdict."""
        from referee.fitting.selection_document import selection_parts

        return selection_parts(verdict, self)

    def to_dict(self) -> dict[str, Any]:
        failures = [{"code": error.code, "message": error.message} for error in self.failures]
        rule = {} if self.one_standard_error is None else {"sentence": self.one_standard_error.sentence}
        content = asdict(replace(self, failures=())) | {"failures": failures}
        return content | ({"one_standard_error": content["one_standard_error"] | rule} if rule else {})


SKLEARN_WORDS = {"cv": "scheme", "n_jobs": "jobs", "scoring": "goal", "random_state": "seed", "pos_label": "positive"}
"""What others call our keywords."""


def select(
    models: Any,
    X: Any,  # noqa: N803 (as scikit-learn has it)
    y: Any = None,
    *,
    goal: str | Metric | None = None,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    drop_label: Any = None,
    scheme: Any = "random_subsampling",
    jobs: int = 1,
    store: Any = None,
    seed: int = 0,
    timeout: float | None = None,
    max_memory: int | None = None,
    robustness: Any = None,
    learning_curve: Any = None,
    simplest_first: bool = False,
    check: bool = False,
    quiet: bool = True,
    **options: Any,
) -> Verdict:
    """Fit every model on the same splits and name the winner on the goal metric, or a tie.

    `models` are names such as "knn(k=5)", import paths, or a dict of estimators; X and y are arrays or a frame, or X is
    a `DataSet`. `positive` names the positive class, or several, where the goal speaks of one; `drop_label` names
    labels whose rows are left out, `classes` all labels, where one is in doubt. With a folder as `store` a run that was
    interrupted goes on, and `referee compare FOLDER` asks another goal without fitting again. `options` are those of
    `compare`.

    `robustness` are rates of noise to fit with as well: {"label_noise": [0.1, 0.2], "missing": 0.1}, or "default".
    `learning_curve` are shares of the training rows, or numbers of rows: [0.25, 0.5], or "default". `simplest_first`
    says that the models are named in this order, for the one-standard-error rule. What all this finds is in the
    verdict's `selection`. `check` fits each model once more, to see whether it says the same again.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(90, 2))
    >>> verdict = select(["logistic", "dummy"], X, X[:, 0] > 0, goal="accuracy", scheme="k_fold(k=3)")
    >>> verdict.best
    'logistic'
    >>> verdict.selection.rows, verdict.selection.tradeoffs[0].model
    (90, 'logistic')
    """
    _refuse_unknown(options)
    said = {"positive": positive, "classes": classes, "drop_label": drop_label}
    data = dataset_of(X, y, metrics=[] if goal is None else [goal_of(goal)], **said)
    goal = goal_of(goal, data.task)
    data = replace(data, notices=tuple(dict.fromkeys((*data.notices, *leakage_notices(data)))))
    refuse_without_positive(data, [goal])
    limits = {"jobs": jobs, "timeout": timeout, "max_memory": max_memory, "quiet": quiet}
    resampling = Resampling(data, models, scheme_of(scheme), goal, seed, store, limits)
    asked = _Asked(corruptions_of(robustness), sizes_of(learning_curve), simplest_first, check)
    refuse_before_fitting(resampling.estimators, goal, resampling.scheme)
    if asked.sizes:
        smaller_splits(resampling, asked.sizes)  # sizes that cannot be are refused before anything is fitted
    rows = ["data"] if isinstance(X, DataSet) else ["X", "y"]
    call = python_call(
        select, written(models), *rows, goal=goal, scheme=resampling.scheme, jobs=jobs, store=store, seed=seed,
        timeout=timeout, max_memory=max_memory, robustness=robustness, learning_curve=learning_curve,
        simplest_first=simplest_first, check=check, **said, **options,
    )  # fmt: skip
    return replace(_Case(resampling, asked, options).verdict(), call=call)


def _refuse_unknown(options: dict[str, Any]) -> None:
    """Refuse a keyword that neither select() nor compare() knows."""
    known = (set(signature(select).parameters) | COMPARE_KEYWORDS) - {"options"}
    for name in options:
        if name not in known:
            near = SKLEARN_WORDS.get(name)
            hint = f"did you mean {near!r}?" if near else did_you_mean(name, sorted(known))
            raise CallError(f"select() has no keyword {name!r}; {hint}", hint)


@dataclass(frozen=True)
class _Asked:
    """What was asked beside the verdict."""

    corruptions: tuple[Corruption, ...]
    sizes: tuple[float, ...]
    simplest_first: bool
    check: bool


@dataclass(frozen=True, eq=False)
class _Case:
    """All that a selection is made of, each made once."""

    resampling: Resampling
    asked: _Asked
    options: dict[str, Any]

    @property
    def fits(self) -> Records:
        return self._outer[0]

    @cached_property
    def _outer(self) -> tuple[Records, list[Failure]]:
        return self.resampling.fits()

    @cached_property
    def _inner(self) -> tuple[Records, list[Failure]]:
        return inner_fits(self.resampling) if self.resampling.scheme.name == "nested" else ({}, [])

    @cached_property
    def errors(self) -> dict[str, ModelError]:
        """One for each model that failed in a fit."""
        splits = self.resampling.splits
        outer = placed(self._outer[1], splits)
        return model_errors([*outer, *placed(self._inner[1], inner_splits(splits), inner=True)])

    @cached_property
    def names(self) -> list[str]:
        """The models that were fitted everywhere."""
        names = [name for name in self.resampling.estimators if name not in self.errors]
        if len(names) < 2:
            raise too_few_left(names, self.errors)
        return names

    @cached_property
    def compared(self) -> Verdict:
        resampling = self.resampling
        predictions = resampling.predictions(self.names, self.fits)
        unit = "row" if resampling.compares_rows else "fold"
        if unit == "row":
            predictions = replace(predictions, train_rows=None)
        return compare(predictions, resampling.goal, seed=resampling.seed, **{"unit": unit} | self.options)

    @cached_property
    def judged(self) -> dict[str, Judged]:
        return self.resampling.judged(self.names, self.fits)

    @cached_property
    def rows(self) -> tuple[Tradeoff, ...]:
        """The trade-offs, with what was asked beside them."""
        resampling, asked = self.resampling, self.asked
        rows = tradeoffs(resampling, self.fits, self.compared)
        if asked.corruptions:
            found = robustness_of(resampling, asked.corruptions, self.judged, self.compared.design)
            rows = tuple(replace(row, robustness=found[row.model]) for row in rows)
        if asked.sizes:
            curves = learning_curves(resampling, asked.sizes, self.judged, self.fits)
            rows = tuple(_with_curve(row, curves[row.model]) for row in rows)
        return rows

    def verdict(self) -> Verdict:
        resampling, verdict, rows = self.resampling, self.compared, self.rows
        nested = resampling.scheme.name == "nested"
        rule = one_standard_error(resampling, self.fits, verdict, rows, in_order=self.asked.simplest_first)
        selection = Selection(
            rows=resampling.data.rows,
            scheme=resampling.scheme.full_name,
            splits=len(resampling.splits),
            splits_fingerprint=fingerprint(resampling.splits),
            tradeoffs=rows,
            one_standard_error=rule,
            tie_breakers=tie_breakers(verdict, rows),
            nested=nested_selection(resampling, self.fits, self._inner[0], verdict) if nested else None,
            failures=tuple(self.errors.values()),
            folder=None if resampling.folder is None else str(resampling.folder),
        )
        notices = [
            *_unweighted(resampling),
            *_notices(self.fits, rows),
            *(check_models(resampling, self.fits) if self.asked.check else ()),
        ]
        return replace(verdict, selection=selection, warnings=(*verdict.warnings, *notices))


def _with_curve(row: Tradeoff, curve: Sequence[Any]) -> Tradeoff:
    measured = [point for point in curve if point.fit_seconds is not None]
    grown = growth([point.rows for point in measured], [point.fit_seconds for point in measured])
    return replace(row, learning_curve=tuple(curve), growth=grown)


def _unweighted(resampling: Resampling) -> list[Notice]:
    """Models that cannot be fitted with the weights that their scores have."""
    plain = [] if resampling.data.weight is None else resampling.estimators.items()
    return [
        Notice("W_UNWEIGHTED", f"{name} takes no weights: its fits count every row the same, its scores do not")
        for name, estimator in plain
        if not takes_weights(estimator)
    ]


def _notices(records: Records, rows: Sequence[Tradeoff]) -> list[Notice]:
    changed = sorted({name for (name, _), record in records.items() if record["changed_input"]})
    notices = [Notice("W_MUTATES", f"{name} changed its input: it was given a copy") for name in changed]
    for row in rows:
        told = [(f"{one.kind}={one.rate:g}", one.undefined) for one in row.robustness]
        told += [(f"{point.rows:,.0f} training rows", point.undefined) for point in row.learning_curve]
        notices += [Notice("W_UNFITTED", f"{row.model} has no value with {where}: {why}") for where, why in told if why]
    return notices

"""The paper's question asked of the user's own data: by which metric to choose a model, for each goal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.advice import cost_of, cost_of_a_coin, goal_weights, preferred, safe_choices
from referee.catalogue import known_keywords
from referee.errors import ModelError, UndefinedError, UsageError
from referee.fitting import (
    DataSet,
    Limits,
    Resampling,
    dataset_of,
    leakage_notices,
    model_errors,
    refuse_before_fitting,
    schemes,
    too_few_left,
)
from referee.paper.own_contest import DEALS, Gain, different_fits, gain_over
from referee.paper.own_parts import (
    applicable_metrics,
    few_rows,
    part_values,
    predictions_of_parts,
    refuse_bad_parts,
    same_outcome,
    telling,
)
from referee.paper.own_study import Choice, OwnStudy, by_repetition, judged_choice
from referee.predictions import Predictions, needs_positive
from referee.scoring import Metric, chosen_metrics, goal_of
from referee.scoring import metrics as catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from referee.arrays import Array
    from referee.fitting import Split
    from referee.paper.own_parts import PartValues


def with_choices(study: OwnStudy, values: PartValues) -> OwnStudy:
    """The study with what was found; the metrics of `values` are the study's."""
    names = [metric.full_name for metric in study.metrics]
    seen, worth = values.whole[:, :, 0], values.whole[:, :, 1]
    chosen, best = ({name: preferred(part[..., place]) for place, name in enumerate(names)} for part in (seen, worth))
    outcomes = values.outcomes(study.alpha)
    choices: list[Choice] = []
    for place, goal in enumerate(names):
        for other, by in enumerate(names):
            choice = judged_choice((goal, by), chosen[by], worth[..., place], alpha=study.alpha)
            same = None if outcomes is None else same_outcome(outcomes, place, other)
            gain = None if by == goal else gain_by(chosen[by], chosen[goal], worth[..., place], study.fewest_rows)
            choices.append(replace(choice, same_outcome=same, gain=gain))
    answered = replace(study, choices=tuple(choices), best={name: _shares(study, best[name]) for name in names})
    if study.goal is not None or len(answered.usual) < 2:
        return answered
    goals = study.goals or dict.fromkeys(answered.usual, 1.0)
    asked = tuple(dict.fromkeys((*answered.usual, *goals)))
    places = [names.index(name) for name in asked]
    return replace(answered, goals=goals, safe=safe_choices(asked, seen[..., places], worth[..., places], goals))


def _shares(study: OwnStudy, best: Array) -> dict[str, float]:
    return dict(zip(study.models, np.nanmean(best, axis=(0, 1)).tolist(), strict=True))


def gain_by(chosen: Array, by_goal: Array, worth: Array, rows: int) -> Gain | None:
    """What choosing by another metric saves: of all deals in which both are defined."""
    coin = cost_of_a_coin(worth) + 0 * (chosen + by_goal).sum(axis=-1)
    own, other, chance = by_repetition(np.stack([cost_of(by_goal, worth), cost_of(chosen, worth), coin]))
    return gain_over(own, other, chance, different=different_fits(chosen, by_goal), rows=rows)


ROWS_OF_SUBSET, GROUPS_OF_SUBSET = 20, 5
"""The fewest that a t-test on subsets is done with, unless the user says how many subsets there are."""
FEWEST_SUBSETS, MOST_SUBSETS = 5, 50


@known_keywords(called="study")
def study_own_data(
    models: Any,
    X: Any,  # noqa: N803 (as scikit-learn has it)
    y: Any = None,
    *,
    goal: str | Metric | None = None,
    goals: str | Mapping[str, float] | None = None,
    positive: Any = None,
    drop_label: Any = None,
    alpha: float = 0.05,
    seed: int = 0,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    repetitions: int = 30,
    train: float = 0.5,
    holdout: float = 0.25,
    deals: int = DEALS,
    subsets: int | None = None,
    store: str | Path | None = None,
    jobs: int = 1,
    timeout: float | None = None,
    max_memory: int | None = None,
    quiet: bool = True,
) -> OwnStudy:
    """For every goal metric, find out by which metric to choose a model on these data.

    In each repetition every model is fitted on the training part, each metric chooses one of them on the holdout part,
    and the test part shows which was best by each goal. `train` and `holdout` are shares of the rows; the rows that are
    not trained on are divided into holdout and test parts `deals` times, without another fit. `subsets` is the number
    of subsets of each part for the paper's test. If the goal is undecided, `goals` lists the possible ones with their
    weights, such as "accuracy=2, f1, roc_auc". `jobs`, `timeout` (seconds for a fit), `max_memory` (bytes) and `store`
    are those of `select`: with a folder, an interrupted run resumes.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(120, 2))
    >>> study = study_own_data(["logistic", "dummy"], X, X[:, 0] > 0, metrics="accuracy,roc_auc", repetitions=3)
    >>> study.choice("accuracy", "roc_auc").right
    1.0
    """
    aim = None if goal is None else goal_of(goal)
    possible = {} if goals is None else goal_weights(goals)
    if aim is not None and possible:
        raise UsageError("E_USAGE", "a goal and possible goals are different questions: give `goal` or `goals`")
    said = {"positive": positive, "drop_label": drop_label}
    data = dataset_of(X, y, metrics=None if aim is None else [aim], **said)
    scheme, tested = _scheme(data, train, holdout, subsets, repetitions)
    limits = Limits(jobs, timeout, max_memory, quiet)
    resampling = Resampling(data, models, scheme, aim or catalogue["accuracy"], seed, store, limits)
    _refuse_before_fitting(resampling, asked_metrics(data, aim, metrics))
    predictions, errors = _fitted(resampling)
    aims = tuple(catalogue[name] for name in possible) if aim is None else (aim,)
    asked = _with_goals(applicable_metrics(predictions, metrics), aims, predictions)
    values = part_values(predictions, data, resampling.splits, asked, deals, seed=seed, with_subsets=tested)
    kept, notes = telling(values.whole, asked)
    _refuse_without_metrics(asked, kept, notes, aims)
    study = replace(
        _described(resampling, tested, alpha),
        models=tuple(predictions.names),
        metrics=tuple(asked[place] for place in kept),
        named=metrics is not None,
        deals=deals,
        goals=possible,
        goal=None if aim is None else aim.full_name,
        goal_as_said=goal if isinstance(goal, str) else None,
        notes=(*data.notes, *notes),
        failures=tuple(errors.values()),
    )
    return with_choices(study, values.of_metrics(kept))


def _fitted(resampling: Resampling) -> tuple[Predictions, dict[str, ModelError]]:
    """What the models say of both parts, and why some say nothing."""
    records, failures = resampling.fits()
    errors = model_errors(failures)
    names = [name for name in resampling.estimators if name not in errors]
    if len(names) < 2:
        raise too_few_left(names, errors)
    return predictions_of_parts(resampling.data, resampling.splits, names, records), errors


def _described(resampling: Resampling, tested: bool, alpha: float) -> OwnStudy:
    """What is known before anything is found."""
    data, first = resampling.data, resampling.splits[0]
    return OwnStudy(
        rows=data.rows,
        task=data.task,
        target=data.target_column,
        scheme=resampling.scheme.full_name,
        repetitions=len(resampling.splits),
        sizes=_sizes(first),
        subsets=len(first.subsets["test"]) if tested else None,
        alpha=alpha,
        seed=resampling.seed,
        fingerprint=data.fingerprint,
        read=None if data.account is None else data.account.to_dict(),
        warnings=tuple(dict.fromkeys((*data.notices, *leakage_notices(data), *few_rows(data, resampling.splits)))),
    )


def _refuse_without_metrics(
    metrics: Sequence[Metric], kept: Sequence[int], notes: Sequence[str], goals: Sequence[Metric]
) -> None:
    for goal in goals:
        if metrics.index(goal) not in kept:
            raise UndefinedError("E_GOAL", f"{goal.full_name} cannot be a goal here: {'; '.join(notes)}")
    if not kept:
        raise UndefinedError("E_NOMETRIC", f"no metric separates these models: {'; '.join(notes)}")


def _scheme(data: DataSet, train: float, holdout: float, subsets: int | None, repetitions: int) -> tuple[Any, bool]:
    """The paper's scheme with other shares, and whether its subsets are large enough to be tested."""
    if not (train > 0 and holdout > 0 and train + holdout < 1):
        raise UsageError(
            "E_PARAMETER",
            f"train={train:g} and holdout={holdout:g} leave no rows for one of the three parts",
            hint="use shares above 0 whose sum is below 1, such as 0.5 and 0.25",
        )
    if repetitions < 2:
        raise UsageError(
            "E_PARAMETER", f"repetitions={repetitions}: at least 2 are needed to know how precise a mean is"
        )
    smaller = min(holdout, 1 - train - holdout)
    fitting = int(data.rows * smaller) // ROWS_OF_SUBSET
    if data.group is not None:
        fitting = min(fitting, int(len(data.group) * smaller) // GROUPS_OF_SUBSET)
    tested = subsets is not None or fitting >= FEWEST_SUBSETS
    amount = subsets or (min(MOST_SUBSETS, fitting) if tested else 2)
    return schemes["equal_subsets"](train=train, holdout=holdout, subsets=amount, repeats=repetitions), tested


def asked_metrics(data: DataSet, goal: Metric | None, metrics: Any) -> tuple[Metric, ...]:
    """The metrics that were named, if they are for such a target."""
    target = Predictions(data.task, data.target, (), data.classes, data.positive, truth_column=data.target_column)
    named = [] if metrics is None else list(chosen_metrics(target, metrics))
    return chosen_metrics(target, [*([] if goal is None else [goal]), *named]) if goal or named else ()


def _refuse_before_fitting(resampling: Resampling, asked: Sequence[Metric]) -> None:
    data = resampling.data
    for metric in asked or (resampling.goal,):
        refuse_before_fitting(resampling.estimators, metric, schemes["holdout"], resampling.data)
    if data.task == "binary" and data.positive is None:
        raise needs_positive(data.source or "the data", data.target_column, data.classes)
    refuse_bad_parts(data, resampling.splits)


def _with_goals(metrics: tuple[Metric, ...], goals: Sequence[Metric], predictions: Predictions) -> tuple[Metric, ...]:
    """Goals that are not among the metrics come before them."""
    more = [goal for goal in goals if goal not in metrics]
    return (*applicable_metrics(predictions, more), *metrics) if more else metrics


def _sizes(split: Split) -> dict[str, int]:
    parts = {part: sum(map(len, rows)) for part, rows in split.subsets.items()}
    return {"train": len(split.train), **parts}

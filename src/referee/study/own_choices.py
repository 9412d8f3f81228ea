"""Every metric as a goal, and for each every metric to choose by: what the choice is worth, and what may be chance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.adjustments import adjusted
from referee.significance import tests
from referee.study.choosing import cost_of, judged_choice, preferred
from referee.study.own_parts import same_outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array
    from referee.study.choosing import Choice
    from referee.study.own_parts import PartValues
    from referee.study.own_study import OwnStudy


def with_choices(study: OwnStudy, values: PartValues) -> OwnStudy:
    """The study with what was found; the metrics of `values` are the study's."""
    names = [metric.full_name for metric in study.metrics]
    chosen, best = (
        {name: preferred(values.whole[:, part, :, place]) for place, name in enumerate(names)} for part in (0, 1)
    )
    outcomes = values.outcomes(study.alpha)
    found: list[Choice] = []
    for place, goal in enumerate(names):
        worth = values.whole[:, 1, :, place]
        chance = chances(study, goal, chosen, worth)
        for other, by in enumerate(names):
            choice = judged_choice((goal, by), chosen[by], worth, study.overlap, alpha=study.alpha)
            same = None if outcomes is None else same_outcome(outcomes, place, other)
            found.append(replace(choice, same_outcome=same, p=chance[by][0], p_adjusted=chance[by][1]))
    return replace(study, choices=tuple(found), best={name: _shares(study, best[name]) for name in names})


def _shares(study: OwnStudy, best: Array) -> dict[str, float]:
    return dict(zip(study.models, np.nanmean(best, axis=0).tolist(), strict=True))


def chances(
    study: OwnStudy, goal: str, chosen: Mapping[str, Array], worth: Array
) -> dict[str, tuple[float | None, float | None]]:
    """Of each metric, p of costing something else than the goal itself, and p adjusted by Holm.

    The family are the usual metrics, or those that were named. Metrics that choose the same in every repetition are
    one hypothesis; those that choose as the goal does are none. Metrics that choose as none of the family have no
    adjusted p.
    """
    p: dict[bytes, float | None] = {}
    keys = {name: np.ascontiguousarray(shares).tobytes() for name, shares in chosen.items()}
    for name, key in keys.items():
        if name != goal and key not in p:
            p[key] = _p(chosen[name], chosen[goal], worth, study)
    family = list(dict.fromkeys(keys[name] for name in study.usual if keys[name] != keys[goal]))
    corrected = dict(zip(family, adjusted([p[key] for key in family]), strict=True)) if family else {}
    if keys[goal] in p:
        corrected[keys[goal]] = p[keys[goal]]
    return {name: (p[key], corrected.get(key)) if name != goal else (None, None) for name, key in keys.items()}


def _p(chosen: Array, by_goal: Array, worth: Array, study: OwnStudy) -> float | None:
    """Of the costs of choosing by another metric against those of choosing by the goal itself."""
    known = np.isfinite(chosen).all(axis=1) & np.isfinite(by_goal).all(axis=1) & np.isfinite(worth).all(axis=1)
    if known.sum() < 2:
        return None
    costs = [cost_of(one[known], worth[known]) for one in (chosen, by_goal)]
    n_test = study.sizes["holdout"] + study.sizes["test"]
    return tests["corrected_resampled_t"](*costs, n_train=study.sizes["train"], n_test=n_test, better="lower").p

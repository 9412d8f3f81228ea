"""The command to run next, as it is typed."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.metric import Metric

PLACEHOLDERS = ("preds.csv", "--truth", "COL")


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
    where = [*sources, *options] if sources else list(PLACEHOLDERS)
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

"""What the paper did not ask, on the screen: what a wrong choice costs, and which differences may be chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.document.screen import plain, print_dim, print_title, print_whole, table_of
from referee.paper import constant_ratios, contests, mean_ratio, mean_regrets
from referee.report.study.cells import narrow_name, short_name, shown
from referee.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

    from referee.paper import Study

MOST_METRICS = 6


def print_beyond(console: Console, study: Study) -> None:
    """The regret of every metric on every goal, and what puts the ratios into proportion."""
    if not study.cases:
        return
    names = list(study.settings.chosen)
    regrets, errors = mean_regrets(study.cases, "holdout")
    print_title(console, "Beyond the paper: regret on holdout sets, 0 an oracle's, 1 a coin's")
    for some in blocks(len(names)):
        table = table_of("  goal", *map(narrow_name, names[some]))
        for goal, row in zip(names, regrets.tolist(), strict=True):
            cells = [plain(shown(one), "bold" if one == min(row) else "") for one in row[some]]
            table.add_row(plain(f"  {narrow_name(goal)}"), *cells)
        print_whole(console, table)
    known = errors[np.isfinite(errors)]
    largest = f"; the largest standard error is {known.max():.3f}" if len(known) else ""
    print_dim(console, [
        f"down: the goal; across: the metric by which the model with the better mean is chosen{largest}",
        constants_in_words(study),
        contests_in_words(study),
        contests_caution(study),
    ])  # fmt: skip


def blocks(metrics: int) -> list[slice]:
    """Which metrics stand side by side in a table of 80 columns.

    >>> blocks(9)
    [slice(0, 6, None), slice(6, 12, None)]
    """
    return [slice(first, first + MOST_METRICS) for first in range(0, metrics, MOST_METRICS)]


def constants_in_words(study: Study) -> str:
    """How often an answer would be correct that looks at nothing."""
    told = [
        f"{short_name(goal)} {shown(constant)} ({shown(mean_ratio(study.cases, 'holdout', goal, goal).value)})"
        for goal, constant in constant_ratios(study.cases, "holdout").items()
    ]
    return (
        f"ratio of always giving a case's most frequent outcome (in brackets: selecting by the goal): {', '.join(told)}"
    )


def contests_in_words(study: Study) -> str:
    """Of every goal, the metrics that select worse than it beyond chance, over the cases."""
    told = []
    for goal in study.settings.chosen:
        won = [one for one in contests(study.cases, goal, alpha=study.settings.alpha) if one.winner == goal]
        beaten = ", ".join(short_name(one.b if one.a == goal else one.a) for one in won)
        told.append(f"{short_name(goal)} beats {beaten or 'none'}")
    return f"selecting for itself, beyond chance (Wilcoxon over the cases, Holm): {'; '.join(told)}"


def contests_caution(study: Study) -> str:
    """Why the contests say less than their p values do."""
    amount = len({case.data_set for case in study.cases})
    data_sets, smallest = counted(amount, "data set"), 2 / 2**amount
    caution = (
        f"the {counted(len(study.cases), 'case')} come from {data_sets}, and cases of one data set are not "
        "independent: the contests promise too much"
    )
    if smallest < study.settings.alpha:
        return caution
    return f"{caution}; {data_sets} alone could show nothing (the smallest p is {smallest:.4g})"

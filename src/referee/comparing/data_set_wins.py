"""Wins, ties and losses of two models over data sets: by the test of each set's folds, or by its values alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing.comparison import differences
from referee.comparing.design import Design
from referee.comparing.design_choice import CORRECTION, default_test
from referee.comparing.significance_test import tests
from referee.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.comparing.comparison import Comparison
    from referee.comparing.contest import Contest
    from referee.comparing.significance_test import SignificanceTest


def wins(contest: Contest, a: str, b: str) -> dict[str, Any]:
    """How often a is better than b, level with it and worse, and who is better on each data set."""
    assert contest.units is not None
    test = test_within(contest)
    outcomes = _by_value(contest, a, b) if test is None else [each.outcome for each in _by_test(contest, test, a, b)]
    times = Counter(outcomes)
    return {
        "wins": times["a"],
        "ties": times["tie"],
        "losses": times["b"],
        "test": None if test is None else test.full_name,
        "outcomes": dict(zip(contest.units.names, outcomes, strict=True)),
    }


def test_within(contest: Contest) -> SignificanceTest | None:
    """The test of each data set's folds; None where a set has one value, or nobody said how large the splits were."""
    predictions = contest.predictions
    has_folds = predictions.scored is not None and predictions.group is not None
    if not has_folds or predictions.scored is None:
        return None
    if contest.within is None and predictions.scored.overlap is None:
        return None
    return contest.within or default_test(Design("splits", correction=CORRECTION))


def _by_value(contest: Contest, a: str, b: str) -> list[str]:
    """What differs only by rounding is level."""
    each = differences(contest.unit_values[a], contest.unit_values[b], contest.design, least=1).each
    towards_a = np.sign(each) * (1 if contest.design.better == "higher" else -1)
    return [{1: "a", 0: "tie", -1: "b"}[int(sign)] for sign in towards_a]


def _by_test(contest: Contest, test: SignificanceTest, a: str, b: str) -> Iterator[Comparison]:
    assert contest.units is not None
    mine, others = (contest.predictions.model(name).values for name in (a, b))
    assert mine is not None and others is not None
    for code in range(len(contest.units)):
        rows = np.flatnonzero(contest.units.codes == code)
        comparison = test.apply(mine[rows], others[rows], _design_within(contest, rows))
        yield replace(comparison, outcome="tie") if comparison.outcome not in ("a", "b") else comparison


def _design_within(contest: Contest, rows: Array) -> Design:
    scored = contest.predictions.scored
    assert scored is not None
    of_set, design = scored.part(rows), contest.design
    return Design(
        "splits", "fold", design.better, design.alpha, design.seed, n_train=of_set.n_train, n_test=of_set.n_test,
        folds=scored.folds, repeats=scored.repeats,
    )  # fmt: skip


def folds_of_sets(contest: Contest, name: str, test: SignificanceTest) -> list[Array]:
    """A model's values of the folds of each data set."""
    values, units = contest.predictions.model(name).values, contest.units
    if contest.predictions.scored is None or contest.predictions.group is None or values is None or units is None:
        raise UsageError(
            "E_TEST",
            f"{test.name} needs the folds of each data set, and there is one value for each",
            hint="use a table of scores with --dataset, --fold and --test-fraction F; bayes_signed_rank takes one "
            "value",
        )
    return [values[units.codes == code] for code in range(len(units))]


def with_sizes(contest: Contest, design: Design) -> Design:
    """The design with the training and test rows of all folds, which say how much these have in common."""
    scored = contest.predictions.scored
    return design if scored is None else replace(design, n_train=scored.n_train, n_test=scored.n_test)


def across_data_sets(contest: Contest) -> Comparison | None:
    """Friedman's test with Iman and Davenport's correction, and Nemenyi's critical difference."""
    names = list(contest.predictions.names)
    if contest.design.kind != "data_sets" or len(names) < 3:
        return None
    values = np.stack([contest.unit_values[name] for name in names])
    across = tests["iman_davenport"].apply(names, values, contest.design)
    nemenyi = tests["nemenyi"].apply(names, values, contest.design)
    return replace(across, details={**across.details, **nemenyi.details}, metric=contest.metric.full_name)


def too_far_from_the_best(across: Comparison) -> list[str]:
    """The models whose mean rank is worse than the best one's by more than the critical difference."""
    ranks = across.details["mean_ranks"]
    return [name for name, rank in ranks.items() if rank - min(ranks.values()) > across.details["critical_difference"]]

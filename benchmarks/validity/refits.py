"""Resampling with refits: learning procedures that are equal by symmetry, and such that are not."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import referee
from benchmarks.validity.cell import CLAIM, SIGNIFICANT, Cell, Look, P, by_name, classified, judged
from benchmarks.validity.decided import ALPHA
from benchmarks.validity.learners import (
    LEARNERS,
    SHIFT,
    Sample,
    groups_in_pairs,
    random_splits,
    repeated_folds,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.validity.decided import Decided, Judge
    from referee.arrays import Array

METRICS = ("accuracy", "roc_auc", "log_loss", "brier", "f1")
PLAIN, LARGER = "corrected_resampled_t", "corrected_resampled_t(correction=1.5)"
NAIVE = ("paired_t", "paired_t_population")
BAYES = "bayes_correlated_t(rope=0)"
MARGINS = {"accuracy": 0.08, "roc_auc": 0.08, "log_loss": 0.12, "brier": 0.04, "f1": 0.08}
"""A few standard errors, so that a claim can be made at all."""
RANDOM, ONCE, REPEATED, HALVES = "30 splits 2/3 : 1/3", "10-fold", "10 x 10-fold", "5 x 2-fold"
TESTS = {
    RANDOM: (PLAIN, *NAIVE, BAYES),
    ONCE: (PLAIN, *NAIVE, BAYES),
    REPEATED: (PLAIN, f"{PLAIN}(df=99)", *NAIVE, BAYES),
    HALVES: (PLAIN, f"{PLAIN}(df=9)", "five_by_two_t", "five_by_two_f"),
}
DEALS, GROUPS = 3, 6
LEFT_OUT = "3 x 6 groups, two left out"
OUT_OF_FOLD = "10-fold, compared by rows"
TWICE = "twice the variance of the rows"


def look(
    learner: str, rows: int, scheme: str, metric: str, shifts: tuple[float, float],
    generator: np.random.Generator, number: int, judge: Judge,
) -> Look:  # fmt: skip
    sample = Sample.drawn(generator, rows, shifts)
    tested, columns = _splits(scheme, sample.truth, generator)
    split, row = np.nonzero(tested)
    scores = [LEARNERS[learner](half, sample.truth, tested)[split, row] for half in sample.halves]
    known = {name: column[split] for name, column in columns.items()} | {"positive": 1, "classes": [0, 1]}
    given = sample.truth[row], dict(zip("ab", scores, strict=True))
    if scheme == OUT_OF_FOLD:
        return of_file(partial(judge, *given, goal=metric, **known))
    sizes = {"train_size": int((~tested[0]).sum())} if scheme == RANDOM else {}
    verdict = judge(*given, goal=metric, unit="fold", id=row, seed=number, **known, **sizes)
    own = {verdict.test.full_name: classified(verdict)}
    return own if scheme == LEFT_OUT else own | _by_values(verdict, scheme, metric)


def of_file(judge: Judge) -> Look:
    """What is said of the fitted models, and with twice the variance of the rows of the procedures."""
    own = judged(judge)
    if own[P] is None:
        return {"influence": own}
    procedures = judge().comparisons[0].details.get("procedures", {"p": 1.0})
    return {"influence": own, TWICE: {SIGNIFICANT: procedures["p"] < ALPHA}}


def _splits(scheme: str, truth: Array, generator: np.random.Generator) -> tuple[Array, dict[str, Array]]:
    """Which rows each split tests, and the columns that say so."""
    if scheme == LEFT_OUT:
        tested, fold, repeat = groups_in_pairs(truth, GROUPS, DEALS, generator)
        return tested, {"fold": fold, "repeat": repeat}
    if scheme == RANDOM:
        return random_splits(truth, 30, generator), {"repeat": np.arange(30)}
    folds, repeats = {ONCE: (10, 1), OUT_OF_FOLD: (10, 1), REPEATED: (10, 10), HALVES: (2, 5)}[scheme]
    fold, repeat = np.tile(np.arange(folds), repeats), np.repeat(np.arange(repeats), folds)
    columns = {"fold": fold} if repeats == 1 else {"fold": fold, "repeat": repeat}
    return repeated_folds(truth, folds, repeats, generator), columns


def _by_values(verdict: referee.Verdict | Decided, scheme: str, metric: str) -> Look:
    """Other tests of the same values of the splits."""
    given, design = verdict.comparisons[0].given, verdict.design
    assert given is not None
    known = {"n_train": design.n_train, "n_test": design.n_test, "folds": design.folds, "repeats": design.repeats}
    found = by_name(TESTS[scheme], *given, **known, better=design.better)
    return found | _claims(*given, metric, known, design.better) if scheme == RANDOM else found


def _claims(a: Array, b: Array, metric: str, known: dict[str, object], better: str) -> Look:
    """Procedures that differ by the margin itself, which no test may call smaller in more than 5% of the cases."""
    margin = MARGINS[metric]
    worse = a - margin if better == "higher" else a + margin
    asked = {**known, "better": better, "margin": margin}
    same = referee.tests["tost"](a + margin, b, **asked).details["equivalent"]
    no_worse = referee.tests["non_inferiority"](worse, b, **asked).details["non_inferior"]
    return {"tost": {CLAIM: bool(same)}, "non_inferiority": {CLAIM: bool(no_worse)}}


def cells() -> Iterator[Cell]:
    """All learners in the scheme of `select`; the others for those that tell most."""
    equal = (SHIFT, SHIFT)
    for scheme in (RANDOM, LEFT_OUT, HALVES, ONCE, OUT_OF_FOLD):
        for learner in LEARNERS:
            for metric in METRICS if scheme == RANDOM else ("accuracy", "roc_auc", "brier"):
                yield _cell(learner, 200, scheme, metric, equal)
    for learner in ("3 nearest neighbours", "15 nearest neighbours", "naive Bayes"):
        for rows in (100, 500):
            for metric in ("roc_auc", "brier"):
                yield _cell(learner, rows, RANDOM, metric, equal)
    for learner in ("naive Bayes", "3 nearest neighbours", "decision stump"):
        for metric in ("accuracy", "roc_auc"):
            yield _cell(learner, 200, REPEATED, metric, equal)
            for scheme in (RANDOM, LEFT_OUT):
                yield _cell(learner, 200, scheme, metric, (0.42, 0.25) if learner != "decision stump" else (0.7, 0.4))


def _cell(learner: str, rows: int, scheme: str, metric: str, shifts: tuple[float, float]) -> Cell:
    equal = shifts[0] == shifts[1]
    null = "equal procedures" if equal else f"shifts {shifts[0]:g} vs {shifts[1]:g}"
    place = f"{learner}, {rows} rows, {scheme}"
    own = {LEFT_OUT: "leave_two_out_t", OUT_OF_FOLD: ""}.get(scheme, LARGER)
    sets = 500 if scheme in (LEFT_OUT, REPEATED) or not equal else 1000
    look_at = partial(look, learner, rows, scheme, metric, shifts)
    return Cell("refits", place, null, metric, look_at, sets, equal, own)

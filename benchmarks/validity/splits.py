"""Resampling with refits: two learning procedures that are equal by symmetry, compared over splits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.validity.learners import LEARNERS, Sample, random_splits, repeated_folds
from benchmarks.validity.measuring import ALPHA, FALSE_CLAIM, FALSE_WINNER, Experiment, Key
from referee import metrics
from referee.comparing import Contender, Design, tests
from referee.engines import summarise
from referee.predictions import Predictions, Units
from referee.scoring import values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.comparing import Comparison

ROWS = 200
METRICS = ("accuracy", "roc_auc", "log_loss")
EQUAL = "equal procedures"
OUT_OF_FOLD = "10-fold, out-of-fold rows"
FEWER_AND_MORE = (100, 500)
MARGINS = {"accuracy": 0.08, "roc_auc": 0.08, "log_loss": 0.12}
"""A few standard errors, so that a claim can be made at all."""


@dataclass(frozen=True)
class Scheme:
    """How rows are split again and again."""

    name: str
    tests: tuple[str, ...]
    folds: int | None = None
    repeats: int = 1

    def tested(self, truth: Array, generator: np.random.Generator) -> Array:
        """Which rows are tested in each split: (split, row)."""
        if self.folds is None:
            return random_splits(truth, self.repeats, generator)
        return repeated_folds(truth, self.folds, self.repeats, generator)

    def design(self, tested: Array, better: str) -> Design:
        n_test = tested.sum(axis=1).astype(float)
        repeats = None if self.folds is None else self.repeats
        return Design(
            "splits", "split", better, ALPHA, n_train=tested.shape[1] - n_test, n_test=n_test,
            folds=self.folds, repeats=repeats,
        )  # fmt: skip


CORRECTED, BAYES = "corrected_resampled_t", "bayes_correlated_t(rope=0)"
EVERYWHERE = (CORRECTED, "paired_t", "paired_t_population", BAYES)
ONCE = Scheme("10-fold", EVERYWHERE, 10)
REPEATED = Scheme("10 x 10-fold", (*EVERYWHERE, f"{CORRECTED}(df=99)"), 10, 10)
RANDOM = Scheme("30 splits 2/3 : 1/3", (*EVERYWHERE, "bayes_correlated_t"), None, 30)
HALVES = Scheme("5 x 2-fold", (*EVERYWHERE, f"{CORRECTED}(df=9)", "five_by_two_t", "five_by_two_f"), 2, 5)


def one_sample(learner: str, repeated: int, generator: np.random.Generator, number: int) -> dict[Key, float]:
    """All schemes on one sample; the one that is slow only on the first so many samples."""
    sample = Sample.drawn(generator, ROWS)
    answers: dict[Key, float] = {}
    for scheme in (REPEATED if number < repeated else ONCE, RANDOM, HALVES):
        tested = scheme.tested(sample.truth, generator)
        fitted = [LEARNERS[learner](half, sample.truth, tested) for half in sample.halves]
        if scheme is REPEATED:
            answers |= _answers(ONCE, sample.truth, tested[:10], [scores[:10] for scores in fitted])
        answers |= _answers(scheme, sample.truth, tested, fitted)
    return answers


def _answers(scheme: Scheme, truth: Array, tested: Array, scores: list[Array]) -> dict[Key, float]:
    predictions, units = long_form(truth, tested, scores)
    summaries = [summarise(predictions, model, units) for model in predictions.models]
    answers: dict[Key, float] = {}
    for metric in METRICS:
        measured = metrics[metric]
        design = scheme.design(tested, measured.better)
        a, b = (values(measured, summary, 2, predictions.positive) for summary in summaries)
        answers |= {
            Key(name, metric, FALSE_WINNER, scheme.name): named(tests[name].apply(a, b, design))
            for name in scheme.tests
        }
        if scheme is ONCE:
            answers[Key("influence", metric, FALSE_WINNER, OUT_OF_FOLD)] = named(_by_rows(predictions, metric))
        if scheme is RANDOM:
            answers |= _claims(a, b, metric, design)
    return answers


def long_form(truth: Array, tested: Array, scores: list[Array]) -> tuple[Predictions, Units]:
    """The tested rows of all splits below each other."""
    split, row = np.nonzero(tested)
    models = {name: of_model[split, row] for name, of_model in zip("ab", scores, strict=True)}
    names = tuple(map(str, range(len(tested))))
    return Predictions.from_arrays(truth[row], models, classes=[0, 1]), Units(split, names)


def _by_rows(predictions: Predictions, metric: str) -> Comparison:
    measured = metrics[metric]
    a, b = (Contender(predictions, model, measured) for model in predictions.models)
    return tests["influence"].apply(a, b, Design("out_of_fold", "row", measured.better, ALPHA))


def _claims(a: Array, b: Array, metric: str, design: Design) -> Iterator[tuple[Key, float]]:
    """Procedures that differ by the margin itself, which no test may call smaller in more than 5% of the cases."""
    margin = MARGINS[metric]
    worse = a - margin if design.better == "higher" else a + margin
    for name, claim, shifted in (("tost", "equivalent", a + margin), ("non_inferiority", "non_inferior", worse)):
        found = tests[f"{name}(margin={margin})"].apply(shifted, b, design)
        yield Key(name, metric, FALSE_CLAIM, RANDOM.name), bool(found.details[claim])


def named(found: Comparison) -> bool:
    return found.outcome in ("a", "b")


def experiments(data_sets: int) -> Iterator[Experiment]:
    """A stable learner and an unstable one; ten times ten trees take long."""
    yield _of_learner("naive Bayes", data_sets, data_sets)
    yield _of_learner("decision tree", data_sets, data_sets // 2)


def of_more_learners(data_sets: int) -> Iterator[Experiment]:
    """Learners whose fits on overlapping training sets resemble each other more than the correction assumes."""
    yield _of_learner("3 nearest neighbours", data_sets // 2, data_sets // 2)
    yield _of_learner("decision stump", data_sets // 2, data_sets // 2)


def of_out_of_fold_rows(data_sets: int) -> Iterator[Experiment]:
    """The learner whose fits depend most on the training rows, with fewer and with more of them."""
    for rows in FEWER_AND_MORE:
        one = partial(one_cross_validation, "decision stump", rows)
        yield Experiment("out-of-fold rows", f"decision stump, {rows} rows", EQUAL, one, data_sets // 2)


def one_cross_validation(learner: str, rows: int, generator: np.random.Generator, _: int) -> dict[Key, float]:
    """One sample, cross-validated once, and compared row by row."""
    sample = Sample.drawn(generator, rows)
    tested = ONCE.tested(sample.truth, generator)
    fitted = [LEARNERS[learner](half, sample.truth, tested) for half in sample.halves]
    predictions, _units = long_form(sample.truth, tested, fitted)
    return {
        Key("influence", metric, FALSE_WINNER, OUT_OF_FOLD): named(_by_rows(predictions, metric)) for metric in METRICS
    }


def _of_learner(learner: str, data_sets: int, repeated: int) -> Experiment:
    one = partial(one_sample, learner, repeated)
    return Experiment("splits", f"{learner}, {ROWS} rows", EQUAL, one, data_sets, (CORRECTED,))

"""Which design the predictions have, and which test is valid for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing.contender import refuse_weights_and_groups
from referee.comparing.contest import Contest
from referee.comparing.design import Design
from referee.comparing.in_time import refuse_other_dependence, refuse_other_units
from referee.comparing.left_out import LeftOut, not_left_out
from referee.comparing.question import refuse_without_rows
from referee.comparing.significance_test import SignificanceTest, tests
from referee.engines import engine_of
from referee.errors import UndefinedError, UsageError
from referee.predictions import Units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.comparing.design import Kind
    from referee.comparing.split_estimates import Combine
    from referee.predictions import Predictions, ScoredRows
    from referee.scoring import Metric

DEFAULTS: dict[Kind, str] = {
    "rows": "influence",
    "out_of_fold": "influence",
    "time": "influence",
    "splits": "corrected_resampled_t",
    "left_out": "leave_two_out_t",
    "subsets": "paired_t",
    "data_sets": "wilcoxon",
    "independent": "paired_t",
}
REASONS: dict[Kind, str] = {
    "rows": "the models are fixed; the rows are a random sample",
    "out_of_fold": "each row was predicted once, so rows are compared; the verdict is on these fitted models, not on "
    "the learning procedures: fitted again, another one may win (between equal procedures a winner was found in 2 to "
    "20% of simulated files, and the 95% interval held the difference of the fitted models in 78 to 95%, least often "
    "with unstable learners; `referee select` compares procedures)",
    "time": "neighbours in time may be similar, so the rows count as fewer independent pieces: the lowest "
    "frequencies of what they add to the difference",
    "splits": "training sets overlap, so the variance must be corrected (for most learners by too much, for some by "
    "too little: between equal procedures a winner was found in up to 9% of simulated data sets at 30 random splits, "
    "with 15 neighbours on the Brier score, and with one-split trees in up to 7% at 10-fold and 12% at 10 x 10-fold "
    "cross-validation)",
    "left_out": "each row is predicted by several fits, so how much rows vary is known apart from what the choice of "
    "training rows adds, which leaving out groups shows",
    "subsets": "the subsets share no row, so their values are independent",
    "data_sets": "data sets differ in scale, so ranks of differences are compared",
    "independent": "each row has one score, and the rows are independent of each other",
}
FEW_POSITIVES = 20
CORRECTION = 1.5
"""How many times the overlap of training sets counts where no test was named: with Nadeau and Bengio's 1, neighbour
methods and stumps have too many false winners (docs/validity.md)."""


def default_test(design: Design) -> SignificanceTest:
    """The test that is taken where none was named."""
    test = tests[DEFAULTS[design.kind]]
    return test if design.correction == 1 else test.bind(correction=design.correction)


def asked_test(asked: str | SignificanceTest | None, metric: Metric) -> SignificanceTest | None:
    """The test that was asked for, if it can name a winner on the metric; None leaves the choice to the design."""
    if asked in (None, "auto"):
        return None
    test = tests[asked] if isinstance(asked, str) else asked
    if not isinstance(test, SignificanceTest):
        raise UsageError("E_TEST", f"{test!r} is not a significance test", hint="`referee tests` lists them")
    if "margin" in test.defaults:
        raise UsageError(
            "E_TEST",
            f"{test.name} ({test.title}) tests whether a difference does not matter, and names no winner",
            hint="use --margin D: the verdict then compares every difference with it, by two one-sided tests",
        )
    if test.takes == "many":
        raise UsageError(
            "E_TEST", f"{test.name} compares all models at once", hint="it is shown where data sets are compared"
        )
    if test.metrics and metric.name not in test.metrics:
        raise UsageError("E_TEST", f"{test.name} only tests {' and '.join(test.metrics)}, not {metric.name}")
    return test


def contest_of(
    predictions: Predictions,
    metric: Metric,
    test: SignificanceTest | None = None,
    *,
    unit: str | None = None,
    by: Sequence[str] = (),
    subsets: int | None = None,
    partitions: int = 25,
    train_size: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    horizon: int | None = None,
) -> Contest:
    """Understand the design: equal subsets, data sets and folds where they are asked for, rows otherwise."""
    given: dict[str, Any] = {"better": metric.better, "alpha": alpha, "seed": seed}
    _refuse_contradictions(unit, subsets, partitions, train_size)
    refuse_other_dependence(predictions, horizon)
    contest = _understood(
        predictions, metric, test, given,
        unit=unit, by=by, subsets=subsets, partitions=partitions, train_size=train_size,
    )  # fmt: skip
    refuse_other_units(predictions, contest.design)
    usual = CORRECTION if contest.design.overlapping else 1
    correction = usual if test is None else dict(test.settings).get("correction", 1)
    return replace(contest, design=replace(contest.design, horizon=horizon, correction=correction))


def _understood(
    predictions: Predictions,
    metric: Metric,
    test: SignificanceTest | None,
    given: dict[str, Any],
    *,
    unit: str | None,
    by: Sequence[str],
    subsets: int | None,
    partitions: int,
    train_size: float | None,
) -> Contest:
    if predictions.scored is not None:
        _refuse_other_units(predictions.scored, unit, subsets)
    if subsets is not None:
        return _of_subsets(predictions, metric, subsets, partitions, given)
    if unit == "slice":
        return _of_slices(predictions, metric, by, given)
    if predictions.scored is not None and unit is None and (asked := _of_scored_rows(predictions, metric, test, given)):
        return asked
    if predictions.query_column is not None and predictions.fold is None and test is not None and test.takes == "units":
        return _one_by_one(predictions, metric, test, given)
    if test is not None and test.takes == "decisions":
        refuse_weights_and_groups(predictions, test.title)
    by_folds = predictions.train_rows is not None or (test is not None and test.takes in ("units", "refits"))
    if unit == "fold" or (unit is None and by_folds):
        return _of_folds(predictions, metric, test, train_size, given)
    refuse_without_rows(predictions, metric, test, unit=unit)
    splits = [len(units) for units in (predictions.fold, predictions.repeat) if units is not None]
    in_folds = max(splits, default=0) > 1
    kind: Kind = "time" if predictions.time is not None else "out_of_fold" if in_folds else "rows"
    unit = predictions.row_name if predictions.clusters is None else "group" if predictions.group is not None else "id"
    return Contest(predictions, metric, Design(kind, unit, **given))


def _of_scored_rows(
    predictions: Predictions, metric: Metric, test: SignificanceTest | None, given: dict[str, Any]
) -> Contest | None:
    """Of a table of scores: its folds, its data sets, or its items one by one where the test asks for that."""
    scored = predictions.scored
    assert scored is not None
    if scored.data_set is not None:
        contest = _of_slices(predictions, metric, [scored.data_set], given)
        is_within = test is not None and predictions.group is not None and "data_sets" not in test.designs
        return replace(contest, within=test) if is_within else contest
    if scored.kind == "folds":
        _refuse_without_sizes(scored, test)
        sizes: dict[str, Any] = {"n_train": scored.n_train, "n_test": scored.n_test}
        design = Design("splits", "fold", folds=scored.folds, repeats=scored.repeats, **sizes, **given)
        units = engine_of(predictions).crossed([column for column in (predictions.repeat, predictions.fold) if column])
        return Contest(predictions, metric, design, units or _each_row(predictions))
    return None if test is None or test.takes != "units" else _one_by_one(predictions, metric, test, given)


def _one_by_one(predictions: Predictions, metric: Metric, test: SignificanceTest, given: dict[str, Any]) -> Contest:
    """Each item or query is a unit."""
    refuse_weights_and_groups(predictions, test.title)
    return Contest(predictions, metric, Design("independent", predictions.row_name, **given), _each_row(predictions))


def _each_row(predictions: Predictions) -> Units:
    return Units(np.arange(predictions.rows), tuple(map(str, range(1, predictions.rows + 1))))


def _refuse_other_units(scored: ScoredRows, unit: str | None, subsets: int | None) -> None:
    if subsets is not None:
        raise UsageError("E_UNIT", "--subsets are stratified by the truth, and scores have none")
    if scored.kind != "items" and unit is not None:
        raise UsageError("E_UNIT", f"the rows are {scored.unit}s, and these are compared; --unit {unit} is for items")


def _refuse_without_sizes(scored: ScoredRows, test: SignificanceTest | None) -> None:
    """The corrected test needs to know how much the training sets overlap; those that do not, need not."""
    if scored.overlap is None and (test is None or test.name == DEFAULTS["splits"]):
        raise UsageError(
            "E_DESIGN",
            "scores of folds depend on each other, as their training sets share rows; by how much is not known "
            "without the sizes of the training and test sets",
            hint="use --train-size N --test-size N, or --test-fraction F: 0.1 for 10-fold cross-validation",
        )


def _refuse_contradictions(unit: str | None, subsets: int | None, partitions: int, train_size: float | None) -> None:
    if unit not in (None, "row", "fold", "slice"):
        raise UsageError("E_UNIT", f"--unit {unit}: the choices are 'row', 'fold' and 'slice'")
    if subsets is not None and unit is not None:
        raise UsageError("E_UNIT", f"--subsets makes subsets the units, and --unit {unit} other ones: give one of them")
    for name, value in (("--subsets", subsets), ("--partitions", partitions)):
        if value is not None and (value != int(value) or value < 1):
            raise UsageError("E_SUBSETS", f"{name} {value}: a whole number is needed")
    if train_size is not None and not train_size >= 1:
        raise UsageError("E_DESIGN", f"--train-size {train_size:g}: at least one row is needed")


def _of_subsets(
    predictions: Predictions, metric: Metric, subsets: int, partitions: int, given: dict[str, Any]
) -> Contest:
    from referee.scoring import deal

    refuse_without_rows(predictions, metric, None, subsets=subsets)
    _refuse_small_subsets(predictions, subsets)
    ordered = predictions.in_canonical_order()
    codes = deal(ordered, subsets, given["seed"], partitions)
    return Contest(ordered, metric, Design("subsets", "subset", **given), partitions=codes)


def _refuse_small_subsets(predictions: Predictions, subsets: int) -> None:
    if subsets < 2:
        raise UsageError("E_SUBSETS", f"--subsets {subsets}: at least 2 are needed")
    if predictions.rows < subsets:
        raise UndefinedError("E_SUBSETS", f"{predictions.rows:,} rows cannot be divided into {subsets:,} subsets")
    if predictions.classes:
        rows = np.bincount(predictions.truth, minlength=len(predictions.classes))
        rarest = int(rows.argmin())
        if rows[rarest] < subsets:
            raise UndefinedError(
                "E_SUBSETS",
                f"{subsets:,} subsets need a row of each class in each, and there are {rows[rarest]:,} rows of class "
                f"{predictions.classes[rarest]!r}",
                hint=f"use at most {rows[rarest]:,} subsets, or compare by rows (leave --subsets out)",
            )


def _of_slices(predictions: Predictions, metric: Metric, by: Sequence[str], given: dict[str, Any]) -> Contest:
    if not by:
        raise UsageError("E_UNIT", "which column holds the data sets?", hint="use --by COL --unit slice")
    units = engine_of(predictions).crossed([predictions.slices[name] for name in by])
    return Contest(predictions, metric, Design("data_sets", "data set", **given), units)


def _of_folds(
    predictions: Predictions,
    metric: Metric,
    test: SignificanceTest | None,
    train_size: float | None,
    given: dict[str, Any],
) -> Contest:
    several = [units for units in (predictions.repeat, predictions.fold) if units is not None]
    if not several:
        raise UsageError(
            "E_UNIT",
            f"{test.name if test else '--unit fold'} compares one value per fold, subset or data set, and these "
            "predictions are one test set",
            hint="use --fold COL, --subsets N, or --by COL --unit slice; --test influence compares rows",
        )
    refuse_without_rows(predictions, metric, test, unit="fold")
    if test is None or test.takes == "refits":
        if layout := LeftOut.of(predictions):
            return _of_pairs(predictions, metric, layout, given)
        if test is not None:
            raise not_left_out()
    engine = engine_of(predictions)
    units = engine.crossed(several)
    assert units is not None
    n_test = engine.rows_of_units([units]).astype(float)
    repeats = 1 if predictions.repeat is None else len(predictions.repeat)
    n_train, folds = _training_rows(predictions, units, n_test, train_size)
    unit = "fold" if _folds_of_a_repeat(predictions) else "split"
    combine: Combine = "mean" if predictions.training is None else predictions.training.combine
    design = Design(
        "splits", unit, n_train=n_train, n_test=n_test, folds=folds, repeats=repeats, combine=combine, **given
    )
    return Contest(predictions, metric, design, units)


def _of_pairs(predictions: Predictions, metric: Metric, layout: LeftOut, given: dict[str, Any]) -> Contest:
    n_test = np.bincount(layout.units.codes).astype(float)
    sizes: dict[str, Any] = {
        "n_train": layout.rows - n_test,
        "n_test": n_test,
        "folds": layout.groups,
        "repeats": layout.deals,
    }
    return Contest(predictions, metric, Design("left_out", "fit", **sizes, **given), layout.units)


def _training_rows(
    predictions: Predictions, units: Units, n_test: Array, train_size: float | None
) -> tuple[Array, int | None]:
    """As given, or the other folds of the same repeat; and how many folds a repeat has, if all have the same."""
    if train_size is not None:
        return np.full(len(units), float(train_size)), None
    if predictions.train_rows is not None:
        return np.bincount(units.codes, predictions.train_rows, len(units)) / n_test, _folds_of_a_repeat(predictions)
    if predictions.overlapping_folds:
        raise UsageError(
            "E_DESIGN",
            "the same rows are in several folds, so these are random splits, and their training sizes are not known",
            hint="use --train-size N",
        )
    repeat = np.zeros(len(units), int) if predictions.repeat is None else _repeat_of(predictions, units)
    rows, folds = np.bincount(repeat, n_test), np.bincount(repeat)
    return rows[repeat] - n_test, int(folds[0]) if len(set(folds.tolist())) == 1 else None


def _folds_of_a_repeat(predictions: Predictions) -> int | None:
    """In a repeat that tests each row once; None where repeats are single splits."""
    folds = 0 if predictions.fold is None else len(predictions.fold)
    return folds if folds > 1 and not predictions.overlapping_folds else None


def _repeat_of(predictions: Predictions, units: Units) -> Array:
    assert predictions.repeat is not None
    return np.asarray(engine_of(predictions).rows_of_units([units, predictions.repeat]).argmax(axis=1))

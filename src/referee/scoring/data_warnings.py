"""What a careful reader would point out about these scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import parse_call
from referee.document import counted
from referee.engines import engine_of
from referee.errors import Notice, listed
from referee.scoring.forecast_intervals import level_of
from referee.scoring.states import hidden_by_bins
from referee.scoring.time_order import FEW_PIECES, in_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from referee.arrays import Array
    from referee.predictions import Facts, Model
    from referee.scoring.metric import Metric
    from referee.scoring.score_table import Score
    from referee.scoring.scores import Scores

FEW_OF_CLASS = 20
RARE_OF_TWO = 0.1
RARE_OF_MANY = 1 / 3
"""A class with less makes accuracy misleading: of all rows, or of the equal share that each of several would have."""


def cautions(scores: Scores, class_weights: Array | None, facts: Mapping[str, Facts]) -> list[Notice]:
    """All cautions, each once, in the order of the models."""
    notices = [] if class_weights is None else list(_about_truth(scores, class_weights))
    for model in scores.predictions.models:
        notices += _about_model(scores, model, facts[model.name])
    return list(dict.fromkeys([*notices, *hidden_by_bins(scores), *guessing_without_intervals(scores)]))


def _about_truth(scores: Scores, class_weights: Array) -> Iterator[Notice]:
    predictions = scores.predictions
    shares = dict(zip(predictions.classes, (class_weights / class_weights.sum()).tolist(), strict=True))
    present = {name: share for name, share in shares.items() if share > 0}
    common, rare = max(present, key=present.__getitem__), min(present, key=present.__getitem__)
    if len(present) == 1:
        yield Notice(
            "W_ONECLASS",
            f"column {predictions.truth_column!r} holds only one class, {common!r}: "
            "metrics that compare classes are undefined",
        )
    elif present[rare] < rare_below(len(present)) and {"accuracy", "error_rate"} & {m.name for m in scores.metrics}:
        yield Notice(
            "W_IMBALANCE",
            f"class {rare!r} is rare ({present[rare]:.2%} of the rows): always predicting {common!r} has accuracy "
            f"{present[common]:.4g}; also look at balanced_accuracy, f1, average_precision or log_loss",
        )


def few_rows(scores: Scores) -> Iterator[Notice]:
    """Classes of which there are too few rows for metrics that compare classes."""
    if not scores.predictions.classes or all(metric.additive for metric in scores.metrics):
        return
    predictions = scores.predictions
    rows_of_classes = engine_of(predictions).rows_of_classes(predictions).tolist() if predictions.classes else ()
    for name, rows in zip(predictions.classes, rows_of_classes, strict=True):
        if 0 < rows < FEW_OF_CLASS:
            yield Notice(
                "W_FEWROWS",
                f"only {counted(round(rows), 'row')} of class {name!r}: intervals of metrics that compare classes are "
                "rough",
            )


def few_pieces(scores: Scores) -> Iterator[Notice]:
    """Rows in time that hold too few pieces for the intervals of some metrics."""
    rows = [row for row in scores if row.overall and row.pieces is not None]
    few = [row for row in rows if row.pieces is not None and row.pieces < FEW_PIECES]
    if not few:
        return
    least = min(row.pieces for row in few if row.pieces is not None)
    which = "" if len(few) == len(rows) else f" for {listed(dict.fromkeys(row.metric for row in few), most=3)}"
    yield Notice(
        "W_FEWPIECES",
        f"{in_pieces(least, scores.predictions.rows_seen)}{which}, and fewer than {FEW_PIECES} are few: these "
        "intervals are approximate",
    )


def rare_below(classes: int) -> float:
    return RARE_OF_TWO if classes == 2 else RARE_OF_MANY / classes


def _about_model(scores: Scores, model: Model, facts: Facts) -> Iterator[Notice]:
    place = model.place
    if facts.is_truth:
        truth = scores.predictions.truth_column
        yield Notice("W_LEAK", f"{place} is identical to the truth column {truth!r}: is it a prediction?")
    if facts.narrow_ties is not None:
        yield Notice(
            "W_PRECISION",
            f"{place} is stored as {facts.narrow_type} and has ties between scores that may differ in 64 bits "
            f"({facts.narrow_ties:,} distinct values in {facts.rows:,} rows)",
        )
    if facts.decisions_only and any(metric.ranks_only for metric in scores.metrics):
        yield Notice(
            "W_HARDLABELS",
            f"{place} gives decisions, not scores: AUC and the other ranking metrics see one threshold only",
        )
    yield from _about_certainty(scores, place, facts)
    yield from _about_intervals(scores, model)
    for row in scores:
        if row.model == model.name and row.overall:
            yield from _about_score(scores, row, place)


def _about_certainty(scores: Scores, place: str, facts: Facts) -> Iterator[Notice]:
    """Probabilities of exactly 0 or 1, which log loss cannot take as they are where they are wrong."""
    asked = [metric for metric in scores.metrics if "clip" in metric.defaults]
    if asked and facts.impossible:
        clip = (asked[0].defaults | dict(asked[0].settings))["clip"]
        yield Notice(
            "W_CLIPPED",
            f"{place}: {counted(facts.impossible, 'row')} with probability 0 for the class that came true; "
            f"{asked[0].name} "
            + (f"uses {clip:.3g} instead (clip=0 gives the exact infinity)" if clip else "is infinite"),
        )
    elif asked and facts.certain:
        yield Notice(
            "W_CERTAIN",
            f"{place}: probability 0 or 1 in {facts.certain:,} of {facts.rows:,} rows; few models can be that certain",
        )


def _about_intervals(scores: Scores, model: Model) -> Iterator[Notice]:
    """Intervals that hold more or fewer truths than they are meant to, beyond what chance explains."""
    for metric in scores.metrics if model.quantiles else ():
        level = level_of(tuple(model.quantiles or ()), metric.settings.get("level"))
        if metric.name != "interval_coverage" or level is None:
            continue
        share = scores[model.name, metric]
        if share.low is None or share.high is None or share.low <= level <= share.high:
            continue
        how = "narrow" if share.high < level else "wide"
        yield Notice(
            "W_COVERAGE",
            f"{model.place}: the intervals hold {share.value:.4g} of the truths ({share.low:.4g} to {share.high:.4g}) "
            f"but should hold {level:g}: they are too {how}",
        )


def _metric_of(scores: Scores, row: Score) -> Metric:
    """One of the metrics that were asked for, or its average over the classes."""
    asked = {metric.full_name: metric for metric in scores.metrics}
    if row.metric in asked:
        return asked[row.metric]
    name, settings = parse_call(row.metric)
    return next(metric.bind(**settings) for metric in scores.metrics if metric.name == name)


def _about_score(scores: Scores, row: Score, place: str) -> Iterator[Notice]:
    metric = _metric_of(scores, row)
    row = row if "average" in metric.settings else scores.telling(row.model, metric)
    if row.undefined and row.undefined == metric.undefined_when and "average" not in metric.settings:
        yield Notice("W_ZERODIV", f"{place}: {row.metric} is undefined: {row.undefined}")
    if metric.name == "roc_auc" and "average" not in metric.settings and row.value is not None and row.value < 0.5:
        of_one_class = scores.predictions.positive is not None
        which = "AUC" if of_one_class else "the macro average of AUC,"
        other = "is the positive class another one" if of_one_class else "are the class columns swapped"
        yield Notice(
            "W_REVERSED",
            f"{place}: {which} {row.value:.4g} is below 0.5, worse than random guessing: are the scores reversed, "
            f"or {other}? Nothing was flipped",
        )


def guessing_without_intervals(scores: Scores) -> Iterator[Notice]:
    """Rows with weights or groups are not read for the sake of guessing; of equal rows their classes say everything."""
    predictions = scores.predictions
    engine = engine_of(predictions)
    is_counted = predictions.weight_kind == "frequency" and predictions.classes and not engine.IN_BATCHES
    alike = (predictions.weight is None or is_counted) and predictions.has_independent_rows
    if predictions.has_rows or predictions.scored is not None or alike:
        return
    yield Notice(
        "W_INTERVALS",
        "no standard error or interval for guessing: with weights or groups these take the rows, which "
        f"{engine.ROWS_ARE}; {engine.TO_HAVE_ROWS}",
    )


def without_intervals(scores: Scores) -> Iterator[Notice]:
    """Values whose spread cannot be had of sums, where the rows are not in memory."""
    if scores.predictions.has_rows:
        return
    values = [row for row in scores if row.value is not None and row.unit != "mean"]
    lacking = list(dict.fromkeys(row.metric for row in values if row.standard_error is None))
    if lacking:
        engine = engine_of(scores.predictions)
        yield Notice(
            "W_INTERVALS",
            f"no standard error or interval for some values of {listed(lacking, most=3)}: these take the rows, which "
            f"{engine.ROWS_ARE}; {engine.TO_HAVE_ROWS}",
        )

"""What every model is worth by every metric on the holdout part and on the test part of every repetition."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.advice import values_by_unit
from referee.document import counted
from referee.errors import Notice, UndefinedError, listed
from referee.fitting import DataSet, Split, predictions_of, schemes
from referee.paper.subsets import decided
from referee.records import dataclass
from referee.scoring import Metric, chosen_metrics, why_not

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.predictions import Predictions

PARTS = ("holdout", "test")
FEWEST_ROWS = 10
"""Of a part."""
ROWS_TO_BE_SURE = 20
"""Of the rarest class in a part."""


@dataclass(frozen=True, eq=False)
class PartValues:
    """Values of which more is better, whatever the metric: nan where undefined."""

    whole: Array
    """On all rows of a part: (repetition, deal, part, model, metric)."""
    subsets: Array | None
    """On each of its subsets: (repetition, part, subset, model, metric)."""

    def of_metrics(self, places: Sequence[int]) -> PartValues:
        """Those of some metrics only."""
        some = None if self.subsets is None else self.subsets[..., places]
        return PartValues(self.whole[..., places], some)

    def outcomes(self, alpha: float) -> Array | None:
        """What the t-test on the subsets says of every two models: (repetition, part, pair, metric), nan if undefined.

        1 and -1 for the better one, 0 for a tie, as in the paper.
        """
        if self.subsets is None:
            return None
        pairs = combinations(range(self.subsets.shape[3]), 2)
        gains = np.stack([self.subsets[..., a, :] - self.subsets[..., b, :] for a, b in pairs], axis=3)
        by_subset = np.moveaxis(gains, 2, -1)
        known = np.isfinite(by_subset).all(axis=-1)
        return np.where(known, decided(np.where(known[..., None], by_subset, 0.0), alpha=alpha), np.nan)


def same_outcome(outcomes: Array, goal: int, evaluation: int) -> float | None:
    """How often the evaluation metric says of two models on the holdout part what the goal says on the test part.

    >>> outcomes = np.array([[[[1.0, 0.0]], [[1.0, 1.0]]], [[[0.0, 1.0]], [[1.0, np.nan]]]])
    >>> same_outcome(outcomes, 0, 0), same_outcome(outcomes, 0, 1), same_outcome(outcomes, 1, 0)
    (0.5, 0.5, 1.0)
    """
    selected, truth = outcomes[:, 0, :, evaluation], outcomes[:, 1, :, goal]
    known = np.isfinite(selected) & np.isfinite(truth)
    return float((selected == truth)[known].mean()) if known.any() else None


def refuse_bad_parts(data: DataSet, splits: Sequence[Split]) -> None:
    """Stop before fitting where a part is too small, or has one class only."""
    for split in splits:
        parts = {"train": split.train} | {part: np.concatenate(split.subsets[part]) for part in PARTS}
        for part, rows in parts.items():
            if len(rows) < FEWEST_ROWS:
                raise UndefinedError(
                    "E_TOOFEW",
                    f"the {part} part has {len(rows)} of the {data.rows:,} rows: at least {FEWEST_ROWS} are needed",
                    hint="use more rows, or other shares: --train and --holdout",
                )
            present = np.unique(data.target[rows])
            if data.classes and len(present) < 2:
                rare = min(data.classes, key=lambda name: int((data.target == data.classes.index(name)).sum()))
                raise UndefinedError(
                    "E_ONECLASS",
                    f"the {part} part of repetition {split.repeat} holds only rows of {data.classes[present[0]]!r}: "
                    f"class {rare!r} has too few rows for three parts",
                    hint="collect more rows of that class, or merge rare classes",
                )


def few_rows(data: DataSet, splits: Sequence[Split]) -> tuple[Notice, ...]:
    """The warning that a part has too few rows, of the rarer class where there are classes, to say much."""
    amounts = {part: min(_rarest(data, np.concatenate(split.subsets[part])) for split in splits) for part in PARTS}
    part = min(amounts, key=lambda name: amounts[name])
    if amounts[part] >= ROWS_TO_BE_SURE:
        return ()
    has = f"the {part} part has {counted(amounts[part], 'row')}{' of the rarest class' if data.classes else ''}"
    if amounts[part] < FEWEST_ROWS:
        return (
            Notice("W_FEWROWS", f"{has}: which model is best there is chance, and nothing can be said about metrics"),
        )
    return (Notice("W_APPROXIMATE", f"{has}: costs, regrets and gains are approximate below {ROWS_TO_BE_SURE}"),)


def _rarest(data: DataSet, rows: Array) -> int:
    """How many of these rows are of the rarest class."""
    return int(np.bincount(data.target[rows], minlength=len(data.classes)).min()) if data.classes else len(rows)


def predictions_of_parts(data: DataSet, splits: Sequence[Split], names: Sequence[str], records: Any) -> Predictions:
    """What every model says of the holdout and test rows of every repetition, one below the other."""
    predictions = predictions_of(data, splits, names, records)
    sizes = [len(split.test) for split in splits]
    means = [float(data.target[split.train].mean()) for split in splits]
    baseline = np.repeat(means, sizes) if data.task == "regression" else None
    return replace(predictions, fold=None, repeat=None, example=None, group=None, baseline=baseline, notices=())


def applicable_metrics(predictions: Predictions, asked: Any) -> tuple[Metric, ...]:
    """The metrics that were asked for, or all that every model has."""
    facts = predictions.facts
    chosen = chosen_metrics(predictions, asked)
    left_out = {
        metric: reason
        for metric in chosen
        for model in predictions.models
        if (reason := why_not(metric, model, facts[model.name]))
    }
    kept = tuple(metric for metric in chosen if metric not in left_out)
    if not kept or (asked is not None and left_out):
        metric, reason = next(iter(left_out.items()))
        raise UndefinedError("E_NOSCORE", f"{metric.full_name} cannot be computed for all models: it {reason}")
    return kept


def part_values(
    predictions: Predictions, data: DataSet, splits: Sequence[Split], metrics: Sequence[Metric], deals: int,
    *, seed: int, with_subsets: bool,
) -> PartValues:  # fmt: skip
    """All values of all models on both parts in every deal, and on the subsets of the first one."""
    subsets = len(splits[0].subsets[PARTS[0]])
    codes = np.concatenate([_subset_of_rows(split, subsets) for split in splits])
    sizes = [len(split.test) for split in splits]
    numbered = codes + np.repeat(2 * subsets * np.arange(len(splits)), sizes)
    first = numbered // subsets
    dealt = [dealt_anew(data, split, deals - 1, seed) for split in splits]
    anew = (np.concatenate(parts) + np.repeat(2 * np.arange(len(splits)), sizes) for parts in zip(*dealt, strict=True))
    by_deal = [values_by_unit(predictions, metrics, parts, 2 * len(splits)) for parts in (first, *anew)]
    whole = np.stack([each.reshape(len(splits), len(PARTS), *each.shape[1:]) for each in by_deal], axis=1)
    each = values_by_unit(predictions, metrics, numbered, 2 * subsets * len(splits)) if with_subsets else None
    return PartValues(whole, None if each is None else each.reshape(len(splits), len(PARTS), subsets, *each.shape[1:]))


def dealt_anew(data: DataSet, split: Split, deals: int, seed: int) -> list[Array]:
    """For each deal, which part each row that is not trained on is in: shares, classes and groups are kept."""
    if not deals:
        return []
    rows = split.test
    share = round(sum(map(len, split.subsets[PARTS[1]])) / len(rows), 4)
    scheme = schemes["random_subsampling"](splits=deals, test=share)
    own = int(np.random.SeedSequence([seed % 2**64, split.repeat]).generate_state(1)[0])
    groups = None if data.group is None else data.group.codes[rows]
    labels = np.array(data.classes)[data.target[rows]] if data.classes else None
    parts = []
    for deal in scheme.splits(rows[:, None], labels, groups, seed=own):
        part = np.zeros(len(rows), np.int64)
        part[deal.test] = 1
        parts.append(part)
    return parts


def _subset_of_rows(split: Split, subsets: int) -> Array:
    """For each row that is not trained on, its part and subset as one number."""
    order = np.argsort(split.test, kind="stable")
    codes = np.empty(len(split.test), np.int64)
    for number, part in enumerate(PARTS):
        for place, rows in enumerate(split.subsets[part]):
            codes[order[np.searchsorted(split.test, rows, sorter=order)]] = number * subsets + place
    return codes


def telling(whole: Array, metrics: Sequence[Metric]) -> tuple[list[int], list[str]]:
    """Metrics that tell models apart and are mostly defined, by place; and what is to be said of the others."""
    undefined = np.isnan(whole).any(axis=(2, 3)).mean(axis=(0, 1))
    flat = [_is_flat(whole[..., place]) for place in range(len(metrics))]
    kept = [place for place in range(len(metrics)) if undefined[place] <= 0.5 and not flat[place]]
    vague = [metric.full_name for place, metric in enumerate(metrics) if undefined[place] > 0.5]
    same = [metric.full_name for place, metric in enumerate(metrics) if undefined[place] <= 0.5 and flat[place]]
    said = [f"left out because undefined in most repetitions: {listed(vague)}"] if vague else []
    return kept, said + ([f"left out because the same for all models: {listed(same)}"] if same else [])


def _is_flat(values_of_metric: Array) -> bool:
    """Whether all models always have the same value."""
    known = values_of_metric[~np.isnan(values_of_metric).any(axis=(2, 3))]
    return not len(known) or bool(np.all(np.ptp(known, axis=-1) <= 1e-12 * np.abs(known).max()))

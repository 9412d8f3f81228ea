"""All pairs of models at once: the size of each difference, and how large the largest of them is by chance."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import quantile_of
from referee.document import with_progress
from referee.records import dataclass
from referee.scoring import PairMoments, normal_quantile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.comparing.comparison import Comparison
    from referee.comparing.contest import Contest

FEW_MODELS, SOME_MODELS = 20, 500
DRAWS, FEWER_DRAWS, FEWEST_DRAWS = 20_000, 5_000, 1_000
"""Of the values of equal models: with up to 20 models, up to 499, and more."""
AT_ONCE = 1 << 17
"""Numbers that are compared together, so that they stay in the processor's cache."""
ROUNDING = 1e-12
LEAST_P = 5e-324


def draws_for(models: int) -> int:
    """How many draws say what chance does.

    >>> draws_for(20), draws_for(134), draws_for(2000)
    (20000, 5000, 1000)
    """
    return DRAWS if models <= FEW_MODELS else FEWER_DRAWS if models < SOME_MODELS else FEWEST_DRAWS


def random_numbers(seed: int) -> np.random.Generator:
    """A stream of its own for each seed, whatever its sign."""
    return np.random.Generator(np.random.Philox(key=seed % 2**64))


def normal_draws(covariance: Array, generator: np.random.Generator, draws: int = DRAWS) -> Array:
    """Values that equal models might show: normal, with the covariance of theirs."""
    sizes, directions = np.linalg.eigh(covariance)
    independent = generator.standard_normal((draws, len(sizes)))
    return np.asarray(independent * np.sqrt(np.clip(sizes, 0, None)) @ directions.T)


@dataclass(frozen=True, eq=False)
class AllPairs:
    """How clearly each model beats each other one, and draws of what chance makes of equal models."""

    names: tuple[str, ...]
    z: Array
    """The difference of two models as a normal quantile, by its own p: above 0 where the first is the better one."""
    scale: Array
    """What a difference of two draws is multiplied by to be a normal quantile; 0 where two models never differ."""
    draws: Array
    """Model by draw."""
    alpha: float

    def among(self, names: Sequence[str]) -> AllPairs:
        """The same of some of the models."""
        places = np.array([place for place, name in enumerate(self.names) if name in names])
        both = np.ix_(places, places)
        kept = tuple(self.names[place] for place in places)
        return replace(self, names=kept, z=self.z[both], scale=self.scale[both], draws=self.draws[places])

    @cached_property
    def critical(self) -> float:
        """What the largest |z| of all pairs has to exceed."""
        return self.largest_by_chance(np.ones_like(self.z))

    def largest_by_chance(self, open_pairs: Array) -> float:
        """The 1 - alpha quantile of the largest |z| of some pairs; of a single one it is the normal distribution's."""
        scale = np.where(np.triu(open_pairs), self.scale, 0.0).astype(self.draws.dtype)
        if np.count_nonzero(scale) <= 1:
            return normal_quantile(1 - self.alpha / 2)
        largest = np.zeros(self.draws.shape[1], self.draws.dtype)
        together = max(1, AT_ONCE // len(self.names))
        rows = [(place, np.flatnonzero(scale[place])) for place in range(len(self.names))]
        starts = range(0, len(largest), together)
        for start in with_progress(starts, f"comparing {len(self.names):,} models"):
            part = slice(start, start + together)
            drawn = np.ascontiguousarray(self.draws[:, part])
            for place, others in rows:
                if len(others):
                    apart = drawn[others]
                    apart -= drawn[place]
                    np.abs(apart, out=apart)
                    apart *= scale[place, others, None]
                    np.maximum(largest[part], apart.max(axis=0), out=largest[part])
        return quantile_of(largest, 1 - self.alpha)

    def step_down(self) -> tuple[Array, float]:
        """Who beats whom, with probability 1 - alpha nobody wrongly, and the critical |z| of the pairs that are left.

        The pairs beyond the quantile of the largest are told apart; that of the others is smaller, and so on
        (Romano and Wolf, 2005).
        """
        beaten, size = np.zeros(self.z.shape, bool), np.abs(self.z)
        critical = self.critical
        while (new := (size > critical) & ~beaten).any():
            beaten |= new
            if not (size[~beaten] > 0).any():
                break
            critical = self.largest_by_chance(~beaten)
        return beaten & (self.z > 0), critical

    def confidence_set(self, order: Sequence[str]) -> tuple[list[str], float]:
        """The models that may be the best, and the critical |z| of the pairs among them.

        The model that is beaten most clearly is dropped, the one that comes later in `order`, as long as the largest
        |z| of all pairs is too large for chance (Hansen, Lunde and Nason, 2011). As the quantile of fewer pairs is
        never larger, it is found anew only where the last one is not exceeded.
        """
        rank = {name: place for place, name in enumerate(order)}
        kept, critical, is_exact = np.ones(len(self.names), bool), self.critical, True
        for a, b in _largest_first(np.abs(self.z)):
            if not (kept[a] and kept[b]):
                continue
            size = abs(self.z[a, b])
            if not size > critical and not is_exact:
                critical, is_exact = self.largest_by_chance(np.outer(kept, kept)), True
            if not size > critical:
                break
            kept[max(a, b, key=lambda place: rank[self.names[place]])] = False
            is_exact = False
        return [name for name, is_kept in zip(self.names, kept, strict=True) if is_kept], critical


def _largest_first(size: Array) -> list[list[int]]:
    """Pairs of places, and of equal sizes the last."""
    first, second = np.triu_indices(len(size), 1)
    first, second = first[::-1], second[::-1]
    order = np.argsort(-size[first, second], kind="stable")
    return np.stack([first[order], second[order]], axis=1).tolist()


def size_as_z(p: float | None) -> float:
    """A two-sided p as the normal quantile that it belongs to; 0 where there is none."""
    return 0.0 if p is None else -normal_quantile(max(p / 2, LEAST_P))


def all_pairs(contest: Contest, comparisons: Mapping[frozenset[str], Comparison]) -> AllPairs | None:
    """From the comparisons where every pair was tested, else from what the rows add to each value.

    None where a test has no p, or the values have no finite spread.
    """
    names = tuple(sorted(contest.values))
    covariance = contest.covariance
    comparisons = {pair: tested for pair, tested in comparisons.items() if pair.issubset(contest.values)}
    if any(pair.p is None and not pair.undefined for pair in comparisons.values()) or not np.isfinite(covariance).all():
        return None
    complete = len(comparisons) >= len(names) * (len(names) - 1) // 2
    z = np.zeros(covariance.shape) if complete else _from_spread(contest, names, covariance)
    place = {name: number for number, name in enumerate(names)}
    for pair in comparisons.values():
        a, b = place[pair.a], place[pair.b]
        z[a, b] = _signed(pair, contest.design.better)
        z[b, a] = -z[a, b]
    z[_without_answer(names, comparisons, complete)] = 0.0
    draws = normal_draws(covariance, random_numbers(contest.design.seed), draws_for(len(names)))
    kind = np.float64 if len(names) <= FEW_MODELS else np.float32
    return AllPairs(names, z, _scale(covariance), np.ascontiguousarray(draws.T, kind), contest.design.alpha)


def _signed(pair: Comparison, better: str) -> float:
    if pair.p is None or pair.undecided:
        return 0.0
    is_first = pair.outcome == "a" or (pair.winner is None and ((pair.difference or 0) >= 0) == (better == "higher"))
    return size_as_z(pair.p) * (1 if is_first else -1)


def _without_answer(names: Sequence[str], comparisons: Mapping[frozenset[str], Comparison], complete: bool) -> Array:
    """Pairs that no test can be trusted with; where only those with the best one are known, all of the other one's."""
    silent = np.zeros((len(names), len(names)), bool)
    if complete:
        return silent
    met: dict[str, list[Comparison]] = {name: [] for name in names}
    for pair in comparisons.values():
        met[pair.a].append(pair)
        met[pair.b].append(pair)
    doubtful = np.array([_has_no_answer(met[name]) for name in names])
    return silent | doubtful | doubtful[:, None]


def _has_no_answer(pairs: Sequence[Comparison]) -> bool:
    return bool(pairs) and all(pair.undecided or pair.undefined for pair in pairs)


def _scale(covariance: Array) -> Array:
    """One over the standard error of each difference; of models that predict the same only rounding is left."""
    own = np.diag(covariance)
    of_both = own[:, None] + own
    variance = of_both - 2 * covariance
    apart = variance > ROUNDING * of_both
    return np.where(apart, 1 / np.sqrt(np.where(apart, variance, 1.0)), 0.0)


def _from_spread(contest: Contest, names: Sequence[str], covariance: Array) -> Array:
    """Each pair's t as a normal quantile; `df` are its own where rows are compared."""
    values = np.array([contest.values[name] for name in names])
    apart = (values[:, None] - values) * (1 if contest.design.better == "higher" else -1)
    scale = _scale(covariance)
    t = np.where(np.isfinite(apart), apart, 0.0) * scale
    z = t_as_z(t, _degrees_of_freedom(contest))
    rows = contest.contenders[names[0]].rows_that_count if contest.by_rows else 0.0
    constant = np.where((scale == 0) & np.isfinite(apart), np.sign(apart), 0.0)
    return np.asarray(z + constant * size_as_z(min(1.0, 2 * 0.5 ** (rows if isfinite(rows) else 0.0))))


def t_as_z(t: Array, df: Array | float) -> Array:
    """Each t as the normal quantile with the same p."""
    from scipy.special import ndtri, stdtr

    return np.asarray(-np.sign(t) * ndtri(np.maximum(stdtr(df, -np.abs(t)), LEAST_P)))


def _degrees_of_freedom(contest: Contest) -> Array | float:
    """Of rows and groups each pair's own; pieces of time and of units are as good as normal."""
    if contest.sums_rows:
        return contest.summed(PairMoments.of(contest.predictions, contest.metric).df)
    pieces = contest.pieces
    if contest.by_rows and contest.predictions.time is None:
        return kurtosis_df(np.stack(pieces))
    return float(len(pieces[0])) if contest.by_rows else max(1.0, len(pieces[0]) - 1.0)


def kurtosis_df(pieces: Array) -> Array:
    """Degrees of freedom of the difference of any two models by the kurtosis of its pieces: 2 n / (kurtosis - 1)."""
    models, rows = pieces.shape
    squares, fourths = np.zeros((models, models)), np.zeros((models, models))
    together = max(1, AT_ONCE // models)
    for start in with_progress(range(0, rows, together), f"comparing {models:,} models"):
        part = np.ascontiguousarray(pieces[:, start : start + together])
        for place in range(models - 1):
            apart = part[place + 1 :] - part[place]
            apart *= apart
            squares[place, place + 1 :] += apart.sum(axis=1)
            fourths[place, place + 1 :] += np.einsum("ij,ij->i", apart, apart)
    with np.errstate(all="ignore"):
        kurtosis = rows * fourths / squares**2
        df = np.where(kurtosis > 1, 2 * rows / (kurtosis - 1), np.inf)
    df = np.clip(np.where(np.isnan(df), 1.0, df), 1.0, max(1.0, rows - 1.0))
    return np.triu(df, 1) + np.triu(df, 1).T + np.eye(models)

"""RegretMap: what choosing a model on few rows costs, by the goal itself and by other metrics; where each is better."""

from __future__ import annotations

from contextlib import closing, nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee import __version__
from referee.comparing import FEWEST_OF_CLASS, INDEX_METRICS, RAREST_SHARE, Prior
from referee.document import Document, Progress, Result
from referee.errors import ModelError, UsageError
from referee.fitting import Failure, Limits, Store, saying_how_to_go_on
from referee.fitting import run as run_units
from referee.paper.candidates import CANDIDATES, SETS
from referee.paper.datasets import NAMES, load
from referee.paper.populations import Problem, bundled_problems, populations
from referee.paper.regret_draws import INDEX, SELECTORS, SEVEN, SIZES, TIES, Drawing, Unit, learned_covariances
from referee.records import dataclass
from referee.scoring import quantile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.paper.populations import Population

ADVICE = "advice"
GOALS = tuple(INDEX_METRICS[place] for place in SEVEN)
"""That are shown: of costs, only the usual one."""
LEAST_COIN = 0.001
"""Where a random choice costs less, there is nothing to choose."""
SPREADS = ("alike", "middle", "unlike")
"""Terciles of how unlike the candidates are calibrated."""
SHARES = {"rare (below 20%)": (0.0, 0.2), "20 to 40%": (0.2, 0.4), "even (above 40%)": (0.4, 1.0)}
"""Of the positive class."""
FEWEST_SOURCES = 5
"""For a prior: with fewer it does harm."""


class World(NamedTuple):
    """One set of candidates on one split of one problem."""

    problem: str
    source: str
    split: int
    candidates: str
    kind: str
    prevalence: float
    rows: int
    spread: float


class Level(NamedTuple):
    """A mean over sources, and its 95% interval for other sources."""

    value: float
    low: float
    high: float
    sources: int


def level_of(by_source: Array) -> Level:
    """Each source counts the same; without an interval where there is one.

    >>> level_of(np.array([0.1, 0.3, np.nan])).sources
    2
    """
    known = by_source[np.isfinite(by_source)]
    if not len(known):
        return Level(np.nan, np.nan, np.nan, 0)
    mean = float(known.mean())
    error = float(known.std(ddof=1)) / len(known) ** 0.5 if len(known) > 1 else np.nan
    reach = quantile(0.975, len(known) - 1) * error if len(known) > 1 else np.nan
    return Level(mean, mean - reach, mean + reach, len(known))


@dataclass(frozen=True, eq=False, repr=False)
class RegretMap(Result):
    """Expected regret (0 an oracle's, 1 a coin's) by goal, by what one chooses by, and by holdout rows."""

    worlds: tuple[World, ...]
    costs: Array
    """(world, size, goal, selector): nan where the population has fewer rows."""
    coins: Array
    """(world, goal)."""
    errors: Array
    """Mean squared errors of the estimated advantages: (world, size, goal, estimate)."""
    optimism: Array
    prior: Prior
    draws: int
    splits: int
    seed: int
    held_out: tuple[str, ...] = ()
    """Sources that the prior is not learned from."""

    @property
    def command(self) -> str:
        return "study"

    @cached_property
    def regrets(self) -> Array:
        """Costs over a coin's; nan where there is nothing to choose."""
        coins = np.where(self.coins >= LEAST_COIN, self.coins, np.nan)
        return np.asarray(self.costs / coins[:, None, :, None])

    @cached_property
    def sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(world.source for world in self.worlds))

    def chosen_by(self, selector: str, goal: str) -> Array:
        """The regret in every world by holdout rows: (world, size).

        `goal` as selector is the goal itself; `advice` the index where it advises, else the goal, exact ties by Brier.
        """
        if selector == ADVICE:
            served = self.is_served & (goal in self.prior.advised)
            return np.where(served, self.chosen_by(INDEX, goal), self.chosen_by(TIES, goal))
        name = goal if selector == "goal" else selector
        return np.asarray(self.regrets[:, :, INDEX_METRICS.index(goal), SELECTORS.index(name)])

    @cached_property
    def is_served(self) -> Array:
        """Whether a holdout set has enough rows of the rarer class, on average, and this is not too rare."""
        shares = np.array([min(world.prevalence, 1 - world.prevalence) for world in self.worlds])[:, None]
        return np.asarray((shares * np.array(SIZES) >= FEWEST_OF_CLASS) & (shares >= RAREST_SHARE))

    def gain(self, selector: str, goal: str) -> Array:
        """The regret beyond that of choosing by the goal itself, in every world: below 0 is better."""
        return np.asarray(self.chosen_by(selector, goal) - self.chosen_by("goal", goal))

    def levels(self, values: Array, where: Array | None = None) -> list[Level]:
        """For every number of rows, the mean over sources of what is given for every world: (world, size)."""
        some = np.ones(len(self.worlds), bool) if where is None else where
        owners = np.array([world.source for world in self.worlds])
        means = [_mean(values[some & (owners == source)]) for source in self.sources]
        return [level_of(column) for column in np.array(means).T]

    def of_kind(self, kind: str | None) -> Array:
        """Which worlds have such candidates; without a kind, all that have more than two."""
        return np.array([world.kind == kind if kind else world.kind != "two" for world in self.worlds])

    def of_spread(self, name: str) -> Array:
        """Which worlds have candidates that are calibrated so (un)like each other."""
        spreads = np.array([world.spread for world in self.worlds])
        low, high = np.quantile(spreads, (1 / 3, 2 / 3))
        place = np.digitize(spreads, (low, high))
        return np.asarray((place == SPREADS.index(name)) & self.of_kind(None))

    def of_share(self, name: str) -> Array:
        """Which worlds have so common a positive class."""
        low, high = SHARES[name]
        shares = np.array([world.prevalence for world in self.worlds])
        return np.asarray((shares >= low) & (shares < high) & self.of_kind(None))

    def of_sources(self, *, held_out: bool) -> Array:
        """Which worlds are of sources that the prior was not learned from, or of the others."""
        chosen = np.array([(world.source in self.held_out) == held_out for world in self.worlds])
        return np.asarray(chosen & self.of_kind(None))

    @property
    def sentence(self) -> str:
        from referee.paper.regret_map_document import map_sentence

        return map_sentence(self)

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (nothing in it is long)
        from referee.paper.regret_map_document import map_document

        return map_document(self)

    def records(self) -> list[dict[str, Any]]:
        """The mean regret and its interval, by goal, selector, kind of candidates and rows."""
        return [
            {"goal": goal, "chosen_by": selector, "candidates": kind, "rows": rows, **level._asdict()}
            for goal in GOALS
            for selector in (*GOALS, *SELECTORS[len(INDEX_METRICS) :], ADVICE)
            for kind in dict.fromkeys(world.kind for world in self.worlds)
            for rows, level in zip(SIZES, self.levels(self.chosen_by(selector, goal), self.of_kind(kind)), strict=True)
            if level.sources
        ]

    def by_problem(self) -> dict[str, dict[str, list[float | None]]]:
        """The regret of choosing by the goal itself on each problem, by goal, for every number of rows that it has."""
        owners = np.array([world.problem for world in self.worlds])
        return {
            name: {
                goal: [round(float(value), 5) if np.isfinite(value) else None for value in _mean(regrets)]
                for goal in GOALS
                for regrets in [self.chosen_by("goal", goal)[(owners == name) & self.of_kind(None)]]
            }
            for name in dict.fromkeys(world.problem for world in self.worlds)
        }

    def to_dict(self) -> dict[str, Any]:
        from referee.paper.regret_advice import evidence_records

        return {
            "sentence": self.sentence,
            "sources": list(self.sources),
            "held_out": list(self.held_out),
            "problems": sorted({world.problem for world in self.worlds}),
            "by_problem": self.by_problem(),
            "draws": self.draws,
            "splits": self.splits,
            "seed": self.seed,
            "candidates": list(CANDIDATES),
            "regret": [_rounded(record) for record in self.records()],
            "advice": [_rounded(each) for each in evidence_records(self)],
            "prior": self.prior.to_dict(),
        }


def _rounded(record: dict[str, Any]) -> dict[str, Any]:
    return {
        name: (round(value, 5) if np.isfinite(value) else None) if isinstance(value, float) else value
        for name, value in record.items()
    }


def _mean(values: Array) -> Array:
    """Over worlds, of those that have a value; nan where none has."""
    known = np.isfinite(values)
    amount = known.sum(axis=0)
    return np.where(amount > 0, np.where(known, values, 0.0).sum(axis=0) / np.maximum(amount, 1), np.nan)


def regret_map(
    data: str | Path | Mapping[str, Problem] | None = None,
    *,
    data_sets: Sequence[str] = NAMES,
    held_out: Mapping[str, Problem] | None = None,
    splits: int = 2,
    draws: int = 40,
    seed: int = 0,
    jobs: int = 1,
    store: str | Path | None = None,
    download: bool = False,
    quiet: bool = True,
) -> RegretMap:
    """Fit many candidates on every problem once, draw holdout sets of their predictions, and see what choosing costs.

    `data` is the folder of the paper's data sets, beside which stand five that need no file, or problems of your own by
    name; the prior of the selection index is learned from these, for each source without itself, and also tested on
    `held_out` ones. With a folder as `store`, a run that was interrupted goes on.
    """
    problems = dict(data) if not isinstance(data, str | Path | None) else _of_paper(data, data_sets, download, quiet)
    extra = dict(held_out or {})
    sources = {problem.source for problem in problems.values()}
    if len(sources) < FEWEST_SOURCES + 1:
        raise UsageError(
            "E_DATASET",
            f"the regret map learns from other sources: {FEWEST_SOURCES} besides each one, and there are "
            f"{len(sources)}",
            hint="name more data sets",
        )
    folder = None if store is None else Path(store)
    limits = Limits(jobs, quiet=quiet)
    fitted = populations(problems | extra, splits, seed=seed, folder=folder and folder / "fits", limits=limits)
    by_unit = {Unit(each.problem, each.split): each for each in fitted}
    new = tuple(dict.fromkeys(problem.source for problem in extra.values()))
    prior, priors = _priors(by_unit, new)
    work = Drawing(by_unit, priors, draws, seed)
    records = _drawn(work, jobs, folder and folder / "draws", quiet)
    return _mapped(work, records, Prior(INDEX_METRICS, tuple(sorted(sources)), prior), splits, new)


def _of_paper(folder: Any, names: Sequence[str], download: bool, quiet: bool) -> dict[str, Problem]:
    """The paper's data sets, and those that need no file: five sources beside each one are needed."""
    own = {name: Problem(load(name, folder, download=download, quiet=quiet), name) for name in names}
    return own | bundled_problems()


def _priors(
    by_unit: Mapping[Unit, Population], held_out: Sequence[str]
) -> tuple[dict[str, Array], dict[str, dict[str, Array]]]:
    """What is learned from all sources but those that are held out, and for each source without itself."""
    worlds = [
        (each.source, *world)
        for each in by_unit.values() if each.source not in held_out
        for world in each.true_covariances()
    ]  # fmt: skip
    whole = learned_covariances(worlds)
    sources = dict.fromkeys(each.source for each in by_unit.values())
    return whole, {name: whole if name in held_out else learned_covariances(worlds, name) for name in sources}


def _drawn(work: Drawing, jobs: int, folder: Path | None, quiet: bool) -> dict[Unit, Any]:
    """The record of every population; with a folder, go on where an earlier run has ended."""
    units = list(work.populations)
    identity = {"data": work.fingerprint, "configuration": work.configuration, "version": __version__}
    with nullcontext() if folder is None else Store(folder, identity | {"seed": str(work.seed)}) as store:
        kept = set() if store is None else set(store.keys())
        records: dict[Unit, Any] = {unit: store.load(str(unit)) for unit in units if store and str(unit) in kept}
        missing = [unit for unit in units if unit not in records]
        progress = Progress(len(units), "drawing populations", already=len(records), quiet=quiet)
        with saying_how_to_go_on(folder, records, "population"):
            _draw(missing, work, records, store, progress, jobs)
    return records


def _draw(
    units: Sequence[Unit], work: Drawing, records: dict[Unit, Any], store: Store | None, progress: Progress, jobs: int
) -> None:
    if not units:
        return
    results: Any = run_units(units, work, jobs=min(jobs, len(units)))
    with progress, closing(results) as outcomes:
        for unit, outcome in outcomes:
            if isinstance(outcome, Failure):
                raise ModelError("E_MODEL", f"{unit}: {outcome.message}")
            records[unit] = outcome
            if store is not None:
                store.save(str(unit), outcome)
            progress.advance(str(unit))


def _mapped(
    work: Drawing, records: Mapping[Unit, Any], prior: Prior, splits: int, held_out: tuple[str, ...]
) -> RegretMap:
    units = list(work.populations)
    worlds = [
        World(unit.problem, each.source, unit.split, chosen.name, chosen.kind, each.prevalence, each.rows,
              float(records[unit]["spread"][number]))
        for unit in units
        for each in [work.populations[unit]]
        for number, chosen in enumerate(SETS)
    ]  # fmt: skip
    from referee.paper.regret_advice import with_advice

    costs, coins, errors, optimism = (np.concatenate([records[unit][key] for unit in units]) for key in KEYS)
    mapped = RegretMap(tuple(worlds), costs, coins, errors, optimism, prior, work.draws, splits, work.seed, held_out)
    return with_advice(mapped)


KEYS = ("costs", "coins", "errors", "optimism")

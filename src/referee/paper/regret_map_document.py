"""What is shown of a regret map: where the goal itself is best to choose by, where a proper score is, and the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.comparing import INDEX_GOALS, INDEX_METRICS
from referee.document import Cell, Column, Document, Part, counted, name_cell, table
from referee.paper.candidates import KINDS
from referee.paper.regret_advice import CLEAR_LOSS, LARGEST_LOSS, evidence
from referee.paper.regret_draws import AVERAGE, BY_KIND, ESTIMATES, INDEX, PAPER, SELECTORS, SEVEN, SIZES, TIES, UNBOUND
from referee.paper.regret_map import ADVICE, SHARES, SPREADS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from referee.arrays import Array
    from referee.document import Cells
    from referee.paper.regret_advice import Evidence
    from referee.paper.regret_map import Level, RegretMap

SHOWN = {
    "accuracy": "accuracy", "f_beta": "F1", "roc_auc": "AUC", "balanced_accuracy": "balanced accuracy",
    "expected_cost(fn=5)": "cost, misses times 5", "log_loss(clip=1e-06)": "log loss", "brier": "Brier",
}  # fmt: skip
"""The seven goals, as they are spoken of."""
DECIDED = ("accuracy", "f_beta", "balanced_accuracy", "expected_cost(fn=5)")
"""Goals that a threshold enters."""
SERVED = (*DECIDED, "roc_auc")
"""Goals that the index is made for."""
COMPARED = {"goal": "the goal itself", TIES: "the goal, exact ties by Brier", "brier": "Brier", "log_loss(clip=1e-06)":
            "log loss", "roc_auc": "AUC", AVERAGE: "average of seven, in standard errors", INDEX: "selection index",
            ADVICE: "the index where referee gives it",
            BY_KIND: "index, kind of candidates known", UNBOUND: "index, significantly worse ones too"}  # fmt: skip
ABOUT_MAP = (
    "the regret of choosing by Brier minus that of choosing by the goal itself, below 0 where Brier is better; bold "
    "where the 95% interval over sources excludes 0; in brackets, the regret of the goal itself"
)
ABOUT_SPREAD = (
    "how differently the candidates are calibrated: the spread of Murphy's reliability over that of the Brier score, "
    "in "
    "thirds; goals accuracy, F1, balanced accuracy and cost together"
)
ABOUT_INDEX = (
    "goals accuracy, F1, balanced accuracy, cost and AUC; difference: to the goal itself over all rows up to 500, with "
    "its 95% interval over sources; worst: the largest difference of a goal, kind of candidates and number of rows up "
    "to 500, and how many of these are above 0.02"
)
ABOUT_ESTIMATE = (
    "how far the estimated advantages over the candidates' mean are from the true ones: mean squared error over that "
    "of the raw differences (geometric mean); optimism: by how much the chosen model is thought better than it is, in "
    "hundredths of accuracy"
)
ABOUT_BEST = (
    "regret, 0 for an oracle and 1 for a coin, and its 95% interval over sources, for candidates of all kinds but two "
    "models; the best other metric is the one with the smallest mean over these rows, seen afterwards"
)
ABOUT_OPEN = "mean over the seven goals / the worst of them; average: of the seven, each in its standard errors"
ABOUT_ADVICE = (
    "change: of regret on up to 500 rows by choosing by the index instead of the best value, exact ties by Brier (in "
    "brackets: instead of the best value, exact ties at random), below 0 where the index is better, with its 95% "
    "interval over sources; worst: of the kinds of candidates and numbers of rows. Only where the classes are not too "
    "rare. The index advises where, on the sources that it was learned from, each left out, the change is below 0 with "
    f"its whole interval, the worst is at most {LARGEST_LOSS:g}, and no kind of case has an interval above "
    f"{CLEAR_LOSS:g}"
)


def map_document(regret_map: RegretMap) -> Document:
    parts = [
        best_part(regret_map),
        *(_map_part(regret_map, kind) for kind in KINDS),
        _levels_part(regret_map, "Calibration", ABOUT_SPREAD, {name: regret_map.of_spread(name) for name in SPREADS}),
        _levels_part(regret_map, "Share of the positive class", "the same, by how common that class is",
                     {name: regret_map.of_share(name) for name in SHARES}),
        *_selectors(regret_map),
        _advice_part(regret_map),
        _estimates(regret_map),
        _open_goal(regret_map),
    ]  # fmt: skip
    about = (
        f"{counted(len({world.problem for world in regret_map.worlds}), 'problem')} from "
        f"{counted(len(regret_map.sources), 'source')}, {counted(regret_map.splits, 'training set')} of each, "
        f"{counted(regret_map.draws, 'holdout set')} of every size; regret is 0 for an oracle and 1 for a coin"
    )
    return Document("study", map_sentence(regret_map), tuple(parts), about=about)


def map_sentence(regret_map: RegretMap) -> str:
    """What each camp has wrong."""
    every = regret_map.of_kind(None)
    right = regret_map.levels(regret_map.gain("brier", "accuracy"), every)
    better = [rows for rows, level in zip(SIZES, right, strict=True) if level.high < 0]
    worse = {
        goal: [rows for rows, level in zip(SIZES, regret_map.levels(regret_map.gain("brier", goal), every), strict=True)
               if level.low > 0]
        for goal in DECIDED[1:]
    }  # fmt: skip
    brier = (
        f"accuracy is better chosen by Brier than by itself on holdout sets of up to {max(better):,} rows"
        if better
        else "Brier is nowhere clearly better for accuracy than accuracy itself"
    )
    itself = ", ".join(f"{SHOWN[goal]} from {min(rows):,} rows on" for goal, rows in worse.items() if rows)
    served = f"the goal itself is clearly better for {itself}" if itself else "no goal is clearly better by itself"
    return f"{_of_both_camps(brier, served, wins=(bool(better), bool(itself)))}. {_of_index(regret_map)}"


def _of_both_camps(brier: str, served: str, *, wins: tuple[bool, bool]) -> str:
    """What Brier's camp and the goal's camp may claim, if these sources let them.

    >>> _of_both_camps("Brier is nowhere better", "no goal is better by itself", wins=(False, False))
    'These sources do not settle it: Brier is nowhere better, and no goal is better by itself'
    """
    match wins:
        case True, True:
            return (
                f"Both camps are right somewhere: {brier}, so the goal is not always the best metric to select by; "
                f"but {served}, so no proper score replaces it"
            )
        case True, False:
            return f"The goal is not always the best metric to select by: {brier}; {served}"
        case False, True:
            return f"No proper score replaces the goal: {served}; {brier}"
    return f"These sources do not settle it: {brier}, and {served}"


def _of_index(regret_map: RegretMap) -> str:
    """What the index is worth beyond the goal, exact ties by Brier, on up to 500 rows."""
    few, apart = SIZES.index(500) + 1, _mean_of(regret_map, ADVICE, SERVED) - _mean_of(regret_map, "goal", SERVED)
    ties = _mean_of(regret_map, TIES, SERVED) - _mean_of(regret_map, "goal", SERVED)
    where = {"sources": regret_map.of_kind(None)}
    if regret_map.held_out:
        where = {"sources that it was learned from, each left out": regret_map.of_sources(held_out=False),
                 "sources that nothing was learned from": regret_map.of_sources(held_out=True)}  # fmt: skip
    said = []
    for name, some in where.items():
        index, brier = (
            regret_map.levels(np.nanmean(each[:, :few], axis=1, keepdims=True), some)[0] for each in (apart, ties)
        )
        said.append(
            f"{index.value:+.3f} on {index.sources} {name} (breaking exact ties by Brier alone: {brier.value:+.3f})"
        )
    return f"The selection index changes the goal's regret on up to 500 rows by {' and '.join(said)}."


def _sizes(kind: str = "") -> list[Column | str]:
    return [kind, *(f"{rows:,} rows" for rows in SIZES)]


def _difference(level: Level, own: Level) -> Cell:
    if not level.sources:
        return Cell("–")
    sure = level.low > 0 or level.high < 0
    return Cell(f"{level.value:+.2f}", level.value, "best" if sure else "", f"({own.value:.2f})")


def _map_part(regret_map: RegretMap, kind: str) -> Part:
    where = regret_map.of_kind(kind)
    rows: list[Cells] = [
        [name, *map(_difference, regret_map.levels(regret_map.gain("brier", goal), where),
                    regret_map.levels(regret_map.chosen_by("goal", goal), where))]
        for goal, name in SHOWN.items() if goal != "brier"
    ]  # fmt: skip
    title = f"Brier or the goal itself: {KINDS[kind]}"
    return Part(title, (table(f"map-{kind}", _sizes("goal"), rows, remarks=(ABOUT_MAP,)),))


def best_other(regret_map: RegretMap, goal: str) -> str:
    """The metric, not the goal, that chooses best for it over all numbers of rows."""
    means = {other: [level.value for level in own_levels(regret_map, other, goal)] for other in SHOWN if other != goal}
    return min(means, key=lambda other: float(np.nanmean(means[other])))


def own_levels(regret_map: RegretMap, selector: str, goal: str) -> list[Level]:
    """By number of rows, the regret of choosing by a metric, or by `goal`."""
    return regret_map.levels(regret_map.chosen_by(selector, goal), regret_map.of_kind(None))


def best_part(regret_map: RegretMap) -> Part:
    """The goal itself and its best substitute: what the chart draws."""
    rows: list[Cells] = []
    for goal, name in SHOWN.items():
        for selector in ("goal", best_other(regret_map, goal)):
            levels = own_levels(regret_map, selector, goal)
            rows.append([name_cell(name), name_cell(SHOWN.get(selector, "itself")), *map(_with_interval, levels)])
    columns = ["goal", *_sizes("chosen by")]
    return Part("The goal itself or the best other metric", (table("best", columns, rows, remarks=(ABOUT_BEST,)),))


def _with_interval(level: Level) -> Cell:
    if not level.sources:
        return Cell("–")
    return Cell(f"{level.value:.2f}", level.value, small=f"[{level.low:.2f}, {level.high:.2f}]")


def _levels_part(regret_map: RegretMap, title: str, remark: str, groups: dict[str, Array]) -> Part:
    """Brier, and the index, against the goal itself in parts of the worlds."""
    own = _mean_of(regret_map, "goal", DECIDED)
    gains = {selector: _mean_of(regret_map, selector, DECIDED) - own for selector in SHORT}
    rows: list[Cells] = [
        [f"{name}: {short}", *map(_difference, regret_map.levels(gains[by], where), regret_map.levels(own, where))]
        for name, where in groups.items()
        for by, short in SHORT.items()
    ]
    said = f"{remark}; numbers as above"
    return Part(title, (table(title.lower().replace(" ", "-"), _sizes(), rows, remarks=(said,)),))


SHORT = {"brier": "Brier", INDEX: "index"}


def _mean_of(regret_map: RegretMap, selector: str, goals: Iterable[str]) -> Array:
    """The mean over goals in every world: (world, size)."""
    with np.errstate(invalid="ignore"):
        every = np.stack([regret_map.chosen_by(selector, goal) for goal in goals])
    known = np.isfinite(every).any(axis=0)
    return np.where(known, np.nansum(every, axis=0) / np.maximum(np.isfinite(every).sum(axis=0), 1), np.nan)


def _selectors(regret_map: RegretMap) -> Iterator[Part]:
    groups = {"": regret_map.of_kind(None)}
    if regret_map.held_out:
        groups = {
            ", on sources that the prior was learned from, each left out": regret_map.of_sources(held_out=False),
            ", on sources that nothing was learned from": regret_map.of_sources(held_out=True),
        }
    for key, (title, where) in zip(("selectors", "held-out"), groups.items(), strict=False):
        rows: list[Cells] = [[name, *_selector(regret_map, selector, where)] for selector, name in COMPARED.items()]
        columns = [*_sizes("chosen by"), "difference", "worst", "above 0.02"]
        owners = {world.source for world, chosen in zip(regret_map.worlds, where, strict=True) if chosen}
        said = f"{ABOUT_INDEX}; {counted(len(owners), 'source')}"
        shown = table(key, columns, rows, remarks=(said,), longest_name=40)
        yield Part(f"What to choose by{title}", (shown,))


def _selector(regret_map: RegretMap, selector: str, where: Array) -> Iterator[Cell]:
    own = _mean_of(regret_map, "goal", SERVED)
    held = _mean_of(regret_map, selector, SERVED)
    for level in regret_map.levels(held, where):
        yield Cell(f"{level.value:.3f}", level.value) if level.sources else Cell("–")
    few = SIZES.index(500) + 1
    apart = (held - own)[:, :few]
    together = regret_map.levels(np.nanmean(apart, axis=1, keepdims=True), where)[0]
    yield Cell(f"{together.value:+.3f}", together.value, small=f"[{together.low:+.3f}, {together.high:+.3f}]")
    cells = worst_cells(regret_map, selector, where)
    yield Cell(f"{max(cells):+.3f}", max(cells))
    yield Cell(f"{sum(value > 0.02 for value in cells)} of {len(cells)}")


def worst_cells(regret_map: RegretMap, selector: str, where: Array) -> list[float]:
    """The differences to the goal itself of every goal, kind of candidates and number of rows up to 500."""
    few = SIZES.index(500) + 1
    return [
        level.value
        for goal in SERVED
        for kind in ("tuning", "unlike", "mixed")
        for level in regret_map.levels(regret_map.gain(selector, goal), where & regret_map.of_kind(kind))[:few]
        if level.sources
    ]


def _advice_part(regret_map: RegretMap) -> Part:
    """For which goals the index is better than the best value, so that it may advise in a tie."""
    groups = (False, True) if regret_map.held_out else (False,)
    rows: list[Cells] = []
    for goal in INDEX_GOALS:
        measured = [evidence(regret_map, goal, held_out=held_out) for held_out in groups]
        cells = [cell for each in measured for cell in (_change(each), Cell(f"{each.worst:+.3f}", each.worst))]
        advises = "yes" if goal in regret_map.prior.advised else "no"
        rows.append([name_cell(SHOWN[goal]), *cells, Cell(advises)])
    named = ("sources that it was learned from, each left out", "other sources")[: len(groups)]
    columns = ["goal", *(name for group in named for name in (f"{group}: change", "worst")), "the index advises"]
    return Part("Advice in a tie", (table("advice", columns, rows, remarks=(ABOUT_ADVICE,)),))


def _change(measured: Evidence) -> Cell:
    change, own = measured.change, measured.against_goal
    interval = f"[{change.low:+.3f}, {change.high:+.3f}] ({own.value:+.3f})"
    return Cell(f"{change.value:+.3f}", change.value, small=interval)


def _estimates(regret_map: RegretMap) -> Part:
    """Mean squared error and optimism of the advantages that are expected."""
    every = regret_map.of_kind(None)
    rows: list[Cells] = []
    places = [INDEX_METRICS.index(goal) for goal in SERVED]
    for number, name in enumerate(ESTIMATES):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.log(regret_map.errors[..., number] / regret_map.errors[..., 0])[..., places]
        ratios = np.where(np.isfinite(ratios), ratios, np.nan)
        levels = regret_map.levels(_nanmean(ratios), every)
        cells = [Cell(f"{np.exp(level.value):.2f}", float(np.exp(level.value))) for level in levels if level.sources]
        rows.append([f"squared error: {ESTIMATE_NAMES[name]}", *cells])
    for number, name in enumerate(ESTIMATES):
        levels = regret_map.levels(100 * regret_map.optimism[:, :, INDEX_METRICS.index("accuracy"), number], every)
        cells = [Cell(f"{level.value:.2f}", level.value) for level in levels if level.sources]
        rows.append([f"optimism: {ESTIMATE_NAMES[name]}", *cells])
    return Part("Expected advantage on new rows", (table("estimates", _sizes(), rows, remarks=(ABOUT_ESTIMATE,)),))


ESTIMATE_NAMES = {"raw": "raw difference", INDEX: "index", BY_KIND: "index, kind known"}


def _nanmean(values: Array) -> Array:
    known = np.isfinite(values)
    amount = known.sum(axis=-1)
    return np.where(amount > 0, np.where(known, values, 0.0).sum(axis=-1) / np.maximum(amount, 1), np.nan)


def open_goal_regrets(regret_map: RegretMap, selector: str) -> list[list[float]]:
    """Of choosing by one metric, or the average, for all: the regret of each goal, by number of rows."""
    every = regret_map.of_kind(None)
    by_goal = [regret_map.levels(regret_map.chosen_by(selector, INDEX_METRICS[goal]), every) for goal in SEVEN]
    return [[level.value for level in levels] for levels in zip(*by_goal, strict=True)]


def _open_goal(regret_map: RegretMap) -> Part:
    """Which one metric serves goals that are not known yet."""
    rows: list[Cells] = []
    averages = {AVERAGE: "average", PAPER: "the paper's average"}
    for selector, name in (averages | {name: shown for name, shown in SHOWN.items() if name in SELECTORS}).items():
        by_size = open_goal_regrets(regret_map, selector)
        cells = [Cell(f"{np.mean(each):.2f} / {max(each):.2f}", float(np.mean(each))) for each in by_size]
        rows.append([name_cell(name), *cells])
    return Part("While the goal is undecided", (table("open-goal", _sizes("chosen by"), rows, remarks=(ABOUT_OPEN,)),))

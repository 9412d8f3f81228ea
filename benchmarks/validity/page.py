"""docs/validity.md, from the results alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from benchmarks.validity import refits
from benchmarks.validity.cell import (
    CLAIM,
    CLEAN_WINNER,
    CORRECTED,
    FITTED,
    FLIP,
    HOLDS,
    KEEPS_ALL,
    KEEPS_ONE,
    RAW,
    SIGNIFICANT,
)
from benchmarks.validity.exceptions import exceptions, percent
from benchmarks.validity.rates import data_sets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from benchmarks.validity.cell import Cell
    from benchmarks.validity.rates import Rate, Tested

INTRODUCTION = """\
# Validity: how often a verdict is wrong
Equally good models, simulated again and again: in what share of all data sets is one of them named the winner? Every
data set is decided at alpha 0.05 by the rules of `referee.compare`, or the test by its name. Written by `make validity`
from benchmarks/validity/results.jsonl; every cell of the grid (benchmarks/validity/grid.py) was written down before its
first data set was drawn, each has its own seed, and no rate is conditioned on a statistic.

**Promised**: a clean verdict names a false winner in at most 7% of the data sets of every cell. A cell breaks this if
it lies above 7% by more than two Monte Carlo standard errors (2,000 data sets tell 5% to within 1.0), or if it lies
above 7% and so do fresh data sets (up to 1,000) that are then drawn; it is then **bold**, and stands under Exceptions.

A cell reads *clean + approximate (undecided)*: in so many percent of all data sets a clean verdict names a winner, in
so many an approximate one, and in so many nobody can be named; what is 0 is left out. Tests that were asked for by name
have the share of data sets with p below alpha, whatever a verdict would make of it.
"""
BESIDE = """\
Simulated elsewhere: repeated looks ([looks.md](simulations/looks.md)), seeds
([seed_tests.md](simulations/seed_tests.md)), groups of many kinds ([group_tests.md](simulations/group_tests.md)), time
in many worlds ([time_tests.md](simulations/time_tests.md)), groups left out in pairs
([procedure_tests.md](simulations/procedure_tests.md)), tiers and ranks ([tiers.md](simulations/tiers.md)), planned
power ([planned_power.md](simulations/planned_power.md)), signs of false winners on log loss
([rare_surprises.md](simulations/rare_surprises.md)).
"""


def page(results: Sequence[Tested], cells: Sequence[Cell], agreed: Sequence[dict[str, Any]]) -> str:
    lines = [INTRODUCTION, *_agreement(agreed), *_progress(results, cells), *exceptions(results)]
    for section in SECTIONS:
        lines += section(results)
    return "\n".join([*lines, BESIDE]).rstrip() + "\n"


def _agreement(agreed: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Of `referee.compare` and the decision alone, which is what most data sets went through."""
    if not agreed:
        return
    cells_by_sets = Counter(each["sets"] for each in agreed)
    looked_at = " and the first ".join(
        f"{sets:,} of each of {cells_by_sets[sets]:,}" for sets in sorted(cells_by_sets, reverse=True)
    )
    stored = [each["stored_sets"] for each in agreed if each["stored_sets"]]
    differ = sum(each["differ"] + each["stored_differ"] for each in agreed)
    again = f", and the first {min(stored):,} of {len(stored):,} of these had done so before" if stored else ""
    yield (
        "Most data sets are only decided, many at once where rows are independent, and not put into words. The first "
        f"{looked_at}\ncells also went through `referee.compare` itself{again}: "
        f"{differ or 'none'} of their\noutcomes, doubts and winners differ, and p by at most "
        f"{max(each['p'] for each in agreed):.0e} (`python -m benchmarks.validity agreement`).\n"
    )


def _progress(results: Sequence[Tested], cells: Sequence[Cell]) -> Iterator[str]:
    """How many data sets the cells have, until all have as many as planned."""
    done = data_sets(results)
    short = [cell for cell in cells if done[cell.name] < cell.sets]
    if not short:
        return
    yield f"**Not complete**: {len(short):,} of {len(cells):,} cells have fewer data sets than planned.\n"
    yield "| part | cells | in full | in part | data sets of these | not yet |\n|---|--:|--:|--:|--:|--:|"
    for part in dict.fromkeys(cell.part for cell in cells):
        inside = [cell for cell in cells if cell.part == part]
        some = [done[cell.name] for cell in inside if 0 < done[cell.name] < cell.sets]
        full, none = (len([cell for cell in inside if test(cell)]) for test in (
            lambda cell: done[cell.name] >= cell.sets, lambda cell: not done[cell.name],
        ))  # fmt: skip
        span = f"{min(some):,} to {max(some):,}" if some else ""
        yield f"| {part} | {len(inside)} | {full} | {len(some)} | {span} | {none} |"
    yield ""


def decimal(rate: Rate) -> str:
    return f"{rate.mean:+.4f} ± {rate.error:.4f}"


def table(
    results: Iterable[Tested],
    titles: Sequence[str],
    row: Callable[[Tested], tuple[str, ...]],
    column: Callable[[Tested], str],
    shown: Callable[[Tested], str] = lambda each: each.in_short,
) -> list[str]:
    """A line for each row heading, in the order in which they came; empty where something was not measured."""
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for each in results:
        lines.setdefault(row(each), {})[column(each)] = shown(each)
    columns = sorted({name for line in lines.values() for name in line}, key=_natural)
    head = ["| " + " | ".join([*titles, *columns]) + " |", "|" + "---|" * len(titles) + "--:|" * len(columns)]
    body = [
        "| " + " | ".join([*heading, *(line.get(name, "") for name in columns)]) + " |"
        for heading, line in sorted(lines.items())
    ]
    return [*head, *body, ""]


def _natural(name: str) -> list[tuple[int, float, str]]:
    """Numbers in names by their size."""
    words = name.replace(",", "").replace("%", "").split()
    return [(0, float(word), "") if word.replace(".", "", 1).isdigit() else (1, 0.0, word) for word in words]


def _part(results: Sequence[Tested], *parts: str, equal: bool = True) -> list[Tested]:
    return [each for each in results if each.cell.part in parts and each.cell.equal == equal]


def _rows(results: Sequence[Tested]) -> Iterator[str]:
    own = [each for each in _part(results, "rows") if each.is_own]
    yield (
        "## One test set: verdicts\n- *same shape*: both models see the same signal with independent noise of the same "
        "size\n- *different shape*: one has heavy-tailed noise, and from 20% positives on overconfident, leaning "
        "probabilities;\n  its noise makes the true values of the metric equal\n- *same family*: 95% of the noise is "
        "shared\n- *five scores only*: probabilities 0.1, 0.3 ... 0.9\n- *few calls*: decisions at different operating "
        "points with the same true value\n"
    )
    for null in dict.fromkeys(each.cell.null for each in own):
        chosen = [each for each in own if each.cell.null == null]
        yield f"### {null[0].upper()}{null[1:]}\n"
        yield from table(chosen, ("metric",), lambda each: (each.cell.metric,), lambda each: each.cell.place)
    yield (
        "## Numbers\nErrors are scaled so that the true values of the metric are equal. Root mean squared errors stand "
        "everywhere, mae and r2 at every\nfourth place of a diagonal pattern.\n"
    )
    numbers = _part(results, "numbers")
    yield from table(
        numbers, ("errors", "metric"), lambda each: (each.cell.null, each.cell.metric), lambda each: each.cell.place
    )


def _named(results: Sequence[Tested]) -> Iterator[str]:
    yield (
        "## One test set: tests by name\nMcNemar's and DeLong's tests wherever their metric stands; tests that draw "
        "random numbers at three settings, under one null each.\n"
    )
    named = [each for each in _part(results, "rows") if not each.is_own]
    yield from table(
        named, ("test", "metric", "null"),
        lambda each: (each.test, each.cell.metric, each.cell.null), lambda each: each.cell.place,
    )  # fmt: skip
    yield "### Power in one setting\nThe first model sees less noise (0.7 vs 1.0), n = 300, 50% positive.\n"
    power = _part(results, "rows", equal=False)
    yield from table(
        power, ("test",), lambda each: (each.test,), lambda each: each.cell.metric,
        lambda each: percent(each.rates[SIGNIFICANT]),
    )  # fmt: skip
    yield "### Equal subsets of the rows\n"
    yield from table(
        _part(results, "subsets"), ("test", "metric"), lambda each: (each.test, each.cell.metric),
        lambda each: each.cell.place, lambda each: percent(each.rates[SIGNIFICANT]),
    )  # fmt: skip
    yield "Pairs of partitions of the same rows, of which one names a winner and the other does not, in %:\n"
    flips = [each for each in _part(results, "subsets", equal=False) if FLIP in each.rates]
    yield from table(
        flips, ("test", "metric"), lambda each: (each.test, each.cell.metric), lambda each: each.cell.place,
        lambda each: percent(each.rates[FLIP]),
    )  # fmt: skip


def _dependent(results: Sequence[Tested]) -> Iterator[str]:
    yield (
        "## Groups\nAbout ten rows of each group, which moves each model's scores by an amount of its own; unequal "
        "sizes are lognormal.\n"
    )
    yield from table(
        _part(results, "groups"), ("metric",), lambda each: (each.cell.metric,), lambda each: each.cell.place
    )
    yield "## Time\nErrors of each model that are rho times those before, plus something new; compared with `--time`.\n"
    yield from table(
        _part(results, "time"), ("test", "metric", "errors"),
        lambda each: (each.test, each.cell.metric, each.cell.null), lambda each: each.cell.place,
    )  # fmt: skip


def _refits(results: Sequence[Tested]) -> Iterator[str]:
    yield (
        "## Resampling with refits\nThe same learner on two halves of the features that are alike: the procedures are "
        "equal by symmetry. 30 splits, with the overlap\ncounted 1.5 times (`correction=1.5`), are the choice of "
        "`select`.\n"
    )
    every = [each for each in _part(results, "refits") if CLAIM not in each.rates and not _is_file(each.cell)]
    for scheme in dict.fromkeys(_scheme(each.cell) for each in every):
        yield f"### {scheme}\n"
        chosen = [each for each in every if _scheme(each.cell) == scheme]
        yield from table(chosen, ("test", "learner"), lambda each: (each.test, _learner(each.cell)),
                         lambda each: each.cell.metric)  # fmt: skip
    yield "### Power\nThe features of one procedure tell more.\n"
    power = [each for each in _part(results, "refits", equal=False) if each.test in COMPARED]
    yield from table(
        power, ("learner", "metric"), lambda each: (f"{_learner(each.cell)}, {each.cell.null}", each.cell.metric),
        lambda each: each.test, lambda each: percent(each.rates[SIGNIFICANT]),
    )  # fmt: skip
    yield "### Claims\nProcedures that differ by the margin itself, which are called equal, or no worse, in %:\n"
    claims = [each for each in _part(results, "refits") if CLAIM in each.rates]
    yield from table(claims, ("test", "learner"), lambda each: (each.test, _learner(each.cell)),
                     lambda each: each.cell.metric, lambda each: percent(each.rates[CLAIM]))  # fmt: skip


def _is_file(cell: Cell) -> bool:
    return cell.part == "refits" and _scheme(cell) == refits.OUT_OF_FOLD


def _files(results: Sequence[Tested]) -> Iterator[str]:
    yield (
        "## Out-of-fold files\nA verdict on a file of out-of-fold predictions is on the fitted models, and says so. "
        "It is measured by that question first: how often,\nin %, the 95% interval holds the difference that the "
        "fitted models have on new rows. Between fitted models that are equal, a winner is\nnamed in as many as it "
        "misses: a row is tested by one model and trains nine others, which row errors do not know of. In brackets: "
        "files\nwhose winner is the worse one on new rows.\n"
    )
    fitted = _part(results, FITTED, equal=False)
    yield from table(fitted, ("learner",), lambda each: (each.cell.place,), lambda each: each.cell.metric,
                     lambda each: f"{percent(each.rates[HOLDS])} ({100 * each.rates[CLAIM].mean:.1f})")  # fmt: skip
    yield (
        "Another question is which *procedure* is better, trained again on other rows. Between equal procedures, the "
        "verdict on the fitted models names\na winner in so many % of the files, and with twice the variance of the "
        "rows, which is shown beside it for the procedures, in so many:\n"
    )
    files = [each for each in _part(results, "refits") if _is_file(each.cell)]
    yield from table(files, ("variance", "learner"), lambda each: (FILES[each.test], _learner(each.cell)),
                     lambda each: each.cell.metric)  # fmt: skip


FILES = {"influence": "of the rows", refits.TWICE: "twice that of the rows"}
COMPARED = (refits.PLAIN, refits.LARGER, "leave_two_out_t")


def _scheme(cell: Cell) -> str:
    return cell.place.partition(" rows, ")[2]


def _learner(cell: Cell) -> str:
    return f"{cell.place.partition(' rows, ')[0]} rows"


def _data_sets(results: Sequence[Tested]) -> Iterator[str]:
    yield (
        "## Several data sets\nTwo equal models (five for the tests of many), with the same noise on every data set or "
        "with noise that differs 20-fold; *better*: by\n0.02 on every data set, where the rate is the power.\n"
    )
    every = [each for each in results if each.cell.part == "data sets" and CLAIM not in each.rates]
    yield from table(
        every, ("test",), lambda each: (each.test,), lambda each: f"{each.cell.place}, {each.cell.null}",
        lambda each: percent(each.rates[SIGNIFICANT]),
    )  # fmt: skip
    claims = [each for each in _part(results, "data sets") if CLAIM in each.rates]
    yield "Models that differ by the margin itself, which are called equal, or no worse, in %:\n"
    yield from table(
        claims, ("test",), lambda each: (each.test,), lambda each: f"{each.cell.place}, {each.cell.null}",
        lambda each: percent(each.rates[CLAIM]),
    )  # fmt: skip


def _many(results: Sequence[Tested]) -> Iterator[str]:
    yield "## Several equal models\nThe tie set should keep all of them in 95%.\n"
    every = _part(results, "many models")
    for measure in (CLEAN_WINNER, KEEPS_ALL, KEEPS_ONE):
        yield f"{measure[0].upper()}{measure[1:]}, in %:\n"
        yield from table(
            every, ("metric",), lambda each: (each.cell.metric,), lambda each: each.cell.place,
            lambda each, measure=measure: percent(each.rates[measure]),
        )  # fmt: skip


def _best_of_many(results: Sequence[Tested]) -> Iterator[str]:
    yield "## The score of the best of many models\nAccuracy 0.8 on 200 rows.\n"
    every = _part(results, "corrected score", equal=False)
    for measure, shown in ((RAW, decimal), (CORRECTED, decimal), (HOLDS, percent)):
        yield f"{measure[0].upper()}{measure[1:]}:\n"
        yield from table(
            every, ("models",), lambda each: (each.cell.null,), lambda each: each.cell.place,
            lambda each, measure=measure, shown=shown: shown(each.rates[measure]),
        )  # fmt: skip


def _intervals(results: Sequence[Tested]) -> Iterator[str]:
    yield "## Intervals of a difference\nHow often, in %, the 95% interval holds the true difference of two models.\n"
    every = _part(results, "intervals", equal=False)
    yield from table(every, ("metric",), lambda each: (each.cell.metric,), lambda each: each.cell.place,
                     lambda each: percent(each.rates[HOLDS]))  # fmt: skip


SECTIONS = (_rows, _named, _dependent, _refits, _files, _data_sets, _many, _best_of_many, _intervals)

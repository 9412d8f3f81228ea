"""docs/validity.md, from the results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.validity import measuring as m
from benchmarks.validity import optimism, repartitions, several_models, splits
from benchmarks.validity.judging import exceptions, promise
from benchmarks.validity.rows import BETTER_RANKED
from benchmarks.validity.sentences import sentences
from benchmarks.validity.tables import as_named, decimal, percent, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.validity.measuring import Result

INTRODUCTION = """\
# Validity: how often the tests are wrong
Rates in percent over simulated data sets at alpha = 0.05, with their Monte-Carlo standard error, written by
`make validity` ({data_sets:,} data sets in most cells, fewer where it takes long: benchmarks/validity/results.json has
every number). Between equal models a valid test names a winner in 5% of the cases. `(default)` is what referee
chooses by itself; where such a choice leaves what is promised, it is marked (!) and named under Exceptions.

Promised of the defaults: 2 to 7% false winners on rows (where the test has at least 10 degrees of freedom, below which
the verdict says that it is approximate) and on data sets, at most 7% on splits and among several models; the tie set
keeps the equal models in at least 93%; intervals hold the true difference in 93 to 97%.
"""


def page(results: Sequence[Result]) -> str:
    sections = (
        _exceptions,
        _rows,
        _subsets,
        _groups,
        _splits,
        _out_of_fold,
        _data_sets,
        _several,
        _optimism,
        _intervals,
        _sentences,
    )
    most = max((result.data_sets for result in results), default=0)
    lines = [INTRODUCTION.format(data_sets=most)]
    for section in sections:
        lines += section(results)
    return "\n".join(lines).rstrip() + "\n"


def _of(results: Sequence[Result], part: str, *measures: str) -> list[Result]:
    return [result for result in results if result.part == part and result.measure in measures]


def _exceptions(results: Sequence[Result]) -> Iterator[str]:
    yield "## Exceptions"
    found = exceptions(results)
    for result in found:
        low, high = promise(result) or (0.0, 1.0)
        yield (
            f"- {result.test}: {result.measure} {percent(result)}% in {result.place}; promised {100 * low:g} to "
            f"{100 * high:g}%"
        )
    yield "" if found else "None.\n"


def _rows(results: Sequence[Result]) -> Iterator[str]:
    yield "## One test set\n"
    rows = _of(results, "rows", m.FALSE_WINNER)
    for situation, told in {
        "same shape": "Exchangeable null: both models see the same signal with independent noise of the same size.",
        "different shape": "Asymmetric null: the second model has heavy-tailed noise, and where 40% are positive also "
        "overconfident, leaning probabilities; its noise is such that the true values of the metric are equal.",
    }.items():
        yield f"### False winners, {situation}\n{told}\n"
        chosen = [result for result in rows if result.situation == situation]
        yield from table(
            chosen, ("test", "subsets", "metric"), lambda r: (as_named(r), r.design, r.metric), lambda r: r.setting
        )
    yield "### Degrees of freedom of the row test\nThe table above leaves out data sets with fewer than 10.\n"
    yield from table(
        _of(results, "rows", m.FALSE_WINNER_ANY_DF, m.SHARE_LOW_DF),
        ("metric", "null", "share of data sets"),
        lambda r: (r.metric, r.situation, r.measure),
        lambda r: r.setting,
    )
    yield "### Power in one setting\nThe first model sees less noise (0.7 against 1.0).\n"
    power = [result for result in _of(results, "rows", m.POWER) if result.situation == BETTER_RANKED]
    yield from table(power, ("test", "subsets"), lambda r: (r.test, r.design), lambda r: r.metric)


def _subsets(results: Sequence[Result]) -> Iterator[str]:
    low, high = repartitions.CLOSE
    yield "### Subsets dealt out again"
    yield "Share of pairs of partitions of the same rows, of which one names a winner and the other one does not;"
    yield f"close: the row test's p is between {low} and {high}.\n"
    yield from table(
        _of(results, "subsets dealt again", m.FLIP, m.FLIP_IF_CLOSE),
        ("test", "subsets", "metric"),
        lambda r: (r.test, r.design, r.metric),
        lambda r: r.measure,
    )


def _groups(results: Sequence[Result]) -> Iterator[str]:
    yield (
        "### Rows in groups\nEach group moves the scores of each model by an amount of its own. Measured by "
        "Student's t on the sums of the groups with\nG - 1 degrees of freedom; "
        "[group_tests.md](simulations/group_tests.md) has the rates of the test that compares groups now.\n"
        "Others: rows in time ([time_tests.md](simulations/time_tests.md)), items scored with several seeds "
        "([seed_tests.md](simulations/seed_tests.md)), tiers and ranks ([tiers.md](simulations/tiers.md)), repeated "
        "looks ([looks.md](simulations/looks.md)), planned and achieved power "
        "([planned_power.md](simulations/planned_power.md)).\n"
    )
    yield from table(
        _of(results, "groups", m.FALSE_WINNER),
        ("test", "group", "metric"),
        lambda r: (as_named(r), r.design, r.metric),
        lambda r: r.setting,
    )


def _splits(results: Sequence[Result]) -> Iterator[str]:
    yield "## Resampling with refits"
    yield "The same learner on two halves of the features that are alike: the procedures are equal by symmetry.\n"
    for measure in (m.FALSE_WINNER, m.FALSE_CLAIM):
        if measure == m.FALSE_CLAIM:
            margins = ", ".join(f"{metric} {margin}" for metric, margin in splits.MARGINS.items())
            yield f"Claims about procedures that differ by the margin itself ({margins}):\n"
        yield from table(
            sorted(_of(results, "splits", measure), key=lambda r: r.design != splits.RANDOM.name),
            ("scheme", "test"),
            lambda r: (r.design, as_named(r)),
            lambda r: f"{r.setting.partition(',')[0]}, {r.metric}",
        )


def _out_of_fold(results: Sequence[Result]) -> Iterator[str]:
    yield "### Out-of-fold rows of unstable learners"
    yield "Cross-validated once and compared row by row, as a file of out-of-fold predictions is.\n"
    yield from table(
        _of(results, "out-of-fold rows", m.FALSE_WINNER),
        ("test", "metric"),
        lambda r: (as_named(r), r.metric),
        lambda r: r.setting,
    )


def _data_sets(results: Sequence[Result]) -> Iterator[str]:
    yield "## Several data sets"
    yield "Two equal models, and five for the tests of many; values with the same noise on every data set, or with"
    yield "noise that differs 20-fold. True winner: a model that is better by 0.02 on every data set.\n"
    yield from table(
        _of(results, "data sets", *m.ERRORS, m.POWER),
        ("test", "measure"),
        lambda r: (as_named(r) if r.measure != m.POWER else r.test, r.measure),
        lambda r: f"{r.setting}, {r.situation}",
    )


def _several(results: Sequence[Result]) -> Iterator[str]:
    yield "## Several equal models\n"
    measures = (m.FALSE_WINNER, several_models.KEEPS_ALL, several_models.KEEPS_ONE)
    yield from table(
        _of(results, "several models", *measures),
        ("rule", "values", "measure"),
        lambda r: (
            r.test,
            r.metric if r.metric == several_models.GAUSSIAN else f"{r.metric}, {r.situation}",
            r.measure,
        ),
        lambda r: r.setting,
    )


def _optimism(results: Sequence[Result]) -> Iterator[str]:
    yield "## The score of the best of many models"
    yield f"Accuracy {optimism.ACCURACY} on {optimism.ROWS} rows.\n"
    biases = _of(results, "corrected score", optimism.RAW, optimism.CORRECTED)
    yield from table(biases, ("models",), lambda r: (f"{r.setting}, {r.situation}",), lambda r: r.measure, decimal)
    holds = _of(results, "corrected score", optimism.HOLDS)
    yield from table(holds, ("models",), lambda r: (f"{r.setting}, {r.situation}",), lambda r: r.measure)


def _intervals(results: Sequence[Result]) -> Iterator[str]:
    yield "## Intervals of a difference"
    yield "How often the 95% interval of the row test holds the true difference of two models that do differ.\n"
    found = _of(results, "intervals of a difference", m.COVERAGE)
    yield from table(found, ("metric",), lambda r: (r.metric,), lambda r: r.setting)


def _sentences(results: Sequence[Result]) -> Iterator[str]:
    yield "## Each test in one sentence"
    for test, sentence in sentences(results).items():
        yield f"- `{test}`: {sentence}"

"""What was done, in words to paste into a paper: written from what was recorded, and claiming no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee import __version__
from referee.design import IN_WORDS
from referee.report.scores.shown import level
from referee.significance import tests
from referee.verdict.sentence import certainty, p_value
from referee.wording import counted, number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.verdict import Verdict

ADJUSTED = {
    "holm": "Holm's method", "hochberg": "Hochberg's method", "bh": "the method of Benjamini and Hochberg",
    "bonferroni": "Bonferroni's method",
}  # fmt: skip
OF_ADJUSTMENTS = {
    "holm": "Holm, A simple sequentially rejective multiple test procedure, Scand J Stat 6 (1979)",
    "hochberg": "Hochberg, A sharper Bonferroni procedure for multiple tests of significance, Biometrika 75 (1988)",
    "bh": "Benjamini and Hochberg, Controlling the false discovery rate, JRSS B 57 (1995)",
}

RULE = (
    "A winner is named where the model with the best value is significantly better (p below alpha, unadjusted) than "
    "every other one; otherwise the models are named that cannot be told apart from the best."
)


def methods_text(verdict: Verdict) -> str:
    """A paragraph on data, models, metric, design, test and result."""
    return " ".join(_sentences(verdict))


def references_of(verdict: Verdict) -> list[str]:
    """What the test, the metric, the scheme and the adjustment rest on."""
    found = [*verdict.test.references, *verdict.goal.references]
    if verdict.across is not None:
        found += [*tests["iman_davenport"].references, *tests["nemenyi"].references]
    if verdict.selection is not None:
        from referee.scheme import schemes

        name = verdict.selection.scheme.partition("(")[0]
        found += schemes[name].references if name in schemes else ()
    if len(verdict.comparisons) > 1 and verdict.adjustment in OF_ADJUSTMENTS:
        found.append(OF_ADJUSTMENTS[verdict.adjustment])
    return list(dict.fromkeys(found))


def _sentences(verdict: Verdict) -> Iterator[str]:
    predictions, goal = verdict.predictions, verdict.goal
    models = f"{len(verdict.values):,} models" if len(verdict.values) > 2 else "Two models"
    yield f"{models} were compared on {goal.title} ({goal.full_name}; {goal.better} is better)"
    yield f"using their predictions of {counted(predictions.rows, 'row')}{_truth(verdict)}."
    yield from _fitted(verdict)
    yield f"The design is {IN_WORDS[verdict.design.kind]}."
    yield from _tested(verdict)
    yield from _margin(verdict)
    yield RULE
    yield from _found(verdict)
    yield f"Computed with referee {__version__}, seed {verdict.seed}."
    yield "When the goal was named is not recorded; if it was after looking at results, no error rate is claimed."


def _truth(verdict: Verdict) -> str:
    predictions = verdict.predictions
    if predictions.positive is None:
        return f" of {len(predictions.classes):,} classes" if predictions.classes else ""
    name = one_line(predictions.classes[predictions.positive])
    matrix = next(iter(verdict.scores.confusion.values()))
    share = matrix.sum(axis=1)[predictions.positive] / matrix.sum()
    return f" ({100 * share:.1f} % of class {name!r}, the positive one)"


def _fitted(verdict: Verdict) -> Iterator[str]:
    selection = verdict.selection
    if selection is None:
        return
    yield f"All models were fitted on the same {counted(selection.splits, 'split')} ({selection.scheme})."
    if selection.failures:
        yield f"{counted(len(selection.failures), 'further model')} failed and had no part in the comparison."


def _tested(verdict: Verdict) -> Iterator[str]:
    units = verdict.comparisons[0].units
    of_units = f" on {counted(units, verdict.design.unit)}" if units else ""
    yield (
        f"Differences were tested with {_the(verdict.test.title)} ({verdict.test.full_name}){of_units}, two-sided, "
        f"alpha = {verdict.alpha:g}, with {level(verdict.alpha)} intervals of the differences."
    )
    if len(verdict.comparisons) > 1 and verdict.adjustment in ADJUSTED:
        yield (
            f"p values of single pairs were adjusted for {counted(len(verdict.comparisons), 'comparison')} by "
            f"{ADJUSTED[verdict.adjustment]}."
        )


def _the(title: str) -> str:
    return title if "'s " in title else f"the {title[0].lower() + title[1:] if title[1:2].islower() else title}"


def _margin(verdict: Verdict) -> Iterator[str]:
    if verdict.margin is not None:
        yield (
            f"A difference of {number(verdict.margin)} was named as the one that matters, and differences were held "
            "against it by two one-sided tests."
        )


def _found(verdict: Verdict) -> Iterator[str]:
    best, second = verdict.best, verdict.runner_up
    found = verdict.comparison(best, second)
    if found.difference is None:
        yield f"The comparison was undefined: {found.undefined}."
        return
    values = f"{one_line(best)} had {number(verdict.values[best])}, {one_line(second)} {number(verdict.values[second])}"
    yield f"{values}; they differ by {certainty(found)}."
    if (one := verdict.corrected) is not None:
        yield (
            f"Corrected for having been chosen as the best, {one_line(one.model)} has {number(one.value)} "
            f"({level(verdict.alpha)} simultaneous interval {number(one.low)} to {number(one.high)})."
        )
    if verdict.outcome == "tie":
        yield f"No winner was named; {counted(len(verdict.winners), 'model')} may be the best."
    if verdict.across is not None:
        p = p_value(verdict.across.p or 0)
        yield f"Over all data sets, Friedman's test with Iman and Davenport's correction gave {p}."

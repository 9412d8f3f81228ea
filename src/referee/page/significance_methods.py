"""How differences were tested and what decided, in words to paste into a paper."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from referee.comparing import (
    ALL_SIGNS,
    DEFAULTS,
    FEW,
    FEW_OF_CLASS,
    IN_GROUPS,
    MOGSTAD,
    ROMANO_WOLF,
    draws_for,
    tests,
    tiers_in_methods,
)
from referee.document import count, counted, level, named, number, one_line, within_a_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from referee.comparing import Gate, SignificanceTest, Verdict

ADJUSTED = {
    "holm": "Holm's method", "hochberg": "Hochberg's method", "bh": "the method of Benjamini and Hochberg",
    "bonferroni": "Bonferroni's method",
}  # fmt: skip
OF_ADJUSTMENTS = {
    "holm": "S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of "
    "Statistics 6, 65-70",
    "hochberg": "Y. Hochberg (1988). A sharper Bonferroni procedure for multiple tests of significance. Biometrika 75, "
    "800-802",
    "bh": "Y. Benjamini and Y. Hochberg (1995). Controlling the false discovery rate: a practical and powerful "
    "approach to multiple testing. Journal of the Royal Statistical Society, Series B 57, 289-300",
}
CONFIDENCE_SET = "P. R. Hansen, A. Lunde and J. M. Nason (2011). The model confidence set. Econometrica 79, 453-497"
OF_GROUPS = {
    "t": "R. M. Bell and D. F. McCaffrey (2002). Bias reduction in standard errors for linear regression with "
    "multi-stage samples. Survey Methodology 28, 169-181",
    "flips": "I. A. Canay, J. P. Romano and A. M. Shaikh (2017). Randomization tests under an approximate symmetry "
    "assumption. Econometrica 85, 1013-1030",
}
OF_TIME = (
    "E. Lazarus, D. J. Lewis, J. H. Stock and M. W. Watson (2018). HAR inference: recommendations for practice. "
    "Journal of Business and Economic Statistics 36, 541-559",
    "U. K. Müller (2007). A theory of robust long-run variance estimation. Journal of Econometrics 141, 1331-1352",
)
WELCH = (
    "B. L. Welch (1947). The generalization of Student's problem when several different population variances are "
    "involved. Biometrika 34, 28-35"
)


def tested(verdict: Verdict, gate: Gate | None) -> Iterator[str]:
    """The test of single pairs, and how the verdict came from them."""
    if _is_bayesian(verdict):
        yield _judged_by_probabilities(verdict)
    else:
        yield from _judged_by_p(verdict)
    if gate is not None:
        yield from _gate_rule(verdict, gate)
        return
    yield from _margin(verdict)
    yield _winner_rule(verdict)
    if verdict.outcome == "tie":
        yield f"Otherwise {_tie_rule(verdict)}."
    yield from tiers_in_methods(verdict)


def references_of_tests(verdict: Verdict, gate: Gate | None) -> list[str]:
    """What was said above rests on."""
    references = [*verdict.test.references]
    if known := verdict.comparisons[0].details.get("groups"):
        references += [OF_GROUPS[kind] for kind in OF_GROUPS if known["test"] in (kind, "both")]
    if "pieces" in verdict.comparisons[0].details:
        references += OF_TIME
    if verdict.across is not None:
        references += [*tests["iman_davenport"].references, *tests["nemenyi"].references]
    if _is_adjusted(verdict) and verdict.adjustment in OF_ADJUSTMENTS:
        references.append(OF_ADJUSTMENTS[verdict.adjustment])
    if gate is not None:
        references += tests["non_inferiority"].references
    elif verdict.margins and not _is_bayesian(verdict):
        references += tests["tost"].references
    if gate is None and verdict.outcome == "tie" and _has_confidence_set(verdict):
        references.append(CONFIDENCE_SET)
    if gate is None and len(verdict.values) > 2 and verdict.leaderboard and verdict.leaderboard.rule != "posterior":
        references += [MOGSTAD, *([ROMANO_WOLF] if verdict.leaderboard.rule == "draws" else [])]
    if verdict.slices is not None and verdict.slices.tests:
        references += [WELCH, OF_ADJUSTMENTS["holm"]]
    return references


def _is_bayesian(verdict: Verdict) -> bool:
    return "rope" in verdict.test.defaults


def _judged_by_p(verdict: Verdict) -> Iterator[str]:
    intervals = any(comparison.low is not None for comparison in verdict.comparisons)
    of_difference = f", with {level(verdict.alpha)} intervals of the differences" if intervals else ""
    yield (
        f"Differences were tested with {the(verdict.test)} ({verdict.test.full_name}{_drawn(verdict)}), two-sided, "
        f"alpha = {verdict.alpha:g}{of_difference}."
    )
    if known := verdict.comparisons[0].details.get("groups"):
        yield _by_groups(verdict, known)
    if (pieces := verdict.comparisons[0].details.get("pieces")) is not None:
        yield _in_time(verdict, pieces)
    if _is_adjusted(verdict):
        yield (
            f"p values of single pairs are also given adjusted for {counted(len(verdict.comparisons), 'comparison')} "
            f"by {ADJUSTED[verdict.adjustment]}{'; intervals are not adjusted' if intervals else ''}."
        )


def _in_time(verdict: Verdict, pieces: int) -> str:
    """How rows in the order of time were compared; of several pairs the first, as nearly always all are alike."""
    said = verdict.comparisons[0].details
    return (
        "The variance is the long-run one: that of the lowest frequencies of a cosine transform of what the "
        f"{count(said['moments'])} moments add to the difference, of which {count(pieces)} were taken as independent "
        f"pieces, and t has as many degrees of freedom, fewer where tails are heavy. The standard error is "
        f"{said['times_wider']:.2f} times that of independent rows."
    )


def _by_groups(verdict: Verdict, known: Mapping[str, Any]) -> str:
    """How groups were compared; of several pairs the first, as nearly always all are alike."""
    unit, sizes = verdict.design.unit, "about equal" if known["balanced"] else "unequal"
    flips = known["flips"]
    drawn = f" ({'all' if known['counting'] <= ALL_SIGNS else 'random'} signs: {count(flips)} flips)" if flips else ""
    return (
        f"{count(known['counting'])} of {counted(known['groups'], unit)} hold {known['rows']} that count for "
        f"{verdict.goal.full_name}; they are {sizes}, and were compared by {IN_GROUPS[known['test']]}{drawn}."
    )


def _is_adjusted(verdict: Verdict) -> bool:
    several = len(verdict.comparisons) > 1 and any(comparison.p is not None for comparison in verdict.comparisons)
    return several and verdict.adjustment in ADJUSTED


def _drawn(verdict: Verdict) -> str:
    """How often something was drawn at random."""
    details, said = verdict.comparisons[0].details, verdict.test.settings
    drawn = [what for what in ("replicates", "permutations") if what in details and what not in said]
    return "".join(f", {count(details[what])} {what}" for what in drawn)


def _judged_by_probabilities(verdict: Verdict) -> str:
    settings = verdict.test.defaults | dict(verdict.test.settings)
    correlations = {comparison.details["rho"] for comparison in verdict.comparisons if "rho" in comparison.details}
    correlation = f", with a correlation of {correlations.pop():.3g} between units" if correlations else ""
    return (
        f"Differences were judged with {the(verdict.test)} ({verdict.test.full_name}){correlation}: a model counts as "
        f"better than another where the probability that it is better by more than {settings['rope']:g}, the region "
        f"of practical equivalence, is above {1 - verdict.alpha:g}. It has no p values."
    )


def the(test: SignificanceTest) -> str:
    """A test as it is spoken of.

    >>> the(tests["wilcoxon"]), the(tests["mcnemar"])
    ('the Wilcoxon signed-rank test', "McNemar's test")
    """
    return test.title if "'s " in test.title else f"the {within_a_sentence(test.title)}"


def _winner_rule(verdict: Verdict) -> str:
    if _is_bayesian(verdict):
        return "A winner is named where the model with the best value is better than every other one in this sense."
    others = "every other one, each by its own test (p below alpha, unadjusted)"
    others = "the other one (p below alpha)" if len(verdict.values) == 2 else others
    return f"A winner is named where the model with the best value is significantly better than {others}."


def _tie_rule(verdict: Verdict) -> str:
    """Whom a tie names."""
    may_be = "all models are named that may each be the best"
    if len(verdict.values) == 2:
        return "either may be the best"
    if all(comparison.p is None for comparison in verdict.comparisons):
        return f"{may_be}: {NOT_BEATEN}"
    if verdict.across is not None:
        return f"{may_be}: {NOT_BEATEN} or whose mean rank is within Nemenyi's critical difference of the best one"
    if not _has_confidence_set(verdict):
        level_of_pairs = "at a level that is shared by all pairs (Bonferroni)"
        return f"{may_be}: {NOT_BEATEN}, or does not beat {level_of_pairs}"
    return (
        f"{may_be}, a {level(verdict.alpha)} confidence set (Hansen, Lunde and Nason, 2011): the model that is beaten "
        "most clearly is left out as long as the largest difference of all pairs that remain, each as the normal "
        f"quantile of its own p, is larger than in {level(verdict.alpha)} of {count(draws_for(len(verdict.values)))} "
        "normal draws of equal models with the same covariance; models that the best one does not beat "
        "in their own pair are always kept. As the set allows for the number of models, it can hold one "
        "that the best one beats in their own pair"
    )


NOT_BEATEN = "those that the best one does not beat by the pair's own test"


def _has_confidence_set(verdict: Verdict) -> bool:
    """Whether the tie set is found from all pairs: not of two models, of data sets, or by posterior probabilities."""
    return verdict.leaderboard is not None and verdict.leaderboard.rule == "draws"


def _margin(verdict: Verdict) -> Iterator[str]:
    if verdict.margin is None:
        return
    named_margin = f"A difference of {number(verdict.margin)} was named as the one that matters"
    if not verdict.margins:
        yield f"{named_margin}; the test gives no interval to compare it with."
        return
    two_tests = "" if _is_bayesian(verdict) else " (two one-sided tests at alpha)"
    yield (
        f"{named_margin}: models are practically equal where the {level(2 * verdict.alpha)} interval of their "
        f"difference lies within the margin{two_tests}, and one is better by more where the {level(verdict.alpha)} "
        "interval lies beyond it."
    )


def _gate_rule(verdict: Verdict, gate: Gate) -> Iterator[str]:
    candidate, production = one_line(gate.candidate), one_line(gate.production)
    higher = verdict.goal.better == "higher"
    end = f"above {number(-gate.margin)}" if higher else f"below {number(gate.margin)}"
    how = "its posterior distribution" if _is_bayesian(verdict) else "a test of non-inferiority"
    yield (
        f"Whether {candidate} may replace {production} was decided by {how}, one-sided at alpha = {verdict.alpha:g}, "
        f"with a margin of {number(gate.margin)}: it passes where the {level(2 * verdict.alpha)} interval of its value "
        f"minus that of {production} lies {end}."
    )
    if gate.superiority:
        yield "It also had to be significantly better."


def slices_tested(verdict: Verdict) -> Iterator[str]:
    """Slices that were asked for: how they were tested, or that they were not."""
    slices, slice_tests = verdict.scores.slices, verdict.slices
    if slices is None or verdict.design.kind == "data_sets":
        return
    by = named([one_line(name) for name in slices.by])
    if slice_tests is None:
        yield f"Slices by {by} were scored, and not tested."
        return
    tested_slices = {test.slice for test in slice_tests.tests}
    enough = f"{FEW_OF_CLASS} rows of a second class" if verdict.predictions.classes else f"{FEW} rows"
    if not tested_slices:
        yield f"No slice by {by} has at least {enough}, as the other rows must have: none was tested."
        return
    yield (
        f"In {len(tested_slices):,} of {counted(len(slices.units), 'slice')} by {by} (those with at least {enough}, as "
        "the other rows must have) each model was tested against itself on all other rows by Welch's t-test "
        f"{_scale(verdict)}, and against {one_line(slice_tests.best)}, the best on all rows, on the same rows by "
        f"{the(tests[DEFAULTS['rows']])}; p values were adjusted for all slices and models by Holm's method, for each "
        "of the two questions by itself."
    )


def _scale(verdict: Verdict) -> str:
    """Where values are compared, unless one of them is the best or worst possible."""
    low, high = verdict.goal.range
    if isfinite(low) and isfinite(high):
        return f"on the logit scale of the metric's range from {low:g} to {high:g}"
    if isfinite(low):
        return "on the log scale of the metric" + (f" above {low:g}" if low else "")
    return f"on the log scale of the distance to {high:g}" if isfinite(high) else "on the metric's own scale"

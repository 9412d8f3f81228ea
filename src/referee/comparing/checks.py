"""Why this test, and which of its assumptions were checked, and how."""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import largest
from referee.comparing.contender import Contender
from referee.comparing.contest import exact_ties, to_digits
from referee.comparing.design import IN_WORDS
from referee.comparing.design_choice import DEFAULTS, FEW_POSITIVES, REASONS, default_test
from referee.comparing.group_pairs import GroupPair
from referee.comparing.split_estimates import IN_WORDS as IN_WORDS_OF
from referee.document import counted, named, number, one_line, p_value
from referee.engines import engine_of
from referee.errors import Notice, UndefinedError
from referee.records import dataclass
from referee.scoring import GUESSING, metrics, tail, why_not_summed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.comparing.comparison import Comparison
    from referee.comparing.contest import Contest
    from referee.comparing.design import Design
    from referee.comparing.significance_test import SignificanceTest
    from referee.scoring import Metric

MOST_TIES = 3
LARGE_ALPHA = 0.2
SKEWED = 0.01
"""Differences this unlikely to be normal are pointed out."""

IN_GROUPS = {
    "t": "Student's t, with the error that leaving out each of them in turn shows",
    "flips": "a sign-flip test: how often random signs would give a difference as large",
    "both": "two tests that must agree, as the metric is not a mean: Student's t, with the error that leaving out each "
    "of them in turn shows, and a sign-flip test",
    "signs": "the sign test, as all of them differ by the same",
}


IN_ONE_ORDER = (
    "each row was predicted once, so the rows of all splits are compared together: the verdict is about these fitted "
    "models in time order; --test corrected_resampled_t compares splits"
)


def reasons(contest: Contest, test: SignificanceTest, nearest: Comparison | None) -> tuple[str, ...]:
    """What a reader may want to know of the choice."""
    design = contest.design
    chosen = "" if test.name == DEFAULTS[design.kind] else ", as requested"
    why = f": {REASONS[design.kind]}" if not chosen else ""
    return (
        f"design: {IN_WORDS[design.kind]}",
        f"test: {test.title}{chosen}{why}",
        *_checked(contest),
        *_not_checked(contest),
        *_of_groups(contest, test),
        *_exact_ties(contest),
        *_largest_rows(contest, nearest),
        "p values hold for a goal that was chosen before looking at the results",
    )


def _checked(contest: Contest) -> Iterator[str]:
    predictions, design = contest.predictions, contest.design
    if contest.by_rows:
        if predictions.group is not None:
            yield (
                f"rows depend on each other within {len(predictions.group):,} groups, each of which is compared as "
                "one unit"
            )
        elif predictions.time is not None:
            yield "rows are in time order, and the closer they are, the more they may depend on each other"
            yield from [IN_ONE_ORDER] if predictions.fold is not None else []
        elif predictions.example is not None:
            yield f"the predictions of each of {len(predictions.example):,} ids are taken together"
        elif not predictions.has_seeds:
            yield "assumed: the rows are independent of each other (--group names those that are not)"
        if predictions.has_seeds:
            yield (
                "items and seeds are both taken as random: the variance is that of the items' means and that of the "
                "seeds' means, minus what both contain of the rest, and never below the larger of the two"
            )
        if predictions.weight is not None:
            yield f"rows have weights, taken as {predictions.weight_kind} weights"
    elif design.kind == "left_out":
        dealt = f"{counted(design.repeats or 1, 'deal')} of the rows into {design.folds} groups"
        yield f"{dealt}: {counted(len(contest.units or ()), 'fit')}, each without two of them"
    elif design.overlapping:
        yield splits_in_words(design)
        if design.correction != 1:
            yield (
                f"the overlap of training sets counts {design.correction:g} times what Nadeau and Bengio take, which "
                "is too little for some learners (docs/validity.md); --test corrected_resampled_t is theirs"
            )
        if design.mixes_training:
            yield (
                f"values are {design.value_names}: {IN_WORDS_OF[design.combine]}; the precision of a difference "
                "comes from its spread over the test rows of the splits"
            )
    elif contest.partitions is not None:
        yield (
            f"values are means over {len(contest.partitions)} partitions; difference, interval and p come from the "
            "partition with the median p"
        )


def _not_checked(contest: Contest) -> Iterator[str]:
    """What takes a look at the rows one after the other."""
    if contest.by_rows and not contest.predictions.has_rows:
        where = engine_of(contest.predictions).ROWS_ARE
        yield f"not checked, as the rows {where}: whether neighbouring rows depend on each other"


def _exact_ties(contest: Contest) -> Iterator[str]:
    """How models with exactly the same value were put in an order."""
    tied = sorted(sorted(map(contest.order.index, names)) for names in exact_ties(contest.values))
    for places in [places for places in tied if contest.order[places[0]] in contest.brier_of_ties][:MOST_TIES]:
        in_order = [contest.order[place] for place in places]
        brier = contest.brier_of_ties
        if len({to_digits(brier[name]) for name in in_order}) == 1:
            both = named([*map(one_line, in_order)])
            yield f"exactly the same {contest.goal} and Brier score, so ordered by name: {both}"
            continue
        scores = named([f"{one_line(name)} {number(brier[name])}" for name in in_order])
        yield f"exactly the same {contest.goal}, so ordered by Brier score: {scores}"


def _largest_rows(contest: Contest, nearest: Comparison | None) -> Iterator[str]:
    """How much hangs on a few rows, where they can carry the value, and what a metric says that they carry less."""
    tails = None if nearest is None else nearest.details.get("tails")
    if nearest is None or tails is None:
        return
    share, both = tails["difference"], (nearest.a, nearest.b)
    if share is not None:
        term = f"difference in {(contest.metric.carried_by or '').replace('_', ' ')}"
        make = f"make {100 * share:.0f}% of the {term}" if share >= 0 else f"go against the {term}"
        rows = f"({-(-contest.rows // 100):,} of {contest.rows:,})"
        yield f"the 1% of the rows that differ most {rows} {make} between {named([*map(one_line, both)])}"
    for beside in less_carried(contest.metric):
        if contest.predictions.has_rows or why_not_summed(beside) is None:
            yield f"{beside.name}, which depends less on a few rows: {_values_on(beside, contest, *both)}"


LESS_CARRIED = {"squared_error": "mae", "absolute_error": "median_ae", "surprise": "brier"}


def less_carried(metric: Metric) -> list[Metric]:
    """What is like a metric, and depends less on a few rows."""
    return [metrics[LESS_CARRIED[metric.carried_by]]] if metric.carried_by in LESS_CARRIED else []


def _values_on(metric: Metric, contest: Contest, *names: str) -> str:
    models = [contest.predictions.model(name) for name in names]
    values = [Contender(contest.predictions, model, metric).value for model in models]
    return named([f"{one_line(name)} {number(value)}" for name, value in zip(names, values, strict=True)])


def _of_groups(contest: Contest, test: SignificanceTest) -> Iterator[str]:
    """Which groups count, and how they are compared, for the two best models."""
    if not contest.by_rows or test.name != "influence":
        return
    first, second = (contest.contenders[name] for name in contest.order[:2])
    pair = GroupPair.of(first, second, contest.design)
    if pair is not None:
        reach, unit = pair.reach, contest.design.unit
        alike = "about equal" if reach.balanced else f"unequal, worth {reach.as_equal:.1f} equal ones"
        of_all = f"{reach.groups:,} of {counted(first.units, unit)}"
        yield f"{of_all} hold {reach.rows} that count for {contest.goal}, and they are {alike}"
        yield f"{unit}s are compared by {IN_GROUPS[pair.test]}"


def splits_in_words(design: Design) -> str:
    """How many splits of how many rows, and what they are taken for."""
    if design.n_train is None or design.n_test is None:
        return "splits of unknown sizes"
    splits = len(design.n_test)
    sizes = f"{_sizes(design.n_train)} training and {_sizes(design.n_test)} test rows"
    if design.n_train.max() < 1:
        sizes = f"{100 * float(design.n_test.mean()):.3g}% test rows each"
    if design.folds is None:
        return f"{splits} splits of {sizes}, as given"
    repeated = f"{design.repeats} x " if design.repeats and design.repeats > 1 else ""
    return f"taken as {repeated}{design.folds}-fold cross-validation: {splits} splits of {sizes}"


def _sizes(rows: Array) -> str:
    low, high = int(rows.min()), int(rows.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def caution_of_alpha(alpha: float) -> Iterator[Notice]:
    """An alpha at which luck wins often."""
    if alpha > LARGE_ALPHA:
        from fractions import Fraction

        share = Fraction(alpha).limit_denominator(20)
        often = "nearly all" if share == 1 else f"{share.numerator} in {share.denominator}"
        yield Notice("W_ALPHA", f"at alpha {alpha:g}, {often} comparisons of equal models name a winner by chance")


def cautions_of_units(contest: Contest) -> Iterator[Notice]:
    """What makes the values of units poor evidence."""
    predictions, design = contest.predictions, contest.design
    repeats = 0 if predictions.repeat is None else len(predictions.repeat.names)
    if design.kind == "out_of_fold" and repeats > 1 and predictions.clusters is None:
        yield Notice(
            "W_REPEATS",
            "rows were predicted in several repeats and are treated as independent: use --id so that the predictions "
            "of a row are combined",
        )
    if design.kind == "out_of_fold" and contest.metric.pools_ranks and predictions.classes:
        yield Notice(
            "W_POOLED",
            f"{contest.metric.name} ranks the rows of all folds together, though different fitted models scored "
            "them: if these use different scales, it is too low; --unit fold scores each fold separately",
        )
    if design.kind == "subsets" and predictions.classes:
        rows = np.bincount(predictions.truth, minlength=len(predictions.classes)) // contest.subsets
        rarest = int(rows.argmin())
        if rows[rarest] < FEW_POSITIVES and not contest.metric.additive:
            about = counted(int(rows[rarest]), "row")
            yield Notice(
                "W_SMALLSUBSETS",
                f"each subset has about {about} of class {predictions.classes[rarest]!r}: below "
                f"{FEW_POSITIVES}, {contest.metric.name} is biased on subsets; use fewer subsets, or compare by rows",
            )


def cautions_of_differences(contest: Contest, test: SignificanceTest, best: str, other: str) -> Iterator[Notice]:
    """Whether the differences of the units look normal, where the test wants them to."""
    if contest.by_rows or test.name not in ("paired_t", "paired_t_population", "corrected_resampled_t"):
        return
    each = (contest.unit_values[best] - contest.unit_values[other]).reshape(-1, len(contest.unit_values[best].T))[0]
    if not 3 <= len(each) <= 5000 or np.ptp(each) == 0:
        return
    from scipy.stats import shapiro

    p = float(shapiro(each / largest(each)).pvalue)  # which takes tiny ranges for none
    if p < SKEWED:
        unit = contest.design.unit
        yield Notice(
            "W_NOTNORMAL",
            f"the differences of {best} and {other} over the {unit}s are far from normal (Shapiro-Wilk, {p_value(p)}): "
            "look for outliers",
        )


DUST = 1e-9
"""A share of a value that is rounding only."""


@dataclass(frozen=True)
class AgainstGuessing:
    """The best model's value beside that of guessing, in the same units."""

    value: float
    guessed: float
    p: float | None
    better: bool
    """By the test of the design, at its alpha."""
    guess: str = "guessing"
    """In words, where it is not what is shown beside the models."""


def against_guessing(contest: Contest, best: str) -> AgainstGuessing | None:
    """Test the best model against guessing; None where guessing has no value, or nothing can be guessed wrongly."""
    if not _can_be_wrong(contest):
        return None
    try:
        both, guess = _best_guess(contest, best)
        value, guessed = contest.values[best], both.values[GUESSING]  # guessing fits no training row better
        comparison = both.compare(default_test(contest.design), best, GUESSING)
    except UndefinedError:
        return None  # not defined on every unit
    if not isfinite(guessed) and contest.metric.of_chance is not None:
        return _against_chance(contest, best, contest.metric.of_chance)
    if not isfinite(value) or not isfinite(guessed) or guessed == contest.metric.best:
        return None  # nobody does better than guessing on the recall of the commoner class
    if comparison.standard_error == 0 and contest.predictions.clusters is not None and comparison.winner is None:
        return None  # a perfect model in a few groups: no test of so few signs can be significant
    return AgainstGuessing(value, guessed, comparison.p, comparison.winner == best, guess)


def _best_guess(contest: Contest, best: str) -> tuple[Contest, str]:
    """Always the same class, in words: the commoner one of two, or the other, whichever is better on the metric."""
    usual = contest.against_guessing(best), "guessing"
    classes = contest.predictions.classes
    if contest.metric.needs != "labels" or contest.predictions.positive is None or len(classes) > 2:
        return usual
    sign = 1 if contest.metric.better == "higher" else -1
    named_one = [
        (contest.against_guessing(best, code), f"always predicting {label!r}") for code, label in enumerate(classes)
    ]
    return max([usual, *named_one], key=lambda each: sign * v if isfinite(v := each[0].values[GUESSING]) else -inf)


def _against_chance(contest: Contest, best: str, chance: float) -> AgainstGuessing | None:
    """Of the rows, where no guess has a value to be compared with; the units of other designs have too few."""
    contender = contest.contenders[best]
    spread = contender.spread if contest.by_rows else None
    if spread is None or not isfinite(contender.value) or not 0 < spread.variance < inf:
        return None
    p = 2 * tail(abs(contender.value - chance) / spread.standard_error, spread.df)
    return AgainstGuessing(contender.value, chance, p, p < contest.design.alpha and contender.value > chance)


def _can_be_wrong(contest: Contest) -> bool:
    """Not of a truth that is always the same; nor are ranks known that were pooled over folds of different scales."""
    predictions = contest.predictions
    if contest.design.kind == "out_of_fold" and {"ranking", "pairs"} & set(contest.metric.summaries):
        return False
    if predictions.has_rows:
        return bool(np.ptp(predictions.truth)) if len(predictions.truth) else False
    return not predictions.classes or bool(np.count_nonzero(predictions.rows_of_classes) > 1)


def cautions_of_guessing(contest: Contest, best: str, guessing: AgainstGuessing | None) -> Iterator[Notice]:
    """What to say where even the best model may know nothing."""
    if guessing is None or guessing.better:
        return
    goal, behind = contest.goal, guessing.guessed - guessing.value
    behind *= 1 if contest.metric.better == "higher" else -1
    values = f"{number(guessing.value)} vs {number(guessing.guessed)} for {guessing.guess}"
    if behind > DUST * max(abs(guessing.guessed), abs(guessing.value)):
        yield Notice(
            "W_GUESSING", f"even the best model, {best}, is worse than a baseline that guesses, on {goal}: {values}"
        )
    else:
        p = "" if guessing.p is None else f" ({p_value(guessing.p)})"
        yield Notice(
            "W_GUESSING", f"{best} is not shown to be better than a baseline that guesses, on {goal}: {values}{p}"
        )

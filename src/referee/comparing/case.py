"""compare(): predictions and a goal become a verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from itertools import combinations
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.catalogue import python_call
from referee.comparing.checks import (
    against_guessing,
    caution_of_alpha,
    cautions_of_differences,
    cautions_of_guessing,
    cautions_of_units,
    reasons,
)
from referee.comparing.comparison import adjusted
from referee.comparing.decision import decide, judged, unless_doubtful
from referee.comparing.design_choice import DEFAULTS, asked_test, contest_of
from referee.comparing.margins import against_margin, cautions_of_margin, refuse_margin, small_difference
from referee.comparing.score_sources import from_scores
from referee.comparing.sentence import sentence
from referee.comparing.significance_test import refuse_unless_valid, tests
from referee.comparing.tie_set import corrected_score, rows_at_least, rows_to_separate, smallest_difference
from referee.comparing.verdict import Verdict, other_goals
from referee.errors import CallError, UsageError, did_you_mean, refuse_alpha, spoken
from referee.predictions import needs_positive
from referee.scoring import Metric, chosen_metrics, goal_of, score_all
from referee.wording import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.comparing.checks import AgainstGuessing
    from referee.comparing.comparison import Comparison
    from referee.comparing.contest import Contest
    from referee.comparing.decision import Decision
    from referee.comparing.margins import Margin
    from referee.comparing.significance_test import SignificanceTest
    from referee.comparing.tie_set import CorrectedScore
    from referee.errors import Notice
    from referee.predictions import Predictions
    from referee.scoring import Metric, Scores


def across_data_sets(contest: Contest) -> Comparison | None:
    """Friedman's test with Iman and Davenport's correction, and Nemenyi's critical difference."""
    names = list(contest.predictions.names)
    if contest.design.kind != "data_sets" or len(names) < 3:
        return None
    values = np.stack([contest.unit_values[name] for name in names])
    found = tests["iman_davenport"].apply(names, values, contest.design)
    nemenyi = tests["nemenyi"].apply(names, values, contest.design)
    return replace(found, details={**found.details, **nemenyi.details}, metric=contest.metric.full_name)


def too_far_from_the_best(across: Comparison) -> list[str]:
    """The models whose mean rank is worse than the best one's by more than the critical difference."""
    ranks = across.details["mean_ranks"]
    return [name for name, rank in ranks.items() if rank - min(ranks.values()) > across.details["critical_difference"]]


ALL_PAIRS = 20
"""With more models, only the comparisons with the best one are shown, and made if they are slow."""
MOST_LEFT_OUT = 5
MANY = 200
"""With more models, all pairs are slow."""


def compare(
    predictions: Any,
    goal: str | Metric | None = None,
    *,
    test: str | SignificanceTest = "auto",
    margin: float | None = None,
    delta: float | None = None,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    by: str | Sequence[str] = (),
    adjust: str = "holm",
    alpha: float = 0.05,
    seed: int = 0,
    **design: Any,
) -> Verdict:
    """Name the winner on the goal metric, or a tie.

    `margin` is the difference that matters, `delta` the one to plan rows for (default: the margin). `metrics` are
    those beside the goal (default: all that apply). The design is that of the predictions, unless it is asked for:
    unit="row", "fold" or "slice", subsets=100, partitions=25, train_size=...

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1] * 20, {"a": [0.1, 0.9] * 20, "b": [0.1, 0.9] * 20})
    >>> compare(predictions, "roc_auc").outcome
    'tie'
    """
    given, said = predictions, {"goal": goal, "test": test, "margin": margin, "delta": delta, "metrics": metrics}
    of_design = design
    predictions, goal, design = from_scores(given, goal, by, design)
    _refuse_unknown(design)
    _refuse_too_few_models(predictions)
    refuse_alpha(alpha)
    _refuse_no_margin(margin, delta, alpha)
    (wanted,) = chosen_metrics(predictions, [goal_of(goal, predictions.task)])
    refuse_margin(margin, wanted, len(predictions.classes))
    _refuse_without_positive(predictions, wanted)
    by = [by] if isinstance(by, str) else by
    if predictions.scored is not None and predictions.scored.data_set is not None:
        by = [predictions.scored.data_set]
    beside = [one for one in chosen_metrics(predictions, metrics) if one.full_name != wanted.full_name]
    asked = asked_test(test, wanted)
    contest = contest_of(predictions, wanted, asked, by=by, alpha=alpha, seed=seed, **design)
    scores = score_all(predictions, [wanted, *beside], [wanted], by, alpha=alpha, errors_of_units=False)
    chosen = tests[DEFAULTS[contest.design.kind]] if asked is None or contest.within is not None else asked
    refuse_unless_valid(chosen, contest.design)
    if chosen.random and contest.by_rows:
        contest = replace(contest, predictions=contest.predictions.in_canonical_order())
    data = "predictions" if predictions is given else "scores"
    call = python_call(compare, data, **said, by=by, adjust=adjust, alpha=alpha, seed=seed, **of_design)
    verdict = _Case(contest, chosen, scores, adjust, margin, margin if delta is None else delta).verdict()
    return replace(verdict, call=call)


COMPARE_KEYWORDS = (set(signature(compare).parameters) | set(signature(contest_of).parameters)) - {
    "predictions", "metric", "design",
}  # fmt: skip
"""All that may be said of a comparison by name."""


def _refuse_unknown(design: dict[str, Any]) -> None:
    for name in design:
        if name not in COMPARE_KEYWORDS:
            hint = did_you_mean(name, sorted(COMPARE_KEYWORDS))
            raise CallError(f"compare() has no keyword {name!r}; {hint}", hint)


def _refuse_without_positive(predictions: Predictions, goal: Metric) -> None:
    """Of predictions whose positive class nobody has named, as those of a run of `select` may be."""
    if predictions.task == "binary" and predictions.positive is None and goal.of_one_class:
        raise needs_positive(predictions.source or "the predictions", predictions.truth_column, predictions.classes)


def _refuse_too_few_models(predictions: Predictions) -> None:
    if len(predictions.models) < 2:
        there = f"there is only {predictions.names[0]!r}" if predictions.models else "there is none"
        aside = {} if predictions.account is None else predictions.account.columns_left_out
        left_out = "".join(f"; {name!r} was left out, as {why}" for name, why in [*aside.items()][:MOST_LEFT_OUT])
        raise UsageError(
            "E_ONEMODEL",
            f"comparing needs at least two models, and {there}{left_out}",
            hint="--models A,B or a second source",
        )


def _refuse_no_margin(margin: float | None, delta: float | None, alpha: float) -> None:
    if margin is not None and alpha >= 0.5:
        raise UsageError("E_MARGIN", f"--margin needs an alpha below 0.5, as it looks at 1 - 2 alpha; not {alpha:g}")
    for name, value in (("--margin", margin), ("--delta", delta)):
        if value is not None and not 0 < value < float("inf"):
            raise UsageError("E_MARGIN", f"{name} {value:g} must be a positive number, in units of the goal metric")


def guessed_value(scores: Scores, metric: Metric) -> float | None:
    """What guessing has on a metric."""
    return next((row.value for row in scores.baseline if row.metric == metric.full_name), None)


@dataclass(frozen=True)
class _Case:
    """All that a verdict is made of, each made once."""

    contest: Contest
    test: SignificanceTest
    scores: Scores
    adjust: str
    margin: float | None
    delta: float | None

    @cached_property
    def order(self) -> list[str]:
        return self.contest.order

    @cached_property
    def found(self) -> dict[frozenset[str], Comparison]:
        """Every pair, in the order in which the models were given."""
        names = self.contest.predictions.names
        pairs = [pair for pair in combinations(names, 2) if self._is_made(pair)]
        return {frozenset(pair): judged(self.contest, self.contest.compare(self.test, *pair)) for pair in pairs}

    def _is_made(self, pair: tuple[str, str]) -> bool:
        slow = len(self.order) > (ALL_PAIRS if self.test.random else MANY)
        return not slow or self.order[0] in pair

    @cached_property
    def shown(self) -> list[Comparison]:
        """The comparisons with their p adjusted for there being several."""
        few = len(self.order) <= ALL_PAIRS
        chosen = [one for one in self.found.values() if few or self.order[0] in (one.a, one.b)]
        family = adjusted([one.p for one in chosen], self.adjust)
        return [replace(one, p_adjusted=p) for one, p in zip(chosen, family, strict=True)]

    @cached_property
    def across(self) -> Comparison | None:
        return across_data_sets(self.contest)

    @cached_property
    def decision(self) -> Decision:
        dropped = too_far_from_the_best(self.across) if self.across else None
        return unless_doubtful(decide(self.contest, self.found, dropped), self.contest)

    @cached_property
    def decided(self) -> Contest:
        """The contest without the models that cannot be tested, where these leave a verdict all the same."""
        aside = self.decision.surely_worse
        return self.contest.among([name for name in self.order if name not in aside]) if aside else self.contest

    @property
    def sentence(self) -> str:
        decision, found = self.decision, (self.nearest_margin, self.small_lead, self.guessing)
        smallest = smallest_difference(self.nearest) if self.nearest else None
        said = sentence(self.decided, decision, self.nearest, smallest, *found)
        if decision.rest is None or decision.rest.outcome == "undecided":
            return said
        others = self.contest.among([name for name in self.order if name not in decision.left_open])
        first_two = (decision.rest.winners if decision.rest.outcome == "tie" else others.order)[:2]
        of_others = sentence(others, decision.rest, self.found[frozenset(first_two)], None, None, None, None)
        return f"{said} Without {named(decision.left_open)} (--models names the others): {of_others}"

    @cached_property
    def nearest(self) -> Comparison | None:
        """The best model against the next best one; in a tie, against the next one that may be the best."""
        tied = self.decision.winners if self.decision.outcome == "tie" else ()
        one = self.found[frozenset((tied or self.decided.order)[:2])]
        return one if one.undefined is None else None

    @cached_property
    def margins(self) -> dict[tuple[str, str], Margin]:
        if self.margin is None:
            return {}
        held = {(one.a, one.b): against_margin(self.contest, self.test, one, self.margin) for one in self.shown}
        return {pair: margin for pair, margin in held.items() if margin is not None}

    @cached_property
    def corrected(self) -> CorrectedScore | None:
        contest = self.contest
        if contest.design.kind == "data_sets" or self.decision.outcome == "undecided":
            return None
        return corrected_score(contest, self.order[0], self._degrees_of_freedom())

    def _degrees_of_freedom(self) -> float:
        """Of the comparison that decides; of the best model's own value where rows show no difference at all."""
        nearest = self.nearest
        if nearest is not None and nearest.standard_error == 0 and self.contest.by_rows:
            spread = self.contest.contenders[self.order[0]].spread
            return inf if spread is None else spread.df
        return nearest.df if nearest and nearest.df else inf

    @cached_property
    def guessing(self) -> AgainstGuessing | None:
        return against_guessing(self.contest, self.order[0])

    @property
    def classes(self) -> int:
        return len(self.contest.predictions.classes)

    @cached_property
    def guessed(self) -> float | None:
        return guessed_value(self.scores, self.contest.metric)

    @cached_property
    def small_lead(self) -> float | None:
        """What is called small, where the winner's lead is that and no margin says what matters."""
        lead = None if self.nearest is None else self.nearest.difference
        small = small_difference(self.contest.metric, self.guessed, self.classes)
        if self.decision.outcome != "winner" or self.margin is not None or lead is None or small is None:
            return None
        return small if abs(lead) < small else None

    @property
    def nearest_margin(self) -> Margin | None:
        return self.margins.get((self.nearest.a, self.nearest.b)) if self.nearest else None

    @cached_property
    def warnings(self) -> tuple[Notice, ...]:
        notices = [*self.scores.notices, *caution_of_alpha(self.contest.design.alpha), *cautions_of_units(self.contest)]
        notices += [*self.decision.warnings, *cautions_of_guessing(self.contest, self.decision.best, self.guessing)]
        notices += cautions_of_margin(self.margin, self.contest.metric, self.guessed, self.classes)
        if self.nearest is not None:
            notices += cautions_of_differences(self.contest, self.test, self.nearest.a, self.nearest.b)
        notices += [notice for one in self.shown for notice in one.warnings]
        return tuple(dict.fromkeys(notices))

    def _is_better_than_guessing(self) -> bool | None:
        return None if self.guessing is None or self.decision.outcome == "undecided" else self.guessing.better

    def verdict(self) -> Verdict:
        contest, decision, nearest = self.contest, self.decision, self.nearest
        design, rows = contest.design, contest.rows if contest.by_rows else 0
        smallest = smallest_difference(nearest) if nearest else None
        return Verdict(
            goal=contest.metric,
            outcome=decision.outcome,
            winners=decision.winners,
            sentence=spoken(self.sentence),
            best=decision.best,
            values={name: value if isfinite(value := contest.values[name]) else None for name in self.order},
            comparisons=tuple(self.shown),
            test=self.test,
            design=design,
            reasons=tuple(map(spoken, reasons(contest, self.test, nearest))),
            scores=self.scores,
            warnings=self.warnings,
            undecided=decision.undecided and spoken(decision.undecided),
            left_open=decision.left_open,
            without_left_open=None if decision.rest is None else (decision.rest.outcome, decision.rest.winners),
            surely_worse=tuple(decision.surely_worse),
            rows_to_decide=decision.rows_to_decide,
            approximate_reason=decision.approximate,
            better_than_guessing=self._is_better_than_guessing(),
            practically_equal=decision.practically_equal(self.nearest_margin),
            alpha=design.alpha,
            seed=design.seed,
            adjustment=self.adjust,
            corrected=self.corrected,
            margin=self.margin,
            margins=self.margins,
            smallest_difference=smallest,
            delta=self.delta,
            rows_to_separate=rows_to_separate(rows, nearest, self.delta) if nearest and rows else None,
            rows_at_least=rows_at_least(rows, nearest) if nearest and rows else None,
            other_goals=tuple(other_goals(contest, decision.best, self.scores.metrics)),
            across=self.across,
        )

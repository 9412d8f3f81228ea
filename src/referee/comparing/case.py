"""Case: all that a verdict is made of, each made once."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import combinations
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from referee.comparing.checks import (
    against_guessing,
    caution_of_alpha,
    cautions_of_differences,
    cautions_of_guessing,
    cautions_of_units,
    reasons,
)
from referee.comparing.comparison import adjusted
from referee.comparing.data_set_wins import across_data_sets, too_far_from_the_best
from referee.comparing.decision import chosen_score, decide, unless_doubtful
from referee.comparing.doubts import judged
from referee.comparing.in_time import cautions_of_order
from referee.comparing.leaderboard import by_draws, by_each_pair
from referee.comparing.margins import against_margin, cautions_of_margin, small_difference
from referee.comparing.other_goals import other_goals
from referee.comparing.power import rows_at_least, rows_to_separate, smallest_difference
from referee.comparing.row_worth import cautions_of_worth
from referee.comparing.sentence import sentence
from referee.comparing.verdict import Verdict
from referee.document import named
from referee.errors import spoken
from referee.records import dataclass
from referee.scoring import tail

if TYPE_CHECKING:
    from referee.comparing.checks import AgainstGuessing
    from referee.comparing.comparison import Comparison
    from referee.comparing.contest import Contest
    from referee.comparing.decision import ChosenScore, Decision
    from referee.comparing.leaderboard import Leaderboard
    from referee.comparing.margins import Margin
    from referee.comparing.significance_test import SignificanceTest
    from referee.errors import Notice
    from referee.scoring import Scores


ALL_PAIRS = 20
"""With more models, only the comparisons with the best one are made and shown, unless rows are not compared."""
MANY = 200
"""With more models, all pairs are slow."""


@dataclass(frozen=True)
class Case:
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
    def compared(self) -> dict[frozenset[str], Comparison]:
        """Every pair, or all with the best model, in the order in which the models were given."""
        pairs = [*combinations(self.contest.predictions.names, 2)] if self._has_all_pairs else self._with_best
        return {frozenset(pair): judged(self.contest, self.contest.compare(self.test, *pair)) for pair in pairs}

    @property
    def _has_all_pairs(self) -> bool:
        return len(self.order) <= (ALL_PAIRS if self.test.random or self.contest.by_rows else MANY)

    @property
    def _with_best(self) -> list[tuple[str, str]]:
        names, best = self.contest.predictions.names, self.order[0]
        split = names.index(best)
        return [*((name, best) for name in names[:split]), *((best, name) for name in names[split + 1 :])]

    @cached_property
    def shown(self) -> list[Comparison]:
        """The comparisons with their p adjusted for there being several."""
        few = len(self.order) <= ALL_PAIRS
        chosen = [pair for pair in self.compared.values() if few or self.order[0] in (pair.a, pair.b)]
        family = adjusted([pair.p for pair in chosen], self.adjust)
        return [replace(pair, p_adjusted=p) for pair, p in zip(chosen, family, strict=True)]

    @cached_property
    def across(self) -> Comparison | None:
        return across_data_sets(self.contest)

    @cached_property
    def decision(self) -> Decision:
        has_p = any(pair.p is not None for pair in self.compared.values())
        dropped = too_far_from_the_best(self.across) if self.across and has_p else None
        return unless_doubtful(decide(self.contest, self.compared, dropped), self.contest)

    @cached_property
    def leaderboard(self) -> Leaderboard:
        """Who is told apart from whom, all at once; models that cannot be judged are told apart from nobody."""
        pairs = (self.decision.rest or self.decision).pairs
        if pairs is None:
            return by_each_pair(self.compared, self.order, self.contest.design.alpha)
        return by_draws(pairs, self.order)

    @cached_property
    def decided(self) -> Contest:
        """The contest without the models that cannot be tested, where these leave a verdict all the same."""
        aside = self.decision.surely_worse
        return self.contest.among([name for name in self.order if name not in aside]) if aside else self.contest

    @property
    def sentence(self) -> str:
        decision, beside = self.decision, (self.nearest_margin, self.small_lead, self.guessing)
        said = sentence(self.decided, decision, self.nearest, self.smallest_difference, *beside)
        if decision.rest is None or decision.rest.outcome == "undecided":
            return said
        others = self.contest.among([name for name in self.order if name not in decision.left_open])
        first_two = (decision.rest.winners if decision.rest.outcome == "tie" else others.order)[:2]
        of_others = sentence(others, decision.rest, self.compared[frozenset(first_two)], None, None, None, None)
        return f"{said} Without {named(decision.left_open)} (--models names the others): {of_others}"

    @cached_property
    def nearest(self) -> Comparison | None:
        """The best model against the next best one; in a tie, against the next one that may be the best."""
        tied = self.decision.winners if self.decision.outcome == "tie" else ()
        pair = self.compared[frozenset((tied or self.decided.order)[:2])]
        return pair if pair.undefined is None else None

    @cached_property
    def smallest_difference(self) -> float | None:
        return smallest_difference(self.nearest) if self.nearest else None

    @cached_property
    def margins(self) -> dict[tuple[str, str], Margin]:
        if self.margin is None:
            return {}
        held = {(pair.a, pair.b): against_margin(self.contest, self.test, pair, self.margin) for pair in self.shown}
        return {pair: margin for pair, margin in held.items() if margin is not None}

    @cached_property
    def chosen(self) -> ChosenScore | None:
        contest = self.contest
        if contest.design.kind == "data_sets" or self.decision.outcome == "undecided":
            return None
        return chosen_score(contest, self.order[0], self._degrees_of_freedom())

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
        row = self.scores.guessing.row_on(self.contest.metric)
        return None if row is None else row.value

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
        notices += cautions_of_worth(self.contest)
        if self.nearest is not None:
            notices += cautions_of_differences(self.contest, self.test, self.nearest.a, self.nearest.b)
            notices += cautions_of_order(self.scores.predictions, self.contest, (self.nearest.a, self.nearest.b))
        notices += [notice for pair in self.shown for notice in pair.warnings]
        return tuple(dict.fromkeys(notices))

    def _rows_to_stand_out(self, rows: int) -> int | None:
        """Of a tie of several models: what it would take to tell the first two apart among all that may be the best."""
        critical = self.decision.critical
        if critical is None or self.nearest is None or not rows:
            return None
        return rows_at_least(rows, self.nearest, 2 * tail(critical, inf))

    def _is_better_than_guessing(self) -> bool | None:
        return None if self.guessing is None or self.decision.outcome == "undecided" else self.guessing.better

    def _rows_it_takes(self) -> dict[str, Any]:
        """What these rows can detect, and how many would tell the two best apart."""
        nearest, rows = self.nearest, self.contest.rows
        if not (self.contest.by_rows or self.contest.design.kind == "left_out"):
            rows = 0
        return {
            "smallest_difference": self.smallest_difference,
            "rows_to_separate": rows_to_separate(rows, nearest, self.delta) if nearest and rows else None,
            "rows_at_least": rows_at_least(rows, nearest) if nearest and rows else None,
            "rows_to_stand_out": self._rows_to_stand_out(rows),
        }

    def verdict(self) -> Verdict:
        contest, decision = self.contest, self.decision
        return Verdict(
            goal=contest.metric,
            outcome=decision.outcome,
            winners=decision.winners,
            sentence=spoken(self.sentence),
            best=decision.best,
            values={name: value if isfinite(value := contest.values[name]) else None for name in self.order},
            comparisons=tuple(self.shown),
            test=self.test,
            design=contest.design,
            reasons=tuple(map(spoken, reasons(contest, self.test, self.nearest))),
            goal_scores=self.scores,
            warnings=self.warnings,
            undecided=decision.undecided and spoken(decision.undecided),
            left_open=decision.left_open,
            without_left_open=None if decision.rest is None else (decision.rest.outcome, decision.rest.winners),
            surely_worse=tuple(decision.surely_worse),
            rows_to_decide=decision.rows_to_decide,
            approximate_reason=decision.approximate,
            better_than_guessing=self._is_better_than_guessing(),
            practically_equal=decision.practically_equal(self.nearest_margin),
            alpha=contest.design.alpha,
            seed=contest.design.seed,
            adjustment=self.adjust,
            chosen=self.chosen,
            margin=self.margin,
            margins=self.margins,
            delta=self.delta,
            **self._rows_it_takes(),
            other_goals=tuple(other_goals(contest, decision.best, self.scores.metrics)),
            across=self.across,
            leaderboard=self.leaderboard,
            contest=replace(contest),  # without what it has kept for itself
        )

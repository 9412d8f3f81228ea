"""Verdict: who won on the goal metric, or a tie, with all that it rests on."""

from __future__ import annotations

from dataclasses import asdict, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from referee.catalogue import known_keywords
from referee.document import Result
from referee.errors import UnknownNameError, listed
from referee.records import dataclass
from referee.scoring import score_all

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.comparing.comparison import Comparison
    from referee.comparing.contest import Contest
    from referee.comparing.decision import ChosenScore, CorrectedScore
    from referee.comparing.design import Design
    from referee.comparing.expectation import Expectation
    from referee.comparing.leaderboard import Leaderboard
    from referee.comparing.margins import Margin
    from referee.comparing.other_goals import OtherGoal
    from referee.comparing.significance_test import SignificanceTest
    from referee.comparing.slice_tests import SliceTests
    from referee.document import Document, Part
    from referee.errors import Notice
    from referee.fitting import Selection
    from referee.predictions import Predictions
    from referee.scoring import Metric, Scores

Outcome = Literal["winner", "tie", "undecided"]
SHARED_WITH_SCORES = ("task", "positive", "fingerprint", "read", "scores", "baseline", "confusion")
"""Parts of the JSON."""


@dataclass(frozen=True, repr=False)
class Verdict(Result):
    """The winner on the goal metric, or a tie, with margin, certainty and reasons.

    >>> from referee import compare
    >>> y, good, bad = [0, 1] * 50, [0.1, 0.9] * 50, [0.1, 0.9, 0.8, 0.3] * 25
    >>> compare(y, {"g": good, "b": bad}, goal="accuracy").winners
    ('g',)

    `outcome`, `winners` and `sentence` are the answer, `reasons` and `warnings`
    what it rests on. `comparisons` and `comparison(a, b)` hold each pair's
    difference, interval and p; `scores` every metric of every model; `tiers` and
    `ranks` the order. `under(goal)` asks the same about another goal.

    Like every result, it has `to_html(path)`, `to_markdown()`, `to_latex()`, `to_json()`,
    `to_csv()`, `to_frame()`, `save(path)`, `plot()`, `explained()`.
    """

    goal: Metric
    outcome: Outcome
    winners: tuple[str, ...]
    """The winner, or the models that cannot be told apart from the best; none where it is undecided."""
    sentence: str
    best: str
    """The model with the best value, significant or not."""
    values: Mapping[str, float | None]
    """What the models were ranked by, best first; None where that is undefined."""
    comparisons: tuple[Comparison, ...]
    test: SignificanceTest
    design: Design
    reasons: tuple[str, ...]
    """Why this test, and what was checked."""
    goal_scores: Scores
    """The values of all metrics; standard errors and values of each class only of the goal's."""
    warnings: tuple[Notice, ...]
    undecided: str | None = None
    """Why nobody can be named, where the outcome is undecided."""
    left_open: tuple[str, ...] = ()
    """Models that cannot be judged on these rows and may be the best: because of them the outcome is undecided."""
    without_left_open: tuple[Outcome, tuple[str, ...]] | None = None
    """What the outcome would be without them, and who would be named."""
    surely_worse: tuple[str, ...] = ()
    """Models that cannot be tested on these rows, but are worse than the best one by exact bounds."""
    rows_to_decide: int | None = None
    """About how many rows like these would have enough to decide, where there are too few of something."""
    approximate_reason: str | None = None
    """What makes the p values rough, though not worthless."""
    better_than_guessing: bool | None = None
    """Whether the best model is shown to be better than guessing; None where guessing has no value to beat."""
    practically_equal: bool = False
    """Whether two models tie because their difference is shown to be smaller than the margin."""
    alpha: float = 0.05
    seed: int = 0
    adjustment: str = "holm"
    chosen: ChosenScore | None = field(default=None, repr=False, compare=False)
    """The best value among the others, from which `corrected` is made."""
    margin: float | None = None
    margins: Mapping[tuple[str, str], Margin] | None = None
    """What each pair's difference is against the margin, where one was named."""
    smallest_difference: float | None = None
    """The true difference to the runner-up that these rows can detect with 80% power."""
    delta: float | None = None
    rows_to_separate: int | None = None
    """Rows that would find a difference of `delta`."""
    rows_at_least: int | None = None
    """Rows that the difference seen would need at least, were these two the only models."""
    rows_to_stand_out: int | None = None
    """The same among all models that may be the best, where these are several: the quantile of all pairs is larger."""
    other_goals: tuple[OtherGoal, ...] = ()
    across: Comparison | None = None
    """Of all models at once, where there are data sets: mean ranks and the critical difference."""
    leaderboard: Leaderboard | None = None
    """Which models are told apart by all pairs at once."""
    goal_alone: bool = False
    """Whether the models were too many to judge them on other metrics, too, without being asked."""

    selection: Selection | None = None
    """How the predictions were made, where models were fitted."""
    call: str = ""
    """What was called in Python to make it."""
    contest: Contest | None = field(default=None, repr=False)
    """All models in their design, to ask the same of another metric."""

    @known_keywords()
    def under(self, goal: str | Metric) -> Verdict:
        """The verdict on another goal, in the same design and by its default test: what `compare` says about it.

        A goal that is chosen after its results were seen makes p too small.

        >>> from referee import compare
        >>> y, good, fair = [0, 1] * 50, [0.2, 0.9, 0.3, 0.8] * 25, [0.2, 0.9, 0.7, 0.4] * 25
        >>> compare(y, {"good": good, "fair": fair}, goal="accuracy").under("roc_auc").goal.name
        'roc_auc'
        """
        from referee.comparing.verdicts import verdict_under

        return verdict_under(self, goal)

    @property
    def goal_name(self) -> str:
        """What the goal is called, with the average over the classes where there is one."""
        return self.goal.called(len(self.predictions.classes))

    @property
    def predictions(self) -> Predictions:
        return self.goal_scores.predictions

    @cached_property
    def scores(self) -> Scores:
        """Every metric of every model with its standard error, made when it is asked for."""
        known = self.goal_scores
        if not self.predictions.has_rows:
            return known
        by = known.slices.by if known.slices else ()
        return score_all(self.predictions, known.metrics, (), by, alpha=known.alpha, errors_of_units=False)

    @cached_property
    def slices(self) -> SliceTests | None:
        """Which requested slices differ by more than chance would explain; None if that was not tested."""
        from referee.comparing.slice_tests import slice_tests  # the layer above

        return slice_tests(self)

    @property
    def corrected(self) -> CorrectedScore | None:
        """The best value without most of its optimism, made when it is asked for; None where it has no spread."""
        return None if self.chosen is None else self.chosen.corrected

    @cached_property
    def expected(self) -> Expectation | None:
        """What to expect on new rows, and which model to take in a tie."""
        from referee.comparing.expectation import expectation_of

        return expectation_of(self)

    @known_keywords()
    def comparison(self, a: str, b: str) -> Comparison:
        """The comparison of two models, whichever was named first there."""
        for comparison in self.comparisons:
            if {comparison.a, comparison.b} == {a, b}:
                return comparison
        raise UnknownNameError(f"{a} and {b} were not compared", f"the models are {listed(self.values)}")

    @property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """Best first: a model is beaten by one of each tier above its own, and by none of its own.

        >>> from referee import compare
        >>> y = [0, 1] * 50
        >>> models = {"good": y, "fair": [0, 1, 1, 1] * 25, "poor": [1, 1, 0, 0] * 25}
        >>> compare(y, models, goal="accuracy").tiers
        (('good',), ('fair',), ('poor',))
        """
        return () if self.leaderboard is None else self.leaderboard.tiers

    @property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """The best and the worst rank that each model may have: intervals that hold for all models at once."""
        return {} if self.leaderboard is None else dict(self.leaderboard.ranks)

    @property
    def approximate(self) -> bool:
        """Whether the p values are rough, though not worthless."""
        return self.approximate_reason is not None

    @property
    def certainty(self) -> Literal["clean", "approximate"]:
        """Whether p is reliable, approximate, or unreliable, which leaves the verdict undecided."""
        return "approximate" if self.approximate or self.outcome == "undecided" else "clean"

    @property
    def has_value_on_rows(self) -> bool:
        """Whether models have a value on all rows that differs from the one they were ranked by."""
        return not self.design.by_rows and self.predictions.scored is None and self.design.kind != "left_out"

    @property
    def runner_up(self) -> str:
        """The model that the best one is compared with: the second, or in a tie the next that may be the best."""
        tied = self.winners if self.outcome == "tie" else ()
        return next(name for name in tied or self.values if name not in (self.best, *self.surely_worse))

    @known_keywords()
    def save_to(self, url: str) -> bool:
        """Save it once in "sqlite:///verdicts.db#verdicts" or "mlflow://experiment"; False if it was there already."""
        from referee.comparing.kept_verdicts import keep

        return keep(self, url)

    def to_dict(self) -> dict[str, Any]:
        """The result as a dict, as in its JSON, without what the command line adds."""
        scores = self.scores.to_dict()
        return {
            "rows": scores["rows"] if self.selection is None else self.selection.rows,
            "goal": self.goal.full_name,
            "alpha": self.alpha,
            "seed": self.seed,
            **{key: scores[key] for key in SHARED_WITH_SCORES},
            "design": self.design.kind,
            "test": self.test.full_name,
            "adjustment": self.adjustment,
            "comparisons": [pair.to_dict() | self._against_margin(pair) for pair in self.comparisons],
            "verdict": self._summary(),
            "other_goals": [other.to_dict() for other in self.other_goals],
            "across": None if self.across is None else self.across.to_dict(),
            "tiers": [list(names) for names in self.tiers],
            "ranks": {name: list(ends) for name, ends in self.ranks.items()},
            **({} if self.slices is None else {"slices": [asdict(test) for test in self.slices.tests]}),
            **({} if self.selection is None else {"selection": self.selection.to_dict()}),
            "warnings": [vars(notice) for notice in self.warnings],
        }

    def _summary(self) -> dict[str, Any]:
        return {
            "outcome": self.outcome,
            "winners": list(self.winners),
            "sentence": self.sentence,
            "certainty": self.certainty,
            "approximate": self.approximate,
            "better_than_guessing": self.better_than_guessing,
            "practically_equal": self.practically_equal,
            "best": self.best,
            "values": dict(self.values),
            "margin": self.margin,
            "smallest_difference": self.smallest_difference,
            "delta": self.delta,
            "rows_to_separate": self.rows_to_separate,
            "rows_at_least": self.rows_at_least,
            "rows_to_stand_out": self.rows_to_stand_out,
            "rows_to_decide": self.rows_to_decide,
            "left_open": list(self.left_open),
            "without_left_open": self._without_left_open(),
            "surely_worse": list(self.surely_worse),
            "corrected": None if self.corrected is None else asdict(self.corrected),
            "expected": None if self.expected is None else self.expected.to_dict(),
            "reasons": list(self.reasons),
        }

    def _without_left_open(self) -> dict[str, Any] | None:
        if self.without_left_open is None:
            return None
        outcome, winners = self.without_left_open
        return {"outcome": outcome, "winners": list(winners)}

    def _against_margin(self, comparison: Comparison) -> dict[str, Any]:
        margin = (self.margins or {}).get((comparison.a, comparison.b))
        return {} if margin is None else {"margin": asdict(margin)}

    @property
    def command(self) -> str:
        return "compare" if self.selection is None else "select"

    def explanation(self) -> tuple[Part, ...]:
        """The comparison of the best model with the runner-up, step by step, as a lecture would walk through it."""
        from referee.comparing.verdict_document import explained_verdict

        return explained_verdict(self)

    def document(self, *, whole: bool = False) -> Document:
        """What is shown; `whole` has all models, pairs and metrics."""
        from referee.comparing.verdict_document import verdict_document

        return verdict_document(self, whole=whole)

    def records(self) -> list[dict[str, Any]]:
        """One for each comparison."""
        rows = [pair.to_dict() for pair in self.comparisons]
        return [{name: value for name, value in row.items() if name not in ("details", "warnings")} for row in rows]

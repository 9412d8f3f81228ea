"""The verdict in one plain sentence that a manager understands and a statistician accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.comparing.in_time import said_of_pieces
from referee.comparing.left_out import said_of_training
from referee.document import level, named, number, p_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.comparing.checks import AgainstGuessing
    from referee.comparing.comparison import Comparison
    from referee.comparing.contest import Contest
    from referee.comparing.decision import Decision
    from referee.comparing.design import Design
    from referee.comparing.margins import Margin
    from referee.comparing.verdict import Verdict
    from referee.predictions import Predictions
    from referee.scoring import Metric

MANY_FOR_TAILS = 1000
MANY_OF_A_CLASS = 100
"""With 50 rows of the rarer class, 10% of the clean verdicts on log loss were measured to be false, with 200 5%."""
MANY_GROUPS = 300


def sentence(
    contest: Contest,
    decision: Decision,
    nearest: Comparison | None,
    smallest: float | None,
    margin: Margin | None,
    small: float | None,
    guessing: AgainstGuessing | None,
) -> str:
    """Say who won, by how much and how surely; `nearest` compares the best model with the next best one."""
    goal = contest.goal
    if decision.outcome == "undecided":
        return f"{opening('undecided', goal)}: {decision.undecided}.{enough(decision.rows_to_decide)}"
    assert nearest is not None
    rough = f" (approximately, as {decision.approximate})" if decision.approximate else ""
    if decision.outcome == "winner":
        said = _win(contest, decision, nearest) + _useful(margin) + _small(small) + _no_better_than(guessing)
    else:
        said = _tie(decision, goal, contest.values, nearest, margin)
        possible = smallest is not None and smallest < contest.metric.range[1] - contest.metric.range[0]
        if possible and nearest.p is not None and not decision.practically_equal(margin):
            what = "these rows" if contest.by_rows else "this comparison"
            said += f"; {what} can detect a true difference of {number(smallest)} with 80% power"
    of_chance = of_seeds(nearest), said_of_training(nearest), said_of_pieces(nearest, contest.rows)
    remarks = _surely_worse(decision), scope(contest), *of_chance, _unseen(contest, nearest)
    return f"{said}{rough}.{''.join(remarks)}"


def opening(outcome: str, goal: str, best: str = "") -> str:
    """The first words of a verdict's sentence, before the colon."""
    return {
        "winner": f"{best} wins on {goal}",
        "tie": f"No winner on {goal}",
        "equal": f"Practically equal on {goal}",
        "undecided": f"Undecided on {goal}",
    }[outcome]


def after_opening(verdict: Verdict) -> str:
    """The verdict's sentence where a headline has said the outcome and the goal already."""
    outcome = "equal" if verdict.practically_equal else verdict.outcome
    rest = verdict.sentence.removeprefix(f"{opening(outcome, verdict.goal_name, verdict.best)}: ")
    return f"Why: {rest}" if outcome == "undecided" else rest


def _unseen(contest: Contest, nearest: Comparison) -> str:
    if nearest.difference == 0 and not nearest.standard_error:
        return ""  # they do not differ at all
    return blind_spot(contest.metric, contest.design, contest.predictions, contest.rows)


def of_seeds(pair: Comparison) -> str:
    """How much of the uncertainty is the seeds', where models were run with several."""
    known = pair.details.get("seeds")
    if known is None:
        return ""
    share, seeds = known["share"], f"{known['number']} seeds"
    more = "more seeds would narrow it more than more items" if share > 0.5 else "more items would narrow it more"
    return f" With {seeds}, seeds account for {100 * share:.0f}% of the uncertainty; {more}."


def _surely_worse(decision: Decision) -> str:
    """What is said of models that were not tested: by exact bounds they are worse than the best all the same."""
    said = [
        f"{name} cannot be tested, but has at most {number(most)}, and {decision.best} at least {number(least)}"
        for name, (most, least) in decision.surely_worse.items()
    ]
    return f" {'; '.join(said)}." if said else ""


def enough(rows: int | None) -> str:
    """How many rows it would take, where there are too few of something."""
    return "" if rows is None else f" About {rows:,} rows like these would be enough."


def _win(contest: Contest, decision: Decision, nearest: Comparison) -> str:
    best, second, *more = contest.order
    values = f"{number(contest.values[best])} vs {number(contest.values[second])} for {second}"
    return (
        f"{opening('winner', contest.goal, decision.best)}: {values}{', the runner-up' if more else ''}; better by "
        f"{certainty(nearest)}{', and beats every other model' if more else ''}"
    )


def _small(small: float | None) -> str:
    """A significant lead that hardly anybody would care for, where no margin says what matters."""
    return "" if small is None else f", a lead that is significant but small (below {number(small)}; --margin sets it)"


def _no_better_than(guessing: AgainstGuessing | None) -> str:
    if guessing is None or guessing.better:
        return ""
    return f", but is not shown to be better than {guessing.guess} ({number(guessing.guessed)})"


def blind_spot(metric: Metric, design: Design, predictions: Predictions, rows: int) -> str:
    """What too few rows cannot show of a metric that a few of them can carry, and too few groups of any."""
    said = ""
    if metric.carried_by is not None and design.kind != "data_sets":
        few = f"{rows:,} rows" if rows < MANY_FOR_TAILS else _rare_rows(metric, predictions)
        said = f" Errors rarer than 3 in {few} cannot be judged." if few else ""
    groups = predictions.group if design.by_rows else None
    if groups is not None and len(groups) < MANY_GROUPS:
        said += f" Failures of whole groups rarer than 3 in {len(groups):,} cannot be judged."
    return said


def _rare_rows(metric: Metric, predictions: Predictions) -> str:
    """The rows of a rare class, which carry the log loss however many others there are."""
    if metric.carried_by != "surprise" or not predictions.classes:
        return ""
    each = zip(map(round, predictions.rows_of_classes), predictions.classes, strict=True)
    rows, label = min((rows, label) for rows, label in each if rows)
    return f"{rows:,} rows of class {label!r}" if rows < MANY_OF_A_CLASS else ""


def _useful(margin: Margin | None) -> str:
    """Whether the winner's lead matters, where a margin was named."""
    if margin is None:
        return ""
    if margin.relation == "practically equal":
        return f", which is less than the margin of {number(margin.margin)}"
    shown = "by more than" if margin.relation != "cannot be said" else "though not certainly by more than"
    return f", {shown} the margin of {number(margin.margin)}"


def _tie(decision: Decision, goal: str, values: Mapping[str, float], nearest: Comparison, margin: Margin | None) -> str:
    tied = named([f"{name} ({number(values[name])})" for name in decision.winners])
    if margin is not None and decision.practically_equal(margin):
        return (
            f"{opening('equal', goal)}: {tied} differ by {certainty(nearest)}, and by less than the margin of "
            f"{number(margin.margin)}"
        )
    if nearest.difference == 0 and nearest.p == 1 and not nearest.standard_error and len(decision.winners) == 2:
        return f"{opening('tie', goal)}: {tied} do not differ at all"
    if len(decision.winners) == 2 and nearest.outcome == "tie":
        return f"{opening('tie', goal)}: {tied} do not differ significantly; the difference is {certainty(nearest)}"
    return (
        f"{opening('tie', goal)}: {tied} may each be the best{_adjusted(decision, len(values))}; the first two differ "
        f"by {certainty(nearest)}"
    )


def _adjusted(decision: Decision, models: int) -> str:
    """Why the set may hold models that the best one beats: it allows for how many were compared."""
    if models == 2:
        return ""
    one_by_one = f"; taken one by one, {decision.best} beats {named(decision.beaten)}" if decision.beaten else ""
    return f" (adjusted for comparing {models:,} models{one_by_one})"


def certainty(comparison: Comparison) -> str:
    """The size of a difference with its interval and p, and what it is where it is not that of the two values."""
    assert comparison.difference is not None
    flip = comparison.difference < 0
    ends = (
        []
        if comparison.low is None or comparison.high is None
        else sorted(-e if flip else e for e in (comparison.low, comparison.high))
    )
    interval = [f"{level(comparison.alpha)} interval {number(ends[0])} to {number(ends[1])}"] if ends else []
    p = [] if comparison.p is None else [p_value(comparison.p)]
    facts = [*estimate(comparison), *interval, *p, *_probability(comparison)]
    return f"{number(abs(comparison.difference))}" + (f" ({', '.join(facts)})" if facts else "")


def estimate(comparison: Comparison) -> list[str]:
    """What a difference is, where a test of ranks or signs reports another one than that of the models' values."""
    return [f"{comparison.details['estimate']} of the differences"] if "estimate" in comparison.details else []


def _probability(comparison: Comparison) -> list[str]:
    """A Bayesian test has probabilities where others have p."""
    better = [comparison.details[key] for key in ("a_better", "b_better") if key in comparison.details]
    return [f"probability of being better {max(better):.3f}"] if better else []


def scope(contest: Contest) -> str:
    """What the verdict does not speak of."""
    predictions = contest.predictions
    if contest.by_rows and not (predictions.fold is None and predictions.repeat is None):
        which = (
            "these fitted models in time order"
            if predictions.time is not None
            else "the fitted models that made these predictions"
        )
        return f" This is about {which}, not about the learning procedures."
    return ""

"""The verdict in one plain sentence that a manager understands and a statistician accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.wording import level, named, number, p_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.comparison import Comparison
    from referee.verdict.contest import Contest
    from referee.verdict.deciding import Decision
    from referee.verdict.margins import Margin


def sentence(
    contest: Contest,
    decision: Decision,
    order: Sequence[str],
    nearest: Comparison | None,
    smallest: float | None,
    margin: Margin | None,
) -> str:
    """Say who won, by how much and how surely; `nearest` compares the best model with the next best one."""
    goal, values = contest.metric.shown_name, contest.values
    if decision.outcome == "undecided":
        return f"Undecided on {goal}: {decision.undecided}."
    assert nearest is not None
    rough = f" (approximately, as {decision.approximate})" if decision.approximate else ""
    if decision.outcome == "winner":
        others = "" if len(order) == 2 else ", and beats every other model"
        others += _useful(margin)
        said = (
            f"{decision.best} wins on {goal}: {number(values[decision.best])} against {number(values[order[1]])} of "
            f"{order[1]}{', the next best' if len(order) > 2 else ''}; better by {certainty(nearest)}{others}"
        )
    else:
        said = _tie(decision, goal, values, nearest, margin)
        possible = smallest is not None and smallest < contest.metric.range[1] - contest.metric.range[0]
        if possible and nearest.p is not None and not decision.practically_equal(margin):
            said += f"; a true difference of {number(smallest)} would be found in 80 % of the cases"
    return f"{said}{rough}.{scope(contest)}"


def _useful(margin: Margin | None) -> str:
    """Whether the winner's lead matters, where a margin was named."""
    if margin is None:
        return ""
    if margin.relation == "practically equal":
        return f", which is less than the margin of {number(margin.margin)}"
    shown = "by more than" if margin.relation != "cannot be said" else "though not surely by more than"
    return f", {shown} the margin of {number(margin.margin)}"


def _tie(decision: Decision, goal: str, values: Mapping[str, float], nearest: Comparison, margin: Margin | None) -> str:
    tied = named([f"{name} ({number(values[name])})" for name in decision.winners])
    if margin is not None and decision.practically_equal(margin):
        return (
            f"Practically equal on {goal}: {tied} differ by {certainty(nearest)}, and by less than the margin of "
            f"{number(margin.margin)}"
        )
    if nearest.difference == 0 and nearest.p == 1 and not nearest.standard_error and len(decision.winners) == 2:
        return f"No winner on {goal}: {tied} do not differ at all"
    if len(decision.winners) == 2 and nearest.outcome == "tie":
        return f"No winner on {goal}: {tied} cannot be told apart; they differ by {certainty(nearest)}"
    return f"No winner on {goal}: {tied} may each be the best; the first two differ by {certainty(nearest)}"


def certainty(found: Comparison) -> str:
    """The size of a difference with its interval and p, and what it is where it is not that of the two values."""
    assert found.difference is not None
    flip = found.difference < 0
    ends = [] if found.low is None or found.high is None else sorted(-e if flip else e for e in (found.low, found.high))
    interval = [f"{level(found.alpha)} interval {number(ends[0])} to {number(ends[1])}"] if ends else []
    p = [] if found.p is None else [p_value(found.p)]
    facts = [*estimate(found), *interval, *p, *_probability(found)]
    return f"{number(abs(found.difference))}" + (f" ({', '.join(facts)})" if facts else "")


def estimate(found: Comparison) -> list[str]:
    """What a difference is, where a test of ranks or signs reports another one than that of the models' values."""
    return [f"{found.details['estimate']} of the differences"] if "estimate" in found.details else []


def _probability(found: Comparison) -> list[str]:
    """A Bayesian test has probabilities where others have p."""
    better = [found.details[key] for key in ("a_better", "b_better") if key in found.details]
    return [f"probability of being better {max(better):.3f}"] if better else []


def scope(contest: Contest) -> str:
    """What the verdict does not speak of."""
    predictions = contest.predictions
    if contest.by_rows and not (predictions.fold is None and predictions.repeat is None):
        return " This speaks of the fitted models that made these predictions, not of the learning procedures."
    return ""

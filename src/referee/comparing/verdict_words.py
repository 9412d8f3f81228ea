"""A verdict in words: what is said of it beside its sentence."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from referee.comparing.leaderboard import goal_alone, rows_to_stand_out
from referee.comparing.sentence import estimate
from referee.document import counted, level, named, number, one_line, p_value
from referee.scoring import shown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.comparing.comparison import Comparison
    from referee.comparing.gates import Gate
    from referee.comparing.margins import Margin
    from referee.comparing.verdict import Verdict

MARKS = {"winner": "winner", "tie": "may be best", "undecided": ""}
"""How the models are marked that the verdict names."""
MOST_SLICES = 5
MOST_MODELS = 15
"""So many of the best are shown where somebody reads; all of them where a program does."""
FALSE_WINNERS_OF_SPLITS = (
    "between equal learning procedures a winner was found in up to 12% of simulated data sets, mostly with unstable "
    "learners (one-split trees, nearest neighbours)"
)
MOST_MARGINS = 12
MOST_CHOICES, MOST_METRICS = 2, 3
"""Other goals: so many models are named in a line, and so many metrics of a single one."""


def rows_in_words(verdict: Verdict) -> str:
    """The rows that were compared; of a selection those of the data, whatever number of times each was predicted."""
    selection, predicted = verdict.selection, verdict.predictions.rows
    if selection is None:
        rows, sets = counted(predicted, verdict.predictions.row_name), verdict.predictions.group
        return f"{rows} of {counted(len(sets), 'data set')}" if verdict.design.kind == "data_sets" and sets else rows
    splits = counted(selection.splits, "split")
    return f"{counted(selection.rows, 'row')} of data ({counted(predicted, 'prediction')} in {splits})"


def deciding_interval(gate: Gate) -> str:
    """The interval of the difference that decides; nothing where there is none."""
    held = gate.held
    if held is None:
        return ""
    return f"{level(2 * gate.verdict.alpha)} interval {number(held.low)} to {number(held.high)}"


def background(verdict: Verdict) -> list[str]:
    """The corrected score, and what these rows could have shown."""
    lines = []
    if (corrected := verdict.corrected) is not None:
        lines.append(
            f"the best of several values is optimistic; corrected for most of this, {corrected.model} has "
            f"{number(corrected.value)} ({level(verdict.alpha)} interval for all models at once "
            f"{number(corrected.low)} to {number(corrected.high)})"
        )
    if verdict.smallest_difference is not None:
        what = "these rows" if verdict.design.by_rows else "this comparison"
        smallest = number(verdict.smallest_difference)
        lines.append(f"{what} can detect a true difference of {smallest} to {verdict.runner_up} with 80% power")
    return lines


def what_else(verdict: Verdict) -> list[str]:
    """What to expect on new rows, how many rows it would take, the margin, and the slices."""
    lines = [] if verdict.expected is None else [*verdict.expected.lines]
    if verdict.rows_to_separate is not None:
        needed = f"about {verdict.rows_to_separate:,} rows like these"
        lines.append(f"a difference of {number(verdict.delta)} needs {needed}")
    elif standing_out := rows_to_stand_out(verdict):
        lines += standing_out
    elif verdict.outcome == "tie" and (verdict.rows_at_least or 0) > verdict.predictions.rows:
        lines.append(f"the difference seen would need at least {verdict.rows_at_least:,} rows like these")
    return lines + _of_procedures(verdict) + _margins(verdict) + in_slices(verdict) + goal_alone(verdict)


def _of_procedures(verdict: Verdict) -> list[str]:
    """What out-of-fold predictions say of the learning procedures, or how sure a winner on overlapping splits is."""
    if verdict.design.overlapping and verdict.outcome == "winner":
        return [FALSE_WINNERS_OF_SPLITS]
    pair = verdict.comparison(verdict.best, verdict.runner_up)
    known = pair.details.get("procedures")
    if known is None or verdict.outcome == "undecided":
        return []
    p, both = p_value(known["p"]), f"{one_line(pair.a)} and {one_line(pair.b)}"
    if known["p"] < verdict.alpha:
        shown = f"the learning procedures of {both} also differ"
    elif pair.winner:
        shown = f"the predictions of {both} differ; that one learning procedure is better is not shown"
    else:
        shown = f"no learning procedure is shown to be better, {both}"
    return [
        f"{shown} ({p} with twice the row variance: conservative for most learners, up to 9% false winners for "
        "unstable ones such as one-split trees; `referee select` decides with full power)"
    ]


def _margins(verdict: Verdict) -> list[str]:
    """The pairs against the margin; where there are many, those of the best model first."""
    held = sorted((verdict.margins or {}).items(), key=lambda item: verdict.best not in item[0])
    lines = [against_margin(a, b, margin) for (a, b), margin in held[:MOST_MARGINS]]
    left = len(held) - len(lines)
    return [*lines, f"{counted(left, 'more pair')} vs the margin: --format json"] if left > 0 else lines


def remark_on_comparisons(verdict: Verdict) -> str:
    """What `better` rests on, and what the adjusted p is."""
    several = len(verdict.comparisons) > 1
    if all(pair.p is None for pair in verdict.comparisons):
        text, several = f"significant means a probability of being better above {1 - verdict.alpha:g}", False
    else:
        text = f"significant means p below {verdict.alpha:g}{', not adjusted' if several else ''}"
    if several and verdict.adjustment != "none":
        text += f"; adjusted p ({verdict.adjustment}) are for {counted(len(verdict.comparisons), 'comparison')} at once"
    text += "".join(f"; {words}" for words in how_sets_are_won(verdict))
    return text + "".join(f"; the difference is the {words}" for words in of_ranks(verdict))


def ropes_in_words(verdict: Verdict) -> list[str]:
    """The region of practical equivalence of a Bayesian test, and whether anybody chose it."""
    ropes = dict.fromkeys(pair.details["rope"] for pair in verdict.comparisons if "rope" in pair.details)
    chosen = "as requested" if "rope" in verdict.test.settings else f"the default; {verdict.test.name}(rope=D) sets it"
    goal = verdict.goal_name
    return [f"rope (differences up to this size do not matter): {rope:g} in {goal}, {chosen}" for rope in ropes]


def score_intervals(pairs: Sequence[Comparison], alpha: float) -> list[str]:
    """Tango's intervals of the differences, which fit McNemar's test better than those of row influences."""
    known = [(pair, pair.details["score_interval"]) for pair in pairs if "score_interval" in pair.details]
    said = [
        f"{one_line(pair.a)} minus {one_line(pair.b)} [{number(low)}, {number(high)}]" for pair, (low, high) in known
    ]
    return [f"Tango's {level(alpha)} score interval of the difference: {'; '.join(said)}"] if said else []


def of_ranks(verdict: Verdict) -> list[str]:
    """What the differences are, where they are not those of the models' values."""
    return list(dict.fromkeys(words for pair in verdict.comparisons for words in estimate(pair)))


def across_in_words(comparison: Comparison) -> str:
    """What was found of all models at once, over data sets."""
    infinite = "F is infinite, as all data sets rank the models alike"
    statistic = (
        infinite if comparison.statistic is None or comparison.statistic == inf else f"F = {comparison.statistic:.3f}"
    )
    return (
        f"critical difference {comparison.details['critical_difference']:.3f} (Nemenyi); Friedman with Iman and "
        f"Davenport's correction: {statistic}, {p_value(comparison.p or 0)}"
    )


def wins_in_words(pair: Comparison) -> str:
    """On how many data sets a is better than b, level with it, and worse."""
    each = pair.details["data_sets"]
    return f"{each['wins']} / {each['ties']} / {each['losses']}"


def how_sets_are_won(verdict: Verdict) -> list[str]:
    """What a win on a data set rests on."""
    known = [pair.details["data_sets"]["test"] for pair in verdict.comparisons if "data_sets" in pair.details]
    by_test = f"a data set is won by {known[0]} of its folds" if known and known[0] else ""
    return [by_test or "a data set is won by the better value, significant or not"] if known else []


def in_slices(verdict: Verdict) -> list[str]:
    """Where the best model is not the best, or not as good as elsewhere, by more than chance."""
    if (slices := verdict.slices) is None:
        is_asked = verdict.goal_scores.slices is not None and verdict.design.kind not in ("data_sets", "time")
        return [UNTESTED] if is_asked else []
    beaten, worse = slices.where_best_is_beaten(), slices.where_best_is_worse()
    said = [f"{slices.best}, best on all rows, is significantly beaten in {_some(beaten)}"] if beaten else []
    return said + ([f"{slices.best} is significantly worse in {_some(worse)} than on the other rows"] if worse else [])


UNTESTED = "slices have values, but it was not tested whether a model differs in one of them, as they are too many"


def _some(slices: list[str]) -> str:
    more = f" and {len(slices) - MOST_SLICES:,} more" if len(slices) > MOST_SLICES else ""
    return ", ".join(one_line(name, 60) for name in slices[:MOST_SLICES]) + more


def against_margin(a: str, b: str, margin: Margin) -> str:
    """What can be said of two models and the margin.

    >>> from referee.comparing.margins import Margin
    >>> against_margin("nb", "web", Margin(0.1, "b is better by more", -0.3, -0.2, False, True))
    'web is better than nb by more than 0.1000'
    """
    limit = number(margin.margin)
    return {
        "practically equal": f"{a} and {b} are practically equal: they differ by less than {limit}",
        "a is better by more": f"{a} is better than {b} by more than {limit}",
        "b is better by more": f"{b} is better than {a} by more than {limit}",
        "cannot be said": f"it is not clear whether {a} and {b} differ by more than {limit}",
    }[margin.relation]


def other_choices(verdict: Verdict) -> list[str]:
    """Which models other metrics would have chosen, in a line."""
    chosen: dict[str, list[str]] = {}
    for other in verdict.other_goals:
        chosen.setdefault(other.best, []).append(shown_name(other.metric))
    agreeing = len(chosen.pop(verdict.best, ()))
    if not chosen:
        return []
    most = MOST_METRICS if len(chosen) == 1 else MOST_METRICS - 1
    named_by = [f"{model} on {_few(metrics, most)}" for model, metrics in list(chosen.items())[:MOST_CHOICES]]
    more = [counted(len(chosen) - MOST_CHOICES, "more model")] if len(chosen) > MOST_CHOICES else []
    agree = f" ({agreeing} would also choose {verdict.best})" if agreeing else ""
    return [f"other metrics would choose {'; '.join([*named_by, *more])}{agree}"]


def _few(metrics: list[str], most: int) -> str:
    return named(metrics) if len(metrics) <= most else counted(len(metrics), "metric")


def comparisons_by_rank(verdict: Verdict) -> tuple[list[Comparison], list[Comparison]]:
    """Those of the best model, seen from it, and the others; better models first."""
    places = {name: place for place, name in enumerate(verdict.values)}
    best: list[Comparison] = []
    others: list[Comparison] = []
    for pair in verdict.comparisons:
        first = min(pair.a, pair.b, key=places.__getitem__)
        (best if first == verdict.best else others).append(pair.seen_from(first))

    def rank(pair: Comparison) -> tuple[int, int]:
        return places[pair.a], places[pair.b]

    return sorted(best, key=rank), sorted(others, key=rank)

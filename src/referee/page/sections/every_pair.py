"""Every pair of models: the difference with its interval, adjusted p, who is better; and mean ranks over data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.comparing import (
    Comparison,
    Verdict,
    across_in_words,
    against_margin,
    of_ranks,
    ropes_in_words,
    score_intervals,
    wins_in_words,
)
from referee.document import (
    Cell,
    Column,
    counted,
    element,
    level,
    number,
    number_cell,
    one_line,
    p_value,
    short_p,
    signed,
)
from referee.document.svg import Scale, marker
from referee.page.shell import Section, figure, rendered, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from markupsafe import Markup

    from referee.page.subject import Subject


MOST_IN_MATRIX = 7
"""Up to here each cell of the matrix has room for the interval and p; tiers say more of many models."""
STEPS = 9
NEITHER = "neither is shown to be"
"""Of a gate, whose answer is not a tie."""


def every_pair_section(subject: Subject, verdict: Verdict) -> Section:
    pairs = {frozenset((comparison.a, comparison.b)): comparison for comparison in verdict.comparisons}
    models = len(verdict.values)
    complete = len(pairs) == models * (models - 1) // 2
    body = rendered(
        "section/every_pair.html",
        matrix=_matrix(subject, verdict, pairs) if complete and 2 < models <= MOST_IN_MATRIX else "",
        summary=_summary(subject, verdict) if models > MOST_IN_MATRIX else "",
        listed=_list(subject, verdict),
        open=models == 2,
        how_many=len(pairs),
        unlisted=subject.unlisted,
        reasons=(*ropes_in_words(verdict), *score_intervals(verdict.comparisons, verdict.alpha), *verdict.reasons),
        across=_across(subject, verdict),
    )
    return Section(
        "pairs", "Every pair, tested" if complete else "The best against each", body, _lead(subject, verdict), "Pairs"
    )


def _lead(subject: Subject, verdict: Verdict) -> str:
    several = len(verdict.comparisons) > 1
    text = f"{verdict.test.title} on {verdict.goal.shown_name}, with {level(verdict.alpha)} intervals. "
    if several:
        text += f"Adjusted p ({verdict.adjustment}) are for {counted(len(verdict.comparisons), 'comparison')} at once; "
        text += "the intervals are not adjusted. "
    text += "".join(f"The differences are the {words}, not those of the values above. " for words in of_ranks(verdict))
    if subject.gate is not None:
        return text + "This table asks which model is better; the gate, whether the candidate is worse by the margin."
    return text + "A tie means that these data cannot separate the two, not that they are equal."


def _summary(subject: Subject, verdict: Verdict) -> str:
    """How many models the best one beats, where there are too many to read them all."""
    pairs = [pair for pair in verdict.comparisons if verdict.best in (pair.a, pair.b)]
    beaten = [pair for pair in pairs if pair.winner == verdict.best]
    adjusted = sum(map(is_significant, beaten))
    unknown = sum(pair.answer in ("undefined", "undecided") for pair in pairs)
    level_with = len(pairs) - len(beaten) - unknown
    text = f"Of {counted(len(pairs), 'other model')}, {subject.labels[verdict.best]} is significantly "
    text += f"better than {len(beaten):,} ({adjusted:,} also after adjustment); {level_with:,} cannot be separated "
    return text + "from it" + (f"; {counted(unknown, 'comparison')} cannot be made." if unknown else ".")


def _matrix(subject: Subject, verdict: Verdict, pairs: dict[frozenset[str], Comparison]) -> Markup:
    names = list(verdict.values)
    largest = max(
        (abs(comparison.difference) for comparison in pairs.values() if comparison.difference is not None), default=0.0
    )
    columns = [
        Column("Row minus column", words=True),
        *map(subject.column, names),
    ]
    rows = [[subject.cell(a), *(_cell(pairs, a, b, largest) for b in names)] for a in names]
    what = "".join(f" ({words})" for words in of_ranks(verdict))
    caption = f"Differences in {verdict.goal.shown_name}{what}, row minus column"
    return table(caption, columns, rows, name="pairs-matrix", style="matrix")


def _cell(pairs: dict[frozenset[str], Comparison], a: str, b: str, largest: float) -> Cell:
    """Shaded where it is significant even after the adjustment; a tie where it is not so by itself."""
    if a == b:
        return Cell("·", mark="same")
    comparison = pairs[frozenset((a, b))]
    if comparison.difference is None:
        return Cell("–", mark="none", hint=comparison.undefined or "")
    difference = comparison.difference if comparison.a == a else -comparison.difference
    depth = 2 + round((STEPS - 3) * abs(difference) / largest) if largest else 2
    kind = {a: "heat", b: "burn"}.get(comparison.winner or "")
    mark = f"{kind}{depth}" if kind and is_significant(comparison) else ""
    facts = [*filter(None, [_interval(comparison, a), _p(comparison)])]
    shown = signed(difference) if kind else "?" if comparison.undecided else "tie"
    return Cell(shown, difference, mark, "\n".join(facts), comparison.undecided or "")


def is_significant(comparison: Comparison) -> bool:
    """Whether there is a winner, also after the adjustment for several comparisons."""
    return comparison.winner is not None and (comparison.p_adjusted is None or comparison.p_adjusted < comparison.alpha)


def _interval(comparison: Comparison, a: str) -> str:
    if comparison.low is None or comparison.high is None:
        return ""
    ends = (comparison.low, comparison.high) if comparison.a == a else (-comparison.high, -comparison.low)
    return " to ".join(number(end) for end in ends)


def _p(comparison: Comparison) -> str:
    if comparison.p is None:
        return ""
    same = comparison.p_adjusted is None or comparison.p_adjusted == comparison.p
    return p_value(comparison.p) if same else f"{p_value(comparison.p)}, adj. {short_p(comparison.p_adjusted)}"


def _list(subject: Subject, verdict: Verdict) -> Markup:
    columns: list[Column | str] = [
        Column("a", words=True),
        Column("b", words=True),
        "a minus b",
        "Low",
        "High",
        "p",
        "p adjusted",
    ]
    columns += [Column("Better", words=True)] + ([Column("Against the margin", words=True)] if verdict.margins else [])
    of_sets = any("data_sets" in pair.details for pair in verdict.comparisons)
    columns += ["Won / tied / lost"] if of_sets else []
    listed = {*subject.listed}
    rows = [
        [*_pair(subject, verdict, pair), *([Cell(wins_in_words(pair))] if of_sets else [])]
        for pair in verdict.comparisons
        if {pair.a, pair.b} <= listed
    ]
    said = element("p", subject.unlisted, class_="remark") if subject.unlisted else ""
    return table("All comparisons", columns, rows, name="pairs", sortable=True) + said


def _pair(subject: Subject, verdict: Verdict, comparison: Comparison) -> list[Cell]:
    labels = subject.labels
    better = labels[comparison.winner] if comparison.winner else comparison.answer
    better = NEITHER if subject.gate is not None and better == "tie" else better
    p = [Cell(short_p(p), p) for p in (comparison.p, comparison.p_adjusted)]
    margin = (verdict.margins or {}).get((comparison.a, comparison.b))
    said = "" if margin is None else against_margin(labels[comparison.a], labels[comparison.b], margin)
    numbers = [number_cell(value) for value in (comparison.difference, comparison.low, comparison.high)]
    names = [subject.cell(name) for name in (comparison.a, comparison.b)]
    winner = Cell(better, comparison.winner, hint=comparison.undefined or comparison.undecided or "")
    return [*names, *numbers, *p, winner, *([Cell(said)] if verdict.margins else [])]


def _across(subject: Subject, verdict: Verdict) -> Markup | str:
    """Mean ranks over data sets, and how far apart they must be."""
    if verdict.across is None:
        return ""
    across, ranks = verdict.across, verdict.across.details["mean_ranks"]
    best, critical = min(ranks.values()), across.details["critical_difference"]
    rows = [
        [Cell(subject.labels[name], name), Cell(f"{rank:.2f}", rank), Cell(f"{rank - best:.2f}", rank - best),
         Cell("beyond the critical difference" if rank - best > critical else "may be the best")]
        for name, rank in sorted(ranks.items(), key=lambda item: item[1])
    ]  # fmt: skip
    columns: list[Column | str] = ["Model", "Mean rank", "Behind the best", Column("Standing", words=True)]
    caption = f"Mean ranks over {counted(across.units, 'data set')}"
    said = f"{caption}; 1 is best; {across_in_words(across)}."
    drawing = critical_difference(subject, verdict)
    return drawing + table(caption, columns, rows, name="mean-ranks") + element("p", said, class_="remark")


WIDTH, LEFT, RIGHT = 760, 150.0, 610.0
AXIS, BAR, LINE = 58, 9, 22
MOST_MODELS = 20
LONGEST_NAME = 18


def critical_difference(subject: Subject, verdict: Verdict) -> Markup | str:
    """Nothing where there are no mean ranks, or too many models to read them off."""
    if verdict.across is None or len(verdict.values) > MOST_MODELS:
        return ""
    details = verdict.across.details
    ranks = dict(sorted(details["mean_ranks"].items(), key=lambda item: item[1]))
    drawing = _drawn(subject, ranks, details["critical_difference"])
    title = "Mean ranks, best at the left; bars join models closer than the critical difference"
    return figure(drawing, name="critical-difference", title=title)


def level_stretches(ranks: Sequence[float], critical: float) -> list[tuple[int, int]]:
    """The longest stretches of rising ranks that are not told apart, from one place to another.

    >>> level_stretches([1.0, 1.5, 2.4, 4.0], 1.0)
    [(0, 1), (1, 2)]
    """
    ends = [
        max(last for last in range(len(ranks)) if ranks[last] - ranks[first] <= critical) for first in range(len(ranks))
    ]
    return [(first, last) for first, last in enumerate(ends) if last > first and (first == 0 or ends[first - 1] < last)]


def _drawn(subject: Subject, ranks: Mapping[str, float], critical: float) -> Markup:
    values = list(ranks.values())
    scale = Scale(1, len(ranks), LEFT, RIGHT)
    stretches = level_stretches(values, critical)
    top = AXIS + BAR * (len(stretches) + 1)
    half = (len(ranks) + 1) // 2
    parts = [*_axis(scale, len(ranks)), *_critical(scale, critical)]
    parts += [_stretch(scale, values, ends, AXIS + BAR * (place + 1)) for place, ends in enumerate(stretches)]
    for place, (name, rank) in enumerate(ranks.items()):
        row = place if place < half else len(ranks) - 1 - place
        parts += _model(subject, name, scale(rank), top + LINE * (row + 1), is_left=place < half, rank=rank)
    box = f"0 0 {WIDTH} {top + LINE * (half + 1)}"
    return element("svg", *parts, viewBox=box, role="img", aria_label="Critical-difference diagram")


def _axis(scale: Scale, models: int) -> Iterator[Markup]:
    yield element("line", x1=scale.start, x2=scale.end, y1=AXIS, y2=AXIS, class_="cursor")
    for rank in range(1, models + 1):
        yield element("line", x1=scale(rank), x2=scale(rank), y1=AXIS - 5, y2=AXIS, class_="cursor")
        yield element("text", str(rank), x=scale(rank), y=AXIS - 9, text_anchor="middle")


def _critical(scale: Scale, critical: float) -> Iterator[Markup]:
    """How far apart ranks must be, as long as it is on the axis."""
    end = min(scale(1 + critical), float(WIDTH))
    yield element("line", x1=scale.start, x2=end, y1=22, y2=22, class_="cursor")
    for x in (scale.start, end):
        yield element("line", x1=x, x2=x, y1=18, y2=26, class_="cursor")
    said = f"critical difference {critical:.2f}"
    yield element("text", said, x=(scale.start + end) / 2, y=13, text_anchor="middle")


def _stretch(scale: Scale, ranks: Sequence[float], places: tuple[int, int], y: float) -> Markup:
    first, last = (scale(ranks[place]) for place in places)
    return element("line", x1=first - 4, x2=last + 4, y1=y, y2=y, class_="level")


def _model(subject: Subject, name: str, x: float, y: float, *, is_left: bool, rank: float) -> Iterator[Markup]:
    edge, anchor = (LEFT - 14, "end") if is_left else (RIGHT + 14, "start")
    yield element("path", d=f"M{x:.1f} {AXIS}V{y}H{edge}", class_="lead")
    yield marker(subject.places[name], x, AXIS)
    label = f"{one_line(subject.labels[name], LONGEST_NAME)} {rank:.2f}"
    yield element("text", label, x=edge + (-4 if is_left else 4), y=y + 4, text_anchor=anchor, class_="label")

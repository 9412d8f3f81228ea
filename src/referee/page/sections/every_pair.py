"""Every pair of models: the difference with its interval, the adjusted p, and who is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.comparing import across_in_words, against_margin, of_ranks, wins_in_words
from referee.document import Cell, Column, element, number_cell
from referee.page.sections.critical_difference import critical_difference
from referee.page.shell import Section, rendered, table
from referee.wording import counted, level, number, p_value, short_p, signed

if TYPE_CHECKING:
    from markupsafe import Markup

    from referee.comparing import Comparison, Verdict
    from referee.page.subject import Subject

ROOMY = 7
"""Up to here each cell of the matrix has room for the interval and p."""
STEPS = 9


def every_pair_section(subject: Subject, verdict: Verdict) -> Section:
    pairs = {frozenset((found.a, found.b)): found for found in verdict.comparisons}
    models = len(verdict.values)
    complete = len(pairs) == models * (models - 1) // 2
    body = rendered(
        "section/every_pair.html",
        matrix=_matrix(subject, verdict, pairs) if complete and models > 2 else "",
        summary="" if complete else _summary(subject, verdict),
        listed=_list(subject, verdict),
        open=models == 2,
        how_many=len(pairs),
        reasons=verdict.reasons,
        across=_across(subject, verdict),
    )
    return Section(
        "pairs", "Every pair, tested" if complete else "The best against each", body, _lead(verdict), "Pairs"
    )


def _lead(verdict: Verdict) -> str:
    several = len(verdict.comparisons) > 1
    text = f"{verdict.test.title} on {verdict.goal.shown_name}, with {level(verdict.alpha)} intervals. "
    if several:
        text += f"Adjusted p ({verdict.adjustment}) are for {counted(len(verdict.comparisons), 'comparison')} at once; "
        text += "the intervals are not adjusted. "
    text += "".join(f"The differences are the {words}, not of the values above. " for words in of_ranks(verdict))
    return text + "A tie means that these data cannot separate the two, not that they are equal."


def _summary(subject: Subject, verdict: Verdict) -> str:
    """How many models the best one beats, where there are too many to read them all."""
    beaten = [found for found in verdict.comparisons if found.winner == verdict.best]
    adjusted = sum(map(is_significant, beaten))
    unknown = sum(found.answer in ("undefined", "undecided") for found in verdict.comparisons)
    level_with = len(verdict.comparisons) - len(beaten) - unknown
    text = f"Of {counted(len(verdict.comparisons), 'other model')}, {subject.labels[verdict.best]} is significantly "
    text += f"better than {len(beaten):,} ({adjusted:,} also after the adjustment), and {level_with:,} cannot be told "
    return text + "apart from it" + (f"; {counted(unknown, 'comparison')} cannot be made." if unknown else ".")


def _matrix(subject: Subject, verdict: Verdict, pairs: dict[frozenset[str], Comparison]) -> Markup:
    names = list(verdict.values)
    largest = max((abs(found.difference) for found in pairs.values() if found.difference is not None), default=0.0)
    columns = [
        Column("Row less column", words=True),
        *map(subject.column, names),
    ]
    rows = [
        [Cell(subject.labels[a], a, hint=subject.full(a)), *(_cell(pairs, a, b, largest, len(names)) for b in names)]
        for a in names
    ]
    what = "".join(f" ({words})" for words in of_ranks(verdict))
    caption = f"Differences in {verdict.goal.shown_name}{what}, row less column"
    return table(caption, columns, rows, name="pairs-matrix", style="matrix")


def _cell(pairs: dict[frozenset[str], Comparison], a: str, b: str, largest: float, models: int) -> Cell:
    """Shaded where it is significant even after the adjustment; a tie where it is not so by itself."""
    if a == b:
        return Cell("·", mark="same")
    found = pairs[frozenset((a, b))]
    if found.difference is None:
        return Cell("–", mark="none", hint=found.undefined or "")
    difference = found.difference if found.a == a else -found.difference
    depth = 2 + round((STEPS - 3) * abs(difference) / largest) if largest else 2
    kind = {a: "heat", b: "burn"}.get(found.winner or "")
    mark = f"{kind}{depth}" if kind and is_significant(found) else ""
    facts = [*filter(None, [_interval(found, a), _p(found)])]
    small = "\n".join(facts) if models <= ROOMY else ""
    hint = ", ".join(filter(None, [signed(difference), *facts, found.undecided]))
    shown = signed(difference) if kind else "?" if found.undecided else "tie"
    return Cell(shown, difference, mark, small, hint)


def is_significant(found: Comparison) -> bool:
    """Whether there is a winner, also after the adjustment for several comparisons."""
    return found.winner is not None and (found.p_adjusted is None or found.p_adjusted < found.alpha)


def _interval(found: Comparison, a: str) -> str:
    if found.low is None or found.high is None:
        return ""
    ends = (found.low, found.high) if found.a == a else (-found.high, -found.low)
    return " to ".join(number(end) for end in ends)


def _p(found: Comparison) -> str:
    if found.p is None:
        return ""
    same = found.p_adjusted is None or found.p_adjusted == found.p
    return p_value(found.p) if same else f"{p_value(found.p)}, adj. {short_p(found.p_adjusted)}"


def _list(subject: Subject, verdict: Verdict) -> Markup:
    columns: list[Column | str] = [
        Column("a", words=True),
        Column("b", words=True),
        "a less b",
        "Low",
        "High",
        "p",
        "p adjusted",
    ]
    columns += [Column("Better", words=True)] + ([Column("Against the margin", words=True)] if verdict.margins else [])
    of_sets = any("data_sets" in found.details for found in verdict.comparisons)
    columns += ["Won / tied / lost"] if of_sets else []
    rows = [
        [*_pair(subject, verdict, found), *([Cell(wins_in_words(found))] if of_sets else [])]
        for found in verdict.comparisons
    ]
    return table("All comparisons", columns, rows, name="pairs", sortable=True)


def _pair(subject: Subject, verdict: Verdict, found: Comparison) -> list[Cell]:
    labels = subject.labels
    better = labels[found.winner] if found.winner else found.answer
    p = [Cell(short_p(p), p) for p in (found.p, found.p_adjusted)]
    margin = (verdict.margins or {}).get((found.a, found.b))
    said = "" if margin is None else against_margin(labels[found.a], labels[found.b], margin)
    numbers = [number_cell(value) for value in (found.difference, found.low, found.high)]
    names = [Cell(labels[name], name, hint=subject.full(name)) for name in (found.a, found.b)]
    winner = Cell(better, found.winner, hint=found.undefined or found.undecided or "")
    return [*names, *numbers, *p, winner, *([Cell(said)] if verdict.margins else [])]


def _across(subject: Subject, verdict: Verdict) -> Markup | str:
    """Mean ranks over data sets, and how far apart they must be."""
    if verdict.across is None:
        return ""
    found, ranks = verdict.across, verdict.across.details["mean_ranks"]
    best, critical = min(ranks.values()), found.details["critical_difference"]
    rows = [
        [Cell(subject.labels[name], name), Cell(f"{rank:.2f}", rank), Cell(f"{rank - best:.2f}", rank - best),
         Cell("beyond the critical difference" if rank - best > critical else "may be the best")]
        for name, rank in sorted(ranks.items(), key=lambda item: item[1])
    ]  # fmt: skip
    columns: list[Column | str] = ["Model", "Mean rank", "Behind the best", Column("Standing", words=True)]
    caption = f"Mean ranks over {counted(found.units, 'data set')}"
    said = f"{caption}; 1 is best; {across_in_words(found)}."
    drawing = critical_difference(subject, verdict)
    return drawing + table(caption, columns, rows, name="mean-ranks") + element("p", said, class_="remark")

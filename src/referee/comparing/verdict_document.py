"""What is shown of a verdict and of a gate, whatever the format."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from referee.comparing.explanation import explanation_parts
from referee.comparing.leaderboard import TIERS, ranks_in_words, said_of_tiers, tiers_in_a_line
from referee.comparing.verdict_words import (
    MARKS,
    MOST_MODELS,
    across_in_words,
    background,
    comparisons_by_rank,
    deciding_interval,
    other_choices,
    remark_on_comparisons,
    ropes_in_words,
    rows_in_words,
    score_intervals,
    what_else,
    wins_in_words,
)
from referee.document import (
    Bar,
    Cell,
    Column,
    Document,
    Later,
    Lines,
    Part,
    counted,
    interval_cell,
    level,
    name_cell,
    named,
    number,
    number_cell,
    pair_cell,
    short_p,
    table,
)
from referee.scoring import described, guessing_name, shown_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.comparing.comparison import Comparison
    from referee.comparing.gates import Gate
    from referee.comparing.leaderboard import Leaderboard
    from referee.comparing.verdict import Verdict
    from referee.document import Cells, Columns, Table
    from referee.document.model import Tone

TONES: dict[str, Tone] = {"winner": "good", "tie": "even", "undecided": "bad"}
GATE_TONES: dict[str, Tone] = {"pass": "good", "inconclusive": "even", "fail": "bad"}
LONGEST_IN_PAIR = 11
MOST_PAIRS = 5
"""Comparisons with the best model that are shown where somebody reads."""
FEW_METRICS = 6
THERE = {"winner": "wins", "tie": "ties", "undecided": "undecided"}


def verdict_document(verdict: Verdict, *, whole: bool = False) -> Document:
    """The answer, and what it rests on; `whole` has all models, pairs and metrics."""
    parts = [_goal(verdict, whole), *_comparisons(verdict, whole), _tiers(verdict, whole), _across(verdict)]
    parts += [_what_else(verdict)]
    parts += [*(verdict.selection.parts(verdict) if verdict.selection else ()), _other_goals(verdict, whole)]
    parts += [_background(verdict), reasons(verdict)]
    return Document(
        "verdict",
        verdict.sentence,
        tuple(replace(part, detail=part.detail and not whole) for part in parts if part is not None),
        about=_about(verdict),
        notes=verdict.predictions.notes if verdict.selection is None else _of_data(verdict),
        notices=verdict.warnings,
        tone=TONES[verdict.outcome],
        opening=verdict.sentence,
    )


def _of_data(verdict: Verdict) -> tuple[str, ...]:
    """What was missing in the data that models were fitted to, and stored narrowly."""
    account = verdict.predictions.account
    return () if account is None else tuple(account.notes())


def _about(verdict: Verdict) -> str:
    return f"{rows_in_words(verdict)}, {described(verdict.predictions)}"


def _goal(verdict: Verdict, whole: bool) -> Part:
    """Each model's value and interval; where units are compared, their mean, and the value on all rows beside it."""
    names = list(verdict.values)[: None if whole else MOST_MODELS]
    rows, bars = [], []
    for name in names:
        score, mark = verdict.goal_scores[name, verdict.goal], "best" if name in verdict.winners else ""
        rows.append([*_model(verdict, name, mark), Cell(MARKS[verdict.outcome] if mark else "", mark=mark)])
        bars.append(Bar(score.low, score.value, score.high))
    guessed = verdict.goal_scores.guessing.row_on(verdict.goal)
    guessing = Cell(guessing_name(names))
    if guessed is not None:
        rows.append([guessing, *_empty(verdict), number_cell(guessed.value), Cell(""), Cell("")])
    left = len(verdict.values) - len(names)
    more = f"{counted(left, 'more model')}: --all" if left else ""
    return Part(
        _title(verdict),
        (table("verdict", _columns(verdict), rows, bars=(*bars, *[None] * (len(rows) - len(bars))), more=more),),
    )


def _title(verdict: Verdict) -> str:
    return f"{verdict.goal_name}, {verdict.goal.better} is better"


def _columns(verdict: Verdict) -> Columns:
    values = [verdict.design.value_name, "on all rows"] if verdict.has_value_on_rows else ["value"]
    return ["", *values, f"{level(verdict.alpha)} interval", Column("", words=True)]


def _empty(verdict: Verdict) -> list[Cell]:
    """Where guessing has no mean over the units."""
    return [Cell("")] if verdict.has_value_on_rows else []


def _model(verdict: Verdict, name: str, mark: str = "") -> list[Cell]:
    score = verdict.goal_scores[name, verdict.goal]
    values = [verdict.values[name], *([score.value] if verdict.has_value_on_rows else [])]
    return [
        name_cell(name, mark),
        *(number_cell(value, mark) for value in values),
        interval_cell(score.low, score.high),
    ]


def _comparisons(verdict: Verdict, whole: bool) -> Iterator[Part]:
    """The best model with every other one, and then the others with each other."""
    with_best, others = comparisons_by_rank(verdict)
    several = len(verdict.comparisons) > 1
    shown = with_best if whole else with_best[:MOST_PAIRS]
    left = counted(len(with_best) - len(shown), "more comparison")
    more = f"{left}: --all" if len(shown) < len(with_best) else ""
    said = (remark_on_comparisons(verdict), *ropes_in_words(verdict))
    beside = tuple(score_intervals(shown, verdict.alpha))
    pairs = pairs_table(shown, verdict.alpha, is_adjusted=several, remarks=(*said, *beside), more=more)
    settings = "".join(f", {name}={value}" for name, value in verdict.test.settings.items())
    yield Part(f"Comparisons: {verdict.test.title}{settings}", (pairs,), folded=len(shown) > MOST_PAIRS)
    if others:
        said = (*said, *score_intervals(others, verdict.alpha))
        rest = pairs_table(others, verdict.alpha, is_adjusted=several, remarks=said, name="other-comparisons")
        yield Part("Comparisons of the other models", (rest,), folded=True, detail=True)


def pairs_table(
    pairs: Sequence[Comparison],
    alpha: float,
    *,
    remarks: Sequence[str],
    is_adjusted: bool = True,
    more: str = "",
    name: str = "comparisons",
) -> Table:
    """Who is better, by how much and how surely; the first remark is said of the signs."""
    columns = ["", "difference", f"{level(alpha)} interval", "p", *(["adjusted"] if is_adjusted else [])]
    columns += ["won / tied / lost"] if any("data_sets" in pair.details for pair in pairs) else []
    signs = "> better, < worse, ~ no significant difference"
    without = dict.fromkeys(pair.answer for pair in pairs if pair.undefined or pair.undecided)
    signs += f", ? {' or '.join(without)}" if without else ""
    said = (f"{signs}; {remarks[0]}", *remarks[1:])
    rows = [_pair(pair, is_adjusted) for pair in pairs]
    return table(name, columns, rows, remarks=said, longest_name=LONGEST_IN_PAIR, more=more)


def _pair(pair: Comparison, is_adjusted: bool) -> list[Cell]:
    sign = {pair.a: ">", pair.b: "<", "tie": "~"}.get(pair.answer, "?")
    p = [Cell(short_p(value), value) for value in ([pair.p, pair.p_adjusted] if is_adjusted else [pair.p])]
    known = [pair_cell(pair.a, sign, pair.b), number_cell(pair.difference), interval_cell(pair.low, pair.high), *p]
    return [*known, *([Cell(wins_in_words(pair))] if "data_sets" in pair.details else [])]


def _tiers(verdict: Verdict, whole: bool) -> Part | None:
    """The tier and the ranks of each model; a screen says it in a line unless all is asked for."""
    board = verdict.leaderboard
    if board is None or len(verdict.values) == 2:
        return None
    rows = _ranks(board)[: None if whole else MOST_MODELS]
    left = len(board.ranks) - len(rows)
    more = f"{counted(left, 'more model')}: --all" if left else ""
    ranks = table("tiers", ["", "tier", "ranks"], rows, remarks=(said_of_tiers(verdict),), more=more)
    return Part(TIERS, (ranks,), folded=True, detail=True)


def _ranks(board: Leaderboard) -> list[Cells]:
    tiers = board.tier_of
    return [[name_cell(name), str(tiers[name]), ranks_in_words(board, [name])] for name in board.ranks]


def _across(verdict: Verdict) -> Part | None:
    """Mean ranks over the data sets, and how far apart they must be."""
    if verdict.across is None:
        return None
    details = verdict.across.details
    ranks = dict(sorted(details["mean_ranks"].items(), key=lambda item: item[1]))
    rows, best = [], min(ranks.values())
    for name, rank in ranks.items():
        beyond = "beyond the critical difference" if rank - best > details["critical_difference"] else ""
        rows.append([name_cell(name), Cell(f"{rank:.2f}", rank), Cell(f"{rank - best:.2f}", rank - best), Cell(beyond)])
    said = (
        f"{across_in_words(verdict.across)}; a winner is found pair by pair; where there is none, the critical "
        "difference says which models may be the best"
    )
    columns: Columns = ["", "mean rank", "behind the best", Column("", words=True)]
    title = f"Mean ranks over {counted(verdict.across.units, 'data set')}; 1 is best"
    return Part(title, (table("ranks", columns, rows, remarks=(said,)),))


def _other_goals(verdict: Verdict, whole: bool) -> Part | None:
    """What another metric would have chosen: those that differ, and those that agree in a line."""
    if not verdict.other_goals:
        return None
    made = Later(lambda: (*_other_goals_table(verdict, whole), *_agreeing(verdict)))
    return Part("If another metric had decided", made, folded=True, detail=True)


def _other_goals_table(verdict: Verdict, whole: bool) -> Iterator[Table]:
    shown = [other for other in verdict.other_goals if whole or other.best != verdict.best]
    rows: list[Cells] = [
        [shown_name(other.metric), name_cell(other.best), THERE[other.outcome], number_cell(other.cost)]
        for other in shown
    ]
    columns: Columns = [
        "",
        Column("its best model", words=True),
        Column("there", words=True),
        f"costs on {verdict.goal_name}",
    ]
    if rows:
        yield table("other-goals", columns, rows)


def _agreeing(verdict: Verdict) -> Iterator[Lines]:
    metrics = [other.metric for other in verdict.other_goals if other.best == verdict.best]
    if metrics:
        few = named([shown_name(metric) for metric in metrics])
        listed = few if len(metrics) <= FEW_METRICS else f"{len(metrics)} other metrics"
        yield Lines((f"{verdict.best} is also best on {listed}",))


def _what_else(verdict: Verdict) -> Part | None:
    lines = [*tiers_in_a_line(verdict), *what_else(verdict), *other_choices(verdict)]
    return Part("Notes", (Lines(tuple(lines)),)) if lines else None


def _background(verdict: Verdict) -> Part | None:
    if verdict.chosen is None and verdict.smallest_difference is None:
        return None
    lines = Later(lambda: (Lines(tuple(background(verdict))),))
    return Part("What these rows can show", lines, folded=True, detail=True)


def reasons(verdict: Verdict) -> Part:
    """Which test, and why."""
    return Part("Why this test", (Lines(tuple(verdict.reasons)),), folded=True, detail=True)


def explained_verdict(verdict: Verdict) -> tuple[Part, ...]:
    """Why this test, how the models were fitted where they were, and the test of the best two, step by step."""
    pair = verdict.comparison(verdict.best, verdict.runner_up)
    fitted = verdict.selection.explanation() if verdict.selection else ()
    return (replace(reasons(verdict), detail=False), *fitted, *explanation_parts(pair, verdict.test, verdict.design))


def gate_document(gate: Gate, *, whole: bool = False) -> Document:
    """The answer, the two models, and the interval that decides."""
    verdict, roles = gate.verdict, {gate.candidate: "candidate", gate.production: "production"}
    rows = [[*_model(verdict, name), Cell(role)] for name, role in roles.items()]
    models = Part(_title(verdict), (table("gate", _columns(verdict), rows, remarks=(_facts(gate),)),))
    return Document(
        "gate",
        gate.sentence,
        (models, *_guards(gate), replace(reasons(verdict), detail=not whole)),
        about=_about(verdict),
        notices=verdict.warnings,
        tone=GATE_TONES[gate.outcome],
        opening=gate.sentence,
    )


def _guards(gate: Gate) -> Iterator[Part]:
    """The metrics, and slices, on which the candidate may not lose."""
    if not gate.guards:
        return
    rows: list[Cells] = [
        [
            guard.metric, guard.slice or "all", number_cell(guard.difference), interval_cell(guard.low, guard.high),
            number_cell(guard.margin), Cell(guard.outcome, mark="best" if guard.outcome == "fail" else ""),
        ]
        for guard in gate.guards
    ]  # fmt: skip
    words = (Column("rows", words=True), "difference", "interval", "margin", Column("guard", words=True))
    columns: Columns = ["metric", *words]
    yield Part("Guards", (table("guards", columns, rows, labels=2),), asked=True)


def _facts(gate: Gate) -> str:
    interval = f" ({said})" if (said := deciding_interval(gate)) else ""
    difference = number(gate.comparison.difference)
    return f"candidate minus production: {difference}{interval}; margin {number(gate.margin)}"

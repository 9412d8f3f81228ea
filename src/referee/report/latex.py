r"""Tables for papers: booktabs, with the verdict as the caption. They want `\usepackage{booktabs}`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from referee.report.scores.shown import guessing_name, overall
from referee.report.verdict.words import MARKS, remark_on_comparisons
from referee.wording import level, number, short_p, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from referee.comparing import Gate, Verdict
    from referee.report.scores.shown import Overall
    from referee.scoring import Score, Scores

SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}", "±": r"$\pm$", "–": "--", "—": "---",
    "−": "$-$", "…": r"\dots{}", "≤": r"$\leq$", "≥": r"$\geq$", '"': r"\texttt{\char34}",
} | {letter: f"\\{letter}" for letter in "&%$#_{}"}  # fmt: skip
LAST_LATIN = "\u017f"
LACKING, KNOWN = "«»ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ", "‘’“”•€™"
"""What pdfLaTeX lacks without more packages up to the last Latin letter, and what it knows beyond."""
OTHER_ENGINE = "% Some names have letters that pdfLaTeX lacks: use LuaLaTeX or XeLaTeX, with a font that has them.\n"


def scores_to_latex(scores: Scores, *, alpha: float) -> str:
    """Every metric on all rows, of each model and of guessing, with the intervals below; the best values are bold."""
    names = [*scores.predictions.names, guessing_name(scores.predictions.names)]
    caption = f"Scores on {scores.predictions.rows:,} rows, with {level(alpha)} intervals below."
    if len(names) > 2:
        caption += " The best value of each metric is bold; that proves nothing yet."
    rows = [line for row in overall(scores) for line in _metric(row)]
    return _with_engine(table(["", *map(escaped, names)], rows, "l" + "r" * len(names), caption, "scores"))


def _metric(row: Overall) -> Iterator[list[str]]:
    values = [bold(of_number(one.value)) if row.is_best(one) else of_number(one.value) for one in row.models]
    yield [escaped(row.name), *values, of_number(row.guessed.value)]
    intervals = [_interval(one) for one in row.models]
    if any(intervals):
        yield ["", *(rf"{{\footnotesize {ends}}}" if ends else "" for ends in intervals), ""]


def gate_to_latex(gate: Gate) -> str:
    """The verdict's tables, with the gate's answer as the caption."""
    return verdict_to_latex(gate.verdict, gate.sentence)


def verdict_to_latex(verdict: Verdict, caption: str = "") -> str:
    """The models on the goal metric, and every comparison."""
    interval = f"{escaped(level(verdict.alpha))} interval"
    by_units = verdict.design.kind not in ("rows", "out_of_fold")
    goal = escaped(verdict.goal_name)
    values = [f"{goal}, {verdict.design.value_name}", "on all rows"] if by_units else [goal]
    models = table(
        ["", *values, interval, ""],
        _goal(verdict, by_units=by_units),
        f"l{'r' * len(values)}rl",
        caption or verdict.sentence,
        "verdict",
    )
    pairs = table(
        ["$a$", "$b$", "$a - b$", interval, "$p$", r"$p_\mathrm{adj}$", "better"],
        _comparisons(verdict),
        "llrrrrl",
        f"{verdict.test.title}; {remark_on_comparisons(verdict)}.",
        "comparisons",
    )
    return _with_engine(models + "\n" + pairs)


def _goal(verdict: Verdict, *, by_units: bool) -> Iterator[list[str]]:
    """Where units are compared, their mean, and the value on all rows beside it, whose interval is known."""
    for name, value in verdict.values.items():
        score, named = verdict.scores[name, verdict.goal], name in verdict.winners
        shown = [of_number(one) for one in ([value, score.value] if by_units else [score.value])]
        first = bold(shown[0]) if named else shown[0]
        mark = MARKS[verdict.outcome] if named else ""
        yield [escaped(name), first, *shown[1:], _interval(score), mark]
    guessed = next(row for row in verdict.scores.baseline if row.metric == verdict.goal.full_name)
    guessing = escaped(guessing_name(list(verdict.values)))
    yield [guessing, *([""] if by_units else []), of_number(guessed.value), "", ""]


def _comparisons(verdict: Verdict) -> Iterator[list[str]]:
    for found in verdict.comparisons:
        ends = "" if found.low is None else f"[{of_number(found.low)}, {of_number(found.high)}]"
        p = [escaped(short_p(one)) for one in (found.p, found.p_adjusted)]
        yield [escaped(found.a), escaped(found.b), of_number(found.difference), ends, *p, escaped(found.answer)]


def _interval(score: Score) -> str:
    if score.value is None or score.low is None:
        return ""
    return f"[{of_number(score.low)}, {of_number(score.high)}]"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], columns: str, caption: str, label: str) -> str:
    """A floating table; `columns` are l for words and r for numbers. Cells are LaTeX already, the caption is not."""
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{escaped(caption)}}}", rf"\label{{tab:{label}}}"]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _line(header), r"\midrule", *map(_line, rows)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


def _line(cells: Sequence[str]) -> str:
    r"""One row; an asterisk or a bracket at its start would belong to the `\\` or rule above it."""
    text = " & ".join(cells) + r" \\"
    return "{}" + text if text.startswith(("[", "*")) else text


def _with_engine(text: str) -> str:
    """Say which engine is needed, where it is not any."""
    is_lacking = any((letter > LAST_LATIN and letter not in KNOWN) or letter in LACKING for letter in set(text))
    return OTHER_ENGINE + text if is_lacking else text


def bold(text: str) -> str:
    return rf"\textbf{{{text}}}"


def of_number(value: float | None) -> str:
    r"""A number with a minus that is one, and powers of ten.

    >>> print(of_number(-0.0123), of_number(2e-7), of_number(None))
    $-$0.0123 2$\times10^{-7}$ --
    """
    digits, _, power = number(value).partition("e")
    shown = escaped(digits).replace("-", "$-$") if value is not None else "--"
    return shown + (rf"$\times10^{{{int(power)}}}$" if power else "")


def escaped(text: str) -> str:
    r"""A text that LaTeX shows as it is.

    >>> print(escaped("50 % of a_b"))
    50 \% of a\_b
    """
    apart = re.sub("-(?=-)", "-\0", visible(text))
    return "".join(SPECIAL.get(letter, letter) for letter in apart).replace("\0", "{}")

r"""Tables for papers: booktabs, with the verdict as the caption. They want `\usepackage{booktabs}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.scores.shown import half_width, level, overall
from referee.report.verdict.words import MARKS
from referee.wording import number, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from referee.report.scores.shown import Overall
    from referee.scores import Scores
    from referee.verdict import Verdict

SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "±": r"$\pm$", "–": "--", "…": r"\dots{}",
} | {letter: f"\\{letter}" for letter in "&%$#_{}"}  # fmt: skip


def scores_to_latex(scores: Scores, *, alpha: float) -> str:
    """Every metric on all rows, of each model and of guessing; the best values are bold."""
    names = [*scores.predictions.names, "guessing"]
    caption = f"Scores on {scores.predictions.rows:,} rows, ± the larger half of the {level(alpha)} interval."
    rows = [[escaped(row.name), *_values(row), escaped(number(row.guessed.value))] for row in overall(scores)]
    return table(["", *map(escaped, names)], rows, caption, "scores")


def verdict_to_latex(verdict: Verdict) -> str:
    """The models on the goal metric, and every comparison."""
    pairs = table(
        ["", "", "difference", f"{escaped(level(verdict.alpha))} interval", "$p$", r"$p_\mathrm{adj}$", "better"],
        _comparisons(verdict),
        f"{verdict.test.title}; p adjusted by {verdict.adjustment}.",
        "comparisons",
    )
    return table(["", escaped(verdict.goal.full_name), ""], _goal(verdict), verdict.sentence, "verdict") + "\n" + pairs


def _goal(verdict: Verdict) -> Iterator[list[str]]:
    for name, value in verdict.values.items():
        half = half_width(verdict.scores[name, verdict.goal])
        shown = escaped(f"{number(value)} {half}".strip())
        named = name in verdict.winners
        yield [escaped(name), bold(shown) if named else shown, MARKS[verdict.outcome] if named else ""]


def _comparisons(verdict: Verdict) -> Iterator[list[str]]:
    for found in verdict.comparisons:
        ends = "" if found.low is None else f"${number(found.low)}$ to ${number(found.high)}$"
        p = ["--" if p is None else f"{p:.2g}" if p >= 1e-4 else "$<0.0001$" for p in (found.p, found.p_adjusted)]
        better = escaped(found.winner or ("undefined" if found.undefined else "--"))
        yield [escaped(found.a), escaped(found.b), f"${number(found.difference)}$", ends, *p, better]


def _values(row: Overall) -> Iterator[str]:
    for score in row.models:
        shown = escaped(f"{number(score.value)} {half_width(score)}".strip())
        yield bold(shown) if row.is_best(score) else shown


def table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str, label: str) -> str:
    """A floating table; names left, numbers right. Cells are LaTeX already, the caption is not."""
    names = sum(not cell for cell in header[:2])
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{escaped(caption)}}}", rf"\label{{tab:{label}}}"]
    lines += [rf"\begin{{tabular}}{{{'l' * names}{'r' * (len(header) - names)}}}", r"\toprule"]
    lines += [" & ".join(header) + r" \\", r"\midrule"]
    lines += [" & ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


def bold(text: str) -> str:
    return rf"\textbf{{{text}}}"


def escaped(text: str) -> str:
    r"""A text that LaTeX shows as it is.

    >>> print(escaped("50 % of a_b"))
    50 \% of a\_b
    """
    return "".join(SPECIAL.get(letter, letter) for letter in visible(text))

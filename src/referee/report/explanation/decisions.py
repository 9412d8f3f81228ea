"""The decision of a test in words: rejected or not, and what that shows and does not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.explanation.formulas import brief, told_apart
from referee.report.explanation.statistical_tables import table_of

if TYPE_CHECKING:
    from referee.comparing import Comparison, Design


def decided(comparison: Comparison, design: Design, symbol: str) -> str:
    """Compare the statistic, which has a symbol, with the critical value, or p with alpha; and say what follows."""
    if comparison.p is None:
        return _by_probabilities(comparison, design)
    found, level = _compared(comparison, comparison.p, symbol), percentage(comparison.alpha)
    if comparison.p < comparison.alpha:
        return f"{found}, so the null hypothesis is rejected at {level}: {outcome_in_words(comparison, design)}"
    return f"{found}, so the null hypothesis is not rejected at {level}. {_not_shown(comparison)}"


def outcome_in_words(comparison: Comparison, design: Design) -> str:
    """Who is better, or what else was shown."""
    if claims := _claims(comparison):
        return " and ".join(f"{comparison.a} is {'' if shown else 'not '}{claim}" for claim, shown in claims.items())
    if comparison.undecided is not None:
        return f"but this p cannot be trusted, and nobody is named: {comparison.undecided}"
    if comparison.outcome == "different":
        return "the models are not all equal"
    if comparison.winner is None:
        return "it is a tie"
    what = f"its {comparison.metric} is" if comparison.metric else "its values are"
    return f"{comparison.winner} is better, {what} {design.better}"


def percentage(share: float) -> str:
    """A level as it is spoken of.

    >>> percentage(0.05), percentage(0.001)
    ('5 %', '0.1 %')
    """
    return f"{100 * share:.6g} %"


def _compared(comparison: Comparison, p: float, symbol: str) -> str:
    by_p = _inequality("p", p, comparison.alpha)
    if comparison.critical is None or comparison.statistic is None:
        return by_p
    table = table_of(comparison)
    if table and table.two_sided:
        return f"{_inequality(f'|{symbol}|', abs(comparison.statistic), comparison.critical)} ({by_p})"
    return f"{_inequality(symbol, comparison.statistic, comparison.critical)} ({by_p})"


def _inequality(name: str, value: float, bound: float) -> str:
    mine, other = told_apart(value, bound)
    return f"{name} = {mine} {'>' if value > bound else '<'} {other}" if value != bound else f"{name} = {mine} = alpha"


def _not_shown(comparison: Comparison) -> str:
    text = "That does not show that the models are equal"
    if claims := _claims(comparison):
        text = f"It is not shown that {comparison.a} is {' and '.join(claims)}; nor is it shown that it is not"
    if comparison.low is None or comparison.high is None:
        return text
    return f"{text}: any difference from {brief(comparison.low)} to {brief(comparison.high)} fits these data"


def _claims(comparison: Comparison) -> dict[str, bool]:
    """What else than a winner the test was to show of the first model: equivalent to the other one, non-inferior."""
    found = {name.replace("_", "-"): value for name, value in comparison.details.items() if isinstance(value, bool)}
    return {f"{name} to {comparison.b}": value for name, value in found.items()}


def _by_probabilities(comparison: Comparison, design: Design) -> str:
    """A Bayesian test has probabilities where others have p."""
    chances = {comparison.a: comparison.details.get("a_better"), comparison.b: comparison.details.get("b_better")}
    found = [f"P({name} is better) = {brief(chance)}" for name, chance in chances.items() if chance is not None]
    certain = f"1 - alpha = {brief(1 - comparison.alpha)}"
    if not found:
        return "there is no p, so that nothing is decided: it is a tie"
    if comparison.winner is None:
        return f"{', '.join(found)}: neither exceeds {certain}, so it is a tie, which does not show that they are equal"
    return (
        f"{', '.join(found)}: that of {comparison.winner} exceeds {certain}, so {outcome_in_words(comparison, design)}"
    )

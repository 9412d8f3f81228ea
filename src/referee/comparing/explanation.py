"""A test explained as a lecture would: hypothesis, units, statistic, degrees of freedom, critical value, decision."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import brief, with_enough_digits
from referee.comparing.design import IN_WORDS
from referee.comparing.explained_formulas import known_numbers, named_numbers, table_of, worked
from referee.document import Cell, Column, Lines, Part, counted, message_line, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.catalogue import Formula
    from referee.comparing import Comparison, Design, SignificanceTest
    from referee.comparing.explained_formulas import CriticalTable
    from referee.document import Cells, Table


Step = tuple[str, str]
MOST_UNITS = 30
"""Of which the values are listed."""


def explanation(comparison: Comparison, test: SignificanceTest, design: Design) -> list[str]:
    """Walk through a test with its numbers, in numbered steps of one line each."""
    steps = [("Question", _question(comparison, test, design)), ("Units", _units(comparison, test, design))]
    if comparison.undefined is not None:
        steps += [("No result", f"{comparison.undefined}. So nothing is tested: there is neither a winner nor a tie")]
    elif _is_without_difference(comparison):
        steps += [("No difference", _nothing_differs(comparison, test, design))]
    elif comparison.standard_error == 0:
        steps += [("No spread", _without_spread(comparison, design))]
    else:
        steps += _reckoned(comparison, test, design)
    steps += [("Assumed", f"{'; '.join(test.assumptions)}. Checked: {_checked(comparison, test, design)}")]
    return [message_line(f"{place}. {title}: {text}.") for place, (title, text) in enumerate(steps, 1)]


def explanation_parts(comparison: Comparison, test: SignificanceTest, design: Design) -> tuple[Part, ...]:
    """The values of the units, where these are compared, and the steps of the test."""
    steps = Lines(tuple(explanation(comparison, test, design)), "steps")
    values = [] if comparison.given is None else [unit_table(comparison, design)]
    return (Part("The test, step by step", (*values, steps), asked=True),)


def unit_table(comparison: Comparison, design: Design) -> Table:
    """What was measured on each unit, and the differences, whose mean is tested."""
    a, b = given_values(comparison)
    pairs = enumerate(zip(a, b, strict=True), 1)
    each: list[Cells] = [[str(place), _exact(x), _exact(y), _exact(x - y)] for place, (x, y) in pairs]
    shown = each if len(each) <= MOST_UNITS else [*each[: MOST_UNITS - 1], each[-1]]
    more = "" if len(shown) == len(each) else f"{len(each) - len(shown):,} more {design.unit}s are left out"
    mean: Cells = [Cell("mean", mark="best"), *map(_exact, (a.mean(), b.mean(), (a - b).mean()))]
    names = [Column(name, is_name=True) for name in (comparison.a, comparison.b)]
    columns = [Column(design.unit, words=True), *names, Column("difference")]
    return table("units", columns, [*shown, mean], more=more)


def _exact(value: float) -> Cell:
    """With the digits that a reader needs to compute along."""
    return Cell(f"{round(value, 6) + 0.0:.10g}", float(value))


def given_values(comparison: Comparison) -> tuple[Array, Array]:
    assert comparison.given is not None
    a, b = (np.asarray(values, float) for values in comparison.given)
    return a, b


def _question(comparison: Comparison, test: SignificanceTest, design: Design) -> str:
    models = "all models" if test.takes == "many" else f"{_called(comparison.a, 'a')} and {_called(comparison.b, 'b')}"
    asked = f"{test.question} Here: {models}, by {comparison.metric or 'the values given'}; {design.better} is better"
    if test.hypothesis.startswith("none: "):
        return f"{asked}. There is no null hypothesis: {test.hypothesis.removeprefix('none: ')}"
    return f"{asked}. The null hypothesis, which is kept unless the data contradict it: {test.hypothesis}"


def _called(name: str, letter: str) -> str:
    return name if name == letter else f"{name} ({letter})"


def _units(comparison: Comparison, test: SignificanceTest, design: Design) -> str:
    what = " that only one of the two models classifies correctly" if test.takes == "decisions" else ""
    text = f"{counted(comparison.units, design.unit)}{what} ({IN_WORDS[design.kind]})"
    known = known_numbers(comparison, test, design)
    named = [name for name in ("mean_difference", "standard_deviation") if f"{{{name}" in test.statistic_formula]
    shown = dict.fromkeys(["difference" if "mean_difference" not in named else "mean_difference", *named])
    values = [f"{name.replace('_', ' ')} {brief(known[name])}" for name in (*shown, "standard_error") if name in known]
    if values:
        text += f". {comparison.a} minus {comparison.b}: {', '.join(values)}"
    numbers = named_numbers(comparison.details, comparison.a, comparison.b)
    side = "Found" if test.takes == "many" else f"Seen from {comparison.a}"
    text += f". {side}: {', '.join(numbers)}" if numbers else ""
    return text + (". All numbers are of the partition with the median p" if "partitions" in comparison.details else "")


def _is_without_difference(comparison: Comparison) -> bool:
    """Not one unit differs; a difference of 0 alone may also be wins and losses that cancel out."""
    return comparison.statistic is None and comparison.difference == comparison.low == comparison.high == 0


def _nothing_differs(comparison: Comparison, test: SignificanceTest, design: Design) -> str:
    where = "no row is classified correctly by only one of the models"
    if test.takes != "decisions":
        where = f"the models do not differ on any {design.unit}"
    p = "" if comparison.p is None else f"p = {brief(comparison.p)} by definition, and "
    return f"{where}, so there is nothing to compute a statistic from. So {p}it is a tie"


def _without_spread(comparison: Comparison, design: Design) -> str:
    """Every unit differs by the same: t would be infinite, and would claim a certainty that nobody has."""
    text = (
        f"all units differ by the same {brief(comparison.difference or 0.0)}. The standard error is 0, and dividing by "
        "it would claim a certainty that so few values cannot give"
    )
    if comparison.p is None:
        return f"{text}. The units depend on each other, so no other test is available: it is a tie"
    return (
        f"{text}. The sign test decides, by how rarely {counted(comparison.units, 'fair coin')} all fall on the same "
        f"side: p = {brief(comparison.p)}, so at {percentage(comparison.alpha)} {outcome_in_words(comparison, design)}"
    )


def _reckoned(comparison: Comparison, test: SignificanceTest, design: Design) -> Iterator[Step]:
    """Statistic, degrees of freedom and critical value, or how p is computed without them; and the decision."""
    formulas, symbol = worked(comparison, test, design), symbol_of(comparison, test, design)
    statistics = {name: formula for name, formula in formulas.items() if name not in ("df", "p")}
    if comparison.given is not None and "{standard_deviation" in test.statistic_formula:
        yield "Variance", _variance(comparison, test, design)
    if statistics:
        yield "Statistic", ". ".join(formula.sentence(comparison.statistic) for formula in statistics.values())
    elif comparison.statistic is not None and "p" not in formulas:
        yield "Statistic", f"{symbol} = {brief(comparison.statistic)}"
    if comparison.df is not None:
        yield "Degrees of freedom", _degrees(comparison, design, formulas.get("df"))
    if comparison.critical is not None:
        yield "Critical value", _critical(comparison, table_of(comparison), symbol)
    elif comparison.p is not None:
        yield "Probability", _probability(comparison, formulas.get("p"))
    yield "Decision", decided(comparison, design, symbol)


def _variance(comparison: Comparison, test: SignificanceTest, design: Design) -> str:
    """Of the differences, and of their mean, which the overlap of training sets makes larger."""
    a, b = given_values(comparison)
    known, units, each = known_numbers(comparison, test, design), len(a), a - b
    squares, variance = float(((each - each.mean()) ** 2).sum()), known["standard_deviation"] ** 2
    divisor = "n" if round(squares / variance) == units else "(n - 1)"
    factor, numbers = "1 / n", f"1 / {units}"
    if "test_rows" in known:
        times = known.get("correction", 1)
        factor += " + test rows / training rows" if times == 1 else " + correction x test rows / training rows"
        numbers += " + " if times == 1 else f" + {brief(times)} x "
        numbers += f"{brief(known['test_rows'])} / {brief(known['training_rows'])}"
    error = known["standard_error"]
    return (
        f"mean = sum of the differences / n = {brief(float(each.sum()))} / {units} = {brief(float(each.mean()))}. "
        f"Variance = sum of the squared distances from the mean / {divisor} = {brief(squares)} / "
        f"{round(squares / variance)} = {brief(variance)}. Variance of the mean = variance x ({factor}) = "
        f"{brief(variance)} x ({numbers}) = {brief(error**2)}, and its root, the standard error, is {brief(error)}"
    )


def symbol_of(comparison: Comparison, test: SignificanceTest, design: Design) -> str:
    """What the statistic is called."""
    named = [name for name in worked(comparison, test, design) if name not in ("df", "p")]
    looked_up = table_of(comparison)
    return named[0] if named else looked_up.symbol if looked_up else "the statistic"


def _degrees(comparison: Comparison, design: Design, formula: Formula | None) -> str:
    df = comparison.df or 0.0
    if "seeds" in comparison.details:
        return f"Satterthwaite's, over {design.unit}s and seeds, whose variances add up = {brief(df)}"
    if df == inf:
        return "none are counted: with so many units t is the normal distribution"
    if df == comparison.units - 1:
        return f"{counted(comparison.units, design.unit)} minus 1 = {brief(df)}"
    return formula.sentence(df) if formula else brief(df)


def _critical(comparison: Comparison, looked_up: CriticalTable | None, symbol: str) -> str:
    critical, alpha = comparison.critical or 0.0, comparison.alpha
    if looked_up is None:
        return f"{symbol} must exceed {brief(critical)} to be significant at {percentage(alpha)}"
    size = f"|{symbol}|" if looked_up.two_sided else symbol
    sides = f", alpha / 2 = {brief(alpha / 2)} on each side" if looked_up.two_sided else ""
    return (
        f"the {looked_up.name} table has {looked_up.place} = {brief(critical)}: if the null hypothesis is true, "
        f"{size} exceeds that in {percentage(alpha)} of samples{sides}"
    )


def _probability(comparison: Comparison, formula: Formula | None) -> str:
    meaning = "how often chance alone would show at least as much, if the null hypothesis is true"
    p = comparison.p or 0.0
    return f"{formula.sentence(p, symbols=False) if formula else f'p = {brief(p)}'}: {meaning}"


def _checked(comparison: Comparison, test: SignificanceTest, design: Design) -> str:
    """What the program knows of the assumptions; the rest is the user's to know."""
    notices = [f"{notice.code}: {notice.message}" for notice in comparison.warnings]
    if why := test.with_warning.get(design.kind):
        return ". ".join([f"this design is not one that the test is valid for: {why}", *notices])
    fits = design.kind in test.designs
    text = "the design is one that the test is valid for" if fits else "the design is not known to suit the test"
    return ". ".join([text, *notices]) if notices else f"{text}; there is nothing else to point out"


def decided(comparison: Comparison, design: Design, symbol: str) -> str:
    """Compare the statistic, which has a symbol, with the critical value, or p with alpha; and say what follows."""
    if comparison.p is None:
        return _by_probabilities(comparison, design)
    compared, level = _compared(comparison, comparison.p, symbol), percentage(comparison.alpha)
    if comparison.p < comparison.alpha:
        return f"{compared}, so the null hypothesis is rejected at {level}: {outcome_in_words(comparison, design)}"
    return f"{compared}, so the null hypothesis is not rejected at {level}. {_not_shown(comparison)}"


def outcome_in_words(comparison: Comparison, design: Design) -> str:
    """Who is better, or what else was shown."""
    if claims := _claims(comparison):
        return " and ".join(f"{comparison.a} is {'' if shown else 'not '}{claim}" for claim, shown in claims.items())
    if comparison.outcome == "different":
        return "the models are not all equal"
    if comparison.undecided is not None:
        return f"but this p is not reliable, and no winner is named: {comparison.undecided}"
    if comparison.winner is None:
        return "it is a tie"
    what = f"its {comparison.metric} is" if comparison.metric else "its values are"
    return f"{comparison.winner} is better, {what} {design.better}"


def percentage(share: float) -> str:
    """A level as it is spoken of.

    >>> percentage(0.05), percentage(0.001)
    ('5%', '0.1%')
    """
    return f"{100 * share:.6g}%"


def _compared(comparison: Comparison, p: float, symbol: str) -> str:
    by_p = _inequality("p", p, comparison.alpha)
    if comparison.critical is None or comparison.statistic is None:
        return by_p
    looked_up = table_of(comparison)
    if looked_up and looked_up.two_sided:
        return f"{_inequality(f'|{symbol}|', abs(comparison.statistic), comparison.critical)} ({by_p})"
    return f"{_inequality(symbol, comparison.statistic, comparison.critical)} ({by_p})"


def _inequality(name: str, value: float, bound: float) -> str:
    mine, other = with_enough_digits(value, bound)
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
    claims = {name.replace("_", "-"): value for name, value in comparison.details.items() if isinstance(value, bool)}
    return {f"{name} to {comparison.b}": value for name, value in claims.items()}


def _by_probabilities(comparison: Comparison, design: Design) -> str:
    """A Bayesian test has probabilities where others have p."""
    chances = {comparison.a: comparison.details.get("a_better"), comparison.b: comparison.details.get("b_better")}
    said = [f"P({name} is better) = {brief(chance)}" for name, chance in chances.items() if chance is not None]
    certain = f"1 - alpha = {brief(1 - comparison.alpha)}"
    if not said:
        return "there is no p, so nothing is decided: it is a tie"
    if comparison.winner is None:
        return f"{', '.join(said)}: neither exceeds {certain}, so it is a tie, which does not show that they are equal"
    return (
        f"{', '.join(said)}: that of {comparison.winner} exceeds {certain}, so {outcome_in_words(comparison, design)}"
    )

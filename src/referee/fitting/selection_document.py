"""What is shown of a selection beside its verdict, whatever the format: trade-offs, robustness, learning curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import brief
from referee.document import Cell, Lines, Part, counted, listed, name_cell, named, number, number_cell, table
from referee.fitting.tradeoffs import MEASURES

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.comparing import Verdict
    from referee.fitting import Growth, NestedSelection, PenaltyChoice, Robustness, Selection, TieBreaker, Tradeoff
    from referee.scoring import Metric


def selection_parts(verdict: Verdict, selection: Selection) -> list[Part]:
    """What was measured beside the goal, and which models failed."""
    goal = verdict.goal.shown_name
    parts = [_tradeoffs(selection), _robustness(selection, goal), _learning_curve(selection, goal)]
    parts += [_nested(selection, verdict.goal), _penalty(selection), _tie_breakers(selection), _kept(selection)]
    parts.append(_failures(selection))
    return [part for part in parts if part is not None]


def _tradeoffs(selection: Selection) -> Part:
    mix = mix_name(selection)
    columns = ["", "test", *([mix] if mix else []), "training", "fit", "predict", "size", "Pareto"]
    rows = [_tradeoff(row, has_mix=mix is not None) for row in selection.tradeoffs]
    of_splits = ", medians over the splits" if selection.splits > 1 else ""
    said = [
        f"Pareto: no other model is better in one of {mix or 'test'}, fit, predict and bytes and at least as good in "
        f"all; times are CPU seconds{of_splits}",
        *sampled_in_words(selection.tradeoffs[0]),
    ]
    said += [] if selection.one_standard_error is None else [selection.one_standard_error.sentence]
    title = f"{selection.scheme}: {counted(selection.splits, 'split')}"
    return Part(title, (table("tradeoffs", columns, rows, remarks=tuple(said)),), folded=True)


def _tradeoff(row: Tradeoff, *, has_mix: bool) -> list[Cell]:
    values = [number_cell(value) for value in (row.test, *([row.combined] if has_mix else []), row.train)]
    times = [Cell(seconds(value), value) for value in (row.fit_seconds, row.predict_seconds)]
    return [name_cell(row.model), *values, *times, Cell(size_in_words(row)), Cell("yes" if row.efficient else "")]


def _robustness(selection: Selection, goal: str) -> Part | None:
    rows = selection.tradeoffs
    if not rows[0].robustness:
        return None
    columns = ["", *(f"{noise.kind}={noise.rate:g}" for noise in rows[0].robustness)]
    cells = [[name_cell(row.model), *map(_change, row.robustness)] for row in rows]
    has_errors = any(noise.standard_error is not None for row in rows for noise in row.robustness)
    said = ("± standard error, paired over the splits and corrected for their overlap",) if has_errors else ()
    title = f"Robustness: change of {goal} with noise in the data"
    return Part(title, (table("robustness", columns, cells, remarks=said),), folded=True)


def _change(noise: Robustness) -> Cell:
    return Cell(change_in_words(noise), noise.change)


def _learning_curve(selection: Selection, goal: str) -> Part | None:
    points = selection.tradeoffs[0].learning_curve
    if not points:
        return None
    columns = ["", *(f"n = {point.rows:,.0f}" for point in points), "fit time"]
    rows = [
        [
            name_cell(row.model),
            *(number_cell(point.test) for point in row.learning_curve),
            Cell(growth_in_words(row.growth)),
        ]
        for row in selection.tradeoffs
    ]
    title = f"Learning curve: {goal} on the same test rows after n training rows"
    said = tuple(curve_remarks(selection))
    return Part(title, (table("learning-curve", columns, rows, remarks=said),), folded=True)


def _nested(selection: Selection, goal: Metric) -> Part | None:
    if selection.nested is None:
        return None
    return Part("Nested selection", (Lines(tuple(nested_in_words(selection.nested, goal))),))


def _penalty(selection: Selection) -> Part | None:
    choice = selection.penalty
    if choice is None:
        return None
    title = f"What {choice.kind.in_words} would choose, which is not a test"
    columns = ["", choice.kind.misfit, choice.kind.complexity, choice.kind.title, "above the smallest"]
    rows = penalty_rows(choice)
    return Part(title, (table("penalty", columns, rows, remarks=tuple(penalty_remarks(choice))),))


def penalty_rows(choice: PenaltyChoice, cell: Callable[[str], Cell] = name_cell) -> list[list[Cell]]:
    """Of each model the misfit, what complexity costs, their sum, and how far that is above the smallest."""
    smallest = min((row.value for row in choice.models if row.value is not None), default=None)
    return [
        [
            cell(row.model),
            *(number_cell(value) for value in (row.misfit, row.complexity, row.value)),
            number_cell(None if row.value is None or smallest is None else row.value - smallest),
        ]
        for row in choice.models
    ]


def penalty_remarks(choice: PenaltyChoice) -> list[str]:
    """What it chooses, what it is, and for which models it is not defined."""
    reasons = dict.fromkeys(row.undefined for row in choice.models if row.undefined)
    unknown = [
        f"not defined for {named([row.model for row in choice.models if row.undefined == why])}: {why}"
        for why in reasons
    ]
    fitted = f"fitted on all {counted(choice.rows, 'row')}, with none held out"
    return [choice.sentence, choice.kind.about, fitted, *unknown]


def _tie_breakers(selection: Selection) -> Part | None:
    """In a tie the user may decide by what else matters."""
    if not selection.tie_breakers:
        return None
    title = "Other ways to decide between the models that may be best"
    return Part(title, (listed(map(breaker_in_words, selection.tie_breakers)),))


def _kept(selection: Selection) -> Part | None:
    if not selection.folder:
        return None
    said = f"{selection.folder}: `referee compare {selection.folder} --goal METRIC` fits nothing"
    return Part("Kept", (Lines((said,)),), folded=True)


def _failures(selection: Selection) -> Part | None:
    if not selection.failures:
        return None
    lines = tuple(f"{error.message} [{error.code}]" for error in selection.failures)
    return Part("Failed, and not part of the verdict", (Lines(lines),))


def explained_scheme(selection: Selection) -> tuple[Part, ...]:
    """Of a bootstrap: how many rows a sample holds, and how test and training value are mixed."""
    if not selection.scheme.startswith("bootstrap"):
        return ()
    rows, mix = selection.rows, mix_name(selection)
    lines = [
        f"a row is in a sample of n rows, drawn with replacement, with probability 1 - (1 - 1/n)^n = "
        f"1 - (1 - 1/{rows})^{rows} = {brief(1 - (1 - 1 / rows) ** rows)}, which approaches 1 - 1/e = 0.6321",
        f"so about {100 * (1 - 1 / rows) ** rows:.1f}% of the rows are left out of a sample: they are the test rows",
    ]
    shares = {".632": "0.632 x test + 0.368 x training", ".632+": "test and training, mixed by how much it overfits"}
    for row in selection.tradeoffs if mix else ():
        numbers = f" = 0.632 x {number(row.test)} + 0.368 x {number(row.train)}" if mix == ".632" else ""
        lines.append(f"{row.model}, {mix} = {shares[mix or '']}{numbers} = {number(row.combined)}")
    return (Part("The bootstrap, with the numbers filled in", (Lines(tuple(lines), "formulas"),), asked=True),)


def seconds(value: float | None) -> str:
    """CPU time as people read it.

    >>> seconds(0.00042), seconds(0.25), seconds(75)
    ('0.4 ms', '250 ms', '75.0 s')
    """
    if value is None:
        return "–"
    if value < 1:
        return f"{1000 * value:.1f} ms" if value < 0.01 else f"{1000 * value:.0f} ms"
    return f"{value:,.1f} s"


def size_in_words(row: Tradeoff) -> str:
    """The plainest measure that the model has."""
    for key in MEASURES:
        if key in row.size:
            return f"{row.size[key]:,.0f} {key.replace('_', ' ')}"
    return ""


def mix_name(selection: Selection) -> str | None:
    """What the scheme's mix of test and training value is called, if it has one."""
    names = {"bootstrap_632": ".632", "bootstrap_632_plus": ".632+"}
    return next((names[word] for word in sorted(names, reverse=True) if selection.scheme.startswith(word)), None)


def change_in_words(robustness: Robustness) -> str:
    """How far the value moved, with its standard error.

    >>> from referee.fitting.robustness import Robustness
    >>> change_in_words(Robustness("missing", 0.1, 0.75, -0.0213, 0.0041))
    '-0.0213 ±0.0041'
    """
    return "–" if robustness.change is None else _signed(robustness.change, robustness.standard_error)


def _signed(change: float, standard_error: float | None) -> str:
    error = "" if standard_error is None else f" ±{number(standard_error)}"
    return f"{'+' if change > 0 else ''}{number(change)}{error}"


def growth_in_words(growth: Growth | None) -> str:
    """The power of n that the time of a fit grows with.

    >>> from referee.fitting.learning_curve import growth
    >>> growth_in_words(growth([100, 200, 400], [0.01, 0.04, 0.16]))
    'n^2.00 ±0.00'
    """
    return "–" if growth is None or growth.exponent is None else _power(growth.exponent, growth.standard_error)


def _power(exponent: float, standard_error: float | None) -> str:
    return f"n^{exponent:.2f}" + ("" if standard_error is None else f" ±{standard_error:.2f}")


def breaker_in_words(breaker: TieBreaker) -> str:
    amount = {
        "seconds": seconds(breaker.value),
        "amount": f"{breaker.value:,.0f}",
        "goal": _signed(breaker.value, breaker.standard_error),
        "exponent": _power(breaker.value, breaker.standard_error),
    }[breaker.unit]
    return f"{breaker.by}: {' and '.join(breaker.models)} ({amount})"


def curve_remarks(selection: Selection) -> list[str]:
    """What the growth of the time is, and why there is none."""
    lines = ["fit time: how CPU time grows between these numbers of rows, ± the standard error of the slope"]
    reasons = {row.model: row.growth.undefined for row in selection.tradeoffs if row.growth and row.growth.undefined}
    return lines + [f"{name}: {why}" for name, why in reasons.items()]


def sampled_in_words(row: Tradeoff) -> list[str]:
    """That the training value is of a sample, where it is."""
    if row.train_rows >= row.fit_rows:
        return []
    return [f"training: on {row.train_rows:,.0f} of the {row.fit_rows:,.0f} training rows of a split, drawn at random"]


def nested_in_words(nested: NestedSelection, goal: Metric) -> list[str]:
    """What selecting is worth, beside what the best model seems to be worth."""
    times = ", ".join(f"{name} {count}" for name, count in nested.chosen.items())
    pooled = f"{number(nested.pooled)}"
    if nested.low is not None and nested.high is not None:
        pooled += f" [{number(nested.low)}, {number(nested.high)}]"
    splits = counted(len(nested.choices), "outer split")
    mean = "" if nested.compares_rows else f"{number(nested.mean)} as the mean of {splits}, "
    return [
        f"selecting by the inner splits and testing the model selected on the outer ones: {goal.shown_name} "
        f"{mean}{pooled} on all rows" + (f" ({nested.undefined})" if nested.undefined else ""),
        f"the best on the outer splits, {nested.best}, shows {number(nested.optimistic)} there, which is slightly "
        "optimistic, as the same splits chose it",
        f"how often each was selected: {times}",
    ]

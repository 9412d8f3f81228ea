"""What a report says of a selection, whatever its format: cells of tables, and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.fitting import MEASURES
from referee.wording import counted, number

if TYPE_CHECKING:
    from referee.comparing import Verdict
    from referee.fitting import Growth, NestedSelection, Robustness, Selection, TieBreaker, Tradeoff
    from referee.scoring import Metric


def rows_in_words(verdict: Verdict) -> str:
    """The rows that were compared; of a selection those of the data, whatever number of times each was predicted."""
    selection, predicted = verdict.selection, verdict.predictions.rows
    if selection is None:
        return counted(predicted, "row")
    splits = counted(selection.splits, "split")
    return f"{counted(selection.rows, 'row')} of data ({counted(predicted, 'prediction')} in {splits})"


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


def change_in_words(one: Robustness) -> str:
    """How far the value moved, with its standard error.

    >>> from referee.fitting.robustness import Robustness
    >>> change_in_words(Robustness("missing", 0.1, 0.75, -0.0213, 0.0041))
    '-0.0213 ±0.0041'
    """
    return "–" if one.change is None else _signed(one.change, one.standard_error)


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


def breaker_in_words(one: TieBreaker) -> str:
    amount = {
        "seconds": seconds(one.value),
        "amount": f"{one.value:,.0f}",
        "goal": _signed(one.value, one.standard_error),
        "exponent": _power(one.value, one.standard_error),
    }[one.unit]
    return f"{one.by}: {' and '.join(one.models)} ({amount})"


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
        f"the best on the outer splits, {nested.best}, shows {number(nested.optimistic)} there, which is a little too "
        "good, as the same splits chose it",
        f"how often each was selected: {times}",
    ]

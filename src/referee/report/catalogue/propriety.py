"""What a metric rewards, shown: expected value against the report, in the four formats."""

from __future__ import annotations

import sys
from math import isfinite
from typing import TYPE_CHECKING, Any

from referee.document import write_json, write_table
from referee.errors import UsageError
from referee.scoring import OTHERS, curves, has_others, propriety, sees_reports
from referee.wording import number

if TYPE_CHECKING:
    from referee.scoring import Curve, Game, Metric

SEES = {"labels": "decisions", "scores": "the order"}


def show_propriety(metric: Metric, form: str) -> None:
    """Draw it, or write its numbers."""
    drawn = curves(metric)
    if form == "json":
        write_json("metrics", _to_dict(metric, drawn))
    elif form == "csv":
        rows = [[c.true, q, v] for c in drawn for q, v in zip(c.reports.tolist(), c.values.tolist(), strict=True)]
        write_table([["true", "reported", "expected"], *rows])
    elif form == "md":
        sys.stdout.write("\n".join(_markdown(metric, drawn)) + "\n")
    else:
        _print(metric, drawn)


def gamed_by(metric: Metric) -> str | None:
    """How reports that are not honest do as well or better; None where they do not, or the matter is not probabilities.

    >>> from referee import metrics
    >>> gamed_by(metrics["brier"])
    >>> gamed_by(metrics["probability_mae"]).partition(": ")[2]
    'honest reports have 0.3000, reporting 0 and 1 has 0.2000, which is better by 0.1000'
    """
    if metric.needs in ("values", "quantiles"):
        return None
    try:
        found = propriety(metric)
    except UsageError:  # settings for another number of classes, or a formula that fails
        return None
    return _told(found.game) if found.game else None


def _told(game: Game) -> str:
    other = f"{number(game.value)}, which is better by {number(game.gain)}" if game.gain else "the same"
    return (
        f"where the probability is {_population(game.true)}: honest reports have "
        f"{number(game.honest_value)}, reporting {_in_turn(game.reports)} has {other}"
    )


def _population(true: tuple[float, ...]) -> str:
    if len(true) == 2:
        return f"{true[0]:g} for half of the rows and {true[1]:g} for the others"
    return f"{_in_turn(true)} for a third of the rows each"


def _in_turn(numbers: tuple[float, ...]) -> str:
    *first, last = (f"{one:g}" for one in numbers)
    return f"{', '.join(first)} and {last}"


def verdict(metric: Metric) -> str:
    """What the drawing and the search for better reports say."""
    if metric.needs == "values":
        return _elicited(metric)
    if not sees_reports(metric):
        return "no proper scoring rule: it depends on the truth alone, so all reports do equally well"
    found = propriety(metric).found
    if found == "strictly":
        return "strictly proper: honest reports are best in every case tried, and no others are"
    if found == "weakly" and metric.needs == "probabilities":
        return "proper, but not strictly: nothing beats honest reports, but others do as well"
    if found == "weakly":
        return f"no proper scoring rule: it sees only {SEES[metric.needs]}, so others do as well as honest reports"
    return "improper: honest reports are beaten by others"


def _elicited(metric: Metric) -> str:
    level = (metric.defaults | dict(metric.settings)).get("level")
    elicits = metric.elicits if level is None else f"{metric.elicits} {level:g}"
    what = f"won by the {elicits}" if elicits else "won neither by the mean nor by the median"
    return f"{what}: for the numbers 1, 2, 7, 8 and 12 (mean 6, median 7) by {best_reports(curves(metric)[0])}"


def _to_dict(metric: Metric, drawn: list[Curve]) -> dict[str, Any]:
    classes = metric.needs != "values"
    game = propriety(metric).game if classes else None
    return {
        "metric": metric.full_name,
        "better": metric.better,
        "declared": metric.proper if classes else metric.elicits,
        "found": propriety(metric).found if classes else None,
        "sentence": verdict(metric),
        "others": OTHERS if has_others(metric) else None,
        "curves": [_curve_to_dict(curve) for curve in drawn],
        "gamed_by": game and vars(game) | {"gain": game.gain, "sentence": _told(game)},
    }


def _curve_to_dict(curve: Curve) -> dict[str, Any]:
    return {
        "true": curve.true,
        "honest_value": curve.honest_value,
        "best_value": curve.best_value,
        "best": curve.best.tolist(),
        "reported": curve.reports.tolist(),
        "expected": [value if isfinite(value) else None for value in curve.values.tolist()],
    }


def best_reports(curve: Curve) -> str:
    """The best report, or the range of them."""
    best = curve.best
    return f"{best[0]:g}" if len(best) == 1 else f"{best[0]:g} to {best[-1]:g}"


def _rows(drawn: list[Curve]) -> list[list[str]]:
    return [
        ["" if c.true is None else f"{c.true:g}", number(c.honest_value), best_reports(c), number(c.best_value)]
        for c in drawn
    ]


COLUMNS = ("true probability", "honest report", "best report", "its value")


def _remarks(metric: Metric) -> list[str]:
    found = [f"{metric.better.capitalize()} is better. Found: {verdict(metric)}."]
    if has_others(metric):
        found.insert(0, f"These are half of the rows; the others have probability {OTHERS:g}, and it is reported.")
    if told := gamed_by(metric):
        found.append(told[0].upper() + told[1:] + ".")
    if metric.depends_on_threshold:
        found.append("Decisions are made at 0.5: where that is wrong, move the threshold, not the report.")
    return found


def _markdown(metric: Metric, drawn: list[Curve]) -> list[str]:
    from referee.document.markdown import table_row

    lines = [f"**{metric.shown_name}**: expected value against what is reported", ""]
    if metric.needs != "values":
        lines += [table_row(COLUMNS), "|--:|--:|--:|--:|", *map(table_row, _rows(drawn)), ""]
    return lines + _remarks(metric)


def _print(metric: Metric, drawn: list[Curve]) -> None:
    from referee.document.screen import plain, print_wrapped, screen, table_of  # rich is for the screen only
    from referee.report.terminal.small_plots import BEST, HONEST, Panel, small_plots

    console = screen()
    console.print(plain(f"{metric.shown_name}: expected value against what is reported", "bold"))
    titles = ["" if curve.true is None else f"true probability {curve.true:g}" for curve in drawn]
    panels = [Panel(t, c.reports, c.values, c.best, c.best_value, c.true) for t, c in zip(titles, drawn, strict=True)]
    for line in small_plots(panels, console.width):
        console.print(plain(line), soft_wrap=True)
    of_classes = metric.needs != "values"
    legend = f"{BEST} best" + (f"   {HONEST} honest: the true probability itself" if of_classes else "")
    console.print(plain(f"         {legend}", "dim"))
    if of_classes:
        table = table_of(*COLUMNS)
        for row in _rows(drawn):
            table.add_row(*row)
        console.print(table)
    for remark in _remarks(metric):
        print_wrapped(console, remark)

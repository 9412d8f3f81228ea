"""What a metric rewards, shown: expected value against the report."""

from __future__ import annotations

from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

from referee.document import Cell, Document, Lines, Part, Result, Table, as_sentence, number, number_cell, table
from referee.errors import UsageError
from referee.records import dataclass
from referee.scoring.propriety_game import OTHERS, curves, has_others, propriety, sees_reports
from referee.scoring.small_plots import BEST, HONEST, Panel, small_plots

if TYPE_CHECKING:
    from referee.scoring.metric import Metric
    from referee.scoring.propriety_game import Curve, Game

SEES = {"labels": "decisions", "scores": "the order"}


@dataclass(frozen=True, repr=False)
class Rewards(Result):
    """What a metric rewards: its expected value for every report, and whether honest ones are best.

    >>> from referee import metrics
    >>> Rewards(metrics["brier"]).sentence.partition(":")[0]
    'strictly proper'
    """

    metric: Metric

    @property
    def command(self) -> str:
        return "metrics"

    @cached_property
    def curves(self) -> list[Curve]:
        return curves(self.metric)

    @property
    def of_classes(self) -> bool:
        """Whether probabilities are reported, not numbers."""
        return self.metric.needs != "values"

    @property
    def sentence(self) -> str:
        return propriety_in_words(self.metric)

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (nothing in it is long)
        metric = self.metric
        remarks = Lines(tuple(_remarks(metric)))
        blocks = (_drawing(self), _best_reports(self), remarks) if self.of_classes else (_drawing(self), remarks)
        opening = f"{metric.shown_name}: expected value by what is reported"
        sentence = f"{metric.better.capitalize()} is better. Result: {self.sentence}."
        return Document("propriety", sentence, (Part("", blocks),), opening=opening)

    def to_dict(self) -> dict[str, Any]:
        metric, drawn = self.metric, [_curve_to_dict(curve) for curve in self.curves]
        game = propriety(metric).game if self.of_classes else None
        return {
            "metric": metric.full_name,
            "better": metric.better,
            "declared": metric.proper if self.of_classes else metric.elicits,
            "found": propriety(metric).proper if self.of_classes else None,
            "sentence": self.sentence,
            "others": OTHERS if has_others(metric) else None,
            "curves": drawn,
            "gamed_by": game and vars(game) | {"gain": game.gain, "sentence": _told(game)},
        }

    def records(self) -> list[dict[str, float | None]]:
        """Each point of the curves."""
        return [
            {"true": curve.true, "reported": report, "expected": value}
            for curve in self.curves
            for report, value in zip(curve.reports.tolist(), curve.values.tolist(), strict=True)
        ]


def _drawing(rewards: Rewards) -> Lines:
    """The curves side by side, as dots."""
    titles = ["" if curve.true is None else f"true probability {curve.true:g}" for curve in rewards.curves]
    panels = [
        Panel(title, curve.reports, curve.values, curve.best, curve.best_value, curve.true)
        for title, curve in zip(titles, rewards.curves, strict=True)
    ]
    legend = f"{BEST} best" + (f"   {HONEST} honest: the true probability itself" if rewards.of_classes else "")
    return Lines((*small_plots(panels), f"         {legend}"), "code")


def _best_reports(rewards: Rewards) -> Table:
    columns = ("true probability", "honest report", "best report", "its value")
    rows = [
        [
            Cell(f"{curve.true:g}"),
            number_cell(curve.honest_value),
            Cell(best_reports(curve)),
            number_cell(curve.best_value),
        ]
        for curve in rewards.curves
    ]
    return table("best-reports", columns, rows, "The best reports")


def _remarks(metric: Metric) -> list[str]:
    said = []
    if has_others(metric):
        said.append(f"These are half of the rows; the others have probability {OTHERS:g}, and it is reported.")
    if told := gamed_by(metric):
        said.append(as_sentence(told))
    if metric.depends_on_threshold:
        said.append("Decisions are made at 0.5: where that is wrong, move the threshold, not the report.")
    return said


def gamed_by(metric: Metric) -> str | None:
    """How reports that are not honest do as well or better; None where they do not, or the matter is not probabilities.

    >>> from referee import metrics
    >>> gamed_by(metrics["brier"])
    >>> gamed_by(metrics["probability_mae"]).partition(": ")[2]
    'honest reports score 0.3000, and reporting 0 and 1 scores 0.2000, which is better by 0.1000'
    """
    if not metric.of_classes:
        return None
    try:
        tried = propriety(metric)
    except UsageError:  # settings for another number of classes, or a formula that fails
        return None
    return _told(tried.game) if tried.game else None


def _told(game: Game) -> str:
    other = f"{number(game.value)}, which is better by {number(game.gain)}" if game.gain else "the same"
    return (
        f"where the probability is {_population(game.true)}: honest reports score "
        f"{number(game.honest_value)}, and reporting {_in_turn(game.reports)} scores {other}"
    )


def _population(true: tuple[float, ...]) -> str:
    if len(true) == 2:
        return f"{true[0]:g} for half of the rows and {true[1]:g} for the others"
    return f"{_in_turn(true)} for a third of the rows each"


def _in_turn(numbers: tuple[float, ...]) -> str:
    *first, last = (f"{number:g}" for number in numbers)
    return f"{', '.join(first)} and {last}"


def propriety_in_words(metric: Metric) -> str:
    """What the drawing and the search for better reports say."""
    if metric.needs == "values":
        return _elicited(metric)
    if not sees_reports(metric):
        return "not a proper scoring rule: it depends on the truth alone, so all reports do equally well"
    proper = propriety(metric).proper
    if proper == "strictly":
        return "strictly proper: honest reports are best in every case tried, and no other reports are"
    if proper == "weakly" and metric.needs == "probabilities":
        return "proper, but not strictly: nothing beats honest reports, but other reports do as well"
    if proper == "weakly":
        return f"not a proper scoring rule: it sees only {SEES[metric.needs]}, so others do as well as honest ones"
    return "improper: other reports beat honest ones"


def _elicited(metric: Metric) -> str:
    level = (metric.defaults | dict(metric.settings)).get("level")
    elicits = metric.elicits if level is None else f"{metric.elicits} {level:g}"
    what = f"won by the {elicits}" if elicits else "won neither by the mean nor by the median"
    return f"{what}: for the numbers 1, 2, 7, 8 and 12 (mean 6, median 7) by {best_reports(curves(metric)[0])}"


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

"""plan(): power before the run, as a Plan."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from referee.advice.plan_basis import Guess, cautions, refuse_no_guess
from referee.advice.plan_pilots import from_pilot
from referee.catalogue import python_call
from referee.comparing import POWER, predictions_and_goal, refuse_margin
from referee.document import Result
from referee.errors import Notice, UsageError, refuse_alpha, spoken
from referee.predictions import as_written, takes_predictions
from referee.records import dataclass
from referee.scoring import chosen_metrics, described, goal_of

if TYPE_CHECKING:
    from typing import Unpack

    from referee.advice.plan_basis import Basis
    from referee.comparing import Precision, Sides
    from referee.document import Document
    from referee.predictions import Columns, Predictions
    from referee.scoring import Metric

Claim = Literal["better", "not_worse"]
CLAIMS: tuple[Claim, ...] = ("better", "not_worse")
STEPS = (1 / 8, 1 / 4, 1 / 2, 3 / 4, 3 / 2, 2, 4)
"""Where the curve is looked at, in numbers of units that are needed."""
MOST_DOUBLINGS = 40


@dataclass(frozen=True)
class PlanPoint:
    """What so many units can do."""

    units: int
    rows: int | None
    power: float | None
    """To find the difference that was asked for; None where none was."""
    smallest_difference: float
    """That is found with the power that was asked for."""
    power_low: float | None = None
    power_high: float | None = None
    """The interval of the power that the pilot leaves possible."""


@dataclass(frozen=True, repr=False)
class Plan(Result):
    """How many rows it takes to detect a difference, with the curve of power by number of rows.

    >>> from referee import plan
    >>> found = plan(goal="accuracy", margin=0.02, value=0.85, correlation=0.6)
    >>> found.rows, found.unit, found.low
    (1903, 'row', None)
    >>> [point.rows for point in found.curve if point.power >= 0.8][0] == found.rows
    True
    """

    goal: Metric
    margin: float | None
    claim: Claim
    alpha: float
    power: float
    """The power that was asked for."""
    units: int | None
    """How many are needed; None where no margin was given, or no number is enough."""
    low: int | None
    high: int | None
    """The interval of `units` that the pilot leaves possible."""
    given: int | None
    """The number of units that was asked about."""
    power_of_given: float | None
    smallest_difference: float | None
    """That the given units find; where none were given, that any number finds."""
    curve: tuple[PlanPoint, ...]
    basis: Basis
    warnings: tuple[Notice, ...] = ()
    call: str = ""

    @property
    def unit(self) -> str:
        return self.basis.unit

    @property
    def rows(self) -> int | None:
        """The rows of the units that are needed; None where these add none, as repeats do."""
        return None if self.units is None else self.basis.rows(self.units)

    @property
    def sentence(self) -> str:
        from referee.advice.plan_document import sentence

        return spoken(sentence(self))

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (it is short)
        from referee.advice.plan_document import plan_document

        return plan_document(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "goal": self.goal.full_name,
            "margin": self.margin,
            "claim": self.claim,
            "alpha": self.alpha,
            "power": self.power,
            "unit": self.unit,
            "units": self.units,
            "rows": self.rows,
            "low": self.low,
            "high": self.high,
            "given": self.given,
            "power_of_given": self.power_of_given,
            "smallest_difference": self.smallest_difference,
            "curve": self.records(),
            "basis": self.basis.to_dict(),
            "read": self.basis.read,
            "sentence": self.sentence,
            "warnings": [vars(notice) for notice in self.warnings],
        }

    def records(self) -> list[dict[str, Any]]:
        return [vars(point).copy() for point in self.curve]

    def traced(self, points: int = 60) -> list[PlanPoint]:
        """The curve at evenly spaced numbers of units, to be drawn."""
        most = self.curve[-1].units
        again = Planning(self.goal, self.basis, self.margin, None, self.claim, self.power, self.alpha)
        places = {max(again.fewest, round(most * (place + 1) / points)) for place in range(points)}
        return [again.point(units) for units in sorted(places)]


@takes_predictions("goal")
def plan(  # type: ignore[misc]  # `rows` is a number here, too
    *pilot: Any,
    goal: str | Metric | None = None,
    margin: float | None = None,
    rows: int | Literal["items", "folds", "datasets"] | None = None,
    value: float | None = None,
    correlation: float | None = None,
    prevalence: float | None = None,
    claim: Claim = "better",
    power: float = POWER,
    alpha: float = 0.05,
    train_size: float | None = None,
    time: Any = None,
    horizon: int | None = None,
    **columns: Unpack[Columns],
) -> Plan:
    """Work out how many rows it takes to detect a difference of `margin`, or which difference `rows` rows can detect.

    From a pilot, which is anything that `compare` takes: its two models, or its best two, show how much a difference
    varies. Or from guesses: the `value` of one model and the `correlation` of the two models' results on the same row,
    and `prevalence`, the share of positives, for metrics that depend on it. `claim="not_worse"` plans for the gate: how
    many rows let an equally good candidate pass with that margin. `time` says when each row of the pilot was observed:
    rows close in time may be similar, and then more of them are needed; `horizon` is how many steps the forecasts look
    ahead.

    >>> plan(goal="accuracy", margin=0.02, value=0.85, correlation=0.6).rows
    1903
    >>> y, a, b = [0, 1] * 100, [0.2, 0.9, 0.3, 0.8, 0.6] * 40, [0.3, 0.7, 0.6, 0.4] * 50
    >>> plan(y, {"a": a, "b": b}, goal="accuracy", margin=0.05, claim="not_worse").units
    1245
    >>> round(plan(y, {"a": a, "b": b}, goal="log_loss", rows=1000).smallest_difference, 4)
    0.068
    >>> plan(y, {"a": a, "b": b}, goal="log_loss", margin=0.05, time=range(200)).basis.precision.in_time.pieces
    13
    """
    given = None if rows is None or isinstance(rows, str) else rows
    of_pilot: Any = {**columns, "rows": rows} if isinstance(rows, str) else columns
    _refuse(margin, given, claim, power, alpha)
    if pilot or columns.get("truth") is not None:
        if value is not None or prevalence is not None:
            raise UsageError(
                "E_PLAN", "--value and --prevalence are for plans without a pilot, and there is one",
                hint="leave one of them out",
            )  # fmt: skip
        predictions, goal = predictions_and_goal(
            "plan", pilot, of_pilot, goal=goal, metrics=None, by=(), train_size=train_size, time=time
        )
        metric, basis = _of_pilot(predictions, goal, margin, correlation, train_size, horizon)
    else:
        if time is not None or horizon is not None:
            raise UsageError("E_PLAN", "--time and --horizon are about the rows of a pilot", hint="use --pilot SOURCE")
        metric, basis = _of_guesses(goal, margin, claim, value, correlation, prevalence)
    data, said = as_written(pilot, {**of_pilot, "time": time}) if pilot else ([], {})
    call = python_call(
        plan, *data, goal=goal, margin=margin, rows=given, value=value, correlation=correlation, prevalence=prevalence,
        claim=claim, power=power, alpha=alpha, train_size=train_size, horizon=horizon, **said,
    )  # fmt: skip
    return Planning(metric, basis, margin, given, claim, power, alpha).plan(call)


def _refuse(margin: float | None, rows: float | None, claim: str, power: float, alpha: float) -> None:
    refuse_alpha(alpha)
    if margin is None and rows is None:
        hint = (
            "--margin 0.02 asks how many rows it takes to find a difference of 0.02, --rows 500 which difference "
            "500 rows can find"
        )
        raise UsageError("E_PLAN", "plan what? Give --margin, --rows or both", hint=hint)
    if margin is not None and not (isinstance(margin, int | float) and 0 < margin < float("inf")):
        raise UsageError("E_MARGIN", f"--margin {margin} must be a positive number, in units of the goal metric")
    if rows is not None and (rows != int(rows) or rows < 2):
        raise UsageError("E_PLAN", f"--rows {rows:g}: a whole number of at least 2 is needed")
    if claim not in CLAIMS:
        raise UsageError("E_PLAN", f"claim {claim!r}: the choices are 'better' and 'not_worse'")
    if not alpha < power < 1:
        raise UsageError("E_PLAN", f"--power {power:g} must lie between alpha ({alpha:g}) and 1")


def _of_pilot(
    predictions: Predictions,
    goal: str | Metric | None,
    margin: float | None,
    correlation: float | None,
    train_size: float | None,
    horizon: int | None,
) -> tuple[Metric, Basis]:
    (metric,) = chosen_metrics(predictions, [goal_of(goal, predictions.task)])
    refuse_margin(margin, metric, len(predictions.classes))
    sizes = None if predictions.scored is not None else train_size
    basis = from_pilot(predictions, metric, correlation=correlation, train_size=sizes, horizon=horizon)
    said = f"{basis.said}; {described(predictions)}"
    notices = tuple(dict.fromkeys((*predictions.notices, *basis.notices)))
    return metric, replace(basis, said=said, read=predictions.reading, notices=notices)


def _of_guesses(
    goal: str | Metric | None,
    margin: float | None,
    claim: Claim,
    value: float | None,
    correlation: float | None,
    prevalence: float | None,
) -> tuple[Metric, Basis]:
    metric = goal_of(goal, None)
    refuse_margin(margin, metric)
    refuse_no_guess(metric)
    if value is None or correlation is None:
        missing = "--value V" if value is None else "--correlation R"
        raise UsageError(
            "E_PLAN", f"nothing says how much {metric.shown_name} varies: {missing} is missing",
            hint="give --value and --correlation, such as 0.85 and 0.6, or a pilot",
        )  # fmt: skip
    ahead = margin if margin is not None and claim == "better" else 0.0
    other = value + ahead if metric.better == "higher" else value - ahead
    return metric, Guess(metric, value, other, correlation, prevalence).basis()


@dataclass(frozen=True)
class Planning:
    """What a plan is made of."""

    metric: Metric
    basis: Basis
    margin: float | None
    given: int | None
    claim: Claim
    power: float
    alpha: float

    @property
    def sides(self) -> Sides:
        """A winner may be either of two; a candidate is only asked whether it is worse."""
        return 2 if self.claim == "better" else 1

    def _needed(self) -> int | None:
        if self.margin is None:
            return None
        return self._units_for(self.basis.precision, self.margin)

    def _units_for(self, precision: Precision, margin: float) -> int | None:
        units = precision.units_for(margin, self.power, self.alpha, self.sides)
        return None if units is None else max(units, self.fewest)

    @property
    def fewest(self) -> int:
        return self.basis.fewest(self.alpha, self.sides)

    def _within(self) -> tuple[int | None, int | None]:
        ends = None if self.margin is None else self.basis.within(self.alpha)
        if ends is None or self.margin is None:
            return None, None
        low, high = (self._units_for(end, self.margin) for end in ends)
        return low, high

    def _smallest(self, units: float) -> float:
        return self.basis.precision.smallest_difference(units, self.power, self.alpha, self.sides)

    def _power(self, units: float, precision: Precision | None = None) -> float | None:
        if self.margin is None:
            return None
        if units < self.fewest:
            return 0.0
        return (precision or self.basis.precision).power(units, self.margin, self.alpha, self.sides)

    def point(self, units: int) -> PlanPoint:
        ends = None if self.margin is None else self.basis.within(self.alpha)
        low, high = (None, None) if ends is None else (self._power(units, end) for end in reversed(ends))
        return PlanPoint(units, self.basis.rows(units), self._power(units), self._smallest(units), low, high)

    def plan(self, call: str = "") -> Plan:
        needed, given = self._needed(), self._given_units()
        low, high = self._within()
        smallest = self._smallest(given) if given else self._reachable(needed)
        about = _places(needed or given or self.basis.precision.units, self.fewest)
        places = sorted({*about, *filter(None, (needed, given))})
        return Plan(
            self.metric, self.margin, self.claim, self.alpha, self.power, needed, low, high, given,
            self._power(given) if given else None, smallest, tuple(map(self.point, places)), self.basis,
            (*self.basis.notices, *cautions(self.basis, given or needed)), call,
        )  # fmt: skip

    def _given_units(self) -> int | None:
        """The rows that were asked about as groups, where groups are what counts."""
        if self.given is None or not self.basis.rows_per_unit:
            return self.given
        return max(2, round(self.given / self.basis.rows_per_unit))

    def _reachable(self, needed: int | None) -> float | None:
        """What any number of units finds, where no number finds the margin."""
        if needed is not None:
            return None
        reached = min(self._smallest(self.fewest * 2**doublings) for doublings in range(MOST_DOUBLINGS))
        return reached if isfinite(reached) else None


def _places(centre: float, fewest: int) -> list[int]:
    """Round numbers about a number of units.

    >>> _places(1921, 2)
    [240, 480, 960, 1400, 2900, 3800, 7700]
    """
    return [max(fewest, round(float(f"{centre * step:.2g}"))) for step in STEPS]

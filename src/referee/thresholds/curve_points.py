"""Curve: the points of one model on one kind of curve, with its area and what guessing would give."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from referee.document import finite
from referee.engines import Ranking, engine_of
from referee.errors import InputError, UndefinedError, UsageError, did_you_mean
from referee.predictions import Columns, Model, Predictions, predictions_of, takes_predictions
from referee.records import dataclass
from referee.scoring import metrics, refuse_scales, why_not, with_one_scale
from referee.thresholds.curve_kind import Kind, Line, corners_of
from referee.thresholds.curve_kinds import kinds
from referee.thresholds.curve_list import Curves
from referee.thresholds.curve_stretches import places_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array


Band = Literal["pointwise", "simultaneous"]


@dataclass(frozen=True, eq=False)
class Curve:
    """Points from the highest threshold down; at each the rows with `score >= threshold` are called positive.

    `x`, `y`, `threshold`, `tp` and `fp` have one value per point, and so have `low` and `high` once there is a band.
    The area is exact, whatever points were left out.

    >>> from referee import Predictions
    >>> from referee.thresholds import curve
    >>> roc = curve(Predictions.from_arrays([1, 0, 1, 0], {"m": [0.9, 0.7, 0.6, 0.1]}), "roc")
    >>> roc.x.tolist(), roc.y.tolist(), roc.area
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], 0.75)
    """

    kind: str
    """The file name of its kind: roc, precision_recall ..."""
    model: str
    x: Array
    y: Array
    threshold: Array
    """Infinite at the first point of curves that begin with no row called positive."""
    tp: Array
    fp: Array
    positives: float
    """All of them, by their weights if rows have some."""
    negatives: float
    title: str
    x_title: str
    y_title: str
    x_name: str
    """One word for the axis, such as fpr."""
    y_name: str
    area: float | None = None
    """Of all points; None where the area has no meaning."""
    area_name: str = ""
    lines: tuple[Line, ...] = ()
    """What to compare with: guessing first."""
    drawn: Literal["linear", "steps"] = "linear"
    """Between two points: straight, or at the height of the later point (as average precision adds it up)."""
    scale: Literal["linear", "probit"] = "linear"
    """Of both axes, as it is usually drawn."""
    class_: str | None = None
    """The class against the rest."""
    tolerance: float = 0.0
    """How far a point that was left out may be from one that is there, as a share of each axis."""
    points: int = 0
    """How many there were before some were left out."""
    is_hull: bool = False
    low: Array | None = None
    high: Array | None = None
    band: Band | None = None
    band_method: str = ""
    redrawn: int = 0
    """Draws of the bootstrap in which a class was missing, and which were drawn again."""
    alpha: float | None = None

    def __len__(self) -> int:
        return len(self.x)

    @property
    def fn(self) -> Array:
        return self.tp.dtype.type(self.positives) - self.tp

    @property
    def tn(self) -> Array:
        return self.fp.dtype.type(self.negatives) - self.fp

    @property
    def rank(self) -> Array:
        """How many rows are called positive."""
        return self.tp + self.fp

    @property
    def guessing(self) -> Line:
        return self.lines[0]

    def columns(self) -> dict[str, Array]:
        """One column per number, row by row as the lecture's table has them: rank, score, TP, FP, TN, FN, x and y."""
        counts = {
            "rank": self.rank,
            "score": self.threshold,
            "tp": self.tp,
            "fp": self.fp,
            "tn": self.tn,
            "fn": self.fn,
        }
        axes = {self.y_name: self.y, self.x_name: self.x}
        band = {} if self.low is None or self.high is None else {"low": self.low, "high": self.high}
        return counts | axes | band

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it; an infinite threshold is null."""
        arrays = {name: finite(column.tolist()) for name, column in self.columns().items()}
        left_out = {"x", "y", "threshold", "tp", "fp", "low", "high", "lines", "x_name", "y_name", "class_"}
        single = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in left_out}
        lines = [{"name": line.name, "x": finite(line.x.tolist()), "y": finite(line.y.tolist())} for line in self.lines]
        axes = {"x": self.x_name, "y": self.y_name}
        return {**single, "class": self.class_, "axes": axes, "columns": arrays, "lines": lines}


def curve(
    predictions: Predictions,
    kind: str | Kind = "roc",
    model: str | None = None,
    *,
    positive: str | None = None,
    tolerance: float | None = None,
) -> Curve:
    """The curve of one model for the positive class, or for the class named, against the rest.

    Every distinct score is a point; beyond 10,000 of them those are left out that are nearer to another one than
    1/2000 of each axis. `tolerance=0` gives all of them, a larger one fewer.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([1, 0, 1], {"m": [0.9, 0.7, 0.6]})
    >>> curve(predictions, "precision_recall").y.tolist()
    [1.0, 0.5, 0.6666666666666666]
    """
    chosen = kinds[kind] if isinstance(kind, str) else kind
    named = predictions.model(model) if model is not None else _only_model(predictions)
    _refuse(predictions, chosen, named)
    if chosen.ranks_only:
        refuse_scales(predictions, named)
    code = _class_code(predictions, positive)
    summary = engine_of(predictions).summarise(predictions, named)
    ranking = _ranking(summary, chosen, code)
    return curve_of_ranking(ranking, chosen, named.name, tolerance, predictions.classes[code])


@takes_predictions("kind")
def curves(
    *given: Any,
    kind: str | Kind | Sequence[str | Kind] = "roc",
    tolerance: float | None = None,
    **columns: Unpack[Columns],
) -> Curves:
    """Compute the points of each model's curves: ROC, precision-recall and others.

    The input is the same as for `evaluate`: truth and predictions, a table and truth="COLUMN", fitted models with
    X_test and y_test, or `Predictions`. With several classes there is a curve for each class vs the rest, unless
    `positive` chooses one. `kind` is roc, precision_recall, precision_recall_gain, lift, cumulative_gains, det, cost,
    decision or calibration, or a list of these. `tolerance` omits points that are closer to another than this share of
    each axis.

    >>> found = curves([1, 0, 1], {"a": [0.9, 0.7, 0.6], "b": [0.1, 0.2, 0.3]}, kind=["roc", "det"])
    >>> [(curve.model, curve.kind) for curve in found]
    [('a', 'roc'), ('a', 'det'), ('b', 'roc'), ('b', 'det')]
    """
    is_read = isinstance(next(iter(given), None), Predictions)
    positive = columns.pop("positive", None) if is_read else None
    predictions = predictions_of("curves", given, columns, metrics=[metrics["roc_auc"]], push_down=True)
    asked = kind if isinstance(kind, list | tuple) else [kind]
    chosen = [kind if isinstance(kind, Kind) else kinds[str(kind)] for kind in asked]
    predictions = with_one_scale(predictions) if any(kind.ranks_only for kind in chosen) else predictions
    every = (_of_model(predictions, chosen, model, positive, tolerance) for model in predictions.models)
    return Curves(predictions, tuple(chain.from_iterable(every)))


def _of_model(
    predictions: Predictions, chosen: Sequence[Kind], model: Model, positive: str | None, tolerance: float | None
) -> Iterator[Curve]:
    for kind in chosen:
        _refuse(predictions, kind, model)
    every = predictions.positive is None and positive is None
    codes = list(range(len(predictions.classes))) if every else [_class_code(predictions, positive)]
    summary = engine_of(predictions).summarise(predictions, model)
    for kind in chosen:
        for code in codes:
            ranking = _ranking(summary, kind, code)
            yield curve_of_ranking(ranking, kind, model.name, tolerance, predictions.classes[code])


def _ranking(summary: Any, kind: Kind, code: int) -> Ranking:
    return summary.ranking(code, as_probability=kind.needs == "probabilities")


def curve_of_ranking(
    ranking: Ranking, kind: Kind, model: str = "", tolerance: float | None = None, class_: str | None = None
) -> Curve:
    """The curve of a ranking of one unit."""
    _refuse_one_class(ranking, model, class_)
    if kind.places is None:
        at, points, tolerance = places_of(ranking, kind, tolerance)
    else:
        at = kind.places(ranking)
        points, tolerance = len(at.tp), 0.0
    P, N = float(ranking.P[0]), float(ranking.N[0])  # noqa: N806 (the lecture's letters)
    return Curve(
        kind.name, model, np.asarray(kind.x(at), float), np.asarray(kind.y(at), float), at.score,
        _counts(at.tp, ranking), _counts(at.fp, ranking), P, N,
        kind.title, kind.x_title, kind.y_title, kind.x_name, kind.y_name,
        area=None if kind.area is None else kind.area(ranking),
        area_name=kind.area_name, lines=kind.lines(P / (P + N)), drawn=kind.drawn, scale=kind.scale, class_=class_,
        tolerance=tolerance, points=points,
    )  # fmt: skip


def _counts(rows: Array, ranking: Ranking) -> Array:
    """Whole numbers, unless the rows have weights."""
    return np.asarray(rows, np.float64 if ranking.P.dtype.kind == "f" else np.int64)


def _only_model(predictions: Predictions) -> Model:
    if len(predictions.models) == 1:
        return predictions.models[0]
    raise UsageError("E_NOMODEL", f"which model? {did_you_mean('', predictions.names)}", hint="`curves` gives all")


def _class_code(predictions: Predictions, positive: str | None) -> int:
    if positive is None and predictions.positive is not None:
        return predictions.positive
    if isinstance(positive, str) and positive in predictions.classes:
        return predictions.classes.index(positive)
    known = did_you_mean("" if positive is None else str(positive), predictions.classes)
    raise UsageError("E_POSITIVE", f"which class against the rest? {known}", hint="`curves` gives all classes")


def _refuse(predictions: Predictions, kind: Kind, model: Model) -> None:
    """Stop where the model does not give what the curve needs."""
    if not predictions.classes:
        raise UndefinedError(
            "E_CONTINUOUS", f"column {predictions.truth_column!r} holds numbers: curves are for classes"
        )
    if kind.needs != "probabilities":
        return
    # What every metric of probabilities asks for.
    if reason := why_not(metrics["brier"], model, engine_of(predictions).facts(predictions, model)):
        what = f"{model.place}: {kind.title.lower()} {reason}"
        raise InputError("E_PROBRANGE", what, hint="the other kinds take any scores")


def _refuse_one_class(ranking: Ranking, model: str, class_: str | None) -> None:
    if not ranking.P[0] > 0 or not ranking.N[0] > 0:
        lacking = f"rows of class {class_!r}" if not ranking.P[0] > 0 else f"rows of other classes than {class_!r}"
        raise UndefinedError("E_ONECLASS", f"model {model!r}: there are no {lacking}, so there is no curve")


def hull(curve: Curve) -> Curve:
    """Keep the corners of a ROC curve's hull; its area is what randomising between thresholds could reach.

    >>> from referee import Predictions
    >>> from referee.thresholds import curve
    >>> roc = hull(curve(Predictions.from_arrays([1, 0, 1, 0], {"m": [0.9, 0.7, 0.6, 0.1]}), "roc"))
    >>> roc.x.tolist(), roc.y.tolist(), roc.area
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0], 0.875)
    """
    if curve.kind != "roc":
        raise UsageError("E_HULL", f"the convex hull is that of a ROC curve, not of kind {curve.kind!r}")
    if curve.tolerance:
        raise UsageError(
            "E_HULL", "points of the curve were left out, and with them corners", hint="tolerance=0 gives all points"
        )
    corners = corners_of(curve.fp, curve.tp)
    columns = {name: getattr(curve, name)[corners] for name in ("x", "y", "threshold", "tp", "fp")}
    area = float(np.trapezoid(columns["y"], columns["x"]))
    name = f"{curve.title}, convex hull"
    return replace(
        curve, **columns, title=name, area=area, area_name="area of the hull", low=None, high=None, band=None,
        points=len(corners), is_hull=True,
    )  # fmt: skip

"""All pictures of a verdict, one function each; those that have nothing to show are left out."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import RefereeError, WriteError
from referee.report.figures.curves import draw_curves
from referee.report.figures.pictures import look, marker, name_of, picture, refuse_without_matplotlib
from referee.report.scores.shown import level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.curves import Curve
    from referee.verdict import Verdict

    Draw = Callable[[Any], None]

KINDS = ("roc", "precision_recall", "calibration")
MOST_MODELS, MOST_POINTS = 20, 5000


def refuse_folder(path: str | None) -> None:
    """Stop before any work is done where pictures could not be written."""
    if path is None:
        return
    refuse_without_matplotlib()
    if Path(path).exists() and not Path(path).is_dir():
        raise WriteError("E_WRITE", f"--figures {path}: this is a file", hint="name a folder")


def write_figures(verdict: Verdict, folder: str | Path | None) -> list[Path]:
    """Write each picture as SVG and as PNG, where a folder is named; give the files."""
    if folder is None:
        return []
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError("E_WRITE", f"--figures {folder} cannot be made: {error.strerror or error}") from error
    written = []
    for name, draw in _drawings(verdict):
        paths = [folder / f"{name}.{suffix}" for suffix in ("svg", "png")]
        with picture(*paths) as axes:
            draw(axes)
        written += paths
    return written


def _drawings(verdict: Verdict) -> Iterator[tuple[str, Draw]]:
    yield "goal", partial(draw_goal, verdict=verdict)
    for kind in KINDS:
        if found := _curves(verdict, kind):
            yield kind, partial(draw_curves, curves=found)
    if verdict.predictions.task == "regression":
        yield "actual_and_predicted", partial(draw_values, verdict=verdict)
    if verdict.selection is not None and verdict.selection.tradeoffs[0].learning_curve:
        yield "learning_curve", partial(draw_learning_curve, verdict=verdict)


def _shown(verdict: Verdict) -> list[str]:
    return list(verdict.values)[:MOST_MODELS]


def _curves(verdict: Verdict, kind: str) -> list[Curve]:
    """Of the positive class, of every model that can have it."""
    from referee.curves import curve

    found = []
    for name in _shown(verdict) if verdict.predictions.positive is not None else ():
        with suppress(RefereeError):
            found.append(curve(verdict.predictions, kind, name))
    return found


def draw_goal(axes: Any, verdict: Verdict) -> None:
    """Each model's value on the goal with its interval, the best at the top."""
    names = [name for name in _shown(verdict) if verdict.scores[name, verdict.goal].value is not None]
    for place, name in enumerate(names):
        score = verdict.scores[name, verdict.goal]
        assert score.value is not None
        ends = (score.value, score.value) if score.low is None or score.high is None else (score.low, score.high)
        axes.plot(ends, (place, place), linewidth=2, **(look(place) | {"linestyle": "-"}))
        axes.plot(score.value, place, marker=marker(place), color=look(place)["color"], linestyle="")
    axes.set_yticks(range(len(names)), list(map(name_of, names)))
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set(
        title=f"{verdict.goal.title}, {verdict.goal.better} is better",
        xlabel=f"{name_of(verdict.goal.full_name)}, with {level(verdict.alpha)} interval",
    )


def draw_values(axes: Any, verdict: Verdict) -> None:
    """What was true against what was predicted."""
    truth = verdict.predictions.truth
    some = np.linspace(0, len(truth) - 1, min(len(truth), MOST_POINTS)).round().astype(int)
    ends = float(truth.min()), float(truth.max())
    axes.plot(ends, ends, color="0.6", linewidth=1, linestyle=(0, (4, 3)))
    for place, name in enumerate(_shown(verdict)):
        values = verdict.predictions.model(name).values
        if values is not None:
            style = {"marker": marker(place), "color": look(place)["color"], "alpha": 0.4, "markersize": 3}
            axes.plot(values[some], truth[some], linestyle="", label=name_of(name), **style)
    axes.set(title="Actual and predicted", xlabel="predicted", ylabel=name_of(verdict.predictions.truth_column))
    axes.legend(loc="best", fontsize=8, frameon=False)


def draw_learning_curve(axes: Any, verdict: Verdict) -> None:
    """The goal on the same test rows after more and more training rows."""
    assert verdict.selection is not None
    rows: Sequence[Any] = verdict.selection.tradeoffs[:MOST_MODELS]
    for place, row in enumerate(rows):
        known = [point for point in row.learning_curve if point.test is not None]
        points = [point.rows for point in known], [point.test for point in known]
        axes.plot(*points, marker=marker(place), label=name_of(row.model), **look(place))
    axes.set(title="Learning curve", xlabel="training rows", ylabel=name_of(verdict.goal.full_name), xscale="log")
    sizes = [point.rows for point in rows[0].learning_curve]
    axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    axes.set_xticks([], minor=True)
    axes.legend(loc="best", fontsize=8, frameon=False)

"""Curves: of all models in one panel, and where several classes have some, a panel for each class."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.curve_points import curve_of_ranking, kinds
from referee.document import refuse_no_place, write_file
from referee.errors import UsageError
from referee.page.sections.curves import shown_classes
from referee.page.sections.rankings import ranked_models
from referee.report.figures.looks import REFERENCE, look
from referee.report.figures.pictures import SUFFIXES, Picture, drawn, refuse_without_matplotlib
from referee.wording import distinct_names, level, number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.curve_points import Curve
    from referee.page.sections.rankings import Ranked
    from referee.page.subject import Subject

PROBIT_TICKS = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)
KINDS = ("roc", "precision_recall")
WHOLE = (-0.02, 1.02)
"""Of axes that are shares."""


def refuse_figure(path: str | None) -> None:
    """Stop before any work is done where the picture could not be made."""
    if path is None:
        return
    if Path(path).suffix.lower() not in SUFFIXES:
        raise UsageError("E_FIGURE", f"--figure {path}: the name must end in {', '.join(SUFFIXES)}")
    refuse_without_matplotlib()
    refuse_no_place("--figure", path)


def write_figure(curves: Sequence[Curve], path: str | Path) -> None:
    """Draw curves of one kind into one picture; the same curves give the same bytes."""
    first = curves[0]
    names = distinct_names(dict.fromkeys(one.model for one in curves), 40)
    legend = {line.name: REFERENCE for line in first.lines}
    legend |= {_label(names[curve.model], curve): look(place) for place, curve in enumerate(curves)}
    picture = Picture("curves", first.title, [partial(draw_curves, curves=dict(enumerate(curves)))], legend)
    (content,), _ = drawn(picture, [Path(path).suffix])
    write_file("--figure", path, content)


def _label(name: str, curve: Curve) -> str:
    class_ = f" ({one_line(curve.class_)})" if curve.class_ is not None else ""
    area = "" if curve.area is None else f", {curve.area_name} {number(curve.area, 3)}"
    band = "" if curve.band is None or curve.alpha is None else f", {level(curve.alpha)} {curve.band} band"
    return f"{name}{class_}{area}{band}"


def curve_pictures(subject: Subject) -> Iterator[Picture]:
    """ROC and precision-recall curves of the positive class, or of each class against the rest."""
    classes = subject.predictions.classes
    groups = {classes[code]: found for code in shown_classes(subject) if (found := _ranked(subject, code))}
    for kind in KINDS if groups else ():
        curves = [{subject.places[one.name]: getattr(one, kind) for one in models} for models in groups.values()]
        yield _picture(subject, kind, dict(zip(groups, curves, strict=True)))


def cost_pictures(subject: Subject) -> Iterator[Picture]:
    """What the best threshold costs, whatever the mistakes cost."""
    if subject.ranked:
        found = {
            subject.places[one.name]: curve_of_ranking(one.ranking, kinds["cost"], one.name) for one in subject.ranked
        }
        yield _picture(subject, "cost", {"": found})


def _ranked(subject: Subject, code: int) -> list[Ranked]:
    return subject.ranked if code == subject.predictions.positive else ranked_models(subject, code)


def _picture(subject: Subject, name: str, groups: dict[str, dict[int, Curve]]) -> Picture:
    """Areas stand in the legend where there is one panel."""
    several = len(groups) > 1
    first = next(iter(next(iter(groups.values())).values()))
    legend = {line.name: REFERENCE for line in first.lines}
    for place in dict.fromkeys(place for curves in groups.values() for place in curves):
        label, curve = subject.labels[subject.names[place]], next(iter(groups.values())).get(place)
        legend[label if several or curve is None else _label(label, curve)] = look(place)
    titles = list(distinct_names(groups, 40).values()) if several else [""]
    panels = [
        partial(draw_curves, curves=curves, title=title) for curves, title in zip(groups.values(), titles, strict=True)
    ]
    of_each = ", each class against the rest" if several else ""
    size: dict[str, Any] = {"across": 3, "width": 3.2, "height": 3.2} if several else {}
    return Picture(name, first.title + of_each, panels, legend, **size)


def draw_curves(axes: Any, curves: dict[int, Curve], title: str = "") -> None:
    """Curves of one kind, each in the look of its place; the first ones are on top."""
    first = next(iter(curves.values()))
    for line in first.lines:
        axes.plot(line.x, line.y, **REFERENCE)
    for place, curve in reversed(curves.items()):
        _draw_one(axes, curve, place)
    axes.set(title=title, xlabel=first.x_title, ylabel=first.y_title)
    if first.scale == "probit":
        _use_probit(axes)
    elif first.y_name in ("net_benefit", "lift"):
        axes.set_ylim(*_limits([*curves.values()]))
    elif first.kind in KINDS:
        axes.set(xlim=WHOLE, ylim=WHOLE)


def _draw_one(axes: Any, curve: Curve, place: int) -> None:
    steps = "steps-pre" if curve.drawn == "steps" else "default"
    x, y = _from_the_axis(curve)
    axes.plot(x, y, linewidth=1.6, drawstyle=steps, gid=f"model-{place}", **look(place))
    if curve.low is not None and curve.high is not None:
        shape = "pre" if curve.drawn == "steps" else None
        axes.fill_between(
            curve.x, curve.low, curve.high, color=look(place)["color"], alpha=0.18, linewidth=0, step=shape
        )


def _from_the_axis(curve: Curve) -> tuple[Array, Array]:
    """A curve of steps has its first height from the axis on."""
    if curve.drawn == "linear":
        return curve.x, curve.y
    return np.insert(curve.x, 0, 0.0), np.insert(curve.y, 0, curve.y[0])


def _limits(curves: Sequence[Curve]) -> tuple[float, float]:
    """Net benefit falls without end, bands of lift rise: room for the curves, and little for the rest."""
    top = max(0.01, *(float(curve.y.max()) for curve in curves))
    return -0.25 * top if curves[0].y_name == "net_benefit" else 0.0, 1.1 * top


def _use_probit(axes: Any) -> None:
    from scipy.special import ndtr, ndtri

    def forward(share: Array) -> Array:
        return np.asarray(ndtri(np.clip(share, 1e-4, 1 - 1e-4)))

    for axis in ("x", "y"):
        getattr(axes, f"set_{axis}scale")("function", functions=(forward, ndtr))
        getattr(axes, f"set_{axis}lim")(5e-4, 1 - 5e-4)
        getattr(axes, f"set_{axis}ticks")(PROBIT_TICKS, [f"{tick:g}" for tick in PROBIT_TICKS])

"""The page of thresholds: what to use, the objective at every threshold, and a slider that counts what happens."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from referee.document import Part, as_sentence, element, message_line, number, part_html
from referee.document.svg import Plot, look, marker, short_path, simplified
from referee.page.sections.curves import Ranked, counts_of, legend
from referee.page.sections.threshold import slider
from referee.page.shell import Section, figure, page, plain_card, rendered, reproduction, result_card
from referee.page.subject import Subject
from referee.scoring import Guessing, Scores, described
from referee.thresholds import Thresholds, recommendation, recommended, title_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHORT_TITLES = {"thresholds": "Thresholds", "comparisons": "Comparisons", "regions": "Costs"}
"""The sections' names in the navigation."""
DIGITS = 8
TOLERANCE = 0.3
"""How far, in pixels, a drawn line may be from the exact one."""
LEAD = (
    "The objective on all rows at every threshold. Its best value is optimistic: the values in the table below come "
    "from rows that the threshold was not chosen on."
)


def thresholds_page(thresholds: Thresholds, *, command: str = "") -> str:
    """Thresholds as one self-contained HTML file.

    >>> from referee import Predictions
    >>> from referee.thresholds import threshold
    >>> predictions = Predictions.from_arrays([1, 0, 1, 0] * 20, {"m": [0.9, 0.7, 0.6, 0.1] * 20})
    >>> "<h1>Use m at 0.3500: f1 0.8000 vs 0.8000 at 0.5.</h1>" in thresholds_page(threshold(predictions, "f_beta"))
    True
    """
    document, predictions = thresholds.document(), thresholds.predictions
    title = as_sentence(message_line(title_of(thresholds)))
    use = message_line(recommendation(thresholds))
    headline = f"{use}." if use else title
    compared = message_line(document.sentence).removeprefix(headline).strip()
    answer = f"{compared}." if compared else as_sentence(described(predictions))
    card = result_card("Thresholds", headline, answer, title if use else "", document=document, rows=predictions.rows)
    first = replace(_part_section(document.parts[0]), title="The best threshold of each model")
    sections = [*_every_threshold(thresholds), first, *map(_part_section, document.parts[1:])]
    facts = [
        ("Read as", described(predictions)),
        ("Fingerprint of the predictions", predictions.fingerprint),
        ("Alpha", f"{thresholds.alpha:g}"),
    ]
    return page(headline, [*sections, reproduction(command, facts)], opening=card)


def _part_section(part: Part) -> Section:
    key = part.tables[0].name
    return Section(key, part.title, plain_card(part_html(part)), short=SHORT_TITLES.get(key, ""))


def _every_threshold(thresholds: Thresholds) -> Iterator[Section]:
    """The curve of the objective and the slider; nothing where no model ranks rows of two classes."""
    predictions, objective = thresholds.predictions, thresholds.objective
    unscored = Scores(predictions, (), (), Guessing(predictions, (), None, thresholds.alpha, None), {})
    subject = Subject(unscored, alpha=thresholds.alpha, seed=thresholds.seed)
    if not (ranked := subject.ranked):
        return
    shown = {model.name: _as_said(model, thresholds[model.name].threshold) for model in ranked}
    counts = counts_of(subject, ranked, shown)
    for series in counts["models"]:
        series["value"] = _values(thresholds, series, (counts["positives"], counts["negatives"]))
    costs = {"alarm": objective.metric.settings.get("fp", 1), "miss": objective.metric.settings.get("fn", 1)}
    is_cost = objective.metric.name == "expected_cost"
    name = objective.metric.shown_name
    drawn = Markup("").join(_drawn(thresholds, counts["models"], wide=wide) for wide in (True, False))
    drawing = figure(drawn, name="objective", title=f"{name} at every threshold")
    names = legend([subject.labels[model] for model in subject.shown])
    drawn_once = {**costs, "legend": names} if is_cost else {}
    moved = slider(predictions, **drawn_once, objective="" if name == "f1" else name)
    body = rendered("section/thresholds.html", slider=moved, figure=drawing, legend=names, is_cost=is_cost)
    data = {"counts": counts, **_start(thresholds, counts["models"])}
    yield Section("threshold", "Every threshold", body, LEAD, "Every threshold", data)


def _as_said(model: Ranked, threshold: float) -> float:
    """A threshold in the digits that people read, where these call the same rows positive."""
    if not isfinite(threshold):
        return threshold
    short = float(number(threshold).replace(",", ""))
    (tp, other_tp), (fp, other_fp) = model.counts_at(np.array([threshold, short]))
    return short if (tp, fp) == (other_tp, other_fp) else threshold


def _values(thresholds: Thresholds, series: dict[str, Any], rows: tuple[float, float]) -> list[float | None]:
    tp, fp = (np.asarray(series[name], float) for name in ("tp", "fp"))
    positive = thresholds.predictions.positive or 0
    values = thresholds.objective.values_at(tp, fp, rows, positive).tolist()
    return [float(f"{value:.{DIGITS}g}") if isfinite(value) else None for value in values]


def _start(thresholds: Thresholds, models: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Where the slider is at first: at what is recommended."""
    chosen, given = recommended(thresholds), thresholds.predictions.threshold
    if chosen is None or not isfinite(chosen.threshold):
        return {"given": given}
    place = thresholds.predictions.names.index(chosen.model)
    model = next((at for at, series in enumerate(models) if series["place"] == place), 0)
    return {"given": given, "start": chosen.threshold, "model": model}


def _drawn(thresholds: Thresholds, models: Sequence[dict[str, Any]], *, wide: bool) -> Markup:
    """Each model's values over its thresholds, with a mark at the best one; for wide and for narrow screens."""
    width, height, style = (760, 320, "wide") if wide else (360, 290, "narrow")
    known = {series["place"]: _points(series) for series in models}
    across = [x for points in known.values() for x, _ in points]
    up = [y for points in known.values() for _, y in points]
    chances = min(across) >= 0 and max(across) <= 1
    ends = (0, 1) if chances else (min(across), max(across))
    plot = Plot.of(ends, (min(0.0, *up), max(up) or 1.0), width=width, height=height)
    lines = [_line(plot, place, points) for place, points in reversed(known.items())]
    names = thresholds.predictions.names
    marks = [
        marker(names.index(chosen.model), plot.x(chosen.threshold), plot.y(chosen.apparent))
        for chosen in thresholds.chosen
        if isfinite(chosen.threshold) and chosen.apparent is not None and plot.x.low <= chosen.threshold <= plot.x.high
    ]
    name = thresholds.objective.metric.shown_name
    return plot.drawn(plot.axes("Threshold", name), *lines, *marks, label=f"{name} at every threshold", class_=style)


def _points(series: dict[str, Any]) -> list[tuple[float, float]]:
    return [(x, y) for x, y in zip(series["t"], series["value"], strict=True) if y is not None]


def _line(plot: Plot, place: int, points: Sequence[tuple[float, float]]) -> Markup:
    x, y = (np.array([scale(point[side]) for point in points]) for side, scale in enumerate((plot.x, plot.y)))
    kept = simplified(x, y, TOLERANCE) if len(x) > 2 else np.arange(len(x))
    path = short_path(zip(x[kept].tolist(), y[kept].tolist(), strict=True))
    return element("path", d=path, class_=f"curve {look(place)} model-{place}")

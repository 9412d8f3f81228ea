"""Studies as pages.

Of the paper's experiment: the claims first, then every table with the paper's numbers beside ours, and Figure 1 drawn.
Of a user's own data: what choosing by each metric is worth.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from markupsafe import Markup

from referee.document import Part, element, part_html
from referee.page.every_page import document_card, part_section
from referee.page.sections.forest import Row, forest
from referee.page.shell import Fact, Section, figure, folded_part, page, plain_card, reproduction
from referee.page.subject import MOST_SHOWN
from referee.paper import NOT, OUTCOMES, PARTLY, REPRODUCED, TWO, Choice, OwnStudy, Study, flows, paper, short_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Crossed = Sequence[Sequence[int]]


QUESTION = "Which metric selects the model that is best on the goal metric?"
FIGURE_LEAD = (
    "X is the pruned tree and Y the unpruned one. Blue: selected correctly. Orange: a tie taken for a difference, or "
    "a difference for a tie. Pink: the worse tree taken for the better one."
)
REGRET_LEAD = (
    "0 means always choosing the best model, 1 choosing at random. Metrics at the top choose best for this goal; "
    "intervals allow for repetitions that share rows."
)
OWN_QUESTION = "By which metric should a model be chosen?"
WIDTH, HEIGHT, TOP, GAP, NODE = 330.0, 230.0, 24.0, 14.0, 10.0
LEFT, RIGHT = 86.0, WIDTH - 96.0
COLOURS = ("c0", "c1", "c3")
"""Of what is selected correctly, of a tie confused with a difference, and of the worse taken for the better."""


def study_page(study: Study, *, command: str = "") -> str:
    """The whole as one self-contained HTML file; the same study gives the same bytes."""
    document = study.document()
    sections = [_with_drawings(study, part) for part in document.parts]
    tag, reference = "The paper's experiment, repeated", paper()["reference"]
    opening = document_card(document, tag, QUESTION, reference, _facts(study))
    facts = [
        ("Seed", str(study.settings.seed)),
        ("Repetitions", str(study.settings.repetitions)),
        *((f"Fingerprint of {name}", data.fingerprint) for name, data in study.work.data.items()),
    ]
    return page(QUESTION, [*sections, reproduction(command, facts)], opening=opening)


def _facts(study: Study) -> Iterator[Fact]:
    counts = Counter(claim.verdict for claim in study.claims)
    for verdict in (REPRODUCED, PARTLY, NOT) if study.claims else ():
        yield Fact(verdict.capitalize(), str(counts[verdict]), f"of {len(study.claims)} claims")


def _with_drawings(study: Study, part: Part) -> Section:
    section = part_section(part)
    if section.key != "figure-1":
        return _shaded(part)
    drawings = element("div", *_drawings(study), class_="three")
    return replace(section, body=plain_card(drawings, part_html(part)), lead=FIGURE_LEAD)


def _drawings(study: Study) -> Iterator[Markup]:
    for metric in TWO:
        name = short_name(metric)
        for place, (title, crossed) in enumerate(flows(study).items()):
            drawing = flow(crossed[metric], f"{title}, selected by {name}")
            yield figure(drawing, name=f"figure-1-{name}-{place}", title=f"By {name}: {title}")


def own_study_page(study: OwnStudy, *, command: str = "") -> str:
    """The whole as one self-contained HTML file; the same study gives the same bytes."""
    document = study.document(whole=True)
    goals = [folded_part(part) for part in document.parts if part.folded]
    title = "What choosing by each metric costs"
    sections = [*_charts(study), *(_shaded(part) for part in document.parts if not part.folded)]
    sections += [Section("goals", title, plain_card(*goals), short="Costs")] if goals else []
    opening = document_card(document, "The study on your data", OWN_QUESTION, document.about)
    facts = [
        ("Seed", str(study.seed)),
        ("Scheme", study.scheme),
        ("Fingerprint of the data", study.fingerprint),
        ("Models", ", ".join(study.models)),
    ]
    return page(OWN_QUESTION, [*sections, reproduction(command, facts)], opening=opening)


def _charts(study: OwnStudy) -> Iterator[Section]:
    """For each goal the regret of choosing by each metric, the goal itself among them."""
    goals = [study.goal] if study.goal is not None else [*study.usual]
    drawn = [(study.called(goal), _regrets(study, goal)) for goal in goals]
    charts = [(name, chart) for name, chart in drawn if chart is not None]
    if charts:
        panels = [_panel(name, chart) for name, chart in charts] if len(charts) > 1 else [charts[0][1]]
        body = element("div", *panels, class_="card", data_panels="Goal")
        yield Section("regrets", "Which metric chooses well", body, REGRET_LEAD, "Chart")


def _panel(name: str, chart: Markup) -> Markup:
    return element("div", element("h3", f"Goal {name}", class_="panel-title"), chart, data_panel=name)


def _regrets(study: OwnStudy, goal: str) -> Markup | None:
    choices = [choice for choice in study.for_goal(goal) if choice.regret is not None][:MOST_SHOWN]
    rows = [_row(study, choice) for choice in choices]
    name = study.called(goal)
    label = f"Regret of choosing by each metric where the goal is {name}"
    drawn = forest(rows, {"always the best": 0.0, "a random choice": 1.0}, label, spanned=(0.0, 1.0))
    return figure(drawn, name=f"regret-{goal}", title=f"Regret, goal {name}") if rows else None


def _row(study: OwnStudy, choice: Choice) -> Row:
    own = choice.evaluation == choice.goal
    right = "" if choice.right is None else f"right in {100 * choice.right:.0f}%"
    ends = (choice.regret, choice.regret_low, choice.regret_high)
    return Row(
        study.called(choice.evaluation), 0 if own else 5, *ends, (), f"the goal itself, {right}" if own else right
    )


def _shaded(part: Part) -> Section:
    """A part with the scale of its colours, where it is shaded."""
    section = part_section(part)
    marks = {mark for table in part.tables for row in table.rows for cell in row for mark in cell.mark.split()}
    scales = [colour for colour in ("heat", "burn") if any(mark.startswith(colour) for mark in marks)]
    if not scales:
        return section
    steps = [element("span", Markup("&nbsp;"), class_=f"swatch {scales[0]}{step}") for step in range(1, 10)]
    last = " 1 or more" if scales[0] == "burn" else " 1"
    scale = element("p", "0 ", *steps, last, class_="remark scale")
    return replace(section, body=section.body + scale)


def flow(crossed: Crossed, title: str) -> Markup:
    """Repetitions from their outcome by the goal (rows) to what is selected (columns).

    >>> str(flow([[9, 4, 0], [2, 60, 3], [0, 3, 19]], "by accuracy")).count("<path")
    7
    """
    rows, columns = [sum(row) for row in crossed], [sum(column) for column in zip(*crossed, strict=True)]
    step = (HEIGHT - TOP - 4 - 2 * GAP) / max(1, sum(rows))
    starts, ends = _places(rows, step), _places(columns, step)
    parts = [
        element("text", "is so", x=LEFT, y=12.0, text_anchor="end"),
        element("text", "is selected", x=RIGHT, y=12.0),
        *_ribbons(crossed, list(starts), list(ends), step),
        *_nodes(rows, starts, step, LEFT - NODE, LEFT - NODE - 6, "end"),
        *_nodes(columns, ends, step, RIGHT, RIGHT + NODE + 6, "start"),
    ]
    return element("svg", *parts, viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}", role="img", aria_label=title)


def _places(counts: Sequence[int], step: float) -> list[float]:
    """Where each node begins, from above."""
    return [TOP + place * GAP + step * sum(counts[:place]) for place in range(len(counts))]


def _nodes(
    counts: Sequence[int], places: Sequence[float], step: float, x: float, label: float, anchor: str
) -> list[Markup]:
    nodes = []
    for outcome, count, y in zip(OUTCOMES, counts, places, strict=True):
        nodes.append(element("rect", x=x, y=y, width=NODE, height=max(1.0, step * count), class_="dot c4"))
        text = f"{outcome}: {count}"
        nodes.append(element("text", text, x=label, y=y + step * count / 2 + 4, text_anchor=anchor, class_="label"))
    return nodes


def _ribbons(crossed: Crossed, starts: list[float], ends: list[float], step: float) -> list[Markup]:
    ribbons = []
    for i, row in enumerate(crossed):
        for j, count in enumerate(row):
            if count:
                words = f"{count}: {OUTCOMES[i]} selected as {OUTCOMES[j]}"
                path = _ribbon(starts[i], ends[j], step * count)
                ribbons.append(element("path", element("title", words), d=path, class_=f"bars {COLOURS[abs(i - j)]}"))
            starts[i] += step * count
            ends[j] += step * count
    return ribbons


def _ribbon(start: float, end: float, height: float) -> str:
    middle = (LEFT + RIGHT) / 2
    above = f"M{LEFT:.1f},{start:.1f}C{middle:.1f},{start:.1f} {middle:.1f},{end:.1f} {RIGHT:.1f},{end:.1f}"
    below = f"C{middle:.1f},{end + height:.1f} {middle:.1f},{start + height:.1f} {LEFT:.1f},{start + height:.1f}Z"
    return f"{above}L{RIGHT:.1f},{end + height:.1f}{below}"

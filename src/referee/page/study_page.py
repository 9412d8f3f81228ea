"""A study as a page: the claims first, then every table with the paper's numbers beside ours, and Figure 1 drawn."""

from __future__ import annotations

from collections import Counter
from math import isnan
from typing import TYPE_CHECKING

from referee.document import Cell, Column, element
from referee.page.card import Fact, opening_card, plain_card
from referee.page.sections.reproducing import reproduction
from referee.page.shell import Section, figure, page, table
from referee.paper import BY_CASE, TWO, figure_1, mean_regrets, paper, printed, remarks
from referee.report.study.beyond import constants_in_words, contests_caution, contests_in_words
from referee.report.study.cells import (
    OUTCOMES,
    VERDICTS,
    cells_by_case,
    cells_by_metric,
    data_set_name,
    difference_shown,
    error_shown,
    short_name,
    shown,
    summary,
    table_remarks,
)
from referee.report.study.figure import flow
from referee.report.study.more import beyond_the_tables, other_readings
from referee.wording import as_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from referee.paper import Study, Table
    from referee.report.study.cells import Cell as Number
    from referee.report.study.more import Grid

LOOKS = {"reproduced": "best", "partly": "", "not": "worse"}
QUESTION = "Which metric selects the model that is best on the goal metric?"
STEPS = 9
NAIVE = (
    "how often the tests themselves name a winner between equal models, the naive ones on overlapping splits included, "
    "is in docs/validity.md"
)


def study_page(study: Study, *, command: str = "") -> str:
    """The whole as one self-contained HTML file; the same study gives the same bytes."""
    sections = [
        *([_claims(study)] if study.claims else []),
        *(_table(study, found) for found in study.tables.values()),
        *([_figure(study)] if study.figure else []),
        *([_beyond(study), *_more(study)] if study.cases else []),
        _reproducing(study, command),
    ]
    return page(QUESTION, sections, opening=_opening(study))


def _opening(study: Study) -> Markup:
    counts = Counter(one.verdict for one in study.claims)
    facts = [Fact(verdict.capitalize(), str(counts[verdict]), f"of {len(study.claims)} claims") for verdict in VERDICTS]
    return opening_card(
        "The paper's experiment, repeated", QUESTION, summary(study), paper()["reference"],
        facts=facts if study.claims else [], remarks=[as_sentence(notice.message) for notice in study.warnings],
    )  # fmt: skip


def _claims(study: Study) -> Section:
    columns = [Column(name, words=True) for name in ("Claim", "Found", "Count, and how it is judged", "Where")]
    rows = [
        [Cell(one.claim.words), Cell(one.verdict, mark=LOOKS[one.verdict]), Cell(one.count, small=one.claim.rule),
         Cell(one.claim.where)]
        for one in study.claims
    ]  # fmt: skip
    lead = "Every claim of the paper that its tables and its figure make, with the rule by which it was judged."
    return Section("claims", "Claims", plain_card(table("Claims", columns, rows, name="claims")), lead, "Claims")


def _folded(grid: Grid) -> Markup:
    return element("details", element("summary", grid.title), element("p", grid.lead), _grid(grid))


def _grid(grid: Grid) -> Markup:
    head = [Column(name, words=place < grid.names) for place, name in enumerate(grid.head)]
    return table(grid.title, head, grid.rows, name=grid.key)


def _table(study: Study, found: Table) -> Section:
    number = found.number
    body = _data(found) if number == 1 else _cases(study, found) if number in BY_CASE else _metrics(found)
    said = [*remarks(number), *table_remarks(study, number)]
    notes = [element("p", line, class_="remark") for line in said]
    notes += [_folded(grid) for grid in other_readings(study, number)]
    lead = "" if number == 1 else "Ours with its Monte-Carlo standard error, and below it the difference to the paper."
    short, card = f"Table {number}", plain_card(body, *notes)
    return Section(f"table-{number}", f"{short}. {found.title}", card, lead, short)


def _data(found: Table) -> Markup:
    keys = {"rows": "Rows", "attributes": "Attributes", "classes": "Classes", "positive_percent": "Positive, %"}
    columns = ["Data set", *(title for name in keys.values() for title in (name, "paper"))]
    rows = []
    for name, row in found.values.items():
        known = printed(1).get(name, {})
        cells = [Cell(text, value) for key in keys for text, value in _ours_and_paper(row[key], known.get(key))]
        rows.append([Cell(short_name(name)), *cells])
    return table(found.title, columns, rows, name="table-1")


def _ours_and_paper(ours: float, theirs: float | None) -> Iterator[tuple[str, float | None]]:
    yield f"{ours:,.1f}" if isinstance(ours, float) else f"{ours:,}", ours
    yield "–" if theirs is None else f"{theirs:,}", theirs


def _cases(study: Study, found: Table) -> Markup:
    columns: list[Column | str] = [Column("Data set", words=True), Column("Models", words=True)]
    columns += [title for name in TWO for title in (f"{short_name(name)}: paper", f"{short_name(name)}: ours")]
    rows = [
        [
            Cell(data_set_name(study, name)),
            Cell(short_name(pair)),
            *(part for one in row.values() for part in _both(one)),
        ]
        for name, pair, row in cells_by_case(study, found)
    ]
    return table(found.title, columns, rows, name=f"table-{found.number}")


def _both(one: Number) -> tuple[Cell, Cell]:
    return Cell("" if one.paper is None else shown(one.paper), one.paper), _ours(one)


def _ours(one: Number, mark: str = "") -> Cell:
    text = f"{shown(one.ours)} {error_shown(one.standard_error)}".rstrip()
    return Cell(text, one.ours, mark, difference_shown(one.difference))


def _metrics(found: Table) -> Markup:
    columns: list[Column | str] = [Column(name, words=True) for name in ("Goal", "Whose")]
    columns += map(short_name, found.values)
    rows = []
    for goal, row in cells_by_metric(found):
        best = max(one.ours for one in row.values())
        ours = [_ours(one, f"heat{depth(one.ours)}{' best' if one.ours == best else ''}") for one in row.values()]
        rows.append([Cell(short_name(goal)), Cell("ours"), *ours])
        if any(one.paper is not None for one in row.values()):
            theirs = [Cell("" if one.paper is None else shown(one.paper), one.paper) for one in row.values()]
            rows.append([Cell(short_name(goal), mark="none"), Cell("paper", mark="none"), *theirs])
    return table(f"{found.title}: goal down, evaluation metric across", columns, rows, name=f"table-{found.number}")


def depth(value: float) -> int:
    """How deep a colour is, for values from 0 to 1.

    >>> depth(0.0), depth(0.5), depth(2.0)
    (1, 4, 9)
    """
    return 1 if isnan(value) else max(1, min(STEPS, round(STEPS * value)))


def _figure(study: Study) -> Section:
    drawn = {"the paper": figure_1()["crossed"]} | {
        f"positive {study.positive(name)}": {metric: one.crossed.tolist() for metric, one in found.items()}
        for name, found in study.figure.items()
    }
    flows = [
        figure(
            flow(crossed[metric], f"{title}, selected by {short_name(metric)}"),
            name=f"figure-1-{short_name(metric)}-{place}", title=f"By {short_name(metric)}: {title}",
            behind=_numbers(crossed[metric], f"{title}, selected by {short_name(metric)}"),
        )
        for metric in TWO
        for place, (title, crossed) in enumerate(drawn.items())
    ]  # fmt: skip
    lead = (
        "Decision trees on pen digits, goal accuracy, holdout sets: X is the pruned tree and Y the grown one (the "
        "paper does not say which is which). Blue is selected correctly, orange takes a tie for a difference or a "
        "difference for a tie, and pink the worse tree for the better."
    )
    body = plain_card(element("div", *flows, class_="three"))
    return Section("figure-1", "Figure 1. What is taken for what", body, lead, "Figure 1")


def _numbers(crossed: list[list[int]], title: str) -> Markup:
    rows = [[outcome, *map(str, row)] for outcome, row in zip(OUTCOMES, crossed, strict=True)]
    return table(title, ["is so", *OUTCOMES], rows, name="figure-1")


def _beyond(study: Study) -> Section:
    names = list(study.settings.chosen)
    regrets, errors = mean_regrets(study.cases, "holdout")
    rows = [
        [
            Cell(short_name(goal)),
            *(_cost(*both, best=both[0] == min(row)) for both in zip(row, wrong, strict=True)),
        ]
        for goal, row, wrong in zip(names, regrets.tolist(), errors.tolist(), strict=True)
    ]
    body = table("Regret: goal down, evaluation metric across", ["Goal", *map(short_name, names)], rows, name="regret")
    notes = [element("p", as_sentence(line), class_="remark") for line in (
        constants_in_words(study), contests_in_words(study), contests_caution(study), NAIVE)]  # fmt: skip
    lead = (
        "What selecting by a metric costs on the goal on holdout sets, as a share of what a coin would cost: 0 is an "
    )
    return Section("beyond", "Beyond the paper: regret", plain_card(body, *notes), f"{lead}oracle's regret.", "Regret")


def _more(study: Study) -> Iterator[Section]:
    for grid in beyond_the_tables(study):
        yield Section(grid.key, grid.title, plain_card(_grid(grid)), grid.lead)


def _cost(value: float, error: float, *, best: bool) -> Cell:
    return Cell(shown(value), value, f"burn{depth(value)}{' best' if best else ''}", error_shown(error))


def _reproducing(study: Study, command: str) -> Section:
    facts = [
        ("Seed", str(study.settings.seed)),
        ("Repetitions", str(study.settings.repetitions)),
        *((f"Fingerprint of {name}", data.fingerprint) for name, data in study.work.data.items()),
    ]
    return reproduction(command, facts)

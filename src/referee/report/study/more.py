"""What Markdown and the page have beside the paper's tables: other readings of it, and what it did not count."""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING, NamedTuple

from referee.paper import OTHER_AVERAGE, TWO, agreement_on_subsets, confusions
from referee.report.study.cells import data_set_name, short_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.paper import Confusions, Study


class Grid(NamedTuple):
    """A table of texts; the first `names` columns are words, the others numbers."""

    key: str
    title: str
    lead: str
    head: list[str]
    rows: list[list[str]]
    names: int = 2


def other_readings(study: Study, number: int) -> Iterator[Grid]:
    """What Table 2 is with tied subsets counted otherwise, and Tables 6 and 7 with the other average."""
    if number == 2 and study.cases:
        yield _other_ties(study)
    if number in study.tables_of_other_average:
        yield _other_average(study, number)


def _other_ties(study: Study) -> Grid:
    table = study.tables[2]
    ways = {table.more["ties"]: table.values} | table.more["other_ties"]
    head = [f"{short_name(metric)}: {way}" for metric in TWO for way in ways]
    rows = [
        [short_name(name), short_name(pair), *(shown(ways[way][name][pair][metric]) for metric in TWO for way in ways)]
        for name, pairs in table.values.items()
        for pair in pairs
    ]
    lead = "Where both models are equal on a subset: half counts one half, strict as wrong, excluded not at all."
    return Grid("table-2-ties", "Table 2 with every way to count ties", lead, ["Data set", "Models", *head], rows)


def _other_average(study: Study, number: int) -> Grid:
    values = study.tables_of_other_average[number].values
    rows = [[short_name(goal), *map(shown, row.values())] for goal, row in values.items()]
    way = OTHER_AVERAGE[study.settings.average]
    title = f"Table {number} with the {way} average of the five"
    lead = "Goal down, evaluation metric across; only the last row and column differ."
    return Grid(f"table-{number}-{way}", title, lead, ["Goal", *map(short_name, values)], rows, names=1)


def beyond_the_tables(study: Study) -> Iterator[Grid]:
    """The paper's section 4 for every case, and for every two metrics."""
    yield _confusions(study)
    yield _agreement(study)


KINDS = ("found", "> with =", "< with =", "> with <")


def _confusions(study: Study) -> Grid:
    head = [f"{short_name(metric)}: {kind}" for metric in TWO for kind in KINDS]
    rows = []
    for case in study.cases:
        found = [confusions(case, "holdout", "accuracy", metric) for metric in TWO]
        cells = [text for one in found for text in _counts(one)]
        rows.append([data_set_name(study, case.data_set), short_name(case.pair), str(found[0].different), *cells])
    lead = (
        "Goal accuracy, holdout sets: in how many repetitions one model is better, how many of these are found (in "
        "brackets the share, the recall), and which outcomes are taken for which, both ways counted together; > is "
        "that the first model of the pair is better: the pruned tree, 5 neighbours, fewer attributes."
    )
    title = "Figure 1 for every case: recall and confusions"
    return Grid("confusions", title, lead, ["Data set", "Models", "different", *head], rows)


def _counts(found: Confusions) -> list[str]:
    recall = f"{found.found} ({shown(found.recall)})" if found.different else "–"
    return [recall, str(found.a_with_tie), str(found.b_with_tie), str(found.a_with_b)]


def _agreement(study: Study) -> Grid:
    names = list(study.settings.chosen)
    rows = [[short_name(f), *("" if f == g else _degrees(study, f, g) for g in names)] for f in names]
    lead = (
        "Huang and Ling's two degrees on holdout subsets, metric f down and g across. Consistency: how often both "
        "prefer the same model where both tell them apart. Discriminancy: subsets on which f alone tells the models "
        "apart, for each one on which g alone does; above 1 f is the finer metric."
    )
    title = "Consistency / discriminancy of every two metrics"
    return Grid("agreement", title, lead, ["f, g", *map(short_name, names)], rows, names=1)


def _degrees(study: Study, f: str, g: str) -> str:
    found = agreement_on_subsets(study.cases, f, g)
    return f"{shown(found.consistency)} / {_times(found.discriminancy)}"


def _times(value: float) -> str:
    """A ratio that may be very small, very large or infinite.

    >>> _times(0.062), _times(6e-5), _times(15885.2), _times(float("inf")), _times(float("nan"))
    ('0.062', '<0.001', '15,885', '∞', '–')
    """
    if not isfinite(value):
        return "–" if isnan(value) else "∞"
    return "<0.001" if 0 < value < 0.001 else f"{value:.2g}" if value < 100 else f"{value:,.0f}"

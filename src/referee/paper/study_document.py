"""What is shown of a study: the claims first, then every table with the paper's numbers beside ours, and more."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.document import Cell, Column, Document, Part, Table, Term, Terms, counted, table
from referee.paper.claim_rules import NOT, PARTLY, REPRODUCED
from referee.paper.claims import CLAIMS
from referee.paper.deviations import closeness, explained
from referee.paper.penalty_regret import penalty_part
from referee.paper.regret import constant_ratios, contests, mean_regrets
from referee.paper.study import OTHER_AVERAGE, OTHER_DIGITS, Study
from referee.paper.study_tables import (
    agreement_table,
    average_table,
    cases_table,
    confusions_table,
    data_set_name,
    data_table,
    difference_shown,
    figure_table,
    metrics_table,
    narrow_name,
    ratio_cell,
    ratio_shown,
    ratios_by_case,
    ratios_by_metric,
    regret_table,
    short_name,
    ties_table,
)
from referee.paper.tables import BY_CASE, BY_METRIC, mean_ratio, paper, remarks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.paper.study_tables import Ratio

LOOKS = {REPRODUCED: "best", PARTLY: "", NOT: "worse"}
ABOUT_TIES = "where both models are equal on a subset: half counts one half, strict as wrong, excluded not at all"
ABOUT_AVERAGE = "goal down, evaluation metric across; only the last row and column differ"
ABOUT_FIGURE = "X: with pruning, Y: without (the paper does not say which is which); down: truth; across: selection"
ABOUT_CONFUSIONS = (
    "goal accuracy, holdout sets: in how many repetitions one model is better, how many of these are found (in "
    "brackets the share, the recall), and which outcomes are confused, both ways counted together; > means that the "
    "first model of the pair is better: the pruned tree, 5 neighbours, fewer attributes"
)
ABOUT_AGREEMENT = (
    "Huang and Ling's two degrees on holdout subsets, metric f down and g across. Consistency: how often both prefer "
    "the same model where both separate them. Discriminancy: subsets on which only f separates the models, for each "
    "one on which only g does; above 1, f is the finer metric"
)
ABOUT_MEANS = (
    "r: correlation of ours with the paper's numbers; means: what the paper's own mean for each learner and metric "
    "(each metric, and the diagonal, in Tables 6 and 7) would reach, which know nothing about the data set"
)
ABOUT_ERRORS = (
    "> 2 s.e.: numbers more than two standard errors apart, counting the paper's own (that of a share of 100 "
    "repetitions; in Tables 2, 6 and 7 as large as ours) and its rounding"
)
ABOUT_TABLES_6_AND_7 = "Tables 6 and 7 are means over all cases; the paper prints these for the goal accuracy only"
NAIVE = (
    "how often the tests themselves name a winner between equal models, the naive ones on overlapping splits included, "
    "is in docs/validity.md"
)


def study_document(study: Study) -> Document:
    parts = [
        *_claims(study),
        *_near_the_paper(study),
        *_far_from_the_paper(study),
        *(part for number in study.tables for part in _table(study, number)),
    ]
    parts += [*_figure(study), *_beyond(study), *penalty_part(study.way_costs, study.settings.repetitions)]
    return Document("study", summary(study), tuple(parts), about=paper()["reference"], notices=study.warnings)


def summary(study: Study) -> str:
    """The sentence that says it all."""
    counts = Counter(claim.verdict for claim in study.claims)
    total = len(study.claims)
    settings = study.settings
    done = [counted(len(study.cases), "case"), counted(settings.repetitions, "repetition"), f"seed {settings.seed}"]
    done += ["not the paper's full experiment"] if study.warnings else []
    cases = f" ({', '.join(done)})" if study.cases else ""
    if not total:
        return f"The paper makes no claim about the requested tables{cases}."
    told = f"{counts[REPRODUCED]} reproduced, {counts[PARTLY]} partly, {counts[NOT]} not"
    left = f", which has {len(CLAIMS)}" if total < len(CLAIMS) else ""
    return f"Of {counted(total, 'claim')} of the paper{left}: {told}{cases}."


def _claims(study: Study) -> Iterator[Part]:
    """Every claim with what was counted, and the rule by which it is judged."""
    if not study.claims:
        return
    columns = [Column(title, words=True) for title in ("where", "the paper claims", "found", "count", "rule")]
    rows = [
        [
            Cell(judged.claim.where),
            Cell(judged.claim.words),
            Cell(judged.verdict, mark=LOOKS[judged.verdict]),
            Cell(judged.count),
            Cell(judged.claim.rule),
        ]
        for judged in study.claims
    ]
    words = [
        Term(f"{judged.verdict:<10} {judged.claim.where}", (judged.claim.words, f"found: {judged.count}"))
        for judged in study.claims
    ]
    listed = Terms(tuple(words), "the rule for each: --format json, md or --html")
    yield Part("What the paper claims, and what we found", (table("claims", columns, rows, narrower=(listed,)),))


def _near_the_paper(study: Study) -> Iterator[Part]:
    """Each table's numbers beside the paper's, and beside what the paper's own column means would give."""
    rows = [
        [
            Cell(f"Table {number}" if place == "all" else place), Cell(str(near.numbers), near.numbers),
            ratio_cell(near.correlation), Cell(f"{near.mean:.3f}", near.mean),
            ratio_cell(near.largest), Cell(str(near.beyond), near.beyond),
            ratio_cell(near.benchmark_correlation),
            Cell(f"{near.benchmark_mean:.3f}", near.benchmark_mean),
        ]
        for number, shown in study.tables.items()
        if number != 1
        for place, near in closeness(shown).items()
    ]  # fmt: skip
    if rows:
        words = "", "numbers", "r", "mean diff.", "largest", "> 2 s.e.", "means: r", "mean diff."
        yield _part("How close ours is to the paper", table("closeness", words, rows), ABOUT_MEANS, ABOUT_ERRORS)


def _far_from_the_paper(study: Study) -> Iterator[Part]:
    """Every number that is far off, case by case, with whose doing that is."""
    cases = explained([*study.tables.values()])
    if not cases:
        return
    columns = [Column(title, words=True) for title in ("data set", "models", "ours minus paper", "cause", "why")]
    rows, words = [], []
    for case in cases:
        of_goal = f"goal {narrow_name(case.data_set)}", "all"
        names = (data_set_name(study, case.data_set), narrow_name(case.pair)) if case.pair else of_goal
        off = ", ".join(
            f"{narrow_name(far.place.metric)} {difference_shown(far.difference)} (Table {far.place.table})"
            for far in case.large
        )
        rows.append([Cell(text) for text in (*names, off, case.cause, case.reason)])
        words.append(Term(f"{names[0]}, {names[1]}: {case.cause}", (off, case.reason)))
    told = table("deviations", columns, rows, narrower=(Terms(tuple(words), ABOUT_TABLES_6_AND_7),))
    yield Part(
        "Where ours differs by more than two standard errors, and why",
        (replace(told, remarks=(ABOUT_TABLES_6_AND_7,)),),
    )


def _table(study: Study, number: int) -> Iterator[Part]:
    """One of the paper's tables, and other readings of it."""
    shown = study.tables[number]
    yield _part(f"Table {number}. {shown.title}", _numbers(study, number), *remarks(number), *_remarks(study, number))
    if number == 2 and study.cases:
        yield _part("Table 2 with every way to count ties", ties_table(study), ABOUT_TIES, folded=True)
    if number in study.tables_of_other_average:
        title = f"Table {number} with the {OTHER_AVERAGE[study.settings.average]} average of the five"
        yield _part(title, average_table(study, number), ABOUT_AVERAGE, folded=True)


def _numbers(study: Study, number: int) -> Table:
    shown = study.tables[number]
    if number == 1:
        return data_table(shown)
    return cases_table(study, number) if number in BY_CASE else metrics_table(shown)


def _part(title: str, shown: Table, *said: str, folded: bool = False) -> Part:
    """A table with what is said of it, on a narrow screen too."""
    narrower = tuple(replace(form, remarks=said) if isinstance(form, Table) else form for form in shown.narrower)
    return Part(title, (replace(shown, remarks=said, narrower=narrower),), folded=folded)


def _remarks(study: Study, number: int) -> Iterator[str]:
    """What must be known to read a table, and how close it is to the paper's."""
    if number == 1:
        return
    shown = study.tables[number]
    if number == min(set(study.tables) - {1}):
        yield "± Monte-Carlo standard error of ours"
    if number == 2:
        ways = {"half": "one half", "strict": "as wrong", "excluded": "not at all"}
        yield f"a subset on which both models are equal counts {ways[study.settings.ties]} (--ties)"
    if number in study.tables_of_other_digits:
        name = data_set_name(study, OTHER_DIGITS)
        yield f"{name}: the pen digits with these as positive ones; not among the cases that are counted"
    if number in BY_METRIC:
        told = ", ".join(f"{short_name(goal)} {n}" for goal, n in shown.more["cases_where_the_goal_is_best"].items())
        yield f"cases of {shown.more['cases']} in which no metric selects better than the goal itself: {told}"


def _figure(study: Study) -> Iterator[Part]:
    if study.figure:
        title = "Figure 1. Decision trees on pen digits, goal accuracy, holdout sets"
        yield _part(title, figure_table(study), ABOUT_FIGURE)


def _beyond(study: Study) -> Iterator[Part]:
    """What the paper did not ask: what a wrong choice costs, which differences may be chance, and every case."""
    if not study.cases:
        return
    errors = mean_regrets(study.cases, "holdout")[1]
    known = errors[np.isfinite(errors)]
    largest = f"; the largest standard error is {known.max():.3f}" if len(known) else ""
    said = (
        f"down: the goal; across: the metric by which the model with the better mean is chosen{largest}",
        _constants(study), _contests(study), _caution(study), NAIVE,
    )  # fmt: skip
    title = "Beyond the paper: regret on holdout sets; 0 is an oracle, 1 a coin flip"
    yield _part(title, regret_table(study), *said)
    every_case, every_two = "Figure 1 for every case: recall and confusions", "Consistency / discriminancy of every two"
    yield _part(every_case, confusions_table(study), ABOUT_CONFUSIONS, folded=True)
    yield _part(f"{every_two} metrics", agreement_table(study), ABOUT_AGREEMENT, folded=True)


def _constants(study: Study) -> str:
    """How often an answer would be correct that looks at nothing."""
    told = [
        f"{short_name(goal)} {ratio_shown(share)} ({ratio_shown(mean_ratio(study.cases, 'holdout', goal, goal).value)})"
        for goal, share in constant_ratios(study.cases, "holdout").items()
    ]
    return (
        f"ratio of always giving a case's most frequent outcome (in brackets: selecting by the goal): {', '.join(told)}"
    )


def _contests(study: Study) -> str:
    """Of every goal, the metrics that select worse than it beyond chance, over the cases."""
    told = []
    for goal in study.settings.chosen:
        won = [contest for contest in contests(study.cases, goal, alpha=study.settings.alpha) if contest.winner == goal]
        beaten = ", ".join(short_name(contest.b if contest.a == goal else contest.a) for contest in won)
        told.append(f"{short_name(goal)} beats {beaten or 'none'}")
    return f"selecting for itself, beyond chance (Wilcoxon over the cases, Holm): {'; '.join(told)}"


def _caution(study: Study) -> str:
    """Why the contests say less than their p values do."""
    amount = len({case.data_set for case in study.cases})
    data_sets, smallest = counted(amount, "data set"), 2 / 2**amount
    caution = (
        f"the {counted(len(study.cases), 'case')} come from {data_sets}; cases from one data set are not "
        "independent: the contests overstate the certainty"
    )
    if smallest < study.settings.alpha:
        return caution
    return f"{caution}; {data_sets} alone could show nothing (the smallest p is {smallest:.4g})"


def study_records(study: Study) -> Iterator[dict[str, Any]]:
    """Each number of Tables 2 to 7, for people who go on with them elsewhere."""
    for number, shown in study.tables.items():
        if number in BY_CASE:
            for data_set, pair, row in ratios_by_case(study, number):
                yield from (_record(number, data_set, pair, "accuracy", *item) for item in row.items())
        elif number in BY_METRIC:
            for goal, row in ratios_by_metric(shown):
                yield from (_record(number, "", "", goal, *item) for item in row.items())


def _record(number: int, data_set: str, pair: str, goal: str, metric: str, ratio: Ratio) -> dict[str, Any]:
    """Nothing where there is not a number."""
    where = {"table": number, "data_set": data_set, "pair": pair, "goal": goal, "evaluation": metric}
    known = {name: None if value is None or isnan(value) else value for name, value in ratio._asdict().items()}
    return where | known

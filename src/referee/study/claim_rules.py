"""How claims are judged: the counts behind them, and what makes a claim reproduced, partly so, or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.study.consistency import agreement_on_repetitions, agreement_on_subsets
from referee.study.estimates import mean_of, rosset_ratio
from referee.study.paper import printed
from referee.study.settings import AVERAGE, FIVE, SIX, TIES
from referee.study.tables import TWO

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.study.outcomes import Approach, CaseOutcomes, Test
    from referee.study.results import Study

REPRODUCED, PARTLY, NOT = "reproduced", "partly", "not"
MOST = 0.8
"""The share of all places from which a claim about every place holds partly."""
EVEN = 1e-12
BEYOND = 2.0
"""Standard errors."""
METHODS: dict[int, tuple[Approach, Test]] = {3: ("test_sets", "t"), 4: ("test_sets", "sign"), 5: ("holdout", "t")}
APPROACH: dict[int, Approach] = {6: "test_sets", 7: "holdout"}


class Finding(NamedTuple):
    """What became of a claim, and the count that says so."""

    verdict: str
    found: str


def graded(holds: bool, partly: bool, count: str) -> Finding:
    return Finding(REPRODUCED if holds else PARTLY if partly else NOT, count)


def everywhere(count: int, of: int, more: str = "") -> Finding:
    """A claim about every place: partly reproduced if it holds in at least 80 % of them."""
    return graded(count == of, count >= MOST * of, f"{count} of {of}{more}")


def gaps(study: Study, number: int, ties: str | None = None) -> list[float]:
    """The ratio of accuracy less that of AUC in each case of Tables 2 to 5."""
    if ties is not None:
        estimates = [[rosset_ratio(case, "accuracy", name, ties).value for name in TWO] for case in study.cases]
        return [accuracy - auc for accuracy, auc in estimates]
    rows = [row for pairs in study.tables[number].values.values() for row in pairs.values()]
    return [row["accuracy"] - row["roc_auc"] for row in rows]


def tally(found: Sequence[float]) -> tuple[int, int, int]:
    """In how many cases accuracy is ahead, neither is, and AUC is."""
    ahead, behind = sum(gap > EVEN for gap in found), sum(gap < -EVEN for gap in found)
    return ahead, len(found) - ahead - behind, behind


def in_words(counts: tuple[int, int, int]) -> str:
    return f"accuracy ahead in {counts[0]}, equal {counts[1]}, AUC ahead {counts[2]}"


def same_size(study: Study) -> Finding:
    ours, theirs = study.tables[1].values, printed(1)
    known = [name for name in ours if name in theirs]
    alike = [
        all(ours[name][key] == theirs[name][key] for key in ("rows", "attributes", "classes"))
        and abs(ours[name]["positive_percent"] - theirs[name]["positive_percent"]) <= 0.5
        for name in known
    ]
    different = [name for name, same in zip(known, alike, strict=True) if not same]
    return everywhere(sum(alike), len(known), f"; not {', '.join(different)}" if different else "")


def auc_ahead_on_adult(study: Study) -> Finding | None:
    pairs = study.tables[2].values.get("adult", {})
    if not {"knn", "naive_bayes"} <= set(pairs):
        return None
    ahead = sum(pairs[name]["roc_auc"] > pairs[name]["accuracy"] + EVEN for name in ("knn", "naive_bayes"))
    return graded(ahead == 2, ahead == 1, f"{ahead} of 2")


def two_thirds_by_rosset(study: Study) -> Finding:
    """Under every way to count tied subsets."""
    counts = {ties: tally(gaps(study, 2, ties)) for ties in TIES}
    enough = [ahead >= 2 / 3 * len(study.cases) for ahead, _, _ in counts.values()]
    return graded(all(enough), any(enough), "; ".join(f"{ties}: {in_words(one)}" for ties, one in counts.items()))


def auc_not_better_by_rosset(study: Study) -> Finding:
    behind = {ties: tally(gaps(study, 2, ties))[2] for ties in TIES}
    fewer = [count < len(study.cases) / 2 for count in behind.values()]
    told = ", ".join(f"{count} ({ties})" for ties, count in behind.items())
    return graded(all(fewer), any(fewer), f"AUC ahead in {told} of {len(study.cases)}")


def never_behind(study: Study, number: int) -> Finding:
    """Accuracy is at least AUC in every case; exceptions beyond Monte-Carlo error are counted."""
    ahead, equal, behind = tally(gaps(study, number))
    approach, test = METHODS[number]
    clearly = sum(_clearly_behind(case, approach, test) for case in study.cases)
    more = f"; {in_words((ahead, equal, behind))}; {clearly} of these by more than 2 standard errors" if behind else ""
    return everywhere(ahead + equal, len(study.cases), more)


def _clearly_behind(case: CaseOutcomes, approach: Approach, test: Test) -> bool:
    accuracy, auc = (case.correct(approach, "accuracy", name, test).astype(float) for name in TWO)
    gap = mean_of(accuracy - auc)
    return gap.value < -EVEN and not gap.value >= -BEYOND * gap.standard_error


def at_least(study: Study, number: int, least: float) -> Finding:
    values = [row["accuracy"] for pairs in study.tables[number].values.values() for row in pairs.values()]
    return everywhere(sum(one >= least for one in values), len(values), f"; the smallest is {min(values):.2f}")


def auc_mostly_wrong(study: Study) -> Finding:
    values = [row["roc_auc"] for pairs in study.tables[3].values.values() for row in pairs.values()]
    wrong, claimed = sum(one < 0.5 for one in values), 7 / 15 * len(values)
    return graded(wrong >= claimed, wrong >= claimed / 2, f"{wrong} of {len(values)}")


def much_better(study: Study) -> Finding:
    found = gaps(study, 3)
    much = sum(gap >= 0.1 for gap in found)
    return graded(much > len(found) / 2, much >= len(found) / 3, f"{much} of {len(found)}")


def same_side(study: Study) -> Finding:
    both = list(zip(gaps(study, 3), gaps(study, 4), strict=True))
    return everywhere(sum(not (t > EVEN and s < -EVEN) and not (t < -EVEN and s > EVEN) for t, s in both), len(both))


def fewer_ahead_with_the_test(study: Study) -> Finding:
    without, with_test = tally(gaps(study, 2))[2], tally(gaps(study, 3))[2]
    count = f"AUC ahead in {without} cases without, in {with_test} with the test"
    return graded(with_test < without, with_test == without == 0, count)


def smaller_on_holdout(study: Study) -> Finding:
    smaller = {name: sum(a <= b for a, b in _both(study, name)) for name in TWO}
    places = len(TWO) * len(study.cases)
    total = sum(smaller.values())
    told = f"{total} of {places} (accuracy {smaller['accuracy']}, AUC {smaller['roc_auc']} of {len(study.cases)})"
    return graded(total >= 2 / 3 * places, total > places / 2, told)


def _both(study: Study, metric: str) -> Iterable[tuple[float, float]]:
    holdout, test = study.tables[5].values, study.tables[3].values
    return [(pairs[pair][metric], test[name][pair][metric]) for name, pairs in holdout.items() for pair in pairs]


def diagonal_largest(study: Study, number: int) -> Finding:
    values = study.tables[number].values
    largest = [goal for goal in SIX if goal in values and values[goal][goal] >= max(values[goal].values())]
    return everywhere(len(largest), sum(goal in values for goal in SIX))


def best_in_every_case(study: Study, numbers: Sequence[int]) -> Finding:
    found = [
        study.tables[number].more["cases_where_the_goal_is_best"][goal]
        for number in numbers
        for goal in SIX
        if goal in study.tables[number].values
    ]
    return everywhere(sum(found), len(found) * len(study.cases))


def average_by_itself(study: Study) -> Finding:
    rows = [study.tables[number].values[AVERAGE] for number in (6, 7)]
    best = sum(row[AVERAGE] >= max(row.values()) for row in rows)
    return graded(best == 2, best == 1, f"{best} of 2 tables")


def diagonal_smaller_on_holdout(study: Study) -> Finding:
    test, holdout = (study.tables[number].values for number in (6, 7))
    return everywhere(sum(holdout[goal][goal] < test[goal][goal] for goal in SIX if goal in test), len(SIX))


ROBUST = ("log_loss", "rms", "roc_auc", "accuracy", "f_beta")
"""The paper's order of single metrics for an unknown goal."""


def order_for_unknown_goal(study: Study, number: int) -> Finding:
    order = _order(study.tables[number].values[AVERAGE])
    other = _order(study.tables_of_other_average[number].values[AVERAGE])
    told = f"{_written(order)} (with the other average: {_written(other)})"
    return graded(order == ROBUST, order[0] == ROBUST[0], told)


def _order(row: dict[str, float]) -> tuple[str, ...]:
    return tuple(sorted(FIVE, key=lambda name: -row[name]))


def _written(order: Sequence[str]) -> str:
    from referee.study.paper import paper_name

    return " > ".join(map(paper_name, order))


def mxe_most_robust(study: Study) -> Finding:
    first = sum(_order(study.tables[number].values[AVERAGE])[0] == "log_loss" for number in (6, 7))
    return graded(first == 2, first == 1, f"{first} of 2 tables")


def consistent(study: Study) -> Finding:
    found = agreement_on_repetitions(study.cases, "roc_auc", "accuracy")
    both = found.agree + found.contradict
    told = f"they agree in {found.agree} of the {both} repetitions in which both name a better model"
    return graded(found.consistency >= MOST, found.consistency > 0.5, told)


def more_discriminating(study: Study) -> Finding:
    found = agreement_on_subsets(study.cases, "roc_auc", "accuracy")
    told = f"on {found.only_f:,} subsets only AUC tells the models apart, on {found.only_g:,} only accuracy"
    return graded(found.discriminancy > 1, False, told)

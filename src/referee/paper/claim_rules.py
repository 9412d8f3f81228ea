"""How the paper's claims are judged: the counts, and what makes a claim reproduced, partly so, or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.paper.outcomes import agreement_on_repetitions, agreement_on_subsets
from referee.paper.settings import AVERAGE, FIVE, SIX, TIES
from referee.paper.tables import METHODS, TWO, mean_of, paper_name, printed, rosset_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from referee.paper.outcomes import Approach, CaseOutcomes, Confusions, Test
    from referee.paper.study import Study

REPRODUCED, PARTLY, NOT = "reproduced", "partly", "not"
MOST = 0.8
"""The share of all places from which a claim about every place holds partly."""
EVEN = 1e-12
BEYOND = 2.0
"""Standard errors."""


class Finding(NamedTuple):
    """What became of a claim, and the count that says so."""

    verdict: str
    told: str


def graded(holds: bool, partly: bool, count: str) -> Finding:
    return Finding(REPRODUCED if holds else PARTLY if partly else NOT, count)


def everywhere(count: int, places: int, more: str = "") -> Finding | None:
    """A claim about every place: partly reproduced if it holds in at least 80% of them; no places tell nothing."""
    return graded(count == places, count >= MOST * places, f"{count} of {places}{more}") if places else None


def gaps(study: Study, number: int, ties: str | None = None) -> list[float]:
    """The ratio of accuracy less that of AUC in each case of Tables 2 to 5."""
    if ties is not None:
        estimates = [[rosset_ratio(case, "accuracy", name, ties).value for name in TWO] for case in study.cases]
        return [accuracy - auc for accuracy, auc in estimates]
    rows = [row for pairs in study.tables[number].values.values() for row in pairs.values()]
    return [row["accuracy"] - row["roc_auc"] for row in rows]


def tally(differences: Sequence[float]) -> tuple[int, int, int]:
    """In how many cases accuracy is ahead, neither is, and AUC is; a gap that is nan is no case."""
    ahead, behind = sum(gap > EVEN for gap in differences), sum(gap < -EVEN for gap in differences)
    return ahead, sum(abs(gap) <= EVEN for gap in differences), behind


def in_words(counts: tuple[int, int, int]) -> str:
    return f"accuracy ahead in {counts[0]}, equal {counts[1]}, AUC ahead {counts[2]}"


def same_size(study: Study) -> Finding | None:
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
    counts = _by_ties(study)
    enough = [won[0] > 0 and won[0] >= 2 / 3 * sum(won) for won in counts.values()]
    return graded(all(enough), any(enough), "; ".join(f"{ties}: {in_words(won)}" for ties, won in counts.items()))


def auc_not_better_by_rosset(study: Study) -> Finding:
    counts = _by_ties(study)
    fewer = [won[2] < sum(won) / 2 for won in counts.values()]
    told = ", ".join(f"{won[2]} of {sum(won)} ({ties})" for ties, won in counts.items())
    return graded(all(fewer), any(fewer), f"AUC ahead in {told}")


def _by_ties(study: Study) -> dict[str, tuple[int, int, int]]:
    return {ties: tally(gaps(study, 2, ties)) for ties in TIES}


def never_behind(study: Study, number: int) -> Finding | None:
    """Accuracy is at least AUC in every case; exceptions beyond Monte-Carlo error are counted."""
    counts = tally(gaps(study, number))
    more = f": {in_words(counts)}"
    if counts[2]:
        clearly = sum(_clearly_behind(case, *METHODS[number]) for case in study.cases)
        more += f"; {clearly} of these by more than 2 standard errors"
    return everywhere(counts[0] + counts[1], sum(counts), more)


def ahead_but_for_one(study: Study, number: int) -> Finding:
    """Strictly better in every case, but for one tie that the paper has, too."""
    ahead, equal, behind = counts = tally(gaps(study, number))
    holds = ahead > 0 and equal <= 1 and not behind
    return graded(holds, ahead > 0 and ahead >= MOST * sum(counts), in_words(counts))


def _clearly_behind(case: CaseOutcomes, approach: Approach, test: Test) -> bool:
    accuracy, auc = (case.correct(approach, "accuracy", name, test).astype(float) for name in TWO)
    gap = mean_of(accuracy - auc)
    return gap.value < -EVEN and not gap.value >= -BEYOND * gap.standard_error


def at_least(study: Study, number: int, least: float) -> Finding | None:
    values = [row["accuracy"] for pairs in study.tables[number].values.values() for row in pairs.values()]
    return everywhere(sum(value >= least for value in values), len(values), f"; the smallest is {min(values):.2f}")


def auc_mostly_wrong(study: Study) -> Finding:
    values = [row["roc_auc"] for pairs in study.tables[3].values.values() for row in pairs.values()]
    wrong, claimed = sum(value < 0.5 for value in values), 7 / 15 * len(values)
    return graded(wrong >= claimed, wrong >= claimed / 2, f"{wrong} of {len(values)}")


def much_better(study: Study, number: int) -> Finding:
    differences = gaps(study, number)
    much = sum(gap >= 0.1 - EVEN for gap in differences)
    return graded(much > len(differences) / 2, much >= len(differences) / 3, f"{much} of {len(differences)}")


def same_side(study: Study) -> Finding | None:
    both = list(zip(gaps(study, 3), gaps(study, 4), strict=True))
    return everywhere(sum(not (t > EVEN and s < -EVEN) and not (t < -EVEN and s > EVEN) for t, s in both), len(both))


def none_ahead_with_the_test(study: Study) -> Finding | None:
    without, with_test = tally(gaps(study, 2))[2], tally(gaps(study, 3))[2]
    count = f"AUC ahead in {without} cases without, in {with_test} with the test"
    return graded(with_test == 0, with_test < without, count) if without else None


def smaller_on_holdout(study: Study) -> Finding | None:
    counts = {name: _below_equal_above(_both(study, name)) for name in TWO}
    smaller, _, larger = (sum(each) for each in zip(*counts.values(), strict=True))
    if not smaller + larger:
        return None
    told = "; ".join(f"{paper_name(name)}: {s} smaller, {e} equal, {b} larger" for name, (s, e, b) in counts.items())
    return graded(smaller >= 2 / 3 * (smaller + larger), smaller > larger, told)


def _below_equal_above(both: Iterable[tuple[float, float]]) -> tuple[int, int, int]:
    above, equal, below = tally([a - b for a, b in both])
    return below, equal, above


def _both(study: Study, metric: str) -> Iterable[tuple[float, float]]:
    holdout, test = study.tables[5].values, study.tables[3].values
    return [(pairs[pair][metric], test[name][pair][metric]) for name, pairs in holdout.items() for pair in pairs]


def consistent(study: Study) -> Finding | None:
    """On single subsets, as Huang and Ling count; what the t-test names better stands beside it."""
    on_subsets, tested = (
        count(study.cases, "roc_auc", "accuracy") for count in (agreement_on_subsets, agreement_on_repetitions)
    )
    both, both_tested = on_subsets.agree + on_subsets.contradict, tested.agree + tested.contradict
    told = (
        f"they agree on {on_subsets.agree:,} of the {both:,} subsets on which both separate the models; by the "
        f"t-test, in {tested.agree:,} of {both_tested:,} repetitions"
    )
    return graded(on_subsets.consistency >= MOST, on_subsets.consistency > 0.5, told) if both else None


def more_discriminating(study: Study) -> Finding | None:
    agreement = agreement_on_subsets(study.cases, "roc_auc", "accuracy")
    told = f"on {agreement.only_f:,} subsets only AUC separates the models, on {agreement.only_g:,} only accuracy"
    return graded(agreement.only_f > agreement.only_g, False, told) if agreement.only_f or agreement.only_g else None


def diagonal_largest(study: Study, number: int) -> Finding | None:
    values = study.tables[number].values
    largest = [goal for goal in SIX if goal in values and values[goal][goal] >= max(values[goal].values())]
    return everywhere(len(largest), sum(goal in values for goal in SIX))


def best_in_every_case(study: Study, numbers: Sequence[int]) -> Finding | None:
    cases = [
        study.tables[number].more["cases_where_the_goal_is_best"][goal]
        for number in numbers
        for goal in SIX
        if goal in study.tables[number].values
    ]
    return everywhere(sum(cases), len(cases) * len(study.cases))


def average_by_itself(study: Study) -> Finding:
    rows = [study.tables[number].values[AVERAGE] for number in (6, 7)]
    best = sum(row[AVERAGE] >= max(row.values()) for row in rows)
    return graded(best == 2, best == 1, f"{best} of 2 tables")


def diagonal_smaller_on_holdout(study: Study) -> Finding | None:
    test, holdout = (study.tables[number].values for number in (6, 7))
    goals = [goal for goal in SIX if goal in test]
    return everywhere(sum(holdout[goal][goal] < test[goal][goal] for goal in goals), len(goals))


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
    return " > ".join(map(paper_name, order))


def mxe_most_robust(study: Study) -> Finding:
    first = sum(_order(study.tables[number].values[AVERAGE])[0] == "log_loss" for number in (6, 7))
    return graded(first == 2, first == 1, f"{first} of 2 tables")


def judged_by(rule: Callable[[Confusions, Confusions], Finding | None]) -> Callable[[Study], Finding | None]:
    """A rule about the confusions of accuracy and of AUC on both choices of pen digits.

    The digits that were asked for decide; what the others say stands beside it.
    """

    def judge(study: Study) -> Finding | None:
        if "pen-digits" not in study.figure:
            return None
        told = {name: rule(metrics["accuracy"], metrics["roc_auc"]) for name, metrics in study.figure.items()}
        decisive = told["pen-digits"]
        counts = "; ".join(f"{study.positive(name)}: {finding.told}" for name, finding in told.items() if finding)
        return decisive and Finding(decisive.verdict, counts)

    return judge


def never_turned_round(accuracy: Confusions, auc: Confusions) -> Finding | None:
    count = f"{accuracy.a_with_b} (AUC {auc.a_with_b}) of {accuracy.different}"
    return graded(accuracy.a_with_b == 0, accuracy.a_with_b < auc.a_with_b, count) if accuracy.different else None


def few_confusions(accuracy: Confusions, _: Confusions) -> Finding | None:
    confused, total = accuracy.a_with_tie + accuracy.b_with_tie, int(accuracy.crossed.sum())
    return graded(confused <= 0.2 * total, confused <= 0.4 * total, f"{confused} of {total}") if total else None


def more_confusions_by_auc(accuracy: Confusions, auc: Confusions) -> Finding | None:
    kinds = [(getattr(accuracy, kind), getattr(auc, kind)) for kind in ("a_with_tie", "b_with_tie", "a_with_b")]
    more = sum(theirs > ours for ours, theirs in kinds)
    told = ", ".join(f"{theirs} v {ours}" for ours, theirs in kinds)
    in_sum = sum(b for _, b in kinds) > sum(a for a, _ in kinds)
    return graded(more == len(kinds), in_sum, f"{told} (AUC v accuracy)")


def too_sensitive(accuracy: Confusions, auc: Confusions) -> Finding | None:
    ours, theirs = (int(confusions.crossed[1, 0] + confusions.crossed[1, 2]) for confusions in (accuracy, auc))
    ties = int(accuracy.crossed[1].sum())
    told = f"AUC {theirs}, accuracy {ours} of {ties} ties"
    return graded(theirs >= 2 * ours and theirs > 0, theirs > ours, told) if ties else None


def more_found(accuracy: Confusions, auc: Confusions) -> Finding | None:
    told = f"accuracy {accuracy.found}, AUC {auc.found} of {accuracy.different}"
    more = graded(accuracy.found > auc.found, accuracy.found == auc.found, told)
    return more if accuracy.different else None

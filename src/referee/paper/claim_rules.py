"""How claims about accuracy and AUC are judged: the counts, and what makes a claim reproduced, partly so, or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.paper.outcome_confusions import agreement_on_repetitions, agreement_on_subsets
from referee.paper.settings import TIES
from referee.paper.tables import TWO, mean_of, paper_name, printed, rosset_ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.paper.outcomes import Approach, CaseOutcomes, Test
    from referee.paper.study import Study

REPRODUCED, PARTLY, NOT = "reproduced", "partly", "not"
MOST = 0.8
"""The share of all places from which a claim about every place holds partly."""
EVEN = 1e-12
BEYOND = 2.0
"""Standard errors."""
METHODS: dict[int, tuple[Approach, Test]] = {3: ("test_sets", "t"), 4: ("test_sets", "sign"), 5: ("holdout", "t")}


class Finding(NamedTuple):
    """What became of a claim, and the count that says so."""

    verdict: str
    found: str


def graded(holds: bool, partly: bool, count: str) -> Finding:
    return Finding(REPRODUCED if holds else PARTLY if partly else NOT, count)


def everywhere(count: int, of: int, more: str = "") -> Finding | None:
    """A claim about every place: partly reproduced if it holds in at least 80 % of them; no places tell nothing."""
    return graded(count == of, count >= MOST * of, f"{count} of {of}{more}") if of else None


def gaps(study: Study, number: int, ties: str | None = None) -> list[float]:
    """The ratio of accuracy less that of AUC in each case of Tables 2 to 5."""
    if ties is not None:
        estimates = [[rosset_ratio(case, "accuracy", name, ties).value for name in TWO] for case in study.cases]
        return [accuracy - auc for accuracy, auc in estimates]
    rows = [row for pairs in study.tables[number].values.values() for row in pairs.values()]
    return [row["accuracy"] - row["roc_auc"] for row in rows]


def tally(found: Sequence[float]) -> tuple[int, int, int]:
    """In how many cases accuracy is ahead, neither is, and AUC is; a gap that is nan is no case."""
    ahead, behind = sum(gap > EVEN for gap in found), sum(gap < -EVEN for gap in found)
    return ahead, sum(abs(gap) <= EVEN for gap in found), behind


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
    enough = [one[0] > 0 and one[0] >= 2 / 3 * sum(one) for one in counts.values()]
    return graded(all(enough), any(enough), "; ".join(f"{ties}: {in_words(one)}" for ties, one in counts.items()))


def auc_not_better_by_rosset(study: Study) -> Finding:
    counts = _by_ties(study)
    fewer = [one[2] < sum(one) / 2 for one in counts.values()]
    told = ", ".join(f"{one[2]} of {sum(one)} ({ties})" for ties, one in counts.items())
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
    return everywhere(sum(one >= least for one in values), len(values), f"; the smallest is {min(values):.2f}")


def auc_mostly_wrong(study: Study) -> Finding:
    values = [row["roc_auc"] for pairs in study.tables[3].values.values() for row in pairs.values()]
    wrong, claimed = sum(one < 0.5 for one in values), 7 / 15 * len(values)
    return graded(wrong >= claimed, wrong >= claimed / 2, f"{wrong} of {len(values)}")


def much_better(study: Study, number: int) -> Finding:
    found = gaps(study, number)
    much = sum(gap >= 0.1 - EVEN for gap in found)
    return graded(much > len(found) / 2, much >= len(found) / 3, f"{much} of {len(found)}")


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
    found, tested = (
        count(study.cases, "roc_auc", "accuracy") for count in (agreement_on_subsets, agreement_on_repetitions)
    )
    both, both_tested = found.agree + found.contradict, tested.agree + tested.contradict
    told = (
        f"they agree on {found.agree:,} of the {both:,} subsets on which both tell the models apart; by the t-test in "
        f"{tested.agree:,} of {both_tested:,} repetitions"
    )
    return graded(found.consistency >= MOST, found.consistency > 0.5, told) if both else None


def more_discriminating(study: Study) -> Finding | None:
    found = agreement_on_subsets(study.cases, "roc_auc", "accuracy")
    told = f"on {found.only_f:,} subsets only AUC tells the models apart, on {found.only_g:,} only accuracy"
    return graded(found.only_f > found.only_g, False, told) if found.only_f or found.only_g else None

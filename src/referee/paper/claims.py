"""Every claim of the paper: where it stands, what it says, and the rule by which it is judged."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from referee.paper import claim_rules as by
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.paper.claim_rules import Finding
    from referee.paper.study import Study


def _in_all(places: str) -> str:
    return f"reproduced: in all {places}; partly: in at least 80% of them"


IN_ALL_CASES = _in_all("cases")
BUT_FOR_ONE = "reproduced: ahead in all cases but one, which ties; partly: ahead in at least 80% of them"
MUCH = "at least 0.1 better; reproduced: in more than half of them; partly: in a third"


@dataclass(frozen=True)
class Claim:
    """What the paper says, and how to see whether it is so; `judge` gives None where the cases for it are missing."""

    where: str
    words: str
    rule: str
    tables: tuple[int, ...]
    """What must have been computed."""
    judge: Callable[[Study], Finding | None]


@dataclass(frozen=True)
class Judged:
    """A claim with what became of it."""

    claim: Claim
    verdict: str
    count: str

    def to_dict(self) -> dict[str, Any]:
        claim = self.claim
        return {
            "where": claim.where, "claim": claim.words, "verdict": self.verdict, "count": self.count, "rule": claim.rule
        }  # fmt: skip


CLAIMS = (
    Claim(
        "Table 1", "five data sets of these sizes and shares of positives",
        f"rows, attributes and classes the same, positives within half a percent; {_in_all('data sets')}", (1,),
        by.same_size,
    ),
    Claim(
        "Table 2", "by Rosset's method AUC selects better than accuracy on adult with KNN and naive Bayes",
        "reproduced: both; partly: one", (2,), by.auc_ahead_on_adult,
    ),
    Claim(
        "Table 2", "by Rosset's method accuracy selects better than AUC in 10 of the 15 cases, and equally well in one",
        "reproduced: ahead in at least 2/3 of them however tied subsets are counted; partly: by one way to count them",
        (2,), by.two_thirds_by_rosset,
    ),
    Claim(
        "Table 2", "even by Rosset's method, AUC is not the better metric to select by for accuracy",
        "reproduced: AUC ahead in fewer than half of them however tied subsets are counted; partly: by one way",
        (2,), by.auc_not_better_by_rosset,
    ),
    Claim(
        "Table 3", "with the t-test accuracy selects at least as well as AUC in every case",
        IN_ALL_CASES, (3,), partial(by.never_behind, number=3),
    ),
    Claim(
        "Table 3", "... and better than AUC in every case but one, in which they tie",
        BUT_FOR_ONE, (3,), partial(by.ahead_but_for_one, number=3),
    ),
    Claim(
        "Table 3", "in most cases accuracy selects much better", MUCH, (3,), partial(by.much_better, number=3),
    ),
    Claim(
        "Table 3", "accuracy is correct in at least 0.89 of the repetitions of every case",
        IN_ALL_CASES, (3,), partial(by.at_least, number=3, least=0.89),
    ),
    Claim(
        "Table 3", "AUC selects wrongly more often than not in 7 of the 15 cases",
        "ratio below 0.5; reproduced: in at least 7/15 of them; partly: in half as many", (3,),
        by.auc_mostly_wrong,
    ),
    Claim(
        "Tables 2, 3", "with the test, the advantage of AUC disappears",
        "reproduced: AUC ahead in some cases without the test and in none with it; partly: in fewer than without",
        (2, 3), by.none_ahead_with_the_test,
    ),
    Claim(
        "Table 4", "with the sign test accuracy selects at least as well as AUC in every case",
        IN_ALL_CASES, (4,), partial(by.never_behind, number=4),
    ),
    Claim(
        "Table 4", "... and better than AUC in every case (its table has one tie)",
        BUT_FOR_ONE, (4,), partial(by.ahead_but_for_one, number=4),
    ),
    Claim(
        "Tables 3, 4", "it does not matter which significance test is used",
        f"the t-test and the sign test do not put different metrics ahead; {_in_all('cases')}", (3, 4), by.same_side,
    ),
    Claim(
        "Table 5", "on holdout sets accuracy selects at least as well as AUC in every case",
        IN_ALL_CASES, (5,), partial(by.never_behind, number=5),
    ),
    Claim(
        "Table 5", "... and better than AUC in every case but one, in which they tie",
        BUT_FOR_ONE, (5,), partial(by.ahead_but_for_one, number=5),
    ),
    Claim(
        "Table 5", "on holdout sets, accuracy also selects much better", MUCH, (5,), partial(by.much_better, number=5),
    ),
    Claim(
        "Tables 3, 5", "ratios on holdout sets are generally smaller than on test sets",
        "of the numbers that differ; reproduced: at least 2/3 are smaller; partly: more than half", (3, 5),
        by.smaller_on_holdout,
    ),
    Claim(
        "Table 6", "on test sets every goal metric is, on average, selected best by itself",
        f"the diagonal is the largest number of its row; {_in_all('rows')}", (6,),
        partial(by.diagonal_largest, number=6),
    ),
    Claim(
        "Table 6", "... and in every single case (the stars)",
        f"no other metric has a larger ratio; {_in_all('goals and cases')}", (6,),
        partial(by.best_in_every_case, numbers=(6,)),
    ),
    Claim(
        "Table 7", "on holdout sets every goal metric is, on average, selected best by itself",
        f"the diagonal is the largest number of its row; {_in_all('rows')}", (7,),
        partial(by.diagonal_largest, number=7),
    ),
    Claim(
        "Table 7", "... and in every single case (the stars)",
        f"no other metric has a larger ratio; {_in_all('goals and cases')}", (7,),
        partial(by.best_in_every_case, numbers=(7,)),
    ),
    Claim(
        "Tables 6, 7", "the diagonal on holdout sets is below that on test sets",
        f"smaller; {_in_all('rows')}", (6, 7), by.diagonal_smaller_on_holdout,
    ),
    Claim(
        "Tables 6, 7", "the average of the five is selected best by the average itself",
        "reproduced: in both tables; partly: in one", (6, 7), by.average_by_itself,
    ),
    Claim(
        "Table 6", "for an unknown goal, on test sets: MXE > RMS > AUC > accuracy > F",
        "the last row; reproduced: this order; partly: MXE first", (6,),
        partial(by.order_for_unknown_goal, number=6),
    ),
    Claim(
        "Table 7", "for an unknown goal, on holdout sets: MXE > RMS > AUC > accuracy > F",
        "the last row; reproduced: this order; partly: MXE first", (7,),
        partial(by.order_for_unknown_goal, number=7),
    ),
    Claim(
        "Tables 6, 7", "MXE is the most robust single metric where the goal is the average",
        "reproduced: first of the five in both tables; partly: in one", (6, 7), by.mxe_most_robust,
    ),
    Claim(
        "Section 5", "in all cases, by both approaches, the goal metric is the best evaluation metric",
        f"no other metric has a larger ratio; {_in_all('goals, cases and approaches')}", (6, 7),
        partial(by.best_in_every_case, numbers=(6, 7)),
    ),
    Claim(
        "Figure 1 b", "selecting by accuracy never takes the worse tree for the better one",
        "reproduced: never; partly: less often than by AUC", (5,), by.judged_by(by.never_turned_round),
    ),
    Claim(
        "Figure 1 b", "selecting by accuracy seldom takes a difference for a tie or a tie for a difference",
        "reproduced: in at most 20% of the repetitions; partly: 40%", (5,), by.judged_by(by.few_confusions),
    ),
    Claim(
        "Figure 1 c", "AUC confuses more: X > Y with X = Y, X < Y with X = Y, and X > Y with X < Y",
        "reproduced: all three; partly: their sum", (5,), by.judged_by(by.more_confusions_by_auc),
    ),
    Claim(
        "Figure 1 c", "AUC is too sensitive: it sees differences where accuracy has ties",
        "ties of the goal selected as a difference; reproduced: at least twice as many by AUC as by accuracy; partly: "
        "more", (5,), by.judged_by(by.too_sensitive),
    ),
    Claim(
        "Figure 1", "accuracy finds more of the truly different trees than AUC (28 and 17 of 35)",
        "reproduced: more; partly: as many", (5,), by.judged_by(by.more_found),
    ),
    Claim(
        "Section 4", "AUC and accuracy are largely consistent",
        "on holdout subsets on which both separate the models; reproduced: the same one is better on at least 80%; "
        "partly: on more than half", (5,), by.consistent,
    ),
    Claim(
        "Section 4", "AUC is more discriminating than accuracy",
        "reproduced: more holdout subsets on which AUC alone differs than on which accuracy alone does", (5,),
        by.more_discriminating,
    ),
)  # fmt: skip


def judged(study: Study) -> tuple[Judged, ...]:
    """What becomes of every claim that the tables at hand can tell."""
    findings = []
    for claim in CLAIMS:
        finding = claim.judge(study) if set(claim.tables) <= set(study.tables) else None
        if finding is not None:
            findings.append(Judged(claim, *finding))
    return tuple(findings)
